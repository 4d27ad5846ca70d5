"""A session that weighs more than two options: what is advised, kept, exported, reported and compared."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.evidence import words
from tarstop_core.evidence.curve_figures import belief_by_study
from tarstop_core.policies import Optimal
from tarstop_core.screening.advice import advise
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.named import read_settings, scenario_of
from tarstop_core.screening.settings import StudySettings
from tarstop_core.screening.settings_words import changes, settings_rows
from tarstop_core.screening.wording import best_between
from tarstop_core.sessions import message
from tarstop_core.sessions.compare import comparison, outcome, outcome_sentence
from tarstop_core.sessions.export import to_csv, to_xlsx
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Option
from tests.evidence.test_figures import reviewed
from tests.session_cases import INCLUSION, REVIEW, START, a_review, log
from tests.spoken import spoken

TRIAL, NEVER = Option("Trial only", 3400, 600), Option("Ask again", -3000, 900)
SEVERAL = replace(REVIEW.payoffs, others=(TRIAL, NEVER))


def a_session(store: Store) -> str:
    """The review of the other tests, with other options and a decision for one of them."""
    session = a_review(store)
    snapshot = session_snapshot(store, session)
    changed = replace(snapshot.state.settings, payoffs=SEVERAL)
    log(store, session, Event("settings", {"settings": changed.to_dict()}))
    now = session_snapshot(store, session).advice_now
    basis = {
        "plus": False,
        "option": 2,
        "action": "Trial only",
        "advised": now.option,
        "advice": now.headline,
    }
    log(
        store,
        session,
        Event("decided", {**basis, "depth": now.depth, "belief": now.b, "utility": now.utility}),
    )
    return session


def test_settings_come_back_from_a_file() -> None:
    settings = replace(REVIEW, payoffs=SEVERAL)
    again = read_settings(json.loads(json.dumps(settings.to_dict())))
    assert again == settings and again.actions == ("Don't adopt", "Adopt", "Trial only", "Ask again")
    assert "others" not in REVIEW.to_dict()["payoffs"], "files of two options are as they were"
    assert again.to_dict()["payoffs"]["others"][0] == {"name": "Trial only", "right": 3400, "wrong": 600}


def test_a_search_has_two_options() -> None:
    with pytest.raises(InputProblem, match="between two actions"):
        replace(START, payoffs=SEVERAL)


def test_the_floor_on_the_right_decision_does_not_hold() -> None:
    """A trial is right for certain in neither case."""
    two, several = (replace(REVIEW, floor=0.99, payoffs=payoffs) for payoffs in (REVIEW.payoffs, SEVERAL))
    assert isinstance(two, StudySettings)
    rows = [settings_rows(settings, INCLUSION) for settings in (two, several)]
    assert ["99 %" in dict(map(reversed, of)) for of in rows] == [True, False]


def test_the_best_option_is_advised_and_its_worth_said(store: Store) -> None:
    session = session_snapshot(store, a_session(store))
    settings, now = session.state.settings, session.advice_now
    utilities = [float(settings.payoffs.utility_of(option, now.b)) for option in range(4)]
    assert now.option == int(np.argmax(utilities)) and now.utility == max(utilities)
    rows = dict(scenario_of(settings).rows(now, settings))
    assert rows["“Ask again” is best"] == "never"
    assert rows["“Trial only” is best"].startswith("from ")
    path_gains = advise(
        replace(settings, cost=0.0), INCLUSION, session.chances(settings, session.state)[1], session.state
    )
    assert path_gains.gain >= 0


def test_what_leaves_names_every_option(store: Store) -> None:
    session_id = a_session(store)
    session = session_snapshot(store, session_id)
    report = html.unescape(re.sub(r"<[^>]+>", " ", report_html(session))).replace("\u00a0", " ")
    for name in ("Trial only", "Ask again", "Adopt", "Don't adopt"):
        assert name in report
    assert best_between(session.state.settings) in report
    assert to_xlsx(session) and to_csv(session)
    column = {name: values[0] for name, values in comparison([session])}
    assert column["Decided"] == "Trial only"
    assert session.state.decision is not None and session.state.decision.option == 2
    moved = changes(settings_rows(REVIEW, INCLUSION), settings_rows(session.state.settings, INCLUSION))
    assert any("Decisions: " in clause for clause in moved)


def test_a_decision_keeps_the_name_that_its_option_had(store: Store) -> None:
    session_id = a_session(store)
    settings = session_snapshot(store, session_id).state.settings
    renamed = replace(settings, payoffs=replace(SEVERAL, others=(NEVER, replace(TRIAL, name="Study"))))
    log(store, session_id, Event("settings", {"settings": renamed.to_dict()}))
    session = session_snapshot(store, session_id)
    assert dict(comparison([session]))["Decided"] == ["Trial only"]
    told = spoken(message, outcome_sentence, outcome(session, renamed), renamed)
    assert told.values["action"] in renamed.actions


def test_evidence_says_where_another_option_is_the_best_one(store: Store) -> None:
    """Two options are parted by q*; a third one has limits of its own."""
    found = reviewed((28, 9, 12, 91), (45, 22, 9, 130), (88, 31, 15, 240), (61, 12, 19, 176))
    seen = [b for b in found.drawn_path.beliefs if b is not None]
    always = replace(SEVERAL, others=(Option("Trial only", 3990, 900),))
    ends = always.ranges().ends
    assert len(ends) == 2
    crossed = spoken(words.message, words.path_sentence, found, always).values["crossed"]
    sides = np.searchsorted(ends, seen)
    assert crossed == [n for n in range(1, len(seen)) if sides[n] != sides[n - 1]]
    drawn = belief_by_study(found, always)["data"]
    assert set(ends) <= {trace["y"][0] for trace in drawn if len(trace["y"]) == 2}


def test_a_session_file_brings_the_options_elsewhere(store: Store, tmp_path: Path) -> None:
    session_id = a_session(store)
    here, text = session_snapshot(store, session_id), export_session(store, session_id)
    with Store(f"sqlite:///{tmp_path / 'elsewhere.db'}") as elsewhere:
        there = session_snapshot(elsewhere, import_session(elsewhere, text))
    assert there.state.settings.payoffs == SEVERAL
    assert there.advice_now.option == here.advice_now.option
    assert there.state.decision is not None and there.state.decision.option == 2


def test_every_rule_answers(store: Store) -> None:
    """A rule asks the path alone, which knows the options."""
    session = session_snapshot(store, a_session(store))
    state = session.state
    for spec in ("greedy", "smooth:K=5", "batch:K=10", "look-ahead", "open-loop", "optimal"):
        settings = replace(state.settings, policy=spec)
        now = advise(settings, INCLUSION, session.chances(settings, state)[1], state)
        assert now.option in (0, 1, 2)
    assert Optimal().name == "optimal"
