"""The document in which Streamlit draws every page, with all in it that would move the page if it came later."""

import re
from pathlib import Path

import streamlit as st

from dashboard.frame.scripts import FRAME

_STATIC = Path(st.__file__).parent / "static"
_IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')
_PIECES = (
    "Html",
    "Button",
    "ButtonGroup",
    "Selectbox",
    "Checkbox",
    "Slider",
    "TextInput",
    "NumberInput",
    "Radio",
    "FileUploader",
)
"""Parts of Streamlit's front end that most pages begin with; each else shows a grey bar of another height until it is there."""
_SIGNS = "MaterialSymbols-Rounded"


def _add(script: str, scripts: dict[str, None]) -> None:
    """Add a script of Streamlit's, and those that it imports."""
    if script not in scripts:
        scripts[script] = None
        for imported in _IMPORTED.findall((_STATIC / "js" / script).read_text(encoding="utf-8")):
            _add(imported, scripts)


def _document() -> str:
    """Streamlit's own document, which names the parts to load at once, and the look.

    The style sheet stands where the body begins, after Streamlit's own rules and before those of single pages: one that
    came with the page would move what stands already.
    """
    scripts: dict[str, None] = {}
    for piece in _PIECES:
        for file in (_STATIC / "js").glob(f"{piece}.*.js"):
            _add(file.name, scripts)
    early = "".join(f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in scripts)
    for file in (_STATIC / "media").glob(f"{_SIGNS}.*.woff2"):
        early += (
            f'<link rel="preload" href="./static/media/{file.name}" as="font" type="font/woff2" crossorigin>'
        )
    look = "".join((FRAME / name).read_text(encoding="utf-8") for name in ("look.css", "reading.css"))
    plain = (_STATIC / "index.html").read_text(encoding="utf-8")
    return plain.replace("</head>", f"{early}</head>").replace("<body>", f"<body><style>{look}</style>")


DOCUMENT = _document()
