"""What an experiment asks of a scenario, and what every scenario's task plays in the same way."""

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
"""Random samples of QBCB and Target, as in the paper, wherever their expectation has no closed form."""


@dataclass(frozen=True, eq=False)
class PlayedGrid:
    """Results of settings on one case, in arrays of shape (S, Q, C): settings, q* values, costs."""

    screened: Floats  # Documents read (an expectation for rules that draw a sample)
    plus: Floats  # Chance that the action is a⁺
    recall: Floats  # Down to the stopping depth; 0 where nothing is relevant
    plus_exact: Floats | None = None
    """Reviews: the same chance by the bivariate engine's belief there; None where it was not asked, as of samples."""


@dataclass(frozen=True)
class Learned:
    """What is learned from a fold's training cases."""

    calibrator: Calibrator | None  # None where cases bring their chances
    prior: Prior | None = None  # Of the belief; reviews only

    @property
    def digest(self) -> str:
        """Fingerprint, as results record it."""
        return ":".join(part.digest for part in (self.calibrator, self.prior) if part is not None)


@dataclass(frozen=True, eq=False)
class Trial:
    """One case at several stakes, as rules meet it."""

    case: Case
    learned: Learned  # From the training cases
    paths: Sequence[Any]  # One for each of the payoffs
    costs: Sequence[float]  # Of a document
    truth: Flags  # Whether ω⁺ holds, for the rules that know it; shape (Q,)

    def shape(self, settings: Sequence[Policy]) -> tuple[int, int, int]:
        """Numbers of settings, q* values and costs: (S, Q, C)."""
        return len(settings), len(self.paths), len(self.costs)


@dataclass(frozen=True)
class Paper:
    """What the paper says of a scenario."""

    table: str  # Where its results stand
    cost: float  # Per document, of its tables
    brier: float
    ece: float
    """`brier` and `ece`: brier score and expected calibration error that it reports."""
    truth: str  # As `settings` call it: the truth that its table is under
    omega_plus: int | None = None  # How many of its topics are ω⁺; None where it does not say


@dataclass(frozen=True)
class Task(ABC):
    """What the protocol asks of a scenario; its parameters are the fields of the class."""

    scenario: ClassVar[str]  # As benchmarks, results and sessions call it
    # What a chance is a chance of, as calibrators call it; "" where that is the scenario
    chance_of: ClassVar[str] = ""
    weighs: ClassVar[bool] = True  # Whether payoffs and costs say what a stop is worth
    variants: ClassVar[tuple[str, ...]]
    """Where chances, or the prior of the belief, come from; first the paper's."""
    methods: ClassVar[tuple[str, ...]]  # What an experiment compares unless told
    truths: ClassVar[Mapping[str, str]] = {}
    """What a decision may be compared with, by name, where that can be chosen."""
    truth_words: ClassVar[Mapping[str, str]] = {}
    """The same as a caption says it."""
    cases: ClassVar[str] = "topics"
    groups: ClassVar[str] = "topics"
    """What cases are called, and what is resampled together."""
    errors: ClassVar[Mapping[str, str]]
    """What a wrong a⁺ (`false_adopt`) and a wrong a⁻ (`false_reject`) are called."""
    in_steps: ClassVar[bool] = False  # Whether the belief moves in steps
    needs_tables: ClassVar[bool] = False  # Whether a case is played from its 2×2 tables
    fixed_share: ClassVar[bool] = False
    """Whether the share of ω⁺ cases was fixed, not found: means are then taken within it."""
    about_chances: ClassVar[str] = ""
    """What has to be known to compare the chances of two variants, in a sentence."""
    icer_digits: ClassVar[int] = 1  # Decimals of an ICER, as the paper writes them
    contradicted: ClassVar[tuple[str, ...]] = ()
    """Methods of whose figures the paper's own are in doubt (:meth:`differences`)."""
    paper: ClassVar[Paper | None] = None

    b_0: float = 0.5  # Belief before any document; of reviews the weak prior's only
    pseudo: float = 0.0
    """Imagined documents on every step of a calibrator; 0 is the paper's plain isotonic regression."""
    replications: int | None = None
    """Runs of rules that draw a sample (the paper: 50); None takes their exact expectation."""
    seed: int = 1  # Of those runs
    scale: float = 1.0
    """Every chance times this, at most 1: for replays; experiments take calibrators at their word."""

    @classmethod
    def asked(cls, options: Mapping[str, Any]) -> Self:
        """Make the task with these options; those that it does not have are passed over, and None leaves a default."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in options.items() if name in names and value is not None})

    @classmethod
    def check_rule(cls, rule: Policy) -> None:
        """Check that a rule means something in this scenario. InputProblem when it does not."""
        if not cls.weighs and (rule.acts_on_belief or rule.is_oracle):
            raise InputProblem(
                f"{rule.title} weighs a decision, but the scenario {cls.scenario} has none; choose a rule about "
                f"recall, such as {cls.methods[0]}."
            )

    @staticmethod
    def read_outcomes(source: Path, run: Mapping[str, Topic]) -> tuple[list[Any], tuple[str, ...]]:
        """Read the outcomes of ranked topics, with remarks; there are none where a case needs no tables."""
        return [], ()

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Everything that changes a number, to be recorded with every result."""

    def learn(self, benchmark: Benchmark, fold: Fold, variants: Sequence[str]) -> dict[str, Learned]:
        """Learn from a fold's training cases, for each variant: a calibrator of that kind.

        Parameters
        ----------
        benchmark, fold : Benchmark, Fold
            Whose training cases they are.
        variants : sequence of str
            Of :attr:`variants`.

        Returns
        -------
        dict of str to Learned
            By variant.
        """
        return {kind: Learned(self.fitted(benchmark, fold, kind)) for kind in variants}

    @abstractmethod
    def paths(self, case: Case, learned: Learned, payoffs: Sequence[Payoffs]) -> Sequence[Any]:
        """Make the path of a case for each of the payoffs.

        Parameters
        ----------
        case, learned : Case, Learned
            What is played, by what was learned.
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
        self, case: Case, learned: Learned, payoffs: Sequence[Payoffs], costs: Sequence[float]
    ) -> Trial:
        """Prepare a case for rules to be played on it.

        Parameters
        ----------
        case, learned : Case, Learned
            What is played, by what was learned.
        payoffs, costs : sequence of Payoffs, sequence of float
            Stakes, and costs of a document.

        Returns
        -------
        Trial
        """
        return Trial(case, learned, self.paths(case, learned, payoffs), costs, self.truth(case, payoffs))

    @abstractmethod
    def play(self, trial: Trial, settings: Sequence[Policy], exact: bool = False) -> PlayedGrid:
        """Stop on a case by every setting, q* and cost.

        Parameters
        ----------
        trial : Trial
            The case.
        settings : sequence of Policy
            Of one rule.
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
            Whose training cases they are.
        kind : str
            Of calibrator.

        Returns
        -------
        Calibrator
        """
        return fit(
            [case.topic for case in fold.learned_from],
            kind=kind,
            scenario=self.chance_of or self.scenario,
            name=benchmark.title,
            source=benchmark.provenance,
            simulated=benchmark.simulated,
            pseudo=self.pseudo,
        )

    def calibrated(self, case: Case, learned: Learned) -> Floats:
        """Chances of a case's documents, shape (N,): those that it brings, else by the calibrator that was learned."""
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
        """Say why results with these settings cannot be expected to be the paper's, beyond their topics."""
        return []


def depths_of(paths: Sequence[ListPath], settings: Sequence[Policy], costs: Sequence[float]) -> Depths:
    """Find stopping depths.

    Parameters
    ----------
    paths, settings, costs : sequences
        Paths of one case by payoffs, settings of one rule, and costs.

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
    """Draw the samples of all settings of a rule at once."""
    by_runs = [policy for policy in settings if isinstance(policy, ByRuns)]
    if by_runs:
        return RunGrid(by_runs)
    rules = [policy for policy in settings if isinstance(policy, OrderStatistic)]
    assert len(rules) == len(settings)
    return SampleGrid(rules)


def generator(seed: int, case: Case) -> np.random.Generator:
    """Random numbers that depend on the seed and the case alone, however cases are split over workers."""
    digest = hashlib.blake2b(case.name.encode(), digest_size=8).digest()
    return np.random.default_rng([seed, int.from_bytes(digest, "little")])


def averaged(shape: tuple[int, int, int], *means: Floats) -> PlayedGrid:
    """Spread the results of rules that draw a sample over q* and costs: documents read, chance of a⁺ and recall by setting, shape (S, …)."""
    # Turned round, so that the axes they lack come first.
    return PlayedGrid(*(np.broadcast_to(each.T, shape[::-1]).T for each in means))
