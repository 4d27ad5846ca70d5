"""Figures with their sentences and buttons to save them, and tables that scroll."""

import base64
import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import time_ns
from typing import Any

import pandas as pd
import streamlit as st
from plotly.basedatatypes import BaseFigure
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import shell
from dashboard.frame.scripts import COPY_SCRIPT, FRAME, SAVE_SCRIPT
from dashboard.frame.widgets import save_button
from tarstop_core.files import table_to_csv
from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.html import table_block
from tarstop_core.presentation.numbers import ticks_in_percent
from tarstop_core.presentation.pictures import fluid, still

ALL = "_all_figures"
"""State of “All figures”: the name of the page whose button was pressed, and the figures by the names of their files."""
PRESENTED = 285
"""Height in pixels of a figure on a projector, where the page must not scroll; high figures shrink by a third at most."""


class AsItIs(BaseFigure):  # type: ignore[misc]  # plotly has no types
    """A figure that goes to the browser unchecked.

    ``st.plotly_chart`` would check every property of a dictionary and add plotly's template, which the theme of the
    page replaces in the browser anyway. Every redraw would take that time. The tests check the figures.
    """

    def __init__(self, figure: Figure, presented: int | None = None) -> None:
        # super().__init__(figure) would check it; Streamlit calls only to_dict.
        layout = fitted(figure, presented or PRESENTED)["layout"] | {"template": {"layout": {}}}
        # Plotly writes 50%; sentences write 50 %.
        shares = {
            name: axis | ticks_in_percent(axis)
            for name, axis in layout.items()
            if name[1:].startswith("axis") and axis.get("tickformat") == ".0%" and "range" in axis
        }
        self.__dict__["figure"] = figure | {"layout": layout | shares}

    def to_dict(self) -> Figure:
        """The figure with an empty template, for the theme to fill."""
        whole: Figure = self.__dict__["figure"]
        return whole


def fitted(figure: Figure, presented: int = PRESENTED) -> Figure:
    """Return the figure, with less height on a projector."""
    if not shell.presenting():
        return figure
    layout = figure["layout"]
    height = max(0.66 * layout["height"], min(layout["height"], presented))
    return figure | {"layout": layout | {"height": height}}


def picture(figure: Figure, sentence: str, presented: int = PRESENTED) -> None:
    """Draw a figure as SVG, which needs no script and so appears at once."""
    st.html(fluid(fitted(figure, presented), sentence))


def captioned(figure: Figure, sentence: str) -> None:
    """Draw a figure as SVG, with its sentence below."""
    picture(figure, sentence)
    shell.caption(sentence)


def beside_title(*, present: bool = False) -> DeltaGenerator:
    """Draw the menu beside a page's title, with `present` also the switch for a projector; return :func:`save_menu`."""
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="present-row"):
        menu = save_menu()
        if present:
            on = st.toggle("Present", key=shell.PRESENT, bind="query-params")
            copy = '<span aria-live="polite">Copy link</span>'
            copy = f'<button type="button" class="tar-save" data-copy>{copy}</button>{COPY_SCRIPT}'
            st.html(copy, unsafe_allow_javascript=True, width="content")
            if on:
                st.html(FRAME / "present.css")
    return menu


def save_menu() -> DeltaGenerator:
    """Draw the menu of a page from which everything on it is saved; return the container for further entries.

    When the menu is opened, ``saving.js`` lists in it what is :func:`offered` at that moment.
    """
    menu = st.popover("Save", icon=":material/download:", type="tertiary", key="save-menu")
    entries = menu.container(gap="xsmall")
    menu.html('<div data-offered aria-live="polite"></div>')
    return entries


def offered(what: str, key: str) -> DeltaGenerator:
    """Return a hidden container for buttons that save something, which the menu lists under `what`."""
    place = st.container(key=f"offered-{key}")
    place.html(f'<span data-offer="{html.escape(what, quote=True)}"></span>')
    return place


def picture_buttons(stem: str, csv: Callable[[], str], *, container: str = "", svg: str = "") -> None:
    """Offer SVG and PNG of a figure, and add it with its `csv` to “All figures”.

    The figure is an `svg`, or the plotly chart in the container with this key. ``saving.js`` makes the pictures in the
    browser when a button is pressed.
    """
    of = "" if svg else re.sub(r"[^\w-]", "-", f"st-key-{container}", flags=re.ASCII)
    among_all(stem, csv, svg=svg, of=of)
    buttons = "".join(_save_button(kind, stem) for kind in ("svg", "png"))
    what = _brought(svg) if svg else f'data-of="{of}"'
    st.html(f"<div {what}>{buttons}</div>")


def among_all(stem: str, csv: Callable[[], str], *, svg: str = "", of: str = "") -> None:
    """Add a figure (an `svg`, or the CSS class of its chart), or only its numbers, to “All figures” if that was pressed."""
    if ALL in st.session_state:
        st.session_state[ALL][1][stem] = {"of": of, "csv": csv(), "svg": svg}


def all_figures(stem: str, script: str = SAVE_SCRIPT) -> None:
    """Draw the button “All figures” for the figures above, which draws the page once more.

    Only then the numbers of all figures are computed. The `script` packs them together with the pictures.
    """
    asked_by, figures = st.session_state.pop(ALL, ("", {}))
    # The button is hidden; the script lists it in the menu.
    st.button("All figures", key="all-figures", on_click=st.session_state.update, args=({ALL: (stem, {})},))
    packed = ""
    if asked_by == stem and figures:
        coded = base64.b64encode(json.dumps(figures).encode()).decode()
        # Each press has a new value, or the browser would not run the script again.
        packed = f'<span hidden data-all="{html.escape(stem, quote=True)}" data-press="{time_ns()}" data-figures="{coded}"></span>'
    st.html(f"{packed}{script}", unsafe_allow_javascript=True)


def png_button(svg: str, stem: str) -> None:
    """Draw a button that saves a drawing as PNG, with the same script."""
    st.html(f"<div {_brought(svg)}>{_save_button('png', stem)}</div>")


def _brought(svg: str) -> str:
    """The attribute with a drawing, for the element around its buttons."""
    return f'data-svg="{base64.b64encode(svg.encode()).decode()}"'


def _save_button(kind: str, stem: str) -> str:
    what = f'data-save="{kind}" data-file="{html.escape(stem, quote=True)}"'
    return f'<button type="button" class="tar-save" {what}>{kind.upper()}</button>'


def figure(
    name: str,
    heading: str,
    drawing: Figure,
    sentence: str,
    rows: Any,
    file_stem: str,
    on_select: Callable[[], None] | None = None,
    *,
    at_once: bool = False,
    presented: int | None = None,
) -> None:
    """Draw a figure with its heading, its sentence, which is also the alternative text, and its files.

    Parameters
    ----------
    name
        Name of the figure, unique on the page.
    heading, drawing, sentence
        The heading, the plotly figure, and the sentence.
    rows
        Numbers for the CSV: a data frame, or what one is made from.
    file_stem
        Beginning of the names of its files.
    on_select
        Called when a point is clicked (:func:`chart_key`).
    at_once
        Whether to draw it as a :func:`picture`, which does not wait for plotly.
    presented
        Height in pixels on a projector.
    """
    # The key becomes a CSS class, in which the style sheet and the script for pictures look for "tar-figure".
    with st.container(key=f"results-tar-figure-{name}"):
        heading_of(heading)
        with st.container(key=f"results-tar-wide-{name}"):
            if at_once:
                picture(drawing, sentence)
            else:
                st.plotly_chart(
                    AsItIs(drawing, presented),
                    key=chart_key(name),
                    config={"displayModeBar": False, "responsive": True},
                    alt=sentence,
                    width="stretch",
                    on_select=on_select or "ignore",
                    selection_mode="points",
                )
        note(sentence)
        svg = still(drawing, sentence) if at_once else ""
        files(heading, f"{file_stem}-{name}", pd.DataFrame(rows), name, pictures=True, svg=svg)


def chart_key(name: str) -> str:
    """Key of the state with the selected points of a chart."""
    return f"results/chart/{name}"


def heading_of(text: str) -> None:
    """Draw a small heading."""
    st.html(f'<h3 class="tar-part">{html.escape(text)}</h3>')


note = shell.caption
"""Draw a sentence below a figure or table."""


def files(
    what: str,
    stem: str,
    rows: pd.DataFrame,
    name: str,
    *,
    pictures: bool = False,
    svg: str = "",
    more: Mapping[str, tuple[str, Callable[[], str]]] | None = None,
) -> None:
    """Offer files to save: the numbers as CSV, with `pictures` the figure above (an `svg` or a plotly chart), and `more`.

    `more` has, by the label of the button, the end of the file's name and a function that returns its text.
    """
    with offered(what, name):
        if pictures:
            picture_buttons(
                stem, partial(table_to_csv, rows), container=f"results-tar-figure-{name}", svg=svg
            )
        save_button("CSV", partial(table_to_csv, rows), f"{stem}.csv", key=f"results/csv/{name}")
        for label, (suffix, text) in (more or {}).items():
            save_button(label, text, f"{stem}{suffix}", key=f"results/{label}/{name}")


def table(rows: Any, caption: str = "", *, prose: bool = False, linked: bool = True) -> None:
    """Draw a table of texts that scrolls sideways if it does not fit, and below it a caption that stays in place.

    With `linked`, headings that are terms of the glossary link to it.
    """
    heading = shell.linked if linked else html.escape
    block = table_block(pd.DataFrame(rows), "", wide=prose, heading=heading)
    st.html(f'<div class="tar-table">{block}</div>')
    if caption:
        note(caption)


def with_room(drawing: Figure) -> Figure:
    """Move legend and mark of a figure, which is changed, so that they never cover the axis titles; return the figure."""
    layout = drawing["layout"]
    if "legend" in layout:
        layout["legend"] |= {"yref": "container", "y": 0, "yanchor": "bottom"}
        _in_colour(drawing)
    for mark in layout["annotations"]:
        if mark["text"] == "simulated":
            mark["yshift"] = 16
    layout["margin"]["t"] += 18
    layout["height"] += 40
    layout["margin"]["b"] += 22
    return drawing


def grouped_legend(drawing: Figure, families: Sequence[str]) -> Figure:
    """Group the first traces of a figure, which is changed, by family in its legend; return the figure."""
    if not drawing["layout"].get("showlegend"):
        return drawing
    # Later traces have no entry in the legend.
    for trace, family in zip(drawing["data"][: len(families)], families, strict=True):
        trace["legendgroup"] = family
        trace["legendgrouptitle"] = {"text": FAMILY_TITLES.get(family, family)}
    drawing["layout"]["legend"] |= {"groupclick": "toggleitem"}
    _in_colour(drawing)
    return drawing


def _in_colour(drawing: Figure) -> None:
    """Give the legend the colour of the other texts, because saved pictures do not have the theme's colour."""
    colour, legend = drawing["layout"]["font"]["color"], drawing["layout"]["legend"]
    legend["font"] = {**legend.get("font", {}), "color": colour}
    legend["grouptitlefont"] = {"color": colour, "size": 11}


# Short, or a group would stand alone below the others.
FAMILY_TITLES = {
    "paper's policy": "the paper’s (solid)",
    "paper's baseline": "baselines (dashed)",
    "beyond the paper": "others (solid)",
    "reference": "references (dotted)",
}
FAMILY_ORDER = ("paper's policy", "beyond the paper", "paper's baseline", "reference")
