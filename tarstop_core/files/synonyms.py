"""How databases and tools name the columns of their exports, as ``synonyms.toml`` has it."""

import re
import tomllib
from importlib.resources import files

_SAID = tomllib.loads((files(__package__) / "synonyms.toml").read_text(encoding="utf-8"))


def names_of(kind: str) -> dict[str, tuple[str, ...]]:
    """The names of each field, by preference, in files of one kind: a section of ``synonyms.toml``."""
    return {field: tuple(names) for field, names in _SAID[kind].items()}


SYNONYMS = names_of("records")
LONGEST = 200  # Characters of what may be a header: a cell of text is none
TAG_SYNONYMS = names_of("tags")


def normal_header(name: str) -> str:
    """Return a header in the form in which `SYNONYMS` lists it."""
    if len(name) > LONGEST:
        return ""
    return re.sub(r"[\s_.\-/]+", " ", name.strip().strip('"').casefold()).strip(" :")
