"""Small files that unpack to, or claim, more than any machine holds: each is refused in a sentence, at once."""

import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.files import (
    RecordTable,
    read_outcome_tables,
    read_qrels,
    read_records,
    read_run,
    read_tables,
)
from tarstop_core.files.source import BUDGET


def packed_zeros(head: bytes, megabytes: int) -> bytes:
    """A gzip file that begins with `head` and goes on with blank lines, a thousandth of what they unpack to."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    blank = (b" " * 63 + b"\n") * (1 << 14)
    return b"".join(
        (packer.compress(head), *(packer.compress(blank) for _ in range(megabytes)), packer.flush())
    )


def rewritten(book: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """A workbook with the text of its parts changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return out.getvalue()


def workbook(
    rows: list[list[object]], sheet: Callable[[bytes], bytes] | None = None, merged: str = ""
) -> bytes:
    """A workbook of one sheet, whose XML may be changed."""
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    if merged:
        book.active.merge_cells(merged)
    stream = io.BytesIO()
    book.save(stream)
    content = stream.getvalue()
    if sheet is None:
        return content
    return rewritten(content, lambda name, text: sheet(text) if name.endswith("sheet1.xml") else text)


def with_texts(texts: bytes) -> bytes:
    """A workbook with shared texts that no cell uses."""
    out = io.BytesIO(workbook(ROWS))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/sharedStrings.xml", b"<sst>" + texts + b"</sst>")
    return out.getvalue()


def read(content: bytes, name: str) -> RecordTable:
    return read_records(io.BytesIO(content), name)


LINES = b"T1 Q0 a 1 2.5 x\nT1 Q0 b 2 1.5 x\n"
ROWS: list[list[object]] = [["id", "title"], [1, "Hinge"]]
BOMB = b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + b"".join(
    b'<!ENTITY %s "%s">' % (name.encode(), b"&%s;" % last.encode() * 10) for last, name in zip("abcdefghi", "bcdefghij", strict=True)
) + b"]>"  # fmt: skip


@pytest.mark.parametrize(
    ("reader", "make", "name", "sentence"),
    [
        (read_run, lambda: b"x " * 60_000 + b"\n" + LINES, "a.run", r"Line 1 of a\.run is longer than 64 kB; look there"),
        (read_run, lambda: packed_zeros(LINES, 40), "a.run.gz", r"a\.run\.gz unpacks to more than 32 MB, .* unpack it"),
        (read_qrels, lambda: packed_zeros(b"T1 0 a 1\n", 40), "a.qrels.gz", "more than 32 MB"),
        (read_run, lambda: b"".join(b"%d Q0 a 1 1 x\n" % n for n in range(BUDGET.topics + 1)), "a.run", "more than 100,000 topics"),
        (read_records, lambda: packed_zeros(b"id,title\n", 40), "a.csv.gz", "more than 32 MB"),
        (read_records, lambda: packed_zeros(b"TY  - JOUR\nTI  - ", 40), "a.ris.gz", "more than 32 MB"),
        (read_records, lambda: packed_zeros(b"@article{a, title={", 40), "a.bib.gz", "more than 32 MB"),
        (read_records, lambda: packed_zeros(b"PMID- 1\nTI  - ", 40), "a.nbib.gz", "more than 32 MB"),
        (read_records, lambda: packed_zeros(b'{"title": "', 40), "a.jsonl.gz", "more than 32 MB"),
        (read_tables, lambda: packed_zeros(b"TP,FN\n", 40), "a.csv.gz", "more than 32 MB"),
        (read_tables, lambda: b"TP,FN\n" + b"1,1\n" * (BUDGET.studies + 1), "a.csv", "more than 100,000 studies"),
        (read_tables, lambda: b"TP,FN" + b",x" * 50_000 + b"\n1,2\n", "a.csv", r"50,002 columns \(line 1\)"),
        (read_tables, lambda: b'TP,FN\n"' + b"1" * 6_000_000 + b",1\n", "a.csv", r"a\.csv"),
        (read_records, lambda: b"title" + b",x" * 50_000 + b"\nHinge\n", "a.csv", r"a\.csv has 50,001 columns \(line 1\)"),
        (read_records, lambda: workbook([["title"] + [f"c{n}" for n in range(17_000)], ["Hinge"]]), "a.xlsx", r"17,001 columns \(row 1\)"),
        (read_records, lambda: workbook(ROWS, lambda text: text.replace(b'r="2"', b'r="900000000"').replace(b"A2", b"A900000000").replace(b"B2", b"B900000000")), "a.xlsx", r'The sheet "Sheet" of a\.xlsx continues beyond row 1,048,576'),
        (read_records, lambda: workbook(ROWS, lambda text: text.replace(b"<row", BOMB + b"<row")), "a.xlsx", r"a\.xlsx"),
        (read_records, lambda: workbook(ROWS, lambda text: text + b" " * (33 << 20)), "a.xlsx", r"a\.xlsx unpacks to more than 32 MB"),
        (read_records, lambda: with_texts(b"<si><t>x</t></si>" * 2_500_000), "a.xlsx", "more than 32 MB"),
        (read_records, lambda: with_texts(b"<si/>" * 6_000_000), "a.xlsx", r"a\.xlsx contains more than 5,000,000 texts"),
        (read_records, lambda: b"{" + b",".join(b'"k%d":1' % n for n in range(40_000)) + b"}\n", "a.jsonl", r"40,000 columns \(up to line 1\)"),
        (read_records, lambda: b"".join(b'{"k%d":1}\n' % n for n in range(40_000)), "a.jsonl", r"16,385 columns \(up to line 16385\)"),
        (read_records, lambda: b'{"title": ' + b"[" * 200_000 + b"\n", "a.jsonl", r"a\.jsonl is not valid JSON"),
    ],
    ids=["run with one line of many words", "run that unpacks to gigabytes", "qrels that unpack", "run of too many topics", "CSV that unpacks", "RIS that unpacks", "BibTeX that unpacks", "nbib that unpacks", "JSON lines that unpack", "2x2 tables that unpack", "2x2 tables of too many studies", "2x2 tables of many columns", "2x2 tables with an open quotation mark", "CSV of many columns", "sheet of many columns", "row number far beyond Excel", "entities within entities", "sheet that unpacks", "shared texts that unpack", "too many shared texts", "JSON line of many keys", "JSON lines of many keys", "JSON line nested deep"],
)  # fmt: skip
def test_what_would_exhaust_the_machine_is_refused_in_a_sentence(
    reader: Callable[[io.BytesIO, str], object], make: Callable[[], bytes], name: str, sentence: str
) -> None:
    content = make()
    with pytest.raises(InputProblem, match=sentence) as problem:
        reader(io.BytesIO(content), name)
    said = str(problem.value)
    assert len(said) < 600 and said.endswith(".") and "\n" not in said


def test_a_line_is_as_long_as_it_is_however_it_ends_and_wherever_it_stands() -> None:
    word = b"x" * 70_000
    for text in (b"\r", b"\n", b"\r\n"):
        with pytest.raises(InputProblem, match=r"Line 3 of a\.run is longer"):
            read_run(io.BytesIO(b"T Q0 a 1 1 x" + text + b"T Q0 b 1 1 x" + text + word), "a.run")
    with pytest.raises(InputProblem, match=r"Line 2 of a\.run is longer"):
        read_run(io.BytesIO(f"T Q0 a 1 1 x\n{word.decode()}\n".encode("utf-16")), "a.run")


def test_what_people_have_is_read_however_large() -> None:
    text = "word " * 20_000  # an abstract of 100 kB
    [wide] = [["title", "abstract", *(f"c{n}" for n in range(1_998))]]
    table = read(workbook([list(wide), ["Hinge", text[:32_000]]]), "a.xlsx")
    assert len(table.frame.loc[0, "abstract"]) == 31_999
    table = read(f"{','.join(wide)}\nHinge,{text}{',' * 1_998}\n".encode(), "a.csv")
    assert len(table.frame.loc[0, "abstract"]) == 99_999
    lines = b"".join(b"T%d Q0 d%d %d %d.5 x\n" % (n // 1000, n, n, n) for n in range(50_000))
    assert len(read_run(io.BytesIO(gzip.compress(lines)), "a.run.gz")) == 50
    assert (
        read(b'{"title": "Hinge", "deep": ' + b"[" * 500 + b"]" * 500 + b"}\n", "a.jsonl").frame.shape[0] == 1
    )


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: b"TY  - JOUR\nTI  - a\n" + b"x\n" * 500_000 + b"ER  - \n", "a.ris"),
        (lambda: b"PMID- 1\nTI  - a\n" + b"      x\n" * 300_000, "a.nbib"),
        (lambda: b"TY  - PAT\nTI  - a\nAN  - US" + b"1" * 300_000 + b"!\nER  - \n", "a.ris"),
        (lambda: b"@patent{a, title={b}, number={US" + b"1" * 300_000 + b"!}}", "a.bib"),
        (lambda: b"title,notes\na," + b"RAYYAN-INCLUSION:{" * 50_000 + b"\n", "a.csv"),
        (lambda: b"title,notes\na," + b"USER-NOTES:{" * 80_000 + b"\n", "a.csv"),
        (lambda: b"title\tnotes\na\tUSER-NOTES:{" + b'\\"' * 200_000 + b"}\n", "a.tsv"),
        (lambda: b"".join(b'{"title":"a","k%d":1}\n' % n for n in range(5_000)), "a.jsonl"),
        (lambda: ",".join(["title", *(f"c{n}" for n in range(16_000))]).encode() + b"\nHinge" + b"," * 16_000, "a.csv"),
    ],
    ids=["RIS value of many lines", "nbib value of many lines", "long number in RIS", "long number in BibTeX", "decisions never closed", "notes never closed", "quotation marks never closed", "keys of each line its own", "many columns"],
)  # fmt: skip
def test_what_is_long_is_read_in_a_time_that_grows_with_its_length(
    make: Callable[[], bytes], name: str
) -> None:
    # Each takes minutes where a step looks again at everything before it.
    assert len(read(make(), name).frame)


def test_a_study_that_occurs_often_takes_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "topic,study,docid,TP,FN\n" + "".join(f"T,s{n},d,1,1\n" for n in range(50_000)), encoding="utf-8"
    )
    assert len(read_outcome_tables(path)[0][2]) == 50_000


# --- what a sheet says of its size ----------------------------------------------------------------


RECORDS: list[list[object]] = [
    ["id", "title", "abstract"],
    *([n, f"Title {n}", f"Abstract {n}"] for n in range(1, 43)),
]


def with_dimension(said: bytes) -> Callable[[bytes], bytes]:
    return lambda text: re.sub(rb"<dimension[^>]*/>", said, text)


@pytest.mark.parametrize(
    "said",
    [b'<dimension ref="A1:B34"/>', b'<dimension ref="A1"/>', b'<dimension ref="A1:XFD1048576"/>', b'<dimension ref="C5:D6"/>', b""],
    ids=["too small", "one cell", "too large", "elsewhere", "missing"],
)  # fmt: skip
def test_every_record_is_read_whatever_a_sheet_says_of_its_size(said: bytes) -> None:
    frame = read(workbook(RECORDS, with_dimension(said)), "a.xlsx").frame
    assert frame["title"].tolist() == [f"Title {n}" for n in range(1, 43)]
    assert frame["abstract"].tolist() == [f"Abstract {n}" for n in range(1, 43)]


def test_empty_rows_between_and_merged_cells_lose_nothing() -> None:
    rows: list[list[object]] = [["Export of today"], [], *RECORDS[:10], [], [], *RECORDS[10:]]
    merged = workbook(rows, with_dimension(b'<dimension ref="A1:C4"/>'), merged="A1:C1")
    table = read(merged, "a.xlsx")
    assert len(table.frame) == 42 and "row 3" in " ".join(table.notes)
    gap = workbook(RECORDS[:2], lambda text: text.replace(b'r="2"', b'r="2000"').replace(b'2"', b'2000"'))
    assert read(gap, "a.xlsx").frame["title"].tolist() == ["Title 1"]


def test_json_lines_are_text_and_numbers_of_any_length() -> None:
    line = json.dumps({"id": 10**18 + 1, "title": "Hinge", "score": float("nan")})
    assert read(line.encode(), "a.jsonl").frame.loc[0, "id"] == str(10**18 + 1)
