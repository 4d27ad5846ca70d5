"""What a review's verdict says at a glance: of reports, of the floor, and of what it rests on."""

from tarstop_core.presentation.numbers import amount, number, percent
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.settings import Settings

LITTLE_STUDIES = 3
"""Studies below which a stop says that it rests on little."""


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
