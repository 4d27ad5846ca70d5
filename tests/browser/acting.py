"""What a hand does in the browser, and how a test knows that the page has answered.

Nothing here waits for a fixed time: a key is pressed when its button is there, and a test goes on when it sees
what the key did.
"""

import math
import re
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd
from playwright.sync_api import Locator, Page, expect

from tarstop_core.screening.advice import advise
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import standing
from tarstop_core.screening.paths import chances
from tarstop_core.sessions import demo
from tarstop_core.sessions.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
PAGES = tuple(
    "/" if each.stem == "home" else f"/{each.stem}" for each in sorted((ROOT / "pages").glob("*.py"))
)
"""The address of every page: the name of its script."""
OF_ADMINISTRATORS = "/administration"
"""The one that stands in the sidebar of administrators alone, whom a server without a login does not have."""
SECONDS = 60_000  # milliseconds that anything may take on a busy machine
FIRST = 120_000  # milliseconds that the first page of a fresh server may take: it imports everything
QUIET = 100  # milliseconds without a change, after which none is about to come
UNANSWERED = 1_000  # milliseconds after which what the page told the server has led to no run
LOOKING = (
    30  # milliseconds from one look at the page to the next: at every frame it would cost a tenth of a core
)
SLIDING = 300  # milliseconds that a slider waits for the next step before it tells the server
SIGNS = {"ArrowLeft": "←", "ArrowRight": "→", "Escape": "Esc"}
AT_REST = """(wait) => {
    const now = performance.now();
    if (!window.watchedRest) {
        // What was told before is not known: a moment more for the answer.
        const seen = window.watchedRest = {told: now + 2 * wait.quiet - wait.unanswered, ran: 0, changed: now};
        const send = WebSocket.prototype.send;
        WebSocket.prototype.send = function (...said) {
            seen.told = performance.now();
            return send.apply(this, said);
        };
        new MutationObserver((all) => {
            seen.changed = performance.now();
            if (all.some((each) => each.attributeName)) seen.ran = seen.changed;
        }).observe(document, {
            subtree: true, childList: true, characterData: true, attributeFilter: ['data-test-script-state'],
        });
    }
    const {told, ran, changed} = window.watchedRest;
    if (window.watchedRest.call !== wait.call) Object.assign(window.watchedRest, {call: wait.call, called: now});
    const app = document.querySelector('[data-testid=stApp]');
    return app?.dataset.testConnectionState === 'CONNECTED'
        && app.dataset.testScriptState === 'notRunning'
        && document.querySelector('[data-testid=stMain] [data-testid=stElementContainer]')
        && !document.querySelector('[data-testid=stSpinner], [data-testid=stSkeleton]')
        && (ran > told || now - told > wait.unanswered)
        && now - Math.max(changed, window.watchedRest.called) > wait.quiet;
}"""
HEARS = """(sign) => window.tarstopKeys
    && !document.activeElement.matches('input, textarea, select')
    && [...document.querySelectorAll('button:enabled kbd')].some(
        (each) => each.textContent === sign || (sign === 'I' && each.textContent === 'X'))"""


WIDEST = """(part) => [...part.querySelectorAll('*')].reduce(
    (widest, each) => each.getBoundingClientRect().right > widest.getBoundingClientRect().right ? each : widest
).outerHTML.slice(0, 300)"""

_calls = count()


def at_rest(page: Page, quiet: int = QUIET) -> None:
    """Connected, drawn, all that the page told the server answered, and nothing redrawn for a moment."""
    page.wait_for_function(
        AT_REST,
        arg={"call": next(_calls), "quiet": quiet, "unanswered": UNANSWERED},
        timeout=FIRST,
        polling=LOOKING,
    )


def by_sidebar(page: Page, name: str) -> None:
    """Go to another page by its link: its script runs anew, and what runs in the browser needs no third as long."""
    page.get_by_test_id("stSidebarNavLink").filter(has_text=name).click()
    at_rest(page)


def slide(slider: Locator, steps: int) -> None:
    """Move a slider by its keys, a step at a time: what the page answers late would take it back."""
    for _ in range(steps):
        before = slider.input_value()
        slider.press("ArrowRight")
        expect(slider).not_to_have_value(before)
        at_rest(slider.page, SLIDING)


def choose(radio: Locator) -> None:
    """Press the label of a radio button once it stands still: a forced press lands where it was a moment ago."""
    radio.locator("xpath=ancestor::label").click()
    expect(radio).to_be_checked()


def painted(page: Page) -> None:
    """What was asked of the browser until now (to scroll, to give the focus) has been done and drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def verdict(page: Page) -> Locator:
    """The word of the advice, or of the decision."""
    return page.locator(".tar-told .tar-word").last


def unfold(page: Page, words: str) -> None:
    """Open what is folded under these words."""
    page.locator("summary").filter(has_text=words).click()
    at_rest(page)


def jump(page: Page, words: str) -> None:
    """Go to a document that was read, by its number or words of its title."""
    hit(page, "j")
    box = page.get_by_role("combobox", name=re.compile("^Jump to"))
    expect(box).to_be_focused()
    box.fill(words)
    box.press("Enter")
    at_rest(page)


def counter(page: Page) -> Locator:
    """How many documents the page says were screened; while it is redrawn the line of before may still be there."""
    return page.get_by_test_id("counter").last


def arrived(page: Page, words: str) -> None:
    """The Screen page has loaded, and its counter begins with these words."""
    expect(counter(page)).to_contain_text(re.compile(rf"^{re.escape(words)}"), timeout=SECONDS)
    at_rest(page)


TO_THE_DOCUMENT = """() => {
  const text = document.querySelector('.st-key-document');
  const {top, bottom} = text?.getBoundingClientRect() ?? {top: 100, bottom: 200};
  if (bottom < 100 || top > innerHeight - 100) text.scrollIntoView();
}"""


def listening(page: Page, key: str) -> None:
    """The page shows a button with the sign of this key, and nothing else would take the key."""
    at_rest(page)
    page.wait_for_function(HEARS, arg=SIGNS.get(key, key.upper()), timeout=SECONDS)


def hit(page: Page, key: str) -> None:
    """A shortcut key, as soon as it is heard."""
    listening(page, key)
    page.keyboard.press(key)


def press(page: Page, key: str, screened: int) -> None:
    """A shortcut key that moves the session on or back, and the page has counted it and shows what is next.

    Whoever judges a document looks at it: a key for one that is out of sight only brings it back.
    """
    listening(page, key)
    page.evaluate(TO_THE_DOCUMENT)
    verdict = page.locator("[class*='st-key-label_irrelevant_']").first
    of_document = re.search(r"st-key-label_irrelevant_\S*", verdict.get_attribute("class") or "")
    assert of_document, "no document to judge is on the page"
    page.keyboard.press(key)
    expect(counter(page)).to_contain_text(re.compile(rf"^{screened:,} of"))
    expect(page.locator(f"[class~='{of_document[0]}']")).to_have_count(0)


def start_demo(watched: Any, server: Any) -> Page:
    """A fresh demo session, shown on the Screen page."""
    with stored(server) as store:
        session = demo.start_demo(store, "Rita")
    watched.open(f"{server.url}/screen?session={session}")
    page: Page = watched.page
    arrived(page, "0 of")
    return page


def paste(page: Page, field: Locator, lines: Iterable[Iterable[object]]) -> None:
    """Paste cells, as spreadsheets give them, into a field."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    cells = "".join("\t".join(map(str, line)) + "\r\n" for line in lines)
    page.evaluate("text => navigator.clipboard.writeText(text)", cells)
    field.focus()
    page.keyboard.press("Control+v")


def save_menu(page: Page) -> None:
    """Open the one menu of a page that it is saved from."""
    page.get_by_role("button", name="Save", exact=True).click()


def saved(page: Page, button: str | Locator) -> tuple[str, Path]:
    """What a button saves: suggested name and file."""
    if isinstance(button, str):
        button = page.get_by_role("button", name=button, exact=True)
    with page.expect_download() as download:
        button.click()
    return download.value.suggested_filename, Path(download.value.path())


def table_of(page: Page, button: str) -> pd.DataFrame:
    """The CSV file that a button saves whose name begins so; cells are text as written."""
    _, file = saved(page, page.get_by_role("button", name=re.compile(f"^{re.escape(button)}")))
    return pd.read_csv(file, keep_default_na=False)


def assert_fits(page: Page, width: int) -> None:
    """Nothing makes the page scroll sideways."""
    at_rest(page)
    for part in ("html", "[data-testid=stMain]", ".stMainBlockContainer"):
        assert page.locator(part).evaluate("each => each.scrollWidth") <= width, (
            f"{part} is as wide as {page.locator(part).evaluate(WIDEST)}"
        )


def assert_navigation(page: Page) -> None:
    """The navigation is app.py's, not the list of file names that Streamlit makes up without it."""
    names = page.get_by_test_id("stSidebarNavLink").all_inner_texts()
    assert len(names) == len({*PAGES} - {OF_ADMINISTRATORS}), names
    assert not any(name.strip().lower() == "app" for name in names)


def session_id(page: Page) -> str:
    """The session that the URL names."""
    found = re.search(r"session=([\w-]+)", page.url)
    assert found, page.url
    return found.group(1)


def stored(server: Any) -> Store:
    """The server's database, opened beside it."""
    return Store(server.database)


def assert_trace_is_the_cores(trace: pd.DataFrame, store: Store, session: str) -> None:
    """Every exported row equals the advice the core gives for the log as it stood just before it."""
    row = store.session(session)
    events = store.events(session)
    labels = [event for event in standing(events) if event.kind == "label"]
    assert len(trace) == len(labels)
    for line, event in zip(trace.to_dict("records"), labels, strict=True):
        before = replay(row.settings, row.ids, [earlier for earlier in events if earlier.seq < event.seq])
        calibrator = store.calibrator(before.settings.calibrator)
        p = chances(before.settings, calibrator, row.scores, before)
        advice = advise(before.settings, calibrator, p, before)
        assert str(line["id"]) == row.ids[before.depth] == event.payload["doc"]
        assert math.isclose(float(line["b"]), advice.b, rel_tol=1e-9)
        assert math.isclose(float(line["worth"] or 0), float(advice.worth or 0), rel_tol=1e-9)
        assert math.isclose(float(line["evpi"]), advice.evpi, rel_tol=1e-9)
        assert math.isclose(float(line["p"]), float(p[before.depth]), rel_tol=1e-9)
        assert line["advice"] == ("continue" if advice.go_on else "stop")
        assert math.isclose(float(line["q_star"]), before.settings.payoffs.q_star)
