"""A review whose decision is not weighed: only the share of the relevant documents that was found counts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tarstop_core.calibration import calibrator as calibration
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.presentation.curves import found_curve
from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.messages import Messages
from tarstop_core.presentation.numbers import percent
from tarstop_core.screening.adaptive_chances import list_facts, still_unread
from tarstop_core.screening.advised import Advice, RecallFacts, ReviewFacts
from tarstop_core.screening.audit import overlooked_row, relevant_at_most
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.labels import RELEVANT, UNSURE, Label
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.state import State
from tarstop_core.value.path import Draws, ListPath
from tarstop_core.value.payoffs import Floats
from tarstop_core.value.unweighed import UnweighedPath


class Enough(Scenario[EnoughSettings]):
    """Whether enough was found, without belief and stakes."""

    message = Messages("screening/messages/enough.jinja")
    settings_class = EnoughSettings
    title = "Only: have I seen enough?"
    short = "Seen enough?"
    belongs = "For reviews in which you cannot or do not want to weigh a decision: what share of the relevant documents you have found."
    actions: ClassVar[Mapping[str, tuple[str, str]]] = {
        "Enough seen or not": ("Enough seen", "Not enough seen")
    }
    when = ("if enough was found", "if it was not")
    asked = ("What does the review ask?", "Its title, or its question in a sentence")
    sample = "review"
    belief_title = "recall"
    frozen = ("rule, recall to reach, calibrator", "rule, recall to reach, calibrator")
    reasons = "for example:\nwrong population\nwrong intervention\nno comparison"

    # --- chances and path

    def chance_of(self, settings: EnoughSettings) -> str:
        return calibration.INCLUSION

    def path(
        self, settings: EnoughSettings, calibrator: Calibrator, chances: Floats, state: State
    ) -> ListPath:
        # The path has the labels, and the forecast of what is unread at each depth.
        draws = None if state.drawn is None else Draws(state.drawn, np.asarray(state.labels == UNSURE))
        left = partial(still_unread, settings, calibrator, chances, state)
        return UnweighedPath(
            p=chances,
            labels=np.asarray(state.labels == RELEVANT),
            left=lambda _, depth: left(depth),
            draws=draws,
        )

    def has_starting_chance(self, settings: EnoughSettings) -> bool:
        return False

    # --- beside the advice

    def facts(
        self, settings: EnoughSettings, calibrator: Calibrator, path: ListPath, p: Floats, state: State
    ) -> RecallFacts:
        return RecallFacts(
            **list_facts(path.unread(state.depth), state),
            most=relevant_at_most(state, settings.recall_confidence),
        )

    def rows(self, advice: Advice, settings: EnoughSettings) -> list[tuple[str, str]]:
        facts = _facts(advice)
        rows = [
            ("Recall so far, estimated", self.message("recall", facts=facts, settings=settings)),
            ("Relevant documents probably still unread", self.message("unread", facts=facts)),
            *overlooked_row(facts),
        ]
        if facts.sure is not None:
            sure = f"with {percent(settings.recall_confidence)} confidence"
            if facts.overlooked is not None:
                sure = f"of what your readers recognise, {sure}"
            rows.append((f"Recall by the random draws, {sure}", f"at least {facts.sure_percent} %"))
        return rows

    def figure(self, advice: Advice, state: State, dark: bool = False) -> Figure:
        facts, plan = _facts(advice), state.depth + advice.more
        left = None if facts.left_is_open else facts.not_found
        return found_curve(state.came_true[: state.depth], left, plan=plan, since=state.kept, dark=dark)

    def decision_basis(
        self, advice: Advice, settings: EnoughSettings, option: int, spent: float
    ) -> dict[str, Any]:
        facts = _facts(advice)
        recall, low, high = facts.recall
        return {
            "relevant": facts.relevant,
            "unseen_expected": facts.left[0],
            # As on the page: while it is too early to tell, there is no number.
            "recall": None if facts.left_is_open else recall,
            "recall_low": low,
            "recall_high": high,
            "recall_sure": facts.sure,
        }

    def incomplete(self, advice: Advice, settings: EnoughSettings) -> str:
        return self.message("incomplete", advice=advice, settings=settings)

    # --- rows and names

    def counted(self, state: State) -> list[str]:
        return [f"{state.relevant:,} included"]

    def verdicts(self, settings: EnoughSettings) -> dict[Label, tuple[str, str]]:
        """Verdicts by title and abstract."""
        return {"relevant": ("Include", ""), "irrelevant": ("Exclude", ""), "unsure": ("Unsure", "")}

    def settings_rows(self, settings: EnoughSettings) -> list[tuple[str, str]]:
        target = settings.target
        return [
            ("Recall to reach", "none: the rule has none" if target is None else percent(target)),
            ("What the rule promises", self.message("promise", settings=settings)),
            ("Reading", "titles and abstracts"),
        ]

    def adjustable(self, settings: EnoughSettings) -> dict[str, str]:
        return {"stopping rule": settings.rule.in_words}

    # --- exports

    def columns(
        self, facts: ReviewFacts | RecallFacts | None, final: State, ids: Sequence[str], depth: int
    ) -> dict[str, Any]:
        if facts is None:
            return {}
        assert isinstance(facts, RecallFacts), "advice where nothing is weighed has its facts"
        # While it was too early to tell, no number was shown.
        recall, low, high = (None,) * 3 if facts.left_is_open else facts.recall
        unseen, _, most = (None,) * 3 if facts.left_is_open else facts.left
        columns = {"found": facts.relevant, "unseen_expected": unseen, "unseen_high": most}
        return columns | {"recall": recall, "recall_low": low, "recall_high": high, "recall_sure": facts.sure}


def _facts(advice: Advice) -> RecallFacts:
    """Facts of advice in this scenario."""
    assert isinstance(advice.facts, RecallFacts), "advice where nothing is weighed has its facts"
    return advice.facts


ENOUGH = Enough()
