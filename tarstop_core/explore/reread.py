"""A sample review in the list's order and in the one that labels teach, with chances of either kind: where a rule stops."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from tarstop_core.calibration.calibrator import REVIEW
from tarstop_core.calibration.reranked import forecasts
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.topic import Outcome
from tarstop_core.evaluation.replay import replay_reviews
from tarstop_core.evaluation.reranking import simulate
from tarstop_core.explore.lists import Explored
from tarstop_core.policies import Policy
from tarstop_core.presentation.figures import Figure, axis, drawn, ink, line, note, points, text_colour
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.presentation.palette import BELIEF, STUDY
from tarstop_core.presentation.words import say
from tarstop_core.ranking.learning import Label
from tarstop_core.samples.collections import load_review_sample, sample_full_texts, sample_reviews
from tarstop_core.samples.labelled import labelled_review, review_in_order
from tarstop_core.samples.shipped import calibrators, default_calibrator, reranked_chances
from tarstop_core.screening.explain import action
from tarstop_core.screening.settings import Settings

LISTED, LEARNS = "as listed", "learning from labels"
BY_SCORE, BY_RANK, BY_FOUND = "by score", "by rank", "by what was found"
TABLES = (1, 3, 5, 10)
_said = partial(say, "tarstop_core.explore.words")


@dataclass(frozen=True)
class Came:
    """What a rule came to on one review."""

    order: str  # LISTED or LEARNS
    chances: str  # BY_SCORE or, in the other order, BY_RANK, as of a list that stays as it is; or BY_FOUND
    depth: int
    recall: float  # Of reports with a table
    plus: bool
    right: bool
    net_utility: float


@lru_cache(maxsize=16)
def learned(review: str) -> Outcome:
    """A sample review as a session reads it whose list learns from every label, full texts included."""
    ids = labelled_review(review).topic.ids
    frame, texts = (
        load_review_sample(review).set_index("id", drop=False).loc[ids.tolist()],
        sample_full_texts(review),
    )
    taught = [Label.NOT_RELEVANT] * len(ids)
    for at, each in enumerate(map(texts.get, ids)):
        if each is not None:
            taught[at] = Label.OTHER_KIND if each.status == "excluded" else Label.INCLUDED
    question = str(sample_reviews().set_index("topic").at[review, "question"])
    found = simulate(ranking_text(frame), question, taught, start=-np.arange(len(ids), dtype=float))
    return review_in_order(review, ids[found.order])


def orders(explored: Explored) -> dict[str, Outcome]:
    """A sample review by its order."""
    assert isinstance(explored.truth, Outcome)
    return {LISTED: explored.truth, LEARNS: learned(explored.truth.review)}


def reread(explored: Explored, settings: Settings, policy: Policy) -> list[Came]:
    """What a rule comes to on a sample review, in each order with both kinds of chances.

    Those by what was found are learned on lists that learn, and told document by document
    (:mod:`tarstop_core.evaluation.as_told`).
    """
    by_rank, found = calibrators()[default_calibrator(False, True, REVIEW)], []
    asked = settings.theta, settings.truth, settings.engine, settings.belief_prior, settings.scale
    for order, outcome in orders(explored).items():
        labels = np.asarray(outcome.topic.labels)
        told = {outcome.review: forecasts(reranked_chances(REVIEW), labels, len(labels))[:-1]}
        usual = (BY_SCORE, explored.calibrator) if order == LISTED else (BY_RANK, by_rank)
        for chances, by in (usual, (BY_FOUND, told)):
            [each] = replay_reviews([outcome], by, policy, settings.payoffs, settings.cost, *asked)
            plus = each.action == "a+"
            came = int(each.depth), each.recall, plus, plus == each.omega, each.net_utility
            found.append(Came(order, chances, *came))
    return found


def until(outcome: Outcome) -> list[int]:
    """Documents read until each of those that bring a table."""
    return (np.flatnonzero(np.asarray(outcome.topic.labels)) + 1).tolist()


def reread_figure(explored: Explored, found: Sequence[Came], *, dark: bool = False) -> Figure:
    """Tables found by documents read in both orders, and where the rule stops."""
    data, notes = (
        [],
        [note(0.98, 0.02, "stops: ● chances by score or rank, ◆ by what was found", text_colour(dark))],
    )
    styles = ((STUDY, "dash", f"╌╌ {LISTED}"), (BELIEF, "solid", f"━━ {LEARNS}"))
    for row, ((order, outcome), style) in enumerate(zip(orders(explored).items(), styles, strict=True)):
        colour, dash, name = style
        gain = np.append(0, np.cumsum(np.asarray(outcome.topic.labels))).tolist()
        hover = "%{x} read: %{y} found<extra></extra>"
        data.append(line(range(len(gain)), gain, colour, width=3, dash=dash, hovertemplate=hover))
        notes.append(note(0.98, 0.22 - 0.1 * row, name, ink(colour, dark)))
        for each in found:
            if each.order == order:
                marker = {"symbol": "diamond" if each.chances == BY_FOUND else "circle"}
                hover = f"stops after {each.depth}, chances {each.chances}<extra></extra>"
                data.append(
                    points([each.depth], [gain[each.depth]], colour, 12, marker=marker, hovertemplate=hover)
                )
    axes = {"xaxis": axis("documents read", dark), "yaxis": axis("tables found", dark)}
    return drawn(data, 300, True, dark, notes, **axes)


def reread_heading(explored: Explored) -> str:
    """When everything is found."""
    listed, learns = map(until, orders(explored).values())
    return _said("reread_heading", tables=len(listed), listed=listed[-1], learned=learns[-1])


def reread_sentence(explored: Explored, found: Sequence[Came], policy: Policy) -> str:
    """Documents until the k-th table, and where the rule stops."""
    listed, learns = map(until, orders(explored).values())
    kth = [*(k for k in TABLES if k < len(listed)), len(listed)]
    at = {"kth": kth, "listed": [listed[k - 1] for k in kth], "learned": [learns[k - 1] for k in kth]}
    texts = {name: [f"{each:,}" for each in values] for name, values in at.items()}
    return _said("reread", **texts, rule=policy, before=found[0], now=found[-1])


def reread_rows(found: Sequence[Came], settings: Settings) -> list[dict[str, str]]:
    """What a rule came to, a row for each order and kind of chances."""
    return [
        {
            "Order": each.order,
            "Chances": each.chances,
            "Stops after": f"{each.depth:,}",
            "Tables found": percent(each.recall),
            "Chooses": action(each.plus, settings),
            "Right?": "yes" if each.right else "no",
            "Net utility": amount(each.net_utility, settings.payoffs.unit),
        }
        for each in found
    ]
