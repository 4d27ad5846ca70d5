"""Chances of a list that learns: one distribution for path, what is left and the live check."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tarstop_core.belief.mixture import Remaining
from tarstop_core.presentation.curves import found_curve
from tarstop_core.ranking.order import Ranking
from tarstop_core.readers.overlooked import overlooked
from tarstop_core.readers.verdicts import Verdicts
from tarstop_core.samples.shipped import calibrators
from tarstop_core.screening.adaptive_chances import (
    adaptive_chances,
    chances_after_finds,
    list_facts,
    not_found,
    still_unread,
)
from tarstop_core.screening.advice import advice_figure, advise
from tarstop_core.screening.audit import with_draws
from tarstop_core.screening.events import label_event
from tarstop_core.screening.fold import replay
from tarstop_core.screening.live_check import check_sentence, live_check, session_ratios
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import chances, paths_key, screening_path
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import chances_badge, explain, verdict
from tarstop_core.value.path import ALL_BUT_SURE
from tests.session_cases import INCLUSION, PATENT, REVIEW, START

IDS = [f"d{at}" for at in range(300)]
LEARNS = replace(REVIEW, learns=True)


def read(found: list[bool], settings=LEARNS, events: tuple[Event, ...] = (), ids: list[str] = IDS) -> State:
    labels = [
        Event("label", {"doc": doc, "label": "relevant" if hit else "irrelevant", "fit": 0})
        for doc, hit in zip(ids, found, strict=False)
    ]
    return replay(settings, ids, [*events, *labels])


def test_path_left_and_next_document_are_one_distribution() -> None:
    state = read([True, True, False, True])
    p, left = adaptive_chances(LEARNS, state)
    assert np.array_equal(chances(LEARNS, INCLUSION, None, state), p)
    assert left.mean == pytest.approx(p[4:].sum(), rel=1e-3)
    advice = advise(LEARNS, INCLUSION, p, state)
    assert advice.facts.left[0] == left.mean
    none, dear = read([False, False]), replace(LEARNS, cost=40.0, policy="greedy")
    advice = advise(dear, INCLUSION, adaptive_chances(dear, none)[0], none)
    assert "labels so far give" in explain(advice, dear).sentence
    few = replace(dear, policy="budget:d=4")
    advice = advise(few, INCLUSION, adaptive_chances(few, none)[0], none)
    assert "as things stand" in verdict(advice, few).says
    assert "of lists that learn" in chances_badge(INCLUSION, LEARNS)


def test_what_is_found_moves_what_is_foreseen_and_its_key() -> None:
    rich, poor = read([True] * 20), read([False] * 20)
    (p, left), (q, fewer) = adaptive_chances(LEARNS, rich), adaptive_chances(LEARNS, poor)
    assert p[20] > 5 * q[20] and left.mean > 3 * fewer.mean
    assert paths_key(LEARNS, poor) != paths_key(LEARNS, read([False] * 21)), "a miss moves every chance"
    plain = replace(LEARNS, learns=False)
    assert paths_key(plain, poor)[:3] == paths_key(plain, read([False] * 21))[:3]


def test_the_live_check_foresees_what_was_read_from_before_its_first_document() -> None:
    fits = live_check(LEARNS, INCLUSION, np.zeros(300), read([at % 4 == 0 for at in range(40)]))
    assert fits is not None and fits.low < fits.relevant == 10 < fits.high
    assert check_sentence(fits, LEARNS).startswith("In this list that")
    others = [session_ratios(LEARNS, INCLUSION, *adaptive_chances_of([False] * 60 + [True] * 40))] * 9
    late = live_check(LEARNS, INCLUSION, *adaptive_chances_of([at % 4 == 0 for at in range(40)]), others)
    assert late is not None and late.evidence.lists == 10
    assert late.evidence.e_value > fits.evidence.e_value and late.offered is None, "no factor helps here"


def adaptive_chances_of(found: list[bool]) -> tuple[np.ndarray, State]:
    state = read(found)
    return adaptive_chances(LEARNS, state)[0], state


def test_labels_that_came_along_in_no_order_say_nothing_of_how_much_is_left() -> None:
    kept = {doc: "relevant" if at % 3 == 0 and at < 60 else "irrelevant" for at, doc in enumerate(IDS[:200])}
    came = Event(
        "kept", {"source": "f", "labels": kept, "ranks": list(range(1, 201)), "notes": {}, "reasons": {}}
    )
    state, rest = read([], events=(came,)), read([], ids=IDS[200:])
    p, left = adaptive_chances(LEARNS, state)
    fresh, unread = adaptive_chances(LEARNS, rest)
    assert np.array_equal(p[200:], fresh) and left.mean == unread.mean, "as of a list that begins after them"
    assert p[:200] == pytest.approx(20 / 200)
    assert still_unread(LEARNS, INCLUSION, p, state, 150).mean == left.mean
    assert live_check(LEARNS, INCLUSION, p, state) is None, "nothing was read here"
    found = Event("label", {"doc": IDS[200], "label": "relevant", "fit": 0})
    on = replay(LEARNS, IDS, [came, found])
    curve = found_curve(on.came_true[:201], None, plan=201, since=200)["data"][0]
    assert (curve["x"][0], curve["y"][0]) == (200, 20), (
        "in which order those that came were found is not known"
    )
    check = live_check(LEARNS, INCLUSION, adaptive_chances(LEARNS, on)[0], on)
    assert check is not None and (check.read, check.relevant, check.waiting) == (1, 1, 0)
    alone = read([True], ids=IDS[200:])
    same = live_check(LEARNS, INCLUSION, adaptive_chances(LEARNS, alone)[0], alone)
    assert same is not None and (check.low, check.high) == (same.low, same.high)
    assert paths_key(LEARNS, state) != paths_key(LEARNS, read([at % 3 == 0 and at < 60 for at in range(200)]))


def test_a_factor_found_for_a_calibrator_and_a_search_for_one_document_are_left_alone() -> None:
    state = read([True, False])
    scaled = replace(LEARNS, scale=0.1)
    same = [advise(each, INCLUSION, adaptive_chances(each, state)[0], state).rho for each in (LEARNS, scaled)]
    assert same[0] == same[1]
    patent = replace(START, learns=True)
    assert not patent.adapts_chances
    assert np.array_equal(
        chances(patent, PATENT, None, replay(patent, IDS, [])), PATENT.probabilities(None, 300)
    )


def test_a_draw_ahead_has_the_chance_of_any_that_is_unread() -> None:
    ranking, audited = with_draws(Ranking(np.arange(300), None, ""), [], 5, seed=1)
    ids = [IDS[at] for at in ranking.order]
    state = read([True, False, True], events=(audited,), ids=ids)
    p = adaptive_chances(LEARNS, state)[0]
    assert state.drawn is not None
    assert len(set(p[3:][state.drawn[3:]])) == 1 and p[3] > p[4]


# --- lists in their given order -------------------------------------------------------------------

FOLLOWS = replace(REVIEW, chances_follow=True)
WITH_CURVES = calibrators()["review-inclusion-elsewhere"]


def given_order(found: list[bool], settings=FOLLOWS) -> tuple[State, np.ndarray]:
    state = read(found, settings)
    return state, chances(settings, WITH_CURVES, None, state)


def test_chances_of_a_list_in_its_order_follow_what_is_found() -> None:
    (_, none), (poor, few), (rich, many) = (given_order(found) for found in ([], [False] * 20, [True] * 20))
    assert few[20] < none[20] / 2 and many[20] > 5 * few[20]
    assert many[0] == pytest.approx(none[0]) == pytest.approx(few[0]), (
        "what was said before the first document stays said"
    )
    left = still_unread(FOLLOWS, WITH_CURVES, many, rich)
    assert left.mean == pytest.approx(many[20:].sum(), rel=0.2)
    assert advise(FOLLOWS, WITH_CURVES, many, rich).facts.left[0] == left.mean
    assert paths_key(FOLLOWS, poor) != paths_key(FOLLOWS, read([False] * 21, FOLLOWS))
    assert "follow the finds" in chances_badge(WITH_CURVES, FOLLOWS)


def test_sessions_of_earlier_versions_keep_the_chances_that_they_had() -> None:
    content = REVIEW.to_dict()
    assert "chances_follow" not in content and not read_settings(content).chances_follow
    assert read_settings(FOLLOWS.to_dict()) == FOLLOWS and not FOLLOWS.paper_mode().chances_follow
    as_before = WITH_CURVES.probabilities(None, 300)
    assert np.array_equal(given_order([False] * 20, REVIEW)[1], as_before)
    # So do calibrators without curves, and lists whose labels decided what was read.
    poor = read([False] * 20, FOLLOWS)
    old = replace(WITH_CURVES, thinning=None)
    assert np.array_equal(chances(FOLLOWS, old, None, poor), as_before)
    assert np.array_equal(
        chances_after_finds(WITH_CURVES, as_before, replace(poor, reordered=True)), as_before
    )


def test_documents_out_of_rank_have_the_chances_of_their_ranks() -> None:
    ranking, audited = with_draws(Ranking(np.arange(300), None, ""), [], 5, seed=1)
    ids = [IDS[at] for at in ranking.order]
    state = read([True, False, True], FOLLOWS, events=(audited,), ids=ids)
    p = chances(FOLLOWS, WITH_CURVES, None, state)
    assert state.ranks is not None
    ahead = state.ranks[3:]
    by_rank = p[3:][np.argsort(ahead)]
    assert (np.diff(ahead) < 0).any() and (np.diff(by_rank[:100]) <= 0).all() and by_rank[0] > by_rank[-1]


def test_a_label_before_anything_was_learned_names_the_list_itself_as_what_put_its_document_there() -> None:
    fresh = read([])
    assert label_event(fresh, IDS, IDS[0], "irrelevant").payload["fit"] == 0
    plain = read([], replace(LEARNS, learns=False))
    assert "fit" not in label_event(plain, IDS, IDS[0], "irrelevant").payload


def test_where_a_find_is_all_but_sure_it_is_awaited_and_no_number_is_promised() -> None:
    """How many more "if nothing turns up" would grow with every exclusion, as chances fall."""
    cheap = replace(LEARNS, policy="optimal", cost=0.001, full_cost=0.01)
    few, more = (read([True] * 4 + [False] * misses, settings=cheap) for misses in (0, 6))
    (p, _), (q, _) = adaptive_chances(cheap, few), adaptive_chances(cheap, more)
    soon, later = advise(cheap, INCLUSION, p, few), advise(cheap, INCLUSION, q, more)
    assert soon.next_find and later.next_find and soon.next_find[0] <= later.next_find[0]
    path = screening_path(cheap, INCLUSION, p, few)
    at_first = 1 - np.cumprod(1 - path.chances[few.depth :])
    likely, sure = soon.next_find
    assert at_first[likely - 1] >= 0.5 > (at_first[likely - 2] if likely > 1 else 0.0)
    assert at_first[sure - 1] >= ALL_BUT_SURE > at_first[sure - 2] and sure <= soon.more
    dear = replace(cheap, cost=40.0)
    assert advise(dear, INCLUSION, p, few).next_find is None


def test_the_drawn_lower_bound_never_falls_below_the_cost_where_the_rule_goes_on() -> None:
    for cost in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0):
        settings = replace(LEARNS, policy="optimal", cost=cost, full_cost=0.0)
        state = read([True, False, True, False, False], settings=settings)
        p, _ = adaptive_chances(settings, state)
        path = screening_path(settings, INCLUSION, p, state)
        advice = advise(settings, INCLUSION, p, state)
        figure = advice_figure(path, settings, state, advice, "all")
        lower = [line for line in figure["data"] if line.get("yaxis") == "y2" and line["mode"] == "lines"]
        ahead = [line for line in lower if line["line"].get("dash") == "dot"]
        # What reading on was worth before the studies of now were found nobody can say by now.
        past = next(line for line in lower if line["line"]["dash"] == "solid")
        assert not any(y for x, y in zip(past["x"], past["y"], strict=True) if x < state.depth)
        assert bool(ahead) == (advice.more > 1)
        for line in ahead:
            assert (
                min(y for x, y in zip(line["x"], line["y"], strict=True) if x < state.depth + advice.more)
                >= 1
            )


def test_where_the_rule_stops_nothing_drawn_is_worth_more_than_it_costs() -> None:
    settings = replace(LEARNS, policy="optimal", cost=5.0, full_cost=0.0)
    state = read([True] * 3 + [False] * 15, settings=settings)
    p, _ = adaptive_chances(settings, state)
    path, advice = screening_path(settings, INCLUSION, p, state), advise(settings, INCLUSION, p, state)
    figure = advice_figure(path, settings, state, advice, "all")
    worth = [trace for trace in figure["data"] if trace.get("yaxis") == "y2"]
    drawn = [(x, y) for trace in worth for x, y in zip(trace["x"], trace["y"], strict=True) if y]
    assert advice.more and max(y for x, y in drawn if x >= state.depth + advice.more) <= 1


@pytest.mark.parametrize(("found", "hits"), [(30, 0), (30, 2), (0, 3)])
def test_what_is_unread_grows_by_what_random_draws_say_was_overlooked(found: int, hits: int) -> None:
    """Of 300 documents that all excluded 50 were drawn; those drawn count as found."""
    state, left = read([]), Remaining(np.ones(1), np.array([4.0]), np.array([10.0]), 2_000)
    relevant = np.r_[np.ones(found), np.ones(hits), np.zeros(50 - hits), np.full(250, np.nan)]
    place = np.r_[np.zeros(found), np.arange(1, 51), np.zeros(250)].astype(int)
    missed = overlooked(Verdicts(np.repeat([[1.0, 1.0], [0.0, 0.0]], [found, 300], axis=0), relevant, place))
    mean, low, high = list_facts(left, replace(state, overlooked=missed))["left"]
    plain, ends = list_facts(left, state)["left"][0], left.interval()
    assert mean == pytest.approx(plain * (found + 6 * hits) / (found + hits))
    assert missed.share_found is not None and (low, high) == (
        math.floor(ends[0] / missed.share_found[1]),
        math.ceil(ends[1] / missed.share_found[0]),
    )


def test_where_nothing_was_overlooked_what_is_not_found_is_what_is_unread() -> None:
    rows = np.repeat([[1.0, 1.0], [0.0, 0.0]], [30, 50], axis=0)
    nothing = overlooked(Verdicts(rows, np.repeat([1.0, 0.0], [30, 50]), np.r_[np.zeros(30, int), 1:51]))
    unread = Remaining(np.ones(1), np.array([3.0]), np.array([40.0]), 400)
    chance = not_found(unread, nothing)
    assert chance @ np.arange(len(chance)) == pytest.approx(unread.mean, rel=0.02)


def test_draws_without_a_relevant_document_correct_nothing_where_none_is_found() -> None:
    state, left = read([]), Remaining(np.ones(1), np.array([4.0]), np.array([10.0]), 2_000)
    relevant, place = np.r_[np.zeros(50), np.full(250, np.nan)], np.r_[np.arange(1, 51), np.zeros(250)]
    missed = overlooked(Verdicts(np.zeros((300, 2)), relevant, place.astype(int)))
    assert missed.share_found is not None and missed.share_found[1] == 0
    mean, low, _ = list_facts(left, replace(state, overlooked=missed))["left"]
    assert (mean, low) == list_facts(left, state)["left"][:2]


@pytest.mark.parametrize("spread", [0.0, 0.25, 0.7])
@pytest.mark.parametrize("share", [0.1, 0.2])
def test_what_is_not_found_is_foreseen_whatever_readers_have_in_common(spread: float, share: float) -> None:
    """Simulated: of 800 records, 60 of them relevant, two readers who recognise 80 % have read half.

    How hard a record is varies (for both alike) with this share of all possible variance: 0 is independence.
    """
    rng, half, lists = np.random.default_rng(1), 400, 120
    both_miss = 0.2 * (0.2 + 0.8 * spread)
    unread = Remaining(np.ones(1), np.array([np.inf]), np.array([30 * (1 - both_miss)]), half)
    within, unaudited = 0, 0
    for _ in range(lists):
        relevant = rng.random(2 * half) < 60 / (2 * half)
        recognise = rng.beta(0.8 * (1 / spread - 1), 0.2 * (1 / spread - 1), half) if spread else 0.8
        included = rng.random((2, half)) < np.where(relevant[:half], recognise, 0.03)
        excluded = np.flatnonzero(~included.any(axis=0))
        drawn = rng.permutation(excluded)[: round(share * len(excluded))]
        known, place = included.any(axis=0), np.zeros(half, dtype=int)
        known[drawn], place[drawn] = True, np.arange(len(drawn)) + 1
        answers = np.where(known, relevant[:half], np.nan)
        chance = not_found(unread, overlooked(Verdicts(included.T.astype(float), answers, place)))
        truth, below = (
            relevant.sum() - (relevant[:half] & known).sum(),
            np.append(0.0, np.cumsum(np.append(chance, np.zeros(2 * half)))),
        )
        within += below[truth] <= 0.95 and below[truth + 1] >= 0.05
        low, high = unread.interval()
        unaudited += low <= truth <= high
    assert chance.sum() == pytest.approx(1) and within >= 0.85 * lists
    assert spread < 0.5 or unaudited < 0.75 * lists, "by what they recognise alone"
