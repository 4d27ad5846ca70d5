"""The order in which the documents of a session are read: by rank, by fits of a ranker to labels, and by random draws."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.recall_bound import draws_at
from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import Aside, Event


class ReadingOrder:
    """The documents on the list, their ranks, and the order in which they were read.

    The place of a document is its index in the list as it was stored, followed by documents that joined later; it never
    changes. Its position is its index in the order of reading. Ranks are counted from 1 among the documents on the list,
    without those that were set aside. A method that is named like a kind of event applies that event, and raises
    InputProblem if the event does not fit.
    """

    def __init__(self, ids: Sequence[str]) -> None:
        self._places = {doc: place for place, doc in enumerate(ids)}
        self._by_rank = np.arange(len(ids))  # all places by rank, also those of documents off the list
        self._on = np.ones(len(ids), dtype=bool)  # whether the document at each place is on the list
        self._position = np.full(len(ids), -1, dtype=np.intp)  # position of each place; -1 if not read
        self._read: list[int] = []  # places of the documents read, by position
        self._passed = 0  # how many of the first in _by_rank are surely read or off the list
        self._random = np.zeros(0, dtype=np.intp)  # places in the random order that draws are taken from
        self._aside: dict[int, Aside] = {}  # documents set aside, by place
        self._ranked = False  # whether ranks differ from places
        self.reordered = False  # whether documents are, or were, read in another order than the list's
        self.drawn: NDArray[np.bool_] | None = None  # which positions are random draws; None without draws
        self.additions: list[Mapping[str, Any]] = []
        """Payloads of the events of documents that joined and have not left again."""

    def __len__(self) -> int:
        return int(self._on.sum())

    @property
    def depth(self) -> int:
        """Number of documents read."""
        return len(self._read)

    # --- where a document stands

    def place(self, event: Event, doc: object) -> int:
        """The place of a document that an event names; InputProblem if there is no such document."""
        if str(doc) not in self._places:
            raise InputProblem(f"Event {event.seq} names document '{doc}', which is not in the list.")
        return self._places[str(doc)]

    def position(self, event: Event, name: str = "doc") -> int:
        """The position of the document in entry `name` of an event; InputProblem if it was not read."""
        place = self.place(event, event.payload[name])
        if self._position[place] < 0:
            raise InputProblem(
                f"Event {event.seq} changes document {place + 1}, which has not been read yet."
            )
        return int(self._position[place])

    def aside(self) -> tuple[dict[str, Aside], dict[int, Aside]]:
        """Documents set aside: those set aside before they were read, by id, and those set aside later, by position."""
        unread, read = dict[str, Aside](), dict[int, Aside]()
        for place, aside in self._aside.items():
            position = int(self._position[place])
            if position < 0:
                unread[aside["doc"]] = aside
            else:
                read[position] = aside
        return unread, read

    # --- the order

    def ranks(self, without: Iterable[int]) -> NDArray[np.int64] | None:
        """Rank of each place, shape (places,); None if it follows from the place.

        Documents at the positions `without` do not count; they get the rank of the next one that does.
        """
        return self._ranks(without) if self._ranked or self.reordered else None

    def _ranks(self, without: Iterable[int]) -> NDArray[np.int64]:
        counts = self._on.copy()
        counts[[self._read[position] for position in without]] = False
        ranks, in_order = np.zeros(len(self._by_rank), dtype=np.int64), counts[self._by_rank]
        ranks[self._by_rank] = np.cumsum(in_order) + ~in_order
        return ranks

    def sequence(self, first: Iterable[str], chosen: bool = False) -> NDArray[np.intp] | None:
        """Places in the order of reading, shape (N,); None if it is the order of the stored list.

        First come the documents read, then those in `first` with random draws between them, then the rest by rank. With
        `chosen`, somebody chose `first`, and the result is never None.
        """
        if not (self.reordered or chosen):
            return np.flatnonzero(self._on) if self._aside else None
        taken, head = (self._position >= 0) | ~self._on, list[int]()
        # Documents that left the list are skipped.
        coming = (self._places[doc] for doc in first if doc in self._places)
        random = iter(self._random.tolist())
        for position in range(self.depth, len(self)):
            options = random if self.drawn is not None and self.drawn[position] else coming
            following = next((place for place in options if not taken[place]), None)
            if following is None:
                break
            taken[following] = True
            head.append(following)
        rest = self._by_rank[~taken[self._by_rank]]
        return np.concatenate([np.array([*self._read, *head], dtype=np.intp), rest])

    def _next(self) -> int:
        """The place to read next unless a fit names another: a random draw, or the first by rank; -1 at the end."""
        if self.drawn is not None and self.depth < len(self.drawn) and self.drawn[self.depth]:
            for place in self._random.tolist():
                if self._position[place] < 0:
                    return int(place)
        while self._passed < len(self._by_rank):
            place = int(self._by_rank[self._passed])
            if self._on[place] and self._position[place] < 0:
                return place
            self._passed += 1
        return -1

    def _put_in_order(self, ranks: NDArray[np.int64]) -> None:
        """Set new ranks of the documents on the list, by place; those off the list stay where they are in `_by_rank`."""
        self._by_rank[self._on[self._by_rank]] = np.flatnonzero(self._on)[np.argsort(ranks)]
        self._ranked, self._passed = True, 0

    # --- events

    def label(self, event: Event) -> None:
        """Append the labelled document to those read; it must be the next of the list, or one that a fit had put next."""
        place, by_fit = self.place(event, event.payload["doc"]), "fit" in event.payload
        following = self.depth if by_fit or not self.reordered else self._next()
        gone = self._position[place] >= 0 or not self._on[place]
        if gone or (place != following and not by_fit):
            raise InputProblem(
                f"Event {event.seq} labels document {place + 1} of the list, but document {following + 1} comes next."
            )
        self.reordered = self.reordered or place != following
        self._position[place] = self.depth
        self._read.append(place)

    def fit(self, event: Event) -> None:
        """Note that from now on labels decide what comes next."""
        for doc in event.payload["next"]:
            self.place(event, doc)
        self.reordered = True

    def kept(self, event: Event) -> NDArray[np.intp]:
        """Count documents that came with labels as read, and return their places in the order of the event.

        They must be the first of the list; the event has the ranks that they would have otherwise.
        """
        documents, N = event.payload["labels"], len(self)
        places = np.array([self._places.get(str(doc), -1) for doc in documents], dtype=np.intp)
        if self.depth or not np.array_equal(np.sort(places), np.arange(len(places))):
            raise InputProblem(
                f"Event {event.seq} keeps labels of documents that are not the first of the list."
            )
        ranks = np.array(event.payload["ranks"], dtype=np.int64)
        rest = np.setdiff1d(np.arange(1, N + 1), ranks)
        if len(ranks) != len(places) or len(rest) != N - len(places):
            raise InputProblem(f"Event {event.seq} does not say which rank each document had.")
        self._read, self._position[: len(places)] = list(range(len(places))), np.arange(len(places))
        self._put_in_order(np.concatenate([ranks, rest]))
        return places

    def audited(self, event: Event, kept: int, without: Iterable[int]) -> None:
        """Set which positions are random draws, and the ranks that documents have without the draws.

        Parameters
        ----------
        event : Event
            The event with the draws.
        kept : int
            Number of documents that came with labels; no others may be read yet.
        without : iterable of int
            Positions of documents that do not count as evidence.

        Raises
        ------
        InputProblem
            If the event does not fit the list.
        """
        every, left, on = int(event.payload["every"]), len(self) - kept, np.flatnonzero(self._on)
        ranks = self._ranks(without)[on]
        drawn = draws_at(left, every) if every > 0 else np.zeros(left, dtype=bool)
        recorded = np.array(event.payload["ranks"], dtype=np.int64)
        taken = np.isin(ranks[kept:], recorded)
        early = self.depth == kept and self.drawn is None
        if not early or not int(drawn.sum()) == taken.sum() == len(recorded):
            raise InputProblem(f"Event {event.seq} does not say which documents are drawn at random.")
        rest, by_rank = ranks[kept:][~taken], np.sort(ranks[kept:])
        ranks[kept:][drawn], ranks[kept:][~drawn] = recorded, rest
        # In a list that is read in another order, other documents are drawn: the first in this order that are unread then.
        shuffled = np.random.default_rng(int(event.payload["seed"])).permutation(left)
        self._random = on[np.argsort(ranks)[by_rank[shuffled] - 1]]
        self._put_in_order(ranks)
        self.drawn = np.append(np.zeros(kept, dtype=bool), drawn)

    def joined(self, event: Event) -> None:
        """Add documents to the list; documents that were read keep their positions, and the rest is read by rank."""
        content, before = event.payload, len(self)
        docs, ranks = content["docs"], np.array(content["ranks"], dtype=np.int64)
        longer = np.setdiff1d(np.arange(1, before + len(docs) + 1), ranks)
        repeated = self._places.keys() & docs or len({*docs}) < len(docs) or self.drawn is not None
        if repeated or not len(docs) == len(ranks) == len(content["positions"]) or len(longer) != before:
            raise InputProblem(f"Event {event.seq} does not say which documents joined, or their ranks.")
        self.additions.append(content)
        if not docs:
            return
        first_place, on = len(self._position), self._on[self._by_rank]
        self._places |= {doc: first_place + at for at, doc in enumerate(docs)}
        self._position = np.append(self._position, np.full(len(docs), -1))
        # A document off the list stays after the one that it follows now.
        keys = np.append(0, longer)[np.cumsum(on)] + np.where(on, 0.0, 0.5)
        by_rank = np.argsort(np.append(keys, ranks), kind="stable")
        self._by_rank = np.append(self._by_rank, first_place + np.arange(len(docs)))[by_rank]
        self._on = np.append(self._on, np.ones(len(docs), dtype=bool))
        self._ranked, self._passed, self.reordered = True, 0, True

    def parted(self, event: Event) -> None:
        """Remove the documents that joined last, of which none may be read; they have the last places."""
        docs = event.payload["docs"]
        before = len(self._position) - len(docs)
        last = [addition["docs"] for addition in self.additions[-1:]] == [docs]
        if not last or self.drawn is not None or (self._position[before:] >= 0).any():
            raise InputProblem(f"Event {event.seq} takes documents back that did not join last or are read.")
        self.additions.pop()
        for doc in docs:
            self._aside.pop(self._places.pop(doc), None)
        self._position, self._on = self._position[:before], self._on[:before]
        self._by_rank, self._passed = self._by_rank[self._by_rank < before], 0

    def set_aside(self, event: Event) -> None:
        """Set documents aside: unread ones leave the list, and those read keep their position.

        If they are set aside before reading begins, they must be the last of the stored list, and the event has the rank
        that each would have.
        """
        documents: Sequence[Aside] = event.payload["documents"]
        places, ranks = [self.place(event, aside["doc"]) for aside in documents], event.payload.get("ranks")
        if {*places} & self._aside.keys() or len({*places}) < len(places) or self.drawn is not None:
            raise InputProblem(
                f"Event {event.seq} sets documents aside that are set aside already, or in a list with random draws."
            )
        if ranks is not None:
            N = len(self._position)
            others = np.setdiff1d(np.arange(1, N + 1), ranks)
            last = places == list(range(N - len(places), N))
            if self.depth or not last or len(others) + len(ranks) != N:
                raise InputProblem(f"Event {event.seq} does not say which rank each document set aside has.")
            self._by_rank[np.append(others, np.array(ranks, dtype=np.int64)) - 1] = np.arange(N)
        else:
            self.reordered = True
        self._aside |= dict(zip(places, documents, strict=True))
        self._on[places], self._passed = self._position[places] >= 0, 0

    def returned(self, event: Event) -> None:
        """Return documents that were set aside to their rank; they come next if reading is beyond it."""
        places = [self.place(event, doc) for doc in event.payload["docs"]]
        if {*places} - self._aside.keys() or self.drawn is not None:
            raise InputProblem(
                f"Event {event.seq} returns documents that are not set aside, or in a list with random draws."
            )
        for place in places:
            del self._aside[place]
        self._on[places], self._passed, self.reordered = True, 0, True
