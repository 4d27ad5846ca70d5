"""Real labelled lists, in the folder that TARSTOP_REAL_DATA names."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby, product
from pathlib import Path

import numpy as np
import pandas as pd

from tarstop_core.calibration.calibrator import INCLUSION, REVIEW
from tarstop_core.calibration.extraction_rate import QuestionsOfReview
from tarstop_core.calibration.hit_rate_fit import fit_thinning
from tarstop_core.calibration.hit_rate_model import Thinning
from tarstop_core.documents.tables import Flags
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files import label_topics, read_outcomes, read_qrels, read_records, read_run
from tarstop_core.places import sample_dir

COLLECTIONS = {
    "clef_dta": ("clef_dta/bm25.run", "clef_dta/{}.qrels"),
    "clef2017": ("clef2017/es_bool.run", "clef2017/qrel_{}_test.txt"),
    "clef2019 dta": ("clef2019/bm25_dta.run", "clef2019/full.test.dta.{}.2019.qrels"),
    "clef2019 intervention": (
        "clef2019/bm25_intervention.run",
        "clef2019/full.test.intervention.{}.2019.qrels",
    ),
}
"""Rankings of medical reviews, which calibrators may be learned from and shipped."""
JUDGED = "abs", "content"  # judged by title and abstract, or by full text


def run_script(main: Callable[[], None]) -> None:
    """Run a script; a problem with what it reads ends it in a sentence."""
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))


def write_sample(folder: str, name: str, text: str) -> None:
    """Write a file of the samples that something was learned for."""
    path = sample_dir() / folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


@cache
def medical(data: Path, name: str, judged: str) -> tuple[Topic, ...]:
    """The labelled topics of a collection of medical reviews with one kind of judgment."""
    run, qrels = COLLECTIONS[name]
    topics, _ = label_topics(read_run(data / run), read_qrels(data / qrels.format(judged)))
    return tuple(topics.values())


def read_collections(data: Path, judged: str) -> dict[str, list[Topic]]:
    """Topics of each collection of medical reviews; topics of which nothing is ranked are left out."""
    return {name: [topic for topic in medical(data, name, judged) if len(topic)] for name in COLLECTIONS}


def others(collections: dict[str, list[Topic]], tested: str) -> list[Topic]:
    """Topics of the other collections, without reviews that the tested one holds too."""
    names = {topic.name for topic in collections[tested]}
    return [topic for topics in collections.values() for topic in topics if topic.name not in names]


def elsewhere(data: Path, tested: str = "") -> tuple[list[Topic], list[str]]:
    """Lists of all collections but the tested one, without its reviews, and the collection of each.

    The two kinds of judgment are two collections: how rich lists are differs as much between them as between systems.
    """
    seen = {topic.name for judged in JUDGED for topic in medical(data, tested, judged)} if tested else set()
    topics, names = list[Topic](), list[str]()
    for name, judged in product(COLLECTIONS, JUDGED):
        own = [t for t in medical(data, name, judged) if t.omega and t.name not in seen]
        topics += own
        names += [f"{name}, {judged}"] * len(own)
    return topics, names


def taught_by(lists: Iterable[Flags]) -> Thinning:
    """How relevant documents thin out along lists whose labels are all known."""
    return fit_thinning([(np.ones(len(labels), dtype=bool), labels) for labels in lists])


def outcomes(data: Path) -> list[Outcome]:
    """The 63 outcomes with 2×2 tables, each on the ranking of its review."""
    return read_outcomes(data / "clef_dta/outcomes.csv", read_run(data / "clef_dta/bm25.run"))[0]


def questions_by_review(data: Path, judged: str) -> dict[str, QuestionsOfReview]:
    """The questions of each review that outcomes come from, by how its reports were judged to be included.

    Outcomes with fewer than five studies were left out of the file. Their numbers are missing among those of their review,
    so it is known how many of them there are, up to the last that was kept.
    """
    included = {topic.name: int(np.sum(topic.labels)) for topic in medical(data, "clef_dta", judged)}
    reviews = {}
    for review, group in groupby(outcomes(data), lambda outcome: outcome.review):
        own = list(group)
        studies = tuple(int(np.sum(outcome.positions < len(outcome.topic))) for outcome in own)
        last = max(int(outcome.name.rsplit("-", 1)[1]) for outcome in own)
        reviews[review] = QuestionsOfReview(max(included[review], *studies), studies, few=last + 1 - len(own))
    return reviews


# --- lists with titles and abstracts --------------------------------------------------------------

QUESTIONS = {
    "ADHD": "Comparative effectiveness and safety of ADHD drugs",
    "Triptans": "Comparative effectiveness and safety of triptans",
}
"""Two sets come without a question: it is derived from their name, as the index has it of the others."""


@dataclass(frozen=True, eq=False)
class TextList:
    """A list with its question, its records and which of them are relevant."""

    name: str
    judged: str
    """`INCLUSION` by title and abstract, `REVIEW` by full text or final inclusion."""
    clef: bool
    query: str
    frame: pd.DataFrame
    relevant: Flags


def text_lists(data: Path) -> Iterator[TextList]:
    """Every labelled list with text, by each kind of judgment that it has."""
    titles = pd.read_csv(data / "topics.csv", encoding="utf-8").set_index("topic")["title"]
    for grade, judged in zip(JUDGED, (INCLUSION, REVIEW), strict=True):
        grades = read_qrels(data / "records" / f"qrels_{grade}.txt")
        for path in sorted((data / "records").glob("CD*.jsonl.gz")):
            name, frame = path.name.split(".")[0], read_records(path).frame
            relevant = (frame["id"].map(grades[name]).fillna(0) > 0).to_numpy()
            yield TextList(name, judged, True, titles[name], frame, relevant)
    queries = pd.read_csv(data / "screening" / "index.csv", encoding="utf-8").set_index("name")["query"]
    for name, query in {**queries, **QUESTIONS}.items():
        if name in QUESTIONS:
            given = pd.read_csv(data / "records" / f"{name}.csv", encoding="utf-8")
            # The order of the file must not help where documents are scored alike.
            given = given.sample(frac=1, random_state=1).rename(columns={"record_id": "id"})
            labels = "label_included", "label_abstract_screening"
        else:
            given = pd.read_json(data / "screening" / f"{name}.jsonl.gz", lines=True)
            labels = "label_final", "label_abstract"
        frame = given[["id", "title", "abstract"]].fillna("").astype({"id": str})
        for label, judged in zip(labels, (REVIEW, INCLUSION), strict=True):
            if given[label].notna().all():
                yield TextList(name, judged, False, query, frame, (given[label] == 1).to_numpy())
