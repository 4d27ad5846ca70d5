"""Every page with a payload in every text: nothing of it runs, is fetched or becomes more than letters."""

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Response

from dashboard.frame.first_answer import HEADERS
from tarstop_core.evidence.manual_tables import pack
from tarstop_core.sessions.store.store import Store
from tests.browser.acting import by_sidebar
from tests.browser.conftest import AppServer, Watched
from tests.payload_cases import FOREIGN, PAYLOAD, patent_session, review_session

FOUND = f"""() => [...document.querySelectorAll(
  'img[src*="{FOREIGN}"], a[href*="{FOREIGN}"], a[href^="javascript"], [onerror], iframe, object, embed, base'
)].map(each => each.outerHTML.slice(0, 200)).concat(
  [...document.querySelectorAll('script:not([src])')].filter(each => each.text.includes('alert(1)')).map(each => each.outerHTML),
  [...document.querySelectorAll('strong, em, code, .katex, span[style*=color], [data-testid="stIconMaterial"]')]
    .filter(each => each.closest('.stMarkdown, [data-testid="stMarkdownContainer"]') && ['e', 'd', 'x', 'r', 'home'].includes(each.textContent.trim()))
    .map(each => each.outerHTML.slice(0, 200)),
)"""
"""What of a payload has become an element."""


@pytest.fixture
def page(open_page: Callable[..., Watched]) -> Iterator[Watched]:
    watched = open_page()
    answers: list[Response] = []
    dialogs: list[str] = []

    def keep(answer: Response) -> None:
        answers.append(answer)

    def dismiss(dialog) -> None:  # type: ignore[no-untyped-def]
        dialogs.append(dialog.message)
        dialog.dismiss()

    watched.page.on("response", keep)
    watched.page.on("dialog", dismiss)
    yield watched
    watched.page.remove_listener("response", keep)
    watched.page.remove_listener("dialog", dismiss)
    assert dialogs == []
    lacking = [
        each.url
        for each in answers
        if each.url.startswith("http")
        and any(each.headers.get(name.lower()) != value for name, value in HEADERS.items())
    ]
    assert answers and lacking == []


def look(watched: Watched) -> None:
    watched.settle()
    assert watched.page.evaluate(FOUND) == []
    assert watched.page.evaluate("window.refused") == []
    watched.assert_sound()


@pytest.fixture
def full(server: AppServer) -> dict[str, str]:
    with closing(Store(server.database)) as store:
        return {
            "patent": patent_session(store),
            "decided": patent_session(store, decided=True),
            "review": review_session(store),
        }


def test_nothing_of_a_payload_is_run_fetched_or_rendered(
    server: AppServer, full: dict[str, str], page: Watched
) -> None:
    tables = pack([(PAYLOAD, "9", "1", "2", "8"), (f"{PAYLOAD} 2", "8", "2", "2", "7")])
    of = {name: f"session={key}" for name, key in full.items()}
    page.open(server.url)
    look(page)
    for name in ("Set up", "Calibration"):  # Results shows nothing of sessions, imports or calibrators
        by_sidebar(page.page, name)
        look(page)
    for address in (
        *(f"guide?read={PAYLOAD}", f"screen?session={PAYLOAD}"),
        f"learn?part=glossary&term={PAYLOAD}&find={PAYLOAD}",
        f"evidence?source=typed&tables={tables}",
        f"explore?of=session:{full['patent']}&rule={'either(' * 900}greedy",
        *(f"screen?{each}" for each in of.values()),
        *(f"sessions?{of[name]}" for name in ("decided", "review")),
    ):
        page.open(f"{server.url}/{address}")
        look(page)


def test_a_script_that_is_not_the_dashboards_own_does_not_run(server: AppServer, page: Watched) -> None:
    page.open(server.url)
    put_in = "script => document.head.append(Object.assign(document.createElement('script'), {text: script}))"
    page.page.evaluate(put_in, "window.ran = true")
    assert page.page.evaluate("window.ran") is None
    assert {each.split()[0] for each in page.page.evaluate("window.refused")} == {"script-src-elem"}
    page.errors.clear()
