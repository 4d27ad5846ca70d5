"""Idea: why a score is not a chance, by scores taken for chances beside chances learned on other lists."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.special import expit, softmax

from tarstop_core.calibration.calibrator import INCLUSION
from tarstop_core.calibration.figures import two_reliabilities
from tarstop_core.calibration.fitting import fit, predicted
from tarstop_core.calibration.quality import Quality, quality_of
from tarstop_core.calibration.scores import z_scores
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.presentation.figures import MARKS, Chart, Figure, rows_of
from tarstop_core.presentation.palette import BELIEF, PLUS, THRESHOLD
from tarstop_core.ranking.features import make_features
from tarstop_core.ranking.learning import DEFAULT, RANKERS, Feedback, Label
from tarstop_core.samples.collections import labelled_inclusions, load_review_sample, sample_reviews
from tarstop_core.teaching.ideas import Idea, Picture, message

IDEA = Idea("Scores", message("scores_title"), message("scores_lead"))
LABELLED = 50
"""Documents at the top whose labels the ranker learns from; only the margins of the others are used."""
SCORES = {"bm25": "BM25", "margins": f"Margins after {LABELLED} labels"}
RULES: dict[str, tuple[str, Callable[[Floats], Floats]]] = {
    "stretched": ("Stretched to 0–1", lambda s: (s - s.min()) / (np.ptp(s) or 1.0)),
    "logistic": ("Logistic", lambda s: expit(z_scores(s))),
    "softmax": ("Softmax", softmax),
}
"""Ways to turn scores into numbers that may be taken for chances, each with its name."""
LEARNED = "learned on the other lists"


@dataclass(frozen=True, eq=False)
class ScoresAsChances:
    """Scores taken for chances, and learned chances, on the same simulated reviews."""

    rule: str  # Name of the way in which scores are turned into chances
    labelled: int  # Documents at the top of each list that are left out, because the scores learned from their labels
    naive: Quality
    learned: Quality
    lists: tuple[tuple[Flags, Floats, Floats], ...]
    """Labels, chances by the rule, and learned chances of each list in the order of its scores, shape (N,) each."""

    @property
    def totals(self) -> dict[str, float]:
        """Relevant documents of all lists: the true number, and the sums of the chances by the rule and learned."""
        sums = (sum(float(values.sum()) for values in column) for column in zip(*self.lists, strict=True))
        return dict(zip(("relevant", "promised", "learned"), sums, strict=True))


@lru_cache(maxsize=2)
def _lists(scores: str) -> tuple[tuple[Floats, Flags, Floats], ...]:
    """Scores, labels, and chances learned on all other reviews, of each sample review; shape (N,) each."""
    load = labelled_inclusions if scores == "bm25" else _margins
    topics = [load(name) for name in sample_reviews()["topic"]]
    lists = []
    for topic in topics:
        others = [other for other in topics if other is not topic]
        p, labels = predicted(fit(others, scenario=INCLUSION, simulated=True, pseudo=1.0), topic, False)
        lists.append((np.asarray(topic.scores, dtype=float), labels, p))
    return tuple(lists)


def _margins(name: str) -> Topic:
    """A review's documents after the first :data:`LABELLED`, in the order of a ranker that learned from these."""
    read, frame = labelled_inclusions(name), load_review_sample(name)
    at, relevant = pd.Index(frame["id"]).get_indexer(pd.Index(read.ids)), np.asarray(read.labels, dtype=bool)
    labels, start = np.zeros(len(frame), dtype=np.int8), np.zeros(len(frame))
    labels[at[:LABELLED]] = np.where(relevant[:LABELLED], Label.RELEVANT, Label.NOT_RELEVANT)
    start[at] = -np.arange(len(at))
    question = str(sample_reviews().set_index("topic").at[name, "question"])
    feedback = Feedback(question, labels, start)
    margins = RANKERS[DEFAULT].scores(make_features(ranking_text(frame)), feedback, 0)
    rest = margins[at[LABELLED:]]
    order = np.argsort(-rest, kind="stable")
    rest_relevant = relevant[LABELLED:][order]
    return Topic(name, read.ids[LABELLED:][order], rest[order], rest_relevant, int(rest_relevant.sum()))


@lru_cache(maxsize=8)
def taken(scores: str, rule: str) -> ScoresAsChances:
    """Return the result of one of :data:`RULES` with one of :data:`SCORES` over the sample reviews."""
    name, chances_of = RULES[rule]
    lists = tuple((labels, np.asarray(chances_of(s)), learned) for s, labels, learned in _lists(scores))
    naive = quality_of([(p, labels) for labels, p, _ in lists], "simulated reviews")
    learned = quality_of([(p, labels) for labels, _, p in lists], "simulated reviews")
    return ScoresAsChances(name, LABELLED if scores == "margins" else 0, naive, learned, lists)


def reliability_picture(taken: ScoresAsChances, *, dark: bool = False) -> Picture:
    """Show how often documents with each chance were relevant, for learned chances and for the rule's."""
    totals = taken.totals
    # The bin that adds most to the calibration error.
    p, share, count = max(taken.naive.reliability, key=lambda point: point[2] * abs(point[0] - point[1]))
    curves = ((taken.rule, taken.naive), (LEARNED, taken.learned))
    return Picture(
        "idea-scores-reliability",
        message("scores_heading", promised=totals["promised"], relevant=totals["relevant"]),
        two_reliabilities(taken.learned, taken.naive, (LEARNED, taken.rule.lower()), True, dark),
        message("scores", taken=taken, **totals, p=p, share=share, count=count),
        [
            {"chances": name, "given": p, "share_relevant": share, "documents": count}
            for name, quality in curves
            for p, share, count in quality.reliability
        ],
    )


def unread_picture(taken: ScoresAsChances, at: int, *, dark: bool = False) -> Picture:
    """Show the number of unread relevant documents of a list at each depth: true, by the rule, and learned.

    Parameters
    ----------
    taken
        The results over all sample reviews.
    at
        Index of the review among them.
    dark
        Whether the page is dark.

    Returns
    -------
    Picture
        Three lines.
    """
    unread, naive, learned = (np.append(values[::-1].cumsum()[::-1], 0.0) for values in taken.lists[at])
    depth = (len(unread) - 1) // 4
    return Picture(
        "idea-scores-unread",
        f"{sample_reviews()['title'].tolist()[at]}: how many are left",
        _unread_figure(taken, (unread, learned, naive), dark),
        message(
            "scores_unread",
            depth=depth,
            unread=int(unread[depth]),
            naive=float(naive[depth]),
            learned=float(learned[depth]),
        ),
        rows_of(depth=np.arange(len(unread)), unread=unread, by_the_rule=naive, learned=learned),
    )


def _unread_figure(taken: ScoresAsChances, curves: tuple[Floats, Floats, Floats], dark: bool) -> Figure:
    chart = Chart(320, dark=dark, simulated=True)
    looks = (
        (THRESHOLD, "dash", "as it was"),
        (BELIEF, "solid", LEARNED),
        (PLUS, "solid", taken.rule.lower()),
    )
    for row, (values, (colour, dash, name)) in enumerate(zip(curves, looks, strict=True)):
        hover = "%{x}: %{y:.1f}<extra></extra>"
        chart.line(range(len(values)), values, colour, width=3, dash=dash, hovertemplate=hover)
        chart.name(f"{MARKS[dash]} {name}", colour, 1 - 0.085 * row)
    top = 1.05 * max(float(values.max()) for values in curves)
    chart.axis("xaxis", "documents read", range=[0, len(curves[0]) - 1])
    chart.axis("yaxis", "relevant ones still unread", range=[0, top])
    return chart.figure()
