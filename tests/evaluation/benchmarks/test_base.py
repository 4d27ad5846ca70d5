"""Folds over groups."""

import numpy as np
import pytest

from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.cases import Case, cross_validated


def test_cross_validation_needs_two_groups() -> None:
    topic = Topic("t", np.array(["d"]), labels=np.array([True]), n_relevant=1)
    with pytest.raises(InputProblem, match="at least two topics"):
        cross_validated([Case(topic, "a"), Case(topic, "a")])
