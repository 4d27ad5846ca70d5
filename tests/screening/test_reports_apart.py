"""Full texts that several readers read alone: nobody sees another's too early, and what counts is what they agree on or settled."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.reports import AccuracyRow, EffectRow, Report
from tarstop_core.effects.studies import Form
from tarstop_core.errors import InputProblem
from tarstop_core.screening.events import resolved_report_event
from tarstop_core.screening.fold import replay
from tarstop_core.screening.independent import SeveralReaders, counted_log
from tarstop_core.screening.log import Event, check_event
from tarstop_core.screening.reports_apart import EntryPlace, compare
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.several_readers import Readers
from tests.session_cases import REVIEW

IDS = [f"d{at}" for at in range(4)]
ALONE = Readers(("Rita", "Sam"), full_texts=True)
TOGETHER = Readers(("Rita", "Sam"))


def table(study: str, *cells: int) -> Report:
    return Report("data", study=study, rows=(AccuracyRow(study, *cells),))


REPORTS = [
    table("Lee 2004", 9, 1, 2, 30),
    table("Lee 2004", 9, 1, 3, 30),
    table("lee  2004", 9, 1, 2, 30),
    Report("no data", study="Lee 2004"),
    Report("excluded", "wrong test"),
    Report("excluded", "wrong patients"),
    Report("not retrieved"),
]
WISHES = st.lists(
    st.tuples(
        st.sampled_from(("Rita", "Sam", "Tom")),
        st.integers(0, len(IDS) - 1),
        st.integers(0, len(REPORTS) - 1),
    ),
    max_size=25,
)


def included(readers: Readers, docs: Sequence[str] = IDS) -> SeveralReaders:
    """Everybody has included these."""
    several = SeveralReaders(readers)
    for doc in docs:
        for name in readers.names:
            several.take([event(several, name, "label", {"doc": doc, "label": "relevant", "fit": 0})])
    return several


def event(several: SeveralReaders, name: str, kind: str, payload: dict[str, object]) -> Event:
    number = len(several.log) + 1
    return Event(kind, payload, number, f"2026-11-27T10:{number // 60:02}:{number % 60:02}+00:00", name)


def says(several: SeveralReaders, name: str, doc: str, report: Report) -> None:
    several.take([event(several, name, "report", {"doc": doc, **report.to_dict()})])


def played(readers: Readers, wishes: Sequence[tuple[str, int, int]]) -> list[Event]:
    """A log in which reports are read; whoever is no reader settles what they differ on."""
    several = included(readers)
    for name, at, which in wishes:
        if name in readers.names:
            says(several, name, IDS[at], REPORTS[which])
        elif waiting := several.reports_waiting:
            settled = resolved_report_event(several, name, waiting[0].doc, REPORTS[which])
            several.take([replace(event(several, name, settled.kind, {}), payload=settled.payload)])
    return several.log


def seen_by(readers: Readers, log: Sequence[Event], name: str) -> list[object]:
    several = SeveralReaders(readers, log)
    return [
        several.own(name),
        several.visible,
        several.common,
        several.in_full.of(name),
        several.in_full.read,
        several.in_full.first,
        several.reports_waiting,
    ]


@given(WISHES, st.sampled_from(("Rita", "Sam", "Tom")))
def test_nothing_that_anybody_sees_depends_on_reports_that_not_all_have_read(
    wishes: list[tuple[str, int, int]], name: str
) -> None:
    log = played(ALONE, wishes)
    read = SeveralReaders(ALONE, log).in_full.read
    hidden = [
        each.kind == "report" and each.reviewer != name and each.payload["doc"] not in read for each in log
    ]
    secret = Report("excluded", "a reason nobody may see").to_dict()
    other = [
        replace(each, payload={"doc": each.payload["doc"], **secret}) if hide else each
        for each, hide in zip(log, hidden, strict=True)
    ]
    assert seen_by(ALONE, log, name) == seen_by(ALONE, other, name)
    assert "nobody may see" not in str(seen_by(ALONE, other, name))


@given(WISHES)
def test_what_counts_is_what_both_say_or_what_was_settled(wishes: list[tuple[str, int, int]]) -> None:
    log = played(ALONE, wishes)
    last: dict[tuple[str, str], Report] = {}
    settled: dict[str, Report] = {}
    for each in log:
        if each.kind == "report":
            last[each.payload["doc"], each.reviewer] = Report.from_dict(each.payload)
        elif each.kind == "resolved_report":
            settled[each.payload["doc"]] = Report.from_dict(each.payload)
    state = replay(replace(REVIEW, readers=ALONE), IDS, log)
    for at, doc in enumerate(IDS):
        said = [last.get((doc, name)) for name in ALONE.names]
        # Capitals and spaces are no difference.
        rita, sam = (
            report and (report.outcome, report.reason, [row.counts for row in report.rows]) for report in said
        )
        agreed = said[0] if rita is not None and rita == sam else None
        assert state.read_in_full.get(at) == settled.get(doc, agreed)
    several = SeveralReaders(ALONE, log)
    assert counted_log(ALONE, several.common) == several.common
    for each in several.common:
        check_event(each)


@given(WISHES)
def test_taking_in_one_event_after_the_other_is_taking_in_the_log(wishes: list[tuple[str, int, int]]) -> None:
    log = played(ALONE, wishes)
    growing = SeveralReaders(ALONE)
    for each in log:
        growing.take([each])
    whole = SeveralReaders(ALONE, log)
    assert growing.common == whole.common and growing.in_full.read == whole.in_full.read


def test_without_the_option_a_report_counts_at_once_as_before() -> None:
    several = included(TOGETHER)
    says(several, "Rita", "d0", REPORTS[0])
    assert several.common[-1].kind == "report" and several.common[-1].reviewer == "Rita"
    assert several.visible == several.log and several.alone_in_full == ()
    plain = replace(REVIEW, readers=TOGETHER).to_dict()
    assert "full_texts" not in plain["readers"] and read_settings(plain).readers == TOGETHER
    kept = replace(REVIEW, readers=ALONE).to_dict()
    assert kept["readers"]["full_texts"] is True and read_settings(kept).readers == ALONE


def test_every_number_is_compared_and_the_differing_are_named() -> None:
    one = Report(
        "data",
        study="Lee 2004",
        rows=(AccuracyRow("Lee 2004, low", 9, 1, 2, 30), AccuracyRow("Lee 2004, high", 5, 0, 6, 31)),
    )
    other = Report(
        "data",
        study="LEE 2004",
        rows=(AccuracyRow("LEE 2004, high", 5, 0, 6, 31), AccuracyRow("LEE 2004, low", 9, 1, 2, 30)),
    )
    assert not any(each.differ for each in compare([one, other]))
    third = replace(other, rows=(AccuracyRow("LEE 2004, high", 5, 0, 7, 31), other.rows[1]))
    assert [(each.place, each.values) for each in compare([one, third]) if each.differ] == [
        (EntryPlace(1, "FN"), (6, 7))
    ]
    parts = replace(other, rows=(AccuracyRow("LEE 2004, upper", 5, 0, 6, 31), other.rows[1]))
    differ = [each.place.name for each in compare([one, parts]) if each.differ]
    assert "part" in differ
    fewer = replace(one, rows=one.rows[:1])
    assert {each.place.table for each in compare([one, fewer]) if each.differ} >= {2}
    effects = [
        Report("data", study="A", rows=(EffectRow("A", Form.EVENTS, values),))
        for values in ((3.0, 20, 5, 21), (3.0, 20, 6, 21))
    ]
    assert [each.place.name for each in compare(effects) if each.differ] == ["events_control"]


def test_a_change_after_agreement_opens_it_again_until_somebody_settles_it() -> None:
    several = included(ALONE)
    for name in ALONE.names:
        says(several, name, "d0", REPORTS[0])
    settings = replace(REVIEW, readers=ALONE)
    assert replay(settings, IDS, several.log).read_in_full == {0: REPORTS[0]}
    says(several, "Sam", "d0", REPORTS[1])
    assert replay(settings, IDS, several.log).read_in_full == {}
    assert several.in_full.first["d0"]["Sam"] == REPORTS[0]  # what was said before they saw each other's
    settled = resolved_report_event(several, "Tom", "d0", REPORTS[1])
    several.take([replace(event(several, "Tom", settled.kind, {}), payload=settled.payload)])
    assert replay(settings, IDS, several.log).read_in_full == {0: REPORTS[1]}
    assert several.common[-1].reviewer == "Tom" and not several.reports_waiting


def test_a_report_that_is_no_longer_included_waits_for_nobody() -> None:
    several = included(ALONE)
    says(several, "Rita", "d0", REPORTS[0])
    says(several, "Sam", "d0", REPORTS[4])
    assert [each.doc for each in several.reports_waiting] == ["d0"]
    for name in ALONE.names:
        several.take([event(several, name, "relabel", {"doc": "d0", "label": "irrelevant"})])
    assert not several.reports_waiting


def test_a_machine_reads_no_full_texts() -> None:
    several = included(ALONE)
    says(several, "Rita", "d0", REPORTS[0])
    about = {
        "name": "Sam",
        "model": "m",
        "version": "1",
        "prompt": "",
        "date": "d",
        "source": "s",
        "column": "c",
    }
    several.take([event(several, "Rita", "machine", {**about, "verdicts": dict.fromkeys(IDS, "relevant")})])
    assert several.alone_in_full == ("Rita",)
    assert replay(replace(REVIEW, readers=ALONE), IDS, several.log).read_in_full == {0: REPORTS[0]}


def test_a_reason_by_a_new_name_is_the_same_reason() -> None:
    several = included(ALONE)
    says(several, "Rita", "d0", Report("excluded", "wrong test"))
    renamed = {"reasons": ["another test"], "renamed": {"wrong test": "another test"}}
    several.take([event(several, "Rita", "reasons", renamed)])
    says(several, "Sam", "d0", Report("excluded", "another test"))
    assert not several.reports_waiting and several.common[-1].payload["reason"] == "another test"


def test_who_may_settle_what() -> None:
    several = included(ALONE)
    with pytest.raises(InputProblem, match="do not differ"):
        resolved_report_event(several, "Tom", "d0", REPORTS[0])
    with pytest.raises(InputProblem, match="do not differ"):
        resolved_report_event(None, "Tom", "d0", REPORTS[0])
    says(several, "Rita", "d0", REPORTS[0])
    says(several, "Sam", "d0", REPORTS[4])
    with pytest.raises(InputProblem, match="still waits"):
        resolved_report_event(several, "Tom", "d0", Report("waiting"))
    with pytest.raises(InputProblem, match="under which name"):
        resolved_report_event(several, "", "d0", REPORTS[0])
    with pytest.raises(InputProblem, match="not a reader of"):
        says(several, "Tom", "d0", REPORTS[0])
