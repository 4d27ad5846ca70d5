"""Review outcomes: which document of a ranking brings which 2×2 table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files.synonyms import names_of
from tarstop_core.files.tables import SYNONYMS, count_of, places_of, read_rows

COLUMNS = names_of("outcomes") | SYNONYMS
NEEDED = ("study", "docid", "TP", "FN")
WANTED = "topic, outcome, study, docid, TP, FP, FN, TN"
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
SHOWN = 3  # examples in a note


@dataclass(frozen=True, eq=False)
class OutcomeFile:
    """What a file, or a folder of files, of review outcomes holds."""

    outcomes: tuple[Outcome, ...]  # In the order of the files
    notes: tuple[str, ...]
    """What a person should know: documents that are not ranked, topics without a ranking, doubles."""


@dataclass(frozen=True)
class _Row:
    """One study of one outcome."""

    topic: str
    outcome: str
    study: str
    docid: str
    counts: list[float]


def read_outcomes(source: Path | str, run: Mapping[str, Topic]) -> OutcomeFile:
    """Read review outcomes and find their studies in a ranking (:func:`~tarstop_core.files.read_run`).

    `source` is a CSV or TSV, gzipped or not, one study a line, or a folder of such files, with columns (in any order and
    case) ``topic,outcome,study,docid,TP,FP,FN,TN``. Without a topic column the topic is the file's name; without an
    outcome column a topic is one outcome. FP and TN may be missing.

    Outcomes are called "topic/outcome", or "topic" without an outcome; a topic is a review. A document is relevant to
    an outcome when it brings a table for it. A study whose document is not ranked, or not named, is never met; its
    document counts in `n_relevant`. InputProblem when a column is missing or double, a line is broken, a count is not
    a whole number from 0 on, or no topic is in the ranking.
    """
    notes: list[str] = []
    rows: list[_Row] = []
    for path in _files(Path(source)):
        rows += _read(path, notes)
    outcomes: list[Outcome] = []
    missing: dict[str, None] = {}
    unranked: list[str] = []
    for (topic, outcome), own in _grouped(rows).items():
        if topic not in run:
            missing[topic] = None
            continue
        found = _outcome(run[topic], outcome, own)
        outcomes.append(found)
        lost = int((found.positions == len(found.topic)).sum())
        if lost:
            unranked.append(f"{lost} of {len(own)} in {found.name}")
        notes += _doubles(found.name, own)
    if not outcomes:
        raise InputProblem(
            f"{Path(source).name} and the run share no topic (the run has {_listed(list(run))}, the outcomes "
            f"{_listed(list(missing))}); give the outcomes that belong to this run."
        )
    if missing:
        notes.append(f"Left out, because the run does not rank them: {_listed(list(missing))}.")
    if unranked:
        notes.append(f"Studies whose document is not ranked, so never met: {_listed(unranked)}.")
    return OutcomeFile(tuple(outcomes), tuple(notes))


def read_outcome_tables(source: Path | str) -> list[tuple[str, str, Tables]]:
    """The 2×2 tables of outcomes without a ranking: what a prior is learned from.

    Review, outcome ("topic/outcome", or "topic") and its studies, in the order of the file. That is read, and refused, as
    by :func:`read_outcomes`, but that documents need not be named.
    """
    rows = [row for path in _files(Path(source)) for row in _read(path, [], documents=False)]
    groups = _grouped(rows).items()
    return [(topic, _called(topic, outcome), _tables(own)) for (topic, outcome), own in groups]


def _called(topic: str, outcome: str) -> str:
    return f"{topic}/{outcome}" if outcome else topic


def _tables(rows: Sequence[_Row]) -> Tables:
    counts = np.array([row.counts for row in rows], dtype=float).T
    return Tables(tuple(row.study for row in rows), *counts)


def _files(source: Path) -> list[Path]:
    if not source.is_dir():
        return [source]
    found = sorted(path for path in source.iterdir() if path.name.lower().endswith(SUFFIXES))
    if not found:
        raise InputProblem(f"The folder {source.name} holds no CSV or TSV; put the outcomes there.")
    return found


def _read(path: Path, notes: list[str], documents: bool = True) -> list[_Row]:
    name, titles, numbered, told = read_rows(path, None, WANTED)
    notes += told
    header = [title.strip() for title in titles]
    needed = [field for field in NEEDED if documents or field != "docid"]
    places = places_of(name, header, COLUMNS, needed, WANTED)
    rows = []
    for number, row in numbered:
        cells = [cell.strip() for cell in row]
        if len(cells) != len(header):
            raise InputProblem(
                f"{name}, line {number} has {len(cells)} cells and the header {len(header)}; make them equal."
            )
        text = {field: cells[place] for field, place in places.items()}
        counts = [count_of(name, number, cell, text.get(cell, "")) for cell in CELLS]
        topic = text.get("topic", path.name.split(".")[0])
        if not topic:
            raise InputProblem(f"{name}, line {number} has no topic; name the topic of every study.")
        if not text["study"]:
            raise InputProblem(f"{name}, line {number} has no study; name every study.")
        rows.append(_Row(topic, text.get("outcome", ""), text["study"], text.get("docid", ""), counts))
    return rows


def _grouped(rows: Sequence[_Row]) -> dict[tuple[str, str], list[_Row]]:
    groups: dict[tuple[str, str], list[_Row]] = {}
    for row in rows:
        groups.setdefault((row.topic, row.outcome), []).append(row)
    return groups


def _outcome(topic: Topic, outcome: str, rows: Sequence[_Row]) -> Outcome:
    end = len(topic)
    wanted = {row.docid for row in rows}
    place = {document: at for at, document in enumerate(topic.ids.tolist()) if document in wanted}
    at = np.array([place.get(row.docid, end) for row in rows], dtype=np.int64)
    order = sorted(range(len(rows)), key=lambda i: (at[i], rows[i].study))
    labels = np.zeros(end, dtype=bool)
    labels[at[at < end]] = True
    # A study without a document has one of its own that nobody listed.
    documents = {(row.docid, "") if row.docid else ("", row.study) for row in rows}
    labelled = replace(topic, name=_called(topic.name, outcome), labels=labels, n_relevant=len(documents))
    return Outcome(labelled, topic.name, _tables([rows[i] for i in order]), at[order])


def _doubles(name: str, rows: Sequence[_Row]) -> list[str]:
    seen: set[str] = set()
    doubles = [row.study for row in rows if row.study in seen or seen.add(row.study)]  # type: ignore[func-returns-value]
    return [f"{name} lists a study more than once: {_listed(doubles)}; count it once."] if doubles else []


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
