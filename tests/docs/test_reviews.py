"""The page on reviews says what its data says, and the data what the code computes."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from tarstop_core.belief.of_tables import beliefs
from tarstop_core.belief.prior import Prior
from tarstop_core.files import read_outcomes, read_run

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reviews_measured.md").read_text(encoding="utf-8")


def script() -> ModuleType:
    path = ROOT / "scripts" / "report_reviews.py"
    spec = importlib.util.spec_from_file_location("report_reviews", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["report_reviews"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def believed() -> pd.DataFrame:
    return pd.read_csv(ROOT / "docs" / "data" / "reviews_beliefs.csv")


@pytest.fixture(scope="module")
def decided() -> pd.DataFrame:
    return pd.read_csv(ROOT / "docs" / "data" / "reviews_decisions.csv")


@pytest.mark.parametrize("studies", [0, 1, 2, 3, 5, 10])
def test_log_losses_on_the_page_are_those_of_the_data(believed: pd.DataFrame, studies: int) -> None:
    line = next(line for line in PAGE.splitlines() if line.startswith(f"| {studies} | "))
    for prior, shown in zip(("default", "learned", "width"), line.split(" | ")[1:4], strict=True):
        losses: dict[str, list[float]] = {}
        for row in believed[(believed["prior"] == prior) & (believed["studies"] == studies)].itertuples():
            losses.setdefault(row.review, []).append(-np.log(row.belief if row.omega else 1 - row.belief))
        assert float(shown) == pytest.approx(np.mean([np.mean(each) for each in losses.values()]), abs=1e-3)


@pytest.mark.parametrize(("q_star", "cost"), [(0.2, 0.0001), (0.5, 0.001), (0.8, 0.005)])
def test_differences_on_the_page_are_those_of_the_data(
    decided: pd.DataFrame, q_star: float, cost: float
) -> None:
    line = next(line for line in PAGE.splitlines() if line.startswith(f"| {q_star:g}, {cost:g} | "))
    cells = [cell.strip("* ") for cell in line.strip("| ").split(" | ")]
    for prior, shown, read in (("default", cells[1], cells[2]), ("learned", cells[4], cells[5])):
        cell = decided[
            (decided["q_star"] == q_star) & (decided["cost"] == cost) & (decided["prior"] == prior)
        ]
        of = {
            name: rows.groupby("review")[["net_utility", "depth"]].mean()
            for name, rows in cell.groupby("policy")
        }
        ahead, greedy = of["look-ahead:m=2000"], of["greedy"]
        gain = (ahead["net_utility"] - greedy["net_utility"]).mean()
        assert float(shown.split(" [")[0].replace("−", "-")) == pytest.approx(gain, abs=6e-4)
        assert read == f"{ahead['depth'].mean():.0f} / {greedy['depth'].mean():.0f}"


@pytest.mark.parametrize("studies", [0, 1, 2, 3, 5, 10])
def test_what_was_said_of_the_end_is_that_of_the_data(studies: int) -> None:
    turned = pd.read_csv(ROOT / "docs" / "data" / "reviews_turned.csv", dtype={"at": str})
    turned = turned[turned["at"] == "study"]
    line = [line for line in PAGE.splitlines() if line.startswith(f"| {studies} | ")][1]
    cells = line.strip("| ").split(" | ")
    for prior, shown in (("default", cells[1:4]), ("width", cells[5:8])):
        rows = turned[(turned["prior"] == prior) & (turned["studies"] == studies)]
        names = ["belief", "said", "turned"]
        means = rows.groupby("review")[names].mean().mean()
        assert shown == [f"{100 * means[name]:.0f} %" for name in names]


def test_what_is_said_of_the_end_does_as_well_as_anything_tried() -> None:
    """By log-loss not worse than the factor that was said before, and so − said has an interval that holds 0."""
    for prior in ("width", "default"):
        row = f"| {prior}: odds ^ t, if more studies come | "
        cells = next(line for line in PAGE.splitlines() if line.startswith(row)).strip("| ").split(" | ")
        assert not cells[3].strip("*").startswith("+") and "**" not in cells[4] and cells[5] == "0"


def test_no_decision_is_said_to_turn_oftener_than_studies_come() -> None:
    turned = pd.read_csv(ROOT / "docs" / "data" / "reviews_turned.csv", dtype={"at": str})
    assert set(turned["at"]) == {"study", "0.5", "0.8", "0.9", "0.95", "0.99"}
    assert (turned["said"] <= turned["coming"] + 1e-6).all()
    assert (turned["said"] <= np.maximum(turned["belief"], 0.5) + 1e-6).all()


COSTS = (1e-6, 1e-5, 1e-4, 5e-4, 1e-3, 5e-3)
RULES = ("open-loop", "optimal")


@pytest.fixture(scope="module")
def against() -> pd.DataFrame:
    return pd.read_csv(ROOT / "docs" / "data" / "reviews_never_worse.csv")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("prior", ["width", "default"])
def test_differences_to_greedy_are_those_of_what_was_decided(
    against: pd.DataFrame, decided: pd.DataFrame, rule: str, prior: str
) -> None:
    decided = decided.assign(right=(decided["action"] == "a+") == decided["omega"])
    for cost in COSTS:
        cell = decided[(decided["cost"] == cost) & (decided["prior"] == prior)]
        of = {
            name: rows.groupby("review")[["net_utility", "right"]].mean().mean()
            for name, rows in cell.groupby("policy")
        }
        row = against.set_index(["where", "world", "prior", "cost", "rule"]).loc[
            "real", "as it is", prior, cost, rule
        ]
        gain = of[rule]["net_utility"] - of["greedy"]["net_utility"]
        assert row["difference"] == pytest.approx(gain, abs=2e-5)
        assert row["right"] == pytest.approx(of[rule]["right"], abs=2e-5)
        assert row["not_less_right"] == (of[rule]["right"] >= of["greedy"]["right"] - 1e-9)


def test_every_line_of_rules_against_greedy_is_on_the_page(against: pd.DataFrame) -> None:
    width = against[against["prior"] == "width"]
    worlds = ("as it is", "τ × 1.5", "b₀ − 0.2", "b₀ + 0.2", "chances × 2", "chances ÷ 2")
    for key, pair in width.groupby(["where", "world", "cost"], sort=False):
        line = next(line for line in PAGE.splitlines() if line.startswith("| {} | {} | {:g} | ".format(*key)))
        cells = [cell.strip("* ") for cell in line.strip("| ").split(" | ")][3:]
        for at, rule in enumerate(RULES):
            row = pair[pair["rule"] == rule].iloc[0]
            shown, right, verdict = cells[3 * at : 3 * at + 3]
            low = float(shown.split("[")[1].split(",")[0].replace("−", "-"))
            assert low == pytest.approx(row["low"], abs=6e-4)
            assert right == f"{100 * row['right']:.1f} / {100 * row['greedy_right']:.1f}"
            assert (verdict == "yes") == (row["low"] >= -0.005 and row["right"] >= row["greedy_right"])
    assert {(where, world) for where, world, _ in width.groupby(["where", "world", "cost"]).groups} == {
        (where, world) for where in ("real", "simulated") for world in worlds
    }


@pytest.mark.parametrize("cost", COSTS)
def test_a_rule_may_be_the_default_only_where_every_line_allows_it(
    against: pd.DataFrame, cost: float
) -> None:
    section = PAGE.split("## Is any rule never worse")[1]
    line = next(line for line in section.splitlines() if line.startswith(f"| {cost:g} | "))
    width = against[(against["prior"] == "width") & (against["cost"] == cost)]
    allowed = [
        rule
        for rule in RULES
        if (width[width["rule"] == rule][["not_below", "not_less_right"]]).all(axis=None)
    ]
    assert line.strip("| ").split(" | ")[-1] == (", ".join(allowed) or "greedy")


def test_the_page_is_what_the_script_writes_of_its_data(
    believed: pd.DataFrame, decided: pd.DataFrame
) -> None:
    module = script()
    for n in module.AFTER[1:]:
        frame = believed[(believed["prior"] == "width") & (believed["studies"] == n)]
        assert f"{module.by_review(module.log_losses(frame), frame['review']).mean():.3f}" in PAGE
    assert f"{believed['outcome'].nunique()} outcomes of {believed['review'].nunique()}" in PAGE
    assert set(decided["policy"]) == {policy.spec for policy in module.POLICIES}


def test_beliefs_in_the_data_are_computed_again(real_data: Path, believed: pd.DataFrame) -> None:
    folder = real_data / "clef_dta"
    outcome = read_outcomes(folder / "outcomes.csv", read_run(folder / "bm25.run")).outcomes[0]
    stored = believed[(believed["outcome"] == outcome.name) & (believed["prior"] == "default")]
    path = beliefs(outcome.tables, 0.75, "bivariate", Prior())
    assert stored.sort_values("studies")["belief"].to_numpy() == pytest.approx(path, abs=2e-5)
