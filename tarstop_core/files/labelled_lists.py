"""Labelled rankings to fit and judge calibrators on, from files.

A document that nobody read is unlabelled, not irrelevant: a list counts as far as its labels are known (:attr:`Topic.known`).
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
"""Columns in which data sets keep the verdict on title and abstract, next to the final one."""
RUN, QRELS, RECORDS = "run", "qrels", "records"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Labelled lists, with remarks on where they come from."""

    topics: tuple[Topic, ...]
    notes: tuple[str, ...] = ()  # One sentence each

    @property
    def digests(self) -> tuple[str, ...]:
        """Hash of each list, which is the same wherever the list comes from."""
        return tuple(list_digest(topic) for topic in self.topics)


def list_digest(topic: Topic) -> str:
    """Hash of documents, order and scores, as a session has it."""
    return records_digest(topic.ids.tolist(), None if topic.scores is None else topic.scores.tolist())


def fingerprint(topics: Iterable[Topic]) -> str:
    """Hash of lists with their names and labels: all that a fit or a comparison depends on."""
    digest = hashlib.sha256()
    for topic in topics:
        columns = (topic.ids, topic.scores, topic.labels, topic.known)
        kinds = [None if column is None else (column.dtype.str, len(column)) for column in columns]
        digest.update(repr((topic.name, kinds)).encode())
        for column in columns:
            digest.update(b"" if column is None else column.tobytes())
    return digest.hexdigest()


def kind_of(name: str, content: bytes) -> str:
    """Whether a file is a TREC run, its qrels or a table of records, by its name or its first line."""
    plain = name.casefold().removesuffix(".gz")
    if plain.endswith(".run"):
        return RUN
    if "qrel" in plain:
        return QRELS
    if not name.casefold().endswith(".gz") and plain.endswith(".txt"):
        first = content.split(b"\n", 1)[0].split()
        return {6: RUN, 4: QRELS}.get(len(first), RECORDS)
    return RECORDS


def abstract_column(content: bytes) -> str | None:
    """The column with the verdict on title and abstract, if the first line of a table names one."""
    first = content.split(b"\n", 1)[0].decode(errors="ignore")
    return next((column for column in ABSTRACT_LABELS if column in first), None)


def read_labelled(
    files: Sequence[tuple[str, bytes]], queries: Mapping[str, str] | None = None, abstracts: bool = False
) -> Labelled:
    """Read labelled rankings: tables of records with labels, and TREC runs with their qrels.

    Runs and qrels are joined, each other file is one list.

    Parameters
    ----------
    files : sequence of (str, bytes)
        Name and content of each.
    queries : mapping, optional
        By name of a table, what it is ordered by; the others stand by their own scores, or as they are.
    abstracts : bool
        Whether the verdict on title and abstract is wanted, where a table has the final one beside it.

    Returns
    -------
    Labelled
        The lists, and sentences on them.

    Raises
    ------
    InputProblem
        When a file cannot be used, has no labels, or runs and qrels are not both there.
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
        earlier: Any = run if kind == RUN else qrels
        lines = (read_run if kind == RUN else read_qrels)(io.BytesIO(content), name)
        if again := next((topic_name for topic_name in lines if topic_name in earlier), None):
            raise InputProblem(
                f"{name} contains the topic {again}, which another file has too; leave one out."
            )
        earlier.update(lines)
        notes += lines.notes
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
    """A labelled list from a table of records, and a sentence on it."""
    wanted = abstract_column(content) if abstracts else None
    columns = {wanted: "label"} if wanted else None
    table = read_records(io.BytesIO(content), name, columns=columns)
    frame = table.frame
    scored = bool(np.isfinite(frame["score"].to_numpy(dtype=float)).all())
    ranking = prepare(frame, "text" if query.strip() else "scores" if scored else "own", query, recipe=WORDS)
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
        order, reason = suggest_order(frame)
        if order == "text":
            note += f" {reason} Say what you looked for, and it is ordered by that."
    ids = frame["id"].to_numpy(dtype=str)[ranking.order]
    topic = Topic(
        name, ids, ranking.scores, relevant, int(relevant.sum()), None if labelled.all() else labelled
    )
    return topic, note


def seen_before(lists: Iterable[str], fitted: Iterable[str]) -> int:
    """How many of some lists a calibrator was fitted on, by their hashes."""
    return len(set(lists) & set(fitted))
