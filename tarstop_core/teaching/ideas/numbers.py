"""The ideas of the Learn page in numbers: everything asks the engine, on samples and published tables.

Five questions: where certainty is worth most, why recall is not utility, what one document is worth, what moves a
belief about sensitivity, and what chances that are too high or too low do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.belief.bayes import posterior
from tarstop_core.belief.decisive import hit_curve
from tarstop_core.belief.of_tables import ENGINES, BeliefPath, belief_path
from tarstop_core.belief.prior import Prior
from tarstop_core.documents.outcome import Outcome
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.findings.aggregate import rows
from tarstop_core.evaluation.findings.shipped import load_small, shipped
from tarstop_core.evaluation.results import Results
from tarstop_core.explore.lists import Explored, sample, sample_search
from tarstop_core.explore.maps import warm
from tarstop_core.explore.plans import restaked
from tarstop_core.policies import Greedy, LookAhead, Optimal, Policy
from tarstop_core.samples.collections import published_sets, sample_full_texts, sample_reviews, sample_topics
from tarstop_core.screening.settings import Settings
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

BELIEFS: Floats = np.linspace(0.005, 0.995, 100)
AHEAD = 50
"""Documents that are as likely as the next one, where a single chance stands for a list."""
FACTORS: tuple[float, ...] = tuple(2 ** (step / 2) for step in range(-4, 5))
"""What all chances are multiplied by: a quarter to four times."""
MORE = (1, 2, 4)
"""Times as many patients in each study, or as many studies alike."""


def at_stake(explored: Explored, q_star: float, cost: float, theta: float = 0.75) -> Settings:
    """The settings of a sample with normalised payoffs of this threshold, and this cost."""
    return replace(explored.settings, payoffs=Payoffs.from_q_star(q_star), cost=cost, theta=theta)


# --- recall and utility ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A sample that shows something about recall.

    Parameters
    ----------
    title : str
        What it shows, in a few words.
    key : str
        Of the sample (:func:`~tarstop_core.explore.lists.samples`).
    q_star, cost, theta : float
        Where the case begins.
    """

    title: str
    key: str
    q_star: float = 0.5
    cost: float = 0.001
    theta: float = 0.75


CASES: dict[str, Case] = {
    "settled": Case("Settled long before", "search:stair-trolley"),
    "missed": Case("Short of what decides", "review:marl-lung", 0.82, 0.0002, 0.6),
    "nothing": Case("Nothing to find", "search:battery-pack"),
}


@dataclass(frozen=True, eq=False)
class Recalled:
    """A labelled list at every depth, and where two rules stop.

    Parameters
    ----------
    explored : Explored
    settings : Settings
    target : float
        Recall that the one rule waits for.
    relevant : int
        R; in a review the reports included by title and abstract.
    recall, b, net_utility : ndarray, shape (N + 1,)
        Of stopping at each depth: recall (0 where R = 0), belief, and what the action then chosen brings.
    plus : ndarray of bool, shape (N + 1,)
        The action at each depth.
    omega : bool
        Truth.
    at_target : int
        First depth with that recall, as somebody who knew R would stop; N where there is nothing to recall.
    at_optimal : int
    settled : int
        First depth from which the action never changes again.
    """

    explored: Explored
    settings: Settings
    target: float
    relevant: int
    recall: Floats
    b: Floats
    net_utility: Floats
    plus: Flags
    omega: bool
    at_target: int
    at_optimal: int
    settled: int


def recalled(explored: Explored, settings: Settings, target: float) -> Recalled:
    """What stopping at a recall brings, beside what stopping at any depth does.

    Parameters
    ----------
    explored : Explored
        With its truth.
    settings : Settings
    target : float
        In (0, 1].
    """
    path, omega = explored.played(settings), explored.omega(settings)
    N, depths = len(path), np.arange(len(path) + 1)
    labels = _relevant(explored)
    found = np.append(0, np.cumsum(labels))
    R = int(found[-1])
    hit = N + 1 if path.hit is None else path.hit
    b = np.where(depths >= hit, 1.0, path.b)
    plus = np.where(depths >= hit, True, path.payoffs.chooses_plus(path.b))
    changes = np.flatnonzero(plus[1:] != plus[:-1])
    return Recalled(
        explored,
        settings,
        target,
        R,
        metrics.recall(found, R),
        b,
        metrics.net_utility(path.payoffs, plus, omega, depths, settings.cost),
        plus,
        omega,
        int(np.argmax(found >= target * R - 1e-9)) if R else N,
        int(Optimal().depths(path, [settings.cost])[0]),
        int(changes[-1]) + 1 if len(changes) else 0,
    )


def _relevant(explored: Explored) -> Flags:
    """Documents that count for recall: relevant ones, in a review those included by title and abstract."""
    truth = explored.truth
    if isinstance(truth, Outcome):
        texts = sample_full_texts(truth.review)
        return np.array([str(each) in texts for each in truth.topic.ids])
    assert isinstance(truth, Topic) and truth.labels is not None  # samples are labelled throughout
    return truth.labels


@dataclass(frozen=True, eq=False)
class ByMethod:
    """Recall and net utility of every rule on a benchmark, tuned and tried as the paper does.

    Parameters
    ----------
    title : str
        Of the benchmark.
    cases, with_something : int
        Lists, and those of them on which something is relevant.
    q_star, cost : float
        Those of the experiment that lie nearest to what was asked.
    rows : DataFrame
        ``approach, policy, variant, family, recall, net_utility, screened`` of each rule but the Oracle.
    """

    title: str
    cases: int
    with_something: int
    q_star: float
    cost: float
    rows: pd.DataFrame

    @property
    def together(self) -> float:
        """Rank correlation of recall and net utility over the rules (Spearman)."""
        ranks = self.rows[["recall", "net_utility"]].rank()
        return float(np.corrcoef(ranks["recall"], ranks["net_utility"])[0, 1])


def by_method(q_star: float, cost: float) -> ByMethod:
    """Recall and net utility of every rule on real rankings, from the shipped results.

    Parameters
    ----------
    q_star : float
    cost : float
        Of a document, as a share of K.
    """
    results = _real()
    near_q = min(results.q_stars, key=lambda each: abs(each - q_star))
    near_c = min(results.costs, key=lambda each: abs(np.log(each / cost)))
    found = rows(results, q_stars=[near_q], costs=[near_c], draws=0)
    kept = found[found["policy"] != "oracle"]
    columns = ["approach", "policy", "variant", "family", "recall", "net_utility", "screened"]
    omega = results.omega[:, results.q(near_q)]
    return ByMethod(results.settings["title"], len(omega), int(omega.sum()), near_q, near_c, kept[columns])


@lru_cache(maxsize=1)
def _real() -> Results:
    (listed,) = [each for each in shipped() if each.settings["benchmark"] == "clef"]
    return load_small(listed.path)


# --- what one document is worth ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OneDocument:
    """What the next document is worth at every belief, each array of shape (100,).

    Parameters
    ----------
    payoffs : Payoffs
    p : float
        Chance that it is a hit, given ω⁺.
    score : ndarray
        The paper's ρ·EVPI(b).
    evsi : ndarray
        Exact worth of reading it and then acting.
    bound : ndarray
        p·EVPI(b), which the worth of one document never exceeds.
    worth : ndarray
        A document's worth in the best plan, where the next :data:`AHEAD` are as likely.
    """

    payoffs: Payoffs
    p: float
    score: Floats
    evsi: Floats
    bound: Floats
    worth: Floats


def one_document(payoffs: Payoffs, p: float) -> OneDocument:
    """What one document is worth at the beliefs :data:`BELIEFS`, four ways.

    Examples
    --------
    Up to q*, the exact worth is 1/b times the paper's score: at half belief, twice as much.

    >>> found = one_document(Payoffs.from_q_star(0.5), 0.1)
    >>> at = 25
    >>> bool(np.isclose(found.evsi[at], found.score[at] / BELIEFS[at]))
    True
    """
    curve = hit_curve(np.full(AHEAD, p))
    paths = [DecisivePath(curve, float(b), payoffs) for b in BELIEFS]
    score, evsi, worth = (
        np.array([float(ask(path)[0]) for path in paths])
        for ask in (DecisivePath.score, DecisivePath.evsi, DecisivePath.worth)
    )
    return OneDocument(payoffs, p, score, evsi, p * payoffs.evpi(BELIEFS), worth)


@dataclass(frozen=True, eq=False)
class Compared:
    """One list as three rules see it if nothing turns up.

    Parameters
    ----------
    explored : Explored
    settings : Settings
    path : DecisivePath
    rules : tuple of Policy
        :data:`COMPARED`.
    worth : tuple of ndarray, shape (N,) each
        What each rule compares with the cost.
    depth : tuple of int
    """

    explored: Explored
    settings: Settings
    path: DecisivePath
    rules: tuple[Policy, ...]
    worth: tuple[Floats, ...]
    depth: tuple[int, ...]


COMPARED: tuple[Policy, ...] = (Greedy(), LookAhead(1), Optimal())
"""The paper's score, the exact worth of one document, and of the best plan."""


def compared(explored: Explored, settings: Settings) -> Compared:
    """What each rule compares with the cost along a list of a search, and where it stops."""
    path = explored.planned(settings)
    assert isinstance(path, DecisivePath)  # searches only
    worth = [rule.worth(path) for rule in COMPARED]
    depth = tuple(int(rule.depths(path, [settings.cost])[0]) for rule in COMPARED)
    return Compared(
        explored, settings, path, COMPARED, tuple(each for each in worth if each is not None), depth
    )


# --- what moves a belief about sensitivity ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ShownTables:
    """2×2 tables to look at.

    Parameters
    ----------
    title : str
    tables : Tables
    simulated : bool
    """

    title: str
    tables: Tables
    simulated: bool


@lru_cache(maxsize=1)
def evidence() -> dict[str, ShownTables]:
    """The published sets, and the sample reviews' tables in the order in which screening meets them."""
    found = {each.name: ShownTables(each.title, each.tables, False) for each in published_sets()}
    for topic, title in sample_reviews()[["topic", "title"]].itertuples(index=False):
        truth = sample(f"review:{topic}").truth
        assert isinstance(truth, Outcome)
        found[str(topic)] = ShownTables(str(title), truth.tables, True)
    return found


@lru_cache(maxsize=64)
def belief_paths(name: str, theta: float, tau: float) -> dict[str, BeliefPath]:
    """Belief after each study by each engine, with a prior of this scale of heterogeneity."""
    tables = evidence()[name].tables
    return {engine: belief_path(tables, theta, engine, Prior(tau=tau)) for engine in ENGINES}


@dataclass(frozen=True)
class Widths:
    """How wide the 95 % interval of pooled sensitivity is, at each of :data:`MORE`.

    Parameters
    ----------
    patients : tuple of float
        With so many times as many patients in each study, at the same rates.
    studies : tuple of float
        With so many times as many studies alike.
    """

    patients: tuple[float, ...]
    studies: tuple[float, ...]


@lru_cache(maxsize=64)
def widths(name: str, theta: float, tau: float) -> Widths:
    """What more patients and what more studies would do, exactly (sensitivity alone)."""
    tables, prior = evidence()[name].tables, Prior(tau=tau)

    def width(changed: Tables) -> float:
        found = posterior(changed, theta, prior)
        return found.quantile(0.975) - found.quantile(0.025)

    def with_cells(times: int, studies: int) -> Tables:
        cells = (np.tile(getattr(tables, cell) * times, studies) for cell in CELLS)
        return Tables(tables.study * studies, *cells)

    return Widths(
        tuple(width(with_cells(times, 1)) for times in MORE),
        tuple(width(with_cells(1, times)) for times in MORE),
    )


# --- miscalibration -----------------------------------------------------------------------------------

MISTAKEN: tuple[Policy, ...] = (Optimal(), Greedy())
"""Rules that are asked with chances that are too high or too low."""


@dataclass(frozen=True, eq=False)
class Mistaken:
    """What a rule does with scaled chances, and what that costs, over the sample searches.

    Parameters
    ----------
    policy : Policy
    depth : ndarray, shape (F,)
        Mean stopping depth if nothing turns up, at each of :data:`FACTORS`.
    net_utility : ndarray, shape (F,)
        Mean net utility expected if the unscaled chances are the right ones.
    best : float
        The most that any plan is expected to bring: Optimal's with the right chances.
    """

    policy: Policy
    depth: Floats
    net_utility: Floats
    best: float

    @property
    def lost(self) -> Floats:
        """Net utility lost a search, shape (F,)."""
        return np.asarray(self.best - self.net_utility)


@lru_cache(maxsize=1)
def searches() -> tuple[Explored, ...]:
    """All sample searches."""
    return tuple(sample_search(str(topic)) for topic in sample_topics()["topic"])


def scaled(explored: Explored, settings: Settings, factor: float) -> DecisivePath:
    """The path of a search with every chance times a factor, at most 1."""
    path = restaked(_scaled(explored, settings.b_0, factor), settings.payoffs)
    assert isinstance(path, DecisivePath)
    return path


@lru_cache(maxsize=1024)
def _scaled(explored: Explored, b_0: float, factor: float) -> DecisivePath:
    """What does not depend on payoffs, computed once."""
    path = explored.planned(replace(explored.settings, b_0=b_0), factor)
    assert isinstance(path, DecisivePath)
    warm(path)
    return path


def mistaken(settings: Settings) -> tuple[Mistaken, ...]:
    """What each of :data:`MISTAKEN` comes to at each factor, on average over the sample searches.

    Parameters
    ----------
    settings : Settings
        Of a search: payoffs, cost and b_0.
    """
    lists = searches()
    shape = (len(MISTAKEN), len(FACTORS), len(lists))
    depth, net, best = np.zeros(shape), np.zeros(shape), np.zeros(len(lists))
    for at, explored in enumerate(lists):
        right = scaled(explored, settings, 1.0)
        best[at] = right.plan_value(settings.cost).max()
        for column, factor in enumerate(FACTORS):
            believed = right if factor == 1 else scaled(explored, settings, factor)
            for row, policy in enumerate(MISTAKEN):
                stop = int(policy.depths(believed, [settings.cost])[0])
                depth[row, column, at] = stop
                net[row, column, at] = expected(right, stop, believed.chooses_plus(stop), settings.cost)
    return tuple(
        Mistaken(policy, depth[row].mean(axis=1), net[row].mean(axis=1), float(best.mean()))
        for row, policy in enumerate(MISTAKEN)
    )


def expected(path: DecisivePath, depth: int, plus: bool, cost: float) -> float:
    """Expected net utility of "until a hit, at most `depth`, then this action", from the start.

    J(D) where the action is the better one; less where somebody who believes otherwise takes the other.

    Examples
    --------
    >>> path = DecisivePath(hit_curve([0.3, 0.2]), 0.5, Payoffs.from_q_star(0.5))
    >>> bool(np.isclose(expected(path, 2, False, 0.01), path.plan_value(0.01)[2]))
    True
    """
    M, payoffs = float(np.exp(path.curve.log_M[depth])), path.payoffs
    wrong = (1 - path.b_0) * payoffs.wrong_plus if plus else path.b_0 * M * payoffs.wrong_minus
    best = path.b_0 * payoffs.B + (1 - path.b_0) * payoffs.G
    return float(best - (wrong + cost * path.effort[depth]))


def search_names() -> Iterator[tuple[str, str]]:
    """Topics and titles of the sample searches."""
    yield from (
        (str(topic), title) for topic, title in sample_topics()[["topic", "title"]].itertuples(index=False)
    )


def search(topic: str) -> Explored:
    """One of :func:`searches`, by its topic."""
    return searches()[[name for name, _ in search_names()].index(topic)]


def is_review(explored: Explored) -> bool:
    """Whether studies accumulate there."""
    return isinstance(explored.truth, Outcome)
