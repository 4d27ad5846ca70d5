"""The Home page."""

import base64
import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.parts.documents import OWN, SOURCE
from tarstop_core.presentation.curves import SMALL_EDGE
from tarstop_core.screening.log import Event
from tarstop_core.sessions.store.store import Store
from tests.session_cases import a_patent_session, a_review

Open = Callable[..., AppTest]


def html_of(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html"))


def primary(app: AppTest) -> list[str]:
    return [button.label for button in app.button if button.proto.type == "primary"]


def test_with_no_session_the_demo_is_the_way_to_go(open_app: Open) -> None:
    home = open_app()
    assert not home.exception
    assert primary(home) == ["Start the demo"]
    assert "chance of prior art is 50 %" in html_of(home)


def test_the_idea_is_stepped_through_and_follows_what_is_at_stake(open_app: Open) -> None:
    home = open_app()
    home.slider("idea/read").set_value(12).run()
    assert "12 documents read, nothing found" in html_of(home) and "read on." in html_of(home)
    cheap = next(each for each in home.select_slider if each.label == "A wrong decision costs")
    cheap.set_value(500.0).run()
    assert "7 documents read, nothing found" in html_of(home) and "stop." in html_of(home)
    assert home.slider("idea/read").max == 7 and not home.exception


def test_the_idea_plays_to_its_end_and_begins_again(open_app: Open) -> None:
    home = open_app()
    home.slider("idea/read").set_value(22).run()
    home.button("idea/play").click().run()
    assert "23 documents read" in html_of(home) and home.button("idea/play").label == "Pause"
    home.run()  # the clock of a fragment does not run in a test
    assert "stop." in html_of(home) and home.button("idea/play").label == "Play"
    home.button("idea/play").click().run()
    assert "1 document read" in html_of(home)


def test_the_demo_is_one_click(open_app: Open, store: Store) -> None:
    home = open_app()
    home.button("demo").click().run()
    assert not home.exception
    (session,) = store.sessions()
    assert (session.scenario, session.simulated) == ("patent", True)
    assert home.session_state["_open_session"] == session.id


@pytest.mark.parametrize("demo, scenario", [("review", "review"), ("trials", "effect")])
def test_each_demo_of_a_review_is_one_click(open_app: Open, store: Store, demo: str, scenario: str) -> None:
    home = open_app()
    home.button(f"{demo}_demo").click().run()
    assert not home.exception
    (session,) = store.sessions()
    assert (session.scenario, session.simulated) == (scenario, True)
    assert home.session_state["_open_session"] == session.id


def test_a_review_shows_what_it_has_brought(open_app: Open, store: Store) -> None:
    a_review(store)
    shown = html_of(open_app())
    assert ">Diagnostic accuracy</span>" in shown
    facts = ("8 of 30 screened", "3 included", "1 with data", "1 report waiting")
    assert "\u00a0· ".join(f'<span class="tar-fact">{fact}</span>' for fact in facts) in shown


def test_each_recent_session_shows_where_it_stands(open_app: Open, store: Store) -> None:
    open_app().button("demo").click().run()
    shown = html_of(open_app())
    assert "GO ON" in shown and "data:image/svg+xml" in shown
    (session,) = store.sessions()
    store.append(session.id, Event("decided", {"plus": False, "action": "Grant"}), expected=0)
    decided = html_of(open_app())
    assert "GO ON" not in decided and "decided: Grant" in decided


def test_the_small_curve_ends_at_the_top_once_a_document_settled_the_question(
    open_app: Open, store: Store
) -> None:
    a_patent_session(store)
    (drawn,) = re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", html_of(open_app()))
    assert f'cy="{SMALL_EDGE:.1f}"' in base64.b64decode(drawn).decode()


def test_own_documents_open_own_files(open_app: Open) -> None:
    home = open_app()
    home.button("set_up").click().run()
    assert not home.exception and home.session_state[SOURCE] == OWN


def test_recent_sessions_show_name_progress_and_state(open_app: Open, store: Store) -> None:
    open_app().button("demo").click().run()
    (session,) = store.sessions()
    ids = store.session(session.id).ids
    for at in range(3):
        store.append(session.id, Event("label", {"doc": ids[at], "label": "irrelevant"}), expected=at)
    store.rename(session.id, "Mast <b>&</b> $x$")
    home = open_app()
    shown = html_of(home)
    assert "Mast &lt;b&gt;&amp;&lt;/b&gt; $x$" in shown
    assert "3 of 312 screened" in shown
    assert "simulated" in shown
    assert primary(home) == ["Continue"]
    store.append(session.id, Event("decided", {"plus": False, "action": "Grant"}), expected=3)
    home = open_app()
    assert "decided: Grant" in html_of(home)
    assert home.button(f"continue-{session.id}").label == "Open"


def test_continuing_opens_the_session(open_app: Open, store: Store) -> None:
    open_app().button("demo").click().run()
    (session,) = store.sessions()
    home = open_app()
    home.button(f"continue-{session.id}").click().run()
    assert not home.exception
    assert home.session_state["_open_session"] == session.id


def test_sessions_are_renamed_archived_and_brought_back(open_app: Open, store: Store) -> None:
    open_app().button("demo").click().run()
    (session,) = store.sessions()
    home = open_app()
    home.text_input(f"name-{session.id}").set_value("  Mine ").run()
    assert store.sessions()[0].name == "Mine"
    home.text_input(f"name-{session.id}").set_value("   ").run()
    assert store.sessions()[0].name == "Mine", "a name cannot be emptied"
    home.button(f"archive-{session.id}").click().run()
    assert not store.sessions()
    assert primary(home) == ["Start the demo"]
    home.button(f"restore-{session.id}").click().run()
    assert store.sessions()[0].name == "Mine"


def test_only_the_latest_of_many_sessions_are_shown_until_asked(open_app: Open, store: Store) -> None:
    open_app().button("demo").click().run()
    row = store.session(store.sessions()[0].id)
    for number in range(8):
        store.create_session(f"s{number}", row.collection_id, row.order, row.scores, row.settings, "", "")
    home = open_app()
    assert sum(button.label == "Continue" for button in home.button) == 6
    home.toggle("all_sessions").set_value(True).run()
    assert sum(button.label == "Continue" for button in home.button) == 9
