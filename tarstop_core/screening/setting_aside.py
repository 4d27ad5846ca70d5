"""Documents that cannot be prior art against the application: they are set aside, do not count as evidence, and can be returned.

The belief is that of the list without them: the others close up, so that chances by rank, and scores that are compared
with those of the list, are what they would be had the search not found them.
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
    """What leaves a list before it begins."""

    ranking: Ranking  # Those documents, in the order that they would be read in
    ranks: NDArray[np.int64]  # Their ranks, from 1 on, in the list with them
    documents: tuple[Aside, ...]  # The same documents, and why


def without(ranking: Ranking, rows: Collection[int]) -> Ranking:
    """A ranking without the documents at some positions in the collection; the same one where there are none."""
    if not rows:
        return ranking
    stays = ~np.isin(ranking.order, list(rows))
    scores = None if ranking.scores is None else ranking.scores[stays]
    return replace(ranking, order=ranking.order[stays], scores=scores)


def set_aside_first(
    whole: Ranking, ranked: Ranking, ids: Sequence[str], why: Mapping[int, Flag]
) -> SetAsideFirst | None:
    """Find the places of what is set aside in a list that is yet to begin.

    Parameters
    ----------
    whole : Ranking
        Every document of the collection that may be listed, by rank.
    ranked : Ranking
        Those that are read, in the same order.
    ids : sequence of str
        Of all documents, by their positions in the collection.
    why : mapping of int to Flag
        What bars each document that is set aside, by its position in the collection.

    Returns
    -------
    SetAsideFirst or None
        Those documents with their ranks; None where there are none.
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
    """The list as it is stored, with what is set aside at its end, and the event that its log begins with."""
    scores = screened.scores
    if scores is not None:
        assert aside.ranking.scores is not None
        scores = np.append(scores, aside.ranking.scores)
    how = f"{screened.how} {record_message('set_aside_first', aside=aside_in_words(aside.documents))}"
    stored = Ranking(np.append(screened.order, aside.ranking.order), scores, how)
    return stored, Event("set_aside", {"documents": list(aside.documents), "ranks": aside.ranks.tolist()})


def set_aside_event(state: State, ids: Sequence[str], why: Mapping[str, Flag], reason: str = "") -> Event:
    """The event that sets documents aside in a running session, by what bars each.

    Parameters
    ----------
    state : State
        Where the session stands.
    ids : sequence of str
        Its documents in the order of reading.
    why : mapping of str to Flag
        What bars each document that is to be set aside.
    reason : str
        Why this departs from the plan, where one is registered.

    Returns
    -------
    Event
        What is recorded.

    Raises
    ------
    InputProblem
        When a document is set aside already or was found to settle the question, and where documents are drawn at random.
    """
    _may_change(state)
    at = {doc: place for place, doc in enumerate(ids)}
    for doc in why:
        place = at.get(doc, -1)
        if place < 0 or place in state.aside_read:
            raise InputProblem("That document is already set aside, so nothing was recorded.")
        if not may_leave(state, place):
            raise InputProblem(
                f"Document #{place + 1} settles the question by your own verdict, so it was not set aside; change the "
                "verdict first."
            )
    documents = [as_aside(doc, flag) for doc, flag in why.items()]
    return Event("set_aside", {"documents": documents, **_given(reason)})


def return_event(state: State, docs: Sequence[str], reason: str = "") -> Event:
    """The event that returns documents to the list.

    Parameters
    ----------
    state : State
        Where the session stands.
    docs : sequence of str
        The documents that are to be returned.
    reason : str
        Why this departs from the plan, where one is registered.

    Returns
    -------
    Event
        What is recorded.

    Raises
    ------
    InputProblem
        When one of them is not set aside, and where documents are drawn at random.
    """
    _may_change(state)
    aside = {*state.aside, *(each["doc"] for each in state.aside_read.values())}
    if {*docs} - aside:
        raise InputProblem("That document is no longer set aside, so nothing was recorded.")
    return Event("returned", {"docs": list(docs), **_given(reason)})


def may_leave(state: State, place: int) -> bool:
    """Whether the document read at this place, or not yet read, may be set aside: not where it helps to settle the question."""
    return int(state.labels[place]) not in (RELEVANT, COMBINATION)


def all_aside(state: State) -> dict[str, Aside]:
    """Every document that is set aside, read or not."""
    return {**state.aside, **{each["doc"]: each for each in state.aside_read.values()}}


def aside_in_words(aside: Iterable[Aside]) -> str:
    """How many documents are set aside, and why, as a clause.

    >>> aside_in_words([Aside(doc="a", kind="late", words=""), Aside(doc="b", kind="own", words="")])
    '2 documents (1 too late, 1 of the application’s own family)'
    """
    kinds = Counter(each["kind"] for each in aside)
    return record_message("set_aside", late=kinds["late"], own=kinds["own"])


def moved_aside(event: Event) -> str:
    """How many documents an event sets aside or returns, as a clause."""
    if event.kind == "set_aside":
        return record_message("moved_aside", documents=len(event.payload["documents"]))
    return record_message("moved_back", documents=len(event.payload["docs"]))


def after_plan(events: Sequence[Event]) -> list[Event]:
    """The events that set documents aside, or return them, after a plan was registered: they deviate from it."""
    planned = next((event.seq for event in events if event.kind == "plan"), None)
    if planned is None:
        return []
    return [event for event in events if event.seq > planned and event.kind in ("set_aside", "returned")]


def list_length(settings: Settings, ids: Sequence[str], events: Sequence[Event]) -> int:
    """Count the documents that the list of a session holds after its log.

    Parameters
    ----------
    settings : Settings
        Those at the start.
    ids : sequence of str
        Documents of the list as it was stored.
    events : sequence of Event
        The log.

    Returns
    -------
    int
        How many there are, read or not.
    """
    if any(event.kind in CHANGES_LIST for event in events):
        return len(replay(settings, ids, events).labels)
    return len(ids)


def as_aside(doc: str, flag: Flag) -> Aside:
    """A document that is set aside, and why, as the log holds it."""
    return Aside(doc=doc, kind="own" if flag.kind == "own" else "late", words=flag.words)


def _given(reason: str) -> dict[str, str]:
    return {"reason": reason.strip()} if reason.strip() else {}


def _may_change(state: State) -> None:
    if state.drawn is not None:
        raise InputProblem(
            "This list has documents drawn at random, so it cannot change; set up another "
            "session to set documents aside or return them."
        )
