"""``ts.belief``: the belief after 2×2 tables, with its sentence, table and figure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tarstop_core.belief.both import claim
from tarstop_core.belief.of_tables import belief_path
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.documents.tables import CELLS, Tables, as_tables
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.figures import Chart, Figure
from tarstop_core.presentation.numbers import count_of, percent
from tarstop_core.presentation.palette import BELIEF
from tarstop_core.presentation.results import Result

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 330  # of the figure, in pixels


@dataclass(frozen=True, eq=False, repr=False)
class Belief(Result):
    """The chance that pooled sensitivity exceeds a threshold and, if one is given, pooled specificity its own."""

    belief: float | None  # After all studies; None if the engine has no answer
    after: tuple[float | None, ...]  # After 0 … n studies
    theta: float
    engine: str
    notes: tuple[str, ...]  # Studies that count only in part or not at all
    tables: Tables
    theta_sp: float | None = None

    def __float__(self) -> float:
        return float("nan") if self.belief is None else self.belief

    @property
    def sentence(self) -> str:
        studies = count_of(len(self.tables), "study", "studies")
        if self.belief is None:
            return f"After {studies} the engine {self.engine} has no answer: it needs three studies with all four counts."
        exceeds = claim(self.theta, self.theta_sp)
        return f"After {studies} the chance that pooled {exceeds} is {percent(self.belief)} ({self.engine})."

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each study: its counts, and the belief after it; the first row is that before any study."""
        import pandas as pd

        counts = pd.DataFrame({cell: getattr(self.tables, cell) for cell in CELLS})
        rows = counts.assign(study=self.tables.study).reindex(range(-1, len(counts)))
        return rows.assign(belief=np.array(self.after, dtype=float))[["study", *CELLS, "belief"]].reset_index(
            drop=True
        )

    def figure(self) -> Figure:
        chart, last = Chart(HEIGHT), max(1, len(self.after) - 1)
        points = [(n, b) for n, b in enumerate(self.after) if b is not None]
        chart.line([n for n, _ in points], [b for _, b in points], BELIEF)
        chart.axis("xaxis", "studies", range=[-0.02 * last, last * 1.02])
        title = f"chance that {claim(self.theta, self.theta_sp)}"
        chart.axis("yaxis", title, range=[-0.03, 1.03], tickformat=".0%")
        return chart.figure()


def belief(
    tables: Any,
    theta: float = 0.75,
    *,
    engine: str = "bivariate",
    b_0: float | None = None,
    prior: Prior | None = None,
    theta_sp: float | None = None,
) -> Belief:
    """Return the chance that pooled sensitivity exceeds a threshold, given the 2×2 tables of studies.

    It is the number that ``tarstop belief`` prints and that a session acts on.

    Parameters
    ----------
    tables : DataFrame, Tables or array_like, shape (n, 4)
        Columns TP, FP, FN and TN, one row per study in the order in which they came; a DataFrame may have a column `study`.
        FP and TN may be missing (nan).
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    engine : {"bivariate", "univariate", "reml"}
        Exact counts of both groups together, of each group by itself, or the Reitsma model.
    b_0 : float, optional
        Belief before any study; 0.5, or that of the prior, unless given.
    prior : Prior, optional
        What is believed before any study; the weak default unless given.
    theta_sp : float, optional
        Threshold that pooled specificity has to exceed as well, in (0, 1): the belief is that both do.

    Returns
    -------
    Belief
        The belief after all studies and after each; ``float(…)`` is the former.

    Raises
    ------
    InputProblem
        When a count, a threshold, the prior or the engine cannot be used.

    Examples
    --------
    >>> import tarstop_core as ts
    >>> after = ts.belief([[45, 5, 5, 45], [30, 2, 6, 60], [52, 9, 8, 40]], theta=0.75)
    >>> print(after)
    After 3 studies the chance that pooled sensitivity exceeds 75 % is 97 % (bivariate).
    >>> after.to_frame().round(2)["belief"].tolist()
    [0.5, 0.88, 0.92, 0.97]
    """
    counts, start = as_tables(tables), prior or Prior()
    if engine == "reml" and (b_0 is not None or prior is not None):
        raise InputProblem("The engine reml uses no prior; leave out b_0 and prior.")
    start = start if b_0 is None else replace(start, b_0=b_0)
    path = belief_path(counts, Question(theta, engine, start, theta_sp))
    return Belief(path.beliefs[-1], path.beliefs, theta, engine, path.notes, counts, theta_sp)
