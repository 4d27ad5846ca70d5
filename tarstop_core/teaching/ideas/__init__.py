"""Seven ideas in pictures: their description, and the sample lists from which they are drawn."""

from dataclasses import dataclass, replace
from typing import Any

from tarstop_core.explore.lists import LabelledList, sample, samples
from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.messages import Messages
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Payoffs

HALVES = ((0.56, 1.0), (0.0, 0.44))
"""Vertical extents of the upper and the lower panel of a figure."""


@dataclass(frozen=True)
class Idea:
    """Name, title and introduction of an idea."""

    name: str  # Name in the switch, the address and the glossary
    title: str
    lead: str  # Introduction above its pictures


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with its heading, its sentence and its numbers."""

    name: str  # Unique on the page
    heading: str
    drawing: Figure
    sentence: str
    rows: Any  # A data frame, or rows to make one from


def factor_name(factor: float) -> str:
    """Return a factor as text: "× 1/4", "× 0.71", "× 4"."""
    inverse = round(1 / factor)
    if factor < 1 and abs(1 / factor - inverse) < 1e-9:
        return f"× 1/{inverse}"
    return f"× {factor:.3g}" if factor >= 1 else f"× {factor:.2f}"


message = Messages("teaching/ideas/messages.jinja", factor_name=factor_name)
"""The sentences of this package."""


def at_stake(listing: LabelledList, q_star: float, cost: float, theta: float = 0.75) -> Settings:
    """Return the settings of a sample at normalised payoffs.

    Parameters
    ----------
    listing
        The sample.
    q_star, cost, theta
        Threshold belief, cost of a document as a share of K, and sensitivity to exceed.

    Returns
    -------
    Settings
        In paper mode.
    """
    settings = replace(listing.settings, payoffs=Payoffs.from_q_star(q_star), cost=cost)
    return settings if settings.threshold is None else settings.with_threshold(theta)


def search_names() -> dict[str, str]:
    """Return the titles of the sample searches by topic."""
    return {key.partition(":")[2]: title for key, title in samples(PATENT.sample).items()}


def sample_search(topic: str) -> LabelledList:
    """Return the sample search of this topic."""
    return sample(f"{PATENT.sample}:{topic}")


def searches() -> list[LabelledList]:
    """Return all sample searches."""
    return [sample_search(topic) for topic in search_names()]
