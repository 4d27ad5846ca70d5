"""A person's own reasons: added, renamed, removed, counted."""

import pytest

from tarstop_core.documents.reports import Report
from tarstop_core.errors import InputProblem
from tarstop_core.screening.events import LONGEST_REASON, reasons_event, reasons_given, reasons_offered
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.prisma import flow_diagram, prisma
from tarstop_core.value.payoffs import Payoffs

IDS = [f"d{at}" for at in range(8)]
REVIEW = ReviewSettings(Payoffs.from_q_star(0.5), 0.001)
PATENT = PatentSettings(Payoffs.from_q_star(0.5), 0.001)


def excluded(at: int, reason: str = "") -> Event:
    more = {"reason": reason} if reason else {}
    return Event("label", {"doc": IDS[at], "label": "irrelevant", **more})


def numbered(*events: Event) -> list[Event]:
    return [Event(each.kind, each.payload, seq) for seq, each in enumerate(events, start=1)]


LOG = (
    Event("reasons", {"reasons": ["wrong test", "no patients"]}),
    excluded(0, "wrong test"),
    excluded(1, "wrong test"),
    excluded(2),
    Event("label", {"doc": IDS[3], "label": "relevant"}),
    Event("report", {"doc": IDS[3], **Report("excluded", "no patients").to_dict()}),
)


def test_a_new_name_holds_for_what_was_excluded_before() -> None:
    state = replay(REVIEW, IDS, numbered(*LOG))
    event = reasons_event(
        state, {"wrong test": "other  index test", "no patients": "no people"}, ["late", " "]
    )
    after = replay(REVIEW, IDS, numbered(*LOG, event))
    assert after.reasons == ("other index test", "no people", "late")
    assert dict(reasons_given(after)) == {"other index test": 2, "no people": 1}
    assert after.read_in_full[3].reason == "no people"


def test_one_taken_off_the_list_stays_where_it_was_given() -> None:
    state = replay(REVIEW, IDS, numbered(*LOG))
    after = replay(REVIEW, IDS, numbered(*LOG, reasons_event(state, {"no patients": ""}, [])))
    assert after.reasons == ("wrong test",)
    assert reasons_given(after)["no patients"] == 1 and reasons_offered(after) == [
        "wrong test",
        "no patients",
    ]


def test_names_can_be_swapped() -> None:
    state = replay(REVIEW, IDS, numbered(*LOG))
    event = reasons_event(state, {"wrong test": "no patients", "no patients": "wrong test"}, [])
    after = replay(REVIEW, IDS, numbered(*LOG, event))
    assert (
        after.excluded_for == {0: "no patients", 1: "no patients"}
        and after.read_in_full[3].reason == "wrong test"
    )


@pytest.mark.parametrize(
    ("kept", "added", "said"),
    [
        ({}, ["Wrong TEST"], "is there twice"),
        ({"wrong test": "no patients"}, [], "is there twice"),
        ({}, ["x" * (LONGEST_REASON + 1)], "shorten it"),
        ({}, [" "], "nothing was recorded"),
    ],
)
def test_what_cannot_be_recorded_is_a_sentence(kept: dict[str, str], added: list[str], said: str) -> None:
    with pytest.raises(InputProblem, match=said):
        reasons_event(replay(REVIEW, IDS, numbered(*LOG)), kept, added)


def test_another_verdict_takes_the_reason_back_and_undo_brings_it_again() -> None:
    moved = Event("relabel", {"doc": IDS[0], "label": "unsure"})
    assert replay(REVIEW, IDS, numbered(*LOG, moved)).excluded_for == {1: "wrong test"}
    assert replay(REVIEW, IDS, numbered(*LOG, moved, Event("undo"))).excluded_for[0] == "wrong test"


@pytest.mark.parametrize("settings", [REVIEW, PATENT])
def test_the_flow_diagram_counts_by_reason(settings: Settings) -> None:
    counts = prisma([], 0, replay(settings, IDS, numbered(*LOG[:4])))
    rows = dict(counts.rows())
    assert rows["Records excluded"] == 3 and rows["Records excluded: wrong test"] == 2
    assert "· wrong test (n\xa0=\xa02)" in flow_diagram(counts)


def test_reports_are_counted_by_reason() -> None:
    counts = prisma([], 0, replay(REVIEW, IDS, numbered(*LOG)))
    assert dict(counts.rows())["Reports excluded: no patients"] == 1
