"""Sentences for people, in Jinja templates beside the code whose results they word, one macro per sentence."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.environment import TemplateModule

from tarstop_core.presentation.numbers import (
    INTERVAL_LEVEL,
    alike,
    amount,
    count_of,
    listed,
    multiple,
    number,
    percent,
    signed,
)

SENTENCES = Environment(
    loader=PackageLoader("tarstop_core", ""),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
SENTENCES.globals["interval_level"] = percent(INTERVAL_LEVEL)
SENTENCES.filters |= {
    "alike": alike,
    "amount": amount,
    "count_of": count_of,
    "listed": listed,
    "multiple": multiple,
    "n": "{:,.0f}".format,
    "number": number,
    "percent": percent,
    "signed": signed,
}
_BLANKS = re.compile(r"[ \n]+")
_EMPTY_LINES = re.compile(r"\n\s*\n")


class Messages:
    """The sentences of one template, each of them a macro.

    A call renders a macro by its name. How its source is broken into lines does not matter. A value that the macro
    uses and does not get, or gets and does not name, is an error.

    Parameters
    ----------
    path
        The template, below ``tarstop_core``: "explore/messages.jinja".
    otherwise
        Messages whose macros are rendered where this template has none of the name.
    **functions
        What this template calls beside the filters that all have: ``{{ tex(b) }}``.
    """

    def __init__(
        self, path: str, otherwise: "Messages | None" = None, **functions: Callable[..., str]
    ) -> None:
        self.path = path
        self.otherwise = otherwise
        self.functions = functions

    def __call__(self, sentence: str, /, **values: Any) -> str:
        """Render one macro as a sentence or several in one paragraph."""
        return _BLANKS.sub(" ", self.text(sentence, **values)).strip()

    def paragraphs(self, sentence: str, /, **values: Any) -> list[str]:
        """Render one macro and part it where its source has empty lines; within a part, lines stay."""
        return _EMPTY_LINES.split(self.text(sentence, **values).strip())

    def text(self, macro: str, /, **values: Any) -> str:
        """Render one macro as it stands, lines and all."""
        if self.otherwise is not None and not hasattr(self.macros, macro):
            return self.otherwise.text(macro, **values)
        return str(getattr(self.macros, macro)(**values))

    @cached_property
    def macros(self) -> TemplateModule:
        """The compiled template; the first sentence asks for it."""
        if self.otherwise is not None:
            # What this template imports of the other one is kept as it is loaded first: with what that one calls.
            _ = self.otherwise.macros
        return SENTENCES.get_template(self.path, globals=self.functions).module
