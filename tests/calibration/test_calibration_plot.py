"""How chances of lists that learn came out, set by set: what is drawn and said is what the shipped rows hold."""

import json

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from tarstop_core.calibration.calibration_plot import (
    AHEAD,
    JUDGED,
    calibration_plot,
    calibration_plot_sentence,
    intervals_held,
)
from tarstop_core.evaluation.reranking import READ
from tarstop_core.samples.shipped import reranked_calibration

SAID = pd.DataFrame(
    {
        "set": ["full", "few", "none"],
        "mean": [30.0, 5.0, 0.0],
        "low": [10, 2, 0],
        "high": [60, 9, 0],
        "true": [80, 5, 0],
    }
)


def test_what_lies_outside_has_a_mark_of_its_own_and_is_named() -> None:
    assert intervals_held(SAID).tolist() == [False, True, True]
    figure = calibration_plot(SAID)
    foreseen, held, outside = figure["data"]
    reach, order = foreseen["error_x"], SAID.sort_values("true")
    drawn = {"mean": 0.0, "low": -np.array(reach["arrayminus"]), "high": np.array(reach["array"])}
    for name, off in drawn.items():
        assert np.array(foreseen["x"]) + off == pytest.approx(np.log10(order[name] + 1))
    assert (held["y"], held["text"]) == (["none", "few"], [0, 5]) and outside["y"] == ["full"]
    assert held["marker"]["symbol"] != outside["marker"]["symbol"]
    assert figure["layout"]["xaxis"]["range"][1] > outside["x"][0] > held["x"][1]
    said = calibration_plot_sentence(SAID, SAID)
    assert said.startswith("Outside: more was found in full.") and "67 % of 3 intervals held" in said
    assert "a factor of 1.0 or more" in said  # the middle one of 2.6, 1 and 1
    both = calibration_plot_sentence(SAID.assign(true=[80, 0, 0]), SAID)
    assert both.startswith("Outside: more was found in full; less was found in few.")
    assert calibration_plot_sentence(SAID[1:], SAID).startswith("None lies outside.")


@pytest.mark.parametrize("judged", JUDGED)
@pytest.mark.parametrize("dark", [False, True])
def test_everything_that_ships_can_be_drawn(judged: str, dark: bool) -> None:
    every = reranked_calibration()
    every = every[every["judged"] == judged]
    for what in AHEAD:
        for read in READ:
            rows = every[(every["what"] == what) & (every["read"] == read)]
            assert len(rows) >= 20 and rows["set"].is_unique
            figure = json.loads(json.dumps(calibration_plot(rows, dark=dark)))
            go.Figure(figure)
            assert sum(len(each["y"]) for each in figure["data"][1:]) == len(rows)
            assert calibration_plot_sentence(rows, every)
