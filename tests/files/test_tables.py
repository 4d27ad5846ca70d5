"""CSV, TSV, Excel and JSON lines: exports of real tools, and every table that must be refused."""

import csv
import gzip
import io
import itertools
import json
import re

import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.records import RECORD_COLUMNS
from tarstop_core.errors import InputProblem
from tarstop_core.files import FORMATS, RecordTable, UnrecognisedColumns, read_records


def read(text: str | bytes, name: str = "a.csv", columns: dict[str, str] | None = None) -> RecordTable:
    data = text.encode() if isinstance(text, str) else text
    return read_records(io.BytesIO(data), name, columns=columns)


def refusal(text: str | bytes, name: str = "a.csv") -> str:
    with pytest.raises(InputProblem) as problem:
        read(text, name)
    message = str(problem.value)
    assert name.removesuffix(".gz") in message and message.endswith(".") and "\n" not in message
    return message


def workbook(*sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"S{number}")
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


GOOGLE = (
    "search URL:,https://patents.google.com/?q=(mast)&oq=mast\n"
    "id,title,assignee,inventor/author,priority date,filing/creation date,publication date,grant date,"
    "result link,representative figure link\n"
    'US-9876543-B2,"Mast, foldable",Acme,"Ann Lee, Bo Ray",2010-01-02,2011-01-02,2013-03-04,2013-03-04,'
    "https://patents.google.com/patent/US9876543B2/en,https://example.org/f.png\n"
    "EP-1234567-A1,Hinge,Acme,Cy Oh,2009-01-02,2010-01-02,2012-03-04,,"
    "https://patents.google.com/patent/EP1234567A1/en,\n"
)


def test_google_patents() -> None:
    table = read(GOOGLE)
    first = table.frame.iloc[0]
    assert (first["id"], first["title"]) == ("US-9876543-B2", "Mast, foldable")
    assert first["publication_number"] == "US-9876543-B2"
    assert (first["date"], first["authors"]) == ("2013-03-04", "Ann Lee, Bo Ray")
    assert first["url"].startswith("https://patents.google.com/patent/US9876543B2")
    assert 'Skipped 1 line before the header, which is line 2: "search URL:,https://' in table.notes[0]
    assert table.described["first_lines"] == [GOOGLE.splitlines()[0].replace(":,", ": ")]
    assert any("no abstracts" in note for note in table.notes)
    dates = first[["assignee", "priority_date", "filing_date", "grant_date"]].tolist()
    assert dates == ["Acme", "2010-01-02", "2011-01-02", "2013-03-04"]
    assert table.unread == ("representative figure link",)


@pytest.mark.parametrize(
    ("content", "name", "unread"),
    [
        (GOOGLE, "a.csv", ("representative figure link",)),
        ('{"title": "a", "claims": "b"}\n{"title": "c", "kind": 1}\n', "a.jsonl", ("claims", "kind")),
        ("title,notes,\na,see there,\n", "a.csv", ("notes",)),
        ("title,notes\na,ASReview_relevant\n", "a.csv", ()),
        ("TY  - PAT\nTI  - a\nPB  - Acme\nCY  - Bern\nER  - \n", "a.ris", ("CY",)),
        ("PMID- 1\nTI  - a\nLA  - eng\n", "a.nbib", ("LA",)),
        ("@patent{a, title={b}, holder={Acme}, location={Bern}}", "a.bib", ("location",)),
    ],
)
def test_what_is_not_read_of_a_file_is_named(content: str, name: str, unread: tuple[str, ...]) -> None:
    table = read(content, name)
    assert table.unread == unread
    assert not set(table.unread) & set(table.understood)
    assert (table.frame["assignee"] == ("Acme" if "Acme" in content else "")).all()


def test_a_date_of_priority_or_filing_is_none_of_publication() -> None:
    frame = read("title,priority date,application date\na,2010-01-02,2011-01-02\n").frame
    assert frame.loc[0, ["date", "priority_date", "filing_date"]].tolist() == ["", "2010-01-02", "2011-01-02"]


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        (  # The Lens, patents
            "#,Jurisdiction,Kind,Display Key,Lens ID,Publication Date,Publication Year,Application Number,"
            "Application Date,Priority Numbers,Earliest Priority Date,Title,Abstract,Applicants,Inventors,URL",
            "publication_number=Display Key id=Lens ID date=Publication Date filing_date=Application Date "
            "priority_date=Earliest Priority Date title=Title abstract=Abstract assignee=Applicants "
            "authors=Inventors url=URL",
        ),
        (  # The Lens, scholarly
            "Lens ID,Title,Date Published,Publication Year,Publication Type,Source Title,ISSNs,Author/s,Abstract,"
            "Keywords,Source URLs,External URL,PMID,DOI,PMCID",
            "id=Lens ID title=Title date=Date Published authors=Author/s abstract=Abstract pmid=PMID doi=DOI "
            "url=External URL",
        ),
        (  # Scopus
            "Authors,Author full names,Author(s) ID,Title,Year,Source title,Volume,DOI,Link,Abstract,PubMed ID,EID",
            "authors=Authors title=Title date=Year doi=DOI url=Link abstract=Abstract pmid=PubMed ID id=EID",
        ),
        (  # Web of Science
            "Publication Type,Authors,Author Full Names,Article Title,Source Title,Abstract,Publication Date,"
            "Publication Year,DOI,Pubmed Id,UT (Unique WOS ID)",
            "title=Article Title abstract=Abstract date=Publication Date doi=DOI pmid=Pubmed Id "
            "id=UT (Unique WOS ID)",
        ),
        (  # PubMed
            "PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,DOI",
            "pmid=PMID title=Title authors=Authors date=Publication Year doi=DOI",
        ),
        (  # Espacenet
            "No,Title,Inventors,Applicants,Publication number,Earliest priority,IPC,CPC,Publication date,"
            "Earliest publication,Family number",
            "title=Title authors=Inventors assignee=Applicants publication_number=Publication number "
            "priority_date=Earliest priority date=Publication date family=Family number",
        ),
        (  # Zotero
            "Key,Item Type,Publication Year,Author,Title,Publication Title,ISBN,DOI,Url,Abstract Note,Date",
            "id=Key title=Title authors=Author doi=DOI url=Url abstract=Abstract Note date=Date",
        ),
        (  # Rayyan
            "key,title,authors,issn,volume,issue,pages,year,publisher,url,abstract,notes,doi,keywords",
            "id=key title=title authors=authors date=year url=url abstract=abstract doi=doi",
        ),
        (  # ASReview
            "record_id,title,abstract,authors,doi,included,asreview_ranking",
            "id=record_id title=title abstract=abstract label=included doi=doi",
        ),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_headers_of_known_exports(header: str, fields: str, delimiter: str) -> None:
    names = header.split(",")
    rows = [names, [f"{name} 2001" for name in names], [f"{name} 2002" for name in names]]
    table = read("\n".join(delimiter.join(row) for row in rows), "a.tsv" if delimiter == "\t" else "a.csv")
    ours = {part.split("=")[0]: part.split("=")[1] for part in re.split(r" (?=\w+=)", fields)}
    understood = {field: column for column, field in table.understood.items() if column in ours.values()}
    assert understood == ours
    assert table.format == ("tsv" if delimiter == "\t" else "csv")
    for field, column in ours.items():
        assert table.frame.loc[1, field] == ("2002" if field == "pmid" else f"{column} 2002")


def test_web_of_science_tags_and_dates() -> None:
    text = 'PT\tAU\tTI\tSO\tAB\tPD\tPY\tDI\tPM\tUT\nJ\tLee, A\tA "big" mast\tJ Mast\tTall.\tMAR\t2010\t10.1/x\t7\tWOS:1\n'
    table = read(text, "a.txt")
    row = table.frame.iloc[0]
    assert (row["id"], row["title"], row["abstract"]) == ("WOS:1", 'A "big" mast', "Tall.")
    assert (row["date"], row["pmid"]) == ("2010", "7")
    dated = read("Article Title,Publication Date,Publication Year\na,MAR 5,2010\nb,2011-02-03,2011\n")
    assert dated.frame["date"].tolist() == ["2010", "2011-02-03"]


def test_unpaired_quotation_marks_in_tabs_are_text() -> None:
    table = read('id\ttitle\n1\t"a" mast\n2\t"b\n3\tc\n', "a.tsv")
    assert table.frame["title"].tolist() == ['"a" mast', '"b', "c"]
    assert table.notes[0] == "Quotation marks do not pair up, so they were read as part of the text."


def test_ids_fall_back_step_by_step() -> None:
    table = read(
        "title,pmid,doi,publication number\na,1,10.1000/a,EP1\nb,2,10.1000/b,\nc,,10.1000/c,\nd,,,\n"
    )
    assert table.frame["id"].tolist() == ["EP1", "2", "10.1000/c", "row 4"]
    assert any("1 of 4 records have no identifier" in note for note in table.notes)


def test_an_identifier_that_is_not_the_id_column_may_repeat() -> None:
    table = read("title,doi\na,10.1000/s\nb,10.1000/s\n")
    assert table.frame["id"].tolist() == ["10.1000/s", "10.1000/s (2)"]


def test_labels_are_normalised_where_evident() -> None:
    table = read(
        "title,included\n"
        + "\n".join(f"t{n},{v}" for n, v in enumerate("1 0 yes No Included excluded -1 maybe".split()))
    )
    assert table.frame["label"].tolist() == ["relevant", "not relevant"] * 3 + ["", "maybe"]
    notes = 'title,notes\na,"RAYYAN-INCLUSION: {""Ann""=>""Included"", ""Bo""=>""Included""}"\n'
    notes += (
        'b,"RAYYAN-INCLUSION: {""Ann""=>""Included"", ""Bo""=>""Excluded""}"\nc,ASReview_irrelevant\nd,read\n'
    )
    assert read(notes).frame["label"].tolist() == ["relevant", "Included / Excluded", "not relevant", ""]


def test_scores() -> None:
    table = read("title,score\na,0.1234567890123456\nb,\nc,NaN\nd,-2e3\n")
    scores = table.frame["score"]
    assert (
        scores[0] == 0.1234567890123456
        and scores[3] == -2000
        and scores.isna().tolist() == [False, True, True, False]
    )
    assert "2 of 4 records have no score." in table.notes
    assert any("All scores are equal" in note for note in read("title,score\na,1\nb,1\n").notes)
    assert any("score column is empty" in note for note in read("title,score\na,\nb,\n").notes)
    comma = read("title;score\na;0,5\nb;1,25\n")
    assert comma.frame["score"].tolist() == [0.5, 1.25] and any("decimal comma" in n for n in comma.notes)
    for bad in ("high", "inf", "1,234.5"):
        assert f'Line 3 of a.csv has the score "{bad}"' in refusal(f'title,score\na,1.5\nb,"{bad}"\n')


def test_preview_and_mapping_for_unknown_columns() -> None:
    text = "Bezeichnung,Kurztext,Nr\n" + "".join(f"Mast {n},Ein Mast.,{n}\n" for n in range(9))
    with pytest.raises(UnrecognisedColumns) as problem:
        read(text)
    assert problem.value.columns == ["Bezeichnung", "Kurztext", "Nr"]
    assert problem.value.preview.shape == (5, 3)
    assert problem.value.preview.loc[4, "Bezeichnung"] == "Mast 4"
    assert "No column of a.csv looks like a title among Bezeichnung, Kurztext, Nr (line 1)" in str(
        problem.value
    )
    table = read(text, columns={"Bezeichnung": "title", "Kurztext": "abstract", "Nr": "id"})
    assert table.frame.loc[8, ["id", "title", "abstract"]].tolist() == ["8", "Mast 8", "Ein Mast."]
    assert table.understood == {"Bezeichnung": "title", "Kurztext": "abstract", "Nr": "id"}


def test_mapping_overrides_and_leaves_out() -> None:
    text = "title,abstract,summary,id\na,long,short,1\n"
    table = read(text, columns={"summary": "abstract", "id": ""})
    assert table.frame.loc[0, ["id", "abstract"]].tolist() == ["row 1", "short"]
    for columns, sentence in (
        ({"name": "title"}, "no column named name"),
        ({"title": "colour"}, "no field named colour"),
        ({"title": "title", "abstract": "title"}, "both mapped to title"),
    ):
        with pytest.raises(InputProblem, match=sentence):
            read(text, columns=columns)


def test_duplicate_rows() -> None:
    table = read("id,title\n1,a\n2,b\n1,a\n")
    assert table.frame["id"].tolist() == ["1", "2"]
    assert any("1 record was listed more than once" in note for note in table.notes)


def test_ids_that_stand_for_different_records_tell_nothing_apart() -> None:
    table = read('id,title\n1,"a\nb"\n2,b\n1,c\n1,c\n')
    assert table.frame["id"].tolist() == ["1", "2", "1 (2)", "1 (3)"] and table.repeated == 0
    assert table.frame["record_number"].tolist() == ["", "", "1", "1"]
    assert any("(lines 2 and 5)" in note for note in table.notes)


def test_a_column_that_stands_twice_is_kept() -> None:
    table = read("title,time,Title,time,time\na,1,b,2,3\n")
    assert table.frame["title"].tolist() == ["a"]
    assert table.unread == ("time", "time (2)", "time (3)")
    assert any('"time (2)"' in note for note in table.notes)
    assert read("title,title\na,b\n", columns={"title (2)": "title"}).frame["title"].tolist() == ["b"]


REFUSED = [
    ("", "a.csv", "a.csv is empty"),
    (" \n\n", "a.csv", "a.csv is empty"),
    ("\ufeff", "a.csv", "a.csv is empty"),
    ("id,title\n", "a.csv", "a header but no records"),
    ("id,title\n,\n ,\n", "a.csv", "a header but no records"),
    ("id,title,doi\n1,a,\n2,b\n", "a.csv", "Line 3 of a.csv has 2 cells where the header has 3"),
    ("id,title\n1,a\n2,b,c\n", "a.csv", "Line 3 of a.csv has 3 cells where the header has 2"),
    (
        'id,title\n1,a\n2,"b\n3,c\n',
        "a.csv",
        "The row that begins on line 3 of a.csv opens a quotation mark",
    ),
    (
        'id\ttitle\n1\ta\n2\t"b\tc\n3\td\n',
        "a.tsv",
        "The row that begins on line 3 of a.tsv opens a quotation",
    ),
    ("id,title,abstract\n1,,\n2,,\n", "a.csv", "No record of a.csv has a title or an abstract"),
    (b"id,title\n1,a\x00b\n", "a.csv", "a.csv contains binary data"),
    (bytes(range(1, 9)) * 40, "a.csv", "a.csv contains binary data"),
    (b"id,title\n1,a\n2,\x81\xff\n", "a.csv", "Line 3 of a.csv is neither UTF-8 nor Windows-1252"),
    (b"\xff\xfei\x00d\x00x", "a.csv", "begins like UTF-16 but does not continue like it"),
    ("<!DOCTYPE html><html></html>", "a.csv", "looks like a web page"),
    ("T1 Q0 d1 1 2.5 x\n", "a.csv", "looks like a TREC run"),
    (b"%PDF-1.7", "a.csv", "looks like a PDF"),
    (b"\x89PNG\r\n\x1a\n", "a.csv", "looks like a picture; export the list of records instead"),
    (b"GIF89a, and more", "a.ris", "looks like a picture"),
    (b"{\\rtf1 hello}", "a.csv", "looks like a text document (RTF)"),
    (b"<svg></svg>", "a.csv", "looks like a web page or XML"),
    (b"PK\x03\x04....", "a.csv", "not a readable Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "a.xls", "looks like an old Excel workbook"),
    ("id,name\n1,a\n", "a.ris", "named as RIS but does not look like it"),
    ("id,name\n1,a\n", "a.xlsx", "named as Excel but does not look like it"),
    ("id,name\n1,a\n", "a.docx", 'ends in ".docx", which is not a format that TARstop reads'),
    (b"PK\x03\x04....", "a.xlsx", "not a readable Excel workbook"),
    ("id,title\n1,a\n", "a.csv.gz", "not compressed although"),
    (gzip.compress(b"id,title\n1,a\n", mtime=0), "a.csv", "compressed with gzip"),
    (gzip.compress(b"id,title\n1,a\n" * 99, mtime=0)[:-9], "a.csv.gz", "is damaged"),
    (gzip.compress(b"", mtime=0), "a.csv.gz", "is empty"),
    ('{"id": 1, "title": "a"}\n{"id": 2,\n', "a.jsonl", "Line 2 of a.jsonl is not valid JSON"),
    ('{"id": 1, "title": "a"}\n[1]\n', "a.jsonl", "Line 2 of a.jsonl is not a JSON object"),
    ('{"id": "1"}\n', "a.jsonl", "No column of a.jsonl looks like a title"),
    ('[{"id": "1"}]', "a.jsonl", "No column of a.jsonl looks like a title"),
]


@pytest.mark.parametrize(
    ("text", "name", "sentence"), REFUSED, ids=[f"{name}: {says}" for _, name, says in REFUSED]
)
def test_refused(text: str | bytes, name: str, sentence: str) -> None:
    assert sentence in refusal(text, name)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_one_document(end: str) -> None:
    assert len(read(end.join(["id,title", "1,a"])).frame) == 1
    assert read(end.join(["title", "a", "b", ""])).frame["id"].tolist() == ["row 1", "row 2"]


def test_closing_delimiters_are_no_ragged_rows() -> None:
    assert read("id,title,\n1,a\n2,b,\n").frame["title"].tolist() == ["a", "b"]
    assert read("id,title\n1,a,\n2,b,,\n").frame["title"].tolist() == ["a", "b"]


def test_progress_and_sources() -> None:
    seen: list[tuple[float, str]] = []
    text = "id,title\n" + "".join(f"{n},t{n}\n" for n in range(5_000))
    table = read_records(
        io.BytesIO(text.encode()), "b.csv", progress=lambda share, words: seen.append((share, words))
    )
    assert [share for share, _ in seen] == sorted(share for share, _ in seen)
    assert (seen[0][0], seen[-1]) == (0.0, (1.0, "Read 5,000 records of b.csv"))
    assert set(table.frame["source"]) == {"b.csv"}


def test_an_upload_stays_open_and_may_not_be_seekable() -> None:
    stream = io.BytesIO(GOOGLE.encode())
    read_records(stream, "a.csv")
    assert not stream.closed

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    assert len(read_records(Pipe(GOOGLE.encode()), "a.csv").frame) == 2


def test_two_hundred_thousand_documents() -> None:
    text = "id,title\n" + "".join(f"{n},Title of {n}\n" for n in range(200_000))
    frame = read(text).frame
    assert len(frame) == 200_000 and frame["id"].iloc[-1] == "199999"


def test_excel() -> None:
    rows: list[list[object]] = [
        ["Search of today"],
        [],
        ["id", "Title", "PMID", "score"],
        [1, "a", 123456.0, 0.5],
        [None] * 4,
        [2, "b", None, 1],
    ]
    table = read(workbook([], [["remark"], ["none"]], rows), "a.xlsx")
    assert table.frame[["id", "title", "pmid"]].to_numpy().tolist() == [["1", "a", "123456"], ["2", "b", ""]]
    assert table.frame["score"].tolist() == [0.5, 1.0]
    assert table.notes[:2] == (
        'Read the sheet "S3" of 3.',
        'Skipped 1 row before the header, which is row 3: "Search of today".',
    )
    assert table.first_lines == ("Search of today",)
    twice = read(workbook([["id", "title"], [1, "a"], [1, "b"]]), "a.xlsx")
    assert any("(rows 2 and 3)" in note for note in twice.notes)
    assert "Row 3 of a.xlsx has the score" in refusal(
        workbook([["title", "score"], ["a", 1], ["b", "x"]]), "a.xlsx"
    )
    assert "a.xlsx is empty" in refusal(workbook([]), "a.xlsx")


def test_json_lines_with_uneven_keys() -> None:
    lines = [
        {"id": 7, "title": "a", "text": "b", "authors": ["Lee", "Ray"], "score": 1.5},
        {"id": 8, "title": "c", "doi": "10.1000/x", "score": None, "extra": {"k": 1}},
    ]
    frame = read("\n\n".join(map(json.dumps, lines)), "a.jsonl").frame
    assert frame["id"].tolist() == ["7", "8"] and frame["abstract"].tolist() == ["b", ""]
    assert frame["authors"].tolist() == ["Lee; Ray", ""] and frame["doi"].tolist() == ["", "10.1000/x"]
    assert frame["score"].tolist()[0] == 1.5


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert read('{"title": "a \\ud83d b"}\n', "a.jsonl").frame.loc[0, "title"] == "a \ufffd b"


# --- any table comes back the same --------------------------------------------------------------

printable = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Co", "Cn", "Zl", "Zp")), max_size=30
).map(lambda text: " ".join(text.split()))
records = st.lists(
    st.fixed_dictionaries(
        {
            "title": printable.map(lambda text: "T" + text),
            "abstract": printable,
            "authors": printable,
            "doi": st.sampled_from(["", "10.1000/x", "10.1000/y"]),
            "label": st.sampled_from(["", "relevant", "not relevant"]),
            "score": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        }
    ),
    min_size=1,
    max_size=8,
)


FIELDS = ("title", "abstract", "authors", "doi", "label", "score")
ABSENT = ("NA", "<NA>", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None")


def written(rows: list[dict[str, object]], name: str) -> bytes:
    rows = [
        {"id": f"d{number}", **{field: row[field] for field in FIELDS}} for number, row in enumerate(rows)
    ]
    if name.startswith("a.jsonl"):
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    cells = [list(rows[0]), *([*row.values()] for row in rows)]
    if name == "a.xlsx":
        return workbook([[repr(c) if isinstance(c, float) else c for c in row] for row in cells])
    stream = io.StringIO(newline="")
    out = csv.writer(stream, delimiter={"a.tsv": "\t", "semicolon.csv": ";"}.get(name, ","))
    out.writerows([repr(c) if isinstance(c, float) else c for c in row] for row in cells)
    return stream.getvalue().encode()


@pytest.mark.parametrize("name", ["a.csv", "semicolon.csv", "a.tsv", "a.xlsx", "a.jsonl", "a.csv.gz"])
@given(rows=records)
def test_a_table_comes_back_the_same(name: str, rows: list[dict[str, object]]) -> None:
    data = written(rows, name)
    if name == "a.xlsx":  # a workbook cannot tell "" from nothing, and "=…" is a formula
        rows = [dict(row) for row in rows if not any(str(v).startswith("=") for v in row.values())]
        if not rows:
            return
        data = written(rows, name)
    table = read(gzip.compress(data) if name.endswith(".gz") else data, name)
    assert tuple(table.frame.columns) == RECORD_COLUMNS
    assert table.frame["id"].tolist() == [f"d{number}" for number in range(len(rows))]
    for field in ("title", "abstract", "authors", "doi", "label"):
        assert table.frame[field].tolist() == ["" if row[field] in ABSENT else row[field] for row in rows]
    assert [None if pd.isna(score) else score for score in table.frame["score"]] == [
        row["score"] for row in rows
    ]


SUFFIXES = [*(suffix for each in FORMATS for suffix in each.suffixes), ".txt", ".csv.gz", ".xls"]
fragments = st.lists(
    st.sampled_from(
        [*'",;\t\n\r 1{}:[é\x0b\u2028\ufeff', *"title id score nan PK\x03\x04".split(" "), " " * 6]
    )
    | st.sampled_from(["TY  - ", "ER  - ", "TI  - ", "PMID- ", "AB  - "]),
    max_size=30,
).map(lambda parts: "".join(parts).encode())


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(data=st.binary(max_size=200) | fragments)
def test_random_bytes_are_read_or_refused(suffix: str, data: bytes) -> None:
    for content in (data, gzip.compress(data, mtime=0)) if suffix.endswith(".gz") else (data,):
        message = ""
        try:
            count = len(read(content, "a" + suffix).frame)
        except InputProblem as problem:
            count, message = 0, str(problem)
        assert bool(count) != ("a" + suffix in message)


def test_every_format_is_listed_with_its_own_suffixes() -> None:
    suffixes = list(itertools.chain.from_iterable(each.suffixes for each in FORMATS))
    assert len(set(suffixes)) == len(suffixes)
    keys = [each.key for each in FORMATS]
    assert len(set(keys)) == len(keys)
    # Stores and session files name formats by these.
    assert {"csv", "tsv", "xlsx", "ris", "bib", "nbib", "wos", "enw", "endnote", "jsonl", "asreview"} <= set(
        keys
    )


def test_the_limit_of_others_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = csv.field_size_limit()
    long = "x" * (before + 1)
    table = read(f"title,abstract\nA,{long}\n" + "B,b\n" * 600)
    assert len(table.frame) == 601 and table.frame["abstract"][0] == long
    assert csv.field_size_limit() == before
    assert "longer than 5,000,000" in refusal(f"title,abstract\nA,b\nB,{'x' * 5_000_001}\n")
    assert csv.field_size_limit() == before
