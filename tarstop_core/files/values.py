"""Normalise labels, scores and identifiers as people and tools write them."""

import html
import math
import re
from collections.abc import Callable
from urllib.parse import unquote

import numpy as np
import pandas as pd

from tarstop_core.documents.records import SAID_NOT_RELEVANT, SAID_RELEVANT, normal_pmid
from tarstop_core.documents.tables import LONGEST_NUMBER
from tarstop_core.errors import InputProblem

# Single letters come from EPPI-Reviewer, words in other languages from spreadsheets.
_YES = {
    *("1", "1.0", "yes", "y", "true", "t", "included", "include", "relevant", "in", "+", "i"),
    *("accept", "accepted", "ja", "oui", "sí", "sì", "sim", "eingeschlossen", "einschluss", "einschließen"),
    *("inclus", "incluse", "inclure", "incluido", "incluído", "incluir", "incluso", "includere"),
    "geïncludeerd",
}
_NO = {
    *("0", "0.0", "no", "n", "false", "f", "excluded", "exclude", "not relevant", "irrelevant", "out", "e"),
    *("reject", "rejected", "nein", "nee", "non", "não", "ausgeschlossen", "ausschluss", "ausschließen"),
    *("exclu", "exclue", "exclure", "excluido", "excluído", "excluir", "escluso", "escludere"),
    "geëxcludeerd",
}
_UNKNOWN = {"", "-1", "-1.0", "nan", "na", "n/a", "none", "null", "?", "unscreened", "not screened"}
_COVIDENCE = re.compile(r"\bExclusion reason: *([^;\r\n]+)", re.IGNORECASE)
_NO_SCORE = {"", "nan", "na", "n/a", "none", "null", "-", "."}


def normal_label(value: str) -> str:
    """Normalise a label to "relevant", "not relevant" or ""; other values stay as written."""
    key = value.strip().casefold()
    if key in _YES:
        return SAID_RELEVANT
    if key in _NO:
        return SAID_NOT_RELEVANT
    return "" if key in _UNKNOWN else value.strip()


def label_from_notes(notes: str) -> str:
    """Parse the decision that Rayyan, ASReview or Covidence wrote into a record's notes.

    If reviewers in Rayyan disagree or are undecided, their decisions are joined by " / ".
    """
    # Only the first mark is looked at, because a search for all of them would take quadratic time.
    rayyan = re.match(r"\s*\{([^}]*)\}", notes.partition("RAYYAN-INCLUSION:")[2])
    if rayyan:
        decisions = list(dict.fromkeys(re.findall(r'=>\s*"?([A-Za-z]+)', rayyan[1])))
        return normal_label(decisions[0]) if len(decisions) == 1 else " / ".join(decisions)
    if asreview := re.search(r"ASReview_(relevant|irrelevant)", notes, flags=re.IGNORECASE):
        return normal_label(asreview[1])
    return SAID_NOT_RELEVANT if tool_of(notes) == "Covidence" else ""


def tool_of(notes: str) -> str:
    """Name of the tool that wrote a decision into notes: "Rayyan", "ASReview", "Covidence" or ""."""
    if "RAYYAN-" in notes:
        return "Rayyan"
    if "asreview_" in notes.casefold():
        return "ASReview"
    return "Covidence" if _COVIDENCE.search(notes) else ""


def reason_from_notes(notes: str) -> str:
    """Parse the exclusion reasons that Rayyan or Covidence wrote into a record's notes."""
    covidence = _COVIDENCE.search(notes) if tool_of(notes) == "Covidence" else None
    return covidence[1].strip() if covidence else _listed("RAYYAN-EXCLUSION-REASONS", notes)


def remark_from_notes(notes: str) -> str:
    """Parse the remarks of reviewers: notes and labels in Rayyan, or a note in RIS that this program wrote."""
    remarks: list[str] = []
    if own := re.match(r"\s*Note: (.*)", notes, flags=re.DOTALL):
        remarks.append(own[1].strip())
    # Rayyan writes names => texts or lists of texts.
    if written := re.match(r"\s*(\{.*\})", notes.partition("USER-NOTES:")[2], flags=re.DOTALL):
        # A text without closing quotation mark ends with the note.
        texts = re.findall(r'"((?:[^"\\]|\\[\s\S])*+)(?:"|\\?\Z)(\s*=>)?', written[1])
        written_texts = (text for text, names in texts if not names)
        remarks += [re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL).strip() for text in written_texts]
    if labels := _listed("RAYYAN-LABELS", notes):
        remarks.append(f"labelled {labels}")
    return "; ".join(filter(None, remarks))


def _listed(mark: str, notes: str) -> str:
    """The comma-separated values after a mark, up to "|"."""
    listed = notes.partition(f"{mark}:")[2].partition("|")[0]
    return ", ".join(filter(None, map(str.strip, listed.split(","))))


FROM_NOTES = {"label": label_from_notes, "reason": reason_from_notes, "remark": remark_from_notes}
"""Functions that parse the fields of a decision from notes."""


def decisions_of(records: pd.DataFrame) -> dict[str, pd.Series]:
    """Columns `label`, `reason` and `remark` of n records, as far as there are any.

    A field without a column of its own is parsed from the notes of Rayyan, ASReview and Covidence.
    """
    decisions = {"label": pd.Series("", records.index, dtype="str")}
    for field, read in FROM_NOTES.items():
        if field in records:
            decisions[field] = records[field]
        elif "notes" in records:
            texts = [read(note) if note else "" for note in records["notes"].tolist()]
            decisions[field] = pd.Series(tidied(field, texts), records.index, dtype="str")
    if "label" in records:
        normal = {value: normal_label(value) for value in records["label"].unique()}
        decisions["label"] = records["label"].map(normal).astype("str")
    return decisions


# --- identifiers and texts ----------------------------------------------------------------------------

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>\[\]]+")
# EBSCO writes numbers as formulas, to keep spreadsheets from reading them as dates.
_IN_FORMULA = re.compile(r'="([^"]*)"')
_NO_ABSTRACT = re.compile(r"\W*(?:no abstract|abstract not) available\W*", re.IGNORECASE)
_ABSENT = {"NA", "<NA>", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None"}
"""Texts of R, spreadsheets, pandas and databases for an empty cell."""
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")


def find_doi(text: str) -> str:
    """The first DOI in a text, or ""."""
    doi = _DOI.search(unquote(text) if "%2f" in text.casefold() else text)
    return doi[0].rstrip(".;,") if doi else ""


def _plain(text: str) -> str:
    """Replace HTML entities, and drop the apostrophe before a formula."""
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text) if "&" in text else text
    return text[1:] if text.startswith(("'=", "'+", "'-", "'@")) else text


def _pmid(text: str) -> str:
    text = text.rstrip("/").rpartition("/")[2] if text.startswith("http") else text
    if text.isdecimal() and text.isascii() and 0 < len(text.lstrip("0")) == len(text) < 10:
        return text
    # Some tools write 0 for a missing PMID.
    return normal_pmid(text) or (text if text.strip("0.") else "")


def _address(text: str) -> str:
    """The first of several addresses."""
    return text.split()[0] if text.startswith("http") else text


_TIDY: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(("title", "remark", "reason", "assignee"), _plain),
    "abstract": lambda text: "" if _NO_ABSTRACT.fullmatch(text) else _plain(text),
    "authors": lambda text: " ".join(_plain(text).split()),
    "doi": lambda text: find_doi(text) or ("" if text.startswith("{") else text),
    "pmid": _pmid,
    "url": _address,
    "date": lambda text: text.strip("/ "),
    # Record numbers of Dimensions begin with "pub.".
    "publication_number": lambda text: "" if text.startswith("pub.") else text,
}


def tidied(field: str, texts: list[str]) -> list[str]:
    """Clean the texts of a field: one DOI, digits of a PMID, one address, no HTML entities, "" for "NA"."""
    clean = _TIDY.get(field)
    texts = [_IN_FORMULA.sub(r"\1", text) if text.startswith('="') else text for text in texts]
    texts = ["" if text in _ABSENT else text for text in texts]
    return texts if clean is None else [clean(text) if text else "" for text in texts]


def scores_of(name: str, written: pd.Series, notes: list[str]) -> pd.Series:
    """Parse scores as numbers, NaN for missing ones, and add sentences on oddities to `notes`.

    Parameters
    ----------
    name : str
        The file, for messages.
    written : Series of str
        The texts, with line numbers as index.
    notes : list of str
        Sentences about the file, to which more are added.

    Returns
    -------
    Series of float
        With the same index.

    Raises
    ------
    InputProblem
        When a score is not a finite number.
    """
    values = written.tolist()
    given = [value.casefold() not in _NO_SCORE for value in values]
    comma = any(re.fullmatch(r"[-+]?\d+,\d+", value) for value in values)
    point = any("." in value for value, has_score in zip(values, given, strict=True) if has_score)
    if decimal_comma := comma and not point:
        values = [value.replace(",", ".") for value in values]
    pairs = zip(values, given, strict=True)
    numbers = [_number(value) if has_score else math.nan for value, has_score in pairs]
    scores = pd.Series(numbers, written.index, dtype="float64")
    if (faulty := np.isinf(scores.to_numpy())).any():
        line, value = written.index[faulty][0], written[faulty].iloc[0]
        raise InputProblem(
            f'{str(written.index.name).capitalize()} {line} of {name} has the score "{value[:40]}", which is not a '
            "finite number; correct it or leave it empty."
        )
    if decimal_comma:
        notes.append("Scores are written with a decimal comma and were read so.")
    missing = int(scores.isna().sum())
    if missing == len(scores):
        notes.append("The score column is empty, so this list has no scores.")
    elif missing:
        notes.append(f"{missing:,} of {len(scores):,} records have no score.")
    if len(scores) - missing > 1 and scores.nunique() == 1:
        notes.append("All scores are equal, so they say nothing about the order.")
    return scores


def _number(text: str) -> float:
    """Parse a finite number; infinity for any other text."""
    try:
        value = float(text) if len(text) <= LONGEST_NUMBER else math.inf
    except ValueError:
        return math.inf
    return value if math.isfinite(value) else math.inf
