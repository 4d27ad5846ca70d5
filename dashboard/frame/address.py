"""Read and write the parameters of a page's address."""

import html
import math
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.state import query_params

from tarstop_core.errors import InputProblem

State = TypeVar("State", bound=Any)
Value = TypeVar("Value")
LONGEST, LONGEST_QUERY = 6_100, 16_000
"""Most characters of one parameter, and of the whole query string; a parameter may hold a typed table."""


def limit() -> None:
    """Make Streamlit ignore the parameters of an address that is too long for the server."""
    query_params.CLIENT_STATE_QUERY_STRING_MAX_LENGTH = LONGEST_QUERY  # type: ignore[misc]


def check() -> None:
    """Remove parameters that are too long from the address, and raise InputProblem that names the first of them."""
    long = [name for name, value in st.query_params.items() if len(name) + len(value) > LONGEST]
    for name in long:
        del st.query_params[name]
    if long:
        raise InputProblem(
            f"The address of this page holds more than {LONGEST:,} characters for “{long[0][:40]}”, so it was left out; "
            "check the link, or open the page again."
        )


@dataclass(frozen=True)
class AddressParameter:
    """One parameter of an address: its name, and how to parse and write its value."""

    name: str
    parse: Callable[[str], Any]  # Raises ValueError or InputProblem for a text that is not valid
    text: Callable[[Any], str] = str  # Returns "" to leave the parameter out


def read(parameters: Mapping[str, AddressParameter], address: Mapping[str, str], first: State) -> State:
    """Read a state from an address; fields that are missing or not valid there keep their value in `first`.

    Parameters
    ----------
    parameters
        Parameters by the names of the fields of a dataclass.
    address
        Texts by the names of the parameters.
    first
        The default state.

    Returns
    -------
    State
    """
    for field, parameter in parameters.items():
        if text := address.get(parameter.name):
            with suppress(ValueError, InputProblem):
                first = replace(first, **{field: parameter.parse(text)})
    return first


def texts(parameters: Mapping[str, AddressParameter], state: Any) -> dict[str, str]:
    """Return the address that :func:`read` reads back as this state."""
    return {parameter.name: parameter.text(getattr(state, field)) for field, parameter in parameters.items()}


def only(parse: Callable[[str], Value], valid: Callable[[Value], object]) -> Callable[[str], Value]:
    """Return a parser that raises ValueError for a value that is not valid."""

    def parse_valid(text: str) -> Value:
        if not valid(value := parse(text)):
            raise ValueError(text)
        return value

    return parse_valid


finite = only(float, math.isfinite)
"""Parse a finite number; ValueError for any other text."""


def choice(options: Container[str]) -> Callable[[str], str]:
    """Return a parser that accepts only these texts, and raises ValueError for others."""
    return only(str, lambda text: text in options)


def named(name: str, options: Container[str], usual: str) -> str:
    """Return the choice in the address, or the default if that is not one of the options."""
    chosen = st.query_params.get(name, usual)
    return chosen if chosen in options else usual


def given(names: Iterable[str]) -> dict[str, str]:
    """Return the values of these parameters that are in the address."""
    return {name: st.query_params[name] for name in names if name in st.query_params}


def write(wanted: Mapping[str, str]) -> dict[str, str]:
    """Write values into the address, remove empty ones from it, and return those that are not empty."""
    filled = {name: value for name, value in wanted.items() if value}
    for name in {*wanted} & {*st.query_params} - {*filled}:
        del st.query_params[name]
    if any(st.query_params.get(name) != value for name, value in filled.items()):
        st.query_params.update(filled)
    return filled


def lacks(what: str) -> None:
    """Tell people who copy the page's address which part of the page it does not contain."""
    st.html(f'<span hidden data-lacks="{html.escape(what)}"></span>')
