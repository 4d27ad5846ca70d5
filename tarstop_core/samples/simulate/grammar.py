"""What both grammars of readable samples need."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence


def fill(
    template: str, values: Mapping[str, str], slots: Mapping[str, Sequence[str]], rng: random.Random
) -> str:
    """Put values, then random words for the slots they leave, in the place of {names}.

    Examples
    --------
    >>> fill("{n} {d}s", {"d": "valve"}, {"n": ["two"]}, random.Random(1))
    'two valves'
    """

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        return values[name] if name in values else rng.choice(slots[name])

    return re.sub(r"\{(\w+)\}", value, template)


def capital(text: str) -> str:
    """The text with its first letter in upper case; other letters stay.

    Examples
    --------
    >>> capital("the MRI of the hip")
    'The MRI of the hip'
    """
    return text[0].upper() + text[1:]


def capitals(words: Mapping[str, str]) -> dict[str, str]:
    """Words by name, and each once more as it begins a sentence, by its name in capital.

    Examples
    --------
    >>> capitals({"d": "valve"})
    {'d': 'valve', 'D': 'Valve'}
    """
    return dict(words) | {capital(name): capital(text) for name, text in words.items()}
