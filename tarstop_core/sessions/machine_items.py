"""What a report says of machine readers: items of PRISMA-trAIce and RAISE, filled in from the log.

PRISMA-trAIce: Holst and others (2025), JMIR AI, doi 10.2196/80247; its repository, cqh4046/PRISMA-trAIce, lists the items
and their levels. RAISE: recommendations that a position statement of Cochrane, the Campbell Collaboration, JBI and CEE
supports (Flemyng and others 2025, doi 10.1002/cl2.70074). Its key messages 4 and 5 ask for human oversight and for full
and transparent reporting.
"""

from tarstop_core.presentation.numbers import amount, count_of, listed
from tarstop_core.readers.overlooked import Reader
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.log import Event
from tarstop_core.sessions import message
from tarstop_core.sessions.agreeing import agreed, missed
from tarstop_core.sessions.snapshot import SessionSnapshot

BY_HAND = ("T1", "A1", "I1", "M4", "M7", "M10", "D1", "D2")
"""Items of PRISMA-trAIce that a log says nothing about."""


def machine_items(session: SessionSnapshot) -> list[tuple[str, str]]:
    """Items and what the log says about each, for all machines among the readers; empty if there is none."""
    several = session.several
    if several is None or not several.machines:
        return []
    rows = [
        (
            "P-trAIce M1 Protocol",
            message("machine_planned", plan=session.state.plan, deviations=len(session.state.deviations)),
        )
    ]
    for name, event in several.machines.items():
        rows += _machine_rows(session, several, name, event)
    people = [name for name in several.readers.names if name not in several.machines]
    rows.append(("P-trAIce M8 Human Oversight; RAISE, key message 4", _oversight(several, people)))
    rows.append(("P-trAIce R1 Flow Diagram", _handled(several, people)))
    rows.append(("For you to write", ", ".join(f"P-trAIce {item}" for item in BY_HAND)))
    return rows


def _machine_rows(
    session: SessionSnapshot, several: SeveralReaders, name: str, event: Event
) -> list[tuple[str, str]]:
    """Items on one machine, from the event that brought its verdicts."""
    content = event.payload
    cost = content.get("cost_per_thousand")
    unit = session.state.settings.payoffs.unit
    return [
        (
            "P-trAIce M2 Tool Identification; RAISE, key message 5",
            message("machine_tool", of=content, taken=event),
        ),
        ("P-trAIce M3 Purpose & Stage", message("machine_stage", name=name, readers=several.readers)),
        ("P-trAIce M5 Output Data", message("machine_output", of=content, records=len(content["verdicts"]))),
        ("P-trAIce M6 Prompts", str(content["prompt"]).strip() or "not recorded"),
        ("P-trAIce M9 and R2 Performance", _performance(several, name)),
        *([("Cost per thousand records", amount(cost, unit))] if cost is not None else []),
    ]


def _performance(several: SeveralReaders, name: str) -> str:
    agree, overlooked = agreed(several), missed(several)
    reader: Reader | None = None
    if overlooked is not None:
        reader = overlooked.readers[several.readers.names.index(name)]
    return message("machine_performance", name=name, agree=agree, reader=reader, drawn=len(several.drawn))


def _oversight(several: SeveralReaders, people: list[str]) -> str:
    settled = sorted(
        {judged.resolution.reviewer for judged in several.judged.values() if judged.resolution is not None}
    )
    return message(
        "machine_oversight",
        people=people,
        settled=settled,
        waiting=len(several.waiting),
        drawn=len(several.drawn),
    )


def _handled(several: SeveralReaders, people: list[str]) -> str:
    """Sentence on how many records were judged by a machine alone, by people alone, and by both."""
    by = {doc: {*several.first[doc]} for doc in several.judged}
    machine = sum(not (names & {*people}) for names in by.values())
    both = sum(bool(names & {*people}) and bool(names & several.machines.keys()) for names in by.values())
    rest = len(by) - machine - both
    who = listed(people) if people else "nobody"
    return f"Only by a machine {count_of(machine)}; by a machine and by {who} {count_of(both)}; only by people {count_of(rest)}."
