"""The person at a page, who logged in on a server; on a person's own machine there is no login.

The server passes the name to its pages in headers, which it removes from every request and sets itself.
"""

import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, unquote

import streamlit as st
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import Scope
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.runtime import get_instance
from streamlit.runtime.memory_media_file_storage import _calculate_file_id
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from tarstop_core.errors import InputProblem
from tarstop_core.places import Classroom, Provider, Proxy, Way, named_hosts, way_in
from tarstop_core.sessions.store.accounts import check_name
from tarstop_core.sessions.store.store import Store
from tarstop_core.teaching.lecture import Lecture

OURS = "x-tarstop-"
PERSON, SINCE, SEAL = f"{OURS}person", f"{OURS}since", f"{OURS}seal"
"""Headers with the name of the person, the time of their login, and a proof that this server set them."""
_SEAL = secrets.token_hex(32)
ARRIVED = "_arrived"
JOINED = "tarstop_class"
"""Cookie of the members of a class."""
MOST_MADE = 10_000
"""Number of files for which the person who may fetch them is remembered."""
_MADE: dict[tuple[str, str], None] = {}
DISCOVERY = "/.well-known/openid-configuration"
SKEW = 60.0
"""Seconds that the provider's clock may be ahead of this one's."""


class NobodyHere(InputProblem):
    """Raised when the visitor may not use the store."""


@dataclass(frozen=True)
class Visitor:
    """A person who logged in."""

    name: str
    # Time of the login, in the store's format; behind a proxy, which does not know it, only the day
    since: str
    until: float  # End of the login, in seconds since the epoch


@cache
def way() -> Way | None:
    """How people log in; None on one's own machine. It does not change while the server runs."""
    return way_in(served_on(), named_hosts())


@cache
def lecture() -> Lecture | None:
    """The class that is served, if it is one."""
    return Lecture() if isinstance(way(), Classroom) else None


def served_on() -> str:
    """The address that the server listens on."""
    return st.get_option("server.address") or "0.0.0.0"


def visitor(scope: Scope, gate: Way) -> Visitor | None:
    """Return the person who makes a request; None for a stranger."""
    if (attended := lecture()) is not None:
        word = HTTPConnection(scope).cookies.get(JOINED, "")
        return Visitor(word, "", float("inf")) if attended.knows(word) else None
    try:
        if isinstance(gate, Provider):
            return by_cookie(HTTPConnection(scope).cookies, gate, time.time())
        assert isinstance(gate, Proxy)
        return by_proxy(Headers(scope=scope), str((scope.get("client") or ("",))[0]), gate)
    except (InputProblem, ArithmeticError, LookupError, TypeError, ValueError):
        return None


def by_proxy(headers: Headers, address: str, proxy: Proxy) -> Visitor | None:
    """Return the person whom a proxy vouches for.

    Parameters
    ----------
    headers
        Headers of the request.
    address
        IP address that sent the request.
    proxy
        The trusted proxy.

    Returns
    -------
    Visitor or None
        None if the request comes from elsewhere, or does not have exactly one name.
    """
    named = headers.getlist(proxy.header)
    sender = ip_address(address)
    sender = getattr(sender, "ipv4_mapped", None) or sender
    if str(sender) != proxy.address or len(named) != 1:
        return None
    today = datetime.now(UTC).date().isoformat()
    return Visitor(check_name(named[0]), today, float("inf"))


def by_cookie(cookies: Mapping[str, str], provider: Provider, now: float) -> Visitor | None:
    """Return the person of the token in Streamlit's cookie, which Streamlit signed after it checked the provider's answer.

    Parameters
    ----------
    cookies
        Cookies of the request.
    provider
        The provider whose tokens are accepted.
    now
        Seconds since the epoch.

    Returns
    -------
    Visitor or None
        None if the cookie was not signed here, or if the token has expired, is not valid yet, has another issuer or
        audience, has no name, or names a person who is not admitted.
    """
    secret = provider.client["cookie_secret"]

    def one(name: str) -> bytes | None:
        return decode_signed_value(secret, name, cookies[name].encode("latin-1")) if name in cookies else None

    signed = get_cookie_with_chunks(one, USER_COOKIE_NAME)
    return None if signed is None else by_claims(json.loads(signed), provider, now)


def by_claims(claims: Mapping[str, Any], provider: Provider, now: float) -> Visitor | None:
    """Return the person named by the claims of a token.

    Parameters
    ----------
    claims
        Claims of the token, and those that Streamlit adds.
    provider, now
        As for :func:`by_cookie`.

    Returns
    -------
    Visitor or None
        As for :func:`by_cookie`.

    Raises
    ------
    KeyError
        When a claim is missing.
    """
    until, since, audience = claims["exp"], claims["iat"], claims["aud"]
    issuer = provider.client["server_metadata_url"].removesuffix(DISCOVERY).rstrip("/")
    clients = audience if isinstance(audience, list) else [audience]
    name = claims[provider.claim]
    ours = (
        claims["is_logged_in"] is True
        and str(claims["iss"]).rstrip("/") == issuer
        and provider.client["client_id"] in clients
        and (len(clients) == 1 or claims["azp"] == provider.client["client_id"])
        and since - SKEW <= now < until
        and claims.get("nbf", now) - SKEW <= now
        and isinstance(name, str)
        # With an unverified address, anybody could write another person's address into their profile.
        and (provider.claim != "email" or claims["email_verified"] is True)
    )
    if not ours or not admitted(check_name(name), provider.people):
        return None
    began = datetime.fromtimestamp(since, UTC).isoformat(timespec="milliseconds")
    return Visitor(check_name(name), began, float(until))


def admitted(name: str, people: tuple[str, ...]) -> bool:
    """Whether a person is admitted by a list of names, of domains ("@example.org"), and "*" for everybody.

    >>> admitted("ann@example.org", ("@example.org",)), admitted("ann@evil.example.org", ("@example.org",))
    (True, False)
    """
    return any(entry in ("*", name) or (entry.startswith("@") and name.endswith(entry)) for entry in people)


def with_visitor(scope: Scope, visitor: Visitor | None) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request with our own ones replaced by those of the visitor."""
    headers = [
        (name, value)
        for name, value in scope["headers"]
        if not name.decode("latin-1").lower().replace("_", "-").startswith(OURS)
    ]
    if visitor is not None:
        ours = {PERSON: quote(visitor.name), SINCE: visitor.since, SEAL: _SEAL}
        headers += [(name.encode(), value.encode()) for name, value in ours.items()]
    return headers


def person() -> str:
    """Return the visitor's name from their login; "" on a person's own machine, where nobody logs in.

    In a class it is the word by which the class knows their browser.

    Raises
    ------
    NobodyHere
        When the server needs a login and this tab has none.
    """
    if way() is None:
        return ""
    headers = st.context.headers
    if not secrets.compare_digest(headers.get(SEAL, ""), _SEAL) or not headers.get(PERSON):
        raise NobodyHere("You are not logged in; reload the page.")
    return unquote(headers[PERSON])


def opened_for(store: Store) -> Store:
    """Return the store with the visitor's rights; raise NobodyHere for a stranger or a locked account."""
    name, gate = person(), way()
    if gate is None:
        return store
    assert not isinstance(gate, Classroom)
    mine, since = store.for_person(name), st.context.headers.get(SINCE, "")
    if st.session_state.get(ARRIVED) != since:
        mine.arrive(since, gate.administrators)
        st.session_state[ARRIVED] = since
    if not mine.welcome:
        raise NobodyHere("This account was locked by an administrator; ask them.")
    return mine


def tab() -> str:
    """Id of the tab for which a page is being drawn; "" if there is none."""
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def person_of_tab(tab: str) -> str | None:
    """Return the name of the person to whom a tab belongs; None if there is no such tab."""
    info = get_instance()._session_mgr.get_session_info(tab)
    return None if info is None else unquote(str(info.session._user_info.get("person")))


def handed_over(data: Any, mime: str, file: str) -> Any:
    """Wrap a function that makes a file when a button is pressed, so that only the person who pressed may fetch the file.

    Streamlit does not remember the tab of such a file. Other `data` is returned unchanged.
    """
    name = person()
    if not (name and callable(data)):
        return data

    def made() -> Any:
        content = data()
        sent = content.encode() if isinstance(content, str) else content
        _MADE[_calculate_file_id(sent, mime, file), name] = None
        while len(_MADE) > MOST_MADE:
            _MADE.pop(next(iter(_MADE)))
        return content

    return made


def may_fetch(file: str, name: str) -> bool:
    """Whether a file that Streamlit holds for browsers was made for this person; `file` is the end of its address."""
    held = get_instance().media_file_mgr._files_by_session_and_coord
    wanted = file.partition(".")[0]
    if (wanted, name) in _MADE:
        return True
    tabs = [tab for tab, files in list(held.items()) if wanted in list(files.values())]
    return any(person_of_tab(tab) == name for tab in tabs)
