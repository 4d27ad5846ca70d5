"""Every page opens at its own URL on a fresh server, in light and in dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest

from tests.browser.acting import PAGES

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def luminance(colour: str) -> float:
    """Rough brightness (0 to 1) of a CSS `rgb(…)`."""
    red, green, blue = (float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("path", PAGES)
def test_page_opens_by_direct_url_on_a_fresh_server(
    server: Any, open_page: Callable[..., Any], path: str
) -> None:
    # The first theme meets a server on which nothing has run yet, not even app.py.
    for theme in THEMES:
        watched = open_page(color_scheme=theme)
        watched.open(server.url + path)
        watched.assert_sound()
        page = watched.page
        assert page.url.startswith(server.url + path)
        assert page.locator("[data-testid='stMain']").inner_text().strip()
        background = page.evaluate(
            "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
        )
        assert (luminance(background) < 0.5) == (theme == "dark")
        # The navigation is app.py's, not the list of file names that Streamlit makes up without it.
        names = page.locator("[data-testid='stSidebarNavLink']").all_inner_texts()
        assert len(names) == len(PAGES)
        assert not any(name.strip().lower() == "app" for name in names)
