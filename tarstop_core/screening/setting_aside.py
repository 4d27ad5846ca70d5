"""Documents that cannot be prior art against the application: set aside, they do not count as evidence, and can be returned.

The belief is that of the list without them. The other documents move up in rank, so chances by rank or by score are what
they would be if the search had not found those set aside.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarstop_core.documents.application import Flag
from tarstop_core.errors import InputProblem
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening import record_message
from tarstop_core.screening.fold import replay
from tarstop_core.screening.labels import COMBINATION, RELEVANT
from tarstop_core.screening.log import CHANGES_LIST, Aside, Event
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State


@dataclass(frozen=True, eq=False)
class SetAsideFirst:
    """Documents that are set aside before reading begins."""

    ranking: Ranking  # these documents, in the order in which they would be read
    ranks: NDArray[np.int64]  # the ranks, from 1 on, that they would have in the list
    documents: tuple[Aside, ...]  # the same documents, with why they are set aside


def without(ranking: Ranking, rows: Collection[int]) -> Ranking:
    """The ranking without the documents at some positions in the collection."""
    if not rows:
        return ranking
    stays = ~np.isin(ranking.order, list(rows))
    scores = None if ranking.scores is None else ranking.scores[stays]
    return replace(ranking, order=ranking.order[stays], scores=scores)


def set_aside_first(
    whole: Ranking, ranked: Ranking, ids: Sequence[str], why: Mapping[int, Flag]
) -> SetAsideFirst | None:
    """Documents to set aside before reading begins, with the ranks that they would have.

    Parameters
    ----------
    whole : Ranking
        All documents of the collection that may be on the list, by rank.
    ranked : Ranking
        Those that are to be read, in the same order.
    ids : sequence of str
        Ids of all documents, by position in the collection.
    why : mapping of int to Flag
        Why each document that is set aside cannot be prior art, by position in the collection.

    Returns
    -------
    SetAsideFirst or None
        The documents with their ranks; None if none is set aside.
    """
    if not why:
        return None
    aside = np.isin(whole.order, list(why))
    either = aside | np.isin(whole.order, ranked.order)
    rows = whole.order[aside]
    scores = None if whole.scores is None else whole.scores[aside]
    documents = tuple(as_aside(ids[row], why[row]) for row in rows.tolist())
    return SetAsideFirst(
        replace(whole, order=rows, scores=scores), np.cumsum(either, dtype=np.int64)[aside], documents
    )


def with_set_aside(screened: Ranking, aside: SetAsideFirst) -> tuple[Ranking, Event]:
    """The list as it is stored, with the documents set aside at its end, and the first event of its log."""
    scores = screened.scores
    if scores is not None:
        assert aside.ranking.scores is not None
        scores = np.append(scores, aside.ranking.scores)
    how = f"{screened.how} {record_message('set_aside_first', aside=aside_in_words(aside.documents))}"
    order = np.append(screened.order, aside.ranking.order)
    stored = replace(screened, order=order, scores=scores, how=how)
    return stored, Event("set_aside", {"documents": list(aside.documents), "ranks": aside.ranks.tolist()})


def set_aside_event(state: State, ids: Sequence[str], why: Mapping[str, Flag], reason: str = "") -> Event:
    """Event that sets documents aside in a running session.

    Parameters
    ----------
    state : State
        State of the session.
    ids : sequence of str
        Its documents in the order of reading.
    why : mapping of str to Flag
        The documents, each with why it cannot be prior art.
    reason : str
        Why this departs from the plan, if one is registered.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If a document is set aside already or has a label that may settle the question, or the list has audit draws.
    """
    _may_change(state)
    positions = {doc: at for at, doc in enumerate(ids)}
    for doc in why:
        at = positions.get(doc, -1)
        if at < 0 or at in state.aside_read:
            raise InputProblem("That document is already set aside, so nothing was recorded.")
        if not may_leave(state, at):
            raise InputProblem(
                f"Document #{at + 1} settles the question by your own verdict, so it was not set aside; change the "
                "verdict first."
            )
    documents = [as_aside(doc, flag) for doc, flag in why.items()]
    return Event("set_aside", {"documents": documents, **_given(reason)})


def return_event(state: State, docs: Sequence[str], reason: str = "") -> Event:
    """Event that returns documents to the list.

    Parameters
    ----------
    state : State
        State of the session.
    docs : sequence of str
        The documents that are returned.
    reason : str
        Why this departs from the plan, if one is registered.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If one of them is not set aside, or the list has audit draws.
    """
    _may_change(state)
    if {*docs} - all_aside(state).keys():
        raise InputProblem("That document is no longer set aside, so nothing was recorded.")
    return Event("returned", {"docs": list(docs), **_given(reason)})


def may_leave(state: State, at: int) -> bool:
    """Whether the document at a position, read or not, may be set aside: not with a label that may settle the question."""
    return int(state.labels[at]) not in (RELEVANT, COMBINATION)


def all_aside(state: State) -> dict[str, Aside]:
    """All documents that are set aside, read or not, by id."""
    return {**state.aside, **{aside["doc"]: aside for aside in state.aside_read.values()}}


def aside_in_words(aside: Iterable[Aside]) -> str:
    """Clause on how many documents are set aside, and why.

    >>> aside_in_words([Aside(doc="a", kind="late", words=""), Aside(doc="b", kind="own", words="")])
    '2 documents (1 too late, 1 of the application’s own family)'
    """
    kinds = Counter(document["kind"] for document in aside)
    return record_message("set_aside", late=kinds["late"], own=kinds["own"])


def moved_aside(event: Event) -> str:
    """Clause on how many documents an event sets aside or returns."""
    if event.kind == "set_aside":
        return record_message("moved_aside", documents=len(event.payload["documents"]))
    return record_message("moved_back", documents=len(event.payload["docs"]))


def after_plan(events: Sequence[Event]) -> list[Event]:
    """Events that deviate from a registered plan because they set documents aside or return them; none without a plan."""
    planned = next((event.seq for event in events if event.kind == "plan"), None)
    if planned is None:
        return []
    return [event for event in events if event.seq > planned and event.kind in ("set_aside", "returned")]


def list_length(settings: Settings, ids: Sequence[str], events: Sequence[Event]) -> int:
    """Number of documents on the list of a session after its log.

    Parameters
    ----------
    settings : Settings
        Settings at the start.
    ids : sequence of str
        Documents of the list as it was stored.
    events : sequence of Event
        The log.

    Returns
    -------
    int
        Number of documents, read or not.
    """
    if any(event.kind in CHANGES_LIST for event in events):
        return len(replay(settings, ids, events).labels)
    return len(ids)


def as_aside(doc: str, flag: Flag) -> Aside:
    """A document that is set aside, and why, as the log describes it."""
    return Aside(doc=doc, kind="own" if flag.kind == "own" else "late", words=flag.words)


def _given(reason: str) -> dict[str, str]:
    """Entry of a payload with the reason; none if it is empty."""
    return {"reason": reason.strip()} if reason.strip() else {}


def _may_change(state: State) -> None:
    """Raise InputProblem if the list has audit draws, which allow no change of it."""
    if state.drawn is not None:
        raise InputProblem(
            "This list has documents drawn at random, so it cannot change; set up another "
            "session to set documents aside or return them."
        )
