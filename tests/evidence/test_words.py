"""Sentences that say what the figures show, with the numbers of the tables they are computed from."""

import re

import numpy as np
import pytest

from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import Tables
from tarstop_core.evidence import words
from tarstop_core.evidence.summary import Evidence
from tarstop_core.presentation.numbers import percent
from tarstop_core.value.payoffs import Payoffs


def reviewed(*rows: tuple[float, ...], engine: str = "bivariate", theta: float = 0.75) -> Evidence:
    """Studies A, B, … as rows TP, FP, FN, TN."""
    cells = np.array(rows, dtype=float).reshape(-1, 4)
    names = tuple(f"{chr(65 + at)} 2001" for at in range(len(rows)))
    return Evidence(Tables(names, *cells.T), theta, engine, Prior())


FOUR = ((28, 9, 12, 91), (45, 22, 9, 130), (88, 31, 15, 240), (61, 12, 19, 176))
HALF = Payoffs.from_q_star(0.5)
EVERY = (
    words.belief_sentence,
    words.forest_sentence,
    words.sroc_sentence,
    words.summary_sentence,
    words.variation_sentence,
    lambda e: words.path_sentence(e, 0.5),
    words.density_sentence,
    words.parameters_sentence,
    lambda e: words.without_sentence(e, 0.5),
    lambda e: words.value_sentence(e, HALF),
    lambda e: words.action_sentence(e, 0.5),
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "rows",
    [
        (),
        ((8, 1, 2, 30),),
        ((8, np.nan, 2, np.nan),) * 2,
        ((8, 1, 0, 30), (9, 2, 0, 40), (20, 0, 0, 12)),
        ((0, 3, 0, 4),) * 3,
        ((10**6, 5, 10**5, 10**6),) * 3,
        FOUR,
    ],
)
def test_every_sentence_is_one_whatever_the_tables(rows: tuple[tuple[float, ...], ...], engine: str) -> None:
    found = reviewed(*rows, engine=engine)
    for say in EVERY:
        said = say(found)
        assert re.fullmatch(r"[A-Z0-9“].*\.", said), said
        assert not re.search(r"\bnan\b|\binf\b|None|  |\.\.", said), said


def test_the_belief_and_what_it_means_for_the_decision() -> None:
    found = reviewed(*FOUR)
    assert found.belief is not None
    assert (
        words.belief_sentence(found)
        == f"The chance that sensitivity exceeds 75 % is {percent(found.belief)}."
    )
    assert words.action_sentence(found, 0.5).endswith("so now you would choose “Adopt”.")
    assert words.action_sentence(found, 0.99).endswith("so now you would choose “Don’t adopt”.")
    assert "That is not more than the 99.0 %" in words.action_sentence(found, 0.99)


def test_at_the_threshold_itself_one_does_not_act() -> None:
    found = reviewed()
    assert found.belief == 0.5
    assert words.action_sentence(found, 0.5).endswith("choose “Don’t adopt”.")


def test_reml_says_what_it_lacks() -> None:
    two = reviewed(*FOUR[:2], engine="reml")
    assert words.belief_sentence(two).endswith("it needs 3 studies with all four counts, and there are 2.")
    assert words.summary_sentence(two) == "A summary needs 3 studies with all four counts; there are 2."


def test_the_other_model_is_quoted_where_it_would_decide_otherwise() -> None:
    exact, reml = reviewed(*FOUR), reviewed(*FOUR, engine="reml")
    assert exact.belief is not None and reml.belief is not None
    assert exact.rival_belief == pytest.approx(reml.belief) and reml.rival_belief == exact.belief
    between = (exact.belief + reml.belief) / 2
    higher, lower = ("Adopt", "Don’t adopt") if reml.belief > exact.belief else ("Don’t adopt", "Adopt")
    assert words.rival_sentence(exact, between) == (
        f"The usual model (REML) would decide otherwise: a chance of {percent(reml.belief)}, so “{higher}”. "
        "REML reckons with normal errors, the exact model with the counts themselves."
    )
    otherwise = f"The exact model would decide otherwise: a chance of {percent(exact.belief)}, so “{lower}”."
    assert words.rival_sentence(reml, between) == otherwise
    assert words.rival_sentence(exact, 0.01) == "" == words.rival_sentence(reviewed(*FOUR[:2]), between)


def test_few_studies_are_said_to_be_few() -> None:
    few, enough = reviewed(*FOUR), reviewed(*FOUR, FOUR[0])
    assert "4 studies are too few for regions to say much." in words.sroc_sentence(few)
    assert "From 4 studies that is hardly more than a guess." in words.variation_sentence(few)
    assert "too few" not in words.sroc_sentence(enough) and "guess" not in words.variation_sentence(enough)


def test_the_forest_names_the_extremes_and_the_summary() -> None:
    found = reviewed(*FOUR)
    said = words.forest_sentence(found)
    assert said.startswith("Sensitivity goes from 70 % (A 2001) to 85 % (C 2001) in 4 studies.")
    assert found.pooled.sensitivity is not None
    pooled = f"sensitivity {percent(found.pooled.sensitivity.value)} (95 % interval"
    assert f"Pooled from exact counts of both groups: {pooled}" in said
    assert "half a patient" not in words.summary_sentence(found)
    assert "half a patient is added to studies" in words.summary_sentence(reviewed(*FOUR, (9, 0, 2, 30)))
    assert "Pooled by the Reitsma model: sensitivity" in words.forest_sentence(reviewed(*FOUR, engine="reml"))


def test_a_study_without_specificity_is_counted() -> None:
    said = words.forest_sentence(reviewed(*FOUR, (8, np.nan, 2, np.nan)))
    assert "and 1 study has no specificity" in said
    said = words.summary_sentence(reviewed(*FOUR, (8, np.nan, 2, np.nan)))
    assert "of the 4 studies with all four counts" in said


def test_equal_studies_do_not_differ() -> None:
    assert words.variation_sentence(reviewed(*[FOUR[0]] * 5)).startswith("Sensitivity differs no more")


def test_the_path_names_the_study_that_moved_it_most_and_where_it_crossed() -> None:
    found = reviewed((1, 1, 9, 30), *[(60, 12, 6, 176)] * 3)
    beliefs = [b for b in found.path.beliefs if b is not None]
    at = int(np.abs(np.diff(beliefs)).argmax())
    said = words.path_sentence(found, 0.5)
    assert f"{found.tables.study[at]} moved it most" in said
    last = max(i for i in range(1, 5) if (beliefs[i] > 0.5) != (beliefs[i - 1] > 0.5))
    assert f"at which you would act once, with study {last} ({found.tables.study[last - 1]})" in said
    back = words.path_sentence(reviewed((60, 12, 6, 176), *[(1, 1, 9, 30)] * 3), 0.5)
    assert "at which you would act 2 times, the last with study" in back
    assert "never crossed" in words.path_sentence(reviewed(*[(60, 12, 6, 176)] * 3), 0.1)


def test_leaving_out_names_the_study_that_matters_most() -> None:
    found = reviewed(*FOUR)
    assert found.belief is not None
    at = int(np.abs(found.without.beliefs - found.belief).argmax())
    said = words.without_sentence(found, 0.01)
    assert said.startswith(
        f"{found.tables.study[at]} matters most: without it the belief would be "
        f"{percent(float(found.without.beliefs[at]))} instead of {percent(found.belief)}."
    )
    assert said.endswith("Leaving out any one study would not change the decision.")
    between = (found.belief + float(found.without.beliefs[at])) / 2
    assert "you would decide otherwise" in words.without_sentence(found, between)


def test_the_value_of_the_next_study_is_said_with_its_size() -> None:
    said = words.value_sentence(reviewed((8, 1, 2, 30)), HALF)
    assert said.startswith("One more study like these (10 diseased patients) is worth 0.0")
    assert "certainty would be worth" in said


def test_a_threshold_is_said_to_the_digits_it_has() -> None:
    assert [words.threshold(theta) for theta in (0.75, 0.925, 0.9999)] == ["75 %", "92.5 %", "99.99 %"]
