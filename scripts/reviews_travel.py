"""What a review begins with: chances from scores against chances by rank, on collections that were not learned from.

A part of ``docs/calibrators_travel.md``, which :mod:`scripts.report_travel` writes.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from scripts.report_reviews import interval
from scripts.report_unread import COLLECTIONS, JUDGMENTS, others, read_collections
from scripts.unread_engine import (
    COSTS,
    ENGINE,
    Q_STARS,
    RULES,
    TESTED,
    THETA,
    Collections,
    moving,
    shares_with_data,
)
from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.data_share import fit_data_share
from tarstop_core.calibration.fitting import fit
from tarstop_core.documents.topic import Topic
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.value.outcomes import is_plus, outcome_path
from tarstop_core.value.payoffs import Payoffs

NEW, BEFORE = "ranks, learned on the others", "scores, `clef_dta`"
SCORES, RANKS = "scores, learned on the others", "ranks, `clef_dta`"
FIRST = 20, 50, 100
LEAST = 1e-4
"""Chance that log-loss reckons with at least."""


def learned(collections: Collections, tested: str, scenario: str) -> dict[str, Calibrator]:
    """By name what a review of the tested collection might begin with; none has seen a review of it."""
    taught, names = others(collections, tested), {topic.name for topic in collections[tested]}

    def of(kind: str, topics: list[Topic]) -> Calibrator:
        return fit(topics, kind=kind, scenario=scenario, pseudo=1.0)

    found = {NEW: of("rank", taught), SCORES: of("marginal", taught)}
    if tested != "clef_dta":
        home = [topic for topic in collections["clef_dta"] if topic.name not in names]
        found |= {BEFORE: of("marginal", home), RANKS: of("rank", home)}
    return found


def said(data: Path) -> pd.DataFrame:
    """A row for each list and source: log-loss over the first documents, and relevant ones among them, said and found."""
    rows = []
    for judged, scenario in JUDGMENTS.items():
        collections = read_collections(data, judged)
        for tested, topics in collections.items():
            for source, calibrator in learned(collections, tested, scenario).items():
                for topic in topics:
                    labels = np.asarray(topic.labels)
                    p = calibrator.probabilities(topic.scores, len(topic))
                    bounded = np.clip(p, LEAST, 1 - LEAST)
                    loss = -np.log(np.where(labels, bounded, 1 - bounded))[: FIRST[-1]].mean()
                    counts = [each[:depth].sum() for depth in FIRST for each in (p, labels)]
                    rows.append((judged, tested, topic.name, source, loss, *counts))
    names = [f"{what} {depth}" for depth in FIRST for what in ("said", "found")]
    return pd.DataFrame(rows, columns=["judged", "collection", "review", "source", "loss", *names])


def lines(rows: pd.DataFrame) -> Iterator[list[str]]:
    """A line of the table for each judgment, collection and source."""
    for (judged, collection), here in rows.groupby(["judged", "collection"], sort=False):
        new = here[here["source"] == NEW].set_index("review")
        for source, each in here.groupby("source", sort=False):
            means = each.mean(numeric_only=True)
            off = (new["loss"] - each.set_index("review")["loss"]).to_numpy()
            low, high = interval(off)
            yield [
                f"{collection}, {judged}",
                str(source),
                f"{means['loss']:.3f}",
                "" if source == NEW else f"{off.mean():+.3f} [{low:+.3f}, {high:+.3f}]".replace("-", "−"),
                *(f"{means[f'said {depth}']:.1f} / {means[f'found {depth}']:.1f}" for depth in FIRST),
            ]


def over_all(rows: pd.DataFrame, source: str) -> str:
    """Log-loss of the new one minus another, where both are, mean over lists with its interval by resampling reviews."""
    wide = rows.pivot_table(index=["judged", "collection", "review"], columns="source", values="loss")
    off = (wide[NEW] - wide[source]).dropna().groupby("review").mean().to_numpy()
    low, high = interval(off)
    return f"{off.mean():+.3f} [{low:+.3f}, {high:+.3f}]".replace("-", "−")


def decisions(data: Path) -> pd.DataFrame:
    """Net utility, share right and depth on the reviews of `clef_dta` with tables, by stages, rule and source."""
    collections = {judged: read_collections(data, judged) for judged in JUDGMENTS}
    away = {
        stages: learned(collections[judged], TESTED, scenario)
        for stages, (judged, scenario) in zip(("two", "one"), JUDGMENTS.items(), strict=True)
    }
    taught = {judged: others(each, TESTED) for judged, each in collections.items()}
    full = {topic.name: int(np.asarray(topic.labels).sum()) for topic in taught["content"]}
    pairs = [(int(np.asarray(each.labels).sum()), full.get(each.name, 0)) for each in taught["abs"]]
    prior = fit_data_share([(k, min(k, data)) for k, data in pairs], "other collections")
    included = {topic.name: np.asarray(topic.labels) for topic in collections["abs"][TESTED]}
    run = read_run(data / "clef_dta/bm25.run")
    rows = []
    for outcome in read_outcomes(data / "clef_dta/outcomes.csv", run).outcomes:
        omega, labels = is_plus(outcome.tables, THETA, "pooled", 0.5), np.asarray(outcome.topic.labels)
        share = shares_with_data(prior, included[outcome.review] | labels, labels)
        for stages, sources in away.items():
            for source, calibrator in sources.items():
                p = calibrator.probabilities(outcome.topic.scores, len(outcome.topic))
                ahead = (share if stages == "two" else np.ones(len(p) + 1))[:, None] * np.append(
                    0, np.cumsum(p)
                )
                for q_star in Q_STARS:
                    payoffs = Payoffs.from_q_star(q_star)
                    path = moving(outcome_path(outcome, p, payoffs, THETA, ENGINE, Prior()), ahead)
                    for rule in RULES:
                        for cost, depth in zip(COSTS, rule.depths(path, COSTS), strict=True):
                            plus = path.chooses_plus(int(depth))
                            utility = float(payoffs.outcome(plus, omega)) - cost * depth
                            rows.append(
                                (stages, rule.title, outcome.review, source, utility, plus == omega, depth)
                            )
    names = ["stages", "rule", "review", "source", "utility", "right", "read"]
    return pd.DataFrame(rows, columns=names).groupby(names[:4], sort=False).mean().reset_index()


def decided(rows: pd.DataFrame) -> Iterator[list[str]]:
    """A line of the table for each number of stages and rule: by rank minus from scores, paired by review."""
    for (stages, rule), here in rows.groupby(["stages", "rule"], sort=False):
        new, scores = (here[here["source"] == source].set_index("review") for source in (NEW, SCORES))
        off = (new["utility"] - scores["utility"]).to_numpy()
        low, high = interval(off)
        yield [
            f"{stages}, {rule}",
            f"{off.mean():+.4f} [{low:+.4f}, {high:+.4f}]".replace("-", "−"),
            f"{100 * scores['right'].mean():.1f} → {100 * new['right'].mean():.1f}",
            f"{scores['read'].mean():.0f} → {new['read'].mean():.0f}",
        ]


def section(data: Path) -> str:
    """The part of the page."""
    from scripts.report_travel import table

    rows = said(data)
    head = ["tested on", "chances from", "log-loss", "new minus it [95 %]"]
    return f"""## Reviews: what they begin with

In a review every document counts, so its chances are those of being included (`abs`) or of bringing data (`content`, for which full-text
relevance stands). Until now a review began with chances from scores, learned on `clef_dta`; now it begins with chances by rank, learned
on all {len(COLLECTIONS)} collections (`review-inclusion-elsewhere`, `review-data-elsewhere`). Sessions keep the chances that they have. Below, *the others* are the
collections that are not tested, without reviews that the tested one holds too. Log-loss is the mean over the first {FIRST[-1]} documents
of a list, in which the chances are high; then the mean number of relevant documents among the first {", ".join(map(str, FIRST))}, said / found.
The kind `rank-frailty` is for first hits and is not fitted for reviews.

Over all lists, log-loss by rank from the others minus that from scores of `clef_dta` is {over_all(rows, BEFORE)}, minus that from scores of the
others {over_all(rows, SCORES)}, and minus that by rank from `clef_dta` {over_all(rows, RANKS)}.

{table([*head, *(f"first {depth}" for depth in FIRST)], lines(rows))}

On the reviews with tables of `clef_dta` (θ = {THETA:g}, q* of .2, .5 and .8, costs of 0.00001 to 0.005; as in [still unread](still_unread.md)), what
rules come to with chances by rank instead of from scores, both from the others:

{table(["stages, rule", "net utility, difference [95 %]", "% right", "documents read"], decided(decisions(data)))}

Chances by rank foresee more at the head than those from scores of several systems, so every rule reads more and is more often right. Greedy,
which reads too much with either, pays for it.
"""
