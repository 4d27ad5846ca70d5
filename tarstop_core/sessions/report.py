"""Report of a session: one HTML page for an audit file, which loads and runs nothing and can be printed.

Its content follows from the stored session and the versions named at its end, so the same session gives the same page.
Only whether the chances fit depends on all sessions with these chances. This module collects the content, and the
template beside it lays it out. A content security policy in the page's head forbids all network requests, whatever a
title may contain.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup

from tarstop_core import __version__
from tarstop_core.documents.records import links
from tarstop_core.evidence.report import RISK, risk_rows, sheets, studies_sheet, written_with
from tarstop_core.evidence.summary import Evidence
from tarstop_core.evidence.synthesis import Synthesis
from tarstop_core.evidence.words import Actions, not_accounted_sentence, risk_sentence
from tarstop_core.presentation.html import Sheet, page, sheet
from tarstop_core.presentation.numbers import INTERVAL_LEVEL, amount, percent
from tarstop_core.screening.audit import recall_sentence
from tarstop_core.screening.labels import BACKGROUND, COMBINATION, IRRELEVANT, RELEVANT, UNSEEN, UNSURE
from tarstop_core.screening.live_check import check_sentence, live_check
from tarstop_core.screening.log import Event
from tarstop_core.screening.provenance import claim, claimed_time
from tarstop_core.screening.report_entry import table_rows
from tarstop_core.screening.scenarios.named import read_settings, scenario_of
from tarstop_core.screening.setting_aside import after_plan, all_aside, aside_in_words, moved_aside
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import changes
from tarstop_core.screening.wording import (
    action,
    chances_badge,
    document_name,
    ending,
    example_amounts,
    explain,
    pays,
    question,
    word_of,
)
from tarstop_core.sessions.agreeing import who_read
from tarstop_core.sessions.course import advised, curves
from tarstop_core.sessions.export import about_rows, when
from tarstop_core.sessions.machine_items import machine_items
from tarstop_core.sessions.prisma import INHERITED, flow_diagram
from tarstop_core.sessions.snapshot import SessionSnapshot

FOLLOWING = 3
"""How many of the documents that a fit put next the log on the page names; the session file has all of them."""
SAYS_STOP = ("stop", "prior alone", "found")
"""Headlines of advice that is not followed if a further document is read."""


def report_html(session: SessionSnapshot) -> str:
    """Report of a session as one HTML page.

    The first two printed pages say what was decided and by whom, what the advice was and what it rests on, with curves
    and studies, and how far the plan was followed. An appendix that opens has the rest: search, stakes, documents by
    verdict, flow diagram, the advice at each step, the log, settings and versions.
    """
    state, settings, first = session.state, session.state.settings, session.row.settings
    check = live_check(settings, *session.chances(settings), state, session.others)
    scenario = scenario_of(settings)
    summary = scenario.evidence(settings, state)
    reports = state.read_in_full.values() if settings.two_stages else ()
    moves = [read_settings(event.payload["settings"]) for event in session.events if event.kind == "settings"]
    against = [step["rank"] for step in advised(session) if step["headline"] in SAYS_STOP]
    return page(
        __name__,
        title=f"{session.row.name} · TARstop report",
        version=__version__,
        session=session,
        state=state,
        settings=settings,
        question=question(settings),
        at=when(state.last_time or session.row.created),
        imported=session.provenance.sentence(when),
        example=example_amounts(settings),
        repriced=any(moved.cost != first.cost for moved in moves),
        in_full=sum(report.was_read for report in reports),
        against=against,
        advice=explain(session.advice_now, settings, [_name(session, at) for at in state.in_question]),
        incomplete=scenario.incomplete(session.advice_now, settings)
        if state.stopped or state.decision
        else "",
        cited=[_documents(session, state.settled_by, "What decides it")] if state.settled_by else [],
        counted=scenario.counted(state),
        standing=scenario.rows(session.advice_now, settings),
        level=percent(INTERVAL_LEVEL),
        audited=recall_sentence(state),
        several=[] if session.several is None else who_read(session.several),
        machines=machine_items(session),
        checked=check_sentence(check, settings, state),
        pays=pays(settings),
        pooled=scenario.pooled(settings, state),
        chances=chances_badge(session.calibrators[settings.calibrator], settings),
        searched=about_rows(session),
        moved=[] if settings == first else _moved(session, first, settings),
        found=_by_verdict(session),
        tables=studies_sheet(summary) if isinstance(summary, Evidence) else _effects(session),
        curves=curves(session),
        studies=scenario.drawn(settings, state, session.collection.simulated),
        **_bias(summary, settings, scenario.lacking(settings, state)),
        flow=flow_diagram(session.prisma, INHERITED),
        boxes=sheet(
            ("Box", "Number"),
            [(name, f"{count:,}") for name, count in session.prisma.rows()],
            numbers=("Number",),
        ),
        plan=_plan(session),
        steps=_steps(session),
        log=_log(session),
        versions=written_with(),
        exact=json.dumps(settings.to_dict(), ensure_ascii=False, indent=1),
        action=action,
        amount=amount,
        ending=ending,
        percent=percent,
        when=when,
        word_of=word_of,
    )


def _effects(session: SessionSnapshot) -> Sheet | None:
    """Table of the studies that count, with their numbers; None if there are none."""
    rows = table_rows(session.state, session.row.ids)
    if not rows:
        return None
    numbers = [name for name in rows[0] if name not in ("study", "document")]
    return sheet(list(rows[0]), [list(row.values()) for row in rows], "Studies that count", numbers=numbers)


def _bias(summary: Synthesis | None, settings: Settings, lacking: str) -> dict[str, Any]:
    """What the belief does not account for, and the belief with and without studies at high risk of bias, for the template."""
    if summary is None:
        return {}
    payoffs = settings.payoffs
    actions = Actions(settings.plus, settings.minus, lacking, settings.actions[2:])
    risks = risk_rows(summary, payoffs, actions)
    rests = [not_accounted_sentence(summary)]
    if risks:
        rests.append(risk_sentence(summary, payoffs, actions))
    return {"rests": rests, "risks": sheets({RISK: risks})}


def _name(session: SessionSnapshot, at: int) -> str:
    """Name of the document at a position in the order of reading."""
    record = session.records.iloc[at]
    return document_name(at, record["publication_number"], record["title"])


def _by_verdict(session: SessionSnapshot) -> list[Sheet]:
    """Tables of documents by verdict, of others with a note, and of those that were set aside."""
    state, labels = session.state, session.state.labels
    noted = [doc in state.notes for doc in session.row.ids] & np.isin(labels, (UNSEEN, IRRELEVANT))
    relevant = "Included by title and abstract" if state.settings.judges_abstracts else "Relevant documents"
    chosen = {
        relevant: labels == RELEVANT,
        "In combination (Y)": labels == COMBINATION,
        "Background (A)": labels == BACKGROUND,
        "Still unsure": labels == UNSURE,
        "Other documents with a note": noted,
    }
    sheets = [_documents(session, np.flatnonzero(which), name) for name, which in chosen.items()]
    return [documents for documents in (*sheets, _set_aside(session)) if documents.rows]


def _set_aside(session: SessionSnapshot) -> Sheet:
    """Table of the documents that were set aside, and why."""
    aside, places = all_aside(session.state), {doc: at for at, doc in enumerate(session.row.ids, start=1)}
    records = session.documents[session.documents["id"].isin(list(aside))].set_index("id")
    rows = [
        [
            places.get(doc, ""),
            records.at[doc, "title"],
            records.at[doc, "publication_number"] or doc,
            records.at[doc, "date"],
            reason["words"],
        ]
        for doc, reason in aside.items()
    ]
    head = ("Rank", "Title", "Number", "Date", "Why")
    return sheet(head, rows, "Set aside: no evidence", numbers=("Rank",), wide=("Title", "Why"))


def _documents(session: SessionSnapshot, positions: Iterable[int], name: str) -> Sheet:
    """Table of the documents at some positions in the order of reading, under a name."""
    state, rows = session.state, []
    for at in map(int, positions):
        record = session.records.iloc[at]
        remarks = [f"with rank {state.together[at] + 1}"] if at in state.together else []
        if state.settings.reads_full_texts and state.labels[at] == RELEVANT:
            report = state.read_in_full.get(at)
            outcome = (report.outcome, report.reason) if report else ("not read in full yet",)
            remarks.append(": ".join(filter(None, outcome)))
        elif at in state.pending:
            remarks.append("not confirmed")
        flags = "; ".join(flag.words for flag in session.flags[at])
        number, doi, pmid = record["publication_number"], record["doi"], record["pmid"]
        note = state.notes.get(session.row.ids[at], "")
        linked = [
            Markup('<a href="{}" rel="noopener">{}</a>').format(link.url, link.words)
            for link in links(record["url"], number, doi, pmid)
        ]
        source, read_at = number or doi or pmid or record["id"], Markup(" · ").join(linked)
        rows.append(
            [at + 1, record["title"], source, read_at, record["date"], ", ".join(remarks), flags, note]
        )
    head = ("Rank", "Title", "Number", "Read it at", "Date", "Remark", "Flag", "Note")
    return sheet(head, rows, name, numbers=("Rank",), wide=("Title", "Flag", "Note"))


def _plan(session: SessionSnapshot) -> dict[str, Any]:
    """The plan, if one was registered, and every change of settings since it or since the start, for the template."""
    state, events = session.state, session.events
    if state.plan is None:
        moves = [event for event in events if event.kind == "settings"]
        return {"registered": None, "rows": [], "changes": _changed(session, moves, session.row.settings)}
    registered = next(event for event in events if event.kind == "plan")
    return {
        "registered": _signed(session, registered),
        "rows": session.in_words(state.plan),
        "changes": [
            *_changed(session, state.deviations, state.plan),
            *(_change(session, event, [moved_aside(event)]) for event in after_plan(events)),
        ],
    }


def _changed(session: SessionSnapshot, events: Sequence[Event], before: Settings) -> list[dict[str, Any]]:
    """Changes of settings in order, each with who made it and what changed."""
    settings = [before, *(read_settings(event.payload["settings"]) for event in events)]
    return [
        _change(session, event, _moved(session, *pair))
        for event, pair in zip(events, pairwise(settings), strict=True)
    ]


def _change(session: SessionSnapshot, event: Event, moved: list[str]) -> dict[str, Any]:
    """A change for the template: who made it and when, what it changed, and the reason given."""
    reason = str(event.payload.get("reason", "")).strip()
    return {"signed": _signed(session, event), "moved": moved, "reason": reason}


def _moved(session: SessionSnapshot, before: Settings, after: Settings) -> list[str]:
    """Differences between two settings, a clause each."""
    return changes(session.in_words(before), session.in_words(after)) or ["a value that rounding hides"]


def _steps(session: SessionSnapshot) -> Sheet | None:
    """Table of the advice before each document that was read; None if none was."""
    titles, settings = session.records["title"].tolist(), session.state.settings
    chance = "p" if settings.judges_abstracts else "rho"  # As on the page for the next document
    rows = [
        [
            step["rank"],
            step.get("rank_in_list", ""),
            step.get("fit", ""),
            titles[step["rank"] - 1] or step["id"],
            percent(step[chance]),
            *(_weighed(step) if settings.weighs else _of_recall(step)),
            word_of(step["headline"]).lower(),
            f"{step['more_if_nothing']:,}",
            _verdict(step),
            claim(step["reviewer"], step),
            claimed_time(when(step["time"]), step),
        ]
        for step in advised(session)
    ]
    its_chance = scenario_of(settings).message("chance_column", settings=settings)
    before = ("Belief", "Worth", "Cost") if settings.weighs else ("Found", "Probably unread", "Recall")
    numbers = ("Rank", "In the list", "By fit", its_chance, *before, "If nothing, more")
    head = (*numbers[:3], "Document", *numbers[3:7], "Advice before it", numbers[7], "Verdict", "By", "When")
    return sheet(head, rows, numbers=numbers, wide=("Document", "Verdict")) if rows else None


def _weighed(step: Mapping[str, Any]) -> tuple[str, str, str]:
    """Belief, worth and cost before a document, in words."""
    worth = "" if step["worth"] is None else amount(step["worth"], step["unit"], exact=False)
    return percent(step["b"]), worth, amount(step["cost"], step["unit"])


def _of_recall(step: Mapping[str, Any]) -> tuple[str, str, str]:
    """Relevant documents found before a document, how many were probably unread, and the recall that follows, in words."""
    if step["recall"] is None:
        return f"{step['found']:,}", "too early", "too early"
    return f"{step['found']:,}", f"{step['unseen_expected']:,.1f}", percent(step["recall"])


def _verdict(step: Mapping[str, Any]) -> str:
    """Verdict on a document, with its grade and the reason given."""
    verdict = ", ".join(filter(None, (step.get("grade", ""), step["label"])))
    return f"{verdict} ({step['excluded_for']})" if step["excluded_for"] else verdict


def _log(session: SessionSnapshot) -> Sheet:
    """Table of all entries of the log."""
    rows = [[event.seq, *_by(session, event), event.kind, _content(event)] for event in session.events]
    head = ("Number", "When", "By", "Event", "Content")
    return sheet(head, rows, numbers=("Number",), wide=("Content",))


def _content(event: Event) -> str:
    """Content of a log entry in a line."""
    if event.kind in ("settings", "plan"):
        return str(event.payload.get("reason", "")) or "settings, as listed under plan and deviations"
    if event.kind == "set_aside":
        documents = event.payload["documents"]
        return f"{aside_in_words(documents)}: {', '.join(document['doc'] for document in documents)}"
    if event.kind == "fit":
        first, number = event.payload["next"][:FOLLOWING], event.payload["number"]
        return f"fit {number:,} after {event.payload['after']:,} labels; it puts {', '.join(first)} first"
    return ", ".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in event.payload.items()
        if value not in ("", [])
    )


def _by(session: SessionSnapshot, event: Event) -> tuple[str, str]:
    """Time of a log entry and who recorded it, marked if only a session file says so."""
    columns = session.provenance.columns(event)
    return claimed_time(when(event.time), columns), claim(event.reviewer, columns)


def _signed(session: SessionSnapshot, event: Event) -> str:
    """Time of a log entry and who recorded it, as a clause."""
    time, name = _by(session, event)
    return f"{time}{f' by {name}' if name else ''}"
