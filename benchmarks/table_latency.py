"""From saving a 2×2 table to the redrawn belief, forest and SROC, in a real browser.

Run it as ``python -m benchmarks.table_latency [DOCUMENTS [TABLES]]``. The time runs from the Enter key in the
form to the second animation frame after both figures on the page have changed: the curve of the belief, and the
forest (first half of the tables) or the SROC plot (second half). Each table is on disk before it is drawn.
Prints the median and the 95th percentile of each; exits with 1 when one of the latter is above 300 ms.
"""

import sys

import numpy as np
from playwright.sync_api import Page, expect

from benchmarks.judging import dashboard, judged, watch
from benchmarks.label_latency import long_session
from tarstop_core.screening.log import Event
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.sessions.store.store import Store

TARGET_MS = 300
WARM_UP = 3
FIGURES = """() => {
  const curves = document.querySelector('.tar-fluid img');
  const figure = document.querySelector('.st-key-evidence .tar-fluid');
  return curves && figure && [curves.src, figure.childElementCount];
}"""
"""Little to look at, for it is looked at after every piece of a redraw: the course of the curves, and how many marks the figure
has, which every study adds to."""


def review_session(url: str, documents: int, tables: int) -> str:
    """A review whose first abstracts are all included, with three tables entered."""
    session = long_session(url, documents)
    rng = np.random.default_rng(1)
    with Store(url) as store:
        before = store.session(session).settings
        settings = ReviewSettings(
            before.payoffs, 1e-5, policy=before.policy, calibrator=before.calibrator, full_cost=1e-4
        )
        store.append(session, Event("settings", {"settings": settings.to_dict(), "reason": ""}), expected=0)
        ids = store.session(session).ids[: tables + 3]
        for at, doc in enumerate(ids, start=1):
            store.append(session, Event("label", {"doc": doc, "label": "relevant"}), expected=at)
        for at, doc in enumerate(ids[:3]):
            row = {"study": f"Study {at}", **counts(rng)}
            report = {"doc": doc, "outcome": "data", "reason": "", "study": row["study"], "tables": [row]}
            store.append(session, Event("report", report), expected=len(ids) + 1 + at)
    return session


def counts(rng: np.random.Generator) -> dict[str, int]:
    """An invented table: sensitivity around 3 in 4."""
    TP, TN = rng.binomial(60, 0.75), rng.binomial(120, 0.85)
    return {"TP": int(TP), "FP": int(120 - TN), "FN": int(60 - TP), "TN": int(TN)}


def measure(page: Page, tables: int) -> np.ndarray:
    """Milliseconds of each table."""
    rng = np.random.default_rng(2)
    done = int(page.evaluate("window.latencies.length"))
    for at in range(done, done + tables):
        page.keyboard.press("f")
        first = page.get_by_label("TP", exact=True)
        expect(first).to_be_focused()
        page.get_by_label("Study", exact=True).fill(f"Study {at + 3}")
        for cell, count in counts(rng).items():
            page.get_by_label(cell, exact=True).fill(str(count))
        page.keyboard.press("Enter")
        page.wait_for_function(f"window.latencies.length > {at}", timeout=10_000)
        page.wait_for_timeout(400)
    return np.array(page.evaluate("window.latencies"))[done:]


def main(documents: int = 1_500, tables: int = 40) -> int:
    """Measure and print."""
    with dashboard() as (server, browser):
        session = review_session(server.database, documents, tables)
        page = browser.new_page(viewport={"width": 1280, "height": 900}, bypass_csp=True)
        page.goto(f"{server.url}/screen?session={session}")
        expect(page.get_by_test_id("counter")).to_contain_text("3 with data", timeout=30_000)
        page.locator("summary").filter(has_text="Evidence").click()
        page.wait_for_timeout(4_000)
        page.evaluate(watch("Enter", FIGURES))
        measured = {"belief and forest": measure(page, tables // 2)[WARM_UP:]}
        page.get_by_role("tab", name="SROC").click()
        page.wait_for_timeout(2_000)
        measured["belief and SROC"] = measure(page, tables - tables // 2)[WARM_UP:]
    print(f"{documents:,} documents, {tables + 3} studies in the end, Enter to painted figures:")
    return judged(measured, "tables", WARM_UP, TARGET_MS)


if __name__ == "__main__":
    raise SystemExit(main(*(int(argument) for argument in sys.argv[1:3])))
