"""Scripted reviewers who label at the same time, each in a session of their own.

Run it as ``python -m benchmarks.reviewers [REVIEWERS [PRESSES]]`` (default 50 and 12). Each speaks to the running
server as a browser does: a websocket, a press on "Not relevant", and then everything that the page sends until it
says that it is done; a press every five seconds and reviewer, give or take two. Prints the median and the 95th
percentile of a press, what the server's memory grew by between the first quarter and the end, and how many labels
are missing in the store. Exits with 1 when p95 is above 250 ms, a label is missing or memory grew by 100 MB.
``TARSTOP_DATABASE_URL`` names the database, such as one of PostgreSQL; an SQLite file of its own unless given.
"""

import asyncio
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Button_pb2 import Button
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.label_latency import long_session
from tarstop_core.sessions.store.store import Store

TARGET_MS, GROWTH_MB = 250, 100
DOCUMENTS = 400


@dataclass
class Reviewer:
    """One browser tab."""

    url: str
    session: str
    presses: int
    milliseconds: list[float] = field(default_factory=list)
    buttons: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By label: the id of a button that is shown, and of the part of the page that it redraws."""
    page: str = ""
    failed: list[str] = field(default_factory=list)

    async def screen(self) -> None:
        """Open the session and label its documents."""
        address = f"ws{self.url.removeprefix('http')}/_stcore/stream"
        chance = random.Random(self.session)
        async with connect(address, origin=self.url, subprotocols=["streamlit"], max_size=None) as socket:  # type: ignore[list-item]
            await self._run(socket, "", "")
            for _ in range(self.presses):
                await asyncio.sleep(chance.uniform(3, 7))
                if "Not relevant" not in self.buttons:
                    self.failed.append(f"no button to press among {sorted(self.buttons)}")
                    return
                button, part = self.buttons["Not relevant"]
                begun = time.perf_counter()
                await self._run(socket, button, part)
                self.milliseconds.append(1_000 * (time.perf_counter() - begun))

    async def _run(self, socket: ClientConnection, pressed: str, part: str) -> None:
        asked = BackMsg()
        state = asked.rerun_script
        state.query_string, state.page_name, state.fragment_id = f"session={self.session}", "screen", part
        state.page_script_hash = self.page
        if pressed:
            widget = state.widget_states.widgets.add()
            widget.id, widget.trigger_value = pressed, True
        await socket.send(asked.SerializeToString())
        while True:
            said = ForwardMsg.FromString(await socket.recv())  # type: ignore[arg-type]
            kind = said.WhichOneof("type")
            if kind == "new_session":
                self.page = said.new_session.page_script_hash
            elif kind == "delta" and said.delta.new_element.WhichOneof("type") == "button":
                shown: Button = said.delta.new_element.button
                self.buttons[shown.label] = (shown.id, said.delta.fragment_id)
            elif kind == "delta" and said.delta.new_element.WhichOneof("type") == "exception":
                self.failed.append(said.delta.new_element.exception.message)
            elif kind == "script_finished" and said.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return


async def together(reviewers: list[Reviewer], server: psutil.Process) -> list[float]:
    """All of them at once; the server's memory in MB, every second."""
    memory: list[float] = []

    async def watch() -> None:
        while True:
            memory.append(server.memory_info().rss / 2**20)
            await asyncio.sleep(1)

    watching = asyncio.create_task(watch())
    await asyncio.gather(*(reviewer.screen() for reviewer in reviewers))
    watching.cancel()
    return memory


def main(count: int = 50, presses: int = 12) -> int:
    """Measure and print."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tests.browser.conftest import AppServer

    with (
        tempfile.TemporaryDirectory() as folder,
        AppServer(Path(folder), os.environ.get("TARSTOP_DATABASE_URL")) as server,
    ):
        url = server.database
        reviewers = [Reviewer(server.url, long_session(url, DOCUMENTS), presses) for _ in range(count)]
        assert server.process is not None
        memory = asyncio.run(together(reviewers, psutil.Process(server.process.pid)))
        with Store(url) as store:
            stored = {each.id: each.labelled for each in store.sessions()}
        missing = sum(len(each.milliseconds) - stored[each.session] for each in reviewers)
    taken = np.concatenate([each.milliseconds for each in reviewers])
    median, p95 = np.percentile(taken, [50, 95])
    growth = memory[-1] - memory[len(memory) // 4]
    failed = [words for each in reviewers for words in each.failed]
    print(
        f"{count} reviewers, {len(taken):,} labels: median {median:.0f} ms, p95 {p95:.0f} ms (target {TARGET_MS}); "
        f"{missing} missing, {len(failed)} errors {failed[:1]}; memory {memory[len(memory) // 4]:.0f} to {memory[-1]:.0f} MB"
    )
    return int(p95 > TARGET_MS or missing != 0 or bool(failed) or growth > GROWTH_MB)


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
