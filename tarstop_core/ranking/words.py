"""Split texts into the words that BM25 counts, and find the words of a query in a text."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

# Words too common to be marked or counted, in English and in patent claims. Longer lists, such as scikit-learn's, contain
# words that people search for: fire, mill, front, system.
_STOP_WORDS = frozenset(
    "a about after all also among an and any are as at be been between both but by can could did do does during each "
    "either for from had has have he her his how i if in into is it its may might more most no nor not of on only or "
    "other our out over same she should since so some such than that the their them then there these they this "
    "those through to under until up upon was we were what when where whether which while who whose why will with "
    "within without would you your comprise having said thereof whereby wherein".split()
)
_WORD = re.compile(r"\w+")
_TO_SPACE = {code: " " for code in range(128) if not _WORD.match(chr(code))}


def parts(text: str, wanted: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Split a text into pieces, each with whether it is a word with one of the wanted stems (see :func:`stems`).

    >>> [piece for piece, marked in parts("A mast, folded; the Folding hinges.", stems("fold a hinge")) if marked]
    ['folded', 'Folding', 'hinges']
    """
    # Letters followed by combining accents become single letters, which the pattern matches.
    whole = unicodedata.normalize("NFC", text)
    end = 0
    for word in _WORD.finditer(whole) if wanted else ():
        if _stem(word[0]) in wanted:
            if word.start() > end:
                yield whole[end : word.start()], False
            yield word[0], True
            end = word.end()
    if end < len(whole):
        yield whole[end:], False


@lru_cache(maxsize=64)
def stems(query: str) -> frozenset[str]:
    """Stems of the words of a query, without very common words, for :func:`parts`."""
    return frozenset(WORD_TOKENS(query))


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    """Stem of a word, without accents and in lower case."""
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    # Stemmers have a state and pages run in threads, so every word gets a new one.
    return str(Stemmer.Stemmer("english", 0).stemWord(word.casefold()))


_STOP_STEMS = frozenset(map(_stem, _STOP_WORDS))


@dataclass(frozen=True)
class Tokens:
    """How to split a text into the words that BM25 counts."""

    split: Callable[[str], list[str]]  # Splits a text into pieces
    word: Callable[[str], str]  # Converts a piece to a word; "" if it does not count

    def __call__(self, text: str) -> list[str]:
        """Split a text into words.

        >>> PAPER_TOKENS("Folding  mast, for the X-ray.")
        ['folding', 'mast,', 'for', 'the', 'x-ray.']
        >>> WORD_TOKENS("Folding  mast, for the X-ray.")
        ['fold', 'mast', 'x', 'ray']
        """
        return [word for word in map(self.word, self.split(text)) if word]


def _by_space(text: str) -> list[str]:
    return text.lower().split()


def _by_word(text: str) -> list[str]:
    if text.isascii():  # as nearly all texts are; this takes half the time
        return text.translate(_TO_SPACE).split()
    return _WORD.findall(unicodedata.normalize("NFC", text))


def _counted(word: str) -> str:
    stem = _stem(word)
    return "" if stem in _STOP_STEMS else stem


PAPER_TOKENS = Tokens(_by_space, str)
"""Tokens of the paper: lower case, split at white space, with punctuation."""
WORD_TOKENS = Tokens(_by_word, _counted)
"""Word stems without common words, as :func:`parts` marks them."""
