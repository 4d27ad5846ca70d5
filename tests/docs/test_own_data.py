"""Every example of docs/own_data.md imports as the page says, and its tables of names are those of the readers."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tarstop_core.calibration.first_hit import read_cases
from tarstop_core.cli import commands as cli
from tarstop_core.documents.duplicates import family_groups
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.reranking import check_ranker
from tarstop_core.files import (
    FORMATS,
    read_effects,
    read_outcome_tables,
    read_qrels,
    read_records,
    read_run,
    read_tables,
)
from tarstop_core.files.columns import SYNONYMS, TAG_SYNONYMS
from tarstop_core.policies import parse_policy
from tarstop_core.policies.check import check_policy
from tarstop_core.ranking.learning import parse_ranker
from tarstop_core.ranking.order import prepare, suggest_order
from tarstop_core.screening.kept_labels import labels_found
from tarstop_core.screening.labels import IRRELEVANT, RELEVANT, UNSEEN, UNSURE

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "own_data.md").read_text(encoding="utf-8")
NAMED = re.compile(r"^```\w+ (\S+\.\w+)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
EXAMPLES: dict[str, str] = dict(NAMED.findall(PAGE))
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
FIELD_WORDS = {"notes": "*decisions in notes*"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All examples as files, in the folder that commands run in."""
    for name, content in EXAMPLES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- each example ---------------------------------------------------------------------------------


def titles(folder: Path) -> None:
    table = read_records(folder / "titles.csv")
    assert table.frame["id"].tolist() == ["row 1", "row 2", "row 3"]


def lens(folder: Path) -> None:
    frame = read_records(folder / "lens.csv").frame
    assert frame["publication_number"].tolist() == ["EP 1234567 A1", "US 9876543 B2", "DE 19912345 A1"]
    assert frame["date"].tolist() == ["2014-05-12", "2013-03-01", "1999-01-04"]
    assert frame["priority_date"].tolist() == ["2012-11-02", "2012-11-02", "1998-03-02"]
    assert frame.loc[2, ["filing_date", "assignee"]].tolist() == ["1998-03-02", "BOX AG"]
    assert family_groups(frame) == [[0, 1]]


def google(folder: Path) -> None:
    table = read_records(folder / "google.csv")
    assert table.frame.loc[0, "publication_number"] == "EP-1234567-A1"
    assert table.frame.loc[
        0, ["date", "priority_date", "filing_date", "grant_date", "assignee"]
    ].tolist() == [*("2014-05-12", "2012-11-02", "2013-11-01", "", "Masts Ltd")]
    assert table.unread == ()
    assert any("before the header" in note for note in table.notes)
    assert any("no abstracts" in note for note in table.notes)


def asreview(folder: Path) -> None:
    frame = read_records(folder / "asreview.csv").frame
    assert labels_found(frame).codes.tolist() == [RELEVANT, IRRELEVANT, UNSEEN]
    assert frame.loc[1, "remark"] == "no reference standard"


def rayyan(folder: Path) -> None:
    frame = read_records(folder / "rayyan.csv").frame
    assert labels_found(frame).codes.tolist() == [RELEVANT, IRRELEVANT, UNSURE]
    assert (frame.loc[1, "reason"], frame.loc[1, "remark"]) == ("wrong study design", "Ask for the data")


def mine(folder: Path) -> None:
    frame = read_records(folder / "mine.csv").frame
    assert labels_found(frame).codes.tolist() == [RELEVANT, IRRELEVANT]
    assert frame["reason"].tolist() == ["", "wrong study design"]
    assert frame["remark"].tolist() == ["read again", ""]


def endnote(folder: Path) -> None:
    frame = read_records(folder / "endnote.ris").frame
    assert frame["label"].tolist() == ["relevant", ""]
    assert frame.loc[0, "doi"] == "10.1000/example.1"
    assert frame.loc[1, "publication_number"] == "EP1234567A1"


def zotero(folder: Path) -> None:
    frame = read_records(folder / "zotero.bib").frame
    assert frame.loc[0, "title"] == "Ultrasound of the hip in Münster"
    assert frame.loc[0, "authors"] == "Example, Ann; Sample, Ben"
    assert frame.loc[0, "label"] == "not relevant"


def pubmed(folder: Path) -> None:
    frame = read_records(folder / "pubmed.nbib").frame
    assert frame.loc[0, "title"].endswith("goes on in the next line.")
    assert (frame.loc[0, "pmid"], frame.loc[0, "doi"]) == ("12345678", "10.1000/example.1")


def records(folder: Path) -> None:
    frame = read_records(folder / "records.jsonl").frame
    assert frame["abstract"].tolist() == ["We compared ultrasound with arthroscopy.", ""]
    assert frame["authors"].tolist() == ["", "Ann Example; Ben Sample"]


def scored(folder: Path) -> None:
    table = read_records(folder / "scored.csv")
    assert table.frame["score"].tolist() == [12.75, 3.5, 7.25]
    assert any("decimal comma" in note for note in table.notes)
    assert suggest_order(table.frame)[0] == "scores"
    assert prepare(table.frame, "scores").order.tolist() == [0, 2, 1]


def cases(folder: Path) -> None:
    found = read_cases((folder / "cases.txt").read_text(encoding="utf-8"))
    assert [(each.outcome, each.at) for each in found] == [
        ("hit", 4),
        ("hit", 17),
        ("stopped", 60),
        ("none", 0),
    ]


def past_run(folder: Path) -> None:
    run = read_run(folder / "past.run")
    assert {name: topic.ids.tolist() for name, topic in run.items()} == {
        "T1": ["d1", "d2", "d3"],
        "T2": ["d4", "d5"],
    }


def past_qrels(folder: Path) -> None:
    assert read_qrels(folder / "past.qrels") == {"T1": {"d1": 1, "d3": 0}, "T2": {"d5": 1}}


def tables(folder: Path) -> None:
    found = read_tables(folder / "tables.csv")
    assert found.tables.study == ("Example 2001", "Sample 2006")
    assert found.tables.TP.tolist() == [28, 17]


def rates(folder: Path) -> None:
    found = read_tables(folder / "rates.csv")
    assert found.tables.TP.tolist() == [28, 17] and found.tables.FN.tolist() == [12, 8]


def outcomes(folder: Path) -> None:
    found = read_outcome_tables(folder / "outcomes.csv")
    assert [(name, len(each)) for _, name, each in found] == [("T1/ultrasound", 2), ("T2/ultrasound", 1)]


def effects(folder: Path) -> None:
    found, _ = read_effects(folder / "effects.csv")
    assert found.study == ("Example 2001", "Sample 2006") and found.high_risk() == [1]


def my_rule(folder: Path) -> None:
    assert check_policy(parse_policy("my_rule.py:Hundred"), 20).ok


def my_ranker(folder: Path) -> None:
    assert check_ranker(parse_ranker("my_ranker.py:Patient"), 3).ok


CHECKS: dict[str, Callable[[Path], None]] = {
    "titles.csv": titles,
    "lens.csv": lens,
    "google.csv": google,
    "asreview.csv": asreview,
    "rayyan.csv": rayyan,
    "mine.csv": mine,
    "endnote.ris": endnote,
    "zotero.bib": zotero,
    "pubmed.nbib": pubmed,
    "records.jsonl": records,
    "scored.csv": scored,
    "cases.txt": cases,
    "past.run": past_run,
    "past.qrels": past_qrels,
    "tables.csv": tables,
    "rates.csv": rates,
    "outcomes.csv": outcomes,
    "effects.csv": effects,
    "my_rule.py": my_rule,
    "my_ranker.py": my_ranker,
}


@pytest.mark.parametrize("name", CHECKS)
def test_an_example_imports_as_the_page_says(name: str, folder: Path) -> None:
    CHECKS[name](folder)


def test_no_example_is_forgotten() -> None:
    assert set(EXAMPLES) == set(CHECKS)
    assert PAGE.count("```") == 2 * (len(EXAMPLES) + PAGE.count("```sh\n"))


def test_every_command_of_the_page_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(COMMANDS) == 6
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        assert program == "tarstop"
        assert cli.tarstop.main(args=arguments, standalone_mode=False) in (None, 0), command
    assert (folder / "mine.json").is_file() and (folder / "prior.json").is_file()


# --- names ----------------------------------------------------------------------------------------


def test_the_columns_are_those_that_are_recognised() -> None:
    table = PAGE.split("<!-- columns", 1)[1].split("<!-- end of columns -->", 1)[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")][2:]
    wanted = [
        [FIELD_WORDS.get(field, field.replace("_", " ")), ", ".join(names)]
        for field, names in SYNONYMS.items()
    ]
    assert rows == wanted
    for names in TAG_SYNONYMS.values():
        for name in names:
            assert f"`{name.upper()}`" in PAGE


def test_every_format_has_its_row() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    lacking = [
        each.name
        for each in FORMATS
        if not any(all(f"`{suffix}`" in row for suffix in each.suffixes) for row in rows)
    ]
    assert not lacking, "give it a row in docs/own_data.md"


@pytest.mark.parametrize(
    "name, content",
    [
        ("a.pdf", b"%PDF-1.7"),
        ("a.xls", b"\xd0\xcf\x11\xe0"),
        ("a.csv", b"<!doctype html><html>"),
        ("a.xml", b"<?xml version='1.0'?><rss></rss>"),
    ],
)
def test_what_is_not_read_is_refused_with_a_mend(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputProblem, match=r"; .*(export|save|download|write)"):
        read_records(tmp_path / name)
