"""Labels of a project from elsewhere, read again in the order in which they were given."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.documents.records import as_records
from tarstop_core.files import read_records
from tarstop_core.policies import parse_policy
from tarstop_core.samples.shipped import calibrators
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.kept_labels import labels_found
from tarstop_core.screening.look_back import look_back, message, order_read
from tests.branches import every_branch
from tests.session_cases import INCLUSION, REVIEW

SETTINGS = replace(REVIEW, cost=5.0)
RULES = [parse_policy(spec) for spec in ("budget:d=2", "consecutive:n=2", "budget:d=6")]
FRAME = as_records(
    {
        "id": list("abcdefg"),
        "label": ["relevant", "", "not relevant", "relevant", "not relevant", "relevant", ""],
        "read_order": ["4", "", "1", "2", "3", "prior", ""],
        "labelled_at": [
            "2025-01-01T10:00:04",
            "",
            "2025-01-01T10:00:01",
            "2025-01-01T10:00:02",
            "2025-01-01T10:00:03",
            "",
            "",
        ],
    }
)


@pytest.mark.parametrize("column", ["read_order", "labelled_at"])
def test_documents_stand_in_the_order_of_their_labels(column: str) -> None:
    other = "labelled_at" if column == "read_order" else "read_order"
    frame = FRAME.assign(**{other: ["", "", "", "", "", "prior" if other == "read_order" else "", ""]})
    ranking = order_read(frame, labels_found(frame))
    assert ranking is not None and "".join(frame["id"].iloc[ranking.order]) == "cdeabg"


def test_without_an_order_of_every_label_there_is_none() -> None:
    assert order_read(as_records({"id": ["a"], "label": ["relevant"]}), labels_found(FRAME.head(1))) is None
    frame = FRAME.assign(read_order="", labelled_at=["soon", *FRAME["labelled_at"][1:]])
    assert order_read(frame, labels_found(frame)) is None
    assert order_read(FRAME.assign(label=""), labels_found(FRAME.assign(label=""))) is None


def test_rules_stop_where_they_would_have() -> None:
    labels = labels_found(FRAME)
    ranking = order_read(FRAME, labels)
    assert ranking is not None
    back = look_back(ranking, labels, SETTINGS, INCLUSION, RULES)
    assert (back.documents, back.read, back.relevant, back.prior, back.unread) == (7, 4, 2, 1, 2)
    ends = ((2, 2), (1, 2), (2, 3), (3, 4), (0, 1), None)
    fitting = [replace(back, forecast=expected).fits for expected in ends]
    assert fitting == [True, True, True, False, False, False]
    budget, consecutive, everything = back.stops
    # Labels in order: no, yes, no, yes.
    assert (budget.depth, budget.relevant_read, budget.spared, budget.missed) == (2, 1, 2, 1)
    assert budget.worth == 2 * SETTINGS.read_at_once().cost
    assert (consecutive.depth, consecutive.spared, consecutive.missed) == (None, 0, 0)
    assert consecutive.worth is None
    assert (everything.depth, everything.relevant_read) == (None, 2)
    assert back.left is not None and 0 <= back.left[1] <= back.left[0] <= back.left[2] <= back.unread


def test_nothing_missed_has_a_price_where_nothing_is_weighed() -> None:
    labels = labels_found(FRAME)
    ranking = order_read(FRAME, labels)
    assert ranking is not None
    back = look_back(ranking, labels, EnoughSettings(), INCLUSION, RULES)
    assert back.stops[0].missed == 1 and back.stops[0].worth is None
    said = message("methods", back=back, stop=back.stops[0], unit="", source="a.asreview")
    assert "1 of 2" in said and "worth" not in said and "pays" not in said


def test_an_interval_that_tells_nothing_is_not_said() -> None:
    """As on Screen: where more than four in five relevant documents may be unread."""
    labels = labels_found(FRAME)
    ranking = order_read(FRAME, labels)
    assert ranking is not None
    back = look_back(ranking, labels, SETTINGS, INCLUSION, RULES)
    told, silent = replace(back, left=(9.0, 3, 20)), replace(back, left=(9.0, 3, 21))
    assert told.left_shown == (9.0, 3, 20) and silent.left_shown is None
    assert "20" in message("chances", back=told) and "21" not in message("chances", back=silent)
    assert "dashed" in message("course", back=told) and "dashed" not in message("course", back=silent)


def test_every_sentence_is_said() -> None:
    labels = labels_found(FRAME)
    ranking = order_read(FRAME, labels)
    assert ranking is not None
    back = look_back(ranking, labels, SETTINGS, INCLUSION, RULES)
    nothing_missed = (replace(back.stops[0], missed=0),)
    unpriced = (replace(back.stops[0], worth=None),)
    cases = [
        replace(back, forecast=(1, 3)),
        replace(back, forecast=(9, 12), stops=nothing_missed),
        replace(back, prior=2, left=(0.0, 0, 0)),
        replace(back, prior=0, documents=4),
        replace(back, left=(9.0, 1, 20)),
        replace(back, left=(40.0, 1, 100)),
        replace(back, forecast=None, left=None),
        replace(back, relevant_in_order=np.zeros(4, bool), stops=nothing_missed),
        replace(back, stops=unpriced),
    ]
    with every_branch(message):
        for case in cases:
            assert message("facts", back=case) and message("course", back=case)
            if case.left and case.forecast:
                assert message("chances", back=case)
            for stop in case.stops:
                assert "TARstop" in message("methods", back=case, stop=stop, unit="£", source="a.asreview")


def test_a_real_project(real_data: Path) -> None:
    frame = read_records(real_data / "exports" / "asreview_asreview-demo-project.asreview").frame
    labels = labels_found(frame)
    ranking = order_read(frame, labels)
    assert ranking is not None and frame["id"].iloc[ranking.order].tolist()[:3] == ["69", "95", "72"]
    by_rank = next(
        fitted for fitted in calibrators().values() if fitted.by_rank and fitted.scenario == "inclusion"
    )
    back = look_back(ranking, labels, SETTINGS, by_rank, RULES)
    assert (back.read, back.relevant, back.unread) == (23, 9, 77)
    assert back.left is not None and back.left[1] <= back.left[2] <= 77 and back.forecast is not None
