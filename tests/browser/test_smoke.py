"""A page opens at its own address on a server that has shown nothing yet."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.acting import PAGES


@pytest.mark.parametrize("path", ["/results", pytest.param("/set_up", marks=pytest.mark.deep)])
def test_a_page_is_the_first_that_a_server_shows(
    server: Any, open_page: Callable[..., Any], path: str
) -> None:
    server.restart()
    watched = open_page()
    watched.open(server.url + path)
    watched.assert_sound()
    page = watched.page
    assert page.url.startswith(server.url + path)
    assert page.locator("[data-testid='stMain']").inner_text().strip()
    # The navigation is app.py's, not the list of file names that Streamlit makes up without it.
    names = page.locator("[data-testid='stSidebarNavLink']").all_inner_texts()
    assert len(names) == len(PAGES)
    assert not any(name.strip().lower() == "app" for name in names)
