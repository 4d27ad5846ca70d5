"""The questions of Set up for every review in which studies accumulate."""

from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import streamlit as st

from dashboard.frame.shell import caption, escape_markdown, term
from dashboard.frame.widgets import explained, lasting, one_of, whole_percent
from dashboard.set_up.forms.base import ScenarioForm
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.presentation.html import IN_PRINT
from tarstop_core.presentation.numbers import INTERVAL_LEVEL, amount, percent
from tarstop_core.samples import shipped
from tarstop_core.screening.settings import StudySettings
from tarstop_core.value.stakes import FULL_TIMES

T = TypeVar("T", bound=StudySettings)
SURENESS = 10
"""Default number of reports that a person's own expectation counts as."""


class StudyForm(ScenarioForm[T]):
    """A review in which studies accumulate.

    Answers further down the page that change questions above them are read from the session state.
    """

    truths: dict[str, tuple[str, str]]  # Definitions of the right decision, each with its help
    brought: str  # Name of the data of a report, such as "a 2×2 table"
    rests_on: ClassVar[dict[str, tuple[str, int, int]]] = {"studies": ("studies", 100, 1)}
    """Minimums that the first action may need: words, the largest minimum, and the step of the field."""
    share_is_measured: ClassVar[bool] = True
    """Whether the shipped share of reports with data was measured on reviews of this kind."""

    @property
    def in_paper_mode(self) -> bool:
        """Whether each document is read together with its study, and there are no floors."""
        return bool(st.session_state.get(f"{self.prefix}/paper", False))

    def judges_abstracts(self) -> bool:
        """Whether labels judge title and abstract, which they do in two stages."""
        return not self.in_paper_mode and st.session_state.get(f"{self.prefix}/stages") in (None, 2)

    def beside(self, settings: T) -> T:
        """Ask for the cost of a report in full, if there are two stages, and for the starting chance."""
        if settings.two_stages:
            settings = replace(settings, full_cost=self.full_cost(settings))
        return super().beside(settings)

    def reading(self, settings: T, simulated: bool) -> T:
        """Ask in how many stages documents are read and, if in two, how many reports bring data."""
        stages = {
            2: (
                "Titles and abstracts first, reports later",
                "Only the full text shows what a report contains.",
            ),
            1: ("Each document with its data at once", "As in the paper."),
        }
        how = lasting(f"{self.prefix}/stages") | {"disabled": self.in_paper_mode}
        explained("How do you read?", stages, **how)
        if settings.two_stages:
            settings = replace(settings, data_share=self._extraction_rate(simulated))
        return settings

    def stopping(self, settings: T, simulated: bool) -> T:
        """Ask for the definition of the right decision, and for the floors that a rule must reach before it may stop."""
        truth = explained("What counts as the right decision", self.truths, **lasting(f"{self.prefix}/truth"))
        paper = self.in_paper_mode
        floor = self._floor(paper or bool(settings.payoffs.others))
        floor_studies = self._floor_studies(paper, simulated)
        return replace(settings, truth=truth, chances_follow=True, floor=floor, floor_studies=floor_studies)

    def paper_mode_asked(self) -> bool:
        """Ask whether each document is read together with its study."""
        return st.toggle(
            "Paper mode",
            **lasting(f"{self.prefix}/paper"),
            help=f"{term('paper-mode', 'As in the published experiments')}: each document is read with {self.brought} at "
            "once, and a rule may stop at any time.",
        )

    def full_cost(self, settings: T) -> float:
        """Ask for the cost of reading a report in full, and return it in the payoffs' unit."""
        asked, how = (
            "One report in full costs as much as how many abstracts?",
            lasting(f"{self.prefix}/times"),
        )
        times = st.number_input(asked, 0.0, 10_000.0, FULL_TIMES, step=1.0, format="%g", **how)
        cost, unit = times * settings.cost, settings.payoffs.unit
        sentences = [f"A report in full costs {amount(cost, unit)}."] if unit else []
        if times == FULL_TIMES:
            sentences.append(f"{FULL_TIMES:g} is an example; say what your reports cost.")
        if not settings.cost:
            sentences = [
                "Titles and abstracts cost nothing, so reports cost nothing either; give the first a small cost to compare both."
            ]
        caption(" ".join(sentences))
        return cost

    def _extraction_rate(self, simulated: bool) -> ExtractionRate:
        """Ask for the share of included reports that bring data, P(data | included), with its uncertainty."""
        learned = shipped.extraction_rate(simulated=simulated)
        choices = {
            "learned": f"{'As in' if self.share_is_measured else 'A guess from'} {learned.topics:,} "
            f"{'simulated' if simulated else 'diagnostic'} reviews",
            "own": "My own expectation",
            "open": "I do not know",
        }
        asked = f"How many of the included reports bring {self.brought}?"
        chosen = one_of(asked, choices, **lasting(f"{self.prefix}/share/{learned.source}"))
        share = learned if chosen == "learned" else ExtractionRate()
        if chosen == "own":
            left, right = st.columns(2, gap="medium")
            mean = whole_percent("Expected share", 50, at=left, **lasting(f"{self.prefix}/share/mean"))
            words, how = "As sure as after reading … reports", lasting(f"{self.prefix}/share/sure")
            sure = right.number_input(words, 1, 1000, SURENESS, **how)
            share = ExtractionRate(sure * mean / 100, sure * (1 - mean / 100))
        low, high = share.interval()
        source, learned_from = "", share.source.translate(IN_PRINT)
        if share.topics and self.share_is_measured:
            source = f" Learned from {learned_from}."
        elif share.topics:
            source = f" For interventions it was never measured: this guess comes from {learned_from}. Change it if you know better."
        caption(
            f"{percent(share.mean)} expected, {percent(low)} to {percent(high)} with {percent(INTERVAL_LEVEL)} probability; every report "
            f"you read in full corrects it.{source}"
        )
        return share

    def _floor(self, disabled: bool) -> float:
        floor = whole_percent(
            "Never say stop while the chance of the right decision is below",
            0,
            low=0,
            disabled=disabled,
            **lasting(f"{self.prefix}/floor"),
            help="A rule that weighs consequences may stop while quite unsure, if more "
            f"certainty is not worth its cost. This {term('floor', 'minimum')} overrules it.",
        )
        until = f"Screening goes on until you are {floor} % sure of the right decision, or the list ends."
        st.caption(until if floor else "0 %: the rule alone decides.")
        return floor / 100

    def _floor_studies(self, paper: bool, simulated: bool) -> int:
        """Ask for the least number of studies; the default of a sample is 0, so that it ends soon."""
        first = 0 if simulated else StudySettings.first_floor_studies
        how = lasting(f"{self.prefix}/floor/{'sample' if simulated else 'studies'}")
        studies = st.number_input(
            "Never say stop before … studies with data are in", 0, 100, first, disabled=paper, **how
        )
        st.caption(
            "0: the rule alone decides. This minimum gives way if the list probably contains fewer, or if finding them "
            "would cost more than certainty is worth."
        )
        return int(studies)

    def least(self, settings: T) -> T:
        """Ask for the least evidence on which the first action may rest."""
        st.markdown(escape_markdown(f"Never choose “{settings.plus}” on fewer than"))
        paper, least = self.in_paper_mode, dict[str, Any]()
        columns = st.columns(len(self.rests_on), gap="medium")
        for column, (name, (words, most, step)) in zip(columns, self.rests_on.items(), strict=True):
            how = lasting(f"{self.prefix}/least/{name}") | {"step": step, "disabled": paper}
            asked = int(column.number_input(words, 0, most, 0, **how))
            least[f"least_{name}"] = 0 if paper else asked
        return replace(settings, **least)
