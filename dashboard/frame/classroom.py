"""A class: every phone that follows shows what the lecturer shows, and joins by a code or a picture of it."""

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
    """Whether the lecturer is here."""
    attended = people.lecture()
    return attended is not None and people.person() in attended.lecturers


def shown() -> Mapping[str, str]:
    """Draw the bar of a class on top of Learn, and return the lecturer's place for a tab that follows; otherwise nothing."""
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
    """Bring the class to the lecturer's place, if the lecturer is here and leads.

    Parameters
    ----------
    address
        Parameters of Learn's address; those without a value are left out.
    """
    attended = people.lecture()
    if attended is None or not leads() or not st.session_state.get(LEADS, True):
        return
    if attended.show({name: value for name, value in address.items() if value}):
        _draw_again(attended)


def _draw_again(attended: Lecture) -> None:
    """Make every tab that follows rerun its page, as Streamlit does when a file has changed."""
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
    """Return where others find what the lecturer has at an address: there, unless that is this machine's name for itself.

    Then it is the first name that the server was given, behind a proxy where it listens on this machine alone; else the
    address that it listens on, or that it would send from.

    Parameters
    ----------
    url
        Of the lecturer's page.

    Returns
    -------
    str
        The address of the dashboard, without a slash at its end.
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
                # sends nothing, but shows which of this machine's addresses would send
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
