"""Why recall is not utility: what stopping at each depth of a list brings, and what every rule did on real rankings."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.findings.aggregate import rows
from tarstop_core.evaluation.findings.drawing import style
from tarstop_core.evaluation.findings.shipped import load_small, shipped
from tarstop_core.evaluation.results import Results
from tarstop_core.explore.lists import LabelledList
from tarstop_core.policies import Optimal
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.presentation.palette import BELIEF, POOLED, STUDY, THRESHOLD, VALUE
from tarstop_core.samples.collections import sample_full_texts
from tarstop_core.screening.explain import action
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.ideas.shared import HALVES, dot, idea, said
from tarstop_core.value.payoffs import Flags, Floats

IDEA = idea("Recall", "recall")


@dataclass(frozen=True)
class Case:
    """A sample that shows something about recall."""

    title: str  # What it shows, in a few words
    key: str  # Of the sample (:func:`~tarstop_core.explore.lists.samples`)
    q_star: float = 0.5
    cost: float = 0.001
    theta: float = 0.75
    """`q_star`, `cost` and `theta`: where the case begins."""


CASES: dict[str, Case] = {
    "settled": Case("Settled long before", "search:stair-trolley"),
    "missed": Case("Short of what decides", "review:marl-lung", 0.82, 0.0002, 0.6),
    "nothing": Case("Nothing to find", "search:battery-pack"),
}


@dataclass(frozen=True, eq=False)
class Recalled:
    """A labelled list at every depth, and where two rules stop."""

    explored: LabelledList
    settings: Settings
    target: float  # Recall that the one rule waits for
    relevant: int  # R; in a review the reports included by title and abstract
    recall: Floats
    b: Floats
    net_utility: Floats
    """`recall`, `b` and `net_utility`: of stopping at each depth: recall (0 where R = 0), belief, and what the action
    then chosen brings. Shape (N + 1,).
    """
    plus: Flags  # The action at each depth. Shape (N + 1,).
    omega: bool  # Truth
    at_target: int
    """First depth with that recall, as somebody who knew R would stop; N where there is nothing to recall."""
    at_optimal: int
    settled: int  # First depth from which the action never changes again


def recalled(explored: LabelledList, settings: Settings, target: float) -> Recalled:
    """What stopping at a recall in (0, 1] brings, beside what stopping at any depth does, on a list with its truth."""
    path, omega = explored.played(settings), explored.omega(settings)
    N, depths = len(path), np.arange(len(path) + 1)
    labels = _relevant(explored)
    found = np.append(0, np.cumsum(labels))
    R = int(found[-1])
    hit = N + 1 if path.hit is None else path.hit
    b = np.where(depths >= hit, 1.0, path.b)
    plus = np.where(depths >= hit, True, path.payoffs.chooses_plus(path.b))
    changes = np.flatnonzero(plus[1:] != plus[:-1])
    utility = metrics.net_utility(path.payoffs, plus, omega, depths, settings.cost)
    at_target = int(np.argmax(found >= target * R - 1e-9)) if R else N
    at_optimal = int(Optimal().depths(path, [settings.cost])[0])
    stops = (at_target, at_optimal, int(changes[-1]) + 1 if len(changes) else 0)
    recall = metrics.recall(found, R)
    return Recalled(explored, settings, target, R, recall, b, utility, plus, omega, *stops)


def _relevant(explored: LabelledList) -> Flags:
    """Documents that count for recall: relevant ones, in a review those included by title and abstract."""
    truth = explored.truth
    if isinstance(truth, Outcome):
        texts = sample_full_texts(truth.review)
        return np.array([str(each) in texts for each in truth.topic.ids])
    assert isinstance(truth, Topic) and truth.labels is not None  # samples are labelled throughout
    return truth.labels


def is_review(explored: LabelledList) -> bool:
    """Whether studies accumulate there."""
    return isinstance(explored.truth, Outcome)


def recall_figure(found: Recalled, *, dark: bool = False) -> fig.Figure:
    """Recall and belief by depth above; below, what stopping at each depth brings."""
    depth = list(range(len(found.recall)))
    N = depth[-1]
    low, high = float(found.net_utility.min()), float(found.net_utility.max())
    room = 0.14 * (high - low or 1.0)
    bottom: dict[str, Any] = {"yaxis": "y2"}
    hover = "%{x}: %{y:.3~g}<extra></extra>"
    q_star = found.settings.payoffs.q_star
    data = [
        fig.line(depth, found.recall.tolist(), POOLED, width=2.5, hovertemplate=hover),
        fig.line(depth, found.b.tolist(), BELIEF, hovertemplate=hover),
        fig.line(depth, found.net_utility.tolist(), VALUE, width=3, hovertemplate=hover, **bottom),
    ]
    for trace in data:
        trace["line"]["shape"] = "hv"
    data.append(fig.line([0, N], [q_star, q_star], THRESHOLD, dash="dash", hoverinfo="skip"))
    target_name = f"{percent(found.target)} recall" if found.relevant else "recall never says stop"
    stops = [(found.at_target, target_name, POOLED), (found.at_optimal, "Optimal", style("optimal")["color"])]
    # These two lie too close to be named at their ends.
    named = ((fig.ink(colour, dark), name) for name, colour in (("recall", POOLED), ("chance", BELIEF)))
    names = "   ".join(f'<span style="color:{colour}">━━ {name}</span>' for colour, name in named)
    notes = [
        fig.label(N, q_star, "act above q*", fig.text_colour(dark)),
        fig.note(0, 1, names, fig.text_colour(dark), xanchor="left", yshift=2),
    ]
    for at, name, colour in stops:
        data.append(fig.rise(at, [0, 1.02], colour, width=1.5, dash="dot"))
        data.append(fig.rise(at, [low - room, high + room], colour, width=1.5, dash="dot", **bottom))
        data.append(dot(at, float(found.net_utility[at]), colour, **bottom))
        side = "right" if at > N / 2 else "left"
        notes.append(fig.label(at, low - room, f" {name} ", fig.ink(colour, dark), yref="y2", xanchor=side))
    xaxis = fig.axis("documents read", dark, range=[-0.01 * N, 1.01 * N], anchor="y2")
    yaxis = fig.axis("share, chance", dark, domain=HALVES[0], range=[-0.03, 1.06], tickformat=".1f")
    ends = [low - room, high + room]
    yaxis2 = fig.axis("net utility of stopping", dark, domain=HALVES[1], range=ends, nticks=5)
    return fig.drawn(
        data, 430, found.explored.simulated, dark, notes, xaxis=xaxis, yaxis=yaxis, yaxis2=yaxis2
    )


def recall_sentence(found: Recalled) -> str:
    """What waiting for a recall did here."""
    N, settings = len(found.b) - 1, found.settings
    chosen = found.plus[[found.at_target, found.at_optimal, -1]].tolist()
    act, best, after = (action(plus, settings) for plus in chosen)
    right, rightly, _ = ("rightly" if plus == found.omega else "wrongly" for plus in chosen)
    optimal = said("recall_optimal", found=found, best=best, right=rightly)
    if not found.relevant:
        brings = float(found.net_utility[N])
        return said("recall_of_none", documents=N, act=act, brings=brings, optimal=optimal)
    q_star, review = settings.payoffs.q_star, is_review(found.explored)
    words = {"act": act, "right": right, "after": after, "optimal": optimal}
    return said("recall", found=found, q_star=q_star, review=review, **words)


def recall_rows(found: Recalled) -> fig.Rows:
    """The figure's numbers, a row a depth."""
    return fig.rows_of(
        depth=np.arange(len(found.b)),
        recall=found.recall,
        belief=found.b,
        action=np.where(found.plus, "a+", "a-"),
        net_utility=found.net_utility,
    )


@dataclass(frozen=True, eq=False)
class ByMethod:
    """Recall and net utility of every rule on a benchmark, tuned and tried as the paper does."""

    title: str  # Of the benchmark
    cases: int
    with_something: int
    """`cases` and `with_something`: lists, and those of them on which something is relevant."""
    q_star: float
    cost: float
    """`q_star` and `cost`: those of the experiment that lie nearest to what was asked."""
    rows: pd.DataFrame
    """``approach, policy, variant, family, recall, net_utility, screened`` of each rule but the Oracle."""

    @property
    def together(self) -> float:
        """Rank correlation of recall and net utility over the rules (Spearman)."""
        return float(self.rows["recall"].corr(self.rows["net_utility"], method="spearman"))


def by_method(q_star: float, cost: float) -> ByMethod:
    """Recall and net utility of every rule on real rankings, from the shipped results; `cost` of a document / K."""
    results = _real()
    near_q = min(results.q_stars, key=lambda each: abs(each - q_star))
    near_c = min(results.costs, key=lambda each: abs(np.log(each / cost)))
    found = rows(results, q_stars=[near_q], costs=[near_c], draws=0)
    kept = found[found["policy"] != "oracle"]
    columns = ["approach", "policy", "variant", "family", "recall", "net_utility", "screened"]
    omega = results.omega[:, results.q(near_q)]
    return ByMethod(results.settings["title"], len(omega), int(omega.sum()), near_q, near_c, kept[columns])


@lru_cache(maxsize=1)
def _real() -> Results:
    (listed,) = [each for each in shipped() if each.settings["benchmark"] == "clef"]
    return load_small(listed.path)


NAMED = ("optimal", "greedy", "budget", "qbcb", "screen-everything", "decide-now")
"""Rules whose points are named; the others are named where one points."""


def by_method_figure(found: ByMethod, *, dark: bool = False) -> fig.Figure:
    """Net utility against recall, a point a rule: those that are named filled and above the others, in grey."""
    data, notes = [], []
    low, high = float(found.rows["net_utility"].min()), float(found.rows["net_utility"].max())
    most = float(found.rows["recall"].max())
    # What is drawn later lies above: Optimal last.
    for each in sorted(by_method_rows(found), key=lambda row: (_is_named(row), row["policy"] == "optimal")):
        look = style(each["policy"], each["variant"], each["family"])
        x, y, name = each["recall"], each["net_utility"], each["approach"]
        named = _is_named(each)
        colour, symbol = (look["color"], look["symbol"]) if named else (STUDY, "circle-open")
        hover = f"{name}: {x:.2f}, {amount(y, '')}"
        data.append(dot(x, y, colour, symbol, hoverinfo="text", hovertext=hover))
        if named:
            right = x < 0.75 * most
            # They lie close to each other: one is named above its point, one below.
            yanchor = {"optimal": "bottom", "greedy": "top"}.get(each["policy"], "middle")
            place = {"xanchor": "left", "xshift": 8} if right else {"xanchor": "right", "xshift": -8}
            place |= {"yanchor": yanchor, "yshift": {"bottom": 4, "top": -2}.get(yanchor, 0)}
            notes.append(fig.label(x, y, name, fig.ink(colour, dark), **place))
    room = 0.1 * (high - low or 1.0)
    others = "○ the other rules (point at one for its name)"
    notes.append(fig.note(0, 1, others, fig.text_colour(dark), xanchor="left", yshift=2))
    title = "mean recall (0 where nothing is relevant)"
    xaxis = fig.axis(title, dark, range=[-0.03, 1.12 * most], tickformat=".1f")
    yaxis = fig.axis("mean net utility", dark, range=[low - room, high + 1.5 * room], nticks=6)
    return fig.drawn(data, 330, False, dark, notes, xaxis=xaxis, yaxis=yaxis)


def _is_named(row: dict[str, Any]) -> bool:
    return row["policy"] in NAMED and "," not in row["approach"]


def by_method_sentence(found: ByMethod) -> str:
    """Whether the rules that find most also bring most."""
    best, most = (found.rows.sort_values(by).iloc[-1] for by in ("net_utility", "recall"))
    return said(
        "by_method", found=found, best=best, most=most, together=found.together, rules=len(found.rows)
    )


def by_method_rows(found: ByMethod) -> fig.Rows:
    """The figure's numbers, a row a rule."""
    return [{str(key): value for key, value in row.items()} for row in found.rows.to_dict("records")]
