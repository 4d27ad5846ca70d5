"""HTML from templates, which escape: a page lies beside the module that says it, what all pages share in ``templates/``."""

import html
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape


def _body(rows: Iterable[Iterable[object]], kinds: Sequence[str]) -> Markup:
    """The lines of a table. A log has thousands of cells, and a template takes its time over each."""
    opened = [f'<td class="{kind}">' if kind else "<td>" for kind in kinds]
    lines = (
        "".join(f"{td}{escape(cell)}</td>" for td, cell in zip(opened, row, strict=True)) for row in rows
    )
    return Markup("".join(f"<tr>{line}</tr>\n" for line in lines))


def unbroken(text: str) -> str:
    """A text in which no line break parts a percentage from its sign."""
    return text.replace(" %", "\u00a0%")


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
TEMPLATES.filters |= {"body": _body, "unbroken": unbroken}
# Figures keep the order of their keys, and what is no number in JSON is an error here, not in a browser.
TEMPLATES.policies["json.dumps_kwargs"] = {"allow_nan": False}


def page(module: str, **told: Any) -> str:
    """The template beside a module (its ``__name__``) and called like it, filled in; a name that it misses is an error."""
    place = module.partition(".")[2].replace(".", "/")
    return TEMPLATES.get_template(f"{place}.html").render(told)


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
    """Cells below the names of their columns; columns that are empty everywhere are left out."""
    kept = [[cell if isinstance(cell, Markup) else str(cell) for cell in row] for row in rows]
    shown = [at for at in range(len(head)) if any(row[at] for row in kept)]
    names = [head[at] for at in shown]
    kinds = ["n" if name in numbers else "w" if name in wide else "" for name in names]
    return Sheet(names, [[row[at] for at in shown] for row in kept], kinds, caption)


def table_block(
    frame: pd.DataFrame, caption: str, wide: bool = False, heading: Callable[[str], str] = html.escape
) -> str:
    """A frame of texts as a table; `wide` for columns of prose, `heading` makes HTML of a column's name."""
    blocks: Any = TEMPLATES.get_template("presentation/templates/blocks.html").module
    head = [Markup(heading(str(name))) for name in frame.columns]
    return str(blocks.table(head, frame.itertuples(index=False), caption, "wide" if wide else ""))
