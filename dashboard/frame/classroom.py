"""A class on Learn: phones join by a code or a QR code, and those that follow show the lecturer's place."""

import html
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import segno
import streamlit as st
from streamlit.runtime import get_instance

from dashboard.frame import people
from dashboard.frame.markup import badges
from dashboard.frame.widgets import lasting
from tarstop_core.places import in_url, is_everywhere, is_loopback, named_hosts, open_to_others
from tarstop_core.presentation.numbers import count_of
from tarstop_core.teaching.lecture import Lecture

FOLLOWS, LEADS = "class/follows", "class/leads"
UNREACHED = (
    "Phones cannot reach this server, which listens only on this machine: start it with "
    "tarstop app --classroom --address 0.0.0.0"
)


def leads() -> bool:
    """Whether the visitor is a lecturer of the class."""
    attended = people.lecture()
    return attended is not None and people.person() in attended.lecturers


def shown() -> Mapping[str, str]:
    """Draw the bar of a class on top of Learn; return the lecturer's place if this tab follows it, otherwise nothing."""
    attended = people.lecture()
    if attended is None:
        return {}
    with st.container(horizontal=True, vertical_alignment="center", key="class-row"):
        if leads():
            if not st.toggle("Lead the class", True, **lasting(LEADS)) and attended.show({}):
                _draw_again(attended)
            with st.popover("Join", icon=":material/qr_code_2:", key="class-join"):
                _how_to_join(attended.code)
            there = badges(f"code {attended.code}", f"{count_of(len(attended.students), 'phone', 'phones')}")
            st.html(f'<p class="tar-about">{there}</p>', width="content")
            return {}
        if not st.toggle("Follow the lecturer", True, **lasting(FOLLOWS)):
            return {}
        attended.following.add(people.tab())
        if not attended.place:
            st.caption("The lecturer has not begun. Look around meanwhile.")
    return attended.place


def lead(address: Mapping[str, str]) -> None:
    """Bring the class to the place of the visitor, if that is a lecturer who leads.

    Parameters
    ----------
    address
        Parameters of Learn's address; empty values are left out.
    """
    attended = people.lecture()
    if attended is None or not leads() or not st.session_state.get(LEADS, True):
        return
    if attended.show({name: value for name, value in address.items() if value}):
        _draw_again(attended)


def _draw_again(attended: Lecture) -> None:
    """Rerun the page of every tab that follows, as Streamlit does when a source file has changed."""
    runtime: Any = get_instance()
    for tab in list(attended.following):
        if (info := runtime._session_mgr.get_active_session_info(tab)) is None:
            attended.following.discard(tab)
        else:
            session = info.session
            session._event_loop.call_soon_threadsafe(
                lambda session=session: session.request_rerun(session._client_state)
            )


def _how_to_join(code: str) -> None:
    if not open_to_others(people.served_on(), named_hosts()):
        st.html(f"<p>{UNREACHED}</p>")
        return
    here = for_phones(st.context.url or "")
    address = f"{here}/join?code={code}"
    picture = segno.make(address, error="m").svg_data_uri(border=2, light="#fff", scale=9)
    st.html(
        f'<p class="tar-join"><img src="{html.escape(picture, quote=True)}" alt="QR code of {html.escape(address)}"></p>'
        f"<p>Or open <strong>{html.escape(here)}</strong> and type <strong>{code}</strong>.</p>"
    )


def for_phones(url: str) -> str:
    """Return the address at which phones find the dashboard.

    It is that of the lecturer's page, unless the lecturer uses a local name such as localhost. Then it is the first
    host name that the server was given (by https, if the server listens only on this machine and so is behind a
    proxy), else the address that it listens on or would send from.

    Parameters
    ----------
    url
        Address of the lecturer's page.

    Returns
    -------
    str
        Address of the dashboard, without a slash at its end.
    """
    parts = urlsplit(url)
    base = parts.path.rpartition("/")[0].rstrip("/")
    if not is_loopback(parts.hostname or ""):
        return f"{parts.scheme}://{parts.netloc}{base}"
    host, served = next(iter(named_hosts()), ""), people.served_on()
    if host and is_loopback(served):
        return f"https://{in_url(host)}{base}"
    host = host or served
    if is_everywhere(host):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                # Sends nothing, but shows from which of this machine's addresses it would send
                probe.connect(("192.0.2.1", 9))
                host = probe.getsockname()[0]
            except OSError:
                host = parts.hostname or ""
    return f"{parts.scheme}://{in_url(host)}{f':{parts.port}' if parts.port else ''}{base}"


def finished(game: Any) -> None:
    """Keep a student's result in a game."""
    attended = people.lecture()
    if attended is not None:
        attended.finished(people.person(), game)
