"""The same labels under other settings: what a replay says is what the new session then advises."""

import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from tarstop_core.screening.advice import advise
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.sessions.compare import (
    RuleStop,
    belief_figure,
    comparison,
    comparison_sentence,
    duplicate,
    judgements,
    outcome,
    outcome_sentence,
)
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tests.session_cases import PATENT, START, a_patent_session, a_review, label, log


def test_a_duplicate_takes_over_labels_and_nothing_else(store: Store) -> None:
    session = a_patent_session(store)
    before = session_snapshot(store, session)
    settings = replace(START, policy="greedy")
    made = session_snapshot(store, duplicate(store, session, settings, "Copy"))
    assert made.row.name == "Copy" and made.row.settings == made.state.settings == settings
    assert made.row.digest == before.row.digest and made.row.query == before.row.query
    for name in ("labels", "confirmed"):
        np.testing.assert_array_equal(getattr(made.state, name), getattr(before.state, name))
    assert made.state.notes == before.state.notes
    assert made.state.plan is None and made.state.decision is None and not made.state.deviations
    stamps = [(event.time, event.reviewer) for event in judgements(before.events)]
    assert [(event.time, event.reviewer) for event in made.events[:-1]] == stamps
    assert session_snapshot(store, session).events == before.events
    log(store, made.row.id, label(12, "irrelevant"))  # it can be gone on with


def test_a_duplicate_says_where_its_labels_were_given(store: Store) -> None:
    session = a_patent_session(store)
    before = session_snapshot(store, session)
    assert "taken over from" not in report_html(before)
    made = session_snapshot(store, duplicate(store, session, replace(START, policy="greedy"), "Copy"))
    entry = made.events[-1]
    assert entry.kind == "duplicated" and made.state.depth == before.state.depth
    assert entry.payload == {
        "session": before.row.name,
        "rule": str(before.state.settings.rule),
        "decided": "Reject",
    }
    assert "taken over from" in report_html(made) and "whose rule was" in report_html(made)
    again = session_snapshot(store, duplicate(store, made.row.id, START, "Copy of a copy"))
    assert [event.payload["session"] for event in again.provenance.duplicated] == [before.row.name]
    log(store, again.row.id, label(12, "irrelevant"))
    third = session_snapshot(store, duplicate(store, again.row.id, START, "And again"))
    n = len(judgements(before.events))
    assert f"Log entries 1 to {n} are" in third.provenance.elsewhere()
    assert (
        f"Log entry {n + 2} is" in third.provenance.elsewhere()
        and "“Copy of a copy”" in third.provenance.elsewhere()
    )


@pytest.mark.parametrize("policy", ["optimal", "greedy", "budget:d=4", "look-ahead:m=3"])
@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.9])
def test_it_stops_where_the_advice_first_says_stop(store: Store, policy: str, q_star: float) -> None:
    session = session_snapshot(store, a_patent_session(store))
    settings = replace(START, payoffs=Payoffs.from_q_star(q_star, 10_000, "£"), policy=policy, cost=20)
    found = outcome(session, settings)
    p = PATENT.probabilities(session.row.scores, len(session.row.ids))
    labels = [event for event in judgements(session.events) if event.kind in ("label", "confirm")]
    stops = None
    for read in range(len(labels)):
        advice = advise(settings, PATENT, p, replay(settings, session.row.ids, labels[:read]))
        if not advice.go_on and advice.headline != "confirm":
            stops = advice.depth
            break
    assert found.read == 12
    assert found.depth == stops if stops is not None else found.depth >= 11


def test_what_was_read_beyond_does_not_matter_before_a_hit(store: Store) -> None:
    session = session_snapshot(store, a_patent_session(store))
    settings = replace(START, policy="budget:d=4")
    stopped = outcome(session, settings)
    said = outcome_sentence(stopped, settings)
    assert said.startswith("Where 20 % sure ") and said.endswith("; 12 were read.")
    assert re.search(rf"after 4 documents .* “Grant” \(chance {100 * stopped.b:.0f} %\)", said)


def test_nothing_read_is_said() -> None:
    said = outcome_sentence(RuleStop(0, True, 0.6, 0), START)
    assert said.startswith("Where 20 % sure ") and said.endswith("chosen “Reject” (chance 60 %).")


def test_patents_and_reviews_stand_beside_each_other(store: Store) -> None:
    sessions = [session_snapshot(store, a_patent_session(store)), session_snapshot(store, a_review(store))]
    rows = dict(comparison(sessions))
    assert rows["Read"] == ["12", "8"] and rows["Studies with data"] == ["—", "1"]
    assert rows["Decided"] == ["Reject", "not yet"]
    assert rows["Spent"] == ["£60", "£140"]
    assert "£940" in [values[0] for values in rows.values()]
    figure = belief_figure(sessions)
    go.Figure(figure)  # raises on what plotly does not know
    lines = [trace for trace in figure["data"] if trace["mode"] == "lines"]
    for session, drawn in zip(sessions, lines, strict=True):
        assert drawn["x"] == list(range(session.state.depth + 1))
        assert drawn["y"][-1] == session.advice_now.b
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert texts == ["Hinge &lt;i>", "Review", "simulated"]
    assert "Hinge <i>: 100 % after 12 documents" in comparison_sentence(sessions)


def test_undone_labels_stay_undone(store: Store) -> None:
    session = a_review(store)
    log(store, session, Event("undo"))
    made = session_snapshot(store, duplicate(store, session, START, "x"))
    assert made.state.depth == 7
