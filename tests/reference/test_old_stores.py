"""Stores, session files and rules of commit 2451d50 open, go on and say today what they said then."""

import json
import math
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tarstop_core.belief import prior as priors
from tarstop_core.belief.of_tables import belief_path
from tarstop_core.belief.question import Question
from tarstop_core.calibration import calibrator as calibrators
from tarstop_core.calibration import extraction_rate
from tarstop_core.documents.tables import Tables
from tarstop_core.policies.check import check_policy
from tarstop_core.policies.registry import parse_policy
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.events import label_event
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import screening_path
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.snapshot import SessionSnapshot, session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.session_cases import before_import

OLD = Path(__file__).parent / "commit_2451d50"
SAID = json.loads((OLD / "said.json").read_text(encoding="utf-8"))
SESSIONS = SAID["sessions"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A copy of the old store, as today's programme opens it."""
    shutil.copy(OLD / "store.db", tmp_path / "store.db")
    with Store(f"sqlite:///{tmp_path}/store.db") as opened:
        yield opened


GONE = ("if_holds", "gain", "otherwise", "disagreement", "report_worth")
"""Recorded then. No page and no export ever said the first two; what all that is left would change was reckoned with the mean
number of studies then, and is with its distribution now; so is the chance to be wrong where that is the truth.
What one waiting report is worth gave way to what all are worth that are to be read.
"""


DEPENDS = "depends"
"""A kind of advice that is no longer: whether reading goes on, which is recorded beside it, stands in its place."""


def agree(found: Any, said: Any, where: str = "") -> None:
    """The same kinds and whole numbers; figures as near as another processor's rounding allows."""
    if isinstance(said, Mapping):
        for name, value in said.items():
            if name == "contrary":
                agree(found[name], [list(assumed(clause)) for clause in value], f"{where} {name}")
            elif name not in GONE:
                agree(found[name], value, f"{where} {name}")
    elif isinstance(said, list):
        assert len(found) == len(said), where
        for at, (one, other) in enumerate(zip(found, said, strict=True)):
            agree(one, other, f"{where} [{at}]")
    elif isinstance(said, float):
        assert found == pytest.approx(said, rel=1e-6, abs=1e-9), where
    elif said != DEPENDS:
        assert found == said, where


def assumed(clause: str) -> tuple[float, float | None]:
    """The factor on chances and the starting chance that a recorded clause assumes."""
    numbers = [float(number) for number in re.findall(r"[\d.]+", clause)]
    if numbers:
        b_0, _ = numbers
        return 1.0, b_0
    return 2.0 if "twice" in clause else 0.5, None


def told(advice: Advice, said: Mapping[str, Any]) -> dict[str, Any]:
    """Of an advice what was recorded."""
    found: dict[str, Any] = {
        name: getattr(advice, name) for name in said if name not in ("contrary", "review", "if_fails", *GONE)
    }
    found["contrary"] = [(other.assumption.chance_factor, other.assumption.b_0) for other in advice.contrary]
    if "review" in said:
        found["review"] = {name: getattr(advice.facts, name) for name in said["review"] if name not in GONE}
    if "if_fails" in said:
        found["if_fails"] = told(advice.if_fails, said["if_fails"])
    return found


def taken_over(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of then as today's programme has them: where studies add up, the rule "optimal" is the open loop.

    Settings of another scenario stand in files at one value.
    """
    if settings["scenario"] != "review":
        return dict(settings)
    policy = "open-loop" if settings["policy"] == "optimal" else settings["policy"]
    return {**settings, "policy": policy, "needs_citation": False, "confirm_hits": False}


def says_the_same(whole: SessionSnapshot, said: Mapping[str, Any]) -> None:
    """Labels, counts, settings, advice and trace of a session are those of then."""
    state = whole.state
    assert whole.row.name == said["name"] and whole.row.digest == said["digest"]
    recorded = [event for event in whole.events if event.kind != "imported"]
    assert whole.collection.digest == said["records"] and len(recorded) == said["events"]
    assert state.labels.tolist() == said["labels"] and state.confirmed.tolist() == said["confirmed"]
    counts = {
        "depth": state.depth,
        "relevant": state.relevant,
        "unsure": len(state.unsure),
        "combination": len(state.combination),
        "background": len(state.background),
        "pending": len(state.pending),
        "waiting": len(state.waiting),
        "read_in_full": len(state.read_in_full),
        "tables": len(state.evidence.tables),
        "notes": len(state.notes),
        "kept": state.kept,
        "deviations": len(state.deviations),
    }
    assert counts == said["counts"]
    assert (state.hit, state.stopped) == (said["hit"], said["stopped"])
    assert (state.decision is not None, state.plan is not None) == (said["decided"], said["planned"])
    assert state.spent == pytest.approx(said["spent"])
    assert state.settings.to_dict() == taken_over(said["settings"])
    agree(told(whole.advice_now, said["advice"]), said["advice"])
    columns = said["trace"]["columns"]
    agree([[step.get(name) for name in columns] for step in whole.steps], said["trace"]["rows"])


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_of_the_store_says_what_it_said(store: Store, name: str) -> None:
    says_the_same(session_snapshot(store, SESSIONS[name]["id"]), SESSIONS[name])


@pytest.mark.parametrize("name", [name for name, said in SESSIONS.items() if "resumed" in said])
def test_a_session_of_the_store_is_resumed(store: Store, name: str) -> None:
    said = SESSIONS[name]
    whole = session_snapshot(store, said["id"])
    state, ids = whole.state, whole.row.ids
    if state.stopped:
        store.append(said["id"], Event("continued"), expected=state.seq)
        state = session_snapshot(store, said["id"]).state
    store.append(said["id"], label_event(state, ids, ids[state.depth], "irrelevant"), expected=state.seq)
    whole = session_snapshot(store, said["id"])
    labels = list(said["labels"])
    labels[said["counts"]["depth"]] = 0
    assert whole.state.labels.tolist() == labels
    agree(told(whole.advice_now, said["resumed"]), said["resumed"])


def test_the_lists_of_the_store_are_those_of_then(store: Store) -> None:
    def listed(archived: bool = False, deleted: bool = False) -> list[list[Any]]:
        return [
            [
                each.id,
                each.name,
                each.documents,
                each.labelled,
                each.stopped,
                each.decision is not None,
                each.scenario,
            ]
            for each in store.sessions(archived, deleted)
        ]

    assert listed() == SAID["summaries"]["in use"]
    assert listed(archived=True) == SAID["summaries"]["archived"]
    assert listed(deleted=True) == SAID["summaries"]["deleted"]
    kept = [
        [each.digest, each.name, each.deleted, each.calibrator.kind, each.calibrator.scenario]
        for each in store.kept_calibrators()
    ]
    assert kept == SAID["calibrators"]


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_file_is_taken_in_and_leaves_as_the_same_bytes_but_for_a_rule_of_another_name(
    store: Store, tmp_path: Path, name: str
) -> None:
    text = of_then = (OLD / "sessions" / f"{name}.json").read_bytes().decode("utf-8")
    begun = json.loads(text)["settings"]
    if taken_over(begun) != begun:
        # The settings it begins with; events are never changed.
        text = text.replace('"policy": "optimal"', '"policy": "open-loop"', 1)
        for foreign in ("needs_citation", "confirm_hits"):
            text = text.replace(f'"{foreign}": true', f'"{foreign}": false', 1)
    assert export_session(store, SESSIONS[name]["id"]) == text
    with Store(f"sqlite:///{tmp_path}/empty.db") as empty:
        taken = import_session(empty, of_then)
        assert before_import(export_session(empty, taken)) == text
        says_the_same(session_snapshot(empty, taken), SESSIONS[name])


@pytest.mark.parametrize("spec", SAID["own rules"])
def test_rules_of_a_persons_own_stop_where_they_stopped(store: Store, spec: str) -> None:
    policy = parse_policy(f"{OLD / 'own_rules.py'}:{spec}")
    assert [str(policy), check_policy(policy, 6).ok] == SAID["own rules"][spec]
    assert parse_policy(policy.spec) == policy
    for said in SESSIONS.values():
        whole = session_snapshot(store, said["id"])
        settings = whole.state.settings
        calibrator = whole.calibrators[settings.calibrator]
        p = calibrator.probabilities(whole.row.scores, whole.state.ranked)
        path = screening_path(settings, calibrator, p, whole.state)
        depths = policy.depths(path, [settings.cost, settings.cost / 10]).tolist()
        assert depths == said["own rules"][spec], said["name"]


def test_a_calibrator_file_gives_the_chances_it_gave() -> None:
    said, file = SAID["calibrator"], OLD / "calibrator.json"
    found = calibrators.load(file)
    assert (found.digest, found.kind, found.fitted_on.badge) == (said["digest"], said["kind"], said["badge"])
    assert math.isinf(found.frailty) and said["frailty"] == "inf"
    assert found.quality is not None and found.quality.brier == pytest.approx(said["brier"])
    chances = found.probabilities(np.array(said["scores"]), len(said["scores"]))
    assert chances.tolist() == pytest.approx(said["chances"])
    assert found.to_json().encode() == file.read_bytes()


def test_a_prior_file_gives_the_belief_it_gave() -> None:
    said, file = SAID["prior"], OLD / "prior.json"
    found = priors.load(file)
    assert found.learned_from is not None
    agree([found.b_0, found.s, found.tau], [said["b_0"], said["s"], said["tau"]])
    agree([found.learned_from.reviews, found.learned_from.gain], [said["reviews"], said["gain"]])
    study, *counts = zip(*said["tables"], strict=True)
    tables = Tables(study, *(np.array(each) for each in counts))
    agree(list(belief_path(tables, Question(0.75, "bivariate", found)).beliefs), said["beliefs"])
    assert replace(found, b_0=0.5).at(0.75).b_0 == 0.5
    assert found.to_json().encode() == file.read_bytes()


def test_a_file_of_a_share_of_reports_is_read_as_it_was() -> None:
    said, file = SAID["data share"], OLD / "data_share.json"
    found = extraction_rate.load(file)
    agree([found.mean, list(found.interval())], [said["mean"], said["interval"]])
    assert (found.topics, found.source) == (said["topics"], said["source"])
    assert found.to_json().encode() == file.read_bytes()
