"""Dates as files and people write them."""

import calendar
import re
from datetime import date
from functools import lru_cache

from tarstop_core.errors import InputProblem

LONGEST = 100  # characters of a date that are looked at
Span = tuple[date, date]  # First and last day
_ABBREVIATED = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTHS = {month: number for number, month in enumerate(_ABBREVIATED, start=1)}
_YEAR_FIRST = re.compile(r"(\d{4})(?:[-/. ]?(\d{1,2}|[a-z]{3,9})\.?(?:[-/. ]?(\d{1,2}))?)?(?!\d)")
_YEAR_LAST = re.compile(r"(?:(\d{1,2})[-/. ])?(\d{1,2}|[a-z]{3,9})[-/., ]+(\d{4})(?!\d)")


def date_key(text: str) -> tuple[int, ...]:
    """Return (year), (year, month) or (year, month, day) as far as the text tells; () for no date.

    Day and month in figures with the year last (3/4/2010) are ambiguous: only the year is used.

    >>> date_key("12 May 2019"), date_key("2019-05"), date_key("3/4/2010"), date_key("soon")
    ((2019, 5, 12), (2019, 5), (2010,), ())
    """
    text = text.strip().lower()
    match = _YEAR_FIRST.match(text)
    if match:
        parts = match.groups()
    elif match := _YEAR_LAST.match(text):
        day, month, year = match.groups()
        parts = (year, None, None) if month.isdigit() else (year, month, day)
    else:
        year_only = re.search(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)", text)
        return (int(year_only[0]),) if year_only else ()
    key = [int(parts[0])]
    month = parts[1] or ""
    number = int(month) if month.isdigit() else _MONTHS.get(month[:3], 0)
    if 1 <= number <= 12:
        key.append(number)
        if parts[2] and 1 <= int(parts[2]) <= 31:
            key.append(int(parts[2]))
    return tuple(key)


_FIGURES_ONLY = re.compile(r"(\d{1,2})[-/. ]+(\d{1,2})[-/. ]+(\d{4})(?!\d)")


def read_date(text: str) -> str:
    """A date as a person types it, in the form in which it is kept; "" for nothing.

    InputProblem when it names no date, a day that does not exist, or one that could be two: 5/6/2018.
    """
    if not text.strip():
        return ""
    key = _in_figures(text) or date_key(text)
    if not key:
        raise _refused(text, "is not understood as a date")
    if len(key) == 3 and key[2] > calendar.monthrange(*key[:2])[1]:
        raise _refused(text, "names a day that does not exist")
    return "-".join(f"{part:04d}" if at == 0 else f"{part:02d}" for at, part in enumerate(key))


def _in_figures(text: str) -> tuple[int, ...]:
    """Year, month and day of 14/05/2018 or 05/14/2018; () for any other form.

    Files keep only the year of these (:func:`~tarstop_core.documents.dates.date_key`): a person can be asked which is meant.
    """
    match = _FIGURES_ONLY.match(text.strip())
    if not match:
        return ()
    first, second, year = map(int, match.groups())
    readings = ((first, second), (second, first))
    days = {
        (year, month, day)
        for day, month in readings
        if 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]
    }
    if not days:
        raise _refused(text, "names a day that does not exist")
    if len(days) > 1:
        one, other = (f"{day} {calendar.month_name[month]}" for day, month in readings)
        raise InputProblem(
            f"“{text.strip()}” could be {one} or {other} {year}; write {one} {year} or "
            f"{year:04d}-{second:02d}-{first:02d}."
        )
    return days.pop()


def _refused(text: str, why: str) -> InputProblem:
    return InputProblem(f"“{text.strip()}” {why}; write it like 3 March 2018 or 2018-03-03.")


def date_words(text: str) -> str:
    """A date, or the part of it that is known, in words; "" for none."""
    key = date_key(text)
    if not key:
        return ""
    day = f"{key[2]} " if len(key) == 3 else ""
    month = f"{calendar.month_name[key[1]]} " if len(key) > 1 else ""
    return f"{day}{month}{key[0]}"


def span(text: str) -> Span | None:
    """First and last day that a date, or the part of it that is known, can mean; None for no date."""
    return _span(text[:LONGEST])


@lru_cache(maxsize=20_000)
def _span(text: str) -> Span | None:
    """First and last day of a date, kept because a long list repeats a few thousand days."""
    key = date_key(text)
    if not key or not key[0]:
        return None
    first_month, last_month = (key[1], key[1]) if len(key) > 1 else (1, 12)
    last_day = calendar.monthrange(key[0], last_month)[1]
    if len(key) == 3:
        # A list may hold a 31 June: it is the last of that month.
        day = min(key[2], last_day)
        return date(key[0], first_month, day), date(key[0], first_month, day)
    return date(key[0], first_month, 1), date(key[0], last_month, last_day)
