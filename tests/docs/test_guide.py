"""The first five minutes of docs/guide.md are told as the demo tells them, and its keys are those of the pages."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.screen.verdicts import KEYS
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.files import read_qrels
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.samples.collections import FullText, sample_full_texts
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.fold import replay
from tarstop_core.screening.live_check import check_sentence, live_check
from tarstop_core.screening.log import Event
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import Explanation, explain, verdict
from tarstop_core.sessions.compare import MOST
from tarstop_core.sessions.demo import DEMO_REVIEW, DEMO_TOPIC, start_demo, start_review_demo
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import SessionRow

ROOT = Path(__file__).resolve().parents[2]
PAGE = " ".join((ROOT / "docs" / "guide.md").read_text(encoding="utf-8").split())
HIT = 16


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[tuple[Store, SessionRow]]:
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        yield store, store.session(start_demo(store))


def after(row: SessionRow, read: int, found: tuple[int, ...] = (), *more: Event) -> State:
    """The demo after so many documents, those at the ranks `found` marked relevant."""
    labels = [
        Event("label", {"doc": doc, "label": "relevant" if rank in found else "irrelevant"})
        for rank, doc in enumerate(row.ids[:read], start=1)
    ]
    return replay(row.settings, row.ids, [*labels, *more])


def advised(store: Store, row: SessionRow, state: State) -> Advice:
    calibrator = store.calibrator(row.settings.calibrator)
    return advise(row.settings, calibrator, calibrator.probabilities(row.scores, len(row.ids)), state)


def told(store: Store, row: SessionRow, state: State) -> Explanation:
    return explain(advised(store, row, state), row.settings)


def test_the_first_five_minutes(demo: tuple[Store, SessionRow]) -> None:
    store, row = demo
    first = told(store, row, after(row, 0))
    assert first.word == "GO ON"
    assert "worth £772 each and cost £10 each" in first.sentence and "about 24 more" in first.sentence
    glance = verdict(advised(store, row, after(row, 0)), row.settings)
    assert "worth 77 times their cost (£772 against £10 each)" in glance.says
    assert "worth 77 times their cost (£772 against £10 each)" in PAGE
    assert "Read about 24 more" in glance.says and "Read about 24 more" in PAGE

    words = [told(store, row, after(row, read)) for read in range(40)]
    assert [each.word for each in words] == ["GO ON"] * 24 + ["STOP"] * 16
    assert "the verdict becomes STOP after 24 documents, as promised" in PAGE
    depends = [read for read in range(40) if advised(store, row, after(row, read)).contrary]
    assert depends == list(range(7, 35))
    assert (
        "After seven documents" in PAGE
        and "After 35 documents none of the assumptions changes the advice" in PAGE
    )
    assert "hits should have shown by now" in words[7].robustness[0]
    assert all("go on" in each for each in words[24].robustness)
    assert "Assumptions matter" in PAGE

    relevant = read_qrels(ROOT / "sample_data/patents/qrels.txt")[DEMO_TOPIC]
    ranks = [rank for rank, doc in enumerate(row.ids, start=1) if relevant.get(doc, 0) > 0]
    assert ranks[0] == HIT and f"Document {HIT} is a hit" in PAGE
    marked = after(row, HIT, (HIT,))
    assert told(store, row, marked).word == "CONFIRM IT"
    held = after(row, HIT, (HIT,), Event("confirm", {"doc": row.ids[HIT - 1], "holds": True}))
    found = told(store, row, held)
    assert found.word == "FOUND" and "“Reject”" in found.stopping and "“Grant”" in first.stopping

    calibrator = store.calibrator(row.settings.calibrator)
    p = calibrator.probabilities(row.scores, len(row.ids))
    said = check_sentence(live_check(row.settings, calibrator, p, held), row.settings)
    quoted = re.findall(r"“(Expected .+?)”", PAGE)
    assert quoted and said.startswith(quoted[0])


def test_keys_and_headlines() -> None:
    for key in KEYS.values():
        assert re.search(rf"\| [A-Z, ]*\b{key.upper()}\b[A-Z, ]* \|", PAGE), key
    assert MOST == 6 and "up to six sessions" in PAGE


def report_of(doc: str, text: FullText) -> Event:
    """What a reader of the sample's full text enters."""
    read = Report("excluded", text.reason) if text.status == "excluded" else Report("no data")
    if text.TP is not None:
        assert text.FP is not None and text.FN is not None and text.TN is not None
        read = Report("data", study=doc, rows=(AccuracyRow(doc, text.TP, text.FP, text.FN, text.TN),))
    return Event("report", {"doc": doc, **read.to_dict()})


def test_the_first_five_minutes_of_a_review(tmp_path: Path) -> None:
    texts = sample_full_texts(DEMO_REVIEW)
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        row = store.session(start_review_demo(store))
        calibrator = store.calibrator(row.settings.calibrator)
        p = calibrator.probabilities(row.scores, len(row.ids))
        log: list[Event] = []
        seen = {}
        for rank, doc in enumerate(row.ids[:26], start=1):
            events = [Event("label", {"doc": doc, "label": "relevant" if doc in texts else "irrelevant"})]
            events += [report_of(doc, texts[doc])] if doc in texts else []
            for event in events:
                log.append(event)
                advice = advise(row.settings, calibrator, p, replay(row.settings, row.ids, log))
                seen[rank, event.kind] = advice, explain(advice, row.settings).word
        start = advise(row.settings, calibrator, p, replay(row.settings, row.ids, []))
    assert start.b == 0.5 and amount(start.gain, "£") == "£752" and "after all costs, is £752" in PAGE
    assert "£1,250" in explain(start, row.settings).stopping
    fifth, word = seen[5, "label"]
    assert word == "READ THE REPORTS" and fifth.facts is not None
    assert (amount(fifth.facts.reports_worth, "£"), fifth.facts.reports_cost) == ("£382", 50)
    assert "worth £382 against a cost of £50" in PAGE
    assert min(rank for rank, kind in seen if kind == "report") == 5 and seen[5, "report"][0].b == 0.5
    tables = [rank for rank, kind in seen if kind == "report" and texts[row.ids[rank - 1]].TP is not None]
    assert tables == [15, 19, 26]
    for rank, chance in zip(tables, ("35 %", "62 %", "78 %"), strict=True):
        assert percent(seen[rank, "report"][0].b) == chance and chance in PAGE
    assert seen[26, "report"][1] == "STOP" and seen[26, "report"][0].plus
