"""Reads the words that the generators compose with: TOML files, each of which fills one dataclass.

The dataclass says what a file must hold; a file that holds less, more or something else raises, so that no
word is lost in silence. Order is kept, because seeded draws depend on it.
"""

import tomllib
from dataclasses import is_dataclass
from importlib.resources.abc import Traversable
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

Filled = TypeVar("Filled")

Slots = dict[str, tuple[str, ...]]  # The words, one of which is drawn in the place of a {name} of a template


def read(kind: type[Filled], file: Traversable, **known: str) -> Filled:
    """What a TOML file says, as a dataclass; `known` are fields that it need not say.

    The fields are texts, numbers, tuples, dicts and dataclasses of them. A tuple of texts is an array, or numbers that
    go up: ``{ from = 2, to = 10, step = 2 }``. A tuple of dataclasses with two fields may be a table of them. ValueError
    naming the place where the file is no TOML, or lacks a field, has one too many, or has another kind of thing in it.
    """
    try:
        said = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"{file.name}: {problem}") from problem
    made: Filled = _made(kind, known | said, file.name)
    return made


def read_folder(kind: type[Filled], folder: Traversable) -> tuple[Filled, ...]:
    """One dataclass from each TOML file of a folder, in order of their topic, which is the file's name."""
    names = (file.name for file in folder.iterdir())
    topics = sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))
    return tuple(read(kind, folder / f"{topic}.toml", topic=topic) for topic in topics)


def _made(kind: Any, said: Any, where: str) -> Any:
    """What is said at a place, as the type there."""
    parts = get_args(kind)
    if kind is str and isinstance(said, str) and said.strip():
        return " ".join(said.split())
    if kind in (int, float) and type(said) in (int, kind):
        return kind(said)
    if get_origin(kind) is tuple and isinstance(said, list) and said:
        return tuple(_made(parts[0], each, f"{where}, entry {n}") for n, each in enumerate(said, start=1))
    if get_origin(kind) is tuple and isinstance(said, dict) and said:
        if parts[0] is str:
            return _numbers(said, where)
        return tuple(parts[0](name, _made(str, each, f"{where}.{name}")) for name, each in said.items())
    if get_origin(kind) is dict and isinstance(said, dict) and said:
        return {name: _made(parts[1], each, f"{where}.{name}") for name, each in said.items()}
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(said, dict):
        fields = get_type_hints(kind)
        if wrong := sorted(fields.keys() ^ said.keys()):
            raise ValueError(f"{where}: missing or unknown: {', '.join(wrong)}")
        return kind(**{name: _made(fields[name], each, f"{where}.{name}") for name, each in said.items()})
    raise ValueError(f"{where}: these are not the words that belong here: {said!r}")


def _numbers(said: dict[str, Any], where: str) -> tuple[str, ...]:
    whole = all(type(each) is int and each > 0 for each in said.values())
    if whole and said.keys() == {"from", "to", "step"}:
        numbers = tuple(str(n) for n in range(said["from"], said["to"] + 1, said["step"]))
        if numbers and numbers[-1] == str(said["to"]):
            return numbers
    raise ValueError(f"{where}: numbers are said as {{ from = 2, to = 10, step = 2 }}")
