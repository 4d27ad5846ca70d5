"""From a log to a state: replaying events gives the state, here, elsewhere, or up to any moment in the past."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.recall_bound import draws_at
from tarstop_core.documents.reports import Report
from tarstop_core.errors import InputProblem
from tarstop_core.screening import labels as verdicts
from tarstop_core.screening.by_rank import ByRank
from tarstop_core.screening.log import CHANGES_LIST, UNDOABLE, Aside, Event, Fit, standing, standing_and_back
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import Decision, State


class Replay:
    """A log applied one standing event after the other; :func:`replay` is the whole of it.

    Taking back is last in, first out, so whatever stands at the end stood on the same footing when
    it was recorded: folding the standing events passes through the states a person saw.
    """

    def __init__(self, settings: Settings, ids: Sequence[str]) -> None:
        self._position = {doc: index for index, doc in enumerate(ids)}
        self._read: list[int] = []
        # Where documents of the list were read, -1 for those that were not; arrays and mappings below go by that.
        self._place = np.full(len(ids), -1, dtype=np.intp)
        self._list = ByRank(len(ids))
        self._moved = False  # whether documents are, or were, read in another order than the list's
        self._aside: dict[int, Aside] = {}  # by place
        self._random = np.zeros(0, dtype=np.intp)  # places in the list in the order that draws are taken from
        self._labels = np.full(len(ids), verdicts.UNSEEN, dtype=np.int8)
        self._confirmed = np.full(len(ids), verdicts.PENDING, dtype=np.int8)
        self._reports: dict[int, Report] = {}
        self._read_in_full: set[int] = set()
        self._notes: dict[str, str] = {}
        self._excluded_for: dict[int, str] = {}
        self._together: dict[int, int] = {}
        # What a hit was before, which it is again when it turns out not to be one.
        self._grades: dict[int, int] = {}
        self._depth = 0
        self._state = State(settings=settings, labels=self._labels, confirmed=self._confirmed)

    @property
    def state(self) -> State:
        """The state so far; later events do not change it."""
        return self._state_with(())

    def after(self, events: Sequence[Event]) -> State:
        """The state after a whole log, whose standing events were applied: what was taken back comes next."""
        state = self._state_with(standing_and_back(events)[1])
        if not events:
            return state
        touched = any(event.kind == "label" for event in events)
        return replace(state, seq=events[-1].seq, last_time=events[-1].time, touched=touched)

    def _state_with(self, back: Sequence[Event]) -> State:
        """With labels that were taken back: their documents come before those of the last fit."""
        put_back = {str(event.payload["doc"]): event.payload.get("fit") for event in back}
        sequence, ranks = None, self._ranks() if self._list.ranked or self._moved else None
        if self._moved:
            fit = self._state.fit if self._state.settings.learns else None
            sequence = self._sequence([*put_back, *(fit["next"] if fit else ())])
        elif self._aside:
            sequence = np.flatnonzero(self._list.on)
        if ranks is not None and sequence is not None:
            ranks = ranks[sequence]
        return replace(
            self._state,
            ranks=ranks,
            sequence=sequence,
            reordered=self._moved,
            aside={each["doc"]: each for at, each in self._aside.items() if self._place[at] < 0},
            aside_read=self._read_aside(),
            put_back=put_back,
            labels=self._labels.copy(),
            confirmed=self._confirmed.copy(),
            notes=dict(self._notes),
            excluded_for=dict(self._excluded_for),
            together=dict(self._together),
        )

    def apply(self, event: Event) -> None:
        """Take one event in; InputProblem when it names a document not in the list, skips one, or cannot be read."""
        try:
            self._state = self._after(event)
        except InputProblem:
            raise
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as problem:
            raise InputProblem(f"Event {event.seq} ({event.kind}) cannot be read: {problem!r}.") from None

    def _after(self, event: Event) -> State:
        state, content = self._state, event.payload
        if event.kind in UNDOABLE:
            spent = self._judge(event)
            state = replace(state, can_undo=True, spent=state.spent + spent)
            if event.kind == "report":
                state = replace(state, reports=dict(self._reports))
        elif event.kind == "kept":
            state = self._keep(event)
        elif event.kind == "audited":
            state = self._audit(event)
        elif event.kind == "joined":
            state = self._join(event)
        elif event.kind == "parted":
            state = self._part(event)
        elif event.kind == "set_aside":
            state = self._set_aside(event)
        elif event.kind == "returned":
            state = self._return(event)
        elif event.kind == "families":
            members = {str(doc): tuple(map(str, others)) for doc, others in content["members"].items()}
            state = replace(state, also=members)
        elif event.kind == "fit":
            for doc in content["next"]:
                self._in_list(event, doc)
            state, self._moved = replace(state, fit=cast(Fit, content)), True
        elif event.kind == "note":
            self._at(event)
            doc, text = str(content["doc"]), str(content["text"])
            self._notes.pop(doc, None)
            if text:
                self._notes[doc] = text
        elif event.kind == "reasons":
            self._rename(content.get("renamed", {}))
            reasons = tuple(str(reason) for reason in content["reasons"])
            state = replace(state, reasons=reasons, reports=dict(self._reports))
        elif event.kind == "plan":
            registered = read_settings(content["settings"])
            state = replace(state, plan=registered, plan_records=str(content["records"]))
        elif event.kind == "settings":
            deviations = state.deviations if state.plan is None else (*state.deviations, event)
            settings = read_settings(content["settings"])
            scaled_at = state.scaled_at if settings.scale == state.settings.scale else state.depth
            state = replace(state, settings=settings, deviations=deviations, scaled_at=scaled_at)
        elif event.kind == "imported":
            decision, former = (
                each and replace(each, claimed=True) for each in (state.decision, state.former)
            )
            state = replace(state, decision=decision, former=former, imported=True)
        elif event.kind == "stopped":
            state = replace(state, stopped=True, advice_at_stop=str(content.get("advice", "")))
        elif event.kind == "decided":
            decision = Decision(bool(content["plus"]), event.time, content, by=event.reviewer)
            advice = state.advice_at_stop if state.stopped else str(content.get("advice", ""))
            state = replace(state, stopped=True, advice_at_stop=advice, decision=decision)
        elif event.kind == "continued":
            former = state.decision or state.former
            state = replace(state, stopped=False, advice_at_stop="", decision=None, former=former)
        else:
            raise InputProblem(f"Event {event.seq} is of an unknown kind '{event.kind}'.")
        changes = event.kind in (*UNDOABLE, *CHANGES_LIST) and content.get("docs", True)  # not by none
        if changes and state.decision is not None:
            state = replace(state, decision=replace(state.decision, outdated=True))
        return state

    def _rename(self, renamed: Mapping[str, str]) -> None:
        """A reason by its new name, wherever it was given."""
        for at, reason in self._excluded_for.items():
            self._excluded_for[at] = str(renamed.get(reason, reason))
        for at, report in self._reports.items():
            if report.reason in renamed:
                self._reports[at] = replace(report, reason=str(renamed[report.reason]))

    def _at(self, event: Event, which: str = "doc") -> int:
        """Where the document stands in the list."""
        return self._in_list(event, str(event.payload[which]))

    def _in_list(self, event: Event, doc: str) -> int:
        if doc not in self._position:
            raise InputProblem(f"Event {event.seq} names document '{doc}', which is not in the list.")
        return self._position[doc]

    def _keep(self, event: Event) -> State:
        """Take the labels in that a list came with; they cost nothing here and cannot be undone, only changed."""
        content = event.payload
        labels = [str(label) for label in content["labels"].values()]
        code = {label: verdicts.CODES[verdicts.as_label(label)] for label in set(labels)}
        positions = np.array([self._position.get(str(doc), -1) for doc in content["labels"]], dtype=np.intp)
        if self._depth or not np.array_equal(np.sort(positions), np.arange(len(positions))):
            raise InputProblem(
                f"Event {event.seq} keeps labels of documents that are not the first of the list."
            )
        self._labels[positions] = [code[label] for label in labels]
        self._depth = len(positions)
        self._read, self._place[: self._depth] = list(range(self._depth)), np.arange(self._depth)
        ranks = np.array(content["ranks"], dtype=np.int64)
        rest = np.setdiff1d(np.arange(1, len(self._labels) + 1), ranks)
        if len(ranks) != len(positions) or len(rest) != len(self._labels) - len(positions):
            raise InputProblem(f"Event {event.seq} does not say which rank each document had.")
        for doc, reason in content["reasons"].items():
            self._excluded_for[self._position[str(doc)]] = str(reason)
        self._notes |= {str(doc): str(text) for doc, text in content["notes"].items()}
        self._list.put_in_order(np.concatenate([ranks, rest]))
        return replace(self._state, kept=len(positions), kept_from=str(content["source"]))

    def _join(self, event: Event) -> State:
        """Make the list longer; what was read stays as it was, and of the rest the ranks decide."""
        content, state, before = event.payload, self._state, len(self._labels)
        docs, ranks = content["docs"], np.array(content["ranks"], dtype=np.int64)
        rest = np.setdiff1d(np.arange(1, before + len(docs) + 1), ranks)
        joined = *state.joined, content
        repeated = self._position.keys() & docs or len({*docs}) < len(docs) or state.drawn is not None
        if repeated or not len(docs) == len(ranks) == len(content["positions"]) or len(rest) != before:
            raise InputProblem(f"Event {event.seq} does not say which documents joined, or their ranks.")
        if not docs:
            return replace(state, joined=joined)
        self._position |= {doc: len(self._place) + at for at, doc in enumerate(docs)}
        self._place = np.append(self._place, np.full(len(docs), -1))
        self._list.add(ranks)
        self._moved = True
        return replace(self._resized(), joined=joined)

    def _part(self, event: Event) -> State:
        """Take those back that joined last; as none of them was read, they are the end of the list."""
        state, docs = self._state, event.payload["docs"]
        before = len(self._place) - len(docs)
        last = [each["docs"] for each in state.joined[-1:]] == [docs] and state.drawn is None
        if not last or (self._place[before:] >= 0).any():
            raise InputProblem(f"Event {event.seq} takes documents back that did not join last or are read.")
        for doc in docs:
            self._aside.pop(self._position.pop(doc), None)
        self._place = self._place[:before]
        self._list.cut(before)
        return replace(self._resized(), joined=state.joined[:-1])

    def _set_aside(self, event: Event) -> State:
        """Take documents out of the evidence; those not read leave the list, the others stay where they were read.

        Where they were set aside before the list began they are the last of it as it was stored, and the event says which
        rank each would have: the list is then as it is without them.
        """
        documents, ranks = event.payload["documents"], event.payload.get("ranks")
        places = [self._in_list(event, str(each["doc"])) for each in documents]
        if {*places} & self._aside.keys() or len({*places}) < len(places) or self._state.drawn is not None:
            raise InputProblem(
                f"Event {event.seq} sets documents aside that are set aside already, or in a list with random draws."
            )
        if ranks is not None:
            last = list(range(len(self._place) - len(places), len(self._place)))
            if self._depth or places != last or not self._list.insert_last(np.array(ranks, dtype=np.int64)):
                raise InputProblem(f"Event {event.seq} does not say which rank each document set aside has.")
        self._moved = self._moved or ranks is None
        for at, document in zip(places, documents, strict=True):
            self._aside[at] = cast(Aside, document)
            self._list.switch(at, on=bool(self._place[at] >= 0))
        return self._resized()

    def _return(self, event: Event) -> State:
        """Put documents back that were set aside: at their rank, or next where the reader is beyond it."""
        places = [self._in_list(event, str(doc)) for doc in event.payload["docs"]]
        if {*places} - self._aside.keys() or self._state.drawn is not None:
            raise InputProblem(
                f"Event {event.seq} returns documents that are not set aside, or in a list with random draws."
            )
        for at in places:
            del self._aside[at]
            self._list.switch(at, on=True)
        self._moved = True
        return self._resized()

    def _resized(self) -> State:
        """The state with as many places to read as there are documents on the list."""
        N = int(self._list.on.sum())
        more = max(0, N - len(self._labels))
        self._labels = np.append(self._labels, np.full(more, verdicts.UNSEEN, dtype=np.int8))[:N]
        self._confirmed = np.append(self._confirmed, np.full(more, verdicts.PENDING, dtype=np.int8))[:N]
        return replace(self._state, labels=self._labels, confirmed=self._confirmed)

    def _read_aside(self) -> dict[int, Aside]:
        """By position among those read; whoever says that a document settles the question takes it as evidence."""
        read = ((int(self._place[at]), each) for at, each in self._aside.items() if self._place[at] >= 0)
        counts = (verdicts.RELEVANT, verdicts.COMBINATION)
        return {at: each for at, each in read if self._labels[at] not in counts}

    def _ranks(self) -> NDArray[np.int64]:
        """Rank of each place among what is evidence."""
        return self._list.ranks(without=[self._read[at] for at in self._read_aside()])

    def _audit(self, event: Event) -> State:
        """Take in which places of the list are draws, and the ranks that documents have without them."""
        state, every, kept = self._state, int(event.payload["every"]), self._state.kept
        left = len(self._labels) - kept
        on = np.flatnonzero(self._list.on)
        ranks = self._ranks()[on]
        drawn = draws_at(left, every) if every > 0 else np.zeros(left, dtype=bool)
        recorded = np.array(event.payload["ranks"], dtype=np.int64)
        taken = np.isin(ranks[kept:], recorded)
        early = self._depth == kept and state.drawn is None
        if not early or not int(drawn.sum()) == taken.sum() == len(recorded):
            raise InputProblem(f"Event {event.seq} does not say which documents are drawn at random.")
        rest, by_rank = ranks[kept:][~taken], np.sort(ranks[kept:])
        ranks[kept:][drawn], ranks[kept:][~drawn] = recorded, rest
        # Where the list is read in another order, other documents are drawn: the first of all that are then unread.
        shuffled = np.random.default_rng(int(event.payload["seed"])).permutation(left)
        self._random = on[np.argsort(ranks)[by_rank[shuffled] - 1]]
        self._list.put_in_order(ranks)
        drawn = np.append(np.zeros(kept, dtype=bool), drawn)
        return replace(state, drawn=drawn, audit_every=every)

    def _judge(self, event: Event) -> float:
        """Take a verdict in; what it cost, in the payoffs' unit."""
        settings = self._state.settings
        if event.kind == "label":
            self._take(event)
        at = self._read_at(event)
        if event.kind == "report":
            report = Report.from_dict(event.payload)
            self._reports[at] = report
            if not report.was_read or at in self._read_in_full:
                return 0.0
            self._read_in_full.add(at)
            return settings.cost_in_full
        if event.kind == "confirm":
            holds = bool(event.payload["holds"])
            self._labels[at] = verdicts.RELEVANT if holds else self._grades.get(at, verdicts.IRRELEVANT)
            self._confirmed[at] = verdicts.CONFIRMED if holds else verdicts.REJECTED
            if not holds:
                self._together.pop(at, None)
        else:
            self._verdict(event, at)
        return settings.cost if event.kind == "label" else 0.0

    def _take(self, event: Event) -> None:
        """Put the document of a label after those read: the next of the list, or any that a fit had put there."""
        at, after = self._at(event), self._depth
        if self._moved and "fit" not in event.payload:
            after = self._next()
        gone = self._place[at] >= 0 or not self._list.on[at]
        if gone or (at != after and "fit" not in event.payload):
            raise InputProblem(
                f"Event {event.seq} labels document {at + 1} of the list, but document {after + 1} comes next."
            )
        self._moved = self._moved or at != after
        self._place[at] = self._depth
        self._read.append(at)
        self._depth += 1

    def _next(self) -> int:
        """The place that is read next where no fit names another: a draw, or the first by rank; -1 at the end."""
        drawn, random = self._state.drawn, iter(self._random.tolist())
        draws = drawn is not None and self._depth < len(drawn) and drawn[self._depth]
        at = next((each for each in random if draws and self._place[each] < 0), -1)
        return self._list.first(self._place) if at < 0 else at

    def _sequence(self, first: Iterable[str]) -> NDArray[np.intp]:
        """Places in the list in the order of reading: what was read, these documents between the draws, then the rest."""
        drawn, taken, head = self._state.drawn, (self._place >= 0) | ~self._list.on, list[int]()
        coming = (self._position[doc] for doc in first if doc in self._position)  # not what was taken back
        random = iter(self._random.tolist())
        for at in range(self._depth, len(self._labels)):
            options = random if drawn is not None and drawn[at] else coming
            following = next((each for each in options if not taken[each]), None)
            if following is None:
                break
            taken[following] = True
            head.append(following)
        rest = self._list.order[~taken[self._list.order]]
        return np.concatenate([np.array([*self._read, *head], dtype=np.intp), rest])

    def _read_at(self, event: Event, which: str = "doc") -> int:
        """Where the document stands among those read."""
        at = self._at(event, which)
        if self._place[at] < 0:
            raise InputProblem(f"Event {event.seq} changes document {at + 1}, which has not been read yet.")
        return int(self._place[at])

    def _verdict(self, event: Event, at: int) -> None:
        """Take a label or a relabel in, with what was said beside it."""
        entry = event.payload
        code = verdicts.CODES[verdicts.as_label(str(entry["label"]))]
        if code in (verdicts.COMBINATION, verdicts.BACKGROUND) and not self._state.settings.grades:
            raise InputProblem(
                f"Event {event.seq} grades document {at + 1} {verdicts.GRADES[code]}, which is for patents only."
            )
        self._labels[at], self._confirmed[at] = code, verdicts.PENDING
        if code in (verdicts.COMBINATION, verdicts.BACKGROUND):
            self._grades[at] = code
        elif code != verdicts.RELEVANT:
            self._grades.pop(at, None)
        self._excluded_for.pop(at, None)
        self._together.pop(at, None)
        if entry.get("reason"):
            self._excluded_for[at] = str(entry["reason"])
        if "with" in entry:
            self._together[at] = self._read_at(event, "with")
            if self._together[at] == at:
                raise InputProblem(
                    f"Event {event.seq} grades document {at + 1} together with itself; name two documents."
                )
        if entry.get("note"):
            self._notes[str(entry["doc"])] = str(entry["note"])


def replay(settings: Settings, ids: Sequence[str], events: Sequence[Event]) -> State:
    """The state that a log leads to, from the settings at the start; `ids` are the documents in screening order.

    InputProblem as :meth:`Replay.apply` raises it.
    """
    fold = Replay(settings, ids)
    for event in standing(events):
        fold.apply(event)
    return fold.after(events)
