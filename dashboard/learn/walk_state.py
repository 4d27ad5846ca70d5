"""What a person asks of "Walk through": the lesson, its address, and where it stands in one browser tab."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dashboard.frame import address
from dashboard.frame.address import Parameter, finite
from tarstop_core.explore.lists import sample, samples
from tarstop_core.explore.maps import rules
from tarstop_core.policies import parse_policy
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.lesson import Lesson, lesson
from tarstop_core.value.payoffs import Payoffs

PREFIX = "learn/walk"
LATE = 3.0  # seconds
"""For which the clock's last redraw, asked for before the address changed, may still bring the old address."""
TAUGHT = {each.name: each for each in (PATENT, REVIEW)}
"""Scenarios that have samples to walk through."""
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
    cost: float = 0.001  # Normalised (K = 1)
    step: int = 0  # Documents read
    revealed: bool = False  # Whether the truth is revealed before the end
    pace: float = USUAL_PACE  # Seconds a step takes when it plays

    @property
    def scenario(self) -> str:
        return next(name for name, each in TAUGHT.items() if self.topic.startswith(f"{each.sample}:"))

    @property
    def settings(self) -> Settings:
        """The sample's own, at these stakes."""
        return replace(sample(self.topic).settings, payoffs=Payoffs.from_q_star(self.q_star), cost=self.cost)

    @property
    def lesson(self) -> Lesson:
        """The rule followed on the list."""
        return lesson(self.topic, self.settings, parse_policy(self.rule, files=False))


def _rule(text: str) -> str:
    policy = parse_policy(text, files=False)
    if policy.name not in rules("planned"):
        raise ValueError(text)
    return policy.spec


def _share(text: str) -> float:
    value = finite(text)
    if not 0 < value < 1:
        raise ValueError(text)
    return value


def _pace(text: str) -> float:
    value = finite(text)
    if value not in PACES:
        raise ValueError(text)
    return value


PARAMETERS = {
    "rule": Parameter("rule", _rule),
    "q_star": Parameter("q", _share, "{:g}".format),
    "cost": Parameter("c", _share, "{:g}".format),
    "step": Parameter("step", lambda text: max(0, int(finite(text)))),
    "revealed": Parameter("shown", lambda text: text == "yes", lambda revealed: "yes" if revealed else ""),
    "pace": Parameter("pace", _pace, lambda pace: "" if pace == USUAL_PACE else f"{pace:g}"),
}
NAMES = ("scenario", "topic", *(parameter.name for parameter in PARAMETERS.values()))
"""The parameters of the address."""


def read_address(given: Mapping[str, str]) -> Asked:
    """Return what an address asks for; what cannot be read is as it would be without it."""
    first = Asked()
    scenario = given.get("scenario")
    titles = topics(scenario if scenario in TAUGHT else first.scenario)
    usual = first.topic if first.topic in titles else next(iter(titles))
    named = f"{usual.partition(':')[0]}:{given.get('topic', '')}"
    return address.read(PARAMETERS, given, replace(first, topic=named if named in titles else usual))


def address_of(asked: Asked) -> dict[str, str]:
    """Return the parameters that :func:`read_address` reads back."""
    topic = asked.topic.partition(":")[2]
    return {"scenario": asked.scenario, "topic": topic, **address.texts(PARAMETERS, asked)}


def topics(scenario: str) -> dict[str, str]:
    """Return titles of the samples of a scenario, by key."""
    return {key: title for key, title in samples() if key.startswith(f"{TAUGHT[scenario].sample}:")}


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
