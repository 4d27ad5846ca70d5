"""Read labelled rankings to fit and evaluate calibrators.

A document that nobody read is unlabelled, not irrelevant (:attr:`Topic.labelled`).
"""

import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarstop_core.documents.records import SAID_NOT_RELEVANT, SAID_RELEVANT
from tarstop_core.documents.topic import Topic, records_digest
from tarstop_core.errors import InputProblem
from tarstop_core.files.reading import read_records
from tarstop_core.files.source import check_held
from tarstop_core.files.trec import Qrels, Run, label_topics, read_qrels, read_run
from tarstop_core.ranking.bm25 import WORDS
from tarstop_core.ranking.order import prepare, suggest_order

ABSTRACT_LABELS = ("label_abstract_screening", "abstract_label")
"""Titles of columns with the verdict on title and abstract, beside a column with the final one."""
RUN, QRELS, RECORDS = "run", "qrels", "records"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Labelled lists, with remarks on their sources."""

    topics: tuple[Topic, ...]
    notes: tuple[str, ...] = ()  # Sentences

    @property
    def digests(self) -> tuple[str, ...]:
        """Hash of each list, independent of its source."""
        return tuple(list_digest(topic) for topic in self.topics)


def list_digest(topic: Topic) -> str:
    """Hash of documents, order and scores, as sessions store it."""
    return records_digest(topic.ids.tolist(), None if topic.scores is None else topic.scores.tolist())


def fingerprint(topics: Iterable[Topic]) -> str:
    """Hash of lists with names and labels, which determine any fit or comparison."""
    digest = hashlib.sha256()
    for topic in topics:
        columns = (topic.ids, topic.scores, topic.labels, topic.labelled)
        kinds = [None if column is None else (column.dtype.str, len(column)) for column in columns]
        digest.update(repr((topic.name, kinds)).encode())
        for column in columns:
            digest.update(b"" if column is None else column.tobytes())
    return digest.hexdigest()


def kind_of(name: str, content: bytes) -> str:
    """Kind of a file by its name or first line: RUN, QRELS or RECORDS."""
    plain = name.casefold().removesuffix(".gz")
    if plain.endswith(".run"):
        return RUN
    if "qrel" in plain:
        return QRELS
    if not name.casefold().endswith(".gz") and plain.endswith(".txt"):
        first = content.split(b"\n", 1)[0].split()
        return {6: RUN, 4: QRELS}.get(len(first), RECORDS)
    return RECORDS


def read_labelled(
    files: Sequence[tuple[str, bytes]], queries: Mapping[str, str] | None = None, abstracts: bool = False
) -> Labelled:
    """Read labelled rankings: tables of records with labels, and TREC runs with their qrels.

    Runs and qrels are joined; every other file is one list.

    Parameters
    ----------
    files : sequence of (str, bytes)
        Names and contents.
    queries : mapping, optional
        Query by which a table is ranked, by name of the table; other tables keep their scores or their order.
    abstracts : bool
        Whether to use the verdict on title and abstract instead of the final one, if a table has both.

    Returns
    -------
    Labelled

    Raises
    ------
    InputProblem
        When a file is unusable or has no labels, or runs come without qrels or the reverse.
    """
    if not files:
        raise InputProblem("There is no file to learn from; choose one that has labels.")
    run, qrels = Run(), Qrels()
    topics: list[Topic] = []
    notes: list[str] = []
    for name, content in files:
        kind = kind_of(name, content)
        if kind == RECORDS:
            topic, note = _from_records(name, content, (queries or {}).get(name, ""), abstracts)
            topics.append(topic)
            notes.append(note)
            continue
        by_topic: Any
        by_topic, read = (run, read_run) if kind == RUN else (qrels, read_qrels)
        added = read(io.BytesIO(content), name)
        if again := next((topic_name for topic_name in added if topic_name in by_topic), None):
            raise InputProblem(
                f"{name} contains the topic {again}, which another file has too; leave one out."
            )
        by_topic.update(added)
        notes += added.notes
    if bool(run) != bool(qrels):
        lacking = "qrels, which say what is relevant" if run else "run, which says in which order"
        raise InputProblem(f"Runs and qrels belong together; add the {lacking}.")
    if run:
        joined, notes_of_join = label_topics(run, qrels)
        topics += joined.values()
        notes += notes_of_join
    check_held("these lists", sum(len(topic.ids) for topic in topics))
    return Labelled(tuple(topics), tuple(notes))


def _from_records(name: str, content: bytes, query: str, abstracts: bool) -> tuple[Topic, str]:
    """Read a labelled list from a table of records, with a sentence about it."""
    first_line = content.split(b"\n", 1)[0].decode(errors="ignore")
    wanted = next((column for column in ABSTRACT_LABELS if abstracts and column in first_line), None)
    columns = {wanted: "label"} if wanted else None
    table = read_records(io.BytesIO(content), name, columns=columns)
    frame = table.frame
    scored = bool(np.isfinite(frame["score"].to_numpy(dtype=float)).all())
    order = "own"
    if query.strip():
        order = "text"
    elif scored:
        order = "scores"
    ranking = prepare(frame, order, query, recipe=WORDS)
    labels = frame["label"].to_numpy()[ranking.order]
    labelled = np.isin(labels, (SAID_RELEVANT, SAID_NOT_RELEVANT))
    if not labelled.any():
        raise InputProblem(
            f"{name} has no labels; add a column “label” with relevant, not relevant or nothing for every document."
        )
    relevant = np.asarray(labels == SAID_RELEVANT)
    column = next((theirs for theirs, ours in table.understood.items() if ours == "label"), "notes")
    note = (
        f"{name}: {int(relevant.sum()):,} relevant of {int(labelled.sum()):,} labelled (by “{column}”), "
        f"{len(frame):,} documents. {ranking.how}"
    )
    if ranking.scores is None:
        suggested, reason = suggest_order(frame)
        if suggested == "text":
            note += f" {reason} Say what you looked for, and it is ordered by that."
    ids = frame["id"].to_numpy(dtype=str)[ranking.order]
    read = None if labelled.all() else labelled
    topic = Topic(name, ids, ranking.scores, relevant, int(relevant.sum()), read)
    return topic, note


def seen_before(lists: Iterable[str], fitted: Iterable[str]) -> int:
    """Number of the lists, given by their hashes, on which a calibrator was fitted."""
    return len(set(lists) & set(fitted))
