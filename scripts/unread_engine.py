"""Whether rules gain if their chances come from what is said to be still unread, on real rankings and tables.

A session's path is made of the calibrator's chances. Here it is made of what :mod:`tarstop_core.calibration.thinning` foresees
after every document instead, so that the chances of the documents left add up to the number on the page, and the
rules are played again.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import betainc, gammaln, logsumexp
from sklearn.model_selection import GroupKFold

from scripts.by_review import interval
from tarstop_core.belief.mixture import LEAST
from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.data_share import DataShare, fit_data_share
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.thinning import (
    TEMPER,
    TOTALS,
    Thinning,
    curves,
    fit_thinning,
    still_unread,
)
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.policies import Greedy, LookAhead, OpenLoop, Policy
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.outcomes import is_plus, outcome_path
from tarstop_core.value.payoffs import Depths, Flags, Floats, Payoffs

Collections = dict[str, list[Topic]]

COSTS = (0.00001, 0.0001, 0.0005, 0.001, 0.005)
Q_STARS = (0.2, 0.5, 0.8)
RULES: tuple[Policy, ...] = (Greedy(), LookAhead(2000), OpenLoop())
THETA, ENGINE, FOLDS = 0.75, "bivariate", 8
TESTED, WITH_TABLES = "clef_dta", ("greedy", "look-ahead:m=2000", "open-loop")
ELSEWHERE, HOME, STAGES = "other collections", "other reviews of `clef_dta`", "other collections, two stages"


@dataclass(frozen=True, eq=False)
class Foreseen(CumulativePath):
    """A path whose chances are other ones after every document."""

    included: Floats | None = None
    """Studies expected among the first k documents as foreseen after d of them, shape (N + 1, N + 1)."""

    def _best_rate(self, plans: Sequence[int]) -> Floats:
        assert self.included is not None
        n, known, best = len(self), self.known[:-1], self.evsi()
        depth = np.arange(n)
        for m in plans:
            end: Depths = np.minimum(depth + m, n)
            ahead = self.included[depth, end] - self.included[depth, depth]
            np.maximum(best, self._rates(ahead, end - depth, known), out=best)
        return best


def foreseen(thinning: Thinning, labels: Flags) -> Floats:
    """Relevant documents expected among the first k as foreseen after d, the labels of these known, shape (N + 1, N + 1).

    What is said to be still unread after d documents has the mean [d, N] − [d, d], but for its cap.
    """
    n, of = len(labels), curves(thinning, len(labels))
    share = betainc(of.alpha[:, None], of.beta[:, None], np.arange(n + 1) / n)
    read = of.total[:, None] * np.repeat(share, TOTALS, axis=0)
    at_hits = np.log(np.maximum(of.at(np.arange(n)), LEAST))
    # As `after_reading` has it, of all depths at once.
    a, hits = of.known.shape[:, None], np.append(0, np.cumsum(labels))
    points = np.cumsum(np.where(labels, at_hits, 0.0), axis=1)
    told = gammaln(a + hits) - (a + hits) * np.log(a + read) + np.pad(points, ((0, 0), (1, 0)))
    log = of.known.log_weight[:, None] + TEMPER * told
    weight = np.exp(log - logsumexp(log, axis=0))
    level = weight * (a + hits) / (a + read) * of.total[:, None]
    return np.asarray(level.reshape(-1, TOTALS, n + 1).sum(axis=1).T @ share)


def moving(path: CumulativePath, included: Floats) -> Foreseen:
    """The path with these instead of its chances."""
    n = np.arange(len(path))
    p = np.minimum(1.0, included[n, n + 1] - included[n, n])
    return Foreseen(p, path.states, path.known, path.payoffs, path.labels, included=included)


def learned_elsewhere(
    outcomes: Sequence[Outcome], included: Collections, taught: dict[str, list[Topic]]
) -> Iterator[tuple[str, Outcome, Calibrator, Flags, Floats]]:
    """Every outcome with a calibrator that did not see its review, what a session is told, and P(data | included) by depth."""
    away = fit(taught["content"], kind="marginal", scenario="review", pseudo=1.0)
    reviews = [each.review for each in outcomes]
    for train, test in GroupKFold(FOLDS).split(reviews, groups=reviews):
        home = fit([outcomes[i].topic for i in train], kind="marginal", scenario="review", pseudo=1.0)
        for i in test:
            labels = np.asarray(outcomes[i].topic.labels)
            always = np.ones(len(labels) + 1)
            yield ELSEWHERE, outcomes[i], away, labels, always
            yield HOME, outcomes[i], home, labels, always
    by_abstract = fit(taught["abs"], kind="marginal", scenario="inclusion", pseudo=1.0)
    full = {topic.name: relevant_in(topic) for topic in taught["content"]}
    pairs = [(relevant_in(topic), full.get(topic.name, 0)) for topic in taught["abs"]]
    prior = fit_data_share([(k, min(k, data)) for k, data in pairs], "other collections")
    judged = {topic.name: np.asarray(topic.labels) for topic in included[TESTED]}
    for outcome in outcomes:
        labels = np.asarray(outcome.topic.labels)
        chosen = judged[outcome.review] | labels
        yield STAGES, outcome, by_abstract, chosen, shares_with_data(prior, chosen, labels)


def relevant_in(topic: Topic) -> int:
    return int(np.asarray(topic.labels).sum())


def shares_with_data(prior: DataShare, included: Flags, data: Flags) -> Floats:
    """P(data | included) after 0 … N documents, every included report read at once."""
    reports, tables = (np.append(0, np.cumsum(each)) for each in (included, data))
    return np.asarray((prior.alpha + tables) / (prior.alpha + prior.beta + reports))


def measure(folder: Path, included: Collections, taught: dict[str, list[Topic]]) -> pd.DataFrame:
    """Net utility, share right and depth by review, way of learning and rule, with and without; a row each.

    Parameters
    ----------
    folder : Path
        With the outcomes and their rankings.
    included : mapping of str to list of Topic
        Collections as judged by title and abstract.
    taught : mapping of str to list of Topic
        What may be learned from, by judgments.
    """
    outcomes = read_outcomes(
        folder / "clef_dta/outcomes.csv", read_run(folder / "clef_dta/bm25.run")
    ).outcomes
    rows = []
    for learned, outcome, calibrator, told, share in learned_elsewhere(outcomes, included, taught):
        assert calibrator.thinning is not None
        p = calibrator.probabilities(outcome.topic.scores, len(outcome.topic))
        ways = {
            "as it is": share[:, None] * np.append(0.0, np.cumsum(p)),
            "foreseen": share[:, None] * foreseen(calibrator.thinning, told),
        }
        omega = is_plus(outcome.tables, THETA, "pooled", 0.5)
        for q_star in Q_STARS:
            payoffs = Payoffs.from_q_star(q_star)
            path = outcome_path(outcome, p, payoffs, THETA, ENGINE, Prior())
            for way, ahead in ways.items():
                moved = moving(path, ahead)
                for rule in RULES:
                    for cost, depth in zip(COSTS, rule.depths(moved, COSTS), strict=True):
                        plus = path.chooses_plus(int(depth))
                        utility = float(payoffs.outcome(plus, omega)) - cost * depth
                        rows.append((learned, outcome.review, rule.title, way, utility, plus == omega, depth))
    names = ["learned", "review", "rule", "way", "net_utility", "right", "depth"]
    keys = names[:4]
    return pd.DataFrame(rows, columns=names).groupby(keys, sort=False).mean().round(6).reset_index()


def lines(rows: pd.DataFrame) -> list[list[str]]:
    """Rows of the table: foreseen minus as it is, paired by review."""
    found = []
    for (learned, rule), cell in _cells(rows):
        one, other = (cell[cell["way"] == way].set_index("review") for way in ("foreseen", "as it is"))
        off = (one["net_utility"] - other["net_utility"]).to_numpy()
        low, high = interval(off)
        right, depth = (
            f"{times * other[name].mean():.{digits}f} → {times * one[name].mean():.{digits}f}"
            for name, times, digits in (("right", 100, 1), ("depth", 1, 0))
        )
        found.append([learned, rule, f"{off.mean():+.4f} [{low:+.4f}, {high:+.4f}]", right, depth])
    return found


def _cells(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    for learned in (ELSEWHERE, HOME, STAGES):
        here = rows[rows["learned"] == learned]
        every = here.groupby(["review", "way"])[["net_utility", "right", "depth"]].mean().reset_index()
        yield (learned, "all three"), every
        for rule in RULES:
            yield (learned, rule.title), here[here["rule"] == rule.title]


# --- a spread of their own for the reviews with tables ---------------------------------------------


def spread_of_their_own(
    rows: pd.DataFrame, data: Collections, taught: Callable[[str], list[Topic]]
) -> pd.DataFrame:
    """What would be said with the spread that reviews with tables alone have, each left out of what it is judged by.

    Parameters
    ----------
    rows : DataFrame
        What is said in full text, as ``docs/data/still_unread.csv`` has it.
    data : mapping of str to list of Topic
    taught : callable
        What may be learned from where a collection is judged.
    """
    tabled = set(rows.loc[rows["at"].isin(WITH_TABLES), "review"])
    topics = {(name, topic.name): topic for name, each in data.items() for topic in each}
    learned: dict[tuple[str, str], Thinning] = {}
    found = []
    for row in rows.itertuples():
        collection, topic = str(row.collection), topics[str(row.collection), str(row.review)]
        here = {each.name for each in data[collection]} if collection != TESTED else {topic.name}
        key = collection, topic.name if collection == TESTED else ""
        if key not in learned:
            own = [each for each in data[TESTED] if each.name in tabled - here]
            learned[key] = replace(_thinning(taught(collection)), spread=_thinning(own).spread)
        assert topic.labels is not None
        read, true = np.arange(len(topic)) < row.read, int(row.true)
        left = still_unread(learned[key], read, read & topic.labels, ~read)
        low, high = left.interval()
        chances = left.chance_of_at_most(true - 1), left.chance_of_at_most(true)
        found.append((collection, row.review, row.at, left.mean, low, high, true, *chances))
    names = ["collection", "review", "at", "mean", "low", "high", "true", "below", "upto"]
    return pd.DataFrame(found, columns=names)


def _thinning(topics: Sequence[Topic]) -> Thinning:
    return fit_thinning([(np.ones(len(each), dtype=bool), np.asarray(each.labels)) for each in topics])
