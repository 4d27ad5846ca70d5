"""The table of records: what every reader returns and every ranking starts from."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.errors import InputProblem

TEXT_COLUMNS: tuple[str, ...] = tuple(
    "id title abstract authors date doi pmid publication_number url label source "
    "family reason remark assignee priority_date filing_date grant_date".split()
)
"""Columns of text. `authors` are a patent's inventors too, and `date` is when a document was published."""
LATER: tuple[str, ...] = TEXT_COLUMNS[TEXT_COLUMNS.index("family") :]
"""Those that the first tables of records did not have."""
RECORD_COLUMNS: tuple[str, ...] = (*TEXT_COLUMNS, "score")

SAID_RELEVANT = "relevant"
SAID_NOT_RELEVANT = "not relevant"
_WORDS = re.compile(r"[^\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]")


def as_records(columns: pd.DataFrame | Mapping[str, Any]) -> pd.DataFrame:
    """Complete some columns to a valid table of records: all `RECORD_COLUMNS` in order, and a fresh index 0..n-1.

    `id` is required. Missing text becomes "", a missing score NaN. InputProblem for an unknown column, an empty id or
    an id that occurs twice.
    """
    given = pd.DataFrame(columns)
    unknown = [str(column) for column in given.columns if column not in RECORD_COLUMNS]
    if unknown:
        raise InputProblem(
            f"A table of records has no column named {', '.join(unknown)}; use {', '.join(RECORD_COLUMNS)}."
        )
    if "id" not in given:
        raise InputProblem("A table of records needs the column id; give every record one.")
    given = given.reset_index(drop=True).assign(**{} if "score" in given else {"score": np.nan})
    empty = pd.Series([""] * len(given), dtype="str")
    text = {name: given[name].astype("str").fillna("") if name in given else empty for name in TEXT_COLUMNS}
    frame = pd.DataFrame({**text, "score": given["score"].astype("float64")})
    unnamed = np.flatnonzero((frame["id"] == "").to_numpy())
    if len(unnamed):
        raise InputProblem(f"Record {unnamed[0] + 1} has no id; give every record one.")
    again = np.flatnonzero(frame["id"].duplicated().to_numpy())
    if len(again):
        raise InputProblem(f"The id {frame['id'].iloc[again[0]]} occurs twice; give every record its own id.")
    return frame


def ranking_text(frame: pd.DataFrame) -> list[str]:
    """Return the text each record is ranked by: its title and its abstract.

    Where the abstract already starts with the title (many collections store both in one field, some with other
    white space) the title is not added again, so that its words do not count twice.
    """
    return [
        abstract if _starts_with(abstract, title) else f"{title} {abstract}".rstrip()
        for title, abstract in zip(frame["title"].tolist(), frame["abstract"].tolist(), strict=True)
    ]


def _starts_with(text: str, title: str) -> bool:
    return "".join(text[: 2 * len(title)].split()).startswith("".join(title.split()))


def records_hash(frame: pd.DataFrame) -> str:
    """Return a fingerprint of the records and their order: SHA-256 in hexadecimal, the same on every machine.

    Everything a person sees or the ranking uses counts: all columns but `source`, because renaming a
    file does not change what is in it. Columns that came later count where something is in them, so that
    older tables keep their fingerprint.
    """
    digest = hashlib.sha256(b"records 1")
    for column in TEXT_COLUMNS:
        if column == "source":
            continue
        # Lengths go in before the text, so moving a character between neighbours changes the hash.
        values = [value.encode("utf-8", "surrogatepass") for value in frame[column].tolist()]
        if column in LATER and not any(values):
            continue
        digest.update(np.array([len(value) for value in values], dtype="<i8").tobytes())
        for value in values:
            digest.update(value)
    scores = frame["score"].to_numpy(dtype="<f8", copy=True)
    scores[np.isnan(scores)] = np.nan
    digest.update((scores + 0.0).tobytes())
    return digest.hexdigest()


def normal_doi(text: str) -> str:
    """Return a DOI in lower case without its address prefix, or "" where it is none."""
    bare = re.sub(r"^(https?://)?(dx\.|www\.)?doi\.org/|^doi:?\s*", "", text.strip().lower()).strip(" .;,")
    return bare if re.match(r"10\.\d{4}[^/]*/\S", bare) else ""


def normal_pmid(text: str) -> str:
    """Return a PubMed identifier as bare digits, or "" where it is none."""
    # Spreadsheets turn whole numbers into 123456.0 as soon as one cell of the column is empty.
    found = re.fullmatch(r"(?:pmid:?\s*)?0*([1-9]\d{0,8})(?:\.0)?", text.strip(), re.IGNORECASE | re.ASCII)
    return found[1] if found else ""


def normal_publication_number(text: str) -> str:
    """Return a patent publication number in upper case without separators, or "" where it is none.

    The kind code stays: an application (A1) and the granted patent (B2) are different documents.
    """
    bare = re.sub(r"[\s\-/,.]+", "", text).upper()
    return bare if re.match(r"[A-Z]{2}.*\d{3}|\d{5}", bare) else ""


def without_kind_code(text: str) -> str:
    """Return a patent publication number in normal form and without its kind code: an application and its patent share it.

    >>> without_kind_code("EP 1 234 567 A1"), without_kind_code("EP1234567")
    ('EP1234567', 'EP1234567')
    """
    return re.sub(r"(?<=\d)[A-Z]\d?$", "", normal_publication_number(text))
