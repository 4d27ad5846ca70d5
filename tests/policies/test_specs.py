"""Texts that name rules: parameters of all kinds, combinations, and files of one's own."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.errors import InputProblem
from tarstop_core.policies import QBCB, Both, Budget, Either, Greedy, Knee, Share, Target, parse_policy
from tarstop_core.policies.check import check_policy
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs

PATH = DecisivePath(hit_curve(np.full(50, 0.2)), 0.5, Payoffs.from_q_star(0.5))

OWN = '''"""A rule of one's own."""
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from tarstop_core.policies import Parameter, Policy

@dataclass(frozen=True)
class Fixed(Policy):
    depth: int = 7
    word: str = "a"
    name: ClassVar[str] = "fixed"
    title: ClassVar[str] = "Fixed"
    rule: ClassVar[str] = "Read so many."
    source: ClassVar[str] = "here"
    parameters: ClassVar = (
        Parameter("depth", "documents", 1, 100, (5, 7)),
        Parameter.choice("word", "any", ("a", "b"), ("a",)),
    )

    def depths(self, path, costs, start=0):
        return np.full(np.size(costs), max(start, min(self.depth, len(path))))

@dataclass(frozen=True)
class Peeps(Fixed):
    """Stops before the first relevant document."""
    def depths(self, path, costs, start=0):
        ahead = np.flatnonzero(path.labels[start:])
        return np.full(np.size(costs), start + (ahead[0] if len(ahead) else len(path) - start))

class Abstract(Policy):
    name = title = rule = source = "x"

class NoRule:
    pass

class Nameless(Policy):
    def depths(self, path, costs, start=0):
        return np.zeros(1)

@dataclass(frozen=True)
class Undescribed(Fixed):
    more: int = 3

@dataclass(frozen=True)
class Fails(Fixed):
    def __post_init__(self):
        raise RuntimeError("no\\nwork. today.")
'''


@given(
    st.one_of(
        st.builds(QBCB, st.floats(0.01, 1), st.integers(1, 10_000), st.floats(0.0001, 1)),
        st.builds(Target, st.floats(0.01, 0.999), st.floats(0.01, 0.9999)),
        st.builds(Share, st.floats(0, 1)),
        st.builds(Knee, st.floats(0, 1e6), st.integers(0, 1000), reading=st.sampled_from("PQR")),
    )
)
def test_specs_round_trip_exactly(rule: QBCB | Target | Share | Knee) -> None:
    assert parse_policy(rule.spec) == rule
    assert parse_policy(rule.spec).spec == rule.spec
    both = Both((Either((rule if isinstance(rule, Knee | Share) else Greedy(), Greedy())), Budget(3)))
    assert parse_policy(both.spec) == both


def test_values_take_their_own_type() -> None:
    assert QBCB(1, 5.0, np.float64(0.5)).spec == "qbcb:tau=1.0,n_min=5,alpha=0.5"
    assert parse_policy("qbcb:tau=0.8,n_min=5,alpha=0.1").spec == "qbcb:tau=0.8,n_min=5,alpha=0.1"
    assert str(QBCB(0.8, 5, 0.1)) == "QBCB(tau=0.8, n_min=5, alpha=0.1)"
    assert parse_policy("CG_Knee: relret_at = now").settings["relret_at"] == "now"
    assert pickle.loads(pickle.dumps(QBCB(0.8, 5, 0.1))) == QBCB(0.8, 5, 0.1)


def depth(spec: str, start: int = 0) -> int:
    return int(parse_policy(spec).depths(PATH, [0.01], start)[0])


def test_either_and_both() -> None:
    assert depth("either(budget:d=9;budget:d=4)") == 4
    assert depth("both(budget:d=9;budget:d=4)") == 9
    assert depth("either( both(budget:d=9;share:share=0.5) ; budget:d=30 )") == 25
    assert depth("both(budget:d=9;budget:d=4)", start=20) == 20
    # Neither stops for good: 12 is the first multiple of 4 at or after 10.
    assert depth("both(knee:f=4,cap=0.01,reading=P;budget:d=10)") == depth("budget:d=10")
    rule = parse_policy("both(greedy;budget:d=3)")
    costs = [0.0001, 0.01, 1.0]
    assert rule.depths(PATH, costs).tolist() == np.maximum(Greedy().depths(PATH, costs), 3).tolist()
    assert str(rule) == "Both(Greedy; Budget(3))"
    assert rule.acts_on_belief and not rule.needs_labels
    assert not parse_policy("either(budget;share)").acts_on_belief
    bound = parse_policy("either(greedy;both(budget;oracle))")
    assert bound.needs_labels and bound.is_oracle and not rule.is_oracle
    assert pickle.loads(pickle.dumps(rule)) == rule


@pytest.mark.parametrize(
    "spec",
    [
        "either(greedy)",
        "either()",
        "either(greedy;budget",
        "either(greedy;nonsense)",
        "both(greedy;qbcb)",
        "both(greedy;either(budget))",
        "both(greedy;(budget))",
        "both(greedy);budget)",
        "qbcb:tau=1.5",
        "qbcb:tau=nan",
        "qbcb:tau=x",
        "qbcb:alpha=0",
        "qbcb:n_min=2.5",
        "knee:reading=X",
        "knee:cap_on_empty=1",
        "target:tau=1",
        "missing.py:Name",
        "missing.py",
        "missing.py:",
    ],
)
def test_a_bad_text_gives_one_sentence(spec: str) -> None:
    with pytest.raises(InputProblem) as problem:
        parse_policy(spec)
    said = str(problem.value)
    assert said.endswith(".") and "\n" not in said and ". " not in said


@pytest.fixture
def own(tmp_path: Path) -> str:
    file = tmp_path / "my_rules.py"
    file.write_text(OWN, encoding="utf-8")
    return str(file)


def test_a_rule_of_ones_own(own: str) -> None:
    rule = parse_policy(f"{own}:Fixed:depth=5,word=b")
    assert rule.settings == {"depth": 5, "word": "b"}
    assert rule.depths(PATH, [0.1, 1.0]).tolist() == [5, 5]
    assert rule.spec == f"{own}:Fixed:depth=5,word=b"
    assert parse_policy(rule.spec) == rule
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert (rule.place, rule.formula, rule.colour, rule.marker) == (0, "", "", "")
    assert str(rule) == "Fixed(depth=5, word=b)"
    combined = parse_policy(f"either({own}:Fixed;greedy)")
    assert parse_policy(combined.spec) == combined
    assert check_policy(rule, lists=12).ok


def test_another_process_makes_it_again_from_its_file(own: str) -> None:
    made, (file, name, values) = parse_policy(f"{own}:Fixed:depth=5").__reduce__()
    assert (file, name, values) == (own, "Fixed", {"depth": 5, "word": "a"})
    assert made(file, name, values) == parse_policy(f"{own}:Fixed:depth=5")
    Path(own).unlink()
    with pytest.raises(InputProblem, match="cannot be read"):
        made(file, name, values)


def test_only_known_baselines_ignore_costs(own: str) -> None:
    Path(own).write_text(
        OWN.replace("depth: int = 7\n", "depth: int = 7\n    acts_on_belief = False\n", 1), encoding="utf-8"
    )
    asked_once = {
        "budget": True,
        "either(budget;share)": True,
        "greedy": False,
        "oracle": False,
        "either(budget;greedy)": False,
        "both(budget;oracle)": False,
        f"{own}:Fixed": False,
        f"either(budget;both(share;{own}:Fixed))": False,
    }
    assert {spec: parse_policy(spec).cost_invariant for spec in asked_once} == asked_once


def test_a_changed_file_is_loaded_anew(own: str) -> None:
    assert parse_policy(f"{own}:Fixed").settings["depth"] == 7
    Path(own).write_text(OWN.replace("depth: int = 7", "depth: int = 9"), encoding="utf-8")
    assert parse_policy(f"{own}:Fixed").settings["depth"] == 9


def test_a_rule_that_peeps_is_found_out(own: str) -> None:
    report = check_policy(parse_policy(f"{own}:Peeps"))
    assert not report.ok
    assert any("looks ahead" in finding for finding in report.findings)


@pytest.mark.parametrize(
    "name, says",
    [
        ("Missing", "has no class 'Missing'; it has Fixed"),
        ("Policy", "has no class 'Policy'"),
        ("NoRule", "is not a rule"),
        ("Abstract", "has no method depths"),
        ("Nameless", "has no text 'name'"),
        ("Undescribed", "has the fields (depth, word, more)"),
        ("Fails", "cannot be made: RuntimeError in line 47: no work; today."),
        ("Fixed:depth=0", "give a whole number from 1 to 100"),
        ("Fixed:height=1", "has no parameter 'height'"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(own: str, name: str, says: str) -> None:
    with pytest.raises(InputProblem) as problem:
        parse_policy(f"{own}:{name}")
    assert says in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    "text, says",
    [
        ("def broken(:\n", "SyntaxError in line 1"),
        ("x = 1\nraise ValueError('not now')\n", "ValueError in line 2: not now"),
        ("import nowhere_to_be_found\n", "ModuleNotFoundError in line 1: No module named"),
        ("x = 1\n", "it defines no class"),
    ],
)
def test_a_file_that_fails_says_where(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputProblem, match=r"bad\.py") as problem:
        parse_policy(f"{file}:Name")
    assert says in str(problem.value)


def test_files_are_not_run_where_they_may_not_be(own: str) -> None:
    for spec in (f"{own}:Fixed", f"either(greedy;{own}:Fixed)"):
        with pytest.raises(InputProblem, match="not run"):
            parse_policy(spec, files=False)
    assert parse_policy("greedy", files=False) == Greedy()


@pytest.mark.parametrize(
    "text",
    ["either(" * 5000 + "greedy" + ")" * 5000, f"either({';'.join(['greedy'] * 5000)})", "(" * 100_000],
    ids=["deep", "wide", "brackets"],
)
def test_a_text_cannot_combine_without_end(text: str) -> None:
    with pytest.raises(InputProblem, match="more than 32 others"):
        parse_policy(text, files=False)


def test_a_file_may_go_on_using_earlier_names(tmp_path: Path) -> None:
    file = tmp_path / "earlier.py"
    file.write_text(
        """from dataclasses import dataclass
from tarstop_core.policies import Policy
from tarstop_core.policies.base import Criterion, first_not_worth

@dataclass(frozen=True)
class Earlier(Policy):
    name = title = rule = source = "earlier"
    knows_truth = True
    criterion = Criterion.VALUE

    @property
    def at_once(self):
        return 4

    def depths(self, path, costs, start=0):
        return first_not_worth(self.worth(path), costs, start)

    def worth(self, path):
        return path.worth(2)
""",
        encoding="utf-8",
    )
    with pytest.warns(DeprecationWarning, match="'worth' is now called 'value_rate'"):
        rule = parse_policy(f"{file}:Earlier")
    np.testing.assert_array_equal(rule.value_rate(PATH), PATH.value_rate(2))
    assert rule.batch_size == 4 and rule.is_oracle and rule.criterion is None


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("smooth", "Smooth"),
        ("look_ahead", "LookAhead"),
        ("qbcb", "QBCB"),
        ("grlstop.rule", "GRLStop"),
        ("audit", "Audit"),
        ("quant", "Quant"),
        ("anytime", "AnytimeTest"),
        ("safe", "Safe"),
    ],
)
def test_a_file_may_go_on_importing_from_modules_that_became_part_of_others(
    tmp_path: Path, module: str, name: str
) -> None:
    file = tmp_path / "earlier.py"
    file.write_text(
        f"from tarstop_core.policies.{module} import {name}\n\n\nclass Mine({name}):\n    pass\n",
        encoding="utf-8",
    )
    with pytest.warns(DeprecationWarning, match=f"policies.{module} is part of"):
        rule = parse_policy(f"{file}:Mine")
    assert type(rule).__mro__[1] is type(parse_policy(rule.name))
