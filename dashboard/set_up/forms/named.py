"""The form of each scenario."""

from typing import Any

from dashboard.set_up.forms.base import Form
from dashboard.set_up.forms.effect import EffectForm
from dashboard.set_up.forms.enough import EnoughForm
from dashboard.set_up.forms.patent import PatentForm
from dashboard.set_up.forms.review import ReviewForm
from tarstop_core.screening.scenarios.effect import EFFECT
from tarstop_core.screening.scenarios.enough import ENOUGH
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW

FORMS: dict[str, type[Form[Any]]] = {
    PATENT.name: PatentForm,
    REVIEW.name: ReviewForm,
    EFFECT.name: EffectForm,
    ENOUGH.name: EnoughForm,
}
"""By scenario; one without a line asks what every scenario asks."""
