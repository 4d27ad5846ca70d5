"""What comes with the program to try it on: simulated searches and reviews, and published 2×2 tables.

`python -m scripts.make_samples` makes the searches and reviews, which are simulated to the last word; the
published tables are figures carried over from the publications that they cite.
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
from tarstop_core.documents.reports import EffectRow, Report, Row, collect, effect_row
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
"""Folders of simulated reviews: of diagnostic accuracy, and of interventions."""


@dataclass(frozen=True)
class FullText:
    """What the full text of a simulated report says, and what becomes of the report."""

    text: str  # a paragraph that holds the counts in words, or says why there are none
    status: reports.FullText
    reason: str = ""  # why it brings no data; "" when it does
    study: str = ""  # as "Surname YEAR"; two reports of one study share it
    TP: int | None = None  # of the 2×2 table; None without one
    FP: int | None = None
    FN: int | None = None
    TN: int | None = None
    numbers: dict[str, float] | None = None  # of an effect, by name of its column; None without one


@dataclass(frozen=True)
class Reported:
    """Summary of published tables as somebody else computed it, to compare with."""

    by: str  # who, and how
    sensitivity: tuple[float, float, float]  # estimate and the ends of its 95 % confidence interval
    false_positive_rate: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class PublishedSet:
    """The 2×2 tables of a published meta-analysis."""

    name: str
    title: str
    citation: str  # the publication that the counts come from, with its DOI
    note: str  # how they came here, and what is to be known of them
    tables: Tables
    reported: Reported


@dataclass(frozen=True, eq=False)
class PublishedEffects:
    """The studies of a published meta-analysis of an intervention, and a question to ask of them."""

    name: str
    title: str
    citation: str  # the publication that the numbers come from, with its DOI
    note: str  # how they came here, and what is to be known of them
    measure: Measure
    delta: float  # the smallest effect that may matter: an example, not the publication's
    above: bool
    studies: Studies


def sample_topics() -> pd.DataFrame:
    """The simulated searches.

    One row a topic: `topic` (its name), `title`, `claim` (the query) and `documents` (a count).
    """
    return _topics("patents")


def load_sample(topic: str) -> pd.DataFrame:
    """The documents of one simulated search, in order of publication number (not of relevance).

    `authors` holds the assignee, `date` the year.

    Raises
    ------
    InputProblem
        When there is no such topic.
    """
    return _records("patents", topic)


def sample_qrels() -> dict[str, dict[str, int]]:
    """The judgements: topic to document to 1; a document that is not listed is not relevant.

    Every topic is a key; those without prior art hold nothing.
    """
    qrels: dict[str, dict[str, int]] = {str(topic): {} for topic in sample_topics()["topic"]}
    for line in (sample_dir() / "patents" / "qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        qrels[topic][document] = int(grade)
    return qrels


def sample_reasons(topic: str) -> dict[str, str]:
    """Why each document of a search is relevant or not, in one sentence, by its identifier.

    InputProblem when there is no such topic.
    """
    return {row["id"]: row["reason"] for row in _of_topic("patents", topic, "reasons")}


def sample_reviews(collection: str = REVIEWS) -> pd.DataFrame:
    """The simulated reviews of diagnostic accuracy, or those of interventions.

    One row a review: `topic` (its name), `title`, `question` (the query), `criteria` (which studies are included;
    begins in lower case) and `documents` (a count).
    """
    return _topics(collection)


def load_review_sample(topic: str, collection: str = REVIEWS) -> pd.DataFrame:
    """The documents of one simulated review, in order of identifier (not of relevance).

    InputProblem when there is no such review.
    """
    return _records(collection, topic)


def sample_full_texts(topic: str, collection: str = REVIEWS) -> dict[str, FullText]:
    """What the full texts of a simulated review say, for every report that title and abstract let through and no other.

    InputProblem when there is no such review.
    """
    return {row.pop("id"): FullText(**row) for row in _of_topic(collection, topic, "full_texts")}


def published_sets() -> list[PublishedSet]:
    """2×2 tables of published meta-analyses: figures, with their sources."""
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
    """Studies of published meta-analyses of interventions: figures, with their sources."""
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


# --- as labelled lists, for experiments, maps and lessons -------------------------------------------


@lru_cache(maxsize=32)
def labelled_search(topic: str) -> Topic:
    """Return a simulated search with its judgments, ranked by BM25."""
    ids, ranking = _ranked("patents", topic, "claim")
    judged = sample_qrels()[topic]
    labels = np.array([bool(judged.get(name)) for name in ids])
    return Topic(topic, ids, ranking.scores, labels, sum(map(bool, judged.values())))


@lru_cache(maxsize=32)
def labelled_review(topic: str) -> Outcome:
    """Return a simulated review with its 2×2 tables, ranked by BM25.

    A study's table is counted where the first report brings it.
    """
    ids, ranking = _ranked("reviews", topic, "question")
    return review_in_order(topic, ids, ranking.scores)


def review_in_order(topic: str, ids: NDArray[np.str_], scores: Floats | None = None) -> Outcome:
    """Return a simulated review with its 2×2 tables, its documents read in a given order.

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
        A study's table is counted where the first report brings it.
    """
    evidence = collect(reports_with_data(sample_full_texts(topic), ids.tolist()))
    labels = np.zeros(len(ids), dtype=bool)
    labels[evidence.positions] = True
    labelled = Topic(topic, ids, scores, labels, int(labels.sum()))
    return Outcome(labelled, topic, evidence.tables, evidence.positions)


def reports_with_data(texts: Mapping[str, FullText], ids: Sequence[str]) -> dict[int, Report]:
    """Find the reports that bring a table, or an effect, by their positions in a list of documents."""
    reports = {}
    for at, report in enumerate(map(texts.get, ids)):
        if report is not None and report.status == "data":
            reports[at] = Report("data", study=report.study, rows=(_row(report),))
    return reports


def _row(report: FullText) -> Row | EffectRow:
    """The table, or the effect, of a report with data."""
    if report.numbers is not None:
        return effect_row({"study": report.study, **report.numbers})
    assert report.TP is not None and report.FN is not None, "a report with data has its counts"
    return Row(report.study, report.TP, report.FP, report.FN, report.TN)


def labelled_inclusions(topic: str) -> Topic:
    """Return a simulated review with what title and abstract let through, ranked by BM25."""
    ids, ranking = _ranked("reviews", topic, "question")
    labels = np.isin(ids, list(sample_full_texts(topic)))
    return Topic(topic, ids, ranking.scores, labels, int(labels.sum()))


def _ranked(collection: str, topic: str, query: str) -> tuple[NDArray[np.str_], Ranking]:
    """Identifiers in ranking order, and the ranking by the topic's own query."""
    frame = _records(collection, topic)
    ranking = prepare(frame, "text", str(_topics(collection).set_index("topic").at[topic, query]))
    return frame["id"].to_numpy(dtype=str)[ranking.order], ranking


# --- files ----------------------------------------------------------------------------------------


def _topics(collection: str) -> pd.DataFrame:
    return _listed(sample_dir() / collection / "topics.csv").copy(deep=False)


@cache
def _listed(file: Path) -> pd.DataFrame:
    return pd.read_csv(file, encoding="utf-8")


def _records(collection: str, topic: str) -> pd.DataFrame:
    _must_be_known(collection, topic)
    return _read(sample_dir() / collection / f"{topic}.jsonl.gz").copy(deep=False)


@lru_cache(maxsize=8)
def _read(file: Path) -> pd.DataFrame:
    """The documents of a file; a page asks for them whenever it is drawn."""
    return as_records(pd.DataFrame(_json_lines(file)).assign(source=file.name))


def _of_topic(collection: str, topic: str, file: str) -> list[dict[str, Any]]:
    """The rows of a file of several topics that are about one."""
    _must_be_known(collection, topic)
    return [
        row
        for row in _json_lines(sample_dir() / collection / f"{file}.jsonl.gz")
        if row.pop("topic") == topic
    ]


def _must_be_known(collection: str, topic: str) -> None:
    names = _topics(collection)["topic"].tolist()
    if topic not in names:
        raise InputProblem(f"There is no sample topic {topic!r}; choose one of {', '.join(names)}.")


def _json_lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
