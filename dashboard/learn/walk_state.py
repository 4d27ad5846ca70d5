"""Where a browser tab is in a walk through a lesson: what is asked of it, as the address says it, and whether it plays."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from dashboard.frame import address
from dashboard.frame.address import Parameter, finite, only
from tarstop_core.explore.lists import sample, samples
from tarstop_core.explore.plans import rules_of
from tarstop_core.policies import parse_policy
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.lesson import Lesson, lesson
from tarstop_core.value.stakes import REVIEW_EXAMPLE, SEARCH_EXAMPLE

PREFIX = "learn/walk"
LATE = 3.0  # seconds
"""For which the clock's last redraw, asked for before the address changed, may still bring the old address."""
TAUGHT = {scenario.name: scenario for scenario in (PATENT, REVIEW)}
"""Scenarios that have samples to walk through."""
EXAMPLES = {PATENT.name: SEARCH_EXAMPLE, REVIEW.name: REVIEW_EXAMPLE}
"""What is at stake in the demo of each."""
RULES = ("optimal", "look-ahead:m=20", "greedy", "smooth:K=5", "batch:K=10", "budget:d=100", "decide-now")
COSTS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
PACES = (0.5, 1.0, 2.0, 4.0)
USUAL_PACE = 2.0


@dataclass(frozen=True)
class Asked:
    """What a person asks of the lesson."""

    topic: str = "search:antenna-mount"  # Key of a sample: "search:antenna-mount"
    rule: str = "optimal"  # Of the rule followed
    q_star: float = 0.5
    cost: float = 0.001  # As a share of what both mistakes cost together
    step: int = 0  # Documents read
    revealed: bool = False  # Whether the truth is revealed before the end
    pace: float = USUAL_PACE  # Seconds a step takes when it plays

    @property
    def scenario(self) -> str:
        kind = self.topic.partition(":")[0]
        return next(name for name, scenario in TAUGHT.items() if scenario.sample == kind)

    @property
    def settings(self) -> Settings:
        """The sample's own, at these stakes, in the pounds of the demos."""
        stakes = EXAMPLES[self.scenario].with_q_star(self.q_star).with_fraction(self.cost)
        return sample(self.topic).settings.with_stakes(stakes)

    @property
    def lesson(self) -> Lesson:
        """The rule followed on the list."""
        return lesson(self.topic, self.settings, parse_policy(self.rule, files=False))


_policy = only(partial(parse_policy, files=False), lambda policy: policy.name in rules_of("planned"))
_share = only(finite, lambda share: 0 < share < 1)
PARAMETERS = {
    "rule": Parameter("rule", lambda text: _policy(text).spec),
    "q_star": Parameter("q", _share, "{:g}".format),
    "cost": Parameter("c", _share, "{:g}".format),
    "step": Parameter("step", lambda text: max(0, int(finite(text)))),
    "revealed": Parameter("shown", lambda text: text == "yes", lambda revealed: "yes" if revealed else ""),
    "pace": Parameter(
        "pace", only(finite, PACES.__contains__), lambda pace: "" if pace == USUAL_PACE else f"{pace:g}"
    ),
}
NAMES = ("scenario", "topic", *(parameter.name for parameter in PARAMETERS.values()))
"""The parameters of the address."""


def read_address(given: Mapping[str, str]) -> Asked:
    """Return what an address asks for; what cannot be read is as it would be without it."""
    first = Asked()
    titles = samples(TAUGHT.get(given.get("scenario", ""), PATENT).sample)
    usual = first.topic if first.topic in titles else next(iter(titles))
    named = f"{usual.partition(':')[0]}:{given.get('topic', '')}"
    return address.read(PARAMETERS, given, replace(first, topic=named if named in titles else usual))


def address_of(asked: Asked) -> dict[str, str]:
    """Return the parameters that :func:`read_address` reads back."""
    topic = asked.topic.partition(":")[2]
    return {"scenario": asked.scenario, "topic": topic, **address.texts(PARAMETERS, asked)}


@dataclass
class Walk:
    """A lesson as one browser tab gives it: what is asked, and whether it plays."""

    asked: Asked
    written: dict[str, str]  # What the address was given last; what differs from it was put there by a person
    playing: bool = False
    ticking: bool = False  # Whether the page redraws by itself, which follows `playing` at the next full run
    moved: float = 0.0  # When the last step was made, in seconds
    before: dict[str, str] = field(default_factory=dict)  # The address while it played last
    halted: float = 0.0  # When the clock stopped, in seconds
    epoch: int = 0
    """Lessons that addresses asked for in this tab. Widgets are keyed by it: one that is given another value by the
    page would report its old one, as if a person had chosen it.
    """

    def key(self, name: str) -> str:
        return f"{PREFIX}/{self.epoch}/{name}"

    def go(self, step: int, *, playing: bool = False) -> None:
        """Go to a step, no further than where the rule stops."""
        end = self.asked.lesson.stop
        self.asked = replace(self.asked, step=min(max(step, 0), end))
        self.playing = playing and self.asked.step < end
        self.moved = time.monotonic()

    def play(self, wanted: bool) -> None:
        """What the button said when it was pressed: a key that is heard twice does not play on."""
        self.playing, self.moved = wanted, time.monotonic()

    def reveal(self) -> None:
        """Show the truth, or hide it again."""
        self.asked = replace(self.asked, revealed=not self.asked.revealed)

    def ask(self, **changed: Any) -> None:
        """Ask for another lesson, which begins at its beginning."""
        self.asked = replace(self.asked, **changed, step=0, revealed=False)
        self.playing = False
