"""What is compared: names, grids, fingerprints."""

from pathlib import Path

import numpy as np
import pytest

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.methods import DEFAULT, PAPER, grid, parse_methods, split_specs, titles
from tarstop_core.policies import POLICIES
from tarstop_core.policies.base import Randomised
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


def test_fingerprints_tell_settings_apart() -> None:
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
