"""What Set up asks where nothing is weighed: the recall to reach, and the rule that reaches it."""

import streamlit as st

from dashboard.frame.shell import caption
from dashboard.frame.widgets import lasting, switch
from dashboard.parts import chances, stopping
from dashboard.set_up.forms.base import Form
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.policies import Policy, Value
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.sessions.create import Documents

TARGETS, TARGET = (80, 90, 95, 99), 95  # Percent of recall: those offered, and the first


class EnoughForm(Form[EnoughSettings]):
    """A review whose decision is not weighed."""

    @property
    def target(self) -> float:
        """Recall to reach."""
        return float(st.session_state.get(f"{self.prefix}/target", TARGET)) / 100

    def judges_abstracts(self) -> bool:
        return True

    def stakes(self, start: EnoughSettings, simulated: bool, problems: list[str]) -> EnoughSettings:
        """Ask for the recall to reach; the rule that reaches it stands further down the page."""
        words, how = (
            "What share of the relevant documents do you want to find?",
            lasting(f"{self.prefix}/target"),
        )
        switch(words, {share: f"{share} %" for share in TARGETS}, **how, default=TARGET)
        return start

    def beside(self, settings: EnoughSettings) -> EnoughSettings:
        """Nothing is believed before reading."""
        return settings

    def coverage(
        self, settings: EnoughSettings, calibrator: Calibrator | None, chosen: Documents, count: int
    ) -> EnoughSettings:
        """Say what the rule does and promises."""
        promise = self.scenario.message("promise", settings=settings)
        caption(f"{settings.rule.title}: {settings.rule.rule} {promise}")
        return settings

    def policy(self, every: int) -> Policy:
        """Where documents are drawn at random, the rule that rests on them comes first."""
        given: dict[str, Value] = {"tau": self.target}
        if every:
            given["every"] = every
        first = "audit" if every else EnoughSettings.first_rule
        return chances.policy(first, titles=stopping.rules(bool(every)), given=given)
