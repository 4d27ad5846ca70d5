"""HTML from templates that escape every text: a page's template is beside its module, shared ones are in ``templates/``."""

import html
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from tarstop_core.presentation.numbers import count_of, unbroken


def _body(rows: Iterable[Iterable[object]], kinds: Sequence[str]) -> Markup:
    """The lines of a table. A log has thousands of cells, and a template takes its time over each."""
    opened = [f'<td class="{kind}">' if kind else "<td>" for kind in kinds]
    lines = (
        "".join(f"{td}{escape(cell)}</td>" for td, cell in zip(opened, row, strict=True)) for row in rows
    )
    return Markup("".join(f"<tr>{line}</tr>\n" for line in lines))


IN_PRINT = str.maketrans("'", "’")
"""Translates the apostrophes of a name from a file into those of print: ``name.translate(IN_PRINT)``."""


# Drawings and code are left as they are; everything else between tags is text.
_TAGS = re.compile(r"(<(svg|script|style|pre)\b(?:(?!<\2\b).)*?</\2>|<[^<>]*>)", re.DOTALL)
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_ONE = re.compile(
    r"\b\d{4}-\d\d(?:-\d\d)?\b"  # a date
    r"|\b\d\d:\d\d:\d\d(?: UTC)?\b"  # a time
    rf"|\b(?:\d{{1,2}} )?(?:{_MONTH}) \d{{4}}\b"
    r"|(?<![\d.])\d(?:\.\d{1,9})?e-\d\d\b"  # 1.2e-07
    r"|(?<![\d,.])[-−]?\d[\d,.]{0,20} %"
    r"|\b[A-Z]{1,5}-\d[A-Z0-9-]{0,20}\b"  # a publication number
    r"|\b[A-Z]{2} \d[\d/]{5,20}(?: [A-Z]\d?)?\b"  # EP 2000000 A1
)


def kept_together(page: str) -> Markup:
    """HTML in which no line break parts a date, a time, a number or its percent sign."""
    parts = _TAGS.split(page)
    # Of three parts the first is text; the others are a tag, or a whole drawing, and that tag's name.
    parts[::3] = [_ONE.sub(r'<span class="one">\g<0></span>', text) for text in parts[::3]]
    del parts[2::3]
    return Markup("".join(parts))


TEMPLATES = Environment(
    loader=PackageLoader("tarstop_core", ""),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    extensions=["jinja2.ext.do"],
)
TEMPLATES.globals["zip"] = zip
TEMPLATES.filters |= {
    "body": _body,
    "count_of": count_of,
    "unbroken": unbroken,
    "kept_together": kept_together,
}
# Figures keep the order of their keys; a number that JSON cannot hold is an error here, not in a browser.
TEMPLATES.policies["json.dumps_kwargs"] = {"allow_nan": False}


def page(module: str, **values: Any) -> str:
    """Fill in the template beside a module (its ``__name__``) that has its name; a missing value is an error."""
    place = module.partition(".")[2].replace(".", "/")
    return TEMPLATES.get_template(f"{place}.html").render(values)


class Sheet(NamedTuple):
    """A table as templates draw it; `kinds` of columns: n for numbers, w for wide ones."""

    head: list[str]
    rows: list[list[Any]]
    kinds: list[str]
    caption: str


def sheet(
    head: Sequence[str],
    rows: Iterable[Sequence[Any]],
    caption: str = "",
    *,
    numbers: Sequence[str],
    wide: Sequence[str] = (),
) -> Sheet:
    """Turn rows into a table for a template; columns that are empty everywhere are left out.

    Parameters
    ----------
    head : sequence of str
        Names of the columns.
    rows : iterable of sequences
        Cells; what is not markup is turned into text.
    caption : str
        Of the table.
    numbers, wide : sequence of str
        Names of columns that hold numbers, and of wide ones.

    Returns
    -------
    Sheet
        With a kind for each column that is left.
    """
    kept = [[cell if isinstance(cell, Markup) else str(cell) for cell in row] for row in rows]
    columns = [at for at in range(len(head)) if any(row[at] for row in kept)]
    names = [head[at] for at in columns]
    kinds = ["n" if name in numbers else "w" if name in wide else "" for name in names]
    return Sheet(names, [[row[at] for at in columns] for row in kept], kinds, caption)


def table_block(
    frame: pd.DataFrame, caption: str, wide: bool = False, heading: Callable[[str], str] = html.escape
) -> str:
    """Render a frame of texts as an HTML table.

    Parameters
    ----------
    frame : DataFrame
        Its columns are the head.
    caption : str
        Of the table.
    wide : bool
        Whether its columns hold prose.
    heading : callable
        Makes HTML of a column's name.

    Returns
    -------
    str
        HTML.
    """
    blocks: Any = TEMPLATES.get_template("presentation/templates/blocks.html").module
    head = [Markup(heading(str(name))) for name in frame.columns]
    return str(blocks.table(head, frame.itertuples(index=False), caption, "wide" if wide else ""))
