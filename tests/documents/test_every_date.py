"""A search whose documents have every kind of date: each gets the flag that was worked out by hand beside it."""

import csv
import itertools
import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.application import Application, Dated, barring, flagged, flags, with_family
from tarstop_core.files import read_records

FILE = Path(__file__).with_name("every_date.csv")
TABLE = read_records(FILE)
WANTED = {
    row["id"]: row["flag it must get"]
    for row in csv.DictReader(itertools.islice(FILE.read_text(encoding="utf-8").splitlines(), 1, None))
}
MINE = with_family(Application("EP 3 456 789", "2018-03-03"), TABLE.frame)
FOUND = dict(zip(TABLE.frame["id"], flagged(MINE, TABLE.frame), strict=True))
DAYS = st.dates(date(2016, 1, 1), date(2020, 12, 31))
MAYBE = st.none() | st.tuples(DAYS, st.sampled_from([4, 7, 10]))


def test_the_file_holds_every_combination_of_what_matters() -> None:
    assert len(WANTED) == len(TABLE.frame) == len(FOUND) == 38
    assert set(" ".join(WANTED.values()).split()) == {"late", "earlier", "own", "unclear"}


@pytest.mark.parametrize("name", WANTED)
def test_it_gets_the_flag_that_was_worked_out_by_hand(name: str) -> None:
    assert " ".join(flag.kind for flag in FOUND[name]) == WANTED[name]


def test_what_is_left_out_never_counts() -> None:
    """Neither what may have been published in time nor what counts for novelty is ever left out."""
    out = dict(zip(WANTED, (barring(of) is not None for of in FOUND.values()), strict=True))
    assert {name for name, barred in out.items() if barred} == {
        name for name, flag in WANTED.items() if flag in ("late", "own late")
    }


def test_the_words_name_the_dates_and_the_law() -> None:
    said = {name: FOUND[name][-1].words for name in WANTED if FOUND[name]}
    novelty, until = "for novelty only (Art. 54(3) EPC; in the US see § 102(a)(2))", "3 March 2018"
    parts = {
        "EP-1000006-A1": ["filed 2 March 2018", "before", until, "published 12 May 2019", novelty],
        "EP-1000008-A1": ["1 June 2017", "before", until, "5 December 2018", novelty, "entitled"],
        "US-1000004-A1": ["1 September 2018", "4 March 2018", "not before", until, "too late"],
        "EP-1000011-A1": ["30 May 2018", "not before", until, "too late", "earlier priority"],
        "EP-1000018-A1": ["12 May 2019", "after", until, "filed 2018", "look it up"],
        "EP-1000020-A1": ["1 January 2017", "before", until, "dated 2018", "in full or", "look it up"],
        "US-1000026-B2": ["5 June 2019", "after", until, "5 June 2012", "look it up"],
        "US-1000027-B2": ["28 April 2013", "before", until, "9 February 2019", novelty, "granted patent"],
    }
    for name, expected in parts.items():
        assert re.search(".*".join(map(re.escape, expected)), said[name]), said[name]
    assert "priority date" in FOUND["US-1000034-A1"][0].words


def days(text: str) -> tuple[date, date]:
    """The first and the last day that a date can mean, by counting up."""
    first = date.fromisoformat(f"{text}-01-01"[:10] if len(text) == 4 else f"{text}-01"[:10])
    last = max(
        day
        for day in map(date.fromordinal, range(first.toordinal(), first.toordinal() + 366))
        if day.isoformat().startswith(text)
    )
    return first, last


@given(DAYS, MAYBE, MAYBE, MAYBE)
def test_nothing_is_barred_that_any_reading_of_its_dates_lets_count(
    asked: date,
    published: tuple[date, int] | None,
    filed: tuple[date, int] | None,
    priority: tuple[date, int] | None,
) -> None:
    texts = ["" if each is None else each[0].isoformat()[: each[1]] for each in (published, filed, priority)]
    found = flags(Application(priority=asked.isoformat()), Dated(*texts))
    public, begun = texts[0], [text for text in texts[1:] if text]
    in_time = bool(public) and days(public)[0] < asked and not any(days(text)[0] >= asked for text in begun)
    for_novelty = any(days(text)[0] < asked for text in begun)
    unknown = not (public or begun)
    if in_time or for_novelty or unknown:
        assert not any(flag.bars for flag in found)
    if not found:
        assert public and days(public)[1] < asked


def test_a_member_of_the_family_may_be_older_whatever_this_one_says() -> None:
    document = Dated("2019-05-12", filing_date="2018-05-01", priority_date="2018-04-01")
    (alone,) = flags(MINE, document)
    (standing,) = flags(MINE, document, ["US1A1"])
    assert (alone.kind, standing.kind) == ("late", "unclear")


def test_columns_without_use_are_named() -> None:
    assert TABLE.unread == ("representative figure link", "flag it must get", "because")
    assert TABLE.understood["filing/creation date"] == "filing_date"
    assert TABLE.frame["assignee"].tolist()[:2] == ["Acme", "Acme"]
