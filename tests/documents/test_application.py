"""Documents that cannot be held against an application are told from those that can."""

import calendar
from datetime import date, timedelta

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.application import Application, Dated, barring, flagged, flags, with_family
from tarstop_core.documents.records import as_records, date_key, date_words, read_date
from tarstop_core.errors import InputProblem
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.value.payoffs import Payoffs

MINE = Application(number="EP 3 456 789", priority="2018-03-03", family="66001")
DAYS = st.dates(date(1950, 1, 1), date(2030, 12, 31))
PARTS = st.sampled_from([4, 7, 10])


def dated(published: str, number: str, family: str) -> Dated:
    """What a file says that gives no other date than that of publication."""
    return Dated(published, publication_number=number, family=family)


def days(text: str) -> set[date]:
    """Every day that a date, or the part of it that is known, can mean."""
    parts = [int(part) for part in text.split("-")]
    months = parts[1:2] or range(1, 13)
    return {
        date(parts[0], month, day)
        for month in months
        for day in (parts[2:] or range(1, calendar.monthrange(parts[0], month)[1] + 1))
    }


@given(DAYS, PARTS, DAYS, PARTS)
def test_a_date_bars_only_where_every_reading_of_it_does(
    published: date, known: int, asked: date, said: int
) -> None:
    text, priority = published.isoformat()[:known], asked.isoformat()[:said]
    kinds = [flag.kind for flag in flags(Application(priority=priority), dated(text, "", ""))]
    late = {p >= a for p in days(text) for a in (min(days(priority)), max(days(priority)))}
    assert kinds == {(True,): ["late"], (False,): []}.get(tuple(late), ["unclear"])


@given(DAYS, st.integers(-3, 3))
def test_the_day_itself_is_too_late(asked: date, shift: int) -> None:
    mine = Application(priority=asked.isoformat())
    found = flags(mine, dated((asked + timedelta(days=shift)).isoformat(), "", ""))
    assert [flag.kind for flag in found] == (["late"] if shift >= 0 else [])
    assert not found or (" on your priority date " in found[0].words) == (shift == 0)


def test_the_sentence_of_the_brief() -> None:
    (flag,) = flags(MINE, dated("2019-05-12", "US2018111A1", ""))
    assert flag.words == (
        "published 12 May 2019, after your priority date 3 March 2018: cannot be prior art unless filed earlier (an "
        "earlier filing published later counts only for novelty)"
    )
    (flag,) = flags(MINE, dated("", "US2018111A1", ""))
    assert flag.kind == "unclear" and "without a date" in flag.words


@pytest.mark.parametrize(
    ("number", "family", "own"),
    [
        ("EP3456789A1", "", True),
        ("EP-3456789-B1", "", True),
        ("ep3456789", "1", True),
        ("US2019123456A1", "66001", True),
        ("US2019123456A1", "US2019123456A1; EP3456789A1", True),
        ("US2019123456A1", "US2019123456A1;;EP3456780A1", False),
        ("US2019123456A1", "66002", False),
        ("EP34567890A1", "", False),
        ("", "", False),
    ],
)
def test_the_own_family(number: str, family: str, own: bool) -> None:
    found = flags(MINE, dated("1999", number, family))
    assert [flag.kind for flag in found] == (["own"] if own else [])
    assert all(flag.bars for flag in found)


def test_a_document_that_stands_for_its_family_may_be_older_than_it_looks() -> None:
    others = ["US2009111111A1", "JP2010222222A", "CN3333333A", "KR4444444A"]
    (flag,) = flags(MINE, dated("2019-05-12", "EP1111111A1", "5"), others)
    assert not flag.bars and flag.words.endswith(
        "but US2009111111A1, JP2010222222A, CN3333333A, … of the same family may be earlier: look it up"
    )
    (own,) = flags(MINE, dated("1999", "US1234567A1", "5"), ["EP3456789B1"])
    assert own.kind == "own"
    frame = as_records({"id": ["a", "b"], "date": ["2019", "2019"]})
    found = flagged(MINE, frame, {"a": others})
    assert [barring(of) is not None for of in found] == [False, True]


def test_nothing_said_flags_nothing() -> None:
    assert flags(Application(), dated("2030", "EP1234567A1", "")) == ()
    frame = as_records({"id": ["a", "b"], "date": ["2030", ""]})
    assert flagged(Application(), frame) == [(), ()]


def test_a_whole_list() -> None:
    frame = as_records(
        {
            "id": list("abcd"),
            "date": ["2017-01-01", "2018", "2019", "2001"],
            "publication_number": ["US1111111A1", "US2222222A1", "US3333333A1", "EP3456789A1"],
            "family": ["1", "2", "3", "66001"],
        }
    )
    known = with_family(Application("EP3456789", "2018-03-03"), frame)
    assert known.family == "66001"
    found = flagged(known, frame)
    assert [[flag.kind for flag in each] for each in found] == [[], ["unclear"], ["late"], ["own"]]
    assert [barring(of) is not None for of in found] == [False, False, True, True]
    assert with_family(Application(priority="2018"), frame).family == ""


@pytest.mark.parametrize("text", ["soon", "31 February 2018", "2018-02-30"])
def test_no_date_is_a_sentence(text: str) -> None:
    with pytest.raises(InputProblem, match="write it like 3 March 2018"):
        read_date(text)


@pytest.mark.parametrize(
    "text", ["14/05/2018", "05/14/2018", "14.05.2018", "14. 5. 2018", "5-14-2018", " 14/5/2018 "]
)
def test_figures_that_can_be_only_one_day_are_that_day(text: str) -> None:
    assert read_date(text) == "2018-05-14"
    assert date_key(text) == (2018, 5, 14)
    assert read_date("5/5/2018") == "2018-05-05"


def test_with_points_the_day_comes_first() -> None:
    assert read_date("5.6.2018") == "2018-06-05"
    assert date_key("5.6.2018") == (2018, 6, 5)


def test_figures_that_could_be_two_days_are_asked_about() -> None:
    with pytest.raises(InputProblem) as problem:
        read_date("05/06/2018")
    assert str(problem.value) == (
        "“05/06/2018” could be 5 June or 6 May 2018; write 5 June 2018 or 2018-06-05."
    )


@pytest.mark.parametrize("text", ["31/02/2018", "14/15/2018", "0/5/2018", "32.1.2018"])
def test_figures_of_no_day_are_refused(text: str) -> None:
    with pytest.raises(InputProblem, match="a day that does not exist"):
        read_date(text)


@pytest.mark.parametrize("text", ["05/06/2018", "31/02/2018", "31.02.2018"])
def test_a_date_in_a_file_is_read_leniently(text: str) -> None:
    assert date_key(text) == (2018,)
    assert [flag.kind for flag in flags(MINE, dated(text, "US2018111A1", ""))] == ["unclear"]


@given(DAYS)
def test_a_date_in_words_is_read_back(day: date) -> None:
    for text in (day.isoformat(), day.isoformat()[:7], day.isoformat()[:4]):
        assert read_date(text) == text == read_date(date_words(text))


@given(st.text(max_size=30), st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_whatever_a_file_holds(date_text: str, number: str, family: str, asked: str) -> None:
    flags(Application(number=asked, priority="2018-03"), dated(date_text, number, family))
    flagged(Application(number=asked), as_records(pd.DataFrame({"id": ["a"], "family": [family]})))


def test_settings_carry_it_and_older_ones_leave_as_they_came() -> None:
    plain = PatentSettings(Payoffs.from_q_star(0.5), 0.001)
    assert "application" not in plain.to_dict()
    told = PatentSettings(Payoffs.from_q_star(0.5), 0.001, application=MINE)
    assert read_settings(told.to_dict()) == told
