"""How often what is said of recall is wrong, and what that costs: draws repeated on constructed lists, and on sessions that learned."""

import sys
from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import ttest_1samp

from scripts.studies.reranked_chances import Session, left_out, sessions
from scripts.study import Tables
from tarstop_core.belief.mixture import Remaining
from tarstop_core.calibration.calibrator import INCLUSION
from tarstop_core.calibration.recall_bound import ALPHA, draws_at, first_bounded, interleaved, log_stakes
from tarstop_core.calibration.reranked import RerankedChances, ahead
from tarstop_core.places import real_data
from tarstop_core.policies import FewLeft, Hypergeometric
from tarstop_core.screening.advised import RecallFacts
from tarstop_core.value.payoffs import Flags
from tarstop_core.value.unweighed import UnweighedPath

PAGE = "recall_statement"
READS = "the labelled lists with text in TARSTOP_REAL_DATA; half an hour"
TABLES = ("recall_false", "recall_unread")
N = 400
EVERY = (20, 10, 5, 2)
TARGETS = (0.8, 0.9, 0.95, 0.99)
REDRAWS, AT_ONCE = 10_000, 500
LOOKS, LOOKED_AT = 40, 5  # In the course of a list, evenly spaced; redraws of a list in which somebody looks
RULES = {kind.title: kind for kind in (FewLeft, Hypergeometric)}
CONSTRUCTED, SET, REVIEW = "constructed", "screening set", "review"
Row = dict[str, object]


def constructed() -> dict[str, Flags]:
    """Lists by name: hits last, first, none, all, in one cluster, in many, spread, alone."""
    at = np.arange(N)
    return {
        "hits last": at >= N - 20,
        "hits first": at < 20,
        "one, last": at == N - 1,
        "none": at < 0,
        "all": at >= 0,
        "all but one": at > 0,
        "every other": at % 2 == 0,
        "clustered": (at >= 180) & (at < 220),
        "first and last": (at < 20) | (at >= N - 3),
        "spread": at % 20 == 7,
    }


def first_ruled_out(labels: Flags, every: int, orders: NDArray[np.intp]) -> NDArray[np.intp]:
    """Documents after which each replay first rules the true total out, more than there are where it never does; shape (replays,)."""
    drawn = np.flatnonzero(draws_at(len(labels), every))
    hits = labels[orders]
    found: NDArray[np.intp] = np.cumsum(hits, axis=1) - hits
    chance = (labels.sum() - found[:, drawn]) / (len(labels) - drawn)
    stakes = log_stakes(hits[:, drawn], chance, len(drawn))
    beyond = stakes >= -np.log(ALPHA)
    return np.where(beyond.any(axis=1), np.append(drawn, 0)[beyond.argmax(axis=1)], len(labels)) + 1


def redrawn(documents: int, every: int, redraws: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Orders in which lists of this length are offered, whatever their labels, some at a time; shape (some, documents)."""
    rng, ranks = np.random.default_rng(seed), np.arange(documents)
    for begin in range(0, redraws, AT_ONCE):
        some = np.tile(ranks, (min(AT_ONCE, redraws - begin), 1))
        yield np.array([interleaved(every, shuffled) for shuffled in rng.permuted(some, axis=1)])


def false_stops(labels: Flags, every: int, replays: int) -> dict[str, float]:
    """Share of replays in which the statement is false: `ever`, and where *Audit draws* stops at each target."""
    drawn = draws_at(len(labels), every)
    false = dict.fromkeys(["ever", *(f"at_{tau:g}" for tau in TARGETS)], 0)
    for orders in redrawn(len(labels), every, replays, seed=1):
        ruled_out = first_ruled_out(labels, every, orders)
        wrong = np.flatnonzero(ruled_out <= len(labels))
        false["ever"] += len(wrong)
        for depth, hits in zip(ruled_out[wrong].tolist(), labels[orders[wrong]], strict=True):
            for tau in TARGETS:
                # The true total is ruled out by then, and not all of it is found.
                stop = first_bounded(hits, drawn, tau)
                false[f"at_{tau:g}"] += int(depth <= stop and hits[stop:].any())
    return {name: number / replays for name, number in false.items()}


def statements(session: Session, model: RerankedChances) -> Iterator[Row]:
    """Whether the number still unread lies in its interval, in the course of a list and where the rules stop."""
    length, relevant = len(session.relevant), session.relevant

    def left(labels: Flags, depth: int) -> Remaining:
        return ahead(model, labels[:depth], length).left()

    def said(rule: str, labels: Flags, target: float, depth: int) -> Row:
        number, true, found = left(labels, depth), int(labels[depth:].sum()), int(labels[:depth].sum())
        facts = RecallFacts(left=(number.mean, *number.interval()), relevant=found)
        row = {"list": session.name, "kind": REVIEW if session.clef else SET, "rule": rule, "target": target}
        row |= {"open": facts.left_is_open, "held": facts.left[1] <= true <= facts.left[2]}
        return row | {"read": depth / length, "below": found < target * (found + true) - 1e-9}

    looks = np.unique(np.linspace(0, length, LOOKS + 1).astype(int))[1:-1].tolist()
    yield from (said("", relevant, 0.0, depth) for depth in looks)
    path = UnweighedPath(np.zeros(length), relevant, left)
    for title, kind in RULES.items():
        yield from (said(title, relevant, tau, kind(tau=tau).depth(path, 0)) for tau in TARGETS)
    for every in EVERY:
        title, drawn = f"Audit draws, one in {every}", draws_at(length, every)
        for labels in relevant[next(redrawn(length, every, LOOKED_AT, seed=2))]:
            yield from (said(title, labels, 0.0, depth) for depth in looks)
            yield from (said(title, labels, tau, first_bounded(labels, drawn, tau)) for tau in TARGETS)


def measure() -> Tables:
    """False statements of recall, and intervals of what is unread by what the other lists taught, as the mode says them."""
    played, said = sessions(real_data()), list[Row]()
    models = left_out(played)
    lists = [(name, CONSTRUCTED, labels) for name, labels in constructed().items()]
    once = {each.name: each for each in sorted(played, key=lambda each: each.judged == INCLUSION)}
    for session in once.values():
        print(session.name, file=sys.stderr)
        said += statements(session, models[session.group].for_scenario(INCLUSION))
        lists.append((session.name, REVIEW if session.clef else SET, session.relevant))
    false = [
        {"list": name, "kind": kind, "every": every} | false_stops(labels, every, REDRAWS)
        for (name, kind, labels), every in product(lists, EVERY)
    ]
    # At a look what is open is not said.
    shown = pd.DataFrame(said).query("not open or target > 0").drop(columns="open")
    held = shown.groupby(["list", "kind", "rule", "target"]).mean().round(4)
    return {"recall_false": pd.DataFrame(false), "recall_unread": held.reset_index()}


def coverage(rows: pd.DataFrame) -> Row:
    """Share of intervals that hold, a mean over lists, and p of 90 % by a t-test over them."""
    by_list = rows.groupby("list")["held"].mean()
    return {"held": by_list.mean(), "p": ttest_1samp(by_list, 0.9).pvalue}


def summarise(tables: Tables) -> Row:
    """The worst list of each kind, coverage of the intervals, and what rules read for a recall."""
    false, said = tables["recall_false"], tables["recall_unread"]
    stops = false.filter(like="at_").max(axis=1)
    worst = false.assign(stop=stops).groupby([false["kind"].eq(CONSTRUCTED), "every"])[["ever", "stop"]].max()
    stopped, audited = said["target"] > 0, said["rule"].fillna("").str.startswith("Audit")
    parts = {
        "at looks": said[~stopped & ~audited],
        "at looks, with draws": said[~stopped & audited],
        "where *Few left* stops": said[said["rule"] == FewLeft.title],
        "where *Audit draws* stops": said[stopped & audited],
    }
    rows = [
        {"part": name, "rows": [coverage(part[part["kind"] == kind]) for kind in (SET, REVIEW)]}
        for name, part in parts.items()
    ]
    cost = said[stopped].groupby(["rule", "target"])[["read", "below"]].mean()
    return {"worst": worst.to_dict("index"), "coverage": rows, "cost": cost.to_dict("index")}
