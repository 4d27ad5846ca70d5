"""Shipped calibrators, priors, extraction rates and past stops, for people without labelled topics."""

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
"""By scenario: the calibrator for a list of your own, and that for a sample."""
FOR_MERGED_LISTS = "clef-reviews-merged"
"""The calibrator for a patent list that merges several rankings."""
FORMER = {"7bf73601a9c1918e": "clef-reviews-rank-frailty"}
"""Digests of earlier versions with the same numbers, and short names."""


@cache
def calibrators() -> dict[str, Calibrator]:
    """All shipped calibrators by short name, simulated ones first; ``scripts/make_calibrators.py`` makes them."""
    by_name = {path.stem: load(path) for path in sorted((sample_dir() / "calibrators").glob("*.json"))}
    return dict(sorted(by_name.items(), key=lambda item: (not item[1].fitted_on.simulated, item[0])))


@cache
def digests() -> dict[str, str]:
    """Short name of every shipped calibrator by digest, including digests of earlier versions with the same numbers."""
    return FORMER | {calibrator.digest: name for name, calibrator in calibrators().items()}


def default_calibrator(has_scores: bool, sample: bool = False, scenario: str = PATENT) -> str:
    """Short name of the default calibrator.

    Parameters
    ----------
    has_scores : bool
        Whether the list has scores.
    sample : bool
        Whether the list is one of the samples.
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
    """Share of included reports that have data, with its spread, learned from complete reviews.

    The reviews are simulated like the samples, or come from CLEF TAR, where full-text relevance stands for data.
    """
    return load_rate(sample_dir() / "data_share" / f"{'sample' if simulated else 'clef'}-reviews.json")


@cache
def reranked_chances(scenario: str = "") -> RerankedChances:
    """Model of the chances of a list that learns from its labels; ``scripts.study reranked_chances`` makes the file.

    The chances are those of being included ("inclusion") or of having data ("review"); without a scenario, of either.
    """
    return load_reranked(sample_dir() / "reranked" / "reviews.json").for_scenario(scenario)


@cache
def reranked_calibration() -> pd.DataFrame:
    """Forecasts of :func:`reranked_chances` on data sets that were held out, one row per forecast, beside the truth.

    Columns: `judged` (the scenario), `set`, documents `read`, `what` lies ahead, `mean` and 90 % interval (`low`, `high`) of
    the number of relevant documents, and the `true` number; ``scripts.study reranked_chances`` makes the file.
    """
    return pd.read_csv(sample_dir() / "reranked" / "came_out.csv", encoding="utf-8")


WIDTH = "clef-reviews-width"
"""The prior that a review of your own begins with: as wide as past reviews require, around your own starting chance."""


@cache
def priors() -> dict[str, Prior]:
    """Priors learned from past reviews, by short name; ``scripts/make_priors.py`` makes them."""
    return {path.stem: load_prior(path) for path in sorted((sample_dir() / "priors").glob("*.json"))}


# --- how often decisions on few studies were wrong in past reviews ---------------------------------

PAST_STOPS = FileKind(
    "tarstop-past-stops", 2, "count of past stops", "scripts/make_priors.py", "make it again"
)
LEAST = 10  # With fewer questions there is no count
NEAR = 0.026  # Largest distance of a threshold from the nearest one with counts


@dataclass(frozen=True)
class PastQuestion:
    """A question of a past review."""

    review: str
    end: tuple[float, ...]  # chance by all studies that pooled sensitivity exceeds each threshold
    after: tuple[tuple[float, ...], ...]
    """These chances after 1, 2, 3 … studies in the order of the list, while more follow, from a chance of ½."""


@dataclass(frozen=True)
class PastStops:
    """The shipped past questions; ``scripts/make_priors.py`` makes them."""

    source: str  # description of the reviews and of the belief, for people
    thetas: tuple[float, ...]
    questions: tuple[PastQuestion, ...]
    tempering: float  # power of the odds that further studies change the decision, fitted to past reviews
    widening: float
    """Factor on the expected range of pooled sensitivity by all studies, so that it holds 90 % of past results."""
    held: tuple[int, int]
    """Number of past stops whose final sensitivity lay in the range, learned from other reviews, and number of stops."""


@dataclass(frozen=True)
class WrongStops:
    """Number of wrong decisions among questions of past reviews."""

    wrong: int
    questions: int
    reviews: int


def wrong_stops(studies: int, theta: float, q_star: float, truth: str = "pooled") -> WrongStops | None:
    """Count past questions decided differently after this many studies than after all of them.

    Parameters
    ----------
    studies : int
        Studies at the stop; only questions with more studies count.
    theta, q_star : float
        Thresholds on pooled sensitivity and on belief, in (0, 1).
    truth : str
        As for :func:`tarstop_core.value.outcomes.is_plus`.

    Returns
    -------
    WrongStops or None
        None if fewer than ten questions count, or none has a threshold near this one.
    """
    past = past_stops()
    nearest = min(range(len(past.thetas)), key=lambda i: abs(past.thetas[i] - theta))
    if studies < 1 or abs(past.thetas[nearest] - theta) > NEAR:
        return None
    counted = [question for question in past.questions if len(question.after) >= studies]
    if len(counted) < LEAST:
        return None
    edge = q_star if truth == "full_evidence" else 0.5
    wrong = sum(
        (question.after[studies - 1][nearest] > q_star) != (question.end[nearest] > edge)
        for question in counted
    )
    return WrongStops(wrong, len(counted), len({question.review for question in counted}))


@cache
def past_stops() -> PastStops:
    """Read the past questions of the shipped file."""
    path = sample_dir() / "past_stops" / "clef-reviews.json"
    name = f"The past stops {path}"
    return PAST_STOPS.read(PastStops, read_file(path, name), name)
