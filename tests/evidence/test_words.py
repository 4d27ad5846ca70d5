"""Sentences that say what the figures show, with the numbers of the tables they are computed from."""

import re

import numpy as np
import pytest

from tarstop_core.belief import both
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import Tables
from tarstop_core.evidence import words
from tarstop_core.evidence.summary import Evidence
from tarstop_core.presentation.numbers import percent
from tarstop_core.value.payoffs import Payoffs
from tests.spoken import spoken


def reviewed(*rows: tuple[float, ...], engine: str = "bivariate", theta: float = 0.75) -> Evidence:
    """Studies A, B, … as rows TP, FP, FN, TN."""
    cells = np.array(rows, dtype=float).reshape(-1, 4)
    names = tuple(f"{chr(65 + at)} 2001" for at in range(len(rows)))
    return Evidence(Tables(names, *cells.T), theta, engine, Prior())


FOUR = ((28, 9, 12, 91), (45, 22, 9, 130), (88, 31, 15, 240), (61, 12, 19, 176))
HALF, SURE = Payoffs.from_q_star(0.5), Payoffs.from_q_star(0.01)
EVERY = (
    words.belief_sentence,
    words.forest_sentence,
    words.sroc_sentence,
    words.summary_sentence,
    words.variation_sentence,
    lambda e: words.path_sentence(e, HALF),
    words.density_sentence,
    words.parameters_sentence,
    lambda e: words.without_sentence(e, HALF),
    lambda e: words.value_sentence(e, HALF),
    lambda e: words.action_sentence(e, Payoffs.from_q_star(0.5)),
    lambda e: words.risk_sentence(e, HALF),
    words.not_accounted_sentence,
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
    said = words.belief_sentence(found)
    assert "75 %" in said and said.endswith(f" {percent(found.belief)}.")
    assert words.action_sentence(found, Payoffs.from_q_star(0.5)).endswith("choose “Adopt”.")
    not_enough = words.action_sentence(found, Payoffs.from_q_star(0.99))
    assert not_enough.endswith("choose “Don’t adopt”.") and "not more than the 99 %" in not_enough


def test_at_the_threshold_itself_one_does_not_act() -> None:
    found = reviewed()
    assert found.belief == 0.5
    assert words.action_sentence(found, Payoffs.from_q_star(0.5)).endswith("choose “Don’t adopt”.")


def test_reml_says_what_it_lacks() -> None:
    two = reviewed(*FOUR[:2], engine="reml")
    assert "needs 3 studies" in words.belief_sentence(two)
    assert words.belief_sentence(two).endswith("there are 2.")
    assert spoken(words.message, words.summary_sentence, two) == ("no_summary", {"usable": 2, "least": 3})


def test_the_other_model_is_quoted_where_it_would_decide_otherwise() -> None:
    exact, reml = reviewed(*FOUR), reviewed(*FOUR, engine="reml")
    assert exact.belief is not None and reml.belief is not None
    assert exact.rival_belief == pytest.approx(reml.belief) and reml.rival_belief == exact.belief
    between = (exact.belief + reml.belief) / 2
    higher, lower = ("Adopt", "Don’t adopt") if reml.belief > exact.belief else ("Don’t adopt", "Adopt")
    assert f"(REML) would decide differently: a chance of {percent(reml.belief)}, so “{higher}”." in (
        words.rival_sentence(exact, Payoffs.from_q_star(between))
    )
    assert words.rival_sentence(reml, Payoffs.from_q_star(between)).endswith(
        f" {percent(exact.belief)}, so “{lower}”."
    )
    assert (
        words.rival_sentence(exact, Payoffs.from_q_star(0.01))
        == ""
        == words.rival_sentence(reviewed(*FOUR[:2]), Payoffs.from_q_star(between))
    )


def test_few_studies_are_said_to_be_few() -> None:
    few, enough = reviewed(*FOUR), reviewed(*FOUR, FOUR[0])
    assert "4 studies are too few" in words.sroc_sentence(few)
    assert re.search(r"\b4 studies .* guess\.", words.variation_sentence(few))
    assert "too few" not in words.sroc_sentence(enough) and "guess" not in words.variation_sentence(enough)


def test_the_forest_names_the_extremes_and_the_summary() -> None:
    found = reviewed(*FOUR)
    said = words.forest_sentence(found)
    assert "70 % (A 2001) to 85 % (C 2001) in 4 studies." in said
    assert found.pooled.sensitivity is not None
    pooled = f"sensitivity {percent(found.pooled.sensitivity.value)} (95 % interval"
    assert f"from exact counts of both groups: {pooled}" in said
    assert "half a patient" not in words.summary_sentence(found)
    assert "half a patient" in words.summary_sentence(reviewed(*FOUR, (9, 0, 2, 30)))
    assert "by the Reitsma model:" in words.forest_sentence(reviewed(*FOUR, engine="reml"))


def test_a_study_without_specificity_is_counted() -> None:
    without = reviewed(*FOUR, (8, np.nan, 2, np.nan))
    forest = spoken(words.message, words.forest_sentence, without)
    assert forest.values["with_sensitivity"] == 5 and forest.values["without"] == 1
    summary = spoken(words.message, words.summary_sentence, without)
    assert summary.values["fit"].n == 4 and not summary.values["all"]


def test_equal_studies_do_not_differ() -> None:
    assert words.variation_sentence(reviewed(*[FOUR[0]] * 5)).startswith("Sensitivity differs no more")


def test_the_path_names_the_study_that_moved_it_most_and_where_it_crossed() -> None:
    found = reviewed((1, 1, 9, 30), *[(60, 12, 6, 176)] * 3)
    beliefs = [b for b in found.path.beliefs if b is not None]
    at = int(np.abs(np.diff(beliefs)).argmax())
    said = words.path_sentence(found, HALF)
    assert f"{found.tables.study[at]} changed it most" in said
    last = max(i for i in range(1, 5) if (beliefs[i] > 0.5) != (beliefs[i - 1] > 0.5))
    assert f"once, with study {last} ({found.tables.study[last - 1]})" in said
    back = words.path_sentence(reviewed((60, 12, 6, 176), *[(1, 1, 9, 30)] * 3), HALF)
    assert "act 2 times" in back
    assert "never crossed" in words.path_sentence(reviewed(*[(60, 12, 6, 176)] * 3), Payoffs.from_q_star(0.1))


def test_leaving_out_names_the_study_that_matters_most() -> None:
    found = reviewed(*FOUR)
    assert found.belief is not None
    at = int(np.abs(found.without.beliefs - found.belief).argmax())
    other = float(found.without.beliefs[at])
    told = spoken(words.message, words.without_sentence, found, SURE)
    assert told.values["name"] == found.tables.study[at] and told.values["turning"] == []
    assert told.values["belief"] == found.belief and told.values["other"] == other
    said = words.without_sentence(found, SURE)
    assert f"{percent(other)} instead of {percent(found.belief)}." in said
    between = (found.belief + other) / 2
    assert (
        found.tables.study[at]
        in spoken(words.message, words.without_sentence, found, Payoffs.from_q_star(between)).values[
            "turning"
        ]
    )


def test_the_value_of_the_next_study_is_said_with_its_size() -> None:
    said = words.value_sentence(reviewed((8, 1, 2, 30)), HALF)
    assert "(10 diseased patients) is worth 0.0" in said
    assert "certainty would be worth" in said


def test_a_threshold_is_said_to_the_digits_it_has() -> None:
    assert [both.threshold(theta) for theta in (0.75, 0.925, 0.9999)] == ["75 %", "92.5 %", "99.99 %"]
