"""Settings of a review whose decision is not weighed: which recall is to be reached."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from tarstop_core.policies import Policy
from tarstop_core.screening.settings import FOREIGN, Settings
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.unweighed import NOTHING_AT_STAKE

UNWEIGHED = (*FOREIGN, "payoffs", "cost", "b_0", "kappa", "s")
"""What the settings of a session that weighs nothing do not hold."""


@dataclass(frozen=True)
class EnoughSettings(Settings):
    """Settings of a review whose decision is not weighed: whether enough was found."""

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
        """Rules that are about recall, those that draw at random among them where the session does."""
        return not rule.acts_on_belief and (rule.needs_draws or not rule.needs_labels)

    @property
    def judges_abstracts(self) -> bool:
        return True

    @property
    def recall_confidence(self) -> float:
        rule = self.rule
        return float(rule.settings["confidence"]) if rule.needs_draws else super().recall_confidence

    def read_at_once(self) -> Self:
        """Labels that came along are in the order of the list: none of them decided what was read next."""
        return replace(self, learns=False)

    @property
    def target(self) -> float | None:
        """Recall that the rule is to reach; None for a rule without one."""
        target = self.rule.settings.get("tau")
        return target if isinstance(target, float) else None

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in super().to_dict().items() if name not in UNWEIGHED}
