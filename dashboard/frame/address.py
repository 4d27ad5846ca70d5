"""The address of a page: what a person put there, and what the page puts there."""

from collections.abc import Iterable, Mapping

import streamlit as st


def given(names: Iterable[str]) -> dict[str, str]:
    """Those of these parameters that the address has."""
    return {name: st.query_params[name] for name in names if name in st.query_params}


def write(wanted: Mapping[str, str]) -> dict[str, str]:
    """Put values into the address and take empty ones out of it; those that it then has."""
    filled = {name: value for name, value in wanted.items() if value}
    for name in {*wanted} & {*st.query_params} - {*filled}:
        del st.query_params[name]
    if any(st.query_params.get(name) != value for name, value in filled.items()):
        st.query_params.update(filled)
    return filled
