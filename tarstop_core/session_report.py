"""One session as a page to attach to an audit file: nothing to load, nothing to run, it prints as it is.

What is in it follows from the stored session alone (and the versions named at its end), so the same session gives
the same page. A policy in its head forbids it to ask any network, whatever a title might hold.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.metadata import version
from typing import Any

import numpy as np

from tarstop_core import __version__
from tarstop_core.evidence import clopper_pearson
from tarstop_core.explain import amount, documents, explain, number, percent, question
from tarstop_core.figures import BELIEF, COST, THRESHOLD, VALUE, thinned
from tarstop_core.grades import grades_in_words
from tarstop_core.live_check import check_sentence, live_check
from tarstop_core.prisma_figure import INHERITED, flow_diagram
from tarstop_core.protocol_text import changes
from tarstop_core.session import (
    BACKGROUND,
    COMBINATION,
    IRRELEVANT,
    RELEVANT,
    UNSEEN,
    UNSURE,
    Decision,
    Event,
    Settings,
)
from tarstop_core.session_export import WholeSession, about_rows, when
from tarstop_core.svg import Line, chart

HEADLINES = {
    "continue": "continue",
    "stop": "stop",
    "found": "stop: found",
    "confirm": "confirm the hit",
    "depends": "depends on assumptions",
    "prior alone": "nothing read yet",
    "all read": "all read",
    "reports": "read waiting reports",
}
_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")
_STYLE = """
:root{color-scheme:light dark;--text:#1b1f24;--soft:#5b6470;--line:#d5dae1;--paper:#fff}
@media(prefers-color-scheme:dark){:root{--text:#e9edf1;--soft:#a9b1ba;--line:#3a424d;--paper:#14181d}}
body{margin:0 auto;max-width:64rem;padding:1.5rem 1rem 4rem;background:var(--paper);color:var(--text);
font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
h1{font-size:1.6rem;line-height:1.25;margin-bottom:.2rem}
h2{margin-top:2.2rem;border-bottom:1px solid var(--line);font-size:1.25rem}h3{font-size:1.05rem;margin:1.2rem 0 .2rem}
.soft,caption,figcaption{color:var(--soft)}.badge{border-left:4px solid #E69F00;padding:.3rem .8rem}
.scroll{overflow-x:auto;margin:.8rem 0}table{border-collapse:collapse;font-size:.9rem}
caption{text-align:left;padding:.3rem 0}
th,td{padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;
font-variant-numeric:tabular-nums}
td.n,th.n{text-align:right}td.n{white-space:nowrap}td.w{min-width:14rem}
tbody th{font-weight:600;min-width:11rem;max-width:22rem}
figure{margin:1rem 0}figure svg{max-width:100%;height:auto;min-width:32rem}
nav a{margin-right:1rem;display:inline-block;padding:.2rem 0}a{color:inherit}
pre{white-space:pre-wrap;font-size:.85rem}
@media print{nav{display:none}.scroll{overflow:visible}h2,h3{break-after:avoid}tr,figure{break-inside:avoid}
:root{--text:#000;--soft:#444;--line:#bbb;--paper:#fff}}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report_html(session: WholeSession) -> str:
    """The report of a session as one HTML page.

    Parameters
    ----------
    session : WholeSession

    Returns
    -------
    str
        What was searched, what was at stake, what was found, the curves, the advice at each step, the decision, the
        registered plan and every deviation, the flow diagram, the log, settings and versions.
    """
    sections = [
        ("Decision", _decision(session)),
        ("What was searched", [_pairs(about_rows(session))]),
        ("What was at stake", _at_stake(session)),
        ("What was found", _found(session)),
        ("Belief and value as screening went on", _curves(session)),
        ("Flow diagram", _flow(session)),
        ("Plan and deviations", _plan(session)),
        ("Advice at each step", _steps(session)),
        ("Log", _log(session)),
        ("Settings and versions", _versions(session)),
    ]
    links = " ".join(f'<a href="#s{at}">{escape(name)}</a>' for at, (name, _) in enumerate(sections))
    body = "\n".join(
        f'<section id="s{at}"><h2>{escape(name)}</h2>\n{_joined(blocks)}</section>'
        for at, (name, blocks) in enumerate(sections)
    )
    state, name = session.state, escape(session.row.name)
    simulated = (
        '<p class="badge">These documents are simulated: invented, for trying TARstop out.</p>'
        if session.collection.simulated
        else ""
    )
    last = state.last_time or session.row.created
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{name} · TARstop report</title><style>{_STYLE}</style></head><body>"
        f'<header><h1>{name}</h1><p class="soft">Report of a screening session, as it stood at '
        f"{escape(when(last))}; written by TARstop {__version__}.</p>{simulated}<nav>{links}</nav></header>\n"
        f"<main>{body}</main></body></html>\n"
    )


# --- sections -----------------------------------------------------------------------------------


def _decision(session: WholeSession) -> list[str]:
    state, settings = session.state, session.state.settings
    read = (
        f"{state.depth:,} of {documents(len(session.row.ids))} {'was' if state.depth == 1 else 'were'} read, at a "
        f"cost of {amount(state.spent, settings.payoffs.unit)}."
    )
    blocks = []
    if state.decision is not None:
        blocks += _decided(state.decision, settings, "Decided")
        if state.decision.outdated:
            blocks.append(_p("A verdict was changed after this decision was recorded.", "badge"))
    else:
        blocks.append(
            _p("Screening has stopped; no decision is recorded." if state.stopped else "No decision yet.")
        )
        if state.former is not None:
            blocks += _decided(state.former, settings, "Before screening went on")
    told = explain(session.advice, settings)
    blocks.append(_p(read))
    blocks.append(_p(f"Advice as it stands: {told.word}. {told.sentence} {told.stopping}"))
    if told.doubts:
        blocks.append(_list(told.doubts))
    return blocks


def _decided(decision: Decision, settings: Settings, lead: str) -> list[str]:
    kept = decision.payload
    name = str(kept.get("action") or (settings.plus if decision.plus else settings.minus))
    rows = [
        ("When", when(decision.time)),
        ("After", documents(int(kept["depth"])) if "depth" in kept else ""),
        ("Probability then", percent(float(kept["belief"])) if "belief" in kept else ""),
        (
            "Expected to bring",
            amount(float(kept["utility"]), settings.payoffs.unit) if "utility" in kept else "",
        ),
        ("Advice then", HEADLINES.get(str(kept.get("advice")), str(kept.get("advice", "")))),
        (
            "Action advised then",
            (settings.plus if kept["advised"] else settings.minus) if "advised" in kept else "",
        ),
        ("Reason given", str(kept.get("reason", ""))),
    ]
    return [
        f"<p>{escape(lead)}: <strong>{escape(name)}</strong></p>",
        _pairs([row for row in rows if row[1]]),
    ]


def _at_stake(session: WholeSession) -> list[str]:
    state = session.state
    blocks = [_pairs(session.in_words(state.settings), "Settings in force")]
    if state.settings != session.row.settings:
        before = session.in_words(session.row.settings)
        blocks.append(_p("The session began with other settings:"))
        blocks.append(
            _list(changes(before, session.in_words(state.settings)) or ["a value that rounding hides"])
        )
    return blocks


def _found(session: WholeSession) -> list[str]:
    state = session.state
    blocks = [
        _p(
            f"{grades_in_words(state).replace(' ·', ',')}, {len(state.unsure):,} unsure, of {documents(state.depth)} "
            "read. The chance "
            f"that {question(state.settings)} is now {percent(session.advice.b)}."
        ),
        _p(_checked(session)),
    ]
    for label, name in (
        (RELEVANT, "Relevant documents"),
        (COMBINATION, "In combination (Y)"),
        (BACKGROUND, "Background (A)"),
        (UNSURE, "Still unsure"),
    ):
        blocks += _documents(session, np.flatnonzero(state.labels == label), name)
    other = [
        at
        for at, doc in enumerate(session.row.ids)
        if doc in state.notes and int(state.labels[at]) in (UNSEEN, IRRELEVANT)
    ]
    blocks += _documents(session, other, "Other documents with a note")
    if state.settings.review:
        blocks += _tables(session)
    return blocks


def _checked(session: WholeSession) -> str:
    """Whether the chances fitted what was found."""
    settings, row = session.state.settings, session.row
    calibrator = session.calibrators[settings.calibrator]
    p = calibrator.probabilities(row.scores, session.state.ranked)
    return check_sentence(live_check(settings, calibrator, p, session.state), settings)


def _documents(session: WholeSession, positions: Iterable[int], name: str) -> list[str]:
    state, rows = session.state, []
    for at in map(int, positions):
        record = session.records.iloc[at]
        report = state.read_in_full.get(at)
        told = ""
        if state.settings.review and state.labels[at] == RELEVANT:
            told = (
                "not read in full yet"
                if report is None
                else ": ".join(filter(None, (report.outcome, report.reason)))
            )
        elif at in state.pending:
            told = "not confirmed"
        flags = "; ".join(flag.words for flag in session.flags[at])
        if at in state.together:
            told = ", ".join(filter(None, (f"with rank {state.together[at] + 1}", told)))
        source = record["publication_number"] or record["doi"] or record["pmid"] or record["id"]
        rows.append(
            [
                at + 1,
                record["title"],
                source,
                record["date"],
                told,
                flags,
                state.notes.get(session.row.ids[at], ""),
            ]
        )
    if not rows:
        return []
    return [
        _table(
            ["Rank", "Title", "Number", "Date", "Remark", "Flag", "Note"],
            rows,
            name,
            numeric={0},
            wide={1, 5, 6},
        )
    ]


def _tables(session: WholeSession) -> list[str]:
    tables, notes = session.state.evidence.tables, session.state.evidence.notes
    if not len(tables):
        return [_p("No 2×2 table was found.")]
    share = clopper_pearson(tables.TP, tables.FN)
    rows = [
        [
            tables.study[i],
            *(
                "" if np.isnan(cell[i]) else int(cell[i])
                for cell in (tables.TP, tables.FP, tables.FN, tables.TN)
            ),
            ""
            if np.isnan(share.value[i])
            else f"{share.value[i]:.2f} ({share.low[i]:.2f} to {share.high[i]:.2f})",
        ]
        for i in range(len(tables))
    ]
    head = ["Study", "TP", "FP", "FN", "TN", "Sensitivity (95 %)"]
    return [_table(head, rows, "2×2 tables", numeric={1, 2, 3, 4, 5}), _list(notes) if notes else ""]


def _advised(session: WholeSession) -> list[dict[str, Any]]:
    """The documents read here: those that came with their labels were never advised on."""
    return session.steps[session.state.kept :]


def _curves(session: WholeSession) -> list[str]:
    state, now = session.state, session.advice
    steps = _advised(session)
    if not steps:
        return [_p("Nothing was read, so there is nothing to draw.")]
    # What was shown before each document, and what is shown after the last.
    b = [*(float(step["b"]) for step in steps), now.b]
    q_star = [*(float(step["q_star"]) for step in steps), state.settings.payoffs.q_star]
    cost = [*(float(step["cost"]) for step in steps), now.cost]
    worth = [*(step["worth"] for step in steps), now.worth]
    kept = thinned(len(b), len(b) - 1).tolist()
    x = [float(at + state.kept) for at in kept]
    review, mark = state.settings.review, "simulated" if session.collection.simulated else ""
    says = (
        f"Chance that {question(state.settings)} after each document: {percent(b[0])} at the start, "
        f"{percent(b[-1])} after {documents(state.depth)}; action a⁺ above {number(q_star[-1])}."
    )
    upper = chart(
        [
            Line(x, [q_star[at] for at in kept], THRESHOLD, "q*", "6 5", steps=True),
            Line(x, [b[at] for at in kept], BELIEF, "", steps=review),
        ],
        x_title="documents read",
        y_title="chance",
        y_range=(0.0, 1.0),
        says=says,
        mark=mark,
        ink="currentColor",
    )
    blocks = [_figure(upper, says)]
    positive = [float(v) for v in (*worth, *cost) if v is not None and v > 0]
    if any(v is not None and v > 0 for v in worth):
        low, high = np.floor(np.log10(min(positive))), np.ceil(np.log10(max(positive)))
        says = (
            "What the stopping rule compared, before each document: what the next documents were worth (green) "
            "against the cost of one (amber, dashed). The line ends where nothing could be gained."
        )
        # A curve of the rule over many decades would hide the crossing that matters.
        low = max(low, np.floor(np.log10(max(positive))) - 6)
        lower = chart(
            [
                Line(x, [cost[at] for at in kept], COST, "cost of one document", "6 5", steps=True),
                Line(x, [worth[at] for at in kept], VALUE, "", steps=review),
            ],
            x_title="documents read",
            y_title=f"worth{f' ({state.settings.payoffs.unit})' if state.settings.payoffs.unit else ''}",
            y_range=(float(low), float(max(high, low + 1))),
            log=True,
            says=says,
            mark=mark,
            ink="currentColor",
        )
        blocks.append(_figure(lower, says))
    return blocks


def _flow(session: WholeSession) -> list[str]:
    picture = flow_diagram(
        session.prisma,
        full_text=session.state.settings.review,
        stopped=session.state.stopped,
        colours=INHERITED,
    )
    source = "After PRISMA 2020 (Page and others 2021, doi 10.1136/bmj.n71)."
    return [_figure(picture, source), _table(["Box", "Number"], session.flow, "", numeric={1})]


def _plan(session: WholeSession) -> list[str]:
    state = session.state
    if state.plan is None:
        moved = _changed(session, [event for event in session.events if event.kind == "settings"], None)
        return [
            _p("No plan was registered before screening started."),
            *([_p("Settings were changed during screening:"), *moved] if moved else []),
        ]
    registered = next(event for event in session.events if event.kind == "plan")
    same = (
        "The list of documents is the one that was registered."
        if state.plan_records == session.row.digest
        else "The list of documents is NOT the one that was registered."
    )
    moved = _changed(session, state.deviations, state.plan)
    return [
        _p(f"Registered {_signed(registered)}, before the first document was read. {same}"),
        _pairs(session.in_words(state.plan), "Registered plan"),
        *([_p("Deviations:"), *moved] if moved else [_p("There was no deviation from the plan.")]),
    ]


def _changed(session: WholeSession, events: Sequence[Event], first: Settings | None) -> list[str]:
    before = session.row.settings if first is None else first
    blocks = []
    for event in events:
        after = Settings.from_dict(event.payload["settings"])
        reason = str(event.payload.get("reason", "")).strip()
        moved = changes(session.in_words(before), session.in_words(after)) or ["a value that rounding hides"]
        blocks.append(
            f"<h3>{escape(_signed(event))}</h3>{_list(moved)}{_p(f'Reason: {reason}' if reason else 'No reason given.')}"
        )
        before = after
    return blocks


def _steps(session: WholeSession) -> list[str]:
    if not _advised(session):
        return [_p("No document was read.")]
    titles = session.records["title"].tolist()
    rows = [
        [
            step["rank"],
            titles[step["rank"] - 1] or step["id"],
            percent(step["p"]),
            percent(step["b"]),
            "" if step["worth"] is None else number(step["worth"]),
            number(step["cost"]),
            HEADLINES.get(step["headline"], step["headline"]),
            step["more_if_nothing"],
            _verdict(step),
            step["reviewer"],
            when(step["time"]),
        ]
        for step in _advised(session)
    ]
    head = [
        "Rank",
        "Document",
        _whose_chance(session.state.settings),
        "Belief",
        "Worth",
        "Cost",
        "Advice before it",
        "If nothing, more",
    ]
    note = (
        "Each line holds what stood on the screen just before the document was read, with the settings then in force; "
        "the verdict is the one that stands now."
    )
    return [
        _p(note),
        _table([*head, "Verdict", "By", "When"], rows, "", numeric={0, 2, 3, 4, 5, 7}, wide={1}),
    ]


def _whose_chance(settings: Settings) -> str:
    """What p is a chance of; in a search the Screen page says the chance of a hit, which is less: p · b."""
    if not settings.review:
        return f"Its chance, if {question(settings)}"
    return "Its chance to be included" if settings.stages == 2 else "Its chance to bring data"


def _verdict(step: Mapping[str, Any]) -> str:
    """A verdict with its grade and the reason given."""
    said = ", ".join(filter(None, (step.get("grade", ""), step["label"])))
    return f"{said} ({step['excluded_for']})" if step["excluded_for"] else said


def _log(session: WholeSession) -> list[str]:
    rows = [
        [event.seq, when(event.time), event.reviewer, event.kind, _content(event)] for event in session.events
    ]
    if not rows:
        return [_p("Nothing was recorded.")]
    inside = _table(["Number", "When", "By", "Event", "Content"], rows, "", numeric={0, 1}, wide={4})
    return [f"<details><summary>All {len(rows):,} events</summary>{inside}</details>"]


def _content(event: Event) -> str:
    if event.kind in ("settings", "plan"):
        return str(event.payload.get("reason", "")) or "settings, as listed under plan and deviations"
    return ", ".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in event.payload.items()
    )


def _versions(session: WholeSession) -> list[str]:
    rows = [("TARstop", __version__), ("Python", platform.python_version())]
    rows += [(name, version(name)) for name in _PACKAGES]
    exact = json.dumps(session.state.settings.to_dict(), ensure_ascii=False, indent=1)
    return [
        _pairs(rows, "Written with"),
        f"<details><summary>Settings in full precision</summary><pre>{escape(exact)}</pre></details>",
    ]


# --- pieces -------------------------------------------------------------------------------------


def _joined(blocks: Iterable[str]) -> str:
    return "\n".join(block for block in blocks if block)


def _p(words: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(words)}</p>' if kind else f"<p>{escape(words)}</p>"


def _list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"


def _pairs(rows: Iterable[tuple[str, str]], caption: str = "") -> str:
    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows
    )
    return f'<div class="scroll"><table>{told}<tbody>{body}</tbody></table></div>'


def _table(
    head: Sequence[str],
    rows: Iterable[Sequence[Any]],
    caption: str,
    *,
    numeric: set[int],
    wide: set[int] | None = None,
) -> str:
    """Cells as text; columns that are empty everywhere are left out."""
    kept = [[str(cell) for cell in row] for row in rows]
    shown = [at for at in range(len(head)) if any(row[at] for row in kept)]
    kinds = {
        at: ' class="n"' if at in numeric else ' class="w"' if at in (wide or ()) else "" for at in shown
    }
    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    top = "".join(f'<th scope="col"{kinds[at]}>{escape(head[at])}</th>' for at in shown)
    body = "\n".join(
        "<tr>" + "".join(f"<td{kinds[at]}>{escape(row[at])}</td>" for at in shown) + "</tr>" for row in kept
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption or head[0], quote=True)}">'
        f"<table>{told}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _figure(svg: str, says: str) -> str:
    return f'<figure><div class="scroll">{svg}</div><figcaption>{escape(says)}</figcaption></figure>'


def _signed(event: Event) -> str:
    return f"{when(event.time)}{f' by {event.reviewer}' if event.reviewer else ''}"
