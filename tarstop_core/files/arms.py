"""Recognise column titles of trials, such as "Experimental Events", "n.c" or "Total (placebo)"."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from tarstop_core.files.columns import Vocabulary, names_of, plain_title

_NAMES = names_of("effects") | names_of("bias")
_FIELDS, _ARM_OF, _MEASURED_AS, _AS_WRITTEN = (
    {name: field for field, names in of_fields.items() for name in names}
    for of_fields in (_NAMES, names_of("arms"), names_of("measured"), names_of("as_written"))
)
LONGEST_TITLE = 200  # Most characters of a column's title
MOST_WORDS = 3  # Most words in the name of a count or mean


class _Part(NamedTuple):
    """A column title, split into its parts."""

    measured: str  # "events", "n", "mean" or "sd"
    group: str  # The rest of the title, in lower case


def _parted(title: str) -> _Part | None:
    """Split a title that begins or ends with the name of a count or mean; None for other titles."""
    words = re.findall(r"[a-z]+|\d+", title[:LONGEST_TITLE].lower())
    for count in range(min(MOST_WORDS, len(words)), 0, -1):
        for name, others in ((words[-count:], words[:-count]), (words[:count], words[count:])):
            if measured := _MEASURED_AS.get("".join(name)):
                return _Part(measured, " ".join(others))
    return None


def effect_title(title: str) -> str:
    """Our field for a known column title; otherwise the letters of the title."""
    if field := _AS_WRITTEN.get(title.strip()):
        return field
    letters = re.sub(r"[^a-z0-9]", "", title[:LONGEST_TITLE].lower())
    for name in (letters, plain_title(title)):
        if name in _FIELDS:
            return _FIELDS[name]
    part = _parted(title)
    arm = part and _ARM_OF.get(part.group.replace(" ", ""))
    return f"{part.measured}_{arm}" if part and arm else plain_title(title)


EFFECTS = Vocabulary({field: (field,) for field in _NAMES}, effect_title)
"""Fields of studies of an intervention; every title that means a field belongs to it."""


def named_arms(header: Sequence[str]) -> tuple[list[str], str]:
    """Name the columns of two groups with equal columns as ours, if the titles do not name the arms.

    Parameters
    ----------
    header : sequence of str
        Titles as in the file: "Events, Total, Events, Total", or "Aspirin events, Aspirin n, Placebo events, Placebo n".

    Returns
    -------
    list of str, str
        Titles with these columns renamed to our fields, and a sentence on how they were read. The unchanged titles and ""
        if there are no two groups with the same columns.
    """
    groups: dict[tuple[str, int], dict[str, int]] = {}
    for column, title in enumerate(header):
        if part := _parted(title):
            # A repeated column of the same group name begins another group.
            repeat = sum(
                name == part.group and part.measured in columns for (name, _), columns in groups.items()
            )
            groups.setdefault((part.group, repeat), {})[part.measured] = column
    if len(groups) != 2:
        return list(header), ""
    (first, treated), (second, control) = groups.items()
    if treated.keys() != control.keys():
        return list(header), ""
    arms = [_ARM_OF.get(group.replace(" ", "")) for group, _ in (first, second)]
    if (arms[0] == "control" or arms[1] == "treated") and arms[0] != arms[1]:
        treated, control = control, treated
    titles = list(header)
    for arm, columns in (("treated", treated), ("control", control)):
        for measured, column in columns.items():
            titles[column] = f"{measured}_{arm}"
    if set(arms) == {"treated", "control"}:
        return titles, ""
    return titles, " ".join(
        f"Read as the {arm} arm: {_listed(header, columns)}."
        for arm, columns in (("treated", treated), ("control", control))
    )


def _listed(header: Sequence[str], columns: dict[str, int]) -> str:
    return " and ".join(f"“{header[at]}” (column {at + 1})" for at in sorted(columns.values()))
