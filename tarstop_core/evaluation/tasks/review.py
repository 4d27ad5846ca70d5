"""Reviews of diagnostic accuracy: 2×2 tables accumulate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from tarstop_core.belief.bivariate import bivariate_path
from tarstop_core.belief.learned_prior import learn_prior, learn_width
from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.calibrator import Calibrator, scaled
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.as_told import Told, depths_as_told
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.subsets import subset_beliefs
from tarstop_core.evaluation.tasks.base import (
    REPLICATIONS,
    Paper,
    PlayedGrid,
    Task,
    averaged,
    depths_of,
    fitted,
    generator,
    sample_grid,
)
from tarstop_core.policies import Policy
from tarstop_core.policies.base import Randomised
from tarstop_core.policies.gain_curve import gain
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.value import outcomes as value_outcomes
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.payoffs import Depths, Flags, Floats, Payoffs

TRUTHS = {"pooled": "Pooled sensitivity", "full_evidence": "Full evidence"}


@dataclass(frozen=True)
class ReviewTask(Task):
    """Reviews: 2×2 tables accumulate. Every rule, baselines too, acts on the belief it has reached."""

    scenario = "review"
    variants = ("default", "learned", "width")
    methods = ("all", "greedy@learned", "look-ahead@learned", "optimal@learned", "decide-now@learned")
    truths: ClassVar[Mapping[str, str]] = TRUTHS
    cases = "outcomes"
    groups = "reviews"
    contradicted: ClassVar[tuple[str, ...]] = ("grlstop",)
    errors: ClassVar[Mapping[str, str]] = {"false_adopt": "false adopt", "false_reject": "false reject"}
    in_steps = True
    needs_tables = True
    about_chances = "The prior changes the belief, not the chances, so all variants share them."
    icer_digits = 0
    paper = Paper("Table 2 (systematic reviews)", 0.0001, 0.025, 0.0002, "full_evidence")

    theta: float = 0.75
    """ω⁺ is a pooled sensitivity above it."""
    truth_is: str = "pooled"
    """One of "pooled", "full_evidence". See :func:`~tarstop_core.value.outcomes.is_plus`."""
    engine: str = "univariate"
    """Of the belief that is acted on; the truth is always bivariate."""
    b_0: float = 0.5
    pseudo: float = 0.0
    replications: int = REPLICATIONS
    seed: int = 1
    scale: float = 1.0
    """`b_0`, `pseudo`, `replications`, `seed` and `scale`: as in :class:`DecisiveTask`; b_0 replaces that of the
    default prior only.
    """

    @classmethod
    def asked(cls, known: Mapping[str, Any]) -> Self:
        """As of every task; the truth goes by the name that `settings` give it."""
        return super().asked({**known, "truth_is": known.get("truth")})

    @property
    def settings(self) -> dict[str, Any]:
        names = ("engine", "theta", "b_0", "pseudo", "replications", "seed")
        own = {name: getattr(self, name) for name in names}
        return {"scenario": self.scenario, "truth": self.truth_is, **own}

    def learn(
        self, benchmark: Benchmark, fold: Fold, variants: Sequence[str]
    ) -> dict[str, tuple[Calibrator, Prior]]:
        """A calibrator of "brings data", and the prior of each variant."""
        calibrator = fitted(benchmark, fold, self)
        outcomes = [case.outcome for case in fold.learned_from if case.outcome is not None]
        priors = {"default": Prior(b_0=self.b_0)}
        tables = [outcome.tables for outcome in outcomes]
        reviews = [outcome.review for outcome in outcomes]
        if "learned" in variants:
            priors["learned"] = learn_prior(tables, reviews, self.theta, benchmark.title)
        if "width" in variants:
            width = learn_width(tables, reviews, self.theta, benchmark.title)
            priors["width"] = replace(width, b_0=self.b_0)
        return {variant: (calibrator, priors[variant]) for variant in variants}

    def paths(
        self, case: Case, knowledge: tuple[Calibrator, Prior], payoffs: Sequence[Payoffs]
    ) -> list[CumulativePath]:
        calibrator, prior = knowledge
        assert case.outcome is not None
        p = calibrator.probabilities(case.topic.scores, len(case.topic)) if case.told is None else case.told
        p = scaled(p, self.scale)
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
        if isinstance(settings[0], Randomised):
            return self._sampled(case, knowledge[1], paths, settings, len(costs))
        if case.told is None or settings[0].needs_labels or settings[0].knows_truth:
            depths = depths_of(paths, settings, costs)
        else:
            depths = depths_as_told(Told(case.told, reranked_chances("review")), paths, settings, costs)
        plus, plus_exact = _chosen(paths, depths, paths[0].b), None
        if settings[0].knows_truth:
            plus[:] = truth[:, None]
        elif exact and self.engine != "bivariate":
            assert case.outcome is not None
            exactly = bivariate_path(case.outcome.tables, self.theta, knowledge[1])[paths[0].known]
            plus_exact = _chosen(paths, depths, exactly)
        recall = metrics.recall(gain(case.labels)[depths], case.n_relevant)
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
        grid = sample_grid(settings)
        runs = grid.replicates(case.labels, self.replications, generator(self.seed, case))
        documents = np.flatnonzero(case.labels)
        ranked = outcome.positions < len(case.labels)
        tables = outcome.tables
        seen = np.zeros((*runs.seen.shape[:2], len(tables)), dtype=bool)
        seen[..., ranked] = runs.seen[..., np.searchsorted(documents, outcome.positions[ranked])]
        masks, of = np.unique(seen.reshape(-1, len(tables)), axis=0, return_inverse=True)
        b = subset_beliefs(tables, masks, self.theta, self.engine, prior)[of].reshape(seen.shape[:2])
        shape = (len(settings), len(paths), costs)
        plus = np.stack([path.payoffs.chooses_plus(b).mean(axis=1) for path in paths], axis=1)[runs.pair]
        recall = metrics.recall(runs.within, case.n_relevant).mean(axis=1)[runs.pair]
        screened = runs.read.mean(axis=1)[runs.pair]
        return averaged(shape, screened, plus, recall)

    @classmethod
    def differences(cls, known: Mapping[str, Any]) -> list[str]:
        """Of truth and engine, and where the paper's own figures disagree."""
        pooled = (
            "Truth: pooled sensitivity above θ, as the paper’s text says. Its Table 2 can only come from what all "
            "studies would choose; compare it under that truth."
        )
        full = "Truth: what all studies would choose, as the paper’s Table 2 implies."
        return [
            pooled if known["truth"] == "pooled" else full,
            f"Arithmetic: rules act on the {known['engine']} engine; the truth is computed by the bivariate one.",
            "Arithmetic: the paper’s own figures disagree: GRLStop reads 6,012.4 documents in each of 68 outcomes, more than its "
            "test outcomes hold (312,790).",
        ]


def _chosen(paths: Sequence[CumulativePath], depths: Depths, b: Floats) -> Floats:
    """Chance of a⁺ (0 or 1) of whoever believes `b` by depth, shape (N + 1,), at depths of shape (S, Q, C)."""
    plus = np.empty(depths.shape)
    for q, path in enumerate(paths):
        plus[:, q] = path.payoffs.chooses_plus(b[depths[:, q]])
    return plus
