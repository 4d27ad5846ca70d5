"""Two people and a stranger in browsers: what is shared is there, and nothing else is, whatever address somebody opens."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.acting import OF_ADMINISTRATORS, PAGES, at_rest, save_menu, saved, stored
from tests.browser.conftest import AppServer
from tests.oidc import OidcProvider
from tests.session_cases import a_patent_session

OpenPage = Callable[..., Any]
ANN, BOB, EVE = "ann@example.org", "bob@example.org", "eve@example.org"
SECRET = "Hinge"
"""In the name of the session that is shared."""
OF_NO_SESSION = re.compile("Learn|Results|Guide")
"""Pages that read nothing of the store."""


@pytest.fixture
def provider() -> Iterator[OidcProvider]:
    with OidcProvider() as running:
        yield running


@pytest.fixture
def served(provider: OidcProvider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    folder = tmp_path_factory.mktemp("login")
    running = AppServer(folder, environment={"TARSTOP_LOGIN": str(folder / "login.toml")})
    (folder / "login.toml").write_text(provider.login_file(running.url), encoding="utf-8")
    with running:
        yield running


def log_in(open_page: OpenPage, provider: OidcProvider, served: AppServer, name: str) -> Any:
    provider.person = name
    watched = open_page()
    watched.page.goto(f"{served.url}/screen")
    watched.page.get_by_role("link", name="Log in").click()
    watched.page.wait_for_url(f"{served.url}/")
    at_rest(watched.page)
    expect(watched.page.get_by_text(name)).to_be_visible()
    watched.errors.clear()  # the login page itself is an answer 401
    return watched


def addresses_of(session: str) -> list[str]:
    """Where a session could be seen, beside the pages in the sidebar."""
    return [
        f"/sessions?session={session}",
        f"/screen?session={session}",
        f"/explore?of=session:{session}",
        f"/evidence?session={session}",
        OF_ADMINISTRATORS,
    ]


def share(page: Page, served: AppServer, session: str, name: str, role: str) -> None:
    page.goto(f"{served.url}/sessions?session={session}")
    at_rest(page)
    page.get_by_role("tab", name="Share").click()
    at_rest(page)
    page.get_by_label("Name with which they log in").fill(name)
    page.get_by_label("Name with which they log in").press("Tab")
    at_rest(page)
    page.get_by_role("combobox", name="Role").click()
    page.get_by_role("option", name=f"{role}:").click()
    at_rest(page)
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.get_by_text(f"{name}: {role}")).to_be_visible()


def test_what_is_shared_is_there_and_nothing_else(
    served: AppServer, provider: OidcProvider, open_page: OpenPage
) -> None:
    ann = log_in(open_page, provider, served, ANN)
    with stored(served) as store:
        session = a_patent_session(store.for_person(ANN))
    eve, bob = log_in(open_page, provider, served, EVE), log_in(open_page, provider, served, BOB)
    for address in addresses_of(session):
        eve.page.goto(f"{served.url}{address}")
        at_rest(eve.page)
        assert SECRET not in eve.page.inner_text("body"), address
    for link in eve.page.get_by_test_id("stSidebarNavLink").filter(has_not_text=OF_NO_SESSION).all():
        link.click()
        at_rest(eve.page)
        assert SECRET not in eve.page.inner_text("body"), eve.page.url
    share(ann.page, served, session, BOB, "guest")
    bob.page.goto(f"{served.url}/sessions?session={session}")
    at_rest(bob.page)
    expect(bob.page.get_by_role("heading", name=SECRET)).to_be_visible()
    expect(bob.page.get_by_role("button", name="Save")).to_have_count(0)
    bob.page.goto(f"{served.url}/screen?session={session}")
    at_rest(bob.page)
    assert SECRET in bob.page.inner_text("body")
    fetched: list[str] = []
    ann.page.on("request", lambda request: fetched.append(request.url) if "/media/" in request.url else None)
    save_menu(ann.page)
    saved(ann.page, "Documents (CSV)")
    (file,) = {url for url in fetched if url.endswith(".csv")}
    assert SECRET.lower() not in file.lower()
    assert ann.page.request.get(file).status == 200
    for other in (eve, bob):
        assert other.page.request.get(file).status == 404
    stranger = open_page()
    for address in (*addresses_of(session), *PAGES, file.removeprefix(served.url)):
        stranger.page.goto(f"{served.url}{address}")
        assert stranger.page.inner_text("body").split()[:3] == ["TARstop", "Log", "in"], address
        assert "Sessions" not in stranger.page.content()
    # A share that ends, ends for the page that is open too.
    ann.page.get_by_role("button", name="Remove").last.click()
    expect(ann.page.get_by_text(f"{BOB}: guest")).to_have_count(0)
    bob.page.goto(f"{served.url}/sessions?session={session}")
    at_rest(bob.page)
    assert SECRET not in bob.page.inner_text("body")
    for watched in (ann, bob, eve):
        watched.assert_sound()
    with stored(served) as store:
        said = {(line.person, line.what) for line in store.audit()}
    assert said >= {
        (ANN, "login"),
        (BOB, "login"),
        (ANN, "shared as guest"),
        (ANN, "exported"),
        (ANN, "share ended"),
    }
