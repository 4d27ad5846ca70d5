"""The Learn page in a real browser: keys, playing, reloads, what stays in sight, a phone, a projector."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.acting import assert_fits, at_rest, hit
from tests.browser.conftest import AppServer, Watched

OpenPage = Callable[..., Watched]
SCROLLS = """() => ['[data-testid=stMain]', '.st-key-walk-told', '.st-key-walk-shown'].filter((each) => {
    const {scrollHeight, clientHeight} = document.querySelector(each);
    return scrollHeight > clientHeight;
})"""
RESULT = "learn?part=call&calls=7m.5p.30m.15m.19p"


def read(page: Page, rank: int) -> None:
    """The document of this rank is shown, and the address says so."""
    expect(page.locator(".tar-rank")).to_have_text(f"#{rank}")
    at_rest(page)


def test_keys_step_and_play_and_a_reload_comes_back_to_the_step(
    server: AppServer, open_page: OpenPage
) -> None:
    watched = open_page()
    watched.open(f"{server.url}/learn?rule=greedy&pace=0.5")
    page = watched.page
    hit(page, "ArrowRight")
    read(page, 1)
    hit(page, "ArrowRight")
    read(page, 2)
    hit(page, "ArrowLeft")
    read(page, 1)
    expect(page).to_have_url(re.compile(r"step=1\b"))
    page.keyboard.press("Space")
    expect(page.get_by_text("The truth", exact=True)).to_be_visible()
    read(page, 7)  # where the rule stops, and with it the clock
    expect(page).to_have_url(re.compile(r"step=7\b"))
    page.reload()
    watched.settle()
    read(page, 7)
    watched.assert_sound()


def test_what_a_hand_clicked_gives_the_keys_back_and_space_pauses(
    server: AppServer, open_page: OpenPage
) -> None:
    watched = open_page()
    watched.open(f"{server.url}/learn?rule=budget:d=100&pace=1")
    page = watched.page
    page.get_by_text("Present", exact=True).click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    hit(page, "ArrowRight")
    read(page, 1)
    for beside in ("Copy link", "Reveal"):
        page.get_by_role("button", name=beside).click()
        at_rest(page)
        for turned in ("Pause", "Play"):
            page.keyboard.press("Space")
            expect(page.get_by_role("button", name=turned)).to_be_visible()
    # The button that plays has the focus after a click: Space is its key once, not twice.
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    at_rest(page)
    stopped = page.locator(".tar-rank").inner_text()
    expect(page).to_have_url(re.compile(rf"step={stopped[1:]}\b"))
    watched.assert_sound()


def test_a_round_is_played_by_keys_and_a_reload_loses_nothing(server: AppServer, open_page: OpenPage) -> None:
    watched = open_page()
    watched.open(f"{server.url}/learn?part=call&mix=patent")
    page = watched.page
    hit(page, "ArrowRight")
    expect(page.get_by_role("button", name="Read the next")).to_be_visible()
    hit(page, "ArrowRight")
    read(page, 1)
    hit(page, "5")
    read(page, 6)
    page.reload()
    watched.settle()
    read(page, 6)
    hit(page, "2")
    expect(page.get_by_text("You read 6 documents and chose “Grant”").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"calls=6m\b"))
    watched.assert_sound()


@pytest.mark.parametrize(
    "address",
    [
        RESULT,
        *(
            pytest.param(each, marks=pytest.mark.deep)
            for each in ("learn?step=5", "learn?part=call&calls=7m.3")
        ),
    ],
)
def test_a_phone_shows_everything_without_scrolling_sideways_and_names_no_keys(
    server: AppServer, open_page: OpenPage, address: str
) -> None:
    watched = open_page(viewport={"width": 390, "height": 844})
    watched.open(f"{server.url}/{address}")
    assert_fits(watched.page, 390)
    assert watched.page.locator("kbd:visible").count() == 0
    watched.assert_sound()


@pytest.mark.parametrize(
    "lesson",
    [
        "scenario=review&topic=hollow-hip&step=15",
        pytest.param("topic=antenna-mount&step=4", marks=pytest.mark.deep),
    ],
)
def test_every_step_fits_the_window_of_a_projector_in_larger_letters(
    server: AppServer, open_page: OpenPage, lesson: str
) -> None:
    watched = open_page()
    watched.open(f"{server.url}/learn?{lesson}")
    page, sizes = watched.page, []
    for width, height in ((1920, 1080), (1280, 900)):
        page.set_viewport_size({"width": width, "height": height})
        at_rest(page)
        sizes.append(
            page.locator(".tar-word").first.evaluate("each => parseFloat(getComputedStyle(each).fontSize)")
        )
    assert sizes[0] >= 1.2 * sizes[1]
    # The keys stay in sight beside the formulas.
    page.locator(".katex").last.scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Step")).to_be_in_viewport()
    next_one = int(page.locator(".tar-rank").inner_text()[1:]) + 2
    hit(page, "ArrowRight")
    expect(page.get_by_text(f"What about the next document, #{next_one}?")).to_be_attached()
    at_rest(page)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_text("Present", exact=True).click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    for press in ("Step", "Reveal", "End"):
        page.get_by_role("button", name=press).click()
        at_rest(page)
        left_out = page.evaluate(SCROLLS)
        assert not left_out, f"after {press}: {left_out}"
        expect(page.locator(".st-key-walk-reveal button")).to_be_in_viewport()
    expect(page.get_by_text("The truth", exact=True)).to_be_in_viewport()
    watched.assert_sound()


def test_the_link_that_is_copied_leads_to_the_step_that_is_shown(
    server: AppServer, open_page: OpenPage
) -> None:
    watched = open_page()
    watched.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    watched.open(f"{server.url}/learn?rule=greedy&present=true&pace=0.5")
    page = watched.page
    page.get_by_role("button", name="Play").click()
    # The address says 0 until it ends, at 7.
    expect(page.locator(".tar-about")).to_have_attribute("data-here", re.compile(r"^step=[3-6]$"))
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.search(r"[?&]step=[3-7]\b", link) and "rule=greedy" in link and "present" not in link
    watched.assert_sound()
