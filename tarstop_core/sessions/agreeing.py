"""Agreement between the readers of a session, and what all of them may have overlooked, from its log."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tarstop_core.documents.reports import ELIGIBLE
from tarstop_core.readers.agreement import Agreement, agreement, in_stretches
from tarstop_core.readers.overlooked import Overlooked, overlooked
from tarstop_core.readers.table import ReadersTable
from tarstop_core.readers.verdicts import Verdicts
from tarstop_core.readers.words import readers_report
from tarstop_core.screening.independent import BROUGHT, JudgedDocument, SeveralReaders
from tarstop_core.screening.reports_apart import ReadApart, compare
from tarstop_core.screening.scenarios.studies import report_columns
from tarstop_core.screening.several_readers import SECOND
from tarstop_core.sessions import message

QUARTERS = 4
"""Stretches of reading for which agreement is reported one after the other."""
LISTED = 5
"""How many disagreements are named."""
RESOLVED, DRAWN = "resolved", "audit_draw"
"""Columns of exports that ``tarstop readers`` looks for: the final verdict, and the number of the audit draw."""


def table_of(several: SeveralReaders) -> ReadersTable:
    """Table of independent verdicts, final verdicts and audit draws, as ``tarstop readers`` reads it from a file."""
    judged = [*several.judged.values()]
    relevant = np.array([_relevant(document, several) for document in judged], dtype=float)
    draw_numbers = {doc: number for number, doc in enumerate(several.drawn, start=1)}
    draws = np.array([draw_numbers.get(document.doc, 0) for document in judged], dtype=np.int64)
    docs = tuple(several.judged)
    verdicts = Verdicts(several.independent(), relevant, draws, ordered=True, names=docs)
    return ReadersTable(several.readers.names, verdicts, docs, taken_as_relevant=0)


def _relevant(judged: JudgedDocument, several: SeveralReaders) -> float:
    """Final verdict on a document: 1 relevant, 0 not; NaN while it is open, or if all excluded it and nobody checked."""
    if judged.check is None and judged.resolution is None:
        excluded_by_all = {*several.first[judged.doc].values()} == {
            "irrelevant"
        } and judged.label == "irrelevant"
        if excluded_by_all or judged.label == "unsure":
            return np.nan
    return float(judged.label == "relevant")


def agreed(several: SeveralReaders) -> Agreement | None:
    """Agreement between the readers; None until some document has two independent verdicts."""
    verdicts = several.independent()
    return agreement(verdicts) if ((~np.isnan(verdicts)).sum(axis=1) >= 2).any() else None


def missed(several: SeveralReaders) -> Overlooked | None:
    """Estimate of the relevant documents that all readers overlooked; None until all have judged some document."""
    return overlooked(table_of(several).verdicts) if several.judged else None


def in_words(several: SeveralReaders, most: int = LISTED) -> list[str]:
    """Paragraphs on agreement, open disagreements, what may be overlooked, and each reader.

    Parameters
    ----------
    several : SeveralReaders
        The log of all readers.
    most : int
        Largest number of disagreements that are listed.

    Returns
    -------
    list of str
        Empty until some document has two independent verdicts.
    """
    agree = agreed(several)
    if agree is None:
        return []
    table = table_of(several)
    course = [
        None if part is None else part.ac1.value for part in in_stretches(table.verdicts.included, QUARTERS)
    ]
    return [line.strip() for line in readers_report(table, agree, course, overlooked(table.verdicts), most)]


def verdict_columns(several: SeveralReaders) -> dict[str, dict[str, str]]:
    """Columns of each document that all have judged: the readers' verdicts, the final verdict, and the number of its draw.

    ``tarstop readers`` reads these columns back.
    """
    table, drawn = table_of(several), {doc: str(number) for number, doc in enumerate(several.drawn, start=1)}
    columns = _columns(several)
    words = {0.0: "excluded", 1.0: "included"}
    included, relevant = table.verdicts.included.tolist(), table.verdicts.relevant.tolist()
    return {
        doc: {
            **{column: words.get(verdict, "") for column, verdict in zip(columns.values(), row, strict=True)},
            RESOLVED: words.get(final, ""),
            DRAWN: drawn.get(doc, ""),
        }
        for doc, row, final in zip(table.names, included, relevant, strict=True)
    }


def full_text_columns(several: SeveralReaders) -> dict[str, dict[str, str]]:
    """Columns of each document that all have read in full: outcome, reason and numbers as each reader first entered them.

    The names are those of the columns for the report that counts, followed by the name of the reader's column.
    ``tarstop readers --reader`` reads the outcomes back.
    """
    columns = _columns(several)
    return {
        doc: {
            f"{name}_{columns[reader]}": value
            for reader in several.alone_in_full
            for name, value in report_columns(several.in_full.first[doc].get(reader)).items()
        }
        for doc in several.in_full.read
    }


def _columns(several: SeveralReaders) -> dict[str, str]:
    """Name of each reader's column of verdicts, in letters and digits; numbered if two names would be equal."""
    plain = {name: re.sub(r"\W", "_", name) for name in several.readers.names}
    if len({column.casefold() for column in plain.values()}) < len(plain):
        plain = {name: f"{at}_{column}" for at, (name, column) in enumerate(plain.items(), start=1)}
    return {name: f"reader_{column}" for name, column in plain.items()}


@dataclass(frozen=True)
class InFull:
    """Agreement on full texts that each reader read alone, before they saw each other's entries."""

    read: int
    """Reports that all have read."""
    agree: Agreement | None
    """Agreement on whether a report is eligible; None before any was read by two."""
    differed: int
    """Number of reports on which they differed in anything."""
    waiting: int
    """Number of included reports with differences still to be settled."""
    numbers: int
    """How many numbers all took from the same reports."""
    numbers_differed: int
    """How many of these numbers differed."""
    settled: list[str]
    """How many differences each person settled: "2 by Rita"."""


def agreed_in_full(several: SeveralReaders) -> InFull | None:
    """Agreement on full texts; None if readers do not each read these alone, or have not all read any yet."""
    first = [
        reports for reports in several.in_full.first.values() if {*several.alone_in_full} <= reports.keys()
    ]
    if not first or len(several.alone_in_full) < 2:
        return None
    eligible = [
        [ELIGIBLE.get(reports[name].outcome, np.nan) for name in several.alone_in_full] for reports in first
    ]
    verdicts = np.array(eligible, dtype=float)
    compared = [compare([*reports.values()]) for reports in first]
    numbers = [
        place
        for places in compared
        for place in places
        if all(isinstance(value, int | float) for value in place.values)
    ]
    return InFull(
        read=len(first),
        agree=agreement(verdicts) if (~np.isnan(verdicts)).all(axis=1).any() else None,
        differed=sum(any(place.differ for place in places) for places in compared),
        waiting=len(several.reports_waiting),
        numbers=len(numbers),
        numbers_differed=sum(place.differ for place in numbers),
        settled=_settled_by(several.in_full.read.values()),
    )


def _settled_by(differing: Iterable[JudgedDocument | ReadApart]) -> list[str]:
    """How many differences each person settled: "2 by Rita"."""
    settled = Counter(item.resolution.reviewer for item in differing if item.resolution is not None)
    return [f"{number:,} by {name}" for name, number in settled.items()]


def counted_apart(several: SeveralReaders) -> tuple[tuple[str, int], ...]:
    """Rows of the flow diagram's table on several readers: what they judged independently, disagreed on and resolved."""
    agree = agreed(several)
    if agree is None:
        return _counted_in_full(several)
    judged = [doc for doc in several.judged if len(several.first[doc]) > 1]
    differed = [doc for doc in judged if len({*several.first[doc].values()}) > 1]
    rows = [
        (message("judged_apart", agree=agree), len(judged)),
        ("Records on which readers disagreed", len(differed)),
        ("Of these, not yet resolved", len(several.waiting)),
    ]
    drawn = len(several.drawn)
    return (
        *rows,
        *([("Records that all excluded, drawn at random and judged again", drawn)] if drawn else ()),
        *_counted_in_full(several),
    )


def _counted_in_full(several: SeveralReaders) -> tuple[tuple[str, int], ...]:
    in_full = agreed_in_full(several)
    if in_full is None:
        return ()
    return (
        (message("read_apart", agree=in_full.agree), in_full.read),
        ("Reports on which readers differed", in_full.differed),
        ("Of these reports, still to be settled", in_full.waiting),
    )


def who_read(several: SeveralReaders) -> list[str]:
    """Paragraphs of a report on its readers: who read what, blind or not, who resolved what, and how well they agreed."""
    first = message(
        "who_read",
        readers=several.readers,
        second=SECOND[several.readers.second],
        read=[f"{several.read_by(name):,} by {name}" for name in several.readers.names],
        brought=[event for event in several.files.values() if event.kind == BROUGHT],
        opened=several.opened,
        judged=len(several.judged),
        settled=_settled_by(several.judged.values()),
        waiting=len(several.waiting),
        drawn=len(several.drawn),
    )
    in_full = agreed_in_full(several)
    names = several.alone_in_full
    of_full_texts = (
        [message("who_read_in_full", readers=names, in_full=in_full, opened=several.opened)]
        if in_full
        else []
    )
    return [first, *in_words(several), *of_full_texts]
