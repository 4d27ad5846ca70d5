"""A sample review in the list's order and in the one that labels teach, with chances of either kind: where a rule stops."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from tarstop_core.calibration.calibrator import REVIEW
from tarstop_core.calibration.reranked import forecasts
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.tables import Flags
from tarstop_core.documents.topic import Outcome
from tarstop_core.evaluation.replay import Played
from tarstop_core.evaluation.reranking import simulate
from tarstop_core.explore import message
from tarstop_core.explore.lists import Explored
from tarstop_core.policies import Policy
from tarstop_core.presentation.figures import Figure, axis, drawn, ink, line, note, points, text_colour
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.presentation.palette import BELIEF, STUDY
from tarstop_core.ranking.learning import Label
from tarstop_core.samples.collections import load_review_sample, sample_full_texts, sample_reviews
from tarstop_core.samples.labelled import review_in_order
from tarstop_core.samples.shipped import calibrators, default_calibrator, reranked_chances
from tarstop_core.screening.explain import action
from tarstop_core.screening.settings import Settings

LISTED, LEARNS = "as listed", "learning"
USUAL, FOUND = "by score or rank", "by what was found"
TABLES = (1, 3, 5, 10)
TAUGHT = {"excluded": Label.OTHER_KIND, "not retrieved": Label.RELEVANT}
"""What a full text teaches a ranker where it is not that the report is included, as in a session."""
Reread = Mapping[tuple[str, str], Played]
"""What a rule came to, by order (LISTED or LEARNS) and chances (USUAL, as of a list that stays as it is, or FOUND)."""


@lru_cache(maxsize=16)
def learned(explored: Explored) -> Explored:
    """A sample review as a session reads it whose list learns from every label, full texts included; chances are by rank."""
    of = _outcome(explored)
    ids, texts = of.topic.ids, sample_full_texts(of.review)
    records = load_review_sample(of.review).set_index("id", drop=False).loc[ids.tolist()]
    taught = [
        TAUGHT.get(texts[each].status, Label.INCLUDED) if each in texts else Label.NOT_RELEVANT
        for each in ids
    ]
    question = str(sample_reviews().set_index("topic").at[of.review, "question"])
    order = simulate(ranking_text(records), question, taught, start=-np.arange(len(ids), dtype=float)).order
    by_rank = calibrators()[default_calibrator(False, True, REVIEW)]
    p = by_rank.probabilities(None, len(ids))
    return replace(explored, calibrator=by_rank, p=p, truth=review_in_order(of.review, ids[order]))


def orders(explored: Explored) -> dict[str, Explored]:
    """A sample review by its order."""
    return {LISTED: explored, LEARNS: learned(explored)}


def reread(explored: Explored, settings: Settings, policy: Policy) -> Reread:
    """What a rule comes to on a sample review in each order with both kinds of chances, as ``tarstop replay`` plays it."""
    model, found = reranked_chances(REVIEW), {}
    for order, each in orders(explored).items():
        told = {_outcome(each).review: forecasts(model, _labels(each), len(each))[:-1]}
        found[order, USUAL] = each.replayed(policy, settings)
        found[order, FOUND] = each.replayed(policy, settings, told)
    return found


def _outcome(explored: Explored) -> Outcome:
    assert isinstance(explored.truth, Outcome)
    return explored.truth


def _labels(explored: Explored) -> Flags:
    return np.asarray(_outcome(explored).topic.labels)


def reread_figure(explored: Explored, found: Reread, *, dark: bool = False) -> Figure:
    """Tables found by documents read in both orders, and where the rule stops."""
    stops = (f"● stops, chances {USUAL}", f"◆ stops, {FOUND}")
    data, notes = [], [note(0.98, 0.12 - 0.1 * at, each, text_colour(dark)) for at, each in enumerate(stops)]
    styles = ((STUDY, "dash", f"╌╌ {LISTED}"), (BELIEF, "solid", f"━━ {LEARNS} from labels"))
    for row, ((order, of), (colour, dash, name)) in enumerate(
        zip(orders(explored).items(), styles, strict=True)
    ):
        gain = np.append(0, _labels(of).cumsum()).tolist()
        hover = {"hovertemplate": "%{x} read: %{y} found<extra></extra>"}
        data.append(line(range(len(gain)), gain, colour, width=3, dash=dash, **hover))
        notes.append(note(0.98, 0.32 - 0.1 * row, name, ink(colour, dark)))
        for chances, symbol in ((USUAL, "circle"), (FOUND, "diamond")):
            depth = int(found[order, chances].depth)
            data.append(points([depth], [gain[depth]], colour, 12, marker={"symbol": symbol}, **hover))
    axes = {"xaxis": axis("documents read", dark), "yaxis": axis("tables found", dark)}
    return drawn(data, 300, explored.simulated, dark, notes, **axes)


def reread_said(explored: Explored, found: Reread, policy: Policy) -> tuple[str, str]:
    """When everything is found, for a heading; documents until the k-th table, and where the rule stops."""
    listed, learns = ((np.flatnonzero(_labels(each)) + 1).tolist() for each in orders(explored).values())
    tables = [*(k for k in TABLES if k < len(listed)), len(listed)]
    depths = {"listed": [listed[k - 1] for k in tables], "learned": [learns[k - 1] for k in tables]}
    ends = {"by_score": found[LISTED, USUAL], "by_finds": found[LEARNS, FOUND]}
    heading = message("order_heading", tables=tables, **depths)
    return heading, message("orders", tables=tables, **depths, **ends, rule=policy)


def reread_rows(found: Reread, settings: Settings) -> list[dict[str, str]]:
    """What a rule came to, a row for each order and kind of chances."""
    return [
        {
            "Order": order,
            "Chances": chances,
            "Stops after": f"{played.depth:,}",
            "Found": percent(played.recall),
            "Chooses": f"{action(played.action == 'a+', settings)}, {'right' if played.right else 'wrong'}",
            "Net utility": amount(played.net_utility, settings.payoffs.unit),
        }
        for (order, chances), played in found.items()
    ]


def mean_rows(found: Sequence[Reread], settings: Settings) -> list[dict[str, str]]:
    """The same over several reviews, on average."""
    rows = []
    for order, chances in found[0]:
        played = [each[order, chances] for each in found]
        depth, recall, utility = (
            float(np.mean([getattr(each, name) for each in played]))
            for name in ("depth", "recall", "net_utility")
        )
        row = {"Order": order, "Chances": chances, "Stops after": f"{depth:,.1f}", "Found": percent(recall)}
        right = f"{sum(each.right for each in played)} of {len(played)}"
        rows.append(row | {"Right": right, "Net utility": amount(utility, settings.payoffs.unit)})
    return rows
