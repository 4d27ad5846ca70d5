"""The method for comparisons of stopping rules stops where the stopper for ASReview stops."""

import numpy as np
import pandas as pd
import pytest

from tarstop_core.api.asreview_stopper import Stopper
from tarstop_core.api.stopping_method import StoppingMethod

N = 150
LABELS = (np.random.default_rng(2).random(N) < 0.6 * np.exp(-np.arange(N) / 15)).astype(int)


@pytest.mark.parametrize("policy", [variant["policy"] for variant in StoppingMethod.parameter_options()][::3])
def test_it_stops_where_the_stopper_for_asreview_stops(policy: str) -> None:
    stopper = Stopper(policy)
    read = pd.DataFrame({"label": LABELS})
    answers = [StoppingMethod.compute(N, LABELS[:at], policy=policy) for at in range(10, N + 1, 10)]
    stops = [answer["safe_to_stop"] for answer in answers]
    assert stops == [stopper.stop(read[:at], LABELS) for at in range(10, N + 1, 10)]
    assert not stops[0] and stops[-1]
    assert {answer["policy"] for answer in answers} == {policy}


def test_the_score_is_the_share_that_was_probably_found() -> None:
    scores = [StoppingMethod.compute(N, LABELS[:at])["score"] for at in (0, 10, N)]
    assert scores[0] is None and 0 < scores[1] < 1 and scores[2] == 1


def test_what_was_drawn_at_random_is_no_evidence_about_the_order() -> None:
    drawn = np.array([1, 0, 0, 1, 0])
    for at in (0, 40, N):
        alone = StoppingMethod.compute(N, LABELS[:at])
        both = StoppingMethod.compute(
            N + len(drawn),
            np.concatenate([drawn, LABELS[:at]]),
            is_prioritised=np.arange(len(drawn) + at) >= len(drawn),
        )
        assert both["safe_to_stop"] == alone["safe_to_stop"]
    assert StoppingMethod.compute(5, drawn, is_prioritised=[False] * 5)["safe_to_stop"]
