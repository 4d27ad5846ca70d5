"""Exports of screening tools and reference managers: their numbers, labels, reasons and times."""

import io
import json
import re
import sqlite3
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from tarstop_core.documents.records import date_key
from tarstop_core.effects.studies import Form
from tarstop_core.errors import InputProblem
from tarstop_core.files import RecordTable, read_records, read_tables
from tarstop_core.files.effect_tables import read_effects
from tarstop_core.screening.kept_labels import labels_found
from tarstop_core.screening.labels import IRRELEVANT, RELEVANT, UNSEEN, UNSURE
from tests.files.test_tables import read, refusal, workbook


def test_the_number_of_another_tool_stands_beside_the_id() -> None:
    frame = read("record_id,id,title\n0,x1,a\n1,x2,b\n").frame
    assert frame[["id", "record_number"]].to_numpy().tolist() == [["x1", "0"], ["x2", "1"]]
    assert read("Covidence #,Ref,title,Published Year\n#12,3,a,2019\n").frame.loc[
        0, ["id", "date", "record_number"]
    ].tolist() == [
        *("#12", "2019", ""),
    ]


def test_values_are_read_as_their_fields_mean_them() -> None:
    frame = read(
        "title;abstract;doi;pmid;url;date;authors\n"
        '"Masts &amp; lids";"p &lt; .05 & R&D";https://doi.org/10.1000%2Fab LK - x;PUBMED 12;https://a.org https://b.org;2014//;'
        '"Lee, A\n and Ray, B"\n'
        "'=b;;none;0;b;2014;\n"
    ).frame
    assert frame.loc[0, ["title", "abstract", "doi", "pmid", "url", "date", "authors"]].tolist() == [
        *("Masts & lids", "p < .05 & R&D", "10.1000/ab", "12", "https://a.org", "2014", "Lee, A and Ray, B"),
    ]
    assert frame.loc[1, ["title", "doi", "pmid", "url"]].tolist() == ["=b", "none", "", "b"]


@pytest.mark.parametrize(
    "header",
    [
        "Titel;Zusammenfassung;Autoren;Erscheinungsjahr",
        "Titre;Résumé;Auteurs;Année",
        "Título;Resumen;Autores;Año",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_headers_in_other_languages(header: str, encoding: str) -> None:
    frame = read(f"{header}\nMast;Er klappt.;Müller, A;2019\n".encode(encoding)).frame
    assert frame.loc[0, ["title", "abstract", "authors", "date"]].tolist() == [
        *("Mast", "Er klappt.", "Müller, A", "2019")
    ]


def test_abstrackr() -> None:
    header = "(internal) id,pubmed id,abstract,title,consensus,labeled_at,Ann,labeled_at,Ben,labeled_at,general notes (Ann),general notes (Ben)"
    rows = [
        "11,0,x,a,o,,1,2024-08-15 08:42:23,,,see,",
        "12,7,x,b,o,,1,2024-08-15 08:43:00,-1,2024-08-15 09:00:00,,",
        "13,0,x,c,-1,2024-08-16 08:00:00,1,2024-08-15 08:43:00,-1,2024-08-15 09:00:00,,no",
        "14,0,x,d,o,,0,2024-08-15 08:44:00,,,,",
        "citations that are not yet labeled by anyone",
        "15,0,x,e",
    ]
    table = read("\n".join([header, *rows]) + "\n")
    frame = table.frame
    assert frame["id"].tolist() == ["11", "12", "13", "14", "15"]
    assert frame["label"].tolist() == ["relevant", "included / excluded", "not relevant", "maybe", ""]
    assert labels_found(frame).codes.tolist() == [RELEVANT, UNSURE, IRRELEVANT, UNSURE, UNSEEN]
    assert frame["labelled_at"].tolist()[1:3] == ["2024-08-15 09:00:00", "2024-08-16 08:00:00"]
    assert frame["remark"].tolist() == ["see", "", "no", "", ""] and frame["pmid"].tolist()[:2] == ["", "7"]
    assert any("Line 6 is a heading" in note for note in table.notes)


def test_distiller_has_a_row_for_each_reader() -> None:
    text = "Refid,User,Level,Title,Abstract,Include\n1,Ann,1,a,x,Yes\n1,Ben,1,a,x,No\n2,Ann,1,b,y,No\n2,Ben,1,b,y,No\n"
    table = read(text)
    assert table.frame[["id", "title", "label"]].to_numpy().tolist() == [
        ["1", "a", "included / excluded"],
        ["2", "b", "not relevant"],
    ]
    assert any("4 rows are 2" in note for note in table.notes)


def test_eppi_reviewer() -> None:
    sheet = read(
        workbook([["Included", "ID", "ShortTitle", "Title"], ["I", 1, "Lee (2019)", "a"], ["E", 2, "", "b"]]),
        "a.xlsx",
    )
    assert sheet.frame[["id", "label"]].to_numpy().tolist() == [["1", "relevant"], ["2", "not relevant"]]
    document = {
        "CodeSets": [{"SetName": "s"}, {"SetName": "t"}, {"SetName": "u"}],
        "References": [
            {
                "ItemId": 7,
                "Title": "a",
                "Abstract": "x",
                "Authors": "Lee A; ",
                "Year": "2019",
                "ItemStatus": "I",
                "Codes": [{"AttributeId": 1}],
            },
            {"ItemId": 8, "Title": "b", "DOI": "10.1000/b", "ItemStatus": "E"},
        ],
    }
    for text in (json.dumps(document), json.dumps(document, indent=1)):
        frame = read(text, "a.json").frame
        assert frame[["id", "title", "label"]].to_numpy().tolist() == [
            ["7", "a", "relevant"],
            ["8", "b", "not relevant"],
        ]


def test_json_of_reference_managers() -> None:
    record = {
        "id": "lee",
        "title": "a",
        "author": [{"family": "Lee", "given": "A"}, {"family": "Ray"}],
        "issued": {"date-parts": [[2020, 5]]},
        "DOI": "10.1000/a",
    }
    frame = read(json.dumps([record, {**record, "id": "b", "title": "b"}], indent=2), "a.json").frame
    assert frame.loc[0, ["id", "authors", "date", "doi"]].tolist() == [
        "lee",
        "Lee, A; Ray",
        "2020-05",
        "10.1000/a",
    ]
    assert "(line 3)" in refusal('[\n{"title": "a"},\n{"title": }]', "a.json")
    assert "contains no fields" in refusal("[{}]", "a.json")
    assert "no list of records" in refusal('{"a": 1, "b": [\n1]}', "a.json")


def test_covidence_writes_the_reason_into_notes() -> None:
    frame = read("Title,Covidence #,Notes\na,#1,Exclusion reason: Wrong population; Ann: see\nb,#2,\n").frame
    assert frame[["id", "label", "reason"]].to_numpy().tolist() == [
        ["#1", "not relevant", "Wrong population"],
        ["#2", "", ""],
    ]


# --- ASReview's projects ---------------------------------------------------------------------------

PROJECT = {"version": "3.0", "project_file_version": 3, "reviews": [{"id": "r1"}]}
RECORD = "CREATE TABLE record (record_id INTEGER, title TEXT, abstract TEXT, authors JSON, year INTEGER, doi TEXT, url TEXT)"
RESULTS = (
    "CREATE TABLE results (record_id INTEGER, label INTEGER, querier TEXT, time FLOAT, note TEXT, tags JSON)"
)
TAGS = json.dumps([{"label": "Design", "values": [{"label": "cohort", "checked": True}, {"label": "trial"}]}])


def database(*statements: str) -> bytes:
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    return connection.serialize()


RECORDS = (
    RECORD,
    "INSERT INTO record VALUES (0, 'a', 'x', '[\"Lee, A\", \"Ray, B\"]', 2019, '10.1000/a', NULL), (1, 'b', '', '[]', NULL, NULL, NULL),"
    " (2, 'c', 'z', '[]', 2020, NULL, NULL), (3, 'd', 'z', '[]', 2020, NULL, NULL)",
)
LABELS = (
    RESULTS,
    "INSERT INTO results VALUES (2, 1, 'max', 1745432662.5, 'see', NULL), (0, 0, NULL, 1745432600.0, NULL, NULL),"
    f" (1, 0, 'max', 1745432650.0, NULL, '{TAGS}'), (3, NULL, 'max', NULL, NULL, NULL)",
)


def project(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("project.json", json.dumps(PROJECT))
        for name, content in members.items():
            packed.writestr(name, content)
    return made.getvalue()


VERSIONS = {
    "3": {"results.db": database(*RECORDS, *LABELS)},
    "2": {"data_store.db": database(*RECORDS), "reviews/r1/results.db": database(*LABELS)},
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["a.asreview", "a.zip"])
def test_projects_of_asreview(version: str, name: str) -> None:
    frame = read(project(VERSIONS[version]), name).frame
    assert frame[["id", "title", "label", "read_order"]].to_numpy().tolist() == [
        ["0", "a", "not relevant", "prior"],
        ["1", "b", "not relevant", "1"],
        ["2", "c", "relevant", "2"],
        ["3", "d", "", ""],
    ]
    assert frame.loc[0, ["authors", "date", "doi"]].tolist() == ["Lee, A; Ray, B", "2019", "10.1000/a"]
    assert frame["remark"].tolist() == ["", "Design: cohort", "see", ""]
    assert frame["labelled_at"].tolist()[1:3] == ["2025-04-23T18:24:10+00:00", "2025-04-23T18:24:22+00:00"]


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS record_id, 'a' AS title FROM n"


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({}, "is not a project of ASReview 2 or 3"),
        ({"results.db": b"no database"}, "is damaged or not from ASReview"),
        ({"results.db": VERSIONS["3"]["results.db"][:5000]}, "is damaged or not from ASReview"),
        ({"results.db": database(RECORD)}, "has no table results"),
        ({"results.db": database(f"CREATE VIEW record AS {ENDLESS}", *LABELS)}, "has no table record"),
        (
            {"results.db": database("CREATE VIRTUAL TABLE record USING fts5(title)", *LABELS)},
            "has no table record",
        ),
        ({"results.db": database("CREATE TABLE record (title TEXT)", *LABELS)}, "has no column record_id"),
        ({"../results.db": VERSIONS["3"]["results.db"]}, "is not a project of ASReview 2 or 3"),
        ({"results.db": b"\0" * (64 << 20)}, "unpacks to more than"),
    ],
    ids=[
        "empty",
        "nonsense",
        "cut off",
        "no labels",
        "endless view",
        "virtual table",
        "other columns",
        "path",
        "bomb",
    ],
)
def test_projects_that_cannot_be_used_are_one_sentence(members: dict[str, bytes], sentence: str) -> None:
    assert sentence in refusal(project(members), "a.asreview")


def test_the_work_of_a_database_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT i FROM n"
    content = database(RECORD, f"INSERT INTO record (record_id) {count}", *LABELS)
    monkeypatch.setattr("tarstop_core.files.asreview.MOST_STEPS", 3)
    assert "is damaged" in refusal(project({"results.db": content}), "a.asreview")


def test_columns_that_a_database_computes_are_not_read() -> None:
    content = database("CREATE TABLE record (record_id INTEGER, title TEXT AS (hex(zeroblob(99))))", *LABELS)
    assert "has no column title" in refusal(project({"results.db": content}), "a.asreview")


def test_an_archive_with_one_file_of_records_is_read() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr(
            "articles.csv", 'key,title,notes\nrayyan-1,a,"RAYYAN-INCLUSION: {""Ann""=>""Included""}"\n'
        )
        packed.writestr("customizations_log.csv", "article_id,key\n1,included\n")
        packed.writestr("__MACOSX/articles.csv", "x")
    frame = read(made.getvalue(), "rayyan.zip").frame
    assert frame[["id", "label"]].to_numpy().tolist() == [["rayyan-1", "relevant"]]
    with zipfile.ZipFile(made, "a") as packed:
        packed.writestr("more.ris", "TY  - JOUR\nTI  - a\n")
    assert "articles.csv, more.ris;" in refusal(made.getvalue(), "rayyan.zip")


# --- 2×2 tables of MetaDTA and RevMan ---------------------------------------------------------------


def tables(content: bytes, name: str) -> tuple[tuple[str, ...], list[float], tuple[str, ...]]:
    found = read_tables(io.BytesIO(content), name)
    return found.tables.study, found.tables.TP.tolist(), found.notes


def test_metadta_has_author_and_year() -> None:
    text = (
        b"author,year,TP,FN,FP,TN,rob_PS\nLee,2019,9,2,1,40,1\nLee,2020,8,2,1,40,2\nRay 2001,2001,1,2,3,4,1\n"
    )
    assert tables(text, "t.csv")[0] == ("Lee 2019", "Lee 2020", "Ray 2001")


RM5 = b"""<?xml version="1.0" encoding="UTF-8"?>
<COCHRANE_REVIEW TYPE="DIAGNOSTIC"><STUDIES_AND_REFERENCES><STUDIES><INCLUDED_STUDIES>
<STUDY ID="STD-Lee-2019" NAME="Lee 2019" YEAR="2019"/><STUDY ID="STD-Ray-2001" NAME="Ray 2001"/>
</INCLUDED_STUDIES></STUDIES></STUDIES_AND_REFERENCES><ANALYSES_AND_DATA><TESTS>
<TEST ID="T1"><NAME>CT</NAME><TEST_DATA><TEST_DATA_ENTRY STUDY_ID="STD-Ray-2001" TP="1" FP="2" FN="3" TN="4"/></TEST_DATA></TEST>
<TEST ID="T2"><NAME>MRI</NAME><TEST_DATA>
<TEST_DATA_ENTRY STUDY_ID="STD-Lee-2019" TP="9" FP="1" FN="2" TN="40"/><TEST_DATA_ENTRY STUDY_ID="STD-Ray-2001" TP="8" FP="2" FN="3" TN="41"/>
</TEST_DATA></TEST></TESTS></ANALYSES_AND_DATA></COCHRANE_REVIEW>"""


def test_revman_5() -> None:
    studies, true_positives, notes = tables(RM5, "review.rm5")
    assert (studies, true_positives) == (("Lee 2019", "Ray 2001"), [9.0, 8.0])
    assert "“MRI” (2 studies)" in notes[0] and "“CT” (1)" in notes[0]


TRIALS = b"""<?xml version="1.0" encoding="ISO-8859-1" standalone="no"?>
<COCHRANE_REVIEW REVMAN_VERSION="5" TYPE="INTERVENTION"><STUDIES_AND_REFERENCES><STUDIES><INCLUDED_STUDIES>
<STUDY DATA_SOURCE="PUB" ID="STD-MRC_x002d_1" NAME="MRC-1" YEAR="1974"/><STUDY ID="STD-CDP" NAME="CDP" YEAR="1976"/>
<STUDY ID="STD-Davis" NAME="Davis" YEAR="1973"/></INCLUDED_STUDIES></STUDIES></STUDIES_AND_REFERENCES>
<ANALYSES_AND_DATA><COMPARISON ID="CMP-001" NO="1"><NAME>Examples</NAME>
<DICH_OUTCOME EFFECT_MEASURE="OR" EVENTS_1="93" ID="CMP-001.01" NO="1" STUDIES="2"><NAME>Death</NAME><DICH_SUBGROUP>
<DICH_DATA EVENTS_1="49" EVENTS_2="67" O_E="0.0" STUDY_ID="STD-MRC_x002d_1" TOTAL_1="615" TOTAL_2="624"/></DICH_SUBGROUP>
<DICH_DATA EVENTS_1="44" EVENTS_2="64" O_E="0.0" STUDY_ID="STD-CDP" TOTAL_1="758" TOTAL_2="771"/></DICH_OUTCOME>
<CONT_OUTCOME EFFECT_MEASURE="SMD" ID="CMP-001.02" NO="2"><NAME>Death</NAME>
<CONT_DATA MEAN_1="5.0" MEAN_2="6.5" SD_1="4.7" SD_2="3.8" STUDY_ID="STD-Davis" TOTAL_1="13" TOTAL_2="13"/></CONT_OUTCOME>
</COMPARISON></ANALYSES_AND_DATA></COCHRANE_REVIEW>"""
"""As RevMan 5 writes a review of an intervention (the elements and attributes of Fleiss1993.rm5 in R's meta)."""


def test_trials_of_revman_5() -> None:
    """Two outcomes of one name are two: the larger is read, whole."""
    studies, notes = read_effects(io.BytesIO(TRIALS), "review.rm5")
    assert studies.study == ("MRC-1", "CDP") and studies.form is Form.EVENTS
    assert studies.values.tolist() == [[49, 615, 67, 624], [44, 758, 64, 771]]
    assert "“1.1 Death” (2 studies)" in notes[0] and "“1.2 Death” (1)" in notes[0]
    means, _ = read_effects(io.BytesIO(re.sub(b"<DICH_DATA[^>]*>", b"", TRIALS)), "review.rm5")
    assert means.form is Form.MEANS and means.values.tolist() == [[5.0, 4.7, 13, 6.5, 3.8, 13]]


def test_trials_in_the_data_package_of_revman() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr(
            "CD1-data-rows.csv",
            "Analysis group,Analysis number,Analysis name,Study,GIV Mean,GIV SE,Experimental mean,Experimental SD,Experimental cases,"
            "Experimental N,Control mean,Control SD,Control cases,Control N,O-E,Variance,Footnotes\n"
            "1,1,Death,Lee 2019,,,,,4,123,,,11,139,,,\n1,1,Death,Ray 2001,,,,,6,306,,,29,303,,,\n2,1,Death,Ray 2001,,,5,2,,30,6,2,,30,,,\n",
        )
    studies, notes = read_effects(io.BytesIO(made.getvalue()), "package.zip")
    assert studies.values.tolist() == [[4, 123, 11, 139], [6, 306, 29, 303]]
    assert "“1 1 Death” (2 studies)" in notes[-1]


def test_the_data_package_of_revman() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr("CD1-study-information.csv", "Study,Year\nLee 2019,2019\n")
        packed.writestr("CD1-test-data.csv", "Test,Study,TP,FP,FN,TN\nMRI,Lee 2019,9,1,2,40\n")
    studies, true_positives, notes = tables(made.getvalue(), "package.zip")
    assert (studies, true_positives) == (("Lee 2019",), [9.0]) and "CD1-test-data.csv" in notes[0]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (RM5[:-40], "not well-formed XML"),
        (b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "defines XML entities"),
        (b'<?xml version="1.0"?><a/>', "contains no 2×2 tables"),
        (TRIALS, "has no column TP"),
        (b'<?xml version="1.0" encoding="nonsense"?><a/>', "not well-formed XML"),
    ],
)
def test_reviews_that_cannot_be_used_are_one_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(InputProblem) as problem:
        read_tables(io.BytesIO(content), "review.rm5")
    assert sentence in str(problem.value)


# --- real exports -----------------------------------------------------------------------------------

COUNTED = ("records", "with_title", "with_abstract", "with_year", "with_doi", "included", "excluded")
HEADINGS = {"baseline_abstrackr.csv": 1}
"""Lines that expected.csv, which counts rows, counts as records: they head a section."""


def exports(real_data: Path) -> list[tuple[str, dict[str, int], RecordTable]]:
    expected = pd.read_csv(real_data / "exports" / "expected.csv", index_col="file")
    return [
        (
            name,
            {field: int(row[field]) for field in COUNTED if pd.notna(row[field])},
            read_records(real_data / "exports" / name),
        )
        for name, row in expected.iterrows()
    ]


def test_every_export_is_read_as_it_should_be(real_data: Path) -> None:
    different = {}
    for name, wanted, table in exports(real_data):
        frame = table.frame
        found = {
            "records": len(frame) + table.repeated + HEADINGS.get(name, 0),
            "with_title": (frame["title"] != "").sum(),
            "with_abstract": (frame["abstract"] != "").sum(),
            "with_year": sum(bool(date_key(date)) for date in frame["date"]),
            "with_doi": (frame["doi"] != "").sum(),
            "included": (frame["label"] == "relevant").sum(),
            "excluded": (frame["label"] == "not relevant").sum(),
        }
        if {field: found[field] for field in wanted} != wanted:
            different[name] = (wanted, found)
    assert different == {}


def test_the_page_says_what_is_read(real_data: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "own_data.md").read_text(encoding="utf-8")
    table = page.split("<!-- exports", 1)[1].split("<!-- end of exports -->", 1)[0]
    rows = [line.strip("|").split("|")[1:] for line in table.splitlines() if line.startswith("|")][2:]
    counted = [
        [name, *(str(int(count)) for count in (len(frame), *((frame["abstract"] != "").sum(), *verdicts)))]
        for name, _, table in exports(real_data)
        for frame in [table.frame]
        for verdicts in [[(frame["label"] == said).sum() for said in ("relevant", "not relevant")]]
    ]
    assert sorted(rows) == sorted(counted)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("asreview_asreview-demo-project.asreview", ["0", "1", "2"]),
        ("baseline_abstrackr.csv", ["41893415", "41893416"]),
        ("baseline_covidence.csv", ["#1", "#2", "#6"]),
        ("baseline_eppireviewer.ris", ["102199191", "102199192"]),
        ("baseline_eppireviewer.xlsx", ["102199191", "102199192"]),
        ("baseline_rayyan.csv", ["rayyan-42924189", "rayyan-42924190"]),
        ("baseline_cochrane_endnote.ris", ["CN-00778158"]),
        ("baseline_cochrane.csv", ["CN-00778158"]),
        ("baseline_psychInfo_ovid.ris", ["2021-94054-001"]),
    ],
)
def test_the_numbers_of_other_tools_are_kept(real_data: Path, name: str, ids: list[str]) -> None:
    assert read_records(real_data / "exports" / name).frame["id"].tolist()[: len(ids)] == ids


def test_cochrane_says_pubmed_and_a_number(real_data: Path) -> None:
    for name in ("baseline_cochrane.csv", "baseline_cochrane_endnote.ris"):
        assert read_records(real_data / "exports" / name).frame["pmid"].tolist()[0] == "21314913"


def test_a_real_project_has_its_order(real_data: Path) -> None:
    frame = read_records(real_data / "exports" / "asreview_asreview-demo-project.asreview").frame
    read_so = frame[frame["read_order"] != ""].sort_values("read_order", key=lambda order: order.astype(int))
    assert read_so["id"].tolist()[:4] == ["69", "95", "72", "79"] and len(read_so) == 23
    assert read_so["labelled_at"].is_monotonic_increasing
