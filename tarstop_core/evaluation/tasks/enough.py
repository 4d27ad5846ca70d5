"""Task of reviews that only ask for a recall: a stop is right if it reaches the target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tarstop_core.belief.mixture import Remaining
from tarstop_core.calibration.calibrator import INCLUSION, Calibrator
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Case
from tarstop_core.evaluation.tasks import base
from tarstop_core.evaluation.tasks.stepwise import prequential_ahead
from tarstop_core.policies import Policy, Quant
from tarstop_core.policies.base import Randomised
from tarstop_core.policies.gain_curve import gain
from tarstop_core.value.payoffs import Flags, Floats, Payoffs
from tarstop_core.value.unweighed import UnweighedPath

NOT_BELOW = 1e-9
"""A recall that is below the target by no more than this reaches it."""


@dataclass(frozen=True)
class EnoughTask(base.Task):
    """Reviews that ask for a recall: reaching it takes the place of a⁺ and is right on every list."""

    scenario = "enough"
    chance_of = INCLUSION
    weighs = False
    variants = ("rank",)
    methods = ("few-left", "audit", "hypergeometric", "poisson", "quant", "target", "knee", "consecutive")
    groups = "reviews"
    errors: ClassVar[Mapping[str, str]] = {"false_adopt": "", "false_reject": "stopped short"}
    about_chances = "Here chances only say how relevant documents thin out along lists."

    target: float = 0.95  # Recall from which a stop is right
    replications: int = base.REPLICATIONS

    @property
    def settings(self) -> dict[str, Any]:
        names = ("b_0", "pseudo", "replications", "seed")
        own = {name: getattr(self, name) for name in names}
        return {"scenario": self.scenario, "truth": f"a recall of {self.target:g}", "engine": "none"} | own

    def paths(
        self, case: Case, learned: base.LearnedFromFold, payoffs: Sequence[Payoffs]
    ) -> list[UnweighedPath]:
        p = case.adaptive_chances
        if p is not None:
            path = UnweighedPath(p, case.labels, partial(_left_of_learning, p))
        else:
            assert learned.calibrator is not None
            p = self.calibrated(case, learned)
            path = UnweighedPath(p, case.labels, partial(_left_of_ranking, learned.calibrator, p))
        return [path.with_payoffs(stake) for stake in payoffs]

    def truth(self, case: Case, payoffs: Sequence[Payoffs]) -> Flags:
        """All True, shape (Q,): reaching the recall is always right."""
        return np.ones(len(payoffs), dtype=bool)

    def play(self, trial: base.Trial, settings: Sequence[Policy], exact: bool = False) -> base.PlayedGrid:
        case = trial.case
        if isinstance(settings[0], Randomised):
            grid = base.sample_grid(settings)
            runs = grid.replicates(case.labels, self.replications, base.generator(self.seed, case))
            recall = self._recall(case, runs.seen.sum(axis=2))
            means = (values.mean(axis=1)[runs.pair] for values in (runs.read, self._reached(recall), recall))
            return base.averaged(trial.shape(settings), *means)
        if case.adaptive_chances is not None and isinstance(settings[0], Quant):
            raise InputProblem(
                f"{settings[0].title} adds up chances of unread documents, which a list that learns does not have; leave it out."
            )
        depths = base.depths_of(trial.paths, settings, trial.costs)
        recall = self._recall(case, gain(case.labels)[depths])
        return base.PlayedGrid(depths.astype(float), self._reached(recall), recall)

    def _reached(self, recall: Floats) -> Floats:
        return (recall >= self.target - NOT_BELOW).astype(float)

    @staticmethod
    def _recall(case: Case, relevant_found: Any) -> Floats:
        """Recall, which here is 1 if nothing is relevant."""
        if not case.n_relevant:
            return np.ones(np.shape(relevant_found))
        return metrics.recall(relevant_found, case.n_relevant)


def _left_of_ranking(calibrator: Calibrator, p: Floats, labels: Flags, depth: int) -> Remaining:
    read = np.arange(len(p)) < depth
    return calibrator.left(p, read, labels & read, ~read)


def _left_of_learning(p: Floats, labels: Flags, depth: int) -> Remaining:
    return prequential_ahead(p, labels, depth, INCLUSION).left()
