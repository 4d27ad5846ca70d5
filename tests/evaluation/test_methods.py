"""What is compared: names, grids, hashes, and the agents that GRLStop follows."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scripts.grlstop import training as ppo
from tarstop_core.belief.decisive import hit_curve
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.named import simulated_patents, simulated_reviews
from tarstop_core.evaluation.cases import Benchmark, Case
from tarstop_core.evaluation.methods import (
    AGENTS,
    DEFAULT,
    PAPER,
    grid,
    parse_methods,
    split_specs,
    titles,
    weights_file,
    weights_of,
)
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.places import sample_dir
from tarstop_core.policies import POLICIES
from tarstop_core.policies.base import Randomised
from tarstop_core.policies.grlstop import GRLStop, Weights, depths_for_targets, shipped_weights
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.evaluation.own_benchmark import own_rules


def test_grids_run_the_first_parameter_slowest_and_hold_the_papers() -> None:
    assert [policy.spec for policy in grid(POLICIES["greedy"])] == ["greedy"]
    qbcb = grid(POLICIES["qbcb"])
    assert len(qbcb) == 500 and len(grid(POLICIES["knee"])) == 48
    assert qbcb[0].settings["tau"] == qbcb[49].settings["tau"] != qbcb[50].settings["tau"]


def test_names_with_parameters_are_taken_as_they_are() -> None:
    fixed, tuned = parse_methods(["budget:d=200", "batch"], "patent")
    assert fixed.name == "budget:d=200" and [each.spec for each in fixed.settings] == ["budget:d=200"]
    assert fixed.title == "Budget(200)" and tuned.title == "Batch" and len(tuned.settings) == 6
    (either,) = parse_methods(["either(greedy;budget:d=5)"], "patent")
    assert either.name == "either(greedy;budget:d=5)" and len(either.settings) == 1


def test_groups_of_methods() -> None:
    everything = [method.name for method in parse_methods(["all"], "patent")]
    assert everything == list(POLICIES)
    assert [method.name for method in parse_methods(["paper"], "review")] == list(PAPER)
    assert "decide-now@learned" in DEFAULT["review"]
    for scenario in ("patent", "review"):
        assert len(parse_methods(DEFAULT[scenario], scenario)) > len(POLICIES)


def test_variants_belong_to_a_scenario() -> None:
    (hazard,) = parse_methods(["optimal@hazard"], "patent")
    assert (hazard.variant, hazard.title, hazard.name) == ("hazard", "Optimal, hazard", "optimal@hazard")
    with pytest.raises(InputProblem, match=r"There is no 'learned' for optimal@learned.*hazard"):
        parse_methods(["optimal@learned"], "patent")


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        (["nothing"], "no policy 'nothing'"),
        (["greedy", "greedy"], "greedy is named twice"),
        ([], "No method"),
    ],
)
def test_what_cannot_be_compared_is_refused(specs: list[str], message: str) -> None:
    with pytest.raises(InputProblem, match=message):
        parse_methods(specs, "patent")


def test_hashes_tell_settings_apart() -> None:
    names = ["batch", "batch:K=5", "smooth", "batch@hazard"]
    digests = [method.digest for method in parse_methods(names, "patent")]
    assert len(set(digests)) == len(names)
    assert digests == [method.digest for method in parse_methods(names, "patent")]


def test_a_rule_of_ones_own_is_known_by_its_source(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    source = (
        "from dataclasses import dataclass\nfrom typing import ClassVar\nimport numpy as np\n"
        "from tarstop_core.policies import Policy\n\n@dataclass(frozen=True)\nclass Mine(Policy):\n"
        "    name: ClassVar[str] = 'mine'\n    title: ClassVar[str] = 'Mine'\n    rule: ClassVar[str] = 'r'\n"
        "    source: ClassVar[str] = 's'\n\n    def depths(self, path, costs, start=0):\n"
        "        return np.full(np.size(costs), max(start, {}))\n"
    )
    digests, combined = [], []
    for depth in (3, 4):
        path.write_text(source.format(depth), encoding="utf-8")
        (method,) = parse_methods([f"{path}:Mine"], "patent")
        assert method.title == "Mine" and len(method.settings) == 1
        digests.append(method.digest)
        (within,) = parse_methods([f"both(budget;either({path}:Mine;greedy))"], "patent")
        combined.append(within.digest)
    assert digests[0] != digests[1] and combined[0] != combined[1]


def test_splitting_keeps_parameters_together() -> None:
    assert split_specs(" greedy , qbcb:tau=0.8, n_min=5 ,batch") == [
        "greedy",
        "qbcb:tau=0.8, n_min=5",
        "batch",
    ]
    assert split_specs("both(qbcb:tau=1,alpha=1;greedy),greedy") == [
        "both(qbcb:tau=1,alpha=1;greedy)",
        "greedy",
    ]


ASKED_ONCE = [
    name
    for name, kind in POLICIES.items()
    if grid(kind)[0].cost_invariant and not issubclass(kind, Randomised)
]


@pytest.mark.parametrize("name", ASKED_ONCE)
def test_rules_that_are_asked_once_a_case_weigh_nothing(name: str) -> None:
    rules = grid(POLICIES[name])
    rng = np.random.default_rng(3)
    labels = rng.random(400) < np.linspace(0.2, 0, 400)
    curve = hit_curve(np.linspace(0.2, 0.001, 400))
    hit = int(np.argmax(labels)) + 1
    for rule in rules[:: max(1, len(rules) // 5)]:
        depths = [
            rule.depths(DecisivePath(curve, 0.5, Payoffs.from_q_star(q), hit, labels=labels), [0, 0.001, 1.0])
            for q in (0.2, 0.8)
        ]
        assert len(np.unique(depths)) == 1
    assert name not in ("greedy", "optimal", "oracle")


def test_parse_methods_by_example() -> None:
    assert [
        method.title for method in parse_methods(["greedy", "budget:d=100", "optimal@hazard"], "patent")
    ] == ["Greedy", "Budget(100)", "Optimal, hazard"]


def test_methods_of_one_title_are_told_apart(tmp_path: Path) -> None:
    other = tmp_path / "theirs"
    other.mkdir()
    specs = [f"{own_rules(folder)}:LastHit" for folder in (tmp_path, other)]
    assert titles(parse_methods(["greedy", *specs], "patent")) == [
        "Greedy",
        *(f"LastHit ({each})" for each in specs),
    ]


# --- GRLStop's agents ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def agent(patents: Benchmark) -> Weights:
    return ppo.train([case.topic for case in patents.folds[0].train], steps=20_000)


def test_an_agent_is_found_by_the_labels_it_was_trained_on(patents: Benchmark) -> None:
    cases = list(patents.folds[0].train)
    assert weights_file(cases) == weights_file([replace(case, group="another") for case in cases])
    assert weights_of(cases) is None
    labels = cases[3].labels.copy()
    labels[0] = not labels[0]
    topic = replace(cases[3].topic, labels=labels, n_relevant=int(labels.sum()))
    for other in (cases[1:], cases[::-1], [*cases[:3], Case(topic, "x"), *cases[4:]]):
        assert weights_file(other) != weights_file(cases)


@pytest.mark.parametrize("make", [simulated_patents, simulated_reviews])
def test_the_simulated_benchmarks_have_agents_of_their_own(make: object) -> None:
    assert callable(make)
    (fold,) = make().folds
    found = weights_of(fold.learned_from)
    assert found is not None and found.digest != shipped_weights().digest


def test_every_agent_is_on_record() -> None:
    known = pd.read_csv(sample_dir() / AGENTS / "trained.csv")
    assert set(known["file"]) == {path.name for path in (sample_dir() / AGENTS).glob("*.npz")}
    assert set(known["benchmark"]) == {"patent", "review", "clef", "clef-travel", "clef-review"}
    assert (known["steps"] == known["lists"].map(ppo.steps_for)).all()


def test_an_experiment_follows_its_agent(patents: Benchmark, agent: Weights) -> None:
    asked: list[int] = []

    def agents(cases: object) -> Weights:
        asked.append(len(cases))  # type: ignore[arg-type]
        return agent

    methods = parse_methods(["greedy", "grlstop:target=0.1", "grlstop"], "patent")
    found = run(patents, DecisiveTask(), methods, costs=(0.001,), grlstop_weights=agents)
    assert asked == [len(patents.folds[0].train)]
    assert found.settings["agents"] == [agent.digest]
    expected = [depths_for_targets(case.labels, [0.1], agent)[0] for case in patents.folds[0].test]
    assert found.screened[:, 1, 0, 0].tolist() == expected
    plain = run(patents, DecisiveTask(), methods, costs=(0.001,))
    assert plain.settings["agents"] == [""]
    assert not np.array_equal(plain.screened[:, 1], found.screened[:, 1])
    np.testing.assert_array_equal(plain.screened[:, 0], found.screened[:, 0])
    # Nobody else's rule asks for one.
    asked.clear()
    run(patents, DecisiveTask(), methods[:1], costs=(0.001,), grlstop_weights=agents)
    assert not asked


def test_what_is_kept_of_one_agent_is_not_taken_for_anothers(agent: Weights) -> None:
    (method,) = parse_methods(["grlstop"], "patent")
    followed = method.following(agent)
    assert followed.digest != method.digest and followed.name == method.name
    assert [rule.spec for rule in followed.settings] == [rule.spec for rule in method.settings]
    assert method.following(None) is method
    (greedy,) = parse_methods(["greedy"], "patent")
    assert greedy.following(agent) is greedy
    assert GRLStop(0.3).following(agent).agent is agent
