"""Figures that plotly draws, as the browser gets them."""

from typing import Any

from dashboard.frame.drawing import AsItIs
from tarstop_core.presentation.figures import Chart


def ticks(**look: Any) -> dict[str, Any]:
    chart = Chart(300)
    chart.axis("yaxis", "chance", tickformat=".0%", **look)
    axis: dict[str, Any] = AsItIs(chart.figure()).to_dict()["layout"]["yaxis"]
    return axis


def test_an_axis_of_shares_says_per_cent_as_sentences_do() -> None:
    assert ticks(range=[-0.03, 1.03])["ticktext"] == [f"{at}\u00a0%" for at in (0, 20, 40, 60, 80, 100)]
    assert ticks(range=[0, 0.02], tickvals=[0, 0.015])["ticktext"] == ["0\u00a0%", "1.5\u00a0%"]
    assert "ticktext" not in ticks()  # its ends are known in the browser alone
