"""What the server puts around Streamlit: headers on every response, the hosts that it answers to, and its health."""

import asyncio
import contextlib
import gc
import ipaddress
import logging
import re
import sys
import threading
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.server.server_util import get_display_address, get_url
from threadpoolctl import threadpool_limits

import tarstop_core
from dashboard.frame import address, scripts, shell, uploads
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import worker
from tarstop_core.places import HOSTS_VARIABLE, is_loopback, named_hosts, open_to_others, require_consent

_STATIC = Path(st.__file__).parent / "static"
_STREAMLITS = (_STATIC / "index.html").read_text(encoding="utf-8")
_SHEETS = (
    *(scripts.FRAME / name for name in ("look.css", "reading.css", "forms.css", "results.css", "places.css")),
    *(shell.ROOT / "dashboard" / "learn" / name for name in ("learn.css", "words.css")),
)
_LOOK = "".join(sheet.read_text(encoding="utf-8") for sheet in _SHEETS)
_WIDGETS = (
    "Html",
    "Button",
    "ButtonGroup",
    "Checkbox",
    "DownloadButton",
    "FileUploader",
    "LinkButton",
    "NumberInput",
    "PageLink",
    "Radio",
    "Selectbox",
    "Slider",
    "TextArea",
    "TextInput",
    "rehype-raw",
)
"""Streamlit's components of most pages, and what reads HTML in Markdown; each a script of its own that is otherwise asked for when the first one is drawn."""
_IMPORTED = re.compile(r"""(?:\bfrom|\bimport)\s*["'`]\./([\w.~-]+\.js)["'`]""")


def preloads() -> str:
    """Links by which the browser gets the scripts of :data:`_WIDGETS`, with all they import, while it starts.

    Until a component's script is there Streamlit keeps a grey bar of another height in its place.
    """
    folder = _STATIC / "static" / "js"
    waiting = [each.name for name in _WIDGETS for each in folder.glob(f"{name}.*.js")]
    needed: dict[str, None] = {}
    while waiting:
        name = waiting.pop()
        if name not in needed and f"js/{name}" not in _STREAMLITS:
            needed[name] = None
            waiting += _IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return "".join(
        f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in sorted(needed)
    )


# After Streamlit's own rules; a sheet that came with a page would move what stands already.
DOCUMENT = _STREAMLITS.replace("</head>", f"{preloads()}</head>").replace(
    "<body>", f"<body><style>{_LOOK}</style>"
)
"""What a browser gets at the address of every page: Streamlit draws the page in it."""
_POLICY = {
    **dict.fromkeys(("default-src", "frame-src", "object-src", "frame-ancestors"), "'none'"),
    **dict.fromkeys(("connect-src", "media-src", "manifest-src", "base-uri", "form-action"), "'self'"),
    # By their digests: a script that came in with somebody's data has none. The typed table is a component, whose
    # script Streamlit loads from a blob; its reader of messages computes with long numbers in WebAssembly.
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
"""On every response."""
ANSWERS = ("http.response.start", "websocket.accept", "websocket.http.response.start")
"""Messages that begin one."""
TOO_LONG = (
    f"This address is too long: at most {address.LONGEST_QUERY:,} characters may stand behind its question mark. "
    "Check the link, or open the page without them.\n"
)
CORE = "/_stcore/"
OWN = ("health", "host-config", "stream", "upload_file", "bidi-components")
"""What the pages ask of Streamlit; all else below :data:`CORE`, such as figures about visitors, is closed."""
OPEN = "everyone who can reach it can read, change and delete every session."
PIECE = 1 << 18  # bytes of an answer that are sent at a time: else it is copied whole while everybody waits


def around() -> dict[str, Any]:
    """What Streamlit's application is made with; without consent to serve others there is none."""
    try:
        require_consent(served_on(), named_hosts())
    except InputProblem as problem:
        raise SystemExit(f"tarstop: {problem}") from None
    # Else the sidebar lists the files of pages/ until app.py has named the pages.
    PagesManager.uses_pages_directory = False
    address.limit()
    # Its products are small: shared among threads each waits for cores that another person's work holds.
    threadpool_limits(limits=1)
    # A press goes from thread to thread many times, and while a page computes for others each time takes so long: else 5 ms.
    sys.setswitchinterval(0.001)
    return {
        "lifespan": ready,
        "middleware": [Middleware(Guarded), Middleware(uploads.Limited)],
        "routes": [Route("/health", health), *(Route(place, document) for place in shell.addresses())],
        "on_script_error": shell.uncaught,
        "exception_handlers": {Exception: failed},
    }


@contextlib.asynccontextmanager
async def ready(_: Any) -> AsyncIterator[None]:
    """Import every page before anybody comes, and never look through that for garbage: meanwhile nobody's press is done."""
    for script in sorted((shell.ROOT / "pages").glob("*.py")):
        import_module(f"dashboard.{script.stem}.page")
    gc.freeze()
    announce()
    threading.Thread(target=worker.warm, daemon=True).start()
    sweep = asyncio.create_task(uploads.sweep())
    yield
    sweep.cancel()


def announce() -> None:
    """Say on the console where the dashboard is, and that anybody may use it where that is so.

    Streamlit's own words are off (`logger.hideWelcomeMessage`): for them it asks another host what its address is.
    """
    print(f"TARstop is at {get_url(get_display_address(served_on()))}", flush=True)
    if open_to_all():
        logging.getLogger("tarstop").warning("This server has no login: %s", OPEN)


class Guarded:
    """Answers nobody but those who ask this server by its name, and puts headers on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or hand on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] in ANSWERS:
                message.setdefault("headers", [])
                MutableHeaders(scope=message).update(HEADERS)
            body, sent = message.get("body", b""), 0
            while len(body) - sent > PIECE:
                await send({**message, "body": body[sent : sent + PIECE], "more_body": True})
                sent += PIECE
            await send({**message, "body": body[sent:]} if sent else message)

        refusal, status = refused(Headers(scope=scope)), 400
        _, core, inner = scope["path"].partition(CORE)
        if not refusal and len(scope.get("query_string", b"")) > address.LONGEST_QUERY:
            refusal, status = TOO_LONG, 414
        elif not refusal and core and inner.split("/")[0] not in OWN:
            refusal, status = "Not found\n", 404
        if not refusal:
            # To compress what is saved takes a core, and for longer than to send it.
            if "/media/" in scope["path"]:
                scope["headers"] = [each for each in scope["headers"] if each[0] != b"accept-encoding"]
            await self.app(scope, receive, marked)
        elif scope["type"] == "http":
            await PlainTextResponse(refusal, status)(scope, receive, marked)
        else:
            await WebSocket(scope, receive, marked).send_denial_response(PlainTextResponse(refusal, status))


def refused(headers: Headers) -> str:
    """Why a request is not answered; empty when it is.

    A page of another site that points its own name at this machine asks under that name; one that opens a
    connection from where it is says so in ``Origin``.
    """
    host, origin = headers.get("host", ""), headers.get("origin")
    if not answers_to(host):
        return f"This server does not answer to that host name; whoever runs it can allow it in {HOSTS_VARIABLE}.\n"
    # To the letter, as browsers send both: of another spelling Streamlit would ask other hosts whether it is its own.
    if origin is not None and urlsplit(origin).netloc != host:
        return "This server answers its own pages only, and that request came from another site.\n"
    return ""


def answers_to(host: str) -> bool:
    """Whether a ``Host`` header names this server: this machine, the address served, or a name that was allowed."""
    try:
        parts = urlsplit(f"//{host}")
        name = (parts.hostname or "").removesuffix(".")
        plain = parts.netloc == host and "@" not in host and (parts.port or 0) >= 0
    except ValueError:
        return False
    if not name or not plain:
        return False
    address = served_on()
    if is_loopback(name) or name in (address.lower(), *named_hosts()):
        return True
    # Which addresses the machine has, a server that listens on every one does not know.
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(name)
        return ipaddress.ip_address(address).is_unspecified
    return False


def open_to_all() -> bool:
    """Whether others than the person at this machine can reach the dashboard."""
    return open_to_others(served_on(), named_hosts())


def served_on() -> str:
    """The address that the server listens on."""
    return st.get_option("server.address") or "0.0.0.0"


def document(request: Request) -> Response:
    """What a browser gets at the address of every page."""
    return HTMLResponse(DOCUMENT, headers={"Cache-Control": "no-cache"})


def health(request: Request) -> Response:
    """Whether the server can do its work, for whoever watches it."""
    try:
        shell.store().check()
    except InputProblem as problem:
        return PlainTextResponse(f"{problem}\n", 503)
    return JSONResponse({"status": "ok", "version": tarstop_core.__version__})


def failed(request: Request, problem: Exception) -> Response:
    """What is said when answering failed; Streamlit's application stands within this, without the headers."""
    logging.getLogger("tarstop").error("%s", request.url.path, exc_info=problem)
    return PlainTextResponse("The server failed to answer; its log says why.\n", 500, HEADERS)
