"""What :mod:`scripts.report_travel` reports: calibrators judged at home and away, and the rules that read them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold

from tarstop_core.calibration.calibrator import KINDS, Calibrator, Quality
from tarstop_core.calibration.fitting import assess, cross_validate, fit
from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.replay import replay
from tarstop_core.files import label_topics, read_qrels, read_run
from tarstop_core.policies import Batch, Budget, Greedy, LookAhead, Optimal, Policy, Smooth
from tarstop_core.value.payoffs import Payoffs

POLICIES: tuple[Policy, ...] = (Greedy(), Smooth(5), Batch(10), LookAhead(20), Optimal(), Budget(100))
Q_STARS = (0.2, 0.5, 0.8)
COSTS = (0.0005, 0.001, 0.005)
FOLDS = 5
DRAWS = 10_000
SEED = 1
AWAY, HOME = "away", "home"
FIRST_HIT_KINDS = ("hazard", "frailty")
CELL = ["q_star", "cost"]
CELLS = len(Q_STARS) * len(COSTS)
Interval = tuple[float, float, float]


@dataclass(frozen=True)
class Collection:
    """Judged rankings of one origin."""

    name: str
    run: str
    qrels: str


COLLECTIONS = (
    Collection("clef_dta", "clef_dta/bm25.run", "clef_dta/content.qrels"),
    Collection("clef2019", "clef2019/bm25_dta.run", "clef2019/full.test.dta.content.2019.qrels"),
)


def read_collection(data: Path, collection: Collection) -> list[Topic]:
    """Labelled topics of a collection."""
    topics, _ = label_topics(read_run(data / collection.run), read_qrels(data / collection.qrels))
    return list(topics.values())


def without_relevant(topic: Topic) -> Topic:
    """The ω⁻ twin of a topic: the same ranking with its relevant documents taken out."""
    assert topic.labels is not None and topic.scores is not None
    kept = ~topic.labels
    return replace(
        topic,
        ids=topic.ids[kept],
        scores=topic.scores[kept],
        labels=np.zeros(int(kept.sum()), dtype=bool),
        n_relevant=0,
    )


def home_calibrators(topics: Sequence[Topic], kind: str) -> list[Calibrator]:
    """For each topic the calibrator of its fold, as `cross_validate` splits: fitted without it."""
    calibrators: dict[int, Calibrator] = {}
    order = np.arange(len(topics))
    for train, test in GroupKFold(FOLDS).split(order, groups=order):
        fitted = fit([topics[i] for i in train], kind=kind, name="home")
        calibrators |= dict.fromkeys(test.tolist(), fitted)
    return [calibrators[i] for i in range(len(topics))]


# --- measuring ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """One kind of calibrator judged on one collection: fitted there (5-fold) and elsewhere."""

    tested: str
    kind: str
    home: Quality
    away: Quality
    frailty: float
    brier_change: Interval


def judge(
    tested: str, topics: Sequence[Topic], kind: str, at_home: Sequence[Calibrator], away: Calibrator
) -> Judged:
    """Brier score and ECE of both calibrators on the same topics, and the change in Brier score."""

    def by_topic(calibrators: Iterable[Calibrator]) -> list[Quality]:
        return [assess(one, [topic], "") for one, topic in zip(calibrators, topics, strict=True)]

    home_each, away_each = by_topic(at_home), by_topic([away] * len(topics))
    documents = np.array([each.documents for each in away_each], dtype=float)
    change = np.array([b.brier - a.brier for a, b in zip(home_each, away_each, strict=True)])
    # Resampling topics, with as many documents as each brings: the pooled Brier score's own weights.
    drawn = np.random.default_rng(SEED).integers(len(topics), size=(DRAWS, len(topics)))
    boot = (change * documents)[drawn].sum(axis=1) / documents[drawn].sum(axis=1)
    low, high = np.quantile(boot, [0.025, 0.975])
    return Judged(
        tested,
        kind,
        home=cross_validate(topics, folds=FOLDS, kind=kind),
        away=assess(away, topics, "away"),
        frailty=away.frailty,
        brier_change=(float(np.average(change, weights=documents)), float(low), float(high)),
    )


def replays(
    tested: str, topics: Sequence[Topic], kind: str, source: str, calibrators: Sequence[Calibrator]
) -> list[dict[str, object]]:
    """Every policy, q* and cost on every topic and its ω⁻ twin."""
    found: list[dict[str, object]] = []
    for topic, calibrator in zip(topics, calibrators, strict=True):
        pair = (topic, without_relevant(topic))
        for policy in POLICIES:
            for q_star in Q_STARS:
                for cost in COSTS:
                    for outcome in replay(pair, calibrator, policy, Payoffs.from_q_star(q_star), cost):
                        found.append(
                            {
                                "tested": tested,
                                "review": outcome.topic,
                                "omega": outcome.omega,
                                "source": source,
                                "kind": kind,
                                "policy": str(policy),
                                "q_star": q_star,
                                "cost": cost,
                                "read": outcome.depth,
                                "action": outcome.action,
                                "right": (outcome.action == "a+") == outcome.omega,
                                "utility": outcome.net_utility,
                            }
                        )
    return found


def measure(data: Path) -> tuple[list[Judged], pd.DataFrame]:
    """Everything that the page reports."""
    judged: list[Judged] = []
    outcomes: list[dict[str, object]] = []
    topics = {collection.name: read_collection(data, collection) for collection in COLLECTIONS}
    for fitted_on, tested in (("clef2019", "clef_dta"), ("clef_dta", "clef2019")):
        for kind in KINDS:
            away = fit(topics[fitted_on], kind=kind, name=fitted_on)
            at_home = home_calibrators(topics[tested], kind)
            judged.append(judge(tested, topics[tested], kind, at_home, away))
            everywhere = [away] * len(topics[tested])
            outcomes += replays(tested, topics[tested], kind, AWAY, everywhere)
            outcomes += replays(tested, topics[tested], kind, HOME, at_home)
    return judged, pd.DataFrame(outcomes)


def difference(outcomes: pd.DataFrame, first: Mapping[str, str], second: Mapping[str, str]) -> pd.DataFrame:
    """Mean of `first` minus `second` by cell, with 95 % intervals from resampling reviews in each collection.

    A review and its ω⁻ twin are drawn together, and both sides are read off the same draw.

    Returns
    -------
    DataFrame
        Index (q_star, cost); columns mean, low, high.
    """

    def wide(chosen: Mapping[str, str]) -> pd.DataFrame:
        rows = outcomes
        for name, value in chosen.items():
            rows = rows[rows[name] == value]
        return rows.pivot_table(index=["tested", "review"], columns=CELL, values="utility", aggfunc="mean")

    per_review = wide(first) - wide(second)
    values = per_review.to_numpy()
    rng = np.random.default_rng(SEED)
    collection = per_review.index.get_level_values("tested").to_numpy()
    drawn = np.concatenate(
        [
            rng.choice(np.flatnonzero(collection == name), size=(DRAWS, int((collection == name).sum())))
            for name in sorted(set(collection))
        ],
        axis=1,
    )
    boot = values[drawn].mean(axis=1)
    low, high = np.quantile(boot, [0.025, 0.975], axis=0)
    return pd.DataFrame({"mean": values.mean(axis=0), "low": low, "high": high}, index=per_review.columns)
