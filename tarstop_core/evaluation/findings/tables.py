"""Tables in the layout of the paper's, as text and in LaTeX."""

import math
import re
from collections.abc import Mapping, Sequence
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
"""Columns of a panel; "Decide now" is the agreement of reading nothing, for comparison with a rule's own."""
BOOTSTRAPPED = ("net_utility", "decision_agreement", "screened")
"""Columns of rows with bootstrap intervals."""


def headline_cost(scenario: str, costs: tuple[float, ...]) -> float:
    """Return the paper's cost if it was run, else the cost in the middle."""
    paper = TASKS[scenario].paper
    return paper.cost if paper is not None and paper.cost in costs else sorted(costs)[len(costs) // 2]


def panel(rows: pd.DataFrame, q_star: float, cost: float, digits: int = 1) -> pd.DataFrame:
    """Lay out one panel of a table as in the paper, the best net utility first.

    Parameters
    ----------
    rows : DataFrame
        Rows of :func:`~tarstop_core.evaluation.findings.aggregate.rows`.
    q_star, cost : float
        The q* and cost of the panel.
    digits : int
        Decimals of the ICER.

    Returns
    -------
    DataFrame
        Text in the columns of :data:`HEADINGS`, with intervals if the rows have them; :func:`notes` explains it.
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
    """Return rows for narrow tables, without bootstrap intervals; reliability keeps its interval."""
    ends = [f"{column}_{end}" for column in BOOTSTRAPPED for end in ("low", "high")]
    return rows.drop(columns=ends, errors="ignore")


def notes(rows: pd.DataFrame) -> list[str]:
    """Return the notes that explain panels of these rows."""
    first = rows.iloc[0]
    counts = {"topics": int(first["topics"]), "with_relevant": int(first["topics_with_relevant"])}
    return [*icer_note(rows), message("recall_note", **counts, target=float(first["target_recall"]))]


def icer_note(rows: pd.DataFrame) -> list[str]:
    """Return the note on ICERs that are "--", if a row has one, of this run or of the paper."""
    if not (rows.filter(regex=r"^icer(_paper)?$") == NEITHER).any(axis=None):
        return []
    return [message("icer_note", alone=not (rows["icer"] == REFERENCE).any())]


def beside_paper(
    frame: pd.DataFrame, digits: int, errors: Mapping[str, str] | None = None, *, places: bool = False
) -> pd.DataFrame:
    """Lay out rows of a run beside the paper's, as texts.

    Parameters
    ----------
    frame : DataFrame
        Rows of :attr:`~tarstop_core.evaluation.findings.report.Findings.beside_paper`.
    digits : int
        Decimals of the ICER.
    errors : mapping of str to str, optional
        Names of the two errors; without them their columns are left out.
    places : bool
        Whether to include the ranks by net utility.

    Returns
    -------
    DataFrame
        Empty if `frame` is.
    """
    if frame.empty:
        return pd.DataFrame()
    columns = {"q*": frame["q_star"].map("{:g}".format), "Approach": frame["approach"]}
    if places:
        columns["Place, here / paper"] = frame["rank"].astype(str) + " / " + frame["rank_paper"].astype(str)
    for column, title, form in (
        ("net_utility", "Net utility", signed),
        ("screened", "Screened", "{:,.1f}".format),
        ("decision_agreement", "Agreement", "{:.4f}".format),
        ("recall", "Recall", "{:.4f}".format),
        *((name, f"{called.capitalize()}s", _share) for name, called in (errors or {}).items()),
    ):
        columns[f"{title}, here"] = frame[column].map(form)
        columns[f"{title}, paper"] = frame[f"{column}_paper"].map(form)
    columns["ICER, here"] = frame["icer"].map(lambda icer: shown_icer(icer, digits))
    columns |= {"ICER, paper": frame["icer_paper"], "Differs by": frame["differs_by"]}
    return pd.DataFrame(columns)


def _share(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{value:.1%}"


def shown_icer(icer: Icer, digits: int = 1) -> str:
    """An ICER as text: its label, or its ratio with this many decimals."""
    return icer if isinstance(icer, str) else f"{icer:.{digits}f}"


def _or_none(value: float) -> str:
    return "not defined" if math.isnan(value) else signed(value)


def _with_interval(row: Mapping[Any, Any], name: str) -> str:
    low = row.get(f"{name}_low", math.nan)
    within = "" if math.isnan(low) else f" ({signed(low)} to {signed(row[f'{name}_high'])})"
    return f"{_or_none(row[name])}{within}"


def latex(rows: pd.DataFrame, cost: float, caption: str, digits: int = 1) -> str:
    """Write each :func:`panel` of one cost as a LaTeX table (package booktabs).

    Parameters
    ----------
    rows, cost, digits
        As of :func:`panel`.
    caption : str
        Caption in plain text.

    Returns
    -------
    str
    """
    plain, panels = without_bootstrap(rows), []
    for q_star in sorted(rows["q_star"].unique(), reverse=True):
        title = rf"\multicolumn{{{len(HEADINGS)}}}{{l}}{{$q^* = {q_star:g}$}} \\"
        panels.append((title, panel(plain, q_star, cost, digits)))
    return latex_of(panels, caption, notes(rows[rows["cost"] == cost]))


def latex_of(panels: Sequence[tuple[str, pd.DataFrame]], caption: str, notes: list[str]) -> str:
    """Write tables of text as one LaTeX table (package booktabs), one below the other, with notes at its end.

    Parameters
    ----------
    panels : sequence of (str, DataFrame)
        Titles in LaTeX, and tables with the same columns.
    caption, notes : str, list of str
        Caption and notes in plain text.

    Returns
    -------
    str
    """
    columns = panels[0][1].columns
    lines = [
        r"\begin{table}",
        rf"\caption{{{_escaped(caption)}}}",
        r"\begin{tabular}{l" + "r" * (len(columns) - 1) + "}",
        r"\toprule",
        " & ".join(columns) + r" \\",
    ]
    for title, table in panels:
        lines += [r"\midrule", *filter(None, [title])]
        for row in table.itertuples(index=False):
            lines.append(" & ".join(_escaped(str(cell)) for cell in row) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {_escaped(note)}" for note in notes]
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
# Longer ones come first, so that ω⁺ is replaced as a whole.
_ESCAPED = re.compile("|".join(map(re.escape, sorted(_ESCAPES, key=len, reverse=True))))


def _escaped(text: str) -> str:
    if text == "--":
        return "{--}"
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], text)
