"""Figures of an experiment hold what their frames hold, and their sentences say it."""

import json
from itertools import pairwise

import pandas as pd
import pytest

from tarstop_core.evaluation.findings import share_words
from tarstop_core.evaluation.findings.effort import (
    difference_figure,
    difference_sentence,
    effort_figure,
    effort_sentence,
)
from tarstop_core.evaluation.findings.figures import (
    DIRECT_LABELS,
    error_figure,
    error_heading,
    error_sentence,
    regret_figure,
    regret_sentence,
    style,
)
from tarstop_core.evaluation.tasks import errors_of
from tarstop_core.policies import POLICIES
from tests.evaluation.findings.conftest import Worded

LOOK = {"policy": "greedy", "variant": "marginal", "family": "paper's policy"}


def regrets(methods: int = 2) -> pd.DataFrame:
    rows = [
        {
            "method": f"m{m}",
            "approach": f"M{m}",
            **LOOK,
            "cost": cost,
            "regret": (m + 1) * cost if cost < 1 else 0.0,
        }
        for m in range(methods)
        for cost in (0.001, 0.01, 1.0)
    ]
    return pd.DataFrame(rows)


def test_regret_on_log_axes_has_no_zero_but_a_place_for_it() -> None:
    figure = regret_figure(regrets())
    none = figure["data"][2:]
    assert [each["x"] for each in none] == [[1.0], [1.0]] and {each["y"][0] for each in none} == {10**-3.5}
    assert figure["layout"]["annotations"][-1]["text"] == "0"
    some = regrets()
    assert len(regret_figure(some[some["cost"] < 1])["data"]) == 2
    assert figure["layout"]["xaxis"]["type"] == figure["layout"]["yaxis"]["type"] == "log"
    assert figure["data"][1]["x"] == [0.001, 0.01, 1.0] and figure["data"][1]["y"] == [0.002, 0.02, None]
    json.dumps(figure, allow_nan=False)


def test_few_lines_are_named_at_their_ends() -> None:
    few, many = regret_figure(regrets(DIRECT_LABELS)), regret_figure(regrets(DIRECT_LABELS + 1))
    named = [note["text"] for note in few["layout"]["annotations"]]
    assert named == [*(f"M{m}" for m in range(DIRECT_LABELS)), "0"] and not few["layout"]["showlegend"]
    assert many["layout"]["showlegend"] and len(many["layout"]["annotations"]) == 1
    heights = [note["y"] for note in few["layout"]["annotations"][:-1]]
    assert min(b - a for a, b in pairwise(heights)) > 0.2


def test_regret_sentence_follows_the_frame(worded: Worded) -> None:
    regret_sentence(regrets(), 0.5, 0.001)
    frame = regrets()
    frame.loc[0, "regret"] = 0.1
    regret_sentence(frame, 0.5, 0.001, ["Oracle"])
    (first, plain), (second, turned), (third, bounds) = worded
    assert (first, second, third) == ("regret", "regret", "bounds")
    assert plain["best"] == {"name": "M0", "regret": 0.001, "within": ""}
    assert plain["worst"] == {"name": "M1", "regret": 0.002, "within": ""}
    assert plain["always"] == ["M0"]
    assert turned["best"]["name"] == "M1" and not turned["always"]
    assert turned["often"] == ["M0 at 2", "M1 at 2"] and bounds == {"names": ["Oracle"]}


def test_who_is_best_has_an_interval_where_there_is_one(worded: Worded) -> None:
    regret_sentence(regrets().assign(regret_low=0.0005, regret_high=0.5), 0.5, 0.001)
    row = {"approach": "A", "family": "", "q_star": 0.5, "cost": 0.01, "screened": 20.0, "effort_saved": 0.9}
    row |= {"net_utility": 0.2, "net_utility_low": -0.1, "net_utility_high": 0.3, "decide_now": 0.5}
    row |= {
        "regret": 0.1,
        "decision_agreement": 0.9,
        "decision_agreement_low": 0.8,
        "decision_agreement_high": 1.0,
    }
    effort_sentence(pd.DataFrame([row]))
    (_, regret), (_, effort) = worded
    assert "0.0005 to 0.5" in regret["best"]["within"]
    assert effort["cell"] == (0.5, 0.01) and effort["best"]["approach"] == "A"
    assert (
        "−0.1000 to 0.3000" in effort["net_utility_within"] and "80 % to 100 %" in effort["agreement_within"]
    )


def errors() -> pd.DataFrame:
    rows = [
        {"method": m, "approach": m, **LOOK, "q_star": q, "false_adopt": a, "false_reject": r, "loss": 0.0}
        for m, q, a, r in (
            ("A", 0.2, 0.3, 0.02),
            ("B", 0.2, 0.0, 0.05),
            ("A", 0.8, 0.0, 0.1),
            ("B", 0.8, 0.0, 0.0),
        )
    ]
    return pd.DataFrame(rows)


def test_errors_are_told_apart_by_panel_and_kind() -> None:
    figure = error_figure(errors(), errors_of({"scenario": "review", "benchmark": "review"}), simulated=True)
    bars = {(bar["xaxis"], bar["name"]): bar["x"] for bar in figure["data"]}
    assert bars == {
        ("x", "false adopt"): [0.3, 0.0],
        ("x", "false reject"): [0.02, 0.05],
        ("x2", "false adopt"): [0.0, 0.0],
        ("x2", "false reject"): [0.1, 0.0],
    }
    assert "simulated" in [note["text"] for note in figure["layout"]["annotations"]]
    # Panels of any height leave the legend the bottom of the picture, below the titles of their axes.
    legend = figure["layout"]["legend"]
    assert (legend["yref"], legend["y"], legend["yanchor"]) == ("container", 0, "bottom")
    assert figure["layout"]["margin"]["b"] >= 90
    # Not by colour alone: one of the two kinds is hatched.
    assert len({bar["marker"]["pattern"]["shape"] for bar in figure["data"]}) == 2


@pytest.mark.parametrize(
    ("scenario", "benchmark", "names"),
    [
        ("patent", "clef", ["false adopt", "false reject"]),
        ("review", "review", ["false adopt", "false reject"]),
        ("patent", "patent", ["false reject", "false grant"]),
    ],
)
def test_errors_are_called_as_the_scenario_calls_its_actions(
    scenario: str, benchmark: str, names: list[str]
) -> None:
    told = errors_of({"scenario": scenario, "benchmark": benchmark})
    legend = [bar["name"] for bar in error_figure(errors(), told)["data"] if bar["showlegend"]]
    assert legend == names


def test_error_sentence_follows_the_frame(worded: Worded) -> None:
    called = errors_of({"scenario": "patent", "benchmark": "patent"})
    error_sentence(errors(), called)
    (_, low), (_, high) = worded
    assert low["adopts"] == {"names": ["A"], "share": 0.3, "kind": "false reject"}
    assert low["rejects"] == {"names": ["B"], "share": 0.05, "kind": "false grant"}
    assert (low["free"], high["free"], high["methods"]) == (0, 1, 2)
    assert high["adopts"]["share"] == 0 and high["rejects"]["names"] == ["A"]
    worded.clear()
    frame = errors()
    frame.loc[frame["q_star"] == 0.2, "false_adopt"] = float("nan")
    error_sentence(frame, called)
    assert [name for name, _ in worded] == ["errors", "not_apart"] and worded[1][1] == {"q_stars": ["0.2"]}


def test_effort_draws_zero_where_a_log_axis_can() -> None:
    row = {
        "approach": "A",
        "method": "greedy",
        **LOOK,
        "screened": 0.0,
        "screened_low": 0.0,
        "screened_high": 0.0,
        "effort_saved": 1.0,
        "depth_25": 0.0,
        "depth_50": 0.0,
        "depth_75": 4.0,
    }
    bar, dot = effort_figure(pd.DataFrame([row]))["data"]
    assert bar["x"] == [0.5, 4.0] and dot["x"] == [0.5]
    assert dot["error_x"]["arrayminus"] == [0.0]
    # About 40 letters are as wide as what a telephone leaves beside the names.
    title = effort_figure(pd.DataFrame([row]))["layout"]["xaxis"]["title"]["text"]
    assert max(map(len, title.split("<br>"))) <= 40


def differences() -> pd.DataFrame:
    rows = [
        {
            "method": m,
            "approach": m,
            **LOOK,
            "reference": "Greedy",
            "q_star": 0.5,
            "cost": 0.001,
            "difference": d,
            "difference_low": lo,
            "difference_high": hi,
        }
        for m, d, lo, hi in (("A", 0.02, 0.01, 0.03), ("B", 0.0, -0.01, 0.01), ("C", -2.9, -3.0, -2.8))
    ]
    return pd.DataFrame(rows)


def test_what_is_far_down_stands_at_the_edge_with_its_number() -> None:
    figure = difference_figure(differences())
    assert [trace["y"] for trace in figure["data"]] == [["C"], ["B"], ["A"]]
    least, most = figure["layout"]["xaxis"]["range"]
    assert (least, most) == pytest.approx((-0.0345, 0.0345))
    edge = figure["data"][0]
    assert edge["marker"]["symbol"] == "triangle-left" and least < edge["x"][0] < -0.03
    (note,) = figure["layout"]["annotations"]
    assert (note["text"], note["y"]) == ("−2.90", "C")


def test_difference_sentence_sorts_by_intervals(worded: Worded) -> None:
    difference_sentence(differences())
    ((_, values),) = worded
    assert (values["better"], values["worse"], values["unclear"]) == (["A"], ["C"], ["B"])
    assert (values["q_star"], values["cost"], values["reference"]) == (0.5, 0.001, "Greedy")


def test_who_decides_wrongly_least_often_is_a_heading(worded: Worded) -> None:
    columns = ["approach", "false_adopt", "false_reject"]
    at = pd.DataFrame([["A", 0.0, 0.1], ["B", 0.1, 0.1]], columns=columns)
    error_heading(at, 0.5, 0.01)
    at[["false_adopt", "false_reject"]] = 0.0
    error_heading(at, 0.5, 0.01)
    (_, one), (_, none) = worded
    assert (list(one["names"]), one["never"]) == (["A"], False)
    assert (list(none["names"]), none["never"]) == (["A", "B"], True)


def test_errors_of_by_example() -> None:
    assert errors_of({"scenario": "patent", "benchmark": "clef"})["false_reject"] == "false reject"


def test_rules_keep_a_look_of_their_own() -> None:
    looks = {name: style(name, family=kind.family) for name, kind in POLICIES.items()}
    assert len({(look["color"], look["symbol"]) for look in looks.values()}) == len(looks)
    assert looks["greedy"]["dash"] == "solid" and looks["budget"]["dash"] == "dash"
    assert looks["oracle"]["dash"] == "dot"
    assert style("optimal", "hazard")["symbol"].endswith("-open")
    assert style("mine") == style("mine")


def test_share_words_by_example() -> None:
    assert (share_words(0.1234), share_words(0.99999), share_words(1 - 1e-12)) == (
        "12.3 %",
        ">99.9 %",
        "100 %",
    )
