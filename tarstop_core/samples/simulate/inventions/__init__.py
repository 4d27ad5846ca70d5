"""Sixteen invented inventions, each a file with a claim, the vocabulary of its field and the plan of its pool."""

from dataclasses import dataclass
from importlib.resources import files

from tarstop_core.samples.simulate.words import read_folder


@dataclass(frozen=True)
class Mechanism:
    """Something a device can have: a short name for titles, a phrase for abstracts."""

    short: str
    phrase: str


@dataclass(frozen=True)
class Feature:
    """One key feature of a claim."""

    label: str  # what it is called in reasons: "the spring detent"
    close: tuple[Mechanism, ...]  # wordings near the claim's own words
    far: tuple[Mechanism, ...]  # the same thing in other words, which a search by words finds late
    other: tuple[Mechanism, ...]  # what documents have that solve this part of the problem differently


@dataclass(frozen=True)
class Plan:
    """How the pool of one topic is made up, set by hand so that first hits lie at varied depths under BM25."""

    prior_art: int  # documents that disclose everything; 0 in an ω⁻ topic
    wording: float  # chance that prior art names a feature in the claim's words, not in its own
    near_misses: int  # documents that disclose all but one feature, mostly in the claim's words
    documents: int  # size of the pool
    draw: int  # which of the topic's streams of random numbers is used


@dataclass(frozen=True)
class Invention:
    """An application and the vocabulary of its field; `topic` is the name of its file."""

    topic: str
    title: str
    claim: str
    devices: tuple[str, ...]
    uses: tuple[str, ...]
    purposes: tuple[str, ...]
    problems: tuple[str, ...]
    advantages: tuple[str, ...]
    operations: tuple[str, ...]
    extras: tuple[Mechanism, ...]
    features: tuple[Feature, ...]
    plan: Plan


INVENTIONS: tuple[Invention, ...] = read_folder(Invention, files(__package__))
