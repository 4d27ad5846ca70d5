"""The first answer to a browser on every page: the document in which Streamlit draws, and security headers."""

import re
from pathlib import Path

import streamlit as st

from dashboard.frame import scripts, shell

_STATIC = Path(st.__file__).parent / "static"
_STREAMLITS = (_STATIC / "index.html").read_text(encoding="utf-8")
_SHEETS = (
    *(scripts.FRAME / name for name in ("look.css", "reading.css", "forms.css", "results.css", "places.css")),
    *(shell.ROOT / "dashboard" / "learn" / name for name in ("learn.css", "words.css")),
)
_LOOK = "".join(sheet.read_text(encoding="utf-8") for sheet in _SHEETS)
_WIDGETS = (
    "Html Button ButtonGroup Checkbox DownloadButton FileUploader LinkButton NumberInput PageLink Radio Selectbox Slider "
    "TextArea TextInput rehype-raw"
).split()
"""Streamlit's scripts for components on most pages and for HTML in Markdown, which it would load only when they are drawn."""
_IMPORTED = re.compile(r"""(?:\bfrom|\bimport)\s*["'`]\./([\w.~-]+\.js)["'`]""")


def preloads() -> str:
    """Links that make the browser load the scripts of :data:`_WIDGETS`, with all their imports, while it starts.

    Until the script of a component is loaded, Streamlit shows a grey bar of another height in its place.
    """
    folder = _STATIC / "static" / "js"
    waiting = [script.name for name in _WIDGETS for script in folder.glob(f"{name}.*.js")]
    needed: dict[str, None] = {}
    while waiting:
        name = waiting.pop()
        if name not in needed and f"js/{name}" not in _STREAMLITS:
            needed[name] = None
            waiting += _IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return "".join(
        f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in sorted(needed)
    )


# Without this, Streamlit first looks for its server below the page's own address, which costs a tenth of a second.
_WHERE = """<script>window.__streamlit = {BACKEND_BASE_URL: new URL('.', location.href).href,
HOST_CONFIG: {allowedOrigins: [location.origin], useExternalAuthToken: false}}</script>"""
# Streamlit's sliders write "50%" and the page writes "50 %"; in some languages browsers add the space themselves.
_PER_CENT = r"""<script>{const way = Object.getOwnPropertyDescriptor(Intl.NumberFormat.prototype, 'format');
Object.defineProperty(Intl.NumberFormat.prototype, 'format', {...way, get() {
const written = way.get.call(this); return (value) => written(value).replace(/(?<=\d)%/, '\u00a0%'); }});}</script>"""
# The style sheets come after Streamlit's own; one that came with a page would move what is already drawn.
DOCUMENT = _STREAMLITS.replace("</head>", f"{_WHERE}{_PER_CENT}{preloads()}</head>").replace(
    "<body>", f"<body><style>{_LOOK}</style>"
)
"""The document of every page, in which Streamlit draws."""
_POLICY = {
    **dict.fromkeys(("default-src", "frame-src", "object-src", "frame-ancestors"), "'none'"),
    **dict.fromkeys(("connect-src", "media-src", "manifest-src", "base-uri", "form-action"), "'self'"),
    # Scripts are allowed by their digests, so a script that came in with somebody's data never runs. The editable
    # table is a component, whose script Streamlit loads from a blob and which computes in WebAssembly.
    "script-src": " ".join(
        ["'self'", "blob:", "'wasm-unsafe-eval'", *scripts.digests(DOCUMENT + scripts.ALL)]
    ),
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "worker-src": "'self' blob:",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{what} {where}" for what, where in _POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every response."""
