"""What was tried to put unread documents in a better order: variants of the ranker that `compare_rankers.py` measures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from scipy.stats import rankdata
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

from tarstop_core.ranking.features import Features, make_features, split
from tarstop_core.ranking.learning import Floats, Label, Linear, Ranker, Told, Unmoved
from tarstop_core.ranking.words import WORD_TOKENS

FILES = 10
"""Orders in which a list stands in a file, for what is compared most closely."""


@dataclass(frozen=True, eq=False)
class Listed:
    """A labelled list."""

    name: str
    group: str
    """Lists of one group are left out together."""
    question: str
    titles: list[str]
    abstracts: list[str]
    final: NDArray[np.bool_]
    by_abstract: NDArray[np.bool_]
    """Those included by title and abstract; the same as the final ones where that is not known."""
    start: Floats
    """BM25 by the question."""
    features: Features
    study_type: Floats = field(default_factory=lambda: np.empty(0))
    """How like relevant documents of other lists, see `study_types`."""

    @property
    def texts(self) -> list[str]:
        """Title and abstract."""
        return [*map(" ".join, zip(self.titles, self.abstracts, strict=True))]


def study_types(lists: Sequence[Listed]) -> list[Floats]:
    """Score of each document by a model of what is relevant in all other lists: the kind of study, since topics differ."""
    features = make_features([text for each in lists for text in each.texts])
    ends = np.cumsum([len(each.texts) for each in lists])
    found = []
    for given, end in zip(lists, ends, strict=True):
        rows, weights = [], []
        for other, last in zip(lists, ends, strict=True):
            if other.group == given.group:
                continue
            for part in (other.final, ~other.final):
                held = np.flatnonzero(part) + last - len(part)
                drawn = np.random.default_rng(len(rows)).permutation(held)[:300]
                rows.append(drawn)
                weights.append(np.full(len(drawn), 1 / len(drawn)))
        y = np.concatenate([np.full(len(each), number % 2 == 0) for number, each in enumerate(rows)])
        counts = np.concatenate(weights)
        learned = Linear(strength=0.1).fit(
            features.matrix[np.concatenate(rows)], y, counts * len(y) / counts.sum()
        )
        found.append(features.matrix[end - len(given.final) : end] @ learned)
    return found


@dataclass(frozen=True)
class Regression(Linear):
    """Logistic regression in place of the machine."""

    def fit(self, rows: Any, y: NDArray[np.bool_], weights: Floats) -> Floats:
        return np.asarray(LogisticRegression(C=self.strength).fit(rows, y, weights).coef_[0])


@dataclass(frozen=True)
class Bayes(Linear):
    """Naive Bayes."""

    beside: float = 0.0

    def fit(self, rows: Any, y: NDArray[np.bool_], weights: Floats) -> Floats:
        fitted = MultinomialNB().fit(rows, y, weights).feature_log_prob_
        return np.asarray(fitted[1] - fitted[0])


@dataclass(frozen=True)
class Centroids(Linear):
    """Nearness to the mean of the relevant, less that to the mean of the others."""

    def fit(self, rows: Any, y: NDArray[np.bool_], weights: Floats) -> Floats:
        return np.asarray(rows.T @ (np.where(y, 1 / y.sum(), -1 / (~y).sum())))


def _ranks(scores: Floats, told: Told) -> Floats:
    """Share of the unread that each document is before."""
    unread = told.labels == Label.UNREAD
    found = np.zeros(len(scores))
    found[unread] = rankdata(scores[unread]) / max(1, unread.sum())
    return found


@dataclass(frozen=True)
class Together(Ranker):
    """The mean rank by several."""

    name, said = "together", "The mean rank by several."
    rankers: tuple[Ranker, ...] = ()

    def scores(self, features: Features, told: Told, seed: int) -> Floats:
        return np.sum([_ranks(each.scores(features, told, seed), told) for each in self.rankers], axis=0)


@dataclass(frozen=True)
class Disputed(Linear):
    """Every tenth time the document that it and naive Bayes disagree on most."""

    def scores(self, features: Features, told: Told, seed: int) -> Floats:
        own = super().scores(features, told, seed)
        if told.count and told.count % 10 == 0:
            other = Bayes().scores(features, told, seed)
            dispute = np.abs(_ranks(own, told) - _ranks(other, told))
            own[np.argmax(np.where(told.labels == Label.UNREAD, dispute, -1))] = np.inf
        return own


@dataclass(frozen=True)
class Forgetting(Linear):
    """Without the question, once five relevant documents are known."""

    def scores(self, features: Features, told: Told, seed: int) -> Floats:
        enough = np.count_nonzero(told.labels >= Label.RELEVANT) >= 5
        return super().scores(features, replace(told, question="") if enough else told, seed)


NONE = (np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))


@dataclass(frozen=True, eq=False)
class Vectorised(Features):
    """Features that scikit-learn made."""

    by: Any = None

    def of(self, text: str) -> Any:
        return csr_array(self.by.transform([text]))


def _vectorised(texts: list[str], **settings: Any) -> Vectorised:
    by = TfidfVectorizer(sublinear_tf=True, dtype=np.float32, **settings)
    return Vectorised(*NONE, *split(csr_array(by.fit_transform(texts))), by)


@dataclass(frozen=True, eq=False)
class Joined(Features):
    """Two kinds of features side by side, each with half of the weight."""

    parts: tuple[Features, ...] = ()

    def of(self, text: str) -> Any:
        return csr_array(hstack([each.of(text) for each in self.parts], format="csr") * np.float32(0.7))


def _with_letters(given: Listed) -> Features:
    parts = (_own(given), _vectorised(given.texts, analyzer="char_wb", ngram_range=(4, 4), min_df=2))
    matrix = csr_array(hstack([each.matrix for each in parts], format="csr") * np.float32(0.7))
    return Joined(*NONE, *split(matrix), parts)


def _own(given: Listed) -> Features:
    return given.features


def _unstemmed(given: Listed) -> Features:
    return _vectorised(given.texts, ngram_range=(1, 2), max_df=0.95)


def _words_alone(given: Listed) -> Features:
    return _vectorised(given.texts, analyzer=WORD_TOKENS, min_df=2)


def _helpful(away: float) -> Callable[[Listed], Floats]:
    """Scores of an imagined model, by how many standard deviations it tells relevant documents from the others."""
    return lambda given: np.random.default_rng(3).normal(size=len(given.final)) + away * given.final


def _standard(scores: Floats) -> Floats:
    return np.asarray((scores - scores.mean()) / (scores.std() or 1.0))


@dataclass(frozen=True)
class Idea:
    """Something that was tried."""

    name: str
    ranker: Ranker = field(default_factory=Linear)
    features: Callable[[Listed], Features] = _own
    start: Callable[[Listed], Floats] | None = None
    outside: Callable[[Listed], Floats] | None = None
    full_text: Label | None = None
    """What documents teach that were included by title and abstract and excluded at full text, where both are known."""
    against: str = "as shipped"
    kept: str = ""
    setting: bool = False
    """Whether it only sets the ranker otherwise."""
    files: int = 1
    """In how many orders of the file each list is read."""


EXCLUDED = "what was excluded at full text teaches as not relevant"
IDEAS = (
    Idea("BM25 by the question", Unmoved(), files=FILES),
    Idea("as shipped", setting=True, files=FILES),
    Idea(
        "logistic regression, C 1, weights 9.8, BM25 only to begin",
        Regression(strength=1, ratio=9.8, beside=0),
    ),
    Idea(
        "C 0.11, weights 9.8, BM25 only to begin (ELAS u4's)",
        Linear(strength=0.11, ratio=9.8, beside=0),
        setting=True,
    ),
    Idea("BM25 only to begin", Linear(beside=0), setting=True),
    Idea("twice the weight of BM25", Linear(beside=0.1), setting=True),
    Idea("C 0.01", Linear(strength=0.01), setting=True),
    Idea("C 0.1", Linear(strength=0.1), setting=True),
    Idea("weights 3", Linear(ratio=3), setting=True),
    Idea("weights 30", Linear(ratio=30), setting=True),
    Idea("30 presumed not relevant", Linear(presumed=30), setting=True),
    Idea("naive Bayes", Bayes()),
    Idea("nearness to means", Centroids()),
    Idea("mean rank with naive Bayes", Together((Linear(), Bayes()))),
    Idea("every tenth where it disagrees with naive Bayes", Disputed()),
    Idea("without the question after five", Forgetting()),
    Idea("words without pairs", features=_words_alone),
    Idea("words as written, common ones too, and pairs", features=_unstemmed),
    Idea("fours of letters beside the words", features=_with_letters),
    Idea(
        "begins with the kind of study, learned on other lists",
        start=lambda given: _standard(given.start) + 0.5 * _standard(given.study_type),
    ),
    Idea("the kind of study as a column", outside=lambda given: given.study_type),
    Idea("scores from elsewhere that say nothing", outside=_helpful(0), kept="harmless"),
    Idea("scores from elsewhere, 1.5 SD apart", outside=_helpful(1.5), kept="kept"),
    Idea("scores from elsewhere, 3 SD apart", outside=_helpful(3), kept="kept"),
    Idea(EXCLUDED, full_text=Label.NOT_RELEVANT),
    Idea(
        "… teaches a fifth of what an included one does",
        full_text=Label.OTHER_KIND,
        against=EXCLUDED,
        kept="kept",
    ),
    Idea("… teaches as much", Linear(included=1), full_text=Label.OTHER_KIND, against=EXCLUDED),
    Idea("… teaches a twentieth", Linear(included=20), full_text=Label.OTHER_KIND, against=EXCLUDED),
)
