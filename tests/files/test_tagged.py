"""RIS and PubMed's nbib."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.files import RecordTable, read_records
from tarstop_core.files.columns import normal_header
from tarstop_core.files.values import find_doi


def read(text: str, name: str) -> RecordTable:
    return read_records(io.BytesIO(text.encode()), name)


def test_ris_variants() -> None:
    text = (
        "Provider: Somebody\nContent: text/plain\n\n"
        "TY  - JOUR\r\nT1  - A mast\r\n      that folds\r\nAU  - Lee, A\r\nAU  - Ray, B\r\nN2  - It is tall.\r\n"
        "PY  - 2010/05/02/\r\nDO  - https://doi.org/10.1000/X\r\nAN  - 1234\r\nDB  - Ovid MEDLINE(R)\r\n"
        "UR  - https://example.org/a;b\r\nID  - 7\r\nER  - \r\n\r\n"
        "TY  - JOUR\nTI  - A hinge\nAB  - Background: pins.\nAB  - Results: none.\nAN  - 99999\nDB  - Embase\n"
        'C1  - PMID: 555\nN1  - RAYYAN-INCLUSION: {"Ann"=>"Excluded"}\nID  - 8\nKW  - one\n'  # no ER
        "TY  - PAT\nTI  - A pole\nID  - 9\nM1  - EP1234567A1\nUR  - https://pubmed.ncbi.nlm.nih.gov/321/\n"  # no ER
    )
    table = read(text, "a.ris")
    first, second, third = (row for _, row in table.frame.iterrows())
    assert (first["id"], first["title"], first["abstract"]) == ("7", "A mast that folds", "It is tall.")
    assert (first["authors"], first["date"]) == ("Lee, A; Ray, B", "2010/05/02")
    assert (first["doi"], first["pmid"], first["url"]) == ("10.1000/X", "1234", "https://example.org/a;b")
    assert (second["title"], second["abstract"]) == ("A hinge", "Background: pins. Results: none.")
    assert (second["pmid"], second["label"]) == ("555", "not relevant")
    assert (third["publication_number"], third["pmid"]) == ("EP1234567A1", "321")
    assert table.understood["T1"] == table.understood["TI"] == "title"
    assert table.format == "ris"


@pytest.mark.parametrize(
    ("said", "pmid"),
    [
        ("AN  - 31234567\nDP  - NLM", "31234567"),
        ("AN  - 31234567\nDB  - mdc\nDP  - EBSCOhost", "31234567"),
        ("AN  - 9876543\nDB  - MEDLINE\nDP  - ProQuest", "9876543"),
        ("AN  - 31234567\nDB  - PubMed\nC1  - PMID: 555", "555"),
        ("AN  - 98123456\nDB  - Ovid MEDLINE(R)", ""),  # of the year 1998, as MEDLINE counted then
        ("AN  - 31234567", ""),
        ("AN  - 0123456\nDB  - AMED (Allied and Complementary Medicine)\nDP  - Ovid Technologies", ""),
        ("AN  - 31234567\nDB  - Embase, MEDLINE", ""),
        ("AN  - L612345678\nDB  - MEDLINE", ""),
        ("AN  - 2012345678\nDB  - MEDLINE", ""),
        ("AN  - 103456789\nDB  - MEDLINE", ""),
        ("AN  - 7654321\nDB  - PubMed Central", ""),
        ("AN  - 9101234\nDB  - NLM Catalog", ""),
    ],
)
def test_ris_a_bare_number_is_a_pmid_where_the_database_says_so(said: str, pmid: str) -> None:
    table = read(f"TY  - JOUR\nTI  - a\n{said}\nER  - \n", "a.ris")
    assert table.frame.loc[0, "pmid"] == pmid and (table.understood.get("AN") == "pmid") == (
        pmid not in ("", "555")
    )


def test_ris_ids_that_repeat_are_told_apart() -> None:
    text = "TY  - JOUR\nTI  - a\nID  - 1\nER  - \nTY  - JOUR\nTI  - b\nID  - 1\nER  - \n"
    table = read(text + text[: len(text) // 2], "a.ris")
    assert table.frame["id"].tolist() == ["1", "1 (2)"]
    assert any("identical in every field" in note for note in table.notes)


def test_ris_with_one_space_and_text_suffix() -> None:
    assert read("TY - JOUR\nTI - a\nER - \n", "a.txt").frame.loc[0, "title"] == "a"


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        ("TY  - JOUR\nTI  - a\nER  - \nTI  - b\n", "a.ris", "Line 4 of a.ris has TI outside a record"),
        ("TI  - b\n\nTY  - JOUR\nTI  - a\nER  - \n", "a.ris", "Line 1 of a.ris has TI outside a record"),
        ("TY  - JOUR\nAU  - a\nER  - \n", "a.ris", "No record of a.ris has a title or an abstract"),
    ],
)
def test_refused(text: str, name: str, sentence: str) -> None:
    with pytest.raises(InputProblem) as problem:
        read(text, name)
    assert sentence in str(problem.value)


def test_what_stands_outside_of_records_is_noted() -> None:
    """As Ovid writes it: a tag and a link behind the end of each record."""
    record = "TY  - JOUR\nTI  - a\nER  -\nNL  - J Masts\n\nLink to the full text\n\n2.\n"
    table = read(record + record.replace("a\n", "b\n"), "a.ris")
    assert table.frame["title"].tolist() == ["a", "b"]
    assert any("Line 4 has NL" in note and "1 more" in note for note in table.notes)


@pytest.mark.parametrize("number", ["PUBMED 21314913", "PubMed ID: 21314913", "PMID: 21314913"])
def test_a_pmid_is_known_by_its_name(number: str) -> None:
    table = read(f"TY  - JOUR\nTI  - a\nC3  - {number}\nER  - \n", "a.ris")
    assert table.frame.loc[0, "pmid"] == "21314913"


@pytest.mark.parametrize(
    ("tags", "number"),
    [
        ("ST  - Lee (2019)\nU1  - 102199191", "102199191"),  # EPPI-Reviewer
        ("ST  - Lee (2019)\nU1  - reread", "10.1000/a"),
        ("U1  - 102199191", "10.1000/a"),
        ("AN  - CN-00778158", "CN-00778158"),  # Cochrane's register of trials
        ("AN  - 00778158", "10.1000/a"),
        ("ID  - rayyan-7\nST  - Lee (2019)\nU1  - 1", "rayyan-7"),
    ],
)
def test_the_number_of_another_tool_is_the_id(tags: str, number: str) -> None:
    table = read(f"TY  - JOUR\nTI  - a\nDO  - 10.1000/a\n{tags}\n", "a.ris")
    assert table.frame.loc[0, "id"] == number


def test_the_content_says_what_a_file_is() -> None:
    ris, nbib = "TY  - JOUR\nTI  - a\n", "PMID- 1\nTI  - a\n"
    names = ("a.ris", "a.csv", "a.nbib", "a.txt", "a.dat", "a")
    assert {read(ris, name).format for name in names} == {"ris"}
    assert {read(nbib, name).format for name in names} == {"nbib"}


def test_lines_of_pubmed_that_lost_their_indent_go_on() -> None:
    table = read("PMID- 1\nTI  - a\nbroken\nAB  - b\n", "a.nbib")
    assert table.frame.loc[0, ["title", "abstract"]].tolist() == ["a broken", "b"]
    assert any(note.startswith("Line 3 ") for note in table.notes)


def test_nbib() -> None:
    text = (
        "\nPMID- 10051933\nOWN - NLM\nDP  - 1998 Nov\nTI  - The effectiveness of\n      clonidine.\n"
        "LID - S0140-6736 [pii]\nLID - 10.1007/BF03012398 [doi]\nAB  - PURPOSE: To compare.\n      METHODS: Double-blind.\n"
        "FAU - Reimer, E J\nAU  - Reimer EJ\nFAU - Dunn, G S\nAU  - Dunn GS\n\nPMID- 2\nTI  - Second\n"
    )
    table = read(text, "a.nbib")
    first = table.frame.iloc[0]
    assert (first["id"], first["pmid"]) == ("10051933", "10051933")
    assert first["title"] == "The effectiveness of clonidine."
    assert first["abstract"] == "PURPOSE: To compare. METHODS: Double-blind."
    assert (first["authors"], first["date"]) == ("Reimer, E J; Dunn, G S", "1998 Nov")
    assert first["doi"] == "10.1007/BF03012398"
    assert table.frame["title"].tolist()[1] == "Second"
    assert read(text, "pubmed-export.txt").format == "nbib"


words = st.text(st.characters(codec="latin-1", categories=("L", "N", "P")), min_size=1, max_size=12)
phrases = st.lists(words, min_size=1, max_size=12).map(" ".join)
tables = st.lists(st.tuples(phrases, phrases, st.lists(phrases, max_size=3)), min_size=1, max_size=6)


def wrapped(tag: str, text: str) -> list[str]:
    """Break a text over lines as PubMed does."""
    parts = text.split()
    return [f"{tag:<4}- {parts[0]}", *(f"      {part}" for part in parts[1:])]


@given(tables)
def test_ris_comes_back_the_same(rows: list[tuple[str, str, list[str]]]) -> None:
    lines: list[str] = []
    for number, (title, abstract, authors) in enumerate(rows):
        lines += ["TY  - JOUR", f"ID  - {number}x", f"TI  - {title}", *(f"AU  - {name}" for name in authors)]
        lines += [f"AB  - {abstract}", "ER  - ", ""]
    frame = read("\n".join(lines), "a.ris").frame
    assert frame["id"].tolist() == [f"{number}x" for number in range(len(rows))]
    assert list(zip(frame["title"], frame["abstract"], strict=True)) == [row[:2] for row in rows]
    assert frame["authors"].tolist() == ["; ".join(row[2]) for row in rows]


@given(tables)
def test_nbib_comes_back_the_same(rows: list[tuple[str, str, list[str]]]) -> None:
    lines: list[str] = []
    for number, (title, abstract, authors) in enumerate(rows, start=1):
        lines += [f"PMID- {number}", *wrapped("TI", title), *wrapped("AB", abstract)]
        lines += [line for name in authors for line in wrapped("FAU", name)] + [""]
    frame = read("\n".join(lines), "a.nbib").frame
    assert frame["pmid"].tolist() == [str(number) for number in range(1, len(rows) + 1)]
    assert list(zip(frame["title"], frame["abstract"], strict=True)) == [row[:2] for row in rows]
    assert frame["authors"].tolist() == ["; ".join(row[2]) for row in rows]


def test_a_doi_is_found_in_a_text_and_a_header_is_plain() -> None:
    assert find_doi("https://doi.org/10.1000/xyz [doi]") == "10.1000/xyz"
    assert normal_header(" Inventor/Author ") == "inventor author"
