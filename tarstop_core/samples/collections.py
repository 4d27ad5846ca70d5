"""Sample data: simulated searches and reviews, and published 2×2 tables and effects.

`python -m scripts.make_samples` makes the searches and reviews, whose texts are simulated too. The published numbers are
copied from the publications that they cite.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.documents import reports
from tarstop_core.documents.records import as_records
from tarstop_core.documents.reports import AccuracyRow, Report, StudyRow, collect, effect_row
from tarstop_core.documents.tables import Floats, Tables
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.effects.measures import Measure
from tarstop_core.effects.studies import Studies
from tarstop_core.envelope import validated
from tarstop_core.errors import InputProblem
from tarstop_core.files.effect_tables import read_effects
from tarstop_core.files.tables import read_tables
from tarstop_core.places import sample_dir
from tarstop_core.ranking.order import Ranking, prepare

REVIEWS, TRIALS = "reviews", "trials"
"""Folders of simulated reviews of diagnostic accuracy, and of interventions."""


@dataclass(frozen=True)
class FullText:
    """The full text of a simulated report, and the outcome of reading it."""

    text: str  # a paragraph with the counts in words, or with the reason why there are none
    status: reports.FullText
    reason: str = ""  # why it has no data; "" if it has
    study: str = ""  # "Surname YEAR"; two reports of one study share it
    TP: int | None = None  # count of the 2×2 table, like the next three; None without a table
    FP: int | None = None
    FN: int | None = None
    TN: int | None = None
    numbers: dict[str, float] | None = None  # numbers of an effect by column; None without an effect


@dataclass(frozen=True)
class Reported:
    """Summary of published tables by another program, for comparison."""

    by: str  # program and method
    sensitivity: tuple[float, float, float]  # estimate and 95 % confidence interval
    false_positive_rate: tuple[float, float, float]  # estimate and 95 % confidence interval


@dataclass(frozen=True, eq=False)
class PublishedSet:
    """The 2×2 tables of a published meta-analysis."""

    name: str
    title: str
    citation: str  # publication of the counts, with its DOI
    note: str  # how the counts were obtained, and caveats
    tables: Tables
    reported: Reported


@dataclass(frozen=True, eq=False)
class PublishedEffects:
    """The studies of a published meta-analysis of an intervention, with an example question."""

    name: str
    title: str
    citation: str  # publication of the numbers, with its DOI
    note: str  # how the numbers were obtained, and caveats
    measure: Measure
    delta: float  # an example of the smallest effect that matters, not from the publication
    above: bool  # whether an effect that matters lies above delta
    studies: Studies


def sample_topics() -> pd.DataFrame:
    """Table of the simulated searches, one row per topic.

    Columns: `topic` (name), `title`, `claim` (the query) and `documents` (a count).
    """
    return _topics("patents")


def load_sample(topic: str) -> pd.DataFrame:
    """Documents of one simulated search, sorted by publication number, not by relevance.

    `authors` is the assignee, `date` the year.

    Raises
    ------
    InputProblem
        When there is no such topic.
    """
    return _records("patents", topic)


def sample_qrels() -> dict[str, dict[str, int]]:
    """Judgments of the simulated searches: relevance 1 by topic and relevant document.

    Every topic is a key; topics without prior art have no documents.
    """
    qrels: dict[str, dict[str, int]] = {str(topic): {} for topic in sample_topics()["topic"]}
    for line in (sample_dir() / "patents" / "qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        qrels[topic][document] = int(grade)
    return qrels


def sample_reasons(topic: str) -> dict[str, str]:
    """One sentence per document of a search, by identifier, on why it is relevant or not.

    InputProblem when there is no such topic.
    """
    return {row["id"]: row["reason"] for row in _of_topic("patents", topic, "reasons")}


def sample_reviews(collection: str = REVIEWS) -> pd.DataFrame:
    """Table of the simulated reviews of diagnostic accuracy (or of interventions), one row per review.

    Columns: `topic` (name), `title`, `question` (the query), `criteria` (which studies are included, beginning in lower
    case) and `documents` (a count).
    """
    return _topics(collection)


def load_review_sample(topic: str, collection: str = REVIEWS) -> pd.DataFrame:
    """Documents of one simulated review, sorted by identifier, not by relevance.

    InputProblem when there is no such review.
    """
    return _records(collection, topic)


def sample_full_texts(topic: str, collection: str = REVIEWS) -> dict[str, FullText]:
    """Full texts of the reports of a simulated review that are included by title and abstract, by identifier.

    InputProblem when there is no such review.
    """
    return {row.pop("id"): FullText(**row) for row in _of_topic(collection, topic, "full_texts")}


def published_sets() -> list[PublishedSet]:
    """2×2 tables of published meta-analyses, with their sources."""
    folder = sample_dir() / "published"
    content = json.loads((folder / "published.json").read_text(encoding="utf-8"))
    return [
        PublishedSet(
            **{key: entry[key] for key in ("name", "title", "citation", "note")},
            tables=read_tables(folder / f"{entry['name']}.csv").tables,
            reported=validated(Reported, entry["reported"], entry["name"], "install TARstop again"),
        )
        for entry in content
    ]


def published_effects() -> list[PublishedEffects]:
    """Studies of published meta-analyses of interventions, with their sources."""
    folder = sample_dir() / "published" / "effects"
    content = json.loads((folder / "effects.json").read_text(encoding="utf-8"))
    return [
        PublishedEffects(
            **{key: entry[key] for key in ("name", "title", "citation", "note", "delta")},
            measure=Measure(entry["measure"]),
            above=entry["direction"] == "above",
            studies=read_effects(folder / f"{entry['name']}.csv")[0],
        )
        for entry in content
    ]


# --- labelled lists for experiments, maps and lessons -----------------------------------------------


@lru_cache(maxsize=32)
def labelled_search(topic: str) -> Topic:
    """A simulated search with its judgments, ranked by BM25."""
    ids, ranking = _ranked("patents", topic, "claim")
    judged = sample_qrels()[topic]
    labels = np.array([bool(judged.get(name)) for name in ids])
    return Topic(topic, ids, ranking.scores, labels, sum(map(bool, judged.values())))


@lru_cache(maxsize=32)
def labelled_review(topic: str) -> Outcome:
    """A simulated review with its 2×2 tables, ranked by BM25.

    The table of a study counts at its first report.
    """
    ids, ranking = _ranked("reviews", topic, "question")
    return review_in_order(topic, ids, ranking.scores)


def review_in_order(topic: str, ids: NDArray[np.str_], scores: Floats | None = None) -> Outcome:
    """A simulated review with its 2×2 tables, read in a given order.

    Parameters
    ----------
    topic : str
        Name of the review.
    ids : ndarray of str, shape (N,)
        Identifiers in reading order.
    scores : ndarray, shape (N,), optional
        Scores in that order.

    Returns
    -------
    Outcome
        The table of a study counts at its first report.
    """
    evidence = collect(reports_with_data(sample_full_texts(topic), ids.tolist()))
    labels = np.zeros(len(ids), dtype=bool)
    labels[evidence.positions] = True
    labelled = Topic(topic, ids, scores, labels, int(labels.sum()))
    return Outcome(labelled, topic, evidence.tables, evidence.positions)


def reports_with_data(texts: Mapping[str, FullText], ids: Sequence[str]) -> dict[int, Report]:
    """Reports with a table or an effect, by their positions in a list of documents."""
    return {
        position: Report("data", study=report.study, rows=(_row(report),))
        for position, report in enumerate(map(texts.get, ids))
        if report is not None and report.status == "data"
    }


def _row(report: FullText) -> StudyRow:
    """The table or the effect of a report with data."""
    if report.numbers is not None:
        return effect_row({"study": report.study, **report.numbers})
    assert report.TP is not None and report.FN is not None, "a report with data has counts"
    return AccuracyRow(report.study, report.TP, report.FP, report.FN, report.TN)


def labelled_inclusions(topic: str) -> Topic:
    """A simulated review ranked by BM25, in which inclusions by title and abstract are relevant."""
    ids, ranking = _ranked("reviews", topic, "question")
    labels = np.isin(ids, list(sample_full_texts(topic)))
    return Topic(topic, ids, ranking.scores, labels, int(labels.sum()))


def _ranked(collection: str, topic: str, query: str) -> tuple[NDArray[np.str_], Ranking]:
    """Identifiers in ranked order, and the ranking by the topic's query."""
    frame = _records(collection, topic)
    ranking = prepare(frame, "text", str(_topics(collection).set_index("topic").at[topic, query]))
    return frame["id"].to_numpy(dtype=str)[ranking.order], ranking


# --- files ----------------------------------------------------------------------------------------


def _topics(collection: str) -> pd.DataFrame:
    return _read_csv(sample_dir() / collection / "topics.csv").copy(deep=False)


@cache
def _read_csv(file: Path) -> pd.DataFrame:
    return pd.read_csv(file, encoding="utf-8")


def _records(collection: str, topic: str) -> pd.DataFrame:
    _check_topic(collection, topic)
    return _read(sample_dir() / collection / f"{topic}.jsonl.gz").copy(deep=False)


@lru_cache(maxsize=8)
def _read(file: Path) -> pd.DataFrame:
    """Read the documents of a file; cached because a page needs them whenever it is drawn."""
    return as_records(pd.DataFrame(_json_lines(file)).assign(source=file.name))


def _of_topic(collection: str, topic: str, file: str) -> list[dict[str, Any]]:
    """The rows of one topic in a file of several topics."""
    _check_topic(collection, topic)
    return [
        row
        for row in _json_lines(sample_dir() / collection / f"{file}.jsonl.gz")
        if row.pop("topic") == topic
    ]


def _check_topic(collection: str, topic: str) -> None:
    """Raise InputProblem unless the collection has this topic."""
    names = _topics(collection)["topic"].tolist()
    if topic not in names:
        raise InputProblem(f"There is no sample topic {topic!r}; choose one of {', '.join(names)}.")


def _json_lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
