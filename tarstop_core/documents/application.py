"""What is known of the application that prior art is sought for, and which documents cannot be held against it.

State of the art is what was made available to the public before the date that counts for the application (Article
54(2) of the European Patent Convention). An earlier filing that was published later counts for novelty only (Article
54(3)); it can be told from its own date of filing, which lists of documents seldom give, so it is said, not computed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.documents.dates import _span, date_words
from tarstop_core.documents.records import normal_publication_number

Kind = Literal["late", "own", "unclear"]


@dataclass(frozen=True)
class Application:
    """The application, as far as a person said; everything may stay empty."""

    number: str = ""
    """Its publication or application number."""
    priority: str = ""
    """The date that prior art must precede, as :func:`read_date` writes it: "2018-03-03", "2018-03" or "2018"."""
    family: str = ""
    """The family that the list of documents puts the number in, where it holds it."""
    left_out: int = 0
    """Documents that were left out of the list because they cannot be held against it."""

    @property
    def known(self) -> bool:
        """Whether anything was said that documents can be compared with."""
        return bool(self.number or self.priority)


NOTHING_SAID = Application()
NO_OTHERS: Mapping[str, Sequence[str]] = {}
MEMBERS = 3  # of a family that a flag names


@dataclass(frozen=True)
class Flag:
    """Why a document may not count."""

    kind: Kind
    """One of "late", "own" or "unclear": published too late; of the application's own family; or its date does not tell."""
    words: str
    """A clause, to stand after the document's number."""

    @property
    def bars(self) -> bool:
        """Whether the document cannot settle the question, as far as is known."""
        return self.kind != "unclear"


def flags(
    application: Application, date: str, number: str, family: str, others: Sequence[str] = ()
) -> tuple[Flag, ...]:
    """What speaks against one document, by its date, publication number and family as its file says them.

    `family` is an identifier or the numbers of the members; `others` are those that it stands for in the list, which may
    be older.

    Examples
    --------
    >>> mine = Application(number="EP3456789", priority="2018-03-03")
    >>> [flag.words for flag in flags(mine, "2018", "US2018111A1", "")]
    ['dated 2018, which may be before or after your priority date 3 March 2018: look it up']
    >>> [flag.kind for flag in flags(mine, "2019-09-04", "EP 3 456 789 A1", "")]
    ['own', 'late']
    """
    found = []
    if _own(application, family, (number, *others)):
        found.append(Flag("own", "belongs to your own application's family, so it cannot be held against it"))
    published, asked = _span(date), _span(application.priority)
    if asked is None:
        return tuple(found)
    until = f"your priority date {date_words(application.priority)}"
    if published is None:
        found.append(Flag("unclear", f"without a date, so it may be before or after {until}: look it up"))
    elif published[0] >= asked[1]:
        said = f"published {date_words(date)}, {'on' if published == asked else 'after'} {until}"
        if others:
            members = f"{', '.join(others[:MEMBERS])}{', …' if len(others) > MEMBERS else ''}"
            found.append(
                Flag("unclear", f"{said}, but {members} of the same family may be earlier: look it up")
            )
        else:
            found.append(
                Flag(
                    "late",
                    f"{said}: cannot be prior art unless filed earlier (an earlier filing published later counts only "
                    "for novelty)",
                )
            )
    elif published[1] >= asked[0]:
        found.append(
            Flag("unclear", f"dated {date_words(date)}, which may be before or after {until}: look it up")
        )
    return tuple(found)


def flagged(
    application: Application, frame: pd.DataFrame, also: Mapping[str, Sequence[str]] = NO_OTHERS
) -> list[tuple[Flag, ...]]:
    """The flags of every record of a table, in its order; `also` holds the `others` of :func:`flags` by id."""
    if not application.known:
        return [()] * len(frame)
    names = ("id", "date", "publication_number", "family")
    rows = zip(*(frame[name].tolist() for name in names), strict=True)
    return [flags(application, date, number, family, also.get(doc, ())) for doc, date, number, family in rows]


def cannot_settle(found: Sequence[Sequence[Flag]]) -> NDArray[np.bool_]:
    """Which of the records with these flags cannot settle the question, shape (N,)."""
    return np.array([any(flag.bars for flag in each) for each in found], dtype=bool)


def with_family(application: Application, frame: pd.DataFrame) -> Application:
    """The application with the family that a table of records puts its number in.

    Examples
    --------
    >>> table = pd.DataFrame({"publication_number": ["EP3456789A1"], "family": ["66001"]})
    >>> with_family(Application(number="EP 3 456 789"), table).family
    '66001'
    """
    own = _bare(application.number)
    if not own:
        return replace(application, family="")
    numbers = map(_bare, frame["publication_number"].tolist())
    found = (
        family
        for number, family in zip(numbers, frame["family"].tolist(), strict=True)
        if number == own and family
    )
    return replace(application, family=next(found, ""))


def _own(application: Application, family: str, numbers: Iterable[str]) -> bool:
    if application.family and family == application.family:
        return True
    own = _bare(application.number)
    return bool(own) and own in map(_bare, (*numbers, *re.split(r"[;,|\n]+", family)))


def _bare(number: str) -> str:
    """A publication number without its kind code: an application and its patent are one family."""
    return re.sub(r"(?<=\d)[A-Z]\d?$", "", normal_publication_number(number))
