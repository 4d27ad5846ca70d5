"""Reads the words that the generators compose with: TOML files, each of which fills one dataclass.

The dataclass says what a file must hold; a file that holds less, more or something else raises, so that no
word is lost in silence. Order is kept, because seeded draws depend on it.
"""

import tomllib
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

from tarstop_core.envelope import validated
from tarstop_core.errors import InputProblem

Filled = TypeVar("Filled")

Slots = dict[str, tuple[str, ...]]  # The words, one of which is drawn in the place of a {name} of a template


def read(kind: type[Filled], file: Traversable, **known: str) -> Filled:
    """What a TOML file says, as a dataclass; `known` are fields that it need not say.

    Numbers that go up may stand for texts: ``{ from = 2, to = 10, step = 2 }``. InputProblem naming the place where the file
    is no TOML, or lacks a field, has one too many, or has another kind of thing in it.
    """
    try:
        said = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as problem:
        raise InputProblem(f"{file.name}: {problem}") from problem
    return validated(kind, known | _plain(said), file.name, "correct it", by_hand=True)


def read_folder(kind: type[Filled], folder: Traversable) -> tuple[Filled, ...]:
    """One dataclass from each TOML file of a folder, in order of their topic, which is the file's name."""
    names = (file.name for file in folder.iterdir())
    topics = sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))
    return tuple(read(kind, folder / f"{topic}.toml", topic=topic) for topic in topics)


def _plain(said: Any) -> Any:
    """What is said with each text on one line, and numbers in full."""
    if isinstance(said, str):
        return " ".join(said.split())
    if isinstance(said, list):
        return [_plain(each) for each in said]
    if not isinstance(said, dict):
        return said
    if said.keys() == {"from", "to", "step"}:
        return [str(number) for number in range(said["from"], said["to"] + 1, said["step"])]
    return {name: _plain(each) for name, each in said.items()}
