"""Chances told document by document: nothing looks ahead, and a replay sees what a session would."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.belief.question import Question
from tarstop_core.calibration.reranked import forecasts, path_chances
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.folder import from_folder
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.replay import BIVARIATE, replay_reviews, with_left
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.evaluation.tasks.stepwise import path_after, prequential_ahead, prequential_depths
from tarstop_core.files import read_chances
from tarstop_core.policies import POLICIES, Budget, Greedy, Policy, check
from tarstop_core.samples.shipped import reranked_chances
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.payoffs import Payoffs
from tests.evaluation.test_replay_reviews import outcome

MODEL = reranked_chances("review")
RULES = [each() for each in POLICIES.values() if not (each.needs_labels or each.is_oracle)]


def looks_ahead(policy: Policy, N: int, cost: float, as_told: bool, seed: int) -> bool:
    """Whether labels, studies and chances that nobody knew yet move a stop, or bring it before they are known."""
    rng = np.random.default_rng(seed)
    path = check._random_review(rng, N)

    def stops(path: CumulativePath) -> int:
        if as_told:
            return int(prequential_depths([path], [policy], [cost]).item())
        return int(policy.depths(path, [cost])[0])

    found = stops(path)
    for d in {found, *check._some_depths(found, rng)[-2:]}:
        known = np.arange(N) <= d  # of the next document the chance is known, and nothing else
        p = np.where(known, path.p, rng.uniform(0, 0.9, N))
        other = stops(replace(check._other_studies(path, d, rng), p=p))
        if (d == found and other != found) or (d < found and other <= d):
            return True
    return False


@pytest.mark.parametrize("policy", RULES, ids=lambda rule: rule.name)
def test_nothing_looks_ahead(policy: Policy) -> None:
    for seed, (N, cost) in enumerate([(7, 0.01), (7, 0.0001), (30, 0.01), (30, 0.002)]):
        assert not looks_ahead(policy, N, cost, True, seed)


def test_the_check_sees_a_rule_that_is_told_everything_at_once() -> None:
    assert any(looks_ahead(policy, 30, 0.01, False, seed) for policy in RULES for seed in range(3))


@pytest.mark.parametrize("read", [0, 1, 17, 49, 50])
def test_a_replay_knows_what_a_session_would(read: int) -> None:
    labels = np.asarray(outcome().topic.labels)
    told = forecasts(MODEL, labels, 50)[:-1]
    path = replace(check._random_review(np.random.default_rng(1), 50), p=told, labels=labels)
    known = path_after(path, read)
    p, left = path_chances(MODEL, labels[:read], 50)
    np.testing.assert_allclose(known.p, p)
    assert prequential_ahead(told, labels, read).left().mean == pytest.approx(left.mean)
    assert not known.labels[read:].any() and known.studies[-1] == path.studies[read]


def test_a_review_is_replayed_by_what_was_told() -> None:
    payoffs, labels = Payoffs.from_q_star(0.5), np.asarray(outcome().topic.labels)
    told = {"T": forecasts(MODEL, labels, 50)[:-1]}
    (budget,) = replay_reviews([outcome()], told, Budget(10), payoffs, 0.001)
    assert (budget.depth, budget.recall) == (10, 3 / 4)
    (cheap,), (dear,) = (replay_reviews([outcome()], told, Greedy(), payoffs, cost) for cost in (0.0, 1.0))
    assert (cheap.depth, dear.depth) == (50, 0)
    (left,) = with_left([budget], [outcome()], told, Payoffs.from_q_star(0.5), Question())
    foreseen = prequential_ahead(told["T"], labels, 10).left()
    assert left.left["stop"].mean == pytest.approx(foreseen.mean) and left.left["stop"].true == 0
    never = {"T": np.zeros(50)}
    assert replay_reviews([outcome()], never, Greedy(), payoffs, 0.001)[0].depth == 0
    assert (
        replay_reviews([outcome()], told, Greedy(), payoffs, 0.001, replace(BIVARIATE, scale=0.01))[0].depth
        == 0
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('id,chance\n"a,0.1\n', "is not a CSV"),
        ("rank,id\n1,a\n", "has no column chance; name its columns id, chance"),
        ("id,chance\nb,0.1\na,0.2\n", "other documents for T than the run"),
        ("id,chance\na,0.1\nb,often\n", "gives b the chance 'often'; give a number from 0 to 1"),
        ("id,chance\na,1.1\nb,0.2\n", "gives a the chance '1.1'"),
    ],
    ids=["open quotes", "no-chance", "another-order", "words", "above-1"],
)
def test_files_that_do_not_serve_are_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "c.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputProblem, match=words):
        read_chances(tmp_path / "c.csv", {"T": Topic("T", np.array(["a", "b"]))})


def test_many_rules_at_once_stop_where_each_does() -> None:
    rng, costs = np.random.default_rng(4), (0.0, 0.0005, 0.004, 0.05)
    path = check._random_review(rng, 40)
    paths = [replace(path, payoffs=Payoffs.from_q_star(q_star)) for q_star in (0.2, 0.7)]
    rules = [
        rule for rule in RULES if rule.name in ("greedy", "consecutive", "look-ahead", "optimal", "knee")
    ]
    found = prequential_depths(paths, rules, costs)
    each = [
        [[prequential_depths([path], [rule], [cost]).item() for cost in costs] for path in paths]
        for rule in rules
    ]
    np.testing.assert_array_equal(found, each)
    at = int(found[0, 0, 2])  # a person who is asked after every document comes to the same
    asked = [int(rules[0].depths(path_after(paths[0], d), [costs[2]], d)[0]) == d for d in range(at + 1)]
    assert asked == [False] * at + [True]


def test_an_experiment_takes_a_folder_with_chances(tmp_path: Path) -> None:
    topics, rng = [f"T{at}" for at in range(4)], np.random.default_rng(2)
    ranked = [(topic, f"{topic}_{rank}", rank) for topic in topics for rank in range(1, 31)]
    (tmp_path / "a.run").write_text(
        "".join(f"{topic} Q0 {doc} {rank} {31 - rank} x\n" for topic, doc, rank in ranked), encoding="utf-8"
    )
    rows = [f"{topic},{topic}_{rank},{topic}_{rank},30,5,{rank},40" for topic in topics for rank in (2, 5, 9)]
    header = "topic,study,docid,TP,FP,FN,TN"
    (tmp_path / "tables.csv").write_text("\n".join((header, *rows, "")), encoding="utf-8")
    p = {topic: rng.uniform(0, 0.5, 30) for topic in topics}
    lines = [f"{topic},{doc},{p[topic][rank - 1].item()!r}" for topic, doc, rank in ranked]
    (tmp_path / "chances.csv").write_text("\n".join(("topic,id,chance", *lines, "")), encoding="utf-8")
    benchmark = from_folder(tmp_path)
    case = next(case for case in benchmark.folds[0].test)
    np.testing.assert_array_equal(case.adaptive_chances, p[case.group])
    assert case.digest != replace(case, adaptive_chances=None).digest
    methods, q_stars, costs = parse_methods(("greedy",), "review"), (0.2, 0.7), (0.0005, 0.01)
    results = run(benchmark, ReviewTask(engine="bivariate"), methods, q_stars=q_stars, costs=costs)
    at = results.cases.index(case.name)
    for q, q_star in enumerate(q_stars):
        for c, cost in enumerate(costs):
            (played,) = replay_reviews(
                [case.outcome],
                p,
                Greedy(),
                Payoffs.from_q_star(q_star),
                cost,
            )
            assert results.screened[at, 0, q, c] == played.depth
            assert results.plus[at, 0, q, c] == (played.action == "a+")
    off = np.concatenate([each - np.isin(np.arange(30), (1, 4, 8)) for each in p.values()])
    assert results.calibration["default"].brier == pytest.approx(np.mean(off**2)), "of what was told"
    (tmp_path / "tables.csv").rename(tmp_path / "a.qrels")
    with pytest.raises(InputProblem, match="leave the file out"):
        from_folder(tmp_path)


def test_topics_are_told_apart(tmp_path: Path) -> None:
    run = {name: Topic(name, np.array(ids)) for name, ids in (("S", ["a", "=b"]), ("T", ["a"]))}
    (tmp_path / "c.csv").write_text("topic,id,chance,x\nT,a,0.5,\nS,a,0.1,\nS,'=b,0,\n", encoding="utf-8")
    found = read_chances(tmp_path / "c.csv", run)
    assert {name: p.tolist() for name, p in found.items()} == {"S": [0.1, 0.0], "T": [0.5]}
    assert read_chances(tmp_path / "c.csv", {"T": run["T"]})["T"].tolist() == [0.5], "others are passed over"
    (tmp_path / "c.csv").write_text("id,chance\na,0.5\n", encoding="utf-8")
    with pytest.raises(InputProblem, match="has no column topic"):
        read_chances(tmp_path / "c.csv", run)


def test_chances_wider_than_a_spreadsheet_are_refused(tmp_path: Path) -> None:
    more = ",".join(f"x{at}" for at in range(50_000))
    (tmp_path / "c.csv").write_text(f"id,chance,{more}\na,0.5,{more}\n", "utf-8")
    with pytest.raises(InputProblem, match=r"c.csv has 50,002 columns \(line 1\) where 16,384 can be read"):
        read_chances(tmp_path / "c.csv", {"T": Topic("T", np.array(["a"]))})
