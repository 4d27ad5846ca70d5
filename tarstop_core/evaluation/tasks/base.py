"""Base class of tasks: how an experiment learns from cases of a scenario and plays rules on them."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.scores import scaled
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.policies import Policy
from tarstop_core.policies.grlstop import GRLStop, depths_for_targets
from tarstop_core.policies.runs import ByRuns, RunGrid
from tarstop_core.policies.sampled import OrderStatistic, SampleGrid
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Depths, Flags, Floats, Payoffs

REPLICATIONS = 50
"""Runs of QBCB and Target that are averaged, as in the paper, where their expectation has no closed form."""


@dataclass(frozen=True, eq=False)
class PlayedGrid:
    """Results of settings on one case, in arrays of shape (S, Q, C): settings, q* values, costs."""

    screened: Floats  # Documents read; expected number if the rule draws a sample
    plus: Floats  # Chance that the action is a⁺
    recall: Floats  # Recall at the stopping depth; 0 if nothing is relevant
    plus_exact: Floats | None = None
    """Reviews: `plus` by the belief of the bivariate engine; None if it was not used, as for rules that draw."""


@dataclass(frozen=True)
class LearnedFromFold:
    """The calibrator and prior that are learned from a fold's training cases."""

    calibrator: Calibrator | None  # None if cases have their own chances
    prior: Prior | None = None  # Reviews: the prior of the belief

    @property
    def digest(self) -> str:
        """Digests of calibrator and prior, as results record them."""
        return ":".join(part.digest for part in (self.calibrator, self.prior) if part is not None)


@dataclass(frozen=True, eq=False)
class Trial:
    """One case at several payoffs and costs, ready for rules to be played on it."""

    case: Case
    learned: LearnedFromFold  # Calibrator and prior from the training cases
    paths: Sequence[Any]  # Path for each of the payoffs
    costs: Sequence[float]  # Costs of a document
    truth: Flags  # Whether ω⁺ holds at each of the payoffs, which only Oracles see; shape (Q,)

    def shape(self, settings: Sequence[Policy]) -> tuple[int, int, int]:
        """Shape (S, Q, C) of the results of these settings: settings, q* values, costs."""
        return len(settings), len(self.paths), len(self.costs)


@dataclass(frozen=True)
class Paper:
    """What the paper reports of a scenario."""

    table: str  # The table with its results
    cost: float  # Cost of a document in that table
    brier: float  # Brier score
    ece: float  # Expected calibration error
    truth: str  # Truth of that table, by its name in `settings`
    omega_plus: int | None = None  # Number of ω⁺ topics; None if the paper does not state it


@dataclass(frozen=True)
class Task(ABC):
    """How cases of a scenario are learned from and played; parameters are the fields of the class."""

    scenario: ClassVar[str]  # Name of the scenario in benchmarks, results and sessions
    chance_of: ClassVar[str]
    """What a document's chance is a chance of: PATENT, REVIEW or INCLUSION of :mod:`~tarstop_core.calibration.calibrator`."""
    weighs: ClassVar[bool] = True  # Whether a stop is judged by payoffs and costs
    variants: ClassVar[tuple[str, ...]]
    """Sources of the chances, or priors of the belief; the paper's comes first."""
    methods: ClassVar[tuple[str, ...]]  # Methods that an experiment compares by default
    truths: ClassVar[Mapping[str, str]] = {}
    """Names on pages of the truths that can be chosen."""
    truth_words: ClassVar[Mapping[str, str]] = {}
    """Descriptions of these truths in captions."""
    cases: ClassVar[str] = "topics"  # Plural for cases
    groups: ClassVar[str] = "topics"  # Plural for groups, which are resampled together
    errors: ClassVar[Mapping[str, str]]
    """Names of a wrong a⁺ (`false_adopt`) and of a wrong a⁻ (`false_reject`)."""
    in_steps: ClassVar[bool] = False  # Whether the belief moves in steps
    needs_tables: ClassVar[bool] = False  # Whether cases need the studies of their documents
    fixed_share: ClassVar[bool] = False
    """Whether the benchmark fixes the share of ω⁺ cases, so that resampling keeps it."""
    about_chances: ClassVar[str] = ""
    """Sentence on how the chances of two variants can be compared."""
    icer_digits: ClassVar[int] = 1  # Decimals of an ICER in the paper
    contradicted: ClassVar[tuple[str, ...]] = ()
    """Methods for which the paper's figures contradict each other (:meth:`differences`)."""
    paper: ClassVar[Paper | None] = None

    b_0: float = 0.5  # Belief before any document; in reviews only that of the weak prior
    pseudo: float = 0.0
    """Pseudo-documents on every step of a calibrator; 0 is the paper's plain isotonic regression."""
    replications: int | None = None
    """Runs of rules that draw a sample (50 in the paper); None takes their exact expectation."""
    seed: int = 1  # Seed of those runs
    scale: float = 1.0
    """Factor on every chance, whose product is at most 1; replays use it, experiments leave it at 1."""

    @classmethod
    def asked(cls, options: Mapping[str, Any]) -> Self:
        """Make the task with these options; options that it does not have are ignored, and None leaves a default."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in options.items() if name in names and value is not None})

    @classmethod
    def check_rule(cls, rule: Policy) -> None:
        """Raise InputProblem if a rule has no meaning in this scenario."""
        if not cls.weighs and (rule.acts_on_belief or rule.is_oracle):
            raise InputProblem(
                f"{rule.title} weighs a decision, but the scenario {cls.scenario} has none; choose a rule about "
                f"recall, such as {cls.methods[0]}."
            )

    @staticmethod
    def read_outcomes(source: Path, run: Mapping[str, Topic]) -> tuple[list[Any], tuple[str, ...]]:
        """Read the outcomes of ranked topics, and remarks on them; a task without studies has none."""
        return [], ()

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Parameters that change a number, which results record."""

    def learn(self, benchmark: Benchmark, fold: Fold, variants: Sequence[str]) -> dict[str, LearnedFromFold]:
        """Learn from a fold's training cases; by default each variant is a kind of calibrator.

        Parameters
        ----------
        benchmark, fold : Benchmark, Fold
            Fold to learn from, and its benchmark.
        variants : sequence of str
            Some of :attr:`variants`.

        Returns
        -------
        dict of str to LearnedFromFold
            By variant.
        """
        return {kind: LearnedFromFold(self.fitted(benchmark, fold, kind)) for kind in variants}

    @abstractmethod
    def paths(self, case: Case, learned: LearnedFromFold, payoffs: Sequence[Payoffs]) -> Sequence[Any]:
        """Make the path of a case for each of the payoffs.

        Parameters
        ----------
        case, learned : Case, LearnedFromFold
            The case, and what was learned from training cases.
        payoffs : sequence of Payoffs
            Stakes.

        Returns
        -------
        sequence of ListPath
        """

    @abstractmethod
    def truth(self, case: Case, payoffs: Sequence[Payoffs]) -> Flags:
        """Whether ω⁺ holds, for each of the payoffs, shape (Q,)."""

    def trial(
        self, case: Case, learned: LearnedFromFold, payoffs: Sequence[Payoffs], costs: Sequence[float]
    ) -> Trial:
        """Prepare a case for rules to be played on it.

        Parameters
        ----------
        case, learned : Case, LearnedFromFold
            The case, and what was learned from training cases.
        payoffs, costs : sequence of Payoffs, sequence of float
            Stakes, and costs of a document.

        Returns
        -------
        Trial
        """
        return Trial(case, learned, self.paths(case, learned, payoffs), costs, self.truth(case, payoffs))

    @abstractmethod
    def play(self, trial: Trial, settings: Sequence[Policy], exact: bool = False) -> PlayedGrid:
        """Stop on a case with every setting, q* and cost.

        Parameters
        ----------
        trial : Trial
            The prepared case.
        settings : sequence of Policy
            Settings of one rule.
        exact : bool
            Whether `plus_exact` is wanted.

        Returns
        -------
        PlayedGrid
        """

    def fitted(self, benchmark: Benchmark, fold: Fold, kind: str = "marginal") -> Calibrator:
        """Fit a calibrator on the training cases of a fold.

        Parameters
        ----------
        benchmark, fold : Benchmark, Fold
            Fold to learn from, and its benchmark.
        kind : str
            Kind of calibrator.

        Returns
        -------
        Calibrator
        """
        topics = [case.topic for case in fold.learned_from]
        about: dict[str, Any] = {"name": benchmark.title, "source": benchmark.provenance}
        about["simulated"] = benchmark.simulated
        return fit(topics, kind=kind, scenario=self.chance_of, pseudo=self.pseudo, **about)

    def calibrated(self, case: Case, learned: LearnedFromFold) -> Floats:
        """Chances of a case's documents, shape (N,): its own if it has them, else those of the learned calibrator."""
        chances = case.adaptive_chances
        if chances is None:
            assert learned.calibrator is not None
            chances = learned.calibrator.probabilities(case.topic.scores, len(case.topic))
        return scaled(chances, self.scale)

    @classmethod
    def has_relevant(cls, omega: Flags) -> Flags:
        """Flags of the cases with relevant documents, on which recall is defined; shape (T,)."""
        return np.ones_like(omega)

    @classmethod
    def differences(cls, settings: Mapping[str, Any]) -> list[str]:
        """Sentences on why results with these settings can differ from the paper's, other topics aside."""
        return []


def depths_of(paths: Sequence[ListPath], settings: Sequence[Policy], costs: Sequence[float]) -> Depths:
    """Find where the settings of a rule stop on a case.

    Parameters
    ----------
    paths, settings, costs : sequences
        Paths of the case for each of the payoffs, settings of one rule, and costs.

    Returns
    -------
    ndarray of int, shape (S, Q, C)
    """
    if all(policy.cost_invariant for policy in settings):
        agents = [rule for rule in settings if isinstance(rule, GRLStop)]
        if len(agents) == len(settings) and len({id(rule.agent) for rule in agents}) == 1:
            targets = [rule.target for rule in agents]
            depths = depths_for_targets(paths[0].labels, targets, agents[0].agent)
        else:
            depths = np.array([policy.depths(paths[0], [0.0])[0] for policy in settings])
        return np.broadcast_to(depths[:, None, None], (len(settings), len(paths), len(costs)))
    return np.array([[policy.depths(path, costs) for path in paths] for policy in settings], dtype=np.intp)


def sample_grid(settings: Sequence[Policy]) -> SampleGrid | RunGrid:
    """Make the grid that draws the samples of all settings of a rule together."""
    by_runs = [policy for policy in settings if isinstance(policy, ByRuns)]
    if by_runs:
        return RunGrid(by_runs)
    rules = [policy for policy in settings if isinstance(policy, OrderStatistic)]
    assert len(rules) == len(settings)
    return SampleGrid(rules)


def generator(seed: int, case: Case) -> np.random.Generator:
    """Random generator that depends only on the seed and the case, not on how cases are split over workers."""
    digest = hashlib.blake2b(case.name.encode(), digest_size=8).digest()
    return np.random.default_rng([seed, int.from_bytes(digest, "little")])


def averaged(shape: tuple[int, int, int], *means: Floats) -> PlayedGrid:
    """Broadcast documents read, chance of a⁺ and recall, shape (S,) or (S, Q), to the shape (S, Q, C) of results."""
    # Transposed, so that the missing axes come first, as numpy broadcasts.
    return PlayedGrid(*(np.broadcast_to(mean.T, shape[::-1]).T for mean in means))
