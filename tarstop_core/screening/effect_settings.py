"""Settings of a review of an intervention: measure, smallest effect that matters, and more."""

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from tarstop_core.documents.reports import EffectRow, Report
from tarstop_core.effects.absolute import difference_of_delta
from tarstop_core.effects.beliefs import POOLED, EffectTarget, engine_for
from tarstop_core.effects.measures import ENGINES, Engine, Measure
from tarstop_core.effects.studies import EVENT_MEASURES, forms_of
from tarstop_core.errors import InputProblem
from tarstop_core.screening.settings import ReviewThreshold, StudySettings

OTHER_QUESTIONS = ("theta", "prior")
"""Settings of reviews of accuracy, which files of these settings leave out."""


@dataclass(frozen=True)
class EffectSettings(StudySettings):
    """Settings of a review of an intervention, in which studies of its effect add up."""

    outcome: str = ""  # Name of the outcome: "stroke", "days in hospital"
    measure: str = "OR"  # A value of :class:`~tarstop_core.effects.measures.Measure`
    ratio: bool = False  # Whether generic estimates are ratios, as hazard ratios are
    delta: float = 1.0  # The smallest effect that matters, in the measure's unit
    above: bool = False  # Whether effects above δ are the good ones; otherwise those below
    baseline: float | None = None  # Risk without the intervention, if δ was entered in numbers of people
    engine: str = ""
    """"exact" or "normal"; if empty, exact for an OR of events and normal otherwise."""

    scenario: ClassVar[str] = "effect"
    threshold_field: ClassVar[str] = "delta"
    learns_first: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.measure not in list(Measure):
            raise InputProblem(f"The measure is '{self.measure}'; choose {' or '.join(Measure)}.")
        if self.engine and (self.engine in POOLED or self.engine not in ENGINES):
            raise InputProblem(f"The engine is '{self.engine}'; choose exact or normal.")
        # These refuse a ratio below 0, and an engine that does not suit the measure.
        _ = self.target, self.used_engine

    @property
    def kind(self) -> Measure:
        """The measure of the effect."""
        return Measure(self.measure)

    @property
    def is_ratio(self) -> bool:
        """Whether the scale of analysis is the logarithm of the measure."""
        return self.kind.is_ratio or (self.kind is Measure.GENERIC and self.ratio)

    @property
    def target(self) -> EffectTarget:
        """The condition that the effect is to meet: beyond δ, on the good side."""
        return EffectTarget(self.kind, self.delta, self.above, self.is_ratio)

    @property
    def threshold(self) -> ReviewThreshold:
        asked, least = "Smallest effect that matters (δ)", 0.001 if self.is_ratio else None
        return ReviewThreshold(self.delta, "δ", asked, "smallest-effect", is_share=False, least=least)

    @property
    def used_engine(self) -> Engine:
        """The engine that computes the belief."""
        return engine_for(
            forms_of(self.kind)[0], self.kind, cast(Engine, self.engine) if self.engine else None
        )

    @property
    def prevented(self) -> float | None:
        """Events among 1,000 people treated that δ prevents, negative if it adds some; None without a baseline risk."""
        if self.baseline is None or self.kind not in EVENT_MEASURES:
            return None
        return difference_of_delta(self.kind, self.baseline, self.delta)

    def counts(self, report: Report) -> bool:
        return all(isinstance(row, EffectRow) and self.kind in row.form.measures for row in report.rows)

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in super().to_dict().items() if name not in OTHER_QUESTIONS}
