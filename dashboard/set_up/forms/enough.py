"""The questions of Set up if no decision is weighed: the recall to reach, and the rule."""

import streamlit as st

from dashboard.frame.shell import caption
from dashboard.frame.widgets import lasting, switch
from dashboard.parts import chances, stopping
from dashboard.set_up.forms.base import ScenarioForm
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.policies import Policy, Value
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.sessions.create import ChosenDocuments

TARGETS, TARGET = (80, 90, 95, 99), 95
"""Recalls on offer, and the default, in per cent."""


class EnoughForm(ScenarioForm[EnoughSettings]):
    """A review whose decision is not weighed."""

    @property
    def target(self) -> float:
        """Recall to reach."""
        return float(st.session_state.get(f"{self.prefix}/target", TARGET)) / 100

    def judges_abstracts(self) -> bool:
        return True

    def unanswered(self, simulated: bool) -> list[str]:
        return []

    def stakes(self, start: EnoughSettings, simulated: bool, problems: list[str]) -> EnoughSettings:
        """Ask for the recall to reach; the rule that reaches it stands further down the page."""
        words = "What share of the relevant documents do you want to find?"
        options = {share: f"{share} %" for share in TARGETS}
        switch(words, options, **lasting(f"{self.prefix}/target"), default=TARGET)
        return start

    def beside(self, settings: EnoughSettings) -> EnoughSettings:
        """Ask nothing: there is no starting chance."""
        return settings

    def coverage(
        self, settings: EnoughSettings, calibrator: Calibrator | None, chosen: ChosenDocuments, count: int
    ) -> EnoughSettings:
        """Say what the rule does and promises."""
        promise = self.scenario.message("promise", settings=settings)
        caption(f"{settings.rule.title}: {settings.rule.rule} {promise}")
        return settings

    def policy(self, every: int) -> Policy:
        """Ask which rule advises; if documents are drawn at random, the default is the rule that needs them."""
        given: dict[str, Value] = {"tau": self.target}
        if every:
            given["every"] = every
        first = "audit" if every else EnoughSettings.first_rule
        return chances.policy(first, titles=stopping.rules(bool(every)), given=given)
