"""Words: the tokens that BM25 counts, and the words of a question marked in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

# Too common to be worth marking.
_STOP_WORDS = frozenset(
    "a about after all also among an and any are as at be been between both but by can could did do does during each "
    "either for from had has have he her his how i if in into is it its may might more most no nor not of on only or "
    "other our out over same she should since so some such than that the their them then there these they this "
    "those through to under until up upon was we were what when where whether which while who whose why will with "
    "within without would you your comprise having said thereof whereby wherein".split()
)
_WORD = re.compile(r"\w+")
_VOWEL = re.compile(r"[aeiouy]")
_SHORTEST = 3
_ENDINGS = ("ability", "able", "ably", "ing", "edly", "ed", "er", "ly")


def parts(text: str, wanted: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """A text in pieces, each with whether it is a word that is asked for.

    Parameters
    ----------
    text : str
    wanted : frozenset of str
        What :func:`stems` found in the query.

    Examples
    --------
    >>> [piece for piece, marked in parts("A mast, folded; the Folding hinges.", stems("fold a hinge")) if marked]
    ['folded', 'Folding', 'hinges']
    """
    # Letters with separate accents are words too.
    whole = unicodedata.normalize("NFC", text)
    end = 0
    for found in _WORD.finditer(whole):
        if _stem(found[0]) in wanted:
            if found.start() > end:
                yield whole[end : found.start()], False
            yield found[0], True
            end = found.end()
    if end < len(whole):
        yield whole[end:], False


@lru_cache(maxsize=64)
def stems(query: str) -> frozenset[str]:
    """The words of a query as :func:`parts` compares them, very common ones left out."""
    words = _WORD.findall(unicodedata.normalize("NFC", query))
    return frozenset(map(_stem, words)) - _common()


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    return frozenset(map(_stem, _STOP_WORDS))


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    """A word without accents, case and ending.

    A light stemmer after the first steps of Porter (1980), An algorithm for suffix stripping: plural, participle and
    what makes an adjective or an agent of a verb, then a doubled consonant or a last e. What is left keeps at least
    three letters and a vowel.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)).casefold()
    if len(plain) <= _SHORTEST or not plain.isalpha():
        return plain
    if plain.endswith("ies") and len(plain) > 4:
        plain = f"{plain[:-3]}y"
    elif plain.endswith(("sses", "xes", "ches", "shes")):
        plain = plain[:-2]
    elif plain.endswith("s") and not plain.endswith(("ss", "us", "is")):
        plain = plain[:-1]
    if plain.endswith(("tion", "sion")) and len(plain) > 7:
        plain = plain[:-3]
    for ending in _ENDINGS:
        rest = plain.removesuffix(ending)
        if rest != plain and len(rest) >= _SHORTEST and _VOWEL.search(rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in ("aeiousz" if len(rest) > 5 else "aeiouslz")
            plain = rest[:-1] if doubled and len(rest) > _SHORTEST else rest
            break
    if len(plain) > _SHORTEST and plain.endswith("e"):
        plain = plain[:-1]
    return f"{plain[:-1]}i" if plain.endswith("y") and len(plain) > _SHORTEST else plain


def tokens(text: str) -> list[str]:
    """Split a text as BM25 sees it: lower case, at white space, punctuation kept.

    Examples
    --------
    >>> tokens("Folding  mast, portable.")
    ['folding', 'mast,', 'portable.']
    """
    return text.lower().split()
