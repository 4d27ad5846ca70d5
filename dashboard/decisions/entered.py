"""How a decision is entered: draws, a test, an effect or a table of consequences."""

import io
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

import numpy as np
import streamlit as st
from scipy.special import logit
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import address, shell
from dashboard.frame.drawing import heading_of, note
from dashboard.frame.waiting import LARGE_FILE, shown
from dashboard.frame.widgets import bound, lasting, one_of, save_button, some_of, switch, upload
from dashboard.frame.work import kept
from dashboard.parts.everyone import number_asked
from dashboard.parts.imports import TABLES
from dashboard.parts.sessions import sessions_with
from tarstop_core.errors import InputProblem
from tarstop_core.explore.decision_curves import Decision
from tarstop_core.explore.decisions import (
    Accuracy,
    accuracy_believed,
    accuracy_of,
    example_of_draws,
    simulated_draws,
)
from tarstop_core.explore.draw_columns import Held, columns_held, named_alike, paired, shortly_named
from tarstop_core.files import read_tables, trace_to_csv
from tarstop_core.files.cells import Cells, read_cells
from tarstop_core.files.tables import TableFile
from tarstop_core.presentation.numbers import listed
from tarstop_core.samples.collections import published_sets
from tarstop_core.screening.fold import replay
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.value.actions.linear import EffectNetBenefit
from tarstop_core.value.actions.schema import DrawColumns, draws_of_table, number_in, table_of_actions
from tarstop_core.value.actions.treat import Beta, TreatByTest

PREFIX = "decisions"
KINDS = {"draws": "Draws (PSA)", "test": "A test", "effect": "One effect", "table": "A table"}
TABLE = """,mild disease,severe disease
chance,0.7,0.3
Wait,0,-30000
Drug,-900,-9000
Surgery,-6000,-7000
know severity,mild,severe"""
EFFECTS = """action,units of effect,cost
Usual care,0,0
Drug,1,3000
Drug and nurse,1.4,5200"""
LIMIT = 1.959964
TYPED, FILE = "typed", "file"
HELD: tuple[Held, ...] = ("effect", "cost", "net")


@dataclass(frozen=True, eq=False)
class Entered:
    """A decision, as a person entered it."""

    key: Hashable  # All that it depends on
    decision: Decision
    unit: str
    about: tuple[str, ...] = ()  # Badges
    notes: tuple[str, ...] = ()
    simulated: bool = False
    example: bool = False  # Whether its numbers are nobody's own
    priced: bool = True  # Whether amounts are more than units of the effect


def kind() -> str:
    """Ask what is known of the decision."""
    how = lasting(f"{PREFIX}/kind") | {"label_visibility": "collapsed"}
    chosen = switch("What is known", KINDS, default=address.named("kind", KINDS, "draws"), **how)
    address.write({"kind": "" if chosen == "draws" else chosen})
    return chosen


def _unit() -> str:
    return str(st.text_input("All amounts in", "£", max_chars=12, **bound("unit"))).strip()


# --- draws ----------------------------------------------------------------------------------------


def _draws() -> Entered | None:
    state, held = st.session_state, f"{PREFIX}/draws"
    label = "Draws of a probabilistic sensitivity analysis: CSV or Excel, one line per draw"
    upload(label, _take_draws, key=f"{PREFIX}/upload", kinds="csv tsv gz xlsx xlsm")

    def example() -> str:
        return trace_to_csv(kept(f"{PREFIX}/example", 0, example_of_draws))

    how = {"key": f"{PREFIX}/example_file", "icon": ":material/download:"}
    save_button("Example to fill in", example, "tarstop-example-draws.csv", **how)
    cells: Cells | None = state.get(held)
    left, right = st.columns(2)
    with left:
        unit = _unit()
    if cells is None:
        worth = _worth(right)
        draws = kept(f"{PREFIX}/simulated", worth, lambda: simulated_draws(willingness_to_pay=worth))
        about = ("Usual care, drug or device", f"{len(draws.net()):,} draws")
        return Entered(("simulated", worth), draws, unit, about, simulated=True, example=True)
    address.lacks("your file")
    columns, by_position = _columns(cells, right)
    if columns is None:
        return None
    read = (cells.name, cells.titles, cells.rows, columns)
    key = (state[f"{held}/digest"], str(columns))
    draws, passed_over = kept(f"{PREFIX}/read", key, lambda: draws_of_table(*read))
    draws = shortly_named(draws)
    about = (cells.name, f"{len(draws.net()):,} draws")
    return Entered(key, draws, unit, about, (*cells.notes, *by_position, *passed_over))


def _take_draws(file: UploadedFile) -> None:
    state, content, name = st.session_state, file.getvalue(), file.name
    state[f"{PREFIX}/draws"] = None
    state[f"{PREFIX}/draws/digest"] = sha256(content).hexdigest()
    job = (read_cells, _named(content, name))
    state[f"{PREFIX}/draws"] = shown(name, f"Reading {name}", *job, large=len(content) > LARGE_FILE)


def _named(content: bytes, name: str) -> io.BytesIO:
    """The content of a file that has its name."""
    opened = io.BytesIO(content)
    opened.name = name
    return opened


def _worth(at: DeltaGenerator) -> float:
    return number_asked("One unit of effect is worth", 20_000.0, "wtp", at=at)


def _columns(cells: Cells, beside: DeltaGenerator) -> tuple[DrawColumns | None, list[str]]:
    """Ask which columns are what; their names say so. None while some are missing, and a note where position decides.

    What a unit of effect is worth is asked in the place `beside` the currency, where there are effects.
    """
    effect, cost, net = (columns_held(cells.titles, held) for held in HELD)
    key = f"{PREFIX}/columns/{id(cells)}"
    named = {title: title for title in cells.titles if title}
    by_effects = {"effects": "Effects and costs", "net": "Net benefits"}
    own = "effects" if min(len(effect), len(cost)) > 1 else "net"
    how = switch("The columns hold", by_effects, default=own, key=f"{key}/how")
    if how == "net":
        chosen = some_of("Net benefits, one column per option", named, net, key=f"{key}/net")
        if len(chosen) < 2:
            st.info("Choose the net-benefit columns of at least two options.")
            return None, []
        return DrawColumns(net_benefit=chosen), []
    worth = _worth(beside)
    cost = named_alike(effect, cost) or cost
    effects = some_of("Effects, one column per option", named, effect, key=f"{key}/effect")
    costs = some_of("Costs, one column per option", named, cost, key=f"{key}/cost")
    if min(len(effects), len(costs)) < 2:
        st.info("Choose an effect and a cost for at least two options.")
        return None, []
    of_effects, by_name = paired(effects, costs)
    call_example(wtp="what one unit of effect is worth")
    columns = DrawColumns(effect=effects, cost=of_effects, willingness_to_pay=worth)
    if by_name:
        return columns, []
    pairs = ", ".join(f"{effect} with {cost}" for effect, cost in zip(effects, of_effects, strict=True))
    why = "because their names do not show which belong together"
    return columns, [f"Columns are paired by position, {why}: {pairs}."]


# --- a test ---------------------------------------------------------------------------------------

_sets = cache(published_sets)


def _test() -> Entered | None:
    sets = {f"set:{one.name}": one.title for one in _sets()}
    own = sessions_with(ReviewSettings, shell.store().sessions()).items()
    reviews = {f"session:{session}": f"Your session: {name}" for session, name in own}
    offered = {**sets, **reviews, FILE: "2×2 tables of a file", TYPED: "Typed, with limits"}
    usual = next(iter(sets))
    first = address.named("accuracy", offered, usual)
    source = one_of("Accuracy from", offered, first=first, **lasting(f"{PREFIX}/accuracy"))
    address.write({"accuracy": "" if source == usual else source})
    result = _accuracy(source)
    if result is None:
        return None
    accuracy, simulated = result
    heading_of("Patients")
    left, right = st.columns(2)
    prevalence = number_asked("With the disease, %", 15.0, "prevalence", at=left) / 100
    counted = number_asked("Known from (people)", 60.0, "known", at=right)
    if source not in sets:
        call_example(
            prevalence="how many have the disease",
            known="from how many this is known",
            gain="the gain",
            harm="the harm",
            test="the cost of the test",
        )
    benefit = number_asked("Gain: a diseased one treated", 1000.0, "gain", at=left)
    harm = number_asked("Harm: a healthy one treated", 180.0, "harm", at=right)
    cost = number_asked("Cost and harm of the test", 45.0, "test", at=left)
    with right:
        unit = _unit()
    if not 0 < prevalence < 1:
        raise InputProblem(f"With the disease is {100 * prevalence:g} %; give a number between 0 and 100.")
    beta: Beta | float = (
        {"beta": (prevalence * counted, (1 - prevalence) * counted)} if counted else prevalence
    )
    decision = TreatByTest(
        **accuracy,
        prevalence=beta,
        benefit_treated_diseased=benefit,
        harm_treated_healthy=harm,
        cost_test=cost,
    )
    how = "as the session believes" if source in reviews else "jointly, by REML"
    about = (offered[source], how) if source != TYPED else ("as typed",)
    return Entered(repr(decision), decision, unit, about, simulated=simulated, example=source in sets)


def _accuracy(source: str) -> tuple[Accuracy, bool] | None:
    """Both logits with their covariance, and whether they are simulated."""
    of, _, name = source.partition(":")
    if source == TYPED:
        return _typed_accuracy(), False
    if source == FILE:
        label = "Excel, CSV, TSV or RevMan with TP, FP, FN and TN, one study per line"
        upload(label, _take_tables, key=f"{PREFIX}/tables_file", kinds=TABLES)
        read: TableFile | None = st.session_state.get(f"{PREFIX}/tables")
        if read is None:
            st.info("Nothing to show yet: upload 2×2 tables.", icon=":material/arrow_upward:")
            return None
        address.lacks("your file")
        shell.remarks(read.notes)
        return accuracy_of(read.tables), False
    if of == "set":
        return accuracy_of(next(one.tables for one in _sets() if one.name == name)), False
    store = shell.store()
    row = store.session(name)
    state = replay(row.settings, row.ids, store.events(name))
    assert isinstance(state.settings, ReviewSettings), "only reviews of accuracy are offered"
    believed = accuracy_believed(REVIEW.evidence(state.settings, state))
    return believed, store.collection(row.collection_id).simulated


def _take_tables(file: UploadedFile) -> None:
    st.session_state[f"{PREFIX}/tables"] = None
    st.session_state[f"{PREFIX}/tables"] = read_tables(io.BytesIO(file.getvalue()), file.name)


def _typed_accuracy() -> Accuracy:
    """Ask for both with their 95 % limits, which are taken as symmetric on the logit."""
    means, variances = [], []
    for name, low, high in (("Sensitivity", 62.0, 84.0), ("Specificity", 66.0, 87.0)):
        left, right = st.columns(2)
        key = name.casefold()[:2]
        ends = [
            number_asked(f"{name}, {which} %", value, f"{key}_{which}", at=at, max_value=100.0)
            for at, which, value in ((left, "from", low), (right, "to", high))
        ]
        if not 0 < ends[0] < ends[1] < 100:
            raise InputProblem(
                f"{name} is from {ends[0]:g} to {ends[1]:g} %; give two limits between 0 and 100, lower one first."
            )
        first, last = logit(np.array(ends) / 100)
        means.append(float(first + last) / 2)
        variances.append(float((last - first) / (2 * LIMIT)) ** 2)
    return {
        "mu_logit_se": means[0],
        "mu_logit_sp": means[1],
        "cov": [[variances[0], 0.0], [0.0, variances[1]]],
    }


# --- an effect, and a table -----------------------------------------------------------------------


def _effect() -> Entered:
    left, right = st.columns(2)
    mean = number_asked("Effect expected", 0.2, "mean", low=None, at=left)
    se = number_asked("Its standard error", 0.1, "se", at=right)
    worth = number_asked("One unit is worth", 20_000.0, "wtp", at=left)
    with right:
        unit = _unit()
    cells = _typed("Options: units of effect each one brings, and its cost", EFFECTS, "options")
    numbers = [
        [number_in(cells.name, line, title, cell) for title, cell in _pairs(cells.titles, row)]
        for line, row in cells.rows
    ]
    if len(cells.titles) != 3:
        raise InputProblem(
            f"{cells.name} has {len(cells.titles)} columns; give three: the option, units of effect, its cost."
        )
    actions = [row[0].strip() for _, row in cells.rows]
    if len(set(actions)) != len(actions):
        again = next(name for at, name in enumerate(actions) if name in actions[:at])
        raise InputProblem(f"{cells.name} names the option {again!r} twice; give each option one line.")
    if len(actions) < 2:
        raise InputProblem(f"{cells.name} has fewer than two options; give one per line.")
    if not (example := _is_example(EFFECTS, "options")):
        call_example(mean="the effect", se="its standard error", wtp="what one unit is worth")
    if not se > 0:
        raise InputProblem("The standard error of the effect is 0; give a number above 0.")
    decision = EffectNetBenefit(
        post_mean=mean,
        post_var=se**2,
        willingness_to_pay=worth,
        gain=[gain for gain, _ in numbers],
        cost=[cost for _, cost in numbers],
        actions=actions,
    )
    return Entered(
        repr(decision),
        decision,
        unit,
        (f"{len(numbers)} options",),
        example=example,
        priced=worth != 1,
    )


def _pairs(titles: Sequence[str], row: Sequence[str]) -> list[tuple[str, str]]:
    """Titles with their cells, but for the first; what is missing is empty."""
    return [(title, row[at] if at < len(row) else "") for at, title in enumerate(titles) if at]


def _table() -> Entered:
    unit = _unit()
    cells = _typed("Consequences: one line per option, one column per state", TABLE, "consequences")
    st.caption(
        "A line “chance” says how likely each state is. Lines “know …” name parameters, lines “result …” how likely a "
        "study's results are in each state."
    )
    decision = table_of_actions(cells.name, cells.titles, cells.rows)
    about = (f"{len(decision.actions)} options", f"{len(decision.states)} states")
    return Entered(repr(decision), decision, unit, about, example=_is_example(TABLE, "consequences"))


def call_example(**words: str) -> None:
    """Say which numbers stand there from the beginning and are nobody's own yet: what each is, by its name in the address."""
    left = [what for name, what in words.items() if name not in st.query_params]
    if left:
        note(f"Examples until you enter your own: {listed(left)}.")


def _is_example(first: str, name: str) -> bool:
    """Whether a table is as it was offered."""
    return bool(st.session_state[name] == first)


def _typed(label: str, first: str, name: str) -> Cells:
    """Ask for a table as text, as a spreadsheet or a CSV file has it."""
    text = str(st.text_area(label, first, height=184, max_chars=5000, **bound(name)))
    ending = "tsv" if "\t" in text else "csv"
    return read_cells(_named(text.encode(), f"The table.{ending}"))._replace(name="The table")


ENTERED: Mapping[str, Callable[[], Entered | None]] = {
    "draws": _draws,
    "test": _test,
    "effect": _effect,
    "table": _table,
}
"""What is asked, by what is known."""
