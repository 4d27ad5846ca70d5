"""The server around Streamlit: logins, headers of every response, a check of host names, and a health endpoint."""

import asyncio
import contextlib
import gc
import ipaddress
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket
from streamlit import config
from streamlit.auth_util import encode_provider_token
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.server.server_util import get_display_address, get_url
from threadpoolctl import threadpool_limits

import tarstop_core
from dashboard.frame import address, classroom, people, shell, uploads
from dashboard.frame.first_answer import DOCUMENT, HEADERS
from dashboard.frame.people import served_on
from tarstop_core import places
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import worker
from tarstop_core.places import (
    HOSTS_VARIABLE,
    Classroom,
    Provider,
    Proxy,
    Way,
    in_url,
    is_everywhere,
    is_loopback,
    named_hosts,
    open_to_others,
)

ANSWERS = ("http.response.start", "websocket.accept", "websocket.http.response.start")
"""Types of the messages that begin an answer."""
TOO_LONG = (
    f"This address is too long: at most {address.LONGEST_QUERY:,} characters may stand behind its question mark. "
    "Check the link, or open the page without them.\n"
)
CORE = "/_stcore/"
OWN = ("health", "host-config", "stream", "upload_file", "bidi-components")
"""The endpoints of Streamlit that pages need; all others below :data:`CORE`, such as figures about visitors, are closed."""
PLAIN_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>TARstop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>html{color-scheme:light dark}body{font:1rem/1.6 system-ui,sans-serif;max-width:24rem;
margin:20vh auto;padding:0 1rem}h1{display:flex;align-items:center;gap:.6rem;font-size:1.6rem}h1 svg{width:2rem}
a,button{display:inline-block;padding:.6rem 1.4rem;border:0;border-radius:.5rem;background:#0072B2;color:#fff;font:inherit;
font-weight:600;text-decoration:none}input{width:8em;padding:.5rem;font:inherit;letter-spacing:.1em}</style></head>
<body><h1>{mark} TARstop</h1>%s</body></html>
""".replace("{mark}", Path(__file__).with_name("icon.svg").read_text(encoding="utf-8"))
"""Page for strangers, and for an address without a page; ``%s`` is its text."""
FILES = ("/media/", "/_stcore/", "/component/", "/app/static/", "/static/")
"""Beginnings of the addresses of files, which may be HTML pages too, such as a saved report."""
NOWHERE = '<p>No page has this address.</p><p><a href="%s">Go to Home</a></p>'
ASKED_TO_LOG_IN = {
    Provider: '<p><a href="%slogin">Log in</a></p><p>If that brought you back here, you have no access or your login '
    "has expired: ask whoever runs this server.</p>",
    Proxy: "<p>Please log in at this server’s proxy.%.0s</p>",
    Classroom: '<form action="%sjoin"><p><label for="code">Code of the class</label></p><p><input id="code" name="code" '
    'autocomplete="off" autocapitalize="characters" autofocus required> <button>Join</button></p></form><p>The lecturer shows '
    "the code. You need no name, and nothing is kept when the class ends.</p>",
}
BEFORE_LOGIN = {
    Provider: ("/health", "/login", "/auth/login", "/auth/logout", "/oauth2callback"),
    Proxy: ("/health",),
    Classroom: ("/health", "/join"),
}
"""Addresses that are open to strangers."""
PIECE = 1 << 18
"""Bytes of an answer that are sent at a time; copying a long answer at once would keep everybody waiting."""


def around() -> dict[str, Any]:
    """Return the arguments of Streamlit's application; on a server, people must log in."""
    try:
        gate = people.way()
    except InputProblem as problem:
        raise SystemExit(f"tarstop: {problem}") from None
    # With this, only the same person can reconnect to a tab.
    config.set_option("server.trustedUserHeaders", {people.PERSON: "person"})
    if isinstance(gate, Proxy) and os.environ.get(places.FORWARDED) != "":
        raise SystemExit(
            f"tarstop: behind a proxy start it with 'tarstop app', or set {places.FORWARDED} to nothing: otherwise anybody can claim to pass on a "
            "request from the proxy's address."
        )
    logins: dict[str, Any] = {}
    if isinstance(gate, Provider):
        config.set_option("server.cookieSecret", gate.client["cookie_secret"])
        logins = {"secrets": {"auth": dict(gate.client)}}
    # Otherwise the sidebar lists the files of pages/ until app.py has named the pages.
    PagesManager.uses_pages_directory = False
    address.limit()
    # The matrix products of a page are small; with several threads they would wait for cores that others use.
    threadpool_limits(limits=1)
    # A press passes from thread to thread many times; while a page computes for others, each time takes this long (5 ms by default).
    sys.setswitchinterval(0.001)
    return {
        "lifespan": ready,
        "middleware": [Middleware(Guarded), Middleware(uploads.Limited)],
        "routes": [
            Route("/health", health),
            Route("/login", login),
            Route("/join", join),
            *(Route(place, document) for place in shell.addresses()),
        ],
        "on_script_error": shell.uncaught,
        "exception_handlers": {Exception: failed},
        **logins,
    }


@contextlib.asynccontextmanager
async def ready(_: Any) -> AsyncIterator[None]:
    """Import every page before the first visit, and exempt everything imported from garbage collection, which delays presses."""
    for script in sorted((shell.ROOT / "pages").glob("*.py")):
        import_module(f"dashboard.{script.stem}.page")
    send_at_once()
    gc.freeze()
    announce()
    threading.Thread(target=worker.warm, daemon=True).start()
    sweep = asyncio.create_task(uploads.sweep())
    yield
    sweep.cancel()


def send_at_once() -> None:
    """Set TCP_NODELAY; otherwise each small answer waits 40 ms for the acknowledgement of the one before.

    asyncio sets it only for sockets that name their protocol, which Streamlit's does not. Connections inherit it from the
    listening socket.
    """
    for candidate in gc.get_objects():
        if isinstance(candidate, socket.socket) and candidate.family in (socket.AF_INET, socket.AF_INET6):
            candidate.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def announce() -> None:
    """Print the address of the dashboard on the console.

    Streamlit's own message is off (`logger.hideWelcomeMessage`), because it asks another host for the server's address.
    """
    where = get_url(in_url(get_display_address(served_on())))
    if (attended := people.lecture()) is not None:
        print(
            f"Lead the class from {where}/join?key={attended.key} ; that page shows the others how to join, with the code "
            f"{attended.code}.",
            flush=True,
        )
        if not open_to_others(served_on(), named_hosts()):
            print(classroom.UNREACHED, flush=True)
    elif people.way() is not None:
        audit = logging.getLogger("tarstop.audit")
        audit.setLevel(logging.INFO)
        audit.addHandler(logging.StreamHandler(sys.stdout))
        audit.propagate = False
    print(f"TARstop is at {where}", flush=True)


class Guarded:
    """Middleware that refuses requests for other host names or without a login, and adds headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.gate = people.way()
        self.sealed = isinstance(self.gate, Provider) and self.gate.client["redirect_uri"].startswith("https")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] in ANSWERS:
                message.setdefault("headers", [])
                MutableHeaders(scope=message).update(HEADERS)
                if self.sealed:
                    message["headers"] = [_sealed(*header) for header in message["headers"]]
            body, sent = message.get("body", b""), 0
            while len(body) - sent > PIECE:
                await send({**message, "body": body[sent : sent + PIECE], "more_body": True})
                sent += PIECE
            await send({**message, "body": body[sent:]} if sent else message)

        base, lost = f"/{st.get_option('server.baseUrlPath').strip('/')}".rstrip("/"), False
        path = scope["path"].removeprefix(base)

        async def or_not_found(message: Message) -> None:
            nonlocal lost
            # For an unknown address, Streamlit would answer with its own document, which shows Home below a message.
            if _begins_page(message) and path not in shell.addresses() and not path.startswith(FILES):
                lost = True
                await HTMLResponse(PLAIN_PAGE % (NOWHERE % f"{base}/"), 404)(scope, receive, marked)
            elif not lost:
                await marked(message)

        refusal, status = refused(Headers(scope=scope)), 400
        here, gate = None, self.gate
        if gate is not None and not refusal:
            here = people.visitor(scope, gate)
            if here is None and path not in BEFORE_LOGIN[type(gate)]:
                refusal, status = PLAIN_PAGE % (ASKED_TO_LOG_IN[type(gate)] % f"{base}/"), 401
            elif here is not None and not (_theirs(path, here.name) and _open(path, gate)):
                refusal, status = "Not found\n", 404
        _, core, inner = scope["path"].partition(CORE)
        if not refusal and len(scope.get("query_string", b"")) > address.LONGEST_QUERY:
            refusal, status = TOO_LONG, 414
        elif not refusal and core and inner.split("/")[0] not in OWN:
            refusal, status = "Not found\n", 404
        scope["headers"] = people.with_visitor(scope, here)
        if not refusal:
            # Compressing a saved file would take a core for longer than sending it.
            if "/media/" in scope["path"]:
                scope["headers"] = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
            while_welcome = receive
            if here is not None and scope["type"] == "websocket":
                while_welcome = _until(here.until, receive, marked)
            await self.app(scope, while_welcome, or_not_found)
            return
        answer = (HTMLResponse if status == 401 else PlainTextResponse)(refusal, status)
        if status == 401:
            answer.headers["Cache-Control"] = "no-store"
        if scope["type"] == "http":
            await answer(scope, receive, marked)
        else:
            await WebSocket(scope, receive, marked).send_denial_response(answer)


def _begins_page(answer: Message) -> bool:
    """Whether this message starts an answer that is a page."""
    if answer["type"] != "http.response.start":
        return False
    kind = Headers(raw=answer["headers"]).get("content-type", "")
    return bool(answer["status"] == 200 and kind.startswith("text/html"))


def _theirs(path: str, name: str) -> bool:
    """Whether an address does not lead to another person's data."""
    if upload := uploads.ADDRESS.search(path):
        return people.person_of_tab(upload[1]) == name
    return not path.startswith("/media/") or people.may_fetch(path.rpartition("/")[2], name)


def _open(path: str, gate: Way) -> bool:
    """Whether visitors may open an address; a class may open what its two pages need, and no other page."""
    if not isinstance(gate, Classroom):
        return True
    return not uploads.ADDRESS.search(path) and (
        path in shell.addresses() or path not in shell.addresses(every=True)
    )


def _until(over: float, receive: Receive, send: Send) -> Receive:
    """Receive messages of a connection until its login ends, and then close it."""

    async def receive_in_time() -> Message:
        try:
            return await asyncio.wait_for(receive(), None if over == float("inf") else over - time.time())
        except TimeoutError:
            await send({"type": "websocket.close", "code": 1008})
            return {"type": "websocket.disconnect", "code": 1008}

    return receive_in_time


def _sealed(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Return a header, with "Secure" if it sets a cookie."""
    return name, value + b"; Secure" if name.lower() == b"set-cookie" else value


def refused(headers: Headers) -> str:
    """Reason why a request is refused; "" if it is not.

    A page of another site can reach this server by pointing its own host name here, which the check of ``Host``
    refuses, or from its own address, which the check of ``Origin`` refuses.
    """
    host, origin = headers.get("host", ""), headers.get("origin")
    if not answers_to(host):
        return f"This server does not answer to that host name; whoever runs it can allow it in {HOSTS_VARIABLE}.\n"
    # Browsers send both in the same spelling; for another one, Streamlit would ask other hosts for its own address.
    if origin is not None and urlsplit(origin).netloc != host:
        return "This server answers only its own pages, and that request came from another site.\n"
    return ""


def answers_to(host: str) -> bool:
    """Whether a ``Host`` header names this server: a local name, the address that it listens on, or an allowed name."""
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
    # A server that listens on every address does not know which ones the machine has.
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(name)
        return is_everywhere(address)
    return False


def document(request: Request) -> Response:
    """Answer with the document of every page."""
    return HTMLResponse(DOCUMENT, headers={"Cache-Control": "no-cache"})


def login(request: Request) -> Response:
    """Send a stranger to the provider, as `st.login` does."""
    if not isinstance(people.way(), Provider):
        return PlainTextResponse("Not found\n", 404)
    return RedirectResponse(f"auth/login?provider={encode_provider_token('default')}")


def join(request: Request) -> Response:
    """Admit a visitor with the code of the class, or its lecturer with the key."""
    attended = people.lecture()
    if attended is None:
        return PlainTextResponse("Not found\n", 404)
    given = request.query_params.get("key") or request.query_params.get("code", "")
    try:
        word = attended.join(given, request.cookies.get(people.JOINED, ""))
    except InputProblem as problem:
        return HTMLResponse(PLAIN_PAGE % f"<p>{problem}</p>{ASKED_TO_LOG_IN[Classroom] % ''}", 401)
    answer = RedirectResponse("learn", 303)
    answer.set_cookie(
        people.JOINED, word, httponly=True, samesite="lax", secure=request.url.scheme == "https"
    )
    return answer


def health(request: Request) -> Response:
    """Answer a monitor whether the server works."""
    try:
        if people.lecture() is None:
            shell.machine_store().check()
    except InputProblem as problem:
        return PlainTextResponse(f"{problem}\n", 503)
    return JSONResponse({"status": "ok", "version": tarstop_core.__version__})


def failed(request: Request, problem: Exception) -> Response:
    """Answer after Streamlit's application failed, with the headers, which its own answer would lack."""
    logging.getLogger("tarstop").error("%s", request.url.path, exc_info=problem)
    return PlainTextResponse("The server failed to answer; its log says why.\n", 500, HEADERS)
