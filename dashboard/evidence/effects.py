"""The Evidence page for studies of an intervention: the chance that its effect is large enough."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.evidence.answer import files, headline
from dashboard.evidence.chosen import choose
from dashboard.evidence.effect_studies import PREFIX, ChosenEffects, from_upload, of_session, published, typed
from dashboard.evidence.prior import within_slider
from dashboard.evidence.worth import ask_amounts, link_to_decisions
from dashboard.frame import address, shell
from dashboard.frame.drawing import note
from dashboard.frame.markup import told
from dashboard.frame.widgets import bound, lasting, one_of, share
from dashboard.parts import effect
from dashboard.parts.evidence import panel
from dashboard.parts.sessions import file_stem
from tarstop_core.effects.absolute import delta_of_difference, difference_of_delta
from tarstop_core.effects.beliefs import POOLED, EffectTarget, engine_for
from tarstop_core.effects.measures import Engine, Measure
from tarstop_core.effects.studies import EVENT_MEASURES
from tarstop_core.errors import InputProblem
from tarstop_core.evidence import effect_words, words
from tarstop_core.evidence.effect_report import effect_report, study_rows
from tarstop_core.evidence.effects import EffectEvidence, effect_evidence
from tarstop_core.evidence.everyone import Everyone
from tarstop_core.files import trace_to_csv
from tarstop_core.presentation.numbers import unbroken
from tarstop_core.value.payoffs import Payoffs

NOTHING_YET = {
    "file": "Nothing to show yet: upload your studies, or fill in the example. A published set shows what to expect.",
    "typed": "Nothing to show yet. Enter the numbers of at least one study.",
}
"""What stands in place of an answer, by the source of the studies."""
MEASURES = effect.MEASURES | {Measure.GENERIC: "Effect as given"}
ENGINES: dict[Engine, str] = {
    "exact": "Exact counts",
    "normal": "Bayesian, normal",
    "reml": "REML",
    "dl": "DerSimonian–Laird",
    "fe": "Fixed effect",
}
SIDES = {"below": "Lower is better", "above": "Higher is better"}


def show_effects(
    sessions: dict[str, str],
    headlined: DeltaGenerator,
    row: DeltaGenerator,
    below: DeltaGenerator,
    drawn: DeltaGenerator,
    asked: DeltaGenerator,
    menu: DeltaGenerator,
) -> None:
    """Fill the containers of the Evidence page, which are the same for accuracy.

    Parameters
    ----------
    sessions
        Names of the sessions that hold such studies, by id.
    headlined
        Container of the answer.
    row, below
        Containers of the fields that choose the studies; `below` has those that need the full width.
    drawn
        Container of the figures.
    asked
        Container of the question: measure, smallest effect that matters, q*.
    menu
        Container of the downloads.
    """
    others = {"published": published, "file": from_upload, "typed": typed}
    words_asked = "Where the studies come from"
    chosen = choose(PREFIX, words_asked, sessions, of_session, others, row, below)
    if chosen is None:
        headlined.info(NOTHING_YET.get(st.session_state[f"{PREFIX}/source"], "Nothing to show yet."))
        return
    with asked:
        evidence, payoffs, everyone = _ask_question(chosen)
    notes = [*chosen.notes, *chosen.studies.notes(evidence.target.measure, evidence.target.ratio)]
    if evidence.target.harmful:
        notes.append(effect_words.threshold_sentence(evidence.target, chosen.baseline))
    with headlined:
        verdict = told(*effect_words.remarks(evidence, payoffs, chosen.actions))
        simulated = "simulated" if chosen.simulated else ""
        headline(verdict, (simulated, words.studies(len(evidence)), ENGINES[evidence.engine]), chosen.name)
    with menu:
        about = chosen.about(chosen.name, everyone, notes)
        files(evidence, payoffs, about, chosen.name, effect_report, study_rows, PREFIX)
    with drawn:
        panel(evidence, payoffs, about, key=PREFIX, file_stem=file_stem(chosen.name))
        _decisions(chosen, evidence)
        if notes:
            with st.expander(f"How these studies were read ({len(notes)})", type="compact"):
                st.markdown("  \n".join(map(shell.escape_markdown, notes)))
        if chosen.source:
            with st.expander("Source", type="compact"):
                note(chosen.source)


def _decisions(chosen: ChosenEffects, evidence: EffectEvidence) -> None:
    """Link to Decisions, where adopting brings the effect and costs the smallest effect that matters."""
    mu, se, target = evidence.drawn_path.mu, evidence.drawn_path.se, evidence.target
    if target.ratio or mu is None or se is None:
        return
    good = 1 if target.above else -1
    options = [
        {"option": chosen.actions.minus, "units of effect": 0, "cost": 0.0},
        {"option": chosen.actions.plus, "units of effect": 1, "cost": good * target.delta or 0.0},
    ]
    asked = {"mean": f"{good * mu:.4g}", "se": f"{se:.4g}", "wtp": "1", "unit": "units"}
    if evidence.sd_of_one_person:
        asked["sd_effect"] = f"{evidence.sd_of_one_person:.3g}"
    link_to_decisions(kind="effect", options=trace_to_csv(options), **asked)


# --- what is asked of them --------------------------------------------------------------------------


def _ask_question(chosen: ChosenEffects) -> tuple[EffectEvidence, Payoffs, Everyone]:
    state = st.session_state
    if state.setdefault(f"{PREFIX}/of", chosen.key) != chosen.key:
        # Other studies were chosen: what the address asks was meant for the earlier ones.
        state[f"{PREFIX}/of"] = chosen.key
        address.write(dict.fromkeys(("measure", "delta", "direction", "kind"), ""))
        first_b_0 = 0.5 if chosen.settings is None else chosen.settings.b_0
        state.update(q_star=within_slider(chosen.payoffs.q_star), b_0=within_slider(first_b_0))
    target = _ask_target(chosen)
    q_star = share("How sure before you act", chosen.payoffs.q_star, **bound("q_star"))
    usual = engine_for(chosen.studies.form, target.measure)
    if chosen.settings is not None and chosen.settings.kind is target.measure:
        usual = chosen.settings.used_engine
    engines = {name: title for name, title in ENGINES.items() if name != "exact" or usual == "exact"}
    named = st.query_params.get("engine", usual)
    first = named if named in engines else usual
    # The default engine of one measure must not become the choice for another.
    how = lasting(f"{PREFIX}/engine/{usual}")
    engine: Engine = one_of("How the belief is computed", engines, first=first, **how)
    address.write({"engine": "" if engine == usual else engine})
    pooled = engine in POOLED
    first_b_0 = 0.5 if chosen.settings is None else chosen.settings.b_0
    b_0 = share("Chance before any study", first_b_0, key="b_0", bind="query-params", disabled=pooled)
    with st.expander("More", expanded=False):
        payoffs, everyone = ask_amounts(chosen.payoffs, q_star)
        sd = st.number_input(
            "Prior standard deviation (scale of analysis)",
            0.0,
            value=0.0,
            format="%g",
            help="0 uses the usual value: 2 on log scales and for SMD, 20 for a mean difference, 0.2 for a risk difference.",
            disabled=pooled,
            **bound("prior_sd"),
        )
    return effect_evidence(chosen.studies, target, engine, b_0, sd or None), payoffs, everyone


def _ask_target(chosen: ChosenEffects) -> EffectTarget:
    """The measure, the smallest effect that matters, and which side is better."""
    form, first = chosen.studies.form, chosen.first_measure
    measures = {measure: MEASURES[measure] for measure in form.measures}
    named = st.query_params.get("measure", first)
    key = f"{PREFIX}/measure/{chosen.key}"
    begun = Measure(named) if named in measures else first
    measure = one_of("Measure", measures, first=begun, **lasting(key)) if len(measures) > 1 else first
    ratio = measure.is_ratio
    if measure is Measure.GENERIC:
        kinds = {"ratio": "A ratio (HR, OR, …)", "difference": "A difference"}
        of_ratios = (
            chosen.studies.looks_like_ratios() if chosen.settings is None else chosen.settings.is_ratio
        )
        usual = "ratio" if of_ratios else "difference"
        named = st.query_params.get("kind", usual)
        key = f"{PREFIX}/kind/{chosen.key}"
        kind = one_of("What the effects are", kinds, first=named if named in kinds else usual, **lasting(key))
        ratio = kind == "ratio"
        address.write({"kind": "" if kind == usual else kind})
    usual_side = "above" if chosen.above else "below"
    named = st.query_params.get("direction", usual_side)
    key = f"{PREFIX}/direction/{chosen.key}"
    begun_side = named if named in SIDES else usual_side
    side = one_of("Which effect is good", SIDES, first=begun_side, **lasting(key))
    no_effect = 1.0 if ratio else 0.0
    usual_delta = chosen.delta if chosen.delta is not None and measure is first else no_effect
    # A δ in the address counts only for the measure that the address names.
    of_this_measure = st.query_params.get("measure", first.value) == measure.value
    try:
        value = float(st.query_params.get("delta", usual_delta)) if of_this_measure else usual_delta
    except ValueError:
        value = usual_delta
    delta, baseline = _ask_smallest_effect(chosen, measure, ratio, side == "above", value)
    address.write(
        {
            "measure": "" if measure is first else measure.value,
            "direction": "" if side == usual_side else side,
            "delta": "" if delta == usual_delta else f"{delta:.12g}",
        }
    )
    target = EffectTarget(measure, delta, side == "above", ratio)
    if sentence := effect_words.threshold_sentence(target, baseline):
        if target.harmful:
            st.warning(sentence, icon=":material/warning:")
        else:
            st.caption(unbroken(sentence))
    return target


def _ask_smallest_effect(
    chosen: ChosenEffects, measure: Measure, ratio: bool, above: bool, value: float
) -> tuple[float, float | None]:
    """Ask for the smallest effect that matters, δ, in its own unit or as events per 1,000 people.

    Returns δ and the risk without the intervention, if one is known. `value` is the δ to begin with.
    """
    baseline = chosen.baseline
    state, key = st.session_state, f"{PREFIX}/delta/{chosen.key}/{measure}"
    in_people = False
    if measure in EVENT_MEASURES and baseline is not None:
        ways = {False: MEASURES[measure], True: "Events per 1,000 people"}
        in_people = one_of("Unit of the smallest effect", ways, **lasting(f"{key}/way"))
    # After a change of unit or direction the fields begin with the present δ.
    begins = state.get(f"{key}/asked") != (in_people, above)
    state[f"{key}/asked"] = in_people, above
    if in_people and baseline is not None:
        if begins:
            prevented = difference_of_delta(measure, baseline, value)
            events = min(max(-prevented if above else prevented, -999.0), 999.0)
            risk = min(max(100 * baseline, 0.001), 99.999)
            rounded = float(f"{events:.3g}"), round(risk, 3)
            state[f"{key}/people"], state[f"{key}/risk"] = rounded
            state[f"{key}/first"] = rounded, (value, baseline)
        rounded, exact = state[f"{key}/first"]
        events, risk = effect.events_and_risk(
            key, above, st.container(), st.container(), rounded, least=-999.0
        )
        if (events, risk) == rounded:
            return exact  # an untouched field must not round δ
        try:
            return delta_of_difference(measure, risk / 100, events, above), risk / 100
        except InputProblem as problem:
            shell.problem_box(problem)
            return value, baseline
    no_effect = 1.0 if ratio else 0.0
    step, how = 0.05 if ratio else None, lasting(key)
    if measure is Measure.RD:
        how |= {"min_value": -1.0, "max_value": 1.0}
        value = min(max(value, -1.0), 1.0)
    if begins:
        state[key] = value
    asked = f"Smallest effect that matters ({no_effect:g}: none)"
    return float(st.number_input(asked, value=value, step=step, format="%.4g", **how)), baseline
