"""Task of reviews of diagnostic accuracy, in which 2×2 tables accumulate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit, logit

from tarstop_core.belief.bivariate import bivariate_path
from tarstop_core.belief.lattice import lattice_for
from tarstop_core.belief.learned_prior import learn_prior, learn_width
from tarstop_core.belief.of_tables import beliefs
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.belief.univariate import weighed_likelihood
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.documents.topic import Outcome
from tarstop_core.evaluation import message, metrics
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.tasks import base
from tarstop_core.evaluation.tasks.stepwise import StepwiseTask, chosen
from tarstop_core.files import read_outcomes
from tarstop_core.policies import Policy
from tarstop_core.policies.base import Randomised
from tarstop_core.value import outcomes as value_outcomes
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.payoffs import Flags, Floats, Payoffs

BLOCK = 256
"""Subsets of studies that are computed at once, which limits memory."""
TRUTHS = {"pooled": "Pooled sensitivity", "full_evidence": "Full evidence"}


@dataclass(frozen=True)
class ReviewTask(StepwiseTask):
    """Reviews of tests: every rule, baselines included, acts on its belief where it stops."""

    scenario = "review"
    variants = ("default", "learned", "width")
    methods = ("all", "greedy@learned", "look-ahead@learned", "optimal@learned", "decide-now@learned")
    truths: ClassVar[Mapping[str, str]] = TRUTHS
    truth_words: ClassVar[Mapping[str, str]] = {
        "pooled": "truth: pooled sensitivity above θ by all studies of an outcome, as the paper’s text says",
        "full_evidence": "truth: the action that all studies of an outcome would choose, which the paper’s Table 2 implies",
    }
    read_outcomes = staticmethod(read_outcomes)
    contradicted: ClassVar[tuple[str, ...]] = ("grlstop",)
    about_chances = "The prior changes the belief, not the chances, so all variants share them."
    paper = base.Paper("Table 2 (systematic reviews)", 0.0001, 0.025, 0.0002, "full_evidence")

    theta: float = 0.75  # ω⁺ is a pooled sensitivity above it
    theta_sp: float | None = None  # If given, ω⁺ also needs a pooled specificity above it
    truth_is: str = "pooled"
    """One of "pooled", "full_evidence". See :func:`~tarstop_core.value.outcomes.is_plus`."""
    engine: str = "univariate"  # Engine of the belief that rules act on; the truth is always bivariate
    replications: int = base.REPLICATIONS

    @classmethod
    def asked(cls, options: Mapping[str, Any]) -> Self:
        """Make the task from options with the names of `settings`."""
        return super().asked({**options, "truth_is": options.get("truth")})

    @property
    def settings(self) -> dict[str, Any]:
        names = ("engine", "theta", "b_0", "pseudo", "replications", "seed")
        own = {name: getattr(self, name) for name in names}
        if self.theta_sp is not None:
            own["theta_sp"] = self.theta_sp
        return {"scenario": self.scenario, "truth": self.truth_is, **own}

    def learn(
        self, benchmark: Benchmark, fold: Fold, variants: Sequence[str]
    ) -> dict[str, base.LearnedFromFold]:
        # Variants share a calibrator of the chance that a document brings data, and differ in the prior.
        calibrator = self.fitted(benchmark, fold)
        outcomes = [case.outcome for case in fold.learned_from if isinstance(case.outcome, Outcome)]
        tables = [outcome.tables for outcome in outcomes]
        reviews = [outcome.review for outcome in outcomes]
        evidence = (tables, reviews, self.theta, benchmark.title)
        priors = {"default": Prior(b_0=self.b_0)}
        if "learned" in variants:
            priors["learned"] = learn_prior(*evidence)
        if "width" in variants:
            priors["width"] = replace(learn_width(*evidence), b_0=self.b_0)
        return {variant: base.LearnedFromFold(calibrator, priors[variant]) for variant in variants}

    def paths(
        self, case: Case, learned: base.LearnedFromFold, payoffs: Sequence[Payoffs]
    ) -> list[CumulativePath]:
        assert isinstance(case.outcome, Outcome)
        p, question = self.calibrated(case, learned), self._question(learned)
        first = value_outcomes.outcome_path(case.outcome, p, payoffs[0], question)
        return [first, *(replace(first, payoffs=other) for other in payoffs[1:])]

    def _question(self, learned: base.LearnedFromFold) -> Question:
        return Question(self.theta, self.engine, learned.prior or Prior(), self.theta_sp)

    def truth(self, case: Case, payoffs: Sequence[Payoffs]) -> Flags:
        """Whether ω⁺ holds for each of the payoffs, shape (Q,); under full evidence it depends on q*."""
        assert isinstance(case.outcome, Outcome)
        is_plus = partial(value_outcomes.is_plus, case.outcome.tables, self.theta, self.truth_is)
        return np.array([is_plus(stake.q_star, self.theta_sp) for stake in payoffs])

    def play(self, trial: base.Trial, settings: Sequence[Policy], exact: bool = False) -> base.PlayedGrid:
        question, paths, outcome = self._question(trial.learned), trial.paths, trial.case.outcome
        assert isinstance(outcome, Outcome)
        if isinstance(settings[0], Randomised):
            return self._sampled(trial, outcome, question, settings)
        played = super().play(trial, settings, exact)
        if exact and self.engine != "bivariate" and not settings[0].is_oracle:
            exactly = bivariate_path(outcome.tables, self.theta, question.prior, self.theta_sp)
            depths = played.screened.astype(np.intp)
            return replace(played, plus_exact=chosen(paths, depths, exactly[paths[0].studies]))
        return played

    def _sampled(
        self, trial: base.Trial, outcome: Outcome, question: Question, settings: Sequence[Policy]
    ) -> base.PlayedGrid:
        """Play rules that draw a sample: each run ends with the belief from the studies that it has seen."""
        case, grid = trial.case, base.sample_grid(settings)
        runs = grid.replicates(case.labels, self.replications, base.generator(self.seed, case))
        documents = np.flatnonzero(case.labels)
        ranked = outcome.positions < len(case.labels)
        tables = outcome.tables
        seen = np.zeros((*runs.seen.shape[:2], len(tables)), dtype=bool)
        seen[..., ranked] = runs.seen[..., np.searchsorted(documents, outcome.positions[ranked])]
        masks, mask_of = np.unique(seen.reshape(-1, len(tables)), axis=0, return_inverse=True)
        b = subset_beliefs(tables, masks, question)[mask_of].reshape(seen.shape[:2])
        plus = np.stack([path.payoffs.chooses_plus(b).mean(axis=1) for path in trial.paths], axis=1)
        recall = metrics.recall(runs.within, case.n_relevant).mean(axis=1)
        means = (values[runs.pair] for values in (runs.read.mean(axis=1), plus, recall))
        return base.averaged(trial.shape(settings), *means)

    @classmethod
    def differences(cls, settings: Mapping[str, Any]) -> list[str]:
        """Sentences on truth and engine, and on the figures of the paper that contradict each other."""
        truth, engine = settings["truth"], settings["engine"]
        sentences = [message("truth_of_reviews", truth=truth), message("engines", engine=engine)]
        return [*sentences, message("contradicted")]


def subset_beliefs(tables: Tables, masks: Flags, question: Question) -> Floats:
    """Compute the belief from each of several subsets of the studies.

    In the univariate engine the log-likelihoods of studies add up, so one matrix product covers all subsets. The
    refinement of very narrow posteriors (:func:`~tarstop_core.belief.univariate.log_odds_path`) is left out.

    Parameters
    ----------
    tables : Tables
        All n studies.
    masks : ndarray of bool, shape (K, n)
        Which studies each subset holds.
    question : Question
        Threshold, engine and prior of the belief.

    Returns
    -------
    ndarray, shape (K,)
    """
    if question.engine != "univariate":
        names = np.array(tables.study, dtype=object)
        subsets = (
            Tables(tuple(names[mask]), *(getattr(tables, cell)[mask] for cell in CELLS)) for mask in masks
        )
        return np.array([beliefs(subset, question)[-1] for subset in subsets])
    return np.asarray(np.prod([_univariate(masks, *margin) for margin in question.margins(tables)], axis=0))


def _univariate(masks: Flags, tables: Tables, theta: float, prior: Prior) -> Floats:
    """Belief of the univariate engine from each subset, shape (K,)."""
    lattice = lattice_for(tables, theta, prior)
    rows = weighed_likelihood(tables, theta, prior, lattice)
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(rows), -1e4)
    of_prior = np.outer(lattice.tau_prior(prior.tau), lattice.mu_prior(prior.shift, prior.s)).ravel()
    below, above = lattice.halves(of_prior)
    shift = logit(prior.b_0) - (np.log(above) - np.log(below))
    belief = np.empty(len(masks))
    for first in range(0, len(masks), BLOCK):
        log_weight = masks[first : first + BLOCK].astype(float) @ logs
        log_weight -= log_weight.max(axis=1, keepdims=True)
        below, above = lattice.halves(np.exp(log_weight) * of_prior)
        with np.errstate(divide="ignore"):
            belief[first : first + BLOCK] = expit(np.log(above) - np.log(below) + shift)
    return belief
