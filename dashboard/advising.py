"""What is advised and why: sentences, curves, and where other rules stop."""

from __future__ import annotations

import html

import streamlit as st

from dashboard import shell
from dashboard.work import Work, clock
from tarstop_core import figures
from tarstop_core.advice import ALWAYS_SHOWN, Advice, stopping_outcomes
from tarstop_core.explain import Explanation, action, amount, documents, explain, number, percent, remarks
from tarstop_core.policies import POLICIES, Policy
from tarstop_core.samples import sample_qrels, sample_topics
from tarstop_core.session import Settings, State

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
    # With a plan there is its advice beside one's own: the panel is taller for the whole session.
    with st.container(height=250 if state.plan is None else 400, border=False, key="advice"):
        if state.former is not None and state.decision is None:
            _formerly(state)
        if state.decision is not None:
            _decided(work, state)
        elif state.stopped:
            st.info("Screening has stopped; the decision is still to be recorded.")
        st.html("".join(told))
    rows = [
        ("Chance that prior art exists", number(shown.b)),
        ("How sure before you act, q*", number(settings.payoffs.q_star)),
        ("The most certainty could be worth now", amount(shown.evpi, settings.payoffs.unit)),
    ]
    cells = "".join(f"<span>{html.escape(name)}</span><b>{html.escape(value)}</b>" for name, value in rows)
    calibrator, _ = work.chances(settings)
    badge = f"chances {html.escape(calibrator.fitted_on.badge)}"
    warnings = [*remarks(settings, calibrator), *work.mismatch(settings)]
    doubtful = "".join(f'<div class="tar-remark">⚠ {html.escape(warning)}</div>' for warning in warnings)
    st.html(f'<div class="tar-numbers">{cells}</div><p><span class="tar-badge">{badge}</span></p>{doubtful}')


def _told(told: Explanation, before: str) -> str:
    doubts = "".join(f"<li>{html.escape(doubt)}</li>" for doubt in told.doubts)
    return (
        f'<div class="tar-told" role="status"><div class="tar-word">{html.escape(before + told.word)}</div>'
        f"<p>{html.escape(told.sentence)}</p><p>{html.escape(told.stopping)}</p>"
        + (f"<ul>{doubts}</ul>" if doubts else "")
        + "</div>"
    )


def _sample_answer(work: Work) -> str:
    """For a sample search, the truth, which is known because it was invented; else nothing."""
    titles = dict(sample_topics()[["title", "topic"]].itertuples(index=False, name=None))
    topic = titles.get(work.collection.name) if work.collection.simulated else None
    if topic is None:
        return ""
    relevant = sample_qrels()[topic]
    at = [f"#{rank}" for rank, doc in enumerate(work.row.ids, start=1) if relevant.get(doc)]
    if not at:
        return " The truth of this simulated search: it holds no prior art."
    return f" The truth of this simulated search: prior art is at {', '.join(at)}."


def _decided(work: Work, state: State) -> None:
    decision = state.decision
    assert decision is not None
    since = "Verdicts have been changed since. " if decision.outdated else ""
    st.success(
        f"Decided: {shell.escape_markdown(action(decision.plus, state.settings))}, {clock(decision.time)}. "
        f"{since}You can keep screening at any time.{_sample_answer(work)}",
        icon=":material/check_circle:",
    )


def _formerly(state: State) -> None:
    former = state.former
    assert former is not None
    decided = shell.escape_markdown(action(former.plus, state.settings))
    st.caption(f"Decided: {decided}, {clock(former.time)}; reading on since.")


def curves(work: Work, state: State, settings: Settings, advice: Advice) -> None:
    path = work.paths(settings).path
    choice = st.session_state.get("curve_window") or "near"
    plan = state.depth + advice.more
    span = figures.window(len(path), state.depth, plan, "near" if choice == "near" else "all")
    rule = settings.rule
    figure = figures.live_curves(
        path.b,
        rule.worth(path),
        cost=settings.cost,
        q_star=settings.payoffs.q_star,
        depth=state.depth,
        plan=plan,
        hit=state.hit,
        span=span,
        unit=settings.payoffs.unit,
        worth_title="paper's score" if "score" in rule.worth_phrase else "worth each",
        log_depth=choice == "log",
        dark=st.context.theme.type == "dark",
    )
    sentence = curve_sentence(state, settings, advice)
    st.plotly_chart(figure, config={"staticPlot": True}, key="curves", alt=sentence, width="stretch")
    st.caption(shell.escape_markdown(sentence))
    st.segmented_control(
        "Documents drawn",
        list(WINDOWS),
        default="near",
        format_func=lambda name: WINDOWS[name],
        key="curve_window",
        label_visibility="collapsed",
    )


def curve_sentence(state: State, settings: Settings, advice: Advice) -> str:
    """What the two curves show, with their numbers."""
    q_star = settings.payoffs.q_star
    gap = advice.b - q_star
    side = "at" if abs(gap) < 1e-12 else "above" if gap > 0 else "below"
    text = (
        f"After {documents(state.depth)} the chance that prior art exists is {percent(advice.b)}, "
        f"{side} the threshold of {percent(q_star)}."
    )
    if advice.worth is not None and advice.more > 0 and state.hit is None:
        text += f" Dashed: the way to document {state.depth + advice.more:,} if nothing turns up."
    return text


def other_rules(work: Work, state: State, settings: Settings) -> None:
    """Where the chosen rule, the paper's Greedy and a fixed budget stop; the other rules folded away."""
    calibrator, p = work.chances(settings)
    chosen = settings.rule
    first = [chosen, *(policy for policy in ALWAYS_SHOWN if policy != chosen)]
    rest: list[Policy] = [kind() for name, kind in POLICIES.items() if kind not in {type(q) for q in first}]

    def said(policy: Policy, depth: int, plus: bool) -> str:
        passed = ", passed" if depth < state.depth else ""
        then = html.escape(action(plus, settings))
        return f"<strong>{html.escape(str(policy))}</strong> {depth:,} (“{then}”{passed})"

    outcomes = stopping_outcomes(settings, calibrator, p, state, [*first, *rest])
    stops = [(policy, depth, plus) for policy, (depth, plus) in zip([*first, *rest], outcomes, strict=True)]
    shown = " · ".join(said(*stop) for stop in stops[: len(first)])
    until = "on this list" if state.hit is not None else "on this list if nothing turns up"
    rows = "".join(
        f"<tr><td>{html.escape(str(policy))}</td><td>{depth:,}</td>"
        f"<td>{html.escape(action(plus, settings))}</td>"
        f"<td>{html.escape(policy.rule)}</td><td>{html.escape(policy.source)}</td></tr>"
        for policy, depth, plus in stops
    )
    st.html(f'<div class="tar-others">Where they stop {until}, with your assumptions: {shown}</div>')
    with st.expander("Other rules"):
        st.html(
            '<div class="tar-others"><table><thead><tr><th>rule</th><th>stops after</th><th>and chooses</th>'
            f"<th>what it does</th><th>source</th></tr></thead><tbody>{rows}</tbody></table></div>"
        )
