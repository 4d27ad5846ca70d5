"""The path of a review: the document rule against its definition, and what every policy makes of it."""

from dataclasses import replace
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm, poisson

from tarstop_core.belief.mixture import Remaining
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.policies import Batch, Greedy, LookAhead, OpenLoop, Optimal, Policy, Smooth
from tarstop_core.policies.floors import first_allowed_stops
from tarstop_core.value.cumulative import SHORT, studies_after
from tarstop_core.value.outcomes import ReviewPath, chance_turned
from tarstop_core.value.path import PLANS, dense_plans, limited_plans
from tarstop_core.value.payoffs import Depths, Floats, Option, Payoffs
from tarstop_core.value.preposterior import evsi_of_studies
from tarstop_core.value.studies import NextStudy, next_studies
from tarstop_core.value.unweighed import UnweighedPath
from tarstop_core.value.worth import MOST, WorthOfStudies, chance_of_another

EVEN = Payoffs.from_q_star(0.5)
NONE_LEFT = Remaining(np.ones(1), np.ones(1), np.zeros(1), 0)
STUDIES = Tables(
    ("a", "b", "c", "d"),
    *(np.array(each, dtype=float) for each in ([40, 9, 55, 3], [5, 1, 9, 0], [8, 4, 6, 2], [50, 30, 99, 12])),
)
STATES = next_studies(STUDIES, 0.75)
N = 60


def a_path(seed: int = 1, payoffs: Payoffs = EVEN, **more: float) -> ReviewPath:
    rng = np.random.default_rng(seed)
    p = np.sort(rng.uniform(0, 0.4, N))[::-1]
    known = studies_after(np.sort(rng.choice(N, 4, replace=False)), N)
    return ReviewPath(p, STATES, known, payoffs, np.zeros(N, dtype=bool), **more)


def of_waiting(path: ReviewPath) -> Floats:
    """Chance of 0, 1, 2 … studies from the reports that wait."""
    reports = round(path.reports_waiting)
    return np.asarray(binom.pmf(range(reports + 1), reports, path.share))


def of_next(path: ReviewPath, d: int, m: int) -> Floats:
    """Chance of 0, 1, 2 … studies in the next m documents: exact for short plans, otherwise Poisson."""
    if d < path._short.shape[1] and m <= SHORT:
        return reduce(np.convolve, [np.array([1 - rho, rho]) for rho in path.rho[d : d + m]])
    return np.asarray(poisson.pmf(range(80), path.rho[d : d + m].sum()))


def worth_of(path: ReviewPath, d: int, chances: Floats | tuple[float]) -> float:
    """Studies from waiting reports and these numbers of others, by the definition of an expectation."""
    state = path.states[path.studies[d]]
    one = state.evsi(path.payoffs)
    evsi = evsi_of_studies(state.b, state.n_0, np.arange(1, 80), path.payoffs)
    evsi = np.append(one, np.maximum(one, evsi[1:]))
    every = np.convolve(of_waiting(path), chances)[1:80]
    return float(every @ evsi[: len(every)])


def rate(path: ReviewPath, d: int, m: int) -> float:
    """What plan "m more" gains a document, by its definition."""
    m = min(m, N - d)
    included = path.p[d : d + m].sum()
    if m == 1 and not path.waiting:
        one = path.states[path.studies[d]].evsi(path.payoffs)
        return float(included * (path.share * one - path.full_cost))
    gain = worth_of(path, d, of_next(path, d, m)) - worth_of(path, d, (1.0,))
    return float(gain - path.full_cost * included) / m


@pytest.mark.parametrize("more", [{}, {"share": 0.6, "full_cost": 0.002}, {"share": 0.7, "waiting": 1.4}])
@pytest.mark.parametrize("horizon", [None, 2, 7, 50])
def test_worth_is_the_best_rate_of_any_plan(horizon: int | None, more: dict[str, float]) -> None:
    path = a_path(**more)
    plans = dense_plans(N) if horizon is None else limited_plans(horizon)
    plans = tuple({1, *plans})
    expected = [max(0.0, *(rate(path, d, m) for m in plans)) for d in range(N)]
    assert path.value_rate(horizon) == pytest.approx(np.array(expected), abs=2e-6, rel=2e-3)


@pytest.mark.parametrize("more", [{}, {"share": 0.6, "full_cost": 0.002}, {"share": 0.7, "waiting": 1.4}])
def test_the_worth_at_some_depths_is_that_of_all(more: dict[str, float]) -> None:
    depths = np.array([0, 1, 3, 17, N // 2, N - 2, N - 1])
    some, every = a_path(**more).value_rate_at(depths), a_path(**more).value_rate()
    np.testing.assert_allclose(some, every[depths], rtol=1e-12)


def test_a_long_plan_from_the_middle_gains_its_studies_less_what_reports_cost() -> None:
    path, begin, m = a_path(share=0.6, full_cost=0.002), 7, 30
    gained = float(path.worth_of_reading(np.array([begin + m]), begin)[0])
    assert gained == pytest.approx(m * rate(path, begin, m), abs=2e-6, rel=2e-3)


def test_unless_said_otherwise_a_stop_is_looked_for_from_the_first_document_on() -> None:
    path = a_path()
    assert rate(path, 0, 1) < 1  # so much no study is worth
    assert path.horizon_depths([1.0], None).tolist() == path.horizon_depths([1.0], 1).tolist() == [0]
    nothing = UnweighedPath(path.p, np.zeros(N, dtype=bool), lambda _, depth: NONE_LEFT)
    assert (
        nothing.horizon_depths([0.0, 1.0], None).tolist()
        == nothing.closed_depths([0.0, 1.0]).tolist()
        == [0, 0]
    )
    assert nothing.horizon_depths([0.0, 1.0], None, 3).tolist() == [3, 3]


@given(
    seed=st.integers(0, 999),
    cost=st.sampled_from([0.0, 1e-6, 1e-5, 1e-4, 1e-3, 0.01]),
    waiting=st.sampled_from([0.0, 1.4]),
)
def test_searching_for_the_stop_finds_where_no_plan_is_worth_its_cost(
    seed: int, cost: float, waiting: float
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 2000))
    p = rng.uniform(0, 0.3, n) * rng.uniform(0.001, 1, n) ** 2
    known = studies_after(np.sort(rng.integers(0, n, 4)), n)
    path = ReviewPath(
        p, STATES, known, EVEN, np.zeros(n, dtype=bool), share=0.7, full_cost=0.002, waiting=waiting
    )
    start = int(rng.integers(0, n + 1))
    searched = path.horizon_depths([cost], None, start)
    path.value_rate(None)  # from here on the depths are read off the worth
    assert searched.tolist() == path.horizon_depths([cost], None, start).tolist()


def test_a_plan_that_gains_just_what_it_costs_is_not_followed() -> None:
    worth = a_path().value_rate(None)
    for depth in range(0, N, 7):
        assert a_path().horizon_depths([worth[depth]], None, depth).tolist() == [depth]


@pytest.mark.parametrize("rule", [Greedy(), Smooth(5), Batch(4), LookAhead(1), LookAhead(10), Optimal()])
@pytest.mark.parametrize("cost", [0.0, 0.0005, 0.003, 0.02, 0.5])
def test_going_on_from_anywhere_before_the_stop_leads_to_it(rule: object, cost: float) -> None:
    path = a_path(3)
    stop = int(rule.depths(path, [cost])[0])  # type: ignore[attr-defined]
    assert 0 <= stop <= N
    for start in range(stop):
        assert int(rule.depths(path, [cost], start)[0]) == stop  # type: ignore[attr-defined]


def test_greedy_is_the_papers_rule() -> None:
    path = a_path(2)
    goes_on = path.p * EVEN.evpi(path.b[:-1]) > 0.01
    assert int(Greedy().depths(path, [0.01])[0]) == int(np.argmin(goes_on))
    assert path.score().tolist() == path.score(1).tolist()
    assert path.score(2)[3] == pytest.approx(path.p[3:5].mean() * float(EVEN.evpi(path.b[3])))
    assert path.score(5)[3] == pytest.approx(path.p[3:8].mean() * float(EVEN.evpi(path.b[3])))
    assert path.score(5)[N - 2] == pytest.approx(path.p[-2:].mean() * float(EVEN.evpi(path.b[N - 2])))


def test_what_reading_in_full_costs_is_subtracted() -> None:
    plain, dear = a_path(), a_path(full_cost=0.01)
    assert plain.score() - dear.score() == pytest.approx(0.01 * plain.p)
    assert (dear.value_rate() <= plain.value_rate() + 1e-12).all()


def test_one_document_ahead_is_the_exact_study() -> None:
    path = a_path(4)
    one = [path.p[d] * path.states[path.studies[d]].evsi(EVEN) for d in range(N)]
    assert path.value_rate(1) == pytest.approx(np.array(one))
    dear = replace(path, full_cost=0.4)  # One that costs more than it brings is left unread.
    assert dear.rates_from(7)[1][0] == dear.evsi()[7] == 0 > dear.rates_from(7)[1][1]


@pytest.mark.parametrize(
    "more", [{}, {"share": 0.6, "full_cost": 0.002}, {"share": 0.7, "waiting": 1.4, "full_cost": 0.002}]
)
def test_the_best_plan_is_the_one_that_gains_most(more: dict[str, float]) -> None:
    path = a_path(5, **more)
    for depth in (0, 20, 59):
        documents, gained = path.rates_from(depth)
        many = documents > SHORT
        # Whoever reads on reads the reports that wait as well.
        reports = worth_of(path, depth, (1.0,)) - path.full_cost * path.reports_waiting
        by_documents = gained - reports / documents
        assert by_documents[1:] == pytest.approx(path._rates_at(depth, documents)[1:], abs=2e-6)
        told = [rate(path, depth, int(each)) for each in documents[many]]
        assert by_documents[many] == pytest.approx(told, abs=2e-6, rel=2e-3)
        m, gain = path.best_plan(depth, 0.001)
        gains = {
            each: (rate(path, depth, each) - 0.001) * min(each, N - depth) for each in dense_plans(N - depth)
        }
        assert gain == pytest.approx(max(0.0, *gains.values()), abs=1e-5)
        assert m == 0 or gains[m] == pytest.approx(gain, abs=1e-5)
    assert path.best_plan(0, 0.9) == (0, 0.0)


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(0, 25))
def test_a_study_is_known_once_its_document_is_read(places: list[int], n: int) -> None:
    known = studies_after(sorted(places), n)
    assert known.tolist() == [sum(place < d for place in places) for d in range(n + 1)]


@given(st.integers(0, 1000), st.sampled_from([0.0005, 0.005, 0.05]))
def test_a_floor_only_lengthens_and_is_met_where_it_stops(seed: int, cost: float) -> None:
    path = a_path(seed)
    sure = np.random.default_rng(seed).random(N + 1) < 0.2
    (depth,) = first_allowed_stops(Greedy(), path, [cost], sure[None, :])
    assert depth >= int(Greedy().depths(path, [cost])[0])
    assert depth == N or (sure[depth] and int(Greedy().depths(path, [cost], depth)[0]) == depth)


def test_disagreement_with_either_truth() -> None:
    path = a_path(6, Payoffs.from_q_star(0.8))
    plus = path.b > 0.8
    assert path.disagreement("pooled") == pytest.approx(np.where(plus, 1 - path.b, path.b))
    otherwise = path.disagreement("full_evidence")
    assert otherwise[-1] == 0 and (otherwise >= 0).all() and (otherwise <= 1).all()


@pytest.mark.parametrize("waiting", [0.0, 3.5])
@pytest.mark.parametrize("least", [0, 3])
def test_what_is_left_turns_as_its_number_may_be(least: int, waiting: float) -> None:
    """A Poisson number of studies in documents and a binomial one in waiting reports; not their mean."""
    path = held_back(least, share=0.7, full_cost=0.002, waiting=waiting)
    for d in (0, 9, 40, N):
        state, chances = path.states[path.studies[d]], poisson.pmf(range(80), path.rho[d:].sum())
        needed = max(0, least - int(path.studies[d]))
        turned = chance_turned(state, np.convolve(chances, of_waiting(path)), path.payoffs, needed)
        assert path.otherwise[d] == pytest.approx(turned, abs=5e-5)


def test_a_tenth_of_a_study_is_a_tenth_of_its_worth() -> None:
    """At b = q* the closed form of a fractional number of studies grows as its root; chances do not."""
    start = ReviewPath(
        np.full(200, 0.01), STATES[:1], studies_after([], 200), EVEN, np.zeros(200, dtype=bool)
    )
    one = STATES[0].evsi(EVEN)
    assert float(evsi_of_studies(0.5, STATES[0].n_0, 0.01, EVEN)) > 8 * 0.01 * one
    assert start.value_rate()[0] == pytest.approx(0.01 * one, rel=0.02)
    assert int(Optimal().depths(start, [0.02 * one])[0]) == 0


def test_waiting_reports_are_weighed_against_their_cost() -> None:
    cheap, dear = a_path(share=0.5, full_cost=1e-6), a_path(share=0.5, full_cost=0.4)
    assert cheap.best_reports(5)[0] == 5 and cheap.best_reports(5)[1] > 0
    assert dear.best_reports(5) == (0, 0.0) and cheap.best_reports(0) == (0, 0.0)


def gains_of(rule: Policy, more: dict[str, float]) -> tuple[Floats, Floats, Floats, Depths]:
    """At rising costs: what a rule gains over stopping at depth 10, what reading to its end and what Optimal gain, its depth."""
    path = replace(a_path(**more), studies=np.full(N + 1, len(STATES) - 1))
    costs, start = np.geomspace(1e-6, 1e-2, 9), 10
    now = path.expected_utility(np.array([start]), np.zeros(1), start, acts_on_belief=True, looks_every=1)
    depth = rule.depths(path, costs, start)
    to_the_end = path.expected_utility(depth, costs, start, acts_on_belief=True, looks_every=1)
    gained = rule.expected_utility(path, depth, costs, start)
    return gained - now, to_the_end - now, path.closed_gain(costs, start), depth


@pytest.mark.parametrize("more", [{}, {"share": 0.6, "full_cost": 0.002}, {"share": 0.7, "waiting": 1.4}])
@pytest.mark.parametrize("rule", [OpenLoop(), LookAhead(5)])
def test_a_rule_that_plans_anew_gains_as_much_as_its_best_plan_and_no_more_than_optimal(
    rule: Policy, more: dict[str, float]
) -> None:
    gained, _, optimal, depth = gains_of(rule, more)
    assert (gained[depth > 10] > 0).all() and (depth > 10).any()
    # Optimal decides again after every document.
    assert (gained <= optimal + 1e-4).all()


@pytest.mark.parametrize("more", [{}, {"share": 0.6, "full_cost": 0.002}, {"share": 0.7, "waiting": 1.4}])
@pytest.mark.parametrize("rule", [Greedy(), Smooth(5), Batch(10)])
def test_a_rule_of_scores_looks_again_after_each_study_so_it_may_gain_what_reading_to_its_end_loses(
    rule: Policy, more: dict[str, float]
) -> None:
    gained, to_the_end, optimal, _ = gains_of(rule, more)
    assert (gained <= optimal + 1e-4).all()
    assert (gained > to_the_end + 1e-3).sum() >= 5
    assert ((gained > 0) & (to_the_end < 0)).any() == ("full_cost" in more)


def test_batch_looks_again_at_the_end_of_the_batch_that_it_is_in() -> None:
    path = replace(a_path(), studies=np.full(N + 1, len(STATES) - 1))
    costs, rule = np.full(3, 1e-4), Batch(40)
    for start, looks in ((30, [False, False, True]), (40, [False, False, False])):
        depth = np.array([start, 40, N])
        to_the_end = path.expected_utility(depth, costs, start, acts_on_belief=True, looks_every=1)
        gained = rule.expected_utility(path, depth, costs, start)
        assert (np.abs(gained - to_the_end) > 1e-6).tolist() == looks


def test_plans() -> None:
    assert dense_plans(5) == (1, 2, 3, 4, 5) and dense_plans(0) == (1,)
    plans = np.array(dense_plans(5000))
    assert plans[-1] == 5000 and (np.diff(plans) <= np.maximum(1, 0.05 * plans[:-1])).all()
    assert limited_plans(30) == (1, 2, 5, 10, 20, 30) and limited_plans(2000) == PLANS


def test_an_empty_list_and_impossible_chances() -> None:
    path = ReviewPath(np.empty(0), STATES[:1], studies_after([], 0), EVEN, np.empty(0, dtype=bool))
    assert len(path.value_rate()) == 0 and Optimal().depths(path, [0.1]).tolist() == [0]
    with pytest.raises(InputProblem, match="outside 0 to 1"):
        ReviewPath(np.array([1.5]), STATES, studies_after([], 1), EVEN, np.zeros(1, dtype=bool))


# --- a least number of studies ------------------------------------------------------------------------


def held_back(least: int, payoffs: Payoffs = EVEN, **more: float) -> ReviewPath:
    needed = np.maximum(0, least - np.arange(len(STATES)))
    return replace(a_path(payoffs=payoffs, **more), needed=needed)


@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.8])
def test_too_few_studies_never_lead_to_plus(q_star: float) -> None:
    free, held = a_path(payoffs=Payoffs.from_q_star(q_star)), held_back(3, Payoffs.from_q_star(q_star))
    for d in range(N + 1):
        assert held.chooses_plus(d) == (free.chooses_plus(d) and free.studies[d] >= 3)
        wrong = 1 - held.b[d] if held.chooses_plus(d) else held.b[d]
        assert held.disagreement("pooled")[d] == pytest.approx(wrong)


@pytest.mark.parametrize("more", [{}, {"share": 0.6, "full_cost": 0.002}, {"share": 0.7, "waiting": 1.4}])
@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.8])
def test_a_plan_knows_that_plus_opens_with_enough_studies(q_star: float, more: dict[str, float]) -> None:
    """The worth of a plan by its definition: what is expected at its end, less what stopping now brings."""
    payoffs, least = Payoffs.from_q_star(q_star), 3
    held = held_back(least, payoffs, **more)
    for d in (0, 7, 20, 45):
        state, n = held.states[held.studies[d]], int(held.studies[d])

        def expected(
            chances: Floats, state: NextStudy = state, n: int = n, payoffs: Payoffs = payoffs
        ) -> float:
            total = 0.0
            for k, chance in enumerate(chances):
                if n + k < least:
                    value = float(payoffs.utility_minus(state.b))
                else:
                    gain = state.evsi(payoffs) if k == 1 else float(
                        evsi_of_studies(state.b, state.n_0, k, payoffs)
                    )  # fmt: skip
                    value = float(payoffs.utility(state.b)) + gain
                total += chance * value
            return total

        for m in (5, 12):
            included = held.p[d : d + m].sum()
            at_end = expected(np.convolve(of_waiting(held), of_next(held, d, m))) - held.full_cost * included
            start = expected(of_waiting(held))
            rate = float(held._rates_at(np.array([d]), m)[0])
            assert m * rate == pytest.approx(at_end - start, abs=3e-4)


@pytest.mark.parametrize("least", [0, 6, 7])
@pytest.mark.parametrize("reports", [1, 2])
def test_optimal_stops_where_no_plan_gains_while_reports_wait(reports: int, least: int) -> None:
    path = held_back(least, share=0.7, waiting=0.7 * reports, full_cost=0.002)
    path = replace(path, studies=np.full(N + 1, len(STATES) - 1))
    for cost in np.geomspace(1e-5, 1e-2, 7):
        depth = int(Optimal().depths(path, [cost], 20)[0])
        plans = np.arange(depth, N + 1)
        gains = path.worth_of_reading(plans, depth) - cost * (plans - depth)
        assert gains.max() - gains[0] < 5e-5


@pytest.mark.parametrize("q_star", [0.5, 0.9, 0.97])
def test_the_worth_of_every_depth_is_that_of_its_plans_to_the_last(q_star: float) -> None:
    """Plans that reach beyond the list are short ones near its end, where one study may be worth nothing and two something."""
    path = a_path(payoffs=Payoffs.from_q_star(q_star))
    for d in range(N - 12, N):
        rates = path._rates_at(np.full(N, d), np.arange(1, N + 1))
        assert path.value_rate()[d] == pytest.approx(max(rates.max(), path.evsi()[d]), rel=1e-12)


def test_without_a_least_number_nothing_changes() -> None:
    path, none = a_path(), held_back(0)
    for one, other in (
        (path.value_rate(), none.value_rate()),
        (path.score(), none.score()),
        (path.evsi(), none.evsi()),
        (path.otherwise, none.otherwise),
    ):
        np.testing.assert_array_equal(one, other)
    assert path.best_plan(3, 1e-4) == none.best_plan(3, 1e-4)


def test_what_holds_plus_back_is_worth_reading_for() -> None:
    """Sure of a⁺ and not allowed to take it, one reads on where it would be worth nothing otherwise."""
    sure = replace(STATES[2], b=0.97)
    free = ReviewPath(np.full(N, 0.2), [sure], studies_after([], N), EVEN, np.zeros(N, dtype=bool))
    held = replace(free, needed=np.array([2]))
    assert Optimal().depths(free, [1e-3])[0] == 0 < Optimal().depths(held, [1e-3])[0]
    assert Greedy().depths(free, [4e-3])[0] < Greedy().depths(held, [4e-3])[0]


# --- several options --------------------------------------------------------------------------------

OPTIONS = replace(EVEN, others=(Option("trial", 0.16, 0.19), Option("never", -1.0, -1.0)))
NORMAL = NextStudy(40, 0.55, np.ones(1), np.ones(1), n_0=2.5)


def drawn_beliefs(state: NextStudy, k: int, draws: int = 400_000) -> Floats:
    """Beliefs after k studies in the normal model, at even quantiles."""
    r2 = k / (k + state.n_0)
    x = norm.ppf((np.arange(draws) + 0.5) / draws)
    return norm.cdf((norm.ppf(state.b) + np.sqrt(r2) * x) / np.sqrt(1 - r2))


@pytest.mark.parametrize("short", [0, 3])
@pytest.mark.parametrize("b", [0.1, 0.45, 0.9])
def test_studies_among_several_options_are_worth_what_choosing_after_them_brings(
    b: float, short: int
) -> None:
    """By drawing what they lead to; while a⁺ is held back, of the others."""
    state = replace(NORMAL, b=b)
    needed = np.array([short], dtype=np.intp)
    now = float(OPTIONS.utility(b, plus_open=not short))
    held = np.array([float(OPTIONS.utility(b)) - now])
    worth = WorthOfStudies([state], OPTIONS, needed, held, waiting=np.ones(1))
    whole = worth.of_whole(np.array([0]))[0]
    for k in (2, 5, 20):
        after = drawn_beliefs(state, k)
        expected = OPTIONS.utility(after, plus_open=k >= short).mean() - now
        assert whole[k - 1] == pytest.approx(expected, abs=1e-4)
        option = int(OPTIONS.best(b, plus_open=not short))
        another = (OPTIONS.best(after, plus_open=k >= short) != option).mean()
        assert chance_of_another(state, np.array([k]), OPTIONS, short)[0] == pytest.approx(another, abs=1e-3)


def test_ever_more_studies_are_worth_what_is_in_the_table_last() -> None:
    worth = WorthOfStudies(STATES[:2], EVEN, None, np.zeros(2), waiting=np.ones(1))
    at = np.array([0, 1, 1, 0])
    most, more = worth.of_more(np.array([MOST] * 4), at), worth.of_more(np.array([2e4, 1e6, 1e9, 1e9]), at)
    assert more == pytest.approx(most) and most[0] != pytest.approx(most[1])


def test_one_study_among_several_options_is_enumerated() -> None:
    path = a_path(payoffs=OPTIONS)
    for d in (0, 30):
        state = path.states[path.studies[d]]
        assert isinstance(state, NextStudy)
        chance = state.b * state.given_plus + (1 - state.b) * state.given_minus
        after = np.divide(state.b * state.given_plus, chance, out=np.zeros_like(chance), where=chance > 0)
        gain = chance @ OPTIONS.utility(after) - float(OPTIONS.utility(state.b))
        assert path.evsi()[d] == pytest.approx(path.p[d] * gain, abs=1e-12)


def test_two_options_given_as_three_change_nothing() -> None:
    """One that is never the best leaves every number as it was."""
    two, three = a_path(), a_path(payoffs=replace(EVEN, others=(Option("never", -1, -1),)))
    for name in ("score", "evsi", "value_rate"):
        np.testing.assert_allclose(getattr(three, name)(), getattr(two, name)(), rtol=1e-12, atol=1e-15)
    costs = np.geomspace(1e-4, 0.1, 9)
    assert three.horizon_depths(costs, None).tolist() == two.horizon_depths(costs, None).tolist()
    assert three.closed_depths(costs).tolist() == two.closed_depths(costs).tolist()
    assert [three.action_at(d) for d in range(N)] == [two.action_at(d) for d in range(N)]


def test_an_option_between_makes_reading_worth_less_at_the_old_threshold_and_something_elsewhere() -> None:
    two, three = a_path(), a_path(payoffs=OPTIONS)
    at = int(np.argmin(np.abs(two.b[:-1] - 0.5)))
    assert three.evpi[at] < two.evpi[at]
    assert {three.action_at(d) for d in range(N)} <= {0, 1, 2}
    for rule in (Greedy(), Smooth(5), Batch(10), LookAhead(20), Optimal()):
        depths = rule.depths(three, [1e-5, 1e-3, 1.0])
        assert (np.diff(depths) <= 0).all() and depths[-1] == 0
