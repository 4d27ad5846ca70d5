"""Whatever a file holds, it is read or refused in one sentence, in seconds and without filling the memory.

``make test`` tries a few mutants of each file, always the same; ``make deep`` a thousand others.
"""

import csv
import gzip
import io
import json
import resource
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarstop_core.belief import prior
from tarstop_core.belief.prior import LearnedFrom, Prior
from tarstop_core.calibration import calibrator, extraction_rate
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.calibration.first_hit import read_cases
from tarstop_core.documents.application import COLUMNS, Application, flagged, with_family
from tarstop_core.documents.records import links, ranking_text, web_address
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.folder import read_upload, save_upload
from tarstop_core.files import FORMATS, read_outcome_tables, read_qrels, read_records, read_run, read_tables
from tarstop_core.files.effect_tables import read_effects
from tarstop_core.files.labelled_lists import read_labelled
from tarstop_core.ranking.bm25 import RECIPES, rank_documents
from tarstop_core.samples import shipped
from tarstop_core.sessions.export import to_csv
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.attack.mutants import mutated, stretched
from tests.files.test_tools import RM5, TRIALS, VERSIONS, project
from tests.payload_cases import patent_session
from tests.session_cases import a_patent_session, a_review

SECONDS, MEGABYTES = 5.0, 500
EXAMPLES = 12 if settings.get_current_profile_name() == "tests" else 850
"""Of each file: some 20,000 in all when it goes deep."""
CSV = (
    "id,title,abstract,doi,year,label_included,score\n"
    '1,Hinge for a lid,"A hinge, ""bent""\nand long",10.1/abc,2019,1,3.5\n'
    "2,Mast,,,2020-03,0,2\n3,Cup,holds tea,10.1/x;y,,maybe,-1e3\n"
)
PATENTS = (
    "search URL:,https://patents.example/?q=lid\n"
    "id,title,assignee,inventor/author,priority date,filing/creation date,publication date,grant date,result link,family id\n"
    "EP-1000001-A1,Hinge for a lid,A; B,Lee,1997-01-01,1998-01-01,1999-01-02,,https://patents.google.com/patent/EP1000001A1/en,1\n"
    "EP-3456789-A1,Mast,C|D,Ng,2018-03-03,3 March 2018,2019-09,2020,https://x.example/2,7\n"
    "US-2000000001-A1,Lid,,,2018,,2019-05-12,,,EP3456789; US2000000001\n"
)
RIS = (
    'TY  - JOUR\nTI  - Hinge\nAU  - Lee, A\nPY  - 2019///\nDO  - 10.1/abc\nN1  - RAYYAN-INCLUSION: {"A"=>"Included"}\nER  - \n\n'
    * 3
)
BIB = (
    '@article{lee2019,\n title = {A {Hinge} \\"o},\n author = {Lee, A and Ng, B},\n year = 2019,\n doi = {10.1/abc}\n}\n'
    * 2
)
NBIB = (
    "PMID- 1\nTI  - Hinge\n      for lids\nAB  - Long\nAU  - Lee A\nDP  - 2019 Mar\nLID - 10.1/abc [doi]\n\n"
    * 3
)
WOS = (
    "FN Clarivate\nVR 1.0\n"
    + "PT J\nAU Lee, A\n   Ray, B\nTI Hinge\n   for lids\nAB Long\nPY 2019\nUT WOS:1\nER\n\n" * 3
    + "EF"
)
ENW = "%0 Journal Article\n%A Lee, A\n%T Hinge\nfor lids\n%D 2019\n%X Long\n%R 10.1/abc\n\n" * 3
ENDNOTE = (
    "<xml><records>"
    + "<record><rec-number>1</rec-number><titles><title><style>Hinge</style></title></titles>"
    "<abstract>Long</abstract></record>" * 3 + "</records></xml>"
)
JSONL = "".join(
    json.dumps({"id": i, "title": f"T {i}", "abstract": "x", "score": 1 / (i + 1), "label": i % 2}) + "\n"
    for i in range(6)
)
ABSTRACKR = (
    "(internal) id,pubmed id,title,consensus,labeled_at,Ann,labeled_at,general notes (Ann)\n"
    "11,0,Hinge,o,,1,2024-08-15 08:42:23,see\n12,7,Mast,-1,2024-08-15,0,,\nnot yet labeled\n13,0,Lid\n"
)
DISTILLER = "Refid,User,Level,Title,Include\n1,Ann,1,Hinge,Yes\n1,Ben,1,Hinge,No\n2,Ann,2,Mast,No\n"
RUN = "".join(f"T{t} Q0 d{d} {d} {9 - d / 7:.4f} bm25\n" for t in (1, 2) for d in range(1, 9))
QRELS = "".join(f"T{t} 0 d{d} {int(d in (2, 5))}\n" for t in (1, 2) for d in range(1, 9))
OUTCOMES = "topic,outcome,study,docid,tp,fp,fn,tn\n" + "".join(
    f"T{t},o1,s{d},d{d},{20 + d},3,{d},50\n" for t in (1, 2) for d in (2, 5)
)
TABLES = 'study,TP,FP,FN,TN\nKim 2019,20,3,4,50\n"Lee, A",11,,2,\nNg,0,0,5,9\n'
CASES = "4, first relevant at rank 17\nnone in the first 60\nnone at all\n3, 2\n"


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for line in (["id", "title", "abstract", "score"], [1, "Hinge", "Long", 2.5], [2, "Mast", None, 1]):
        sheet.append(line)
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def archive(*names: str) -> bytes:
    made = io.BytesIO()
    content = {
        ".run": RUN,
        ".qrels": QRELS,
        ".csv": OUTCOMES,
        ".json": '{"title": "Mine", "folds": 2, "twins": true}',
    }
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            text = content[Path(name).suffix]
            packed.writestr(name, text.replace("T", "U") if name.startswith("test/") else text)
    return made.getvalue()


@cache
def session_file(made: Callable[[Store], str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/t.db") as store:
        return export_session(store, made(store)).encode()


def learned() -> bytes:
    return Prior(b_0=0.7, learned_from=LearnedFrom("past", 0.75, 16, 63, 742, 0.1)).to_json().encode()


# --- what is read, and used a little where it was taken ----------------------------------------------------


def records(name: str) -> Callable[[bytes], object]:
    return lambda content: used(read_records(io.BytesIO(content), name).frame)


def used(frame: pd.DataFrame) -> None:
    """Flag, link and rank them, in both ways."""
    for asked in (Application("EP3456789", "2018-03-03"), Application(priority="2018")):
        assert len(flagged(with_family(asked, frame), frame)) == len(frame)
    for url, *others in frame[["url", "publication_number", "doi", "pmid"]].itertuples(index=False):
        assert all(link.url == web_address(link.url) for link in links(url, *others))
    for recipe in RECIPES.values():
        with suppress(InputProblem):  # where no record has a word of it
            rank_documents(ranking_text(frame), "hinge of a lid", recipe)


def in_file(read: Callable[[Path], object], name: str) -> Callable[[bytes], object]:
    def taken(content: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(content)
            return read(path)

    return taken


def session(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/t.db") as store:
        try:
            taken = import_session(store, content.decode("utf-8", "replace"), "x.json")
        finally:
            assert store.damaged() == []
            assert bool(store.sessions()) == bool(store.collections())
        whole = session_snapshot(store, taken)
        assert report_html(whole) and to_csv(whole) and export_session(store, taken)


def fitted(content: bytes) -> None:
    read = calibrator.from_json(content.decode("utf-8", "replace"), "x.json")
    scores = None if read.by_rank else np.linspace(9, 1, 30)
    p = read.probabilities(scores, 30)
    assert (
        ((p >= 0) & (p <= 1)).all() and read.fitted_on.badge and isinstance(read.mismatch(scores, 30), list)
    )
    assert not np.isnan(read.curve(p).log_M).any() and calibrator.from_json(read.to_json()) == read


def benchmark(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        save_upload([("own.zip", io.BytesIO(content))], Path(folder) / "own")
        read_upload(Path(folder) / "own")


def text(read: Callable[[str, str], object]) -> Callable[[bytes], object]:
    return lambda content: read(content.decode("utf-8", "replace"), "x.json")


TAKEN: dict[str, tuple[Callable[[], bytes], Callable[[bytes], object]]] = {
    "csv": (CSV.encode, records("a.csv")),
    "tsv": (CSV.replace(",", "\t").encode, records("a.tsv")),
    "patents": (PATENTS.encode, records("gp-search.csv")),
    "utf-16 csv": (lambda: CSV.encode("utf-16"), records("a.csv")),
    "csv.gz": (lambda: gzip.compress(CSV.encode(), mtime=0), records("a.csv.gz")),
    "xlsx": (workbook, records("a.xlsx")),
    "ris": (RIS.encode, records("a.ris")),
    "bib": (BIB.encode, records("a.bib")),
    "nbib": (NBIB.encode, records("a.nbib")),
    "wos": (WOS.encode, records("a.txt")),
    "enw": (ENW.encode, records("a.enw")),
    "endnote": (ENDNOTE.encode, records("a.xml")),
    "jsonl": (JSONL.encode, records("a.jsonl")),
    "json": (lambda: json.dumps({"References": [json.loads(line) for line in JSONL.splitlines()]}, indent=1).encode(), records("a.json")),
    "project of version 3": (lambda: project(VERSIONS["3"]), records("a.asreview")),
    "project of version 2": (lambda: project(VERSIONS["2"]), records("a.asreview")),
    "several readers": (ABSTRACKR.encode, records("a.csv")),
    "a row for each reader": (DISTILLER.encode, records("a.csv")),
    "2x2 tables of RevMan": (lambda: RM5, lambda content: read_tables(io.BytesIO(content), "t.rm5")),
    "trials of RevMan": (lambda: TRIALS, lambda content: read_effects(io.BytesIO(content), "t.rm5")),
    "run": (RUN.encode, lambda content: read_run(io.BytesIO(content), "a.run")),
    "qrels": (QRELS.encode, lambda content: read_qrels(io.BytesIO(content), "a.qrels")),
    "outcomes": (OUTCOMES.encode, in_file(read_outcome_tables, "o.csv")),
    "2x2 tables": (TABLES.encode, lambda content: read_tables(io.BytesIO(content), "t.csv")),
    "labelled list": (CSV.encode, lambda content: read_labelled([("a.csv", content)])),
    "labelled run": (RUN.encode, lambda content: read_labelled([("a.run", content), ("a.qrels", QRELS.encode())])),
    "past cases": (CASES.encode, lambda content: read_cases(content.decode("utf-8", "replace"))),
    "review session": (lambda: session_file(a_review), session),
    "patent session": (lambda: session_file(a_patent_session), session),
    "flagged session": (lambda: session_file(patent_session), session),
    "calibrator": (lambda: shipped.calibrators()["sample-searches"].to_json().encode(), fitted),
    "rank calibrator": (lambda: shipped.calibrators()["sample-searches-rank"].to_json().encode(), fitted),
    "prior": (learned, text(prior.from_json)),
    "data share": (lambda: ExtractionRate(2.5, 4.0, 9, "past").to_json().encode(), text(extraction_rate.from_json)),
    "archive": (lambda: archive("a.run", "a.qrels", "benchmark.json"), benchmark),
    "archive of reviews": (lambda: archive("train/a.run", "train/o.csv", "test/a.run", "test/o.csv"), benchmark),
}  # fmt: skip


@pytest.mark.parametrize("kind", TAKEN)
def test_the_file_itself_is_taken(kind: str) -> None:
    make, take = TAKEN[kind]
    take(make())


def test_every_format_of_records_is_among_them() -> None:
    formats = set()
    for make, _ in TAKEN.values():
        with suppress(InputProblem):
            formats.add(read_records(io.BytesIO(make()), "a").format)
    assert {form.key for form in FORMATS} <= formats


@pytest.mark.parametrize("kind", TAKEN)
@given(number=st.integers(0, 2**63))
@settings(max_examples=EXAMPLES)
def test_a_mutant_is_taken_or_refused_in_a_sentence(kind: str, number: int) -> None:
    make, take = TAKEN[kind]
    content = mutated(make(), Random(number))
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        take(content)
    except InputProblem as problem:
        said = str(problem)
        assert said.endswith(".") and "\n" not in said and len(said) < 1_500, said
    assert time.perf_counter() - begun < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEGABYTES * 1024


CPU = 1.0
"""Seconds of processor time that a file may take of the thread that reads it, for everybody waits meanwhile."""
RUNS = 4 if settings.get_current_profile_name() == "tests" else 10_000 // len(TAKEN) + 1


@pytest.mark.parametrize("kind", TAKEN)
def test_long_runs_are_taken_or_refused_at_once(kind: str) -> None:
    """The same few in every run of ``make test``; 10,000 in all when it goes deep."""
    make, take = TAKEN[kind]
    seed = make()
    for number in range(RUNS):
        content = stretched(seed, Random(number))
        begun = time.thread_time()
        try:
            take(content)
        except InputProblem as problem:
            said = str(problem)
            assert said.endswith(".") and "\n" not in said and len(said) < 1_500, (number, said)
        assert time.thread_time() - begun < CPU, number


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_first_line_of_many_words_makes_no_columns(kind: str) -> None:
    make, take = TAKEN[kind]
    content = b"1 " * 30_000 + b"\n" + make()
    begun = time.thread_time()
    with pytest.raises(InputProblem, match="has 30000 columns instead of"):
        take(content)
    assert time.thread_time() - begun < CPU


LONG = 10**6
FILLED = {
    "letters": "x" * LONG,
    "digits": "EP" + "1" * LONG + "A1",
    "numbers": "EP1234567; " * (LONG // 11),
    "separators": "; " * (LONG // 2),
    "dates": "2018-03-03 " * (LONG // 11),
    "an address": "https://a.example/" + "x" * LONG,
    "a DOI": "10.1000/" + "a/" * (LONG // 2),
    "tags": '<a href="' * (LONG // 9),
    "lines": "mast\n" * (LONG // 5),
}


@pytest.mark.deep
@pytest.mark.parametrize("filled", FILLED)
def test_fields_of_a_million_characters_are_read_flagged_linked_and_ranked(filled: str) -> None:
    made = io.StringIO()
    lines = csv.DictWriter(made, ["title", "abstract", *COLUMNS, "doi", "pmid", "url"])
    lines.writeheader()
    lines.writerow(dict.fromkeys(lines.fieldnames, FILLED[filled]))
    begun = time.perf_counter()
    records("a.csv")(made.getvalue().encode())
    assert time.perf_counter() - begun < 4 * SECONDS  # eleven such fields
