"""Read outcomes of accuracy reviews: 2×2 tables of the documents of a ranking."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.documents.topic import Outcome, Topic, placed
from tarstop_core.errors import InputProblem
from tarstop_core.files.cells import read_studies, text_files
from tarstop_core.files.columns import Vocabulary, names_of, only_columns, plain_title
from tarstop_core.files.tables import SYNONYMS, counts_of, uneven, without_totals

_OUTCOMES = Vocabulary(names_of("outcomes") | SYNONYMS, plain_title)
WANTED = "topic, outcome, study, docid, TP, FP, FN, TN"
SHOWN = 3  # A note gives at most this many examples


def read_outcomes(source: Path | str, run: Mapping[str, Topic]) -> tuple[list[Outcome], tuple[str, ...]]:
    """Read review outcomes, and find their studies in a ranking (:func:`~tarstop_core.files.read_run`).

    A topic is a review. A document is relevant to an outcome if it has a table for it. A study whose document is not
    ranked or not named is never reached, but its document counts in `n_relevant`.

    Parameters
    ----------
    source : path
        A CSV or TSV, gzipped or not, with one study per line, or a folder of such files. Columns in any order and case:
        ``topic,outcome,study,docid,TP,FP,FN,TN``. Without a topic column the name of the file is the topic; without an
        outcome column a topic has one outcome. FP and TN may be missing.
    run : mapping of str to Topic
        The ranked topics.

    Returns
    -------
    list of Outcome
        In the order of the files, named "topic/outcome", or "topic" without an outcome.
    tuple of str
        Sentences on documents that are not ranked, topics without a ranking, and repeated studies.

    Raises
    ------
    InputProblem
        When a column is missing or repeated, a line is broken, a count is not a whole number ≥ 0, or no topic is in the
        ranking.
    """
    notes: list[str] = []
    outcomes: list[Outcome] = []
    missing: dict[str, None] = {}
    unranked: list[str] = []
    for topic, name, studies in _outcome_groups(Path(source), notes, ("study", "docid", "TP", "FN")):
        if topic not in run:
            missing[topic] = None
            continue
        outcomes.append(_outcome(run[topic], name, studies))
        if count := int((outcomes[-1].positions == len(run[topic])).sum()):
            unranked.append(f"{count} of {len(studies)} in {name}")
        if doubles := studies["study"][studies["study"].duplicated()].tolist():
            notes.append(f"{name} lists a study more than once: {_listed(doubles)}; count it once.")
    if not outcomes:
        raise InputProblem(
            f"{Path(source).name} and the run share no topic (the run has {_listed(list(run))}, the outcomes "
            f"{_listed(list(missing))}); give the outcomes that belong to this run."
        )
    if missing:
        notes.append(f"Left out because the run does not rank them: {_listed(list(missing))}.")
    if unranked:
        notes.append(f"Studies whose document is not ranked, so they are never found: {_listed(unranked)}.")
    return outcomes, tuple(notes)


def read_outcome_tables(source: Path | str) -> list[tuple[str, str, Tables]]:
    """Read the 2×2 tables of outcomes without a ranking, to learn a prior from.

    Files are read, and refused, as by :func:`read_outcomes`, but need no column ``docid``.

    Returns
    -------
    list of (str, str, Tables)
        Review, name of the outcome ("topic/outcome", or "topic"), and studies, in the order of the file.
    """
    groups = _outcome_groups(Path(source), [], ("study", "TP", "FN"))
    return [(topic, name, _tables(studies)) for topic, name, studies in groups]


def _outcome_groups(
    source: Path, notes: list[str], needed: Sequence[str]
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield topic, name and studies of each outcome; columns of the studies are study, docid and the four counts."""
    studies = pd.concat([_studies(path, notes, needed) for path in text_files(source)], ignore_index=True)
    for _, group in studies.groupby(["topic", "outcome"], sort=False):
        topic, outcome = group[["topic", "outcome"]].iloc[0].tolist()
        yield topic, f"{topic}/{outcome}" if outcome else topic, group


def _studies(path: Path, notes: list[str], needed: Sequence[str]) -> pd.DataFrame:
    """Read the studies of one file, one row per line."""
    name, header, rows, of_encoding = read_studies(path, None, WANTED, _OUTCOMES.columns)
    places = only_columns(name, header, _OUTCOMES, needed, WANTED)
    rows, left_out = without_totals(rows, places)
    notes += [*of_encoding, *left_out]
    lines = [number for number, _ in rows]
    for number, cells in rows:
        if len(cells) != len(header):
            raise uneven(name, number, len(cells), len(header))
    texts = {field: [cells[at].strip() for _, cells in rows] for field, at in places.items()}
    texts.setdefault("topic", [path.name.split(".")[0]] * len(rows))
    for field in ("outcome", "docid", *CELLS):
        texts.setdefault(field, [""] * len(rows))
    counts = counts_of(name, lines, texts)
    texts["study"] = [study or docid for study, docid in zip(texts["study"], texts["docid"], strict=True)]
    for field in ("topic", "study"):
        if not all(texts[field]):
            line = lines[texts[field].index("")]
            raise InputProblem(f"{name}, line {line} has no {field}; name the {field} of every study.")
    columns = {field: texts[field] for field in ("topic", "outcome", "study", "docid")}
    return pd.DataFrame(columns, dtype="str").assign(**dict(zip(CELLS, counts, strict=True)))


def _tables(studies: pd.DataFrame) -> Tables:
    return Tables(tuple(studies["study"]), *studies[list(CELLS)].to_numpy(dtype=float).T)


def _outcome(topic: Topic, name: str, studies: pd.DataFrame) -> Outcome:
    """An outcome with its studies in screening order."""
    labelled, positions = placed(topic, name, studies["docid"].tolist(), studies["study"].tolist())
    in_order = studies.assign(at=positions).sort_values(["at", "study"], kind="stable")
    return Outcome(labelled, topic.name, _tables(in_order), in_order["at"].to_numpy())


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
