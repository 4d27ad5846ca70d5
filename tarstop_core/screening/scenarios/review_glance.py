"""What a reviewer sees beside every advice, and what the verdict says of it at a glance."""

from dataclasses import dataclass

from tarstop_core.presentation.numbers import amount, number, percent
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.settings import Settings

LITTLE_STUDIES = 3
"""Studies below which a stop says that it rests on little."""


COULD_CHANGE = 0.01
"""Chance from which waiting reports count as able to change the decision."""


@dataclass(frozen=True)
class ReviewFacts:
    """What a reviewer sees beside every advice."""

    studies: int
    """2×2 tables that count."""
    waiting: int
    """Included reports that were not read in full yet."""
    report_worth: float
    report_cost: float
    """`report_worth` and `report_cost`: what one waiting report is worth now, and what reading it in full costs, in the
    payoffs' unit.
    """
    reports_to_read: int
    """How many of the waiting reports pay."""
    reports_may_change: float
    """Chance that the waiting reports, all bringing data, would lead to the other action."""
    otherwise: float
    """Chance that what is left, waiting reports and list, would lead to the other action: as many studies as may come."""
    disagreement: float
    """Chance that the action on stopping now is not that of the truth the session is held against."""
    plan: int
    """The m of "Screen about m more": the best plan; 0 where none gains."""
    left: tuple[float, float, float]
    """Relevant documents probably still unread: expected number, and an interval of 90 %."""
    share: tuple[float, float, float]
    """P(data | included): mean, and an interval of 90 %."""
    diseased: int = 0
    """Patients with the disease in the tables that count."""
    needed: int = 0
    """Further studies before a⁺ may be taken, as settings ask for a least number."""

    @property
    def reports_first(self) -> bool:
        """Whether reading waiting reports pays."""
        return self.reports_to_read > 0

    @property
    def reports_open(self) -> bool:
        """Whether waiting reports could change the decision: no rule says stop meanwhile."""
        return self.waiting > 0 and (self.reports_first or self.reports_may_change > COULD_CHANGE)


class AtAGlance(Scenario):
    """The few words of a review; its other ones stand in the file beside this one."""

    def still_changes(self, advice: Advice, settings: Settings) -> str:
        """Nothing where nothing is left."""
        told = advice.facts
        if advice.depth >= advice.documents and not told.waiting:
            return ""
        share = 100 * told.otherwise
        about = "fewer than 1" if share < 1 else "over 99" if share > 99 else f"about {share:.0f}"
        return f"With all that is left read, the decision would turn in {about} of 100 such reviews."

    def first_in_brief(self, advice: Advice, settings: Settings) -> str:
        told, unit = advice.facts, settings.payoffs.unit
        which = "the waiting report" if told.waiting == 1 else f"the {told.waiting:,} waiting reports"
        if not told.reports_first:
            chance = percent(told.reports_may_change)
            return (
                f"{which[0].upper()}{which[1:]} could still change the decision, with a chance of {chance}."
            )
        if told.waiting > told.reports_to_read:
            which = f"{told.reports_to_read:,} of {which}"
        if not told.report_cost:
            return f"Reading {which} costs nothing more, and may tell."
        pays = number(float(f"{told.report_worth / told.report_cost:.2g}"))
        against = (
            f" ({amount(told.report_worth, unit)} against {amount(told.report_cost, unit)})" if unit else ""
        )
        return f"Reading {which} pays back {pays} times what it costs{against}."

    def held_up(self, advice: Advice, settings: Settings) -> str:
        """A floor on the chance of the right decision."""
        if not advice.floor_holds:
            return ""
        return (
            f"The rule alone would stop; your floor of {percent(settings.floor)} on the chance of the right "
            "decision does not allow it yet."
        )

    def right(self, advice: Advice) -> float:
        """By the truth that the session is held against."""
        return 1 - float(advice.facts.disagreement)

    def rests_on(self, advice: Advice) -> str:
        """Studies, patients, and what is probably still unread."""
        told = advice.facts
        unread = f"about {number(round(told.left[0]))} relevant probably unread"
        if not told.studies:
            return f"no study yet; {unread}"
        studies = "1 study" if told.studies == 1 else f"{told.studies:,} studies"
        return f"{studies}, {told.diseased:,} with the disease; {unread}"

    def little(self, advice: Advice) -> bool:
        return bool(advice.facts.studies < LITTLE_STUDIES)
