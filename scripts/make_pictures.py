"""Photograph the pages for the README and the docs: a real server, a real browser, the samples."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tarstop_core.reports import OUTCOMES
from tarstop_core.samples import sample_full_texts

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "images"
REVIEW_DEMO_TOPIC = "hollow-hip"
DOCUMENTS, REPORTS = 40, 5


def main() -> None:
    """Write ``screen.png``, ``review.png`` and ``results.png`` into ``docs/images``."""
    sys.path.insert(0, str(ROOT))
    from tests.browser.conftest import CHROMIUM_FLAGS, AppServer, find_chromium

    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, AppServer(Path(folder)) as server, sync_playwright() as pw:
        browser = pw.chromium.launch(executable_path=find_chromium(pw), args=list(CHROMIUM_FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 920})
        page.goto(server.url)
        page.get_by_role("button", name="Start the demo").click()
        counter = page.get_by_test_id("counter")
        expect(counter).to_contain_text("0 of", timeout=30_000)
        for done in range(1, 13):
            page.wait_for_timeout(400)
            page.keyboard.press("e")
            expect(counter).to_contain_text(f"{done} of")
        page.wait_for_timeout(1_500)
        page.screenshot(path=PICTURES / "screen.png")
        _review(page, server.url)
        page.goto(f"{server.url}/results")
        expect(page.locator(".js-plotly-plot").nth(1)).to_be_visible(timeout=60_000)
        page.wait_for_timeout(2_500)
        page.screenshot(path=PICTURES / "results.png")
        browser.close()


def _review(page: Page, url: str) -> None:
    """The review demo after some abstracts and reports, answered as its judgments say."""
    page.set_viewport_size({"width": 1280, "height": 1500})
    page.goto(url)
    page.get_by_role("button", name="Start the review demo").click()
    counter = page.get_by_test_id("counter")
    expect(counter).to_contain_text("0 of", timeout=30_000)
    texts = sample_full_texts(REVIEW_DEMO_TOPIC)
    waiting = 0
    for done in range(1, DOCUMENTS + 1):
        page.wait_for_timeout(500)
        doc = page.locator("article .tar-meta").first.inner_text()
        included = any(document in doc for document in texts)
        waiting += included
        page.keyboard.press("i" if included else "e")
        expect(counter).to_contain_text(f"{done} of", timeout=15_000)
    for _ in range(min(REPORTS, waiting)):
        page.wait_for_timeout(600)
        page.keyboard.press("f")
        expect(page.get_by_label("TP", exact=True).first).to_be_visible(timeout=15_000)
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
        page.wait_for_timeout(400)
        page.get_by_role("button", name="Save the report").click()
        page.wait_for_timeout(1_500)
    page.wait_for_timeout(6_000)
    page.screenshot(path=PICTURES / "review.png", full_page=False)
    page.set_viewport_size({"width": 1280, "height": 920})


if __name__ == "__main__":
    main()
