"""HTML that pages show: the macros of templates, which escape every text."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from jinja2 import PackageLoader
from jinja2.environment import TemplateModule
from markupsafe import Markup, escape

from dashboard.frame.drawing import dark
from dashboard.frame.shell import linked
from tarstop_core.presentation.figures import ink
from tarstop_core.presentation.html import TEMPLATES
from tarstop_core.presentation.palette import BELIEF, COST, PLUS, POOLED, THRESHOLD, VALUE
from tarstop_core.screening.wording import SIGNS, Mood

COLOURS: dict[Mood, str] = {
    "go": BELIEF,
    "stop": VALUE,
    "found": PLUS,
    "ask": COST,
    "read": POOLED,
    "wait": THRESHOLD,
}
_NUMBERED = re.compile(r"(?<!&)#(\d+)")


def _to_documents(text: str, read: int) -> Markup:
    """Make HTML of a text in which the number of each of the documents that were `read` leads to it."""

    def link(number: re.Match[str]) -> str:
        far = int(number[1]) > read
        return number[0] if far else f'<a href="#" data-look="{number[1]}">{number[0]}</a>'

    return Markup(_NUMBERED.sub(link, str(escape(text))))


PAGES = TEMPLATES.overlay(loader=PackageLoader("dashboard", ""), auto_reload=False)
PAGES.filters = TEMPLATES.filters | {
    "colour": lambda mood: ink(COLOURS[mood], dark()),
    "linked": lambda words: Markup(linked(words)),
    "to_documents": _to_documents,
}


class Blocks:
    """The macros of one template, below ``dashboard``: a call renders one of them, which a missing value keeps it from."""

    def __init__(self, path: str) -> None:
        self.path = path

    @cached_property
    def macros(self) -> TemplateModule:
        """The template, compiled for the first block."""
        return PAGES.get_template(self.path).module

    def __call__(self, name: str, /, *values: object, **named: object) -> Markup:
        """Render one macro."""
        return Markup(getattr(self.macros, name)(*values, **named))


block = Blocks("frame/blocks.html")
"""What several pages show; the functions below give its macros types."""


def badges(*marks: str) -> str:
    """Words in small frames, side by side."""
    return block("badges", marks)


def told(word: str, *sentences: str, more: str = "", kind: str = "told", mood: Mood | None = None) -> str:
    """What a page has to say first: in a word or two, and in sentences; empty ones are left out. `more` is HTML below.

    The word of a verdict has the colour and the sign of its `mood`.
    """
    return block("told", word, sentences, more, kind, mood, SIGNS[mood] if mood else "")


def numbers(rows: Iterable[tuple[str, str]], linked: bool = False) -> str:
    """Names and values, for a grid; names that the glossary knows may be `linked` to it, as below."""
    return block("numbers", rows, linked)


def lines(rows: Iterable[Sequence[str]], linked: bool = False) -> str:
    """Lines of a table, each with its name first."""
    return block("lines", rows, linked)


def grid(head: Iterable[str], rows: Iterable[Sequence[str]], linked: bool = False) -> str:
    """A table below its headings."""
    return block("grid", head, rows, linked)


def scrolling(label: str, table: str) -> str:
    """A wide table that can be scrolled sideways, by keys too."""
    return block("scrolling", label, table)


def bullets(items: Iterable[str], classes: str = "tar-notes", testid: str = "") -> str:
    """A list."""
    return block("bullets", items, classes, testid)
