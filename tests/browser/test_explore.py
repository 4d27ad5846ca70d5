"""The Explore page in a real browser: clicks on the map, addresses that are shared, files, a phone."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from dashboard.explore.page import LEARNED, MAP, SENSITIVITY
from tests.browser.acting import at_rest, save_menu
from tests.browser.conftest import AppServer, Watched

OpenPage = Callable[..., Watched]
HERE = f"explore?show={quote(MAP)}"


def test_a_click_on_the_map_shows_that_path_and_the_address_keeps_it(
    server: AppServer, open_page: OpenPage
) -> None:
    watched = open_page(viewport={"width": 1280, "height": 1400})
    watched.open(f"{server.url}/{HERE}")
    page = watched.page
    expect(
        page.get_by_role("heading", name="Optimal at a threshold of 50 % and a cost of 0.001 a document")
    ).to_be_visible()
    plot = page.locator("[class*='tar-figure-explore-map'] .nsewdrag").first
    marks = page.locator("[class*='tar-figure-explore-map'] path.point")
    assert marks.count() < 10, "the 323 points that can be clicked are not drawn"
    box = plot.bounding_box()
    assert box is not None
    # 17 costs across and 19 thresholds up: the middle of the cell at q* = 0.2 and c = 0.01.
    page.mouse.click(box["x"] + box["width"] * 12.5 / 17, box["y"] + box["height"] * (19 - 3.5) / 19)
    expect(
        page.get_by_role("heading", name="Optimal at a threshold of 20 % and a cost of 0.01 a document")
    ).to_be_visible()
    expect(page).to_have_url(re.compile(r"cell=0\.2%2C0\.01"))
    watched.assert_sound()
    page.reload()
    expect(
        page.get_by_role("heading", name="Optimal at a threshold of 20 % and a cost of 0.01 a document")
    ).to_be_visible()
    watched.settle()
    watched.assert_sound()


def test_what_is_moved_by_keyboard_is_in_the_address_and_survives_a_reload(
    server: AppServer, open_page: OpenPage
) -> None:
    watched = open_page()
    watched.open(f"{server.url}/explore")
    page = watched.page
    slider = page.get_by_role("slider", name="Chance before any document")
    slider.focus()
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"b_0=0\.51"))
    expect(page.get_by_test_id("stSliderThumbValue").filter(has_text="51")).to_have_text("51\u00a0%")
    watched.settle()  # the address changes before the page does
    told = page.locator(".tar-told").first.inner_text()
    page.reload()
    watched.settle()
    expect(page.locator(".tar-told").first).to_have_text(told, use_inner_text=True)
    watched.assert_sound()


def test_figures_are_saved_on_white(server: AppServer, open_page: OpenPage, tmp_path: Path) -> None:
    watched = open_page(color_scheme="dark", viewport={"width": 1280, "height": 1400})
    watched.open(f"{server.url}/explore?show={quote(SENSITIVITY)}&of=review:brindle-fever")
    expect(watched.page.locator("[class*='tar-figure-explore-tornado'] .main-svg").first).to_be_visible()
    save_menu(watched.page)
    with watched.page.expect_download() as saving:
        watched.page.get_by_role("button", name="SVG").first.click()
    saved = tmp_path / "figure.svg"
    saving.value.save_as(saved)
    text = saved.read_text(encoding="utf-8")
    assert text.startswith("<svg") and "simulated" in text and "rgb(169, 177, 186)" not in text
    assert re.search(r"tarstop-explore-.*explore-tornado\.svg", saving.value.suggested_filename)
    watched.assert_sound()


FITS = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    return main.scrollHeight <= main.clientHeight;
}"""


@pytest.mark.parametrize(
    "address",
    [
        "explore?present=true&of=reviews",
        "evidence?present=true",
        *(
            pytest.param(address, marks=pytest.mark.deep)
            for address in (
                *(f"explore?present=true&show={quote(tab)}" for tab in ("At stake now", MAP, SENSITIVITY)),
                "learn?present=true&part=call&calls=7m.5p.30m.15m.19p",
                f"explore?present=true&of=review:quill-dementia&show={quote(LEARNED)}",
                "learn?present=true&part=call&calls=7m.30",
                "learn?present=true&part=call&calls=7m",
            )
        ),
    ],
)
def test_what_is_projected_fits_the_window(server: AppServer, open_page: OpenPage, address: str) -> None:
    watched = open_page(viewport={"width": 1280, "height": 720})
    watched.open(f"{server.url}/{address}")
    page = watched.page
    expect(page.locator(".js-plotly-plot .main-svg, .tar-fluid img").first).to_be_in_viewport()
    at_rest(page)
    for tab in page.get_by_role("tab").all() if "evidence" in address else [None]:
        if tab:
            tab.click()
            at_rest(page)
        # A figure learns its room once the page around it stands.
        page.wait_for_function(FITS)
    if "learn" not in address:
        page.get_by_role("button", name="Change", exact=True).click()
        expect(
            page.get_by_role("slider", name=re.compile("^(Chance before|Sensitivity to)")).first
        ).to_be_visible()
    watched.assert_sound()
