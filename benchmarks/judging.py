"""What benchmarks in a browser have in common: the dashboard beside a Chromium, the watch on a redraw, and what is printed."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, sync_playwright

if TYPE_CHECKING:
    from tests.browser.conftest import AppServer

WATCH = """() => {
  window.latencies = [];
  let pressed = null, before = null;
  const drawn = DRAWN;
  document.addEventListener('keydown', event => {
    if (event.key === 'KEY') { pressed = performance.now(); before = drawn(); }
  }, true);
  new MutationObserver(() => {
    if (pressed === null) return;
    const now = drawn();
    if (!now || !before || now.some((each, at) => each === before[at])) return;
    const begun = pressed;
    pressed = null;
    requestAnimationFrame(() => requestAnimationFrame(
      () => window.latencies.push(performance.now() - begun)));
  }).observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
}"""


@contextmanager
def dashboard() -> Iterator[tuple["AppServer", Browser]]:
    """The dashboard on a database of its own, and a Chromium; for a benchmark that is run from the project's root."""
    from tests.browser.conftest import CHROMIUM_FLAGS, AppServer, find_chromium

    with tempfile.TemporaryDirectory() as folder, AppServer(Path(folder)) as server, sync_playwright() as pw:
        browser = pw.chromium.launch(executable_path=find_chromium(pw), args=list(CHROMIUM_FLAGS))
        yield server, browser
        browser.close()


def watch(key: str, drawn: str) -> str:
    """A script that notes the milliseconds from a key to the second frame after all that `drawn` lists is another."""
    return WATCH.replace("KEY", key).replace("DRAWN", drawn)


def judged(measured: Mapping[str, NDArray[np.float64]], what: str, warm_up: int, target: float) -> int:
    """Print median, 95th percentile and longest of each series of milliseconds.

    Parameters
    ----------
    measured : mapping of str to ndarray
        Without what warmed up.
    what : str
        What was done once for each, in the plural.
    warm_up : int
        How many were left out.
    target : float
        Most that a 95th percentile may be, in milliseconds.

    Returns
    -------
    int
        Exit status: 1 where a target was missed.
    """
    worst = 0.0
    for name, times in measured.items():
        middle, high = np.percentile(times, [50, 95])
        worst = max(worst, float(high))
        print(
            f"{name}: median {middle:.0f} ms, p95 {high:.0f} ms, longest {times.max():.0f} ms "
            f"({len(times)} {what} after {warm_up} to warm up; target p95 {target:.0f} ms)"
        )
    return 0 if worst <= target else 1
