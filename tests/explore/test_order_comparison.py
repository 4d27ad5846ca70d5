"""A sample review in two orders: the same reports, each order played as an experiment plays it, told as it is drawn."""

import json
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from tarstop_core.belief.question import Question
from tarstop_core.calibration.calibrator import REVIEW
from tarstop_core.calibration.reranked import forecasts
from tarstop_core.documents.topic import Outcome
from tarstop_core.evaluation.tasks.stepwise import prequential_depths
from tarstop_core.explore import message
from tarstop_core.explore.lists import sample, samples
from tarstop_core.explore.order_comparison import (
    BY_FINDS,
    BY_SCORE,
    LEARNS,
    LISTED,
    compare_orders,
    learned,
    order_figure,
    order_rows,
    order_sentences,
    orders,
)
from tarstop_core.policies import Greedy, LookAhead
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.value.outcomes import outcome_path
from tarstop_core.value.payoffs import Payoffs
from tests.spoken import listening

KEY = "review:hollow-hip"
MONEY = Payoffs(4000, 1500, 6000, 2500, "£")


@pytest.mark.parametrize("key", samples("review"))
def test_the_same_reports_come_in_another_order_and_mean_the_same(key: str) -> None:
    listed, learns = sample(key), learned(sample(key))
    assert isinstance(listed.truth, Outcome) and isinstance(learns.truth, Outcome)
    a, b = listed.truth.topic, learns.truth.topic
    assert a.labels is not None and b.labels is not None
    assert set(a.ids) == set(b.ids) and b.labels.sum() == a.labels.sum() == a.n_relevant
    assert set(listed.truth.tables.study) == set(learns.truth.tables.study)
    assert listed.omega(listed.settings) == learns.omega(learns.settings)
    # Before the first label it stands as it was listed, and everything is found earlier.
    assert a.ids[0] == b.ids[0] and np.flatnonzero(b.labels)[-1] < np.flatnonzero(a.labels)[-1]
    assert len(learns.p) == len(learns) and learned(listed) is learns


def test_rules_stop_where_an_experiment_has_them() -> None:
    explored, policy = sample(KEY), LookAhead(5)
    settings = replace(explored.settings, payoffs=MONEY, cost=5.0, theta=0.8)
    found = compare_orders(explored, settings, policy)
    assert list(found) == [(order, chances) for order in (LISTED, LEARNS) for chances in (BY_SCORE, BY_FINDS)]
    assert found[LISTED, BY_SCORE] == explored.replayed(policy, settings)
    for order, each in orders(explored).items():
        outcome = each.truth
        assert isinstance(outcome, Outcome) and outcome.topic.labels is not None
        p = forecasts(reranked_chances(REVIEW), outcome.topic.labels, len(each))[:-1]
        path = outcome_path(
            outcome, p, MONEY, Question(settings.theta, settings.engine, settings.belief_prior)
        )
        played = found[order, BY_FINDS]
        assert played.depth == prequential_depths([path], [policy], [settings.cost]).item()
        assert played.action == ("a+" if path.action_at(int(played.depth), True) else "a-")
        right = MONEY.outcome(played.action == "a+", each.omega(settings)) - 5 * played.depth
        assert played.net_utility == pytest.approx(right) and played.right == (
            (played.action == "a+") == each.omega(settings)
        )


def test_the_figure_the_sentence_and_the_rows_say_the_same() -> None:
    explored, policy = sample(KEY), Greedy()
    found = compare_orders(explored, explored.settings, policy)
    figure = json.loads(json.dumps(order_figure(explored, found)))
    go.Figure(figure)
    listed, circle, diamond, learns, *_ = figure["data"]
    assert [circle["x"], diamond["x"]] == [[found[LISTED, each].depth] for each in (BY_SCORE, BY_FINDS)]
    assert circle["marker"]["symbol"] != diamond["marker"]["symbol"] and listed["line"]["dash"] == "dash"
    tables = listed["y"][-1]
    ends = [curve["y"].index(tables) for curve in (learns, listed)]
    with listening(message) as heard:
        order_sentences(explored, found, policy)
    heading, sentence = heard
    assert (heading.kind, heading.values["tables"]) == ("order_heading", [1, 3, 5, tables])
    assert [heading.values[order][-1] for order in ("learned", "listed")] == ends
    third = [curve["y"].index(3) for curve in (learns, listed)]
    assert [sentence.values[order][1] for order in ("learned", "listed")] == third
    assert sentence.kind == "orders" and sentence.values["by_finds"] == found[LEARNS, BY_FINDS]
    assert sentence.values["by_finds"].right and sentence.values["by_score"] == found[LISTED, BY_SCORE]
    assert [row["Stops after"] for row in order_rows([found], explored.settings)] == [
        f"{played.depth}" for played in found.values()
    ]
    assert order_rows([found], explored.settings)[0]["Chooses"] == "Adopt, right"
    assert "simulated" in [each["text"] for each in figure["layout"]["annotations"]]


def test_means_are_those_of_the_lists() -> None:
    lists = [sample(key) for key in (KEY, "review:brindle-fever")]
    found = [compare_orders(each, each.settings, Greedy()) for each in lists]
    last = order_rows(found, lists[0].settings)[-1]
    each = [one[LEARNS, BY_FINDS] for one in found]
    assert (
        last["Stops after"] == f"{np.mean([played.depth for played in each]):.1f}"
        and last["Right"] == "2 of 2"
    )
    assert (last["Order"], last["Chances"]) == (LEARNS, BY_FINDS)
    assert float(last["Net utility"]) == pytest.approx(
        np.mean([played.net_utility for played in each]), abs=1e-3
    )
