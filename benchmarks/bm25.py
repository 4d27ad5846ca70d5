"""BM25: how much faster a query is than with rank_bm25, and what an index of 50,000 documents takes.

Run it as ``python benchmarks/bm25.py``. The texts are synthetic: words drawn from Zipf's law, about 200 a
document, as in titles with abstracts. Exits with 1 when a query is not at least 100 times faster, a score differs, or an
index of the words for people takes more than 1.5 times as long as one of the paper's tokens.
"""

import resource
import statistics
import sys
import time

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from tarstop_core.ranking.bm25 import PAPER, WORDS, Bm25Index, build_index
from tarstop_core.ranking.words import PAPER_TOKENS

QUERY_WORDS = 400
TARGET = 100
MOST = 1.5


class ZipfTexts:
    """Seeded source of texts over a vocabulary whose frequencies follow Zipf's law."""

    def __init__(self, vocabulary: int = 80_000, exponent: float = 1.05, seed: int = 1) -> None:
        self._rng = np.random.default_rng(seed)
        frequencies = np.arange(1, vocabulary + 1, dtype=np.float64) ** -exponent
        self._cumulative: NDArray[np.float64] = np.cumsum(frequencies / frequencies.sum())
        self._words = np.array([f"w{number}" for number in range(vocabulary)], dtype=object)

    def text(self, length: int) -> str:
        """One text of ``length`` words."""
        numbers = np.searchsorted(self._cumulative, self._rng.random(length), side="right")
        return " ".join(self._words[np.minimum(numbers, len(self._words) - 1)])

    def documents(self, n: int) -> list[str]:
        """``n`` texts of log-normal length, 200 words in the median."""
        lengths = np.maximum(1, np.exp(self._rng.normal(np.log(200), 0.4, n))).astype(int)
        return [self.text(int(length)) for length in lengths]


def megabytes(index: Bm25Index) -> float:
    """Size of an index's arrays."""
    weights = index.weights
    return float(weights.data.nbytes + weights.indices.nbytes + weights.indptr.nbytes) / 1e6


def peak_megabytes() -> float:
    """Highest memory the process has held so far (Linux counts in kilobytes, macOS in bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def measure_index(source: ZipfTexts) -> None:
    """Time and memory of an index of 50,000 documents."""
    documents = source.documents(50_000)
    query = source.text(QUERY_WORDS)
    before = peak_megabytes()
    start = time.perf_counter()
    index = build_index(documents)
    seconds = time.perf_counter() - start
    after = peak_megabytes()
    start = time.perf_counter()
    index.scores(query)
    query_seconds = time.perf_counter() - start
    print("50,000 documents")
    print(f"  index             {seconds:9.2f} s")
    print(f"  index arrays      {megabytes(index):9.0f} MB, {index.weights.nnz:,} weights")
    print(f"  peak above texts  {after - before:9.0f} MB (texts and all: {after:.0f} MB)")
    print(f"  query             {query_seconds * 1e3:9.2f} ms")


def compare_recipes(source: ZipfTexts) -> bool:
    """Ratio of the words for people to the paper's tokens, to index 20,000 documents; true when within the limit."""
    documents = [f"{text.replace(' ', ', ', 20)}." for text in source.documents(20_000)]
    took: dict[str, list[float]] = {PAPER.name: [], WORDS.name: []}
    for _ in range(3):
        for recipe in (PAPER, WORDS):
            start = time.process_time()
            build_index(documents, recipe=recipe)
            took[recipe.name].append(time.process_time() - start)
    paper, words = (statistics.median(seconds) for seconds in took.values())
    print("20,000 documents, medians of 3")
    print(f"  paper's tokens    {paper:9.2f} s")
    print(f"  words             {words:9.2f} s")
    print(f"  ratio             {words / paper:9.2f} x (at most {MOST} x)")
    return words / paper <= MOST


def compare_queries(source: ZipfTexts) -> bool:
    """Ratio to rank_bm25 at 5,000 documents; true when it meets the target with equal scores."""
    documents = source.documents(5_000)
    queries = [source.text(QUERY_WORDS) for _ in range(5)]
    reference = BM25Okapi([PAPER_TOKENS(document) for document in documents])
    index = build_index(documents)
    ours, theirs, worst = [], [], 0.0
    for query in queries:  # in turns, so that a slow moment of the machine meets both
        start = time.perf_counter()
        scores = index.scores(query)
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        expected = reference.get_scores(PAPER_TOKENS(query))
        theirs.append(time.perf_counter() - start)
        worst = max(worst, float(np.abs(scores - expected).max()))
    ratio = statistics.median(theirs) / statistics.median(ours)
    print(f"5,000 documents, {QUERY_WORDS}-word query, medians of {len(queries)}")
    print(f"  rank_bm25         {statistics.median(theirs) * 1e3:9.2f} ms")
    print(f"  sparse matrix     {statistics.median(ours) * 1e3:9.2f} ms")
    print(f"  ratio             {ratio:9.0f} x (target {TARGET} x)")
    print(f"  largest deviation {worst:9.1e}")
    return ratio >= TARGET and worst <= 1e-9


def main() -> int:
    """Measure, print, and say by the exit status whether the target is met."""
    source = ZipfTexts()
    measure_index(source)  # first: the peak must not be an earlier measurement's
    met = [compare_recipes(source), compare_queries(source)]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
