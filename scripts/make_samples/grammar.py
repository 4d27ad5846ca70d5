"""What both grammars of readable samples need."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tarstop_core.documents.topic import Topic
from tarstop_core.ranking.bm25 import rank_documents


def fill(
    template: str, values: Mapping[str, str], slots: Mapping[str, Sequence[str]], rng: random.Random
) -> str:
    """Put values, then random words for the slots they leave, in the place of {names}.

    >>> fill("{n} {d}s", {"d": "valve"}, {"n": ["two"]}, random.Random(1))
    'two valves'
    """

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        return values[name] if name in values else rng.choice(slots[name])

    return re.sub(r"\{(\w+)\}", value, template)


def capitals(words: Mapping[str, str]) -> dict[str, str]:
    """Words by name, and each once more as it begins a sentence, by its name in capital.

    >>> capitals({"d": "an MRI"})
    {'d': 'an MRI', 'D': 'An MRI'}
    """
    capital = {name: text[0].upper() + text[1:] for name, text in words.items()}
    return dict(words) | {name[0].upper() + name[1:]: text for name, text in capital.items()}


def apart(
    seed: int, what: str, numbers: range, subjects: Sequence[Any]
) -> Iterator[tuple[Any, list[int], random.Random]]:
    """Each subject with a number for every document that its plan wants, no number twice, and its own random stream."""
    total = sum(subject.plan.documents for subject in subjects)
    drawn = iter(random.Random(f"{seed} {what}").sample(numbers, total))
    for subject in subjects:
        own = [*islice(drawn, subject.plan.documents)]
        yield subject, own, random.Random(f"{seed} {subject.topic} {subject.plan.draw}")


def unlike(made: Callable[[], Any], titles: set[str], abstracts: set[str]) -> Any:
    """The first document made whose title and abstract are new; they are added to those that are known."""
    document = made()
    while document.title in titles or document.abstract in abstracts:
        document = made()
    titles.add(document.title)
    abstracts.add(document.abstract)
    return document


def ranked(name: str, query: str, pool: Sequence[Any], wanted: Sequence[bool]) -> Topic:
    """A pool as the dashboard ranks it, with what is wanted as relevant."""
    order, scores = rank_documents([f"{each.title} {each.abstract}" for each in pool], query)
    ids, labels = np.array([each.id for each in pool]), np.array(wanted)[order]
    return Topic(name, ids[order], scores[order], labels, int(labels.sum()))
