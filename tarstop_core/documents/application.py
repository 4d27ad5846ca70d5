"""Flag documents that may not be prior art against the patent application under examination.

The state of the art is everything made public before the application's priority date (Article 54(2) of the European
Patent Convention). A document that was filed before this date and published on or after it counts for novelty only
(Article 54(3)); in the United States it is prior art by 35 U.S.C. § 102(a)(2). All other documents are too late.

Dates may be incomplete or missing. A document is flagged as too late only if every reading of its dates makes it so.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from tarstop_core.documents.records import (
    _WORDS,
    Span,
    date_key,
    date_words,
    normal_publication_number,
    span,
    without_kind_code,
)

Kind = Literal["late", "earlier", "own", "unclear"]


@dataclass(frozen=True)
class Application:
    """The application as a person described it; every field may be empty."""

    number: str = ""  # Publication or application number
    priority: str = ""
    """The date that prior art must precede, as :func:`read_date` writes it: "2018-03-03", "2018-03" or "2018"."""
    family: str = ""  # Its family in the list of documents, if the list contains its number
    left_out: int = 0  # Number of documents left out of the list because they cannot be prior art
    applicant: str = ""  # Its applicant in the list of documents, if the list contains its number

    @property
    def known(self) -> bool:
        """Whether there is a number or a date to compare documents with."""
        return bool(self.number or self.priority)


NOTHING_SAID = Application()
NO_OTHERS: Mapping[str, Sequence[str]] = {}
_PATENT = re.compile(r"\d[BC]\d?$")
NEVER = (date.min, date.min)
MEMBERS = 3  # A flag names at most this many members of a family
_BEGINS = re.compile(
    r"\b(?:compris(?:ing|es)|consisting of|characteri[sz]ed (?:in that|by))\b:?\s*", re.IGNORECASE
)
_BETWEEN = re.compile(r";(?:\s*and\b)?|\n|,?(?<!\s)\s+(?=wherein\b)")
LATER_FILED = "an earlier filing published later"
NOVELTY = f"{LATER_FILED}, which counts for novelty only (Art. 54(3) EPC; in the US see § 102(a)(2))"


@lru_cache(maxsize=8)
def claim_features(claim: str) -> tuple[str, ...]:
    """Split a claim into its features; empty if the claim cannot be split.

    Examples
    --------
    >>> claim_features("A mount, comprising a base plate; and a mast, wherein the mast folds.")
    ('A mount', 'a base plate', 'a mast', 'wherein the mast folds')
    """
    features = [part for piece in _BETWEEN.split(claim) for part in _BEGINS.split(piece, maxsplit=1)]
    named = [feature.strip(" ,.") for feature in features]
    return tuple(filter(None, named)) if len(named) > 1 else ()


@dataclass(frozen=True)
class Dated:
    """The data of a record that decide whether the document may be prior art; every field may be empty."""

    date: str = ""
    filing_date: str = ""
    priority_date: str = ""  # The earliest filing date that it claims
    grant_date: str = ""
    publication_number: str = ""
    family: str = ""  # An identifier of its family, or the publication numbers of the members
    assignee: str = ""


COLUMNS = tuple(field.name for field in fields(Dated))


@dataclass(frozen=True)
class Flag:
    """Why a document may not be prior art."""

    kind: Kind
    """"late": published too late, and not known to be filed earlier; "earlier": filed earlier and published later;
    "own": of the application's own family; "unclear": its dates do not decide."""
    words: str  # The reason as a clause that follows the document's number
    certain: bool = True  # Whether no date that its file leaves out could change this

    @property
    def bars(self) -> bool:
        """Whether the document cannot be prior art as far as is known."""
        return self.kind in ("late", "own")

    @property
    def asks(self) -> bool:
        """Whether to ask the person before this document counts as prior art."""
        return self.kind != "unclear"


def flags(application: Application, document: Dated, others: Sequence[str] = ()) -> tuple[Flag, ...]:
    """Flag one document by its dates, number, family and applicant.

    Parameters
    ----------
    application : Application
        The application under examination.
    document : Dated
        The document.
    others : sequence of str
        Numbers of family members that it represents in the list; they may be older.

    Returns
    -------
    tuple of Flag
    """
    family, dates = _own(application, document, others), _by_dates(application, document, others)
    return tuple(flag for flag in (family, dates) if flag is not None)


def _by_dates(application: Application, document: Dated, others: Sequence[str]) -> Flag | None:
    """Flag a document by its dates; None if it was public before the priority date, or there is no such date."""
    asked, published, granted = map(span, (application.priority, document.date, document.grant_date))
    if asked is None or (published is not None and published[1] < asked[0]):
        return None
    until = f"your priority date {date_words(application.priority)}"
    issued_before = granted is not None and granted[1] < asked[0]
    if issued_before and published is None:
        return None  # a granted patent is public
    filings = _filings(document)
    # A document is published after its filing, which is after the priority that it claims.
    if max(days[0] for days in (published, *filings, NEVER) if days is not None) < asked[1]:
        return Flag("unclear", f"{_either(document, asked, until)}: look it up")
    made_public = _made_public(document, asked, until)
    if issued_before:
        return Flag(
            "unclear", f"{made_public}, although granted {date_words(document.grant_date)}: look it up"
        )
    if others:
        members = f"{', '.join(others[:MEMBERS])}{', …' if len(others) > MEMBERS else ''}"
        return Flag("unclear", f"{made_public}, but {members} of the same family may be earlier: look it up")
    if any(filed[1] < asked[0] for filed in filings):
        # The application of a granted patent was published before the patent, and may be prior art in full.
        number = normal_publication_number(document.publication_number)
        patent = granted is not None or _PATENT.search(number)
        before = "; it is a granted patent, whose application may have been published in time"
        return Flag("earlier", f"{_filed_earlier(document, asked, until)}{before if patent else ''}")
    if not filings:
        unless = "unless filed earlier (an earlier filing published later counts only for novelty)"
        return Flag("late", f"{made_public}: cannot be prior art {unless}", certain=False)
    if any(filed[0] < asked[1] for filed in filings):
        return Flag("unclear", f"{made_public}, but {_filed(document)}, which may be before it: look it up")
    claims = span(document.priority_date) is not None
    how = "too late to be prior art" if claims else "too late, unless it claims an earlier priority"
    return Flag("late", f"{_filed(document)}, not before {until}: {how}", certain=claims)


def _filings(document: Dated) -> list[Span]:
    """The days of the claimed priority and of the filing, as far as they are known."""
    days = map(span, (document.priority_date, document.filing_date))
    return [filed for filed in days if filed is not None]


def _either(document: Dated, asked: Span, until: str) -> str:
    """Word that the dates do not decide whether the document was published in time."""
    is_dated = span(document.date) is not None
    dated = f"dated {date_words(document.date)}" if is_dated else "without a date of publication"
    filings = _filings(document)
    if any(filed[1] < asked[0] for filed in filings):
        return f"{_filed(document)}, before {until}, and {dated}, so it may count in full or for novelty only"
    if is_dated:
        return f"{dated}, which may be before or after {until}"
    return f"{dated if filings else 'without a date'}, so it may be before or after {until}"


def _made_public(document: Dated, asked: Span, until: str) -> str:
    """Word that the document was published on or after the priority date."""
    published = span(document.date)
    if published is None:
        return f"{_filed(document)}, so published after {until}"
    return f"published {date_words(document.date)}, {'on' if published == asked else 'after'} {until}"


def _filed(document: Dated) -> str:
    """Word when the document was filed and which priority it claims."""
    filed = f"filed {date_words(document.filing_date)}" if span(document.filing_date) else ""
    # A first filing claims no priority of another.
    first = span(document.priority_date) == span(document.filing_date)
    claims = span(document.priority_date) is not None and not first
    claimed = f"with priority of {date_words(document.priority_date)}" if claims else ""
    return " ".join(filter(None, (filed, claimed)))


def _filed_earlier(document: Dated, asked: Span, until: str) -> str:
    """Word which date makes the document a conflicting application, which counts for novelty only."""
    filed = span(document.filing_date)
    is_dated = span(document.date) is not None
    after = f"published {date_words(document.date)}" if is_dated else "published after it"
    if filed is not None and filed[1] < asked[0]:
        return f"filed {date_words(document.filing_date)}, before {until}, and {after}: {NOVELTY}"
    claim = f"with priority of {date_words(document.priority_date)}, before {until}, and {after}: {NOVELTY}"
    return claim if filed is None else f"{claim}, as far as it is entitled to that priority"


def dated(record: Mapping[str, Any]) -> Dated:
    """Select the data of a record that decide whether the document may be prior art."""
    return Dated(**{name: record[name] for name in COLUMNS})


def flagged(
    application: Application, frame: pd.DataFrame, also: Mapping[str, Sequence[str]] = NO_OTHERS
) -> list[tuple[Flag, ...]]:
    """Flag every record of a table.

    Parameters
    ----------
    application : Application
        The application under examination.
    frame : DataFrame
        The records.
    also : mapping of str to sequence of str
        The `others` of :func:`flags`, by id.

    Returns
    -------
    list of tuple of Flag
        In the order of the table; without flags if nothing is known about the application.
    """
    if not application.known:
        return [()] * len(frame)
    rows = zip(*(frame[name].tolist() for name in COLUMNS), strict=True)
    return [
        flags(application, Dated(*row), also.get(doc, ()))
        for doc, row in zip(frame["id"].tolist(), rows, strict=True)
    ]


def barring(flags: Iterable[Flag]) -> Flag | None:
    """The first flag by which a document cannot be prior art; None if there is none."""
    return next((flag for flag in flags if flag.bars), None)


def with_family(application: Application, frame: pd.DataFrame) -> Application:
    """The application with the family and applicant of its own record in a table, if the table contains its number."""
    own = without_kind_code(application.number)
    numbers = frame["publication_number"].tolist()
    held = frame[np.array([bool(own) and without_kind_code(number) == own for number in numbers], dtype=bool)]
    family, applicant = (next(filter(None, held[name].tolist()), "") for name in ("family", "assignee"))
    return replace(application, family=family, applicant=applicant)


def members(family: str) -> list[str]:
    """Split the text of a family into the numbers of its members, or its single identifier.

    >>> members("EP 3456789 A1;;US 9123456 B2"), members("")
    (['EP 3456789 A1', 'US 9123456 B2'], [])
    """
    return [name for part in re.split(r"[;,|\n]+", family) if (name := part.strip())]


def _own(application: Application, document: Dated, others: Iterable[str]) -> Flag | None:
    """Flag a document of the application's own family, by family, number, or applicant and priority date."""
    own, numbers = without_kind_code(application.number), (*others, *members(document.family))
    if (application.family and document.family == application.family) or (
        own and own in map(without_kind_code, (document.publication_number, *numbers))
    ):
        return Flag("own", "belongs to your own application's family, so it is not prior art against it")
    asked, day = date_key(application.priority), span(application.priority)
    published = span(document.date)
    if len(asked) == 3 and asked == date_key(document.priority_date) and day is not None:
        before = published is not None and published[1] < day[0]
        if not before and _names(application.applicant) & _names(document.assignee):
            words = "has your applicant and your priority date, so it is probably your own family"
            return Flag("own", words)
    return None


def _names(applicants: str) -> set[str]:
    """Names of applicants without case and punctuation, which databases spell differently."""
    return {" ".join(_WORDS.findall(name.casefold())) for name in re.split(r"[;|\n]+", applicants)} - {""}
