"""Small HTML that several pages write, with every text in it escaped."""

from collections.abc import Callable, Iterable, Sequence
from html import escape

from tarstop_core.presentation.html import unbroken


def badges(*marks: str) -> str:
    """Marks in little frames, side by side."""
    return " ".join(f'<span class="tar-badge">{escape(mark)}</span>' for mark in marks)


def told(word: str, *sentences: str, more: str = "", kind: str = "told") -> str:
    """What a page has to say first: in a word or two, and in sentences; empty ones are left out. `more` is HTML below."""
    said = "".join(f"<p>{escape(unbroken(sentence))}</p>" for sentence in sentences if sentence)
    return (
        f'<div class="tar-{kind}" role="status"><div class="tar-word">{escape(unbroken(word))}</div>'
        f"{said}{more}</div>"
    )


def numbers(rows: Iterable[tuple[str, str]], heading: Callable[[str], str] = escape) -> str:
    """Names and values, for a grid; `heading` makes HTML of a name."""
    return "".join(f"<span>{heading(name)}</span><b>{escape(value)}</b>" for name, value in rows)


def lines(rows: Iterable[Sequence[str]], heading: Callable[[str], str] = escape) -> str:
    """Lines of a table, each with its name first; `heading` makes HTML of a name."""
    return "".join(
        f'<tr><th scope="row">{heading(name)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for name, *cells in rows
    )


def grid(head: Iterable[str], rows: Iterable[Sequence[str]], heading: Callable[[str], str] = escape) -> str:
    """A table below its headings; `heading` makes HTML of what begins a line."""
    body = (
        f"<tr><td>{heading(name)}</td>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in rows
    )
    return (
        f"<table><thead><tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def scrolling(label: str, table: str) -> str:
    """A wide table that can be scrolled sideways, by keys too."""
    return (
        '<div class="tar-others" style="overflow-x:auto" tabindex="0" role="region" '
        f'aria-label="{escape(label)}">{table}</div>'
    )


def bullets(items: Iterable[str], more: str = ' class="tar-notes"') -> str:
    """A list; `more` are its attributes."""
    return f"<ul{more}>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"
