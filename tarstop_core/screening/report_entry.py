"""Reports from what a person types, or from a table of several studies, and the form for a stored report."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tarstop_core.documents.reports import FullText, Report, StudyRow
from tarstop_core.effects.bias import Bias
from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.provenance import provenance
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.typed_numbers import Typed, TypedTable

EMPTY = TypedTable()
LONGEST_TITLE = 60  # Most characters of a title in the name of a study
_YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")


@dataclass(frozen=True)
class ReportDraft:
    """The form for a report read in full, with everything as it was typed."""

    outcome: FullText = "data"
    study: str = ""
    reason: str = ""
    tables: tuple[Typed, ...] = (EMPTY,)  # At least one, which may be empty
    bias: str = ""  # Risk of bias of the study; empty if it was not judged
    stored: Report | None = None  # The report as it is stored, if it is
    looked_at: str = ""  # The oddities that the person was shown

    @classmethod
    def of(cls, report: Report | None, study: str, empty: Typed = EMPTY) -> ReportDraft:
        """The draft that a form starts with.

        Parameters
        ----------
        report : Report or None
            The stored report.
        study : str
            Name of the study if no report is stored.
        empty : TypedTable or TypedEffect
            An empty form for the numbers of a report.

        Returns
        -------
        ReportDraft
            The stored report as it would be typed, or an empty one.
        """
        if report is None or report.outcome == "waiting":
            return cls(study=study, tables=(empty,), stored=report)
        tables = tuple(
            empty.of_row(row, row.study.removeprefix(report.study).lstrip(", ")) for row in report.rows
        )
        bias = next((row.bias.value for row in report.rows if row.bias), "")
        return cls(report.outcome, report.study, report.reason, tables or (empty,), bias, report)

    def doubts(self, read: Report) -> str:
        """Sentences on what looks odd in the checked report `read`, to be shown before it counts; may be empty."""
        typed = (table for table in self.tables if table.is_typed)
        pairs = zip(typed, read.rows, strict=False)
        return " ".join(filter(None, (table.doubts(row.study) for table, row in pairs)))

    def another(self) -> ReportDraft:
        """The draft with one more empty table."""
        further = self.tables[0].emptied(f"{self.tables[0].called} {len(self.tables) + 1}")
        return replace(self, tables=(*self.tables, further))

    @property
    def to_convert(self) -> tuple[int, ...]:
        """Indices of the tables for which only rates were typed."""
        return tuple(at for at, table in enumerate(self.tables) if table.to_convert)

    def report(self, unnamed: str) -> Report:
        """The report, checked; a study without a name is called `unnamed`.

        InputProblem if something is missing, cannot be used or contradicts something else.

        Examples
        --------
        >>> ReportDraft(study="Lee 2004", tables=(TypedTable(TP="9", FN="2"),)).report("#3").rows[0].counts
        (9, None, 2, None)
        """
        study, reason = self.study.strip(), self.reason.strip()
        typed = tuple(table for table in self.tables if table.is_typed)
        if self.outcome != "data":
            # The counts of a stored report may still be in the form when its outcome is changed to one without data.
            if typed and (
                self.stored is None
                or typed != ReportDraft.of(self.stored, "", self.tables[0].emptied()).tables
            ):
                raise InputProblem(typed[0].unwanted)
            return Report(self.outcome, reason, study)
        if not typed:
            other = " If it is excluded, say so above." if reason else ""
            raise InputProblem(f"{self.tables[0].missing}{other}")
        rows = list[StudyRow]()
        for at, table in enumerate(typed, start=1):
            name = ", ".join(filter(None, (study or unnamed, table.part.strip())))
            try:
                rows.append(replace(table.row(name), bias=Bias(self.bias) if self.bias else None))
            except InputProblem as problem:
                raise InputProblem(
                    f"{table.called.capitalize()} {at}: {problem}" if len(typed) > 1 else str(problem)
                ) from None
        return Report("data", reason, study or unnamed, tuple(rows))


def study_name(authors: str, date: str) -> str:
    """'Surname Year', as reviews name their studies; empty if no author is known.

    Examples
    --------
    >>> study_name("Lee, Jane; Kim, S.", "2004-03"), study_name("Lee J, Kim S", "2004 Mar"), study_name("", "")
    ('Lee 2004', 'Lee 2004', '')
    >>> study_name("van der Berg AB; Kim S", ""), study_name("Jane Lee and S. Kim", "1999")
    ('van der Berg', 'Lee 1999')
    """
    first = re.split(r";| and | & ", authors.strip())[0].strip()
    before, comma, _ = first.partition(",")
    words = before.split()
    if not words:
        return ""
    if len(words) > 1 and re.fullmatch(r"(?:[A-Z]\.?-?){1,4}", words[-1]):
        words = words[:-1]
    elif len(words) > 1 and words[0][0].isupper() and not (comma and ";" in authors):
        words = words[-1:]
    year = _YEAR.search(date)
    return " ".join([*words, *([year.group()] if year else [])])


def name_without_author(place: int, title: str) -> str:
    """Name of a study without known author: its position, from 1 on, and its shortened title.

    Examples
    --------
    >>> name_without_author(2, "A trial of a vaccine"), name_without_author(2, "")
    ('#3 A trial of a vaccine', 'Document #3')
    """
    short = textwrap.shorten(title, LONGEST_TITLE, placeholder=" …")
    return f"#{place + 1} {short}" if short else f"Document #{place + 1}"


def by_study(state: State) -> dict[str, list[int]]:
    """Positions of the eligible reports of each study, by its name as first written, in the order of reading."""
    studies: dict[str, tuple[str, list[int]]] = {}
    for at, report in state.read_in_full.items():
        if report.outcome in ("data", "no data") and report.study:
            studies.setdefault(report.study.casefold(), (report.study, []))[1].append(at)
    return dict(studies.values())


def table_rows(state: State, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of the studies that count: name, document, numbers and risk of bias."""
    studies = state.evidence
    columns = dict.fromkeys(name for row in studies.rows for name in row.numbers)
    judged = any(row.bias for row in studies.rows)
    return [
        {
            "study": row.study,
            "document": ids[at],
            "rank": int(at) + 1,
            **{name: row.numbers.get(name) for name in columns},
            **({"bias": row.bias and row.bias.value} if judged else {}),
        }
        for row, at in zip(studies.rows, studies.positions, strict=True)
    ]


def full_text_rows(state: State, ids: Sequence[str], events: Sequence[Event]) -> list[dict[str, Any]]:
    """Rows of all included reports, in the order of reading: document, outcome, reason, study, time and person.

    Parameters
    ----------
    state : State
        State of the session.
    ids : sequence of str
        Its documents in the order of reading.
    events : sequence of Event
        Its log.

    Returns
    -------
    list of dict
        Value by column; a report without an entry has the outcome "waiting".
    """
    last = {str(event.payload["doc"]): event for event in standing(events) if event.kind == "report"}
    rows, origins = [], provenance(events)
    for at in sorted([*state.read_in_full, *state.waiting.tolist()]):
        entered = state.read_in_full.get(at)
        report, event = entered or Report("waiting"), last.get(ids[at]) if entered else None
        rows.append(
            {
                "document": ids[at],
                "rank": at + 1,
                "outcome": report.outcome,
                "reason": report.reason,
                "study": report.study,
                "tables": len(report.rows),
                "time": event.time if event else "",
                "reviewer": event.reviewer if event else "",
                **origins.columns(event),
            }
        )
    return rows


# --- a table of studies: which study belongs to which waiting report


@dataclass(frozen=True)
class FilledIn:
    """Reports that a table of studies fills in."""

    reports: Mapping[int, Report]  # by position of the document
    left_out: tuple[str, ...] = ()
    """Studies that fit no report or several, or a report that another study fits too."""
    unfit: tuple[str, ...] = ()  # studies whose numbers answer another question than the session's


class Waiting(NamedTuple):
    """What identifies the study of a waiting report in a table of studies."""

    doc: str
    title: str
    study: str  # First author and year; empty if no author is known

    def fits(self, study: str, key: str) -> bool:
        """Whether the report is of a study with this name, and with this author and year as :func:`_key` finds them."""
        name, title = study.strip().casefold(), self.title.casefold()
        if name == self.doc.casefold():
            return True
        if self.study:
            return bool(key) and key == _key(self.study)
        return " " in name and title.startswith(name) and not title[len(name) :][:1].isalnum()


def filled_in(rows: Sequence[StudyRow], waiting: Mapping[int, Waiting], settings: Settings) -> FilledIn:
    """Waiting reports filled in from a table of studies.

    A study fits a report with its first author and year, with its name as id or, if no author is known, with a title
    that begins with its name.

    Parameters
    ----------
    rows : sequence of StudyRow
        The studies of the table.
    waiting : mapping of int to Waiting
        The reports that wait, by position.
    settings : Settings
        Settings of the session.

    Returns
    -------
    FilledIn
        The reports, and the studies that were left out.
    """
    fits = [
        [at for at, report in waiting.items() if report.fits(row.study, key)]
        for row in rows
        for key in [_key(row.study)]
    ]
    often = Counter(at for places in fits for at in places)
    reports, left_out, unfit = dict[int, Report](), list[str](), list[str]()
    for row, fitting in zip(rows, fits, strict=True):
        report = Report("data", study=row.study, rows=(row,))
        if len(fitting) != 1 or often[fitting[0]] > 1:
            left_out.append(row.study)
        elif not settings.counts(report):
            unfit.append(row.study)
        else:
            reports[fitting[0]] = report
    return FilledIn(dict(sorted(reports.items())), tuple(left_out), tuple(unfit))


def _key(study: str) -> str:
    """Last word of the first author, and year, in the name of a study; empty unless it has both.

    >>> _key("Ferguson & Simes 1949"), _key("van der Berg et al. 2004"), _key("Trial 7"), _key("1949")
    ('ferguson 1949', 'berg 2004', '', '')
    """
    year = _YEAR.search(study)
    first = re.split(r"\s(?:&|and|et al)(?:\s|\.|$)|[,;(]", study[: year.start()])[0].split() if year else []
    return f"{first[-1].casefold()} {year.group()}" if year and first else ""
