"""The simulated patent searches that come with the programme.

The folder is `sample_data` beside the package in a checkout and `tarstop_app/sample_data` in an
installation. `python -m tarstop_core.simulate` makes it; everything in it is simulated.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path

import pandas as pd

from tarstop_core.errors import InputProblem
from tarstop_core.records import as_records

TOPIC_COLUMNS: tuple[str, ...] = ("topic", "title", "claim", "documents")


def sample_dir() -> Path:
    """The folder of the sample data.

    Returns
    -------
    Path
        The folder named by the environment variable `TARSTOP_SAMPLE_DATA` where that is set, else the one
        of the checkout or of the installation.

    Raises
    ------
    InputProblem
        When there is none.
    """
    named = os.environ.get("TARSTOP_SAMPLE_DATA")
    beside = Path(__file__).resolve().parent.parent
    candidates = [Path(named)] if named else [beside / "sample_data", beside / "tarstop_app" / "sample_data"]
    for candidate in candidates:
        if (candidate / "patents" / "topics.csv").is_file():
            return candidate
    where = " or ".join(str(candidate) for candidate in candidates)
    raise InputProblem(
        f"No sample data in {where}; install the package again, or make them with "
        "`python -m tarstop_core.simulate DIR` and set TARSTOP_SAMPLE_DATA to DIR."
    )


def sample_topics() -> pd.DataFrame:
    """The simulated searches.

    Returns
    -------
    DataFrame, one row a topic
        `topic` (the name `load_sample` takes), `title`, `claim` (the query) and `documents` (a count).
        It does not tell which topics have prior art.

    Examples
    --------
    >>> sample_topics()["topic"].iloc[0]
    'antenna-mount'
    """
    with (sample_dir() / "patents" / "topics.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    frame = pd.DataFrame(rows, columns=list(TOPIC_COLUMNS))
    return frame.astype({"documents": "int64"})


def load_sample(topic: str) -> pd.DataFrame:
    """The documents of one simulated search, in order of publication number (not of relevance).

    Parameters
    ----------
    topic : str
        A name from `sample_topics`.

    Returns
    -------
    DataFrame
        A table of records with exactly `RECORD_COLUMNS`; `authors` holds the assignee, `date` the year.

    Raises
    ------
    InputProblem
        When there is no such topic.
    """
    path = sample_dir() / "patents" / f"{_known(topic)}.jsonl.gz"
    rows = _json_lines(path)
    return as_records(pd.DataFrame(rows).assign(source=path.name))


def sample_qrels() -> dict[str, dict[str, int]]:
    """The judgements: topic to document to 1; a document that is not listed is not relevant.

    Returns
    -------
    dict of str to dict of str to int
        Every topic is a key; those without prior art hold nothing.
    """
    qrels: dict[str, dict[str, int]] = {str(topic): {} for topic in sample_topics()["topic"]}
    for line in (sample_dir() / "patents" / "qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        qrels[topic][document] = int(grade)
    return qrels


def sample_reasons(topic: str) -> dict[str, str]:
    """Why each document of a search is relevant or not, in one sentence.

    Parameters
    ----------
    topic : str
        A name from `sample_topics`.

    Returns
    -------
    dict of str to str
        Document identifier to reason, for every document of the topic.

    Raises
    ------
    InputProblem
        When there is no such topic.
    """
    name = _known(topic)
    rows = _json_lines(sample_dir() / "patents" / "reasons.jsonl.gz")
    return {row["id"]: row["reason"] for row in rows if row["topic"] == name}


def _known(topic: str) -> str:
    names = sample_topics()["topic"].tolist()
    if topic not in names:
        raise InputProblem(f"There is no sample topic {topic!r}; choose one of {', '.join(names)}.")
    return topic


def _json_lines(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
