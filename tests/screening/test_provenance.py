"""What came in a file is told from what was recorded here, and times that cannot be are named."""

import re

import pytest

from tarstop_core.screening import record_message
from tarstop_core.screening.log import Event
from tarstop_core.screening.provenance import BEGINNING, LISTED, Fault, claim, claimed_time, provenance
from tests.spoken import spoken

NOON = "2026-11-23T12:00:00.000+00:00"


def note(seq: int, time: str = "2026-11-22T09:00:00.000+00:00", by: str = "") -> Event:
    return Event("note", {"doc": "a", "text": ""}, seq, time, by)


def imported(seq: int, time: str = NOON, source: str = "mine.json", by: str = "") -> Event:
    return Event("imported", {"source": source}, seq, time, by)


def said(*events: Event) -> str:
    return provenance(events).sentence(lambda time: time[:10])


def test_of_a_session_from_here_nothing_is_said() -> None:
    came = provenance([note(1, by="Ann")])
    assert came.sentence(str) == "" and came.columns(note(1)) == {} and not came.faults
    assert claim("Ann", {}) == "Ann" and claimed_time(NOON, {}) == NOON


def test_what_came_is_told_from_what_follows() -> None:
    log = [note(1, by="Bob"), note(2, by="Bob"), note(3), imported(4, by="Ann"), note(5, by="Ann")]
    came = provenance(log)
    columns = [came.columns(event) for event in log]
    assert [each["imported_from"] for each in columns] == ["mine.json"] * 3 + ["", ""]
    assert [claim(event.reviewer, each) for event, each in zip(log, columns, strict=True)] == [
        "Bob (claimed)",
        "Bob (claimed)",
        "",
        "Ann",
        "Ann",
    ]
    assert came.columns(None) == {"imported_from": "", "impossible_time": ""}
    values = spoken(record_message, said, *log).values
    assert (values["when"], values["source"], values["by"]) == ("2026-11-23", "mine.json", "Ann")
    assert (values["entries"], values["readers"], values["own"]) == (3, ["Bob"], 1)


@pytest.mark.parametrize(
    ("times", "faults"),
    [
        (["2026-11-22T09:00:00+00:00", "2026-11-22T09:00:00+00:00"], {}),
        (["2026-11-23T12:04:00+00:00"], {}),  # clocks of two machines
        (["2026-11-23T13:04:00+01:00"], {}),
        (["2031-01-01T00:00:00+00:00", "2026-11-22T09:00:00+00:00"], {1: Fault.LATE}),
        (["2025-12-31T23:00:00+00:00", "2026-11-22T09:00:00+00:00"], {1: Fault.EARLY}),
        ([BEGINNING.isoformat(), "2026-11-22T09:00:00+00:00"], {}),
        (["2026-11-22T09:00:00+00:00", "2026-11-22T08:00:00+00:00"], {2: Fault.BACKWARDS}),
        (["2026-11-22T09:00:00+00:00", "2026-11-22T08:58:00+00:00"], {}),
    ],
)
def test_times_that_cannot_be_are_named(times: list[str], faults: dict[int, Fault]) -> None:
    log = [note(seq, time) for seq, time in enumerate(times, start=1)]
    came = provenance([*log, imported(len(log) + 1), note(len(log) + 2, "2020-01-01T00:00:00+00:00")])
    assert came.faults == faults
    for event in log:
        fault = faults.get(event.seq)
        shown = claimed_time("then", came.columns(event))
        assert shown == (f"then (claimed; {fault.value})" if fault else "then (claimed)")


def test_an_import_that_the_file_speaks_of_is_a_claim_too() -> None:
    log = [note(1), imported(2, "2027-01-01T00:00:00+00:00", "theirs.json"), note(3), imported(4)]
    came = provenance(log)
    assert came.faults == {2: Fault.LATE} and came.columns(log[2])["imported_from"] == "mine.json"
    values = spoken(record_message, said, *log).values
    assert (values["before"], values["faulty"]) == (1, 1)
    assert f"entry 2 is {Fault.LATE.value}." in said(*log)


def test_a_sentence_names_some_of_many_and_an_empty_log_claims_nothing() -> None:
    late = [note(seq, "2031-01-01T00:00:00+00:00") for seq in range(1, LISTED + 4)]
    words = said(*late, imported(LISTED + 4))
    assert re.search(r"\b8 of .*: entry 1 is later", words) and words.endswith("; and 3 more.")
    assert said(imported(1)).endswith("2026-11-23 from mine.json.")
