"""What moves while a page loads and after a press, and when its largest part is painted, in a real browser.

Run it as ``python -m benchmarks.page_loads [--sources] [--size SIZE] [PAGE ...]``. Each page is opened cold and reloaded
at three sizes; on Screen ten documents are judged. A size (1440, "1280 dark" or 390) or pages alone take less time.
Prints medians of several loads: the layout shift (Chromium's own score, all shifts of a load added up), and when the
largest part is painted, in milliseconds and as a multiple of those of an empty Streamlit application in the same run;
with ``--sources`` also what that part is, and what moved. Ends with what is over its limit, and fails if anything is.
"""

import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, ViewportSize, expect

from benchmarks.judging import dashboard
from tarstop_core.sessions import demo
from tarstop_core.sessions.store.store import Store

PAGES = ("", *"set_up screen sessions evidence explore decisions calibration learn results guide".split())
HOME = "home"
SIZES: dict[str, tuple[ViewportSize, bool]] = {
    "1440": ({"width": 1440, "height": 900}, False),
    "1280 dark": ({"width": 1280, "height": 720}, True),
    "390": ({"width": 390, "height": 844}, False),
}
PRESSES = 10
BASES, LOADS = 7, 3
"""How often the empty application and each page are opened, and reloaded, at a size."""
MOST_SHIFT, LATEST, MOST_AFTER_PRESS = 0.1, 1.4, 0.02
"""Limits: of a load's shift, of its largest paint in those of an empty application, and of the shift after a press."""
WATCH = """() => {
  window.shifts = [];
  window.largest = {at: 0, what: ''};
  const own = node => `${node.dataset.testid ?? node.tagName.toLowerCase()}${[...node.classList].filter(n => /^(st-key|tar)-/.test(n)).map(n => '.' + n).join('')}`;
  const named = node => {
    const path = [];
    for (let each = node; each?.nodeType === 1 && path.length < 4; each = each.parentElement?.closest('[class*="st-key-"]')) path.unshift(own(each));
    return `${path.join(' > ')} “${node?.textContent?.trim().slice(0, 20)}”`;
  };
  new PerformanceObserver(list => list.getEntries().forEach(each => window.shifts.push({
    score: each.value, pressed: each.hadRecentInput,
    moved: each.sources.map(s => `${named(s.node)} ${Math.round(s.previousRect.y)}+${Math.round(s.previousRect.height)} to ` +
      `${Math.round(s.currentRect.y)}+${Math.round(s.currentRect.height)}`)}))).observe({type: 'layout-shift', buffered: true});
  new PerformanceObserver(list => list.getEntries().forEach(each => {
    // Of the text in a field the browser does not tell where it stands.
    window.largest = {at: each.startTime, what: `${each.size} square pixels: ${each.element ? named(each.element) : 'text in a field'}`};
  }))
    .observe({type: 'largest-contentful-paint', buffered: true});
}"""
EMPTY = "import streamlit\nstreamlit.title('Empty')\n"


class Load(NamedTuple):
    """One opening of a page: the layout shift, milliseconds to the largest paint, what that is, what moved, and pixels by which it scrolls sideways."""

    shift: float
    largest: float
    what: str
    moved: list[str]
    beyond: int


def load(page: Page, url: str | None) -> Load:
    """Open an address, or reload when there is none, and wait until nothing moves."""
    from tests.browser.acting import at_rest

    if url is None:
        page.reload()
    else:
        page.goto(url)
    at_rest(page)
    page.wait_for_timeout(300)
    shifts: list[dict[str, Any]] = page.evaluate("window.shifts")
    moved = [f"{each['score']:.3f} {'; '.join(each['moved'])}" for each in shifts if each["score"] > 0.005]
    beyond = page.evaluate(
        "(({scrollWidth, clientWidth}) => scrollWidth - clientWidth)(document.querySelector('[data-testid=stMain]'))"
    )
    largest = page.evaluate("window.largest")
    return Load(sum(each["score"] for each in shifts), largest["at"], largest["what"], moved, beyond)


def loads(browser: Browser, size: str, url: str, count: int) -> tuple[list[Load], list[Load]]:
    """Open an address in browsers that know nothing, and reload it in each; the first loads and the second ones."""
    cold, again = [], []
    for _ in range(count):
        page = watched_page(browser, size)
        cold.append(load(page, url))
        again.append(load(page, None))
        page.context.close()
    return cold, again


def watched_page(browser: Browser, size: str) -> Page:
    """A new page, of a browser that knows nothing, which notes what moves."""
    viewport, dark = SIZES[size]
    context = browser.new_context(viewport=viewport, color_scheme="dark" if dark else "light")
    page = context.new_page()
    page.add_init_script(f"({WATCH})()")
    return page


def presses(page: Page, url: str, count: int = PRESSES) -> list[float]:
    """The shift that follows each of some presses of E on Screen, those right after input counted too."""
    from tests.browser.acting import press

    load(page, url)
    found = []
    for done in range(1, count + 1):
        before = page.evaluate("window.shifts.length")
        press(page, "e", done)
        page.wait_for_timeout(700)
        found.append(float(page.evaluate(f"window.shifts.slice({before}).reduce((s, x) => s + x.score, 0)")))
    return found


@contextmanager
def empty_application(folder: Path, port: int) -> Iterator[str]:
    """A Streamlit application with a title, to compare with."""
    script = folder / "empty.py"
    script.write_text(EMPTY, encoding="utf-8")
    options = ["--server.headless=true", f"--server.port={port}", "--browser.gatherUsageStats=false"]
    running = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(script), *options],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        running.kill()
        running.wait()


def main(asked: Namespace) -> int:
    """Measure and print."""
    sizes = asked.size or list(SIZES)
    pages = [name for name in PAGES if not asked.pages or (name or HOME) in asked.pages]
    with dashboard() as (server, browser):
        with Store(server.database) as store:
            session = demo.start_demo(store, "Rita")
        with empty_application(server.folder, server.port + 1) as empty:
            page = browser.new_page()
            for _ in range(100):
                try:
                    page.goto(empty)
                    break
                except Exception:  # not up yet
                    page.wait_for_timeout(200)
            expect(page.get_by_text("Empty")).to_be_visible(timeout=60_000)
            page.context.close()
            addresses = {
                name: f"{server.url}/{name}" + (f"?session={session}" if name == "screen" else "")
                for name in pages
            }
            over = [line for size in sizes for line in _print(browser, size, addresses, empty, asked.sources)]
        for size in sizes if "screen" in pages else ():
            page = watched_page(browser, size)
            with Store(server.database) as store:
                found = presses(page, f"{server.url}/screen?session={demo.start_demo(store, 'Rita')}")
            line = f"{size}: shift after each of {PRESSES} presses at most {max(found):.3f}"
            print(line)
            over += [line] if max(found) > MOST_AFTER_PRESS else []
            page.context.close()
    print("Over their limits:", *(over or ["nothing"]), sep="\n")
    return int(bool(over))


def _print(
    browser: Browser, size: str, addresses: dict[str, str], empty: str, sources: bool
) -> Iterator[str]:
    """Measure and print the pages at a size; gives those that are over a limit."""
    base = [median(each.largest for each in turn) for turn in loads(browser, size, empty, BASES)]
    print(f"{size}: empty application, largest paint {base[0]:.0f} ms cold, {base[1]:.0f} ms reloaded")
    for name, address in addresses.items():
        for how, turn, of in zip(("cold", "reload"), loads(browser, size, address, LOADS), base, strict=True):
            shift, largest = median(each.shift for each in turn), median(each.largest for each in turn)
            line = (
                f"{size:>10} {name or HOME:<12} {how:<7} shift {shift:.3f}, "
                f"largest {largest:5.0f} ms, {largest / of:.2f} ×"
            )
            print(line, flush=True)
            if shift > MOST_SHIFT or largest > LATEST * of or any(each.beyond > 0 for each in turn):
                yield line
            if sources:
                shown = sorted({line for each in turn for line in (each.what, *each.moved)})
                print(*(f"{'':>12}{line}" for line in shown), sep="\n")


if __name__ == "__main__":
    options = ArgumentParser(description="When pages stand, and what moves until then.")
    options.add_argument(
        "pages", nargs="*", metavar="PAGE", help="name of a page, such as set_up; every one unless named"
    )
    options.add_argument("--size", action="append", choices=SIZES, help="one of the sizes; all unless named")
    options.add_argument("--sources", action="store_true", help="what the largest part is, and what moved")
    raise SystemExit(main(options.parse_args()))
