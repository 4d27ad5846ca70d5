"""A class whose phones follow a lecturer, and then go their own way.

Run as ``python -m benchmarks.classroom [PHONES [STEPS]]`` (default 60 and 12). Each phone speaks to the running server as a
browser does: it joins by the code, opens Learn over a websocket, and is sent what the page draws. First the lecturer steps
through a list: a step is over for a phone when it has the whole of the next one, counted from the lecturer's press. Then
every phone turns from the lecturer and presses "Step" by itself, every four to eight seconds. Prints the median and the
95th percentile of both; exits with 1 where one of these is above a second, or a phone has missed a step.
"""

import asyncio
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import psutil
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection

from benchmarks.tab import Tab

TARGET_MS = 1_000
FOLLOWS = "Follow the lecturer"


@dataclass
class Phone(Tab):
    """A tab on Learn."""

    name = "learn"
    follows: bool = True
    step: int = -1
    """Documents read on the page as it was drawn last."""

    async def ask(
        self, socket: ClientConnection, pressed: str = "", held: Sequence[WidgetState] = ()
    ) -> None:
        """Ask for the page, or press something on it, as one who follows or who does not."""
        alone = () if self.follows else (WidgetState(id=self.buttons[FOLLOWS][0], bool_value=False),)
        await super().ask(socket, pressed, (*held, *alone))

    def take_in(self, element: Element, part: str) -> None:
        """What is drawn, and how far the page has come by it."""
        super().take_in(element, part)
        if element.WhichOneof("type") == "alert":
            self.failed.append(element.alert.body)
        elif at := re.search(r'data-here="step=(\d+)"', element.html.body):
            self.step = int(at[1])


async def follow(phone: Phone, socket: ClientConnection, drawn: Callable[[int], None]) -> None:
    """Take in every step that the lecturer makes."""
    while True:
        await phone.drawn(socket)
        drawn(phone.step)


async def alone(phone: Phone, socket: ClientConnection, steps: int) -> list[float]:
    """Turn from the lecturer, and step by oneself; milliseconds of each step."""
    phone.follows, taken = False, []
    chance = random.Random(str(phone.headers))
    await asyncio.sleep(chance.uniform(0, 6))
    await phone.ask(socket)
    await phone.drawn(socket)
    for _ in range(steps):
        await asyncio.sleep(chance.uniform(4, 8))
        begun = time.perf_counter()
        await phone.ask(socket, "Step")
        await phone.drawn(socket)
        taken.append(1_000 * (time.perf_counter() - begun))
    return taken


def joined(url: str, query: str) -> Phone:
    """The phone of somebody who joins."""
    answer = httpx.get(f"{url}/join?{query}")
    assert answer.status_code == 303, answer.text
    return Phone(url, headers={"Cookie": answer.headers["set-cookie"].partition(";")[0]})


async def led(server: psutil.Process, lecturer: Phone, phones: list[Phone], steps: int) -> list[float]:
    """Have the lecturer step, and the phones follow; then each goes on alone. The 95th percentiles, and steps too few."""
    arrivals: dict[int, list[float]] = {}
    taken: list[float] = []
    sockets = [await phone.connected() for phone in (lecturer, *phones)]
    for phone, socket in zip((lecturer, *phones), sockets, strict=True):
        await phone.ask(socket)
        await phone.drawn(socket)

    def arrived(step: int) -> None:
        arrivals.setdefault(step, []).append(time.perf_counter())

    following = [
        asyncio.create_task(follow(phone, socket, arrived))
        for phone, socket in zip(phones, sockets[1:], strict=True)
    ]
    await asyncio.sleep(3.0)
    before = sum(server.cpu_times()[:2])
    for _ in range(steps):
        begun = time.perf_counter()
        await lecturer.ask(sockets[0], "Step")
        await lecturer.drawn(sockets[0])
        while len(arrivals.get(lecturer.step, ())) < len(phones) and time.perf_counter() - begun < 10:
            await asyncio.sleep(0.01)
        taken += [1_000 * (at - begun) for at in arrivals.get(lecturer.step, ())]
        await asyncio.sleep(1.0)
    used = 1_000 * (sum(server.cpu_times()[:2]) - before) / steps
    for task in following:
        task.cancel()
    said("following the lecturer", len(phones), taken)
    print(f"the server works {used:.0f} ms for a step of all")
    own = await asyncio.gather(
        *(alone(phone, socket, steps // 2) for phone, socket in zip(phones, sockets[1:], strict=True))
    )
    said("each by themselves", len(phones), [each for one in own for each in one])
    for socket in sockets:
        await socket.close()
    return [np.percentile(taken, 95), np.percentile(own, 95), len(taken) - steps * len(phones)]


def said(what: str, phones: int, taken: list[float]) -> None:
    """Print what a part came to."""
    median, p95 = np.percentile(taken, [50, 95])
    print(
        f"{phones} phones, {what}: {len(taken):,} steps, median {median:.0f} ms, p95 {p95:.0f} ms (target {TARGET_MS})",
        flush=True,
    )


def main(count: int = 60, steps: int = 12) -> int:
    """Measure and print."""
    from tests.browser.conftest import AppServer

    with tempfile.TemporaryDirectory() as folder:
        server = AppServer(Path(folder), environment={"TARSTOP_CLASSROOM": "yes"})
        server.start()
        try:
            key, code = re.findall(r"key=(\S+) .* code (\w+)\.", server.log.read_text(encoding="utf-8"))[-1]
            assert server.process is not None
            process = psutil.Process(server.process.pid)
            lecturer = joined(server.url, f"key={key}")
            phones = [joined(server.url, f"code={code}") for _ in range(count)]
            follows, own, missed = asyncio.run(led(process, lecturer, phones, steps))
            held = process.memory_info().rss / 2**20
        finally:
            server.kill()
    wrong = [each for phone in (lecturer, *phones) for each in phone.failed]
    print(
        f"{-missed:.0f} steps missed, {len(wrong)} errors {wrong[:1]}; the server holds {held:.0f} MB; load {psutil.getloadavg()[0]:.1f}"
    )
    return int(max(follows, own) > TARGET_MS or missed != 0 or bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main(*(int(argument) for argument in sys.argv[1:3])))
