"""Rank records by a query, and run the paper's experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.tables import Floats, Ints
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.figures import Chart, Figure
from tarstop_core.presentation.palette import VALUE
from tarstop_core.presentation.results import Result
from tarstop_core.ranking.bm25 import RECIPES, rank_documents

if TYPE_CHECKING:
    import pandas as pd

    from tarstop_core.evaluation.findings.report import Findings

HEIGHT = 330


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Result):
    """Documents in the order of their scores."""

    order: Ints  # Positions of the documents in the input, best first, shape (N,)
    scores: Floats  # Scores in that order, shape (N,)
    records: pd.DataFrame  # the input

    def to_frame(self) -> pd.DataFrame:
        """Return the records in this order, with scores."""
        return self.records.iloc[self.order].assign(score=self.scores).reset_index(drop=True)

    def figure(self) -> Figure:
        chart = Chart(HEIGHT)
        chart.line(np.arange(1, len(self.scores) + 1), self.scores, VALUE)
        chart.axis("xaxis", "rank")
        chart.axis("yaxis", "score")
        return chart.figure()


def rank(records: Any, query: str, tokens: str = "words") -> Ranking:
    """Rank records by BM25 against a query, as ``tarstop rank`` does.

    Parameters
    ----------
    records : DataFrame, RecordTable or sequence of str
        Records with the columns `title` and `abstract` (one may be missing), a result of ``read_records``, or one text per
        document.
    query : str
        Words to search for.
    tokens : {"words", "paper"}
        Word stems without common words, as in new sessions, or lower-case words split at white space, as in the paper.

    Returns
    -------
    Ranking

    Raises
    ------
    InputProblem
        When there is no text to rank by, or the query shares no word with any document.

    Examples
    --------
    >>> import tarstop_core as ts
    >>> ts.rank(["a door with a hinge", "a window", "hinges of doors and a lock"], "hinge of a door").order.tolist()
    [0, 2, 1]
    """
    import pandas as pd

    if tokens not in RECIPES:
        raise InputProblem(f"tokens is '{tokens}'; choose one of {', '.join(RECIPES)}.")
    frame = getattr(records, "frame", records)
    if not isinstance(frame, pd.DataFrame):
        if isinstance(frame, str):
            raise InputProblem("records is one text; give a sequence of texts, or a DataFrame.")
        frame = pd.DataFrame({"title": [str(text) for text in frame]})
    texts = [name for name in ("title", "abstract") if name in frame]
    if not texts:
        raise InputProblem("records has neither a column title nor a column abstract; rename one.")
    written = {
        name: frame[name].fillna("").astype(str) if name in texts else "" for name in ("title", "abstract")
    }
    order, scores = rank_documents(ranking_text(frame.assign(**written)), query, RECIPES[tokens])
    return Ranking(order, scores[order], frame)


@dataclass(frozen=True, eq=False, repr=False)
class Experiment(Result):
    """Results of an experiment: one row per method, q* and cost."""

    findings: Findings  # All tables and figures, as ``tarstop experiment`` writes them

    @property
    def sentence(self) -> str:
        return f"{self.findings.caption}."

    def to_frame(self) -> pd.DataFrame:
        """Return the rows that ``tarstop experiment --json`` prints."""
        return self.findings.rows.copy()

    def figure(self) -> Figure:
        """Draw the first figure of the report."""
        return next(self.findings.figures()).draw(False)


def experiment(
    benchmark: str,
    methods: str | Sequence[str] | None = None,
    *,
    scenario: str | None = None,
    share: float | None = None,
    target_recall: float = 0.95,
    workers: int = 1,
    **options: Any,
) -> Experiment:
    """Tune and test rules on a benchmark by the paper's protocol, as ``tarstop experiment`` does.

    Parameters
    ----------
    benchmark : str
        "patent" or "review" (simulated), another name from ``tarstop experiment --help``, or a folder of your own.
    methods : str or sequence of str, optional
        Rules to compare, such as ["optimal", "greedy", "budget"]; all rules by default.
    scenario : str, optional
        "enough" evaluates rules by the recall that they reach, on any benchmark.
    share : float, optional
        Reweight results to this share of ω⁺ topics.
    target_recall : float
        Recall for the table of how often rules reach it.
    workers : int
        Number of processes; 0 for all cores. Results do not depend on it.
    **options
        Parameters of the task: `truth`, `engine`, `theta`, `b_0`, `replications`, `pseudo`, `seed`.

    Returns
    -------
    Experiment

    Raises
    ------
    InputProblem
        When there is no such benchmark or method, or a number is unusable.

    Examples
    --------
    >>> import tarstop_core as ts
    >>> tried = ts.experiment("patent", ["greedy", "decide-now"])  # doctest: +SKIP
    """
    from tarstop_core.evaluation.findings.conduct import conduct

    _, findings = conduct(
        benchmark,
        methods,
        scenario=scenario,
        share=share,
        target_recall=target_recall,
        workers=workers,
        **options,
    )
    return Experiment(findings)
