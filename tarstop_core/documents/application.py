"""The application under examination, and the documents that cannot be prior art against it.

State of the art is what was made available to the public before the date that counts for the application (Article
54(2) of the European Patent Convention). A filing with an earlier date that was published on or after it counts for
novelty only (Article 54(3)); in the United States it is prior art by 35 U.S.C. § 102(a)(2). What has neither is too late.

Dates may be known in part or not at all. A document is called too late only where every reading of its dates says so.
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
    """The application, as far as a person described it; every field may stay empty."""

    number: str = ""  # Its publication or application number
    priority: str = ""
    """The date that prior art must precede, as :func:`read_date` writes it: "2018-03-03", "2018-03" or "2018"."""
    family: str = ""  # The family that the list of documents puts the number in, where it holds it
    left_out: int = 0  # Documents that were left out of the list because they cannot be prior art against it
    applicant: str = ""  # Whose it is according to the list of documents, where it holds the number

    @property
    def known(self) -> bool:
        """Whether anything is known that documents can be compared with."""
        return bool(self.number or self.priority)


NOTHING_SAID = Application()
NO_OTHERS: Mapping[str, Sequence[str]] = {}
_PATENT = re.compile(r"\d[BC]\d?$")
NEVER = (date.min, date.min)
MEMBERS = 3  # of a family that a flag names
_BEGINS = re.compile(
    r"\b(?:compris(?:ing|es)|consisting of|characteri[sz]ed (?:in that|by))\b:?\s*", re.IGNORECASE
)
_BETWEEN = re.compile(r";(?:\s*and\b)?|\n|,?(?<!\s)\s+(?=wherein\b)")
LATER_FILED = "an earlier filing published later"
NOVELTY = f"{LATER_FILED}, which counts for novelty only (Art. 54(3) EPC; in the US see § 102(a)(2))"


@lru_cache(maxsize=8)
def claim_features(claim: str) -> tuple[str, ...]:
    """Split a claim into what it asks for; a claim that cannot be split gives nothing.

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
    """The data of a record that decide whether the document may count; any of them may be empty."""

    date: str = ""
    filing_date: str = ""
    priority_date: str = ""  # The earliest date of filing that it claims
    grant_date: str = ""
    publication_number: str = ""
    family: str = ""  # An identifier of its family, or the numbers of the members
    assignee: str = ""


COLUMNS = tuple(each.name for each in fields(Dated))


@dataclass(frozen=True)
class Flag:
    """Why a document may not count."""

    kind: Kind
    """"late": published too late, and not filed earlier as far as is known; "earlier": filed earlier and published
    later; "own": of the application's own family; "unclear": its dates do not tell."""
    words: str  # A clause, to stand after the document's number
    certain: bool = True  # Whether nothing that its file leaves out can change that

    @property
    def bars(self) -> bool:
        """Whether the document cannot settle the question, as far as is known."""
        return self.kind in ("late", "own")

    @property
    def asks(self) -> bool:
        """Whether a person should be asked before the document settles the question."""
        return self.kind != "unclear"


def flags(application: Application, document: Dated, others: Sequence[str] = ()) -> tuple[Flag, ...]:
    """Return the flags of one document from the dates, number, family and applicant in its file.

    Parameters
    ----------
    application : Application
        That prior art is sought for.
    document : Dated
        What the file gives of the document.
    others : sequence of str
        Members of its family that it stands for in the list, which may be older.

    Returns
    -------
    tuple of Flag
    """
    by_dates = _by_dates(application, document, others)
    return tuple(flag for flag in (_own(application, document, others), by_dates) if flag is not None)


def _by_dates(application: Application, document: Dated, others: Sequence[str]) -> Flag | None:
    asked, published, granted = map(span, (application.priority, document.date, document.grant_date))
    if asked is None or (published is not None and published[1] < asked[0]):
        return None
    until = f"your priority date {date_words(application.priority)}"
    issued_before = granted is not None and granted[1] < asked[0]
    if issued_before and published is None:
        return None  # what is granted is published
    begun = [each for each in map(span, (document.priority_date, document.filing_date)) if each is not None]
    # Nothing is published before it is filed, nor filed before the priority that it claims.
    if max(each[0] for each in (published, *begun, NEVER) if each is not None) < asked[1]:
        return Flag("unclear", f"{_either(document, asked, until)}: look it up")
    made_public = _made_public(document, asked, until)
    if issued_before:
        return Flag(
            "unclear", f"{made_public}, although granted {date_words(document.grant_date)}: look it up"
        )
    if others:
        members = f"{', '.join(others[:MEMBERS])}{', …' if len(others) > MEMBERS else ''}"
        return Flag("unclear", f"{made_public}, but {members} of the same family may be earlier: look it up")
    if any(each[1] < asked[0] for each in begun):
        # What was granted was published as an application before, which may be prior art in full.
        number = normal_publication_number(document.publication_number)
        patent = granted is not None or _PATENT.search(number)
        before = "; it is a granted patent, whose application may have been published in time"
        return Flag("earlier", f"{_filed_earlier(document, asked, until)}{before if patent else ''}")
    if not begun:
        unless = "unless filed earlier (an earlier filing published later counts only for novelty)"
        return Flag("late", f"{made_public}: cannot be prior art {unless}", certain=False)
    if any(each[0] < asked[1] for each in begun):
        return Flag("unclear", f"{made_public}, but {_begun(document)}, which may be before it: look it up")
    claims = span(document.priority_date) is not None
    how = "too late to be prior art" if claims else "too late, unless it claims an earlier priority"
    return Flag("late", f"{_begun(document)}, not before {until}: {how}", certain=claims)


def _either(document: Dated, asked: Span, until: str) -> str:
    """That the dates leave open whether it was published in time."""
    is_dated = span(document.date) is not None
    dated = f"dated {date_words(document.date)}" if is_dated else "without a date of publication"
    begun = [each for each in map(span, (document.priority_date, document.filing_date)) if each is not None]
    if any(each[1] < asked[0] for each in begun):
        return f"{_begun(document)}, before {until}, and {dated}, so it may count in full or for novelty only"
    if is_dated:
        return f"{dated}, which may be before or after {until}"
    return f"{dated if begun else 'without a date'}, so it may be before or after {until}"


def _made_public(document: Dated, asked: Span, until: str) -> str:
    published = span(document.date)
    if published is None:
        return f"{_begun(document)}, so published after {until}"
    return f"published {date_words(document.date)}, {'on' if published == asked else 'after'} {until}"


def _begun(document: Dated) -> str:
    """When it was filed and what priority it claims, in words."""
    filed = f"filed {date_words(document.filing_date)}" if span(document.filing_date) else ""
    # A first filing claims no other.
    first = span(document.priority_date) == span(document.filing_date)
    claims = span(document.priority_date) is not None and not first
    claimed = f"with priority of {date_words(document.priority_date)}" if claims else ""
    return " ".join(filter(None, (filed, claimed)))


def _filed_earlier(document: Dated, asked: Span, until: str) -> str:
    """That it is a conflicting application, and by which of its dates."""
    filed = span(document.filing_date)
    is_dated = span(document.date) is not None
    after = f"published {date_words(document.date)}" if is_dated else "published after it"
    if filed is not None and filed[1] < asked[0]:
        return f"filed {date_words(document.filing_date)}, before {until}, and {after}: {NOVELTY}"
    claim = f"with priority of {date_words(document.priority_date)}, before {until}, and {after}: {NOVELTY}"
    return claim if filed is None else f"{claim}, as far as it is entitled to that priority"


def dated(record: Mapping[str, Any]) -> Dated:
    """What a record says of itself."""
    return Dated(**{name: record[name] for name in COLUMNS})


def flagged(
    application: Application, frame: pd.DataFrame, also: Mapping[str, Sequence[str]] = NO_OTHERS
) -> list[tuple[Flag, ...]]:
    """Flag every record of a table.

    Parameters
    ----------
    application : Application
        That prior art is sought for.
    frame : DataFrame
        The records.
    also : mapping of str to sequence of str
        By id: the `others` of :func:`flags`.

    Returns
    -------
    list of tuple of Flag
        In the order of the table; no flags where nothing is known of the application.
    """
    if not application.known:
        return [()] * len(frame)
    rows = zip(*(frame[name].tolist() for name in COLUMNS), strict=True)
    return [
        flags(application, Dated(*row), also.get(doc, ()))
        for doc, row in zip(frame["id"].tolist(), rows, strict=True)
    ]


def barring(flags: Iterable[Flag]) -> Flag | None:
    """The flag by which a document cannot be prior art against the application; None where nothing bars it."""
    return next((flag for flag in flags if flag.bars), None)


def with_family(application: Application, frame: pd.DataFrame) -> Application:
    """The application with the family and the applicant that a table of records gives its number."""
    own = without_kind_code(application.number)
    numbers = (
        [without_kind_code(number) == own for number in frame["publication_number"].tolist()] if own else []
    )
    held = frame[np.array(numbers, dtype=bool)] if any(numbers) else frame[:0]
    family, applicant = (next(filter(None, held[name].tolist()), "") for name in ("family", "assignee"))
    return replace(application, family=family, applicant=applicant)


def members(family: str) -> list[str]:
    """Numbers of the members of a family, or the one identifier that stands for it.

    >>> members("EP 3456789 A1;;US 9123456 B2"), members("")
    (['EP 3456789 A1', 'US 9123456 B2'], [])
    """
    return [name for part in re.split(r"[;,|\n]+", family) if (name := part.strip())]


def _own(application: Application, document: Dated, others: Iterable[str]) -> Flag | None:
    """Whether it belongs to the application's own family, by what it is called or by its priority."""
    its = members(document.family)
    own = without_kind_code(application.number)
    if (application.family and document.family == application.family) or (
        own and own in map(without_kind_code, (document.publication_number, *others, *its))
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
    """Applicants in a form in which two databases spell them alike."""
    return {" ".join(_WORDS.findall(name.casefold())) for name in re.split(r"[;|\n]+", applicants)} - {""}
