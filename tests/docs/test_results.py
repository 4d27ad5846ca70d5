"""The page of results says what the shipped figures say."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tarstop_core.evaluation.findings.shipped import load_small, shipped
from tarstop_core.value.payoffs import Payoffs

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("report_results", ROOT / "scripts" / "report_results.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["report_results"] = module
    spec.loader.exec_module(module)
    return module


def test_every_shipped_benchmark_has_its_section(script: ModuleType) -> None:
    for listed in shipped():
        assert f"## {listed.title}" in PAGE
    small = next(listed for listed in shipped() if listed.path.stem == "clef")
    assert script.section(small) in PAGE


def test_the_papers_table_is_beside_figures_counted_by_hand() -> None:
    results = load_small(next(listed.path for listed in shipped() if listed.path.stem == "patent"))
    greedy, q, c = results.method("greedy"), results.q(0.8), results.c(0.001)
    payoffs = Payoffs.from_q_star(0.8)
    plus, read = results.plus[:, greedy, q, c] > 0.5, results.screened[:, greedy, q, c]
    own = [
        payoffs.outcome(bool(p), bool(w)) - 0.001 * n
        for p, w, n in zip(plus, results.omega[:, q], read, strict=True)
    ]
    row = next(line for line in PAGE.splitlines() if line.startswith("| Greedy | "))
    cells = [cell.strip().replace("−", "-") for cell in row.strip("|").split("|")]
    assert float(cells[1]) == pytest.approx(np.mean(own), abs=6e-5)
    assert float(cells[3]) == pytest.approx(read.mean(), abs=0.06)
    assert float(cells[5]) == pytest.approx((plus == results.omega[:, q]).mean(), abs=6e-5)
    assert float(cells[2]) == 0.2248


def test_the_claims_are_stated_for_the_real_rankings() -> None:
    real = PAGE[PAGE.index("## " + next(listed.title for listed in shipped() if not listed.simulated)) :]
    for claim in (
        "the paper's claim",
        "Optimal stopping beats the paper's Greedy",
        "A first-hit hazard",
        "A frailty",
    ):
        assert re.search(re.escape(claim), real), claim
