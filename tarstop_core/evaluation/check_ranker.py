"""Does a ranker look ahead? Trials on invented lists that show whether its order rests on the labels it was told."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from tarstop_core.evaluation.reranking import simulate
from tarstop_core.policies.check import ENOUGH, CheckResult
from tarstop_core.ranking.features import make_features
from tarstop_core.ranking.learning import Feedback, Label, Ranker

LENGTHS = (1, 2, 7, 40)
_WORDS = 30


def check_ranker(ranker: Ranker, lists: int = 8) -> CheckResult:
    """Try a ranker on invented lists of 1 to 40 documents.

    Given the same, it must give the same scores, a finite one for each document, and leave what it was given as it was. Each
    list is also read to its end, then again with other labels from some document on: up to that document, itself
    included, the order must be the same, for that is all that anybody knew when it was put there.
    """
    rng = np.random.default_rng(0)
    found: list[str] = []
    for trial in range(lists):
        found += [each for each in _findings(ranker, LENGTHS[trial % len(LENGTHS)], rng) if each not in found]
        if len(found) >= ENOUGH:
            return CheckResult(ranker.name, trial + 1, tuple(found[:ENOUGH]))
    return CheckResult(ranker.name, lists, tuple(found))


def _findings(ranker: Ranker, N: int, rng: np.random.Generator) -> list[str]:
    try:
        return [*islice(_tried(ranker, N, rng), 1)]
    except Exception as problem:
        said = " ".join(str(problem).split()).rstrip(".")
        return [f"On a list of {N} documents it fails: {type(problem).__name__}: {said}."]


def _tried(ranker: Ranker, N: int, rng: np.random.Generator) -> Iterator[str]:
    about = rng.random(N) < 0.3
    words = [rng.integers(10 * topic, 10 * topic + _WORDS, 8) for topic in about]
    texts = [" ".join(f"word{number}" for number in each) for each in words]
    features, start = make_features(texts), rng.random(N)
    labels = rng.choice([*Label], N, p=[0.4, 0.3, 0.15, 0.1, 0.05]).astype(np.int8)
    outside = np.where(rng.random(N) < 0.2, np.nan, rng.random(N))
    told = Feedback("word12 word13", labels, start, "word14", "word1", outside)
    untouched = replace(told, labels=labels.copy(), start=start.copy(), outside=outside.copy())
    first, again = (np.asarray(ranker.scores(features, told, 1)) for _ in range(2))
    where = f"On a list of {N} documents it"
    if first.shape != (N,) or not np.isfinite(first.astype(float)).all():
        yield f"{where} gives scores of shape {first.shape}, or not finite; one number for each document is needed."
    if not np.array_equal(first, again):
        yield f"{where} gives other scores when told the same again; let what it draws follow from the seed."
    for name in ("labels", "start", "outside"):
        if not np.array_equal(getattr(told, name), getattr(untouched, name), equal_nan=name == "outside"):
            yield f"{where} changes the {name} it was given; work on a copy."
    whole = simulate(features, "word12", about, ranker=ranker, seed=1, start=start).order
    for read in sorted({0, 1, N // 3}):
        other = about.copy()
        other[whole[read:]] = rng.random(N - read) < 0.5
        changed = simulate(features, "word12", other, ranker=ranker, seed=1, start=start).order
        if not np.array_equal(changed[: read + 1], whole[: read + 1]):
            yield f"{where} puts others among the first {read + 1} when only labels after {read} change: it looks ahead."
