"""The forms by scenario."""

from dashboard.set_up.forms.base import Form
from dashboard.set_up.forms.patent import PatentForm
from dashboard.set_up.forms.review import ReviewForm
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW

FORMS: dict[str, type[Form]] = {
    PATENT.name: PatentForm,
    REVIEW.name: ReviewForm,
}


def form_of(scenario: Scenario) -> Form:
    """What is asked for a scenario: its own form, or what every one asks."""
    return FORMS.get(scenario.name, Form)(scenario)
