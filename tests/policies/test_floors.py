"""Floors on a rule, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson

from tarstop_core.policies import DecideNow
from tarstop_core.policies.floors import PROBABLY, enough_studies, first_allowed_stops
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.studies import NextStudy

N = 60


def path(
    p: float, positions: list[int], share: float, full_cost: float, waiting: float, behind: int = 0
) -> CumulativePath:
    chances = np.linspace(2 * p, p / 4, N)
    found = studies_after(sorted(positions), N)
    return CumulativePath(
        p=chances,
        states=[NextStudy(40, 0.5, np.ones(1), np.ones(1), 2.0 + n) for n in range(len(positions) + 1)],
        studies=found,
        payoffs=Payoffs.from_q_star(0.5),
        labels=np.diff(found) > 0,
        share=share,
        full_cost=full_cost,
        waiting=waiting,
        behind=behind,
    )


@given(
    st.floats(0, 0.45),
    st.lists(st.integers(0, N - 1), max_size=6, unique=True),
    st.sampled_from([1.0, 0.3]),
    st.sampled_from([0.0, 0.01]),
    st.sampled_from([0.0, 1.5]),
    st.integers(0, 2),
    st.integers(1, 8),
    st.sampled_from([0.0, 0.001, 0.01]),
)
def test_enough_studies_is_what_a_plain_loop_says(
    p: float,
    positions: list[int],
    share: float,
    full_cost: float,
    waiting: float,
    behind: int,
    least: int,
    cost: float,
) -> None:
    of = path(p, positions, share, full_cost, waiting, behind)
    allowed = enough_studies(of, least, cost)
    for depth in range(N + 1):
        lacking = least - behind - int(of.studies[depth])
        ahead = of.waiting + of.share * float(of.p[depth:].sum())
        gives_way = lacking <= 0 or poisson.sf(lacking - 1, ahead) < PROBABLY
        documents, expected = 0, of.waiting
        while depth + documents <= N and expected < lacking - 1e-12:
            expected += of.share * float(of.p[depth + documents]) if depth + documents < N else 1.0
            documents += 1
        dear = cost * documents + full_cost * lacking / share > of.evpi[depth]
        assert allowed[depth] == (gives_way or dear) or abs(expected - lacking) < 1e-9


def test_a_floor_costs_no_more_than_certainty_is_worth() -> None:
    of = path(0.1, [], 1.0, 0.0, 0.0)
    assert not enough_studies(of, 3, 1e-6)[0] and enough_studies(of, 3, 0.05)[0]


def test_a_floor_gives_way_where_the_list_probably_holds_fewer() -> None:
    of = path(0.01, [], 1.0, 0.0, 0.0)
    assert of.p.sum() < 1 and enough_studies(of, 3, 0.0).all()
    assert enough_studies(of, 0, 0.0).all()


@pytest.mark.parametrize("least", [1, 4])
def test_once_enough_are_in_it_holds_no_longer(least: int) -> None:
    of = path(0.3, [2, 5, 9, 20], 1.0, 0.0, 0.0)
    reached = int(np.argmax(of.studies >= least))
    assert enough_studies(of, least, 0.0)[reached:].all()


def test_a_rule_that_would_stop_anywhere_stops_where_its_floor_first_allows_it() -> None:
    of = path(0.1, [], 1.0, 0.0, 0.0)
    allowed = np.random.default_rng(4).random((2, N + 1)) < [[0.1], [0.6]]
    for start in range(N + 1):
        stops = first_allowed_stops(DecideNow(), of, [0.0, 0.1], allowed, start)
        for stop, own in zip(stops, allowed, strict=True):
            assert stop == next((depth for depth in range(start, N) if own[depth]), N)
