"""Put the records of a collection in screening order, and suggest how."""

import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.documents.records import date_key, ranking_text
from tarstop_core.errors import InputProblem
from tarstop_core.ranking.bm25 import PAPER, Bm25Index, Recipe, build_index, rank_order

NEARLY_ALWAYS = 0.9  # A list counts as sorted if this share of neighbours rises, or falls

Order = Literal["scores", "text", "own"]
QUERY_SHOWN = 60  # A sentence repeats at most this many characters of a query


@dataclass(frozen=True, eq=False)
class Ranking:
    """A collection in screening order."""

    order: NDArray[np.intp]  # Positions in the collection in screening order, shape (N,)
    scores: NDArray[np.float64] | None
    """Scores in screening order, shape (N,); None if the list has only an order."""
    how: str  # A sentence on the source of the order
    recipe: str = ""  # Name of the BM25 recipe that the scores come from; empty if they come from elsewhere

    def __len__(self) -> int:
        return len(self.order)


def prepare(
    frame: pd.DataFrame,
    order: str = "text",
    query: str = "",
    *,
    recipe: Recipe = PAPER,
    index: Bm25Index | None = None,
) -> Ranking:
    """Put the records of a collection in screening order.

    Parameters
    ----------
    frame : DataFrame
        One or more records.
    order : {"scores", "text", "own"}
        By the scores in the file, by BM25 with the query, or in the order of the list.
    query : str
        Words to search for.
    recipe : Recipe
        Tokens and parameters of BM25.
    index : Bm25Index, optional
        An index of the records' `ranking_text` by this recipe; without one, the texts are indexed.

    Returns
    -------
    Ranking

    Raises
    ------
    InputProblem
        When there are no records, a score is missing, or the query cannot rank them.

    Examples
    --------
    >>> from tarstop_core.documents.records import as_records
    >>> frame = as_records({"id": ["a", "b", "c"], "title": ["Kettle", "Foldable mast", "Lid"]})
    >>> prepare(frame, "text", "a mast").order.tolist()
    [1, 0, 2]
    >>> prepare(frame, "own").scores is None
    True
    """
    if not len(frame):
        raise InputProblem("There are no documents to order; choose a file with records.")
    if order == "own":
        return Ranking(np.arange(len(frame)), None, "In the list's own order.")
    if order == "scores":
        return _by_own_scores(frame)
    if order == "text":
        return _by_text(frame, query, recipe, index)
    raise InputProblem(f"There is no order '{order}'; choose one of scores, text, own.")


def leave_out(ranking: Ranking, left_out: NDArray[np.bool_], what: str) -> Ranking:
    """Leave some documents out of a ranking; the others keep their order and scores.

    Parameters
    ----------
    ranking : Ranking
        The ranking of a collection.
    left_out : ndarray of bool, by position in the collection
        Whether to leave out each document.
    what : str
        A clause that describes them.

    Returns
    -------
    Ranking
        Its sentence tells how many were left out.

    Examples
    --------
    >>> shorter = leave_out(Ranking(np.array([2, 0, 1]), None, "By hand."), np.array([True, False, False]), "too late")
    >>> shorter.order.tolist(), shorter.how
    ([2, 1], 'By hand. Left out: 1 document too late.')
    """
    kept = ~left_out[ranking.order]
    count = int(np.count_nonzero(~kept))
    how = f"{ranking.how} Left out: {count:,} {'document' if count == 1 else 'documents'} {what}."
    scores = None if ranking.scores is None else ranking.scores[kept]
    return replace(ranking, order=ranking.order[kept], scores=scores, how=how)


def suggest_order(frame: pd.DataFrame) -> tuple[Order, str]:
    """Suggest an order for a list, with the reason as a sentence.

    The list's own order is suggested only if it may follow relevance. A wrong order would make all chances wrong, and a
    query can always be written instead.

    >>> from tarstop_core.documents.records import as_records
    >>> suggest_order(as_records({"id": ["a", "b"], "title": ["Lid", "Cup"], "score": [0.2, 0.9]}))
    ('scores', 'Every record has a score in the file.')
    """
    scores = frame["score"].to_numpy()
    if len(frame) > 1 and np.isfinite(scores).all() and np.ptp(scores) > 0:
        return "scores", "Every record has a score in the file."
    if len(frame) < SHORTEST_TELLING_LIST:
        return "text", "The list is too short to see whether its order follows relevance."
    if several_files(frame):
        return "text", "Several files joined are not one list in order of relevance."
    hint = order_hint(frame)
    if hint is not None:
        return "text", hint
    for column, name in (
        ("publication_number", "publication number"),
        ("pmid", "PMID"),
        ("id", "identifier"),
    ):
        numbers = frame[column].tolist()
        # The row numbers that stand in for missing ids rise in every list.
        if _sorted(numbers) and not all(re.fullmatch(r"row \d+", number) for number in numbers):
            return "text", _sorted_by(name)
    return (
        "own",
        "The list is not sorted by date, title or number: keep its order if your search ranked it.",
    )


def several_files(frame: pd.DataFrame) -> bool:
    """Whether the records come from several files, each of which may be ranked by itself.

    >>> several_files(pd.DataFrame({"source": ["a.csv", "a.csv; b.csv"]}))
    False
    """
    return bool(frame["source"].str.split("; ").str[0].nunique() > 1)


def _by_own_scores(frame: pd.DataFrame) -> Ranking:
    scores = frame["score"].to_numpy(dtype=np.float64)
    missing = int(np.count_nonzero(~np.isfinite(scores)))
    if missing == len(scores):
        raise InputProblem(
            "The file has no scores; order the documents by a query or keep the list's own order."
        )
    if missing:
        raise InputProblem(
            f"{missing:,} of {len(scores):,} documents have no score; fill them in the file, order the documents by "
            "a query, or keep the list's own order."
        )
    order = rank_order(scores)
    return Ranking(order, scores[order], "By the scores in the file, highest first.")


def _by_text(frame: pd.DataFrame, query: str, recipe: Recipe, index: Bm25Index | None) -> Ranking:
    if not recipe.tokens(query):
        raise InputProblem(
            "Say what you are looking for: a sentence, or the claims, to order the documents by."
        )
    index = build_index(ranking_text(frame), recipe=recipe) if index is None else index
    if not index.shares_word(query):
        raise InputProblem(
            f"No word of what you are looking for occurs in any of the {len(index):,} documents; "
            "use words that their titles or abstracts would contain."
        )
    scores = index.scores(query)
    order = rank_order(scores)
    short_query = textwrap.shorten(" ".join(query.split()), QUERY_SHOWN, placeholder=" …")
    how = f"By likeness to “{short_query}” (BM25 on {index.recipe.description})."
    return Ranking(order, scores[order], how, index.recipe.name)


def _sorted(values: Sequence[str]) -> bool:
    """Whether all values are given and different, and nearly all neighbours rise or fall, as numbers or as text.

    Some neighbours may differ, because programs sort by a date that numbers follow only roughly.
    """
    if not all(values) or len(set(values)) < len(values):
        return False
    try:
        keys: NDArray[Any] = np.array([float(value) for value in values])
    except ValueError:
        keys = np.unique(np.asarray(values), return_inverse=True)[1]
    rising = float((np.diff(keys) > 0).mean())
    return max(rising, 1 - rising) >= NEARLY_ALWAYS


# --- is a list merely sorted? -------------------------------------------------------------------

SHORTEST_TELLING_LIST = 8
CHANCE = 1e-3  # A list counts as sorted only if a random order would be sorted with a smaller probability


def _direction(keys: Sequence[str]) -> int:
    """1 for an ascending list, −1 for a descending one, 0 for neither or if chance may explain it."""
    _, codes, counts = np.unique(np.array(keys), return_inverse=True, return_counts=True)
    # A random order of n items with ties n_1, n_2, … ascends with probability Π n_i! / n!.
    log_chance = sum(math.lgamma(n + 1) for n in counts.tolist()) - math.lgamma(len(codes) + 1)
    if log_chance + math.log(2) > math.log(CHANCE):
        return 0
    steps = np.diff(codes)
    return int((steps >= 0).all()) - int((steps <= 0).all())


def order_hint(frame: pd.DataFrame) -> str | None:
    """A sentence that a list is merely sorted by date or title; None if it is not.

    Lists of fewer than 8 records, or with many ties or gaps (fewer than four in five records with a date or title), give
    None.

    >>> from tarstop_core.documents.records import as_records
    >>> years = as_records({"id": list("abcdefgh"), "date": [str(2020 - i) for i in range(8)]})
    >>> order_hint(years)
    'This list is sorted by date, newest first, so its order probably says nothing about relevance.'
    """
    if len(frame) < SHORTEST_TELLING_LIST:
        return None
    enough = max(SHORTEST_TELLING_LIST, 0.8 * len(frame))
    dates = [key for key in map(date_key, frame["date"].tolist()) if key]
    if len(dates) >= enough:
        # If some records have only a year, all are compared by year.
        for depth in range(min(map(len, dates)), 0, -1):
            padded = ["".join(f"{part:04d}" for part in key[:depth]) for key in dates]
            if direction := _direction(padded):
                return _sorted_by(f"date, {'oldest' if direction > 0 else 'newest'} first")
    titles = [title for title in frame["title"].tolist() if title]
    if len(titles) >= enough:
        # Catalogues may or may not ignore accents, quotation marks and articles.
        plain = [title.casefold() for title in titles]
        bare = (unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode() for title in plain)
        letters = [re.sub(r"[\W_]+", " ", title).strip() for title in bare]
        without_article = [re.sub(r"^(a|an|the) ", "", title) for title in letters]
        for variant in (plain, letters, without_article):
            if direction := _direction(variant):
                return _sorted_by("title, from A to Z" if direction > 0 else "title, from Z to A")
    return None


def _sorted_by(what: str) -> str:
    return f"This list is sorted by {what}, so its order probably says nothing about relevance."


# --- patent families: the first member in the ranking represents all -------------------------------


def one_of_each(ranking: Ranking, groups: Sequence[Sequence[int]]) -> Ranking:
    """Leave out all members of each family but the first in the ranking.

    `groups` are positions in the collection, one group per family; members may be missing from the ranking.
    """
    size = 1 + max([int(ranking.order.max()), *(max(group) for group in groups)])
    rank = np.full(size, size, dtype=np.int64)
    rank[ranking.order] = np.arange(len(ranking))
    left_out = np.zeros(size, dtype=bool)
    for group in groups:
        members = np.asarray(group)
        left_out[members[np.arange(len(members)) != rank[members].argmin()]] = True
    if not left_out[ranking.order].any():
        return ranking
    return leave_out(ranking, left_out, "of a patent family that another document stands for")


def also_published(
    frame: pd.DataFrame, ranking: Ranking, groups: Iterable[Sequence[int]]
) -> dict[str, list[str]]:
    """The other members of each family, by the document that represents it.

    Parameters
    ----------
    frame : DataFrame
        Records of the collection.
    ranking : Ranking
        The list, with at most one member of each family.
    groups : iterable of sequences of int
        Positions in the collection, one group per family.

    Returns
    -------
    dict of str to list of str
        Publication numbers (or identifiers if there are none), by the identifier of the document in the list.

    Examples
    --------
    >>> from tarstop_core.documents.records import as_records
    >>> table = as_records({"id": ["a", "b"], "publication_number": ["EP1", "US 1234567 B2"], "family": ["7", "7"]})
    >>> ranking = one_of_each(prepare(table, "own"), [[0, 1]])
    >>> also_published(table, ranking, [[0, 1]])
    {'a': ['US 1234567 B2']}
    """
    listed = set(ranking.order.tolist())
    ids, numbers = frame["id"].tolist(), frame["publication_number"].tolist()
    others = {}
    for group in groups:
        in_list = [row for row in group if row in listed]
        if len(in_list) == 1:
            others[ids[in_list[0]]] = [numbers[row] or ids[row] for row in group if row != in_list[0]]
    return others
