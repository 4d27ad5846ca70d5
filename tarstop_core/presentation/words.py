"""Sentences as texts: those of a module stand in the TOML file beside it that is called like it, in Jinja's language.

What is filled in stands between << and >>, what depends on something between <% and %>, for formulas are full of braces.
"""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from tarstop_core.presentation.numbers import amount, count_of, listed, number, percent

TEXTS = Environment(
    variable_start_string="<<",
    variable_end_string=">>",
    block_start_string="<%",
    block_end_string="%>",
    comment_start_string="<#",
    comment_end_string="#>",
    undefined=StrictUndefined,
)
TEXTS.filters |= {function.__name__: function for function in (amount, count_of, listed, number, percent)}
TEXTS.filters["n"] = "{:,.0f}".format


@cache
def texts(module: str) -> dict[str, Any]:
    """Texts of the file of a module (its ``__name__``), by key."""
    package, _, name = module.rpartition(".")
    return tomllib.loads(resources.files(package).joinpath(f"{name}.toml").read_text("utf-8"))


@cache
def template(text: str) -> Template:
    """Compile a text that is filled in again and again."""
    return TEXTS.from_string(text)


def say(module: str, key: str, **values: Any) -> str:
    """Fill in the sentence that stands under a key in the file of a module."""
    return template(texts(module)[key]).render(values)
