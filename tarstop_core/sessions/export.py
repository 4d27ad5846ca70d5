"""Exports of a session: CSV and Excel for tables, RIS for reference managers and screening tools.

Everything is computed from the stored log. Texts that a spreadsheet would run as formulas are written as plain text.
"""

import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import rispy
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Font

from tarstop_core.documents.merging import merging_counts
from tarstop_core.documents.records import TEXT_COLUMNS, Link, links
from tarstop_core.files.delimited import FORMULA_STARTS, trace_to_csv
from tarstop_core.ranking.features import VERSION as FEATURES_VERSION
from tarstop_core.screening import record_message
from tarstop_core.screening.audit import drawn_in_words
from tarstop_core.screening.labels import GRADES, IRRELEVANT, NAMES, RELEVANT, UNSEEN
from tarstop_core.screening.provenance import claimed_time
from tarstop_core.screening.report_entry import full_text_rows, table_rows
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.setting_aside import all_aside, aside_in_words, moved_aside
from tarstop_core.screening.state import State
from tarstop_core.sessions.agreeing import full_text_columns, verdict_columns
from tarstop_core.sessions.learning import gain_sentence
from tarstop_core.sessions.prisma import FAMILIES, origin
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import SessionSnapshot

NOT_READ = "not read"
ASIDE = "set aside"
JOINED = {"joined": "Joined later", "parted": "Taken back"}
"""Words for changes of the list, by kind of event."""
# ASReview's notation in a record's notes, which other tools and our reader understand.
_DECISIONS = {RELEVANT: "ASReview_relevant", IRRELEVANT: "ASReview_irrelevant"}
_EARLIER = ("label", "reason", "remark")  # Columns of an earlier reader's verdict, from the file of the list
_TEXTS = tuple(name for name in TEXT_COLUMNS if name not in ("id", *_EARLIER))


def document_rows(session: SessionSnapshot) -> list[dict[str, Any]]:
    """Rows of all documents of the list: the record, the verdict, the note, and the advice just before it was read.

    Columns about reading are empty for documents that were not read. Documents set aside unread come last, without a rank.
    """
    columns, aside = dict.fromkeys(name for step in session.steps for name in step), all_aside(session.state)
    stored = session.stored
    scores = {} if stored.scores is None else dict(zip(stored.ids, stored.scores.tolist(), strict=True))
    rows = []
    apart = {} if session.several is None else verdict_columns(session.several)
    in_full = {} if session.several is None else full_text_columns(session.several)
    unjudged, unread = (dict.fromkeys(next(iter(by.values()), ()), "") for by in (apart, in_full))
    records = session.records.to_dict("records")
    for at, record in enumerate(records):
        read = session.steps[at] if at < len(session.steps) else {}
        verdict = {"rank": at + 1, "id": record["id"], "label": read.get("label", NOT_READ)}
        verdict |= {"note": session.state.notes.get(str(record["id"]), "")}
        verdict |= apart.get(record["id"], unjudged)
        about = {name: record[name] for name in _TEXTS}
        about["links"] = " ".join(link.url for link in _links(record))
        about |= {f"{name}_in_file": record[name] for name in _EARLIER} | {
            "score": scores.get(str(record["id"]))
        }
        if family := session.state.other_family_members:
            about["also_published_as"] = "; ".join(family.get(str(record["id"]), ()))
        if session.state.settings.grades:
            about["flag"] = "; ".join(flag.words for flag in session.flags[at])
        if aside:
            about["set_aside"] = aside[record["id"]]["words"] if at in session.state.aside_read else ""
        advice = {name: read.get(name, "") for name in columns if name not in (*verdict, *about)}
        rows.append(verdict | about | advice | in_full.get(record["id"], unread))
    for record in session.records_aside.to_dict("records"):
        row = {name: record[name] for name in (*_TEXTS, "id")}
        row |= {"label": ASIDE, "set_aside": aside[record["id"]]["words"], "score": scores.get(record["id"])}
        row |= {f"{name}_in_file": record[name] for name in _EARLIER}
        row["links"] = " ".join(link.url for link in _links(record))
        rows.append({name: row.get(name, "") for name in rows[0]})
    return [{name: "" if value is None else value for name, value in row.items()} for row in rows]


def to_csv(session: SessionSnapshot) -> str:
    """All documents of a session as CSV, with numbers in full precision; texts that look like formulas get an apostrophe."""
    return trace_to_csv(document_rows(session))


def to_ris(session: SessionSnapshot, relevant_only: bool = False, with_data: bool = False) -> str:
    """Documents of a session as RIS, with verdict and note in field N1.

    In a patent session, documents graded X, Y or A are relevant, because a search report cites them. Only X is marked
    as relevant in ASReview's notation, because only X decides when the file is read in again.

    Parameters
    ----------
    session
        The session.
    relevant_only
        Whether only relevant documents are written.
    with_data
        Whether only documents whose reports brought data are written.

    Returns
    -------
    str
        RIS; empty if there is no such document.
    """
    state = session.state
    entries = [
        _ris(record, at, int(state.labels[at]), state)
        for at, record in enumerate(session.records.to_dict("records"))
        if int(state.labels[at]) in GRADES or not relevant_only
        if at in state.evidence.positions or not with_data
    ]
    if not (relevant_only or with_data):
        for record in session.records_aside.to_dict("records"):
            why = f"TARstop: {ASIDE} ({state.aside[str(record['id'])]['words']})"
            entries.append(_ris(record, -1, UNSEEN, state) | {"notes": [why]})
    return str(rispy.dumps(entries)) if entries else ""


def to_xlsx(session: SessionSnapshot) -> bytes:
    """A session as an Excel file: documents, settings, flow diagram and log and, in a review, studies and full texts."""
    book = Workbook(write_only=True)
    settings = session.state.settings
    _sheet(book, "Documents", document_rows(session))
    about = [*about_rows(session), *session.in_words(settings)]
    _sheet(book, "Settings", [{"setting": name, "value": value} for name, value in about])
    _sheet(book, "PRISMA", [{"box": name, "number": count} for name, count in session.prisma.rows()])
    if settings.reads_full_texts:
        titles = session.records["title"].tolist()
        _sheet(book, scenario_of(settings).sheet, table_rows(session.state, session.row.ids))
        reports = full_text_rows(session.state, session.row.ids, session.events)
        _sheet(book, "Full texts", [{**row, "title": titles[row["rank"] - 1]} for row in reports])
    names = ("number", "time", "reviewer", "event", "content")
    log = []
    for event in session.events:
        content = json.dumps(dict(event.payload), ensure_ascii=False)
        values = (event.seq, event.time, event.reviewer, event.kind, content)
        log.append(dict(zip(names, values, strict=True)) | session.provenance.columns(event))
    _sheet(book, "Log", log)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def tables_csv(session: OpenSession) -> str:
    """The studies that count as CSV, with the documents that they come from."""
    return trace_to_csv(table_rows(session.state, session.row.ids))


def full_texts_csv(session: OpenSession) -> str:
    """The outcome of every included report as CSV."""
    rows = full_text_rows(session.state, session.row.ids, session.events)
    records = session.reports_of(row["rank"] - 1 for row in rows)
    return trace_to_csv([{**row, "title": record.title} for row, record in zip(rows, records, strict=True)])


def trace_csv(session: OpenSession) -> str:
    """The trace of a session as CSV: a row for each document read, with its title and source."""
    texts = session.store.record_texts(session.collection.id, session.row.order[: session.state.depth])
    rows = zip(session.steps, texts, strict=True)
    return trace_to_csv([step | {"title": text.title, "source": text.source} for step, text in rows])


def about_rows(session: SessionSnapshot) -> list[tuple[str, str]]:
    """Facts about a session and its search, as names and values; empty ones are left out."""
    row, collection, state, origins = session.row, session.collection, session.state, session.provenance
    simulated = " (simulated)" if collection.simulated else ""
    rows = [
        ("Begun", when(row.created) + (" (claimed)" if origins.began_elsewhere else "")),
        ("Imported", origins.sentence(when)),
        ("Taken over", origins.elsewhere()),
        ("Last recorded", when(state.last_time) if state.last_time else "nothing yet"),
        ("Documents", f"{len(row.ids):,} from “{collection.name}”{simulated}"),
        *(row for file in session.files for row in _about_file(file)),
        ("Duplicates removed", f"{collection.duplicates:,}"),
        ("About duplicates", record_message("merged", **merging_counts(collection.files))),
        (FAMILIES, f"{session.family_members:,}" if session.family_members else ""),
        ("Labels that came along", f"{state.kept:,}, from {state.kept_from}" if state.kept else ""),
        ("Audit draws", drawn_in_words(state) if state.drawn is not None else ""),
        ("Set aside", aside_in_words(all_aside(state).values()) if all_aside(state) else ""),
        ("Of these, read before", f"{len(state.aside_read):,}" if state.aside_read else ""),
        *(
            (
                "Set aside later" if event.kind == "set_aside" else "Returned later",
                f"{moved_aside(event)}, {claimed_time(when(event.time), origins.columns(event))}",
            )
            for event in session.events
            if event.kind == "returned" or (event.kind == "set_aside" and "ranks" not in event.payload)
        ),
        *(
            (
                JOINED[event.kind],
                f"{joined_in_words(event.payload)}, {claimed_time(when(event.time), origins.columns(event))}",
            )
            for event in session.events
            if event.kind in JOINED
        ),
        ("Searched for", row.query or "—"),
        ("Order", row.ranking or "—"),
        ("Learned from labels", _ranker_in_words(state.fit) if state.fit else ""),
        ("Compared with the list’s own order", gain_sentence(state) if state.fit else ""),
        ("Scores weighed beside labels", _score_columns(session) if state.settings.weighs_scores else ""),
        ("Fingerprint of the list", row.digest),
    ]
    return [("Session", row.name), *(fact for fact in rows if fact[1])]


def joined_in_words(content: Mapping[str, Any]) -> str:
    """Clause on how many documents joined or left again and from where, given the payload of the event."""
    return record_message(
        "joined",
        documents=len(content["docs"]),
        source=content["source"],
        duplicates=content.get("duplicates", 0),
        alike=len(content.get("alike", ())),
    )


def _about_file(file: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Rows on a file: its number of records, the lines before them (usually its search), and remarks on reading it."""
    name = file["source"]
    identified = f"Identified in {origin(file)}" + (f" ({name})" if file.get("database") else "")
    lines = file.get("first_lines", ())
    return [
        (identified, f"{int(file['records']):,}"),
        (f"{'First lines' if len(lines) > 1 else 'First line'} of {name}", "; ".join(lines)),
        (f"Noted on reading {name}", " ".join(file.get("notes", ()))),
    ]


def _score_columns(session: SessionSnapshot) -> str:
    """Names of the columns of files that scores come from."""
    named = (
        f"column “{header}” of {file['source']}"
        for file in session.files
        for header, column in file.get("understood", {}).items()
        if column == "score"
    )
    return "; ".join(named) or "those of the file"


def _ranker_in_words(last: Mapping[str, Any]) -> str:
    """Which ranker put the list in order, how often, and with which settings and features, given its last fit."""
    settings = ", ".join(f"{name} {value}" for name, value in last["settings"].items())
    return (
        f"{last['number']:,} {'fit' if last['number'] == 1 else 'fits'}, the last after {last['after']:,} labels; ranker "
        f"{last['ranker']} ({settings}), seed {last['seed']}; on TF-IDF weights of word stems and neighbouring pairs, version "
        f"{FEATURES_VERSION}"
    )


def when(stamp: str) -> str:
    """A time of the store as '2026-11-21 14:02:07 UTC'; other texts are unchanged."""
    date, at, rest = stamp.partition("T")
    return f"{date} {rest[:8]} UTC" if at and rest.endswith("+00:00") else stamp


def _links(record: Mapping[Any, Any]) -> tuple[Link, ...]:
    return links(*(str(record[name]) for name in ("url", "publication_number", "doi", "pmid")))


def _ris(record: Mapping[Any, Any], at: int, label: int, state: State) -> dict[str, Any]:
    """Fields of a document for RIS; `at` is its position in the order of reading, -1 off the list."""
    plain = {name: " ".join(str(value).split()) for name, value in record.items() if name != "score"}
    # A document that was not decided on gets no note that another program could take for a decision.
    notes = [_DECISIONS[label]] if label in _DECISIONS else []
    verdict = "not read" if label == UNSEEN else NAMES[label]
    if state.settings.grades and label in GRADES:
        verdict = f"{GRADES[label]}, {verdict}"
    if at in state.together:
        verdict += f" with rank {state.together[at] + 1}"
    if at in state.excluded_for:
        verdict += f" ({' '.join(state.excluded_for[at].split())})"
    notes.append(f"TARstop: {verdict}, rank {at + 1}")
    report = state.read_in_full.get(at)
    if report is not None:
        reason = f": {' '.join(report.reason.split())}" if report.reason.strip() else ""
        notes.append(f"TARstop full text: {report.outcome}{reason}")
    if plain["record_number"]:
        notes.append(f"Record number: {plain['record_number']}")
    note = " ".join(state.notes.get(str(record["id"]), "").split())
    if note:
        notes.append(f"Note: {note}")
    number, pmid = plain["publication_number"], plain["pmid"]
    entry = {
        "type_of_reference": "PAT" if number else "JOUR",
        "id": plain["id"],
        "title": plain["title"],
        "authors": [name.strip() for name in plain["authors"].split(";") if name.strip()],
        "date": plain["date"],
        "abstract": plain["abstract"],
        "doi": plain["doi"],
        "publisher": plain["assignee"] if number else "",
        "urls": [link.url for link in _links(plain)],
        "accession_number": number or pmid,
        "name_of_database": "PubMed" if pmid and not number else "",
        "notes": notes,
    }
    return {name: value for name, value in entry.items() if value}


def _sheet(book: Any, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add a sheet with these rows to a workbook, with their names in bold above."""
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    head = [WriteOnlyCell(sheet, name) for name in (rows[0] if rows else ("nothing recorded",))]
    for cell in head:
        cell.data_type, cell.font = "s", Font(bold=True)
    sheet.append(head)
    for row in rows:
        sheet.append([_cell(sheet, value) for value in row.values()])


def _cell(sheet: Any, value: Any) -> Any:
    """A value as a cell of Excel in which a text stays a text, whatever it begins with."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if not isinstance(value, str):
        return value
    clean = ILLEGAL_CHARACTERS_RE.sub("\ufffd", value)
    if not clean.startswith(FORMULA_STARTS):
        return clean
    cell = WriteOnlyCell(sheet, clean)
    # Excel's own mark for "this is text": it shows as an apostrophe and survives editing the cell.
    cell.data_type, cell.quotePrefix = "s", True
    return cell
