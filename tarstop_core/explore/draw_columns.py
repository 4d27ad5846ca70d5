"""Recognise the columns of a probabilistic sensitivity analysis (PSA) by name, and pair costs with effects."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import listed
from tarstop_core.value.actions.psa import ParameterDraws

Held = Literal["net", "effect", "cost"]
WORDS: dict[tuple[str, ...], Held] = {
    ("net", "monetary", "benefit"): "net",
    ("net", "benefit"): "net",
    ("net",): "net",
    ("nmb",): "net",
    ("nb",): "net",
    ("effect",): "effect",
    ("effectivenes",): "effect",
    ("qaly",): "effect",
    ("cost",): "cost",
}
"""Words before or after an option's name that say what its column holds, without a final s; longer phrases first."""
WORD = re.compile(r"[^\W\d_]+|\d+")


class Column(NamedTuple):
    """The content of a column, and the name of its option."""

    held: Held
    name: str


def column_of(title: str) -> Column | None:
    """Read the content of a column from its title.

    >>> column_of("QALYs of A"), column_of("drug_cost"), column_of("Cost"), column_of("costly")
    (Column(held='effect', name='A'), Column(held='cost', name='drug'), Column(held='cost', name=''), None)
    """
    matches = list(WORD.finditer(title))
    words = [word.group().casefold().removesuffix("s") for word in matches]
    for phrase, held in WORDS.items():
        if (*words[: len(phrase)],) == phrase:
            rest = matches[len(phrase) :]
            if words[len(phrase) : len(phrase) + 1] == ["of"]:
                rest = rest[1:]
            return Column(held, title[rest[0].start() :].strip() if rest else "")
    for phrase, held in WORDS.items():
        if (*words[-len(phrase) :],) == phrase:
            return Column(held, title[: matches[-len(phrase) - 1].end()].strip())
    return None


def columns_held(titles: Sequence[str], held: Held) -> list[str]:
    """Return the titles of columns with this content."""
    columns = {title: column_of(title) for title in titles}
    return [title for title, column in columns.items() if column and column.held == held]


def _plain(name: str) -> str:
    """A name in lower case, with single spaces for punctuation."""
    return re.sub(r"[\W_]+", " ", name).casefold().strip()


def _by_words(titles: Sequence[str]) -> list[str]:
    """Return the option's name in each title; "" if it has none, or no words say what the column holds."""
    columns = map(column_of, titles)
    return [_plain(column.name) if column else "" for column in columns]


def _by_what_differs(titles: Sequence[str]) -> list[str]:
    """Return titles without the letters with which all of them begin, and those with which all end.

    >>> _by_what_differs(["eA", "eB"]), _by_what_differs(["A (years)", "B (years)"])
    (['a', 'b'], ['a', 'b'])
    """
    plain = [_plain(title) for title in titles]
    for _ in range(2):  # Cut the common beginning and reverse, twice
        same = [len({*letters}) == 1 for letters in zip(*plain, strict=False)]
        first_difference = [*same, False].index(False)
        plain = [title[first_difference:][::-1] for title in plain]
    return plain


def named_alike(some: Sequence[str], others: Sequence[str]) -> list[str] | None:
    """Find for each of some columns the one among others that names the same option; None if one has no partner.

    >>> named_alike(["QALY A", "QALY B"], ["cost of an event", "cost_b", "cost_a"])
    ['cost_a', 'cost_b']
    """
    for names in (_by_words, _by_what_differs):
        wanted, offered = names(some), names(others)
        if len({*wanted}) == len(some) and all(offered.count(name) == 1 for name in wanted):
            return [others[offered.index(name)] for name in wanted]
    return None


def paired(effects: Sequence[str], costs: Sequence[str]) -> tuple[list[str], bool]:
    """Pair columns of effects with columns of costs.

    Parameters
    ----------
    effects, costs : sequence of str
        Titles of columns.

    Returns
    -------
    list of str
        For each column of the shorter list (effects, if both are equally long) its partner.
    bool
        True if paired by name, False if by position.

    Raises
    ------
    InputProblem
        When the names are of different options, or a column has no partner.

    Examples
    --------
    >>> paired(["QALY A", "QALY B"], ["cost_b", "cost_a"])
    (['cost_a', 'cost_b'], True)
    """
    fewer, more = sorted((effects, costs), key=len)  # if equally many, effects come first
    partners = named_alike(fewer, more)
    if partners is not None:
        if alone := [title for title in more if title not in partners]:
            lacking = "cost" if more is effects else "effect"
            raise InputProblem(
                f"No {lacking} belongs to {listed(alone)}; choose an effect and a cost for every option, or name both "
                "columns after it."
            )
        return partners, True
    some_name_no_option = not all(_by_words(effects) + _by_words(costs))
    if len(effects) == len(costs) and some_name_no_option:
        return list(costs), False
    raise InputProblem(
        f"Effects and costs cannot be paired: effects are in {listed(list(effects))}, costs in {listed(list(costs))}; "
        "choose one of each for every option, or name both columns after it."
    )


def shortly_named(draws: ParameterDraws) -> ParameterDraws:
    """Return draws whose actions have the names of their columns, without words for their content.

    >>> of = {"net benefit Drug": [1.0] * 30, "nb_device": [2.0] * 30}
    >>> shortly_named(ParameterDraws(net_benefit=of)).actions
    ('Drug', 'device')
    """

    def renamed(columns: Mapping[str, Sequence[float]] | None) -> dict[str, Sequence[float]] | None:
        if not columns:
            return None
        parsed = {title: column_of(title) for title in columns}
        return {(column.name if column else "") or title: columns[title] for title, column in parsed.items()}

    short = replace(
        draws, net_benefit=renamed(draws.net_benefit), effect=renamed(draws.effect), cost=renamed(draws.cost)
    )
    return short if len(short.actions) == len(draws.actions) else draws
