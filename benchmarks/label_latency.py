"""From a key press to redrawn curves, in a real browser, on a list of 10,000 documents.

Run it as ``python -m benchmarks.label_latency [DOCUMENTS [PRESSES [SCENARIO [RULE [learn]]]]]``; with ``learn`` it is read by turns
in the order of the list and in one that learns. The time runs from the key's event
in the page to the second animation frame after the curves' new drawing, with every label stored on disk in
between. Prints the median and the 95th percentile; exits with 1 when the latter is above 150 ms, or with ``learn`` by more
than 20 ms longer than without.
"""

import sys
from collections.abc import Sequence

import numpy as np
from playwright.sync_api import Page, expect

from benchmarks.judging import dashboard, watch
from tarstop_core.documents.records import as_records
from tarstop_core.samples.shipped import calibrators
from tarstop_core.screening.scenarios.named import SCENARIOS
from tarstop_core.screening.several_readers import Readers
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs

TARGET_MS, LONGER_MS = 150, 20
WARM, TURN = 5, 10
READING = 1000
"""Milliseconds that a person looks at a document at least, in which both answers are fitted."""
CURVES = """() => {
  const lines = [...document.querySelectorAll('.tar-fluid img, .js-plotly-plot .scatterlayer .js-line')]
    .map(drawn => drawn.getAttribute('src') ?? drawn.getAttribute('d')).join();
  return lines && [lines];
}"""


def long_session(
    url: str,
    documents: int,
    scenario: str = "patent",
    rule: str = "",
    learns: bool = False,
    readers: Sequence[str] = (),
) -> str:
    """A session on invented documents whose scores fall as BM25's do; each of several readers reads all of it."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(2000)])
    texts = [" ".join(rng.choice(words, 120)) for _ in range(documents)]
    frame = as_records(
        {
            "id": [f"SIM-{i}" for i in range(documents)],
            "title": [f"Simulated document {i}" for i in range(documents)],
            "abstract": texts,
        }
    )
    calibrator = calibrators()["clef-reviews"]
    with Store(url) as store:
        store.save_calibrator(calibrator)
        collection = store.save_collection("Latency", frame, files=[], duplicates=0, simulated=True)
        settings = SCENARIOS[scenario].settings_class(
            Payoffs.from_q_star(0.5),
            cost=1e-5,
            calibrator=calibrator.digest,
            policy=rule,
            learns=learns,
            readers=Readers(tuple(readers)),
        )
        scores = np.sort(rng.gamma(2.0, 5.0, documents))[::-1]
        return store.create_session(
            "Latency", collection, np.arange(documents), scores, settings, "word1", "simulated scores"
        )


def measure(page: Page, presses: int, apart: int = 250) -> np.ndarray:
    """Milliseconds of each press, so many milliseconds apart."""
    if not page.evaluate("() => 'latencies' in window"):
        page.evaluate(watch("e", CURVES))
    before = page.evaluate("window.latencies.length")
    for done in range(before, before + presses):
        page.keyboard.press("e")
        page.wait_for_function(f"window.latencies.length > {done}", timeout=10_000)
        page.wait_for_timeout(apart)
    return np.array(page.evaluate("window.latencies")[before:])


def main(
    documents: int = 10_000, presses: int = 60, scenario: str = "patent", rule: str = "", learn: str = ""
) -> int:
    """Measure and print."""
    how = {"in the order of the list": False, "in one that learns": True} if learn else {"": False}
    measured: dict[str, list[np.ndarray]] = {name: [] for name in how}
    with dashboard() as (server, browser):
        pages = {}
        for name, learns in how.items():
            session = long_session(server.database, documents, scenario, rule, learns)
            page = pages[name] = browser.new_page(viewport={"width": 1280, "height": 900}, bypass_csp=True)
            page.goto(f"{server.url}/screen?session={session}")
            expect(page.get_by_test_id("counter")).to_contain_text("0 of", timeout=120_000)
            page.wait_for_timeout(4_000)
            measure(page, WARM)
        # By turns, so that what else the machine does is shared.
        for _ in range(0, presses - WARM, TURN):
            for name, page in pages.items():
                page.bring_to_front()
                measured[name].append(measure(page, min(TURN, presses - WARM), READING if learn else 250))
    highs = []
    for name, turns in measured.items():
        times = np.concatenate(turns)
        middle, high = np.percentile(times, [50, 95])
        highs.append(high)
        print(
            f"{documents:,} documents {name}, {len(times)} presses after {WARM} to warm up, key to painted curves:"
        )
        print(
            f"median {middle:.0f} ms, p95 {high:.0f} ms, longest {times.max():.0f} ms (target p95 {TARGET_MS} ms)"
        )
    return 0 if (highs[-1] <= highs[0] + LONGER_MS if learn else highs[0] <= TARGET_MS) else 1


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:3]), *sys.argv[3:6]))
