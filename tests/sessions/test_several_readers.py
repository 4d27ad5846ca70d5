"""A stored session of several readers: two windows, nothing lost, nothing shown too early, files and tables likewise."""

import json
import random
from dataclasses import replace
from itertools import count
from math import ceil, floor
from pathlib import Path
from typing import Any

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.readers.agreement import agreement
from tarstop_core.readers.overlooked import missed_in_audit, overlooked
from tarstop_core.readers.table import read_one, read_readers
from tarstop_core.screening.adaptive_chances import still_unread
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice, RecallFacts, ReviewFacts
from tarstop_core.screening.audit import recall_sentence
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.events import (
    file_event,
    opened_event,
    settings_event,
    settled_event,
)
from tarstop_core.screening.labels import RELEVANT, UNSEEN, UNSURE
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.enough import ENOUGH
from tarstop_core.screening.scenarios.review import REVIEW as REVIEW_SCENARIO
from tarstop_core.screening.several_readers import (
    ALL,
    EXCLUDED,
    INCLUDED,
    ONE_READER,
    MachineReader,
    ReadElsewhere,
    Readers,
)
from tarstop_core.sessions import session as sessions
from tarstop_core.sessions.agreeing import table_of
from tarstop_core.sessions.compare import duplicate
from tarstop_core.sessions.export import to_csv, to_ris
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.lazy_session import SHARED
from tarstop_core.sessions.machine_items import machine_items
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store import store as stores
from tarstop_core.sessions.store.listing import progress
from tarstop_core.sessions.store.store import Store
from tests.session_cases import IDS, INCLUSION, REVIEW, N, a_collection
from tests.sessions.store.cases import on_both

BOTH = replace(REVIEW, readers=Readers(("Rita", "Sam")))


@pytest.fixture
def key(store: Store) -> str:
    return begun(store)


def begun(store: Store, settings: object = BOTH) -> str:
    return store.create_session("S", a_collection(store), list(range(N)), None, settings, "", "own order")  # type: ignore[arg-type]


def judge(work: OpenSession, *labels: str) -> None:
    """Label what comes next for whoever has it open."""
    for label in labels:
        work.refresh()
        own = work.own
        work.label(own.row.ids[own.state.depth], label, own.state.seq)  # type: ignore[arg-type]


@on_both
def test_two_windows_read_on_without_waiting_for_each_other(store: Store, key: str) -> None:
    rita, sam = (OpenSession.load(store, key, name) for name in ("Rita", "Sam"))
    shown = rita.own.state.seq, sam.own.state.seq
    rita.label(IDS[0], "relevant", shown[0])
    sam.label(IDS[0], "irrelevant", shown[1])  # what Rita said since is nothing to wait for
    with pytest.raises(InputProblem, match="recorded before your press"):
        sam.label(IDS[1], "irrelevant", shown[1])
    assert sam.state.labels[0] == UNSURE and sam.state.depth == 1
    rita.refresh()
    [waiting] = rita.several.waiting  # type: ignore[union-attr]
    assert {name: event.payload["label"] for name, event in waiting.verdicts.items()} == {
        "Rita": "relevant",
        "Sam": "irrelevant",
    }


def test_presses_of_two_readers_in_one_moment_both_count(
    store: Store, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rita, sam = (OpenSession.load(store, key, name) for name in ("Rita", "Sam"))
    monkeypatch.setattr(rita, "refresh", lambda: (monkeypatch.undo(), judge(sam, "irrelevant")))
    rita.label(IDS[0], "relevant", rita.own.state.seq)
    assert [event.reviewer for event in store.log(key)] == ["Sam", "Rita"] and rita.own.state.depth == 1


@pytest.mark.parametrize("second", [ALL, EXCLUDED, INCLUDED])
def test_a_session_that_grew_is_what_its_log_says(store: Store, second: str) -> None:
    key = begun(store, replace(REVIEW, readers=Readers(("Rita", "Sam"), second)))
    rng, names = random.Random(second), ("Rita", "Sam", "Tom")
    windows = {name: OpenSession.load(store, key, name) for name in names}
    for at in range(25):
        name = rng.choice(names)
        work, what = (
            windows[name],
            rng.choice(("label", "label", "label", "relabel", "undo", "note", "settle")),
        )
        work.refresh()
        several, read = work.several, work.own.row.ids[: work.own.state.depth]
        assert several is not None
        waiting = [judged.doc for judged in several.waiting]
        if what == "settle" and waiting:
            verdict = rng.choice(("relevant", "irrelevant"))
            work.settle(settled_event, work.state.seq, work.reader, waiting[0], verdict)
        elif what == "settle" and several.excluded_by_all:
            work.settle(settled_event, work.state.seq, work.reader, several.excluded_by_all[0], "irrelevant")
        elif name != "Tom" and what == "label" and work.own.to_judge:
            judge(work, rng.choice(("relevant", "irrelevant", "unsure")))
        elif name != "Tom" and read and what == "relabel":
            work.label(rng.choice(read), rng.choice(("relevant", "irrelevant", "unsure")), work.own.state.seq)
        elif name != "Tom" and read and what in ("undo", "note"):
            event = Event(what, {"doc": read[0], "text": "why"} if what == "note" else {})
            work.record(event, work.own.state.seq)
        for name, grown in windows.items():
            grown.refresh()
            # What is computed of a log is asked for now and then, and in between it grows.
            advice = grown.advice(grown.state.settings) if at % 3 == 0 else None
            SHARED.clear()
            fresh = OpenSession.load(store, key, name)
            assert grown.state.seq == fresh.state.seq and grown.events == fresh.events
            assert grown.state.labels.tolist() == fresh.state.labels.tolist()
            assert grown.row.ids == fresh.row.ids and grown.state.overlooked == fresh.state.overlooked
            assert grown.own.events == fresh.own.events and grown.own.row.ids == fresh.own.row.ids
            assert grown.own.state.labels.tolist() == fresh.own.state.labels.tolist()
            assert grown.own.state.seq == fresh.own.state.seq
            if advice is not None:
                anew = fresh.advice(fresh.state.settings)
                # Plans that look again rest on a grid that begins where the paths were first asked for.
                assert advice.gain == pytest.approx(anew.gain, rel=1e-3)
                assert replace(advice, gain=0.0) == replace(anew, gain=0.0)


def test_readers_of_one_moment_share_what_is_computed_of_it(
    store: Store, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[int] = []

    def counting(*asked: Any, **how: bool) -> Advice:
        computed.append(asked[3].depth)
        return advise(*asked, **how)

    monkeypatch.setattr(sessions, "advise", counting)
    rita, sam = (OpenSession.load(store, key, name) for name in ("Rita", "Sam"))
    judge(rita, "irrelevant")
    judge(sam, "irrelevant")
    for work in (rita, sam):
        work.refresh()
        assert work.advice(work.state.settings).depth == 1
    assert computed == [1]
    judge(rita, "irrelevant")
    assert rita.advice(rita.state.settings).depth == 1 and computed == [1], "alone she changes nothing"
    dearer = replace(rita.state.settings, cost=9.0)
    assert rita.advice(dearer) != rita.advice(rita.state.settings) and computed == [1, 1]
    judge(sam, "irrelevant")
    assert sam.advice(sam.state.settings).depth == 2 and computed == [1, 1, 2]


def test_a_disagreement_is_resolved_once(store: Store, key: str) -> None:
    rita, sam, tom = (OpenSession.load(store, key, name) for name in ("Rita", "Sam", "Tom"))
    judge(rita, "relevant", "irrelevant")
    judge(sam, "irrelevant", "irrelevant")
    tom.refresh()
    seen = tom.state.seq
    with pytest.raises(InputProblem, match="do not differ"):
        tom.settle(settled_event, seen, tom.reader, IDS[2], "relevant")
    with pytest.raises(InputProblem, match="none of them"):
        tom.label(IDS[2], "relevant", seen)
    tom.settle(settled_event, seen, tom.reader, IDS[0], "relevant", note="both read it again")
    rita.refresh()
    assert rita.state.labels[0] == RELEVANT and not rita.several.waiting  # type: ignore[union-attr]
    with pytest.raises(InputProblem, match="recorded before your press"):
        rita.settle(settled_event, seen, rita.reader, IDS[0], "irrelevant")
    assert rita.own.state.labels[0] == RELEVANT and sam.own.state.labels[0] != RELEVANT


def test_an_undo_takes_back_ones_own_verdict(store: Store, key: str) -> None:
    rita, sam = (OpenSession.load(store, key, name) for name in ("Rita", "Sam"))
    judge(rita, "relevant", "relevant")
    judge(sam, "relevant")
    rita.refresh()
    rita.record(Event("undo"), rita.own.state.seq)
    assert rita.own.state.depth == 1 and rita.own.row.ids[1] == IDS[1]
    assert rita.state.depth == 1 and sam.own.state.depth == 1


def test_the_second_reader_goes_on_where_the_first_excluded(store: Store) -> None:
    key = begun(store, replace(BOTH, readers=Readers(("Rita", "Sam"), EXCLUDED)))
    rita, sam = (OpenSession.load(store, key, name) for name in ("Rita", "Sam"))
    assert (len(rita.own.to_judge), len(sam.own.to_judge)) == (N, 0)
    judge(rita, "relevant", "irrelevant", "relevant", "irrelevant")
    sam.refresh()
    assert len(sam.own.to_judge) == 2 and sam.own.row.ids[:2] == (IDS[1], IDS[3])
    assert sam.state.depth == 2
    with pytest.raises(InputProblem, match="already labelled"):
        sam.label(IDS[0], "irrelevant", sam.own.state.seq)
    judge(sam, "relevant", "irrelevant")
    assert sam.state.depth == 4 and not sam.own.to_judge and len(sam.state.unsure) == 1
    with pytest.raises(InputProblem, match="already read"):
        sam.label(IDS[4], "irrelevant", sam.own.state.seq)


def test_who_reads_stays_the_same(store: Store, key: str) -> None:
    work = OpenSession.load(store, key, "Rita")
    with pytest.raises(InputProblem, match="readers of a session cannot change"):
        settings_event(work.state, replace(BOTH, readers=ONE_READER))


def leaves(store: Store, key: str, opened: OpenSession) -> list[object]:
    """Everything that a page, a file, a table or a report is made of, as one reader has it."""
    snapshot = session_snapshot(store, key)
    [summary] = [row for row in store.sessions() if row.id == key]
    texts = [to_csv(snapshot), to_ris(snapshot), export_session(store, key), report_html(snapshot)]
    for one in (key, store.collection(snapshot.collection.id).created):
        texts = [text.replace(one, "…") for text in texts]
    state = opened.own.state
    return [
        *texts,
        snapshot.prisma,
        progress(summary, store.events),
        summary.labelled,
        store.events(key),
        opened.events,
        opened.own.events,
        state.labels.tolist(),
        opened.own.row.ids,
        opened.advice(opened.state.settings).b,
    ]


def test_no_file_table_page_or_report_depends_on_what_another_said_too_early(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, made = random.Random(5), []
    order = [chance.choice("RS") for _ in range(30)]
    labels = {who: [chance.choice(("relevant", "irrelevant", "unsure")) for _ in range(30)] for who in "RS"}
    read = {who: order.count(who) for who in "RS"}
    behind = min(read, key=lambda who: read[who])
    assert read["R"] != read["S"]
    for flipped in (False, True):
        ticks = count()
        monkeypatch.setattr(stores, "now", lambda: f"2026-11-26T10:00:{next(ticks) % 60:02}.000000+00:00")  # noqa: B023
        key = begun(store)
        opened = {
            who: OpenSession.load(store, key, name) for who, name in zip("RS", ("Rita", "Sam"), strict=True)
        }
        done = {"R": 0, "S": 0}
        for who in order:
            label = labels[who][done[who]]
            if flipped and who != behind and done[who] >= read[behind] and label != "unsure":
                label = "relevant" if label == "irrelevant" else "irrelevant"
            judge(opened[who], label)
            done[who] += 1
        opened[behind].refresh()
        made.append(leaves(store, key, opened[behind]))
        store.purge_session(key)
    first, second = made
    for one, other in zip(first, second, strict=True):
        assert one == other


def test_a_session_file_holds_what_all_may_see_and_comes_back(store: Store, key: str) -> None:
    rita, sam = (OpenSession.load(store, key, name) for name in ("Rita", "Sam"))
    judge(rita, "relevant", "irrelevant", "relevant")
    judge(sam, "irrelevant", "irrelevant")
    sam.settle(settled_event, sam.own.state.seq, sam.reader, IDS[0], "relevant")
    text = export_session(store, key)
    assert text.count('"kind": "label"') == 4
    back = session_snapshot(store, import_session(store, text))
    assert back.state.labels[:3].tolist() == [RELEVANT, 0, UNSEEN]
    assert back.several is not None and back.several.judged["d0"].verdicts.keys() == {"Rita", "Sam"}
    sam.settle(opened_event, sam.own.state.seq, sam.reader)
    assert export_session(store, key).count('"kind": "label"') == 5


def test_a_duplicate_goes_on_unseen_under_the_same_readers_and_takes_over_what_counts_under_one(
    store: Store, key: str
) -> None:
    rita, sam = (OpenSession.load(store, key, name) for name in ("Rita", "Sam"))
    judge(rita, "relevant", "irrelevant", "relevant")
    judge(sam, "relevant", "irrelevant")
    again = OpenSession.load(store, duplicate(store, key, BOTH, "again"), "Rita")
    assert again.own.state.depth == 3 and again.state.depth == 2
    alone = OpenSession.load(store, duplicate(store, key, REVIEW, "alone"))
    assert alone.state.depth == 2 and alone.several is None


def test_tables_report_and_diagram_say_who_read_what_and_how_far_they_agree(
    store: Store, key: str, tmp_path: Path
) -> None:
    rita, sam = (OpenSession.load(store, key, name) for name in ("Rita", "Sam"))
    judge(rita, *["relevant"] * 3, *["irrelevant"] * 20)
    judge(sam, *["relevant"] * 2, *["irrelevant"] * 18)
    tom = OpenSession.load(store, key, "Tom")
    tom.settle(settled_event, tom.state.seq, tom.reader, IDS[2], "irrelevant")
    assert tom.several is not None
    for label in ("irrelevant", "relevant", "irrelevant"):
        doc = tom.several.excluded_by_all[len(tom.several.drawn)]
        tom.settle(settled_event, tom.state.seq, tom.reader, doc, label)  # type: ignore[arg-type]
    with pytest.raises(InputProblem, match="not drawn"):
        tom.settle(settled_event, tom.state.seq, tom.reader, tom.several.excluded_by_all[-1], "relevant")
    snapshot = session_snapshot(store, key)
    exported = tmp_path / "documents.csv"
    exported.write_text(to_csv(snapshot), encoding="utf-8")
    table, own = read_readers(exported), table_of(tom.several)
    assert table.readers == ("reader_Rita", "reader_Sam")
    both = overlooked(table.verdicts), overlooked(own.verdicts)
    assert both[0] == both[1] and both[0].drawn == 3 and both[0].hits == 1 and both[0].excluded == 17
    agree = agreement(own.verdicts.included)
    assert agree.records == 20 and agree.per_cent.value == 19 / 20
    (judged, both_judged), (_, differed), (_, unresolved), (_, drawn) = snapshot.prisma.apart
    assert "95 %" in judged and f"{agree.cohen.value:.2f}" in judged  # type: ignore[union-attr]
    assert (both_judged, differed, unresolved, drawn) == (20, 1, 0, 3)
    text = report_html(snapshot)
    assert "1 by Tom" in text and f"{agree.ac1.value:.2f}" in text
    assert [row["label"] for row in snapshot.steps].count("relevant") == 3


def draw(work: OpenSession, *labels: str) -> None:
    """Judge again what comes next in random order among what all excluded."""
    for label in labels:
        work.refresh()
        assert work.several is not None
        doc = work.several.excluded_by_all[len(work.several.drawn)]
        work.settle(settled_event, work.state.seq, work.reader, doc, label)  # type: ignore[arg-type]


def test_recall_counts_what_all_overlooked_once_some_of_it_was_judged_again(store: Store) -> None:
    settings = EnoughSettings(policy="few-left:tau=0.9", calibrator=INCLUSION.digest, readers=BOTH.readers)
    key = begun(store, settings)
    rita, sam, tom = (OpenSession.load(store, key, name) for name in ("Rita", "Sam", "Tom"))
    for work in (rita, sam):
        judge(work, *["relevant"] * 6, *["irrelevant"] * 14)
    tom.refresh()

    def facts() -> RecallFacts:
        advised = tom.advice(settings).facts
        assert isinstance(advised, RecallFacts) and advised == session_snapshot(store, key).advice_now.facts
        return advised

    before, (mean, low, high) = facts(), facts().left
    assert before.recall == (6 / (6 + mean), 6 / (6 + high), 6 / (6 + low)) and not before.is_audited
    [said] = [value for name, value in ENOUGH.rows(tom.advice(settings), settings) if "all readers" in name]
    assert said == "unknown" and "is not counted" in recall_sentence(tom.state)
    draw(tom, "irrelevant", "relevant", "irrelevant", "irrelevant")
    after = facts()
    least, most = missed_in_audit(14, 4, 1)  # the one that was found counts as found by now
    not_found, found = 1 / 4 * 14 - 1, 7
    assert after.relevant == found and after.not_found[0] == pytest.approx(after.left[0] + not_found)
    recognised = still_unread(settings, *tom.chances(settings), tom.state)
    assert after.left == (
        pytest.approx(recognised.mean * (found + not_found) / found),
        floor(recognised.interval()[0] * (found + least - 1) / found),
        min(ceil(recognised.interval()[1] * (found + most - 1) / found), N - 20),
    )
    low, high = after.left[1] + least - 1, after.left[2] + most - 1
    assert after.recall[1:] == (found / (found + high), found / (found + low))
    said = recall_sentence(tom.state)
    assert "unread count them" in said and "is not counted" not in said
    assert f"{least - 1} to {most - 1}" in report_html(session_snapshot(store, key))
    draw(tom, *["irrelevant"] * 10)
    assert facts().not_found == facts().left, "what was judged again throughout holds nothing more"


def test_a_review_says_what_all_overlooked_beside_what_is_unread(store: Store, key: str) -> None:
    for name in ("Rita", "Sam"):
        judge(OpenSession.load(store, key, name), *["relevant"] * 3, *["irrelevant"] * 17)
    tom = OpenSession.load(store, key, "Tom")
    by_all = replace(BOTH, truth="full_evidence")
    before, unaudited = tom.advice(BOTH), tom.advice(by_all).facts
    draw(tom, *["irrelevant"] * 5)
    after = tom.advice(BOTH)
    assert isinstance(before.facts, ReviewFacts) and isinstance(after.facts, ReviewFacts)
    assert isinstance(unaudited, ReviewFacts)
    assert after.facts.left[0] == before.facts.left[0] and after.facts.left[2] > before.facts.left[2]
    [row] = [value for name, value in REVIEW_SCENARIO.rows(after, BOTH) if "all readers" in name]
    assert row == f"0 (0 to {missed_in_audit(17, 5, 0).high})"
    assert after.facts.otherwise == before.facts.otherwise, "reading on brings what readers recognise"
    assert before.facts.otherwise_in_all is None
    assert (after.facts.otherwise_in_all or 0) > after.facts.otherwise
    judged_by_all = tom.advice(by_all).facts
    assert isinstance(judged_by_all, ReviewFacts) and judged_by_all.disagreement > unaudited.disagreement


BOT = MachineReader("Bot", "a model", "4.1", "Is it on topic?", "2026-11-20", "bot.csv", "score", 0.5, 1.2)


def test_a_machine_is_one_of_the_readers_and_the_report_says_what_it_was(
    store: Store, tmp_path: Path
) -> None:
    key = begun(store, replace(BOTH, readers=Readers(("Rita", "Bot"))))
    rita, file = OpenSession.load(store, key, "Rita"), tmp_path / "bot.csv"
    scores = [0.9] * 4 + [0.1] * (N - 4)
    lines = [f"{doc},{score}" for doc, score in zip(IDS, scores, strict=True)]
    file.write_text("\n".join(("id,score", *lines, "elsewhere,0.9")), encoding="utf-8")
    included = read_one(file, "id", "score", 0.5)
    with pytest.raises(InputProblem, match="none of them"):
        rita.settle(file_event, 0, replace(BOT, name="Sam"), included, rita.row.ids)
    with pytest.raises(InputProblem, match="on this list"):
        rita.settle(file_event, 0, BOT, {"elsewhere": True}, rita.row.ids)
    rita.settle(file_event, 0, BOT, included, rita.row.ids)
    assert rita.state.depth == 0 and len(rita.own.row.ids) == N
    judge(rita, *["relevant"] * 3, *["irrelevant"] * 7)
    assert rita.several is not None and len(rita.several.waiting) == 1 and rita.state.depth == 10
    items = dict(machine_items(session_snapshot(store, key)))
    assert len(items) == 10
    tool, prompt = (next(value for name, value in items.items() if part in name) for part in ("M2", "M6"))
    assert "4.1" in tool and "bot.csv" in tool and prompt == "Is it on topic?"
    text = report_html(session_snapshot(store, key))
    assert all(f"P-trAIce {item}" in text for item in ("M1", "M2", "M3", "M5", "M6", "M8", "M9", "R1"))
    log = json.loads(export_session(store, key))["log"]
    assert [*log[0]["payload"]["verdicts"]] == IDS[:10], "nothing of what is not read leaves"
    judge(rita, "relevant")
    other = begun(store)
    judge(OpenSession.load(store, other, "Sam"), "relevant")
    work = OpenSession.load(store, other, "Rita")
    with pytest.raises(InputProblem, match="by hand"):
        work.settle(file_event, 1, replace(BOT, name="Sam"), included, work.row.ids)


def test_verdicts_that_people_gave_elsewhere_make_a_session_of_independent_ones(
    store: Store, tmp_path: Path
) -> None:
    """A column a reader: what comes of it is what comes of the same verdicts given here."""
    by_hand, from_file = begun(store), begun(store)
    labels = {"Rita": ["relevant"] * 3 + ["irrelevant"] * 9, "Sam": ["relevant"] * 2 + ["irrelevant"] * 10}
    for name, given in labels.items():
        judge(OpenSession.load(store, by_hand, name), *given)
    words = {"relevant": "included", "irrelevant": "excluded"}
    rows = zip(IDS, *([words[label] for label in given] for given in labels.values()), strict=False)
    table = tmp_path / "both.csv"
    table.write_text("\n".join(["id,rita,sam", *map(",".join, rows)]), encoding="utf-8")
    olga = OpenSession.load(store, from_file, "Olga")
    for name in labels:
        about = ReadElsewhere(name, "both.csv", name.lower())
        olga.settle(file_event, olga.state.seq, about, read_one(table, "id", about.column), olga.row.ids)
        assert olga.state.depth == (0 if name == "Rita" else 12), "nothing counts before all have judged"
    one, other = (session_snapshot(store, key) for key in (by_hand, from_file))
    assert one.state.labels.tolist() == other.state.labels.tolist()
    assert one.advice_now == other.advice_now and one.prisma.apart == other.prisma.apart
    assert one.several is not None and other.several is not None and not machine_items(other)
    assert (one.several.independent() == other.several.independent()).all()
    text = report_html(other)
    assert all(part in text for part in ("both.csv", "column sam", "imported by Olga"))
    assert "imported by" not in report_html(one)
    sam = OpenSession.load(store, from_file, "Sam")
    assert sam.own.row.ids[sam.own.state.depth] == IDS[12], "goes on where the file ends"
    judge(sam, "relevant")
    back = session_snapshot(store, import_session(store, export_session(store, from_file)))
    assert back.state.labels.tolist() == other.state.labels.tolist()
    sam.refresh()
    with pytest.raises(InputProblem, match="by hand"):
        sam.settle(file_event, sam.own.state.seq, replace(BOT, name="Sam"), {IDS[0]: True}, sam.row.ids)


def test_a_corrected_file_takes_the_place_of_the_earlier_one_and_of_nothing_said_here(store: Store) -> None:
    session = begun(store)
    about = ReadElsewhere("Sam", "sam.csv", "verdict")
    sam = OpenSession.load(store, session, "Sam")
    sam.settle(file_event, sam.state.seq, about, dict.fromkeys(IDS[:4], True), sam.row.ids)
    judge(sam, "irrelevant")  # the fifth, here
    sam.refresh()
    sam.settle(file_event, sam.own.state.seq, about, {IDS[0]: False, IDS[1]: True, IDS[4]: True}, sam.row.ids)
    judge(OpenSession.load(store, session, "Rita"), *["relevant"] * 5)
    several = session_snapshot(store, session).several
    assert several is not None
    given = {doc: judged.verdicts["Sam"].payload["label"] for doc, judged in several.judged.items()}
    assert given == {IDS[0]: "irrelevant", IDS[1]: "relevant", IDS[4]: "irrelevant"}


@pytest.mark.parametrize("wrong", [{"model": " "}, {"date": ""}, {"cost_per_thousand": -1.0}], ids=str)
def test_a_machine_is_named_in_full(wrong: dict[str, object]) -> None:
    with pytest.raises(InputProblem, match=r"missing|cost"):
        replace(BOT, **wrong)  # type: ignore[arg-type]


def test_a_column_of_verdicts_has_one_for_each_record(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,bot\nd0,included\nd1,excluded\nd2,\nd0,excluded\n", encoding="utf-8")
    with pytest.raises(InputProblem, match="several lines"):
        read_one(file, "id", "bot")
    file.write_text("id,bot\nd0,included\nd1,excluded\nd2,\n", encoding="utf-8")
    assert read_one(file, "id", "bot") == {"d0": True, "d1": False}
