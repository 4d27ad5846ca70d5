"""Tables laid out as the paper's: for reading, for a spreadsheet, for LaTeX."""

import math
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from tarstop_core.evaluation.metrics import Icer
from tarstop_core.evaluation.tasks.named import TASKS
from tarstop_core.presentation.words import TEXTS, say

said = partial(say, "tarstop_core.evaluation.findings.words")
"""A sentence about an experiment, by its key."""
HEADINGS = ("Approach", "Net utility", "Recall", "Screened", "ICER", "Decision agreement", "Decide now")
"""Columns of a panel. "Decide now" is the agreement of reading nothing, always beside a rule's own."""


def headline_cost(scenario: str, costs: tuple[float, ...]) -> float:
    """The paper's cost where it was run, else the one in the middle."""
    paper = TASKS[scenario].paper
    return paper.cost if paper is not None and paper.cost in costs else sorted(costs)[len(costs) // 2]


def panel(rows: pd.DataFrame, q_star: float, cost: float, digits: int = 1) -> pd.DataFrame:
    """One panel of a table in the paper's manner, best net utility first, as texts under :data:`HEADINGS`.

    From :func:`~tarstop_core.evaluation.findings.aggregate.rows`, net utility and agreement with their intervals where
    it has them; `digits` are decimals of the ICER.
    """
    own = rows[(rows["q_star"] == q_star) & (rows["cost"] == cost)]
    own = own.sort_values("net_utility", ascending=False, kind="stable")
    shown = [
        (
            row["approach"],
            _with_interval(row, "net_utility"),
            f"{row['recall']:.4f}",
            f"{row['screened']:.1f}",
            shown_icer(row["icer"], digits),
            _with_interval(row, "decision_agreement"),
            "unknown" if math.isnan(row["decide_now"]) else f"{row['decide_now']:.4f}",
        )
        for row in own.to_dict("records")
    ]
    return pd.DataFrame(shown, columns=HEADINGS)


def shown_icer(icer: Icer, digits: int = 1) -> str:
    """A label as it is, a ratio rounded."""
    return icer if isinstance(icer, str) else f"{icer:.{digits}f}"


def signed(value: float, digits: int = 4) -> str:
    """A number with a true minus sign, and no minus on zero."""
    return f"{value:z.{digits}f}".replace("-", "−")


TEXTS.filters["signed"] = signed


def _with_interval(row: Mapping[Any, Any], name: str) -> str:
    low = row.get(f"{name}_low", math.nan)
    within = "" if math.isnan(low) else f" ({signed(low)} to {signed(row[f'{name}_high'])})"
    return f"{signed(row[name])}{within}"


def latex(rows: pd.DataFrame, cost: float, caption: str, digits: int = 1) -> str:
    """Each :func:`panel` of one cost as a LaTeX table (package booktabs); the caption is plain text."""
    plain = rows.drop(columns=[name for name in map(str, rows) if name.endswith("_low")])
    lines = [
        r"\begin{table}",
        rf"\caption{{{_escaped(caption)}}}",
        r"\begin{tabular}{l" + "r" * (len(HEADINGS) - 1) + "}",
        r"\toprule",
        " & ".join(HEADINGS) + r" \\",
    ]
    for q_star in sorted(rows["q_star"].unique(), reverse=True):
        lines += [r"\midrule", rf"\multicolumn{{{len(HEADINGS)}}}{{l}}{{$q^* = {q_star:g}$}} \\"]
        for row in panel(plain, q_star, cost, digits).itertuples(index=False):
            lines.append(" & ".join(_escaped(str(cell)) for cell in row) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


_ESCAPES = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "–": "--",
    "ω⁺": r"$\omega^+$",
    "ω⁻": r"$\omega^-$",
    "θ": r"$\theta$",
    "τ": r"$\tau$",
    "≥": r"$\ge$",
    "×": r"$\times$",
}


def _escaped(text: str) -> str:
    if text == "--":
        return "{--}"
    # Longer ones first: ω⁺ before anything that stands for ω alone.
    longest_first = sorted(_ESCAPES, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda found: _ESCAPES[found[0]], text)
