"""Shipped calibrators, priors, extraction rates and past stops, for a person without labelled topics."""

from dataclasses import dataclass
from functools import cache

import pandas as pd

from tarstop_core.belief.prior import Prior
from tarstop_core.belief.prior import load as load_prior
from tarstop_core.calibration.calibrator import INCLUSION, PATENT, REVIEW, Calibrator, load
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.calibration.extraction_rate import load as load_rate
from tarstop_core.calibration.reranked import RerankedChances
from tarstop_core.calibration.reranked import load as load_reranked
from tarstop_core.envelope import FileKind, read_file
from tarstop_core.errors import InputProblem
from tarstop_core.places import sample_dir

DEFAULTS: dict[str, tuple[str, str]] = {
    PATENT: ("clef-reviews-rank-frailty", "sample-searches"),
    REVIEW: ("review-data-elsewhere", "sample-reviews"),
    INCLUSION: ("review-inclusion-elsewhere", "sample-reviews-inclusion"),
}
"""For each scenario, the calibrator for a list of your own and for a sample."""
FOR_MERGED_LISTS = "clef-reviews-merged"
"""The calibrator for a patent list that is put together from several rankings."""
# Digests of earlier versions that differed in words only.
FORMER = {"7bf73601a9c1918e": "clef-reviews-rank-frailty"}


@cache
def calibrators() -> dict[str, Calibrator]:
    """Every shipped calibrator by its short name, simulated ones first; ``scripts/make_calibrators.py`` makes them."""
    by_name = {path.stem: load(path) for path in sorted((sample_dir() / "calibrators").glob("*.json"))}
    return dict(sorted(by_name.items(), key=lambda item: (not item[1].fitted_on.simulated, item[0])))


@cache
def digests() -> dict[str, str]:
    """Short name of every shipped calibrator by its digest, those of earlier versions with the same numbers included."""
    return FORMER | {calibrator.digest: name for name, calibrator in calibrators().items()}


def default_calibrator(has_scores: bool, sample: bool = False, scenario: str = PATENT) -> str:
    """Short name of the calibrator to begin with.

    Parameters
    ----------
    has_scores : bool
        Whether the list has scores.
    sample : bool
        Whether it is one of the samples.
    scenario : str
        One of :data:`~tarstop_core.calibration.calibrator.SCENARIOS`.

    Returns
    -------
    str
        A key of :func:`calibrators`.

    Raises
    ------
    InputProblem
        When there is no such scenario.
    """
    if scenario not in DEFAULTS:
        raise InputProblem(f"There is no scenario '{scenario}'; choose one of {', '.join(DEFAULTS)}.")
    name = DEFAULTS[scenario][sample]
    return name if has_scores or calibrators()[name].by_rank else f"{name}-rank"


@cache
def extraction_rate(simulated: bool) -> ExtractionRate:
    """How many included reports bring data, with its spread, learned from complete reviews.

    These are simulated ones like the sample's, or reviews of CLEF TAR, where full-text relevance stands for data.
    """
    return load_rate(sample_dir() / "data_share" / f"{'sample' if simulated else 'clef'}-reviews.json")


@cache
def reranked_chances(scenario: str = "") -> RerankedChances:
    """Chances of a list that learns from its labels: of being included ("inclusion"), of bringing data ("review"), or of
    either, where nobody says which; ``scripts/make_reranked_chances.py`` makes the file.
    """
    return load_reranked(sample_dir() / "reranked" / "reviews.json").of(scenario)


@cache
def reranked_calibration() -> pd.DataFrame:
    """Forecasts of :func:`reranked_chances` on sets that were left out, with what was found.

    One row a forecast: `judged` (as the scenario there), `set`, documents `read`, `what` lies ahead, `mean` and 90 % interval
    (`low`, `high`) of the number relevant, and the `true` one; ``scripts.study reranked_chances`` makes the file.
    """
    return pd.read_csv(sample_dir() / "reranked" / "came_out.csv", encoding="utf-8")


WIDTH = "clef-reviews-width"
"""The prior that a review of your own begins with: how wide past reviews ask for, around your own starting chance."""


@cache
def priors() -> dict[str, Prior]:
    """Priors of reviews learned from past ones, by short name; ``scripts/make_priors.py`` learns them."""
    return {path.stem: load_prior(path) for path in sorted((sample_dir() / "priors").glob("*.json"))}


# --- how often a decision on so few studies was wrong in past reviews ------------------------------

PAST_STOPS = FileKind(
    "tarstop-past-stops", 2, "count of past stops", "scripts/make_priors.py", "make it again"
)
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
    widening: float
    """Factor on how far pooled sensitivity is expected to move with all studies, so that 90 % of past moves lie inside."""
    held: tuple[int, int]
    """In how many stops of past reviews it ended within the range, where that was learned from other reviews; of how many."""


@dataclass(frozen=True)
class WrongStops:
    """Wrong decisions among this many questions of this many reviews."""

    wrong: int
    questions: int
    reviews: int


def wrong_stops(studies: int, theta: float, q_star: float, truth: str = "pooled") -> WrongStops | None:
    """Count past questions decided differently after this many studies than after all of them.

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
    past = past_stops()
    at = min(range(len(past.thetas)), key=lambda i: abs(past.thetas[i] - theta))
    if studies < 1 or abs(past.thetas[at] - theta) > NEAR:
        return None
    counted = [question for question in past.questions if len(question.after) >= studies]
    if len(counted) < LEAST:
        return None
    edge = q_star if truth == "full_evidence" else 0.5
    wrong = sum(
        (question.after[studies - 1][at] > q_star) != (question.end[at] > edge) for question in counted
    )
    return WrongStops(wrong, len(counted), len({question.review for question in counted}))


@cache
def past_stops() -> PastStops:
    """Read the past questions of the shipped file."""
    path = sample_dir() / "past_stops" / "clef-reviews.json"
    name = f"The past stops {path}"
    return PAST_STOPS.read(PastStops, read_file(path, name), name)
