"""Stops of pyterrier-tar, row by row: the same here, or derived from the rule here by one named difference."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.policies import (
    QBCB,
    AnytimeTest,
    BaselineRate,
    Batch,
    BetaBinomial,
    BudgetMethod,
    Greedy,
    Hypergeometric,
    LowPrecision,
    PoissonProcess,
    Policy,
    Quant,
    Randomised,
    Rule2399,
    Safe,
    Share,
    Smooth,
    Target,
    TarKnee,
)
from tarstop_core.policies.gain_curve import gain, geometric_knees, growing_checks, slope_ratio
from tarstop_core.policies.hypergeometric import p_values
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.reference import pyterrier_tar as peer
from tests.reference.recorded import recorded

COST = 0.002


@dataclass(frozen=True, eq=False)
class Listed:
    """A list that pyterrier-tar was run on."""

    labels: np.ndarray
    p: np.ndarray
    control: np.ndarray  # Documents of its control sample, from 0, in the order in which they were drawn

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def plain(self) -> list[int]:
        return [int(label) for label in self.labels]

    @property
    def path(self) -> DecisivePath:
        stakes = Payoffs(0.5, 0.5, 0.5, 0.5)
        return DecisivePath(hit_curve(self.p), 0.5, stakes, labels=self.labels, p=self.p)

    @property
    def sampled(self) -> int:
        """Relevant documents of its control sample."""
        return int(self.labels[self.control].sum())

    def stop(self, rule: Policy, start: int = 0) -> int:
        """Where a rule of ours stops; one that draws documents draws the control sample first."""
        if isinstance(rule, Randomised):
            rest = np.setdiff1d(np.arange(len(self)), self.control)
            order = np.argsort(np.concatenate((self.control, rest)))
            return int(rule.runs(self.labels, (order[None] + 0.5) / len(self)).depth[0])
        return int(rule.depths(self.path, [COST], start)[0])


@cache
def lists() -> dict[str, Listed]:
    content, found = recorded("peers/pyterrier_tar"), {}
    for name, one in content["lists"].items():
        labels = np.zeros(one["n"], dtype=bool)
        labels[np.array(one["relevant_ranks_1based"], dtype=int) - 1] = True
        found[name] = Listed(labels, np.array(one["p"]), np.array(one["control_ranks_1based"], dtype=int) - 1)
    return found


def first(looks: list[int], fires: Callable[[int], bool], N: int) -> int:
    return next((n for n in looks if fires(n)), N)


# The differences. Each takes a list and where our rule stops there, and says where pyterrier-tar must.

Difference = Callable[[Listed, Policy, int], int | set[int]]


def none(one: Listed, rule: Policy, ours: int) -> int:
    return ours


def without_a_knee_it_stops_at_its_last_check(one: Listed, rule: Policy, ours: int) -> int:
    checks = [check for check in growing_checks(len(one)) if check >= rule.settings["least"]]
    return int(checks[-1]) if ours == len(one) and checks else ours


def it_looks_for_knees_after_batches(one: Listed, rule: Policy, ours: int) -> int:
    looks = peer.looks_for_knees(len(one), rule.settings["least"], 200)
    return first(looks, lambda n: peer.knee_fires(one.plain, n), len(one))


def it_looks_after_every_document(one: Listed, rule: Policy, ours: int) -> int:
    N, C = len(one), gain(one.labels)
    looks = np.arange(1, ours + 1)
    ratio = slope_ratio(C, geometric_knees(one.labels, tuple(looks.tolist())), looks)
    fires = (ratio >= 6) & (looks * C[looks] >= 10 * N) | (looks >= 0.75 * N)
    assert fires[-1], "where ours stops it stops too"
    return int(looks[fires][0])


def it_looks_after_batches_and_rounds_half_down(one: Listed, rule: Policy, ours: int) -> int:
    return first(peer.looks(len(one), 200), lambda n: n >= len(one) // 2, len(one))


def the_first_document_is_in_no_batch(one: Listed, rule: Policy, ours: int) -> int:
    return Listed(one.labels[1:], one.p[1:], one.control[:0]).stop(rule) + 1


def it_has_no_p_value_without_a_find_or_an_urn(one: Listed, rule: Policy, ours: int) -> int:
    tau = rule.settings["tau"]
    return first(list(range(ours, len(one) + 1)), lambda n: peer.cmh_fires(one.plain, n, tau, 0.05), len(one))


def its_looks_begin_at_the_first_document(one: Listed, rule: Policy, ours: int) -> int:
    looks, C = peer.looks(len(one), 200), gain(one.labels)
    p = dict(zip(looks, p_values(one.labels, tuple(looks), rule.settings["tau"]), strict=True))
    return first(
        looks,
        lambda n: bool(C[n] > 0 and p[n] < 0.05 / ((looks.index(n) + 1) * (looks.index(n) + 2))),
        len(one),
    )


def its_windows_and_fits_are_others(one: Listed, rule: Policy, ours: int) -> set[int]:
    return peer.point_process_stops(one.plain, rule.settings["model"], rule.settings["tau"])


def its_tail_is_that_of_the_released_code(one: Listed, rule: Policy, ours: int) -> set[int]:
    return peer.point_process_stops(one.plain, "hyperbolic", rule.settings["tau"], released=True)


def it_looks_every_fifty_documents(one: Listed, rule: Policy, ours: int) -> int:
    return first(list(range(50, len(one) + 1, 50)), lambda n: one.stop(rule, n) == n, len(one))


def it_draws_no_further(one: Listed, rule: Policy, ours: int) -> int:
    assert isinstance(rule, Target)
    return ours if one.sampled >= rule.size else len(one)


def it_reads_a_document_before_it_looks(one: Listed, rule: Policy, ours: int) -> int:
    return max(1, ours)


def it_takes_p_for_rho_and_reads_the_last_document(one: Listed, rule: Policy, ours: int) -> int:
    assert peer.evpi_depth(one.p.tolist(), COST, rule.name, peer=False) == ours
    return peer.evpi_depth(one.p.tolist(), COST, rule.name, peer=True)


Made = Callable[[Listed], Policy]
RULES: dict[str, tuple[Made, Difference, int]] = {
    "Kneedle(min 1000, batch 1)": (
        lambda one: TarKnee(1000), without_a_knee_it_stops_at_its_last_check, 27,
    ),
    "Kneedle(min 100, batch 1)": (lambda one: TarKnee(100), without_a_knee_it_stops_at_its_last_check, 12),
    # Below the chord no curve is further from it than above: the signed distance changes no stop.
    "Kneedle(min 100, batch 1, signed)": (
        lambda one: TarKnee(100), without_a_knee_it_stops_at_its_last_check, 12,
    ),
    "Kneedle(min 1000, batch 200)": (lambda one: TarKnee(1000), it_looks_for_knees_after_batches, 58),
    "Budget(batch 1)": (lambda one: BudgetMethod(), it_looks_after_every_document, 32),
    "Rule2399(batch 1)": (lambda one: Rule2399(), none, 60),
    "ReviewHalf": (lambda one: Share(0.5), it_looks_after_batches_and_rounds_half_down, 3),
    "BatchPrecision(5/200, patience 1, batch 200)": (
        lambda one: LowPrecision(5 / 200, 200, 1), the_first_document_is_in_no_batch, 19,
    ),
    "BatchPrecision(.02, patience 2, batch 50)": (
        lambda one: LowPrecision(0.02, 50, 2), the_first_document_is_in_no_batch, 15,
    ),
    "SAFE(initial 1, .1, 50)": (lambda one: Safe(0.1, 50, 1), none, 60),
    "SAFE(initial 5, .1, 20)": (lambda one: Safe(0.1, 20, 5), none, 60),
    "EVPI greedy(c .002, window 10)": (
        lambda one: Greedy(), it_takes_p_for_rho_and_reads_the_last_document, 3,
    ),
    "EVPI smooth(c .002, window 10)": (
        lambda one: Smooth(10), it_takes_p_for_rho_and_reads_the_last_document, 3,
    ),
    "EVPI batch(c .002, window 10)": (
        lambda one: Batch(10), it_takes_p_for_rho_and_reads_the_last_document, 3,
    ),
}  # fmt: skip
AT_TARGETS: dict[str, tuple[Callable[[Listed, float], Policy], Difference, tuple[int, int]]] = {
    "CMHHeuristic({}, alpha .05, batch 1)": (
        lambda one, tau: Hypergeometric(tau, 0.95), it_has_no_p_value_without_a_find_or_an_urn, (58, 58),
    ),
    "AnytimeCMH({})": (
        lambda one, tau: AnytimeTest(tau, 0.95, 200), its_looks_begin_at_the_first_document, (26, 53),
    ),
    "PoissonPoint({})": (
        lambda one, tau: PoissonProcess("power", tau, gate="falling"), its_windows_and_fits_are_others, (34, 34),
    ),
    "IPHyperbolic({}, model)": (
        lambda one, tau: PoissonProcess("hyperbolic", tau, gate="falling"), its_windows_and_fits_are_others, (23, 27),
    ),
    "IPHyperbolic({}, released)": (
        lambda one, tau: PoissonProcess("hyperbolic", tau, gate="falling"),
        its_tail_is_that_of_the_released_code, (16, 17),
    ),
    "BetaBinomial({})": (lambda one, tau: BetaBinomial(tau), none, (60, 60)),
    "Quant({})": (lambda one, tau: Quant(tau, 0), it_looks_every_fifty_documents, (5, 4)),
    "QuantCI({}, 2 sd)": (lambda one, tau: Quant(tau, 2), it_looks_every_fifty_documents, (44, 60)),
    "QBCB({}, .95; control sample)": (
        lambda one, tau: QBCB(tau, max(1, one.sampled), 0.05), none, (60, 60),
    ),
    "TargetRecapture({}, .95; control sample)": (
        lambda one, tau: Target(tau, 0.95), it_draws_no_further, (34, 48),
    ),
    "BaselineInclusionRate({}; control sample)": (
        lambda one, tau: BaselineRate(tau, len(one.control)), it_reads_a_document_before_it_looks, (59, 59),
    ),
}  # fmt: skip
for name, (made, difference, equal) in AT_TARGETS.items():
    for tau, equal_rows in zip((0.8, 0.95), equal, strict=True):
        RULES[name.format(tau)] = (lambda one, made=made, tau=tau: made(one, tau)), difference, equal_rows


def test_every_recorded_rule_is_compared() -> None:
    assert {row[0] for row in recorded("peers/pyterrier_tar")["rows"]} == set(RULES)


SLOW = {name for name in RULES if name.startswith("IPHyperbolic")}
"""Fitting a hyperbola takes long: `make test` tries every eighth list, `make deep` all of them."""


@pytest.mark.parametrize(
    "name, step",
    [(name, 8 if name in SLOW else 1) for name in RULES]
    + [pytest.param(name, 1, marks=pytest.mark.deep) for name in RULES if name in SLOW],
)
def test_pyterrier_tar_stops_where_the_rule_here_and_the_difference_say(name: str, step: int) -> None:
    made, difference, equal_rows = RULES[name]
    stops = {row[1]: row[2] for row in recorded("peers/pyterrier_tar")["rows"] if row[0] == name}
    assert len(stops) == 60
    equal = by_rounding = 0
    for one, stop in [(lists()[at], stop) for at, stop in stops.items()][::step]:
        rule = made(one)
        ours = one.stop(rule)
        expected = difference(one, rule, ours)
        possible = expected if isinstance(expected, set) else {expected}
        assert stop in possible, rule
        by_rounding += stop != max(possible)
        equal += ours == stop
    assert (equal == equal_rows or step > 1) and by_rounding <= 5
