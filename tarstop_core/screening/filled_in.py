"""Numbers of several reports at once: which study of a table belongs to which report that waits."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tarstop_core.documents.reports import EffectRow, Report, Row
from tarstop_core.screening.settings import Settings


@dataclass(frozen=True)
class FilledIn:
    """What a table of studies says of the reports that wait."""

    reports: Mapping[int, Report]  # by the position of the document
    left_out: tuple[str, ...] = ()  # studies that belong to no report, or to more than one
    unfit: tuple[str, ...] = ()  # studies whose numbers say something else than the session asks


def filled_in(rows: Sequence[Row | EffectRow], waiting: Mapping[int, str], settings: Settings) -> FilledIn:
    """Find the reports that a table's studies belong to, by first author and year.

    Parameters
    ----------
    rows : sequence of Row or EffectRow
        The studies of the table.
    waiting : mapping of int to str
        First author and year of the reports that wait, by position.
    settings : Settings
        Of the session.

    Returns
    -------
    FilledIn
        A study that fits two reports, or shares its author and year with another study, is left out.
    """
    places: dict[str, list[int]] = {}
    for at, name in waiting.items():
        if key := _key(name):
            places.setdefault(key, []).append(at)
    keys = [_key(row.study) for row in rows]
    reports, left_out, unfit = dict[int, Report](), list[str](), list[str]()
    for row, key in zip(rows, keys, strict=True):
        fitting = places.get(key, [])
        report = Report("data", study=row.study, rows=(row,))
        if len(fitting) != 1 or keys.count(key) > 1:
            left_out.append(row.study)
        elif not settings.counts(report):
            unfit.append(row.study)
        else:
            reports[fitting[0]] = report
    return FilledIn(dict(sorted(reports.items())), tuple(left_out), tuple(unfit))


def _key(study: str) -> str:
    """Last word of the first author and year of a study's name; empty without both.

    >>> _key("Ferguson & Simes 1949"), _key("van der Berg et al. 2004"), _key("Trial 7")
    ('ferguson 1949', 'berg 2004', '')
    """
    year = re.search(r"\b(?:18|19|20)\d\d\b", study)
    first = re.split(r"\s(?:&|and|et al)(?:\s|\.|$)|[,;(]", study[: year.start()])[0].split() if year else []
    return f"{first[-1].casefold()} {year.group()}" if year and first else ""
