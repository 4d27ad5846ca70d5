"""How well a list that learns from its labels is ordered, beside ASReview, on real labelled lists."""

import json
import os
import subprocess
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scripts.real_lists import ABSTRACT, text_lists
from scripts.study import DOCS, Tables, mean_change
from tarstop_core.documents.records import ranking_text
from tarstop_core.evaluation.reranking import order_quality, simulate
from tarstop_core.places import real_data
from tarstop_core.ranking.bm25 import WORDS, build_index
from tarstop_core.ranking.features import make_features
from tarstop_core.ranking.learning import Ranker, StaticRanker, SVMRanker
from tarstop_core.value.payoffs import Flags

PAGE = "reranking"
READS = "the labelled lists with text in TARSTOP_REAL_DATA, and installs ASReview; half an hour of two cores"
TABLES = ("reranking_lists",)
SCRIPTS = Path(__file__).resolve().parents[1]
ASREVIEW = "asreview==3.0.8"
WORKERS = 2
FILES = 10
"""Orders in which each list stands in a file: ASReview reads a file from its top until it knows a document of either kind."""
FEWEST_RELEVANT = 2  # one list of the 25 has a single relevant document by full text
SOFTWARE = ("Radjenovic_2013", "Wahono_2015_to_2008")
"""They share papers: one list where lists are resampled."""
SEED = 14  # of the resampling
MEASURES = ("loss", "recall_10", "wss_95")
BM25, THEIRS, OURS = "BM25 by the question", "ASReview 3.0.8", "as shipped"
Row = tuple[str, str, int, float, float, float]  # Ranker, list, file and MEASURES
RANKERS: dict[str, Ranker] = {BM25: StaticRanker(), OURS: SVMRanker()}


@dataclass(frozen=True, eq=False)
class Shuffled:
    """A labelled list in the order of its file."""

    name: str
    question: str
    frame: pd.DataFrame
    """Columns `title`, `abstract`, `relevant`, and `start`: BM25 by the question."""

    def in_file(self, file: int) -> pd.DataFrame:
        """The list as it stands in another file."""
        return self.frame.iloc[standing(len(self.frame), file)]


def standing(documents: int, file: int) -> NDArray[np.intp]:
    """Positions in the first file, in the order of another one; all but the first are shuffled."""
    return np.random.default_rng(file).permutation(documents) if file else np.arange(documents)


def labelled_lists(data: Path) -> list[Shuffled]:
    """The 24 lists; those of the reviews are shuffled, as the others are where they come from."""
    lists = []
    for each in text_lists(data):
        if each.group == ABSTRACT or len(each.relevant) < FEWEST_RELEVANT:
            continue
        frame = each.frame
        if each.name.startswith("CD"):
            frame = frame.iloc[standing(len(frame), 1)]
        # Some texts repeat the title where the abstract begins.
        titles, texts = frame["title"].tolist(), ranking_text(frame)
        abstracts = [text.removeprefix(title).strip() for title, text in zip(titles, texts, strict=True)]
        columns = {
            "title": titles,
            "abstract": abstracts,
            "relevant": frame["id"].isin(each.relevant).to_numpy(),
        }
        start = build_index(texts, recipe=WORDS).scores(each.query)
        lists.append(Shuffled(each.name, each.query, pd.DataFrame(columns).assign(start=start)))
    return lists


def measures(relevant: Flags) -> tuple[float, float, float]:
    """Loss, recall after a tenth and WSS@95 of an order."""
    quality = order_quality(relevant)
    return quality["loss"], quality["recall_at"]["0.1"], quality["wss_95"]


def played(ranker: str, given: Shuffled, file: int) -> Row:
    """One list in one file, read by one of our rankers."""
    frame = given.in_file(file)
    texts, relevant = (frame["title"] + " " + frame["abstract"]).tolist(), frame["relevant"].to_numpy()
    how = {"ranker": RANKERS[ranker], "start": frame["start"].to_numpy(), "to_the_end": False}
    read = simulate(make_features(texts), given.question, relevant, **how)
    return ranker, given.name, file, *measures(relevant[read.order])


def by_asreview(lists: Sequence[Shuffled]) -> Iterator[Row]:
    """Every list in every file, read by ASReview in an environment of its own."""
    folder = DOCS.parent / "build" / "asreview"  # keeps the orders that it read in for the next run
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", ASREVIEW], check=True)
    given, orders = folder / "lists.jsonl", folder / "orders.jsonl"
    lines = [
        {"name": each.name, "question": each.question}
        | {"titles": each.frame["title"].tolist(), "abstracts": each.frame["abstract"].tolist()}
        | {"relevant": each.frame["relevant"].astype(int).tolist()}
        | {"files": [standing(len(each.frame), file).tolist() for file in range(FILES)]}
        for each in lists
    ]
    given.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
    play = [python, SCRIPTS / "asreview_alone.py", given, orders, str(WORKERS)]
    subprocess.run(play, check=True, env=alone, cwd=folder)  # it leaves a cache where it is run
    labels = {each.name: each.frame["relevant"].to_numpy() for each in lists}
    for line in map(json.loads, orders.read_text(encoding="utf-8").splitlines()):
        yield THEIRS, line["name"], line["file"], *measures(labels[line["name"]][line["order"]])


def measure() -> Tables:
    """Every list in every file, by all three."""
    lists = labelled_lists(real_data())
    jobs = (joblib.delayed(played)(*job) for job in product(RANKERS, lists, range(FILES)))
    rows = [*by_asreview(lists), *joblib.Parallel(WORKERS, verbose=10)(jobs)]
    table = pd.DataFrame(rows, columns=["ranker", "list", "file", *MEASURES])
    return {"reranking_lists": table.sort_values(["ranker", "list", "file"]).round(4)}


def gain_over_asreview(rows: pd.DataFrame, measure_name: str) -> dict[str, float]:
    """Mean of ours minus theirs; a list counts with the mean of its files."""
    wide = rows.pivot_table(index="list", columns="ranker", values=measure_name)
    gain = wide[OURS] - wide[THEIRS]
    groups = gain.index.to_series().replace(list(SOFTWARE), "software")
    return mean_change(gain.groupby(groups).mean(), SEED) | {"difference": float(gain.mean())}


def summarise(tables: Tables) -> dict[str, object]:
    """Means of the three, and the gain over ASReview also without the first file."""
    rows = tables["reranking_lists"]
    means = rows.groupby("ranker")[list(MEASURES)].mean().loc[[BM25, THEIRS, OURS]].reset_index()
    later = rows[rows["file"] > 0]
    gains = {
        name: {"all": gain_over_asreview(rows, name), "rest": gain_over_asreview(later, name)}
        for name in MEASURES[:2]
    }
    return {"means": means, "lists": rows["list"].nunique(), "files": FILES, **gains}
