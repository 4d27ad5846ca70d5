"""Which lesson the address of the page asks for."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tarstop_core.errors import InputProblem
from tarstop_core.explore.lists import sample, samples
from tarstop_core.explore.maps import rules
from tarstop_core.policies import parse_policy
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.lesson.steps import Lesson, lesson
from tarstop_core.value.payoffs import Payoffs

TAUGHT = {each.name: each for each in (PATENT, REVIEW)}
"""Scenarios that have samples to walk through."""
RULES = ("optimal", "look-ahead:m=20", "greedy", "smooth:K=5", "batch:K=10", "budget:d=100", "decide-now")
COSTS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
NAMES = ("scenario", "topic", "rule", "q", "c", "step", "shown", "pace")
"""The parameters of the address."""


@dataclass(frozen=True)
class Asked:
    """What the address says."""

    topic: str = "search:antenna-mount"
    """Key of a sample: "search:antenna-mount"."""
    rule: str = "optimal"
    """Of the rule followed."""
    q_star: float = 0.5
    cost: float = 0.001
    """Normalised (K = 1)."""
    step: int = 0
    """Documents read."""
    shown: bool = False
    """Whether the truth is revealed before the end."""
    pace: float = 2.0
    """Seconds a step takes when it plays."""

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


def read_address(address: Mapping[str, str]) -> Asked:
    """What an address asks for; what cannot be read is as it would be without it."""
    first = Asked()
    scenario = address.get("scenario", first.scenario)
    scenario = scenario if scenario in TAUGHT else first.scenario
    titles = topics(scenario)
    key = f"{TAUGHT[scenario].sample}:{address.get('topic', '')}"
    if key not in titles:
        key = first.topic if first.topic in titles else next(iter(titles))
    rule = address.get("rule", first.rule)
    try:
        policy = parse_policy(rule, files=False)
        rule = policy.spec if policy.name in rules("planned") else first.rule
    except InputProblem:
        rule = first.rule
    q_star, cost = _number(address.get("q", ""), first.q_star), _number(address.get("c", ""), first.cost)
    pace = _number(address.get("pace", ""), first.pace)
    return Asked(
        key,
        rule,
        q_star if 0 < q_star < 1 else first.q_star,
        cost if 0 < cost < 1 else first.cost,
        max(0, int(_number(address.get("step", ""), 0.0))),
        address.get("shown", "") == "yes",
        pace if pace in PACES else first.pace,
    )


def address_of(asked: Asked) -> dict[str, str]:
    """The parameters that :func:`read_address` reads back."""
    return {
        "scenario": asked.scenario,
        "topic": asked.topic.partition(":")[2],
        "rule": asked.rule,
        "q": f"{asked.q_star:g}",
        "c": f"{asked.cost:g}",
        "step": str(asked.step),
        "shown": "yes" if asked.shown else "",
        "pace": f"{asked.pace:g}" if asked.pace != Asked().pace else "",
    }


def _number(text: str, otherwise: float) -> float:
    try:
        value = float(text)
    except ValueError:
        return otherwise
    return value if math.isfinite(value) else otherwise


def topics(scenario: str) -> dict[str, str]:
    """Titles of the samples of a scenario, by key."""
    return {key: title for key, title in samples() if key.startswith(f"{TAUGHT[scenario].sample}:")}


PACES = (0.5, 1.0, 2.0, 4.0)
