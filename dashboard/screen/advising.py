"""What is advised and why: sentences, curves, and where other rules stop."""

import html
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import AsItIs, dark
from dashboard.frame.markup import badges, lines, numbers
from dashboard.frame.widgets import switch
from dashboard.frame.work import Work, clock
from dashboard.screen import grading
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior
from tarstop_core.evidence.summary import evidence
from tarstop_core.policies import POLICIES, Policy
from tarstop_core.presentation import curves as presentation_curves
from tarstop_core.presentation.numbers import amount, number, percent
from tarstop_core.screening.advice import ALWAYS_SHOWN, stopping_outcomes
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.audit import recall_sentence
from tarstop_core.screening.explain import Explanation, action, chances_badge, explain, question, remarks
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import Decision, State
from tarstop_core.sessions.answers import sample_answer

NEEDS_LABELS = "needs labels nobody has yet"
ABOUT = (
    f'<p class="tar-meta"><a class="tar-term" href="{shell.guide(place="what-the-advice-means")}" target="_blank" '
    'rel="noopener">What the advice means, and how sure it is</a></p>'
)
BOUND = f'<a class="tar-term" href="{shell.guide("recall_statement")}" target="_blank" rel="noopener">How that is known</a>'
WINDOWS = {"near": "last 50", "all": "all", "log": "all, log"}


def advice_panel(work: Work, state: State, advice: Advice, shown: Advice, what_if: Settings | None) -> None:
    """The advice, in few elements: each is redrawn after every label."""
    settings = what_if or state.settings
    told = []
    if state.plan is not None:
        told.append(_told(explain(work.advice(state.plan), state.plan), "Registered plan: "))
    if state.plan is None or state.plan != state.settings:
        told.append(_told(explain(advice, state.settings), "Since the deviation: " if state.plan else ""))
    if what_if:
        told.append(_told(explain(shown, what_if), "What if: "))
    with st.container(height=_height(state), border=False, key="advice"):
        if state.former is not None and state.decision is None:
            former = shell.escape_markdown(action(state.former.plus, state.settings))
            st.caption(f"Decided: {former}, {clock(state.former.time)}; reading on since.")
        if state.decision is not None:
            _decided(work, state, state.decision)
        elif state.stopped:
            st.info("Screening has stopped; the decision is still to be recorded.")
        st.html("".join(told))
        flagged = grading.reminder(work, state)
        if flagged:
            st.html(f'<div class="tar-flag">⚑ {html.escape(flagged)}</div>')
    rows = [
        (f"Chance that {question(settings)}", number(shown.b)),
        ("How sure before you act, q*", number(settings.payoffs.q_star)),
        ("The most certainty could be worth now", amount(shown.evpi, settings.payoffs.unit)),
    ]
    rows += scenario_of(settings).facts_rows(shown, settings)
    cells = numbers(rows, shell.linked)
    calibrator, _ = work.chances(settings)
    marks = [f"chances {chances_badge(calibrator, settings)}"]
    warnings = [*remarks(settings, calibrator), *work.mismatch(settings)]
    if settings.kind.reads_full_texts:
        marks += belief_badges(settings)
        found = evidence(state.evidence.tables, settings.theta, settings.engine, settings.belief_prior)
        warnings += dict.fromkeys((*state.evidence.notes, *found.notes))
    warnings += filter(None, [scenario_of(settings).rival(settings, state)])
    doubtful = "".join(f'<div class="tar-remark">⚠ {html.escape(warning)}</div>' for warning in warnings)
    recall = recall_sentence(state)
    audited = f'<p class="tar-meta" data-testid="audit">{html.escape(recall)} {BOUND}</p>' if recall else ""
    st.html(
        f'{_options(shown, settings)}{audited}<div class="tar-numbers">{cells}</div><p>{badges(*marks)}</p>{doubtful}'
    )


def _height(state: State) -> int:
    """Pixels for the advice: the same after every label, more from a plan, a deviation or a decision on."""
    height = 350 if state.settings.kind.reads_full_texts else 310
    if state.plan is not None:
        # Room for the plan's advice beside one's own, before the first what-if moves the slider away.
        height = 400 if state.settings == state.plan else 620
    if state.decision is not None:
        return height + 130
    return height + 80 * state.stopped + 40 * (state.former is not None)


def belief_badges(settings: Settings) -> list[str]:
    """Where the belief of a review comes from and what it is held against."""
    engine, learned = ENGINES[settings.engine], settings.prior.learned_from
    if not engine.knows_prior:
        prior = f"no prior: {percent(settings.b_0)} until {engine.needs} studies are in"
    elif learned is not None:
        prior = f"prior learned from {learned.source or f'{learned.reviews:,} reviews'}, b₀ = {number(settings.b_0)}"
    elif settings.prior == replace(Prior(), b_0=settings.prior.b_0):
        prior = f"weak prior, b₀ = {number(settings.b_0)}"
    else:
        prior = f"a prior of your own, b₀ = {number(settings.b_0)}"
    truth = "pooled sensitivity" if settings.truth == "pooled" else "what the whole list would lead to"
    return [engine.badge, prior, f"right decision: by {truth}"]


def _options(advice: Advice, settings: Settings) -> str:
    """The two ways to go on, side by side: what each is worth and what it costs."""
    if not settings.two_stages:
        return ""
    told, unit = advice.facts, settings.payoffs.unit
    plan = f"about {told.plan:,} more" if told.plan else "none gains"
    if advice.depth >= advice.documents:
        plan = "none left"
    worth = "–" if advice.worth is None else amount(advice.worth, unit)
    rows = [("Screen more abstracts", worth, amount(advice.cost, unit), plan)]
    reports = f"Read waiting reports ({told.waiting:,})"
    if told.waiting:
        pays = f"{told.reports_to_read:,} of {told.waiting:,}" if told.reports_first else "none pays"
        rows.append((reports, amount(told.report_worth, unit), amount(told.report_cost, unit), pays))
    else:
        rows.append((reports, "–", amount(settings.full_cost, unit), "none waits"))
    return (
        '<table class="tar-options"><thead><tr><th scope="col">To go on</th><th scope="col">worth each</th>'
        f'<th scope="col">costs each</th><th scope="col">best plan</th></tr></thead><tbody>{lines(rows)}</tbody></table>'
    )


def _told(told: Explanation, before: str) -> str:
    doubts = "".join(f"<li>{html.escape(doubt)}</li>" for doubt in told.doubts)
    return (
        f'<div class="tar-told" role="status"><div class="tar-word">{html.escape(before + told.word)}</div>'
        f"<p>{html.escape(told.sentence)}</p><p>{html.escape(told.stopping)}</p>"
        + (f"<ul>{doubts}</ul>" if doubts else "")
        + "</div>"
    )


def _decided(work: Work, state: State, decision: Decision) -> None:
    since = "Verdicts have been changed since. " if decision.outdated else ""
    truth = shell.escape_markdown(sample_answer(work, state.settings, decision.plus))
    st.success(
        f"Decided: {shell.escape_markdown(action(decision.plus, state.settings))}, {clock(decision.time)}. "
        f"{since}You can keep screening at any time.{truth}",
        icon=":material/check_circle:",
    )


def curves(work: Work, state: State, settings: Settings, advice: Advice) -> None:
    path = work.paths(settings).path
    choice = st.session_state.get("curve_window") or "near"
    plan = state.depth + advice.more
    span = presentation_curves.window(len(path), state.depth, plan, "near" if choice == "near" else "all")
    rule = settings.rule
    figure = presentation_curves.live_curves(
        path.b,
        rule.worth(path),
        cost=settings.cost,
        q_star=settings.payoffs.q_star,
        depth=state.depth,
        plan=plan,
        hit=state.hit,
        span=span,
        unit=settings.payoffs.unit,
        belief_title=scenario_of(settings).belief_on_list(settings),
        worth_title="paper's score" if "score" in rule.worth_phrase else "worth each",
        log_depth=choice == "log",
        steps=path.in_steps,
        dark=dark(),
    )
    sentence = curve_sentence(state, settings, advice)
    st.plotly_chart(AsItIs(figure), config={"staticPlot": True}, key="curves", alt=sentence, width="stretch")
    shell.caption(sentence)
    st.html(ABOUT)
    switch("Documents drawn", WINDOWS, key="curve_window", label_visibility="collapsed")


def curve_sentence(state: State, settings: Settings, advice: Advice) -> str:
    """What the two curves show, with their numbers."""
    q_star = settings.payoffs.q_star
    gap = advice.b - q_star
    side = "at" if abs(gap) < 1e-12 else "above" if gap > 0 else "below"
    silent = int(state.silent.sum())
    left_open = f" ({silent:,} of them unsure or to be confirmed)" if silent else ""
    text = (
        f"After {scenario_of(settings).read_in_words(advice)}{left_open} the chance that {question(settings)} is {percent(advice.b)}, "
        f"{side} the threshold of {percent(q_star)}."
    )
    if advice.worth is not None and advice.more > 0 and state.hit is None:
        text += f" Dashed: the way to document {state.depth + advice.more:,} {_if_nothing(settings)}."
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


def other_rules(work: Work, state: State, settings: Settings) -> None:
    """Where the chosen rule, the paper's Greedy and a fixed budget stop; the other rules folded away."""
    first = [settings.rule, *(policy for policy in ALWAYS_SHOWN if policy != settings.rule)]
    shown = " · ".join(
        f"<strong>{shell.linked(str(policy))}</strong> {_said(stop, state, settings)}"
        for policy, stop in zip(first, _stops(work, state, settings, first), strict=True)
    )
    until = "on this list" if state.hit is not None else f"on this list {_if_nothing(settings)}"
    st.html(
        f'<div class="tar-others">How many documents these rules read in all {until}, and what they then choose, with '
        f"your assumptions: {shown}</div>"
    )
    # There are some twenty rules, and not all are quick: they are asked when somebody looks.
    with st.expander("Other rules", key="other_rules", on_change="rerun") as folded:
        if folded.open:
            known = {type(policy) for policy in first}
            kinds = [kind for kind in POLICIES.values() if kind not in known and not kind.knows_truth]
            policies = [*first, *(kind() for kind in kinds)]
            rows = []
            for policy, stop in zip(policies, _stops(work, state, settings, policies), strict=True):
                depth = NEEDS_LABELS if stop is None else f"{stop[0]:,}"
                then = "" if stop is None else action(stop[1], settings)
                cells = (depth, then, policy.rule, policy.source)
                told = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
                rows.append(f"<td>{shell.linked(str(policy))}</td>{told}")
            st.html(
                '<div class="tar-others" style="overflow-x:auto" tabindex="0" role="region" aria-label="Other rules">'
                "<table><thead><tr><th>rule</th><th>stops after</th><th>and chooses</th>"
                "<th>what it does</th><th>source</th></tr></thead>"
                f"<tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table></div>"
            )


Stop = tuple[int, bool] | None
"""Where a rule stops and whether it then takes a⁺; None where it needs labels that nobody has yet."""


def _stops(work: Work, state: State, settings: Settings, policies: Sequence[Policy]) -> list[Stop]:
    asked = [policy for policy in policies if not policy.needs_labels]
    found = stopping_outcomes(settings, *work.chances(settings), state, asked, work.paths(settings))
    stops = iter(found)
    return [None if policy.needs_labels else next(stops) for policy in policies]


def _said(stop: Stop, state: State, settings: Settings) -> str:
    if stop is None:
        return NEEDS_LABELS
    depth, plus = stop
    passed = ", would have stopped before" if depth < state.depth else ""
    return f"{depth:,} (“{html.escape(action(plus, settings))}”{passed})"


def _if_nothing(settings: Settings) -> str:
    return f"if {scenario_of(settings).nothing_further} turns up"
