"""Read studies of RevMan from `.rm5` files and from the data packages of RevMan Web.

These hold 2×2 tables of tests, and events or means of trials. The readers of data packages, and of tests in `.rm5` files,
follow published descriptions of these formats.
"""

import io
import re
from collections import Counter
from collections.abc import Sequence

from tarstop_core.documents.tables import CELLS
from tarstop_core.errors import InputProblem
from tarstop_core.files import archives
from tarstop_core.files.arms import EFFECTS
from tarstop_core.files.columns import Vocabulary, names_of, plain_title
from tarstop_core.files.delimited import filled_rows
from tarstop_core.files.markup import root_element
from tarstop_core.files.source import Source

Rows = list[tuple[int, Sequence[str]]]  # Line numbers and cells
_LOOKS = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml|(?:\xef\xbb\xbf)?\s*<COCHRANE_REVIEW")
_TABLES = Vocabulary(names_of("tables"), plain_title)
_ANALYSIS = ("analysis", "test", "testname", "indextest", "analysisgroup", "analysisnumber", "analysisname")
"""Titles of the columns that together name the test or outcome of a row."""
_IN_XML = {
    "TEST": ("TEST_DATA_ENTRY", {cell: cell for cell in CELLS}),
    "DICH_OUTCOME": (
        "DICH_DATA",
        {
            "events_treated": "EVENTS_1",
            "n_treated": "TOTAL_1",
            "events_control": "EVENTS_2",
            "n_control": "TOTAL_2",
        },
    ),
    "CONT_OUTCOME": (
        "CONT_DATA",
        {
            "mean_treated": "MEAN_1",
            "sd_treated": "SD_1",
            "n_treated": "TOTAL_1",
            "mean_control": "MEAN_2",
            "sd_control": "SD_2",
            "n_control": "TOTAL_2",
        },
    ),
}
"""By element of an analysis in an `.rm5`: the element of a study, and the attribute of each of our columns."""


def revman_rows(source: Source) -> tuple[Rows, list[str]] | None:
    """Header and rows of the test or outcome with most studies, and sentences; None if the file is not from RevMan.

    InputProblem when a file of RevMan is damaged or has no studies.
    """
    head = source.head()
    if head.startswith(b"PK\x03\x04") and archives.kind_of(source) == "zip":
        rows, notes = _package(source)
    elif _LOOKS.match(head):
        rows, notes = _rm5(source), []
    else:
        return None
    return _largest(source.name, rows, notes)


def _rm5(source: Source) -> Rows:
    """Header and one row per study and analysis of an `.rm5` file."""
    review = root_element(source)
    names = {study.get("ID"): study.get("NAME") or study.get("ID") for study in review.iter("STUDY")}
    numbers = {
        outcome: f"{comparison.get('NO', '')}.{outcome.get('NO', '')} "
        for comparison in review.iter("COMPARISON")
        for outcome in comparison
    }
    columns = list(dict.fromkeys(column for _, cells in _IN_XML.values() for column in cells))
    rows: Rows = [(0, ("analysis", "study", *columns))]
    for kind, (element, cells) in _IN_XML.items():
        for analysis in review.iter(kind):
            title = analysis.find("NAME")
            name = (
                " ".join("".join(title.itertext()).split()) if title is not None else analysis.get("ID", "")
            )
            for entry in analysis.iter(element):
                study = entry.get("STUDY_ID", "")
                values = [entry.get(cells.get(column, ""), "") for column in columns]
                numbered = numbers.get(analysis, "") + name
                rows.append((len(rows), (numbered, str(names.get(study, study)), *values)))
    return rows


def _package(source: Source) -> tuple[Rows, list[str]]:
    """Rows of the first table in an archive with the counts of a test or the arms of a trial."""
    with archives.opened(source) as archive:
        for member in sorted(archive.members):
            if not member.lower().endswith(".csv") or "__MACOSX" in member:
                continue
            content = archive.read(member)
            if not content.strip():
                continue
            rows, notes = filled_rows(
                Source(io.BytesIO(content), f"{source.name}: {member}", len(content), False)
            )
            titles = rows[0][1] if rows else ()
            of_trials = {"n_treated", "n_control"} <= EFFECTS.columns(titles).keys()
            if of_trials or {"TP", "FN"} <= _TABLES.columns(titles).keys():
                return rows, [*notes, f"Read {member} of the archive."]
    raise InputProblem(
        f"{source.name} contains no table with columns TP and FN, or with the arms of trials; give one as CSV."
    )


def _largest(name: str, rows: Rows, notes: list[str]) -> tuple[Rows, list[str]]:
    """The header and the rows of the test or outcome with most studies, without empty columns."""
    (line, header), *studies = rows
    if not studies:
        raise InputProblem(f"{name} contains no 2×2 tables of a test, and no events or means of trials.")
    places = [at for at, title in enumerate(header) if plain_title(title) in _ANALYSIS]
    analyses = [
        " ".join(filter(None, (cells[at] for at in places if at < len(cells)))) for _, cells in studies
    ]
    (largest, count), *others = Counter(analyses).most_common()
    if others:
        left_out = ", ".join(f"“{other}” ({number})" for other, number in others[:3])
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        notes = [*notes, f"Read “{largest}” ({count} studies); not read: {left_out}{more}."]
        studies = [row for row, analysis in zip(studies, analyses, strict=True) if analysis == largest]
    full = [(number, [*cells, *[""] * (len(header) - len(cells))]) for number, cells in studies]
    used = [at for at in range(len(header)) if any(cells[at].strip() for _, cells in full)]
    return [(number, [cells[at] for at in used]) for number, cells in [(line, header), *full]], notes
