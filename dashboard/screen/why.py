"""Why that is advised: every number, where it comes from, and where other rules stop; drawn when somebody looks."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import button, lasting, switch
from dashboard.frame.work import MANAGE, Work
from dashboard.parts import document
from dashboard.screen import advising
from dashboard.screen.reading import block, names
from tarstop_core.calibration.calibration_monitor import Check
from tarstop_core.policies import POLICIES, Policy
from tarstop_core.policies.registry import beside
from tarstop_core.presentation.numbers import amount_or_documents, count_of, number
from tarstop_core.screening.advice import ALWAYS_SHOWN, stopping_outcomes
from tarstop_core.screening.advised import Advice, ReviewFacts
from tarstop_core.screening.audit import recall_sentence
from tarstop_core.screening.live_check import check_sentence, rescaled, scale_before
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
    """Everything that the verdict rests on; folded, how many warnings there are."""
    warnings = warned(work, state, settings)
    if rival := scenario_of(settings).rival(settings, state):
        st.html(block("remark", rival))
    # What speaks against the chances, or was done about it, is not left to be asked for.
    check = work.check
    if urgent := check is not None and (check.evidence.warned or state.settings.scale != 1):
        _live_check(work, state, check)
    # Not in the label: with another one it would be folded again.
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
        reasons = block(
            "why",
            warnings,
            explain(advice, settings, names(work, state.in_question)),
            options(advice, settings, work.paths(settings).path),
            recall_sentence(state),
            rows,
            marks,
            advising.curve_sentence(state, settings, advice),
            shell.guide(place="what-the-advice-means"),
            shell.guide("recall_statement"),
        )
        st.html(reasons)
        if not urgent:
            _live_check(work, state, check)
        other_rules(work, state, settings)
        if settings.weighs:
            switch(
                "Documents drawn", advising.WINDOWS, **lasting(advising.WINDOW), label_visibility="collapsed"
            )
        if work.row.query or work.because:
            hint = "Other forms of a word are underlined too: folded for fold, Gerät for Gerat."
            words = "Underline words of what you look for"
            st.toggle(words, value=True, **lasting(document.MARKING), help=hint)


def warned(work: Work, state: State, settings: Settings) -> list[str]:
    """What speaks against taking the advice at its word, a sentence each."""
    calibrator, _ = work.chances(settings)
    warnings = [*remarks(settings, calibrator), *work.mismatch(settings)]
    if settings.reads_full_texts:
        warnings += dict.fromkeys((*state.evidence.notes, *scenario_of(settings).notes(settings, state)))
    return warnings


def options(advice: Advice, settings: Settings, path: ListPath) -> list[tuple[str, str, str, str]]:
    """Return the two ways to go on in two stages: name, worth, cost, and the best plan."""
    facts = advice.facts
    in_unit = partial(amount_or_documents, unit=settings.payoffs.unit, cost=advice.cost)
    if not isinstance(facts, ReviewFacts) or not settings.two_stages:
        return []
    # The plan counts what waits as read, which the paper's score does not: both may be true at once.
    none = "none after the reports" if facts.reports_first else "none gains"
    over = advice.depth >= advice.documents
    # A rule that weighs plans looks again after every study, as the headline says; `facts.plan` is read to its end.
    more = advice.more if settings.rule.weighs_plans else facts.plan
    plan = "none left" if over else f"about {more:,} more" if more else none
    if advice.next_find is not None and settings.rule.weighs_plans:
        plan = "until the next study"
    worth = "–" if advice.worth is None else f"{in_unit(advice.worth)} each"
    if advice.worth is None and not over and (least := settings.rule.least_rate(path)) is not None:
        # The bound is that of plans read to their end: those that look again pay wherever the rule goes on.
        bound, reads_on = float(least[advice.depth]), advice.more > 0 and advice.held_by is None
        worth = f"at least {in_unit(max(bound, advice.cost))} each" if reads_on else "less than they cost"
    score = " (score)" if settings.rule.criterion.is_score else ""
    abstracts = (f"Screen more abstracts{score}", worth, f"{in_unit(advice.cost)} each", plan)
    reports = f"Read waiting reports ({facts.waiting:,})"
    if not facts.waiting:
        return [abstracts, (reports, "–", f"{in_unit(settings.cost_in_full)} each", "none waits")]
    pays = f"{facts.reports_to_read:,} of {facts.waiting:,}" if facts.reports_first else "none pays"
    return [abstracts, (reports, in_unit(facts.reports_worth), in_unit(facts.reports_cost), pays)]


def other_rules(work: Work, state: State, settings: Settings) -> None:
    """Where the chosen rule, the paper's Greedy and a fixed budget stop; the other rules folded away."""
    others = (policy for policy in ALWAYS_SHOWN if settings.weighs or settings.may_follow(type(policy)))
    first = [settings.rule, *(policy for policy in others if policy != settings.rule)]
    stops = [
        (policy.brief, *_told(policy, stop, state, settings))
        for policy, stop in zip(first, _stops(work, state, settings, first), strict=True)
    ]
    until = "on this list" if state.hit is not None else f"on this list {advising.if_nothing(settings)}"
    st.html(block("rules", until, settings.weighs, stops))
    # There are some twenty rules, and not all are quick: they are asked when somebody looks.
    with st.expander("Other rules", key="other_rules", on_change="rerun") as folded:
        if folded.open:
            rows, listed = [], {type(policy) for policy in first}
            kinds = (kind for kind in POLICIES.values() if kind not in listed and not kind.is_oracle)
            about = (kind for kind in kinds if settings.weighs or not kind.acts_on_belief)
            policies = [*first, *(beside(kind, settings.rule) for kind in about)]
            for policy, stop in zip(policies, _stops(work, state, settings, policies), strict=True):
                rows.append((policy.brief, *_told(policy, stop, state, settings), policy.rule, policy.source))
            chosen = "and chooses" if settings.weighs else "what it promises"
            st.html(block("other_rules", ("rule", "stops after", chosen), rows))


Stop = tuple[int, int]
"""Where a rule stops and which option it then takes."""


def _told(policy: Policy, stop: Stop | None, state: State, settings: Settings) -> tuple[str, str]:
    """Where a rule stops, and what it then chooses; where nothing is weighed, what it promises of recall."""
    if stop is None:
        return NEEDS_LABELS, ""
    depth, option = stop
    where = "would stop now" if depth == state.depth else f"{depth:,}"
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
    """What was expected, what was found, and the press that mends the chances or takes that back."""
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
        widths = [2.4, 1] if offered else 1
        words, *right = st.columns(widths, gap="medium", vertical_alignment="center")
        says = check_sentence(check, settings, state)
        words.html(block("check", says, shell.guide("still_unread", "the-check-of-the-chances")))
        if not offered:
            return
        what = (work.change_settings, moved, state.seq, reason)
        button(label, *what, key="rescale", at=right[0], help=HELP, width="stretch")
