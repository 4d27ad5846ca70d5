"""The fold on what is at stake: sliders of costs and thresholds, the registered plan, and deviations from it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dashboard.frame.shell import EXPLORE, caption, escape_label, term
from dashboard.frame.widgets import following, whole_percent
from dashboard.frame.work import Work, attempt, button, clock
from dashboard.parts import learning, stakes, stopping
from dashboard.parts.stakes import stops
from tarstop_core.documents.records import date_words
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.provenance import claimed_time, provenance
from tarstop_core.screening.review_settings import SPECIFICITY, ReviewSettings
from tarstop_core.screening.scenarios.named import SCENARIOS, read_settings, scenario_of
from tarstop_core.screening.setting_aside import after_plan, moved_aside
from tarstop_core.screening.settings import Settings, StudySettings
from tarstop_core.screening.settings_words import changes, counts_too, settings_rows
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import example_amounts, how_sure
from tarstop_core.value.stakes import FRACTIONS, nearest_fraction

ADJUSTABLE = (
    *("payoffs", "cost", "b_0", "full_cost", "floor", "floor_studies", "policy", "theta_sp"),
    *filter(None, (scenario.settings_class.threshold_field for scenario in SCENARIOS.values())),
    *("learns", "words_for", "words_against", "weighs_scores"),
)
"""Settings that a person may change while screening."""
REALISTIC = 40.0
"""Factor from a demo's payoffs to realistic ones."""


def panel(work: Work, state: State, settings: Settings, what_if: Settings | None) -> None:
    """Sliders of what a wrong decision and a document cost, or of when to stop, and the registered plan."""
    if work.unsigned:
        st.caption("First say below under which name changes are recorded.")
        return
    moved = partial(_new_stakes, work, state)
    if isinstance(settings, EnoughSettings):
        drawn = state.drawn is not None
        stopping.compact(settings, drawn, key=f"stakes_{work.row.id}", on_change=moved)
        st.page_link(EXPLORE, label="What would knowing be worth?", icon=":material/explore:")
    else:
        stakes.compact(settings, key=f"stakes_{work.row.id}", on_change=moved)
    if isinstance(settings, StudySettings):
        _of_studies(settings, key=f"stakes_{work.row.id}", on_change=moved)
    learning.switch(work, settings, key=f"stakes_{work.row.id}", on_change=moved)
    if example_amounts(settings):
        st.caption("These amounts are small so that the demo ends soon.")
        realistic = replace(settings, payoffs=settings.payoffs.scaled(REALISTIC))
        worst = amount(realistic.stakes.worst, settings.payoffs.unit)
        button(f"Realistic: a wrong decision costs {worst}", moved, realistic, key="realistic")
    if state.plan is not None:
        _deviation(work, state, state.plan, what_if)
    elif not state.touched:
        hint = (
            f"Freezes {scenario_of(settings).frozen[1]} and the list of documents: {term('plan', 'what is that?')} From then on, moving a slider only shows what would follow, until "
            "you confirm it with a reason."
        )
        button("Register this as my plan", work.register_plan, state.seq, key="register", help=hint)
    else:
        st.caption("Changes are recorded in this session’s log as you make them.")


def _deviation(work: Work, state: State, plan: Settings, what_if: Settings | None) -> None:
    words = ", ".join(f"{name} {value}" for name, value in _frozen(plan).items())
    same = "unchanged" if state.plan_records == work.row.digest else "NOT the one that was registered"
    if joined := len(state.joining("docs")):
        same += f", and {count_of(joined)} joined it later"
    caption(f"Registered plan: {words}; the list is {same}.")
    before, origins = plan, provenance(work.events)
    for event in state.deviations:
        after = read_settings(event.payload["settings"])
        moved = (
            changes(_in_short(before), _in_short(after))
            or changes(*(settings_rows(version, work.chances(version)[0]) for version in (before, after)))
            or ["a value that rounding hides"]
        )
        caption(
            f"Deviation at {claimed_time(clock(event.time), origins.columns(event))}: {'; '.join(moved)}. {event.payload.get('reason', '')}"
        )
        before = after
    for event in after_plan(work.events):
        at = claimed_time(clock(event.time), origins.columns(event))
        caption(f"Deviation at {at}: {moved_aside(event)}. {event.payload.get('reason', '')}")
    if what_if is None:
        st.caption("Move a slider to see what would change. Nothing is recorded until you confirm it.")
        return
    reason = st.text_input("Why do you deviate from the plan?", key="deviation_reason")
    keep, drop = st.columns(2)

    def deviate() -> None:
        attempt(work.change_settings, what_if, state.seq, reason)
        work.what_if = None

    how: dict[str, Any] = {"key": "deviate", "disabled": not reason.strip(), "width": "stretch"}
    button("Confirm as a deviation", deviate, at=keep, **how)
    back = (setattr, work, "what_if", None)
    button("Back to the plan", *back, key="back_to_plan", at=drop, width="stretch")


def _frozen(plan: Settings) -> dict[str, str]:
    """The main settings that a plan freezes, by name."""
    own = scenario_of(plan).adjustable(plan)
    if not plan.weighs:
        return own
    own.pop("starting chance", None)
    stakes_of = {"how sure before you act": how_sure(plan), "cost": amount(plan.cost, plan.payoffs.unit)}
    return stakes_of | own | {"rule": str(plan.rule), "starting chance": percent(plan.b_0)}


def _in_short(settings: Settings) -> list[tuple[str, str]]:
    """Names and values of the settings that this page can change."""
    mine = settings.application
    named = filter(None, (mine.number, date_words(mine.priority)))
    stakes_of = [
        ("how sure before you act", how_sure(settings)),
        ("cost", amount(settings.cost, settings.payoffs.unit)),
    ]
    return [
        *(stakes_of if settings.weighs else ()),
        ("your application", ", ".join(named) or "not named"),
        ("chances multiplied by", number(settings.scale)),
        ("learns from labels", f"yes{counts_too(settings)}" if settings.learns else "no"),
        *scenario_of(settings).adjustable(settings).items(),
    ]


def what_if(state: State, wanted: Settings) -> Settings | None:
    """The settings in force with the stakes that a person tries beside a registered plan; None if they are the same."""
    tried = replace(
        state.settings, **{name: value for name, value in vars(wanted).items() if name in ADJUSTABLE}
    )
    return tried if tried != state.settings else None


def _new_stakes(work: Work, state: State, changed: Settings) -> None:
    if state.plan is not None:
        work.what_if = changed
    else:
        attempt(work.change_settings, changed, state.seq)


def _of_studies(settings: StudySettings, key: str, on_change: Callable[[StudySettings], Any]) -> None:
    """Draw the fields of scenarios with studies: threshold, cost of a full report, and minimum.

    They follow settings that are changed elsewhere. `on_change` takes the new settings before the page is drawn again;
    if it does not adopt them, the fields go back.
    """
    now: dict[str, Any] = {
        **_shown(settings),
        "full_cost": nearest_fraction(settings.full_cost / settings.payoffs.K),
        "floor": round(100 * settings.floor),
    }
    moves = following(key, now, lambda name, value: on_change(_changed(settings, name, value)))
    left, middle, right = st.columns(3, gap="medium")
    if (threshold := settings.threshold) is not None:
        stakes.beyond(threshold, at=left, **moves(settings.threshold_field))
        if "theta_sp" in now:
            stakes.beyond(replace(SPECIFICITY, value=now["theta_sp"]), at=left, **moves("theta_sp"))
        with left:
            caption(f"{scenario_of(settings).threshold_in_words(settings)}.")
    if settings.two_stages:
        with middle:
            payoffs = settings.payoffs
            # The label shows the exact cost, which may lie between two stops.
            words = stops(payoffs) | {
                now["full_cost"]: escape_label(amount(settings.full_cost, payoffs.unit))
            }
            st.select_slider(
                "Cost per report in full",
                FRACTIONS,
                value=now["full_cost"],
                format_func=words.__getitem__,
                **moves("full_cost"),
                help=f"What reading one included report {term('full-cost', 'in full')} costs, beside its title and abstract.",
            )
            times = ""
            if settings.cost and settings.full_cost:
                times = f": as much as {settings.full_cost / settings.cost:,.3g} titles and abstracts"
            caption(f"{amount(settings.full_cost, payoffs.unit)}{times}.")
    if settings.payoffs.others:
        return
    hint = (
        f"No rule says stop while the {term('right-decision', 'chance of the right decision')} is below this "
        f"{term('floor', 'minimum')}; at 0 % the rule alone decides."
    )
    with right:
        asked = "Never stop below a chance of the right decision of"
        whole_percent(asked, now["floor"], low=0, **moves("floor"), help=hint)
        st.caption(f"{percent(settings.floor)}." if settings.floor else "0 %: the rule alone decides.")


def _shown(settings: StudySettings) -> dict[str, float]:
    """The thresholds by the names of their fields, limited to what the fields can show."""
    if (threshold := settings.threshold) is None:
        return {}
    value = min(0.99, max(0.01, threshold.value)) if threshold.is_share else threshold.value
    values = {settings.threshold_field: value}
    if isinstance(settings, ReviewSettings) and settings.theta_sp is not None:
        values["theta_sp"] = min(0.99, max(0.01, settings.theta_sp))
    return values


def _changed(settings: StudySettings, name: str, value: float) -> StudySettings:
    """The settings after one field was changed."""
    if name == "full_cost":
        return replace(settings, full_cost=value * settings.payoffs.K)
    if name == "floor":
        return replace(settings, floor=value / 100)
    if isinstance(settings, ReviewSettings) and name == "theta_sp":
        return replace(settings, theta_sp=value)
    return settings.with_threshold(value, keeps_b_0=False)
