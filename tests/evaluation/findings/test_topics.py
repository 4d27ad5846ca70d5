"""The topics behind a figure."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tarstop_core.evaluation.benchmarks.named import named
from tarstop_core.evaluation.findings import topics
from tarstop_core.evaluation.findings.effort import saved_sentence
from tarstop_core.evaluation.findings.topics import (
    Stop,
    as_measured,
    stops_of,
    task_of,
    topic_rows,
    topic_sentence,
)
from tarstop_core.evaluation.results import MethodInfo, Results, load, shipped
from tarstop_core.evaluation.tasks.base import LearnedFromFold
from tests.evaluation.findings.conftest import Worded


def test_rows_of_topics_add_up_to_the_table(small: Results) -> None:
    frame = topic_rows(small, "greedy", 0.5, 0.01)
    m, q, c = small.method("greedy"), small.q(0.5), small.c(0.01)
    assert math.isclose(frame["net_utility"].mean(), small.net_utility[:, m, q, c].mean())
    assert (frame["regret"].diff().dropna() <= 1e-12).all()
    assert (frame["regret"] >= 0).all()
    at = small.cases.index(frame["topic"][0])
    stops = stops_of(small, at, q, c)
    assert [stop.method.title for stop in stops] == [method.title for method in small.methods]
    assert stops[m].screened == frame["screened"][0]


def test_the_path_marks_every_method_where_it_stopped(small: Results) -> None:
    at = 0
    stops = stops_of(small, at, small.q(0.5), small.c(0.001))
    n = int(small.documents[at])
    b = np.linspace(0.5, 0.1, n + 1)
    figure = topics.topic_figure(b, None, stops, cost=0.001, q_star=0.5, depth=3, hit=None, simulated=True)
    marked = {trace["y"][0]: trace["x"][0] for trace in figure["data"] if trace.get("yaxis") == "y3"}
    assert marked == {stop.method.title: max(0.5, stop.screened) for stop in stops}
    assert any(note["text"] == "simulated" for note in figure["layout"]["annotations"])


@pytest.mark.parametrize("benchmark", ["patent", "review"])
def test_what_was_learned_is_known_again_but_for_its_last_digits(benchmark: str) -> None:
    """Another processor learns the same up to rounding, and the page must not call that a change."""
    every = (load(each.path) for each in shipped())
    results = next(each for each in every if each.settings["benchmark"] == benchmark)
    variant = next(iter(results.settings["learned"][0]))
    made = named(benchmark)
    (fold,) = made.folds
    learned = task_of(results).learn(made, fold, (variant,))[variant]

    def known_again(factor: float) -> bool:
        moved = replace(learned.calibrator, y=tuple(factor * y for y in learned.calibrator.y))
        knowledge = [{variant: LearnedFromFold(moved, learned.prior)}]
        return as_measured(results, variant, knowledge, [fold])

    assert known_again(1) and known_again(1 - 1e-12) and not known_again(0.999)


def test_a_jump_of_the_belief_is_drawn_where_it_is() -> None:
    b = np.full(5001, 0.5)
    b[548:] = 0.8
    figure = topics.topic_figure(b, None, [], cost=0.001, q_star=0.5, depth=548, hit=None, steps=True)
    solid, dotted = figure["data"][:2]
    drawn = dict(zip(solid["x"], solid["y"], strict=True))
    assert (drawn[547], drawn[548]) == (0.5, 0.8)
    assert (solid["x"][-1], dotted["x"][0], dotted["x"][-1]) == (548, 548, 5000)
    assert solid["line"]["shape"] == "hv"
    hit = topics.topic_figure(b, b[1:], [], cost=0.001, q_star=0.5, depth=40, hit=30)
    drawn = dict(zip(hit["data"][0]["x"], hit["data"][0]["y"], strict=True))
    assert (drawn[29], drawn[30], drawn[40]) == (0.5, 1.0, 1.0)


def test_who_saves_most_decides_better_than_reading_nothing(worded: Worded) -> None:
    columns = ["approach", "effort_saved", "decision_agreement", "decide_now", "is_oracle"]
    rows = [["A", 0.99, 0.9, 0.5, False], ["B", 0.5, 0.95, 0.5, False], ["C", 1.0, 0.5, 0.5, False]]
    saved_sentence(pd.DataFrame(rows, columns=columns))
    ((_, values),) = worded
    assert values["best"]["approach"] == "B" and values["thrifty"]["approach"] == "A" and values["now"] == 0.5


def test_the_quickest_right_method_is_named(worded: Worded) -> None:
    greedy = Stop(MethodInfo("greedy", "Greedy", "greedy", "marginal", ""), 3.0, 0.0, 0.0)
    budget = Stop(MethodInfo("budget", "Budget", "budget", "marginal", ""), 100.0, 1.0, 1.0)
    topic_sentence("T1", 312, True, [greedy, budget], greedy)
    ((_, values),) = worded
    assert values["right"] == [budget] and values["quick"] == budget and values["chosen"] == greedy
