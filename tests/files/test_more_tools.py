"""Exports of further databases and tools, built after published examples of their form."""

import pytest

from tarstop_core.files import RecordTable
from tarstop_core.screening.kept_labels import labels_found
from tarstop_core.screening.labels import IRRELEVANT, RELEVANT, UNSEEN, UNSURE
from tests.files.test_tables import ABSENT, read, refusal

WEB_OF_SCIENCE = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Sampson, SD
   Loewen, MA
AF Sampson, Scott
   Loewen, Mark
TI Horned dinosaurs
   from Utah
AB Much
   here.
PD SEP 22
PY 2010
DI 10.1371/journal.pone.0012292
UT WOS:000282053100002
PM 20877459
ER

PT J
AU Riggs, ES
TI Footprints
PY 1904
UT WOS:000200210400001
ER

EF"""
ENDNOTE_XML = """<?xml version="1.0" encoding="UTF-8" ?><xml><records><record><rec-number>7</rec-number>
<contributors><authors><author><style face="normal">Example, Ann</style></author><author>Sample, B</author></authors></contributors>
<titles><title><style face="normal">Ultrasound of </style><style face="italic">hips</style></title></titles>
<dates><year>2016</year></dates><accession-num>12345678</accession-num>
<electronic-resource-num>10.1000/x</electronic-resource-num><abstract>We compared.</abstract>
<keywords><keyword>ASReview_relevant</keyword></keywords></record></records></xml>"""
ENDNOTE_TAGS = """%0 Journal Article
%A Example, Ann
%A Sample, B
%T Ultrasound
of hips
%D 2016
%X We compared.
%R 10.1000/x
%Z RAYYAN-INCLUSION: {"Ann"=>"Excluded"}

%0 Journal Article
%T Knees
"""


def fields(table: RecordTable, row: int, *names: str) -> list[str]:
    return table.frame.loc[row, list(names)].tolist()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_web_of_science_plain_text(encoding: str) -> None:
    table = read(WEB_OF_SCIENCE.replace("\n", "\r\n").encode(encoding), "savedrecs.txt")
    assert table.format == "wos" and len(table.frame) == 2
    assert fields(table, 0, "id", "title", "abstract", "authors", "date", "doi", "pmid") == [
        *("WOS:000282053100002", "Horned dinosaurs from Utah"),
        *("Much here.", "Sampson, Scott; Loewen, Mark"),
        *("2010", "10.1371/journal.pone.0012292", "20877459"),
    ]
    assert fields(table, 1, "id", "authors") == ["WOS:000200210400001", "Riggs, ES"]
    assert not any("outside" in note for note in table.notes)
    headless = read(WEB_OF_SCIENCE.replace("PT J\nAU Riggs", "AU Riggs"), "a.ciw")
    assert len(headless.frame) == 1 and "Line 19" in headless.notes[-1]


def test_a_cut_off_file_of_web_of_science_keeps_what_is_there() -> None:
    assert len(read(WEB_OF_SCIENCE.partition("PY 1904")[0], "savedrecs.txt").frame) == 2


def test_endnote_tagged() -> None:
    table = read(ENDNOTE_TAGS, "a.enw")
    assert fields(table, 0, "title", "authors", "date", "doi", "label") == [
        *("Ultrasound of hips", "Example, Ann; Sample, B", "2016", "10.1000/x", "not relevant")
    ]
    assert fields(table, 1, "id", "title") == ["row 2", "Knees"]


def test_endnote_xml() -> None:
    table = read(ENDNOTE_XML, "a.xml")
    assert fields(table, 0, "id", "title", "authors", "date", "doi", "label", "record_number") == [
        *("7", "Ultrasound of hips", "Example, Ann; Sample, B", "2016", "10.1000/x", "relevant", "12345678")
    ]
    assert "well-formed" in refusal(ENDNOTE_XML[:-40], "a.xml")
    assert "record" in refusal("<xml><records><recorded/></records></xml>", "a.xml")
    assert "XML" in refusal('<?xml version="1.0"?><feed/>', "a.xml")


@pytest.mark.parametrize(
    "header, row, expected",
    [
        (  # CINAHL
            "Article Title,Author,Publication Date,Accession Number,DOI,PLink",
            'Hips,"Lee, A",="4/3/2024","176404503",10.1000/x,https://search.ebscohost.com/a',
            {"id": "176404503", "date": "4/3/2024", "url": "https://search.ebscohost.com/a"},
        ),
        (  # Dimensions: its ids are no patents
            "Rank,Publication ID,DOI,Title,PubYear",
            "1,pub.1000001,10.1000/x,Hips,2016",
            {"id": "pub.1000001", "publication_number": "", "date": "2016"},
        ),
        (  # OpenAlex
            "id,title,ids.pmid,authorships.raw_author_name,publication_date",
            "https://openalex.org/W1,Hips,https://pubmed.ncbi.nlm.nih.gov/20877459,Ann|Ben,2024-02-01",
            {"pmid": "20877459", "authors": "Ann|Ben", "id": "https://openalex.org/W1"},
        ),
        ("EID,Title,Abstract", "2-s2.0-1,Hips,[No abstract available]", {"abstract": ""}),  # Scopus
        (  # ProQuest
            "Title,Abstract,pubdate,year,digitalObjectIdentifier",
            "Hips,a,May 2016,2016,10.1000/x",
            {"doi": "10.1000/x", "date": "May 2016"},
        ),
        (  # Colandr
            "study_id,citation_screening_status,citation_title,citation_abstract,citation_exclude_reasons",
            "4,excluded,Hips,a,population",
            {"id": "4", "label": "not relevant", "reason": "population"},
        ),
        ("Item Id,Title,Include/Exclude", "9,Hips,Included", {"id": "9", "label": "relevant"}),
        ("Titolo,Riassunto,Decisione", "Anca,a,Escludere", {"abstract": "a", "label": "not relevant"}),
        ("Titel,Samenvatting,Beslissing", "Heup,a,Geïncludeerd", {"abstract": "a", "label": "relevant"}),
        (
            "Título,Decisão,Motivo de exclusão",
            "Q,Excluir,Outra",
            {"label": "not relevant", "reason": "Outra"},
        ),
    ],
)
def test_columns_of_databases_and_languages(header: str, row: str, expected: dict[str, str]) -> None:
    frame = read(f"{header}\n{row}\n").frame
    assert {field: frame.loc[0, field] for field in expected} == expected


def test_words_for_labels() -> None:
    words = ["Einschluss", "Exclure", "Unklar", "not screened", "Undecided", "Not Relevant"]
    frame = read("Title,Screening Status\n" + "".join(f"t{word},{word}\n" for word in words)).frame
    assert labels_found(frame).codes.tolist() == [RELEVANT, IRRELEVANT, UNSURE, UNSEEN, UNSURE, IRRELEVANT]


def test_numbers_that_databases_write_into_ris() -> None:
    table = read(
        "TY  - JOUR\nAN  - rayyan-42924194\nTI  - a\nER  - \n"
        "TY  - JOUR\nAN  - WOS:000282053100002\nTI  - b\nER  -\n"
        "TY  - JOUR\nDB  - Embase\nAN  - 2016000001\nID  - 12345678 [https://www.ncbi.nlm.nih.gov/pubmed/?term=12345678]\nTI  - c\nER  - \n",
        "a.ris",
    )
    assert table.frame["id"].tolist() == ["rayyan-42924194", "WOS:000282053100002", "12345678"]
    assert fields(table, 2, "pmid", "record_number") == ["12345678", "2016000001"]


def test_answers_of_distiller_to_a_question_stand_side_by_side() -> None:
    text = "Refid,User,Title,1. Include?\n1,Ann,a,Yes\n1,Ben,a,No\n"
    assert read(text, columns={"1. Include?": "label"}).frame.loc[0, "label"] == "included / excluded"


def test_authors_and_abstracts_of_scholarly_graphs() -> None:
    table = read(
        '{"results": [{"id": "W1", "title": "T", "authorships": [{"author": {"display_name": "Ann Lee"}}], '
        '"abstract_inverted_index": {"compared": [1], "We": [0]}}]}',
        "works.json",
    )
    assert fields(table, 0, "authors", "abstract") == ["Ann Lee", "We compared"]
    semantic = read(
        '{"paperId": "p", "title": "T", "externalIds": {"MAG": "1"}, "authors": [{"name": "Ann Lee"}]}\n',
        "a.jsonl",
    )
    assert fields(semantic, 0, "id", "authors", "doi") == ["p", "Ann Lee", ""]


def test_what_r_and_pandas_write_for_nothing_is_nothing() -> None:
    """One id, DOI or PMID that says NA on every line would make one document of them all."""
    lines = [f"T{at},{word},{word},{word},{word},{word},{word}" for at, word in enumerate(ABSENT)]
    frame = read("title,id,abstract,authors,date,doi,pmid\n" + "\n".join(lines), "a.csv").frame
    assert frame["id"].tolist() == [f"row {at}" for at in range(1, len(ABSENT) + 1)]
    assert (frame[["abstract", "authors", "date", "doi", "pmid"]] == "").all(axis=None)
    again = read("TY  - JOUR\nTI  - T\nAB  - NA\nID  - 4202\nER  - \n", "a.ris").frame
    assert again[["id", "abstract"]].to_numpy().tolist() == [["4202", ""]]
