"""The game: everybody plays the same lists, and outcomes are those of a replay."""

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.explore.lists import sample
from tarstop_core.explore.plans import outcomes
from tarstop_core.policies import POLICIES, Budget, Randomised
from tarstop_core.samples.collections import sample_topics
from tarstop_core.teaching import game as engine
from tarstop_core.teaching import message
from tarstop_core.teaching.game import (
    ROUNDS,
    SCALE,
    Call,
    Game,
    actions,
    compared,
    decode,
    drawn,
    encode,
    points,
)
from tarstop_core.value.payoffs import Payoffs
from tests.sample_commands import replayed

CALLS = (Call(7, False), Call(5, True), Call(30, False), Call(15, False), Call(19, True))
choices = st.tuples(st.integers(0, 400), st.sampled_from([True, False])).map(lambda each: Call(*each))


@given(st.lists(choices, max_size=ROUNDS), st.integers(0, 400))
def test_calls_survive_the_address(done: list[Call], reading: int) -> None:
    assert decode(encode(done)) == tuple(done)
    if len(done) < ROUNDS:
        assert decode(encode([*done, Call(reading)])) == (*done, Call(reading))


@given(st.text(alphabet="0123456789pm.x ", max_size=30))
def test_any_text_is_calls_or_one_sentence(text: str) -> None:
    """Nothing but `InputProblem` is raised; what is read can be written and read again."""
    with contextlib.suppress(InputProblem):
        calls = decode(text)
        assert decode(encode(calls)) == calls


@pytest.mark.parametrize("text", ["x", "7p.3.4p", "1p.1p.1p.1p.1p.1p", "p", "-3p", "7q"])
def test_broken_calls_are_refused(text: str) -> None:
    with pytest.raises(InputProblem, match="cannot be read"):
        decode(text)


@pytest.mark.parametrize("mix", ["both", "patent", "review"])
def test_a_seed_draws_the_same_lists_half_of_them_with_something_to_find(mix: str) -> None:
    kinds = {key.split(":")[0] for seed in range(20) for key in drawn(seed, mix)}
    assert kinds == set(engine.SAMPLES[mix])
    games = [drawn(seed, mix) for seed in range(200)]
    assert games == [drawn(seed, mix) for seed in range(200)] and len(set(games)) > 100
    assert all(len(set(keys)) == ROUNDS for keys in games)
    plus = [key in {*engine._by_truth()[key.split(":")[0], True]} for keys in games for key in keys]
    assert abs(np.mean(plus) - 0.5) < 0.06


def test_reading_goes_on_to_the_next_find_and_no_further() -> None:
    game = replace(
        Game(mix="patent"), seed=next(s for s in range(99) if drawn(s, "patent")[0] == "search:antenna-mount")
    )
    assert game.read().calls == () and game.decide(True).calls == ()  # not begun
    game = game.begun()
    assert game.begun() == game and game.read(5).calls == (Call(5),)
    assert game.read(100).calls == (Call(16),)  # the first hit lies there
    assert game.read(100).read(10**6).calls[0].depth < 312
    over = game.read(100).decide(True)
    assert over.calls == (Call(16, True),) and over.decided == 1 and not over.reading
    assert over.begun().calls == (Call(16, True), Call(0))
    deep = replace(game, calls=(Call(10**5),)).within()
    assert deep.calls == (Call(312),) and deep.read().calls == deep.calls


@pytest.mark.parametrize(("q_star", "cost"), [(0.5, 1.0), (0.2, 5.0), (0.8, 0.5)])
def test_the_person_is_paid_as_a_replayed_budget_is(tmp_path: Path, q_star: float, cost: float) -> None:
    payoffs = Payoffs.from_q_star(q_star, SCALE)
    stakes = f"--payoffs={payoffs.B},{payoffs.L_r},{payoffs.L_g},{payoffs.G}", f"--cost={cost}"
    for key, depth in (("search:antenna-mount", 20), ("search:battery-pack", 9), ("review:hollow-hip", 30)):
        explored = sample(key)
        told = replayed(explored, tmp_path, f"--policy=budget:d={depth}", *stakes)
        settings = replace(explored.settings, payoffs=payoffs, cost=cost)
        own = engine.played(explored, settings, Call(depth, told["action"] == "a+"))
        assert (own.depth, own.action, own.omega) == (told["depth"], told["action"], told["omega"])
        assert own.net_utility == pytest.approx(told["net_utility"], abs=1e-9)
        assert own.recall == pytest.approx(told["recall"])


def test_every_rule_is_what_replay_prints(tmp_path: Path) -> None:
    game = Game(calls=CALLS, q_star=0.4, cost=2.0)
    payoffs = Payoffs.from_q_star(0.4, SCALE)
    stakes = f"--payoffs={payoffs.B},{payoffs.L_r},{payoffs.L_g},{payoffs.G}", "--cost=2"
    rows = {row.title: row for row in compared(game)}
    rules = [rule() for rule in POLICIES.values() if not issubclass(rule, Randomised)]
    assert len(rows) == 1 + len(rules)
    for number, policy in enumerate(rules):
        at = number % len(game.keys)  # each rule on one list, and each list by several
        key, found = game.keys[at], rows[engine.short(policy)].played[at]
        told = replayed(sample(key), tmp_path / key.replace(":", "-"), f"--policy={policy.spec}", *stakes)
        assert (found.depth, found.action, found.omega) == (told["depth"], told["action"], told["omega"])
        assert found.net_utility == pytest.approx(told["net_utility"], abs=1e-9)


def test_regret_and_place() -> None:
    game = Game(calls=CALLS)
    rows = compared(game)
    totals = [row.total for row in rows]
    assert totals == sorted(totals, reverse=True)
    (you,) = (row for row in rows if row.you)
    (oracle,) = (row for row in rows if row.title == "Oracle")
    assert oracle.regret is None and oracle.total >= max(row.total for row in rows)
    best = [max(row.played[at].net_utility for row in rows if row is not oracle) for at in range(ROUNDS)]
    assert you.regret == pytest.approx(
        np.mean([top - own.net_utility for top, own in zip(best, you.played, strict=True)])
    )
    said = " ".join(engine.standing_sentences(game, rows))
    assert f"{you.total:,.0f} points" in said and "Optimal" in said
    assert "QBCB" not in {row.title for row in rows}
    assert "QBCB" in {row.title for row in compared(Game(mix="patent", calls=CALLS))}


def test_a_lucky_guess_may_do_better_than_the_oracle_and_regret_says_so() -> None:
    game = Game(calls=(Call(0, True),) * ROUNDS)
    rows = compared(game)
    oracle = next(row for row in rows if row.regret is None)
    best = sum(max(row.played[at].net_utility for row in rows if row is not oracle) for at in range(ROUNDS))
    said = engine.regret_sentence(rows)
    assert (
        best > oracle.total and f"{best:,.0f} points; perhaps nobody" in said and "guessed correctly" in said
    )
    assert "guessed" not in engine.regret_sentence(compared(Game(calls=CALLS)))


@pytest.mark.parametrize("mix", ["both", "patent", "review"])
def test_what_is_said_of_a_game(mix: str) -> None:
    game = Game(mix=mix, calls=CALLS)
    assert "costs 1 point;" in engine.rules_of_the_game(game)
    for at in range(ROUNDS):
        said = engine.round_sentence(game, at)
        assert "You read" in said and "Optimal stopped after" in said
    with pytest.raises(InputProblem, match="undecided"):
        engine.played(*game.round(0), Call(3))


def test_stakes_that_are_none_are_refused() -> None:
    with pytest.raises(InputProblem, match=r"q\*"):
        Game(q_star=1.0)
    with pytest.raises(InputProblem, match="cost"):
        Game(cost=-1.0)


def test_what_is_expected_weighs_every_place_where_the_first_hit_may_lie() -> None:
    game = Game(mix="patent", calls=(Call(0, False),) * ROUNDS)
    rows = {row.title: row for row in compared(game)}
    assert rows["You"].expected is rows["Oracle"].expected is None
    for policy in (POLICIES["optimal"](), POLICIES["budget"]()):
        wanted = 0.0
        for at in range(ROUNDS):
            listing, settings = game.round(at)
            path = listing.planned(settings)
            passes = np.exp(path.curve.log_M)
            for hit, share in zip(
                [*range(1, len(path) + 1), None], [*-np.diff(passes), passes[-1]], strict=True
            ):
                came = outcomes(replace(path, hit=hit), policy, game.cost, True).net_utility.item()
                wanted += path.b_0 * share * came
            wanted += (1 - path.b_0) * outcomes(path, policy, game.cost, False).net_utility.item()
        assert rows[engine.short(policy)].expected == pytest.approx(wanted)


def test_it_says_whether_luck_decided() -> None:
    rows = compared(Game(calls=CALLS))
    optimal = next(row for row in rows if row.title == "Optimal")
    fair = [row for row in rows if row.regret is not None]
    assert fair[0] is not optimal and "luck decided here" in engine.luck_sentence(rows)
    best = [optimal, *(row for row in rows if row is not optimal)]
    assert "luck did not decide" in engine.luck_sentence(best)


def test_whoever_beats_optimal_is_told_on_how_many_lists_that_would_happen() -> None:
    game = Game(mix="patent")
    truths = [sample(key).omega(game.settings_of(key)) for key in game.keys]
    guessed, wrong = (
        replace(game, calls=tuple(Call(4, truth is right) for truth in truths)) for right in (True, False)
    )
    assert engine.often_ahead(wrong, compared(wrong)) == ""
    keys = [f"search:{topic}" for topic in sample_topics()["topic"]]
    ahead = 0
    for key in keys:
        settings, listing = game.settings_of(key), sample(key)
        best = listing.replayed(POLICIES["optimal"](), settings).net_utility
        ahead += listing.replayed(Budget(4), settings).net_utility > best + engine.TIED
    values = {"depth": 4, "ahead": ahead, "lists": len(keys)}
    assert engine.often_ahead(guessed, compared(guessed)) == message("often_ahead", **values)


def test_actions_by_example() -> None:
    assert (actions(Game(), True), actions(Game(mix="patent"), False)) == ("“Reject” or “Adopt”", "“Grant”")


def test_points_by_example() -> None:
    assert (points(1), points(-257.0), points(0.5)) == ("1 point", "−257 points", "0.5 points")
    assert (points(1059.4), points(-1059.4)) == ("1,059 points", "−1,059 points"), "as in the table beside it"
