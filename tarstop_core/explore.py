"""What follows from what is at stake: decisions, maps over q* and cost, sensitivity and break-even values.

Nothing is computed here that the engine does not compute: paths come from :func:`~tarstop_core.screening.paths.screening_path`
(what is planned, from where a person stands) or from the experiment (what came of it, where labels are known), depths
from the policies. Only the expected net utility of following a rule is put together here, from the same arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.calibration.calibrator import Calibrator, scaled
from tarstop_core.documents.outcome import Outcome
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.replay import Played, replay, replay_reviews
from tarstop_core.policies import (
    POLICIES,
    Batch,
    Budget,
    DecideNow,
    Greedy,
    LookAhead,
    Optimal,
    Policy,
    Randomised,
    ScreenEverything,
    Share,
    Smooth,
)
from tarstop_core.samples.collections import sample_reviews, sample_topics
from tarstop_core.samples.labelled import labelled_review, labelled_search
from tarstop_core.samples.shipped import calibrators, default_calibrator
from tarstop_core.screening.labels import UNSEEN
from tarstop_core.screening.paths import (
    CHANCE_FACTORS,
    PRIOR_EDGE,
    PRIOR_SHIFTS,
    ScreeningPath,
    screening_path,
)
from tarstop_core.screening.review import with_b_0
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.outcomes import is_plus, outcome_path
from tarstop_core.value.payoffs import Payoffs, exceeds
from tarstop_core.value.stakes import PAYOFF_NAMES, PayoffName, Stakes

Floats = NDArray[np.float64]
Depths = NDArray[np.intp]
Flags = NDArray[np.bool_]
World = Literal["planned", "played"]
Measure = Literal["depth", "net_utility", "decision", "regret", "agreement"]
FactorName = Literal["B", "L_r", "L_g", "G", "cost", "b_0"]

Q_STARS: tuple[float, ...] = tuple(round(0.05 * step, 2) for step in range(1, 20))
FRACTIONS: tuple[float, ...] = tuple(float(f"{10 ** (step / 4 - 5):.3g}") for step in range(17))
"""Costs of a map as shares of K: four a decade, so that a cell can be hit on a phone."""
COMPARED: tuple[Policy, ...] = (
    Optimal(),
    Greedy(),
    Smooth(10),
    Batch(10),
    Budget(100),
    DecideNow(),
    ScreenEverything(),
)
"""The rules that regret is measured against, beside the one looked at; never the Oracle."""
TO_THE_END = (Budget, Share, DecideNow, ScreenEverything)
"""Rules that go to their depth whatever they find."""
EXPECTABLE = (Optimal, LookAhead, Greedy, Smooth, Batch, *TO_THE_END)
"""Rules of which it is known beforehand how they take a hit, so that their outcome can be expected."""
FACTORS = (0.5, 2.0)
"""What one-way sensitivity multiplies payoffs and cost with."""
SHARED = (
    ("b", "rho", "passes", "effort", "effort_left", "hits_to"),
    ("_b", "_n_0", "b", "rho", "included_to"),
)
"""What paths (decisive, cumulative) keep that depends on no payoff."""
REACH = 1000.0
"""How many times larger or smaller a break-even value is looked for."""
SCAN, HALVINGS = 6, 16
LONG = 4000
"""Documents of a review from which a map has a third of the rows: each takes a search through all plans."""
LESS_ROWS = 0
"""The same for many reviews at once: always."""


# --- what is explored ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Explored:
    """A ranked list with what is known of it.

    Parameters
    ----------
    name : str
        As a person knows it.
    settings : Settings
        Where exploring begins; other payoffs, costs, b_0 and θ are put in their place.
    calibrator : Calibrator
    p : ndarray, shape (N,)
        Chance of each document, in screening order.
    state : State
        Labels so far; plans begin at its depth.
    truth : Topic or Outcome, optional
        All labels, where they are known: what would have come of a rule.
    simulated : bool
    """

    name: str
    settings: Settings
    calibrator: Calibrator
    p: Floats
    state: State
    truth: Topic | Outcome | None = None
    simulated: bool = False

    def __len__(self) -> int:
        return len(self.p)

    @property
    def start(self) -> int:
        """Documents read so far."""
        return self.state.depth

    def planned(self, settings: Settings, chance_factor: float = 1.0) -> ScreeningPath:
        """The path from here on, if nothing (more) turns up."""
        return _planned(self, settings, chance_factor)

    def played(self, settings: Settings) -> ScreeningPath:
        """The path with everything known, as an experiment has it (paper mode).

        Raises
        ------
        InputProblem
            When the labels are not known.
        """
        p = scaled(self.p, settings.scale)
        if isinstance(self.truth, Outcome):
            return outcome_path(
                self.truth,
                p,
                settings.payoffs,
                settings.theta,
                settings.engine,
                settings.belief_prior,
            )
        topic = self._labelled()
        curve = self.calibrator.curve(p)
        return DecisivePath(
            curve, settings.b_0, settings.payoffs, topic.first_hit, labels=_labels(topic), p=p
        )

    def omega(self, settings: Settings) -> bool:
        """Whether ω⁺ holds; asks for known labels."""
        if isinstance(self.truth, Outcome):
            return is_plus(self.truth.tables, settings.theta, settings.truth, settings.payoffs.q_star)
        return self._labelled().omega

    def replayed(self, policy: Policy, settings: Settings) -> Played:
        """What ``tarstop replay`` says of one rule at these settings."""
        stakes = (settings.payoffs, settings.cost)
        if isinstance(self.truth, Outcome):
            (found,) = replay_reviews(
                [self.truth],
                self.calibrator,
                policy,
                *stakes,
                settings.theta,
                settings.truth,
                settings.engine,
                settings.belief_prior,
                settings.scale,
            )
        else:
            (found,) = replay(
                [self._labelled()], self.calibrator, policy, *stakes, settings.b_0, settings.scale
            )
        return found

    def _labelled(self) -> Topic:
        if not isinstance(self.truth, Topic):
            raise InputProblem(
                f"Not every document of {self.name} is labelled, so what would have come of a rule is not known; "
                "look at what is planned."
            )
        return self.truth


# A page asks for the same few paths again and again; an `Explored` is its own identity.
@lru_cache(maxsize=16)
def _planned(explored: Explored, settings: Settings, chance_factor: float) -> ScreeningPath:
    return screening_path(settings, explored.calibrator, explored.p, explored.state, chance_factor)


def _labels(topic: Topic) -> Flags:
    assert topic.labels is not None  # a truth is labelled throughout
    return topic.labels


def unread(settings: Settings, documents: int) -> State:
    """A list of which nothing has been read."""
    none = np.full(documents, UNSEEN, dtype=np.int8)
    return State(settings=settings, labels=none, confirmed=np.zeros(documents, dtype=np.int8))


def sample_search(topic: str) -> Explored:
    """A simulated search with its truth, in paper mode.

    Examples
    --------
    >>> explored = sample_search("antenna-mount")
    >>> len(explored), explored.start, explored.simulated
    (312, 0, True)
    """
    found = labelled_search(topic)
    title = str(sample_topics().set_index("topic").at[topic, "title"])
    return _sample(title, found, found, _settings("patent"), "patent")


def sample_review(topic: str) -> Explored:
    """A simulated review with its truth, in paper mode: a document and its 2×2 table are read at once.

    Examples
    --------
    >>> explored = sample_review("brindle-fever")
    >>> len(explored), len(explored.truth.tables)
    (212, 11)
    """
    outcome = labelled_review(topic)
    title = str(sample_reviews().set_index("topic").at[topic, "title"])
    return _sample(title, outcome.topic, outcome, _settings("review"), "review")


def _settings(scenario: str) -> Settings:
    names = ("Reject", "Grant") if scenario == "patent" else ("Adopt", "Don’t adopt")
    begun = Settings(Payoffs.from_q_star(0.5), 0.001, plus=names[0], minus=names[1], scenario=scenario)
    return begun.paper_mode()


def _sample(name: str, topic: Topic, truth: Topic | Outcome, settings: Settings, scenario: str) -> Explored:
    calibrator = calibrators()[default_calibrator(topic.scores is not None, True, scenario)]
    p = calibrator.probabilities(topic.scores, len(topic))
    settings = replace(settings, calibrator=calibrator.digest)
    return Explored(name, settings, calibrator, p, unread(settings, len(p)), truth, simulated=True)


def in_own_order(name: str, documents: int, simulated: bool = False) -> Explored:
    """A collection of which only the order is known, nothing read, in paper mode.

    Parameters
    ----------
    name : str
    documents : int
        N; its own order is taken for a ranking.
    simulated : bool
    """
    calibrator = calibrators()[default_calibrator(False)]
    settings = replace(_settings("patent"), calibrator=calibrator.digest)
    p = calibrator.probabilities(None, documents)
    return Explored(name, settings, calibrator, p, unread(settings, documents), simulated=simulated)


# --- one decision, and what a rule comes to -------------------------------------------------------


@dataclass(frozen=True)
class Now:
    """One decision of the paper's rule, as ``tarstop decide`` says it.

    Parameters
    ----------
    b, rho : float
        Belief now, and the chance that the next document is a hit (brings data); 0 where none is left.
    q_star, evpi, value : float
        `value` is ρ·EVPI.
    plus, go_on : bool
    cost : float
        Of the next document, with what reading it in full is expected to cost.
    """

    b: float
    rho: float
    q_star: float
    evpi: float
    value: float
    plus: bool
    go_on: bool
    cost: float


def settled(path: ScreeningPath, start: int) -> bool:
    """Whether a hit has decided the question by the depth `start`."""
    return path.hit is not None and start >= path.hit


def decide(path: ScreeningPath, start: int, cost: float) -> Now:
    """The paper's decision at a depth before which nothing settled the question.

    EVPI is that of the payoffs; where a⁺ needs a document to cite, only the rules know of it. Where reading a
    report in full costs extra, what that is expected to cost is added to the document's own: Greedy's comparison.
    """
    if isinstance(path, CumulativePath) and start < len(path):
        cost += float(path.p[start]) * path.full_cost
    payoffs = path.payoffs
    b = path.belief_at(start)
    rho = 0.0 if settled(path, start) or start >= len(path) else float(path.rho[start])
    evpi = float(payoffs.evpi(b))
    value = rho * evpi
    return Now(
        b, rho, payoffs.q_star, evpi, value, bool(payoffs.chooses_plus(b)), bool(exceeds(value, cost)), cost
    )


@dataclass(frozen=True, eq=False)
class Plans:
    """What a rule comes to at each cost, all arrays of shape (C,).

    Parameters
    ----------
    depth : ndarray of int
    plus : ndarray of bool
        The action at that depth.
    net_utility : ndarray
        In the payoffs' unit.
    """

    depth: Depths
    plus: Flags
    net_utility: Floats


def plans(path: ScreeningPath, policy: Policy, costs: ArrayLike, start: int = 0) -> Plans:
    """Where a rule stops if nothing turns up, and the net utility expected of following it from `start`.

    What has been spent by then is not counted.

    Parameters
    ----------
    path : DecisivePath or CumulativePath
    policy : Policy
        One of :data:`EXPECTABLE`.
    costs : array_like, shape (C,)
        In the payoffs' unit.
    start : int

    Raises
    ------
    InputProblem
        When the outcome of the rule cannot be expected.

    Notes
    -----
    Decisive: best − (V_D + c·E_D)/S_d, with E_D = Σ S_k for rules that stop at a hit (then this is J(D)), D − d for
    those that go to their depth whatever they find, and whole batches for Batch. A baseline that has found nothing
    takes a⁻. Cumulative: what reading to that depth and then deciding is expected to bring, whatever turns up on the
    way: EU*(b) + V(w + πH) − c_full·H − c·m, the value of a plan in
    :meth:`~tarstop_core.value.cumulative.CumulativePath.best_plan`. A rule that looks again after each study does no
    worse.

    Examples
    --------
    >>> from tarstop_core.belief.decisive import hit_curve
    >>> path = DecisivePath(hit_curve([0.3, 0.2, 0.1]), 0.5, Payoffs.from_q_star(0.5))
    >>> found = plans(path, Optimal(), [0.001])
    >>> bool(found.net_utility[0] == path.plan_value(0.001)[found.depth[0]])
    True
    """
    if not isinstance(policy, EXPECTABLE):
        raise InputProblem(
            f"What {policy.title} comes to depends on labels that nobody has beforehand; choose another rule, or look "
            "at what came of it where labels are known."
        )
    costs = np.atleast_1d(np.asarray(costs, dtype=float))
    return _plans_to(policy.depths(path, costs, start), path, policy, costs, start)


def _plans_to(depth: Depths, path: ScreeningPath, policy: Policy, costs: Floats, start: int) -> Plans:
    """The plans of a rule whose depths are known already."""
    payoffs = path.payoffs
    plus = _actions(path, policy, depth)
    if isinstance(path, CumulativePath):
        utility = (
            payoffs.utility(path.b[start]) + path.worth_of_reading(depth, start) - costs * (depth - start)
        )
        return Plans(depth, plus, np.asarray(utility))
    if settled(path, start):
        return Plans(depth, plus, np.asarray(payoffs.B - costs * (depth - start)))
    b = float(path.b[start])
    loss = path.loss if policy.acts_on_belief else replace(path, needs_citation=True).loss
    lost = (loss[depth] + costs * _effort(path, policy, depth, start)) / path.passes[start]
    return Plans(depth, plus, np.asarray(b * payoffs.B + (1 - b) * payoffs.G - lost))


def _effort(path: DecisivePath, policy: Policy, depth: Depths, start: int) -> Floats:
    """Expected documents from `start` to `depth`, times S_start."""
    if isinstance(policy, TO_THE_END):
        return np.asarray((depth - start) * path.passes[start])
    if isinstance(policy, Batch):
        at = np.arange(len(path))
        begun = np.maximum(start, at // policy.K * policy.K)
        read = np.append(0.0, np.cumsum(np.where(at >= start, path.passes[begun], 0.0)))
        return np.asarray(read[depth])
    return np.asarray(path.effort[depth] - path.effort[start])


def _actions(path: ScreeningPath, policy: Policy, depth: Depths) -> Flags:
    """The action on stopping at each depth; a baseline of patents needs a relevant document."""
    stops, where = np.unique(depth, return_inverse=True)
    if policy.acts_on_belief or isinstance(path, CumulativePath):
        plus = [path.chooses_plus(int(each)) for each in stops]
    else:
        plus = [bool(path.labels[:each].any()) for each in stops]
    return np.array(plus, dtype=bool)[where]


def outcomes(path: ScreeningPath, policy: Policy, costs: ArrayLike, omega: bool) -> Plans:
    """What came of a rule where everything is known, as a replay has it, for all costs at once.

    Raises
    ------
    InputProblem
        When the rule draws a random sample, which has no depth on one path.
    """
    costs = np.atleast_1d(np.asarray(costs, dtype=float))
    depth = policy.depths(path, costs)
    plus = _actions(path, policy, depth)
    if policy.knows_truth:
        plus = np.full_like(plus, omega) if isinstance(path, CumulativePath) else plus & omega
    if_plus, if_minus = (path.payoffs.outcome(action, omega) for action in (True, False))
    return Plans(depth, plus, np.asarray(np.where(plus, if_plus, if_minus) - costs * depth, dtype=float))


def restaked(path: ScreeningPath, payoffs: Payoffs) -> ScreeningPath:
    """The same path with other payoffs: what does not depend on them is kept, not computed anew."""
    other = replace(path, payoffs=payoffs)
    for name in SHARED[isinstance(path, CumulativePath)]:
        if name in vars(path):
            vars(other)[name] = vars(path)[name]
    return other


# --- the map of q* × c ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Map:
    """What one rule comes to at every q* and cost; K, unit and proportions stay.

    Parameters
    ----------
    policy : Policy
    world : {"planned", "played"}
        What is expected if nothing is known beyond the labels so far, or what came of it.
    stakes : Stakes
        K and the unit.
    q_stars : tuple of float, length Q
    depth, plus, net_utility : ndarray, shape (Q, C)
        The columns are :data:`FRACTIONS`.
    regret : ndarray, shape (Q, C), or None
        Against the best of the rules compared; None where it was not asked for.
    omega : ndarray of bool, shape (Q,), or None
        Truth, where it is known.
    start : int
        Documents read.
    settled : bool
        Whether a hit among them has decided the question.
    """

    policy: Policy
    world: World
    stakes: Stakes
    q_stars: tuple[float, ...]
    depth: Depths
    plus: Flags
    net_utility: Floats
    regret: Floats | None
    omega: Flags | None
    start: int
    settled: bool = False

    @property
    def costs(self) -> Floats:
        """Cost of a document in each column, in the unit."""
        return np.array(FRACTIONS) * self.stakes.payoffs.K

    def values(self, measure: Measure) -> Floats:
        """One measure as floats, shape (Q, C); a⁺ is 1, and so is the action that the truth asks for."""
        if measure == "agreement":
            assert self.omega is not None  # asked for only where the truth is known
            return np.asarray(self.plus == self.omega[:, None], dtype=float)
        name = "plus" if measure == "decision" else measure
        return np.asarray(getattr(self, name), dtype=float)

    def columns(self) -> dict[str, Any]:
        """The cells as columns, one entry a cell, row by row."""
        shape = self.depth.shape

        def each(values: ArrayLike) -> NDArray[Any]:
            return np.broadcast_to(np.asarray(values), shape).ravel()

        columns = {
            "policy": each(self.policy.spec),
            "world": each(self.world),
            "q_star": each(np.array(self.q_stars)[:, None]),
            "cost": each(self.costs),
            "cost_over_K": each(FRACTIONS),
            "unit": each(self.stakes.payoffs.unit),
            "depth": each(self.depth),
            "action": each(np.where(self.plus, "a+", "a-")),
            "net_utility": each(self.net_utility),
        }
        if self.regret is not None:
            columns["regret"] = each(self.regret)
        if self.omega is not None:
            columns["omega"] = each(self.omega[:, None])
        return columns


def maps(
    explored: Explored,
    settings: Settings,
    policies: Sequence[Policy],
    world: World,
    compared: Sequence[Policy] = (),
    long: int = LONG,
) -> list[Map]:
    """The map of each rule.

    Parameters
    ----------
    explored : Explored
    settings : Settings
        Gives K, the unit, b_0 and θ.
    policies : sequence of Policy
    world : {"planned", "played"}
    compared : sequence of Policy
        With any (:data:`COMPARED`), regret is against the best of these and `policies`; an Oracle does not count.
    long : int
        Documents of a review beyond which there are fewer rows.
    """
    stakes = Stakes(settings.payoffs, settings.cost)
    every = list(dict.fromkeys((*policies, *compared)))
    costs = np.array(FRACTIONS) * stakes.payoffs.K
    base = explored.planned(settings) if world == "planned" else explored.played(settings)
    warm(base)
    q_stars = Q_STARS[1::3] if isinstance(base, CumulativePath) and len(base) > long else Q_STARS
    found: dict[Policy, list[Plans]] = {policy: [] for policy in every}
    omegas = []
    for q_star in q_stars:
        payoffs = stakes.with_q_star(q_star).payoffs
        path = restaked(base, payoffs)
        if world == "played":
            omegas.append(explored.omega(replace(settings, payoffs=payoffs)))
        for policy in every:
            found[policy].append(
                plans(path, policy, costs, explored.start)
                if world == "planned"
                else outcomes(path, policy, costs, omegas[-1])
            )
    net = {policy: np.stack([each.net_utility for each in own]) for policy, own in found.items()}
    fair = [utility for policy, utility in net.items() if not policy.knows_truth]
    best = np.max(fair, axis=0) if compared else None
    return [
        Map(
            policy,
            world,
            stakes,
            q_stars,
            np.stack([each.depth for each in found[policy]]),
            np.stack([each.plus for each in found[policy]]),
            net[policy],
            None if best is None else np.asarray(best - net[policy]),
            np.array(omegas) if omegas else None,
            0 if world == "played" else explored.start,
            world == "planned" and settled(base, explored.start),
        )
        for policy in policies
    ]


@dataclass(frozen=True, eq=False)
class MeanMap:
    """The maps of one rule on many lists, averaged cell by cell.

    Parameters
    ----------
    maps : sequence of Map
        One a list, with the same rule, world, stakes and q*'s.
    """

    maps: Sequence[Map]

    @property
    def policy(self) -> Policy:
        """The rule."""
        return self.maps[0].policy

    @property
    def world(self) -> World:
        """As planned or as it turned out."""
        return self.maps[0].world

    @property
    def stakes(self) -> Stakes:
        """K and the unit."""
        return self.maps[0].stakes

    @property
    def q_stars(self) -> tuple[float, ...]:
        """q* of each row."""
        return self.maps[0].q_stars

    @property
    def costs(self) -> Floats:
        """Cost of a document in each column, in the unit."""
        return self.maps[0].costs

    def values(self, measure: Measure) -> Floats:
        """Mean of one measure over the lists, shape (Q, C)."""
        return np.asarray(np.mean([each.values(measure) for each in self.maps], axis=0))

    def columns(self) -> dict[str, Any]:
        """The cells as columns, row by row: means, and the number of lists."""
        shape = self.values("depth").shape

        def each(values: ArrayLike) -> NDArray[Any]:
            return np.broadcast_to(np.asarray(values), shape).ravel()

        first = self.maps[0]
        measures: list[Measure] = ["depth", "net_utility"]
        measures += ["regret"] if first.regret is not None else []
        measures += ["agreement"] if first.omega is not None else []
        return {
            "policy": each(self.policy.spec),
            "world": each(self.world),
            "lists": each(len(self.maps)),
            "q_star": each(np.array(self.q_stars)[:, None]),
            "cost": each(self.costs),
            "unit": each(self.stakes.payoffs.unit),
            **{f"mean_{name}": each(self.values(name)) for name in measures},
        }


def mean_maps(
    lists: Sequence[Explored],
    settings: Settings,
    policies: Sequence[Policy],
    world: World,
    compared: Sequence[Policy] = (),
) -> list[MeanMap]:
    """What each rule comes to on average over a collection of lists; as :func:`maps`.

    Parameters
    ----------
    lists : sequence of Explored
        One or more, of one scenario.
    settings : Settings
        Payoffs, cost, b_0 and θ for all of them; the calibrator of each list stays its own.
    policies, world, compared
        As for :func:`maps`.
    """
    found = [maps(each, _for(each, settings), policies, world, compared, LESS_ROWS) for each in lists]
    return [MeanMap([own[at] for own in found]) for at in range(len(policies))]


def _for(explored: Explored, settings: Settings) -> Settings:
    return replace(settings, calibrator=explored.settings.calibrator)


def warm(path: ScreeningPath) -> None:
    """Compute what all payoffs share, so that :func:`restaked` has it to keep."""
    names = ("b", "rho", "included_to") if isinstance(path, CumulativePath) else ("b", "passes", "effort")
    for name in names:
        getattr(path, name)


# --- sensitivity and break-even ---------------------------------------------------------------------


@dataclass(frozen=True)
class Swing:
    """What one assumption does to the plan.

    Parameters
    ----------
    name : str
        "B", "L_r", "L_g", "G", "cost", "b_0" or "p".
    values : tuple of float
        The assumption, low and high; for "p" the factors.
    depth : tuple of int
        Where the rule then stops if nothing turns up.
    net_utility : tuple of float
    """

    name: str
    values: tuple[float, float]
    depth: tuple[int, int]
    net_utility: tuple[float, float]


@dataclass(frozen=True)
class Tornado:
    """The plan as it is, and each assumption changed alone.

    Parameters
    ----------
    depth : int
    net_utility : float
    swings : tuple of Swing
    settled : bool
        Whether a hit has decided the question.
    """

    depth: int
    net_utility: float
    swings: tuple[Swing, ...]
    settled: bool = False


def tornado(explored: Explored, settings: Settings, policy: Policy) -> Tornado:
    """One-way sensitivity of a rule's stopping depth and expected net utility.

    Payoffs and cost are halved and doubled, all chances of documents too; b_0 moves by 0.2, not beyond 0.01 and 0.99.
    """
    start, cost = explored.start, np.array([settings.cost])
    base = explored.planned(settings)
    warm(base)
    stakes = Stakes(settings.payoffs, settings.cost)
    # Only two sums of payoffs move a depth: where two changes come to the same sums, one search serves both.
    searched: dict[tuple[float, float], Depths] = {}

    def with_payoff(name: PayoffName, value: float) -> tuple[int, float]:
        payoffs = stakes.with_payoff(name, value).payoffs
        path, sums = restaked(base, payoffs), (payoffs.wrong_plus, payoffs.wrong_minus)
        if sums not in searched:
            searched[sums] = policy.depths(path, cost, start)
        return _one(_plans_to(searched[sums], path, policy, cost, start))

    swings = []
    for name in PAYOFF_NAMES:
        low, high = (factor * getattr(settings.payoffs, name) for factor in FACTORS)
        swings.append(_swing(name, (low, high), [with_payoff(name, low), with_payoff(name, high)]))
    costs = np.array([*FACTORS, 1.0]) * settings.cost
    each = plans(base, policy, costs, start)
    ends = [(int(each.depth[at]), float(each.net_utility[at])) for at in range(3)]
    depth, net_utility = ends.pop()
    swings.append(_swing("cost", (float(costs[0]), float(costs[1])), ends))
    shifted = [_clipped(settings.b_0 + shift, settings.b_0) for shift in PRIOR_SHIFTS]
    if settings.engine != "reml" or not settings.review:
        ends = [
            _one(plans(_with_b_0(explored, settings, base, b_0), policy, settings.cost, start))
            for b_0 in shifted
        ]
        swings.append(_swing("b_0", (shifted[0], shifted[1]), ends))
    ends = [
        _one(plans(explored.planned(settings, factor), policy, settings.cost, start))
        for factor in CHANCE_FACTORS
    ]
    swings.append(_swing("p", CHANCE_FACTORS, ends))
    return Tornado(depth, net_utility, tuple(swings), settled(base, start))


def _clipped(b_0: float, now: float) -> float:
    edge = min(PRIOR_EDGE, now / 2, (1 - now) / 2)
    return float(np.clip(b_0, edge, 1 - edge))


def _one(found: Plans) -> tuple[int, float]:
    return int(found.depth[0]), float(found.net_utility[0])


def _swing(name: str, values: tuple[float, float], ends: Sequence[tuple[int, float]]) -> Swing:
    (low, high), (poor, rich) = zip(*ends, strict=True)
    return Swing(name, values, (low, high), (poor, rich))


def _with_b_0(explored: Explored, settings: Settings, base: ScreeningPath, b_0: float) -> ScreeningPath:
    changed = replace(settings, b_0=b_0)
    if isinstance(base, CumulativePath):
        return with_b_0(base, changed, explored.state)
    return replace(base, b_0=b_0)


@dataclass(frozen=True)
class Turn:
    """A value at which the advice is another one.

    Parameters
    ----------
    at : float
    plus : bool
        The action, were one to stop there.
    """

    at: float
    plus: bool


@dataclass(frozen=True)
class BreakEven:
    """Where one assumption would turn the advice.

    Parameters
    ----------
    name : str
        "B", "L_r", "L_g", "G", "cost" or "b_0".
    value : float
        As it is.
    turns : tuple of Turn
        The nearest value below and above at which the advice turns, where there are such within reach.
    """

    name: FactorName
    value: float
    turns: tuple[Turn, ...]


def goes_on(path: ScreeningPath, policy: Policy, cost: float, start: int) -> bool:
    """Whether the rule reads another document.

    In reviews the optimal rule is asked for its best plan at this depth alone, which is the same answer at a
    hundredth of the price.
    """
    if start >= len(path):
        return False
    if isinstance(path, CumulativePath) and isinstance(policy, Optimal):
        return path.best_plan(start, cost)[0] > 0
    return int(policy.depths(path, [cost], start)[0]) > start


def break_evens(explored: Explored, settings: Settings, policy: Policy) -> tuple[bool, list[BreakEven]]:
    """Whether the rule goes on now, and at which value of each payoff, the cost and b_0 it would not (or would).

    Found by bisection on the rule itself, to four digits: the nearest value on either side, up to a thousandth or a
    thousandfold (of b_0, its odds).
    """
    start, cost = explored.start, settings.cost
    base = explored.planned(settings)
    warm(base)

    def with_odds(odds: float) -> ScreeningPath:
        return _with_b_0(explored, settings, base, odds / (1 + odds))

    now = goes_on(base, policy, cost, start)
    # Certainty is worth most where belief is at q*: if reading pays anywhere, then there.
    b = min(1 - 1e-9, max(1e-9, base.belief_at(start)))
    odds_now, odds_wanted = b / (1 - b), settings.payoffs.wrong_plus / settings.payoffs.wrong_minus

    def turns(
        path: Callable[[float], ScreeningPath], value: float, peak: float, halvings: int = HALVINGS
    ) -> tuple[Turn, ...]:
        ends = _turns(lambda each: goes_on(path(each), policy, cost, start), value, now, peak, halvings)
        return tuple(Turn(each, _acts(path(each), policy, start)) for each in ends)

    # Advice depends on B + L_g and on G + L_r alone: what turns it is sought once a sum.
    found = []
    for pair in (("B", "L_g"), ("G", "L_r")):
        first, second = (cast(float, getattr(settings.payoffs, name)) for name in pair)

        def of_sum(
            total: float, pair: tuple[str, str] = pair, share: float = first / (first + second)
        ) -> ScreeningPath:
            parts: dict[str, Any] = {pair[0]: total * share, pair[1]: total * (1 - share)}
            return restaked(base, replace(settings.payoffs, **parts))

        peak = (
            settings.payoffs.wrong_plus / odds_now
            if pair[0] == "B"
            else settings.payoffs.wrong_minus * odds_now
        )
        at = turns(of_sum, first + second, peak)
        for name, value, other in ((pair[0], first, second), (pair[1], second, first)):
            own = [Turn(each.at - other, each.plus) for each in at]
            within = tuple(each for each in own if value / REACH <= each.at <= value * REACH)
            found.append(BreakEven(cast(FactorName, name), value, within))
    found.sort(key=lambda each: PAYOFF_NAMES.index(cast(PayoffName, each.name)))
    if cost > 0:
        ends = _turns(lambda each: goes_on(base, policy, each, start), cost, now)
        found.append(BreakEven("cost", cost, tuple(Turn(each, _acts(base, policy, start)) for each in ends)))
    if settings.engine != "reml" or not settings.review:
        odds = settings.b_0 / (1 - settings.b_0)
        moved = tuple(
            Turn(each.at / (1 + each.at), each.plus)
            for each in turns(with_odds, odds, odds * odds_wanted / odds_now)
        )
        found.append(BreakEven("b_0", settings.b_0, moved))
    return now, found


def _acts(path: ScreeningPath, policy: Policy, depth: int) -> bool:
    return bool(_actions(path, policy, np.array([depth]))[0])


def _turns(
    holds: Callable[[float], bool], value: float, now: bool, peak: float = 0.0, halvings: int = HALVINGS
) -> list[float]:
    """The nearest values below and above at which the answer is another one than `now`.

    Looked for at steps of a log scale and at `peak`, then bisected.
    """
    found = []
    for reach in (1 / REACH, REACH):
        steps = [value * math.pow(reach, step / SCAN) for step in range(1, SCAN + 1)]
        low, high = sorted((value, steps[-1]))
        inside = [peak] if low < peak < high else []
        near = value
        for far in sorted((*steps, *inside), reverse=reach < 1):
            if holds(far) != now:
                found.append(_bisected(holds, near, far, now, halvings))
                break
            near = far
    return found


def _bisected(holds: Callable[[float], bool], near: float, far: float, now: bool, halvings: int) -> float:
    for _ in range(halvings):
        middle = math.sqrt(near * far)
        if holds(middle) == now:
            near = middle
        else:
            far = middle
    return far


# --- for somebody who does not know q* ---------------------------------------------------------------


def elicited(worse_plus: bool, times: float, loss: float, hour: float, per_hour: float, unit: str) -> Stakes:
    """What is at stake, from plain answers.

    Parameters
    ----------
    worse_plus : bool
        Whether a wrong a⁺ is the worse mistake.
    times : float
        How many of the lesser mistakes are as bad as one of the worse, ≥ 1.
    loss : float
        What the worse mistake costs compared with acting rightly, in the unit.
    hour : float
        What an hour of screening costs, in the unit; 0 is legal.
    per_hour : float
        Documents read in an hour.
    unit : str

    Raises
    ------
    InputProblem
        When an answer is not a usable number.

    Notes
    -----
    Half of each mistake's cost stands as a loss and half as a gain forgone: only the sums decide.

    Examples
    --------
    >>> stakes = elicited(True, 4, 20_000, 60, 30, "£")
    >>> stakes.payoffs.q_star, stakes.cost, stakes.documents
    (0.8, 2.0, 10000.0)
    """
    for what, value, least in (
        ("number of mistakes", times, 1.0),
        ("cost of the worse mistake", loss, 0.0),
        ("number of documents an hour", per_hour, 0.0),
    ):
        if not (math.isfinite(value) and (value >= 1 if least else value > 0)):
            wanted = "at least 1" if least else "above 0"
            raise InputProblem(f"The {what} is {value:g}; give a number {wanted}.")
    if not (math.isfinite(hour) and hour >= 0):
        raise InputProblem(f"The cost of an hour is {hour:g}; give 0 or a number above 0.")
    lesser = loss / times
    plus, minus = (loss, lesser) if worse_plus else (lesser, loss)
    return Stakes(Payoffs(minus / 2, plus / 2, minus / 2, plus / 2, unit), hour / per_hour)


# --- the lists there are ------------------------------------------------------------------------------


def samples() -> Iterator[tuple[str, str]]:
    """Keys and titles of the samples: ("search:antenna-mount", "Foldable antenna mount")."""
    for kind, frame in (("search", sample_topics()), ("review", sample_reviews())):
        for topic, title in zip(frame["topic"], frame["title"], strict=True):
            yield f"{kind}:{topic}", str(title)


@lru_cache(maxsize=32)
def sample(key: str) -> Explored:
    """The sample that a key of :func:`samples` names."""
    kind, _, topic = key.partition(":")
    return sample_search(topic) if kind == "search" else sample_review(topic)


COLLECTIONS: dict[str, str] = {"searches": "search", "reviews": "review"}
"""Whole sample collections, and the kind of their lists in :func:`samples`."""


def collection(name: str) -> list[tuple[str, Explored]]:
    """Every list of a sample collection, with its key.

    Examples
    --------
    >>> len(collection("searches")), len(collection("reviews"))
    (16, 10)
    """
    return [(key, sample(key)) for key, _ in samples() if key.startswith(f"{COLLECTIONS[name]}:")]


def rules(world: World) -> dict[str, type[Policy]]:
    """The rules a map can show, by name."""
    return {
        name: rule
        for name, rule in POLICIES.items()
        if (issubclass(rule, EXPECTABLE) if world == "planned" else not issubclass(rule, Randomised))
    }
