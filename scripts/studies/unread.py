"""Whether the number still unread is true, and whether the check of the chances warns when it should."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import f as f_distribution

from scripts.real_lists import others, read_collections
from scripts.study import Floats, Study, Tables
from tarstop_core.belief.mixture import left, mixture
from tarstop_core.calibration.calibration_monitor import (
    E_LIMIT,
    across_lists,
    e_value_of_shape,
    levels_of_number,
)
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.thinning import fit_thinning
from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.replay import SHARES
from tarstop_core.places import real_data

JUDGMENTS = {"abs": "inclusion", "content": "review"}
LOOKS = 25  # depths at which a real list is checked
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # true levels, as multiples of what the chances say
FINISHED = (10, 20, 40)  # finished reviews of a person
PERSONS = 50
SHAPE = 1.5  # of the gamma factor by which a person's reviews vary beside their common level


def statement(topic: Topic, calibrator: Calibrator, depth: int) -> tuple[float, ...]:
    """Mean and ends of the interval, the true number, and the chances of fewer and of no more than that."""
    labels = np.asarray(topic.labels)
    read = np.arange(len(topic)) < depth
    true = int(labels[depth:].sum())
    unread = calibrator.left(calibrator.probabilities(topic.scores, len(topic)), read, read & labels, ~read)
    chances = unread.chance_of_at_most(true - 1), unread.chance_of_at_most(true)
    return unread.mean, *unread.interval(), true, *chances


def statements(data: Path) -> Iterator[tuple[object, ...]]:
    """What is said of every list by what the other collections teach, at five depths."""
    for judgments, scenario in JUDGMENTS.items():
        collections = read_collections(data, judgments)
        for tested, topics in collections.items():
            calibrator = fit(others(collections, tested), kind="marginal", scenario=scenario, pseudo=1.0)
            for topic in topics:
                for share in SHARES:
                    if (depth := math.ceil(share * len(topic))) < len(topic):
                        said = statement(topic, calibrator, depth)
                        at = f"{100 * share:g} %"
                        yield judgments, tested, topic.name, at, depth, *said, len(topic)


def warned(data: Path, judgments: str) -> tuple[int, int]:
    """How many lists of other collections are ever warned, and how many there are."""
    collections = read_collections(data, judgments)
    warnings = []
    for tested, topics in collections.items():
        taught = others(collections, tested)
        thinning = fit_thinning(
            [(np.ones(len(each), dtype=bool), np.asarray(each.labels)) for each in taught]
        )
        for topic in topics:
            depths = np.unique(np.geomspace(1, len(topic), LOOKS).astype(int))
            reads = np.arange(len(topic)) < depths[:, None]
            labels = np.asarray(topic.labels)
            warnings.append(any(e_value_of_shape(thinning, read, read & labels) >= E_LIMIT for read in reads))
    return sum(warnings), len(warnings)


def warned_person(rng: np.random.Generator, reviews: int, factor: float) -> bool:
    """Whether a drawn person is warned after any finished review, where chances are wrong by a factor."""
    expected = rng.uniform(3, 30, reviews)
    found = rng.poisson(factor * expected * rng.gamma(SHAPE, 1 / SHAPE, reviews))
    foreseen = [left(mixture([1.0], [SHAPE]), [number], 2000) for number in expected]
    levels = [levels_of_number(each, int(number)) for each, number in zip(foreseen, found, strict=True)]
    checks = [across_lists(levels[: n + 1]) for n in range(reviews)]
    return any(check is not None and check.e_value >= E_LIMIT for check in checks)


def warned_persons() -> pd.DataFrame:
    """Share of drawn persons who are ever warned, by number of finished reviews and true level."""
    rng = np.random.default_rng(1)
    rows = [
        {"finished": finished}
        | {
            f"x{factor:g}": np.mean([warned_person(rng, finished, factor) for _ in range(PERSONS)])
            for factor in FACTORS
        }
        for finished in FINISHED
    ]
    return pd.DataFrame(rows)


def calibrated(rows: pd.DataFrame, bins: int = 5) -> tuple[Floats, float]:
    """Share of statements by fifths of what was predicted, reviews weighing equally, and a test that each is a fifth.

    A number spreads over the fifths that its chance covers (Czado, Gneiting & Held 2009). The test is Hotelling's, over reviews.
    """
    edges = np.linspace(0, 1, bins + 1)
    low, high = (rows[name].to_numpy()[:, None] for name in ("below", "upto"))
    covered = np.clip(np.minimum(high, edges[1:]) - np.maximum(low, edges[:-1]), 0, None)
    shares = covered / np.maximum(high - low, 1e-12)
    by_review = pd.DataFrame(shares).groupby(rows["review"].to_numpy()).mean().to_numpy()
    mean, reviews, k = by_review.mean(axis=0), len(by_review), bins - 1
    if reviews <= k + 1:
        return mean, math.nan
    off = mean[:-1] - 1 / bins
    statistic = float(off @ np.linalg.solve(np.cov(by_review[:, :-1].T) / reviews + 1e-12 * np.eye(k), off))
    return mean, float(f_distribution.sf(statistic * (reviews - k) / (k * (reviews - 1)), k, reviews - k))


def coverage(rows: pd.DataFrame) -> dict[str, object]:
    """How many statements hold, in how many more is left, and a test of the whole distribution."""
    inside = (rows["true"] >= rows["low"]) & (rows["true"] <= rows["high"])
    return {
        "reviews": rows["review"].nunique(),
        "statements": len(rows),
        "covered": inside.mean(),
        "above": (rows["true"] > rows["high"]).mean(),
        "p": calibrated(rows)[1],
    }


def measure() -> Tables:
    """Statements on real lists, warnings on them, and warnings of drawn persons."""
    data = real_data()
    names = "judgments collection review at read mean low high true below upto".split()
    lists = [(judgments, *warned(data, judgments)) for judgments in JUDGMENTS]
    return {
        "still_unread": pd.DataFrame(statements(data), columns=[*names, "documents"]).round(5),
        "still_unread_warned": pd.DataFrame(lists, columns=["judgments", "warned", "lists"]),
        "still_unread_levels": warned_persons(),
    }


def summarise(tables: Tables) -> dict[str, object]:
    """Coverage in all and by collection."""
    every = tables["still_unread"]
    parts = {"all four": every} | dict(list(every.groupby("collection")))
    rows = [
        {"part": name}
        | {judgments: coverage(part[part["judgments"] == judgments]) for judgments in JUDGMENTS}
        for name, part in parts.items()
    ]
    return {"rows": rows, "warned": tables["still_unread_warned"], "levels": tables["still_unread_levels"]}


STUDY = Study(
    page="still_unread",
    reads="the medical rankings in TARSTOP_REAL_DATA; some minutes",
    tables=("still_unread", "still_unread_warned", "still_unread_levels"),
    measure=measure,
    summarise=summarise,
)
