"""No page says more at first than it may, and Set up fits a window."""

from collections.abc import Callable
from typing import Any

from tests.browser.acting import stored
from tests.browser.first_open import IN_TURN, LIMITS, WINDOW, counted, sessions

FITS = """() => {
    const bar = document.querySelector('[data-testid=stBottom]').getBoundingClientRect().top;
    const seen = [...document.querySelectorAll('[data-testid=stMain] [data-testid=stExpander]')].filter((each) => each.checkVisibility());
    return seen.length > 0 && seen.every((each) => each.getBoundingClientRect().bottom <= bar);
}"""
"""What stands last in a step, the fold with everything else, ends above the bar at the bottom."""


def test_words_and_controls_at_first_open_stay_below_their_limits(
    server: Any, open_page: Callable[..., Any]
) -> None:
    with stored(server) as store:
        named = sessions(store)
    page = open_page(viewport=WINDOW).page
    over = {}
    for name in IN_TURN:
        _, most_words, most_controls = LIMITS[name]
        words, controls = counted(page, server.url, name, named)
        assert words > 30 and controls > 5, f"{name} was counted before it was drawn"
        if words > most_words or (most_controls is not None and controls > most_controls):
            over[name] = words, controls
        if name.startswith("Set up"):
            page.set_viewport_size({"width": 1280, "height": 800})
            page.wait_for_function(FITS)
            page.set_viewport_size(WINDOW)
    assert over == {}
