"""Learn, part "Walk through": one document at a time, with every formula filled in."""

import html
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from threading import Lock
from typing import Any

import streamlit as st

from dashboard.frame import address, classroom, shell
from dashboard.frame.drawing import figure, heading_of, note, table
from dashboard.frame.markup import badges, numbers, told
from dashboard.frame.widgets import one_of, share, switch, tabs
from dashboard.frame.work import button
from dashboard.learn import documents
from dashboard.learn.walk_state import (
    COSTS,
    LATE,
    NAMES,
    PACES,
    PREFIX,
    RULES,
    TAUGHT,
    LessonChoices,
    Walk,
    address_of,
    read_address,
)
from tarstop_core.explore.lists import sample, samples
from tarstop_core.policies import parse_policy
from tarstop_core.presentation.numbers import amount, percent, unbroken
from tarstop_core.presentation.pictures import fluid
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.wording import Mood, action, question
from tarstop_core.teaching import lesson as lessons
from tarstop_core.teaching.figures import lesson_curves
from tarstop_core.teaching.formulas import filled
from tarstop_core.teaching.lesson import Lesson, Step

# --- the part ------------------------------------------------------------------------------------------------


def _walk() -> Walk:
    """Return the lesson of this tab, or a new one if a person entered another address."""
    given = address.given(NAMES)
    walk: Walk | None = st.session_state.get(PREFIX)
    if walk is not None and given == walk.before and time.monotonic() - walk.halted < LATE:
        return walk
    if walk is None or (given and given != walk.written):
        walk = Walk(read_address(given), given, epoch=walk.epoch + 1 if walk else 0)
        walk.go(walk.choices.step)
        st.session_state[PREFIX] = walk
    return walk


def show() -> None:
    """Draw the lesson of this tab, or the one in a new address."""
    walk = _walk()
    if walk.ticking and not walk.playing:
        walk.before, walk.halted = walk.written, time.monotonic()
    walk.ticking = walk.playing
    # The clock of a fragment is set when the whole page runs, so playing and pausing rerun the page.
    st.fragment(_lesson, run_every=walk.choices.pace if walk.playing else None)(walk)


def show_led(given: Mapping[str, str]) -> None:
    """Draw the lecturer's place, which `given` has as an address, without anything to press."""
    with _ONE_FOR_ALL:
        beside, curves, sentence = _led(read_address(given), shell.dark())
    left, right = st.columns([1, 1.1], gap="large")
    left.html(beside)
    with right:
        st.html(curves)
        note(sentence)


_ONE_FOR_ALL = Lock()  # The first phone of a class computes a step, and the others wait for the cached result


@lru_cache(maxsize=16)
def _led(choices: LessonChoices, dark: bool) -> tuple[str, str, str]:
    """Return the HTML beside the curves, the curves and their sentence, which are cached for a whole class."""
    lesson = choices.lesson
    step = lesson.step(choices.step)
    truth = _truth(lesson) if choices.revealed or not step.go_on else ""
    sentence = lessons.words(lesson, step)
    about, document = _about(replace(choices, step=step.depth)), _document(choices.topic, lesson, step)
    parts = (about, _headline(lesson, step), truth, document)
    beside = "".join(f'<div class="tar-led">{part}</div>' for part in parts)
    return beside, fluid(lesson_curves(lesson, step, dark=dark), sentence), sentence


def _lesson(walk: Walk) -> None:
    with shell.problems_shown():
        choices = walk.choices
        if walk.playing and walk.ticking and time.monotonic() - walk.moved > 0.7 * choices.pace:
            walk.go(choices.step + 1, playing=True)
        if walk.playing != walk.ticking:
            st.rerun()
        followed = walk.choices.lesson
        step = followed.step(walk.choices.step)
        _choices(walk)
        _transport(walk, followed, step)
        left, right = st.columns([1, 1.1], gap="large")
        revealed = walk.choices.revealed or not step.go_on
        views = {
            "Curves": partial(_curves, walk, followed, step),
            "Formulas": partial(_formulas, followed, step),
            "Read so far": partial(_log, followed, step, walk.choices.topic),
        }
        present = shell.presenting()
        with left, st.container(key="walk-told"):
            st.html(_headline(followed, step))
            if present and revealed:
                st.html(_truth(followed))
            with st.container(height=330, border=True, key="walk-document"):
                st.html(_document(walk.choices.topic, followed, step))
        if present:
            with right, st.container(key="walk-shown"):
                tabs(views, key="walk-tab")
        else:
            with right:
                views["Curves"]()
            # Below the chart, which keeps its place.
            if revealed:
                _reveal(followed)
            with st.expander("This step’s numbers in the formulas", key="walk-formulas"):
                views["Formulas"]()
            heading_of("What has been read")
            views["Read so far"]()
        wanted = address_of(walk.choices)
        classroom.lead({"part": "walk"} | wanted)
        if (
            walk.playing and walk.written
        ):  # The step stays where it began, so that the Back button leaves the page
            wanted["step"] = walk.written.get("step", "0")
        walk.written = address.write(wanted)


def _choices(walk: Walk) -> None:
    """A line with list, rule and stakes, and a popover to change them."""
    with st.container(horizontal=True, vertical_alignment="center", key="walk-choices"):
        st.html(_about(walk.choices), width="stretch")
        with st.popover("Change", icon=":material/tune:", key="walk-change"):
            _change(walk)


def _about(choices: LessonChoices) -> str:
    followed = choices.lesson
    marks = badges(
        "simulated",
        f"rule: {followed.policy}",
        f"act when more than {percent(choices.q_star)} sure",
        f"a document costs {amount(followed.settings.cost, followed.settings.payoffs.unit)}",
    )
    title = f"<strong>{html.escape(sample(choices.topic).name)}</strong>"
    return f'<p class="tar-about" data-here="step={choices.step}">{title} {marks}</p>'


def _change(walk: Walk) -> None:
    choices, titles = walk.choices, samples(TAUGHT[walk.choices.scenario].sample)
    payoffs = choices.settings.payoffs

    def moved(name: str, what: str) -> None:
        value = st.session_state[walk.key(name)]
        if name == "scenario":
            value = st.session_state.get(
                walk.key(f"topic/{value}"), next(iter(samples(TAUGHT[value].sample)))
            )
        walk.ask(**{what: value})

    def changed(name: str, what: str) -> dict[str, Any]:
        return {"key": walk.key(name), "on_change": moved, "args": (name, what)}

    decided = {name: scenario.short for name, scenario in TAUGHT.items()}
    switch("What is decided", decided, default=choices.scenario, **changed("scenario", "topic"))
    where = changed(f"topic/{choices.scenario}", "topic")
    one_of("Sample (simulated)", titles, first=choices.topic, **where)
    rules = {spec: str(parse_policy(spec, files=False)) for spec in (*RULES, choices.rule)}
    one_of("Stopping rule", rules, first=choices.rule, **changed("rule", "rule"))
    share("How sure before you act", choices.q_star, **changed("q", "q_star"))
    st.select_slider(
        f"Cost of a document (both mistakes together cost {amount(payoffs.K, payoffs.unit)})",
        sorted({*COSTS, choices.cost}),
        choices.cost,
        format_func=lambda cost: amount(cost * payoffs.K, payoffs.unit),
        **changed("c", "cost"),
    )


def _transport(walk: Walk, followed: Lesson, step: Step) -> None:
    """The controls to go back, play, step, reveal the truth, set the pace and jump to any step."""
    at, begun, end = step.depth, step.depth == 0, not step.go_on

    def go(name: str, icon: str, to: int, disabled: bool, shortcut: str | None = None) -> None:
        how: dict[str, Any] = {"icon": f":material/{icon}:", "shortcut": shortcut, "disabled": disabled}
        button(name, walk.go, to, key=f"walk-{name.lower()}", **how)

    def paced() -> None:
        walk.choices = replace(walk.choices, pace=st.session_state[walk.key("pace")])
        walk.ticking = False  # Sets the clock again

    with st.container(horizontal=True, vertical_alignment="bottom", key="walk-transport", gap="small"):
        go("Start", "first_page", 0, begun)
        with st.container(horizontal=True, width="content", key="walk-keys", gap="small"):
            go("Back", "chevron_left", at - 1, begun, "Left")
            name, icon = ("Pause", "pause") if walk.playing else ("Play", "play_arrow")
            how: dict[str, Any] = {"icon": f":material/{icon}:", "shortcut": "Space", "disabled": end}
            button(name, walk.play, not walk.playing, key="walk-play", type="primary", **how)
            go("Step", "chevron_right", at + 1, end, "Right")
        go("End", "last_page", followed.stop, end)
        words = "Hide" if walk.choices.revealed else "Reveal"
        button(words, walk.reveal, icon=":material/visibility:", key="walk-reveal", disabled=end)
        # A select box would keep the space bar, which plays and pauses.
        paces = {pace: f"{pace:g}" for pace in PACES}
        switch("Seconds a step", paces, default=walk.choices.pace, key=walk.key("pace"), on_change=paced)
        _jump(walk, followed, step)


def _jump(walk: Walk, followed: Lesson, step: Step) -> None:
    """A slider to any step, as long as the first plan, so that before the end it does not show where the rule stops."""
    last = max(followed.stop if not step.go_on else followed.step(0).more, followed.stop, 1)
    # Each step has a new slider, because the page moves it.
    at, key = step.depth, walk.key(f"jump/{step.depth}")

    def jumped() -> None:
        # A slider that is drawn late reports its own step, which must move nothing.
        wanted = int(st.session_state[key])
        if walk.choices.step == at != wanted:
            walk.go(wanted)

    shut = followed.stop == 0 or walk.playing
    st.slider("Documents read", 0, last, at, key=key, on_change=jumped, disabled=shut, width="stretch")


def _headline(followed: Lesson, step: Step) -> str:
    settings, unit = followed.settings, followed.settings.payoffs.unit
    weighed = "The paper’s score" if followed.policy.criterion else "Worth of the next, each"
    rows = [
        (f"Chance that {question(settings)}", percent(step.now.b)),
        ("How sure before you act", percent(step.now.q_star)),
        *([] if step.compared is None else [(weighed, amount(step.compared, unit))]),
        ("Cost of a document", amount(settings.cost, unit)),
        ("If you stopped now, you would choose", f"“{action(step.now.option, settings)}”"),
    ]
    more = f'<div class="tar-numbers tar-walked">{unbroken(numbers(rows))}</div>'
    mood: Mood = "go" if step.go_on else "stop"
    word, sentence = "GO ON" if step.go_on else "STOP", filled(followed, step)[-1].words
    return told(word, sentence, more=more, mood=mood)


def _document(key: str, followed: Lesson, step: Step) -> str:
    if step.depth == 0:
        return documents.given(key, "Nothing read yet. ")
    p = lessons.log(followed, step.depth)[-1]["p"]
    thought = f"{scenario_of(followed.settings).message('thought')} {percent(p)}"
    return documents.document(key, step.depth - 1, thought)


def _curves(walk: Walk, followed: Lesson, step: Step) -> None:
    figure(
        "walk",
        "The chance, and what reading on is worth beside its cost",
        lesson_curves(followed, step, dark=shell.dark()),
        lessons.words(followed, step),
        lessons.log(followed, step.depth, first=0),
        f"tarstop-walk-{walk.choices.topic.partition(':')[2]}",
        at_once=True,
    )


def _formulas(followed: Lesson, step: Step) -> None:
    formulas = filled(followed, step)
    columns = st.columns(3, gap="small") if shell.presenting() else st.columns(2, gap="large")
    for at, formula in enumerate(formulas):
        # Columns have the same number of formulas; the last ones take the rest.
        column = columns[((at + 1) * len(columns) - 1) // len(formulas)]
        with column.container(border=True, key=f"walk-formula-{formula.name}"):
            heading = f'<h3 class="tar-part">{at + 1}. {html.escape(formula.heading)}</h3>'
            st.html(f'<div class="tar-formula">{heading}<p>{html.escape(unbroken(formula.words))}</p></div>')
            st.latex(formula.latex)
            # Opens in a new tab, so that the lesson stays.
            to = html.escape(shell.learn("formulas", formula=formula.explained), quote=True)
            more = f'<a href="{to}" target="_blank">assumptions and code</a>'
            st.html(f'<div class="tar-place">{html.escape(formula.place)} · {more}</div>')


def _truth(followed: Lesson) -> str:
    return told("The truth", lessons.truth(followed), lessons.came_of(followed), kind="revealed")


def _reveal(followed: Lesson) -> None:
    settings, unit = followed.settings, followed.settings.payoffs.unit
    st.html(_truth(followed))
    best = max(played.net_utility for _, played in followed.compared)
    rows = [
        {
            "Rule": policy.brief,
            "Read": f"{played.depth:,.0f}",
            "Action": action(played.action == "a+", settings),
            "": "✓ right" if played.right else "✗ wrong",
            "Net utility": amount(played.net_utility, unit),
            "Regret": amount(best - played.net_utility, unit),
        }
        for policy, played in followed.compared
    ]
    with st.expander("What other rules did with the same list", key="walk-others"):
        table(rows, "Simulated.")


def _log(followed: Lesson, step: Step, key: str) -> None:
    rows = lessons.log(followed, step.depth)
    if not rows:
        note("Nothing yet: press Step.")
        return
    records, unit = documents.records(key), followed.settings.payoffs.unit
    one = scenario_of(followed.settings).message("one_find")
    latest_first = [
        {
            "#": f"{row['rank']:,}",
            "Document": records[row["id"]].title,
            "Chance": percent(row["p"]),
            "Brought": one if row["found"] else "–",
            "Chance after it": percent(row["b"]),
            "Paper’s score": amount(row["rho_evpi"], unit),
            "Worth of the next": "–" if row["worth"] is None else amount(row["worth"], unit),
        }
        for row in reversed(rows)
    ]
    with st.container(height=300, border=False, key="walk-log"):
        table(latest_first)
