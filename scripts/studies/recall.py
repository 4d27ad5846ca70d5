"""How often the bound on recall from audit draws is wrong, and what it costs: draws replayed on constructed and real lists."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scripts.real_lists import COLLECTIONS, EACH_ONCE, PATENTS, medical, read
from scripts.study import Study, Tables
from tarstop_core.belief.decisive import hit_curve
from tarstop_core.calibration.recall_bound import ALPHA, draws_at, log_stakes
from tarstop_core.places import real_data
from tarstop_core.policies import QBCB, Audit, Hypergeometric, Randomised, Target
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Flags, Floats, Payoffs

Stopped = tuple[Floats, float]  # recall of each run, and mean number of documents read
N = 400
EVERY = (20, 10, 5, 2)
TAUS = (0.8, 0.95)
AT_ONCE = 500
SAMPLES = 20
REPLAYS, ON_REAL = 10_000, 500  # of a constructed list, and of a real one, which is longer


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


def ruled_out(labels: Flags, every: int, orders: NDArray[np.intp]) -> Flags:
    """Whether each replay ever rules the true total out, shape (replays,)."""
    drawn = np.flatnonzero(draws_at(len(labels), every))
    hits = labels[orders]
    found = np.cumsum(hits, axis=1) - hits
    chance = (labels.sum() - found[:, drawn]) / (len(labels) - drawn)
    stakes = log_stakes(hits[:, drawn], chance, len(drawn))
    return np.asarray(stakes.max(axis=1) >= -np.log(ALPHA))


def false_stops(labels: Flags, every: int, replays: int, seed: int = 1) -> float:
    """Share of replays that are ever wrong; every wrong statement, at whatever recall, needs that."""
    offered = orders(len(labels), every, replays, seed)
    parts = (offered[begin : begin + AT_ONCE] for begin in range(0, replays, AT_ONCE))
    return float(np.mean(np.concatenate([ruled_out(labels, every, part) for part in parts])))


@lru_cache(maxsize=len(EVERY))
def orders(documents: int, every: int, replays: int, seed: int) -> NDArray[np.intp]:
    """Orders in which lists of this length are offered, whatever their labels; shape (replays, documents)."""
    shuffled = np.random.default_rng(seed).permuted(np.tile(np.arange(documents), (replays, 1)), axis=1)
    return interleaved_all(every, shuffled)


def interleaved_all(every: int, shuffled: NDArray[np.intp]) -> NDArray[np.intp]:
    """What `tarstop_core.calibration.recall_bound.interleaved` does, of many orders at once; shape (replays, documents)."""
    replays, documents = shuffled.shape
    sources = np.broadcast_to(np.arange(documents), shuffled.shape), shuffled
    next_of = np.zeros((2, replays), dtype=np.intp)
    taken, offered, rows = np.zeros(shuffled.shape, dtype=bool), np.empty_like(shuffled), np.arange(replays)
    for place, draw in enumerate(draws_at(documents, every).tolist()):
        source, at = sources[draw], next_of[int(draw)]
        behind = rows
        while len(behind := behind[taken[behind, source[behind, at[behind]]]]):
            at[behind] += 1
        offered[:, place] = chosen = source[rows, at]
        taken[rows, chosen] = True
    return offered


def real_lists(data: Path) -> dict[str, list[Flags]]:
    """Labels of the ranked lists with a relevant document, by collection: reviews by title and abstract, and patents."""
    topics = {name: medical(data, name, "abs") for name in COLLECTIONS}
    topics |= {name: read(data, *PATENTS[name]) for name in EACH_ONCE}
    return {
        name: [np.asarray(topic.labels) for topic in of if topic.labels is not None and topic.labels.any()]
        for name, of in topics.items()
    }


def rules(tau: float) -> Mapping[str, Callable[[Flags], Stopped]]:
    """What stops at that recall."""
    return {
        **{f"audit draws, one in {every}": partial(_sampled, Audit(tau=tau, every=every)) for every in EVERY},
        "Target": partial(_sampled, Target(tau=tau, confidence=1 - ALPHA)),
        "QBCB, 100 drawn": partial(_sampled, QBCB(tau=tau, n_min=100, alpha=ALPHA)),
        "hypergeometric test": partial(_hypergeometric, tau),
    }


def _sampled(rule: Randomised, labels: Flags) -> Stopped:
    seen = rule.replicates(labels, SAMPLES, np.random.default_rng(7)).seen
    return seen[:, labels].mean(axis=1), float(seen.sum(axis=1).mean())


def _hypergeometric(tau: float, labels: Flags) -> Stopped:
    path = DecisivePath(hit_curve(np.full(len(labels), 0.01)), 0.5, Payoffs.from_q_star(0.5), labels=labels)
    depth = int(Hypergeometric(tau=tau, confidence=1 - ALPHA).depths(path, [0.0])[0])
    return np.array([labels[:depth].sum() / labels.sum()]), float(depth)


def costs(labels: Flags) -> list[tuple[float, str, float, float, float]]:
    """By recall and rule: share read, share that could have been left unread, and share of runs below the recall."""
    rows = []
    for tau in TAUS:
        needed = int(np.argmax(np.cumsum(labels) >= tau * labels.sum())) + 1
        for name, stopped in rules(tau).items():
            recall, depth = stopped(labels)
            missed = float((recall < tau - 1e-9).mean())
            rows.append((tau, name, depth / len(labels), (depth - needed) / len(labels), missed))
    return rows


def false_of(labels: Flags, replays: int) -> list[float]:
    """Share of false replays by how often a document is drawn."""
    return [false_stops(labels, every, replays) for every in EVERY]


def false_rows(
    collections: Mapping[str, list[Flags]], pool: ProcessPoolExecutor
) -> Iterator[dict[str, object]]:
    """Share of false replays of each constructed list, and in all and at worst of each collection."""
    parts = [(name, [labels], REPLAYS) for name, labels in constructed().items()]
    parts += [(name, labels, ON_REAL) for name, labels in collections.items()]
    for name, labels, replays in parts:
        shares = np.array(list(pool.map(partial(false_of, replays=replays), labels)))
        row = {"list": name, "lists": len(labels), "replays": replays}
        row |= {f"one_in_{every}": share for every, share in zip(EVERY, shares.mean(axis=0), strict=True)}
        yield row | {f"worst_{every}": worst for every, worst in zip(EVERY, shares.max(axis=0), strict=True)}


def measure() -> Tables:
    """False replays, and documents read by rule on reviews and on patents."""
    collections = real_lists(real_data())
    names = ["of", "tau", "rule", "read", "more", "below"]
    rows = []
    with ProcessPoolExecutor(2) as pool:
        false = pd.DataFrame(false_rows(collections, pool))
        for of, held in (("reviews", COLLECTIONS), ("patents", EACH_ONCE)):
            for name in held:
                rows += [(of, *row) for found in pool.map(costs, collections[name]) for row in found]
    table = pd.DataFrame(rows, columns=names).groupby(names[:3], sort=False).mean().reset_index()
    return {"recall_false": false.round(4), "recall_cost": table.round({"read": 2, "more": 2, "below": 3})}


def summarise(tables: Tables) -> dict[str, object]:
    """The worst constructed list, the real collections, and the cost in reviews."""
    false, cost = tables["recall_false"], tables["recall_cost"]
    real = false[false["replays"] == ON_REAL]
    shares = [f"one_in_{every}" for every in EVERY]
    reviews = cost[cost["of"] == "reviews"]
    by_rule = [
        {"rule": rule} | {f"at_{round(100 * row.tau)}": row._asdict() for row in part.itertuples()}
        for rule, part in reviews.groupby("rule", sort=False)
    ]
    worst = false[false["replays"] == REPLAYS][shares].max().to_dict()
    return {"worst": worst, "real": real[shares].max().to_dict(), "rules": by_rule}


STUDY = Study(
    page="recall_statement",
    reads="the medical and patent rankings in TARSTOP_REAL_DATA; three minutes",
    tables=("recall_false", "recall_cost"),
    measure=measure,
    summarise=summarise,
)
