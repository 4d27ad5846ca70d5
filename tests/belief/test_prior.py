"""Priors: ranges, files, and learning them from training reviews."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.belief.learned_prior import learn_prior, learn_width, strayed_from_end
from tarstop_core.belief.prior import LearnedFrom, Prior, from_json, load
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.samples.shipped import WIDTH, priors
from tests.reference.integrals import log_evidences

LEARNED = Prior(b_0=0.7, s=0.8, learned_from=LearnedFrom("invented reviews", 0.75, 3, 4, 20, 0.25))


def simulated_outcomes(number: int, mean: float, s: float, tau: float, seed: int = 0) -> list[Tables]:
    rng = np.random.default_rng(seed)
    outcomes = []
    for mu in rng.normal(mean, s, number):
        u = rng.normal(mu, tau, 12)
        n1 = rng.integers(20, 120, 12)
        TP = rng.binomial(n1, 1 / (1 + np.exp(-u))).astype(float)
        outcomes.append(Tables(("study",) * 12, TP, np.full(12, np.nan), n1 - TP, np.full(12, np.nan)))
    return outcomes


@given(
    st.floats(0, 1, exclude_min=True, exclude_max=True),
    st.floats(0.2, 5),
    st.floats(0.05, 3),
    st.floats(0.2, 5),
    st.floats(1, 100),
)
def test_a_saved_prior_comes_back_unchanged(
    b_0: float, s: float, tau: float, s_fpr: float, eta: float
) -> None:
    prior = Prior(b_0, s, tau, s_fpr, eta, LEARNED.learned_from)
    assert from_json(prior.to_json()) == prior
    assert from_json(prior.to_json()).digest == prior.digest != replace(prior, learned_from=None).digest


def test_files(tmp_path: Path) -> None:
    (tmp_path / "prior.json").write_text(LEARNED.to_json(), encoding="utf-8")
    assert load(tmp_path / "prior.json") == LEARNED
    with pytest.raises(InputProblem, match="cannot be read"):
        load(tmp_path / "none.json")


@pytest.mark.parametrize(
    "text, said",
    [
        ("{", "not JSON"),
        ("[]", "not a prior"),
        ('{"format": "tarstop-calibrator"}', "not a prior"),
        ('{"format": "tarstop-prior", "version": 9}', "version 9"),
        ('{"format": "tarstop-prior", "version": 1}', "damaged"),
        (LEARNED.to_json().replace("0.8", "80"), "spread s of the prior is 80"),
        (LEARNED.to_json().replace("0.75", "7"), "threshold θ is 7"),
        (json.dumps({**json.loads(LEARNED.to_json()), "learned_from": 3}), "damaged"),
    ],
)
def test_a_file_that_is_no_prior_is_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(InputProblem, match=said):
        from_json(text)


@pytest.mark.parametrize(
    "field, value",
    [
        ("b_0", 0),
        ("b_0", 1),
        ("s", 0),
        ("tau", float("nan")),
        ("s_fpr", 9),
        ("eta", 0.5),
        ("eta", 100.5),
        ("weight", 0.05),
        ("weight", 1.1),
    ],
)
def test_numbers_out_of_range_are_refused(field: str, value: float) -> None:
    with pytest.raises(InputProblem, match="give a number"):
        Prior(**{field: value})


def test_learning_finds_what_the_reviews_were_made_with() -> None:
    # λ + s·Φ⁻¹(.8) with θ = .75 and s = .8
    outcomes = simulated_outcomes(80, mean=np.log(3) + 0.8 * 0.8416, s=0.8, tau=0.5)
    prior = learn_prior(outcomes, [str(i) for i in range(80)], 0.75, "simulated")
    assert prior.b_0 == pytest.approx(0.8, abs=0.1)
    assert 0.6 <= prior.s <= 1.0
    assert prior.tau == 0.5  # of half-normal scales, nearest to a constant .5
    assert prior.learned_from is not None
    assert (prior.learned_from.reviews, prior.learned_from.outcomes, prior.learned_from.studies) == (
        80,
        80,
        960,
    )
    gains = log_evidences(outcomes, 0.75, prior) - log_evidences(outcomes, 0.75, Prior())
    assert prior.learned_from.gain == pytest.approx(np.mean(gains), abs=2e-3)
    assert prior.learned_from.gain > 0


def test_reviews_weigh_equally_however_many_outcomes_they_have() -> None:
    low, high = simulated_outcomes(3, -0.5, 0.1, 0.3), simulated_outcomes(3, 2.5, 0.1, 0.3, seed=1)
    once = learn_prior([*low, *high], list("abcdef"), 0.75, "")
    crowd = learn_prior(
        [*low, *(outcome for outcome in high for _ in range(5))], [*"abc", *"dddddeeeeefffff"], 0.75, ""
    )
    assert replace(crowd, learned_from=None) == replace(once, learned_from=None)


def test_nothing_to_learn_from_is_refused() -> None:
    empty = Tables(("study",), *(np.zeros(1) for _ in range(4)))
    with pytest.raises(InputProblem, match="diseased"):
        learn_prior([empty], ["a"], 0.75, "")
    with pytest.raises(InputProblem, match="1 outcomes and 0 names"):
        learn_prior([empty], [], 0.75, "")


def test_real_reviews_teach_a_narrower_and_higher_prior(real_data: Path) -> None:
    rows: dict[tuple[str, str], list[list[float]]] = {}
    with (real_data / "clef_dta" / "outcomes.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells = [float(row[cell]) for cell in ("TP", "FP", "FN", "TN")]
            rows.setdefault((row["topic"], row["outcome"]), []).append(cells)
    outcomes = [Tables(("",) * len(cells), *np.array(cells).T) for cells in rows.values()]
    prior = learn_prior(outcomes, [topic for topic, _ in rows], 0.75, "CLEF")
    assert 0.65 <= prior.b_0 <= 0.75
    assert 0.6 <= prior.s <= 1.0
    assert prior.tau == 1.0


# --- how wide a prior has to be -----------------------------------------------------------------------


def in_order(tables: Tables, at: np.ndarray) -> Tables:
    return Tables(tables.study, tables.TP[at], tables.FP[at], tables.FN[at], tables.TN[at])


def test_studies_in_no_order_stray_as_chance_has_it() -> None:
    outcomes = simulated_outcomes(300, mean=1.0, s=0.8, tau=0.7)
    far = [strayed_from_end(each) for each in outcomes]
    assert np.mean([each for each in far if each is not None]) == pytest.approx(1.0, abs=0.12)
    assert strayed_from_end(outcomes[0].first(2)) is None


def test_a_study_counts_less_where_the_first_ones_are_alike() -> None:
    outcomes = simulated_outcomes(60, mean=1.0, s=0.8, tau=0.7)
    names = [str(i) for i in range(60)]
    alike = [in_order(each, np.argsort(each.TP / each.diseased)) for each in outcomes]
    fair, wide = (learn_width(each, names, 0.75, "simulated") for each in (outcomes, alike))
    assert fair.weight > 0.85 and wide.weight < 0.3
    # Which order they came in says nothing of spread and heterogeneity, and b_0 is not learned.
    assert (fair.b_0, fair.s, fair.tau) == (wide.b_0, wide.s, wide.tau) == (0.5, 0.6, 0.75)
    assert wide.width_alone and wide.at(0.9) == wide
    assert from_json(wide.to_json()) == wide


def test_what_a_prior_did_not_say_before_is_left_out_of_its_file() -> None:
    plain = json.loads(LEARNED.to_json())
    assert "weight" not in plain and "keeps_b_0" not in plain["learned_from"]
    assert "weight" in json.loads(replace(LEARNED, weight=0.5).to_json())


def test_the_shipped_width_is_what_the_script_learned(real_data: Path) -> None:
    folder = real_data / "clef_dta"
    outcomes = read_outcomes(folder / "outcomes.csv", read_run(folder / "bm25.run"))[0]
    learned = learn_width([each.tables for each in outcomes], [each.review for each in outcomes], 0.75, "")
    shipped = priors()[WIDTH]
    assert (shipped.s, shipped.tau, shipped.weight) == (learned.s, learned.tau, learned.weight)
