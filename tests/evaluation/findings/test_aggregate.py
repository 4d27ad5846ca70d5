"""Rows of tables against plain means over cases."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.findings import aggregate
from tarstop_core.evaluation.findings.means import mean_with_interval
from tarstop_core.evaluation.findings.tables import panel
from tarstop_core.evaluation.results import MethodInfo, Results
from tarstop_core.value.payoffs import Payoffs
from tests.evaluation.own_benchmark import CONTRACT


def hand_made(
    plus: list[list[float]], screened: list[list[float]], omega: list[bool], **more: object
) -> Results:
    """Cases × methods at one q* = .8 and one cost = .001; methods greedy, other …"""
    T, M = len(omega), len(plus[0])
    names = ["greedy", "other", "oracle"][:M]

    def cube(values: list[list[float]]) -> np.ndarray:
        return np.array(values, dtype=float)[:, :, None, None]

    found = Results(
        settings={
            "simulated": True,
            "scenario": "patent",
            "truth": "t",
            "engine": "decisive",
            "b_0": 0.5,
            "benchmark": "b",
            "title": "B",
        },
        methods=tuple(
            MethodInfo(name, name.title(), name, "marginal", "", is_oracle=name == "oracle") for name in names
        ),
        cases=tuple(f"t{i}" for i in range(T)),
        groups=tuple(f"t{i}" for i in range(T)),
        q_stars=(0.8,),
        costs=(0.001,),
        weights=np.ones(T),
        documents=np.full(T, 100),
        omega=np.array(omega)[:, None],
        screened=cube(screened),
        plus=cube(plus),
        recall=np.zeros((T, M, 1, 1)),
        fold=np.zeros(T, dtype=np.intp),
        chosen=tuple(names),
    )
    return replace(found, **more)  # type: ignore[arg-type]


def test_rows_are_means_over_cases(results: Results) -> None:
    rows = aggregate.rows(results, draws=0)
    assert list(rows.columns[: len(CONTRACT)]) == CONTRACT
    assert len(rows) == len(results.methods) * 3 * len(results.costs)
    m = results.method("batch")
    row = rows[(rows["method"] == "batch") & (rows["q_star"] == 0.2) & (rows["cost"] == 0.002)].iloc[0]
    q, c = results.q(0.2), results.c(0.002)
    payoffs = Payoffs.from_q_star(0.2)
    utilities, right, adopts, rejects = [], [], 0, 0
    for t in range(len(results.cases)):
        plus, omega = bool(results.plus[t, m, q, c]), bool(results.omega[t, q])
        utilities.append(payoffs.outcome(plus, omega) - 0.002 * results.screened[t, m, q, c])
        right.append(plus == omega)
        adopts += plus and not omega
        rejects += omega and not plus
    assert row["net_utility"] == pytest.approx(np.mean(utilities))
    assert row["decision_agreement"] == pytest.approx(np.mean(right))
    assert (row["false_adopt"], row["false_reject"]) == (adopts, rejects)
    assert row["screened"] == pytest.approx(results.screened[:, m, q, c].mean())
    assert row["setting"] == results.setting(m, q, c) and row["topics"] == len(results.cases)
    assert row["effort_saved"] == pytest.approx(
        1 - results.screened[:, m, q, c].sum() / results.documents.sum()
    )
    assert row["truth"] and row["engine"] == "decisive"
    assert row["decide_now"] == 0.5 and row["share"] == 0.5


def test_icer_is_against_greedy() -> None:
    found = hand_made(
        [[1, 1], [0, 1], [0, 0], [0, 0]], [[5, 10], [5, 10], [5, 10], [5, 10]], [True, True, False, False]
    )
    icers = aggregate.rows(found, draws=0).set_index("method")["icer"]
    assert icers["greedy"] == "Ref." and icers["other"] == pytest.approx(5 / 0.25)
    alone = aggregate.rows(found.only(["other"]), draws=0)
    assert alone["icer"].tolist() == ["--"]


def test_work_saved_and_reliability_are_over_topics_with_something_relevant() -> None:
    recall = np.array([1.0, 0.95, 0.9, 0.0])[:, None, None, None]
    found = hand_made([[1]] * 4, [[10], [20], [30], [100]], [True, True, True, False], recall=recall)
    (row,) = aggregate.rows(found, draws=0).to_dict("records")
    assert row["wss"] == pytest.approx(np.mean([0.9, 0.95 - 0.2, 0.9 - 0.3]))
    assert (row["target_recall"], row["topics_with_relevant"]) == (0.95, 3)
    assert row["reliability"] == pytest.approx(2 / 3)
    # Wilson's own formula, for 2 of 3.
    z2, p, n = 1.959964**2, 2 / 3, 3
    half = np.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n**2)))
    interval = [(p + z2 / (2 * n) + sign * half) / (1 + z2 / n) for sign in (-1, 1)]
    assert [row["reliability_low"], row["reliability_high"]] == pytest.approx(interval)
    (row,) = aggregate.rows(found, draws=0, target=0.96).to_dict("records")
    assert row["reliability"] == pytest.approx(1 / 3) and row["recall"] == pytest.approx(2.85 / 4)
    # Kept in single precision, it reaches its target all the same.
    narrow = replace(found, recall=recall.astype(np.float32).astype(float))
    assert aggregate.rows(narrow, draws=0)["reliability"].item() == pytest.approx(2 / 3)


def test_weights_make_an_interval_wider_and_nothing_relevant_leaves_it_undefined() -> None:
    recall = np.array([1.0, 0.0, 1.0, 1.0])[:, None, None, None]
    found = hand_made([[1]] * 4, [[10]] * 4, [True, True, True, True], recall=recall)
    unequal = replace(found, weights=np.array([2.0, 1.0, 0.5, 0.5]))
    even, weighed = (aggregate.rows(each, draws=0).iloc[0] for each in (found, unequal))
    assert even["reliability"] == weighed["reliability"] == 0.75
    wide, narrow = (each["reliability_high"] - each["reliability_low"] for each in (weighed, even))
    assert wide > narrow
    nothing = hand_made([[1]] * 2, [[10]] * 2, [False, False])
    (row,) = aggregate.rows(nothing, draws=0).to_dict("records")
    assert np.isnan([row[name] for name in ("wss", "reliability", "reliability_low")]).all()
    assert row["topics_with_relevant"] == 0 and panel(aggregate.rows(nothing, draws=0), 0.8, 0.001)[
        "WSS"
    ].tolist() == ["not defined"]


def test_regret_leaves_out_who_knows_the_truth() -> None:
    found = hand_made([[1, 0, 1], [0, 0, 0]], [[10, 0, 0], [10, 0, 0]], [True, False])
    rows = aggregate.rows(found, draws=0).set_index("method")
    # Greedy is right for .01 on ω⁺, where the other loses B + L_g = .2; on ω⁻ it wastes .01.
    assert rows.loc["greedy", "regret"] == pytest.approx(0.005)
    assert rows.loc["other", "regret"] == pytest.approx((0.2 - 0.01) / 2)
    assert np.isnan(rows.loc["oracle", "regret"])
    frame = aggregate.regret_by_cost(found, 0.8)
    assert frame["method"].tolist() == ["greedy", "other"]
    assert (frame["regret_low"] <= frame["regret"]).all()


def test_weighing_to_another_share() -> None:
    found = hand_made([[1], [0], [1], [0]], [[1]] * 4, [True, True, True, False])
    # ω⁺: two of three right; ω⁻: all right.
    for share, expected in ((None, 0.75), (0.5, 5 / 6), (0.0, 1.0), (1.0, 2 / 3)):
        (agreement,) = aggregate.rows(found, share=share, draws=0)["decision_agreement"]
        assert agreement == pytest.approx(expected)
    (rejects,) = aggregate.rows(found, share=0.5, draws=0)["false_reject"]
    assert rejects == pytest.approx(4 * 0.5 / 3, abs=1e-6)
    with pytest.raises(InputProblem, match="share"):
        aggregate.rows(found, share=1.5, draws=0)


def test_depths_are_weighed_as_means_are() -> None:
    found = hand_made([[1]] * 4, [[1], [2], [100], [200]], [True, True, False, False])
    depths = ["depth_25", "depth_50", "depth_75"]
    for share, expected in ((None, [1, 2, 100]), (1.0, [1, 1, 2]), (0.0, [100, 100, 200])):
        (row,) = aggregate.rows(found, share=share, draws=0)[depths].to_numpy().tolist()
        assert row == expected
    weighed = replace(found, weights=np.array([0.1, 0.1, 0.1, 3.7]))
    assert aggregate.rows(weighed, draws=0)[depths].to_numpy().tolist() == [[200, 200, 200]]


def test_reading_nothing_under_a_prior_that_is_not_recorded_is_unknown() -> None:
    found = hand_made([[1, 1], [0, 0]], [[5, 5], [5, 5]], [True, False])
    learned = replace(found.methods[1], variant="learned")
    old = aggregate.rows(replace(found, methods=(found.methods[0], learned)), draws=0)
    assert old["decide_now"].iloc[0] == 0.5 and np.isnan(old["decide_now"].iloc[1])
    assert panel(old, 0.8, 0.001)["Decide now"].tolist() == ["0.5000", "unknown"]


def test_groups_are_drawn_whole() -> None:
    """Two groups of equal cases: every draw is one of three mixtures, however many cases a group has."""
    plus = [[1.0]] * 30 + [[0.0]] * 10
    found = hand_made(plus, [[0]] * 40, [True] * 40, groups=("a",) * 30 + ("b",) * 10)
    mean = mean_with_interval(found, found.plus[:, :, 0], 0)
    assert mean.value[0, 0] == 0.75 and (mean.low[0, 0], mean.high[0, 0]) == (0.0, 1.0)
    single = mean_with_interval(replace(found, groups=found.cases), found.plus[:, :, 0], 0)
    assert 0.55 < single.low[0, 0] < 0.75 < single.high[0, 0] < 0.95


def test_intervals_cover() -> None:
    """Of repeated samples, about 95 % of the intervals hold the mean they were drawn from."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        found = hand_made([[float(rng.random() < 0.4)] for _ in range(80)], [[0]] * 80, [True] * 80)
        mean = mean_with_interval(found, found.plus[:, :, 0], 0, draws=200)
        held += bool(mean.low[0, 0] <= 0.4 <= mean.high[0, 0])
    assert 0.88 <= held / 200 <= 0.99


def test_the_share_of_a_patent_benchmark_is_not_drawn() -> None:
    """Where all of ω⁺ is right and all of ω⁻ wrong, agreement is the share: fixed by whoever built it."""
    found = hand_made([[1.0]] * 20, [[0]] * 20, [True] * 10 + [False] * 10)
    agrees = np.where(found.omega[:, 0, None, None], found.plus[:, :, 0], 1 - found.plus[:, :, 0])
    mean = mean_with_interval(found, agrees, 0)
    assert mean.low[0, 0] == mean.high[0, 0] == mean.value[0, 0] == 0.5
    review = replace(found, settings={**found.settings, "scenario": "review"})
    assert mean_with_interval(review, agrees, 0).low[0, 0] < 0.4


def test_comparisons_are_paired(results: Results) -> None:
    table = aggregate.compare(results)
    assert set(table["reference"]) == {"Greedy"} and "greedy" not in set(table["method"])
    row = table[(table["method"] == "optimal") & (table["q_star"] == 0.5) & (table["cost"] == 0.001)].iloc[0]
    q, c = results.q(0.5), results.c(0.001)
    gain = (
        results.net_utility[:, results.method("optimal")] - results.net_utility[:, results.method("greedy")]
    )[:, q, c]
    assert row["difference"] == pytest.approx(gain.mean())
    assert row["difference_low"] <= row["difference"] <= row["difference_high"]
    assert row["better"] == pytest.approx((gain > 1e-12).mean())
    # A method against its own copy: nothing between them, and no doubt about it.
    m = results.method("greedy")
    twice = replace(
        results,
        methods=(results.methods[m], replace(results.methods[m], name="copy")),
        screened=results.screened[:, [m, m]],
        plus=results.plus[:, [m, m]],
        recall=results.recall[:, [m, m]],
    )
    copy = aggregate.compare(twice)
    assert not copy[["difference", "difference_low", "difference_high", "better", "worse"]].to_numpy().any()


def test_errors_are_shares_of_all_topics(results: Results) -> None:
    rows = aggregate.rows(results, draws=0, costs=[0.001]).set_index(["method", "q_star"])
    errors = aggregate.errors(results, 0.001).set_index(["method", "q_star"])
    both = rows.join(errors, suffixes=("", "_share"))
    for kind in ("false_adopt", "false_reject"):
        assert both[f"{kind}_share"].to_numpy() * len(results.cases) == pytest.approx(both[kind].to_numpy())
    perfect = 0.25
    half = both.xs(0.5, level="q_star")
    assert (perfect - half["loss"] - 0.001 * half["screened"]).to_numpy() == pytest.approx(
        half["net_utility"].to_numpy()
    )


def test_case_rows_are_what_means_are_means_of(results: Results) -> None:
    cases = aggregate.case_rows(results, 0.2, 0.01)
    rows = aggregate.rows(results, draws=0, q_stars=[0.2], costs=[0.01]).set_index("method")
    means = cases.groupby("method")[["net_utility", "screened", "recall"]].mean()
    assert len(cases) == len(results.cases) * len(results.methods)
    for name in ("net_utility", "screened", "recall"):
        assert means[name].to_numpy() == pytest.approx(rows.loc[means.index, name].to_numpy())
    assert len(aggregate.case_rows(results)) == results.screened.size


def test_numbers_are_for_every_cell_that_was_asked_for(results: Results) -> None:
    some = aggregate.rows(results, q_stars=[0.8, 0.2], costs=[1.0], draws=20)
    assert some["q_star"].unique().tolist() == [0.8, 0.2] and set(some["cost"]) == {1.0}
    with pytest.raises(InputProblem, match=r"cost 0\.5 was not run"):
        aggregate.rows(results, costs=[0.5], draws=0)
    assert isinstance(some, pd.DataFrame) and {"net_utility_low", "screened_high"} <= set(some)
