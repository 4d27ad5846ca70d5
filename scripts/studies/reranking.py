"""How well a list that learns from its labels is ordered, on real labelled lists; ASReview, beside it, was measured once."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scripts.real_lists import TextList, text_lists
from scripts.study import Tables, mean_change
from tarstop_core.calibration.calibrator import INCLUSION
from tarstop_core.documents.records import ranking_text
from tarstop_core.evaluation.reranking import order_quality, simulate
from tarstop_core.places import real_data
from tarstop_core.ranking.bm25 import WORDS, build_index
from tarstop_core.ranking.features import make_features
from tarstop_core.ranking.learning import Ranker, StaticRanker, SVMRanker

PAGE = "reranking"
READS = "the labelled lists with text in TARSTOP_REAL_DATA; a few minutes of two cores"
TABLES = ("reranking_lists", "reranking_asreview")
MEASURED_ONCE = ("reranking_asreview",)
FILES = 10
"""Orders in which each list stands in a file: ASReview reads a file from its top until it knows a document of either kind."""
FEWEST_RELEVANT = 2  # one list of the 25 has a single relevant document by full text
SOFTWARE = ("Radjenovic_2013", "Wahono_2015_to_2008")
"""They share papers: one list where lists are resampled."""
MEASURES = ("loss", "recall_10", "wss_95")
BM25, THEIRS, OURS = "BM25 by the question", "ASReview 3.0.8", "as shipped"
RANKERS: dict[str, Ranker] = {BM25: StaticRanker(), OURS: SVMRanker()}
Row = tuple[str, str, int, float, float, float]  # Ranker, list, file and MEASURES


def standing(documents: int, file: int) -> NDArray[np.intp]:
    """Positions in the first file, in the order of another one; all but the first are shuffled."""
    return np.random.default_rng(file).permutation(documents) if file else np.arange(documents)


def labelled_lists(data: Path) -> Iterator[TextList]:
    """The 24 lists with columns `text`, `relevant` and `start`: BM25 by the question.

    Those of the reviews are shuffled, as the others are where they come from.
    """
    for each in text_lists(data):
        if each.judged == INCLUSION or each.relevant.sum() < FEWEST_RELEVANT:
            continue
        order = standing(len(each.frame), int(each.clef))
        frame = each.frame.iloc[order]
        # Some texts repeat the title where the abstract begins.
        texts = ranking_text(frame)
        pairs = zip(frame["title"], texts, strict=True)
        columns = {
            "text": [f"{title} {text.removeprefix(title).strip()}" for title, text in pairs],
            "relevant": each.relevant[order],
            "start": build_index(texts, recipe=WORDS).scores(each.query),
        }
        yield replace(each, frame=pd.DataFrame(columns))


def played(ranker: str, given: TextList, file: int) -> Row:
    """One list in one file, read by one ranker."""
    frame = given.frame.iloc[standing(len(given.frame), file)]
    relevant = frame["relevant"].to_numpy()
    how = {"ranker": RANKERS[ranker], "start": frame["start"].to_numpy(), "to_the_end": False}
    read = simulate(make_features(frame["text"].tolist()), given.query, relevant, **how)
    quality = order_quality(relevant[read.order])
    return ranker, given.name, file, quality["loss"], quality["recall_at"]["0.1"], quality["wss_95"]


def measure() -> Tables:
    """Every list in every file, by both rankers."""
    jobs = product(RANKERS, labelled_lists(real_data()), range(FILES))
    rows = joblib.Parallel(2, verbose=10)(joblib.delayed(played)(*job) for job in jobs)
    table = pd.DataFrame(rows, columns=["ranker", "list", "file", *MEASURES])
    return {"reranking_lists": table.sort_values(["ranker", "list", "file"]).round(4)}


def gain_over_asreview(rows: pd.DataFrame, measure_name: str) -> dict[str, float]:
    """Mean of ours minus theirs; a list counts with the mean of its files."""
    wide = rows.pivot_table(index="list", columns="ranker", values=measure_name)
    gain = wide[OURS] - wide[THEIRS]
    groups = gain.index.to_series().replace(list(SOFTWARE), "software")
    return mean_change(gain.groupby(groups).mean()) | {"difference": float(gain.mean())}


def summarise(tables: Tables) -> dict[str, object]:
    """Means of the three, and the gain over ASReview also without the first file."""
    rows = pd.concat(tables.values())
    means = rows.groupby("ranker")[list(MEASURES)].mean().loc[[BM25, THEIRS, OURS]].reset_index()
    later = rows[rows["file"] > 0]
    gains = {
        name: {"all": gain_over_asreview(rows, name), "rest": gain_over_asreview(later, name)}
        for name in MEASURES[:2]
    }
    return {"means": means, "lists": rows["list"].nunique(), "files": FILES, **gains}
