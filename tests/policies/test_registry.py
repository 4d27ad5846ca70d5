"""The rules that files of the package define: each says where it stands and how it looks, and a new file is enough."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tarstop_core
from tarstop_core import policies
from tarstop_core.evaluation.findings.figures import style
from tarstop_core.policies import POLICIES, Parameter, Policy, parse_policy
from tarstop_core.policies.registry import about, advising_rules, message, titled, with_same_target
from tests.branches import every_branch
from tests.reference.loops import LOOPS

FIRST_PAGE = '''"""First page: what a list shows before one turns the page."""

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from tarstop_core.policies.base import Depths, Parameter, Policy, at_any_cost

from tarstop_core.value.path import Path


@dataclass(frozen=True)
class FirstPage(Policy):
    """Stop after n documents."""

    n: int = 25

    name: ClassVar[str] = "first-page"
    title: ClassVar[str] = "First page"
    rule: ClassVar[str] = "Read the first page."
    formula: ClassVar[str] = r"d = n"
    source: ClassVar[str] = "common practice"
    place: ClassVar[int] = 65
    colour: ClassVar[str] = "#123456"
    marker: ClassVar[str] = "hexagon"
    acts_on_belief: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("n", "documents on a page", 1, 500, (10, 25)),)

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return at_any_cost(max(start, min(self.n, len(path))), costs)
'''

LOOKED_AT = """
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.policies import POLICIES, parse_policy
from tarstop_core.policies.check import check_policy
from tarstop_core.evaluation.findings.figures import style
from tarstop_core.teaching.reference import document, terms

names = list(POLICIES)
assert names[names.index("budget") + 1] == "first-page", names
rule = parse_policy("first-page:n=10")
assert check_policy(rule, lists=12).ok
assert len(parse_methods(["first-page"], "patent")[0].settings) == 2
assert style("first-page") == {"color": "#123456", "symbol": "hexagon", "dash": "dashdot"}
assert "#### First page" in document() and terms()["first-page"].formula == "d = n"
"""


def every_rule(kind: type[Policy]) -> list[type[Policy]]:
    return [kind, *(below for each in kind.__subclasses__() for below in every_rule(each))]


def test_every_rule_has_a_place_and_a_look_of_its_own() -> None:
    listed = [
        each for each in every_rule(Policy) if each.__module__.startswith("tarstop_core.") and each.place
    ]
    assert {each.name: each for each in listed} == POLICIES and len(listed) == len(POLICIES)
    alike: dict[object, list[str]] = {}
    for name, each in POLICIES.items():
        assert each.formula and each.colour and each.marker, name
        alike.setdefault(each.place, []).append(name)
        alike.setdefault((each.colour, each.marker), []).append(name)
    assert {what: names for what, names in alike.items() if len(names) > 1} == {}
    places = [each.place for each in POLICIES.values()]
    assert places == sorted(places)


def test_every_rule_has_a_plain_loop_and_no_loop_is_left_over() -> None:
    assert set(LOOPS) == set(POLICIES)


def test_python_users_can_import_every_rule_from_the_package() -> None:
    missing = [
        kind.__name__ for kind in POLICIES.values() if getattr(policies, kind.__name__, None) is not kind
    ]
    assert not missing


@pytest.mark.parametrize("spec", ["either(greedy;budget)", "both(greedy;budget)"])
def test_rules_made_of_rules_are_in_no_list_but_can_be_drawn(spec: str) -> None:
    rule = parse_policy(spec)
    assert rule.name not in POLICIES and style(rule.name)["color"].startswith("#")


def test_a_rule_is_added_by_adding_its_file(tmp_path: Path) -> None:
    package = Path(tarstop_core.__file__).parent
    shutil.copytree(package, tmp_path / package.name)
    (tmp_path / package.name / "policies" / "first_page.py").write_text(FIRST_PAGE, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = [sys.executable, "-c", LOOKED_AT]
    done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def test_rules_that_need_labels_are_not_offered_and_weighing_ones_come_first() -> None:
    names = advising_rules()
    assert names[0] == "optimal"
    assert not [name for name in names if POLICIES[name].needs_labels]
    last = max(names.index(name) for name in ("optimal", "look-ahead", "greedy", "smooth", "batch"))
    assert last < min(names.index(name) for name in names if not POLICIES[name].acts_on_belief)


def test_wherever_a_rule_is_chosen_it_says_what_it_needs_and_promises() -> None:
    with every_branch(message):
        for name, kind in POLICIES.items():
            assert about(kind).startswith(kind.rule) and titled(name).endswith(kind.promise.value)
            assert all(need.value in about(kind) for need in kind.needs)


@pytest.mark.parametrize("rule", POLICIES.values(), ids=POLICIES)
def test_people_read_no_rule_as_code(rule: type[Policy]) -> None:
    policy = rule()
    for words in (policy.brief, policy.in_words):
        assert words.startswith(policy.title) and "=" not in words and "_" not in words
    assert all(each.meaning in policy.in_words for each in policy.parameters)


def test_settings_are_worded_as_shares_and_numbers() -> None:
    both = parse_policy("both(few_left:tau=0.9;tar_knee:least=2000)")
    assert both.brief == "Both (Few left, 90 % recall; TAR knee(2000))"
    assert "recall to reach, τ: 90 %" in both.in_words and "read: 2,000" in both.in_words


def test_rules_that_are_compared_aim_at_one_recall() -> None:
    asked = parse_policy("few_left:tau=0.95")
    for kind in POLICIES.values():
        aimed = {with_same_target(kind, asked).settings.get(name, 0.95) for name in ("tau", "target")}
        assert aimed == {0.95}
        assert with_same_target(kind, parse_policy("budget")) == kind()
    assert with_same_target(POLICIES["target"], parse_policy("few_left:tau=1")).settings["tau"] < 1


@pytest.mark.parametrize("name", POLICIES)
def test_what_a_rule_does_unless_told_otherwise_is_among_what_a_grid_search_tries(name: str) -> None:
    rule = parse_policy(name)
    for parameter in rule.parameters:
        assert getattr(rule, parameter.name) in parameter.grid


def test_the_label_of_a_parameter_takes_any_meaning_and_has_one_pair_of_brackets() -> None:
    assert Parameter("n", "", 1, 9, ()).label == "(n)" and not Parameter("pages", "", 1, 9, ()).label
    labels = [parameter.label for rule in POLICIES.values() for parameter in rule.parameters]
    assert not [label for label in labels if ") (" in label]
