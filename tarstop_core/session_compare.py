"""The same labels under other settings, and several sessions beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tarstop_core.advice import screening_path, stopping_outcomes
from tarstop_core.explain import action, amount, documents, number, percent
from tarstop_core.figures import TEXT, TEXT_ON_DARK, Figure, axis, label, line, thinned
from tarstop_core.session import UNDOABLE, Event, Settings, State, replay
from tarstop_core.session_export import WholeSession
from tarstop_core.store import Store

JUDGEMENTS = (*UNDOABLE, "undo", "note")
# Okabe–Ito, in an order whose neighbours differ; amber and yellow are left out, too pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#888888")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MOST = len(COLOURS)
NAME = 28


@dataclass(frozen=True)
class Outcome:
    """Where a rule stops on a session's list, given its labels.

    Parameters
    ----------
    depth : int
        Documents read then. Beyond what was read: if nothing more turns up.
    plus : bool
        Whether a⁺ is taken there.
    b : float
        Belief there.
    read : int
        Documents that were read.
    """

    depth: int
    plus: bool
    b: float
    read: int


def judgements(events: Iterable[Event]) -> list[Event]:
    """What a person said of the documents, numbered anew: without settings, plan and decisions.

    Examples
    --------
    >>> log = [Event("plan", {}, 1), Event("label", {"doc": "a"}, 2), Event("decided", {}, 3)]
    >>> [(event.seq, event.kind) for event in judgements(log)]
    [(1, 'label')]
    """
    kept = [event for event in events if event.kind in JUDGEMENTS]
    return [replace(event, seq=number) for number, event in enumerate(kept, start=1)]


def duplicate(store: Store, session_id: str, settings: Settings, name: str) -> str:
    """A session on the same list with the same labels, reports and notes, under other settings.

    Times and reviewers of the labels stay. Its own plan, decisions and changes of settings are not taken over: they
    belong to the settings of the other session.

    Returns
    -------
    str
        Id of the new session.

    Raises
    ------
    InputProblem
        When there is no such session.
    """
    row = store.session(session_id)
    return store.create_session(
        name=name,
        collection_id=row.collection_id,
        order=row.order,
        scores=row.scores,
        settings=settings,
        query=row.query,
        ranking=row.ranking,
        events=judgements(store.events(session_id)),
    )


def outcome(session: WholeSession, settings: Settings) -> Outcome:
    """Where the rule of these settings would have stopped, from the first document on.

    In a review a report counts as read as soon as its document was, and reports that wait do not keep a rule from
    stopping: the paper's order of events, in which replays of different settings can be compared.

    Parameters
    ----------
    session : WholeSession
    settings : Settings
        Their calibrator is one that the session used.
    """
    calibrator = session.calibrators[settings.calibrator]
    p = calibrator.probabilities(session.row.scores, len(session.row.ids))
    state = _judged(session, settings)
    [(depth, plus)] = stopping_outcomes(settings, calibrator, p, state, [settings.rule])
    b = screening_path(settings, calibrator, p, state).belief_at(depth)
    return Outcome(depth, plus, float(b), state.depth)


def _judged(session: WholeSession, settings: Settings) -> State:
    """The session's labels as they stand, under these settings from the start."""
    return replay(settings, session.row.ids, judgements(session.events))


def outcome_sentence(found: Outcome, settings: Settings) -> str:
    """An outcome in words.

    Examples
    --------
    >>> from tarstop_core.payoffs import Payoffs
    >>> settings = Settings(Payoffs.from_q_star(0.8), 0.001)
    >>> outcome_sentence(Outcome(12, False, 0.3, 40), settings)
    'At q* = 0.8 it would have stopped after 12 documents and chosen “Grant” (chance 30 %); 40 were read.'
    >>> outcome_sentence(Outcome(52, False, 0.3, 40), settings)
    'At q* = 0.8 it would not have stopped within the 40 documents read; if nothing more turns up it would stop after 52 and choose “Grant”.'
    """
    lead, chosen = f"At q* = {number(settings.payoffs.q_star)} it would", action(found.plus, settings)
    if found.depth > found.read:
        return (
            f"{lead} not have stopped within the {documents(found.read)} read; if nothing more turns up it would stop "
            f"after {found.depth:,} and choose “{chosen}”."
        )
    if found.depth == 0:
        return f"{lead} not have read any document and chosen “{chosen}” (chance {percent(found.b)})."
    return (
        f"{lead} have stopped after {documents(found.depth)} and chosen “{chosen}” (chance {percent(found.b)}); "
        f"{found.read:,} {'was' if found.read == 1 else 'were'} read."
    )


def comparison(sessions: Sequence[WholeSession]) -> list[tuple[str, list[str]]]:
    """Sessions beside each other: what is compared, and its value in each."""
    columns = [_column(session) for session in sessions]
    return [(name, [dict(column).get(name, "—") for column in columns]) for name, _ in columns[0]]


def _column(session: WholeSession) -> list[tuple[str, str]]:
    state = session.state
    settings, unit = state.settings, state.settings.payoffs.unit
    own = outcome(session, settings)
    decision = state.decision
    decided = "" if decision is None else action(decision.plus, settings)
    plus = session.advice.plus if decision is None else decision.plus
    payoffs = settings.payoffs
    expected = float((payoffs.utility_plus if plus else payoffs.utility_minus)(session.advice.b))
    return [
        ("Documents", f"{len(session.row.ids):,}"),
        ("Read", f"{state.depth:,}"),
        ("Relevant", f"{state.relevant:,}"),
        ("Studies with data", f"{len(state.evidence.tables):,}" if settings.review else "—"),
        ("How sure before you act (q*)", number(settings.payoffs.q_star)),
        ("Cost per document", amount(settings.cost, unit)),
        ("Stopping rule", str(settings.rule)),
        ("Starting chance", percent(settings.b_0)),
        ("Chance now", percent(session.advice.b)),
        (
            "Its rule stops after",
            f"{own.depth:,}{'' if own.depth <= own.read else ' if nothing more turns up'}",
        ),
        ("and chooses", action(own.plus, settings)),
        ("Decided", decided or ("stopped, not decided" if state.stopped else "not yet")),
        ("Spent", amount(state.spent, unit)),
        ("Expected to bring, less what was spent", amount(expected - state.spent, unit)),
    ]


def comparison_sentence(sessions: Sequence[WholeSession]) -> str:
    """What :func:`belief_figure` shows."""
    told = [
        f"{session.row.name}: {percent(session.advice.b)} after {documents(session.state.depth)}"
        for session in sessions
    ]
    return f"Chance as screening went on. {'; '.join(told)}."


def belief_figure(sessions: Sequence[WholeSession], dark: bool = False) -> Figure:
    """Belief after each document read of several sessions, under the settings now in force.

    Parameters
    ----------
    sessions : sequence of WholeSession
        At most :data:`MOST`.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    ink = TEXT_ON_DARK if dark else TEXT
    data: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    longest = max(1, *(session.state.depth for session in sessions))
    for at, session in enumerate(sessions):
        state = session.state
        settings = state.settings
        calibrator = session.calibrators[settings.calibrator]
        p = calibrator.probabilities(session.row.scores, len(session.row.ids))
        path = screening_path(settings, calibrator, p, state)
        x = thinned(state.depth + 1, state.depth).tolist()
        b = [path.belief_at(depth) for depth in x]
        shape = "hv" if settings.review else "linear"
        drawn = line(x, b, COLOURS[at], width=3, dash=DASHES[at], hoverinfo="skip")
        drawn["line"]["shape"] = shape
        end = {
            **drawn,
            "mode": "markers",
            "x": x[-1:],
            "y": b[-1:],
            "marker": {"color": COLOURS[at], "size": 9},
        }
        data += [drawn, end]
        name = session.row.name
        short = name if len(name) <= NAME else f"{name[: NAME - 1]}…"
        # Plotly reads a little HTML in texts.
        safe = short.replace("&", "&amp;").replace("<", "&lt;").replace("$", "&#36;")
        notes.append(
            label(
                x[-1],
                b[-1],
                safe,
                ink,
                yshift=6 + 14 * at,
                xanchor="right" if x[-1] > longest / 2 else "left",
            )
        )
    if any(session.collection.simulated for session in sessions):
        notes.append(label(1.03 * longest, 0.0, "simulated", ink, yanchor="bottom"))
    layout = {
        "height": 320,
        "margin": {"l": 56, "r": 12, "t": 8, "b": 40},
        "showlegend": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "xaxis": axis("documents read", dark, range=[0, 1.03 * longest]),
        "yaxis": axis("chance", dark, range=[-0.02, 1.25], tickvals=[0, 0.25, 0.5, 0.75, 1]),
        "annotations": notes,
    }
    return {"data": data, "layout": layout}
