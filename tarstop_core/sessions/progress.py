"""How far a session is and what it has brought, in words."""

from collections.abc import Sequence
from dataclasses import replace

from tarstop_core.errors import InputProblem
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.scenarios.named import SCENARIOS
from tarstop_core.sessions.store.rows import SessionSummary
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.stakes import START


def told(store: Store, session: SessionSummary) -> str:
    """How far a session is and what it has brought, in words."""
    try:
        events = store.events(session.id)
        waiting = unsure(events)
        counts = (found(session.scenario, events), f"{waiting:,} unsure" if waiting else "")
        return progress(session, ", ".join(filter(None, counts)))
    except InputProblem:
        # A damaged log is told where it is opened; the other sessions stay within reach.
        return progress(session)


def progress(session: SessionSummary, found: str = "") -> str:
    """How far a session is, in words."""
    words = f"{session.labelled:,} of {session.documents:,} screened{f' · {found}' if found else ''}"
    if session.decision is not None:
        action = str(session.decision.get("action", ""))
        return f"{words} · decided: {action}" if action else f"{words} · decided"
    return f"{words} · stopped, not decided" if session.stopped else words


def found(scenario: str, events: Sequence[Event]) -> str:
    """What a session has brought so far, in words; empty where its scenario says nothing."""
    said = SCENARIOS.get(scenario)
    if said is None or not said.settings_class.reads_full_texts:
        return ""
    # As if the list held no others than those read: the ids of a long one need not be loaded for a count.
    log = [event for event in events if event.kind not in ("audited", "joined", "parted", "fit")]
    ids = list[str]()
    for at, event in enumerate(log):
        if event.kind == "kept":
            # Labels that came along have ranks among themselves.
            ids += event.payload["labels"]
            ranks = range(1, len(event.payload["labels"]) + 1)
            log[at] = replace(event, payload={**event.payload, "ranks": ranks})
    ids += [event.payload["doc"] for event in standing(log) if event.kind == "label"]
    state = replay(said.settings_class(START.payoffs, START.cost), ids, log)
    return said.counted_in_log(state)


def unsure(events: Sequence[Event]) -> int:
    """Documents read whose verdict is still to be settled."""
    labels: dict[str, str] = {}
    for event in standing(events):
        if event.kind == "kept":
            labels |= event.payload["labels"]
        elif event.kind in ("label", "relabel"):
            labels[event.payload["doc"]] = event.payload["label"]
    return sum(each == "unsure" for each in labels.values())
