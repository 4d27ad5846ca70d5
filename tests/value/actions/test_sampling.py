"""What a study of one parameter is worth: against sums over all its results, in its limits, and at the best size."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import betabinom, binom

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.linear import EffectNetBenefit
from tarstop_core.value.actions.population import StudyPrice
from tarstop_core.value.actions.sampling import Study, best_size
from tarstop_core.value.actions.treat import ACCURACY, TreatByTest
from tests.value.actions.golden import rows

COUNTED = {"benefit_treated_diseased": 1000, "harm_treated_healthy": 180, "cost_test": 45}
TEST = TreatByTest(
    mu_logit_se=1, mu_logit_sp=1.2, cov=[[0.25, -0.08], [-0.08, 0.3]], prevalence={"beta": (9, 51)}, **COUNTED
)
SIZES = np.array([5.0, 60.0, 600.0, 1e9])


def evsi_of_prevalence(n: int) -> float:
    """By the best action after each number of diseased among n."""
    seen = np.arange(n + 1)
    after = TEST.net_benefit(TEST.mean_se, TEST.mean_sp, (9 + seen) / (60 + n)).max(axis=1)
    now = TEST.net_benefit(TEST.mean_se, TEST.mean_sp, 0.15).max()
    return float(after @ betabinom.pmf(seen, n, 9, 51) - now)


@pytest.mark.parametrize("n", [60, 200, 600])
def test_a_counted_proportion_is_worth_what_all_its_results_are(n: int) -> None:
    worth = TEST.evsi_of(Study(measures="prevalence"), np.array([float(n)]))
    assert worth[0] == pytest.approx(evsi_of_prevalence(n), abs=0.02 * TEST.values()["evpi"])  # type: ignore[operator]


@pytest.mark.parametrize("n", [40, 100])
def test_a_study_of_the_test_is_worth_what_all_its_results_are(n: int) -> None:
    """By the best action after each number of true positives and true negatives."""
    z, weight = np.polynomial.hermite_e.hermegauss(24)
    both = np.stack(np.meshgrid(z, z), axis=-1).reshape(-1, 2) @ np.linalg.cholesky(TEST.cov).T
    chance, accuracy = np.outer(weight, weight).ravel() / weight.sum() ** 2, expit(both + np.array([1, 1.2]))
    seen = chance
    for people, at in ((round(0.15 * n), 0), (round(0.85 * n), 1)):
        seen = seen[..., None, :] * binom.pmf(np.arange(people + 1)[:, None], people, accuracy[:, at])
    after = TEST.net_benefit(*(seen @ accuracy / seen.sum(axis=-1)[..., None]).reshape(-1, 2).T, 0.15)
    best = seen.sum(axis=-1).ravel() @ after.max(axis=1)
    exact = best - TEST.net_benefit(TEST.mean_se, TEST.mean_sp, 0.15).max()
    worth = TEST.evsi_of(Study(measures=ACCURACY), np.array([float(n)]))
    assert worth[0] == pytest.approx(exact, abs=0.03 * TEST.evppi_of_accuracy(0.15))


@pytest.mark.parametrize("measures", ["sensitivity", "specificity", "prevalence"])
def test_larger_studies_are_worth_more_up_to_certainty(measures: str) -> None:
    worth = TEST.evsi_of(Study(measures=measures), SIZES)
    short = dict(zip(("sensitivity", "specificity", "prevalence"), ("se", "sp", "prev"), strict=True))
    certain = TEST.values()[f"evppi_{short[measures]}"]
    assert (np.diff(worth) >= -1e-9).all() and worth[-1] == pytest.approx(certain, abs=0.05)


@pytest.mark.parametrize("row", rows("enbs_normal"), ids=lambda row: row["id"])
def test_the_best_size_of_a_trial_is_that_of_the_reference(row: dict[str, dict[str, float]]) -> None:
    trial = StudyPrice(**row["inputs"])  # type: ignore[arg-type]
    decision = EffectNetBenefit(
        post_mean=trial.post_mean,
        post_var=trial.post_var,
        willingness_to_pay=trial.value_per_unit,
        gain=[0, 1],
        cost=[0, trial.value_per_unit * trial.delta],
    )
    costs = {"cost_fixed": trial.cost_fixed, "cost_per_person": trial.cost_per_person}
    study = Study(measures="effect", sd=trial.sd_individual, arms=2, tau2=trial.tau2, **costs)
    result = best_size(decision, study, trial.people("continuous"), most=4000)
    assert result.best_n == pytest.approx(row["value"]["best_n_per_arm"], abs=1)
    assert result.best_enbs == pytest.approx(row["value"]["best_enbs"], rel=1e-8, abs=1e-3)


@pytest.mark.parametrize("most, cost_per_person", [(3000, 2.0), (3000, 9.5), (3000, 1e6), (700, 1e-3)])
def test_the_best_size_is_the_best_of_all_sizes(most: int, cost_per_person: float) -> None:
    effect = EffectNetBenefit(
        post_mean=0.2, post_var=0.01, willingness_to_pay=1e3, gain=[0, 1], cost=[0, 150]
    )
    study = Study(measures="effect", sd=1.0, arms=2, cost_per_person=cost_per_person)
    every = np.arange(2.0, most + 1)
    worth = effect.evsi_of(study, every) * 1000 - study.price(every)
    result = best_size(effect, study, 1000, most)
    assert result.best_n == every[worth.argmax()]
    assert result.best_enbs == pytest.approx(worth.max())


def test_several_studies_are_one_of_their_size_unless_they_differ() -> None:
    effect = EffectNetBenefit(
        post_mean=0.2, post_var=0.01, willingness_to_pay=1e3, gain=[0, 1], cost=[0, 150]
    )
    alike, apart = (Study(measures="effect", sd=1.0, arms=2, tau2=tau2) for tau2 in (0.0, 0.02))
    three, one = effect.evsi_of(alike, np.array([50.0]), 3), effect.evsi_of(alike, np.array([150.0]))
    assert three == pytest.approx(one)
    three, one = effect.evsi_of(apart, np.array([50.0]), 3), effect.evsi_of(apart, np.array([150.0]))
    assert three > one


@pytest.mark.parametrize(
    "wrong, named",
    [
        ({"sd": 0.0}, "sd"),
        ({"arms": 3}, "arms"),
        ({"cost_fixed": -1.0}, "cost_fixed"),
        ({"tau2": -1.0}, "tau2"),
    ],
)
def test_what_is_no_study_is_named(wrong: dict[str, float], named: str) -> None:
    with pytest.raises(InputProblem, match=named):
        Study(measures="effect", **wrong)  # type: ignore[arg-type]


def test_what_is_no_proportion_cannot_be_counted() -> None:
    with pytest.raises(InputProblem, match="proportion"):
        Study(measures="cost").resolved(12.0, 4.0, 10.0)
    with pytest.raises(InputProblem, match="no parameter"):
        TEST.evsi_of(Study(measures="cost"), SIZES)
