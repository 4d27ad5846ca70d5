"""The schema of decisions in files: JSON or TOML, tables of actions, and tables of draws."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NotRequired, Protocol

import numpy as np
from typing_extensions import TypedDict

from tarstop_core.envelope import LARGEST, in_range, read_json, validated
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import listed
from tarstop_core.value.actions.joint import ActionTable, JointNormal, LinearParameters
from tarstop_core.value.actions.linear import ActionsLinear, EffectNetBenefit, Linear, Threshold
from tarstop_core.value.actions.lines import Values
from tarstop_core.value.actions.population import Concerned, Population, StudyPrice, Timing
from tarstop_core.value.actions.psa import ParameterDraws
from tarstop_core.value.actions.treat import TreatByTest

PER_PERSON = ("evpi", "evppi", "evsi")  # How names of values per person begin
CHANCES = ("chance", "chances", "probability")
"""How the line of a table begins that has the chances of the states."""
# How lines of a table begin that name a parameter or a result of a study
PARAMETER, RESULT = "know", "result"
LONGEST_NUMBER = 40  # Characters of a number in a cell


class Decision(Protocol):
    """A decision of any kind."""

    kind: ClassVar[str]

    def values(self) -> Values:
        """Results by name."""


KINDS: dict[str, type[Decision]] = {
    decision.kind: decision
    for decision in (
        Threshold,
        Linear,
        ActionsLinear,
        EffectNetBenefit,
        JointNormal,
        LinearParameters,
        ActionTable,
        TreatByTest,
        ParameterDraws,
        Population,
        StudyPrice,
    )
}
"""Kinds of decisions by name."""


@dataclass(frozen=True, kw_only=True)
class PeopleConcerned(Concerned):
    """The people that a decision with values per person concerns, and when those of a year count."""

    timing: Timing = "start_of_year"

    def values(self, per_person: Values) -> Values:
        """Return the values of information for everyone, from those per person."""
        people = self.people(self.timing)
        return {
            f"population_{name}": value * people
            for name, value in per_person.items()
            if isinstance(value, float) and name.startswith(PER_PERSON) and name != "evpi_se"
        }


class DecisionRow(TypedDict):
    """A decision as a file has it."""

    kind: str
    inputs: dict[str, object]
    id: NotRequired[str]
    population: NotRequired[PeopleConcerned]


@dataclass(frozen=True)
class Entry:
    """A decision that was read, with its name and the people it concerns."""

    decision: Decision
    name: str = ""  # Its id in the file; may be empty
    everyone: PeopleConcerned | None = None  # None if nobody says whom it concerns

    def values(self) -> Values:
        """Results by name, with those for everyone if people are given."""
        values = self.decision.values()
        return values | self.everyone.values(values) if self.everyone else values


def entries_of_text(
    text: str, name: str, everyone: PeopleConcerned | None = None
) -> tuple[list[Entry], bool]:
    """Read the decisions of a JSON or TOML document.

    Parameters
    ----------
    text : str
        One decision (``kind`` and ``inputs``), a list of them, or one under the key ``rows``.
    name : str
        Name of the file, for messages; it ends with .toml if the text is TOML.
    everyone : PeopleConcerned, optional
        The people that each decision concerns which names none itself.

    Returns
    -------
    list of Entry
        In the order of the document.
    bool
        Whether the document is a list.

    Raises
    ------
    InputProblem
        Naming the file, the row and the field.
    """
    try:
        content = in_range(tomllib.loads(text)) if name.casefold().endswith(".toml") else read_json(text)
    except RecursionError:
        raise InputProblem(f"{name} is nested too deeply; give one decision or a list of them.") from None
    except ValueError as problem:
        raise InputProblem(f"{name} cannot be read ({problem}); correct it there.") from None
    if isinstance(content, dict) and "rows" in content:
        content = content["rows"]
    rows = content if isinstance(content, list) else [content]
    if not rows:
        raise InputProblem(f"{name} contains no decision; give kind and inputs.")
    places = [f"{name}, row {at}" if isinstance(content, list) else name for at in range(1, len(rows) + 1)]
    entries = [_entry(row, place, everyone) for row, place in zip(rows, places, strict=True)]
    return entries, isinstance(content, list)


def _entry(content: object, place: str, everyone: PeopleConcerned | None) -> Entry:
    """Read one row of a document."""
    row = validated(DecisionRow, content, place, "give kind and inputs", open_ended=True, by_hand=True)
    if row["kind"] not in KINDS:
        raise InputProblem(f"{place}: there is no kind {row['kind']!r}; give {listed(list(KINDS), 'or')}.")
    named = f"{place} ({row['kind']})"
    decision = validated(KINDS[row["kind"]], row["inputs"], named, "correct its inputs", by_hand=True)
    return Entry(decision, row.get("id", ""), row.get("population", everyone))


def table_of_actions(
    name: str, titles: Sequence[str], rows: Iterable[tuple[int, Sequence[str]]]
) -> ActionTable:
    """Read a table of actions × consequences: a line for each action, a column for each state, and a line ``chance``.

    Lines that begin with ``know NAME`` have the value of a parameter in each state, for EVPPI; those that begin with
    ``result NAME`` have the chance of this result of a study in each state, for EVSI.

    Parameters
    ----------
    name : str
        The file's name, for messages.
    titles : sequence of str
        The header; its first cell names no state.
    rows : iterable of (int, sequence of str)
        Line numbers and cells; the first cell names the action.

    Returns
    -------
    ActionTable
        The decision.

    Raises
    ------
    InputProblem
        Naming the line and the column.
    """
    consequences: dict[str, list[float]] = {}
    chances: list[float] | None = None
    partitions: dict[str, Sequence[str]] = {}
    results: list[list[float]] = []
    for line, cells in _as_wide(name, titles, rows):
        action = cells[0].strip() if cells else ""
        begun, _, named = action.partition(" ")
        if begun.casefold() == PARAMETER and named:
            partitions[named.strip()] = [cell.strip() for cell in cells[1:]]
            continue
        numbers = [
            number_in(name, line, title, cells[at] if at < len(cells) else "")
            for at, title in enumerate(titles[1:], 1)
        ]
        if action.casefold() in CHANCES:
            chances = numbers
        elif begun.casefold() == RESULT and named:
            results.append(numbers)
        elif action in consequences:
            raise InputProblem(f"{name}, line {line} names {action!r} again; give each action one line.")
        else:
            consequences[action] = numbers
    if chances is None:
        raise InputProblem(
            f"{name} has no line that begins with chance; give the chance of each state there."
        )
    if len(consequences) < 2:
        raise InputProblem(f"{name} has fewer than two options; give one per line.")
    try:
        return ActionTable(
            consequences=list(consequences.values()),
            chances=chances,
            actions=list(consequences),
            states=list(titles[1:]),
            partitions=partitions or None,
            likelihood=results,
        )
    except InputProblem as problem:
        raise InputProblem(f"{name}: {problem}") from None


@dataclass(frozen=True, kw_only=True)
class DrawColumns:
    """What the columns of a table of draws are; all others are parameters."""

    net_benefit: Sequence[str] = ()  # Titles of columns with net benefits, which name the actions
    effect: Sequence[
        str
    ] = ()  # Titles of columns with effects, instead of net benefits; they name the actions
    cost: Sequence[str] = ()  # Titles of columns with costs, in the order of the effects
    willingness_to_pay: float | None = None  # For one unit of effect
    sets: Sequence[Sequence[str]] = ()  # Titles of parameters to know together
    thresholds: Sequence[float] = ()  # Other willingness to pay, for the acceptability curve


def draws_of_table(
    name: str, titles: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], columns: DrawColumns
) -> tuple[ParameterDraws, list[str]]:
    """Read a table of draws: a line for each draw, a column for each net benefit, effect, cost or parameter.

    Parameters
    ----------
    name : str
        The file's name, for messages.
    titles : sequence of str
        The header.
    rows : sequence of (int, sequence of str)
        Line numbers and cells.
    columns : DrawColumns
        What the columns are.

    Returns
    -------
    ParameterDraws
        The decision.
    list of str
        Notes on columns that were ignored or are in per cent.

    Raises
    ------
    InputProblem
        Naming the line and the column.
    """
    if len(columns.effect) != len(columns.cost):
        raise InputProblem(
            f"There are {len(columns.effect)} columns of effects and {len(columns.cost)} of costs; give one of each per action."
        )
    given = (*columns.net_benefit, *columns.effect, *columns.cost)
    together = tuple(dict.fromkeys(title for titles_of in columns.sets for title in titles_of))
    for title in (*given, *together):
        if titles.count(title) != 1:
            there = "no" if title not in titles else "more than one"
            raise InputProblem(f"{name} has {there} column {title!r}; it has {listed(list(titles))}.")

    notes: list[str] = []
    rows = list(_as_wide(name, titles, rows))

    def column(title: str) -> list[float]:
        """Numbers of a column; per cent become shares."""
        at = titles.index(title)
        texts = [(line, cells[at].strip() if at < len(cells) else "") for line, cells in rows]
        if not texts or not all(text.endswith("%") for _, text in texts):
            return [number_in(name, line, title, text) for line, text in texts]
        shares = [number_in(name, line, title, text.removesuffix("%")) / 100 for line, text in texts]
        notes.append(f"The column {title} is in per cent: {texts[0][1]} is read as {shares[0]:g}.")
        return shares

    parameters = {title: column(title) for title in together}
    for title in titles if not together else ():
        if title not in given and title:
            try:
                values = column(title)
            except InputProblem as problem:
                at = titles.index(title)
                numbers = any(_is_number(cells[at]) for _, cells in rows if at < len(cells))
                ignored = f"The column {title} is ignored. {problem}"
                notes.append(
                    ignored if numbers else f"The column {title} contains no numbers and is ignored."
                )
                continue
            if (np.diff(values) == 1).all():
                notes.append(f"The column {title} numbers the draws and is ignored.")
            else:
                parameters[title] = values
    try:
        draws = ParameterDraws(
            net_benefit={title: column(title) for title in columns.net_benefit} or None,
            effect={title: column(title) for title in columns.effect} or None,
            cost={of: column(title) for of, title in zip(columns.effect, columns.cost, strict=True)} or None,
            willingness_to_pay=columns.willingness_to_pay,
            parameters=parameters,
            sets=columns.sets,
            thresholds=columns.thresholds,
        )
    except InputProblem as problem:
        raise InputProblem(f"{name}: {problem}" if name not in str(problem) else str(problem)) from None
    return draws, notes


def _as_wide(
    name: str, titles: Sequence[str], rows: Iterable[tuple[int, Sequence[str]]]
) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the lines; raise InputProblem if one has more cells than the header, as after a comma within a number."""
    for line, cells in rows:
        if any(cell.strip() for cell in cells[len(titles) :]):
            raise InputProblem(
                f"{name}, line {line} has {len(cells)} cells and the header {len(titles)}; write numbers without commas, and "
                "give every column a title."
            )
        yield line, cells


def _is_number(text: str) -> bool:
    """Whether a cell holds a number."""
    try:
        number_in("", 0, "", text)
    except InputProblem:
        return False
    return True


def number_in(name: str, line: int, title: str, text: str) -> float:
    """Parse the number in a cell.

    Parameters
    ----------
    name : str
        Name of the file.
    line : int
        Number of the line.
    title : str
        Title of the column.
    text : str
        Content of the cell.

    Returns
    -------
    float
        A finite number.

    Raises
    ------
    InputProblem
        If it is no number, or too large a one.
    """
    try:
        value = float(text) if len(text) <= LONGEST_NUMBER and "_" not in text else np.nan
    except ValueError:
        value = np.nan
    if not abs(value) <= LARGEST:
        hint = " without separators, units or signs of a currency" if re.search(r"\d", text) else ""
        if re.fullmatch(r"-?\d+,\d+", text.strip()):
            hint = ", with a point before the decimals and no separator of thousands"
        raise InputProblem(
            f"{name}, line {line}: {title} is '{text.strip()}'; give a number such as 0.25{hint}."
        )
    return value


def columns_named(text: str | None) -> tuple[str, ...]:
    """Split a text at its commas into names."""
    return tuple(filter(None, map(str.strip, (text or "").split(","))))
