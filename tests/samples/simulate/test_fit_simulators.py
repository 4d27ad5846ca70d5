"""The script that fits the simulators: it looks for the constants it names, and starts at the shipped ones."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tarstop_core.samples.simulate import rankings, reviews

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "fit_simulators.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fit_simulators", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fit_simulators"] = module
    spec.loader.exec_module(module)
    return module


def test_losses_by_hand(script: ModuleType) -> None:
    off = {"map": 0.453, "ndcg": 0.573, "recall_100": 0.547, "hit_within_31": 0.892, "hit_within_100": 0.716}
    assert script.patents(10).loss(off | {"n_relevant": 99.0}) == pytest.approx(0.1**2 + 0.2**2)
    half = {"map": 0.099, "ndcg": 0.377 / 2, "recall_100": 0.304}
    assert script.of_reviews(10).loss(half) == pytest.approx(0.25)


def test_it_starts_at_the_shipped_constants_and_ends_no_worse(script: ModuleType) -> None:
    for fit, shape in ((script.patents(20), rankings.Shape()), (script.of_reviews(20), reviews.Shape())):
        assert fit.shape == shape and fit.shaped(np.array([getattr(shape, n) for n in fit.bounds])) == shape
        values = script.found(fit, seed=5, evaluations=12)
        better, shipped = (fit.loss(fit.figures(each, 5)) for each in (fit.shaped(values), shape))
        assert better <= shipped
        assert all(f"\n{name} " in script.report(fit, values, 5) for name in fit.bounds)


def test_nothing_else_in_a_shape_was_fitted(script: ModuleType) -> None:
    """Frailty of the patents is set by hand, as the module says."""
    assert set(vars(rankings.Shape())) - set(script.patents(10).bounds) == {"frailty"}
    assert set(vars(reviews.Shape())) == set(script.of_reviews(10).bounds)


def test_other_seeds_are_looked_at(script: ModuleType) -> None:
    said = script.of_seeds(2)
    assert "Seed 2050: both halves within 5.9% of every target." in said
    assert said.endswith("So are those of 0 of the seeds 1 to 2.")
