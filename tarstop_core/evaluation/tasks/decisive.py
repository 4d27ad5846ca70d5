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
from tarstop_core.value.payoffs import Flags, Floats, Payoffs

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
            screened, recall, seen = sampled(case, settings, self.replications, self.seed)
            return base.averaged(trial.shape(settings), screened, seen, recall)
        depths = base.depths_of(paths, settings, trial.costs)
        hits = gain(case.labels)[depths]
        plus = hits > 0
        if settings[0].acts_on_belief:
            for q, path in enumerate(paths):
                plus[:, q] |= path.payoffs.chooses_plus(path.b[depths[:, q]])
        if settings[0].is_oracle:
            plus &= trial.truth[:, None]
        return base.PlayedGrid(
            depths.astype(float), plus.astype(float), metrics.recall(hits, case.n_relevant)
        )


def sampled(
    case: Case, settings: Sequence[Policy], replications: int | None, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Play rules that draw a random sample.

    Parameters
    ----------
    case : Case
        The case.
    settings : sequence of Policy
        Settings of one rule.
    replications : int, optional
        Runs to average; None takes the exact expectation.
    seed : int
        Seed of the runs.

    Returns
    -------
    tuple of ndarray, shape (S,) each
        Documents read, recall, and chance of seeing a relevant document.
    """
    grid = base.sample_grid(settings)
    if replications is None:
        exact = grid.expected(case.labels)
        # Recall divides by the qrels' R, which counts relevant documents that are not ranked as well.
        ranked = case.labels.sum() / max(1, case.n_relevant)
        return exact.read, exact.recall * ranked, exact.found
    runs = grid.replicates(case.labels, replications, base.generator(seed, case))
    measured = (runs.read, metrics.recall(runs.within, case.n_relevant), runs.seen.any(axis=2))
    read, recall, seen = (values.mean(axis=1)[runs.pair] for values in measured)
    return read, recall, seen
