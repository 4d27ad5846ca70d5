"""Photograph the pages for the README and the docs: a real server, a real browser, the sample search."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "images"


def main() -> None:
    """Write ``docs/images/screen.png``."""
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
        browser.close()


if __name__ == "__main__":
    main()
