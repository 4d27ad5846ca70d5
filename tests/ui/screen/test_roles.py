"""What each role is offered on Screen, Sessions and Home: nothing that the store would refuse."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.frame import people
from dashboard.screen import verdicts
from tarstop_core.screening.several_readers import Readers
from tarstop_core.sessions.demo import start_review_demo
from tarstop_core.sessions.store.permissions import ROLES
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import now
from tests.session_cases import REVIEW, N, a_collection, label, log

OpenApp = Callable[..., AppTest]
OWNER = "ann"
LABELS = {"Include", "Exclude", "Unsure", "Note", "Undo", "Read the next report"}
DECIDES = {"Stop and decide"}
LOOKS = {"Earlier", "Jump to"}
MANAGES = {"Archive", "Delete", "Bring back"}


@pytest.fixture
def session(store: Store) -> str:
    """A review that is shared with everybody, by its owner, who came first."""
    for name in (OWNER, *ROLES):
        store.for_person(name).arrive(now())
    mine = store.for_person(OWNER)
    made = start_review_demo(mine, "hollow-hip")
    ids = mine.session(made).ids
    for at, verdict in ((0, "relevant"), (1, "irrelevant")):
        event = label(at, verdict)
        log(mine, made, type(event)(event.kind, {**event.payload, "doc": ids[at]}))
    for role in ROLES:
        mine.share(made, role, role)
    return made


@pytest.fixture
def as_person(store: Store, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def here(name: str) -> None:
        monkeypatch.setattr(people, "person", lambda: name)
        monkeypatch.setattr(people, "opened_for", lambda machine: machine.for_person(name))

    return here


def words(app: AppTest) -> set[str]:
    assert not app.exception and not app.error
    return {each.label.removeprefix("✓ ").partition(" (")[0] for each in app.button}


@pytest.mark.parametrize("role", ROLES)
def test_screen_offers_what_the_role_allows(
    open_app: OpenApp, session: str, as_person: Callable[[str], None], role: str
) -> None:
    as_person(role)
    app = open_app("screen", session=session)
    offered = words(app)
    assert offered >= LOOKS
    assert (offered & LABELS) == (set() if role == "guest" else LABELS)
    assert (offered & DECIDES) == (DECIDES if role == "owner" else set())
    folded = {each.label for each in app.expander}
    assert ("What is at stake" in folded) == (role == "owner")


@pytest.mark.parametrize("role", ROLES)
def test_sessions_and_home_offer_what_the_role_allows(
    open_app: OpenApp, session: str, as_person: Callable[[str], None], role: str
) -> None:
    as_person(role)
    for page in ("sessions", "home"):
        offered = words(open_app(page))
        assert bool(offered & MANAGES) == (role == "owner"), page
        assert ("Open" in offered) == (role == "guest") and ("Continue" in offered) == (role != "guest")
    detail = open_app("sessions", session=session)
    tabs = {each.label for each in detail.tabs}
    assert ("Add documents" in tabs) == (role == "owner")
    assert ("Another question" in tabs) == (role != "guest") and "Flow diagram" in tabs
    assert bool(detail.get("download_button")) == (role != "guest")


def test_a_guest_reads_what_others_read(
    open_app: OpenApp, session: str, as_person: Callable[[str], None], store: Store
) -> None:
    as_person("guest")
    before = len(store.events(session))
    app = open_app("screen", session=session)
    said = " ".join(str(each.proto.body) for each in app.get("html"))
    assert verdicts.LOOKS_ON in said
    next(each for each in app.button if each.label == "Earlier").click().run()
    assert (
        not app.exception
        and not app.warning
        and "#2" in " ".join(str(each.proto.body) for each in app.get("html"))
    )
    assert len(store.events(session)) == before, "to look changes nothing"


def test_on_ones_own_machine_everything_is_offered(open_app: OpenApp, store: Store) -> None:
    session = start_review_demo(store, "hollow-hip")
    offered = words(open_app("screen", session=session))
    assert offered >= {"Include", "Exclude", "Note", "Undo", "Stop and decide"}


def test_those_named_as_readers_are_shared_with_at_a_press(
    open_app: OpenApp, store: Store, as_person: Callable[[str], None]
) -> None:
    mine = store.for_person(OWNER)
    mine.arrive(now())
    settings = replace(REVIEW, readers=Readers((OWNER, "bob@example.org")))
    key = mine.create_session("S", a_collection(mine), list(range(N)), None, settings, "", "own order")
    as_person(OWNER)
    app = open_app("sessions", session=key)
    app.session_state["session_detail/tab"] = "Share"
    app.run()
    app.button(f"sharing/reader/{key}/bob@example.org").click().run()
    assert mine.shares(key) == [(OWNER, "owner"), ("bob@example.org", "reader")]
    assert not [each for each in app.button if each.key and each.key.startswith("sharing/reader")]
    # What stands in the field counts when the button is pressed, drawn with it or not.
    app.text_input("sharing/name").set_value("zoe@example.org")
    app.button("sharing/share").click().run()
    assert ("zoe@example.org", "reader") in mine.shares(key) and not app.exception
    assert app.text_input("sharing/name").value == "", "it is no name for the next session"


def test_set_up_asks_for_the_names_of_logins(
    open_app: OpenApp, store: Store, as_person: Callable[[str], None]
) -> None:
    store.for_person(OWNER).arrive(now())
    as_person(OWNER)
    app = open_app("set_up", scenario="review")
    app.segmented_control("set_up/readers/several").set_value(True).run()
    app.text_input("set_up/readers/names").set_value("Ann, Bob@Example.org").run()
    next(each for each in app.button if each.label == "Start").click().run()
    [row] = store.for_person(OWNER).sessions()
    assert store.session(row.id).settings.readers.names == ("ann", "bob@example.org")
