"""The questions of Set up for a review of an intervention."""

from dataclasses import replace

import streamlit as st

from dashboard.frame.widgets import explained, lasting
from dashboard.parts import effect
from dashboard.set_up.forms.studies import StudyForm
from tarstop_core.effects.measures import Measure
from tarstop_core.screening.effect_settings import EffectSettings

TRUTHS = {
    "pooled": ("The average effect", "Whether it really is beyond the smallest that matters."),
    "full_evidence": ("The whole list", "What you would have done after screening everything."),
}
ENGINES = {
    "exact": (
        "Counts of events, exactly",
        "Nothing is added to empty cells; uses each study's total of events.",
    ),
    "normal": ("An estimate with its error", "As in most reviews; half an event is added to empty cells."),
}


class EffectForm(StudyForm[EffectSettings]):
    """A review of an intervention, in which effects add up."""

    truths, brought, share_is_measured = TRUTHS, "an effect", False

    def stakes(self, start: EffectSettings, simulated: bool, problems: list[str]) -> EffectSettings:
        """Ask for the measure and the effect that is enough, then for the stakes."""
        stages = 2 if self.judges_abstracts() else 1
        asked = effect.ask(self.prefix, replace(start, stages=stages), problems)
        return super().stakes(asked, simulated, problems)

    def more(self, settings: EffectSettings, simulated: bool) -> EffectSettings:
        """Ask for paper mode, stages, the share of reports with an effect, truth, floors and engine."""
        paper = self.paper_mode_asked()
        left, right = st.columns(2, gap="large")
        with left:
            settings = self.reading(settings, simulated)
        with right:
            settings = self.stopping(settings, simulated)
            if settings.kind is Measure.OR:
                engine = explained("Where the belief comes from", ENGINES, **lasting(f"{self.prefix}/engine"))
                settings = replace(settings, engine=engine)
            settings = self.least(settings)
        return settings.paper_mode() if paper else settings
