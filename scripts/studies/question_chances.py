"""Whether chances for one question that follow what its list brings are nearer the truth than chances that stay."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.stats import betabinom

from scripts.real_lists import medical, outcomes, questions_by_review
from scripts.studies import reviews
from scripts.studies.reviews import Fold, changes, cluster_t, folds, one_question
from scripts.study import Floats, Study, Tables, kept_tables
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.extraction_rate import FEW, ExtractionRate, fit_extraction_rate
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.hit_rate_model import Thinning, chances_as_read
from tarstop_core.documents.tables import Flags
from tarstop_core.documents.topic import Outcome
from tarstop_core.places import real_data
from tarstop_core.policies import Optimal

LOOKS = {"20 documents": 20, "2 %": 0.02, "5 %": 0.05, "10 %": 0.1, "20 %": 0.2, "50 %": 0.5}
LEAST, MOST = 1e-7, 1 - 1e-3  # Chances are held between these for the log score
STAYS, FOLLOWS = "stays", "follows"
QUESTION = ["review", "question", "few", "stages", "way"]


@dataclass(frozen=True)
class Chances:
    """Chances of either way in one or two stages, learned without the reviews that are judged."""

    calibrator: Calibrator
    thinning: Thinning
    shares: dict[str, ExtractionRate]  # Of included documents that bring data; none in one stage

    def of(self, way: str, scores: Floats, read: Flags, found: Flags) -> Floats:
        """Chance of each document of being included, or of bringing data in one stage."""
        if way == STAYS:
            return self.calibrator.probabilities(scores)
        return chances_as_read(self.thinning, read, found & read, ~read)

    def share(self, way: str, included: Flags, data: Flags) -> Floats:
        """P(data | included) after 0 … N documents."""
        h, s = (np.append(0, np.cumsum(each)) for each in (included, data))
        rate = self.shares.get(way)
        return np.ones(len(h)) if rate is None else (rate.alpha + s) / (rate.alpha + rate.beta + h)


def learned(fold: Fold) -> dict[int, Chances]:
    """Chances by stages, without the fold's reviews."""
    data, held = real_data(), {case.review for case in fold.held_out}
    included, rate = one_question(held, "abs")
    # As earlier versions learned them: of all questions of a review together.
    full = {topic.name: np.asarray(topic.labels) for topic in medical(data, "clef_dta", "content")}
    taught = [topic for topic in medical(data, "clef_dta", "abs") if topic.name not in held]
    pairs = [(int(np.sum(each.labels)), int(np.sum(each.labels & full[each.name]))) for each in taught]
    calibrator = fit(taught, kind="marginal", scenario="inclusion", pseudo=1.0)
    one = Chances(fold.calibrator, fold.thinning, {})
    shares = {STAYS: fit_extraction_rate(pairs, ""), FOLLOWS: rate}
    return {1: one, 2: Chances(calibrator, included, shares)}


def questions(fold: Fold) -> Iterator[tuple[Outcome, str, bool, Flags]]:
    """Outcomes and, for each that was left out for too few studies, one that is drawn; with the documents that bring data."""
    reviews = questions_by_review(real_data(), "content")
    relevant = {topic.name: np.asarray(topic.labels) for topic in medical(real_data(), "clef_dta", "content")}
    for case in fold.held_out:
        yield case, case.name, False, np.isin(np.arange(len(case.topic)), case.positions)
    for case in {case.review: case for case in fold.held_out}.values():
        rng, documents = np.random.default_rng([*case.review.encode()]), np.flatnonzero(relevant[case.review])
        chance = betabinom.pmf(np.arange(FEW), len(documents), fold.rate.alpha, fold.rate.beta)
        for drawn in range(reviews[case.review].few):
            own = rng.choice(documents, rng.choice(FEW, p=chance / chance.sum()), replace=False)
            yield case, f"{case.review}, drawn {drawn + 1}", True, np.isin(np.arange(len(case.topic)), own)


def foreseen(fold: Fold) -> Iterator[tuple[object, ...]]:
    """How many studies were expected among those left, and were; beside the log score of every document as it came up."""
    by_stages = learned(fold)
    included = {topic.name: np.asarray(topic.labels) for topic in medical(real_data(), "clef_dta", "abs")}
    for case, name, few, data in questions(fold):
        at, scores = np.arange(len(data)), np.asarray(case.topic.scores)
        for (stages, chances), way in product(by_stages.items(), (STAYS, FOLLOWS)):
            hits = data | included[case.review] if stages == 2 else data
            share = chances.share(way, hits, data)
            p = np.clip(chances.of(way, scores, at >= 0, hits) * share[:-1], LEAST, MOST)
            score = float(np.log(np.where(data, p, 1 - p)).sum())
            for look, part in LOOKS.items():
                if (depth := math.ceil(part if part > 1 else part * len(data))) < len(data):
                    rest = chances.of(way, scores, at < depth, hits)[depth:].sum() * share[depth]
                    yield case.review, name, few, stages, way, score, look, rest, int(data[depth:].sum())


def measure() -> Tables:
    """Both ways on all questions, each fold judged by what the others taught."""
    parts = folds(outcomes(real_data()))
    rows = [row for fold in parts for row in foreseen(fold)]
    columns = [*QUESTION, "log_score", "read", "expected", "true"]
    return {"question_chances": pd.DataFrame(rows, columns=columns).round(4)}


def slope(rows: pd.DataFrame) -> float:
    """Of log true on log expected numbers (quasi-Poisson), reviews weighing equally."""
    x = np.column_stack((np.ones(len(rows)), np.log(np.maximum(rows["expected"], 1e-3))))
    y, weight = rows["true"].to_numpy(), 1 / rows.groupby("review")["true"].transform("size").to_numpy()

    def loss(b: Floats) -> float:
        return float(weight @ (np.exp(x @ b) - y * (x @ b)))

    return float(minimize(loss, [0.0, 1.0], method="BFGS").x[1])


def slope_row(rows: pd.DataFrame) -> dict[str, float]:
    """The slope with an interval by leaving out each review, and the level: expected by true."""
    reviews = rows["review"].unique()
    whole, without = slope(rows), [slope(rows[rows["review"] != review]) for review in reviews]
    totals = rows.groupby("review")[["expected", "true"]].mean().sum()
    jackknife = len(reviews) * whole - (len(reviews) - 1) * np.array(without)
    return {"level": totals["expected"] / totals["true"]} | cluster_t(pd.Series(jackknife))


def gain(rows: pd.DataFrame) -> dict[str, object]:
    """Log score of chances that follow minus that of chances that stay: mean over reviews, and the worst review."""
    mean = rows.groupby(["way", "review"])["log_score"].mean()
    change = mean[FOLLOWS] - mean[STAYS]
    return {**cluster_t(change), "worst": change.idxmin(), "worst_change": change.min()}


def summarise(tables: Tables) -> dict[str, object]:
    """Log scores and slopes; and what Optimal gains by either way, of the decisions kept by the study of reviews."""
    left, decisions = tables["question_chances"], kept_tables(reviews.STUDY)["reviews_decisions"]
    each = left.drop_duplicates(QUESTION)
    return {
        "few": each[each["few"]]["question"].nunique(),
        "scores": {stages: gain(rows) for stages, rows in each.groupby("stages")},
        "kept": {stages: gain(rows) for stages, rows in each[~each["few"]].groupby("stages")},
        "slopes": {key: slope_row(rows) for key, rows in left.groupby(["read", "stages", "way"])},
        "looks": list(LOOKS),
        "optimal": changes(decisions, Optimal.title, reviews.STAYS, (1e-5, 1e-4, 5e-4, 1e-3)),
    }


STUDY = Study(
    page="question_chances",
    reads="the medical rankings and 2×2 tables of clef_dta in TARSTOP_REAL_DATA; some minutes",
    tables=("question_chances",),
    measure=measure,
    summarise=summarise,
)
