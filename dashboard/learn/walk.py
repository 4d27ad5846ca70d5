"""Learn, walk through: one document at a time, with every formula filled in."""

import html
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.frame import address, shell
from dashboard.frame.drawing import dark, figure, heading_of, note, table
from dashboard.frame.markup import badges, numbers, told
from dashboard.frame.widgets import one_of, press, switch, tabs
from dashboard.learn import documents as learn_documents
from tarstop_core.errors import InputProblem
from tarstop_core.explore.lists import sample, samples
from tarstop_core.explore.maps import rules
from tarstop_core.policies import parse_policy
from tarstop_core.presentation.html import unbroken
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.screening.explain import action, question
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.lesson import steps as lessons
from tarstop_core.teaching.lesson.figures import curves
from tarstop_core.teaching.lesson.formulas import filled
from tarstop_core.teaching.lesson.steps import Lesson, Step, lesson
from tarstop_core.value.payoffs import Payoffs

PREFIX = "learn/walk"
LATE = 3.0  # seconds
"""For which the clock's last redraw, asked for before the address changed, may still bring the old address."""
TAUGHT = {each.name: each for each in (PATENT, REVIEW)}
"""Scenarios that have samples to walk through."""
RULES = ("optimal", "look-ahead:m=20", "greedy", "smooth:K=5", "batch:K=10", "budget:d=100", "decide-now")
COSTS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
PACES = (0.5, 1.0, 2.0, 4.0)
NAMES = ("scenario", "topic", "rule", "q", "c", "step", "shown", "pace")
"""The parameters of the address."""


@dataclass(frozen=True)
class Asked:
    """What the address says."""

    topic: str = "search:antenna-mount"  # Key of a sample: "search:antenna-mount"
    rule: str = "optimal"  # Of the rule followed
    q_star: float = 0.5
    cost: float = 0.001  # Normalised (K = 1)
    step: int = 0  # Documents read
    shown: bool = False  # Whether the truth is revealed before the end
    pace: float = 2.0  # Seconds a step takes when it plays

    @property
    def scenario(self) -> str:
        return next(name for name, each in TAUGHT.items() if self.topic.startswith(f"{each.sample}:"))

    @property
    def settings(self) -> Settings:
        """The sample's own, at these stakes."""
        return replace(sample(self.topic).settings, payoffs=Payoffs.from_q_star(self.q_star), cost=self.cost)

    @property
    def lesson(self) -> Lesson:
        """The rule followed on the list."""
        return lesson(self.topic, self.settings, parse_policy(self.rule, files=False))


def read_address(address: Mapping[str, str]) -> Asked:
    """What an address asks for; what cannot be read is as it would be without it."""
    first = Asked()
    scenario = address.get("scenario")
    scenario = scenario if scenario in TAUGHT else first.scenario
    titles = topics(scenario)
    key = f"{TAUGHT[scenario].sample}:{address.get('topic', '')}"
    if key not in titles:
        key = first.topic if first.topic in titles else next(iter(titles))
    rule = address.get("rule", first.rule)
    try:
        policy = parse_policy(rule, files=False)
        rule = policy.spec if policy.name in rules("planned") else first.rule
    except InputProblem:
        rule = first.rule
    q_star, cost = _number(address.get("q", ""), first.q_star), _number(address.get("c", ""), first.cost)
    pace = _number(address.get("pace", ""), first.pace)
    return Asked(
        key,
        rule,
        q_star if 0 < q_star < 1 else first.q_star,
        cost if 0 < cost < 1 else first.cost,
        max(0, int(_number(address.get("step", ""), 0.0))),
        address.get("shown", "") == "yes",
        pace if pace in PACES else first.pace,
    )


def address_of(asked: Asked) -> dict[str, str]:
    """The parameters that :func:`read_address` reads back."""
    return {
        "scenario": asked.scenario,
        "topic": asked.topic.partition(":")[2],
        "rule": asked.rule,
        "q": f"{asked.q_star:g}",
        "c": f"{asked.cost:g}",
        "step": str(asked.step),
        "shown": "yes" if asked.shown else "",
        "pace": f"{asked.pace:g}" if asked.pace != Asked().pace else "",
    }


def _number(text: str, otherwise: float) -> float:
    try:
        value = float(text)
    except ValueError:
        return otherwise
    return value if math.isfinite(value) else otherwise


def topics(scenario: str) -> dict[str, str]:
    """Titles of the samples of a scenario, by key."""
    return {key: title for key, title in samples() if key.startswith(f"{TAUGHT[scenario].sample}:")}


@dataclass
class Walk:
    """A lesson as one browser tab gives it: what is asked, and whether it plays."""

    asked: Asked
    written: dict[str, str]  # What the address was given last; what differs from it was put there by a person
    playing: bool = False
    ticking: bool = False  # Whether the page redraws by itself, which follows `playing` at the next full run
    moved: float = 0.0  # When the last step was made, in seconds
    before: dict[str, str] = field(default_factory=dict)  # The address while it played last
    halted: float = 0.0  # When the clock stopped, in seconds
    epoch: int = 0
    """Lessons that addresses asked for in this tab. Widgets are keyed by it: one that is given another value by the
    page would report its old one, as if a person had chosen it.
    """

    def key(self, name: str) -> str:
        return f"{PREFIX}/{self.epoch}/{name}"

    def go(self, step: int, *, playing: bool = False) -> None:
        """Go to a step, no further than where the rule stops."""
        end = self.asked.lesson.stop
        self.asked = replace(self.asked, step=min(max(step, 0), end))
        self.playing = playing and self.asked.step < end
        self.moved = time.monotonic()

    def play(self, wanted: bool) -> None:
        """What the button said when it was pressed: a key that is heard twice does not play on."""
        self.playing, self.moved = wanted, time.monotonic()

    def reveal(self) -> None:
        """Show the truth, or hide it again."""
        self.asked = replace(self.asked, shown=not self.asked.shown)

    def ask(self, **changed: Any) -> None:
        """Ask for another lesson, which begins at its beginning."""
        self.asked = replace(self.asked, **changed, step=0, shown=False)
        self.playing = False


def _walk() -> Walk:
    """The lesson of this tab, or the one that the address names."""
    given = address.given(NAMES)
    walk: Walk | None = st.session_state.get(PREFIX)
    if walk is not None and given == walk.before and time.monotonic() - walk.halted < LATE:
        return walk
    if walk is None or (given and given != walk.written):
        walk = Walk(read_address(given), given, epoch=walk.epoch + 1 if walk else 0)
        walk.go(walk.asked.step)
        st.session_state[PREFIX] = walk
    return walk


def show() -> None:
    st.html(Path(__file__).with_name("learn.css"))
    walk = _walk()
    if walk.ticking and not walk.playing:
        walk.before, walk.halted = walk.written, time.monotonic()
    walk.ticking = walk.playing
    # A fragment's clock is set when the whole page runs: to play and to pause ask for such a run.
    st.fragment(_lesson, run_every=walk.asked.pace if walk.playing else None)(walk)


def _lesson(walk: Walk) -> None:
    with shell.problems_shown():
        asked = walk.asked
        if walk.playing and walk.ticking and time.monotonic() - walk.moved > 0.7 * asked.pace:
            walk.go(asked.step + 1, playing=True)
        if walk.playing != walk.ticking:
            st.rerun()
        followed = walk.asked.lesson
        step = followed.step(walk.asked.step)
        _choices(walk)
        _transport(walk, followed, step)
        left, right = st.columns([1, 1.1], gap="large")
        known = walk.asked.shown or not step.go_on
        shown = {
            "Curves": partial(_curves, walk, followed, step),
            "Formulas": partial(_formulas, followed, step),
            "Read so far": partial(_log, followed, step, walk.asked.topic),
        }
        present = shell.presenting()
        with left, st.container(key="walk-told"):
            _headline(followed, step)
            # On a projector the truth takes the document's place.
            if present and known:
                _truth(followed)
            else:
                _document(walk.asked.topic, followed, step)
        if present:
            with right, st.container(key="walk-shown"):
                tabs(shown, key="walk-tab")
        else:
            with right:
                shown["Curves"]()
            # Below the chart, which keeps its place.
            if known:
                _reveal(followed)
            with st.expander("This step’s numbers in the formulas", key="walk-formulas"):
                shown["Formulas"]()
            heading_of("What has been read")
            shown["Read so far"]()
        wanted = address_of(walk.asked)
        if walk.playing and walk.written:  # only where it began, so that going back leaves the page
            wanted["step"] = walk.written.get("step", "0")
        walk.written = address.write(wanted)


def _choices(walk: Walk) -> None:
    """Which list, which rule and what is at stake: a line, and what opens to change it."""
    asked, followed = walk.asked, walk.asked.lesson
    with st.container(horizontal=True, vertical_alignment="center", key="walk-choices"):
        marks = badges(
            "simulated",
            f"rule: {followed.policy}",
            f"act when more than {percent(asked.q_star)} sure (q* = {asked.q_star:g})",
            f"a document costs {amount(asked.cost, '')} (K = 1)",
        )
        title = f"<strong>{html.escape(sample(asked.topic).name)}</strong>"
        st.html(f'<p class="tar-about" data-here="step={asked.step}">{title} {marks}</p>', width="stretch")
        with st.popover("Change", icon=":material/tune:", key="walk-change"):
            _change(walk)


def _change(walk: Walk) -> None:
    asked, titles = walk.asked, topics(walk.asked.scenario)

    def moved(name: str, what: str) -> None:
        value = st.session_state[walk.key(name)]
        if name == "scenario":
            value = st.session_state.get(walk.key(f"topic/{value}"), next(iter(topics(value))))
        walk.ask(**{what: value})

    def changed(name: str, what: str) -> dict[str, Any]:
        return {"key": walk.key(name), "on_change": moved, "args": (name, what)}

    decided = {name: each.short for name, each in TAUGHT.items()}
    switch("What is decided", decided, default=asked.scenario, **changed("scenario", "topic"))
    where = changed(f"topic/{asked.scenario}", "topic")
    one_of("Sample (simulated)", titles, first=asked.topic, **where)
    rules = {spec: str(parse_policy(spec, files=False)) for spec in (*RULES, asked.rule)}
    one_of("Stopping rule", rules, first=asked.rule, **changed("rule", "rule"))
    st.slider("How sure before you act (q\\*)", 0.01, 0.99, asked.q_star, step=0.01, **changed("q", "q_star"))
    st.select_slider(
        "Cost of a document (both mistakes together cost 1)",
        sorted({*COSTS, asked.cost}),
        asked.cost,
        format_func=lambda cost: amount(cost, ""),
        **changed("c", "cost"),
    )


def _transport(walk: Walk, followed: Lesson, step: Step) -> None:
    """Back, play, step, reveal, the pace and the way to any step."""
    at, begun, end = step.depth, step.depth == 0, not step.go_on

    def go(name: str, icon: str, to: int, disabled: bool, shortcut: str | None = None) -> None:
        press(
            name,
            walk.go,
            to,
            key=f"walk-{name.lower()}",
            icon=f":material/{icon}:",
            shortcut=shortcut,
            disabled=disabled,
        )

    def paced() -> None:
        walk.asked = replace(walk.asked, pace=st.session_state[walk.key("pace")])
        walk.ticking = False  # the clock is set anew

    with st.container(horizontal=True, vertical_alignment="bottom", key="walk-transport", gap="small"):
        go("Start", "first_page", 0, begun)
        with st.container(horizontal=True, width="content", key="walk-keys", gap="small"):
            go("Back", "chevron_left", at - 1, begun, "Left")
            name, icon = ("Pause", "pause") if walk.playing else ("Play", "play_arrow")
            press(
                name,
                walk.play,
                not walk.playing,
                key="walk-play",
                type="primary",
                icon=f":material/{icon}:",
                shortcut="Space",
                disabled=end,
            )
            go("Step", "chevron_right", at + 1, end, "Right")
        go("End", "last_page", followed.stop, end)
        words = "Hide" if walk.asked.shown else "Reveal"
        press(words, walk.reveal, icon=":material/visibility:", key="walk-reveal", disabled=end)
        # Not a box that opens: it would keep the space bar, which plays and pauses.
        paces = {pace: f"{pace:g}" for pace in PACES}
        switch("Seconds a step", paces, default=walk.asked.pace, key=walk.key("pace"), on_change=paced)
        _jump(walk, followed, step)


def _jump(walk: Walk, followed: Lesson, step: Step) -> None:
    """A slider as long as the plan from the start: only at the end does its length tell where the rule stops."""
    last = max(followed.stop if not step.go_on else followed.step(0).more, followed.stop, 1)
    at, key = step.depth, walk.key(f"jump/{step.depth}")  # one a step, because the page moves it

    def jumped() -> None:
        # A slider that is drawn late reports its own step, and moves nothing.
        wanted = int(st.session_state[key])
        if walk.asked.step == at != wanted:
            walk.go(wanted)

    shut = followed.stop == 0 or walk.playing
    st.slider("Documents read", 0, last, at, key=key, on_change=jumped, disabled=shut, width="stretch")


def _headline(followed: Lesson, step: Step) -> None:
    settings = followed.settings
    by_score = followed.policy.criterion.is_score
    weighed = "The paper’s score" if by_score else "Worth of the next, each"
    rows = [
        (f"Chance that {question(settings)}", percent(step.now.b)),
        ("How sure before you act", percent(step.now.q_star)),
        *([] if step.compared is None else [(weighed, amount(step.compared, ""))]),
        ("Cost of a document", amount(settings.cost, "")),
        ("Stopping now you would choose", f"“{action(step.now.plus, settings)}”"),
    ]
    more = f'<div class="tar-numbers tar-walked">{unbroken(numbers(rows))}</div>'
    st.html(told("GO ON" if step.go_on else "STOP", filled(followed, step)[-1].words, more=more))


def _document(key: str, followed: Lesson, step: Step) -> None:
    with st.container(height=330, border=True, key="walk-document"):
        if step.depth == 0:
            st.html(learn_documents.given(key, "Nothing read yet. "))
            return
        p = lessons.log(followed, step.depth)[-1]["p"]
        thought = f"{scenario_of(followed.settings).thought} {percent(p)}"
        st.html(learn_documents.document(key, step.depth - 1, thought))


def _curves(walk: Walk, followed: Lesson, step: Step) -> None:
    figure(
        "walk",
        "The belief, and what reading on is worth against its cost",
        curves(followed, step, dark=dark()),
        lessons.words(followed, step),
        lessons.log(followed, step.depth),
        f"tarstop-walk-{walk.asked.topic.partition(':')[2]}",
    )


def _formulas(followed: Lesson, step: Step) -> None:
    formulas = filled(followed, step)
    columns = st.columns(3, gap="small") if shell.presenting() else st.columns(2, gap="large")
    for at, formula in enumerate(formulas):
        # As many in each; the last columns hold what is left over.
        column = columns[((at + 1) * len(columns) - 1) // len(formulas)]
        with column.container(border=True, key=f"walk-formula-{formula.name}"):
            heading = f'<h3 class="tar-part">{at + 1}. {html.escape(formula.heading)}</h3>'
            st.html(f'<div class="tar-formula">{heading}<p>{html.escape(unbroken(formula.words))}</p></div>')
            st.latex(formula.latex)
            # In a tab of its own: the lesson stays where it is.
            to = html.escape(shell.learn("formulas", formula=formula.explained), quote=True)
            more = f'<a href="{to}" target="_blank">assumptions and code</a>'
            st.html(f'<div class="tar-place">{html.escape(formula.place)} · {more}</div>')


def _truth(followed: Lesson) -> None:
    st.html(told("The truth", lessons.truth(followed), lessons.came_of(followed), kind="revealed"))


def _reveal(followed: Lesson) -> None:
    settings = followed.settings
    _truth(followed)
    best = max(found.net_utility for _, found in followed.compared)
    rows = [
        {
            "Rule": str(policy),
            "Read": f"{found.depth:,.0f}",
            "Action": action(found.action == "a+", settings),
            "": "✓ right" if (found.action == "a+") == found.omega else "✗ wrong",
            "Net utility": amount(found.net_utility, ""),
            "Regret": amount(best - found.net_utility, ""),
        }
        for policy, found in followed.compared
    ]
    with st.expander("What other rules made of the same list", key="walk-others"):
        table(rows, "As tarstop replay prints them; simulated.")


def _log(followed: Lesson, step: Step, key: str) -> None:
    rows = lessons.log(followed, step.depth)
    if not rows:
        note("Nothing yet: press Step.")
        return
    known = learn_documents.records(key)
    one = scenario_of(followed.settings).one_find
    shown = [
        {
            "#": f"{row['rank']:,}",
            "Document": known[row["id"]].title,
            "Chance": percent(row["p"]),
            "Brought": one if row["found"] else "–",
            "Belief after it": percent(row["b"]),
            "Paper’s score": amount(row["rho_evpi"], ""),
            "Worth of the next": "–" if row["worth"] is None else amount(row["worth"], ""),
        }
        for row in reversed(rows)
    ]
    with st.container(height=300, border=False, key="walk-log"):
        table(shown)
