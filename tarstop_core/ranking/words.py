"""Words: the tokens that BM25 counts, and the words of a question marked in a text."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import snowballstemmer

# Too common to be worth marking.
_STOP_WORDS = frozenset(
    "a about after all also among an and any are as at be been between both but by can could did do does during each "
    "either for from had has have he her his how i if in into is it its may might more most no nor not of on only or "
    "other our out over same she should since so some such than that the their them then there these they this "
    "those through to under until up upon was we were what when where whether which while who whose why will with "
    "within without would you your comprise having said thereof whereby wherein".split()
)
_WORD = re.compile(r"\w+")


def parts(text: str, wanted: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """A text in pieces, each with whether it is a word that is asked for: one that :func:`stems` found in the query.

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
    return frozenset(map(_stem, words)) - frozenset(map(_stem, _STOP_WORDS))


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    """A word without accents, case and ending."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)).casefold()
    # A stemmer of its own for every word: it keeps its place in the word, and pages run in threads.
    return str(snowballstemmer.stemmer("english").stemWord(plain))


def tokens(text: str) -> list[str]:
    """Split a text as BM25 sees it: lower case, at white space, punctuation kept.

    Examples
    --------
    >>> tokens("Folding  mast, portable.")
    ['folding', 'mast,', 'portable.']
    """
    return text.lower().split()
