"""One session as a page to attach to an audit file: nothing to load, nothing to run, it prints as it is.

What is in it follows from the stored session alone (and the versions named at its end), so the same session gives
the same page. Here is what is said; the template beside this module says where. A policy in its head forbids the
page to ask any network, whatever a title might hold.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from tarstop_core import __version__
from tarstop_core.documents.records import links
from tarstop_core.evidence.report import drawn_studies, studies_sheet, written_with
from tarstop_core.evidence.summary import Evidence, evidence
from tarstop_core.evidence.words import pooled_sentence
from tarstop_core.presentation.figures import thinned
from tarstop_core.presentation.html import Sheet, page, sheet
from tarstop_core.presentation.numbers import amount, count_of, percent
from tarstop_core.presentation.palette import BELIEF, COST, THRESHOLD, VALUE
from tarstop_core.presentation.svg import Line, chart
from tarstop_core.screening.audit import recall_sentence
from tarstop_core.screening.fold import replay
from tarstop_core.screening.labels import BACKGROUND, COMBINATION, IRRELEVANT, RELEVANT, UNSEEN, UNSURE
from tarstop_core.screening.live_check import check_sentence, live_check
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.provenance import claim, claimed_time
from tarstop_core.screening.scenarios.named import read_settings, scenario_of
from tarstop_core.screening.setting_aside import after_plan, all_aside, counted, moved_aside
from tarstop_core.screening.settings import ReviewSettings, Settings
from tarstop_core.screening.settings_words import changes
from tarstop_core.screening.state import Decision
from tarstop_core.screening.wording import (
    action,
    chances_badge,
    document_name,
    ending,
    example_amounts,
    explain,
    question,
    word_of,
)
from tarstop_core.sessions.export import about_rows, when
from tarstop_core.sessions.prisma_figure import INHERITED, flow_diagram
from tarstop_core.sessions.whole import WholeSession

FOLLOWING = 3
"""Documents that the log names of those that a fit put first; the session file has all of them."""
SAYS_STOP = ("stop", "prior alone", "found")
"""Headlines under which a further document is read against the advice."""


def report_html(session: WholeSession) -> str:
    """The report of a session as one HTML page.

    Two sheets of paper say what was decided, by whom, what the advice was then, what it rests on, with curves and
    studies, and what became of the plan. The trail is an appendix that opens: what was searched, at stake and found,
    the flow diagram, the advice at each step, the log, settings and versions.
    """
    state, settings, first = session.state, session.state.settings, session.row.settings
    tables = _evidence(session)
    return page(
        __name__,
        title=f"{session.row.name} · TARstop report",
        name=session.row.name,
        query=session.row.query,
        at=when(state.last_time or session.row.created),
        imported=session.came.sentence(when),
        version=__version__,
        simulated=session.collection.simulated,
        example=example_amounts(settings),
        full_texts=settings.reads_full_texts,
        decision=_decision(session),
        searched=about_rows(session),
        stakes={
            "now": session.in_words(settings),
            "moved": [] if settings == first else _moved(session, first, settings),
        },
        found=_found(session, tables),
        curves=_curves(session),
        studies=drawn_studies(tables, session.collection.simulated) if tables else [],
        flow=_flow(session),
        plan=_plan(session),
        steps=_steps(session),
        log=_log(session),
        versions=written_with(),
        exact=json.dumps(settings.to_dict(), ensure_ascii=False, indent=1),
    )


def _decision(session: WholeSession) -> dict[str, Any]:
    state, settings = session.state, session.state.settings
    deciding = state.settled_by
    return {
        "now": _decided(state.decision, settings),
        "outdated": state.decision is not None and state.decision.outdated,
        "former": _decided(state.former, settings),
        "stopped": state.stopped,
        "documents": len(session.row.ids),
        "depth": state.depth,
        "kept": state.kept,
        "in_full": sum(report.was_read for report in state.read_in_full.values())
        if settings.two_stages
        else 0,
        "spent": amount(state.spent, settings.payoffs.unit),
        "past": [step["rank"] for step in _advised(session) if step["headline"] in SAYS_STOP],
        "told": explain(session.advice, settings, [_name(session, at) for at in state.in_question]),
        "rule": _rule(session),
        "cited": [_documents(session, deciding, "What decides it")] if deciding else [],
    }


def _name(session: WholeSession, at: int) -> str:
    record = session.records.iloc[at]
    return document_name(at, record["publication_number"], record["title"])


def _rule(session: WholeSession) -> str:
    """What decided when to stop, in short; all of it stands in the appendix."""
    settings, unit = session.state.settings, session.state.settings.payoffs.unit
    report = f", a report in full {amount(settings.cost_in_full, unit)}" if settings.two_stages else ""
    return (
        f"“{settings.plus}” above a chance of {percent(settings.payoffs.q_star)} that {question(settings)}, else "
        f"“{settings.minus}”. Reading a document costs {amount(settings.cost, unit)}{report}. Stopping rule: "
        f"{settings.rule}. Chances {chances_badge(session.calibrators[settings.calibrator], settings)}."
    )


def _decided(decision: Decision | None, settings: Settings) -> dict[str, Any] | None:
    if decision is None:
        return None
    footing, unit, end = decision.footing, settings.payoffs.unit, ending(decision, settings)
    overridden = [
        "screening stopped all the same" if end.stopped else "",
        f"“{end.action}” was chosen" if end.otherwise else "",
    ]
    rows = [
        ("By", (decision.by or "no name given") + (" (claimed)" if decision.claimed else "")),
        ("When", when(decision.time) + (" (claimed)" if decision.claimed else "")),
        ("After", "" if footing.depth is None else count_of(footing.depth)),
        (
            f"Chance that {question(settings)} then",
            "" if footing.belief is None else percent(footing.belief),
        ),
        ("Expected to bring", "" if footing.utility is None else amount(footing.utility, unit)),
        ("Advice then", word_of(footing.advice)),
        ("Action advised on stopping", "" if footing.advised is None else action(footing.advised, settings)),
        ("Overridden", ", ".join(filter(None, overridden))),
        ("Reason given", end.reason),
    ]
    return {"action": end.action, "rows": [row for row in rows if row[1]]}


def _found(session: WholeSession, tables: Evidence | None) -> dict[str, Any]:
    state, settings = session.state, session.state.settings
    counted = scenario_of(settings).counted(state)
    noted = [doc in state.notes for doc in session.row.ids] & np.isin(state.labels, (UNSEEN, IRRELEVANT))
    chosen = {
        "Included by title and abstract" if settings.two_stages else "Relevant documents": state.labels
        == RELEVANT,
        "In combination (Y)": state.labels == COMBINATION,
        "Background (A)": state.labels == BACKGROUND,
        "Still unsure": state.labels == UNSURE,
        "Other documents with a note": noted,
    }
    sheets = [_documents(session, np.flatnonzero(which), name) for name, which in chosen.items()]
    return {
        "said": f"{', '.join(counted)}, {len(state.unsure):,} unsure, of {count_of(state.depth)} read. The chance that {question(settings)} is now {percent(session.advice.b)}.",
        "audited": recall_sentence(state),
        "checked": check_sentence(live_check(settings, *session.chances(settings), state), settings, state),
        "documents": [each for each in (*sheets, _set_aside(session)) if each.rows],
        "tables": studies_sheet(tables) if tables else None,
        "pooled": _pooled(session, tables),
        "notes": state.evidence.notes,
    }


def _set_aside(session: WholeSession) -> Sheet:
    """Documents that are no evidence, and why."""
    aside, places = all_aside(session.state), {doc: at for at, doc in enumerate(session.row.ids, start=1)}
    records = session.documents[session.documents["id"].isin(list(aside))].set_index("id")
    rows = [
        [
            places.get(doc, ""),
            records.at[doc, "title"],
            records.at[doc, "publication_number"] or doc,
            records.at[doc, "date"],
            each["words"],
        ]
        for doc, each in aside.items()
    ]
    head = ("Rank", "Title", "Number", "Date", "Why")
    return sheet(head, rows, "Set aside: no evidence", numbers=("Rank",), wide=("Title", "Why"))


def _evidence(session: WholeSession) -> Evidence | None:
    tables, settings = session.state.evidence.tables, session.state.settings
    if not isinstance(settings, ReviewSettings):
        return None
    return evidence(tables, settings.theta, settings.engine, settings.belief_prior)


def _pooled(session: WholeSession, tables: Evidence | None) -> str:
    """What the tables come to by the engine that decides, and what another would decide where that is otherwise."""
    rival = scenario_of(session.state.settings).rival(session.state.settings, session.state)
    return "" if tables is None else f"{pooled_sentence(tables)} {rival}".strip()


def _documents(session: WholeSession, positions: Iterable[int], name: str) -> Sheet:
    state, rows = session.state, []
    for at in map(int, positions):
        record = session.records.iloc[at]
        told = [f"with rank {state.together[at] + 1}"] if at in state.together else []
        if state.settings.reads_full_texts and state.labels[at] == RELEVANT:
            report = state.read_in_full.get(at)
            said = (report.outcome, report.reason) if report else ("not read in full yet",)
            told.append(": ".join(filter(None, said)))
        elif at in state.pending:
            told.append("not confirmed")
        flags = "; ".join(flag.words for flag in session.flags[at])
        number, doi, pmid = record["publication_number"], record["doi"], record["pmid"]
        note = state.notes.get(session.row.ids[at], "")
        where = links(record["url"], number, doi, pmid)
        linked = [Markup('<a href="{}" rel="noopener">{}</a>').format(each.url, each.words) for each in where]
        source, read_at = number or doi or pmid or record["id"], Markup(" · ").join(linked)
        rows.append([at + 1, record["title"], source, read_at, record["date"], ", ".join(told), flags, note])
    head = ("Rank", "Title", "Number", "Read it at", "Date", "Remark", "Flag", "Note")
    return sheet(head, rows, name, numbers=("Rank",), wide=("Title", "Flag", "Note"))


def _advised(session: WholeSession) -> list[dict[str, Any]]:
    """The documents read here: those that came with their labels were never advised on."""
    return session.steps[session.state.kept :]


def _curves(session: WholeSession) -> list[tuple[str, str]]:
    """Drawings and what they say; none where nothing was read."""
    state, now = session.state, session.advice
    steps = _advised(session)
    if not steps:
        return []
    first = _before_the_session(session)
    # What was shown before each document, and what is shown after the last.
    b = [*(at["b"] for at in first), *(float(step["b"]) for step in steps), now.b]
    q_star = [*(float(at["q_star"]) for at in (*first, *steps)), state.settings.payoffs.q_star]
    cost = [*(float(at["cost"]) for at in (*first, *steps)), now.cost]
    worth = [*(at["worth"] for at in (*first, *steps)), now.worth]
    kept = thinned(len(b), len(b) - 1).tolist()
    x = [float(at) for at in kept]
    mark = "simulated" if session.collection.simulated else ""
    in_steps, unit = scenario_of(state.settings).in_steps, state.settings.payoffs.unit

    def draw(limit: Line, curve: Line, says: str, **axis: Any) -> tuple[str, str]:
        return chart([limit, curve], x_title="documents read", mark=mark, says=says, **axis), says

    says = (
        f"Chance that {question(state.settings)} after each document: {percent(b[0])} at the start, "
        f"{percent(b[-1])} after {count_of(state.depth)}. “{state.settings.plus}” pays above {percent(q_star[-1])} (q*)."
    )
    if first:
        says += f" The first {len(first):,} came with their labels: there the curve is what these alone say."
    limit = Line(x, [q_star[at] for at in kept], THRESHOLD, "q*", "6 5", steps=True)
    curve = Line(x, [b[at] for at in kept], BELIEF, "", steps=in_steps)
    drawn = [draw(limit, curve, says, y_title="chance", y_range=(0.0, 1.0))]
    if any(v is not None and v > 0 for v in worth):
        positive = [float(v) for v in (*worth, *cost) if v is not None and v > 0]
        low, high = np.floor(np.log10(min(positive))), np.ceil(np.log10(max(positive)))
        says = (
            "What the stopping rule compared, before each document: what the next documents were worth (green) "
            "against the cost of one (amber, dashed). The line ends where nothing could be gained."
        )
        # A curve of the rule over many decades would hide the crossing that matters.
        low = max(low, np.floor(np.log10(max(positive))) - 6)
        limit = Line(x, [cost[at] for at in kept], COST, "cost of one document", "6 5", steps=True)
        curve = Line(x, [worth[at] for at in kept], VALUE, "", steps=in_steps)
        title, y_range = f"worth ({unit})" if unit else "worth", (float(low), float(max(high, low + 1)))
        drawn.append(draw(limit, curve, says, y_title=title, y_range=y_range, log=True))
    return drawn


def _before_the_session(session: WholeSession) -> list[dict[str, Any]]:
    """Belief and worth before each document that came with its label, by the settings that the session began with."""
    at = next((at for at, event in enumerate(session.events) if event.kind == "kept"), None)
    if at is None:
        return []
    stored = session.stored
    state = replay(stored.settings, stored.ids, session.events[: at + 1])
    settings = state.settings
    path = screening_path(settings, *session.chances(settings, state), state)
    worth = settings.rule.worth(path)
    return [
        {
            "b": float(path.b[depth]),
            "q_star": settings.payoffs.q_star,
            "cost": settings.cost,
            "worth": None if worth is None else float(worth[depth]),
        }
        for depth in range(state.kept)
    ]


def _flow(session: WholeSession) -> dict[str, Any]:
    rows = [(name, f"{count:,}") for name, count in session.prisma.rows()]
    boxes = sheet(("Box", "Number"), rows, numbers=("Number",))
    return {"svg": flow_diagram(session.prisma, INHERITED), "boxes": boxes}


def _plan(session: WholeSession) -> dict[str, Any]:
    """The plan if there was one, and every change of settings: from it, or from the first ones."""
    state = session.state
    if state.plan is None:
        moves = [event for event in session.events if event.kind == "settings"]
        return {"registered": None, "rows": [], "changes": _changed(session, moves, session.row.settings)}
    registered = next(event for event in session.events if event.kind == "plan")
    return {
        "registered": _signed(session, registered),
        "same_list": state.plan_records == session.row.digest,
        "joined": len(state.joining("docs")),
        "rows": session.in_words(state.plan),
        "changes": [*_changed(session, state.deviations, state.plan), *_moved_aside(session)],
    }


def _moved_aside(session: WholeSession) -> list[dict[str, Any]]:
    """Documents that were set aside, or returned to the evidence, after the plan was registered."""
    return [
        {
            "signed": _signed(session, event),
            "moved": [moved_aside(event)],
            "reason": str(event.payload.get("reason", "")).strip(),
        }
        for event in after_plan(session.events)
    ]


def _changed(session: WholeSession, events: Sequence[Event], before: Settings) -> list[dict[str, Any]]:
    told = []
    for event in events:
        after = read_settings(event.payload["settings"])
        reason = str(event.payload.get("reason", "")).strip()
        told.append(
            {"signed": _signed(session, event), "moved": _moved(session, before, after), "reason": reason}
        )
        before = after
    return told


def _moved(session: WholeSession, before: Settings, after: Settings) -> list[str]:
    return changes(session.in_words(before), session.in_words(after)) or ["a value that rounding hides"]


def _steps(session: WholeSession) -> Sheet | None:
    titles, settings = session.records["title"].tolist(), session.state.settings
    chance = "p" if settings.two_stages else "rho"  # As the page says of the next document
    rows = [
        [
            step["rank"],
            step.get("rank_in_list", ""),
            step.get("fit", ""),
            titles[step["rank"] - 1] or step["id"],
            percent(step[chance]),
            percent(step["b"]),
            "" if step["worth"] is None else amount(step["worth"], step["unit"]),
            amount(step["cost"], step["unit"]),
            word_of(step["headline"]).lower(),
            f"{step['more_if_nothing']:,}",
            _verdict(step),
            claim(step["reviewer"], step),
            claimed_time(when(step["time"]), step),
        ]
        for step in _advised(session)
    ]
    its_chance = scenario_of(settings).message("chance_column", settings=settings)
    numbers = ("Rank", "In the list", "By fit", its_chance, "Belief", "Worth", "Cost", "If nothing, more")
    head = (*numbers[:3], "Document", *numbers[3:7], "Advice before it", numbers[7], "Verdict", "By", "When")
    return sheet(head, rows, numbers=numbers, wide=("Document", "Verdict")) if rows else None


def _verdict(step: Mapping[str, Any]) -> str:
    """A verdict with its grade and the reason given."""
    said = ", ".join(filter(None, (step.get("grade", ""), step["label"])))
    return f"{said} ({step['excluded_for']})" if step["excluded_for"] else said


def _log(session: WholeSession) -> Sheet:
    rows = [[event.seq, *_by(session, event), event.kind, _content(event)] for event in session.events]
    head = ("Number", "When", "By", "Event", "Content")
    return sheet(head, rows, numbers=("Number",), wide=("Content",))


def _content(event: Event) -> str:
    if event.kind in ("settings", "plan"):
        return str(event.payload.get("reason", "")) or "settings, as listed under plan and deviations"
    if event.kind == "set_aside":
        documents = event.payload["documents"]
        return f"{counted(documents)}: {', '.join(each['doc'] for each in documents)}"
    if event.kind == "fit":
        first, number = event.payload["next"][:FOLLOWING], event.payload["number"]
        return f"fit {number:,} after {event.payload['after']:,} labels; it puts {', '.join(first)} first"
    return ", ".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in event.payload.items()
        if value not in ("", [])
    )


def _by(session: WholeSession, event: Event) -> tuple[str, str]:
    """When an entry was recorded and by whom, marked where only a session file says so."""
    came = session.came.columns(event)
    return claimed_time(when(event.time), came), claim(event.reviewer, came)


def _signed(session: WholeSession, event: Event) -> str:
    time, name = _by(session, event)
    return f"{time}{f' by {name}' if name else ''}"
