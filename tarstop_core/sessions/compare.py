"""The same labels under other settings, and several sessions beside each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.figures import thinned
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.screening.advice import stopping_outcomes
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import CHANGES_LIST, UNDOABLE, Event
from tarstop_core.screening.paths import Paths, screening_path
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import action, question
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.whole import WholeSession
from tarstop_core.value.path import ListPath

JUDGEMENTS = (
    *UNDOABLE,
    "imported",
    "kept",
    "audited",
    "families",
    *CHANGES_LIST,
    "fit",
    "undo",
    "note",
    "reasons",
)


@dataclass(frozen=True)
class Stopped:
    """Where a rule stops on a session's list, given its labels."""

    depth: int
    """Documents read then. Beyond what was read: if nothing more turns up."""
    plus: bool
    """Whether a⁺ is taken there."""
    b: float
    """Belief there."""
    read: int


def judgements(events: Iterable[Event]) -> list[Event]:
    """What a person said of the documents, numbered anew: without settings, plan and decisions."""
    kept = [event for event in events if event.kind in JUDGEMENTS]
    return [replace(event, seq=number) for number, event in enumerate(kept, start=1)]


def duplicate(
    store: Store, session_id: str, settings: Settings, name: str, calibrator: Calibrator | None = None
) -> str:
    """A session on the same list with the same labels, reports and notes, under other settings; its id.

    Times and reviewers of the labels stay. Its own plan, decisions and changes of settings are not taken over: they
    belong to the settings of the other session. `calibrator` is kept with it where the store lacks it.
    """
    said = judgements(store.events(session_id))
    row = store.session(session_id)
    if calibrator is not None:
        store.save_calibrator(calibrator)
    return store.create_session(
        name, row.collection_id, row.order, row.scores, settings, row.query, row.ranking, events=said
    )


def outcome(session: WholeSession, settings: Settings) -> Stopped:
    """Where the rule of these settings would have stopped, from the first document on.

    In a review a report counts as read as soon as its document was, and reports that wait do not keep a rule from
    stopping: the paper's order of events, in which replays of different settings can be compared. The settings'
    calibrator is one that the session used.
    """
    state, path = _from_the_start(session, settings)
    chances, paths = session.chances(settings, state), Paths(path, lambda: ())
    [(depth, plus)] = stopping_outcomes(settings, *chances, state, [settings.rule], paths, start=0)
    return Stopped(depth, plus, float(path.belief_at(depth)), state.depth)


def _from_the_start(session: WholeSession, settings: Settings) -> tuple[State, ListPath]:
    """The labels as they stand, and their path; reports that wait now did not wait at an earlier depth."""
    state = replay(settings, session.stored.ids, judgements(session.events))
    return state, screening_path(settings, *session.chances(settings, state), state).without_waiting()


def beliefs_read(session: WholeSession, settings: Settings) -> tuple[list[int], list[float]]:
    """Depths up to where a session was read, thinned, and the belief there under these settings."""
    path = screening_path(settings, *session.chances(settings), session.state)
    x = thinned(session.state.depth + 1, session.state.depth).tolist()
    return x, [float(path.belief_at(depth)) for depth in x]


def worths(session: WholeSession, settings: Settings) -> NDArray[np.float64] | None:
    """What the rule of these settings compares with the cost at each depth, shape (N,); None if nothing."""
    return settings.rule.value_rate(_from_the_start(session, settings)[1])


def with_calibrator(session: WholeSession, calibrator: Calibrator) -> tuple[WholeSession, Settings]:
    """A session that also holds another calibrator, and its settings with that one.

    The chances are taken as this calibrator gives them: a factor that was found for another one is dropped.
    InputProblem when they are other chances than the session needs, or it lacks the scores that they need.
    """
    settings = session.state.settings
    wanted = session.calibrators[settings.calibrator].scenario
    if calibrator.scenario != wanted:
        raise InputProblem(
            f"This calibrator gives chances for {calibrator.scenario}, and the session needs {wanted}; "
            "choose another one."
        )
    calibrator.probabilities(session.row.scores, session.state.ranked)
    held = replace(session, calibrators={**session.calibrators, calibrator.digest: calibrator})
    scale = settings.scale if calibrator.digest == settings.calibrator else 1.0
    return held, replace(settings, calibrator=calibrator.digest, scale=scale)


def switch_sentence(session: WholeSession, before: Settings, after: Settings, name: str) -> str:
    """What another calibrator would have changed: where the rule stops, what it chooses, the belief at the end.

    The session holds both calibrators; `name` is what the other one is called.
    """
    old, new = outcome(session, before), outcome(session, after)
    depth = f"{count_of(new.depth)} as well"
    if new.depth != old.depth:
        depth = f"{new.depth:,} instead of {count_of(old.depth)}"
    said = f"With “{name}” it would have said stop after {depth}"
    if max(old.depth, new.depth) > new.read:
        said += f" (beyond the {new.read:,} read: if nothing more turns up)"
    otherwise = "as well" if new.plus == old.plus else f"instead of “{action(old.plus, before)}”"
    chosen = f"chosen “{action(new.plus, after)}” {otherwise}"
    if not scenario_of(after).verdicts_tell:
        return f"{said}, and {chosen}. In a review only 2×2 tables move the belief, not the chances of documents."
    ends = [beliefs_read(session, each)[1][-1] for each in (after, before)]
    return (
        f"{said}, and {chosen}; the chance that {question(after)} after the {count_of(new.read)} read would be "
        f"{number(ends[0])} instead of {number(ends[1])}."
    )


def outcome_sentence(found: Stopped, settings: Settings) -> str:
    """An outcome in words."""
    lead, chosen = f"At q* = {number(settings.payoffs.q_star)} it would", action(found.plus, settings)
    if found.depth > found.read:
        return (
            f"{lead} not have stopped within the {count_of(found.read)} read; if nothing more turns up it would stop "
            f"after {found.depth:,} and choose “{chosen}”."
        )
    if found.depth == 0:
        return f"{lead} not have read any document and chosen “{chosen}” (chance {percent(found.b)})."
    return (
        f"{lead} have stopped after {count_of(found.depth)} and chosen “{chosen}” (chance {percent(found.b)}); "
        f"{found.read:,} {'was' if found.read == 1 else 'were'} read."
    )


def comparison(sessions: Sequence[WholeSession]) -> list[tuple[str, list[str]]]:
    """Sessions beside each other: what is compared, and its value in each."""
    columns = [_column(session) for session in sessions]
    return [(name, [column[name] for column in columns]) for name in columns[0]]


def _column(session: WholeSession) -> dict[str, str]:
    state, decision = session.state, session.state.decision
    settings, payoffs, unit = state.settings, state.settings.payoffs, state.settings.payoffs.unit
    own = outcome(session, settings)
    beyond = " if nothing more turns up" if own.depth > own.read else ""
    plus = session.advice.plus if decision is None else decision.plus
    expected = float((payoffs.utility_plus if plus else payoffs.utility_minus)(session.advice.b))
    undecided = "stopped, not decided" if state.stopped else "not yet"
    return {
        "Documents": f"{len(session.row.ids):,}",
        "Read": f"{state.depth:,}",
        "Relevant": f"{state.relevant:,}",
        "In combination (Y)": f"{len(state.combination):,}" if settings.grades else "—",
        "Background (A)": f"{len(state.background):,}" if settings.grades else "—",
        "Studies with data": f"{len(state.evidence.tables):,}" if settings.reads_full_texts else "—",
        "How sure before you act (q*)": number(payoffs.q_star),
        "Cost per document": amount(settings.cost, unit),
        "Stopping rule": str(settings.rule),
        "Starting chance": percent(settings.b_0),
        "Chance now": percent(session.advice.b),
        "Its rule stops after": f"{own.depth:,}{beyond}",
        "and chooses": action(own.plus, settings),
        "Decided": undecided if decision is None else action(decision.plus, settings),
        "Spent": amount(state.spent, unit),
        "Expected to bring, less what was spent": amount(expected - state.spent, unit),
    }


def comparison_sentence(sessions: Sequence[WholeSession]) -> str:
    """What :func:`belief_figure` shows."""
    told = (
        f"{each.row.name}: {percent(each.advice.b)} after {count_of(each.state.depth)}" for each in sessions
    )
    return f"Chance as screening went on. {'; '.join(told)}."
