"""Compare a rule on a sample review in two orders: the list's own, and that of a ranker that learns from labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from tarstop_core.calibration.calibrator import REVIEW
from tarstop_core.calibration.reranked import forecasts
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.tables import Flags
from tarstop_core.documents.topic import Outcome
from tarstop_core.evaluation.replay import TopicResult
from tarstop_core.evaluation.reranking import simulate
from tarstop_core.explore import message
from tarstop_core.explore.lists import LabelledList
from tarstop_core.policies import Policy
from tarstop_core.presentation.figures import MARKS, Chart, Figure
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.presentation.palette import BELIEF, STUDY
from tarstop_core.ranking.learning import Label
from tarstop_core.samples import collections as samples
from tarstop_core.samples.shipped import calibrators, default_calibrator, reranked_chances
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action

LISTED, LEARNS = "as listed", "learning"
BY_SCORE, BY_FINDS = "by score or rank", "by what was found"
TABLES = (1, 3, 5, 10)
"""Numbers of tables for which the documents to read are counted."""
LABELS = {"excluded": Label.OTHER_KIND, "not retrieved": Label.RELEVANT}
"""Label that a ranker learns from a full text with this outcome, as in a session; other full texts are included."""
OrderComparison = Mapping[tuple[str, str], TopicResult]
"""Results of a rule by order (LISTED or LEARNS) and by chances (BY_SCORE, as for a fixed list, or BY_FINDS)."""


@lru_cache(maxsize=16)
def learned(listing: LabelledList) -> LabelledList:
    """Return a sample review in the order of a session whose list learns from every label, full texts included.

    Its chances are by rank.
    """
    review, ids = _outcome(listing).review, listing.topic.ids
    texts = samples.sample_full_texts(review)
    records = samples.load_review_sample(review).set_index("id", drop=False).loc[ids.tolist()]
    labels = [
        LABELS.get(texts[document].status, Label.INCLUDED) if document in texts else Label.NOT_RELEVANT
        for document in ids
    ]
    question = str(samples.sample_reviews().set_index("topic").at[review, "question"])
    order = simulate(ranking_text(records), question, labels, start=-np.arange(len(ids), dtype=float)).order
    by_rank = calibrators()[default_calibrator(False, True, REVIEW)]
    p = by_rank.probabilities(None, len(ids))
    return replace(listing, calibrator=by_rank, p=p, truth=samples.review_in_order(review, ids[order]))


def orders(listing: LabelledList) -> dict[str, LabelledList]:
    """Return a sample review in both orders, by order."""
    return {LISTED: listing, LEARNS: learned(listing)}


def compare_orders(listing: LabelledList, settings: Settings, policy: Policy) -> OrderComparison:
    """Play a rule on a sample review in each order with both kinds of chances, as ``tarstop replay`` does.

    Parameters
    ----------
    listing, settings, policy
        The review, the stakes, and the rule.

    Returns
    -------
    OrderComparison
    """
    model, comparison = reranked_chances(REVIEW), {}
    for order, reordered in orders(listing).items():
        by_finds = forecasts(model, _labels(reordered), len(reordered))[:-1]
        comparison[order, BY_SCORE] = reordered.replayed(policy, settings)
        chances = {_outcome(reordered).review: by_finds}
        comparison[order, BY_FINDS] = reordered.replayed(policy, settings, chances)
    return comparison


def _outcome(listing: LabelledList) -> Outcome:
    assert isinstance(listing.truth, Outcome)
    return listing.truth


def _labels(listing: LabelledList) -> Flags:
    return np.asarray(listing.topic.labels)


def order_figure(listing: LabelledList, comparison: OrderComparison, *, dark: bool = False) -> Figure:
    """Draw the tables found by documents read in both orders, and the stops of the rule.

    Parameters
    ----------
    listing, comparison
        The review, and the results of the rule on it.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        For plotly.
    """
    chart = Chart(300, dark=dark, simulated=listing.simulated)
    chart.note(0.98, 0.12, f"● stops, chances {BY_SCORE}")
    chart.note(0.98, 0.02, f"◆ stops, {BY_FINDS}")
    styles = ((STUDY, "dash", LISTED), (BELIEF, "solid", f"{LEARNS} from labels"))
    hover = {"hovertemplate": "%{x} read: %{y} found<extra></extra>"}
    for row, (order, reordered) in enumerate(orders(listing).items()):
        colour, dash, name = styles[row]
        gain = np.append(0, _labels(reordered).cumsum())
        chart.line(range(len(gain)), gain, colour, width=3, dash=dash, **hover)
        chart.note(0.98, 0.32 - 0.1 * row, f"{MARKS[dash]} {name}", colour)
        for chances, symbol in ((BY_SCORE, "circle"), (BY_FINDS, "diamond")):
            depth = int(comparison[order, chances].depth)
            chart.points([depth], [gain[depth]], colour, 12, marker={"symbol": symbol}, **hover)
    chart.axis("xaxis", "documents read")
    chart.axis("yaxis", "tables found")
    return chart.figure()


def order_sentences(listing: LabelledList, comparison: OrderComparison, policy: Policy) -> tuple[str, str]:
    """Say after how many documents tables are found in each order, and where the rule stops.

    Parameters
    ----------
    listing, comparison, policy
        The review, the results of the rule on it, and the rule.

    Returns
    -------
    tuple of str
        Heading and sentence.
    """
    listed, learns = ((np.flatnonzero(_labels(order)) + 1).tolist() for order in orders(listing).values())
    tables = [*(k for k in TABLES if k < len(listed)), len(listed)]
    depths = {"listed": [listed[k - 1] for k in tables], "learned": [learns[k - 1] for k in tables]}
    ends = {"by_score": comparison[LISTED, BY_SCORE], "by_finds": comparison[LEARNS, BY_FINDS]}
    heading = message("order_heading", tables=tables, **depths)
    return heading, message("orders", tables=tables, **depths, **ends, rule=policy)


def order_rows(comparisons: Sequence[OrderComparison], settings: Settings) -> list[dict[str, str]]:
    """Tabulate the results of a rule on a review, or their means over several, by order and kind of chances."""
    rows = []
    for order, chances in comparisons[0]:
        played = [comparison[order, chances] for comparison in comparisons]
        if len(played) == 1:
            stops, right = f"{played[0].depth:,}", "right" if played[0].right else "wrong"
            decided = {"Chooses": f"{action(played[0].action == 'a+', settings)}, {right}"}
        else:
            stops = f"{np.mean([result.depth for result in played]):,.1f}"
            decided = {"Right": f"{sum(result.right for result in played)} of {len(played)}"}
        recall = float(np.mean([result.recall for result in played]))
        utility = float(np.mean([result.net_utility for result in played]))
        row = {"Order": order, "Chances": chances, "Stops after": stops, "Found": percent(recall), **decided}
        rows.append(row | {"Net utility": amount(utility, settings.payoffs.unit)})
    return rows
