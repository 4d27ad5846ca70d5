"""Whether chances for one question that follow what its list brings are nearer the truth than chances that stay."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize

from scripts.studies import reviews
from scripts.studies.reviews import changes
from scripts.study import Floats, Study, Tables, cluster_t, kept_tables
from tarstop_core.policies import Optimal

LOOKS = ("20 documents", "2 %", "5 %", "10 %", "20 %", "50 %")
QUESTION = ["review", "question", "few", "stages", "way"]


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
    change = mean["follows"] - mean["stays"]
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
        "looks": LOOKS,
        "optimal": changes(decisions, Optimal.title, reviews.STAYS, (1e-5, 1e-4, 5e-4, 1e-3)),
    }


STUDY = Study(
    page="question_chances",
    reads="nothing: it was measured once, on the medical rankings and 2×2 tables of clef_dta",
    tables=("question_chances",),
    measured_once=("question_chances",),
    summarise=summarise,
)
