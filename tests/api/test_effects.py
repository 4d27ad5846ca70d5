"""Effects of interventions from Python: advice and replays are those of the core and of the command line."""

import numpy as np
import pandas as pd
import pytest

import tarstop_core as ts
from tarstop_core.effects.beliefs import EffectTarget, belief_of_effect
from tarstop_core.effects.measures import Measure
from tarstop_core.errors import InputProblem
from tests.effects.golden import studies_of

BCG = studies_of("bcg")
P = np.full(40, 0.3)
PLACES = np.arange(13) * 3
STAKES = ts.Stakes.from_q_star(0.5, cost=0.001)
ASKED = {"scenario": "effect", "measure": "RR", "delta": 0.8}


def frame(count: int, **more: object) -> pd.DataFrame:
    given = pd.DataFrame(BCG.values[:count].astype(int), columns=list(BCG.form.columns))
    return given.assign(study=BCG.study[:count], **more)


def labels(count: int) -> list[int]:
    return [int(at in PLACES[:count]) for at in range(int(PLACES[count - 1]) + 1)]


@pytest.mark.parametrize("count", [1, 5, 13])
def test_advice_rests_on_the_belief_of_the_core(count: int) -> None:
    advice = ts.advise(P, labels(count), STAKES, tables=frame(count), **ASKED)
    core = belief_of_effect(BCG.first(count), EffectTarget(Measure.RR, 0.8, above=False, ratio=True))
    assert advice.belief == pytest.approx(core.beliefs[-1], abs=1e-12)
    assert advice.decision == "a+" if advice.belief > 0.5 else "a-"
    placed = ts.advise(P, labels(count), STAKES, tables=frame(count, position=PLACES[:count])[::-1], **ASKED)
    assert placed.belief == advice.belief


def test_a_replay_reads_to_the_end_of_its_budget() -> None:
    every = [int(at in PLACES) for at in range(len(P))]
    came = ts.replay(P, every, STAKES, ["budget:d=5", "optimal"], tables=frame(13), **ASKED).to_frame()
    assert came["read"].iloc[0] == 5 and came["decision"].tolist() == ["a+", "a+"]
    assert came["recall"].iloc[0] == pytest.approx(2 / 13)


def test_a_risk_difference_beyond_1_is_refused() -> None:
    with pytest.raises(InputProblem, match="delta is 5; a risk difference lies between"):
        ts.advise(P, [1], STAKES, tables=frame(1), scenario="effect", measure="RD", delta=5)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (frame(1).drop(columns="n_control"), "needs events and people"),
        (frame(1).assign(events_treated=9999), "more events than people"),
        (frame(1).assign(events_treated=np.nan), "number is missing"),
        (pd.DataFrame({"study": ["A"], "effect": [0.5], "se": [0.1]}), "give generic, not RR"),
    ],
)
def test_what_cannot_be_is_named(given: pd.DataFrame, word: str) -> None:
    with pytest.raises(InputProblem, match=word):
        ts.advise(P, [1], STAKES, tables=given, **ASKED)
