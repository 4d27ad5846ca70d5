"""Learn: a lecture in the browser, on the sample collections."""

from dashboard.frame import shell
from dashboard.learn.page import learn_page

shell.show("Learn", learn_page)
