"""Limit the memory that uploads of one browser tab and of all tabs may take, and free uploads that are not needed.

Streamlit does not limit their sum, and keeps uploads until the session happens to be garbage-collected.
"""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from email.message import Message

import psutil
import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime import get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

PER_TAB = 1 << 30
"""Bytes of uploads that one browser tab may hold."""
PER_SERVER = max(PER_TAB, min(4 << 30, psutil.virtual_memory().total // 4))
"""Bytes that all tabs together may hold."""
EVERY = 15.0
"""Seconds between two searches for tabs that were closed."""
DRAWN, HELD = "_uploads_drawn", "_uploads_held"
"""Keys of a tab's state: the files of the uploaders on its page, and by place those that are read again later."""
ADDRESS = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)\Z")
"""Address of an upload, with its session and the id of its file."""
_HEAD = 1 << 16
"""Bytes at the beginning of an upload in which the name of its file is searched."""
_TAB_FULL = (
    "{name} ({size:,.0f} MB) was not kept: one browser tab may hold {most:,.0f} MB of uploads at a time. Remove it, or other files you no longer need here, and upload "
    "large files one after the other."
)
_SERVER_FULL = (
    "{name} ({size:,.0f} MB) was not kept: this server holds as many uploads as it can at the moment. Remove it, and "
    "try again in a few minutes."
)
_UNMEASURED = "An upload must say its length.\n"


class Refused(UploadedFileRec):
    """An upload that was refused: only its name was kept."""

    reason: str


class Limited:
    """Middleware that accepts an upload only if there is room for it; otherwise the page says why not."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.arriving: Counter[str] = Counter()
        """Bytes of the uploads under way, by session."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or read the upload without keeping it."""
        at = ADDRESS.search(scope["path"]) if scope.get("method") == "PUT" else None
        if at is None or not get_instance().is_active_session(at[1]):
            await self.app(scope, receive, send)
            return
        headers, session = Headers(scope=scope), at[1]
        if "transfer-encoding" in headers or not headers.get("content-length", "").isdecimal():
            await PlainTextResponse(_UNMEASURED, 411)(scope, receive, send)
            return
        size = int(headers["content-length"][:20])
        if reason := self._refusal(session, size):
            await _discard(session, at[2], size, reason, receive)
            await Response(status_code=204)(scope, receive, send)
            return
        self.arriving[session] += size
        try:
            await self.app(scope, receive, send)
        finally:
            self.arriving[session] -= size

    def _refusal(self, session: str, size: int) -> str:
        stored = _manager().file_storage.copy()
        held = self.arriving + Counter(
            {tab: sum(len(file.data) for file in list(files.values())) for tab, files in stored.items()}
        )
        if held[session] + size > PER_TAB:
            return _TAB_FULL
        return _SERVER_FULL if held.total() + size > PER_SERVER else ""


async def _discard(session: str, file_id: str, size: int, reason: str, receive: Receive) -> None:
    """Read an upload to its end, as the browser expects, and keep only its name and the reason."""
    head, more = b"", True
    while more:
        message = await receive()
        head += message.get("body", b"")[: _HEAD - len(head)]
        more = message.get("more_body", False)
    described = Message()
    if line := re.search(rb"^content-disposition:([^\r\n]+)", head, re.IGNORECASE | re.MULTILINE):
        described["content-disposition"] = line[1].decode(errors="replace")
    record = Refused(file_id, described.get_filename("The file"), "", b"")
    record.reason = reason.format(name=record.name, size=size / 1e6, most=PER_TAB / 1e6)
    _manager().add_file(session, record)


def drawn(files: Iterable[UploadedFile]) -> list[str]:
    """Note that an uploader with these files is on the page, and return why some of them were refused."""
    st.session_state.setdefault(DRAWN, set()).update(file.file_id for file in files)
    return refusals(files)


def refusals(files: Iterable[UploadedFile]) -> list[str]:
    """Return a sentence for each of these files that was refused."""
    context = get_script_run_ctx()
    if context is None:
        return []
    records = context.uploaded_file_mgr.get_files(context.session_id, [file.file_id for file in files])
    return [record.reason for record in records if isinstance(record, Refused)]


def hold(place: str, file_ids: Iterable[str]) -> None:
    """Keep the files that a place on a page reads again, even while their uploader is not on the page."""
    st.session_state.setdefault(HELD, {})[place] = set(file_ids)


@contextmanager
def giving_back() -> Iterator[None]:
    """Draw a page in this context, then free the files of uploaders that were on the previous page but not on this one."""
    state, context = st.session_state, get_script_run_ctx()
    before: set[str] = state.pop(DRAWN, set())
    ended = False
    try:
        yield
        ended = True
    finally:
        needed = state.get(DRAWN, set()) | (
            before & set().union(*state.get(HELD, {}).values()) if ended else before
        )
        state[DRAWN] = needed
        if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
            for file_id in before - needed:
                context.uploaded_file_mgr.remove_file(context.session_id, file_id)


async def sweep() -> None:
    """Free the uploads of closed tabs, in an endless loop; a tab is closed once its connection can no longer return."""
    gone: dict[str, float] = {}
    while True:
        await asyncio.sleep(EVERY)
        runtime, now = get_instance(), time.monotonic()
        left = [tab for tab in list(_manager().file_storage) if not runtime.is_active_session(tab)]
        gone = {tab: gone.get(tab, now) for tab in left}
        for tab, since in gone.items():
            if now - since >= st.get_option("server.disconnectedSessionTTL"):
                runtime.close_session(tab)
                _manager().remove_session_files(tab)


def _manager() -> MemoryUploadedFileManager:
    manager = get_instance().uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager)
    return manager
