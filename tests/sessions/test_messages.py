"""Every branch of the sentences about sessions, rendered."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from tarstop_core.readers.agreement import agreement
from tarstop_core.readers.overlooked import Interval, Reader
from tarstop_core.readers.second_reader import Pairing, ReaderPair
from tarstop_core.readers.strategies import ReaderKnowledge, Strategy, Stretch
from tarstop_core.readers.who_reads import WhoReads
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.log import Event
from tarstop_core.screening.several_readers import SECOND, ReadElsewhere, Readers
from tarstop_core.sessions import message
from tarstop_core.sessions.agreeing import InFull
from tarstop_core.sessions.compare import RuleStop
from tarstop_core.value.payoffs import MINUS, Option
from tests.branches import every_branch
from tests.screening.test_messages import READ_TWICE
from tests.session_cases import REVIEW, START

THREE = replace(REVIEW.payoffs, others=(Option("Trial", 3400, 600),))


def sentences() -> Iterator[tuple[str, dict[str, Any]]]:
    """A macro and its values, for every branch."""
    for stopped in (RuleStop(9, True, 0.4, 5), RuleStop(0, True, 0.4, 5), RuleStop(4, True, 0.4, 5)):
        yield "outcome", {"stopped": stopped, "settings": START, "action": "Reject"}
        yield "outcome", {"stopped": stopped, "settings": replace(REVIEW, payoffs=THREE), "action": "Trial"}
    yield "outcome", {"stopped": RuleStop(1, False, 0.4, 1), "settings": START, "action": "Grant"}
    for stopped in (RuleStop(9, True, 0.4, 5), RuleStop(4, True, 0.4, 5), RuleStop(1, True, 0.4, 1)):
        yield "outcome", {"stopped": stopped, "settings": EnoughSettings(), "action": "Enough seen"}
    old = RuleStop(4, True, 0.4, 5)
    actions = {"action_before": "Reject", "action": "Grant", "question": "prior art exists"}
    for new, ends in (
        (old, [0.3, 0.4]),
        (replace(old, depth=2, option=MINUS), []),
        (replace(old, depth=9), []),
        (old, [1.0, 1.0]),
    ):
        yield "switched", {"name": "CLEF", "old": old, "new": new, "ends": ends, **actions}
    session = SimpleNamespace(
        row=SimpleNamespace(name="Hip"),
        advice_now=SimpleNamespace(b=0.4),
        state=SimpleNamespace(depth=3),
    )
    yield "compared", {"sessions": [session, session]}
    for right, mistaken, places in ((False, None, []), (True, 7, [2, 4]), (True, None, [2])):
        truth = {"right": right, "mistaken": mistaken, "places": places}
        yield "search_truth", {"action": "Reject", **truth}
    yield "review_truth", {"studies": 12, "question": "sensitivity exceeds 75 %", "b": 0.7}
    yield "not_reached", {"first": 8, "depth": 3}
    yield "overlooked", {"places": [1, 2]}
    why = {"drawn": False, "put_back": False, "by_score": False, "words": [], "source": "labels"}
    why |= {"fitted": True, "named": False}
    for changed in (
        {"drawn": True},
        {"put_back": True},
        {"by_score": True, "words": ["hinge", "mast"]},
        {"by_score": True},
        {"words": ["hinge"]},
        {"fitted": False},
        {"named": True},
        {},
    ):
        yield "why_next", why | changed
    for same, included in ((1, True), (3, False)):
        counts = {"found": 5, "documents": 40, "kept": 300 * included, "same": 4 - same, "unread": same}
        yield "gain", {**counts, "included": included}
    for advice in ("stop", "prior alone", "found", "continue", "reports", "confirm", "depends"):
        yield "unscreened", {"stopped": True, "advice": advice, "decided": True, "reason": "Time ran out"}
    yield "unscreened", {"stopped": False, "advice": "", "decided": False, "reason": ""}
    for decided in (True, False):
        yield "unscreened", {"stopped": True, "advice": "continue", "decided": decided, "reason": ""}
    curve = {
        "question": "prior art exists",
        "first": 0.5,
        "last": 0.4,
        "depth": 9,
        "pays": "“Reject” pays above 20 %",
    }
    for kept, studies, hit in ((0, False, False), (4, False, True), (0, True, False)):
        yield "belief_curve", {**curve, "kept": kept, "studies": studies, "hit": hit}
    yield "worth_curve", {}
    for verdicts in ([[1, 1], [0, 0], [1, 0]], [[1, 1], [1, 1]], [[1, 1, 0], [0, 0, 0]]):
        yield "judged_apart", {"agree": agreement(np.array(verdicts, dtype=float))}
    opened = Event("opened", {}, 9, "2026-11-26T10:00:00+00:00", "Olga")
    counts = {"read": ["9 by Rita", "1 by Sam"], "settled": ["2 by Tom", "1 by Rita"], "brought": []}
    file = Event("brought", ReadElsewhere("Sam", "sam.csv", "verdict").to_dict(), 3, opened.time, "Olga")
    none = {"judged": 0, "settled": [], "waiting": 0, "drawn": 0}
    for second, share in (("all", 1.0), ("share", 0.2), ("excluded", 1.0)):
        readers = {"readers": Readers(("Rita", "Sam"), second, share), "second": SECOND[second]}
        yield "who_read", {**readers, **counts, "opened": None, "judged": 1, "waiting": 1, "drawn": 1}
        yield (
            "who_read",
            {**readers, **counts, "opened": opened, "judged": 8, "waiting": 3, "drawn": 4}
            | {"brought": [file]},
        )
        yield "who_read", {**readers, **counts, **none, "opened": None}
    agree = agreement(np.array([[1, 1], [0, 1]], dtype=float))
    for in_full, by in (
        (InFull(1, None, 0, 0, 0, 0, []), None),
        (InFull(7, agree, 2, 1, 24, 1, ["1 by Tom"]), opened),
        (InFull(7, agree, 2, 2, 24, 1, []), None),
    ):
        yield "read_apart", {"agree": in_full.agree}
        yield "who_read_in_full", {"readers": ["Rita", "Sam"], "in_full": in_full, "opened": by}
    for plan, deviations in ((None, 0), (EnoughSettings(), 0), (EnoughSettings(), 1), (EnoughSettings(), 2)):
        yield "machine_planned", {"plan": plan, "deviations": deviations}
    of = {"name": "Bot", "model": "m", "version": "4", "date": "May", "source": "a.csv", "column": "bot"}
    yield "machine_tool", {"of": of, "taken": opened}
    for name in ("Rita", "Sam"):
        yield "machine_stage", {"name": name, "readers": Readers(("Rita", "Sam"))}
    for scores in ({}, {"include_from": 0.5}):
        yield "machine_output", {"of": of | scores, "records": 3}
    agree = agreement(np.array([[1, 1], [0, 0]], dtype=float))
    reader = Reader(Interval(0.5, 0.75), None)
    for one in (None, reader, Reader(None, None)):
        yield (
            "machine_performance",
            {"name": "Bot", "agree": agree if one else None, "reader": one, "drawn": 4},
        )
    for people, settled, waiting, drawn in (
        (["Rita"], ["Tom"], 1, 1),
        ([], ["Tom"], 2, 3),
        (["Rita"], ["Tom"], 0, 0),
        (["Rita"], [], 0, 0),
    ):
        oversight = {"people": people, "settled": settled, "waiting": waiting, "drawn": drawn}
        yield "machine_oversight", oversight
    for way in (*Strategy, *Pairing):
        yield "way", {"way": way.name, "first": "Rita", "second": "Sam"}
    for read, is_learned in ((0, False), (9, True)):
        who = WhoReads(read, Stretch(20, 80), Stretch(0, 0), ReaderKnowledge(), ())
        both = {"machine": "Bot", "person": "Rita", "sensitivity": 0.9, "is_learned": is_learned}
        yield "beside_a_machine", {"who": who, **both}
    for found in READ_TWICE:
        pair = ReaderPair(0.9, 0.8, 0.02, 0.01, 40)
        yield "one_or_two", {"pair": pair, "first": "Rita", "second": "Sam", "found": found}


def test_every_branch_reads_as_a_sentence() -> None:
    with every_branch(message):
        for name, values in sentences():
            assert message(name, **values)
