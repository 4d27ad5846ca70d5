"""What is read of a text takes twice as long where the text is twice as long, whatever it is a run of."""

import re
from collections.abc import Callable
from functools import partial

import pytest

from dashboard.evidence.page import Chosen
from dashboard.frame.shell import escape_label, escape_markdown
from dashboard.parts.sessions import file_stem
from tarstop_core.calibration.first_hit import read_cases
from tarstop_core.documents.application import Application, flagged
from tarstop_core.documents.duplicates import merge_records
from tarstop_core.documents.merging import near_duplicates
from tarstop_core.documents.records import (
    as_records,
    links,
    normal_doi,
    normal_pmid,
    normal_publication_number,
    read_date,
    span,
)
from tarstop_core.documents.tables import from_rates, rate_and_size
from tarstop_core.errors import LONGEST, InputProblem
from tarstop_core.evidence.manual_tables import manual_tables, unpack
from tarstop_core.files import trace_to_csv
from tarstop_core.files.bib import plain_text
from tarstop_core.files.columns import plain_title
from tarstop_core.files.tables import whole_count
from tarstop_core.files.tagged import patent_number
from tarstop_core.files.values import (
    find_doi,
    label_from_notes,
    normal_label,
    reason_from_notes,
    remark_from_notes,
)
from tarstop_core.policies import parse_policy
from tarstop_core.screening.report_entry import study_name
from tarstop_core.teaching.reference import named
from tests.attack.patterns import (
    ALL_SIZES,
    ENDS,
    ROOT,
    RUNS,
    SOURCES,
    applied,
    stretched,
    too_slow,
    unreadable,
)

FOLDERS = sorted(path.name for name in SOURCES for path in (ROOT / name).iterdir() if path.is_dir())


def test_every_pattern_can_be_tried() -> None:
    assert len(applied()) > 100
    assert unreadable() == [], "give it a name where the module begins, so that it is tried with long texts"


@pytest.mark.parametrize("folder", [*FOLDERS, ""])
def test_a_text_twice_as_long_takes_a_pattern_twice_as_long(folder: str) -> None:
    own = [
        each
        for each in applied()
        if folder == (each.place.split("/")[1] if each.place.count("/") > 1 else "")
    ]
    slow = {str(each): said for each in own if (said := too_slow(each, stretched(each.pattern)))}
    assert slow == {}


@pytest.mark.parametrize(
    "method, written",
    [
        ("fullmatch", r"(\d*[.,]?\d+)\s*(%|per ?cent)?(?:\W*(?:Cr?I)?\W*(\d.*?))?[\s)\]]*(%?)[\s)\]]*"),
        pytest.param("sub", r"\s*[\n\r]\s*", marks=pytest.mark.deep),  # as the next one
        ("sub", r"([;\t\r\n])(?=\s*[=+\-@])"),
        pytest.param(
            "sub",
            r"""(?:(?<=[\s(:])|\A)(?:'(?:[^']|'(?=\w)){200,}'|"[^"]{200,}"|“[^”]{200,}”)""",
            marks=pytest.mark.deep,  # shows in the longest texts alone
        ),
        pytest.param("search", r"(\.(csv|gz))+$", marks=pytest.mark.deep),  # as the last one
        ("fullmatch", r"(a+)+"),
    ],
)  # fmt: skip
def test_slow_ones_are_noticed(method: str, written: str) -> None:
    """Else the test above would say nothing: the first four stood here.

    All sizes are tried: the longest takes a slow pattern tens of times the limit, on any machine.
    """
    pattern = re.compile(written)
    act = getattr(pattern, method) if method != "sub" else partial(pattern.sub, "")
    assert too_slow(act, stretched(pattern), ALL_SIZES)


# --- whole functions, which do more than apply a pattern --------------------------------------------------------


def _rows(text: str) -> object:
    return manual_tables([("Lee", text, text, "1", "1")])


def _records(text: str) -> object:
    frame = as_records(
        {"id": ["a", "b"]}
        | {name: [text, f"{text}b"] for name in ("title", "authors", "date", "family", "doi")}
    )
    near_duplicates(frame)
    return merge_records([frame]), flagged(Application("EP3456789", "2018-03-03"), frame)


TAKING: dict[str, Callable[[str], object]] = {
    "a quotation": lambda text: InputProblem(f"There is no column '{text}'; choose another."),
    "a sentence": InputProblem,
    "a rate": rate_and_size,
    "a sensitivity": lambda text: from_rates(text, 20),
    "a count": whole_count,
    "typed rows": _rows,
    "a packed address": unpack,
    "a date": read_date,
    "a span": span,
    "a DOI": normal_doi,
    "a PMID": normal_pmid,
    "a number": normal_publication_number,
    "text with a DOI": find_doi,
    "text with a number": patent_number,
    "links": lambda text: links(text, text, text, text),
    "LaTeX": plain_text,
    "a label": normal_label,
    "notes with a label": lambda text: label_from_notes(f"RAYYAN-INCLUSION: {text}"),
    "notes with reasons": lambda text: reason_from_notes(f"RAYYAN-EXCLUSION-REASONS: {text}"),
    "notes with a remark": lambda text: remark_from_notes(f'USER-NOTES: {{"{text}"}}'),
    "a cell that leaves": lambda text: trace_to_csv([{"title": text}]),
    "a column": plain_title,
    "past cases": read_cases,
    "a rule": lambda text: parse_policy(text, files=False),
    "a rule's parameters": lambda text: parse_policy(f"either(greedy,{text})", files=False),
    "authors": lambda text: study_name(text, text),
    "a word": named,
    "the name of tables": lambda text: Chosen(f"{text}.csv", tables=manual_tables([])[0]).title,
    "the name of a file": file_stem,
    "Markdown": escape_markdown,
    "a widget's label": escape_label,
    "records": _records,
}  # fmt: skip
MORE = (
    "9" * 7,
    "0.85 (",
    "95% CI ",
    "1/",
    ".csv",
    "10.1000/",
    "2018-03-03; ",
    "EP1234567; ",
    "'a ",
    " '",
    " “",
    "[[",
    "either(",
    "{",
    "a=1,",
)
"""Runs that mean something to one of them."""
HEAVY = ("records", "a cell that leaves")
"""What makes a table of a text, which takes a while: fewer runs are tried, each by itself."""
RUNS_OF_HEAVY = (*MORE, " ", "\n", "1", "a", '"')


@pytest.mark.parametrize("what", TAKING)
def test_a_text_twice_as_long_takes_what_reads_it_twice_as_long(what: str) -> None:
    texts = [
        lambda n, h=head, r=run, e=end: h + (r * (n // len(r) + 1))[:n] + e  # type: ignore[misc]
        for run in (RUNS_OF_HEAVY if what in HEAVY else (*RUNS, *MORE))
        for head in (("", "1", "a;") if what not in HEAVY else ("",))
        for end in ((*ENDS, "=1") if what not in HEAVY else ("",))
    ]
    assert too_slow(TAKING[what], texts) == ""


def test_what_an_error_quotes_is_cut_before_it_is_searched() -> None:
    said = str(InputProblem(f"There is no column '{'very ' * 1_000_000}long'; choose another."))
    assert "column 'very" in said and said.endswith("choose another.") and len(said) <= LONGEST + 3


def test_a_cell_that_is_too_long_for_a_number_is_none() -> None:
    assert whole_count("0" * 99 + "1") == 1 and whole_count("0" * 100 + "1") is None
    for cell in ("0." + "1" * 99, "1" * 5_000 + "/" + "2" * 5_000):
        with pytest.raises(InputProblem, match="is not a rate"):
            rate_and_size(cell)
    with pytest.raises(InputProblem, match="give a number from 0 to 1"):
        from_rates("1e-99999999", 20)
    with pytest.raises(InputProblem, match="is not a case"):
        read_cases("9" * 5_000)


@pytest.mark.parametrize("cell", ["0.85.", "85 abc", "94–", "0.85;"])
def test_a_rate_with_something_behind_it_is_not_cut_short(cell: str) -> None:
    """Once the last digit was taken for an interval: 85 abc was 8."""
    with pytest.raises(InputProblem, match="is not a rate"):
        rate_and_size(cell)
