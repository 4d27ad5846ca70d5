"""Learn: a lecture in the browser, on the sample collections."""

from dashboard import shell
from dashboard.learn import learn_page

shell.show("Learn", learn_page)
