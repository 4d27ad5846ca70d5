"""Replays of a session's labels under other settings, and comparisons of sessions in words, rows and figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.errors import InputProblem
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.numbers import amount, number, percent
from tarstop_core.presentation.palette import BLUE, GREEN, PURPLE, SKY, THRESHOLD, VERMILION
from tarstop_core.samples.shipped import calibrators, default_calibrator
from tarstop_core.screening.advice import stopping_outcomes
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import Paths, screening_path
from tarstop_core.screening.scenarios.named import SCENARIOS, scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import action, best_between, chosen_action, question
from tarstop_core.sessions import message
from tarstop_core.sessions.snapshot import SessionSnapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import now
from tarstop_core.value.path import ListPath

OF_ITS_OWN = ("plan", "settings", "stopped", "decided", "continued")
"""Kinds of events that belong to the settings of a session; all others are about its documents."""


@dataclass(frozen=True)
class RuleStop:
    """Where a rule stops on a session's list, given its labels."""

    depth: int
    """Documents read by then; beyond those read, if nothing more turns up."""
    option: int
    """The option taken there."""
    b: float
    """Belief there."""
    read: int
    """Documents read in the session, whatever the rule says."""


def judgements(events: Iterable[Event]) -> list[Event]:
    """The events about documents, renumbered from 1: a log without settings, plan and decisions."""
    kept = [event for event in events if event.kind not in OF_ITS_OWN]
    return [replace(event, seq=number) for number, event in enumerate(kept, start=1)]


def duplicate(
    store: Store, session_id: str, settings: Settings, name: str, calibrator: Calibrator | None = None
) -> str:
    """Create a session on the same list with the same labels, reports and notes, under other settings.

    Times and reviewers of the labels stay. Plan, decisions and changes of settings are not copied, because they belong
    to the settings of the other session. The log of the duplicate names that session, its rule and its decision.

    Parameters
    ----------
    store
        Holds the session, and gets the duplicate.
    session_id
        Id of the session that is duplicated.
    settings
        Settings of the duplicate.
    name
        Name of the duplicate.
    calibrator
        A calibrator that the settings name and the store may lack; it is stored.

    Returns
    -------
    str
        Id of the duplicate.
    """
    row = store.session(session_id)
    # With the same readers, each goes on unseen by the others; otherwise only what counts is copied.
    log = store.log if settings.readers == row.settings.readers else store.events
    events = judgements(log(session_id))
    if events and events[-1].kind != "duplicated":
        before = replay(row.settings, row.ids, store.events(session_id))
        source = {"session": row.name, "rule": str(before.settings.rule)}
        if before.decision is not None:
            source["decided"] = chosen_action(before.decision, before.settings)
        events.append(Event("duplicated", source, len(events) + 1, now()))
    if calibrator is not None:
        store.save_calibrator(calibrator)
    ranked = (row.collection_id, row.order, row.scores, settings, row.query, row.ranking)
    return store.create_session(name, *ranked, events=events, recipe=row.recipe)


def other_scenarios(settings: Settings) -> list[str]:
    """Names of the other scenarios that can use the labels of a session: those in which reports are included or not."""
    return [
        name
        for name, other in SCENARIOS.items()
        if name != settings.scenario and not settings.one_decides and not other.settings_class.one_decides
    ]


def asked_otherwise(session: SessionSnapshot, scenario: str) -> tuple[Settings, Calibrator]:
    """Default settings for asking the question of another scenario on the same list, and the calibrator that they name."""
    present, other = session.state.settings, SCENARIOS[scenario]
    plus, minus = other.first_actions
    kept = {
        name: getattr(present, name) for name in ("learns", "words_for", "words_against", "weighs_scores")
    }
    settings = other.beginning(plus=plus, minus=minus, chances_follow=True, **kept)
    calibrator, wanted = session.calibrators[present.calibrator], other.chance_of(settings)
    if calibrator.scenario != wanted:
        scored, simulated = session.row.scores is not None, session.collection.simulated
        calibrator = calibrators()[default_calibrator(scored, simulated, wanted)]
    return replace(settings, calibrator=calibrator.digest), calibrator


def outcome(session: SessionSnapshot, settings: Settings) -> RuleStop:
    """Where the rule of these settings would have stopped on the labels of a session, from its first document on.

    In a review a report counts as read as soon as its document was, and waiting reports do not keep a rule from
    stopping. This is the order of events in the paper, in which replays of different settings can be compared.
    The settings must name a calibrator that the session used.
    """
    state, path = _from_the_start(session, settings)
    chances, paths = session.chances(settings, state), Paths(path, lambda: ())
    [(depth, option)] = stopping_outcomes(settings, *chances, state, [settings.rule], paths, start=0)
    return RuleStop(depth, option, float(path.belief_at(depth)), state.depth)


def _from_the_start(session: SessionSnapshot, settings: Settings) -> tuple[State, ListPath]:
    """State with the labels of now, and its path without waiting reports, which did not wait at an earlier depth."""
    state = replay(settings, session.stored.ids, judgements(session.events))
    return state, screening_path(settings, *session.chances(settings, state), state).without_waiting()


def beliefs_read(session: SessionSnapshot, settings: Settings) -> tuple[list[int], list[float]]:
    """Depths for a figure, up to the number of documents read, and the belief at each under these settings."""
    path = screening_path(settings, *session.chances(settings), session.state)
    x = fig.thinned(session.state.depth + 1, session.state.depth).tolist()
    return x, [float(path.belief_at(depth)) for depth in x]


def worths(session: SessionSnapshot, settings: Settings) -> NDArray[np.float64] | None:
    """Value that the rule compares with the cost of the next document at each depth, shape (N,); None if it compares none."""
    return settings.rule.value_rate(_from_the_start(session, settings)[1])


def with_calibrator(session: SessionSnapshot, calibrator: Calibrator) -> tuple[SessionSnapshot, Settings]:
    """A session that also holds another calibrator, and its settings with that one.

    A factor on the chances that was chosen for another calibrator is dropped.

    Raises
    ------
    InputProblem
        If the calibrator gives chances of something else than the session needs, or needs scores that the list lacks.
    """
    settings = session.state.settings
    wanted = session.calibrators[settings.calibrator].scenario
    if calibrator.scenario != wanted:
        raise InputProblem(
            f"This calibrator gives chances for {calibrator.scenario}, but the session needs "
            f"{wanted}; choose another one."
        )
    calibrator.probabilities(session.row.scores, session.state.ranked)
    held = replace(session, calibrators={**session.calibrators, calibrator.digest: calibrator})
    scale = settings.scale if calibrator.digest == settings.calibrator else 1.0
    return held, replace(settings, calibrator=calibrator.digest, scale=scale)


def switch_sentence(session: SessionSnapshot, before: Settings, after: Settings, name: str) -> str:
    """Say how another calibrator would change where the rule stops, what it chooses, and the belief at the end.

    Parameters
    ----------
    session
        A session that holds both calibrators.
    before, after
        Its settings with its own calibrator, and with the other one.
    name
        Name of the other calibrator.

    Returns
    -------
    str
        One sentence or two.
    """
    old, new = outcome(session, before), outcome(session, after)
    verdicts_tell = scenario_of(after).verdicts_tell
    return message(
        "switched",
        name=name,
        old=old,
        new=new,
        action_before=action(old.option, before),
        action=action(new.option, after),
        question=question(after),
        ends=[beliefs_read(session, settings)[1][-1] for settings in (after, before)]
        if verdicts_tell
        else [],
    )


def outcome_sentence(stopped: RuleStop, settings: Settings) -> str:
    """Sentence on where a rule stops and what it then chooses."""
    return message("outcome", stopped=stopped, settings=settings, action=action(stopped.option, settings))


def comparison(sessions: Sequence[SessionSnapshot]) -> list[tuple[str, list[str]]]:
    """Rows of a table that compares sessions: the name of each row, and its value for each session."""
    columns = [_column(session) for session in sessions]
    return [(name, [column[name] for column in columns]) for name in columns[0]]


def _column(session: SessionSnapshot) -> dict[str, str]:
    state, decision = session.state, session.state.decision
    settings = state.settings
    own = outcome(session, settings)
    beyond = " if nothing more turns up" if own.depth > own.read else ""
    weighed = _weighed(session) if settings.weighs else dict.fromkeys(WEIGHED, "—")
    undecided = "stopped, not decided" if state.stopped else "not yet"
    return {
        "Documents": f"{len(session.row.ids):,}",
        "Read": f"{state.depth:,}",
        "Relevant": f"{state.relevant:,}",
        "In combination (Y)": f"{len(state.combination):,}" if settings.grades else "—",
        "Background (A)": f"{len(state.background):,}" if settings.grades else "—",
        "Studies with data": f"{len(state.evidence):,}" if settings.reads_full_texts else "—",
        "Stopping rule": settings.rule.brief,
        "Its rule stops after": f"{own.depth:,}{beyond}",
        "and chooses": action(own.option, settings),
        "Decided": undecided if decision is None else chosen_action(decision, settings),
        **weighed,
    }


WEIGHED = (
    "How sure before you act",
    "Cost per document",
    "Starting chance",
    "Chance now",
    "Spent",
    "Expected to bring, minus the cost so far",
)
"""The rows for sessions that weigh a decision."""


def _weighed(session: SessionSnapshot) -> dict[str, str]:
    state, settings, payoffs = session.state, session.state.settings, session.state.settings.payoffs
    option = session.advice_now.option if state.decision is None else state.decision.option
    expected = float(payoffs.utility_of(option, session.advice_now.b))
    values = (
        best_between(settings) if payoffs.others else number(payoffs.q_star),
        amount(settings.cost, payoffs.unit),
        percent(settings.b_0),
        percent(session.advice_now.b),
        amount(state.spent, payoffs.unit, exact=False),
        amount(expected - state.spent, payoffs.unit, exact=False),
    )
    return dict(zip(WEIGHED, values, strict=True))


def comparison_sentence(sessions: Sequence[SessionSnapshot]) -> str:
    """Description of the figure that :func:`belief_figure` draws."""
    return message("compared", sessions=sessions)


# Okabe–Ito, in an order whose neighbours differ; amber and yellow are left out, too pale on white.
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, THRESHOLD)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MOST = len(COLOURS)
"""Most sessions that are compared, because each has a colour of its own."""
NAME = 28
"""Most characters of a session's name in the figure."""


def belief_figure(sessions: Sequence[SessionSnapshot], dark: bool = False) -> fig.Figure:
    """Figure of the belief after each document read of up to :data:`MOST` sessions, under their settings now."""
    return belief_curves([(session.row.name, session, session.state.settings) for session in sessions], dark)


def belief_curves(curves: Sequence[tuple[str, SessionSnapshot, Settings]], dark: bool = False) -> fig.Figure:
    """Figure of the belief after each document read: a curve for each name, session and settings, at most :data:`MOST`.

    Each session must hold the calibrator that its settings name.
    """
    chart, longest = fig.Chart(320, dark=dark), max(1, *(session.state.depth for _, session, _ in curves))
    for at, (name, session, settings) in enumerate(curves):
        x, b = beliefs_read(session, settings)
        shape = "hv" if scenario_of(settings).in_steps else "linear"
        drawn = fig.line(x, b, COLOURS[at], width=3, dash=DASHES[at], hoverinfo="skip")
        drawn["line"]["shape"] = shape
        marker = {"color": COLOURS[at], "size": 9}
        chart.traces += [drawn, drawn | {"mode": "markers", "x": x[-1:], "y": b[-1:], "marker": marker}]
        place: dict[str, Any] = {"yshift": 6 + 14 * at, "xanchor": "right" if x[-1] > longest / 2 else "left"}
        chart.label(x[-1], b[-1], fig.plain(name, NAME), COLOURS[at], **place)
    if any(session.collection.simulated for _, session, _ in curves):
        chart.label(0.0, 1.25, "simulated", xanchor="left", yanchor="top")
    chart.axis("xaxis", "documents read", range=[0, 1.03 * longest])
    shares = {"tickvals": [0, 0.25, 0.5, 0.75, 1], "tickformat": ".0%"}
    chart.axis("yaxis", "chance", range=[-0.02, 1.25], **shares)
    return chart.figure(margin={"l": 56, "t": 8, "b": 40})
