"""Two servers on one database: one is killed while people label on both."""

import asyncio
import contextlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.label_latency import long_session
from benchmarks.reviewers import Reviewer
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import now
from tests import postgres
from tests.browser.conftest import AppServer

HEADER = "X-Remote-User"
LOGIN = {"TARSTOP_PROXY_HEADER": HEADER, "TARSTOP_PROXY_ADDRESS": "127.0.0.1"}
PEOPLE = ("ann", "bob", "cid", "dan")
DOCUMENTS, BEFORE, AFTER = 200, 6, 5
"""In the list; labels that everybody has made when one server is killed, and makes afterwards at least."""


def shared_list(url: str) -> str:
    """A session that all of them read independently."""
    with Store(url) as store:
        for name in PEOPLE:
            store.for_person(name).arrive(now())
        session = long_session(url, DOCUMENTS, "review", readers=PEOPLE)
        store.share(session, "ann", "owner")
        for name in PEOPLE[1:]:
            store.share(session, name, "reader")
    return session


async def until_each_made(people: list[Reviewer], labels: int) -> None:
    while min(len(each.milliseconds) for each in people) < labels:
        assert not [each.failed for each in people if each.failed]
        await asyncio.sleep(0.02)


async def label_while_one_is_killed(first: AppServer, second: AppServer, session: str) -> list[Reviewer]:
    """Two people label at each server; those whose server is killed go on at the other one."""
    people = [
        Reviewer(server.url, session, DOCUMENTS, hurried=True, headers={HEADER: name}, answer="Exclude")
        for name, server in zip(PEOPLE, (first, first, second, second), strict=True)
    ]
    tasks = [asyncio.create_task(each.screen()) for each in people]
    await until_each_made(people, BEFORE)
    first.kill()
    for task in tasks[:2]:
        with contextlib.suppress(Exception):  # their connections are gone
            await task
    others = [len(each.milliseconds) for each in people[2:]]
    moved = [
        replace(each, url=second.url, page="", milliseconds=[], buttons={}, failed=[], warned=[])
        for each in people[:2]
    ]
    tasks += [asyncio.create_task(each.screen()) for each in moved]
    await until_each_made(moved, AFTER)
    await until_each_made(people[2:], max(others) + AFTER)
    for task in tasks:
        task.cancel()
    assert not any((*each.failed, *each.warned) for each in (*people[2:], *moved))
    for before, after in zip(people, moved, strict=False):
        before.milliseconds += after.milliseconds
    return people


@pytest.mark.deep
@pytest.mark.skipif(postgres.programs() is None, reason=postgres.NO_SERVER)
def test_a_server_is_killed_while_people_label_and_the_other_goes_on(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    with (
        postgres.database() as url,
        AppServer(folders[0], url, LOGIN) as first,
        AppServer(folders[1], url, LOGIN) as second,
    ):
        session = shared_list(url)
        people = asyncio.run(asyncio.wait_for(label_while_one_is_killed(first, second, session), 240))
        with Store(url) as store:
            log = store.log(session)
    assert [event.seq for event in log] == list(range(1, len(log) + 1))
    labels = [event for event in log if event.kind == "label"]
    pairs = Counter((event.reviewer, event.payload["doc"]) for event in labels)
    assert set(pairs.values()) == {1}, "nobody judged a document twice"
    made = Counter(event.reviewer for event in labels)
    for name, person in zip(PEOPLE, people, strict=True):
        shown = len(person.milliseconds)
        # One may have been on its way when a server or the test ended; what a page showed as done is there.
        assert shown <= made[name] <= shown + 2, name
