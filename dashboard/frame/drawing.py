"""Figures as they go to the browser, and the buttons that save them there."""

import base64
import html
import re

import streamlit as st
from plotly.basedatatypes import BaseFigure
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame.shell import caption
from tarstop_core.presentation.figures import Figure


class AsItIs(BaseFigure):  # type: ignore[misc]  # plotly has no types
    """A figure that goes to the browser as it is.

    ``st.plotly_chart`` checks every property of a dictionary and adds plotly's template, whose place the theme of the
    page takes in the browser anyway: a tenth of the time from a label to its curves. The tests check the figures.
    """

    def __init__(self, figure: Figure) -> None:
        # Not super().__init__(figure), which is what checks; nothing but to_dict is asked of it.
        self.__dict__["figure"] = figure | {"layout": figure["layout"] | {"template": {"layout": {}}}}

    def to_dict(self) -> Figure:
        """The figure with an empty template, for the theme to fill."""
        whole: Figure = self.__dict__["figure"]
        return whole


def dark() -> bool:
    """Whether the page is dark."""
    return st.context.theme.type == "dark"


def still(figure: Figure, sentence: str, key: str) -> None:
    """A figure that does not answer the mouse, and below it the sentence that says what it shows."""
    st.plotly_chart(AsItIs(figure), config={"staticPlot": True}, key=key, alt=sentence)
    caption(sentence)


def save_menu(key: str) -> DeltaGenerator:
    """The one small menu in which what can be saved of a figure or table stands."""
    return st.popover("Save", icon=":material/download:", type="tertiary", key=f"{key}/menu")


def picture_buttons(stem: str, container: str) -> None:
    """SVG and PNG of the figure in the container of this key; ``saving.js`` answers a press, in the browser alone."""
    file, of = html.escape(stem, quote=True), re.sub(r"[^\w-]", "-", f"st-key-{container}", flags=re.ASCII)
    buttons = (
        f'<button type="button" class="tar-save" data-save="{kind}" data-file="{file}" data-of="{of}">{kind.upper()}</button>'
        for kind in ("svg", "png")
    )
    st.html("".join(buttons), width="content")


def png_button(label: str, svg: str, stem: str) -> None:
    """A button that saves a drawing as PNG, by the same script."""
    coded = base64.b64encode(svg.encode()).decode()
    st.html(
        f'<button type="button" class="tar-save" data-save="png" data-file="{html.escape(stem, quote=True)}" '
        f'data-svg="{coded}">{html.escape(label)}</button>',
        width="content",
    )
