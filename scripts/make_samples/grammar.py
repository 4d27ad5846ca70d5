"""What the grammars of readable samples need: their words, and how texts and pools are made of them."""

import random
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from tarstop_core.documents.topic import Topic
from tarstop_core.envelope import validated
from tarstop_core.errors import InputProblem
from tarstop_core.ranking.bm25 import rank_documents

Filled = TypeVar("Filled")


def read_words(file: Traversable) -> dict[str, Any]:
    """What a TOML file says, each text on one line; ``{ from = 2, to = 10, step = 2 }`` stands for these numbers.

    InputProblem naming the file where it is no TOML.
    """
    try:
        said: dict[str, Any] = _plain(tomllib.loads(file.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as problem:
        raise InputProblem(f"{file.name}: {problem}") from problem
    return said


def read_folder(kind: type[Filled], folder: Traversable) -> tuple[Filled, ...]:
    """One dataclass from each TOML file of a folder, in order of their topic, which is the file's name.

    InputProblem naming the place where a file lacks a field, has one too many, or has another kind of thing in it.
    """
    names = (file.name for file in folder.iterdir())
    topics = sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))
    said = {topic: {"topic": topic} | read_words(folder / f"{topic}.toml") for topic in topics}
    return tuple(validated(kind, said[each], f"{each}.toml", "correct it", by_hand=True) for each in topics)


def _plain(said: Any) -> Any:
    if isinstance(said, str):
        return " ".join(said.split())
    if isinstance(said, list):
        return [_plain(each) for each in said]
    if not isinstance(said, dict):
        return said
    if said.keys() == {"from", "to", "step"}:
        return [str(number) for number in range(said["from"], said["to"] + 1, said["step"])]
    return {name: _plain(each) for name, each in said.items()}


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
