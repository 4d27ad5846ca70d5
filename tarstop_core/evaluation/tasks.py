"""The two decisions of the paper as an experiment plays them: paths, truth, and where a depth leads.

How a case is played in patents and in reviews is here: a task says what is learned from training cases, gives a
case's path for any payoffs, its truth, and what comes of stopping. Of the scenario the protocol itself knows only
which cases chances are judged on, and where in what was learned the calibrator and the prior lie.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tarstop_core.belief.bivariate import bivariate_path
from tarstop_core.belief.learned_prior import learn_prior
from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.calibrator import Calibrator, scaled
from tarstop_core.calibration.fitting import fit
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.subsets import subset_beliefs
from tarstop_core.policies import Policy
from tarstop_core.policies.base import Randomised
from tarstop_core.policies.grlstop.rule import GRLStop, depths_for_targets
from tarstop_core.policies.sampled import OrderStatistic, SampleGrid
from tarstop_core.value import outcomes as value_outcomes
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Payoffs

Floats = NDArray[np.float64]
Depths = NDArray[np.intp]
Flags = NDArray[np.bool_]

REPLICATIONS = 50
"""Random samples of QBCB and Target, as in the paper, wherever their expectation has no closed form."""


@dataclass(frozen=True, eq=False)
class PlayedGrid:
    """What settings came to on one case; arrays of shape (S, Q, C): settings, q* values, costs.

    Parameters
    ----------
    screened : ndarray
        Documents read (an expectation for rules that draw a sample).
    plus : ndarray
        Chance that the action is a⁺.
    recall : ndarray
        Down to the stopping depth; 0 where nothing is relevant.
    plus_exact : ndarray or None
        Reviews: the same chance had the belief at that depth come from the bivariate engine; None where it
        was not asked (of a rule that draws a sample, or that knows the truth).
    """

    screened: Floats
    plus: Floats
    recall: Floats
    plus_exact: Floats | None = None


class Task(Protocol):
    """What the protocol asks of a scenario."""

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that changes a number, to be recorded with every result."""

    def learn(self, benchmark: Benchmark, fold: Fold, variants: Sequence[str]) -> Mapping[str, Any]:
        """What is learned from a fold's training cases, for each variant."""

    def paths(self, case: Case, knowledge: Any, payoffs: Sequence[Payoffs]) -> Sequence[Path]:
        """The path of a case for each of the payoffs."""

    def truth(self, case: Case, payoffs: Sequence[Payoffs]) -> Flags:
        """Whether ω⁺ holds, for each of the payoffs, shape (Q,)."""

    def play(
        self,
        case: Case,
        knowledge: Any,
        paths: Sequence[Any],
        settings: Sequence[Policy],
        costs: Sequence[float],
        truth: Flags,
        exact: bool,
    ) -> PlayedGrid:
        """Stop on a case by every setting, q* and cost.

        `truth` is that of :meth:`truth`, for the rules that know it; `exact` asks for `plus_exact`.
        """


@dataclass(frozen=True)
class DecisiveTask:
    """Patents: one relevant document decides.

    Policies act on the belief where they stop; baselines choose a⁺ iff they have seen a relevant document.

    Parameters
    ----------
    b_0 : float
        Belief before any document.
    pseudo : float
        Imagined documents on every step of a calibrator; 0 is the paper's plain isotonic regression.
    replications : int or None
        Runs of rules that draw a sample (the paper: 50); None takes their exact expectation.
    seed : int
        Of those runs.
    scale : float
        Every chance times this, at most 1: for replays; experiments take calibrators at their word.
    """

    b_0: float = 0.5
    pseudo: float = 0.0
    replications: int | None = None
    seed: int = 1
    scale: float = 1.0

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that changes a number."""
        return {
            "scenario": "patent",
            "truth": "a relevant document exists",
            "engine": "decisive",
            "b_0": self.b_0,
            "pseudo": self.pseudo,
            "replications": self.replications or "expectation in closed form",
            "seed": self.seed,
        }

    def learn(self, benchmark: Benchmark, fold: Fold, variants: Sequence[str]) -> dict[str, Calibrator]:
        """A calibrator of each kind, fitted on ω⁺ topics."""
        topics = [case.topic for case in fold.learned_from]
        return {
            kind: fit(
                topics,
                kind=kind,
                scenario="patent",
                name=benchmark.title,
                source=benchmark.provenance,
                simulated=benchmark.simulated,
                pseudo=self.pseudo,
            )
            for kind in variants
        }

    def paths(self, case: Case, knowledge: Calibrator, payoffs: Sequence[Payoffs]) -> list[DecisivePath]:
        """The path of a case for each of the payoffs."""
        topic = case.topic
        p = scaled(knowledge.probabilities(topic.scores, len(topic)), self.scale)
        first = DecisivePath(
            knowledge.curve(p), self.b_0, payoffs[0], topic.first_hit, labels=case.labels, p=p
        )
        return [first, *(replace(first, payoffs=each) for each in payoffs[1:])]

    def truth(self, case: Case, payoffs: Sequence[Payoffs]) -> Flags:
        """Whether a relevant document exists, ranked or not; the same for all payoffs."""
        return np.full(len(payoffs), case.topic.omega)

    def play(
        self,
        case: Case,
        knowledge: Calibrator,
        paths: Sequence[DecisivePath],
        settings: Sequence[Policy],
        costs: Sequence[float],
        truth: Flags,
        exact: bool,
    ) -> PlayedGrid:
        """Stop on a case by every setting, q* and cost."""
        shape = (len(settings), len(paths), len(costs))
        if isinstance(settings[0], Randomised):
            screened, recall, found = sampled(case, settings, self.replications, self.seed)
            return PlayedGrid(
                *(np.broadcast_to(each[:, None, None], shape) for each in (screened, found, recall))
            )
        depths = _depths(paths, settings, costs)
        hits = _found(case)[depths]
        plus = hits > 0
        if settings[0].acts_on_belief:
            for q, path in enumerate(paths):
                plus[:, q] |= path.payoffs.chooses_plus(path.b[depths[:, q]])
        if settings[0].knows_truth:
            plus &= truth[:, None]
        return PlayedGrid(depths.astype(float), plus.astype(float), metrics.recall(hits, case.n_relevant))


@dataclass(frozen=True)
class ReviewTask:
    """Reviews: 2×2 tables accumulate. Every rule, baselines too, acts on the belief it has reached.

    Parameters
    ----------
    theta : float
        ω⁺ is a pooled sensitivity above it.
    truth_is : {"pooled", "full_evidence"}
        See :func:`~tarstop_core.value.outcomes.is_plus`.
    engine : str
        Of the belief that is acted on; the truth is always bivariate.
    b_0, pseudo, replications, seed, scale
        As in :class:`DecisiveTask`; b_0 replaces that of the default prior only.
    """

    theta: float = 0.75
    truth_is: str = "pooled"
    engine: str = "univariate"
    b_0: float = 0.5
    pseudo: float = 0.0
    replications: int = REPLICATIONS
    seed: int = 1
    scale: float = 1.0

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that changes a number."""
        return {
            "scenario": "review",
            "truth": self.truth_is,
            "engine": self.engine,
            "theta": self.theta,
            "b_0": self.b_0,
            "pseudo": self.pseudo,
            "replications": self.replications,
            "seed": self.seed,
        }

    def learn(
        self, benchmark: Benchmark, fold: Fold, variants: Sequence[str]
    ) -> dict[str, tuple[Calibrator, Prior]]:
        """A calibrator of "brings data", and the prior of each variant."""
        cases = fold.learned_from
        calibrator = fit(
            [case.topic for case in cases],
            scenario="review",
            name=benchmark.title,
            source=benchmark.provenance,
            simulated=benchmark.simulated,
            pseudo=self.pseudo,
        )
        outcomes = [case.outcome for case in cases if case.outcome is not None]
        return {
            variant: (
                calibrator,
                Prior(b_0=self.b_0)
                if variant == "default"
                else learn_prior(
                    [outcome.tables for outcome in outcomes],
                    [outcome.review for outcome in outcomes],
                    self.theta,
                    benchmark.title,
                ),
            )
            for variant in variants
        }

    def paths(
        self, case: Case, knowledge: tuple[Calibrator, Prior], payoffs: Sequence[Payoffs]
    ) -> list[CumulativePath]:
        """The path of a case for each of the payoffs."""
        calibrator, prior = knowledge
        assert case.outcome is not None
        p = scaled(calibrator.probabilities(case.topic.scores, len(case.topic)), self.scale)
        first = value_outcomes.outcome_path(case.outcome, p, payoffs[0], self.theta, self.engine, prior)
        return [first, *(replace(first, payoffs=each) for each in payoffs[1:])]

    def truth(self, case: Case, payoffs: Sequence[Payoffs]) -> Flags:
        """Whether ω⁺ holds, for each of the payoffs (under full evidence q* matters)."""
        assert case.outcome is not None
        tables = case.outcome.tables
        return np.array(
            [value_outcomes.is_plus(tables, self.theta, self.truth_is, each.q_star) for each in payoffs]
        )

    def play(
        self,
        case: Case,
        knowledge: tuple[Calibrator, Prior],
        paths: Sequence[CumulativePath],
        settings: Sequence[Policy],
        costs: Sequence[float],
        truth: Flags,
        exact: bool,
    ) -> PlayedGrid:
        """Stop on a case by every setting, q* and cost."""
        if isinstance(settings[0], Randomised):
            return self._sampled(case, knowledge[1], paths, settings, len(costs))
        depths = _depths(paths, settings, costs)
        other = None
        if exact and self.engine != "bivariate":
            assert case.outcome is not None
            other = bivariate_path(case.outcome.tables, self.theta, knowledge[1])[paths[0].known][depths]
        plus = np.empty(depths.shape)
        plus_exact = None if other is None else np.empty(depths.shape)
        for q, path in enumerate(paths):
            plus[:, q] = path.payoffs.chooses_plus(path.b[depths[:, q]])
            if plus_exact is not None and other is not None:
                plus_exact[:, q] = path.payoffs.chooses_plus(other[:, q])
        if settings[0].knows_truth:
            plus[:] = truth[:, None]
            plus_exact = None
        recall = metrics.recall(_found(case)[depths], case.n_relevant)
        return PlayedGrid(depths.astype(float), plus, recall, plus_exact)

    def _sampled(
        self,
        case: Case,
        prior: Prior,
        paths: Sequence[CumulativePath],
        settings: Sequence[Policy],
        costs: int,
    ) -> PlayedGrid:
        outcome = case.outcome
        assert outcome is not None
        grid = _sample_grid(settings)
        runs = grid.replicates(case.labels, self.replications, _rng(self.seed, case))
        documents = np.flatnonzero(case.labels)
        ranked = outcome.positions < len(case.labels)
        tables = outcome.tables
        seen = np.zeros((*runs.seen.shape[:2], len(tables)), dtype=bool)
        seen[..., ranked] = runs.seen[..., np.searchsorted(documents, outcome.positions[ranked])]
        masks, of = np.unique(seen.reshape(-1, len(tables)), axis=0, return_inverse=True)
        b = subset_beliefs(tables, masks, self.theta, self.engine, prior)[of].reshape(seen.shape[:2])
        shape = (len(settings), len(paths), costs)
        plus = np.stack([path.payoffs.chooses_plus(b).mean(axis=1) for path in paths], axis=1)[runs.pair]
        within = (documents < runs.depth[..., None]).sum(axis=2)
        recall = metrics.recall(within, case.n_relevant).mean(axis=1)[runs.pair]
        screened = runs.read.mean(axis=1)[runs.pair]
        return PlayedGrid(
            np.broadcast_to(screened[:, None, None], shape),
            np.broadcast_to(plus[:, :, None], shape),
            np.broadcast_to(recall[:, None, None], shape),
        )


def _depths(paths: Sequence[Path], settings: Sequence[Policy], costs: Sequence[float]) -> Depths:
    """Stopping depths, shape (S, Q, C)."""
    shape = (len(settings), len(paths), len(costs))
    if all(policy.ignores_stakes for policy in settings):
        if all(isinstance(policy, GRLStop) and policy.weights is None for policy in settings):
            targets = [policy.settings["target"] for policy in settings]
            depths = depths_for_targets(paths[0].labels, targets)
        else:
            depths = np.array([policy.depths(paths[0], [0.0])[0] for policy in settings])
        return np.broadcast_to(depths[:, None, None], shape)
    found = np.empty(shape, dtype=np.intp)
    for s, policy in enumerate(settings):
        for q, path in enumerate(paths):
            found[s, q] = policy.depths(path, costs)
    return found


def _found(case: Case) -> Depths:
    """Relevant documents among the first d, shape (N + 1,)."""
    found = np.zeros(len(case.topic) + 1, dtype=np.intp)
    np.cumsum(case.labels, out=found[1:])
    return found


def sampled(
    case: Case, settings: Sequence[Policy], replications: int | None, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Documents read, recall by depth, and chance of seeing a relevant document, shape (S,) each."""
    grid = _sample_grid(settings)
    if replications is None:
        exact = grid.expected(case.labels)
        # Recall divides by the qrels' R: relevant documents that are not ranked cannot be reached.
        ranked = case.labels.sum() / max(1, case.n_relevant)
        return exact.read, exact.recall * ranked, exact.found
    runs = grid.replicates(case.labels, replications, _rng(seed, case))
    within = (np.flatnonzero(case.labels) < runs.depth[..., None]).sum(axis=2)
    means = (runs.read, metrics.recall(within, case.n_relevant), runs.seen.any(axis=2))
    read, recall, found = (each.mean(axis=1)[runs.pair] for each in means)
    return read, recall, found


def _sample_grid(settings: Sequence[Policy]) -> SampleGrid:
    rules = [policy for policy in settings if isinstance(policy, OrderStatistic)]
    assert len(rules) == len(settings)
    return SampleGrid(rules)


def _rng(seed: int, case: Case) -> np.random.Generator:
    """Numbers that depend on the seed and the case alone, however cases are split over workers."""
    digest = hashlib.blake2b(case.name.encode(), digest_size=8).digest()
    return np.random.default_rng([seed, int.from_bytes(digest, "little")])
