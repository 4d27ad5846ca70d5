"""Reads the words that the generators compose with, from TOML files, in the order of the files: seeded draws depend on it."""

import tomllib
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

from tarstop_core.envelope import validated
from tarstop_core.errors import InputProblem

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
