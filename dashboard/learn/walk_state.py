"""The state of a lesson in one browser tab: the choices, which the address holds too, and whether it plays."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from dashboard.frame import address
from dashboard.frame.address import AddressParameter, finite, only
from tarstop_core.explore.lists import sample, samples
from tarstop_core.explore.plans import rules_of
from tarstop_core.policies import parse_policy
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.lesson import Lesson, lesson
from tarstop_core.value.stakes import REVIEW_EXAMPLE, SEARCH_EXAMPLE

PREFIX = "learn/walk"
LATE = 3.0
"""Seconds after the clock stopped in which its last redraw may still bring the old address."""
TAUGHT = {scenario.name: scenario for scenario in (PATENT, REVIEW)}
"""Scenarios with samples to walk through."""
EXAMPLES = {PATENT.name: SEARCH_EXAMPLE, REVIEW.name: REVIEW_EXAMPLE}
"""Stakes of the demo of each scenario."""
RULES = ("optimal", "look-ahead:m=20", "greedy", "smooth:K=5", "batch:K=10", "budget:d=100", "decide-now")
COSTS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
PACES = (0.5, 1.0, 2.0, 4.0)
USUAL_PACE = 2.0


@dataclass(frozen=True)
class LessonChoices:
    """The choices of a person for a lesson."""

    topic: str = "search:antenna-mount"  # Key of the sample
    rule: str = "optimal"  # Spec of the rule that the lesson follows
    q_star: float = 0.5
    cost: float = 0.001  # Cost of a document as a share of K, the loss of both mistakes together
    step: int = 0  # Documents read
    revealed: bool = False  # Whether the truth is shown before the end
    pace: float = USUAL_PACE  # Seconds per step while it plays

    @property
    def scenario(self) -> str:
        kind = self.topic.partition(":")[0]
        return next(name for name, scenario in TAUGHT.items() if scenario.sample == kind)

    @property
    def settings(self) -> Settings:
        """The settings of the sample at these stakes, in pounds as in the demos."""
        stakes = EXAMPLES[self.scenario].with_q_star(self.q_star).with_fraction(self.cost)
        return sample(self.topic).settings.with_stakes(stakes)

    @property
    def lesson(self) -> Lesson:
        """The rule followed on the list."""
        return lesson(self.topic, self.settings, parse_policy(self.rule, files=False))


_policy = only(partial(parse_policy, files=False), lambda policy: policy.name in rules_of("planned"))
_share = only(finite, lambda share: 0 < share < 1)
PARAMETERS = {
    "rule": AddressParameter("rule", lambda text: _policy(text).spec),
    "q_star": AddressParameter("q", _share, "{:g}".format),
    "cost": AddressParameter("c", _share, "{:g}".format),
    "step": AddressParameter("step", lambda text: max(0, int(finite(text)))),
    "revealed": AddressParameter(
        "shown", lambda text: text == "yes", lambda revealed: "yes" if revealed else ""
    ),
    "pace": AddressParameter(
        "pace", only(finite, PACES.__contains__), lambda pace: "" if pace == USUAL_PACE else f"{pace:g}"
    ),
}
NAMES = ("scenario", "topic", *(parameter.name for parameter in PARAMETERS.values()))
"""The parameters of the address."""


def read_address(given: Mapping[str, str]) -> LessonChoices:
    """Return the choices in an address; one that cannot be read is ignored."""
    first = LessonChoices()
    titles = samples(TAUGHT.get(given.get("scenario", ""), PATENT).sample)
    usual = first.topic if first.topic in titles else next(iter(titles))
    named = f"{usual.partition(':')[0]}:{given.get('topic', '')}"
    return address.read(PARAMETERS, given, replace(first, topic=named if named in titles else usual))


def address_of(choices: LessonChoices) -> dict[str, str]:
    """Return the parameters that :func:`read_address` reads back."""
    topic = choices.topic.partition(":")[2]
    return {"scenario": choices.scenario, "topic": topic, **address.texts(PARAMETERS, choices)}


@dataclass
class Walk:
    """A lesson in one browser tab: its choices, and whether it plays."""

    choices: LessonChoices
    written: dict[str, str]  # Address that the page wrote last; a different one was entered by a person
    playing: bool = False
    ticking: bool = False  # Whether the page redraws by itself, which follows `playing` at the next full run
    moved: float = 0.0  # Time of the last step, in seconds
    before: dict[str, str] = field(default_factory=dict)  # Address while it played last
    halted: float = 0.0  # Time at which the clock stopped, in seconds
    epoch: int = 0
    """Lessons opened from addresses in this tab. It is part of the widgets' keys: a widget whose value the page changes
    would report the old value as a person's choice.
    """

    def key(self, name: str) -> str:
        return f"{PREFIX}/{self.epoch}/{name}"

    def go(self, step: int, *, playing: bool = False) -> None:
        """Go to a step, at most to the one at which the rule stops."""
        end = self.choices.lesson.stop
        self.choices = replace(self.choices, step=min(max(step, 0), end))
        self.playing = playing and self.choices.step < end
        self.moved = time.monotonic()

    def play(self, wanted: bool) -> None:
        """Play or pause, by the label of the button, so that a key press that arrives twice changes nothing."""
        self.playing, self.moved = wanted, time.monotonic()

    def reveal(self) -> None:
        """Show the truth, or hide it again."""
        self.choices = replace(self.choices, revealed=not self.choices.revealed)

    def ask(self, **changed: Any) -> None:
        """Start another lesson with changed choices."""
        self.choices = replace(self.choices, **changed, step=0, revealed=False)
        self.playing = False
