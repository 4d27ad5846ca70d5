"""What a list that learns is worth with chances that are true: re-ranked against static, on the outcomes with tables and text.

Two stages: documents are included by title and abstract, included reports read at once at no cost of their own, and
P(data | included) is updated by them. Everything is learned on other topics.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
from tarstop_core.documents.outcome import Outcome
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.policies import Greedy, LookAhead, OpenLoop, Policy
from tarstop_core.value.outcomes import is_plus, outcome_path
from tarstop_core.value.payoffs import Payoffs

Q_STARS, COSTS = (0.2, 0.5, 0.8), (0.0001, 0.0005, 0.001, 0.005)
RULES: tuple[Policy, ...] = (Greedy(), LookAhead(2000), OpenLoop())
RERANKED, NOW, THEN = "re-ranked", "static, as it is", "static, as in 2451d50"
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


def arms(
    folder: Path, sessions: Sequence[Session], models: Mapping[str, RerankedChances]
) -> Iterator[tuple[str, Outcome, Prior, Floats]]:
    """Way of reading, outcome in its order, prior, and studies expected ahead, for every outcome."""
    read = {each.name: each for each in sessions if each.clef and each.judged == INCLUSION}
    collections = {name: read_collections(folder, name) for name in JUDGMENTS}
    abstracts = {each.name: each for each in collections["abs"]["clef_dta"]}
    cases = outcomes_with_text(folder, read)
    for review in dict.fromkeys(each.review for each in cases):
        others = {name: [t for each in of.values() for t in each if t.name != review] for name, of in collections.items()}  # fmt: skip
        elsewhere = [each for each in cases if each.review != review]
        width = learn_width(
            [each.tables for each in elsewhere], [each.review for each in elsewhere], THETA, "other topics"
        )
        full = {topic.name: relevant_in(topic) for topic in others["content"]}
        pairs = [(relevant_in(topic), full.get(topic.name, 0)) for topic in others["abs"]]
        share = fit_data_share([(k, min(k, data)) for k, data in pairs], "other topics")
        by_rank = fit(others["abs"], kind="rank", scenario="inclusion", pseudo=1.0)
        at_home = [each for each in collections["abs"]["clef_dta"] if each.name != review]
        by_score = fit(at_home, kind="marginal", scenario="inclusion", pseudo=1.0)
        session, topic = read[review], abstracts[review]
        moving = rows_ahead(models[session.group].of(INCLUSION), session.relevant)
        for case in (each for each in cases if each.review == review):
            again = reordered(case, session)
            told = session.relevant | np.asarray(again.topic.labels)
            yield (
                RERANKED,
                again,
                width,
                included(moving, shares_with_data(share, told, np.asarray(again.topic.labels))),
            )
            labels = np.asarray(case.topic.labels)
            shares = shares_with_data(share, np.asarray(topic.labels) | labels, labels)
            for way, calibrator, prior in ((NOW, by_rank, width), (THEN, by_score, Prior())):
                p = calibrator.probabilities(case.topic.scores, len(case.topic))
                yield way, case, prior, included(np.broadcast_to(p, (len(p) + 1, len(p))), shares)


def measure(folder: Path, sessions: Sequence[Session], models: Mapping[str, RerankedChances]) -> pd.DataFrame:
    """What each rule came to on each outcome in each cell, a row each."""
    rows: list[tuple[object, ...]] = []
    for way, outcome, prior, expected in arms(folder, sessions, models):
        omega = is_plus(outcome.tables, THETA, "pooled", 0.5)
        n = np.arange(len(expected) - 1)
        p = np.clip(expected[n, n + 1] - expected[n, n], 0.0, 1.0)
        for q_star in Q_STARS:
            path = outcome_path(outcome, p, Payoffs.from_q_star(q_star), THETA, ENGINE, prior)
            moved = Foreseen(p, path.states, path.known, path.payoffs, path.labels, included=expected)
            for cost, rule, depth, action, _, utility in played(moved, omega, RULES, COSTS):
                right = (action == "a+") == omega
                rows.append((way, outcome.review, outcome.name, q_star, cost, rule, depth, right, utility))
    names = ["way", "review", "outcome", "q_star", "cost", "rule", "depth", "right", "net_utility"]
    return pd.DataFrame(rows, columns=names)


COMPARED = {
    "Greedy": (Greedy(), Greedy()),
    "the default rule: Greedy, in 2451d50 Open loop": (Greedy(), OpenLoop()),
    "Open loop": (OpenLoop(), OpenLoop()),
    "Look-ahead": (LookAhead(2000), LookAhead(2000)),
}
"""What is compared: the rule on the re-ranked list, and on the static one as it was."""


HEADER = ["rule", "against", "net utility", "difference", "documents read", "% right"]


def lines(rows: pd.DataFrame) -> list[list[str]]:
    """Re-ranked minus static, by rule; topics weigh equally."""
    found = []
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
    return here.groupby("review")[["net_utility", "depth", "right"]].mean()
