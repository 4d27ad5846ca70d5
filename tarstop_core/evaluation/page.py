"""The frame of a self-contained HTML page: sections, tables, figures, light and dark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from html import escape

import pandas as pd

from tarstop_core.figures import Figure

_STYLE = """
:root{color-scheme:light dark;--text:#1c2430;--soft:#5b6470;--line:#d5dae1;--paper:#fff;--mark:#eef3f8}
@media(prefers-color-scheme:dark){:root{--text:#e8ebef;--soft:#a9b1ba;--line:#3a424d;--paper:#14181d;--mark:#1f262e}}
body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem 4rem;background:var(--paper);color:var(--text);
font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.7rem;line-height:1.25}h2{margin-top:2.5rem;border-bottom:1px solid var(--line);font-size:1.3rem}
h3{font-size:1.05rem;margin-bottom:.2rem}
.badge{background:var(--mark);border-left:4px solid #E69F00;padding:.5rem .8rem}
.scroll{overflow-x:auto;margin:1rem 0}table{border-collapse:collapse;font-size:.9rem}
caption{text-align:left;color:var(--soft);padding:.3rem 0}
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}
th:first-child,td:first-child{text-align:left}
table.wide td,table.wide th{text-align:left;white-space:normal;overflow-wrap:anywhere;vertical-align:top}
figure{margin:1rem 0 2rem}figcaption{color:var(--soft)}summary{cursor:pointer;font-weight:600;padding:.6rem 0}
nav a{margin-right:1rem;display:inline-block;padding:.2rem 0}a{color:inherit}
"""

_SCRIPT = """
const dark=matchMedia("(prefers-color-scheme: dark)");
function draw(){for(const node of document.querySelectorAll("[data-figure]")){
const both=JSON.parse(document.getElementById(node.dataset.figure).textContent);
const figure=dark.matches?both.dark:both.light;
Plotly.react(node,figure.data,figure.layout,{responsive:true,displaylogo:false,
toImageButtonOptions:{format:"svg",filename:node.id},modeBarButtons:[["toImage"]]});}}
dark.addEventListener("change",draw);draw();
"""


def page(title: str, sections: Iterable[str], plotly_js: str) -> str:
    """The whole page; plotly's script is in it once."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>\n"
        + "\n".join(sections)
        + f"\n<script>{plotly_js}</script>\n<script>{_SCRIPT}</script></body></html>\n"
    )


def section(heading: str, *blocks: str, folded: bool = False) -> str:
    """A heading and what is below it, folded away if that is wanted."""
    body = "\n".join(blocks)
    if folded:
        return f"<details><summary>{escape(heading)}</summary>\n{body}</details>"
    return f"<section><h2>{escape(heading)}</h2>\n{body}</section>"


def paragraph(text: str, kind: str = "") -> str:
    """Plain text as a paragraph."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def table_block(
    frame: pd.DataFrame, caption: str, wide: bool = False, heading: Callable[[str], str] = escape
) -> str:
    """A frame of texts as a table; `wide` for columns of prose, `heading` makes HTML of a column's name."""
    head = "".join(f'<th scope="col">{heading(str(name))}</th>' for name in frame.columns)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in frame.itertuples(index=False)
    )
    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    kind = ' class="wide"' if wide else ""
    return (
        f'<div class="scroll" tabindex="0"><table{kind}>{told}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def figure_block(name: str, heading: str, light: Figure, dark: Figure, sentence: str) -> str:
    """A figure in both colours of the page, with the sentence that says what it shows, for eyes and ears."""
    # "</" would end the script element that holds the data.
    both = json.dumps({"light": light, "dark": dark}, allow_nan=False).replace("</", "<\\/")
    key = escape(name, quote=True)
    height = int(light["layout"]["height"])
    width = int(light["layout"].get("meta", {}).get("least_width", 0))
    return (
        f'<figure><h3>{escape(heading)}</h3><div class="scroll"><div id="{key}" data-figure="{key}-data" '
        f'role="img" aria-label="{escape(sentence, quote=True)}" style="min-height:{height}px;min-width:{width}px">'
        "</div></div>"
        f'<script type="application/json" id="{key}-data">{both}</script>'
        f"<figcaption>{escape(sentence)}</figcaption></figure>"
    )
