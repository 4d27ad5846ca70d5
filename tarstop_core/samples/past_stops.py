"""How often a decision on so few studies was wrong in past reviews, counted."""

from dataclasses import dataclass
from functools import cache

from tarstop_core.envelope import FileKind, read_file
from tarstop_core.places import sample_dir

FILE = FileKind("tarstop-past-stops", 2, "count of past stops", "scripts/make_priors.py", "make it again")
LEAST = 10  # Questions below which there is no count
NEAR = 0.026  # How far the threshold may be from the nearest one that was counted at


@dataclass(frozen=True)
class PastQuestion:
    """A question of a past review."""

    review: str
    end: tuple[float, ...]  # chance, at each threshold, that pooled sensitivity exceeds it, by all studies
    after: tuple[tuple[float, ...], ...]
    """This chance after 1, 2, 3 … studies in the order of the list, as long as more were to come, from a chance of ½."""


@dataclass(frozen=True)
class PastStops:
    """Past questions as shipped; ``scripts/make_priors.py`` counts them."""

    source: str  # what the reviews were, and how the belief was computed, for a person
    thetas: tuple[float, ...]
    questions: tuple[PastQuestion, ...]
    tempering: float  # power of the odds that further studies turn the decision which makes them fit the past


@dataclass(frozen=True)
class WrongStops:
    """Wrong decisions among so many questions of so many reviews."""

    wrong: int
    questions: int
    reviews: int


def wrong_stops(studies: int, theta: float, q_star: float, truth: str = "pooled") -> WrongStops | None:
    """Count past questions that were decided otherwise after so many studies than by all of them.

    Parameters
    ----------
    studies : int
        Studies at the stop; only questions to which more came count.
    theta, q_star : float
        Thresholds on pooled sensitivity and on belief, in (0, 1).
    truth : str
        As for :func:`tarstop_core.value.outcomes.is_plus`.

    Returns
    -------
    WrongStops or None
        None where fewer than ten questions count, or none was asked at about this threshold.
    """
    past = shipped()
    at = min(range(len(past.thetas)), key=lambda i: abs(past.thetas[i] - theta))
    if studies < 1 or abs(past.thetas[at] - theta) > NEAR:
        return None
    asked = [question for question in past.questions if len(question.after) >= studies]
    if len(asked) < LEAST:
        return None
    edge = q_star if truth == "full_evidence" else 0.5
    wrong = sum((question.after[studies - 1][at] > q_star) != (question.end[at] > edge) for question in asked)
    return WrongStops(wrong, len(asked), len({question.review for question in asked}))


@cache
def shipped() -> PastStops:
    """Past questions of the shipped file."""
    path = sample_dir() / "past_stops" / "clef-reviews.json"
    name = f"The past stops {path}"
    return FILE.read(PastStops, read_file(path, name), name)
