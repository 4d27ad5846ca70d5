"""A piece: a chunk of cases as the run sees it, with what is known of it and the job that finds the rest."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from tarstop_core.evaluation.cases import Case
from tarstop_core.evaluation.fingerprint import code_digest
from tarstop_core.evaluation.finished import Finished
from tarstop_core.evaluation.jobs import TRUTH, Answers, Asked, Choice, Job, tally_name
from tarstop_core.evaluation.knowledge import digest_of
from tarstop_core.evaluation.methods import Method
from tarstop_core.evaluation.tally import judged
from tarstop_core.value.payoffs import Floats

CHUNK = 10
"""Cases of one job, whatever runs it."""


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a fold: the training cases to tune on, or the test cases."""

    fold: int
    cases: Sequence[Case]
    """Taken a chunk at a time."""
    weights: Floats
    """Of the cases."""
    knowledge: Mapping[str, Any]
    """By variant, what was learned from the fold's training cases."""
    methods: tuple[Method, ...]
    choice: Choice | None
    """The settings to test; None to tune."""


class About(NamedTuple):
    """What results keep of a case."""

    name: str
    group: str
    documents: int
    judged: bool


@dataclass(frozen=True, eq=False)
class Piece:
    """What is known of a chunk. It holds no lists, so many may wait for their answers."""

    fold: int
    cases: tuple[About, ...]
    keys: Mapping[str, str]
    """What each answer is kept under."""
    known: Answers
    """The answers that were kept."""
    effort: float

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be found."""
        return self.known.keys() == self.keys.keys()


def effort(methods: Sequence[Method], *, tuning: bool) -> float:
    """Of a case, against 1 for trying one setting: settings of a grid share most of their work."""
    return float(sum(len(method.settings) ** 0.5 if tuning else 1 for method in methods))


def pieces(side: Side, asked: Asked, finished: Finished) -> Iterator[tuple[Piece, Job | None]]:
    """Every chunk of a side, with the job that finds what is not known of it; None where all is."""
    digests = {variant: digest_of(known) for variant, known in side.knowledge.items()}
    each_effort = effort(side.methods, tuning=side.choice is None)
    scenario = asked.task.scenario
    for first in range(0, len(side.cases), CHUNK):
        cases = tuple(side.cases[first : first + CHUNK])
        weights = side.weights[first : first + CHUNK]
        keys = _keys(side, asked, cases, weights, digests)
        kept = {name: finished.get(key) for name, key in keys.items()}
        piece = Piece(
            side.fold,
            tuple(About(case.name, case.group, len(case.topic), judged(case, scenario)) for case in cases),
            keys,
            {name: answer for name, answer in kept.items() if answer is not None},
            len(cases) * each_effort,
        )
        wanted = keys.keys() - piece.known.keys()
        yield piece, _job(side, asked, cases, weights, wanted) if wanted else None


def _keys(
    side: Side, asked: Asked, cases: Sequence[Case], weights: Floats, digests: Mapping[str, str]
) -> dict[str, str]:
    """What each answer on a chunk is kept under: all that it depends on."""
    about = (repr((code_digest(), asked)), [case.digest for case in cases])
    if side.choice is None:
        summed = (*about, weights.tolist())
        return {each.name: _key(summed, each.digest, digests[each.variant]) for each in side.methods}
    return {
        TRUTH: _key(about, TRUTH),
        **{tally_name(variant): _key(about, variant, digest) for variant, digest in digests.items()},
        **{
            each.name: _key(about, each.digest, digests[each.variant], side.choice[each.name].tolist())
            for each in side.methods
        },
    }


def _key(*parts: Any) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=20).hexdigest()


def _job(side: Side, asked: Asked, cases: tuple[Case, ...], weights: Floats, wanted: Set[str]) -> Job:
    """What finds the wanted answers on a chunk, and takes along no more knowledge than that needs."""
    methods = tuple(method for method in side.methods if method.name in wanted)
    extras = len(wanted) > len(methods)
    needed = set(side.knowledge) if extras else {method.variant for method in methods}
    return Job(
        asked=asked,
        cases=cases,
        weights=weights,
        knowledge={variant: known for variant, known in side.knowledge.items() if variant in needed},
        methods=methods,
        choice=None if side.choice is None else {each.name: side.choice[each.name] for each in methods},
        extras=extras,
    )
