"""Why a score is not a chance: scores of a ranking taken for chances, beside chances learned on other lists."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.special import expit, softmax

from tarstop_core.calibration.calibrator import INCLUSION, Quality, z_scores
from tarstop_core.calibration.figures import two_reliabilities
from tarstop_core.calibration.fitting import fit, predicted, quality_of
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.presentation.figures import Figure, Rows, axis, drawn, line, rows_of
from tarstop_core.presentation.palette import BELIEF, PLUS, THRESHOLD
from tarstop_core.ranking.features import make_features
from tarstop_core.ranking.learning import DEFAULT, RANKERS, Label, Told
from tarstop_core.samples.collections import load_review_sample, sample_reviews
from tarstop_core.samples.labelled import labelled_inclusions
from tarstop_core.teaching.ideas.shared import MARKS, idea, named, said

IDEA = idea("Scores", "scores")
TAUGHT = 50
"""Documents from the top whose labels the ranker is told; its margins are those of the rest."""
SCORES = {"bm25": "BM25", "margins": f"Margins after {TAUGHT} labels"}
RULES: dict[str, tuple[str, Callable[[Floats], Floats]]] = {
    "stretched": ("Stretched to 0–1", lambda s: (s - s.min()) / (np.ptp(s) or 1.0)),
    "logistic": ("Logistic", lambda s: expit(z_scores(s))),
    "softmax": ("Softmax", softmax),
}
"""What somebody might take for chances, each with its name."""
LEARNED = "learned on the other lists"


@dataclass(frozen=True, eq=False)
class Taken:
    """Scores taken for chances, and chances that were learned, on the same simulated reviews."""

    rule: str  # What it is called
    taught: int  # Documents from the top of each list whose labels made the scores, and which are left out
    naive: Quality
    learned: Quality
    lists: tuple[tuple[Flags, Floats, Floats], ...]
    """Of each list, the highest score first, labels, the chances that the rule makes, and those that were learned. Shape (N,)."""


@lru_cache(maxsize=2)
def _lists(scores: str) -> tuple[tuple[Floats, Flags, Floats], ...]:
    """Of each sample review scores, one of :data:`SCORES`, labels, and the chances that all the others teach. Shape (N,)."""
    of = labelled_inclusions if scores == "bm25" else _margins
    topics, found = [of(name) for name in sample_reviews()["topic"]], []
    for topic in topics:
        others = [each for each in topics if each is not topic]
        p, labels = predicted(fit(others, scenario=INCLUSION, simulated=True, pseudo=1.0), topic, False)
        found.append((np.asarray(topic.scores, dtype=float), labels, p))
    return tuple(found)


def _margins(name: str) -> Topic:
    """A review's documents after the first :data:`TAUGHT`, by what a ranker makes of the labels of those."""
    read, frame = labelled_inclusions(name), load_review_sample(name)
    at, relevant = pd.Index(frame["id"]).get_indexer(pd.Index(read.ids)), np.asarray(read.labels, dtype=bool)
    labels, start = np.zeros(len(frame), dtype=np.int8), np.zeros(len(frame))
    labels[at[:TAUGHT]] = np.where(relevant[:TAUGHT], Label.RELEVANT, Label.NOT_RELEVANT)
    start[at] = -np.arange(len(at))
    told = Told(str(sample_reviews().set_index("topic").at[name, "question"]), labels, start)
    margins = RANKERS[DEFAULT].scores(make_features(ranking_text(frame)), told, 0)[at[TAUGHT:]]
    order = np.argsort(-margins, kind="stable")
    rest = relevant[TAUGHT:][order]
    return Topic(name, read.ids[TAUGHT:][order], margins[order], rest, int(rest.sum()))


@lru_cache(maxsize=8)
def taken(scores: str, rule: str) -> Taken:
    """What one of :data:`RULES` makes of one of :data:`SCORES`, over the sample reviews."""
    name, chances_of = RULES[rule]
    lists = tuple((labels, np.asarray(chances_of(of)), learned) for of, labels, learned in _lists(scores))
    naive = quality_of([(p, labels) for labels, p, _ in lists], "simulated reviews")
    learned = quality_of([(p, labels) for labels, _, p in lists], "simulated reviews")
    return Taken(name, TAUGHT if scores == "margins" else 0, naive, learned, lists)


def reliability_figure(found: Taken, *, dark: bool = False) -> Figure:
    """How often documents of each chance were relevant: as learned, and as the rule has it."""
    return two_reliabilities(found.learned, found.naive, (LEARNED, found.rule.lower()), True, dark)


def reliability_heading(found: Taken) -> str:
    """What the scores promise, and what there is."""
    return said("scores_heading", **_totals(found))


def reliability_sentence(found: Taken) -> str:
    """How far each is off, and what to take from it."""
    # Where most documents have a chance that is furthest off.
    p, share, count = max(found.naive.reliability, key=lambda each: each[2] * abs(each[0] - each[1]))
    return said(
        "scores",
        rule=found.rule,
        lists=len(found.lists),
        taught=found.taught,
        p=p,
        share=share,
        count=count,
        off=100 * found.naive.ece,
        off_learned=100 * found.learned.ece,
        **_totals(found),
    )


def _totals(found: Taken) -> dict[str, float]:
    """Relevant documents of all lists: as there are, as the rule promises, and as the learned chances do."""
    totals = (sum(float(each.sum()) for each in which) for which in zip(*found.lists, strict=True))
    return dict(zip(("relevant", "promised", "learned"), totals, strict=True))


def reliability_rows(found: Taken) -> Rows:
    """The figure's numbers, a row a point."""
    both = ((found.rule, found.naive), (LEARNED, found.learned))
    return [
        {"chances": name, "given": p, "share_relevant": share, "documents": count}
        for name, quality in both
        for p, share, count in quality.reliability
    ]


def unread_figure(found: Taken, at: int, *, dark: bool = False) -> Figure:
    """How many relevant documents of one list are unread at each depth, as each has it and as it was."""
    true, *others = _unread(found, at)
    x = list(range(len(true)))
    shown = zip(
        ((THRESHOLD, "dash", "as it was"), (BELIEF, "solid", LEARNED), (PLUS, "solid", found.rule.lower())),
        (true, others[1], others[0]),
        strict=True,
    )
    data, notes = [], []
    for row, ((colour, dash, name), values) in enumerate(shown):
        data.append(
            line(
                x, values.tolist(), colour, width=3, dash=dash, hovertemplate="%{x}: %{y:.1f}<extra></extra>"
            )
        )
        notes.append(named(1, 1 - 0.085 * row, f"{MARKS[dash]} {name}", colour, dark))
    top = 1.05 * max(float(values.max()) for values in (true, *others))
    xaxis = axis("documents read", dark, range=[0, len(true) - 1])
    return drawn(
        data,
        320,
        True,
        dark,
        notes,
        xaxis=xaxis,
        yaxis=axis("relevant ones still unread", dark, range=[0, top]),
    )


def unread_sentence(found: Taken, at: int) -> str:
    """What each says is left when a quarter is read."""
    true, naive, learned = _unread(found, at)
    depth = (len(true) - 1) // 4
    return said(
        "scores_unread",
        depth=depth,
        unread=int(true[depth]),
        naive=float(naive[depth]),
        learned=float(learned[depth]),
        rule=found.rule,
    )


def unread_rows(found: Taken, at: int) -> Rows:
    """The figure's numbers, a row a depth."""
    true, naive, learned = _unread(found, at)
    return rows_of(depth=np.arange(len(true)), unread=true, by_the_rule=naive, learned=learned)


def _unread(found: Taken, at: int) -> tuple[Floats, Floats, Floats]:
    """Relevant documents unread at each depth from 0 on: true, by the rule, and as learned. Shape (N + 1,) each."""
    true, naive, learned = (np.append(each[::-1].cumsum()[::-1], 0.0) for each in found.lists[at])
    return true, naive, learned
