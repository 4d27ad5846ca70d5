"""How databases and tools name the columns of their exports, as ``synonyms.toml`` has it."""

import tomllib
from importlib.resources import files

_SAID = tomllib.loads((files(__package__) / "synonyms.toml").read_text(encoding="utf-8"))


def names_of(kind: str) -> dict[str, tuple[str, ...]]:
    """The names of each field, by preference, in files of one kind: a section of ``synonyms.toml``."""
    return {field: tuple(names) for field, names in _SAID[kind].items()}


SYNONYMS = names_of("records")
TAG_SYNONYMS = names_of("tags")
