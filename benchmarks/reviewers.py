"""Scripted reviewers who label at the same time, each in a session of their own.

Run it as ``python -m benchmarks.reviewers [REVIEWERS [PRESSES]] [--labels N]`` (default 50 and 12). Each speaks to the
running server as a browser does: a websocket, a press on "Not relevant", and then everything that the page sends until
it says that it is done; a press every five seconds and reviewer, give or take two. Prints the median and the 95th
percentile of a press, how many labels are missing in the store, and the memory of the server and its children: when
one visitor has come and labelled, when all reviewers have, and a few times in between. Exits with 1 when p95 is above
250 ms, a label is missing, or memory grew by 100 MB between the first quarter and the end.

With ``--labels`` they press again as soon as the page is done until they have made N together (36,000 are an hour of
50), and then go. Memory is then said every 2,000 labels and once the server has let go of their browsers' sessions,
which Streamlit keeps for two minutes; exits with 1 when that is 100 MB above where it began.
``TARSTOP_DATABASE_URL`` names the database, such as one of PostgreSQL, or says ``postgres`` for a server of the
benchmark's own; an SQLite file of its own unless given.
"""

import argparse
import asyncio
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from benchmarks.label_latency import long_session
from benchmarks.tab import Tab
from tarstop_core.sessions.store.store import Store

TARGET_MS, GROWTH_MB = 250, 100
DOCUMENTS = 400
SAID_EVERY = 2_000
LET_GO_SECONDS = 135


@dataclass
class Reviewer(Tab):
    """A tab in which somebody labels."""

    name = "screen"
    session: str
    presses: int
    hurried: bool = False
    """Presses again as soon as the page is done."""
    every: float = 5.0
    """Seconds from the end of a press to the next one, give or take two fifths."""
    answer: str = "Not relevant"
    """What they press."""
    milliseconds: list[float] = field(default_factory=list)

    async def screen(self) -> None:
        """Open the session and label its documents."""
        self.query = f"session={self.session}"
        chance = random.Random(f"{self.session}{self.headers}")
        async with self.connected() as socket:
            await self.ask(socket)
            await self.drawn(socket)
            for _ in range(self.presses):
                await asyncio.sleep(0 if self.hurried else self.every * chance.uniform(0.6, 1.4))
                if self.answer not in self.buttons:
                    self.failed.append(f"no button to press among {sorted(self.buttons)}")
                    return
                begun = time.perf_counter()
                await self.ask(socket, self.answer)
                await self.drawn(socket)
                self.milliseconds.append(1_000 * (time.perf_counter() - begun))


def label_beside(reviewers: Sequence[Reviewer]) -> None:
    """Have reviewers label in a thread of their own, until the server goes."""

    async def together() -> None:
        await asyncio.gather(*(reviewer.screen() for reviewer in reviewers), return_exceptions=True)

    threading.Thread(target=asyncio.run, args=(together(),), daemon=True).start()


def presses_during(step: Callable[[], object], reviewers: Sequence[Reviewer]) -> tuple[np.ndarray, float]:
    """Milliseconds of the presses of all during a step, and the seconds that it takes."""
    first, begun = [len(each.milliseconds) for each in reviewers], time.perf_counter()
    step()
    taken = [each.milliseconds[at:] for at, each in zip(first, reviewers, strict=True)]
    return np.concatenate(taken), time.perf_counter() - begun


@dataclass
class Watched:
    """The memory of a server."""

    server: psutil.Process
    reviewers: list[Reviewer]
    seen: list[float] = field(default_factory=list)
    """MB, every half second."""

    def now(self) -> float:
        """MB of the server and what it started."""
        held = 0
        for each in (self.server, *self.server.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                held += each.memory_info().rss
        return held / 2**20

    def said(self, when: str) -> float:
        """Print it."""
        print(f"{when:32} {self.now():7.0f} MB", flush=True)
        return self.now()

    async def watch(self) -> None:
        """Look every half second, and print it every so many labels."""
        begun, upcoming = time.perf_counter(), SAID_EVERY
        while True:
            self.seen.append(self.now())
            labels = sum(len(each.milliseconds) for each in self.reviewers)
            if labels >= upcoming:
                self.said(f"{labels:,} labels, {time.perf_counter() - begun:,.0f} s")
                upcoming += SAID_EVERY
            await asyncio.sleep(0.5)


async def together(watched: Watched) -> None:
    """All of them at once."""
    watching = asyncio.create_task(watched.watch())
    await asyncio.gather(*(reviewer.screen() for reviewer in watched.reviewers))
    watching.cancel()


@contextmanager
def database() -> Iterator[str | None]:
    """The URL of the database that was asked for."""
    from tests import postgres

    wanted = os.environ.get("TARSTOP_DATABASE_URL")
    if wanted != "postgres":
        yield wanted
        return
    postgres.begin_run()
    try:
        with postgres.database() as url:
            yield url
    finally:
        postgres.end_run()


def main(count: int = 50, presses: int = 12, labels: int = 0) -> int:
    """Measure and print."""
    from tests.browser.conftest import AppServer

    each_makes = -(-labels // count) if labels else presses

    with (
        tempfile.TemporaryDirectory() as folder,
        database() as wanted,
        AppServer(Path(folder), wanted) as server,
    ):
        url = server.database

        def reviewer(presses: int) -> Reviewer:
            return Reviewer(
                server.url, long_session(url, max(DOCUMENTS, presses + 20)), presses, bool(labels)
            )

        assert server.process is not None
        reviewers = [reviewer(each_makes) for _ in range(count)]
        watched = Watched(psutil.Process(server.process.pid), reviewers)
        watched.said("before anybody came")
        asyncio.run(reviewer(5).screen())
        began = watched.said("after one visitor's 5 labels")
        asyncio.run(together(watched))
        ended = watched.said("all labels made")
        growth = ended - watched.seen[len(watched.seen) // 4]
        if labels:
            time.sleep(LET_GO_SECONDS)
            asyncio.run(reviewer(5).screen())  # Streamlit looks for what is too old when somebody comes
            growth = watched.said("the reviewers gone") - began
        with Store(url) as store:
            stored = {each.id: each.labelled for each in store.sessions()}
        missing = sum(len(each.milliseconds) - stored[each.session] for each in reviewers)
    taken = np.concatenate([each.milliseconds for each in reviewers])
    median, p95 = np.percentile(taken, [50, 95])
    failed = [words for each in reviewers for words in each.failed]
    warned = [words for each in reviewers for words in each.warned]
    target = "" if labels else f" (target {TARGET_MS})"
    print(
        f"{count} reviewers, {len(taken):,} labels: median {median:.0f} ms, p95 {p95:.0f} ms{target}; {missing} missing, "
        f"{len(failed)} errors {failed[:1]}, {len(warned)} warnings {warned[:1]}; memory grew by {growth:.0f} MB (target {GROWTH_MB})"
    )
    slow = not labels and p95 > TARGET_MS
    return int(slow or missing != 0 or bool(failed) or growth > GROWTH_MB)


if __name__ == "__main__":
    asked = argparse.ArgumentParser()
    asked.add_argument("count", type=int, nargs="?", default=50)
    asked.add_argument("presses", type=int, nargs="?", default=12)
    asked.add_argument("--labels", type=int, default=0)
    raise SystemExit(main(**vars(asked.parse_args())))
