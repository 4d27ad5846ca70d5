"""Photograph the pages for the README and the docs: a real server, a real browser, the samples.

``python -m tests.browser.pictures`` writes them into ``docs/images``.
"""

import re
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, expect, sync_playwright

from tarstop_core.documents.reports import OUTCOMES
from tarstop_core.samples.collections import sample_full_texts
from tests.browser.acting import arrived, at_rest, hit, painted, press, unfold
from tests.browser.conftest import CHROMIUM_FLAGS, AppServer, find_chromium

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "images"
WIDTH, HEIGHT = 1280, 920
MISSES = 15  # documents of the demo before its first hit, as the guide tells it
REVIEW_DEMO_TOPIC = "hollow-hip"
DOCUMENTS, REPORTS = 40, 5
PAST_CASES = "4\n17\nnone in 60\n2\n9"


def main() -> None:
    """Write every picture into ``docs/images``."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, AppServer(Path(folder)) as server, sync_playwright() as pw:
        browser = pw.chromium.launch(executable_path=find_chromium(pw), args=list(CHROMIUM_FLAGS))
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(60_000)
        _screen(page, server.url)
        _review(page, server.url)
        _explore(page, server.url)
        _calibration(page, server.url)
        _learn(page, server.url)
        _results(page, server.url)
        browser.close()


def _open(page: Page, url: str, name: str, **parameters: str) -> None:
    page.goto(f"{url}/{name}?{urlencode(parameters)}" if parameters else f"{url}/{name}")
    at_rest(page)


def _take(page: Page, name: str) -> None:
    at_rest(page)
    painted(page)
    page.screenshot(path=PICTURES / f"{name}.png", animations="disabled")


def _screen(page: Page, url: str) -> None:
    """The demo after some misses."""
    _open(page, url, "")
    page.get_by_role("button", name="Start the demo").click()
    arrived(page, "0 of")
    for done in range(1, MISSES + 1):
        press(page, "e", done)
    _take(page, "screen")


def _review(page: Page, url: str) -> None:
    """The review demo after some abstracts and reports, answered as its judgments say."""
    page.set_viewport_size({"width": WIDTH, "height": 1350})
    _open(page, url, "")
    page.get_by_role("button", name="Start the review demo").click()
    arrived(page, "0 of")
    texts = sample_full_texts(REVIEW_DEMO_TOPIC)
    waiting = 0
    for done in range(1, DOCUMENTS + 1):
        doc = page.locator("article .tar-meta").first.inner_text()
        included = any(document in doc for document in texts)
        waiting += included
        press(page, "i" if included else "e", done)
    for _ in range(min(REPORTS, waiting)):
        hit(page, "f")
        expect(page.get_by_label("TP", exact=True).first).to_be_visible()
        doc = page.locator("article .tar-meta").first.inner_text()
        text = next(text for document, text in texts.items() if document in doc)
        if text.status == "excluded":
            page.get_by_text("Excluded, with a reason").click()
            page.get_by_label(re.compile("^Reason")).first.fill(text.reason)
        elif text.TP is None:
            page.get_by_text(OUTCOMES[text.status]).first.click()
        else:
            for cell in ("TP", "FP", "FN", "TN"):
                page.get_by_label(cell, exact=True).first.fill(str(getattr(text, cell)))
        at_rest(page)
        page.get_by_role("button", name="Save the report").click()
        expect(page.get_by_role("button", name="Save the report")).to_have_count(0)
        expect(page.get_by_test_id("stToast")).to_have_count(0)
    unfold(page, "Why?")
    _take(page, "review")
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def _explore(page: Page, url: str) -> None:
    """The map of one list."""
    page.set_viewport_size({"width": WIDTH, "height": 1400})
    _open(page, url, "explore", show="Map")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    _take(page, "explore")
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def _calibration(page: Page, url: str) -> None:
    """A calibrator learned from remembered cases."""
    page.set_viewport_size({"width": WIDTH, "height": 1400})
    _open(page, url, "calibration", part="Fit one")
    page.get_by_label("Past cases").fill(PAST_CASES)
    page.get_by_label("Past cases").press("Control+Enter")
    _take(page, "calibration")
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def _learn(page: Page, url: str) -> None:
    """A step of the walk through, with its formulas."""
    page.set_viewport_size({"width": WIDTH, "height": 1400})
    _open(page, url, "learn", part="walk", step="8")
    unfold(page, "This step’s numbers")
    _take(page, "learn")
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def _results(page: Page, url: str) -> None:
    """The headline figures."""
    _open(page, url, "results")
    expect(page.locator(".js-plotly-plot").nth(1)).to_be_visible()
    _take(page, "results")


if __name__ == "__main__":
    main()
