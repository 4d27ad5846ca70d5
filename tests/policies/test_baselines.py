"""Recall-centric rules against plain loops, that none looks ahead, and the references."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom, nchypergeom_wallenius

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.belief.mixture import Remaining
from tarstop_core.calibration.recall_bound import draws_at, largest_total
from tarstop_core.policies import (
    POLICIES,
    Audit,
    BudgetMethod,
    Consecutive,
    DecideNow,
    GeometricKnee,
    Hypergeometric,
    Knee,
    LowPrecision,
    Need,
    Oracle,
    PoissonProcess,
    Policy,
    Promise,
    Quant,
    Randomised,
    ScreenEverything,
    Share,
    parse_policy,
)
from tarstop_core.policies.check import check_policy
from tarstop_core.policies.forecast import MODELS, fit, forecasts, integral
from tarstop_core.policies.gain_curve import _last_knee, geometric_knees, kneedle_knees
from tarstop_core.policies.hypergeometric import _at_most, _log_factorials, p_value
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.path import Draws
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.unweighed import UnweighedPath
from tests.reference import baselines

NONE_LEFT = Remaining(np.ones(1), np.ones(1), np.zeros(1), 0)
LABELS = st.one_of(
    st.lists(st.booleans(), min_size=1, max_size=60),
    st.lists(st.sampled_from([False] * 9 + [True]), min_size=1, max_size=120),
    st.builds(
        lambda n, hits: [rank in hits for rank in range(n)], st.integers(1, 300), st.sets(st.integers(0, 40))
    ),
)
RATIOS = st.sampled_from([0.5, 1.0, 2.0, 5.0])
SHARES = st.sampled_from([0.1, 0.35, 0.6, 0.75, 1.0])

CASES: dict[str, tuple[st.SearchStrategy[Policy], Callable[..., int]]] = {
    "knee": (
        st.builds(
            Knee, RATIOS, st.sampled_from([0, 1, 5, 20]), SHARES, st.integers(0, 12),
            st.sampled_from("PQR"), st.sampled_from(["yes", "no"]),
        ),
        baselines.knee_depth,
    ),
    "cg-knee": (
        st.builds(
            GeometricKnee, RATIOS, st.integers(0, 10), st.integers(0, 30), st.sampled_from(["knee", "now"])
        ),
        baselines.geometric_knee_depth,
    ),
    "cg-budget": (st.builds(BudgetMethod, RATIOS, SHARES), baselines.budget_method_depth),
    "consecutive": (st.builds(Consecutive, st.integers(1, 40)), baselines.consecutive_depth),
    "low-precision": (
        st.builds(LowPrecision, st.sampled_from([0.0, 0.1, 0.5]), st.integers(1, 20), st.integers(1, 4)),
        baselines.low_precision_depth,
    ),
}  # fmt: skip


def path_of(labels: list[bool] | np.ndarray, p: np.ndarray | None = None) -> DecisivePath:
    known = np.asarray(labels, dtype=bool)
    chances = np.full(len(known), 0.01) if p is None else p
    hit = int(np.argmax(known)) + 1 if known.any() else None
    return DecisivePath(hit_curve(chances), 0.5, Payoffs.from_q_star(0.5), hit=hit, labels=known, p=chances)


@pytest.mark.parametrize("name", CASES)
def test_depths_equal_the_plain_loops(name: str) -> None:
    rules, loop = CASES[name]
    seen = set()

    @settings(max_examples=150, deadline=None)
    @given(rules, LABELS)
    def compare(rule: Policy, labels: list[bool]) -> None:
        ours = rule.depths(path_of(labels), [0.001, 0.1]).tolist()
        assert ours == [loop([int(label) for label in labels], *rule.settings.values())] * 2
        seen.add(ours[0] == len(labels))

    compare()
    assert seen == {True, False}


@given(
    st.lists(st.sampled_from([False] * 5 + [True]), min_size=1, max_size=50),
    st.sampled_from([0.5, 0.8, 0.95, 1.0]),
    st.sampled_from([0.2, 0.5, 0.8, 0.95]),
    st.sampled_from([1, 1, 3, 10, 60]),
)
def test_the_hypergeometric_test_looks_at_every_draw(
    labels: list[bool], tau: float, confidence: float, every: int
) -> None:
    plain = [int(label) for label in labels]
    n = len(labels) // 2 + 1
    assert p_value(np.array(labels[:n]), len(labels), tau) == pytest.approx(
        baselines.hypergeometric_p(plain, n, tau), rel=1e-9, abs=1e-13
    )
    rule = Hypergeometric(tau, confidence, every)
    expected = baselines.hypergeometric_depth(plain, tau, confidence, every)
    assert rule.depths(path_of(labels), [0.0]).tolist() == [expected]


def test_long_lists_are_tested_in_full_precision() -> None:
    rng = np.random.default_rng(0)
    for N, rate in ((2_000, 0.02), (6_000, 0.002), (1_000, 0.3)):
        labels = (rng.random(N) < rate).astype(int).tolist()
        for n in (N // 20, int(0.97 * N)):
            ours = p_value(np.array(labels[:n], dtype=bool), N, 0.9)
            assert ours == pytest.approx(baselines.hypergeometric_p(labels, n, 0.9), rel=1e-8, abs=1e-200)


def test_the_chance_of_at_most_so_many_is_exact_far_from_the_mean_on_either_side() -> None:
    M, K, m = 40_000, 8_000, 20_000  # A standard deviation of 28 about 4,000
    k = np.array([3_700, 3_900, 4_000, 4_100, 4_300, 8_000])
    ours = _at_most(k, *np.array([[M], [K], [m]]).repeat(len(k), 1), _log_factorials(M))
    assert ours == pytest.approx(hypergeom.cdf(k, M, K, m), rel=1e-8)


def test_a_biased_urn_of_bias_one_is_the_plain_one_and_bias_stops_sooner() -> None:
    read = np.zeros(60, dtype=bool)
    read[[0, 1, 4, 9]] = True
    plain, hardly = p_value(read, 100, 0.9), p_value(read, 100, 0.9, bias=1.0000001)
    assert hardly == pytest.approx(plain, rel=1e-5)
    # Least likely since the last hit: the fifth relevant document is none of the 50 read of the 90 from there on.
    assert p_value(read, 100, 0.9, bias=5) == pytest.approx(nchypergeom_wallenius.cdf(0, 90, 1, 50, 5))
    assert p_value(read, 100, 0.9, bias=5) < plain / 20


@given(LABELS, st.sampled_from([2, 5, 9]))
def test_knees_are_those_of_whole_curves(labels: list[bool], f: int) -> None:
    N, plain, known = len(labels), [int(label) for label in labels], np.array(labels)
    checks = (*range(f, N, f), N)
    assert geometric_knees(known, checks).tolist() == [baselines.geometric_knee(plain, s) for s in checks]
    for S in (0.0, 1.0, 4.0):
        expected = []
        for seen in range(1, len(checks) + 1):
            x = [float(s) for s in checks[:seen]]
            y = [float(sum(plain[:s])) for s in checks[:seen]]
            knees = baselines.kneedle(baselines.smoothed(x), baselines.smoothed(y), S)
            expected.append(checks[knees[-1]] if knees else 0)
        assert kneedle_knees(known, checks, S).tolist() == expected


def test_the_cost_of_knees_is_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = np.random.default_rng(1).random(400) < 0.2
    checks = tuple(range(5, 401, 5))
    whole = [geometric_knees.__wrapped__(labels, checks), kneedle_knees.__wrapped__(labels, checks, 1.0)]
    monkeypatch.setattr("tarstop_core.policies.gain_curve.CHUNK", 50)
    parts = [geometric_knees.__wrapped__(labels, checks), kneedle_knees.__wrapped__(labels, checks, 1.0)]
    assert [knees.tolist() for knees in whole] == [knees.tolist() for knees in parts]
    whole_p = p_value(labels[:300], 400, 0.9)
    monkeypatch.setattr("tarstop_core.policies.hypergeometric.CHUNK", 50)
    assert p_value(labels[:300], 400, 0.9) == pytest.approx(whole_p, rel=1e-12)


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=40), SHARES, st.sampled_from([0.0, 1.0, 2.0]))
def test_quant(p: list[float], tau: float, nstd: float) -> None:
    ours = Quant(tau, nstd).depths(path_of([False] * len(p), np.array(p)), [0.0]).tolist()
    assert ours == [baselines.quant_depth(p, tau, nstd)]


def test_quant_stops_where_the_share_read_is_just_enough() -> None:
    tenths = path_of([False] * 10, np.full(10, 0.1))
    assert [int(Quant(tau, 0.0).depths(tenths, [0.0])[0]) for tau in (0.3, 0.7, 0.8)] == [3, 7, 8]


def test_quant_without_any_chance_reads_all() -> None:
    assert Quant(0.5).depths(path_of([False] * 5, np.zeros(5)), [0.0]).tolist() == [5]


# Poisson process


@pytest.mark.parametrize(
    "model, parameters",
    [
        ("power", (0.8, -0.6)),
        ("power", (0.8, -1.0)),
        ("exponential", (0.5, 0.02)),
        ("exponential", (0.05, 0.0)),
        ("hyperbolic", (0.4, 0.03, 0.5)),
        ("hyperbolic", (0.4, 0.03, 1.0)),
        ("hyperbolic", (0.4, 0.03, 0.0)),
        ("inverse", (2.0,)),
    ],
)
def test_a_curve_is_found_again_and_integrated(model: str, parameters: tuple[float, ...]) -> None:
    x = np.arange(5.0, 300, 30)
    rate = MODELS[model](x, *parameters)
    fitted = fit(model, x, rate)
    assert fitted is not None
    assert MODELS[model](x, *fitted) == pytest.approx(rate, rel=1e-2)
    edges = np.linspace(10, 250, 200_001)
    middles = (edges[1:] + edges[:-1]) / 2
    expected = MODELS[model](middles, *parameters).sum() * (edges[1] - edges[0])
    assert integral(model, parameters, 10, 250) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_the_poisson_process_stops_when_the_rate_has_died_down(model: str) -> None:
    rng = np.random.default_rng(4)
    labels = rng.random(4_000) < 0.5 * np.exp(-np.arange(4_000) / 150)
    checks, found, *_ = forecasts(labels, model)
    assert checks.tolist() == [100 * k for k in range(1, 40)]
    assert found.tolist() == [int(labels[:s].sum()) for s in checks]
    rule = PoissonProcess(model, tau=0.7, confidence=0.8, rmse=10.0)
    depth = int(rule.depths(path_of(labels), [0.0])[0])
    assert depth in checks
    if model != "inverse":  # which does not fit a rate like this one
        assert labels[:depth].sum() >= 0.7 * labels.sum()
    # Without twenty relevant documents it never trusts a curve.
    few = labels & (np.cumsum(labels) < 20)
    assert rule.depths(path_of(few), [0.0]).tolist() == [4_000]


@pytest.mark.parametrize("model", ["exponential", "hyperbolic"])
def test_a_rate_that_falls_as_the_model_says_is_foreseen(model: str) -> None:
    hits = 300 * (1 - np.exp(-np.arange(4_001) / 600))
    checks, _, to_come, *_ = forecasts(np.diff(np.floor(hits)) > 0, model)
    middle = (checks >= 500) & (checks <= 1_500)
    assert to_come[middle] == pytest.approx(hits[-1] - hits[checks[middle]], rel=0.15)


def test_where_every_document_is_relevant_all_that_is_left_is_foreseen() -> None:
    checks, _, to_come, error, _ = forecasts(np.ones(1_000, dtype=bool), "exponential")
    foreseen = checks >= 20  # relevant documents, as many as a forecast needs
    assert to_come[foreseen] == pytest.approx(1_000 - checks[foreseen], rel=1e-3)
    assert not error[foreseen].any()


# Draws along the list


@given(
    st.lists(st.sampled_from([False, False, True]), min_size=1, max_size=80),
    st.sampled_from([0.3, 0.7, 0.9]),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.integers(1, 3),
)
def test_an_audit_ends_where_its_draws_first_prove_the_recall(
    labels: list[bool], tau: float, confidence: float, every: int
) -> None:
    n, known, drawn = len(labels), np.array(labels), draws_at(len(labels), every)
    draws = Draws(drawn, np.zeros(n, dtype=bool))
    path = UnweighedPath(np.full(n, 0.1), known, lambda *_: NONE_LEFT, draws)

    def proven(depth: int) -> bool:
        most = largest_total(known[:depth], drawn[:depth], n, 1 - confidence, int(drawn.sum()))
        return bool(known[:depth].sum() >= tau * most - 1e-9)

    first = next((depth for depth in range(n) if proven(depth)), n)
    assert Audit(tau, confidence, every).depths(path, [0.0, 1.0]).tolist() == [first] * 2


# All rules


SPECS = [
    *(name for name, rule in POLICIES.items() if not rule.needs_labels),
    "knee:rho_min=1,beta=5,f=3,cap=1",
    "knee:rho_min=1,reading=Q,f=1,beta=0,cap=1",
    "knee:rho_min=1,reading=R,f=4,beta=1,cap=0.9,cap_on_empty=no",
    "cg-knee:rho_min=2,adjust=0",
    "cg-budget:rho_min=2",
    "hypergeometric:tau=0.7,confidence=0.8,every=7",
    "poisson:model=inverse,rmse=10,tau=0.7,confidence=0.5",
    "quant:tau=0.3,nstd=0",
    "consecutive:n=5",
    "low-precision:share=0.1,size=5,batches=2",
    "either(greedy;cg-knee:adjust=0)",
    "both(batch:K=7;cg-knee:adjust=0,rho_min=2)",
    "both(greedy;consecutive:n=5;share:share=0.1)",
]


# Six lists are one of each length.
@pytest.mark.parametrize(
    "lists", [pytest.param(6, id="a few"), pytest.param(24, id="many", marks=pytest.mark.deep)]
)
@pytest.mark.parametrize("spec", SPECS)
def test_no_rule_looks_ahead(spec: str, lists: int) -> None:
    report = check_policy(parse_policy(spec), lists, seed=3)
    assert report.findings == ()
    assert report.ok and report.policy == parse_policy(spec).spec


@pytest.mark.parametrize("rule", [each for each in POLICIES.values() if not each.acts_on_belief])
def test_rules_that_weigh_nothing_stop_alike_at_every_cost(rule: type[Policy]) -> None:
    if rule.needs_labels:
        return
    labels = np.random.default_rng(2).random(500) < 0.05
    assert len(set(rule().depths(path_of(labels), [0.0, 0.01, 1.0]).tolist())) == 1
    assert rule().depths(path_of([]), [0.0, 1.0]).tolist() == [0, 0]


def test_every_rule_says_where_it_comes_from() -> None:
    families = {rule.family for rule in POLICIES.values()}
    assert families == {"paper's policy", "paper's baseline", "beyond the paper", "reference"}
    needing = {name for name, rule in POLICIES.items() if rule.needs_labels}
    drawing = {"qbcb", "target", "audit", "baseline-rate", "autostop", "scal"}
    assert needing == {*drawing, "oracle"}
    assert {name for name, rule in POLICIES.items() if issubclass(rule, Randomised)} == drawing


def test_every_rule_says_what_it_needs_and_promises() -> None:
    for rule in POLICIES.values():
        assert isinstance(rule.promise, Promise) and all(isinstance(need, Need) for need in rule.needs)
        assert (Need.SAMPLE in rule.needs) == issubclass(rule, Randomised)
        assert (Need.TRUTH in rule.needs) == rule.is_oracle
        assert not rule.is_oracle or rule.needs_labels
    sure = {name for name, rule in POLICIES.items() if rule.promise is Promise.CERTIFICATE}
    assert sure == {"qbcb", "target", "audit", "screen-everything", "oracle"}
    nothing = {name for name, rule in POLICIES.items() if not rule.needs}
    assert nothing == {"budget", "share", "screen-everything"}
    assert [rule.name for rule in POLICIES.values() if rule.is_oracle] == ["oracle"]


@given(st.integers(0, 2_000), st.integers(0, 1000))
def test_a_share_is_rounded_up_exactly(N: int, thousandths: int) -> None:
    rule = Share(thousandths / 1000)
    assert rule.depths(path_of([False] * N), [0.0]).tolist() == [-(-thousandths * N // 1000)]


# References


def test_the_references() -> None:
    path = path_of([False, False, True, False])
    assert DecideNow().depths(path, [0.1, 1.0]).tolist() == [0, 0]
    assert DecideNow().depths(path, [0.1], start=2).tolist() == [2]
    assert ScreenEverything().depths(path, [0.1, 1.0]).tolist() == [4, 4]
    # B + L_g = .5: three documents to the hit are worth it below a sixth each.
    assert Oracle().depths(path, [0.1, 0.16, 0.17, 1.0]).tolist() == [3, 3, 0, 0]
    assert Oracle().depths(replace(path, b_0=0.6), [0.1]).tolist() == [0]
    assert Oracle().depths(replace(path, b_0=0.6, needs_citation=True), [0.1]).tolist() == [3]
    assert Oracle().depths(path_of([False] * 4), [0.1]).tolist() == [0]


@given(
    st.lists(st.floats(0, 0.9), min_size=1, max_size=30),
    st.floats(0.05, 0.95),
    st.sampled_from([0.2, 0.5, 0.8]),
    st.sampled_from([0.0, 0.001, 0.01, 0.1, 1.0]),
    st.booleans(),
    st.data(),
)
def test_nobody_passes_the_oracle(
    p: list[float], b_0: float, q_star: float, c: float, cited: bool, data: st.DataObject
) -> None:
    hit = data.draw(st.one_of(st.none(), st.integers(1, len(p))))
    omega = hit is not None or data.draw(st.booleans())  # relevant, but not in the list
    path = DecisivePath(hit_curve(p), b_0, Payoffs.from_q_star(q_star), hit=hit, needs_citation=cited)

    def utility(rule: Policy) -> float:
        depth = int(rule.depths(path, [c])[0])
        seen = hit is not None and depth >= hit
        plus = path.chooses_plus(depth) if rule.acts_on_belief else seen
        if rule.is_oracle:
            plus = omega and path.chooses_plus(depth)
        return path.payoffs.outcome(plus, omega) - c * depth

    best = utility(Oracle())
    for kind in POLICIES.values():
        if not issubclass(kind, Randomised):
            assert utility(kind()) <= best + 1e-12


def test_a_knee_falls_by_more_than_the_margin() -> None:
    D = np.array([[0.0, 1.0, 0.5]] * 2)
    assert _last_knee(D, np.array([0.5, 0.4])).tolist() == [-1, 1]
