"""Pooled effects equal those of metafor for every prefix of published sets."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.pooling import Method, mantel_haenszel, peto, prefixes, tau2_interval
from tarstop_core.effects.sizes import Floats, Z, of_events, of_means
from tests.effects.golden import cases, numbers, sets, sizes_of, studies_of

METHODS: tuple[Method, ...] = ("FE", "DL", "REML", "ML", "PM")


def said(name: str, measure: str) -> tuple[Floats, Floats]:
    sizes = sizes_of(name, measure)
    return sizes.y[sizes.says_something], sizes.v[sizes.says_something]


def log_likelihood(y: Floats, v: Floats, tau2: float, method: Method) -> float:
    """Log likelihood of studies at τ² and the best μ; constants are metafor's."""
    w = 1 / (v + tau2)
    Q = float((w * (y - (w * y).sum() / w.sum()) ** 2).sum())
    full = 0.5 * float(np.log(w).sum() - len(y) * np.log(2 * np.pi) - Q)
    return full + 0.5 * float(np.log(2 * np.pi * len(y) / w.sum())) if method == "REML" else full


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name, measure", cases())
def test_prefixes_are_those_of_another_program(name: str, measure: str, method: Method) -> None:
    y, v = said(name, measure)
    fit = prefixes(y, v, method)
    rows = sets()[name]["measures"][measure]["prefix"]
    assert len(fit.est) == len(rows)
    keys = ("est", "se", "ll") if method == "FE" else ("est", "se", "ll", "tau2", "I2")
    there = {key: numbers([row[method][key] for row in rows]) for key in keys}
    se = there["se"]
    assert (np.abs(fit.ci - [row[method]["ci"] for row in rows]) <= 3e-6 * se[:, None]).all()
    assert (np.abs(fit.est - there["est"]) <= 1e-6 * se).all()
    np.testing.assert_allclose(fit.se, se, rtol=1e-6)
    found = [
        log_likelihood(y[: row["k"]], v[: row["k"]], fit.tau2[at], method) for at, row in enumerate(rows)
    ]
    np.testing.assert_allclose(found, there["ll"], rtol=1e-8, atol=1e-8)
    if method == "FE":
        return
    close = np.abs(fit.tau2 - there["tau2"]) <= 1e-6 * v.mean()
    assert (close | (np.abs(found - there["ll"]) <= 1e-8)).all()
    np.testing.assert_allclose(fit.I2, there["I2"], atol=1e-4)
    for here, key in ((fit.kh_ci, "kh_ci"), (fit.prediction, "pi_riley")):
        for at, row in enumerate(rows):
            if row[method].get(key):
                assert (np.abs(here[at] - row[method][key]) <= 1e-5 * se[at]).all(), (key, at)


@pytest.mark.parametrize("name, measure", cases())
def test_the_interval_of_tau2_is_where_q_reaches_its_quantiles(name: str, measure: str) -> None:
    y, v = said(name, measure)
    for end, level in zip(tau2_interval(y, v), (0.975, 0.025), strict=True):
        w = 1 / (v + end)
        Q = float((w * (y - (w * y).sum() / w.sum()) ** 2).sum())
        wanted = float(stats.chi2.ppf(level, len(y) - 1))
        assert pytest.approx(wanted, rel=1e-9) == Q if end else wanted >= Q
    there = sets()[name]["measures"][measure]["full"].get("tau2_qprofile_ci")
    if there:
        # metafor stops when it is within 1e-4 of the root.
        np.testing.assert_allclose(tau2_interval(y, v), there, atol=1.3e-4, rtol=1e-6)


@pytest.mark.parametrize(
    "name, measure", [(name, each) for name, each in cases() if sets()[name]["kind"] == "2x2"]
)
def test_mantel_haenszel_and_peto(name: str, measure: str) -> None:
    values = studies_of(name).values
    arms = values[np.isfinite(values).all(axis=1)].T
    there = sets()[name]["measures"][measure]["full"]
    for key, pooled in (("MH", mantel_haenszel(Measure(measure), *arms)), ("Peto", peto(*arms))):
        if key in there:
            est, se = pooled
            assert (est, se) == pytest.approx((there[key]["est"], there[key]["se"]), rel=1e-8)
            assert [est - Z * se, est + Z * se] == pytest.approx(there[key]["ci"], rel=1e-8)


VARIANTS: dict[str, dict[str, Any]] = {
    "REML_keep00": {"drop00": False},
    "REML_add_to_all": {"drop00": False, "to": "all"},
    "REML_vtypeUB": {"vtype": "UB"},
}


@pytest.mark.parametrize(
    "name, measure, variant",
    [
        (*case, each)
        for case in cases()
        for each in VARIANTS
        if each in sets()[case[0]]["measures"][case[1]]["full"]
    ],
)
def test_other_corrections_and_variances(name: str, measure: str, variant: str) -> None:
    of = of_events if sets()[name]["kind"] == "2x2" else of_means
    sizes = of(Measure(measure), *studies_of(name).values.T, **VARIANTS[variant])
    fit = prefixes(sizes.y[sizes.says_something], sizes.v[sizes.says_something], "REML")
    there = sets()[name]["measures"][measure]["full"][variant]
    se = there["se"]
    assert fit.est[-1] == pytest.approx(there["est"], abs=1e-6 * se)
    assert fit.se[-1] == pytest.approx(se, rel=1e-6)
    assert fit.ci[-1] == pytest.approx(there["ci"], abs=3e-6 * se)
    assert fit.tau2[-1] == pytest.approx(there["tau2"], abs=1e-6 * float(np.nanmean(sizes.v)))
    assert fit.I2[-1] == pytest.approx(there["I2"], abs=1e-4)


def test_the_order_of_studies_does_not_matter() -> None:
    y, v = said("raudenbush1985", "GEN")
    there = np.random.default_rng(1).permutation(len(y))
    for method in METHODS:
        one, other = prefixes(y, v, method), prefixes(y[there], v[there], method)
        assert one.est[-1] == pytest.approx(other.est[-1], rel=1e-9)


def test_one_study_alone_is_pooled_by_fixed_effect_only() -> None:
    assert len(prefixes(np.ones(1), np.ones(1), "REML").est) == 0
    assert prefixes(np.ones(1), np.ones(1), "FE", first=1).est.tolist() == [1.0]
