"""Evidence opened on a session: it begins with everything that the session has, and says what a person changed."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tarstop_core.evidence.words import Actions, action_sentence
from tarstop_core.presentation.numbers import percent
from tarstop_core.screening.log import Event
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings_words import not_as_in_session
from tarstop_core.sessions.demo import start_demo
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tests.ui.drawn_sessions import LEARNED
from tests.ui.evidence.test_page import belief, shown
from tests.ui.test_one_set_of_numbers import DIFFERS, in_store, with_tables

OpenApp = Callable[..., AppTest]
POUNDS = Payoffs(1000, 2500, 2000, 500, "£")
THETA, B_0 = 0.8, 0.4173


@pytest.fixture
def session(store: Store) -> str:
    """A review whose settings lie between the steps of the sliders, or beyond what the page begins with elsewhere."""
    settings = {
        "prior": replace(LEARNED, s=0.873, weight=0.55),
        "b_0": B_0,
        "theta": THETA,
        "payoffs": POUNDS,
    }
    return in_store(store, with_tables("univariate", 8, **settings, least_studies=0, least_patients=0))


def own(store: Store, session: str) -> tuple[ReviewSettings, str]:
    """The settings of a session, and what Screen says the chance is."""
    work = OpenSession.load(store, session)
    settings = work.state.settings
    assert isinstance(settings, ReviewSettings)
    return settings, f"exceeds 80 % is {percent(work.advice(settings).b)}."


def test_it_begins_with_the_session_and_the_address_names_that_alone(
    open_app: OpenApp, store: Store, session: str
) -> None:
    app = open_app("evidence", session=session)
    settings, says = own(store, session)
    assert says in shown(app) and DIFFERS not in shown(app)
    assert dict(app.query_params) == {"session": session}
    assert settings.engine == app.selectbox("evidence/engine").value == "univariate"
    assert app.slider("b_0").value == B_0 and app.slider("weight").value == 0.55
    app.session_state["evidence/tab"] = "Value of more studies"
    assert "is worth £" in shown(app.run())


def test_a_session_in_which_specificity_decides_opens_with_it(open_app: OpenApp, store: Store) -> None:
    both = with_tables("bivariate", 6, theta_sp=0.7, least_studies=0, least_patients=0)
    session = in_store(store, both)
    app, work = open_app("evidence", session=session), OpenSession.load(store, session)
    settings = work.state.settings
    assert app.checkbox("both").value and app.slider("theta_sp").value == 0.7
    assert f"and specificity 70 % is {percent(work.advice(settings).b)}." in shown(app)
    assert DIFFERS not in shown(app)
    app.checkbox("both").set_value(False).run()
    alone = replace(settings, theta_sp=None)
    assert not_as_in_session(settings, alone, work.advice(settings).b) in shown(app)


def test_what_is_changed_is_said_and_taken_back(open_app: OpenApp, store: Store, session: str) -> None:
    app, (settings, says) = open_app("evidence", session=session), own(store, session)
    belief = OpenSession.load(store, session).advice(settings).b
    app.slider("theta").set_value(0.85).run()
    assert not_as_in_session(settings, replace(settings, theta=0.85), belief) in shown(app)
    app.slider("weight").set_value(1.0).run()
    differs = not_as_in_session(
        settings, replace(settings, theta=0.85, prior=replace(settings.prior, weight=1.0)), belief
    )
    assert differs in shown(app) and says not in shown(app)
    again = open_app("evidence", session=session, theta="0.85", weight="1.0")
    assert differs in shown(again)
    again.button("evidence/as_in_session").click().run()
    assert says in shown(again) and DIFFERS not in shown(again)
    again.slider("q_star").set_value(0.9).run()
    stricter = replace(settings, payoffs=Payoffs.from_q_star(0.9))
    assert not_as_in_session(settings, stricter, belief) in shown(again) and says in shown(again)


def test_it_follows_the_session_and_leaves_nothing_of_it_to_other_tables(
    open_app: OpenApp, store: Store, session: str
) -> None:
    app, (settings, _) = open_app("evidence", session=session), own(store, session)
    changed = replace(settings, b_0=0.2)
    seq = len(store.events(session))
    store.append(session, Event("settings", {"settings": changed.to_dict(), "reason": ""}), expected=seq)
    _, says = own(store, session)
    assert says in shown(app.run()) and DIFFERS not in shown(app)
    app.session_state["evidence/source"] = "published"
    app.run()
    assert f"exceeds 75 % is {belief()}." in shown(app) and "session" not in app.query_params


def test_the_open_review_is_taken_up_and_a_search_is_not(
    open_app: OpenApp, store: Store, session: str
) -> None:
    app = open_app("screen", session=session)
    assert own(store, session)[1] in shown(app.switch_page("pages/evidence.py").run())
    search = start_demo(store)
    app = open_app("screen", session=search)
    assert f"exceeds 75 % is {belief()}." in shown(app.switch_page("pages/evidence.py").run())
    said = shown(open_app("evidence", session=search))
    assert search in said and f"exceeds 75 % is {belief()}." in said


def test_an_action_that_the_session_keeps_shut_is_not_chosen(open_app: OpenApp, store: Store) -> None:
    kept = in_store(store, with_tables("univariate", 8, least_studies=50, payoffs=Payoffs.from_q_star(0.01)))
    work = OpenSession.load(store, kept)
    settings, scenario = work.state.settings, scenario_of(work.state.settings)
    summary, lacking = scenario.evidence(settings, work.state), scenario.lacking(settings, work.state)
    assert summary is not None and "50" in lacking and not work.advice(settings).plus
    actions = Actions(settings.plus, settings.minus, lacking)
    sentence, opened = (action_sentence(summary, settings.payoffs, *named) for named in ((actions,), ()))
    assert sentence in shown(open_app("evidence", session=kept)) and sentence != opened


def test_the_sessions_are_listed_once_a_run(
    open_app: OpenApp, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("evidence", session=session)
    listed, ask = [], Store.sessions
    monkeypatch.setattr(Store, "sessions", lambda store: listed.append(store) or ask(store))
    app.run()
    assert not app.exception and len(listed) == 1
