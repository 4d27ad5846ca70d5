"""What a list that learns is worth with chances that are true: re-ranked against static, on the outcomes with tables and text.

The list learns from what is included by title and abstract; included reports are read at once, at no cost of their own.
In two stages P(data | included) is that of reviews, in full text, as sessions begin; in one stage it is that of outcomes, and static
chances are those of bringing data. It is updated by what was read. Everything is learned on other topics.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from scripts.by_review import interval, signed
from scripts.report_unread import JUDGMENTS, read_collections
from scripts.reranked_sessions import Session
from scripts.reviews_measured import THETA, played, taken
from scripts.unread_engine import Foreseen, relevant_in, shares_with_data
from tarstop_core.belief.learned_prior import learn_width
from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.calibrator import INCLUSION
from tarstop_core.calibration.data_share import fit_data_share
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.reranked import RerankedChances, ahead, forecasts
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.policies import Greedy, LookAhead, OpenLoop, Policy
from tarstop_core.value.outcomes import is_plus, outcome_path
from tarstop_core.value.payoffs import Payoffs

Q_STARS, COSTS = (0.2, 0.5, 0.8), (0.0001, 0.0005, 0.001, 0.005)
RULES: tuple[Policy, ...] = (Greedy(), LookAhead(2000), OpenLoop())
RERANKED, NOW, THEN = "re-ranked", "static, as it is", "static, as in 2451d50"
TWO, ONE = "two stages", "one stage"
ENGINE = "bivariate"
EVERY, FURTHER = 100, 1.05
"""Depths at which the rest of the list is foreseen anew: each of the first, and from there on ever farther apart."""


def outcomes_with_text(folder: Path, read: Mapping[str, Session]) -> list[Outcome]:
    """Those of the topics whose records are at hand."""
    found = read_outcomes(folder / "clef_dta/outcomes.csv", read_run(folder / "clef_dta/bm25.run")).outcomes
    return [each for each in found if each.review in read]


def reordered(outcome: Outcome, session: Session) -> Outcome:
    """The outcome as its list was read; studies whose document is not in the list come after it."""
    place = {each: at for at, each in enumerate(session.ids.tolist())}
    ids = outcome.topic.ids
    at = np.array([
        place.get(str(ids[each]), len(place)) if each < len(ids) else len(place) for each in outcome.positions
    ])  # fmt: skip
    order = np.argsort(at, kind="stable")
    labels = np.zeros(len(place), dtype=bool)
    labels[at[at < len(place)]] = True
    topic = Topic(outcome.name, session.ids, None, labels, int(labels.sum()))
    return replace(outcome, topic=topic, tables=taken(outcome.tables, order), positions=at[order])


def rows_ahead(model: RerankedChances, history: Flags) -> Floats:
    """Chance of each document as foreseen after d, the next one as the history has it, shape (N + 1, N)."""
    n = len(history)
    p, rest, due = np.zeros((n + 1, n)), np.zeros(0), 0
    said = forecasts(model, history, n)
    for d in range(n):
        if d >= due or history[d - 1]:
            rest = np.append(said[:d], ahead(model, history[:d], n, float(said[d])).p)
            due = d + 1 if d < EVERY else int(FURTHER * d)
        p[d] = rest
        p[d, d] = said[d]
    p[n] = said[:n]
    return p


def included(p: Floats, share: Floats) -> Floats:
    """Studies expected among the first k as foreseen after d, shape (N + 1, N + 1)."""
    return share[:, None] * np.concatenate((np.zeros((len(p), 1)), np.cumsum(p, axis=1)), axis=1)


@dataclass(frozen=True, eq=False)
class Arm:
    """One way of reading one outcome."""

    stages: str
    way: str
    outcome: Outcome
    """In the order read."""
    prior: Prior
    expected: Floats
    """Studies expected among the first k documents as foreseen after d, shape (N + 1, N + 1)."""


def arms(folder: Path, sessions: Sequence[Session], models: Mapping[str, RerankedChances]) -> Iterator[Arm]:
    """Every way of reading every outcome, by what other topics taught."""
    read = {each.name: each for each in sessions if each.clef and each.judged == INCLUSION}
    collections = {name: read_collections(folder, name) for name in JUDGMENTS}
    abstracts = {each.name: each for each in collections["abs"]["clef_dta"]}
    cases = outcomes_with_text(folder, read)
    for review in dict.fromkeys(each.review for each in cases):
        others = {
            name: [topic for each in of.values() for topic in each if topic.name != review]
            for name, of in collections.items()
        }
        elsewhere = [each for each in cases if each.review != review]
        width = learn_width(
            [each.tables for each in elsewhere], [each.review for each in elsewhere], THETA, "other topics"
        )
        full = {topic.name: relevant_in(topic) for topic in others["content"]}
        pairs = [(relevant_in(topic), full.get(topic.name, 0)) for topic in others["abs"]]
        shares = {
            TWO: fit_data_share([(k, min(k, data)) for k, data in pairs], "other topics"),
            ONE: fit_data_share(
                [
                    (
                        max(relevant_in(abstracts[each.review]), relevant_in(each.topic)),
                        relevant_in(each.topic),
                    )
                    for each in elsewhere
                ],
                "outcomes of other topics",
            ),
        }
        at_home = [each for each in collections["abs"]["clef_dta"] if each.name != review]
        static = {
            (TWO, NOW): fit(others["abs"], kind="rank", scenario="inclusion", pseudo=1.0),
            (TWO, THEN): fit(at_home, kind="marginal", scenario="inclusion", pseudo=1.0),
            (ONE, NOW): fit(others["content"], kind="rank", scenario="review", pseudo=1.0),
            (ONE, THEN): fit([each.topic for each in elsewhere], kind="marginal", scenario="review", pseudo=1.0),
        }  # fmt: skip
        session, topic = read[review], abstracts[review]
        moving = rows_ahead(models[session.group].of(INCLUSION), session.relevant)
        for case in (each for each in cases if each.review == review):
            again = reordered(case, session)
            brought, labels = (np.asarray(each.topic.labels) for each in (again, case))
            for stages, share in shares.items():
                told = shares_with_data(share, session.relevant | brought, brought)
                yield Arm(stages, RERANKED, again, width, included(moving, told))
            for (stages, way), calibrator in static.items():
                p = calibrator.probabilities(case.topic.scores, len(case.topic))
                told = np.ones(len(p) + 1)
                if stages == TWO:
                    told = shares_with_data(shares[TWO], np.asarray(topic.labels) | labels, labels)
                prior = width if way == NOW else Prior()
                yield Arm(stages, way, case, prior, included(np.broadcast_to(p, (len(p) + 1, len(p))), told))


def measure(folder: Path, sessions: Sequence[Session], models: Mapping[str, RerankedChances]) -> pd.DataFrame:
    """What each rule came to on each outcome in each cell, a row each."""
    rows: list[tuple[object, ...]] = []
    for arm in arms(folder, sessions, models):
        outcome, expected = arm.outcome, arm.expected
        omega = is_plus(outcome.tables, THETA, "pooled", 0.5)
        n = np.arange(len(expected) - 1)
        p = np.clip(expected[n, n + 1] - expected[n, n], 0.0, 1.0)
        for q_star in Q_STARS:
            path = outcome_path(outcome, p, Payoffs.from_q_star(q_star), THETA, ENGINE, arm.prior)
            moved = Foreseen(p, path.states, path.known, path.payoffs, path.labels, included=expected)
            for cost, rule, depth, action, _, utility in played(moved, omega, RULES, COSTS):
                right = (action == "a+") == omega
                rows.append(
                    (
                        arm.stages,
                        arm.way,
                        outcome.review,
                        outcome.name,
                        q_star,
                        cost,
                        rule,
                        depth,
                        right,
                        utility,
                    )
                )
    names = ["stages", "way", "topic", "outcome", "q_star", "cost", "rule", "depth", "right", "net_utility"]
    return pd.DataFrame(rows, columns=names)


COMPARED = {
    "Greedy": (Greedy(), Greedy()),
    "the default rules: Greedy, then Open loop": (Greedy(), OpenLoop()),
    "Open loop": (OpenLoop(), OpenLoop()),
    "Look-ahead": (LookAhead(2000), LookAhead(2000)),
}
"""What is compared: the rule on the re-ranked list, and on the static one as it was."""


CELL = ["stages", "way", "topic", "q_star", "cost", "rule"]
HEADER = ["rule", "against", "net utility", "difference", "documents read", "% right"]


def lines(rows: pd.DataFrame, stages: str) -> list[list[str]]:
    """Re-ranked minus static, by rule; topics weigh equally."""
    rows, found = rows[rows["stages"] == stages], []
    for words, (rule, former) in COMPARED.items():
        for way in (NOW, THEN):
            against = rule if way == NOW else former
            one, other = (_by_topic(rows, each, by) for each, by in ((RERANKED, rule), (way, against)))
            off = (one["net_utility"] - other["net_utility"]).to_numpy()
            low, high = interval(off)
            found.append([
                words, way,
                f"{other['net_utility'].mean():.3f} → {one['net_utility'].mean():.3f}",
                f"{signed(float(off.mean()))} [{signed(low)}, {signed(high)}]",
                f"{other['depth'].mean():.0f} → {one['depth'].mean():.0f}",
                f"{100 * other['right'].mean():.0f} → {100 * one['right'].mean():.0f}",
            ])  # fmt: skip
    return found


def _by_topic(rows: pd.DataFrame, way: str, rule: Policy) -> pd.DataFrame:
    here = rows[(rows["way"] == way) & (rows["rule"] == rule.spec)]
    return here.groupby("topic")[["net_utility", "depth", "right"]].mean()
