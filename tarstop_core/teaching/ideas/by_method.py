"""Recall and net utility of every rule on real rankings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.evaluation.findings.aggregate import rows
from tarstop_core.evaluation.findings.drawing import style
from tarstop_core.evaluation.findings.shipped import load_small, shipped
from tarstop_core.evaluation.results import Results
from tarstop_core.presentation.figures import Figure, Rows, axis, drawn, ink, label, note, text_colour
from tarstop_core.presentation.numbers import amount, number
from tarstop_core.presentation.palette import STUDY
from tarstop_core.teaching.ideas.shared import dot


@dataclass(frozen=True, eq=False)
class ByMethod:
    """Recall and net utility of every rule on a benchmark, tuned and tried as the paper does."""

    title: str
    """Of the benchmark."""
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
        ranks = self.rows[["recall", "net_utility"]].rank()
        return float(np.corrcoef(ranks["recall"], ranks["net_utility"])[0, 1])


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


def by_method_figure(found: ByMethod, *, dark: bool = False) -> Figure:
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
        said = f"{name}: {x:.2f}, {amount(y, '')}"
        data.append(dot(x, y, colour, symbol, hoverinfo="text", hovertext=said))
        if named:
            right = x < 0.75 * most
            # They lie close to each other: one is named above its point, one below.
            yanchor = {"optimal": "bottom", "greedy": "top"}.get(each["policy"], "middle")
            place = {"xanchor": "left", "xshift": 8} if right else {"xanchor": "right", "xshift": -8}
            place |= {"yanchor": yanchor, "yshift": {"bottom": 4, "top": -2}.get(yanchor, 0)}
            notes.append(label(x, y, name, ink(colour, dark), **place))
    room = 0.1 * (high - low or 1.0)
    others = "○ the other rules (point at one for its name)"
    notes.append(note(0, 1, others, text_colour(dark), xanchor="left", yshift=2))
    xaxis = axis(
        "mean recall (0 where nothing is relevant)", dark, range=[-0.03, 1.12 * most], tickformat=".1f"
    )
    yaxis = axis("mean net utility", dark, range=[low - room, high + 1.5 * room], nticks=6)
    return drawn(data, 330, False, dark, notes, xaxis=xaxis, yaxis=yaxis)


def _is_named(row: dict[str, Any]) -> bool:
    return row["policy"] in NAMED and "," not in row["approach"]


def by_method_sentence(found: ByMethod) -> str:
    """Whether the rules that find most also bring most."""
    best, most = (found.rows.sort_values(by).iloc[-1] for by in ("net_utility", "recall"))
    together = found.together
    verdict = "what a rule finds says little about what it brings"
    if abs(together) > 0.3:
        verdict = f"the more a rule finds, the {'less' if together < 0 else 'more'} it brings"
    return (
        f"{found.title}, {found.cases} lists, {found.with_something} of them with something to find, at q* = {found.q_star:g} and a cost of {number(found.cost)}: {best['approach']} brings "
        f"most, {amount(best['net_utility'], '')}, with a recall of {best['recall']:.2f}; {most['approach']} finds most, "
        f"{most['recall']:.2f}, and brings {amount(most['net_utility'], '')}. Over all {len(found.rows)} rules {verdict} "
        f"(rank correlation {amount(round(together, 2), '')})."
    )


def by_method_rows(found: ByMethod) -> Rows:
    """The figure's numbers, a row a rule."""
    return [{str(key): value for key, value in row.items()} for row in found.rows.to_dict("records")]
