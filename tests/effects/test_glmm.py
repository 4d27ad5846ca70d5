"""Mixed models of 2×2 tables equal those of metafor and lme4, and a second program's own maximum."""

import numpy as np
import pytest
from scipy.stats import binom

from tarstop_core.effects.glmm import MODELS, Model, pool_by_likelihood
from tarstop_core.effects.measures import Measure
from tarstop_core.effects.sizes import Floats, of_events
from tarstop_core.errors import InputProblem
from tests.effects.golden import sets, studies_of

NAMES = [name for name, of in sets().items() if "glmm" in of]


def saturated(tables: Floats, model: Model) -> float:
    """Log likelihood when every proportion is what it is: lme4 leaves it out where it integrates by several nodes."""
    e1, n1, e0, n0 = tables[of_events(Measure.OR, *tables.T).says_something].T
    if model == "CM.AL":
        return float(binom.logpmf(e1, e1 + e0, e1 / (e1 + e0)).sum())
    return float((binom.logpmf(e1, n1, e1 / n1) + binom.logpmf(e0, n0, e0 / n0)).sum())


@pytest.mark.parametrize("equal", [False, True], ids=["ML", "EE"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", NAMES)
def test_estimates_are_those_of_another_program(name: str, model: Model, equal: bool) -> None:
    there = sets()[name]["glmm"][f"{model}_{'EE' if equal else 'ML'}"]
    tables = studies_of(name).values
    fit = pool_by_likelihood(tables, model, equal=equal)
    if "failed" in there:
        assert fit.tau2 == 0 and model == "CM.EL"  # a second program's maximum is in another test
        return
    offset = saturated(tables, model) if model in ("UM.FS", "CM.AL") and not equal and fit.tau2 > 0 else 0.0
    # Where the two differ the likelihood decides: lme4 and metafor stop early in some.
    better = fit.log_likelihood - offset - there["ll"]
    assert better > -1e-4
    if there.get("reliable", True) and better < 1e-4:
        assert fit.est == pytest.approx(there["est"], abs=1e-3)
        assert fit.se == pytest.approx(there["se"], abs=1e-3)
        assert fit.tau2 == pytest.approx(there["tau2"], abs=1e-3)
        assert fit.ci == pytest.approx(there["ci"], abs=3e-3)
    if there["sigma2"] is not None:
        assert fit.sigma2 == pytest.approx(there["sigma2"], abs=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_the_conditional_maximum_is_that_of_a_second_program(name: str) -> None:
    tables, there = studies_of(name).values, sets()[name]["exact"]["conditional_ml"]
    fit = pool_by_likelihood(tables)
    assert fit.est == pytest.approx(there["mu"], abs=1e-6)
    assert fit.tau2 == pytest.approx(there["tau2"], abs=1e-6)
    assert fit.log_likelihood == pytest.approx(there["ll"], abs=1e-6)
    fixed = pool_by_likelihood(tables, equal=True)
    assert fixed.est == pytest.approx(there["fixed"]["mu"], abs=1e-6)
    assert fixed.log_likelihood == pytest.approx(there["fixed"]["ll"], abs=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_arms_exchanged_turn_the_sign(model: Model) -> None:
    tables = studies_of("nielweise2007").values
    here, there = pool_by_likelihood(tables, model), pool_by_likelihood(tables[:, [2, 3, 0, 1]], model)
    assert here.est == pytest.approx(-there.est, abs=1e-5)
    assert here.tau2 == pytest.approx(there.tau2, abs=1e-5)


def test_studies_without_events_alone_are_refused() -> None:
    with pytest.raises(InputProblem, match="events"):
        pool_by_likelihood(np.array([[0.0, 30, 0, 40]]))
