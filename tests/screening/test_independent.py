"""Several readers of one list: nobody sees another's verdict too early, and what counts is what all have judged."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.events import opened_event
from tarstop_core.screening.fold import LogReplay, replay
from tarstop_core.screening.independent import VERDICTS, SeveralReaders, counted_log
from tarstop_core.screening.labels import IRRELEVANT, RELEVANT, UNSEEN, UNSURE
from tarstop_core.screening.log import Event, check_event, standing
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.several_readers import EXCLUDED, INCLUDED, SECOND, SHARE, MachineReader, Readers

IDS = [f"d{at}" for at in range(8)]
BOTH = Readers(("Rita", "Sam"))
LABELS = ("relevant", "irrelevant", "unsure")
KINDS = st.sampled_from(("label", "label", "label", "relabel", "undo", "note", "resolved"))
WISHES = st.lists(
    st.tuples(st.sampled_from(BOTH.names), KINDS, st.sampled_from(LABELS), st.integers(0, 7)), max_size=40
)
SCHEMES = st.sampled_from(
    [BOTH, Readers(BOTH.names, SHARE, 0.5, 3), Readers(BOTH.names, EXCLUDED), Readers(BOTH.names, INCLUDED)]
)


def said(*events: tuple[str, str, str, str]) -> list[Event]:
    """A log from reader, kind, document and label, or text."""
    log = []
    for number, (name, kind, doc, text) in enumerate(events, start=1):
        payload = {"doc": doc, "label": text} | ({"fit": 0} if kind == "label" else {})
        if kind == "note":
            payload = {"doc": doc, "text": text}
        log.append(Event(kind, payload if doc else {}, number, "2026-11-26T10:00:00+00:00", name))
    return log


def played(readers: Readers, wishes: Sequence[tuple[str, str, str, int]]) -> list[Event]:
    """The log of what was wished, as far as it could be done."""
    several = SeveralReaders(readers)
    for name, kind, label, at in wishes:
        number = len(several.log) + 1
        read = [event.payload["doc"] for event in standing(several.own(name)) if event.kind == "label"]
        payload: dict[str, object] = {}
        if kind == "label":
            coming = several.to_judge(name, IDS)
            payload = {"doc": coming[0], "label": label, "fit": 0, "reason": f"{name} {at}"} if coming else {}
        elif kind == "relabel" and read:
            payload = {"doc": read[at % len(read)], "label": label, "reason": f"changed {at}"}
        elif kind == "note" and read:
            payload = {"doc": read[at % len(read)], "text": f"{name} says {at}"}
        elif kind == "resolved" and several.waiting and label != "unsure":
            payload = {"doc": several.waiting[0].doc, "label": label}
        if payload or (kind == "undo" and read):
            several.take([Event(kind, payload, number, f"2026-11-26T10:00:{number:02}+00:00", name)])
    return several.log


def seen_by(readers: Readers, log: Sequence[Event], name: str) -> list[object]:
    """All that one reader is shown, with those entries of others that he may see."""
    several = SeveralReaders(readers, log)
    return [
        several.own(name),
        several.visible,
        several.common,
        several.judged,
        several.first,
        several.to_judge(name, IDS),
        [several.read_by(other) for other in readers.names],
        {doc: several.verdicts_on(doc, name) for doc in IDS},
        several.beyond,
        np.nan_to_num(several.independent(), nan=-1).tolist(),
    ]


def otherwise(event: Event) -> Event:
    """A verdict or a note of the same moment that says something else."""
    content = dict(event.payload)
    if "label" in content:
        content["label"] = {"relevant": "irrelevant", "irrelevant": "relevant"}.get(
            str(content["label"]), "unsure"
        )
        content["reason"] = "a reason nobody may see"
    else:
        content["text"] = "a note nobody may see"
    return replace(event, payload=content)


@given(WISHES, SCHEMES, st.sampled_from(BOTH.names))
def test_nothing_that_a_reader_sees_depends_on_what_others_said_of_what_is_not_judged_by_all(
    wishes: list[tuple[str, str, str, int]], readers: Readers, name: str
) -> None:
    log = played(readers, wishes)
    judged = SeveralReaders(readers, log).judged
    # Whether a document is the second reader's to judge follows from the first one's verdict where the scheme says so.
    hidden = [
        event.kind in (*VERDICTS, "note")
        and event.reviewer != name
        and event.payload["doc"] not in judged
        and (readers.blind or event.reviewer != readers.names[0] or event.kind == "note")
        # what all had judged once, and somebody took back or left unsure since, was seen then
        and event.payload["doc"] not in SeveralReaders(readers, log).first
        for event in log
    ]
    other = [otherwise(event) if hide else event for event, hide in zip(log, hidden, strict=True)]
    assert seen_by(readers, log, name) == seen_by(readers, other, name)


@given(WISHES, SCHEMES)
def test_what_counts_is_a_log_of_one_reader_at_every_moment(
    wishes: list[tuple[str, str, str, int]], readers: Readers
) -> None:
    log = played(readers, wishes)
    settings = replace(EnoughSettings(), readers=readers)
    for length in range(len(log) + 1):
        several = SeveralReaders(readers, log[:length])
        assert counted_log(readers, several.common) == several.common
        state = replay(settings, IDS, log[:length])
        by_doc = dict(zip(state.ids_as_read(IDS), state.labels.tolist(), strict=True))
        for doc, judged in several.judged.items():
            assert (
                by_doc[doc]
                == {"relevant": RELEVANT, "irrelevant": IRRELEVANT, "unsure": UNSURE}[judged.label]
            )
        # A document whose verdict became unsure again counts as unsure, and one that was never judged by all not at all.
        assert all(by_doc[doc] in (UNSEEN, UNSURE) for doc in IDS if doc not in several.judged)
        for name in readers.names:
            fold, own = LogReplay(settings, IDS), several.own(name)
            for event in standing(own):
                fold.apply(event)
            coming = several.to_judge(name, IDS)
            state = fold.after(own, coming)
            assert list(state.ids_as_read(IDS))[state.depth :][: len(coming)] == coming or state.put_back
        for event in several.common:
            check_event(event)


@given(WISHES, SCHEMES)
def test_taking_in_one_event_after_the_other_is_taking_in_the_log(
    wishes: list[tuple[str, str, str, int]], readers: Readers
) -> None:
    log = played(readers, wishes)
    growing, undone, before = SeveralReaders(readers), 0, list[Event]()
    for event in log:
        growing.take([event])
        if growing.undone == undone:
            assert growing.common[: len(before)] == before
        undone, before = growing.undone, [*growing.common]
    whole = SeveralReaders(readers, log)
    assert (growing.common, growing.judged, growing.first) == (whole.common, whole.judged, whole.first)


def test_readers_who_differ_leave_a_document_unsure_until_somebody_resolves_it() -> None:
    log = said(("Rita", "label", "d0", "relevant"), ("Sam", "label", "d0", "irrelevant"))
    several = SeveralReaders(BOTH, log)
    [waiting] = several.waiting
    assert waiting.doc == "d0" and waiting.label == "unsure"
    assert [event.payload["label"] for event in several.common] == ["unsure"]
    log += [Event("resolved", {"doc": "d0", "label": "relevant"}, 3, log[0].time, "Tom")]
    several = SeveralReaders(BOTH, log)
    assert not several.waiting and several.judged["d0"].label == "relevant"
    assert [(event.kind, event.reviewer) for event in several.common] == [
        ("label", "Rita and Sam"),
        ("relabel", "Tom"),
    ]


def test_agreement_counts_what_was_said_before_readers_could_see_each_other() -> None:
    log = said(
        ("Rita", "label", "d0", "relevant"),
        ("Rita", "relabel", "d0", "irrelevant"),
        ("Sam", "label", "d0", "relevant"),
        ("Sam", "undo", "", ""),
        ("Sam", "label", "d0", "irrelevant"),
    )
    several = SeveralReaders(BOTH, log)
    assert not several.waiting
    np.testing.assert_array_equal(several.independent(), [[0.0, 1.0]])


def test_an_unsure_verdict_is_none_yet() -> None:
    log = said(("Rita", "label", "d0", "unsure"), ("Sam", "label", "d0", "irrelevant"))
    several = SeveralReaders(BOTH, log)
    assert not several.judged and not several.common
    assert several.visible == [] and several.own("Rita") == log[:1]


@pytest.mark.parametrize(("second", "label"), [(EXCLUDED, "irrelevant"), (INCLUDED, "relevant")])
def test_the_second_reader_has_what_the_first_one_said_so_of(second: str, label: str) -> None:
    labels = ["relevant", "irrelevant", "unsure"]
    log = said(*(("Rita", "label", doc, of) for doc, of in zip(IDS, labels, strict=False)))
    several = SeveralReaders(Readers(BOTH.names, second), log)
    assert several.to_judge("Sam", IDS) == [IDS[labels.index(label)]]
    assert [*several.judged] == [IDS[1 - labels.index(label)]]


def test_a_share_is_drawn_by_the_seed_alone() -> None:
    docs = [f"doc {at}" for at in range(4000)]
    twice = {
        seed: {doc for doc in docs if len(Readers(BOTH.names, SHARE, 0.2, seed).of(doc)) == 2}
        for seed in (1, 2)
    }
    assert all(abs(len(drawn) - 800) < 4 * (4000 * 0.2 * 0.8) ** 0.5 for drawn in twice.values())
    assert twice[1] != twice[2]


def test_once_opened_everybody_sees_everything() -> None:
    log = said(("Rita", "label", "d0", "relevant"), ("Sam", "label", "d1", "irrelevant"))
    assert SeveralReaders(BOTH, log).visible == []
    opened = [*log, Event("opened", {}, 3, log[0].time, "Olga")]
    several = SeveralReaders(BOTH, opened)
    assert several.visible == opened and several.verdicts_on("d0", "Sam").keys() == {"Rita"}


def test_settings_keep_their_readers_and_those_of_before_have_none() -> None:
    settings = replace(EnoughSettings(), readers=Readers(BOTH.names, SHARE, 0.25, 7))
    assert read_settings(settings.to_dict()) == settings
    assert "readers" not in EnoughSettings().to_dict()


@pytest.mark.parametrize(
    "readers",
    [
        {"names": ("Rita",)},
        {"names": ("Rita", "rita")},
        {"names": ("", "Sam")},
        {"names": (" Rita", "Sam")},
        {"names": BOTH.names, "second": "half"},
        {"names": BOTH.names, "second": SHARE},
        {"names": BOTH.names, "share": 0.5},
        {"names": BOTH.names, "second": SHARE, "share": float("nan")},
    ],
    ids=str,
)
def test_readers_that_cannot_be_are_refused(readers: dict[str, object]) -> None:
    with pytest.raises(InputProblem, match=r"names|choose|share"):
        Readers(**readers)  # type: ignore[arg-type]


def test_a_search_that_one_document_decides_has_one_reader() -> None:
    with pytest.raises(InputProblem, match="one reader"):
        PatentSettings.beginning(readers=BOTH)


def test_a_verdict_of_somebody_else_is_refused() -> None:
    with pytest.raises(InputProblem, match="not a reader of this session"):
        SeveralReaders(BOTH, said(("Tom", "label", "d0", "relevant")))
    assert {*SECOND} == {"all", SHARE, EXCLUDED, INCLUDED}


MACHINE = Readers(("Rita", "Bot"))


@given(st.lists(st.sampled_from(LABELS), max_size=8), st.lists(st.booleans(), min_size=8, max_size=8))
def test_nobody_sees_what_a_machine_says_of_what_is_not_read_yet(
    labels: list[str], included: list[bool]
) -> None:
    about = {
        "name": "Bot",
        "model": "m",
        "version": "1",
        "prompt": "p",
        "date": "d",
        "source": "s",
        "column": "c",
    }
    verdicts = {doc: "relevant" if yes else "irrelevant" for doc, yes in zip(IDS, included, strict=True)}
    read = said(*(("Rita", "label", doc, label) for doc, label in zip(IDS, labels, strict=False)))
    judged = {str(event.payload["doc"]) for event in read if event.payload["label"] != "unsure"}
    other = {doc: label if doc in judged else "relevant" for doc, label in verdicts.items()}
    for at in (0, len(read)):
        logs = []
        for spoken in (verdicts, other):
            machine = Event(
                "machine", {**about, "verdicts": spoken}, at + 1, "2026-11-26T10:00:00+00:00", "Rita"
            )
            later = [replace(event, seq=event.seq + 1) for event in read[at:]]
            logs.append([*read[:at], machine, *later])
            check_event(machine)
        assert seen_by(MACHINE, logs[0], "Rita") == seen_by(MACHINE, logs[1], "Rita")
        several = SeveralReaders(MACHINE, logs[0])
        assert {*several.judged} == judged and several.beyond == len(read) - len(judged)
        assert counted_log(MACHINE, several.common) == several.common


def test_only_a_named_person_opens_the_verdicts_of_several_readers() -> None:
    several = SeveralReaders(BOTH)
    assert opened_event(several, "Rita").kind == "opened"
    for where, by in ((several, ""), (None, "Rita")):
        with pytest.raises(InputProblem, match="needs a name"):
            opened_event(where, by)


def test_what_a_machine_costs_may_be_unknown_but_not_below_nothing() -> None:
    machine = MachineReader("M", "model", "1", "", "2026-11-01", "m.csv", "verdict")
    assert (
        machine.cost_per_thousand is None and replace(machine, cost_per_thousand=0.0).cost_per_thousand == 0
    )
    for cost in (-1.0, float("inf")):
        with pytest.raises(InputProblem, match="give 0 or more"):
            replace(machine, cost_per_thousand=cost)


def test_a_note_on_a_document_that_came_with_its_label_counts_and_leaves_the_label() -> None:
    kept = Event(
        "kept", {"labels": {"d0": "relevant"}, "reasons": {}}, 1, "2026-11-26T10:00:00+00:00", "Rita"
    )
    note = replace(said(("Rita", "note", "d0", "page 3"))[0], seq=2)
    several = SeveralReaders(BOTH, [kept, note])
    (last,) = several.common[1:]
    assert (last.kind, last.payload["text"], last.reviewer) == ("note", "Rita: page 3", "Rita")
    assert not several.judged and several.own("Rita") == [kept, note] and several.own("Sam") == [kept]
