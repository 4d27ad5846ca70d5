"""Replays on small rankings whose outcome can be worked out by hand, and on real ones."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.replay import TopicResult, replay, summary
from tarstop_core.files import label_topics, read_qrels, read_run
from tarstop_core.policies import Batch, Budget, Greedy, LookAhead, Optimal, Policy, Smooth, parse_policy
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs

SEEN = FittedOn(name="tests", topics=2, documents=100, relevant=4, simulated=True)
RULES: tuple[Policy, ...] = (Greedy(), Smooth(3), Batch(4), LookAhead(5), Optimal(), Budget(7))
HALF = Payoffs.from_q_star(0.5)


def by_rank(*chances: float) -> Calibrator:
    """A calibrator that gives these chances to the first documents, and the last one to all others."""
    at = np.log(np.arange(1, len(chances) + 1)).tolist()
    return Calibrator("rank", "patent", x=tuple(at), y=chances, fitted_on=SEEN)


def topic(n: int, *hits: int, unranked: int = 0, name: str = "T") -> Topic:
    """N documents with relevant ones at these ranks, and some relevant ones that are not ranked."""
    labels = np.isin(np.arange(1, n + 1), hits)
    return Topic(
        name=name,
        ids=np.array([f"d{i}" for i in range(1, n + 1)]),
        scores=np.linspace(10, 1, n),
        labels=labels,
        n_relevant=len(hits) + unranked,
    )


def one(
    ranked: Topic, chances: Sequence[float], policy: Policy, payoffs: Payoffs, cost: float, b_0: float = 0.5
) -> TopicResult:
    (outcome,) = replay([ranked], by_rank(*chances), policy, payoffs, cost, b_0)
    return outcome


# --- by hand --------------------------------------------------------------------------------------

# b_0 = q* = 1/2, p = 1/2, 1/4, 0: ρ·EVPI is 1/2·1/2·1/4... worked out below with K = 1, B + L_g = G + L_r = 1/2.
#   d = 0: b = 1/2,  ρ = 1/4,  EVPI = 1/4  → .0625
#   d = 1: b = 1/3,  ρ = 1/12, EVPI = 1/6  → .01389
#   d = 2: b = 3/11, ρ = 0                 → 0
CHANCES = (0.5, 0.25, 0.0)


@pytest.mark.parametrize(
    ("cost", "depth"), [(0.07, 0), (0.0625, 0), (0.06, 1), (0.0139, 1), (0.0138, 2), (0.000001, 2), (0.0, 2)]
)
def test_greedy_without_a_hit(cost: float, depth: int) -> None:
    outcome = one(topic(6), CHANCES, Greedy(), HALF, cost)
    assert outcome.depth == depth and outcome.action == "a-" and not outcome.omega
    assert outcome.net_utility == pytest.approx(0.25 - cost * depth) and outcome.recall == 0


def test_greedy_stops_at_the_hit_and_takes_the_right_action() -> None:
    outcome = one(topic(6, 2, 5), CHANCES, Greedy(), HALF, 0.01)
    assert outcome == TopicResult("T", 2, "a+", True, pytest.approx(0.25 - 0.02), 0.5)


def test_a_hit_beyond_the_stop_is_a_false_reject() -> None:
    outcome = one(topic(6, 3), CHANCES, Greedy(), HALF, 0.01)
    assert outcome == TopicResult("T", 2, "a-", True, pytest.approx(-0.25 - 0.02), 0.0)


def test_a_belief_above_the_threshold_adopts_without_a_hit() -> None:
    aggressive = Payoffs.from_q_star(0.2)
    outcome = one(topic(6), CHANCES, Greedy(), aggressive, 1.0)
    assert outcome == TopicResult("T", 0, "a+", False, pytest.approx(-0.1), 0.0)
    # Two misses take the belief from 1/2 to 3/11, still above 1/5; a prior of 1/4 falls to 1/9.
    assert one(topic(6), CHANCES, Greedy(), aggressive, 1e-4).action == "a+"
    assert one(topic(6), CHANCES, Greedy(), aggressive, 1e-4, b_0=0.25).action == "a-"


def test_optimal_reads_on_where_greedy_stops_short() -> None:
    # The second document is worthless by the paper's score, the third settles everything.
    chances = (0.1, 0.0, 1.0)
    cautious = Payoffs.from_q_star(0.8)
    assert one(topic(3, 3), chances, Greedy(), cautious, 0.001).action == "a-"
    outcome = one(topic(3, 3), chances, Optimal(), cautious, 0.001)
    assert outcome == TopicResult("T", 3, "a+", True, pytest.approx(0.1 - 0.003), 1.0)
    assert one(topic(3), chances, Optimal(), cautious, 0.001).depth == 3


def test_batch_finishes_what_it_began() -> None:
    outcome = one(topic(30, 2, 9, 11), (0.3,), Batch(10), HALF, 0.001)
    assert outcome.depth == 10 and outcome.action == "a+" and outcome.recall == pytest.approx(2 / 3)
    assert outcome.net_utility == pytest.approx(0.25 - 0.01)
    assert one(topic(7, 2), (0.3,), Batch(10), HALF, 0.001).depth == 7  # no more than there are
    assert one(topic(30, 11), (0.3,), Batch(10), HALF, 0.001).depth in (10, 20)


def test_budget_acts_on_what_it_has_seen_not_on_the_belief() -> None:
    # With q* = .2 the belief alone would adopt; with q* = .8 it would reject.
    for q_star in (0.2, 0.8):
        payoffs = Payoffs.from_q_star(q_star)
        seen = one(topic(10, 3, 8), (0.001,), Budget(5), payoffs, 0.01)
        assert (seen.depth, seen.action, seen.recall) == (5, "a+", 0.5)
        assert seen.net_utility == pytest.approx(payoffs.B - 0.05)
        unseen = one(topic(10, 8), (0.001,), Budget(5), payoffs, 0.01)
        assert (unseen.depth, unseen.action, unseen.recall) == (5, "a-", 0.0)
        assert unseen.net_utility == pytest.approx(-payoffs.L_g - 0.05)
        assert one(topic(3), (0.001,), Budget(5), payoffs, 0.01).net_utility == pytest.approx(
            payoffs.G - 0.03
        )


# --- relevant documents that are not ranked ---------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.8])
def test_nothing_relevant_ranked_is_no_hit(rule: Policy, q_star: float) -> None:
    payoffs, chances = Payoffs.from_q_star(q_star), (0.5, 0.4, 0.3, 0.1)
    lost = one(topic(20, unranked=6), chances, rule, payoffs, 0.001)
    empty = one(topic(20), chances, rule, payoffs, 0.001)
    first = one(topic(20, 1), chances, rule, payoffs, 0.001)
    assert lost.omega and not empty.omega
    assert (lost.depth, lost.action) == (empty.depth, empty.action)  # what is read is the same
    assert lost.recall == 0
    assert lost.depth != 1 and first.depth >= 1 and first.action == "a+"
    assert lost.net_utility == pytest.approx(payoffs.outcome(lost.action == "a+", True) - 0.001 * lost.depth)


def test_recall_divides_by_the_relevant_documents_of_the_qrels() -> None:
    outcome = one(topic(10, 1, 2, unranked=2), (0.1,), Budget(10), HALF, 0.0)
    assert outcome.recall == 0.5


def test_unranked_relevant_documents_in_real_rankings(real_data: Path) -> None:
    run, qrels = (
        read_run(real_data / "clef2017/es_bool.run"),
        read_qrels(real_data / "clef2017/qrel_content_test.txt"),
    )
    topics, _ = label_topics(run, qrels)
    lost = topics["CD010542"]
    assert lost.omega and lost.first_hit is None
    calibrator = by_rank(0.2, 0.05, 0.01, 0.001)
    for rule in RULES:
        (outcome,) = replay([lost], calibrator, rule, HALF, 1e-5)
        assert outcome.omega and outcome.action == "a-" and outcome.recall == 0 and outcome.depth > 1
    (whole,) = replay([lost], calibrator, Budget(10**6), HALF, 0.0)
    assert whole.depth == len(lost) and whole.action == "a-"


def test_a_rule_that_samples_comes_to_its_expectation() -> None:
    rule = parse_policy("qbcb:tau=0.5,n_min=1,alpha=0.5")
    ranked = topic(30, 3, 9, unranked=2)
    outcome = one(ranked, (0.1,), rule, HALF, 0.001)
    assert ranked.labels is not None
    drawn = rule.expected(ranked.labels)  # type: ignore[attr-defined]
    assert (outcome.depth, outcome.action) == (drawn.read, "a+")
    assert outcome.net_utility == pytest.approx(0.25 - 0.001 * drawn.read)
    assert outcome.recall == pytest.approx(drawn.recall / 2)
    nothing = one(topic(30), (0.1,), rule, HALF, 0.001)
    assert (nothing.depth, nothing.action, nothing.recall) == (30, "a-", 0)


# --- the paper's arithmetic -------------------------------------------------------------------------


@pytest.mark.parametrize(("q_star", "net_utility"), [(0.8, 0.1416), (0.5, 0.1290), (0.2, 0.1164)])
def test_the_papers_budget_rows(q_star: float, net_utility: float) -> None:
    """Table 1, Budget at c = .001: 500 + 500 topics, 42 whose first relevant document lies beyond 100."""
    topics = [topic(120, 50)] * 458 + [topic(120, 110)] * 42 + [topic(120)] * 500
    mean = summary(replay(topics, by_rank(0.01), Budget(100), Payoffs.from_q_star(q_star), 0.001))
    assert round(mean["net_utility"], 4) == net_utility
    assert (mean["depth"], mean["decision_agreement"]) == (100, 0.958)
    assert (mean["false_adopt"], mean["false_reject"]) == (0, 42)


LABELS = st.lists(st.booleans(), min_size=1, max_size=30)
CURVES = st.lists(st.floats(0, 0.5), min_size=1, max_size=5).map(lambda p: tuple(sorted(p, reverse=True)))
AMOUNTS = st.floats(0.05, 20)


@given(
    labels=LABELS,
    unranked=st.integers(0, 3),
    chances=CURVES,
    rule=st.sampled_from(RULES),
    payoffs=st.builds(Payoffs, B=AMOUNTS, L_r=AMOUNTS, L_g=AMOUNTS, G=AMOUNTS),
    cost=st.sampled_from([0.0, 0.0001, 0.001, 0.01, 0.1, 1.0]),
    b_0=st.floats(0.05, 0.95),
)
def test_net_utility_is_payoff_minus_cost(
    labels: list[bool],
    unranked: int,
    chances: tuple[float, ...],
    rule: Policy,
    payoffs: Payoffs,
    cost: float,
    b_0: float,
) -> None:
    hits = [i for i, label in enumerate(labels, start=1) if label]
    outcome = one(topic(len(labels), *hits, unranked=unranked), chances, rule, payoffs, cost, b_0)
    payoff = {
        ("a+", True): payoffs.B,
        ("a+", False): -payoffs.L_r,
        ("a-", True): -payoffs.L_g,
        ("a-", False): payoffs.G,
    }[outcome.action, outcome.omega]
    assert outcome.net_utility == pytest.approx(payoff - cost * outcome.depth)
    assert 0 <= outcome.depth <= len(labels)
    found = sum(labels[: outcome.depth])
    assert outcome.recall == (pytest.approx(found / (len(hits) + unranked)) if hits or unranked else 0)
    if found:
        assert outcome.action == "a+"
    if not isinstance(rule, Batch | Budget) and hits:
        assert outcome.depth <= hits[0]


@given(
    labels=LABELS,
    chances=CURVES,
    rule=st.sampled_from(RULES),
    q_star=st.sampled_from([0.2, 0.5, 0.8, 0.37]),
    cost=st.sampled_from([0.0, 0.0001, 0.001, 0.01, 0.1]),
    factor=st.sampled_from([0.01, 3.0, 20_000.0, 1e9]),
)
def test_money_changes_no_decision(
    labels: list[bool], chances: tuple[float, ...], rule: Policy, q_star: float, cost: float, factor: float
) -> None:
    ranked = topic(len(labels), *[i for i, label in enumerate(labels, start=1) if label])
    payoffs = Payoffs.from_q_star(q_star)
    plain = one(ranked, chances, rule, payoffs, cost)
    money = one(ranked, chances, rule, payoffs.scaled(factor, "£"), cost * factor)
    assert (money.depth, money.action, money.recall) == (plain.depth, plain.action, plain.recall)
    assert money.net_utility == pytest.approx(factor * plain.net_utility)


def test_the_calibrators_frailty_reaches_the_rule() -> None:
    ranked = topic(200)
    shared = Calibrator("frailty", "patent", x=(-9.0, 9.0), y=(0.05, 0.05), fitted_on=SEEN, frailty=0.5)
    payoffs, cost = Payoffs.from_q_star(0.2), 0.0002
    path = DecisivePath(hit_curve(np.full(200, 0.05), frailty=0.5), 0.5, payoffs)
    expected = int(Greedy().depths(path, [cost])[0])
    assert replay([ranked], shared, Greedy(), payoffs, cost)[0].depth == expected
    assert replay([ranked], replace(shared, frailty=math.inf), Greedy(), payoffs, cost)[0].depth != expected


# --- means ------------------------------------------------------------------------------------------


def test_means_and_errors() -> None:
    outcomes = [
        TopicResult("a", 10, "a+", True, 0.15, 0.5),
        TopicResult("b", 20, "a+", False, -0.45, 0.0),
        TopicResult("c", 0, "a-", True, -0.25, 0.0),
        TopicResult("d", 30, "a-", False, 0.22, 0.0),
        TopicResult("e", 40, "a-", False, 0.21, 0.0),
    ]
    mean = summary(outcomes)
    assert mean == {
        "topics": 5,
        "depth": 20.0,
        "net_utility": pytest.approx(-0.024),
        "recall": 0.1,
        "decision_agreement": 0.6,
        "false_adopt": 1,
        "false_reject": 1,
    }
    assert json.loads(json.dumps([mean, [asdict(each) for each in outcomes]], allow_nan=False))[1][0] == {
        "topic": "a",
        "depth": 10,
        "action": "a+",
        "omega": True,
        "net_utility": 0.15,
        "recall": 0.5,
        "best": "",
    }


def test_values_are_plain_numbers() -> None:
    row = asdict(one(topic(6, 2), CHANCES, Optimal(), HALF, 0.01))
    assert [type(value) for value in row.values()] == [str, int, str, bool, float, float, str]


def test_replays_refuse_what_they_cannot_use() -> None:
    blank = Topic("X", np.array(["d"]), np.array([1.0]))
    with pytest.raises(InputProblem, match="Topic X has no judgments"):
        replay([blank], by_rank(0.1), Greedy(), HALF, 0.1)
    for cost in (-0.1, math.nan, math.inf):
        with pytest.raises(InputProblem, match="cost"):
            replay([topic(3)], by_rank(0.1), Greedy(), HALF, cost)
    with pytest.raises(InputProblem, match="b_0"):
        replay([topic(3)], by_rank(0.1), Greedy(), HALF, 0.1, b_0=1.0)
    with pytest.raises(InputProblem, match="ranked and judged"):
        summary([])
