"""The protocol against replaying one topic at a time, and its promises: same bits, however it is run."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.calibration.fitting import assess, fit
from tarstop_core.documents.topic import Outcome
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.named import simulated_reviews
from tarstop_core.evaluation.cases import Benchmark, Case, Fold, cross_validated
from tarstop_core.evaluation.findings.aggregate import deciding_now, rows
from tarstop_core.evaluation.jobs import CHUNK, Answers, Job, ResultCache
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import COSTS, Q_STARS, run
from tarstop_core.evaluation.replay import replay, replay_reviews
from tarstop_core.evaluation.results import Results, load, save
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.policies import parse_policy
from tarstop_core.value.payoffs import Payoffs

SAME = ("screened", "plus", "recall", "omega", "weights", "documents", "fold")


def same(one: Results, other: Results) -> bool:
    return (
        all(np.array_equal(getattr(one, name), getattr(other, name)) for name in SAME)
        and one.chosen == other.chosen
        and one.cases == other.cases
        and one.calibration == other.calibration
    )


def test_every_number_is_what_replaying_gives(patents: Benchmark, results: Results) -> None:
    (fold,) = patents.folds
    calibrator = fit([case.topic for case in fold.train], scenario="patent")
    topics = [case.topic for case in fold.test]
    for m in range(len(results.methods)):
        for q, q_star in enumerate(Q_STARS):
            for c in (1, 4):
                rule = parse_policy(results.setting(m, q, c))
                played = replay(topics, calibrator, rule, Payoffs.from_q_star(q_star), COSTS[c])
                assert [each.depth for each in played] == results.screened[:, m, q, c].tolist()
                assert [each.action == "a+" for each in played] == results.plus[:, m, q, c].tolist()
                assert [each.recall for each in played] == results.recall[:, m, q, c].tolist()
                assert [each.omega for each in played] == results.omega[:, q].tolist()
                assert [each.net_utility for each in played] == pytest.approx(
                    results.net_utility[:, m, q, c].tolist()
                )


def test_tuning_takes_the_best_on_training_topics_and_the_first_of_equals(
    patents: Benchmark, results: Results
) -> None:
    (fold,) = patents.folds
    calibrator = fit([case.topic for case in fold.train], scenario="patent")
    topics = [case.topic for case in fold.train]
    m = results.method("batch")
    (method,) = parse_methods(["batch"], "patent")
    for q, c in ((0, 2), (2, 0), (1, len(COSTS) - 1)):
        payoffs = Payoffs.from_q_star(Q_STARS[q])
        means = [
            np.mean([each.net_utility for each in replay(topics, calibrator, rule, payoffs, COSTS[c])])
            for rule in method.settings
        ]
        best = next(i for i, mean in enumerate(means) if mean >= max(means) - 1e-12)
        assert results.setting(m, q, c) == method.settings[best].spec
    # Where nothing is worth reading all batches are equal.
    assert results.setting(m, 1, len(COSTS) - 1) == "batch:K=2"


def test_tuning_in_parts_plays_no_case_by_what_was_learned_from_it(patents: Benchmark) -> None:
    methods = parse_methods(["batch"], "patent")
    found = run(patents, DecisiveTask(), methods, parts=3)
    assert found.settings["tuned"] == "in 3 parts"
    (fold,) = patents.folds
    for q, c in ((0, 2), (2, 0), (1, 1)):
        payoffs = Payoffs.from_q_star(Q_STARS[q])
        sums = np.zeros(len(methods[0].settings))
        for part in cross_validated(fold.train, 3):
            calibrator = fit([case.topic for case in part.train], scenario="patent")
            topics = [case.topic for case in part.test]
            sums += [
                sum(each.net_utility for each in replay(topics, calibrator, rule, payoffs, COSTS[c]))
                for rule in methods[0].settings
            ]
        best = int(np.argmax(sums >= sums.max() - 1e-9))
        assert found.setting(0, q, c) == methods[0].settings[best].spec
    # What is tested is tested as ever.
    assert found.settings["learned"] == run(patents, DecisiveTask(), methods).settings["learned"]


def test_parts_keep_what_a_case_counts() -> None:
    reviews = simulated_reviews(outcomes=24, seed=4)
    by_group = replace(reviews, weigh_by_group=True)
    whole, parted = (
        run(by_group, ReviewTask(), parse_methods(["budget"], "review"), costs=(0.0001,), parts=parts)
        for parts in (0, 3)
    )
    # What Budget comes to does not depend on what was learned, so neither does what it is tuned to.
    assert whole.chosen == parted.chosen


def test_an_oracle_is_never_beaten(results: Results) -> None:
    oracle = results.method("oracle")
    others = [m for m in range(len(results.methods)) if m != oracle]
    assert (results.net_utility[:, [oracle]] >= results.net_utility[:, others] - 1e-12).all()


def test_calibration_is_judged_as_one_would_judge_it_at_once(patents: Benchmark, results: Results) -> None:
    (fold,) = patents.folds
    topics = [case.topic for case in fold.test]
    judged = assess(fit([case.topic for case in fold.train]), topics, "held-out topics")
    own = results.calibration["marginal"]
    assert (own.how, own.documents, own.topics) == (judged.how, judged.documents, judged.topics)
    assert own.brier == pytest.approx(judged.brier) and own.ece == pytest.approx(judged.ece)
    assert np.array(own.reliability) == pytest.approx(np.array(judged.reliability))


@pytest.mark.parametrize("kind", ["hazard", "frailty"])
def test_other_calibrations_are_another_row(patents: Benchmark, kind: str) -> None:
    found = run(
        patents, DecisiveTask(), parse_methods(["optimal", f"optimal@{kind}"], "patent"), costs=(0.001,)
    )
    (fold,) = patents.folds
    calibrator = fit([case.topic for case in fold.train], kind=kind)
    played = replay(
        [case.topic for case in fold.test],
        calibrator,
        parse_policy("optimal"),
        Payoffs.from_q_star(0.8),
        0.001,
    )
    assert found.screened[:, 1, 2, 0].tolist() == [each.depth for each in played]
    judged = assess(calibrator, [case.topic for case in fold.test], "")
    assert found.calibration[kind].brier == pytest.approx(judged.brier)


@pytest.fixture(scope="module")
def few(patents: Benchmark) -> Callable[..., Results]:
    methods = parse_methods(["greedy", "batch", "optimal@frailty"], "patent")

    def again(**more: object) -> Results:
        return run(patents, DecisiveTask(), methods, costs=(0.001, 0.01), **more)  # type: ignore[arg-type]

    return again


def test_workers_change_nothing(few: Callable[..., Results]) -> None:
    assert same(few(), few(workers=2))


def test_a_rule_of_ones_own_goes_to_the_workers(patents: Benchmark, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from dataclasses import dataclass\nfrom typing import ClassVar\nimport numpy as np\n"
        "from tarstop_core.policies import Parameter, Policy\n\n@dataclass(frozen=True)\nclass Mine(Policy):\n"
        "    n: int = 3\n    name: ClassVar[str] = 'mine'\n    title: ClassVar[str] = 'Mine'\n"
        "    rule: ClassVar[str] = 'Read n.'\n    source: ClassVar[str] = 'me'\n"
        "    parameters: ClassVar[tuple] = (Parameter('n', 'documents', 1, 99, (3, 7)),)\n\n"
        "    def depths(self, path, costs, start=0):\n"
        "        return np.full(np.size(costs), max(start, self.n))\n",
        encoding="utf-8",
    )
    methods = parse_methods([f"{path}:Mine"], "patent")
    found = run(patents, DecisiveTask(), methods, costs=(0.001, 0.05), workers=2)
    assert set(np.unique(found.screened)) <= {3.0, 7.0} and found.setting(0, 1, 1).endswith("Mine:n=3")


def test_an_interrupted_run_resumes_to_the_same_bits(few: Callable[..., Results], tmp_path: Path) -> None:
    reports: list[str] = []

    def until_the_fifth(share: float, stage: str, seconds_left: float | None) -> None:
        reports.append(stage)
        if len(reports) > 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        few(cache=ResultCache(tmp_path), progress=until_the_fifth)
    kept = set(tmp_path.rglob("*.npy"))
    assert kept
    told: list[float] = []
    resumed = few(cache=ResultCache(tmp_path), progress=lambda share, what, left: told.append(share))
    assert same(resumed, few())
    assert told == sorted(told) and told[-1] == 1.0
    assert kept < set(tmp_path.rglob("*.npy"))
    # A damaged piece is computed again.
    victim = sorted(tmp_path.rglob("*.npy"))[0]
    victim.write_bytes(b"\x93NUMPY")
    assert same(few(cache=ResultCache(tmp_path)), resumed)


def test_finished_pieces_are_used_and_only_for_what_they_are(
    patents: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tarstop_core.evaluation import protocol

    jobs: list[tuple[str, ...]] = []
    work = protocol.work

    def counting(job: Job) -> Answers:
        jobs.append(tuple(method.name for method in job.methods))
        return work(job)

    monkeypatch.setattr(protocol, "work", counting)
    cache = ResultCache(tmp_path)

    def asked(names: list[str], task: DecisiveTask, **more: object) -> set[tuple[str, ...]]:
        jobs.clear()
        run(patents, task, parse_methods(names, "patent"), cache=cache, costs=(0.001,), **more)  # type: ignore[arg-type]
        return set(jobs)

    assert asked(["greedy", "batch"], DecisiveTask()) == {("batch",), ("greedy", "batch")}
    assert asked(["greedy", "batch"], DecisiveTask()) == set()
    assert asked(["greedy", "batch", "optimal"], DecisiveTask()) == {("optimal",)}
    assert asked(["greedy"], DecisiveTask(b_0=0.4)) == {("greedy",)}
    assert asked(["greedy"], DecisiveTask(), q_stars=(0.3,)) == {("greedy",)}


def test_chunks_do_not_show(patents: Benchmark) -> None:
    """A case comes to the same, whichever cases it shares a chunk with."""
    (fold,) = patents.folds
    methods = parse_methods(["greedy", "budget:d=100"], "patent")
    whole = run(patents, DecisiveTask(), methods, costs=(0.001,))
    turned = replace(patents, folds=(Fold(fold.train, list(fold.test)[::-1]),))
    back = run(turned, DecisiveTask(), methods, costs=(0.001,))
    assert len(fold.test) > CHUNK
    assert np.array_equal(back.screened[::-1], whole.screened)


def test_cross_validation_tests_each_case_once_with_what_others_taught(patents: Benchmark) -> None:
    (fold,) = patents.folds
    cases = [Case(case.topic, f"g{i // 2}") for i, case in enumerate(fold.test)]
    crossed = replace(patents, folds=cross_validated(cases, 3))
    found = run(crossed, DecisiveTask(), parse_methods(["batch"], "patent"), costs=(0.001,))
    assert sorted(found.cases) == sorted(case.name for case in cases)
    part = crossed.folds[1]
    calibrator = fit([case.topic for case in part.train])
    at = found.fold == 1
    choice = found.chosen[1 * 3 + 1]  # fold 1, the only method, q* = .5, the only cost
    played = replay(
        [case.topic for case in part.test], calibrator, parse_policy(choice), Payoffs.from_q_star(0.5), 0.001
    )
    assert found.screened[at, 0, 1, 0].tolist() == [each.depth for each in played]
    assert not {case.group for case in part.train} & {case.group for case in part.test}


def test_lists_that_are_made_when_asked_for(patents: Benchmark) -> None:
    """Memory stays flat because cases come chunk by chunk."""
    (fold,) = patents.folds
    taken: list[int] = []

    class Lazy:
        def __len__(self) -> int:
            return len(fold.test)

        def __getitem__(self, part: slice) -> list[Case]:
            taken.append(len(range(*part.indices(len(self)))))
            return list(fold.test[part])

    lazy = replace(patents, folds=(Fold(Lazy(), Lazy(), learn=fold.train),))  # type: ignore[arg-type]
    run(lazy, DecisiveTask(), parse_methods(["smooth"], "patent"), costs=(0.001,))
    assert max(taken) == CHUNK and sum(taken) == 2 * len(fold.test)


def test_results_are_read_back_exactly(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "results.npz"
    save(results, path)
    back = load(path)
    assert same(back, results) and back.settings == results.settings and back.methods == results.methods
    path.write_bytes(b"nothing")
    with pytest.raises(InputProblem, match="not a file of results"):
        load(path)


def test_settings_tell_what_a_number_depends_on(results: Results) -> None:
    known = results.settings
    assert known["truth"] and known["engine"] == "decisive" and known["simulated"] is True
    assert known["seed"] == 1 and known["b_0"] == 0.5 and len(known["code"]) == 32
    assert known["grids"]["batch"] == 6 and known["folds"] == [[24, 24]]
    assert "numpy" in known and known["version"]


def test_only_some_methods(results: Results) -> None:
    two = results.only(["optimal", "batch"])
    m = results.method("batch")
    assert [method.name for method in two.methods] == ["optimal", "batch"]
    assert np.array_equal(two.screened[:, 1], results.screened[:, m])
    assert two.setting(1, 0, 0) == results.setting(m, 0, 0)
    with pytest.raises(InputProblem, match="was not run"):
        results.only(["knee"])


def test_what_cannot_be_run_is_refused(patents: Benchmark) -> None:
    with pytest.raises(InputProblem, match="scenario patent"):
        run(patents, ReviewTask(), parse_methods(["greedy"], "review"))
    with pytest.raises(InputProblem, match="threshold"):
        run(patents, DecisiveTask(), parse_methods(["greedy"], "patent"), q_stars=(1.2,))
    with pytest.raises(InputProblem, match="cost"):
        run(patents, DecisiveTask(), parse_methods(["greedy"], "patent"), costs=(-1.0,))


# --- reviews --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reviews() -> Benchmark:
    return simulated_reviews(outcomes=8, seed=3)


@pytest.mark.parametrize("truth", ["pooled", "full_evidence"])
def test_reviews_are_what_replaying_gives(reviews: Benchmark, truth: str) -> None:
    task = ReviewTask(truth_is=truth)
    names = ["greedy", "batch:K=10", "budget", "optimal", "oracle"]
    found = run(reviews, task, parse_methods(names, "review"), costs=(0.0001, 0.001), q_stars=(0.2, 0.8))
    (fold,) = reviews.folds
    calibrator = fit([case.topic for case in fold.train], scenario="review")
    outcomes = [case.outcome for case in fold.test if isinstance(case.outcome, Outcome)]
    for m in range(len(names)):
        for q, q_star in enumerate((0.2, 0.8)):
            rule = parse_policy(found.setting(m, q, 0))
            played = replay_reviews(
                outcomes, calibrator, rule, Payoffs.from_q_star(q_star), 0.0001, ReviewTask(truth_is=truth)
            )
            assert [each.depth for each in played] == found.screened[:, m, q, 0].tolist()
            assert [each.action == "a+" for each in played] == found.plus[:, m, q, 0].tolist()
            assert [each.omega for each in played] == found.omega[:, q].tolist()
            assert [each.recall for each in played] == pytest.approx(found.recall[:, m, q, 0].tolist())
    assert found.settings["truth"] == truth and found.settings["engine"] == "univariate"
    assert found.plus_exact is not None


def test_the_slower_engine_is_asked_at_the_same_depths(reviews: Benchmark) -> None:
    methods = parse_methods(["greedy", "budget:d=200", "target:tau=0.5,confidence=0.9", "oracle"], "review")
    quick = run(reviews, ReviewTask(), methods, costs=(0.001,))
    slow = run(reviews, ReviewTask(engine="bivariate"), methods, costs=(0.001,))
    assert quick.plus_exact is not None and slow.plus_exact is None
    budget, oracle = quick.method("budget:d=200"), quick.method("oracle")
    assert np.array_equal(quick.plus_exact[:, budget], slow.plus[:, budget])
    # Nobody asked it of a rule that samples or knows the truth, so it is not said to agree.
    assert np.isnan(quick.plus_exact[:, oracle - 1 :]).all()
    changes = rows(quick, draws=0).groupby("method", sort=False)["engine_changes"].max()
    assert changes.isna().tolist() == [False, False, True, True]
    assert (quick.plus[:, oracle, :, 0] == quick.omega).all()


def test_the_learned_prior_is_another_row(reviews: Benchmark) -> None:
    methods = parse_methods(["greedy", "greedy@learned"], "review")
    found = run(reviews, ReviewTask(), methods, costs=(0.001,))
    assert [method.title for method in found.methods] == ["Greedy", "Greedy, learned"]
    assert not np.array_equal(found.screened[:, 0], found.screened[:, 1])


def test_reading_nothing_believes_what_the_rows_prior_says(reviews: Benchmark) -> None:
    (fold,) = reviews.folds
    both = replace(reviews, folds=(fold, Fold(fold.test, fold.train)))
    methods = parse_methods(["decide-now", "decide-now@learned", "greedy@learned"], "review")
    found = run(both, ReviewTask(b_0=0.3), methods, costs=(0.001,), q_stars=(0.2, 0.35, 0.8))
    beliefs = found.settings["beliefs"]
    assert [each["default"] for each in beliefs] == [0.3, 0.3]
    assert beliefs[0]["learned"] != beliefs[1]["learned"] and min(each["learned"] for each in beliefs) > 0.35
    table = rows(found, draws=0)
    said = table.pivot_table(index="q_star", columns="method", values="decide_now")
    agreed = table.pivot_table(index="q_star", columns="method", values="decision_agreement")
    for method in ("decide-now", "decide-now@learned"):
        assert said[method].tolist() == agreed[method].tolist()
    assert said["greedy@learned"].tolist() == agreed["decide-now@learned"].tolist()
    for q in range(3):
        assert deciding_now(found, q, "learned").tolist() == found.plus[:, 1, q, 0].tolist()
    # Between the two priors' beliefs the one adopts, the other does not.
    assert deciding_now(found, 1, "learned").all() and not deciding_now(found, 1, "default").any()


def test_rules_of_ones_own_weigh_costs_in_combinations_too(patents: Benchmark, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from dataclasses import dataclass\nimport numpy as np\nfrom tarstop_core.policies import Policy\n\n"
        "@dataclass(frozen=True)\nclass Mine(Policy):\n    name = 'mine'\n    title = 'Mine'\n    rule = 'r'\n"
        "    source = 's'\n    acts_on_belief = False\n\n    def depths(self, path, costs, start=0):\n"
        "        return np.where(np.asarray(costs) > 0.005, start, max(start, 8))\n",
        encoding="utf-8",
    )
    names = [f"either({path}:Mine;budget:d=20)", "both(oracle;budget:d=2)"]
    found = run(patents, DecisiveTask(), parse_methods(names, "patent"), costs=(0.001, 0.01))
    assert (found.screened[:, 0, :, 0] == 8).all() and (found.screened[:, 0, :, 1] == 0).all()
    assert [method.is_oracle for method in found.methods] == [False, True]
    assert not found.plus[~found.omega[:, 0], 1].any()
