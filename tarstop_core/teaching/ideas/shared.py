"""What ideas share: how one is described and drawn, and the lists that they are shown on."""

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from tarstop_core.explore.lists import LabelledList, sample
from tarstop_core.presentation.figures import Figure, ink, note, points
from tarstop_core.presentation.words import say
from tarstop_core.samples.collections import sample_topics
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Payoffs

said = partial(say, "tarstop_core.teaching.words")
"""A sentence about an idea, by its key."""
HALVES = ((0.56, 1.0), (0.0, 0.44))
"""Of the height: what stands above, and below."""
MARKS = {"solid": "━━", "dash": "╌╌", "dot": "┈┈"}
"""Lines in the names beside them."""


@dataclass(frozen=True)
class Idea:
    """One idea."""

    name: str  # What the switch, the address and the glossary call it
    title: str
    words: str  # What it is about, before the figure shows it


def idea(name: str, key: str) -> Idea:
    """The idea of this name, in the words that stand under its key."""
    return Idea(name, said(f"{key}_idea"), said(f"{key}_lead"))


def at_stake(explored: LabelledList, q_star: float, cost: float, theta: float = 0.75) -> Settings:
    """The settings of a sample with normalised payoffs of this threshold, and this cost."""
    return replace(explored.settings, payoffs=Payoffs.from_q_star(q_star), cost=cost, theta=theta)


@lru_cache(maxsize=1)
def searches() -> tuple[LabelledList, ...]:
    """All sample searches."""
    return tuple(sample(f"search:{topic}") for topic in sample_topics()["topic"])


def search_names() -> list[tuple[str, str]]:
    """Topics and titles of the sample searches."""
    return list(sample_topics()[["topic", "title"]].itertuples(index=False, name=None))


def search(topic: str) -> LabelledList:
    """One of :func:`searches`, by its topic."""
    return searches()[[name for name, _ in search_names()].index(topic)]


def dot(x: float, y: float, colour: str, symbol: str = "circle", **more: Any) -> Figure:
    """One point."""
    return points([x], [y], colour, marker={"symbol": symbol}, **{"hoverinfo": "skip", **more})


def named(x: float, y: float, name: str, colour: str, dark: bool, **more: Any) -> Figure:
    """The name of a line or point of this colour, below a height of the plot; x and y are shares of it."""
    return note(x, y, name, ink(colour, dark), yanchor="top", **more)
