"""Rewrite the tables of screening tools with several columns or rows per record, or with sections."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from tarstop_core.documents.records import SAID_NOT_RELEVANT, SAID_RELEVANT
from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import normal_header, recognise
from tarstop_core.files.source import BUDGET, check_count
from tarstop_core.files.values import normal_label

Row = tuple[int, Sequence[str]]
Rows = Callable[[str, Sequence[str], Iterable[Row], list[str]], Iterator[Row]]
"""Rewrites rows, given the name of the file, the header, the rows, and a list to which notes are added."""


# --- Abstrackr: a column per reader, −1 for not relevant, and a second section for unlabelled records ------------------

_ABSTRACKR = {"1": "included", "-1": "excluded", "0": "maybe"}
_NOTES = "notes ("


def _abstrackr(name: str, header: Sequence[str], rows: Iterable[Row], notes: list[str]) -> Iterator[Row]:
    """Append three cells to each row: the label (the consensus, or all readers' labels), its time, and the readers' notes."""
    names = [cell.strip() for cell in header]
    about = [at for at, cell in enumerate(names) if _NOTES in cell and cell.endswith(")")]
    readers = {names[at].partition(_NOTES)[2][:-1] for at in about}
    consensus = [normal_header(cell) for cell in names].index("consensus")
    labels = [at for at, cell in enumerate(names) if cell in readers]
    for number, cells in rows:
        filled = [cell.strip() for cell in cells]
        if sum(map(bool, filled)) == 1 and len(filled) == 1:
            notes.append(f'Line {number} is a heading, not a record: "{filled[0][:60]}".')
            continue
        if len(filled) > len(names):
            raise InputProblem(
                f"Line {number} of {name} has {len(filled)} cells where the header has {len(names)}; look there for an "
                "extra comma or an unclosed quotation mark."
            )
        filled += [""] * (len(names) - len(filled))
        given = [at for at in (consensus,) if filled[at] in _ABSTRACKR] or labels
        words = dict.fromkeys(_ABSTRACKR[filled[at]] for at in given if filled[at] in _ABSTRACKR)
        # The column after each label has its time.
        times = [filled[at + 1] for at in given if at + 1 < len(filled) and filled[at] in _ABSTRACKR]
        remarks = "; ".join(filled[at] for at in about if filled[at])
        filled[consensus] = ""
        yield number, [*filled, " / ".join(words), max(times, default=""), remarks]


# --- DistillerSR: a row per reader and level of a reference ------------------------------------------------------------


def _distiller(name: str, header: Sequence[str], rows: Iterable[Row], notes: list[str]) -> Iterator[Row]:
    """Merge the rows of each reference; different labels are joined by " / "."""
    place = [normal_header(cell) for cell in header].index("refid")
    labels = set(recognise(header).at.get("label", ()))
    words = {SAID_RELEVANT: "included", SAID_NOT_RELEVANT: "excluded"}
    records: dict[str, tuple[int, list[list[str]]]] = {}
    count = 0
    for count, (number, cells) in enumerate(rows, start=1):
        key = cells[place].strip() if place < len(cells) else ""
        records.setdefault(key or f"\0{number}", (number, []))[1].append([cell.strip() for cell in cells])
        check_count(name, count, BUDGET.records, "rows")
    if count > len(records):
        notes.append(f"{count:,} rows are {len(records):,} references, one for each reader or level.")
    for number, same in records.values():
        columns = (list(dict.fromkeys(filter(None, column))) for column in zip_longest(*same, fillvalue=""))
        yield (
            number,
            [
                " / ".join(dict.fromkeys(words.get(normal_label(value), value) for value in values))
                if at in labels or (values[1:] and all(normal_label(value) in words for value in values))
                else next(iter(values), "")
                for at, values in enumerate(columns)
            ],
        )


DIALECTS: dict[str, tuple[tuple[str, ...], Rows]] = {
    "Abstrackr": (("label", "labelled at", "remarks"), _abstrackr),
    "DistillerSR": ((), _distiller),
}
"""Titles of additional cells and the function that rewrites rows, by the tool that ``synonyms.toml`` recognises."""
