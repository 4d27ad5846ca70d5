"""The table of records that every reader returns, and normal forms of identifiers, dates and addresses."""

import calendar
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

from tarstop_core.errors import InputProblem

TEXT_COLUMNS: tuple[str, ...] = tuple(
    "id title abstract authors date doi pmid publication_number url label source "
    "family reason remark assignee priority_date filing_date grant_date record_number read_order labelled_at".split()
)
"""Columns of text. `authors` holds the inventors of a patent, and `date` the date of publication.

`record_number` is the number of the record in another tool, if it differs from `id`. `read_order` is the rank of the
label in the order of labelling (`PRIOR` for labels that existed before), `labelled_at` its time.
"""
LATER: tuple[str, ...] = TEXT_COLUMNS[TEXT_COLUMNS.index("family") :]
"""Columns that the first version of tables of records did not have."""
RECORD_COLUMNS: tuple[str, ...] = (*TEXT_COLUMNS, "score")

PRIOR = "prior"
SAID_RELEVANT = "relevant"
SAID_NOT_RELEVANT = "not relevant"
_WORDS = re.compile(r"[^\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]")


def as_records(columns: pd.DataFrame | Mapping[str, Any]) -> pd.DataFrame:
    """Complete a table to all `RECORD_COLUMNS` in order, with the index 0 … n − 1.

    Missing text becomes "", a missing score NaN.

    Raises
    ------
    InputProblem
        When a column is unknown, the column `id` is missing, or an id is empty or occurs twice.
    """
    given = pd.DataFrame(columns)
    unknown = [str(column) for column in given.columns if column not in RECORD_COLUMNS]
    if unknown:
        raise InputProblem(
            f"A table of records has no column named {', '.join(unknown)}; use {', '.join(RECORD_COLUMNS)}."
        )
    if "id" not in given:
        raise InputProblem("A table of records needs the column id; give every record one.")
    # Arrays instead of Series, because pandas aligns Series by their index, which takes five times as long.
    empty = pd.Series([""] * len(given), dtype="str").array
    text = {name: _text(given[name]) if name in given else empty.copy() for name in TEXT_COLUMNS}
    score = given["score"].to_numpy("float64") if "score" in given else np.full(len(given), np.nan)
    frame = pd.DataFrame({**text, "score": score.copy()}, copy=False)
    unnamed = np.flatnonzero((frame["id"] == "").to_numpy())
    if len(unnamed):
        raise InputProblem(f"Record {unnamed[0] + 1} has no id; give every record one.")
    again = np.flatnonzero(frame["id"].duplicated().to_numpy())
    if len(again):
        raise InputProblem(f"The id {frame['id'].iloc[again[0]]} occurs twice; give every record its own id.")
    return frame


def _text(column: pd.Series) -> ExtensionArray:
    """Copy a column as text, "" where it is missing."""
    text = (column if column.dtype == "str" else column.astype("str")).array
    return text.fillna("") if text.isna().any() else text.copy()


def ranking_text(frame: pd.DataFrame) -> list[str]:
    """The text that each record is ranked by: title and abstract.

    If the abstract starts with the title, as in collections that store both in one field, the title is not added again.
    """
    return [
        abstract if _starts_with(abstract, title) else f"{title} {abstract}".rstrip()
        for title, abstract in zip(frame["title"].tolist(), frame["abstract"].tolist(), strict=True)
    ]


def _starts_with(text: str, title: str) -> bool:
    return "".join(text[: 2 * len(title)].split()).startswith("".join(title.split()))


def records_hash(frame: pd.DataFrame) -> str:
    """SHA-256 of the records and their order in hexadecimal, the same on every machine.

    It covers all columns but `source`, because renaming a file does not change its content. Columns of later versions
    count only if they are not empty, so that older tables keep their hash.
    """
    digest = hashlib.sha256(b"records 1")
    for column in TEXT_COLUMNS:
        if column == "source":
            continue
        # The lengths are hashed first, so that moving a character between neighbours changes the hash.
        values = [value.encode("utf-8", "surrogatepass") for value in frame[column].tolist()]
        if column in LATER and not any(values):
            continue
        digest.update(np.array([len(value) for value in values], dtype="<i8").tobytes())
        for value in values:
            digest.update(value)
    scores = frame["score"].to_numpy(dtype="<f8", copy=True)
    scores[np.isnan(scores)] = np.nan  # one bit pattern for all kinds of NaN
    digest.update((scores + 0.0).tobytes())  # −0 becomes 0
    return digest.hexdigest()


def normal_doi(text: str) -> str:
    """A DOI in lower case without its address prefix; "" if the text is no DOI."""
    bare = re.sub(r"^(https?://)?(dx\.|www\.)?doi\.org/|^doi:?\s*", "", text.strip().lower()).strip(" .;,")
    return bare if re.match(r"10\.\d{4}[^/]*/\S", bare) else ""


def normal_pmid(text: str) -> str:
    """A PubMed identifier as digits (123, PMID: 123 and PUBMED 123 are equal); "" if the text is none."""
    # Spreadsheets turn whole numbers into 123456.0 as soon as one cell of the column is empty.
    match = re.fullmatch(
        r"(?:(?:pmid|pubmed)(?: id)?:?\s*)?0*([1-9]\d{0,8})(?:\.0)?", text.strip(), re.IGNORECASE | re.ASCII
    )
    return match[1] if match else ""


def normal_publication_number(text: str) -> str:
    """A patent publication number in upper case without separators; "" if the text is none.

    The kind code stays: an application (A1) and the granted patent (B2) are different documents.
    """
    bare = re.sub(r"[\s\-/,.]+", "", text).upper()
    return bare if re.match(r"[A-Z]{2}.*\d{3}|\d{5}", bare) else ""


def without_kind_code(text: str) -> str:
    """A patent publication number in normal form without its kind code, which an application and its patent share.

    >>> without_kind_code("EP 1 234 567 A1"), without_kind_code("EP1234567")
    ('EP1234567', 'EP1234567')
    """
    return re.sub(r"(?<=\d)[A-Z]\d?$", "", normal_publication_number(text))


# --- dates ----------------------------------------------------------------------------------------

LONGEST_DATE = 100  # Later characters of a date are ignored
Span = tuple[date, date]  # First and last day
_ABBREVIATED = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTHS = {month: number for number, month in enumerate(_ABBREVIATED, start=1)}
_YEAR_FIRST = re.compile(r"(\d{4})(?:[-/. ]?(\d{1,2}|[a-z]{3,9})\.?(?:[-/. ]?(\d{1,2}))?)?(?!\d)")
_YEAR_LAST = re.compile(r"(?:(\d{1,2})[-/. ])?(\d{1,2}|[a-z]{3,9})[-/., ]+(\d{4})(?!\d)")


def date_key(text: str) -> tuple[int, ...]:
    """Parse a date to (year,), (year, month) or (year, month, day), as far as it is given; () if there is none.

    If figures could be two days (3/4/2010), only the year is used. With points the day comes first.

    >>> date_key("12 May 2019"), date_key("2019-05"), date_key("3/4/2010"), date_key("soon")
    ((2019, 5, 12), (2019, 5), (2010,), ())
    >>> date_key("14/05/2018"), date_key("3.4.2010")
    ((2018, 5, 14), (2010, 4, 3))
    """
    text = text.strip().lower()
    match = _YEAR_FIRST.match(text)
    if match:
        parts = match.groups()
    elif match := _FIGURES.match(text):
        days = _days_in_figures(match)
        return days[0] if len(days) == 1 else (int(match["year"]),)
    elif match := _YEAR_LAST.match(text):
        day, month, year = match.groups()
        parts = (year, None, None) if month.isdigit() else (year, month, day)
    else:
        year_only = re.search(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)", text)
        return (int(year_only[0]),) if year_only else ()
    key = [int(parts[0])]
    month = parts[1] or ""
    number = int(month) if month.isdigit() else _MONTHS.get(month[:3], 0)
    if 1 <= number <= 12:
        key.append(number)
        if parts[2] and 1 <= int(parts[2]) <= 31:
            key.append(int(parts[2]))
    return tuple(key)


_FIGURES = re.compile(r"(?P<first>\d{1,2})(?P<mark>[-/. ])\s*(?P<second>\d{1,2})[-/. ]+(?P<year>\d{4})(?!\d)")


def _days_in_figures(match: re.Match[str]) -> list[tuple[int, int, int]]:
    """Possible days of figures with the year last: day before month, then month before day unless separated by points."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    readings = [(second, first)] if match["mark"] == "." else [(second, first), (first, second)]
    return [
        (year, month, day)
        for month, day in dict.fromkeys(readings)
        if 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]
    ]


def read_date(text: str) -> str:
    """Parse a date that a person typed to "2018-03-03", "2018-03" or "2018"; "" for an empty text.

    Raises
    ------
    InputProblem
        When the text is no date, the day does not exist, or it could be two days (5/6/2018).
    """
    if not text.strip():
        return ""
    figures = _FIGURES.match(text.strip())
    key = _one_day(text, _days_in_figures(figures)) if figures else date_key(text)
    if not key:
        raise _refused(text, "cannot be read as a date")
    if len(key) == 3 and key[2] > calendar.monthrange(*key[:2])[1]:
        raise _refused(text, "names a day that does not exist")
    return "-".join(f"{part:04d}" if at == 0 else f"{part:02d}" for at, part in enumerate(key))


def _one_day(text: str, days: list[tuple[int, int, int]]) -> tuple[int, int, int]:
    """The only possible day; InputProblem when there is none or several."""
    if not days:
        raise _refused(text, "names a day that does not exist")
    if len(days) > 1:
        one, other = (f"{day} {calendar.month_name[month]}" for _, month, day in days)
        year, month, day = days[0]
        raise InputProblem(
            f"“{text.strip()}” could be {one} or {other} {year}; write {one} {year} or "
            f"{year:04d}-{month:02d}-{day:02d}."
        )
    return days[0]


def _refused(text: str, why: str) -> InputProblem:
    return InputProblem(f"“{text.strip()}” {why}; write it like 3 March 2018 or 2018-03-03.")


def date_words(text: str) -> str:
    """Word a date as far as it is known, such as "3 March 2018"; "" for no date."""
    key = date_key(text)
    if not key:
        return ""
    day = f"{key[2]} " if len(key) == 3 else ""
    month = f"{calendar.month_name[key[1]]} " if len(key) > 1 else ""
    return f"{day}{month}{key[0]}"


def span(text: str) -> Span | None:
    """First and last possible day of a date that may be incomplete; None for no date."""
    return _span(text[:LONGEST_DATE])


@lru_cache(maxsize=20_000)
def _span(text: str) -> Span | None:
    """Implementation of :func:`span`, cached because long lists repeat a few thousand days."""
    key = date_key(text)
    if not key or not key[0]:
        return None
    first_month, last_month = (key[1], key[1]) if len(key) > 1 else (1, 12)
    last_day = calendar.monthrange(key[0], last_month)[1]
    if len(key) == 3:
        # A list may contain 31 June; the last day of the month stands for it.
        day = min(key[2], last_day)
        return date(key[0], first_month, day), date(key[0], first_month, day)
    return date(key[0], first_month, 1), date(key[0], last_month, last_day)


# --- addresses of documents -----------------------------------------------------------------------

LONGEST_ADDRESS = 2_000  # Characters; browsers and servers refuse much longer addresses
_HOSTS = {
    "patents.google.com": "Google Patents",
    "worldwide.espacenet.com": "Espacenet",
    "lens.org": "The Lens",
    "doi.org": "DOI",
    "dx.doi.org": "DOI",
    "pubmed.ncbi.nlm.nih.gov": "PubMed",
}
# Simulated documents have numbers that begin with SIM, which no patent office knows.
_NUMBER = re.compile(r"(?!SIM\d)[A-Z]{2}[A-Z]{0,2}\d{4,13}(?:[A-Z]\d?)?")
_US_APPLICATION = re.compile(r"(US\d{4})0?(\d{6})(A\d)")
_DOI = re.compile(r"10\.\d{4}[^/\s]*/[^\s\"'<>\\^`{|}]+")
_ADDRESS = re.compile(r"https?://[^\s\"'<>\\^`{|}\x00-\x1f\x7f]+", re.IGNORECASE)


@dataclass(frozen=True)
class Link:
    """A web address that is safe to follow, and the text of the link."""

    words: str
    url: str


def web_address(text: str) -> str:
    """The text if it is a safe web address, otherwise "".

    Safe means http or https, with a host, without user name or password, and without characters that end an attribute.
    """
    text = text.strip()
    if len(text) > LONGEST_ADDRESS or not _ADDRESS.fullmatch(text):
        return ""
    try:
        parts = urlsplit(text)
        usable = bool(parts.hostname) and "@" not in parts.netloc and (parts.port or 1) > 0
    except ValueError:
        return ""
    return text if usable else ""


def links(url: str, publication_number: str, doi: str, pmid: str) -> tuple[Link, ...]:
    """Links to where a document can be read.

    Parameters
    ----------
    url, publication_number, doi, pmid : str
        Fields of its record; any may be empty.

    Returns
    -------
    tuple of Link
        Its own address, or else patent databases by its number; then its DOI and PubMed. Each name occurs once.
    """
    own = web_address(url)
    host = (urlsplit(own).hostname or "").removeprefix("www.")
    offered = [Link(_HOSTS.get(host, "open"), own)] if own else _by_number(publication_number)
    if (name := normal_doi(doi)) and _DOI.fullmatch(name):
        # A DOI may contain characters that have a meaning in addresses.
        name = name.replace("%", "%25").replace("#", "%23").replace("?", "%3F")
        offered.append(Link("DOI", f"https://doi.org/{name}"))
    if number := normal_pmid(pmid):
        offered.append(Link("PubMed", f"https://pubmed.ncbi.nlm.nih.gov/{number}/"))
    by_name: dict[str, Link] = {}
    # A link that the file gave is not repeated, and addresses that are too long are dropped.
    for link in offered:
        if web_address(link.url):
            by_name.setdefault(link.words, link)
    return tuple(by_name.values())


def _by_number(text: str) -> list[Link]:
    """Links to patent databases for a publication number."""
    number = normal_publication_number(text)
    if not _NUMBER.fullmatch(number):
        return []
    # Google writes US applications with seven digits after the year, patent offices with six.
    office = _US_APPLICATION.sub(r"\1\2\3", number)
    google = _US_APPLICATION.sub(r"\g<1>0\2\3", number)
    return [
        Link("Espacenet", f"https://worldwide.espacenet.com/patent/search?q=pn%3D{office}"),
        Link("Google Patents", f"https://patents.google.com/patent/{google}/en"),
    ]
