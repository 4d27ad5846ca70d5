"""Task of reviews of interventions, in which effects accumulate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from tarstop_core.documents.topic import EffectOutcome
from tarstop_core.effects.beliefs import EffectTarget, engine_for
from tarstop_core.effects.measures import ENGINES, Engine, Measure
from tarstop_core.evaluation import message
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.tasks import base
from tarstop_core.evaluation.tasks.stepwise import StepwiseTask
from tarstop_core.files import read_effect_outcomes
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.effects import KnownEffect, effect_states
from tarstop_core.value.payoffs import TOLERANCE, Flags, Payoffs

ANY_BENEFIT = EffectTarget(Measure.OR, 1.0, above=False, ratio=True)


@dataclass(frozen=True)
class EffectTask(StepwiseTask):
    """Reviews of interventions: every rule, baselines included, acts on its belief where it stops."""

    scenario = "effect"
    variants = ("default",)
    methods = (
        *("greedy", "smooth", "batch", "look-ahead", "optimal", "open-loop"),
        *("budget", "knee", "decide-now", "oracle"),
    )
    truths: ClassVar[Mapping[str, str]] = {"pooled": "The average effect", "full_evidence": "Full evidence"}
    truth_words: ClassVar[Mapping[str, str]] = {
        "pooled": "truth: the average effect beyond δ by all studies of an outcome",
        "full_evidence": "truth: the action that all studies of an outcome would choose",
    }
    read_outcomes = staticmethod(read_effect_outcomes)

    target: EffectTarget = ANY_BENEFIT
    truth_is: str = "pooled"
    """ω⁺ is a belief from all studies above ½ ("pooled") or above q* ("full_evidence")."""
    engine: Engine | None = None  # None: exact for an OR of events, else normal

    @classmethod
    def asked(cls, options: Mapping[str, Any]) -> Self:
        """Make the task from options with the names of `settings`.

        Without `delta` any effect is enough. An engine of another kind of review is ignored.
        """
        engine, measure = options.get("engine"), Measure(options.get("measure") or Measure.OR)
        ratio, delta = measure.is_ratio or bool(options.get("ratio")), options.get("delta")
        if delta is None:
            delta = 1.0 if ratio else 0.0
        target = EffectTarget(measure, delta, bool(options.get("above")), ratio)
        own = {"truth_is": options.get("truth"), "engine": engine if engine in ENGINES else None}
        return super().asked({**options, **own, "target": target})

    @property
    def settings(self) -> dict[str, Any]:
        target = self.target
        asked = {"measure": str(target.measure), "delta": target.delta, "above": target.above}
        asked["ratio"] = target.ratio
        own = {"scenario": self.scenario, "truth": self.truth_is, "engine": self.engine or "usual"}
        return own | asked | {"b_0": self.b_0, "pseudo": self.pseudo, "seed": self.seed}

    @classmethod
    def differences(cls, settings: Mapping[str, Any]) -> list[str]:
        """The sentence on the truth that decisions are compared with."""
        return [message("truth_of_effects", settings=settings)]

    def learn(
        self, benchmark: Benchmark, fold: Fold, variants: Sequence[str]
    ) -> dict[str, base.LearnedFromFold]:
        # A calibrator of the chance that a document brings data, which all variants share.
        calibrator = self.fitted(benchmark, fold)
        return {variant: base.LearnedFromFold(calibrator) for variant in variants}

    def _states(self, case: Case) -> tuple[KnownEffect, ...]:
        assert isinstance(case.outcome, EffectOutcome)
        studies = case.outcome.studies
        engine = engine_for(studies.form, self.target.measure, self.engine)
        return effect_states(studies, self.target, engine, self.b_0)

    def paths(
        self, case: Case, learned: base.LearnedFromFold, payoffs: Sequence[Payoffs]
    ) -> list[CumulativePath]:
        assert case.outcome is not None
        p, states = self.calibrated(case, learned), self._states(case)
        studies = studies_after(case.outcome.positions, len(case.topic))
        return [CumulativePath(p, states, studies, stake, case.labels) for stake in payoffs]

    def truth(self, case: Case, payoffs: Sequence[Payoffs]) -> Flags:
        """Whether ω⁺ holds by all studies, for each of the payoffs, shape (Q,)."""
        b = self._states(case)[-1].b
        limits = [stake.q_star if self.truth_is == "full_evidence" else 0.5 for stake in payoffs]
        return b > np.array(limits) + TOLERANCE
