"""Task of patents, where one relevant document decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tarstop_core.calibration.calibrator import PATENT
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Case
from tarstop_core.evaluation.tasks import base
from tarstop_core.policies import Policy
from tarstop_core.policies.base import Randomised
from tarstop_core.policies.gain_curve import gain
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Flags, Payoffs

TRUTH = "a relevant document exists"


@dataclass(frozen=True)
class DecisiveTask(base.Task):
    """Patents: policies act on the belief where they stop; baselines choose a⁺ iff they have seen a relevant document."""

    scenario = "patent"
    chance_of = PATENT
    variants = ("marginal", "hazard", "frailty", "rank", "rank-frailty")
    methods = ("all", "optimal@hazard", "optimal@frailty")
    errors: ClassVar[Mapping[str, str]] = {"false_adopt": "false reject", "false_reject": "false grant"}
    fixed_share = True
    about_chances = "Hazard and frailty are judged by the first hit, the others by every document; compare only calibrators of one sort."
    paper: ClassVar[base.Paper | None] = base.Paper(
        "Table 1 (patents)", 0.001, 0.0018, 0.0004, TRUTH, omega_plus=500
    )

    @classmethod
    def has_relevant(cls, omega: Flags) -> Flags:
        """Flags of the cases with relevant documents, which are the ω⁺ cases."""
        return omega

    @property
    def settings(self) -> dict[str, Any]:
        runs = self.replications or "expectation in closed form"
        fixed = {"scenario": self.scenario, "truth": TRUTH, "engine": "decisive"}
        return fixed | {"b_0": self.b_0, "pseudo": self.pseudo, "replications": runs, "seed": self.seed}

    def paths(
        self, case: Case, learned: base.LearnedFromFold, payoffs: Sequence[Payoffs]
    ) -> list[DecisivePath]:
        assert learned.calibrator is not None
        p = self.calibrated(case, learned)
        curve = learned.calibrator.curve(p)
        first = DecisivePath(curve, self.b_0, payoffs[0], case.topic.first_hit, labels=case.labels, p=p)
        return [first, *(replace(first, payoffs=other) for other in payoffs[1:])]

    def truth(self, case: Case, payoffs: Sequence[Payoffs]) -> Flags:
        """Whether a relevant document exists, ranked or not; the same for all payoffs."""
        return np.full(len(payoffs), case.topic.omega)

    def play(self, trial: base.Trial, settings: Sequence[Policy], exact: bool = False) -> base.PlayedGrid:
        case, paths = trial.case, trial.paths
        if isinstance(settings[0], Randomised):
            return self._sampled(trial, settings)
        depths = base.depths_of(paths, settings, trial.costs)
        hits = gain(case.labels)[depths]
        plus = hits > 0
        if settings[0].acts_on_belief:
            for q, path in enumerate(paths):
                plus[:, q] |= path.payoffs.chooses_plus(path.b[depths[:, q]])
        if settings[0].is_oracle:
            plus &= trial.truth[:, None]
        recall = metrics.recall(hits, case.n_relevant)
        return base.PlayedGrid(depths.astype(float), plus.astype(float), recall)

    def _sampled(self, trial: base.Trial, settings: Sequence[Policy]) -> base.PlayedGrid:
        """Play rules that draw a random sample: the mean of several runs, or the exact expectation."""
        case, grid = trial.case, base.sample_grid(settings)
        if self.replications is None:
            exact = grid.expected(case.labels)
            # Recall divides by the qrels' R, which counts relevant documents that are not ranked as well.
            recall = exact.recall * (case.labels.sum() / max(1, case.n_relevant))
            return base.averaged(trial.shape(settings), exact.read, exact.found, recall)
        runs = grid.replicates(case.labels, self.replications, base.generator(self.seed, case))
        measured = (runs.read, runs.seen.any(axis=2), metrics.recall(runs.within, case.n_relevant))
        return base.averaged(trial.shape(settings), *(each.mean(axis=1)[runs.pair] for each in measured))
