"""What is advised, at a glance and as curves; everything else is drawn when somebody asks why."""

import html

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import dark, picture
from dashboard.frame.work import Work, clock
from dashboard.parts.at_a_glance import chip, told
from dashboard.screen import grading
from tarstop_core.presentation import curves as presentation_curves
from tarstop_core.presentation.html import unbroken
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import Verdict, action, chance_in_words, verdict
from tarstop_core.sessions.answers import sample_answer

WINDOW = "curve_window"
WINDOWS = {"near": "last 50", "all": "all", "log": "all, log"}


def line(work: Work, state: State, advice: Advice) -> str:
    """The verdict or the decision in one line, for a phone, as HTML."""
    if state.decision is not None:
        decided = f"Decided: {action(state.decision.plus, state.settings)}"
        truth = sample_answer(work, state.settings, state.decision.plus)
        wrong = truth is not None and truth.wrong
        mark = chip(decided, *(("ask", "⚠") if wrong else ("stop", "✓")))
        return f'<div class="tar-line">{mark}</div>'
    said = verdict(advice, state.settings)
    return f'<div class="tar-line">{chip(said.word, said.mood, said.sign)} {html.escape(unbroken(said.brief))}</div>'


def advice_panel(work: Work, state: State, advice: Advice, shown: Advice, what_if: Settings | None) -> None:
    """The verdict, in one element: it is redrawn after every label."""
    parts = []
    if state.former is not None:
        former = html.escape(action(state.former.plus, state.settings))
        parts.append(f"Decided: {former}, {clock(state.former.time)}; reading on since.")
    if state.stopped:
        parts.append("Screening has stopped; the decision is still to be recorded.")
    parts = [f'<p class="tar-rest">{each}</p>' for each in parts]
    documents = grading.names(work, state.in_question) if advice.settled else []
    if state.plan is not None:
        parts.append(_told(verdict(work.advice(state.plan), state.plan, documents), "Registered plan"))
    if state.plan is None or state.plan != state.settings:
        parts.append(
            _told(verdict(advice, state.settings, documents), "Since the deviation" if state.plan else "")
        )
    if what_if:
        parts.append(_told(verdict(shown, what_if, documents), "What if"))
    if flagged := grading.reminder(work, state):
        parts.append(f'<div class="tar-flag">⚑ {html.escape(flagged)}</div>')
    st.html("".join(parts))


def _told(said: Verdict, whose: str) -> str:
    now, rests = html.escape(unbroken(said.now)), html.escape(unbroken(said.rests))
    return told(said, whose, f'<p class="tar-rest"><strong>{now}</strong> {rests}</p>')


def curves(work: Work, state: State, settings: Settings, advice: Advice) -> None:
    """Belief against the threshold, and what the next documents pay back."""
    path, rule, plan = work.paths(settings).path, settings.rule, state.depth + advice.more
    choice = st.session_state.get(WINDOW) or "near"
    span = presentation_curves.window(len(path), state.depth, plan, "near" if choice == "near" else "all")
    figure = presentation_curves.live_curves(
        path.b,
        rule.value_rate(path),
        cost=settings.cost,
        q_star=settings.payoffs.q_star,
        depth=state.depth,
        plan=plan,
        hit=state.hit,
        span=span,
        unit=settings.payoffs.unit,
        belief_title=scenario_of(settings).message("belief_on_list", settings=settings),
        worth_title="paper's score" if rule.criterion.is_score else "worth",
        log_depth=choice == "log",
        steps=path.in_steps,
        silent=state.silent if settings.kind.one_decides else None,
        dark=dark(),
    )
    picture(figure, curve_sentence(state, settings, advice))
    undrawn = rule.undrawn if advice.worth is None else ""
    shell.caption(f"{chance_in_words(advice, settings)} {undrawn}".rstrip())


def curve_sentence(state: State, settings: Settings, advice: Advice) -> str:
    """What the two curves show, with their numbers."""
    silent = int(state.silent.sum())
    left_open = f" ({silent:,} of them unsure or to be confirmed)" if silent else ""
    read = scenario_of(settings).message("read", advice=advice)
    belief = chance_in_words(advice, settings)
    text = f"After {read}{left_open}: {belief[0].lower()}{belief[1:]}"
    if advice.worth is not None and advice.more > 0 and state.hit is None:
        text += f" Dotted: the way to document {state.depth + advice.more:,} {if_nothing(settings)}."
    if len(state.evidence.tables):
        text += (
            " A study moves the curve where its document stands in the list, whenever its report was read."
        )
    if state.audit_every:
        text += " The curves jump where a document drawn at random stands, which has another chance than those beside it."
    if silent:
        text += (
            " Solid: the way here as it looks now, when it is known which documents told nothing; what was advised "
            "before each of them is in the export."
        )
    return text


def if_nothing(settings: Settings) -> str:
    """The condition of every plan."""
    return f"if {scenario_of(settings).message('nothing_further')} turns up"
