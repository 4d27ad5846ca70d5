"""GRLStop follows the agent that was trained on an experiment's own training cases, and no other's."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tarstop_core.evaluation.benchmarks.simulated import simulated_patents, simulated_reviews
from tarstop_core.evaluation.cases import Benchmark, Case
from tarstop_core.evaluation.grlstop_weights import FOLDER, weights_file, weights_of
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.places import sample_dir
from tarstop_core.policies.grlstop import training as ppo
from tarstop_core.policies.grlstop.network import Weights
from tarstop_core.policies.grlstop.rule import GRLStop, depths_for_targets, shipped_weights


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
    known = pd.read_csv(sample_dir() / FOLDER / "trained.csv")
    assert set(known["file"]) == {path.name for path in (sample_dir() / FOLDER).glob("*.npz")}
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
