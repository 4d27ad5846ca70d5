"""Two people screen one real list in two browsers while the server is killed: nothing is lost, and nothing seen too early."""

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tarstop_core.files import read_records
from tarstop_core.samples.shipped import calibrators, default_calibrator
from tarstop_core.screening.log import Event
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.several_readers import Readers
from tarstop_core.sessions.export import document_rows
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.browser.acting import SECONDS, at_rest, counter, listening

TOPIC = "CD008691"
NAMES = ("Rita", "Sam")
LABELS = {"i": "relevant", "e": "irrelevant"}
EACH, KILLS = 200, 20
TABLES = 40
"""After how many presses tables are looked at."""
ON_WAY = 0.12
"""Seconds after a press within which the server is killed."""


@dataclass
class Reader:
    """One browser, and what its person has pressed and seen counted."""

    name: str
    page: Page
    counted: list[str] = field(default_factory=list)

    def read(self) -> int:
        """How many documents the page says this person has read."""
        words = counter(self.page).inner_text().replace("\u00a0", " ")
        number = re.search(rf"([\d,]+) by {self.name}", words)
        assert number, words
        return int(number[1].replace(",", ""))

    def press(self, key: str) -> None:
        """Press a key and wait until the page has counted it."""
        listening(self.page, key)
        self.page.keyboard.press(key)
        self.counted.append(LABELS[key])
        expect(counter(self.page)).to_contain_text(f"{len(self.counted):,} by {self.name}", timeout=SECONDS)
        at_rest(self.page)


def begun(database: str, folder: Path) -> str:
    """A review of the real list, to be read by both."""
    frame = read_records(folder / f"records/{TOPIC}.jsonl.gz").frame
    start = ReviewSettings.beginning()
    chances = calibrators()[default_calibrator(False, scenario=scenario_of(start).chance_of(start))]
    settings = ReviewSettings(
        start.payoffs,
        start.cost,
        calibrator=chances.digest,
        plus="Adopt",
        minus="Don't adopt",
        readers=Readers(NAMES),
    )
    with Store(database) as store:
        store.save_calibrator(chances)
        collection = store.save_collection(TOPIC, frame, [], 0)
        return store.create_session(
            TOPIC, collection, np.arange(len(frame)), None, settings, TOPIC, "own order"
        )


def verdicts(log: list[Event], name: str) -> dict[str, str]:
    """What one reader has said, by document, in the order in which it was said."""
    own = (event for event in log if event.kind == "label" and event.reviewer == name)
    return {str(event.payload["doc"]): str(event.payload["label"]) for event in own}


def seen_too_early(log: list[Event], readers: list[Reader]) -> list[str]:
    """Whatever a page shows of a document that is not judged by both."""
    by = {name: verdicts(log, name) for name in NAMES}
    agreed = [label for doc, label in by["Rita"].items() if by["Sam"].get(doc) == label]
    both, early = len({*by["Rita"]} & {*by["Sam"]}), []
    for reader in readers:
        words = counter(reader.page).inner_text().replace("\u00a0", " ")
        screened, included = re.match(r"(\d+) of", words), re.search(r"(\d+) included", words)
        assert screened and included, words
        if int(screened[1]) > both or int(included[1]) > agreed.count("relevant"):
            early.append(f"{reader.name}: {words}")
        if reader.page.get_by_test_id("readers").count():
            early.append(f"{reader.name} is shown a verdict on what is not read yet")
    return early


def exported_too_early(store: Store, session: str, log: list[Event]) -> list[str]:
    """Documents that are not judged by both and of which a table says more than that."""
    by = {name: verdicts(log, name) for name in NAMES}
    return [
        row["id"]
        for row in document_rows(session_snapshot(store, session))
        if not (row["id"] in by["Rita"] and row["id"] in by["Sam"])
        and (row["label"] != "not read" or row.get("reader_Rita") or row.get("reader_Sam"))
    ]


@pytest.mark.deep
def test_two_readers_through_kills(server: Any, open_page: Callable[..., Any], real_data: Path) -> None:
    chance, session = random.Random(11), begun(server.database, real_data)
    readers = []
    for name in NAMES:
        watched = open_page()
        cookie = {"name": "tarstop_reviewer", "value": name, "domain": "127.0.0.1", "path": "/"}
        watched.page.context.add_cookies([cookie])
        watched.page.goto(f"{server.url}/screen?session={session}")
        at_rest(watched.page)
        readers.append(Reader(name, watched.page))
    due = set(chance.sample(range(10, 2 * EACH - 10), KILLS))
    early, lost, done = list[str](), 0, 0
    while any(len(reader.counted) < EACH for reader in readers):
        going = [reader for reader in readers if len(reader.counted) < EACH]
        reader = chance.choice(going)
        reader.press(chance.choice("eeei"))
        done += 1
        with Store(server.database) as store:
            log = store.log(session)
            early += seen_too_early(log, readers)
            if done % TABLES == 0:
                early += exported_too_early(store, session, log)
        if done in due:
            listening(reader.page, "e")
            reader.page.keyboard.press("e")
            time.sleep(chance.uniform(0, ON_WAY))
            server.kill()
            with Store(server.database) as store:
                log = store.log(session)
            for each in readers:
                stored = [*verdicts(log, each.name).values()]
                lost += sum(mine != theirs for mine, theirs in zip(each.counted, stored, strict=False))
                lost += max(0, len(each.counted) - len(stored))
                each.counted = stored
            server.start()
            for each in readers:
                each.page.goto(f"{server.url}/screen?session={session}")
                expect(counter(each.page)).to_contain_text(
                    f"{len(each.counted):,} by {each.name}", timeout=SECONDS
                )
                at_rest(each.page)
    with Store(server.database) as store:
        log = store.log(session)
    for reader in readers:
        assert [*verdicts(log, reader.name).values()] == reader.counted
    print(f"{done} presses, {KILLS} kills: {lost} lost, {len(early)} seen too early")
    assert lost == 0 and not early
