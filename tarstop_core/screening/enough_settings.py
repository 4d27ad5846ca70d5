"""Settings of a review whose decision is not weighed: only recall counts."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from tarstop_core.policies import Policy
from tarstop_core.screening.settings import FOREIGN, Settings
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.unweighed import NOTHING_AT_STAKE

UNWEIGHED = (*FOREIGN, "payoffs", "cost", "b_0", "kappa", "s")
"""Settings that files of these settings leave out."""


@dataclass(frozen=True)
class EnoughSettings(Settings):
    """Settings of a review that only asks whether enough was found, without payoffs and costs."""

    payoffs: Payoffs = NOTHING_AT_STAKE
    cost: float = 0.0
    plus: str = "Enough seen"
    minus: str = "Not enough seen"
    chances_follow: bool = True

    scenario: ClassVar[str] = "enough"
    first_rule: ClassVar[str] = "few-left"
    learns_first: ClassVar[bool] = True
    weighs: ClassVar[bool] = False
    unfit: ClassVar[str] = "weighs consequences, or needs labels that nobody has"

    @classmethod
    def beginning(cls, **own: Any) -> Self:
        return cls(**own)

    @classmethod
    def may_follow(cls, rule: type[Policy]) -> bool:
        """Whether a rule suits: one that does not act on the belief, and knows no labels except those of audit draws."""
        return not rule.acts_on_belief and (rule.needs_draws or not rule.needs_labels)

    @property
    def judges_abstracts(self) -> bool:
        return True

    @property
    def recall_confidence(self) -> float:
        rule = self.rule
        return float(rule.settings["confidence"]) if rule.needs_draws else super().recall_confidence

    def read_at_once(self) -> Self:
        # Labels that came with a list are replayed in its order: none of them decided what was read next.
        return replace(self, learns=False)

    @property
    def target(self) -> float | None:
        """Recall that the rule is to reach; None for a rule without a target."""
        target = self.rule.settings.get("tau")
        return target if isinstance(target, float) else None

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in super().to_dict().items() if name not in UNWEIGHED}
