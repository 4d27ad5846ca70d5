"""Findings of an experiment that weighs no decision: documents read, and how often rules reach the recall."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

import pandas as pd

from tarstop_core.evaluation.findings import aggregate, effort, message, share_words
from tarstop_core.evaluation.findings.report import Drawn, Findings
from tarstop_core.evaluation.findings.tables import latex_of, without_bootstrap

COLUMNS = {
    "approach": "approach",
    "recall": "recall",
    "screened": "screened",
    "effort_saved": "effort_saved",
    "decision_agreement": "reached",
    "decision_agreement_low": "reached_low",
    "decision_agreement_high": "reached_high",
    "topics": "topics",
}
"""Columns that come first, by their names in :func:`~tarstop_core.evaluation.findings.aggregate.rows`."""
WEIGHED = (
    *("q_star", "cost", "truth", "net_utility", "net_utility_low", "net_utility_high", "icer", "icer_note"),
    *("false_adopt", "false_reject", "engine", "share", "decide_now", "regret", "engine_changes"),
)
"""Columns that only make sense if decisions are weighed."""


class RecallFindings(Findings):
    """Frames and figures of an experiment in which a stop is right if it reaches the recall."""

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row for each method: recall, documents read, and share of topics on which the recall was reached."""
        rows = aggregate.rows(self.results, target=self.target)
        # Rounded, so that reading everything saves exactly 0.
        saved = rows["effort_saved"].round(12)
        rows = rows.drop(columns=[*WEIGHED], errors="ignore")
        rows = rows.assign(effort_saved=saved).rename(columns=COLUMNS)
        first = [name for name in COLUMNS.values() if name in rows]
        return rows[[*first, *rows.columns.difference(first, sort=False)]]

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that changes a number of a recall."""
        weighed = ("b_0", "beliefs", "engine")
        return {name: value for name, value in self.results.settings.items() if name not in weighed}

    @property
    def notes(self) -> list[str]:
        """Sentences that explain the table."""
        return [message("recall_reached_note", target=self.target)]

    @property
    def caption(self) -> str:
        """Caption of every table."""
        results = self.results
        about = {"title": results.settings["title"], "simulated": results.simulated, "target": self.target}
        return message("recall_caption", **about, topics=len(results.cases))

    @cached_property
    def claims(self) -> pd.DataFrame:
        """Empty, because claims are about decisions."""
        return pd.DataFrame()

    @cached_property
    def beside_paper(self) -> pd.DataFrame:
        """Empty, because the paper weighs decisions."""
        return pd.DataFrame()

    @property
    def ordering(self) -> list[str]:
        """Empty, because the paper weighs decisions."""
        return []

    @cached_property
    def comparisons(self) -> pd.DataFrame | None:
        """None, because comparisons are of net utility."""
        return None

    def panels(self) -> list[tuple[str, pd.DataFrame]]:
        """The table of the page after its caption; the rule that reaches the recall most often comes first."""
        return [(f"{self.caption}.", panel(self.rows))]

    def chosen(self) -> pd.DataFrame:
        """The settings that tuning chose."""
        return self.rows[["approach", "setting"]]

    def engine_changes(self) -> dict[str, Any] | None:
        """None, because there is no belief."""
        return None

    def frames(self) -> dict[str, pd.DataFrame]:
        """The tables of the report by the names of their files."""
        topics = aggregate.case_rows(self.results).rename(columns={"plus": "reached"})
        unweighed = topics.drop(columns=["omega", "q_star", "cost", "net_utility"])
        return {"rows.csv": self.rows, "topics.csv.gz": unweighed}

    def latex(self) -> str:
        """The table of the page in LaTeX."""
        return latex_of([("", panel(without_bootstrap(self.rows)))], self.caption, self.notes)

    def figures(self) -> Iterator[Drawn]:
        """The figures of the report: documents read, and the reliability of the chances."""
        rows = self.rows
        best = rows.iloc[int(rows["reached"].to_numpy().argmax())]
        yield Drawn(
            "effort",
            "effort",
            "Documents read",
            partial(effort.effort_figure, rows, self.results.simulated),
            message("recall_effort", best=best.to_dict(), target=self.target),
        )
        yield from self.reliability_figures()


def panel(rows: pd.DataFrame) -> pd.DataFrame:
    """Lay out rows as text; the rule that reaches the recall most often comes first."""
    cells = [
        {
            "Approach": row["approach"],
            "Reached": within(row, "reached", share_words),
            "Recall": f"{row['recall']:.3f}",
            "Of the list read": share_words(1 - row["effort_saved"]),
            "Documents read": within(row, "screened", "{:,.0f}".format),
        }
        for row in rows.sort_values("reached", ascending=False, kind="stable").to_dict("records")
    ]
    return pd.DataFrame(cells)


def within(row: Mapping[Any, Any], name: str, form: Callable[[float], str]) -> str:
    """A mean as text, with its interval if the row has one.

    Parameters
    ----------
    row : mapping
        A row of :attr:`RecallFindings.rows`.
    name : str
        Column of the mean.
    form : callable
        Formats a number.

    Returns
    -------
    str
    """
    low, high = f"{name}_low", f"{name}_high"
    return f"{form(row[name])} ({form(row[low])} to {form(row[high])})" if low in row else form(row[name])
