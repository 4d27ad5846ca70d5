"""What ideas share: how one is described, and the lists that they are shown on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from tarstop_core.explore.lists import Explored, sample
from tarstop_core.samples.collections import sample_topics
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Payoffs


@dataclass(frozen=True)
class Idea:
    """One idea."""

    name: str
    """What the switch, the address and the glossary call it."""
    title: str
    words: str
    """What it is about, before the figure shows it."""


def at_stake(explored: Explored, q_star: float, cost: float, theta: float = 0.75) -> Settings:
    """The settings of a sample with normalised payoffs of this threshold, and this cost."""
    return replace(explored.settings, payoffs=Payoffs.from_q_star(q_star), cost=cost, theta=theta)


@lru_cache(maxsize=1)
def searches() -> tuple[Explored, ...]:
    """All sample searches."""
    return tuple(sample(f"search:{topic}") for topic in sample_topics()["topic"])


def search_names() -> Iterator[tuple[str, str]]:
    """Topics and titles of the sample searches."""
    yield from (
        (str(topic), title) for topic, title in sample_topics()[["topic", "title"]].itertuples(index=False)
    )


def search(topic: str) -> Explored:
    """One of :func:`searches`, by its topic."""
    return searches()[[name for name, _ in search_names()].index(topic)]
