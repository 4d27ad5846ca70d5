"""Fifty people who label in ten projects at a server on which they log in, while somebody imports a long list.

Run as ``python -m benchmarks.projects [DOCUMENTS [LOGGED_IN]]`` (default 200,000 and 50). Five people a project read
one list independently of each other, each a label every three seconds, over websockets as in ``benchmarks/reviewers.py``;
a proxy's header says who they are, and a role in the project is all that lets them in. First they are alone, then a
process reads and stores a list, as the page has its worker do it. Prints median and 95th percentile of a press for
both; exits with 1 when the latter is above 250 ms beside the import, a label is missing, or a press was refused.
``TARSTOP_DATABASE_URL`` names the database as in ``benchmarks/reviewers.py``; of ``postgres`` the server waits for the disk.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import psutil

from benchmarks.label_latency import long_session
from benchmarks.others_labels import quietly, said, write_list
from benchmarks.reviewers import DOCUMENTS, TARGET_MS, Reviewer, database, label_beside, presses_during
from dashboard.parts import jobs
from tarstop_core.evaluation.worker import run
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import now

PROJECTS, EVERY = 10, 3.0
WARM_SECONDS, ALONE_SECONDS = 15.0, 30.0
HEADER = "X-Remote-User"
LOGIN = {"TARSTOP_PROXY_HEADER": HEADER, "TARSTOP_PROXY_ADDRESS": "127.0.0.1"}


def projects(url: str, people: int) -> list[tuple[str, str]]:
    """Make the projects with a session each; every person with the session that they read."""
    names = [f"reader{at:02}" for at in range(people)]
    reads = []
    with Store(url) as store:
        for name in names:
            store.for_person(name).arrive(now())
        root = store.for_person(names[0])
        for at in range(PROJECTS):
            members = names[at::PROJECTS]
            for name in members:
                root.set_member(f"project{at}", name, True)
            session = long_session(url, DOCUMENTS, "review", readers=members)
            store.share(session, members[0], "owner")
            store.share(session, f"project:project{at}", "reader")
            reads += [(session, name) for name in members]
    return reads


def imported(url: str, content: bytes) -> None:
    """Read and store a list as the page does, in a worker."""

    table = run("a.csv", jobs.records_in, content, "a.csv", None, progress=quietly)
    with Store(url) as store:
        reach = store.for_person("reader00").reach
    run("a.csv", jobs.stored, reach, "a.csv", table.frame, [table.described], progress=quietly)


def main(documents: int = 200_000, people: int = 50) -> int:
    """Measure and print."""
    from tests import postgres
    from tests.browser.conftest import AppServer

    postgres.CARELESS = ""
    run("nothing", len, "")  # the first job starts what the others are forked from
    with (
        tempfile.TemporaryDirectory() as folder,
        database() as wanted,
        AppServer(Path(folder), wanted, LOGIN) as server,
    ):
        path = Path(folder) / "a.csv"
        write_list(path, documents)
        reviewers = [
            Reviewer(
                server.url, session, DOCUMENTS - 20, every=EVERY, headers={HEADER: name}, answer="Exclude"
            )
            for session, name in projects(server.database, people)
        ]
        label_beside(reviewers)
        assert server.process is not None
        process = psutil.Process(server.process.pid)

        def measured(name: str, step: Callable[[], object]) -> np.ndarray:
            worked = sum(process.cpu_times()[:2])
            taken, seconds = presses_during(step, reviewers)
            each = 1000 * (sum(process.cpu_times()[:2]) - worked) / max(1, len(taken))
            print(said(name, taken, seconds), flush=True)
            print(
                f"{'':22} the server works {each:.0f} ms for a label; load {psutil.getloadavg()[0]:.1f}",
                flush=True,
            )
            return taken

        time.sleep(WARM_SECONDS)  # their pages open
        measured("alone", lambda: time.sleep(ALONE_SECONDS))
        beside = measured("beside the import", partial(imported, server.database, path.read_bytes()))
        answered = sum(len(each.milliseconds) for each in reviewers)
        with Store(server.database) as store:
            logs = [store.log(session) for session in {each.session for each in reviewers}]
        missing = max(0, answered - sum(event.kind == "label" for log in logs for event in log))
    wrong = [words for each in reviewers for words in (*each.failed, *each.warned)]
    p95 = float(np.percentile(beside, 95))
    print(
        f"p95 is {p95:.0f} ms for {people} people in {PROJECTS} projects beside {documents:,} documents (target {TARGET_MS}); "
        f"{missing} labels missing, {len(wrong)} errors {wrong[:1]}"
    )
    return int(p95 > TARGET_MS or missing > 0 or bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
