"""A review of an intervention: studies of its effect add up, and the effect must be beyond the smallest that matters."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.reports import Collected, EffectRow, StudyRow, rows_of_studies, studies_of
from tarstop_core.effects.beliefs import belief_of_effect
from tarstop_core.effects.studies import Studies, forms_of
from tarstop_core.evidence.effect_report import drawn_effects
from tarstop_core.evidence.effect_words import rival_sentence
from tarstop_core.evidence.effects import EffectEvidence, effect_evidence
from tarstop_core.evidence.words import Actions
from tarstop_core.files.effect_tables import as_effects, read_effects
from tarstop_core.presentation.messages import Messages
from tarstop_core.presentation.numbers import INTERVAL_LEVEL, alike, number, percent
from tarstop_core.screening.advised import Advice, EffectFacts, ReviewFacts
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.scenarios.studies import StudyScenario
from tarstop_core.screening.state import State
from tarstop_core.screening.typed_numbers import TypedEffect
from tarstop_core.value.effects import KnownEffect, effect_states
from tarstop_core.value.outcomes import ReviewPath, pooled_range
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Floats

# Quantiles: median, and the ends of an interval
LEVELS = np.array([0.5, (1 - INTERVAL_LEVEL) / 2, (1 + INTERVAL_LEVEL) / 2])
Z = 1.959964  # standard errors to the ends of an interval of 95 %


def effect_studies(settings: EffectSettings, studies: Collected) -> Studies:
    """The studies of a session, all in the same form of data."""
    return studies_of(studies.rows, forms_of(settings.kind)[0], settings.is_ratio)


class Effect(StudyScenario[EffectSettings]):
    """Whether an intervention does enough, by the effects that reports bring."""

    message = Messages("screening/messages/effect.jinja", REVIEW.message)
    settings_class = EffectSettings
    title = "What an intervention does"
    short = "Intervention effect"
    actions: ClassVar[Mapping[str, tuple[str, str]]] = {"Adopt or Don’t adopt": ("Adopt", "Don’t adopt")}
    when = ("if the effect is large enough", "if it is not")
    belief_title = "chance it does enough"
    sample = "review of trials"
    frozen = (
        "rule, measure, smallest effect that matters, q\\*, costs, starting chance, calibrator",
        "rule, measure, smallest effect that matters, q*, costs, floor, starting chance, calibrator",
    )
    reasons = "for example:\nwrong population\nwrong intervention\nno comparison\nanother outcome"
    example = "If about one in three such interventions does this much, say 33 %."
    find = "an effect"
    finds = ("effect", "effects")
    sheet = "Effects"

    # --- chances and path

    def states(
        self, settings: EffectSettings, studies: Collected, *, last_only: bool = False
    ) -> Sequence[KnownEffect]:
        states = effect_states(
            effect_studies(settings, studies), settings.target, settings.used_engine, settings.b_0
        )
        return states[-1:] if last_only else states

    def threshold_in_words(self, settings: EffectSettings) -> str:
        return self.message("threshold", settings=settings)

    def rows_of_file(
        self, settings: EffectSettings, source: BinaryIO, name: str
    ) -> tuple[Sequence[EffectRow], Sequence[str]]:
        studies, notes = read_effects(source, name)
        return rows_of_studies(studies), notes

    def rows_given(self, given: Any, settings: EffectSettings) -> list[StudyRow]:
        studies = as_effects(given)
        if len(studies):
            studies.sizes(settings.kind, settings.is_ratio)  # refuses columns that do not give the measure
        return [*rows_of_studies(studies)]

    def badges(self, settings: EffectSettings) -> list[str]:
        prior = f"weak prior, b₀ = {number(settings.b_0)}"
        return [self.message("engine", settings=settings), prior, *super().badges(settings)]

    def entry(self, settings: EffectSettings) -> TypedEffect:
        return TypedEffect(settings.kind, settings.is_ratio)

    # --- beside the advice

    def facts(
        self, settings: EffectSettings, calibrator: Calibrator, path: ListPath, p: Floats, state: State
    ) -> EffectFacts:
        # Tempering 1: past reviews of interventions have taught nothing yet.
        own, studies = cast(ReviewPath, path), effect_studies(settings, state.evidence)
        shared, to_come = self.shared_facts(settings, calibrator, own, p, state, 1.0)
        now = cast(KnownEffect, own.states[-1])
        belief = belief_of_effect(studies, settings.target, settings.used_engine, settings.b_0)
        middle, low, high = now.share_of_settings(LEVELS).tolist()
        mean, sd = now.pooled
        ends = (mean, mean - Z * sd, mean + Z * sd)
        return EffectFacts(
            **shared,
            estimate=cast(tuple[float, float, float], tuple(in_unit(settings, end) for end in ends))
            if len(studies)
            else None,
            new_setting=cast(float, belief.new_setting),
            settings_beyond=(middle, low, high),
            may_end=pooled_range(now, to_come, unit=lambda end: in_unit(settings, end))
            if len(studies)
            else None,
        )

    def own_rows(self, facts: ReviewFacts, settings: EffectSettings) -> list[tuple[str, str]]:
        assert isinstance(facts, EffectFacts), "advice of a review of an intervention has its facts"
        rows = [
            ("Chance that it does enough in a new setting", percent(facts.new_setting)),
            ("Share of settings in which it does enough", self.message("settings_beyond", facts=facts)),
        ]
        if facts.estimate is not None:
            rows.insert(
                0, ("Average effect so far", self.message("estimate", facts=facts, settings=settings))
            )
        if facts.may_end is not None:
            ends = " to ".join(alike(facts.may_end, beside=settings.delta))
            rows.append(("Average effect after reading all that is left", ends))
        return rows

    def decision_basis(
        self, advice: Advice, settings: EffectSettings, option: int, spent: float
    ) -> dict[str, Any]:
        facts = cast(EffectFacts, advice.facts)
        return super().decision_basis(advice, settings, option, spent) | {
            "measure": settings.measure,
            "delta": settings.delta,
            "direction": "above" if settings.above else "below",
            "engine": settings.used_engine,
            "new_setting": facts.new_setting,
        }

    def pooled(self, settings: EffectSettings, state: State) -> str:
        """Sentences on the average effect so far and on the range in other settings."""
        if not len(state.evidence):
            return ""
        studies = effect_studies(settings, state.evidence)
        belief = belief_of_effect(studies, settings.target, settings.used_engine, settings.b_0)
        assert belief.mu is not None and belief.se is not None and belief.prediction is not None
        ends = (belief.mu, belief.mu - Z * belief.se, belief.mu + Z * belief.se, *belief.prediction)
        return self.message(
            "pooled_so_far",
            settings=settings,
            studies=len(studies),
            ends=[in_unit(settings, end) for end in ends],
            belief=belief,
        )

    def evidence(self, settings: EffectSettings, state: State) -> EffectEvidence:
        """What the studies show by the measure, δ and engine of the session."""
        studies = effect_studies(settings, state.evidence)
        return effect_evidence(studies, settings.target, settings.used_engine, settings.b_0)

    def drawn(self, settings: EffectSettings, state: State, simulated: bool) -> list[tuple[str, str]]:
        return drawn_effects(self.evidence(settings, state), settings.payoffs, simulated)

    def second_opinion(self, settings: EffectSettings, state: State) -> str:
        actions = Actions(settings.plus, settings.minus, others=settings.actions[2:])
        return rival_sentence(self.evidence(settings, state), settings.payoffs, actions)

    def notes(self, settings: EffectSettings, state: State) -> Sequence[str]:
        return effect_studies(settings, state.evidence).oddities(settings.kind, settings.is_ratio)

    # --- rows and names

    def lacking(self, settings: EffectSettings, state: State) -> str:
        """Clause on the least number of studies that the settings require; empty if there are as many."""
        return (
            "" if len(state.evidence) >= settings.least_studies else self.message("least", settings=settings)
        )

    def settings_rows(self, settings: EffectSettings) -> list[tuple[str, str]]:
        rows = [
            ("Outcome", settings.outcome or "not named"),
            ("Measure", self.message("measure", settings=settings)),
            ("Smallest effect that matters (δ)", self.message("smallest", settings=settings)),
            ("Belief computed by", self.message("engine", settings=settings)),
        ]
        return [*rows, *super().settings_rows(settings)]

    def adjustable(self, settings: EffectSettings) -> dict[str, str]:
        return {"δ": number(settings.delta), **super().adjustable(settings)}


def in_unit(settings: EffectSettings, value: float) -> float:
    """A value on the scale of analysis in the unit of the measure."""
    return math.exp(value) if settings.is_ratio else value


EFFECT: Effect = Effect()
