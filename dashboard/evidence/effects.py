"""The Evidence page for studies of an intervention: what they make of the chance that its effect is large enough."""

import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.evidence.chosen import EVEN, choose, from_file
from dashboard.evidence.chosen import PREFIX as EVIDENCE
from dashboard.evidence.prior import edged
from dashboard.evidence.typed import (
    JUDGED_TITLES,
    choice_in_address,
    keep_rows,
    tables_in_address,
    typed_table,
)
from dashboard.evidence.worth import ask_amounts, link_to_decisions
from dashboard.frame import address, shell
from dashboard.frame.drawing import note
from dashboard.frame.markup import badges, told
from dashboard.frame.waiting import LARGE_FILE, shown
from dashboard.frame.widgets import bound, lasting, one_of, save_button, share
from dashboard.frame.work import reviewer
from dashboard.parts import effect
from dashboard.parts.evidence import panel
from dashboard.parts.sessions import file_stem
from tarstop_core.effects.absolute import delta_of_difference, difference_of_delta
from tarstop_core.effects.beliefs import POOLED, Target, engine_for
from tarstop_core.effects.measures import Engine, Measure
from tarstop_core.effects.studies import EVENT_MEASURES, Form, Studies
from tarstop_core.errors import InputProblem
from tarstop_core.evidence import effect_words, words
from tarstop_core.evidence.effect_report import effect_report
from tarstop_core.evidence.effect_rows import study_rows
from tarstop_core.evidence.effects import EffectEvidence, effect_evidence
from tarstop_core.evidence.everyone import Everyone
from tarstop_core.evidence.manual_tables import Row
from tarstop_core.files import read_effects, trace_to_csv
from tarstop_core.files.effect_tables import FIELDS, effects_of_cells, rows_of_effects
from tarstop_core.files.tables import BIAS
from tarstop_core.samples.collections import published_effects
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.scenarios.effect import EFFECT
from tarstop_core.screening.state import State
from tarstop_core.sessions.export import when
from tarstop_core.sessions.store.tables import SessionRow
from tarstop_core.value.payoffs import Payoffs

PREFIX = f"{EVIDENCE}/effect"
EXAMPLE = Path(__file__).with_name("example_effects.csv").read_text(encoding="utf-8")
NOTHING_YET = {
    "file": "Nothing to show yet: upload your studies, or fill in the example. A published set shows what to expect.",
    "typed": "Nothing to show yet. Enter the numbers of at least one study.",
}
"""What is said in place of an answer, by where the studies come from."""
TITLES = {
    "study": "Study",
    "events_treated": "Events, treated",
    "n_treated": "People, treated",
    "events_control": "Events, control",
    "n_control": "People, control",
    "mean_treated": "Mean, treated",
    "sd_treated": "SD, treated",
    "mean_control": "Mean, control",
    "sd_control": "SD, control",
    "effect": "Effect",
    "se": "Standard error",
    "low": "Lower limit",
    "high": "Upper limit",
    "o_minus_e": "O − E",
    "v": "Variance V",
    BIAS: JUDGED_TITLES[BIAS],
}
FORMS = {
    Form.EVENTS: "Events and people by arm",
    Form.MEANS: "Mean, SD and people by arm",
    Form.LIMITS: "Effect with 95 % limits",
    Form.ERRORS: "Effect with standard error",
    Form.LOGRANK: "O − E and V",
}
MEASURES = effect.MEASURES | {Measure.GENERIC: "Effect as given"}
ENGINES: dict[Engine, str] = {
    "exact": "Exact counts",
    "normal": "Bayesian, normal",
    "reml": "REML",
    "dl": "DerSimonian–Laird",
    "fe": "Fixed effect",
}
SIDES = {"below": "Lower is better", "above": "Higher is better"}
EMPTY_LINES = 4


@dataclass(frozen=True, eq=False)
class Chosen:
    """The studies that the page is about, and a question to begin with."""

    name: str
    studies: Studies
    notes: tuple[str, ...] = ()
    source: str = ""
    measure: Measure | None = None  # the first that they give unless one is named
    delta: float | None = None
    above: bool = False
    settings: EffectSettings | None = None  # of a session, where they are those of one
    actions: words.Actions = words.TWO
    simulated: bool = False

    @property
    def key(self) -> str:
        """What tells these studies from others, for the keys of widgets."""
        of = (
            ""
            if self.settings is None
            else f"/{self.settings.measure}/{self.settings.delta:g}/{self.settings.above}"
        )
        return f"{self.name}/{self.studies.form.name}{of}"

    @property
    def first_measure(self) -> Measure:
        """The measure to begin with."""
        return self.measure or self.studies.form.measures[0]

    @property
    def baseline(self) -> float | None:
        """Risk of the event without the intervention: the session's, or that of the control arms."""
        own = None if self.settings is None else self.settings.baseline
        return own or self.studies.control_risk

    @property
    def payoffs(self) -> Payoffs:
        """What is at stake to begin with."""
        return EVEN if self.settings is None else self.settings.payoffs


def show_effects(
    headline: DeltaGenerator,
    row: DeltaGenerator,
    below: DeltaGenerator,
    drawn: DeltaGenerator,
    asked: DeltaGenerator,
    menu: DeltaGenerator,
) -> None:
    """Draw the page into the places that it has for reviews of accuracy too.

    Parameters
    ----------
    headline
        Where the answer stands.
    row, below
        Where is asked which studies they are: beside each other, and below that what takes more room.
    drawn
        Where figures go.
    asked
        Where is asked what they show.
    menu
        Where they are saved.
    """
    others = {"published": _published, "file": _from_file, "typed": _typed}
    words_asked = "Where the studies come from"
    chosen = choose(PREFIX, words_asked, EffectSettings, _with_effects, others, row, below)
    if chosen is None:
        headline.info(NOTHING_YET.get(st.session_state[f"{PREFIX}/source"], "Nothing to show yet."))
        return
    with asked:
        evidence, payoffs, everyone = _question(chosen)
    notes = [*chosen.notes, *chosen.studies.notes(evidence.target.measure, evidence.target.ratio)]
    if evidence.target.harmful:
        notes.append(effect_words.threshold_sentence(evidence.target, chosen.baseline))
    with headline:
        _headline(chosen, evidence, payoffs)
    with menu:
        _files(chosen, evidence, payoffs, everyone, notes)
    with drawn:
        panel(
            evidence,
            payoffs,
            actions=chosen.actions,
            everyone=everyone,
            simulated=chosen.simulated,
            key=PREFIX,
            file_stem=file_stem(chosen.name),
        )
        _decisions(chosen, evidence)
        if notes:
            with st.expander(f"How these studies were read ({len(notes)})", type="compact"):
                st.markdown("  \n".join(map(shell.escape_markdown, notes)))
        if chosen.source:
            with st.expander("Source", type="compact"):
                note(chosen.source)


def _decisions(chosen: Chosen, evidence: EffectEvidence) -> None:
    """What leads to Decisions: the benefit of adopting in units of the effect, with the smallest that matters as its cost."""
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


def _headline(chosen: Chosen, evidence: EffectEvidence, payoffs: Payoffs) -> None:
    headline = told(*effect_words.remarks(evidence, payoffs.q_star, chosen.actions))
    simulated = ("simulated",) if chosen.simulated else ()
    marks = badges(*simulated, words.studies(len(evidence)), ENGINES[evidence.engine])
    st.html(f'{headline}<p>{marks} <span class="tar-meta">{html.escape(chosen.name)}</span></p>')


def _files(
    chosen: Chosen, evidence: EffectEvidence, payoffs: Payoffs, everyone: Everyone, notes: Sequence[str]
) -> None:
    own = st.text_input("Title of the report", chosen.name, key=f"{PREFIX}/title/{chosen.name}")
    title = own.strip() or chosen.name
    about: dict[str, Any] = {"name": title, "at": when(datetime.now(UTC).isoformat()), "by": reviewer()}
    about |= {"source": chosen.source, "notes": notes}
    about |= {"actions": chosen.actions, "everyone": everyone, "simulated": chosen.simulated}
    report = partial(effect_report, evidence, payoffs, **about)
    stem, key = file_stem(title), f"{PREFIX}/export"
    how: dict[str, Any] = {"width": "stretch"}
    save_button("Report (HTML)", report, f"{stem}-report.html", key=f"{key}-report.html", **how)
    save_button(
        "Data (CSV)", lambda: trace_to_csv(study_rows(evidence)), f"{stem}.csv", key=f"{key}.csv", **how
    )


# --- where the studies come from ------------------------------------------------------------------


def _with_effects(row: SessionRow, state: State, simulated: bool) -> Chosen:
    """Return the effects of a session with its settings."""
    settings = state.settings
    assert isinstance(settings, EffectSettings), "only sessions about an intervention are offered"
    return Chosen(
        row.name,
        EFFECT.evidence(settings, state).studies,
        state.evidence.notes,
        measure=settings.kind,
        delta=settings.delta,
        above=settings.above,
        settings=settings,
        actions=words.Actions(settings.plus, settings.minus, EFFECT.lacking(settings, state)),
        simulated=simulated,
    )


_sets = cache(published_effects)


def _published() -> Chosen:
    sets = {published.name: published for published in _sets()}
    titles = {name: published.title for name, published in sets.items()}
    one = sets[choice_in_address("set", "Set", titles, label_visibility="collapsed")]
    source = f"{one.citation}. {one.note} The smallest effect that matters is an example."
    return Chosen(one.title, one.studies, (), source, one.measure, one.delta, one.above)


def _of_rows(rows: Sequence[Row], name: str) -> Chosen:
    """Studies of rows below one with the names of their columns."""
    table = effects_of_cells(name, rows)
    return Chosen(name, table.studies, table.notes)


def _from_file() -> Chosen | None:
    state = st.session_state
    if f"{PREFIX}/upload_problem" not in state:
        name = st.query_params.get("name", "studies")
        state[f"{PREFIX}/chosen"] = tables_in_address(
            "upload_problem", lambda rows: _of_rows(rows, name), None
        )
        state[f"{PREFIX}/upload_problem"] = state.pop(f"{EVIDENCE}/upload_problem", "")
    label = (
        "Excel, CSV, TSV or RevMan, a study a line: events, means, or effects with limits or standard errors"
    )
    fields = {field: (TITLES | JUDGED_TITLES)[field] for field in FIELDS}
    chosen = from_file(PREFIX, label, ("tarstop-example-effects.csv", EXAMPLE), fields, _enough, _read)
    if chosen is None:
        address.write({"tables": "", "name": ""})
    else:
        _remarks(chosen)
        keep_rows(rows_of_effects(chosen.studies), "upload the file", chosen.name)
    return chosen


def _read(content: bytes, name: str, columns: Mapping[str, str] | None) -> Chosen:
    job = (read_effects, io.BytesIO(content), name, columns)
    studies, notes = shown(name, f"Reading {name}", *job, large=len(content) > LARGE_FILE)
    return Chosen(name, studies, notes)


def _enough(fields: set[str]) -> bool:
    return any(fields.issuperset(form.columns) for form in Form)


def _typed() -> Chosen | None:
    state, key = st.session_state, f"{PREFIX}/typed"
    there: list[Row] = []
    if f"{key}/problem" not in state:
        there = tables_in_address("typed_effects", list, None) or []
        state[f"{key}/problem"] = state.pop(f"{EVIDENCE}/typed_effects", "")
    held = next((form for form in Form if there and there[0][1:][: len(form.columns)] == form.columns), None)
    if held:
        state[f"{key}/form"] = held.name
        state[f"{key}/{held.name}/last"] = there[1:]
    names = {form.name: title for form, title in FORMS.items()}
    form = Form[one_of("What each study gives", names, **lasting(f"{key}/form"))]
    titles = {field: TITLES[field] for field in ("study", *form.columns, BIAS)}
    table = f"{key}/{form.name}"
    if f"{table}/table" not in state:
        first = [tuple(row) for row in state.get(f"{table}/last", [])]
        state[f"{table}/first"] = first + [("",) * len(titles)] * (EMPTY_LINES - len(first))
    label = f"Studies: {', '.join(titles.values())}"
    rows = typed_table(label, state[f"{table}/first"], key=f"{table}/table", titles=titles)
    state[f"{table}/last"] = rows
    st.caption(
        "Cells copied from a spreadsheet can be pasted. Risk of bias (low, some, high) may stay empty."
    )
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    keep_rows([tuple(titles), *filled] if filled else [], "paste them")
    if problem := state.get(f"{key}/problem"):
        shell.problem_box(problem)
    if not filled:
        return None
    # Names of columns that were pasted along say which is which.
    named = any(filled[0][1:]) and not any(letter.isdigit() for cell in filled[0][1:] for letter in cell)
    try:
        chosen = _of_rows(filled if named else [tuple(titles), *rows], "typed studies")
    except InputProblem as unclear:
        shell.problem_box(unclear)
        return None
    _remarks(chosen)
    return chosen


def _remarks(chosen: Chosen) -> None:
    """Say which rows are no studies and how arms without a name were read, with the first row: a swap would be noticed."""
    if chosen.notes:
        shell.remarks([*chosen.notes, *chosen.studies.in_words()])


# --- what is asked of them --------------------------------------------------------------------------


def _question(chosen: Chosen) -> tuple[EffectEvidence, Payoffs, Everyone]:
    state = st.session_state
    if state.setdefault(f"{PREFIX}/of", chosen.key) != chosen.key:
        state[f"{PREFIX}/of"] = chosen.key  # what the address asks is of other studies
        address.write(dict.fromkeys(("measure", "delta", "direction", "kind"), ""))
        first_b_0 = 0.5 if chosen.settings is None else chosen.settings.b_0
        state.update(q_star=edged(chosen.payoffs.q_star), b_0=edged(first_b_0))
    target = _target(chosen)
    begun = edged(chosen.payoffs.q_star)
    q_star = st.slider("How sure before you act", 0.01, 0.99, begun, step=0.01, **bound("q_star"))
    usual = engine_for(chosen.studies.form, target.measure)
    if chosen.settings is not None and chosen.settings.kind is target.measure:
        usual = chosen.settings.used_engine
    engines = {name: title for name, title in ENGINES.items() if name != "exact" or usual == "exact"}
    named = st.query_params.get("engine", usual)
    first = named if named in engines else usual
    # What is usual for one measure is no choice for another.
    how = lasting(f"{PREFIX}/engine/{usual}")
    engine: Engine = one_of("How the belief is computed", engines, first=first, **how)
    address.write({"engine": "" if engine == usual else engine})
    pooled = engine in POOLED
    first_b_0 = 0.5 if chosen.settings is None else chosen.settings.b_0
    b_0 = share("Chance before any study", first_b_0, key="b_0", bind="query-params", disabled=pooled)
    with st.expander("More", expanded=False):
        payoffs, everyone = ask_amounts(chosen.payoffs, q_star, begun)
        sd = st.number_input(
            "Prior standard deviation (scale of analysis)",
            0.0,
            value=0.0,
            format="%g",
            help="0 takes the usual one: 2 on log scales and for SMD, 20 for a mean difference, 0.2 for a risk difference.",
            disabled=pooled,
            **bound("prior_sd"),
        )
    return effect_evidence(chosen.studies, target, engine, b_0, sd or None), payoffs, everyone


def _target(chosen: Chosen) -> Target:
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
    nothing = 1.0 if ratio else 0.0
    own = chosen.delta is not None and measure is first
    usual_delta = chosen.delta if own and chosen.delta is not None else nothing
    try:
        value = float(st.query_params.get("delta", usual_delta))
    except ValueError:
        value = usual_delta
    delta, baseline = _smallest(chosen, measure, ratio, side == "above", value)
    address.write(
        {
            "measure": "" if measure is first else measure.value,
            "direction": "" if side == usual_side else side,
            "delta": "" if delta == usual_delta else f"{delta:.12g}",
        }
    )
    target = Target(measure, delta, side == "above", ratio)
    if sentence := effect_words.threshold_sentence(target, baseline):
        if target.harmful:
            st.warning(sentence, icon=":material/warning:")
        else:
            st.caption(sentence)
    return target


def _smallest(
    chosen: Chosen, measure: Measure, ratio: bool, above: bool, value: float
) -> tuple[float, float | None]:
    """Ask for the smallest effect that matters in its unit, or in numbers of people; and the risk without the intervention."""
    baseline = chosen.baseline
    state, key = st.session_state, f"{PREFIX}/delta/{chosen.key}/{measure}"
    in_people = False
    if measure in EVENT_MEASURES and baseline is not None:
        ways = {False: MEASURES[measure], True: "Events per 1,000 people"}
        in_people = one_of("Unit of the smallest effect", ways, **lasting(f"{key}/way"))
    # Another unit or direction begins with δ as it is.
    begins = state.get(f"{key}/asked") != (in_people, above)
    state[f"{key}/asked"] = in_people, above
    if in_people and baseline is not None:
        if begins:
            prevented = difference_of_delta(measure, baseline, value)
            events = min(max(-prevented if above else prevented, -999.0), 999.0)
            risk = min(max(100 * baseline, 0.001), 99.999)
            first = float(f"{events:.3g}"), round(risk, 3)
            state[f"{key}/people"], state[f"{key}/risk"] = first
            state[f"{key}/first"] = first, (value, baseline)
        first, unmoved = state[f"{key}/first"]
        events, risk = effect.events_and_risk(key, above, st.container(), st.container(), first, least=-999.0)
        if (events, risk) == first:
            return unmoved
        try:
            return delta_of_difference(measure, risk / 100, events, above), risk / 100
        except InputProblem as problem:
            shell.problem_box(problem)
            return value, baseline
    nothing = 1.0 if ratio else 0.0
    step, how = 0.05 if ratio else None, lasting(key)
    if measure is Measure.RD:
        how |= {"min_value": -1.0, "max_value": 1.0}
        value = min(max(value, -1.0), 1.0)
    if begins:
        state[key] = value
    asked = f"Smallest effect that matters ({nothing:g}: none)"
    return float(st.number_input(asked, value=value, step=step, format="%.4g", **how)), baseline
