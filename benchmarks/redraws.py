"""From a key press to a page that is wholly redrawn, on Explore and Learn, in a real browser.

Run it as ``python -m benchmarks.redraws [DOCUMENTS [PRESSES]]``. Explore: the starting chance of a list of 10,000
documents is moved by an arrow key in each of the three views. Learn: a step of the walk through by an arrow key, in
both scenarios, and the first slider of some ideas. The time runs from the key's event to the second animation frame after the
last change in the page. Prints the median and the 95th percentile of each; exits with 1 when one of the latter is
above 300 ms.
"""

import sys
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import Page, expect

from benchmarks.judging import dashboard, judged
from benchmarks.label_latency import long_session

TARGET_MS = 300
WARM_UP = 4
QUIET_MS = 700
KEYS = ("ArrowRight", "ArrowLeft")
WATCH = """keys => {
  window.redrawn = {pressed: null, last: null};
  document.addEventListener('keydown', event => {
    if (keys.includes(event.key)) window.redrawn = {pressed: performance.now(), last: null};
  }, true);
  new MutationObserver(() => {
    const {pressed} = window.redrawn;
    if (pressed === null) return;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (window.redrawn.pressed === pressed) window.redrawn.last = performance.now() - pressed;
    }));
  }).observe(document.querySelector('[data-testid=stMain]'), {
    subtree: true, childList: true, attributes: true, characterData: true});
}"""
VIEWS = ("At stake now", "Map", "Sensitivity")
WALKS = {"patent": {}, "review": {"scenario": "review", "topic": "hollow-hip"}}
LONG = "budget:d=100"  # a rule that does not stop within the presses
IDEAS = ("Certainty", "Studies", "Wrong chances")


def measure(page: Page, presses: int, slider: str | None = None, *, to_and_fro: bool = False) -> np.ndarray:
    """Milliseconds of each press, on the page or on the first slider of a name that holds `slider`.

    Onwards, so that nothing is remembered from an earlier press, unless the slider is too short for that.
    """
    page.wait_for_timeout(3_000)
    page.evaluate(WATCH, list(KEYS))
    times = []
    for done in range(presses + WARM_UP):
        if slider is not None:
            page.get_by_role("slider", name=slider).first.focus()
        page.keyboard.press(KEYS[done % 2 * to_and_fro])
        page.wait_for_function("window.redrawn.last !== null", timeout=20_000)
        page.wait_for_timeout(QUIET_MS)
        times.append(float(page.evaluate("window.redrawn.last")))
    return np.array(times[WARM_UP:])


def main(documents: int = 10_000, presses: int = 16) -> int:
    """Measure and print."""
    measured = {}
    with dashboard() as (server, browser):
        session = long_session(server.database, documents)
        page = browser.new_page(viewport={"width": 1280, "height": 1400}, bypass_csp=True)
        page.set_default_timeout(60_000)

        def show(name: str, **asked: str) -> None:
            page.goto(f"{server.url}/{name}?{urlencode(asked)}")
            expect(page.locator(".js-plotly-plot, .tar-fluid").first).to_be_visible()

        for view in VIEWS:
            show("explore", of=f"session:{session}", show=view)
            measured[f"Explore, {view}"] = measure(page, presses, "Chance before any document")
        for scenario, asked in WALKS.items():
            show("learn", part="walk", rule=LONG, **asked)
            measured[f"Learn, a step ({scenario})"] = measure(page, presses)
        for idea in IDEAS:
            show("learn", part="ideas", idea=idea)
            measured[f"Learn, {idea}"] = measure(page, presses, "", to_and_fro=True)
    print(f"{documents:,} documents on Explore, the samples on Learn; key to a page that changes no more:")
    return judged(measured, "presses", WARM_UP, TARGET_MS)


if __name__ == "__main__":
    raise SystemExit(main(*(int(argument) for argument in sys.argv[1:3])))
