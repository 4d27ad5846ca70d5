"""From a log to a state: the same events give the same state, on every machine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from tarstop_core.documents.reports import Report
from tarstop_core.errors import InputProblem
from tarstop_core.screening import labels as verdicts
from tarstop_core.screening.independent import counted_log
from tarstop_core.screening.log import (
    CHANGES_LIST,
    UNDOABLE,
    Aside,
    Event,
    Fit,
    as_label,
    standing,
    standing_and_back,
)
from tarstop_core.screening.reading_order import ReadingOrder
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import RecordedDecision, State


class LogReplay:
    """State of a session, updated event by event; :func:`replay` applies a whole log.

    Only events in force are applied, without undone ones. An undo always takes back the last event that can be undone.
    So an event that is still in force was recorded in the same state in which it is applied here.
    """

    def __init__(self, settings: Settings, ids: Sequence[str]) -> None:
        self._order = ReadingOrder(ids)
        # Arrays and mappings are indexed by position in the order of reading.
        self._labels = np.full(len(ids), verdicts.UNSEEN, dtype=np.int8)
        self._confirmed = np.full(len(ids), verdicts.PENDING, dtype=np.int8)
        self._reports: dict[int, Report] = {}
        self._paid_in_full: set[int] = set()
        self._notes: dict[str, str] = {}
        self._excluded_for: dict[int, str] = {}
        self._together: dict[int, int] = {}
        # Grade Y or A before a document became a hit; it comes back if the hit is rejected.
        self._grades: dict[int, int] = {}
        self._state = State(settings, self._labels, self._confirmed, forecast_settings=((0, settings),))

    @property
    def state(self) -> State:
        """The state so far; events that are applied later do not change it."""
        return self.after(())

    def after(self, events: Sequence[Event], first: Sequence[str] = ()) -> State:
        """The state after a whole log, of which the events in force were applied before.

        Documents whose label was undone come next in the order of reading, then those in `first`, then those of the last fit.
        """
        _, back = standing_and_back(events)
        put_back = {str(event.payload["doc"]): event.payload.get("fit") for event in back}
        fit = self._state.fit if self._state.settings.learns else None
        aside, aside_read = self._aside()
        sequence = self._order.sequence(
            [*put_back, *first, *(fit["next"] if fit else ())], chosen=bool(first)
        )
        ranks = self._order.ranks(without=aside_read)
        logged: dict[str, Any] = {}
        if events:
            touched = any(event.kind == "label" for event in events)
            logged = {"seq": events[-1].seq, "last_time": events[-1].time, "touched": touched}
        return replace(
            self._state,
            **logged,
            ranks=ranks if ranks is None or sequence is None else ranks[sequence],
            sequence=sequence,
            reordered=self._order.reordered,
            drawn=self._order.drawn,
            joined=tuple(self._order.additions),
            aside=aside,
            aside_read=aside_read,
            put_back=put_back,
            labels=self._labels.copy(),
            confirmed=self._confirmed.copy(),
            reports=dict(self._reports),
            notes=dict(self._notes),
            excluded_for=dict(self._excluded_for),
            together=dict(self._together),
        )

    def _aside(self) -> tuple[dict[str, Aside], dict[int, Aside]]:
        """Documents set aside before they were read, by id, and later, by position; a label that may settle the question counts."""
        unread, read = self._order.aside()
        counts = (verdicts.RELEVANT, verdicts.COMBINATION)
        return unread, {at: aside for at, aside in read.items() if self._labels[at] not in counts}

    def apply(self, event: Event) -> None:
        """Apply one event; InputProblem if it names a document that is not in the list, skips one, or cannot be read."""
        if event.kind not in APPLY:
            raise InputProblem(f"Event {event.seq} is of an unknown kind '{event.kind}'.")
        try:
            APPLY[event.kind](self, event)
            # An event of documents that join may name none.
            changes = event.kind in (*UNDOABLE, *CHANGES_LIST) and event.payload.get("docs", True)
        except InputProblem:
            raise
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as problem:
            raise InputProblem(f"Event {event.seq} ({event.kind}) cannot be read: {problem!r}.") from None
        if event.kind in UNDOABLE:
            self._change(can_undo=True)
        if changes and self._state.decision is not None:
            self._change(decision=replace(self._state.decision, outdated=True))

    def _change(self, **values: Any) -> None:
        self._state = replace(self._state, **values)

    # --- verdicts

    def _label(self, event: Event) -> None:
        self._order.label(event)
        self._relabel(event)
        self._change(spent=self._state.spent + self._state.settings.cost)

    def _relabel(self, event: Event) -> None:
        """Apply a verdict and what was recorded with it."""
        entry, at = event.payload, self._order.position(event)
        code = verdicts.CODES[as_label(str(entry["label"]))]
        graded = code in (verdicts.COMBINATION, verdicts.BACKGROUND)
        if graded and not self._state.settings.grades:
            raise InputProblem(
                f"Event {event.seq} grades document {at + 1} {verdicts.GRADES[code]}, which is for patents only."
            )
        self._labels[at], self._confirmed[at] = code, verdicts.PENDING
        if graded:
            self._grades[at] = code
        elif code != verdicts.RELEVANT:
            self._grades.pop(at, None)
        self._excluded_for.pop(at, None)
        self._together.pop(at, None)
        if entry.get("reason"):
            self._excluded_for[at] = str(entry["reason"])
        if "with" in entry:
            self._together[at] = self._order.position(event, "with")
            if self._together[at] == at:
                raise InputProblem(
                    f"Event {event.seq} grades document {at + 1} together with itself; name two documents."
                )
        if entry.get("note"):
            self._notes[str(entry["doc"])] = str(entry["note"])

    def _confirm(self, event: Event) -> None:
        at = self._order.position(event)
        if event.payload["holds"]:
            self._labels[at], self._confirmed[at] = verdicts.RELEVANT, verdicts.CONFIRMED
        else:
            self._labels[at] = self._grades.get(at, verdicts.IRRELEVANT)
            self._confirmed[at] = verdicts.REJECTED
            self._together.pop(at, None)

    def _report(self, event: Event) -> None:
        at, report = self._order.position(event), Report.from_dict(event.payload)
        self._reports[at] = report
        if report.was_read and at not in self._paid_in_full:
            self._paid_in_full.add(at)
            self._change(spent=self._state.spent + self._state.settings.cost_in_full)

    def _kept(self, event: Event) -> None:
        """Apply the labels that came with a list; they cost nothing and can be changed, but not undone."""
        content = event.payload
        labels = [str(label) for label in content["labels"].values()]
        codes = {label: verdicts.CODES[as_label(label)] for label in set(labels)}
        places = self._order.kept(event)
        self._labels[places] = [codes[label] for label in labels]
        for doc, reason in content["reasons"].items():
            self._excluded_for[self._order.place(event, doc)] = str(reason)
        self._notes |= {str(doc): str(text) for doc, text in content["notes"].items()}
        self._change(kept=self._order.depth, kept_from=str(content["source"]))

    # --- the list

    def _audited(self, event: Event) -> None:
        self._order.audited(event, self._state.kept, without=self._aside()[1])
        self._change(audit_every=int(event.payload["every"]))

    def _resize(self, event: Event) -> None:
        """Apply an event that makes the list longer or shorter, and adjust the arrays to it."""
        getattr(self._order, event.kind)(event)
        N = len(self._order)
        more = max(0, N - len(self._labels))
        self._labels = np.append(self._labels, np.full(more, verdicts.UNSEEN, dtype=np.int8))[:N]
        self._confirmed = np.append(self._confirmed, np.full(more, verdicts.PENDING, dtype=np.int8))[:N]

    def _families(self, event: Event) -> None:
        members: Mapping[str, Sequence[str]] = event.payload["members"]
        others = {str(doc): tuple(map(str, named)) for doc, named in members.items()}
        self._change(other_family_members=others)

    def _fit(self, event: Event) -> None:
        self._order.fit(event)
        self._change(fit=cast(Fit, event.payload))

    # --- notes, reasons and settings

    def _note(self, event: Event) -> None:
        self._order.place(event, event.payload["doc"])
        doc, text = str(event.payload["doc"]), str(event.payload["text"])
        self._notes.pop(doc, None)
        if text:
            self._notes[doc] = text

    def _reasons(self, event: Event) -> None:
        """Apply a change of the reasons; a renamed one is renamed wherever it was given."""
        renamed: Mapping[str, str] = event.payload.get("renamed", {})
        for at, reason in self._excluded_for.items():
            self._excluded_for[at] = str(renamed.get(reason, reason))
        for at, report in self._reports.items():
            if report.reason in renamed:
                self._reports[at] = replace(report, reason=str(renamed[report.reason]))
        self._change(reasons=tuple(map(str, event.payload["reasons"])))

    def _plan(self, event: Event) -> None:
        content = event.payload
        self._change(plan=read_settings(content["settings"]), plan_records=str(content["records"]))

    def _settings(self, event: Event) -> None:
        state, settings = self._state, read_settings(event.payload["settings"])
        since = (
            ()
            if settings.forecast_basis == state.settings.forecast_basis
            else ((self._order.depth, settings),)
        )
        self._change(
            settings=settings,
            deviations=state.deviations if state.plan is None else (*state.deviations, event),
            forecast_settings=(*state.forecast_settings, *since),
        )

    # --- the end

    def _imported(self, event: Event) -> None:
        claims = (
            decision and replace(decision, claimed=True)
            for decision in (self._state.decision, self._state.former)
        )
        decision, former = claims
        self._change(decision=decision, former=former, imported=True)

    def _stopped(self, event: Event) -> None:
        self._change(stopped=True, advice_at_stop=str(event.payload.get("advice", "")))

    def _duplicated(self, event: Event) -> None:
        """Change nothing: the event only says that everything before it comes from another session."""

    def _decided(self, event: Event) -> None:
        if not self._state.stopped:
            self._stopped(event)
        decision = RecordedDecision(bool(event.payload["plus"]), event.time, event.payload, by=event.reviewer)
        self._change(decision=decision)

    def _continued(self, event: Event) -> None:
        former = self._state.decision or self._state.former
        self._change(stopped=False, advice_at_stop="", decision=None, former=former)


APPLY: dict[str, Callable[[LogReplay, Event], None]] = {
    "label": LogReplay._label,
    "relabel": LogReplay._relabel,
    "confirm": LogReplay._confirm,
    "report": LogReplay._report,
    "kept": LogReplay._kept,
    "audited": LogReplay._audited,
    "families": LogReplay._families,
    "fit": LogReplay._fit,
    "note": LogReplay._note,
    "reasons": LogReplay._reasons,
    "plan": LogReplay._plan,
    "settings": LogReplay._settings,
    "imported": LogReplay._imported,
    "duplicated": LogReplay._duplicated,
    "stopped": LogReplay._stopped,
    "decided": LogReplay._decided,
    "continued": LogReplay._continued,
    **dict.fromkeys(CHANGES_LIST, LogReplay._resize),
}
"""The method that applies each kind of event; an undo has none, because events that were undone are not applied."""


def replay(settings: Settings, ids: Sequence[str], events: Sequence[Event]) -> State:
    """State of a session after its log; with several readers, after the part of the log that counts.

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
    State
        The state after the last event.

    Raises
    ------
    InputProblem
        As :meth:`LogReplay.apply` raises it.
    """
    fold, log = LogReplay(settings, ids), counted_log(settings.readers, events)
    for event in standing(log):
        fold.apply(event)
    return fold.after(log)
