"""How long presses of others take at a running server while one person imports, orders and exports a long list.

Run as ``python -m benchmarks.others_presses [DOCUMENTS [REVIEWERS]]``. The reviewers label over websockets, as in
``benchmarks/reviewers.py``; the person with the long list sits at a Chromium: gives a CSV on Set up, says what is looked
for, starts, and saves the session as Excel, report and session file on Sessions. All of it is on one machine, the
reviewers and the Chromium too. Prints median and 95th percentile for each step; exits with 1 when the 95th
percentile of all presses during the work is above twice the idle one.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

from benchmarks.judging import dashboard
from benchmarks.label_latency import long_session
from benchmarks.others_labels import said, write_list
from benchmarks.reviewers import DOCUMENTS, Reviewer, label_beside, presses_during

IDLE_SECONDS = 15.0
LONG = 300_000.0
MOST = 2.0
SAVED = ("Excel (XLSX)", "Report (HTML)", "Session file (JSON)")


def steps(page: Page, url: str, path: Path) -> list[tuple[str, Callable[[], object]]]:
    """What the person does."""

    def bring() -> None:
        page.goto(f"{url}/set_up")
        page.get_by_text("My own files").click()
        expect(page.get_by_text("Files that together make one list")).to_be_visible(timeout=LONG)
        page.locator("input[type=file]").first.set_input_files(path)
        expect(page.get_by_text("What was understood, column by column")).to_be_visible(timeout=LONG)

    def order() -> None:
        page.get_by_role("textbox", name="What are you looking for?").fill("w1 w2 w3 w40 w500")
        page.get_by_role("textbox", name="What are you looking for?").press("Control+Enter")
        expect(page.get_by_test_id("first-titles")).to_be_visible(timeout=LONG)

    def start() -> None:
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_test_id("counter")).to_contain_text("0 of", timeout=LONG)

    def opened() -> None:
        session = page.url.partition("session=")[2].partition("&")[0]
        page.goto(f"{url}/sessions?session={session}")
        expect(page.get_by_role("button", name="Save", exact=True).first).to_be_enabled(timeout=LONG)

    def save(name: str) -> Callable[[], object]:
        def press() -> None:
            if not page.get_by_role("button", name=name).is_visible():
                page.get_by_role("button", name="Save", exact=True).first.click()
            page.get_by_role("button", name=name, exact=True).click()
            # What is large is made first, and then saved.
            with page.expect_download(timeout=LONG):
                page.get_by_role("button", name="Now save it").click(timeout=LONG)

        return press

    done: list[tuple[str, Callable[[], object]]] = [
        ("import", bring),
        ("order by a text", order),
        ("start", start),
        ("open it on Sessions", opened),
    ]
    return [*done, *((f"save {name}", save(name)) for name in SAVED)]


def main(documents: int = 200_000, count: int = 5) -> int:
    """Measure and print."""
    with dashboard() as (server, browser):
        path = server.folder / "a.csv"
        write_list(path, documents)
        reviewers = [
            Reviewer(server.url, long_session(server.database, DOCUMENTS), DOCUMENTS - 20)
            for _ in range(count)
        ]
        label_beside(reviewers)
        page = browser.new_page()

        def measured(name: str, step: Callable[[], object]) -> np.ndarray:
            taken, seconds = presses_during(step, reviewers)
            print(said(name, taken, seconds), flush=True)
            return taken

        print(
            f"{documents:,} documents, {path.stat().st_size / 1e6:.0f} MB; {count} others at the same server"
        )
        time.sleep(10.0)  # their pages open
        idle = measured("idle", lambda: time.sleep(IDLE_SECONDS))
        begun = time.perf_counter()
        busy = np.concatenate([measured(*step) for step in steps(page, server.url, path)])
        failed = [words for each in reviewers for words in each.failed]
    print(said("all of it", busy, time.perf_counter() - begun))
    ratio = float(np.percentile(busy, 95) / np.percentile(idle, 95))
    print(f"p95 is {ratio:.2f} times the idle one (target {MOST:g}); {len(failed)} errors {failed[:1]}")
    return int(ratio > MOST or bool(failed))


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
