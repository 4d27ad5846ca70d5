"""Titles of columns of trials, which name a count or a mean of an arm: "Experimental Events", "n.c", "Total (placebo)"."""

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
MOST_WORDS = 3  # Most words in the name of a count


class _Part(NamedTuple):
    """A column's title, split into its parts."""

    measured: str  # "events", "n", "mean" or "sd"
    group: str  # The rest of the title, in lower case


def _parted(title: str) -> _Part | None:
    """Split a title that begins or ends with what is counted; None for others."""
    words = re.findall(r"[a-z]+|\d+", title[:LONGEST_TITLE].lower())
    for many in range(min(MOST_WORDS, len(words)), 0, -1):
        for name, others in ((words[-many:], words[:-many]), (words[:many], words[many:])):
            if measured := _MEASURED_AS.get("".join(name)):
                return _Part(measured, " ".join(others))
    return None


def effect_title(title: str) -> str:
    """Our field for a known title of a column; otherwise only the title's letters."""
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
"""Columns of studies of an intervention, by field; a field has every column whose title names it."""


def named_arms(header: Sequence[str]) -> tuple[list[str], str]:
    """Name the arms of duplicated columns, for two groups whose names do not say which is treated.

    Parameters
    ----------
    header : sequence of str
        Titles as in the file: "Events, Total, Events, Total", or "Aspirin events, Aspirin n, Placebo events, Placebo n".

    Returns
    -------
    list of str, str
        Titles with those columns named as our fields, and a sentence that says how they were read; as they were, and "",
        where there are no two groups with the same columns.
    """
    groups: dict[tuple[str, int], dict[str, int]] = {}
    for column, title in enumerate(header):
        if part := _parted(title):
            again = sum(name == part.group and part.measured in of for (name, _), of in groups.items())
            groups.setdefault((part.group, again), {})[part.measured] = column
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
