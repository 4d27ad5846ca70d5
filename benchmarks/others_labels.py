"""How long labels of others take while one person imports, orders and exports a long list, against an idle server.

Run as ``python -m benchmarks.others_labels [DOCUMENTS [SECONDS]]``. One process stands for the server: REVIEWERS
threads label sessions of their own, each label stored on disk and its advice computed, as a press does it, with a
pause between two. Beside them one thread does what the pages do for a person with a long list, in the same calls:
read the file, look for duplicates, store, open, order by a text, open the session, save it as Excel, CSV, RIS, HTML
and session file. Neither the browser nor Streamlit's own work is in these figures, which name what holds others up;
``benchmarks/others_presses.py`` has both. Prints median and 95th percentile for each step; exits with 1 when the 95th
percentile of all labels during the work is above twice the idle one.
"""

import csv
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.parts import jobs
from tarstop_core.documents.merging import merge_as_chosen, propose
from tarstop_core.documents.records import as_records
from tarstop_core.evaluation.worker import run
from tarstop_core.ranking.bm25 import WORDS
from tarstop_core.ranking.order import prepare, suggest_order
from tarstop_core.samples.shipped import calibrators
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs

DOCUMENTS = 200_000
REVIEWERS = 5
OWN_DOCUMENTS = 2_000
EACH = 40
"""Labels in one session; then comes another, for a longer log takes longer to replay."""
PAUSE = 0.15
IDLE_SECONDS = 30.0
MOST = 2.0


def write_list(path: Path, documents: int) -> None:
    """Records with abstracts of some 1,200 characters."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{n:x}" for n in rng.zipf(1.3, 400_000) % 60_000])
    starts = rng.integers(0, len(words) - 260, documents)
    with path.open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["id", "title", "abstract", "authors", "year", "doi"])
        for number, start in enumerate(starts.tolist()):
            title, abstract = " ".join(words[start : start + 11]), " ".join(words[start + 11 : start + 260])
            out.writerow(
                [number, title, abstract, "Lee, A.; Bo, R.", 1990 + number % 30, f"10.9999/{number}"]
            )


def session_of(store: Store, collection: str, documents: int, scores: Any = None) -> str:
    """A session on a collection in its own order."""
    calibrator = calibrators()["clef-reviews"]
    store.save_calibrator(calibrator)
    settings = PatentSettings(Payoffs.from_q_star(0.5), cost=1e-5, calibrator=calibrator.digest)
    falling = np.linspace(30.0, 0.0, documents) if scores is None else scores
    return store.create_session("Long", collection, np.arange(documents), falling, settings, "w1", "by text")


class Reviewers:
    """Some people who label, and how long each of their labels took."""

    def __init__(self, store: Store) -> None:
        frame = as_records(
            {
                "id": [f"d{n}" for n in range(OWN_DOCUMENTS)],
                "title": [f"Title {n}" for n in range(OWN_DOCUMENTS)],
            }
        )
        collection = store.save_collection("Theirs", frame, [], 0)
        self.taken: list[tuple[float, float]] = []
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._label, args=(store, collection)) for _ in range(REVIEWERS)
        ]

    def _label(self, store: Store, collection: str) -> None:
        work = OpenSession.load(store, session_of(store, collection, OWN_DOCUMENTS))
        while not self._ended.wait(PAUSE):
            if work.state.depth >= EACH:
                work = OpenSession.load(store, session_of(store, collection, OWN_DOCUMENTS))
                work.advice(work.state.settings)
                continue
            begun = time.perf_counter()
            at = work.state.depth
            work.label(work.row.ids[at], "irrelevant", at)
            assert 0 <= work.advice(work.state.settings).b <= 1
            self.taken.append((begun, time.perf_counter() - begun))

    @contextmanager
    def working(self) -> Iterator[None]:
        for each in self._threads:
            each.start()
        try:
            yield
        finally:
            self._ended.set()
            for each in self._threads:
                each.join()

    def between(self, begun: float, ended: float) -> np.ndarray:
        """Milliseconds of the labels that were begun in between."""
        return 1000 * np.array([took for start, took in self.taken if begun <= start <= ended])


def quietly(*far: object) -> None:
    """Say nothing of how far a job is."""


def steps(store: Store, content: bytes, documents: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What a person does with a long list, as the pages do it."""
    held: dict[str, Any] = {}
    reach = jobs.reached(store, large=True)

    def read() -> None:
        held["table"] = run("a.csv", jobs.records_in, content, "a.csv", None, progress=quietly)

    def compare() -> None:
        frames = [held["table"].frame]
        proposal = run("a.csv", propose, frames)
        held["merged"] = merge_as_chosen(frames, proposal, proposal.by_default)

    def keep() -> None:
        frame, files = held["merged"].frame, [held["table"].described]
        held["collection"], _ = run("a.csv", jobs.stored, reach, "a.csv", frame, files, progress=quietly)

    def order() -> None:
        frame = run("a.csv", jobs.in_store, reach, Store.records, held["collection"])
        run("a.csv", suggest_order, frame)
        index = run("a.csv", jobs.index_of, frame, WORDS, progress=quietly)
        held["ranking"] = prepare(frame, "text", "w1 w2 w3 w40 w500", recipe=WORDS, index=index)

    def begin() -> None:
        held["session"] = session_of(store, held["collection"], documents, held["ranking"].scores)

    def opened() -> None:
        run("a.csv", jobs.in_store, reach, session_snapshot, held["session"])

    yield "read the file", read
    yield "look for duplicates", compare
    yield "store", keep
    yield "order by a text", order
    yield "begin a session", begin
    yield "open it whole", opened
    for end in (*jobs.ENDS, jobs.SESSION):
        yield f"save as {end}", lambda end=end: run("a.csv", jobs.exported, reach, held["session"], end)


def said(name: str, took: np.ndarray, seconds: float) -> str:
    """A line of the result."""
    if not len(took):
        return f"{name:22} {seconds:6.1f} s, no label begun meanwhile"
    middle, high = np.percentile(took, [50, 95])
    return f"{name:22} {seconds:6.1f} s, {len(took):5} labels: median {middle:6.1f} ms, p95 {high:6.1f} ms, longest {took.max():7.1f} ms"


def main(documents: int = DOCUMENTS, idle_seconds: float = IDLE_SECONDS) -> int:
    """Measure and print."""
    run("nothing", len, "")  # the first job starts what the others are forked from
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/t.db") as store:
        path = Path(folder) / "a.csv"
        write_list(path, documents)
        content = path.read_bytes()
        reviewers = Reviewers(store)
        print(f"{documents:,} documents, {len(content) / 1e6:.0f} MB; {REVIEWERS} others who label")
        with reviewers.working():
            time.sleep(3.0)  # what is computed once
            begun = time.perf_counter()
            time.sleep(idle_seconds)
            idle = reviewers.between(begun, time.perf_counter())
            print(said("idle", idle, idle_seconds), flush=True)
            first = time.perf_counter()
            for name, step in steps(store, content, documents):
                begun = time.perf_counter()
                step()
                ended = time.perf_counter()
                print(said(name, reviewers.between(begun, ended), ended - begun), flush=True)
            last = time.perf_counter()
        busy = reviewers.between(first, last)
        print(said("all of it", busy, last - first))
    ratio = float(np.percentile(busy, 95) / np.percentile(idle, 95))
    print(f"p95 is {ratio:.2f} times the idle one (target {MOST:g})")
    return int(ratio > MOST)


if __name__ == "__main__":
    raise SystemExit(main(*(int(argument) for argument in sys.argv[1:3])))
