"""Screen a real list that learns by keyboard, kill the server again and again, and take the session in elsewhere.

Run it as ``python -m benchmarks.learning_kills [LABELS [KILLS]]`` (default 300 and 10); it needs the folder that
TARSTOP_REAL_DATA names. In a real Chromium it gives the right answer to every document of CD011134 that the page shows,
and writes down which that was. After every kill the page has to show the document that it showed before, at the end log
and page have to agree on every one, and the session has to show the same order and advice in another database, and
the same order under other stakes. Exits with 1 where something differs.
"""

import csv
import random
import re
import sys
from dataclasses import replace

from playwright.sync_api import Page

from benchmarks.judging import dashboard
from tarstop_core.calibration.calibrator import INCLUSION
from tarstop_core.files import read_qrels, read_records
from tarstop_core.places import real_data
from tarstop_core.ranking.bm25 import WORDS
from tarstop_core.ranking.order import prepare
from tarstop_core.samples.shipped import calibrators, default_calibrator, extraction_rate
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.sessions.compare import duplicate
from tarstop_core.sessions.create import ChosenDocuments, NewSession, create
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.learning import gain_sentence
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.stakes import FULL_TIMES, START
from tests.browser.acting import arrived, listening, press

TOPIC = "CD011134"


def begin(url: str) -> str:
    """A session on the list, as Set up begins one."""
    folder = real_data()
    with (folder / "topics.csv").open(encoding="utf-8", newline="") as lines:
        title = next(row["title"] for row in csv.DictReader(lines) if row["topic"] == TOPIC)
    frame = read_records(folder / "records" / f"{TOPIC}.jsonl.gz").frame
    calibrator = calibrators()[default_calibrator(False, scenario=INCLUSION)]
    stakes = START.with_full_cost(FULL_TIMES * START.cost)
    settings = ReviewSettings(
        stakes.payoffs,
        stakes.cost,
        full_cost=stakes.full_cost,
        plus=REVIEW.first_actions[0],
        minus=REVIEW.first_actions[1],
        calibrator=calibrator.digest,
        data_share=extraction_rate(simulated=False),
        learns=True,
    )
    ranking = prepare(frame, "text", title, recipe=WORDS)
    documents = ChosenDocuments(TOPIC, TOPIC, frame, title, False, "")
    with Store(url) as store:
        return create(store, NewSession(TOPIC, "", documents, ranking, title, calibrator, settings))


def shown(page: Page) -> str:
    """Title of the document on the page, without its number."""
    return re.sub(r"^#[\d,]+\s*", "", page.locator("article .tar-title").inner_text()).strip()


def screen(page: Page, server: object, labels: int, kills: int, seed: int) -> list[str]:
    """Answer as the reviewers did and kill in between; the titles that were answered."""
    rng, url = random.Random(seed), page.url
    session = re.search(r"session=([\w-]+)", url)
    assert session
    truth = read_qrels(real_data() / "records" / "qrels_abs.txt")[TOPIC]
    answered: list[str] = []
    killed_after = set(rng.sample(range(1, labels), kills))
    while len(answered) < labels:
        with Store(server.database) as store:  # type: ignore[attr-defined]
            opened = OpenSession.load(store, session.group(1))
            assert opened.state.depth == len(answered)
            following = opened.document(opened.state.depth)
        title = shown(page)
        assert title == " ".join(following.title.split()), f"{title} is shown, {following.title} is next"
        key = "i" if truth.get(following.id, 0) > 0 else "e"
        press(page, key, len(answered) + 1)
        answered.append(title)
        if len(answered) in killed_after:
            before = shown(page)
            if rng.random() < 0.5:  # a press on its way, which may be stored or not
                listening(page, "e")
                page.keyboard.press("e")
                before = ""
            server.kill()  # type: ignore[attr-defined]
            with Store(server.database) as store:  # type: ignore[attr-defined]
                kept = OpenSession.load(store, session.group(1))
                if kept.state.depth > len(answered):
                    at = kept.state.depth - 1
                    answered.append(" ".join(kept.document(at).title.split()))
            server.start()  # type: ignore[attr-defined]
            page.goto(url)
            arrived(page, f"{len(answered):,} of")
            assert before in ("", shown(page)), f"{before} was next before the kill, {shown(page)} after it"
    return answered


def main(labels: int = 300, kills: int = 10) -> int:
    """Run the script's own server and browser."""
    with dashboard() as (server, browser):
        key = begin(server.database)
        page = browser.new_page(viewport={"width": 1280, "height": 900}, bypass_csp=True)
        page.context.add_cookies([{"name": "tarstop_reviewer", "value": "Rita", "url": server.url}])
        page.goto(f"{server.url}/screen?session={key}")
        arrived(page, "0 of")
        answered = screen(page, server, labels, kills, seed=1)
        with Store(server.database) as store, Store(f"sqlite:///{server.folder}/elsewhere.db") as elsewhere:
            here = OpenSession.load(store, key)
            read = [" ".join(here.document(at).title.split()) for at in range(here.state.depth)]
            there = OpenSession.load(elsewhere, import_session(elsewhere, export_session(store, key)))
            dearer = replace(here.state.settings, cost=3 * here.state.settings.cost)
            other = OpenSession.load(store, duplicate(store, key, dearer, "dearer"))
            same = {
                "what the page showed and what the log says": answered == read,
                "the order elsewhere": there.row.ids == here.row.ids,
                "the advice elsewhere": there.advice(there.state.settings)
                == here.advice(here.state.settings),
                "the order under other stakes": other.row.ids == here.row.ids,
            }
            advised = other.advice(dearer).headline
            print(
                f"{len(read)} labels, {kills} kills, {here.state.fit['number'] if here.state.fit else 0} fits"
            )
            print(f"{gain_sentence(here.state)} Under stakes three times as dear the advice is “{advised}”.")
    for what, holds in same.items():
        print(f"{what}: {'the same' if holds else 'NOT THE SAME'}")
    return 0 if all(same.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main(*(int(argument) for argument in sys.argv[1:3])))
