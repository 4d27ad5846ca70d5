"""A game: a person stops and decides on sample lists, and is compared with every rule on the same lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import cycle, islice
from typing import Any

import numpy as np

from tarstop_core.documents.topic import Outcome
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.replay import TopicResult, summary
from tarstop_core.explore.lists import LabelledList, sample
from tarstop_core.explore.plans import EXPECTABLE, plans
from tarstop_core.policies import POLICIES, Budget, Optimal, Policy, Randomised
from tarstop_core.samples.collections import sample_qrels, sample_reviews
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action, question
from tarstop_core.teaching import message
from tarstop_core.value.payoffs import Floats, Payoffs, check_cost

SAMPLES: dict[str, tuple[str, ...]] = {
    "both": (PATENT.sample, REVIEW.sample),
    PATENT.name: (PATENT.sample,),
    REVIEW.name: (REVIEW.sample,),
}
"""Kinds of samples by the name of their mix; a game plays them in turn."""
ROUNDS = 5
SCALE, UNIT = 1000.0, "points"
"""K, the loss of both mistakes together, in points, so that amounts are not thousandths."""
TIED = 0.005
"""Results that differ by no more points count as equal."""
YOU = "You"
_CALL = re.compile(r"(\d{1,6})([pm]?)")
_ENDS = {True: "p", False: "m", None: ""}


@dataclass(frozen=True)
class Call:
    """Depth and action of a person on one list."""

    depth: int = 0  # Documents read
    plus: bool | None = None  # The action chosen; None while reading


def encode(calls: Sequence[Call]) -> str:
    """Encode calls for the address, such as "16p.30m.5"."""
    return ".".join(f"{call.depth}{_ENDS[call.plus]}" for call in calls)


def decode(text: str) -> tuple[Call, ...]:
    """Decode the calls in an address, of which only the last may be undecided; InputProblem when they are not valid."""
    calls: list[Call] = []
    actions = {end: plus for plus, end in _ENDS.items()}
    for part in text.split(".") if text else ():
        match = _CALL.fullmatch(part)
        if match is None or (calls and calls[-1].plus is None) or len(calls) == ROUNDS:
            raise InputProblem(
                f"The address names the calls “{text[:40]}”, which cannot be read; they look like "
                "16p.30m.5. The game restarts."
            )
        calls.append(Call(int(match[1]), actions[match[2]]))
    return tuple(calls)


@lru_cache(maxsize=1)
def _by_truth() -> dict[tuple[str, bool], tuple[str, ...]]:
    """Return the keys of the samples by kind and truth."""
    truths = {f"{PATENT.sample}:{topic}": any(judged.values()) for topic, judged in sample_qrels().items()}
    for topic in sample_reviews()["topic"]:
        review = sample(key := f"{REVIEW.sample}:{topic}")
        truths[key] = review.omega(review.settings)
    keys: dict[tuple[str, bool], tuple[str, ...]] = {}
    for key, truth in truths.items():
        kind = key.partition(":")[0], truth
        keys[kind] = (*keys.get(kind, ()), key)
    return keys


@lru_cache(maxsize=64)
def drawn(seed: int, mix: str = "both") -> tuple[str, ...]:
    """Draw the lists of a game from its seed; each is ω⁺ with a chance of ½."""
    rng = np.random.default_rng(seed)
    left = {kind: list(rng.permutation(keys)) for kind, keys in sorted(_by_truth().items())}
    kinds = islice(cycle(SAMPLES[mix]), ROUNDS)
    return tuple(str(left[kind, bool(rng.random() < 0.5)].pop()) for kind in kinds)


@dataclass(frozen=True)
class Game:
    """A game with the calls of the person so far."""

    seed: int = 6
    mix: str = "both"  # Name of one of :data:`SAMPLES`
    q_star: float = 0.5
    cost: float = 1.0  # Cost of a document in points; both mistakes together cost 1,000
    calls: tuple[Call, ...] = ()

    def __post_init__(self) -> None:
        Payoffs.from_q_star(self.q_star)
        check_cost(self.cost)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the lists in order."""
        return drawn(self.seed, self.mix)

    def round(self, at: int) -> tuple[LabelledList, Settings]:
        """Return the list and the settings of the round with this index."""
        return sample(self.keys[at]), self.settings_of(self.keys[at])

    def settings_of(self, key: str) -> Settings:
        """Return the settings of a sample at the stakes of the game."""
        payoffs = Payoffs.from_q_star(self.q_star, SCALE, UNIT)
        return replace(sample(key).settings, payoffs=payoffs, cost=self.cost)

    @property
    def decided(self) -> int:
        """Rounds that are over."""
        return sum(call.plus is not None for call in self.calls)

    @property
    def over(self) -> bool:
        """Whether all rounds are over."""
        return self.decided == ROUNDS

    @property
    def reading(self) -> bool:
        """Whether a round has begun and is not decided."""
        return bool(self.calls) and self.calls[-1].plus is None

    def within(self) -> Game:
        """Return this game with depths limited to the lengths of the lists."""
        pairs = zip(self.keys, self.calls, strict=False)
        return replace(self, calls=tuple(replace(c, depth=min(c.depth, len(sample(k)))) for k, c in pairs))

    def begun(self) -> Game:
        """Return this game with the next round begun."""
        return self if self.reading or self.over else replace(self, calls=(*self.calls, Call()))

    def read(self, count: int = 1) -> Game:
        """Return this game with more documents read, at most up to the next find, where a person would stop to look."""
        if not self.reading:
            return self
        call, listing = self.calls[-1], sample(self.keys[len(self.calls) - 1])
        finds = finds_of(listing)
        depth = min(call.depth + count, len(listing), *(at + 1 for at in finds if at >= call.depth))
        return replace(self, calls=(*self.calls[:-1], Call(depth)))

    def decide(self, plus: bool) -> Game:
        """Return this game with the action of its current round."""
        if not self.reading:
            return self
        return replace(self, calls=(*self.calls[:-1], replace(self.calls[-1], plus=plus)))


def finds_of(listing: LabelledList) -> tuple[int, ...]:
    """Return the 0-based ranks of the documents that settle the question or bring a new table."""
    truth = listing.truth
    if isinstance(truth, Outcome):
        return tuple(np.unique(truth.positions[truth.positions < len(listing)]).tolist())
    labels = listing.topic.labels
    assert labels is not None
    return tuple(np.flatnonzero(labels).tolist())


def played(listing: LabelledList, settings: Settings, call: Call) -> TopicResult:
    """Return the result of a call, in the form of a rule's replay.

    Parameters
    ----------
    listing, settings, call
        The list and the settings of the round, and depth and action of the person.

    Returns
    -------
    TopicResult
        Depth, action and result.

    Raises
    ------
    InputProblem
        When the call has no action.
    """
    if call.plus is None:
        raise InputProblem("This game has an undecided list; choose an action first.")
    topic, omega = listing.topic, listing.omega(settings)
    assert topic.labels is not None and topic.n_relevant is not None
    utility = metrics.net_utility(settings.payoffs, call.plus, omega, call.depth, settings.cost)
    recall = metrics.recall(topic.labels[: call.depth].sum(), topic.n_relevant)
    return TopicResult(
        topic.name, call.depth, "a+" if call.plus else "a-", omega, utility.item(), recall.item()
    )


@dataclass(frozen=True)
class ScoreRow:
    """The results of a rule or of the person in all rounds."""

    title: str
    family: str  # Family of the rule; "" for the person
    played: tuple[TopicResult, ...]  # Result of each round
    regret: float | None = None
    """Mean over rounds, against the best row except the Oracle's; None for the Oracle."""
    expected: float | None = None
    """Expectation of `total` before the first document, by the chances; None for a person, and for rules without one."""

    @property
    def you(self) -> bool:
        """Whether this is the person."""
        return not self.family

    @property
    def total(self) -> float:
        """Net utility of all rounds together."""
        return float(sum(played.net_utility for played in self.played))

    @property
    def right(self) -> int:
        """Number of rounds with the right action."""
        return sum(played.right for played in self.played)

    @property
    def read(self) -> float:
        """Documents read in all rounds together."""
        return sum(played.depth for played in self.played)

    @cached_property
    def mean(self) -> dict[str, Any]:
        """Means and errors, as ``tarstop replay`` prints them below its table."""
        return summary(self.played)


def own_rounds(game: Game) -> tuple[TopicResult, ...]:
    """Return the person's results in a game that is over."""
    return tuple(played(*game.round(at), game.calls[at]) for at in range(ROUNDS))


@lru_cache(maxsize=32)
def rules_on(game: Game) -> tuple[ScoreRow, ...]:
    """Return every rule with its default parameters on the lists of a game, without regret.

    The game has no calls, so that a class shares the cached result. If it has a review, rules that draw a random sample
    are left out, because every sample ends with a different belief.
    """
    rounds = [game.round(at) for at in range(ROUNDS)]
    reviews = any(not settings.one_decides for _, settings in rounds)
    rows = []
    for rule in POLICIES.values():
        if not (reviews and issubclass(rule, Randomised)):
            policy = rule()
            replayed = tuple(listing.replayed(policy, settings) for listing, settings in rounds)
            expected = _expected(policy, rounds) if isinstance(policy, EXPECTABLE) else None
            rows.append(ScoreRow(short(policy), policy.family, replayed, expected=expected))
    return tuple(rows)


def compared(game: Game) -> tuple[ScoreRow, ...]:
    """Return the person and every rule of :func:`rules_on`, the highest net utility first."""
    rows = [ScoreRow(YOU, "", own_rounds(game)), *rules_on(replace(game, calls=()))]
    oracle = {rule.title for rule in POLICIES.values() if rule.is_oracle}
    followable = [row for row in rows if row.title not in oracle]
    by_row = metrics.regret(_net_utilities(followable)).mean(axis=0).tolist()
    regrets = dict(zip(followable, by_row, strict=True))
    measured = [replace(row, regret=regrets.get(row)) for row in rows]
    return tuple(sorted(measured, key=lambda row: row.total, reverse=True))


def _expected(policy: Policy, rounds: Sequence[tuple[LabelledList, Settings]]) -> float:
    """Net utility that a rule is expected to have in all rounds, before any document."""
    ahead = (plans(listing.planned(settings), policy, settings.cost) for listing, settings in rounds)
    return sum(plan.net_utility.item() for plan in ahead)


def _net_utilities(rows: Sequence[ScoreRow]) -> Floats:
    """Return net utilities, shape (rounds, rows)."""
    return np.array([[played.net_utility for played in row.played] for row in rows]).T


def short(policy: Policy) -> str:
    """Return the rule's name, with its parameter unless it has several."""
    return policy.title if len(policy.settings) > 1 else str(policy)


def rules_of_the_game(game: Game) -> str:
    """Word the rules of the game in a few sentences."""
    payoffs = Payoffs.from_q_star(game.q_star, SCALE, UNIT)
    choices = [
        message("choice", question=question(settings), plus=settings.plus, minus=settings.minus)
        for settings in _first_settings(game)
    ]
    plus, minus = (actions(game, chosen) for chosen in (True, False))
    return message("rules", cost=game.cost, choices=choices, payoffs=payoffs, plus=plus, minus=minus)


def actions(game: Game, plus: bool) -> str:
    """Return the names of a⁺, or of a⁻, in the game."""
    return " or ".join(f"“{action(plus, settings)}”" for settings in _first_settings(game))


def _first_settings(game: Game) -> list[Settings]:
    """Return the settings of the first list of each kind."""
    return [sample(key).settings for key in game.keys[: len(SAMPLES[game.mix])]]


def points(value: float) -> str:
    """Return an amount of the game: "1 point", "−250 points"."""
    return message("points", value=value)


def round_heading(game: Game, at: int) -> str:
    """Word the heading of a round's figure."""
    listing, settings = game.round(at)
    return message(
        "round_heading", name=listing.name, finds=finds_of(listing), one_decides=settings.one_decides
    )


def round_sentence(game: Game, at: int) -> str:
    """Say what a list hid below the documents read, what the person decided, and what Optimal did."""
    (listing, settings), call = game.round(at), game.calls[at]
    own = played(listing, settings, call)
    optimal = listing.replayed(POLICIES["optimal"](), settings)
    own_action, optimal_action = (action(result.action == "a+", settings) for result in (own, optimal))
    names = {"own_action": own_action, "optimal_action": optimal_action}
    finds = [rank + 1 for rank in finds_of(listing)]
    missed = [rank for rank in finds if rank > call.depth]
    if isinstance(listing.truth, Outcome):
        b = listing.played(settings).belief_at(len(listing))
        truth = {"omega": own.omega, "question": question(settings), "b": b}
        hidden = message("hidden_in_review", finds=finds, missed=missed, **truth)
    else:
        hidden = message("hidden", finds=finds, missed=missed)
    return message("round", hidden=hidden, own=own, optimal=optimal, **names)


def regret_sentence(rows: Sequence[ScoreRow]) -> str:
    """Say what regret is measured against; the best rule may differ from round to round."""
    best = _net_utilities([row for row in rows if row.regret is not None]).max(axis=1).sum()
    oracle = next(row.total for row in rows if row.regret is None)
    return message("regret", best=best, oracle=oracle)


def luck_sentence(rows: Sequence[ScoreRow]) -> str:
    """Say whether the winner was expected to win, or was lucky."""
    first = next(row for row in rows if row.regret is not None)
    expected = ((row.expected, row.total, row) for row in rows if row.expected is not None)
    most, _, promised = max(expected, key=lambda entry: entry[:2])
    lucky = first.expected is None or first.expected < most - TIED
    return message("luck", first=first, promised=promised, lucky=lucky, rounds=ROUNDS)


def often_ahead(game: Game, rows: Sequence[ScoreRow]) -> str:
    """Say on how many of all lists the person's mean depth beats Optimal; "" if the person did not beat Optimal."""
    you, optimal = (next(row for row in rows if row.title == title) for title in (YOU, Optimal.title))
    if you.total <= optimal.total + TIED:
        return ""
    depth = max(1, round(you.read / ROUNDS))
    keys = [key for (kind, _), of_kind in _by_truth().items() if kind in SAMPLES[game.mix] for key in of_kind]
    ahead = 0
    for key in keys:
        listing, settings = sample(key), game.settings_of(key)
        own, best = (listing.replayed(rule, settings).net_utility for rule in (Budget(depth), Optimal()))
        ahead += own > best + TIED
    return message("often_ahead", depth=depth, ahead=ahead, lists=len(keys))


def standing_sentences(game: Game, rows: Sequence[ScoreRow]) -> tuple[str, str]:
    """Say how the person ranks among the rules, and how the person and Optimal decided."""
    followable = [row for row in rows if row.regret is not None]
    at = next(at for at, row in enumerate(followable) if row.you)
    you, best = followable[at], next(row for row in followable if not row.you)
    lost = metrics.regret(_net_utilities(followable))[:, at]
    worst = int(lost.argmax())
    decisions = message(
        "decisions",
        you=you,
        optimal=next(row for row in followable if row.title == Optimal.title),
        rounds=ROUNDS,
        lost=float(lost[worst]),
        round=worst + 1,
        list=sample(game.keys[worst]).name,
        own=you.played[worst],
    )
    return message("standing", you=you, place=at + 1, rows=len(followable), best=best), decisions
