"""What a Python user gets back: a table, a figure, and a look in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import TYPE_CHECKING, Any

from tarstop_core.presentation.figures import Figure

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 20  # Of a table in a notebook


class Result(ABC):
    """An answer that shows itself as a table and as a figure."""

    @property
    def sentence(self) -> str:
        """The answer in words; empty where the table says everything."""
        return ""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the answer as a table."""

    @abstractmethod
    def figure(self) -> Figure:
        """Return the answer as a figure: a dictionary that plotly reads."""

    def plot(self) -> Any:
        """Draw the answer as a ``plotly.graph_objects.Figure``.

        Raises
        ------
        ImportError
            When plotly is not installed.
        """
        try:
            from plotly.graph_objects import Figure as PlotlyFigure
        except ImportError:
            raise ImportError(
                "plot() draws with plotly, which is not installed; run: pip install 'tarstop[app]'."
            ) from None
        return PlotlyFigure(self.figure())

    def _repr_html_(self) -> str:
        words = f"<p>{escape(self.sentence)}</p>" if self.sentence else ""
        table = self.to_frame().to_html(
            max_rows=MOST_ROWS, index=False, na_rep="", float_format="{:.4g}".format
        )
        return words + table

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return self.sentence or self.to_frame().to_string(index=False)
