"""2×2 tables of RevMan: `.rm5` files, and the data package that RevMan Web exports.

Both were built from published descriptions of their form.
"""

import io
import re
from collections import Counter
from collections.abc import Sequence

from tarstop_core.documents.tables import CELLS
from tarstop_core.errors import InputProblem
from tarstop_core.files import archives
from tarstop_core.files.columns import Vocabulary, names_of, plain_title
from tarstop_core.files.delimited import filled_rows
from tarstop_core.files.markup import root_element
from tarstop_core.files.source import Source

Rows = list[tuple[int, Sequence[str]]]  # Line numbers and cells
_LOOKS = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml|(?:\xef\xbb\xbf)?\s*<COCHRANE_REVIEW")
_TABLES = Vocabulary(names_of("tables"), plain_title)
_TEST = ("test", "testname", "indextest", "analysisname")


def revman_rows(source: Source) -> tuple[Rows, list[str]] | None:
    """Return header and rows of the test with most studies, and what a person should know; None for other files.

    InputProblem when a file of RevMan is damaged or holds no 2×2 table.
    """
    head = source.head()
    if head.startswith(b"PK\x03\x04") and archives.kind_of(source) == "zip":
        rows, notes = _package(source)
    elif _LOOKS.match(head):
        rows, notes = _rm5(source), []
    else:
        return None
    return _largest_test(source.name, rows, notes)


def _rm5(source: Source) -> Rows:
    review = root_element(source)
    names = {study.get("ID"): study.get("NAME") or study.get("ID") for study in review.iter("STUDY")}
    rows: Rows = [(0, ("test", "study", *CELLS))]
    for test in review.iter("TEST"):
        title = test.find("NAME")
        name = " ".join("".join(title.itertext()).split()) if title is not None else test.get("ID", "")
        for entry in test.iter("TEST_DATA_ENTRY"):
            study = entry.get("STUDY_ID", "")
            cells = [entry.get(cell, "") for cell in CELLS]
            rows.append((len(rows), (name, str(names.get(study, study)), *cells)))
    return rows


def _package(source: Source) -> tuple[Rows, list[str]]:
    """Rows of the table in an archive that has columns for true positives and false negatives."""
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
            if rows and {"TP", "FN"} <= _TABLES.columns(rows[0][1]).keys():
                return rows, [*notes, f"Read {member} of the archive."]
    raise InputProblem(f"{source.name} holds no table with columns TP and FN; give one as CSV.")


def _largest_test(name: str, rows: Rows, notes: list[str]) -> tuple[Rows, list[str]]:
    """Rows of the test with most studies, the header first."""
    header, *studies = rows
    if not studies:
        raise InputProblem(f"{name} holds no 2×2 table; check that it is a review of test accuracy.")
    place = next((at for at, cell in enumerate(header[1]) if plain_title(cell) in _TEST), None)
    if place is None:
        return rows, notes
    counts = Counter(cells[place] for _, cells in studies if place < len(cells))
    (test, count), *others = counts.most_common()
    if not others:
        return rows, notes
    left_out = ", ".join(f"“{other}” ({number})" for other, number in others[:3])
    more = f" and {len(others) - 3} more" if len(others) > 3 else ""
    notes = [*notes, f"Read the test “{test}” ({count} studies); not read: {left_out}{more}."]
    return [header, *(row for row in studies if place < len(row[1]) and row[1][place] == test)], notes
