"""What a scenario says of itself, and that nobody asks which one it is."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.samples import shipped
from tarstop_core.screening.fold import replay
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.scenarios.named import SCENARIOS, read_settings, scenario_of
from tarstop_core.screening.scenarios.patent import PATENT, DecisiveScenario
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.calibrator_library import CHANCE_OF
from tarstop_core.value.payoffs import Payoffs

ROOT = Path(__file__).resolve().parents[3]
PATHS = {"DecisivePath", "CumulativePath", "ReviewPath"}
OWN = (
    "tarstop_core/screening/scenarios/",
    "tarstop_core/evaluation/tasks/",
    "tarstop_core/calibration/calibrator.py",  # what chances are chances of, as files keep it
    "tarstop_core/evaluation/benchmarks/simulated_",  # names of benchmarks
    "tarstop_core/files/",  # words of file formats
    "tarstop_core/effects/studies.py",  # a column of studies is called "effect"
    "tarstop_core/documents/reports.py",  # and so is what a report gives
    "tarstop_core/screening/typed_numbers.py",  # and so is a field
    "dashboard/evidence/effect",  # the title of that column, and a kind of decision
    "tarstop_core/cli/belief.py",
    "tarstop_core/explore/decision",  # a decision may rest on one uncertain number, called so
    "tarstop_core/explore/draw_columns.py",  # draws have costs and effects
    "dashboard/decisions/",
)
DEFAULTS = {
    **{f"tarstop_core/screening/{name}_settings.py": "scenario" for name in SCENARIOS},
    "tarstop_core/cli/replay.py": "default",
    "tarstop_core/api/asreview_stopper.py": "scenario",
    "tarstop_core/api/calibrators.py": "scenario",
    "tarstop_core/api/replaying.py": "scenario",
    "tarstop_core/api/screening.py": "scenario",
    "tarstop_core/api/stopping_method.py": "scenario",
}
"""Where a name stands as what is given, or taken unless another is given: file, and field or argument."""
MACROS = {
    *("question", "otherwise", "hope", "chance_column", "nothing_further", "read", "why", "stopping"),
    *("says", "now", "rests", "check", "protocol"),
}
"""Macros that the template of every scenario has, or those it falls back on."""
WEIGHED = {
    *("belief_on_list", "starting_chance", "mistake_plus", "mistake_minus", "nothing", "planned"),
    *("observed", "settling", "missed", "doubt"),
}
"""Further ones if a decision is weighed, mostly for Set up and Explore."""
TAUGHT = {"finds", "one_find", "thought"}
"""Further ones if there are samples, for Learn."""


def values(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """The names to which a piece of code gives values, and these: of an argument, a field or a parameter."""
    if isinstance(node, ast.keyword) and node.arg is not None:
        yield node.arg, node.value
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
    elif isinstance(node, ast.arguments):
        with_default = (*node.posonlyargs, *node.args)[-len(node.defaults) :] if node.defaults else ()
        pairs = (
            *zip(with_default, node.defaults, strict=True),
            *zip(node.kwonlyargs, node.kw_defaults, strict=True),
        )
        yield from ((parameter.arg, value) for parameter, value in pairs)


def asked(source: str, name: str) -> Iterator[str]:
    """Where a module names a scenario, or asks for the class of a path."""
    tree = ast.parse(source)
    allowed = {
        id(value) for node in ast.walk(tree) for given, value in values(node) if given == DEFAULTS.get(name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in SCENARIOS and id(node) not in allowed:
            yield f"{name}:{node.lineno} names “{node.value}”"
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            classes = {getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(node.args[1])}
            if classes & PATHS:
                yield f"{name}:{node.lineno} asks for the class of a path"


def test_nobody_asks_which_scenario_or_path_it_is() -> None:
    found = []
    for top in ("tarstop_core", "dashboard", "pages"):
        for file in sorted((ROOT / top).rglob("*.py")):
            name = file.relative_to(ROOT).as_posix()
            if not name.startswith(OWN):
                found += asked(file.read_text(encoding="utf-8"), name)
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        'settings.scenario == "patent"',
        'NAMES = {"review": 1}',
        "isinstance(path, CumulativePath)",
        "isinstance(path, (int, decisive.DecisivePath))",
    ],
)
def test_a_question_of_that_kind_is_found(line: str) -> None:
    assert len(list(asked(line, "tarstop_core/advice.py"))) == 1


def test_what_is_screened_for_is_also_tried() -> None:
    assert list(SCENARIOS) == list(TASKS)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_has_words_for_everything(name: str) -> None:
    scenario = SCENARIOS[name]
    plus, minus = scenario.first_actions
    settings = scenario.settings_class.beginning(plus=plus, minus=minus)
    assert scenario_of(settings) is scenario and scenario.name == name
    for words in (scenario.title, scenario.short, scenario.belief_title):
        assert words and words == words.strip()
    assert all(when.startswith("if ") for when in scenario.when)
    message = scenario.message
    assert message("question", settings=settings) != message("otherwise", settings=settings)
    assert {scenario.chance_of(settings), TASKS[name].chance_of} <= set(CHANCE_OF)
    assert (scenario.brings(1), scenario.brings(2_000)) == (scenario.finds[0], f"2,000 {scenario.finds[1]}")
    assert {"relevant", "irrelevant", "unsure"} <= set(scenario.verdicts(settings))
    assert settings.grades == ("combination" in scenario.verdicts(settings))


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_has_a_macro_for_every_sentence(name: str) -> None:
    scenario = SCENARIOS[name]
    weighed, taught = scenario.settings_class.weighs, bool(scenario.sample)
    wanted = MACROS | (WEIGHED if weighed else set()) | (TAUGHT if weighed and taught else set())
    messages, macros = scenario.message, set[str]()
    while messages is not None:
        macros |= set(dir(messages.macros))
        messages = messages.otherwise
    assert not wanted - macros


class CourtSettings(Settings):
    """Nothing beside what every scenario sets."""

    scenario = "court"
    one_decides = True


class Court(DecisiveScenario[CourtSettings]):
    """Another question that one document decides."""

    settings_class = CourtSettings


def test_another_question_that_one_document_decides_has_the_path_of_patents() -> None:
    calibrator, ids = shipped.calibrators()["sample-searches"], ("a", "b", "c")
    chances = np.array([0.3, 0.2, 0.1])
    own, patent = (
        replace(kind.beginning(), b_0=0.4, payoffs=Payoffs.from_q_star(0.5), cost=0.01, **more)
        for kind, more in ((CourtSettings, {}), (PatentSettings, {"needs_citation": False}))
    )
    path = Court().path(own, calibrator, chances, replay(own, ids, ()))
    expected = PATENT.path(patent, calibrator, chances, replay(patent, ids, ()))
    assert path.belief_at(2) == expected.belief_at(2) < 0.4
    higher = Court().with_b_0(path, replace(own, b_0=0.6), calibrator, chances, replay(own, ids, ()))
    assert higher.belief_at(0) == pytest.approx(0.6)


def test_a_scenario_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InputProblem, match=f"The scenario is 'horoscope'; choose {' or '.join(SCENARIOS)}"):
        read_settings({"scenario": "horoscope"})
