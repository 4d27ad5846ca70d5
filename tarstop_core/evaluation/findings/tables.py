"""Tables laid out as the paper's: for reading, for a spreadsheet, for LaTeX."""

import math
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tarstop_core.evaluation.findings import message, signed
from tarstop_core.evaluation.metrics import NEITHER, REFERENCE, Icer
from tarstop_core.evaluation.tasks import TASKS

HEADINGS = (
    "Approach",
    "Net utility",
    "Recall",
    "WSS",
    "Reliability",
    "Screened",
    "ICER",
    "Decision agreement",
    "Decide now",
)
"""Columns of a panel. "Decide now" is the agreement of reading nothing, always beside a rule's own."""
BOOTSTRAPPED = ("net_utility", "decision_agreement", "screened")
"""Columns of rows whose intervals come from a bootstrap."""


def headline_cost(scenario: str, costs: tuple[float, ...]) -> float:
    """The paper's cost where it was run, else the one in the middle."""
    paper = TASKS[scenario].paper
    return paper.cost if paper is not None and paper.cost in costs else sorted(costs)[len(costs) // 2]


def panel(rows: pd.DataFrame, q_star: float, cost: float, digits: int = 1) -> pd.DataFrame:
    """One panel of a table in the paper's manner, best net utility first, as texts under :data:`HEADINGS`.

    From :func:`~tarstop_core.evaluation.findings.aggregate.rows`, net utility, reliability and agreement with their
    intervals where it has them; `digits` are decimals of the ICER. :func:`notes` says what has to be known to read it.
    """
    own = rows[(rows["q_star"] == q_star) & (rows["cost"] == cost)]
    own = own.sort_values("net_utility", ascending=False, kind="stable")
    cells = [
        (
            row["approach"],
            _with_interval(row, "net_utility"),
            f"{row['recall']:.4f}",
            _or_none(row["wss"]),
            _with_interval(row, "reliability"),
            f"{row['screened']:.1f}",
            shown_icer(row["icer"], digits),
            _with_interval(row, "decision_agreement"),
            "unknown" if math.isnan(row["decide_now"]) else f"{row['decide_now']:.4f}",
        )
        for row in own.to_dict("records")
    ]
    return pd.DataFrame(cells, columns=HEADINGS)


def without_bootstrap(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows for narrow tables: means without their bootstrap intervals, reliability with its own."""
    ends = [f"{column}_{end}" for column in BOOTSTRAPPED for end in ("low", "high")]
    return rows.drop(columns=ends, errors="ignore")


def notes(rows: pd.DataFrame) -> list[str]:
    """What has to be known to read panels of these rows, a sentence or two each."""
    first = rows.iloc[0]
    counts = {"topics": int(first["topics"]), "with_relevant": int(first["topics_with_relevant"])}
    return [*icer_note(rows), message("recall_note", **counts, target=float(first["target_recall"]))]


def icer_note(rows: pd.DataFrame) -> list[str]:
    """Why an ICER is "--", where one of these rows has it, or one of the paper beside it."""
    if not (rows.filter(regex=r"^icer(_paper)?$") == NEITHER).any(axis=None):
        return []
    return [message("icer_note", alone=not (rows["icer"] == REFERENCE).any())]


def shown_icer(icer: Icer, digits: int = 1) -> str:
    """A label as it is, a ratio rounded."""
    return icer if isinstance(icer, str) else f"{icer:.{digits}f}"


def _or_none(value: float) -> str:
    return "not defined" if math.isnan(value) else signed(value)


def _with_interval(row: Mapping[Any, Any], name: str) -> str:
    low = row.get(f"{name}_low", math.nan)
    within = "" if math.isnan(low) else f" ({signed(low)} to {signed(row[f'{name}_high'])})"
    return f"{_or_none(row[name])}{within}"


def latex(rows: pd.DataFrame, cost: float, caption: str, digits: int = 1) -> str:
    """Each :func:`panel` of one cost as a LaTeX table (package booktabs); the caption is plain text."""
    plain = without_bootstrap(rows)
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
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {_escaped(note)}" for note in notes(rows[rows["cost"] == cost])]
    return "\n".join([*lines, r"\end{table}", ""])


_ESCAPES = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "–": "--",
    "“": "``",
    "”": "''",
    "’": "'",
    "ω⁺": r"$\omega^+$",
    "ω⁻": r"$\omega^-$",
    "θ": r"$\theta$",
    "τ": r"$\tau$",
    "≥": r"$\ge$",
    "×": r"$\times$",
}
# Longer ones first: ω⁺ before anything that stands for ω alone.
_ESCAPED = re.compile("|".join(map(re.escape, sorted(_ESCAPES, key=len, reverse=True))))


def _escaped(text: str) -> str:
    if text == "--":
        return "{--}"
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], text)
