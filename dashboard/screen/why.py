"""The fold with the reasons of the advice: every number, its source, and where other rules stop."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import lasting, switch
from dashboard.frame.work import MANAGE, Work, button
from dashboard.parts import document
from dashboard.screen import advising
from dashboard.screen.reading import block, document_names
from tarstop_core.calibration.calibration_monitor import Check
from tarstop_core.policies import POLICIES, Policy
from tarstop_core.policies.registry import with_same_target
from tarstop_core.presentation.numbers import amount_or_documents, count_of, number
from tarstop_core.screening.advice import ALWAYS_SHOWN, stopping_outcomes
from tarstop_core.screening.advised import Advice, ReviewFacts
from tarstop_core.screening.audit import recall_sentence
from tarstop_core.screening.live_check import (
    check_sentence,
    evidence_so_far,
    live_check,
    rescaled,
    scale_before,
)
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import action, chances_badge, explain, remarks
from tarstop_core.value.path import ListPath

KEY = "why"
HELP = (
    "This multiplies all chances of this session by the factor that best fits all sessions with the former "
    "chances. Evidence against the new chances is counted from zero."
)
NEEDS_LABELS = "needs labels that nobody has given yet"


def panel(work: Work, state: State, settings: Settings, advice: Advice) -> None:
    """The fold with everything that the verdict rests on, below the number of its warnings."""
    warnings = warned(work, state, settings)
    if second_opinion := scenario_of(settings).second_opinion(settings, state):
        st.html(block("remark", second_opinion))
    # Evidence against the chances, and a change of them, is shown without opening the fold.
    evidence = work.of_chances(evidence_so_far, work.paths(state.settings).path)
    doubted = state.settings.scale != 1 or evidence.warned
    check = work.of_chances(live_check, evidence) if doubted else None
    if check is not None:
        _live_check(work, state, check)
    # The number is not in the fold's label, because a new label would close the fold.
    if warnings:
        st.html(block("remark", f"{count_of(len(warnings), 'warning', 'warnings')}, under Why"))
    with st.expander("Why?", key=KEY, on_change="rerun", type="compact") as folded:
        if not folded.open:
            return
        calibrator, _ = work.chances(settings)
        rows = scenario_of(settings).rows(advice, settings)
        if state.fit is not None and state.settings.learns:
            learned = (
                f"fit {state.fit['number']:,}, after {state.fit['after']:,} labels ({state.fit['ranker']})"
            )
            rows.append(("Learned order of what comes next", learned))
        marks = [f"chances {chances_badge(calibrator, settings)}", *scenario_of(settings).badges(settings)]
        explanation = explain(
            work.advice(settings, at_other_costs=True), settings, document_names(work, state.in_question)
        )
        if state.decision is not None:
            explanation = replace(explanation, stopping="")  # The decision above says what was chosen
        reasons = block(
            "why",
            warnings,
            explanation,
            options(advice, settings, work.paths(settings).path),
            recall_sentence(state),
            rows,
            marks,
            advising.curve_sentence(state, settings, advice),
            shell.guide(place="what-the-advice-means"),
            shell.guide("recall_statement"),
        )
        st.html(reasons)
        if check is None:
            _live_check(work, state, work.of_chances(live_check, evidence))
        other_rules(work, state, settings, advice.reports)
        if settings.weighs:
            switch(
                "Documents drawn", advising.WINDOWS, **lasting(advising.WINDOW), label_visibility="collapsed"
            )
        if work.row.query or work.because:
            hint = "Other forms of a word are underlined too: folded for fold, Gerät for Gerat."
            words = "Underline words of what you look for"
            st.toggle(words, value=True, **lasting(document.MARKING), help=hint)


def warned(work: Work, state: State, settings: Settings) -> list[str]:
    """Sentences with reasons to doubt the advice."""
    calibrator, _ = work.chances(settings)
    warnings = [*remarks(settings, calibrator), *work.mismatch(settings)]
    if settings.reads_full_texts:
        warnings += dict.fromkeys((*state.evidence.notes, *scenario_of(settings).notes(settings, state)))
    return warnings


def options(advice: Advice, settings: Settings, path: ListPath) -> list[tuple[str, str, str, str]]:
    """Return the two ways to go on in a review in two stages: name, worth, cost and best plan; else nothing."""
    facts = advice.facts
    in_unit = partial(amount_or_documents, unit=settings.payoffs.unit, cost=advice.cost)
    if not isinstance(facts, ReviewFacts) or not settings.two_stages:
        return []
    # The plan takes waiting reports as read and the paper's score does not, so both texts can be right at once.
    none = "none after the reports" if facts.reports_first else "none gains"
    over = advice.depth >= advice.documents
    # `facts.plan` is a plan without another look; a rule that weighs plans looks again after every study.
    more = advice.more if settings.rule.weighs_plans else facts.plan
    plan = "none left" if over else f"about {more:,} more" if more else none
    if advice.next_find is not None and settings.rule.weighs_plans:
        plan = "until the next study"
    worth = "–" if advice.worth is None else f"{in_unit(advice.worth)} each"
    here = np.array([advice.depth])
    if advice.worth is None and not over and (least := settings.rule.least_rate(path, here)) is not None:
        # A lower bound from plans without another look; with one, reading pays wherever the rule goes on.
        bound, reads_on = float(least[0]), advice.more > 0 and advice.held_by is None
        worth = f"at least {in_unit(max(bound, advice.cost))} each" if reads_on else "less than they cost"
    score = " (score)" if settings.rule.criterion else ""
    abstracts = (f"Screen more abstracts{score}", worth, f"{in_unit(advice.cost)} each", plan)
    reports = f"Read waiting reports ({facts.waiting:,})"
    if not facts.waiting:
        return [abstracts, (reports, "–", f"{in_unit(settings.cost_in_full)} each", "none waits")]
    pays = f"{facts.reports_to_read:,} of {facts.waiting:,}" if facts.reports_first else "none pays"
    return [abstracts, (reports, in_unit(facts.reports_worth), in_unit(facts.reports_cost), pays)]


def other_rules(work: Work, state: State, settings: Settings, reports: int) -> None:
    """Where the chosen rule, the paper's Greedy and a fixed budget stop; the other rules folded away.

    All of them stop screening alone while `reports` are to be read first.
    """
    others = (policy for policy in ALWAYS_SHOWN if settings.weighs or settings.may_follow(type(policy)))
    first = [settings.rule, *(policy for policy in others if policy != settings.rule)]
    stops = [
        (policy.brief, *_cells(policy, stop, state, settings, reports))
        for policy, stop in zip(first, _stops(work, state, settings, first), strict=True)
    ]
    until = "on this list" if state.hit is not None else f"on this list {advising.if_nothing(settings)}"
    st.html(block("rules", until, settings.weighs, stops, reports))
    # There are some twenty rules, not all of them quick, so they are computed only if the fold is open.
    with st.expander("Other rules", key="other_rules", on_change="rerun") as folded:
        if folded.open:
            rows, listed = [], {type(policy) for policy in first}
            kinds = (kind for kind in POLICIES.values() if kind not in listed and not kind.is_oracle)
            about = (kind for kind in kinds if settings.weighs or not kind.acts_on_belief)
            policies = [*first, *(with_same_target(kind, settings.rule) for kind in about)]
            for policy, stop in zip(policies, _stops(work, state, settings, policies), strict=True):
                cells = _cells(policy, stop, state, settings, reports)
                rows.append((policy.brief, *cells, policy.rule, policy.source))
            chosen = "and chooses" if settings.weighs else "what it promises"
            st.html(block("other_rules", ("rule", "stops after", chosen), rows))


Stop = tuple[int, int]
"""Depth at which a rule stops, and the option that it then takes."""


def _cells(
    policy: Policy, stop: Stop | None, state: State, settings: Settings, reports: int
) -> tuple[str, str]:
    """Words for a rule's stop, and for its action or, if nothing is weighed, for its promise about recall."""
    if stop is None:
        return NEEDS_LABELS, ""
    depth, option = stop
    now = "would screen no more" if reports else "would stop now"
    where = now if depth == state.depth else f"{depth:,}"
    if depth < state.depth:
        where = f"{depth:,}, passed"
    return where, action(option, settings) if settings.weighs else policy.promise.value


def _stops(work: Work, state: State, settings: Settings, policies: Sequence[Policy]) -> list[Stop | None]:
    """Return where rules stop; None for a rule that needs labels that are not given yet."""
    answerable = [
        settings.may_follow(type(policy)) and not (policy.needs_draws and state.drawn is None)
        for policy in policies
    ]
    asked = [policy for policy, answers in zip(policies, answerable, strict=True) if answers]
    outcomes = stopping_outcomes(settings, *work.chances(settings), state, asked, work.paths(settings))
    stops = iter(outcomes)
    return [next(stops) if answers else None for answers in answerable]


def _live_check(work: Work, state: State, check: Check | None) -> None:
    """The expected and the found number of relevant documents, and a button that corrects the chances or undoes that."""
    settings = state.settings
    with st.container(key="live_check"):
        moved, reason, label = settings, "", ""
        if check is not None and check.offered is not None:
            moved, reason = rescaled(settings, check)
            label = f"Multiply the chances by {number(moved.scale)}"
        elif settings.scale != 1:
            moved = replace(settings, scale=scale_before(work.row.settings, work.events))
            reason = f"The last change of the chances was taken back, from {number(settings.scale)}."
            label = f"Take back “× {number(settings.scale)}”"
        offered = moved.scale != settings.scale and MANAGE in work.may
        columns = [2.4, 1] if offered else 1
        words, *right = st.columns(columns, gap="medium", vertical_alignment="center")
        says = check_sentence(check, settings, state)
        words.html(block("check", says, shell.guide("still_unread", "the-check-of-the-chances")))
        if not offered:
            return
        what = (work.change_settings, moved, state.seq, reason)
        button(label, *what, key="rescale", at=right[0], help=HELP, width="stretch")
