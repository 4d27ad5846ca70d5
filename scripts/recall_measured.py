"""Replay audit draws on constructed and real lists: how often the bound on recall is wrong, and what it costs.

    python scripts/recall_measured.py [REPLAYS]

Every replay reads a list to its end and looks after every document. It is false if the true total is ruled out at any
time, which is what every statement, at whatever recall, rests on. Real lists: TARSTOP_REAL_DATA. Writes the part "What was
measured" of ``docs/recall_statement.md``; run again, it writes the same.
"""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scripts.report_travel import table
from scripts.travel_measured import COLLECTIONS, EACH_ONCE, PATENTS, medical, read
from tarstop_core.belief.decisive import hit_curve
from tarstop_core.calibration.recall_bound import ALPHA, draws_at, log_stakes
from tarstop_core.documents.tables import Flags
from tarstop_core.policies import QBCB, Audit, Hypergeometric, Randomised, Target
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs

Lists = Mapping[str, Flags]
N = 400
EVERY = (20, 10, 5, 2)
TAUS = (0.8, 0.95)
AT_ONCE = 500
SAMPLES = 20
REPLAYS, ON_REAL, AGAIN = 10_000, 20, 5
"""Of a constructed list; so many times as many as of a real one, which is longer, and as of one that is looked at again."""
WORKERS = 2
PAGE = Path(__file__).resolve().parents[1] / "docs" / "recall_statement.md"


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
    """Share of replays that are ever wrong."""
    offered = orders(len(labels), every, replays, seed)
    parts = (offered[begin : begin + AT_ONCE] for begin in range(0, replays, AT_ONCE))
    return float(np.mean(np.concatenate([ruled_out(labels, every, part) for part in parts])))


@lru_cache(maxsize=len(EVERY))
def orders(documents: int, every: int, replays: int, seed: int) -> NDArray[np.intp]:
    """Orders in which lists of this length are offered, whatever their labels; shape (replays, documents)."""
    shuffled = np.random.default_rng(seed).permuted(np.tile(np.arange(documents), (replays, 1)), axis=1)
    return interleaved_all(every, shuffled)


def interleaved_all(every: int, shuffled: NDArray[np.intp]) -> NDArray[np.intp]:
    """What :func:`tarstop_core.calibration.recall_bound.interleaved` does, of many orders at once; shape (replays, documents)."""
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


def real(folder: Path) -> dict[str, Lists]:
    """Ranked lists with a relevant document, by collection: reviews by title and abstract, and patents."""
    topics = {name: medical(folder, name, "abs") for name in COLLECTIONS}
    topics |= {name: read(folder, *PATENTS[name]) for name in EACH_ONCE}
    return {
        name: {each.name: each.labels for each in found if each.labels is not None and each.labels.any()}
        for name, found in topics.items()
    }


def rules(tau: float) -> dict[str, Callable[[Flags, np.random.Generator], tuple[NDArray[np.float64], float]]]:
    """What stops at that recall: of a list, recall of each run and documents read."""
    return {
        **{f"audit draws, one in {every}": _runs(Audit(tau=tau, every=every)) for every in EVERY},
        "Target": _runs(Target(tau=tau, confidence=1 - ALPHA)),
        "QBCB, 100 drawn": _runs(QBCB(tau=tau, n_min=100, alpha=ALPHA)),
        "hypergeometric test": lambda labels, rng: _hypergeometric(labels, tau),
    }


def costs(labels: Flags) -> NDArray[np.float64]:
    """Share read, share that could have been left unread, and share of runs below, by rule and recall; shape (rules, 6)."""
    rows = []
    for tau in TAUS:
        needed = int(np.argmax(np.cumsum(labels) >= tau * labels.sum())) + 1
        for run in rules(tau).values():
            recall, depth = run(labels, np.random.default_rng(7))
            missed = (recall < tau - 1e-9).mean()
            rows.append((depth / len(labels), (depth - needed) / len(labels), missed))
    return np.hstack(np.split(np.array(rows), len(TAUS)))


def _runs(rule: Randomised) -> Callable[[Flags, np.random.Generator], tuple[NDArray[np.float64], float]]:
    def run(labels: Flags, rng: np.random.Generator) -> tuple[NDArray[np.float64], float]:
        seen = rule.replicates(labels, SAMPLES, rng).seen
        return seen[:, labels].mean(axis=1), float(seen.sum(axis=1).mean())

    return run


def _hypergeometric(labels: Flags, tau: float) -> tuple[NDArray[np.float64], float]:
    path = DecisivePath(hit_curve(np.full(len(labels), 0.01)), 0.5, Payoffs.from_q_star(0.5), labels=labels)
    depth = int(Hypergeometric(tau=tau, confidence=1 - ALPHA).depths(path, [0.0])[0])
    return np.array([labels[:depth].sum() / labels.sum()]), float(depth)


def false_of(lists: Iterable[Flags], replays: int, pool: Executor) -> NDArray[np.float64]:
    """Share of false replays of each list, shape (lists, len(EVERY))."""
    return np.array(list(pool.map(partial(_false, replays=replays), lists)))


def again_of(
    collections: Mapping[str, Lists], found: Mapping[str, NDArray[np.float64]], replays: int, pool: Executor
) -> NDArray[np.float64]:
    """The same, with other draws, where more than may be were false."""
    lists = [
        (labels, share)
        for name in found
        for labels, share in zip(collections[name].values(), found[name], strict=True)
    ]
    jobs = [
        (labels, every)
        for labels, share in lists
        for every, one in zip(EVERY, share, strict=True)
        if one > ALPHA
    ]
    return (
        np.array(list(pool.map(partial(false_stops, replays=replays, seed=2), *zip(*jobs, strict=True))))
        if jobs
        else np.zeros(1)
    )


def _false(labels: Flags, replays: int) -> list[float]:
    return [false_stops(labels, every, replays) for every in EVERY]


def costs_table(found: NDArray[np.float64]) -> str:
    """By rule, the mean over lists; shape (lists, rules, 6)."""
    rows = [
        [
            name,
            *(
                f"{value:.{digits}%}".replace("%", " %")
                for value, digits in zip(row, (0, 0, 1) * 2, strict=True)
            ),
        ]
        for name, row in zip(rules(TAUS[0]), found.mean(axis=0), strict=True)
    ]
    head = [
        each.format(f"{tau:.0%}".replace("%", " %"))
        for tau in TAUS
        for each in ("read, for {}", "more than needed", "below {}")
    ]
    return table(["rule", *head], rows)


def measured(replays: int, collections: Mapping[str, Lists]) -> str:
    """The part of the page."""
    shares = [f"one in {every}" for every in EVERY]
    with ProcessPoolExecutor(WORKERS) as pool:
        made = constructed()
        wrong = false_of(made.values(), replays, pool)
        of_real = {
            name: false_of(lists.values(), replays // ON_REAL, pool) for name, lists in collections.items()
        }
        again = again_of(collections, of_real, replays // AGAIN, pool)
        cost = {name: np.array(list(pool.map(costs, lists.values()))) for name, lists in collections.items()}
    reviews, patents = (np.concatenate([cost[name] for name in names]) for names in (COLLECTIONS, EACH_ONCE))
    rows = [[name, *_percent(each)] for name, each in zip(made, wrong, strict=True)]
    by_collection = [
        [
            name,
            f"{len(each)}",
            *(
                f"{mean} ({worst})"
                for mean, worst in zip(_percent(each.mean(axis=0)), _percent(each.max(axis=0)), strict=True)
            ),
        ]
        for name, each in of_real.items()
    ]
    by_collection_cost = [
        [
            name,
            *(
                f"{each.mean(axis=0)[at, column]:.0%}".replace("%", " %")
                for column in (0, 3)
                for at in range(len(EVERY))
            ),
        ]
        for name, each in cost.items()
    ]
    head = [f"{tau:.0%}, one in {every}".replace("%", " %") for tau in TAUS for every in EVERY]
    return f"""`python scripts/recall_measured.py` (167 s of computing, a minute and a half on two free cores) replays each list to its end, {replays:,} times with other draws,
looks after every document, and writes this part of the page. A replay is false if the true total is ever ruled out; every wrong
sentence, at whatever recall, needs that. At most {100 * ALPHA:g} % may be.

{table([f"list of {N}", *shares], rows)}

Real lists, {replays // ON_REAL:,} replays each: reviews of CLEF TAR by title and abstract, patents of CLEF-IP 2011 and BioPAT (measured on only; what
is cited is relevant, as far as it is ranked). Share of false replays in all, and on the worst list:

{table(["collection", "lists", *shares], by_collection)}

By chance some of so many worst lists lie above {100 * ALPHA:g} %. The {len(again)} that did were replayed {replays // AGAIN:,} times with other draws: {100 * again.mean():.2f} % in
all, at most {100 * again.max():.2f} %.

Documents read on the {len(reviews)} lists of reviews, mean share; more than the shortest prefix with that recall; runs that ended
below it ({SAMPLES} samples; Target and QBCB draw their sample before, and the latter needs 100 relevant ones):

{costs_table(reviews)}

And on the {len(patents)} of patents, which are of 100 to 335 documents with few relevant ones, so that next to nothing can be shown before their end:

{costs_table(patents)}

Share of the list that audit draws read, by collection:

{table(["collection", *head], by_collection_cost)}
"""


def _percent(shares: Iterable[float]) -> list[str]:
    return [f"{100 * share:.2f} %" for share in shares]


def main() -> None:
    """Measure, and write the part of the page."""
    folder = os.environ.get("TARSTOP_REAL_DATA")
    if not folder:
        sys.exit("TARSTOP_REAL_DATA is not set; name the folder with the real lists.")
    replays = int(sys.argv[1]) if len(sys.argv) > 1 else REPLAYS
    before, heading, rest = PAGE.read_text(encoding="utf-8").partition("## What was measured\n\n")
    _, end, after = rest.partition("\nThe hypergeometric test reads less")
    PAGE.write_text(before + heading + measured(replays, real(Path(folder))) + end + after, encoding="utf-8")


if __name__ == "__main__":
    main()
