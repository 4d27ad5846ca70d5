"""What is at stake may be counted in anything: payoffs and all costs times k give the same depths and the same words,
with amounts k times as large.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarstop_core.belief.question import Question
from tarstop_core.evidence import words
from tarstop_core.evidence.curve_figures import value_of_more
from tarstop_core.evidence.summary import evidence
from tarstop_core.explore import figures, map_figure, maps, plans, sensitivity, sensitivity_figure
from tarstop_core.explore.lists import LabelledList
from tarstop_core.policies import Batch, Greedy, LookAhead, OpenLoop, Policy, Smooth
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.collections import sample_full_texts
from tarstop_core.screening.advice import advise, stopping_outcomes
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import protocol_paragraph, settings_rows
from tarstop_core.screening.wording import cost_warnings, explain
from tarstop_core.sessions.compare import comparison, outcome, outcome_sentence
from tarstop_core.sessions.demo import DEMO_REVIEW, start_demo, start_review_demo
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import Stakes
from tests.docs.test_guide import report_of

RULES: tuple[Policy, ...] = (OpenLoop(), Greedy(), Smooth(2), Batch(3), LookAhead(3))
STAKES = Stakes(Payoffs(2900, 1100, 2300, 1700, "£"), 7.0, 61.0)
"""No two equal, so that nothing hangs on which of equals comes first."""
# Powers of ten would hide much: with them even a sum of roundings stays what it was.
factors = st.floats(-4, 4).map(lambda x: float(f"{10**x:.4g}"))
AMOUNT = re.compile(r"[−-]?£[\d.,]*\d(?:e[-+]?\d+)?")


def same_but_scaled(before: str, after: str, k: float) -> None:
    """The words are the same, the amounts k times as large, as far as three digits or hundredths of a pound say it."""
    assert AMOUNT.sub("£", after) == AMOUNT.sub("£", before)
    amounts = [[_number(each) for each in AMOUNT.findall(text)] for text in (before, after)]
    assert amounts[1] == pytest.approx([k * each for each in amounts[0]], rel=0.0101, abs=0.0051 * max(1, k))


def _number(text: str) -> float:
    return float(re.sub("[£,]", "", text).replace("−", "-"))


@cache
def explored(kind: str) -> LabelledList:
    """The demo of this kind after some documents, a report with data, one without and one that waits."""
    with TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/t.db") as store:
        row = store.session(start_demo(store) if kind == "search" else start_review_demo(store))
        calibrator = store.calibrator(row.settings.calibrator)
    log = list(events(kind, row.ids))
    state = replay(row.settings.with_stakes(STAKES), row.ids, log)
    p = calibrator.probabilities(row.scores, len(row.ids))
    return LabelledList(row.name, state.settings, calibrator, p, state, simulated=True)


def events(kind: str, ids: Any) -> Iterator[Event]:
    texts = sample_full_texts(DEMO_REVIEW) if kind == "review" else {}
    for rank, doc in enumerate(ids[: 20 if texts else 9], start=1):
        yield Event("label", {"doc": doc, "label": "relevant" if doc in texts else "irrelevant"})
        if doc in texts and rank < 19:
            yield report_of(doc, texts[doc])


def told_on_screen(of: LabelledList, own: Settings) -> list[str]:
    """What Screen, Set up and the protocol say."""
    state = replace(of.state, settings=own)
    advice = advise(own, of.calibrator, of.p, state)
    said = explain(advice, own)
    facts = scenario_of(own).rows(advice, own)
    shown = [said.word, said.sentence, said.stopping, *said.robustness, f"{advice.more} {percent(advice.b)}"]
    shown += cost_warnings(own) + [f"{name}: {value}" for name, value in facts]
    shown += [f"{name}: {value}" for name, value in settings_rows(own, of.calibrator)]
    shown += [
        figures.check_sentence(own.stakes, own),
        protocol_paragraph(own, of.calibrator, size=len(of)),
    ]
    asked = [rule for rule in RULES if not rule.needs_labels]
    shown.append(str(stopping_outcomes(own, of.calibrator, of.p, state, asked)))
    if kind_of(of) == "review":
        value = words.value_sentence(found(own, of), own.payoffs)
        shown += [value, scenario_of(own).message("reports_first", advice=advice, settings=own)]
    return shown


def kind_of(of: LabelledList) -> str:
    return "review" if of.settings.two_stages else "search"


def found(own: Settings, of: LabelledList) -> Any:
    return evidence(of.state.evidence.tables, Question(own.theta, own.engine, own.belief_prior))


def told_by_explore(of: LabelledList, own: Settings, rule: Policy) -> list[str]:
    """Every sentence of Explore but those of its map."""
    now = plans.decide(of.planned(own), of.start, own.cost)
    plan = plans.cell_of(of, own, rule, "planned")
    swings = sensitivity.tornado(of, own, rule)
    turns = sensitivity.break_evens(of, own, rule)
    return [
        figures.plan_sentence(plan, of),
        figures.worth_sentence(plan, own),
        figures.path_sentence(plan, own),
        figures.full_cost_note(plan.path, own.cost),
        figures.stakes_sentence(now, own, plan),
        sensitivity_figure.tornado_sentence(swings, own),
        str([(swings.depth, *(each.depth for each in swings.swings))]),
        *sensitivity_figure.break_even_sentences(of, own, *turns),
    ]


@pytest.mark.parametrize("kind", ["search", "review"])
@settings(max_examples=12)
@given(k=factors)
def test_screen_says_the_same_in_every_unit(kind: str, k: float) -> None:
    of = explored(kind)
    before, after = (told_on_screen(of, of.settings.with_stakes(STAKES.scaled(each))) for each in (1, k))
    for one, other in zip(before, after, strict=True):
        same_but_scaled(one, other, k)


@pytest.mark.parametrize("kind", ["search", "review"])
@settings(max_examples=6)
@given(k=factors, rule=st.sampled_from(RULES))
def test_explore_says_the_same_in_every_unit(kind: str, k: float, rule: Policy) -> None:
    of = explored(kind)
    before, after = (
        told_by_explore(of, of.settings.with_stakes(STAKES.scaled(each)), rule) for each in (1, k)
    )
    for one, other in zip(before, after, strict=True):
        same_but_scaled(one, other, k)


@pytest.mark.parametrize(
    "kind, k",
    [
        *(("search", 0.00137), ("search", 5500.0)),
        pytest.param("review", 0.00137, marks=pytest.mark.deep),  # its depths are those of the test below
    ],
)
def test_maps_are_the_same_in_every_unit(kind: str, k: float) -> None:
    of = explored(kind)
    (before,), (after,) = (
        maps.maps(
            of, of.settings.with_stakes(STAKES.scaled(each)), [OpenLoop()], "planned", (Greedy(), OpenLoop())
        )
        for each in (1, k)
    )
    assert (before.measures["depth"] == after.measures["depth"]).all() and (
        before.option == after.option
    ).all()
    assert after.measures["net_utility"] == pytest.approx(k * before.measures["net_utility"])
    assert after.measures["regret"] == pytest.approx(k * before.measures["regret"], abs=1e-9 * k)
    for measure in ("depth", "net_utility", "decision", "regret"):
        same_but_scaled(map_figure.map_sentence(before, measure), map_figure.map_sentence(after, measure), k)


@pytest.mark.parametrize("kind", ["search", "review"])
def test_naming_a_unit_changes_no_depth_and_no_map(kind: str) -> None:
    """The first unit for stakes that had none; what a report costs follows, as everything else does."""
    of = explored(kind)
    plain = of.settings.with_stakes(Stakes(Payoffs.from_q_star(0.4), 0.002, 0.02))
    named = plain.with_stakes(plain.stakes.with_unit("£"))
    reports = 10 if isinstance(named, ReviewSettings) else 0
    assert (named.cost, named.stakes.full_cost) == (pytest.approx(1), pytest.approx(reports))
    (before,), (after,) = (maps.maps(of, each, [OpenLoop()], "planned") for each in (plain, named))
    assert (before.measures["depth"] == after.measures["depth"]).all()
    for rule in RULES:
        now, then = (sensitivity.tornado(of, each, rule) for each in (plain, named))
        assert (now.depth, [each.depth for each in now.swings]) == (
            then.depth,
            [each.depth for each in then.swings],
        )


def test_more_studies_are_drawn_in_the_unit() -> None:
    of = explored("review")
    found_ = found(of.settings, of)
    plain, money = (value_of_more(found_, each) for each in (Payoffs.from_q_star(0.5), STAKES.payoffs))
    assert "cost 1" in plain["layout"]["yaxis"]["title"]["text"]
    assert money["layout"]["yaxis"]["title"]["text"] == "worth (£)"
    half = found_.more_studies(Payoffs.from_q_star(0.5, 8000, "£"))
    one = found_.more_studies(Payoffs.from_q_star(0.5))
    assert half is not None and one is not None and half.evsi == pytest.approx(8000 * one.evsi)
    assert "where both" not in words.value_sentence(found_, STAKES.payoffs)


@pytest.mark.parametrize("kind", ["search", "review"])
def test_a_session_and_its_report_are_the_same_in_every_unit(kind: str, tmp_path: Path) -> None:
    k = 137.0
    told = []
    for factor in (1.0, k):
        with Store(f"sqlite:///{tmp_path}/{factor:g}.db") as store:
            session = start_demo(store) if kind == "search" else start_review_demo(store)
            begun = store.session(session).settings
            log = [
                Event(
                    "settings", {"settings": begun.with_stakes(STAKES.scaled(factor)).to_dict(), "reason": ""}
                ),
                *events(kind, store.session(session).ids),
            ]
            for seq, event in enumerate(log):
                store.append(session, event, expected=seq)
            whole = session_snapshot(store, session)
            steps = [
                {
                    name: value
                    for name, value in step.items()
                    if name not in ("cost", "worth", "evpi", "value")
                }
                for step in whole.steps
            ]
            again = outcome_sentence(outcome(whole, whole.state.settings), whole.state.settings)
            page = re.sub(r"<svg.*?</svg>|<pre>.*?</pre>", "", report_html(whole), flags=re.DOTALL)
            page = re.sub(r"\d\d:\d\d(:\d\d)?|[0-9a-f]{12,}|£[\d,.]+ → ", "", page)
            told.append((whole, steps, [again, str(comparison([whole])), page]))
    (one, steps, before), (other, steps_then, after) = told
    assert np.isclose(other.state.spent, k * one.state.spent) and one.state.spent > 0
    assert [[step[name] for name in ("advice", "b")] for step in steps] == [
        [step[name] for name in ("advice", "b")] for step in steps_then
    ]
    for first, second in zip(before, after, strict=True):
        same_but_scaled(first, second, k)
