"""The check of a rule finds what it is for, and says what it found."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from tarstop_core.policies import QBCB, Oracle, Policy
from tarstop_core.policies.base import Depths
from tarstop_core.policies.check import check_policy


def rule_of(answer: Callable[[Any, int, int], Any]) -> Policy:
    """A rule from a function of (path, start, number of costs)."""

    @dataclass(frozen=True)
    class Made(Policy):
        name: ClassVar[str] = "made"
        title: ClassVar[str] = "Made"
        rule: ClassVar[str] = "Made for a test."
        source: ClassVar[str] = "test"

        def depths(self, path: Any, costs: Any, start: int = 0) -> Depths:
            return answer(path, start, np.size(costs))

    return Made()


def always(depth: Callable[[Any, int], int]) -> Policy:
    return rule_of(lambda path, start, C: np.full(C, depth(path, start)))


FAULTS = [
    ("labels behind", always(lambda path, start: len(path) if path.labels.any() else start), "looks ahead"),
    (
        "the hit",
        always(lambda path, start: start if path.hit is None or path.hit > 3 + start else len(path)),
        "looks ahead",
    ),
    (
        "what comes next",
        always(
            lambda path, start: len(path) if path.labels[3:23].sum() == 20 else min(len(path), max(start, 3))
        ),
        "looks ahead",
    ),
    ("one past the end", always(lambda path, start: len(path) + 1), "it stops at"),
    ("before the start", always(lambda path, start: -1), "it stops at -1"),
    ("never the same", always(lambda path, start: min(len(path), start + 3)), "is told to go on"),
    (
        "sooner when asked",
        always(lambda path, start: len(path) if start == 0 else start),
        "is told to stop there",
    ),
    ("one depth only", rule_of(lambda path, start, C: np.zeros(1, dtype=int)), "one for each is needed"),
    ("fractions", rule_of(lambda path, start, C: np.zeros(C)), "whole numbers are needed"),
    ("an error", rule_of(lambda path, start, C: 1 / 0), "it fails: ZeroDivisionError"),
]


@pytest.mark.parametrize("rule, says", [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_each_fault_is_found(rule: Policy, says: str) -> None:
    report = check_policy(rule, lists=6)
    assert not report.ok
    assert any(says in finding for finding in report.findings), report.findings
    assert all(finding.endswith(".") and "\n" not in finding for finding in report.findings)


def test_the_oracle_looks_ahead() -> None:
    assert any("looks ahead" in finding for finding in check_policy(Oracle()).findings)


def test_a_random_sample_cannot_be_asked() -> None:
    report = check_policy(QBCB(), lists=12)
    assert report.ok
    assert "random sample" in report.remark


def test_the_same_seed_finds_the_same() -> None:
    rule = FAULTS[0][1]
    assert check_policy(rule, seed=2) == check_policy(rule, seed=2)
