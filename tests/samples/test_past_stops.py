"""How often decisions on few studies were wrong, counted: the shipped file, and when nothing is said."""

from pathlib import Path

import pandas as pd
import pytest

from scripts.studies.reviews import tempering, widening
from scripts.study import cluster_t
from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.samples.shipped import LEAST, PAST_STOPS, PastStops, past_stops, wrong_stops

ROOT = Path(__file__).resolve().parents[2]


def test_the_shipped_file_is_whole() -> None:
    past = past_stops()
    assert (len(past.questions), len({each.review for each in past.questions})) == (63, 16)
    for each in past.questions:
        assert len(each.end) == len(past.thetas) and each.after
        assert all(len(row) == len(past.thetas) and all(0 <= b <= 1 for b in row) for row in each.after)
    assert "16 diagnostic-accuracy reviews" in past.source


@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.8])
def test_counts_are_those_of_the_questions(q_star: float) -> None:
    past, at = past_stops(), past_stops().thetas.index(0.75)
    for studies in (1, 2, 5, 10):
        found = wrong_stops(studies, 0.75, q_star)
        asked = [each for each in past.questions if len(each.after) >= studies]
        assert found is not None and found.questions == len(asked) >= LEAST
        wrong = [(each.after[studies - 1][at] > q_star) != (each.end[at] > 0.5) for each in asked]
        assert found.wrong == sum(wrong)
        assert found.reviews == len({each.review for each in asked})


def test_nothing_is_said_of_what_was_not_counted() -> None:
    assert wrong_stops(0, 0.75, 0.5) is None, "nothing read is no stop on few studies"
    assert wrong_stops(11, 0.75, 0.5) is None
    assert wrong_stops(2, 0.3, 0.5) is None, "no threshold near it"
    assert wrong_stops(2, 0.76, 0.5) == wrong_stops(2, 0.75, 0.5)


def test_the_end_is_what_all_studies_say(real_data: Path) -> None:
    folder = real_data / "clef_dta"
    outcomes = read_outcomes(folder / "outcomes.csv", read_run(folder / "bm25.run"))[0]
    past = past_stops()
    for outcome, each in zip(outcomes[::15], past.questions[::15], strict=True):
        assert each.review == outcome.review
        for theta, b in zip(past.thetas, each.end, strict=True):
            assert b == pytest.approx(bivariate_belief(outcome.tables, theta), abs=6e-4)


def test_decisions_turned_oftener_than_belief_says() -> None:
    """By as much as the rows say that the page on reviews rests on."""
    assert 0 < past_stops().tempering < 1
    rows = pd.read_csv(ROOT / "docs" / "data" / "reviews_turned.csv")
    assert past_stops().tempering == pytest.approx(tempering(rows[rows["prior"] == "width"]), abs=0.006)


def test_pooled_sensitivity_moved_as_far_as_is_said() -> None:
    """The factor and how often its range held are those of the rows behind the page on reviews, reviews left out."""
    past, rows = past_stops(), pd.read_csv(ROOT / "docs" / "data" / "reviews_moved.csv")
    assert past.widening == pytest.approx(widening(rows), abs=0.006)
    assert past.held == (rows["within"].sum(), len(rows))
    by_review = rows.groupby("review")["within"].mean()
    interval = cluster_t(by_review)
    assert interval["low"] <= 0.9 <= interval["high"], "the 90 % range"


def test_a_count_of_before_is_to_be_made_again() -> None:
    """Its number was a factor on the odds."""
    before = PAST_STOPS.text({}).replace('"version": 2', '"version": 1')
    with pytest.raises(InputProblem, match="has version 1; this program reads version 2: make it again"):
        PAST_STOPS.read(PastStops, before, "The past stops")
