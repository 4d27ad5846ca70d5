"""Two calibrators side by side: figures by hand, intervals, held-out sets, and what it does to decisions."""

from dataclasses import replace

import numpy as np
import pytest

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.figures import (
    come_by_rank,
    first_hit_figure,
    first_hit_sentence,
    share_sentence,
    two_reliabilities,
    worth_figure,
)
from tarstop_core.calibration.first_hit import first_hit_calibrator, fit_first_hits, read_cases
from tarstop_core.calibration.fitting import assess, fit
from tarstop_core.calibration.quality import quality_sentence
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.calibrators import (
    ComparedMeasure,
    HeldOut,
    compare,
    comparison_sentence,
    decisions,
    decisions_sentence,
    log_loss,
    shipped,
    warnings,
)
from tarstop_core.evaluation.cases import without_relevant
from tarstop_core.evaluation.replay import replay, summary
from tarstop_core.files.labelled_lists import list_digest
from tarstop_core.policies import Optimal
from tarstop_core.samples.shipped import calibrators
from tarstop_core.value.payoffs import Payoffs
from tests.session_cases import SEEN

HALF = Calibrator("rank", "patent", x=(0.0, 9.0), y=(0.5, 0.5), fitted_on=SEEN)
TENTH = replace(HALF, y=(0.1, 0.1))
BALANCED = Payoffs.from_q_star(0.5)


def topic(name: str, labels: str) -> Topic:
    found = np.array([each == "+" for each in labels])
    return Topic(name, np.array([f"{name}{at}" for at in range(len(labels))]), None, found, int(found.sum()))


LISTS = [topic("a", "+---------"), topic("b", "-+--------"), topic("c", "---------+")]


def test_figures_by_hand() -> None:
    found = compare(HALF, TENTH, LISTS)
    brier, ece, loss = found.measures
    assert (found.lists, found.documents, found.first_hits) == (3, 30, False)
    assert brier.a == pytest.approx(0.25) and brier.b == pytest.approx(0.1 * 0.81 + 0.9 * 0.01)
    assert ece.a == pytest.approx(0.4) and ece.b == pytest.approx(0.0)
    assert loss.a == pytest.approx(np.log(2))
    assert loss.b == pytest.approx(-0.1 * np.log(0.1) - 0.9 * np.log(0.9))
    assert brier.better == ece.better == loss.better == "b"
    assert comparison_sentence(found, "half", "tenth").count("tenth") == 1
    # As `assess` computes them.
    assert found.a.brier == pytest.approx(assess(HALF, LISTS, "x").brier)
    assert found.a.ece == pytest.approx(assess(HALF, LISTS, "x").ece)


def test_one_list_has_no_interval() -> None:
    found = compare(HALF, TENTH, LISTS[:1])
    assert np.isnan(found.measures[0].low) and not found.measures[0].better
    assert "One list says little" in comparison_sentence(found, "a", "b")


def test_a_first_hit_kind_is_judged_up_to_the_first_hit() -> None:
    memory = first_hit_calibrator(fit_first_hits(read_cases("1, 2, 9")), "mine")
    found = compare(HALF, memory, LISTS)
    assert found.first_hits and found.documents == 1 + 2 + 10
    assert "documents up to the first hit" in comparison_sentence(found, "a", "b")


def test_equal_calibrators_differ_by_nothing() -> None:
    for measure in compare(HALF, HALF, LISTS).measures:
        assert measure.difference == measure.low == measure.high == 0 and not measure.better


def test_different_chances_are_not_compared() -> None:
    with pytest.raises(InputProblem, match="choose two of one kind"):
        compare(HALF, replace(TENTH, scenario="inclusion"), LISTS)


def test_an_impossible_hit_costs_a_bounded_loss() -> None:
    assert log_loss(np.array([0.0]), np.array([True])) == pytest.approx(13.8155, abs=1e-3)


def test_decisions_are_those_of_replay() -> None:
    held_out = HeldOut("lists", tuple(LISTS))
    found = decisions(HALF, TENTH, held_out, Optimal(), BALANCED, 0.001, 0.5)
    assert found is not None and (found.cases, found.empty) == (6, 3)
    mixed = HeldOut("lists", (*LISTS, without_relevant(LISTS[0])))
    found_mixed = decisions(HALF, TENTH, mixed, Optimal(), BALANCED, 0.001, 0.5)
    assert found_mixed is not None and (found_mixed.cases, found_mixed.empty) == (4, 1)
    twins = [
        replace(each, labels=np.zeros(9, dtype=bool), ids=each.ids[~each.labels], n_relevant=0)  # type: ignore[operator]
        for each in LISTS
    ]
    for calibrator, value in ((HALF, found.measures[0].a), (TENTH, found.measures[0].b)):
        played = summary(replay([*LISTS, *twins], calibrator, Optimal(), BALANCED, 0.001))
        assert value == pytest.approx(played["net_utility"])
    utility, read, right = found.measures
    assert not read.better  # reading fewer is no merit by itself
    assert utility.lower_is_better is False and right.lower_is_better is False
    loss = replace(utility, difference=-0.00977, low=-0.0222, high=0.00221)
    assert not loss.clear
    sentence = decisions_sentence(replace(found, measures=(loss, read, right)), "Optimal", "half", "tenth")
    assert all(part in sentence for part in ("Optimal", "half", "tenth", "−0.00977", "−0.0222", "0.00221"))


def test_decisions_need_every_label() -> None:
    part = [replace(each, labelled=np.arange(10) < 5) for each in LISTS]
    assert decisions(HALF, TENTH, HeldOut("x", tuple(part)), Optimal(), BALANCED, 0.001, 0.5) is None
    inclusion = replace(HALF, scenario="inclusion")
    held_out = HeldOut("x", tuple(LISTS))
    assert decisions(inclusion, inclusion, held_out, Optimal(), BALANCED, 0.001, 0.5) is None


def test_what_was_fitted_on_is_said() -> None:
    seen = fit(LISTS, kind="rank", lists=tuple(map(list_digest, LISTS[:2])))
    [said] = warnings(("mine", "half"), (seen, HALF), LISTS)
    assert said.startswith("“mine” was fitted on 2 of these 3 lists")


@pytest.mark.parametrize(
    ("scenario", "name", "lists", "outcomes"),
    [
        ("patent", "sample searches", 16, 0),
        ("patent", "simulated rankings", 400, 0),
        ("review", "sample reviews", 10, 10),
        ("inclusion", "sample reviews", 10, 0),
    ],
)
def test_shipped_sets(scenario: str, name: str, lists: int, outcomes: int) -> None:
    held_out = shipped(scenario, name)
    assert (len(held_out.topics), len(held_out.outcomes)) == (lists, outcomes) and held_out.simulated
    one, other = [each for each in calibrators().values() if each.scenario == scenario][:2]
    found = compare(one, other, held_out.topics)
    assert all(np.isfinite(measure.low) for measure in found.measures)


def test_a_measure_without_a_better_end_has_none() -> None:
    assert ComparedMeasure("Documents read", 1, 9, 8, 7, 9, None).better == ""
    assert ComparedMeasure("Net utility", 1, 9, 8, 7, 9, False).better == "b"


# --- figures and words ----------------------------------------------------------------------------------


def test_two_reliabilities_share_axes_and_are_told_apart_without_colour() -> None:
    found = compare(HALF, TENTH, LISTS)
    figure = two_reliabilities(found.a, found.b, ("a <b> $x$", "b"), simulated=True)
    first, second = figure["data"][1:]
    assert second["marker"]["symbol"] == "square" and second["line"]["dash"] == "dash"
    assert first["marker"].get("symbol", "circle") == "circle"
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert "simulated" in texts and any("a &lt;b> &#36;x&#36;" in text for text in texts)
    assert figure["layout"]["xaxis"]["range"] == figure["layout"]["yaxis"]["range"]


def test_the_first_hit_figure_shows_band_and_cases() -> None:
    posterior = fit_first_hits(read_cases("1, 3, none in 60, missed in 40, none at all"))
    calibrator = first_hit_calibrator(posterior, "x")
    figure = first_hit_figure(calibrator, posterior.cases, dark=True, simulated=True)
    marks = {tuple(each["x"]): each["marker"]["symbol"] for each in figure["data"] if "marker" in each}
    assert marks == {(1, 3): "line-ns-open", (60,): "triangle-right-open", (40,): "x-open"}
    at, come, low, high = come_by_rank(calibrator)
    assert at[-1] >= 180 and ((low <= come + 1e-6) & (come <= high + 1e-6)).all()
    assert "by rank 10 in" in first_hit_sentence(calibrator)
    assert "Prior art existed in" in share_sentence(posterior)


def test_quality_says_when_chances_are_no_better_than_the_average() -> None:
    bad = assess(HALF, LISTS, "three lists")
    assert "no lower than if every document had the average chance" in quality_sentence(bad)
    assert (
        "Judged on three lists: on average the chances were off by 40.0 percentage points"
        in quality_sentence(bad)
    )


def test_worths_stand_on_a_log_axis_beside_the_cost() -> None:
    figure = worth_figure([("a", np.array([0.1, 0.0])), ("b", np.array([0.2, 0.1]))], 0.01, 1, "£")
    assert figure["data"][0]["y"] == [0.1, None] and figure["data"][1]["line"]["dash"] == "dash"
    assert figure["layout"]["yaxis"]["type"] == "log"
