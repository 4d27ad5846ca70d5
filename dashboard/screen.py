"""The Screen page: the document first, the advice second, the curves third."""

from __future__ import annotations

import html
import re

import streamlit as st

from dashboard import shell, stakes
from dashboard.deciding import dialog_open, open_dialog, stop_dialog
from dashboard.work import Work, attempt, clock, flash, open_work, reviewer
from tarstop_core import figures
from tarstop_core.advice import ALWAYS_SHOWN, Advice, screening_path, stopping_depths, trace
from tarstop_core.explain import Explanation, action, amount, consequences, explain, number, percent
from tarstop_core.files import trace_to_csv
from tarstop_core.policies import POLICIES, Policy
from tarstop_core.ranking import matched_terms
from tarstop_core.session import NAMES, Event, Label, Settings, State
from tarstop_core.store import Record

LOOK_BACK = "_looking_at"
WHAT_IF = "_what_if"
NOTING = "_noting"
WINDOWS = {"near": "last 50", "all": "all", "log": "all, log"}
VERDICTS: tuple[tuple[Label, str, str], ...] = (
    ("relevant", "Relevant", "i"),
    ("irrelevant", "Not relevant", "e"),
    ("unsure", "Unsure", "u"),
)
KEYS_SCRIPT = """<script>if(!window.tarstopKeys){window.tarstopKeys=true;
document.addEventListener('keydown',e=>{
  const typing=e.target.closest&&e.target.closest('input:not([type=range]),textarea,select,[contenteditable]');
  if(e.repeat&&e.key.length===1&&!typing)e.stopImmediatePropagation();
  if(e.key==='Escape'&&e.target.type==='range')e.target.blur();},true);
document.addEventListener('pointerup',()=>setTimeout(()=>{const a=document.activeElement;
  if(a&&a.type==='range')a.blur();},0),true);}</script>"""


def screen_page() -> None:
    """Draw the page for the session in the URL."""
    work = open_work()
    if work is None:
        _nothing_open()
        return
    # Holding a key would label documents nobody saw, and a slider keeps the keys to itself.
    st.html(KEYS_SCRIPT, unsafe_allow_javascript=True)
    screening(work)


def _nothing_open() -> None:
    st.title("Screen")
    st.write(
        "No session is open here. Continue one or start the demo from Home, or bring your own documents."
    )
    left, right, _ = st.columns([1, 1, 3])
    if left.button("Go to Home", type="primary", width="stretch"):
        st.switch_page(shell.HOME)
    if right.button("Set up a session", width="stretch"):
        st.switch_page(shell.SET_UP)


@st.fragment
def screening(work: Work) -> None:
    """Everything that a label changes; nothing else is redrawn."""
    work.refresh()
    state = work.state
    what_if = _what_if(state)
    settings = what_if or state.settings
    advice = work.advice(state.settings)
    shown = work.advice(what_if) if what_if else advice

    _header(work, state)
    flash()
    at = _looking_at(work, state)
    document_side, advice_side = st.columns([1.12, 1], gap="large")
    with document_side:
        _document(work, state, at, advice)
    with advice_side:
        _advice(work, state, advice, shown, what_if)
        _curves(work, state, settings, shown)
    _others(work, state, settings)
    _below(work, state, settings, what_if, advice)
    if dialog_open():
        stop_dialog(work, state, advice)


def _header(work: Work, state: State) -> None:
    saved = f"saved {clock(state.last_time)}" if state.last_time else "every label is saved at once"
    simulated = '<span class="tar-badge">simulated documents</span> ' if work.collection.simulated else ""
    waiting = f" · {len(state.unsure)} unsure" if len(state.unsure) else ""
    st.html(
        f'<div class="tar-header"><div><strong>{html.escape(work.row.name)}</strong> {simulated}'
        f'<span class="tar-meta">{html.escape(saved)}</span></div>'
        f'<div class="tar-meta" data-testid="counter">{state.depth:,} of {len(work.row.ids):,} screened · '
        f"{state.relevant:,} relevant{waiting}</div></div>"
    )


def _looking_at(work: Work, state: State) -> int | None:
    """The document on show: an earlier one being looked back at, else the next; None at the end."""
    back = st.session_state.get(LOOK_BACK)
    if back is not None and back[0] == work.row.id and back[1] < state.depth:
        return int(back[1])
    return state.depth if state.depth < len(work.row.ids) else None


def _look(work: Work, at: int | None) -> None:
    st.session_state[LOOK_BACK] = None if at is None else (work.row.id, at)


def _document(work: Work, state: State, at: int | None, advice: Advice) -> None:
    back = at is not None and at < state.depth
    with st.container(height=430, border=False, key="document"):
        if at is None:
            st.html('<div class="tar-word">You have read every document.</div>')
            st.write("Stop and decide below, or look back with the arrow.")
        else:
            record = work.document(at)
            chance = advice.rho if not back else None
            st.html(_document_html(record, at, state, work.row.query, work.row.scores, chance))
    doc = work.shown = work.row.ids[at] if at is not None else ""
    blocked = at is None or dialog_open() or (state.stopped and not back)
    with st.container(horizontal=True, key="labels", gap="small"):
        for verdict, words, key in VERDICTS:
            st.button(
                words,
                # Keyed by document: a press on the one before is refused, never given to the next.
                key=f"label_{verdict}_{doc}",
                shortcut=key,
                type="secondary",
                width="stretch",
                disabled=blocked,
                on_click=_press,
                args=(work, doc, verdict, state.seq),
            )
    with st.container(horizontal=True, key="helpers", gap="small"):
        shut = dialog_open()
        st.button(
            "Undo",
            key="undo",
            shortcut="z",
            disabled=shut or not state.can_undo or state.stopped,
            on_click=_undo,
            args=(work, state.seq),
        )
        st.button(
            "Note", key="note", shortcut="n", disabled=shut or at is None, on_click=_toggle_note, args=(doc,)
        )
        st.button(
            "Earlier",
            key="earlier",
            shortcut="Left",
            disabled=shut or (at if at is not None else state.depth) < 1,
            on_click=_look,
            args=(work, (at if at is not None else state.depth) - 1),
        )
        if back and at is not None:
            after = None if at + 1 >= state.depth else at + 1
            st.button(
                "Later", key="later", shortcut="Right", disabled=shut, on_click=_look, args=(work, after)
            )
            st.button(
                "Back to the next document", key="front", shortcut="Esc", on_click=_look, args=(work, None)
            )
    if st.session_state.get(NOTING) == doc and doc:
        st.text_area(
            f"Note on this document, by {reviewer(work) or 'you'} (Ctrl+Enter stores it)",
            value=state.notes.get(doc, ""),
            key=f"note_text_{doc}",
            on_change=_store_note,
            args=(work, doc, state.seq),
        )
    elif doc and doc in state.notes:
        st.html(f'<div class="tar-literal"><em>Note:</em> {html.escape(state.notes[doc])}</div>')
    _to_settle(work, state)


def _to_settle(work: Work, state: State) -> None:
    """Hits to confirm and unsure documents: what waits for a second look."""
    for at in state.pending[:3]:
        doc = work.row.ids[at]
        with st.container(border=True, key=f"confirm_{at}"):
            st.markdown(
                f"**Does document #{at + 1} settle the question?** It counts only once you confirm it."
            )
            yes, no, look = st.columns(3)
            shortcuts = ("y", "x") if at == state.pending[0] else (None, None)
            for column, words, holds, key in (
                (yes, "It holds", True, shortcuts[0]),
                (no, "It does not", False, shortcuts[1]),
            ):
                column.button(
                    words,
                    key=f"holds_{at}_{holds}",
                    shortcut=key,
                    width="stretch",
                    disabled=dialog_open(),
                    on_click=_confirm,
                    args=(work, doc, holds, state.seq),
                )
            look.button(
                "Read it again", key=f"again_{at}", width="stretch", on_click=_look, args=(work, int(at))
            )
    if len(state.unsure):
        with st.container(horizontal=True, key="unsure", gap="small", vertical_alignment="center"):
            st.caption("Unsure, to be settled:", width="content")
            for at in state.unsure[:8]:
                st.button(f"#{at + 1}", key=f"unsure_{at}", on_click=_look, args=(work, int(at)))
            if len(state.unsure) > 8:
                st.caption(f"and {len(state.unsure) - 8} more", width="content")


def _document_html(
    record: Record, at: int, state: State, query: str, scores: object, chance: float | None
) -> str:
    facts = [record.publication_number or record.id, record.date, record.authors]
    if scores is not None:
        facts.append(f"score {number(float(scores[at]))}")  # type: ignore[index]
    if chance is not None:
        facts.append(f"chance to be a hit {percent(chance)}")
    if at < state.depth:
        verdict = NAMES[int(state.labels[at])]
        if state.labels[at] == 1 and state.settings.confirm_hits:
            verdict += ", confirmed" if state.confirmed[at] else ", to be confirmed"
        facts.append(f"you said: {verdict}")
    words = matched_terms(query, f"{record.title} {record.abstract}") if query else set()
    abstract = record.abstract
    if abstract.startswith(record.title):
        abstract = abstract[len(record.title) :].lstrip()
    text = _marked(abstract, words) if abstract else "<em>No abstract in the file.</em>"
    meta = " · ".join(html.escape(fact) for fact in facts if fact)
    link = ""
    if re.match(r"https?://", record.url):
        link = f' · <a href="{html.escape(record.url, quote=True)}" target="_blank" rel="noopener">open</a>'
    return (
        f'<article><h3 class="tar-title"><span class="tar-rank">#{at + 1}</span> '
        f"{_marked(record.title or 'Untitled', words)}</h3>"
        f'<div class="tar-meta">{meta}{link}</div><div class="tar-literal">{text}</div></article>'
    )


def _marked(text: str, words: set[str]) -> str:
    """Escaped text with the query's words lightly marked."""
    if not words:
        return html.escape(text)
    parts = re.split(r"(\w[\w'-]*)", text)
    return "".join(
        f"<mark>{html.escape(part)}</mark>" if part.lower() in words else html.escape(part) for part in parts
    )


def _advice(work: Work, state: State, advice: Advice, shown: Advice, what_if: Settings | None) -> None:
    """The advice, in few elements: each is redrawn after every label."""
    settings = what_if or state.settings
    calibrator, _ = work.chances(settings)
    told = [_told(explain(advice, state.settings), "Registered plan: " if what_if else "")]
    if what_if:
        told.append(_told(explain(shown, what_if), "What if: "))
    told += [f'<p class="tar-meta">{html.escape(remark)}</p>' for remark in consequences(settings)]
    with st.container(height=270, border=False, key="advice"):
        if state.decision is not None:
            _decided(state)
        elif state.stopped:
            st.info("Screening has stopped; the decision is still to be recorded.")
        st.html("".join(told))
    rows = [
        ("Chance that prior art exists", number(shown.b)),
        ("How sure before you act, q*", number(settings.payoffs.q_star)),
        ("The most certainty could be worth now", amount(shown.evpi, settings.payoffs.unit)),
    ]
    cells = "".join(f"<span>{html.escape(name)}</span><b>{html.escape(value)}</b>" for name, value in rows)
    badge = f"chances {html.escape(calibrator.fitted_on.badge)}"
    st.html(f'<div class="tar-numbers">{cells}</div><p><span class="tar-badge">{badge}</span></p>')


def _told(told: Explanation, before: str) -> str:
    doubts = "".join(f"<li>{html.escape(doubt)}</li>" for doubt in told.doubts)
    return (
        f'<div class="tar-told" role="status"><div class="tar-word">{html.escape(before + told.word)}</div>'
        f"<p>{html.escape(told.sentence)}</p><p>{html.escape(told.stopping)}</p>"
        + (f"<ul>{doubts}</ul>" if doubts else "")
        + "</div>"
    )


def _decided(state: State) -> None:
    decision = state.decision
    assert decision is not None
    st.success(
        f"Decided: {shell.escape_markdown(action(decision.plus, state.settings))}, {clock(decision.time)}. "
        "You can keep screening at any time.",
        icon=":material/check_circle:",
    )


def _curves(work: Work, state: State, settings: Settings, advice: Advice) -> None:
    calibrator, p = work.chances(settings)
    path = screening_path(settings, calibrator, p, state)
    choice = st.session_state.get("curve_window") or "near"
    plan = state.depth + advice.more
    span = figures.window(len(p), state.depth, plan, "near" if choice == "near" else "all")
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
        worth_title="paper's score" if "score" in rule.worth_phrase else "worth, a document",
        log_depth=choice == "log",
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
    side = "above" if settings.payoffs.chooses_plus(advice.b) else "not above"
    text = (
        f"After {state.depth:,} documents the chance is {number(advice.b)}, {side} the threshold "
        f"{number(settings.payoffs.q_star)}."
    )
    if advice.worth is not None and advice.more > 0 and state.hit is None:
        text += f" Dashed: the way to document {state.depth + advice.more:,} if nothing turns up."
    return text


def _others(work: Work, state: State, settings: Settings) -> None:
    """Where the chosen rule, the paper's Greedy and a fixed budget stop; the other rules folded away."""
    calibrator, p = work.chances(settings)
    chosen = settings.rule
    first = [chosen, *(policy for policy in ALWAYS_SHOWN if policy != chosen)]
    rest: list[Policy] = [kind() for name, kind in POLICIES.items() if kind not in {type(q) for q in first}]
    depths = stopping_depths(settings, calibrator, p, state, [*first, *rest])

    def said(policy: Policy, depth: int) -> str:
        passed = " (passed)" if depth < state.depth else ""
        return f"<strong>{html.escape(str(policy))}</strong> {depth:,}{passed}"

    stops = list(zip([*first, *rest], depths, strict=True))
    shown = " · ".join(said(policy, depth) for policy, depth in stops[: len(first)])
    rows = "".join(
        f"<tr><td>{html.escape(str(policy))}</td><td>{depth:,}</td>"
        f"<td>{html.escape(policy.rule)}</td><td>{html.escape(policy.source)}</td></tr>"
        for policy, depth in stops
    )
    st.html(f'<div class="tar-others">Where they stop on this list if nothing turns up: {shown}</div>')
    with st.expander("Other rules"):
        st.html(
            '<div class="tar-others"><table><thead><tr><th>rule</th><th>stops after</th>'
            f"<th>what it does</th><th>source</th></tr></thead><tbody>{rows}</tbody></table></div>"
        )


def _below(work: Work, state: State, settings: Settings, what_if: Settings | None, advice: Advice) -> None:
    left, right = st.columns([2, 1], gap="large")
    with left, st.expander("What is at stake", expanded=False):
        stakes.compact(
            settings, key=f"stakes_{work.row.id}", on_change=lambda changed: _new_stakes(work, state, changed)
        )
        if state.plan is not None:
            _deviation(work, state, what_if)
        elif state.depth == 0:
            st.button(
                "Register this as my plan",
                key="register",
                help="Freezes rule, q*, cost, starting chance, calibrator and the list of documents. "
                "From then on moving a slider is a what-if until you confirm it with a reason.",
                on_click=_register,
                args=(work, state.seq),
            )
        else:
            st.caption("Changes are recorded in this session's log as you make them.")
    with right:
        if state.stopped and state.decision is None:
            st.button("Decide", key="decide", type="primary", width="stretch", on_click=open_dialog)
        if state.stopped:
            st.button(
                "Keep screening", key="continue", width="stretch", on_click=_continue, args=(work, state.seq)
            )
        else:
            st.button("Stop and decide", key="stop", type="primary", width="stretch", on_click=open_dialog)
        st.download_button(
            "Export every document read (CSV)",
            data=lambda: trace_csv(work),
            file_name=f"{_file_name(work.row.name)}-trace.csv",
            mime="text/csv",
            key="export",
            width="stretch",
            on_click="ignore",
        )


def _deviation(work: Work, state: State, what_if: Settings | None) -> None:
    plan = state.plan
    assert plan is not None
    said = f"Registered plan: q* {number(plan.payoffs.q_star)}, cost {amount(plan.cost, plan.payoffs.unit)}, "
    st.caption(shell.escape_markdown(f"{said}{plan.rule}, starting chance {plan.b_0:.0%}."))
    for event in state.deviations:
        reason = str(event.payload.get("reason", ""))
        st.caption(shell.escape_markdown(f"Deviation at {clock(event.time)}: {reason}"))
    if what_if is None:
        st.caption("Move a slider to see what would change; nothing is recorded until you confirm it.")
        return
    reason = st.text_input("Why do you deviate from the plan?", key="deviation_reason")
    keep, drop = st.columns(2)
    keep.button(
        "Confirm as a deviation",
        disabled=not reason.strip(),
        width="stretch",
        on_click=_deviate,
        args=(work, what_if, reason, state.seq),
    )
    drop.button("Back to the plan", width="stretch", on_click=_forget_what_if)


def trace_csv(work: Work) -> str:
    """The full trace with titles: what the core computes for the stored log, nothing else."""
    used = {work.row.settings.calibrator}
    used |= {
        str(event.payload["settings"]["calibrator"]) for event in work.events if event.kind == "settings"
    }
    calibrators = {digest: work.store.calibrator(digest) for digest in used}
    rows = trace(work.row.settings, calibrators, work.row.ids, work.row.scores, work.events)
    texts = work.store.record_texts(work.collection.id, [int(at) for at in work.row.order[: len(rows)]])
    for row, text in zip(rows, texts, strict=True):
        row["title"], row["source"] = text.title, text.source
    return trace_to_csv(rows)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", name).strip("-")[:60] or "session"


def _what_if(state: State) -> Settings | None:
    """Other settings being tried beside a registered plan."""
    if state.plan is None:
        return None
    tried: Settings | None = st.session_state.get(WHAT_IF)
    return tried if tried is not None and tried != state.settings else None


def _new_stakes(work: Work, state: State, changed: Settings) -> None:
    if state.plan is not None:
        st.session_state[WHAT_IF] = changed
    else:
        attempt(lambda: work.change_settings(changed, state.seq))


def _press(work: Work, doc: str, verdict: Label, seen: int) -> None:
    attempt(lambda: work.label(doc, verdict, seen))
    _look(work, None)


def _undo(work: Work, seen: int) -> None:
    attempt(lambda: work.record(Event("undo"), seen))
    _look(work, None)


def _confirm(work: Work, doc: str, holds: bool, seen: int) -> None:
    attempt(lambda: work.record(Event("confirm", {"doc": doc, "holds": holds}), seen))


def _continue(work: Work, seen: int) -> None:
    attempt(lambda: work.record(Event("continued"), seen))


def _register(work: Work, seen: int) -> None:
    attempt(lambda: work.register_plan(seen))


def _deviate(work: Work, what_if: Settings, reason: str, seen: int) -> None:
    attempt(lambda: work.change_settings(what_if, seen, reason))
    _forget_what_if()


def _forget_what_if() -> None:
    st.session_state[WHAT_IF] = None


def _toggle_note(doc: str) -> None:
    st.session_state[NOTING] = None if st.session_state.get(NOTING) == doc else doc


def _store_note(work: Work, doc: str, seen: int) -> None:
    text = str(st.session_state[f"note_text_{doc}"])
    attempt(lambda: work.record(Event("note", {"doc": doc, "text": text}), seen))
    st.session_state[NOTING] = None


__all__ = ["curve_sentence", "screen_page", "trace_csv"]
