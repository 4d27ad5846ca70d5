"""The choices on the Results page: benchmarks, controls, and data frames that are cached for all visitors."""

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import address
from dashboard.frame.drawing import FAMILY_ORDER, note
from dashboard.frame.markup import badges
from dashboard.frame.people import person
from dashboard.frame.shell import dark, term
from dashboard.frame.widgets import bound, one_of, some_of, switch
from dashboard.frame.work import button
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import running as background
from tarstop_core.evaluation.findings import aggregate, tables
from tarstop_core.evaluation.findings.report import Findings
from tarstop_core.evaluation.methods import PAPER
from tarstop_core.evaluation.metrics import TARGET_RECALL
from tarstop_core.evaluation.results import MethodInfo, Results, ResultsFile, load, named_at_start, shipped
from tarstop_core.evaluation.tasks import TASKS, errors_of
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.places import RESULTS_VARIABLE, named_by_server
from tarstop_core.presentation.numbers import percent

SHOWN_FIRST = (*PAPER, "optimal", "decide-now")
OWN = "Yours"
TRUTH_HELP = (
    f"The {term('truth', 'truth')}: whether sensitivity pooled over all studies exceeds θ, as the paper’s text says; or the "
    "action that all studies would choose, which is the only truth that explains its Table 2."
)
AS_THEY_ARE = "as they are"
SHARES: tuple[str | float, ...] = (
    AS_THEY_ARE,
    0.01,
    0.02,
    0.05,
    *(round(0.1 * step, 1) for step in range(1, 10)),
)
PROFILES = {0.2: "aggressive", 0.5: "balanced", 0.8: "conservative"}
FULL = "full"
RESEARCHERS_ONLY = {"truth", "methods", "share", "target", "method", "topic"}
"""Parameters of the address that exist only with the switch "For researchers"."""
STAYS: dict[str, Any] = {"persist_state": "page"}
"""Arguments of widgets that keep their values while that switch is off."""


@dataclass(frozen=True)
class Choice:
    """One benchmark on the page."""

    files: Mapping[str, ResultsFile]  # By truth
    folder: str = ""  # Folder of a run on these pages; "" for shipped files and files named to the server
    own: bool = False  # Whether a person chose its methods, so that all of them are shown by default


def choices() -> dict[str, Choice]:
    """The benchmarks that can be shown, by label: those that the server was started with, shipped ones, and own runs."""
    by_title = {
        f"{OWN}: {file.title} ({file.path.parent.name}/{file.path.stem})": Choice(
            {file.truth: file}, own=True
        )
        for file in named_at_start(named_by_server(RESULTS_VARIABLE))
    }
    by_benchmark: dict[str, dict[str, ResultsFile]] = {}
    for file in shipped():
        by_benchmark.setdefault(file.benchmark, {})[file.truth] = file
    for files in by_benchmark.values():
        first = next(iter(files.values()))
        plain = "simulated" in first.title.lower() or not first.simulated
        by_title[first.title if plain else f"{first.title} (simulated)"] = Choice(files)
    for run in background.runs(person()):
        try:
            results = run.results
        except InputProblem:
            continue  # Damaged; the list of runs still offers to remove it
        if results is not None:
            by_title[own_label(run)] = Choice({results.truth: results}, str(run.folder), own=True)
    return by_title


def own_label(run: background.ExperimentRun) -> str:
    """Label of a person's run in the list of benchmarks; it has the identifier, because titles may repeat."""
    return f"{OWN}: {run.order.title} ({run.id})"


# --- frames, computed once ------------------------------------------------------------------------


@dataclass(frozen=True)
class Subject:
    """A file of results with the methods and the share of ω⁺ topics that are shown, as the key of caches."""

    path: str
    stamp: int  # Time at which the file was changed, in nanoseconds
    methods: tuple[str, ...]
    share: float | None = None


def subject_of(file: ResultsFile, methods: Sequence[str], share: float | None = None) -> Subject:
    return Subject(str(file.path), file.path.stat().st_mtime_ns, tuple(methods), share)


@st.cache_resource(show_spinner=False, max_entries=12)
def loaded(path: str, stamp: int) -> Results:
    """Load a file of results; `stamp` makes the cache load a changed file again."""
    return load(Path(path))


def everything(file: ResultsFile) -> Results:
    return loaded(str(file.path), file.path.stat().st_mtime_ns)


@st.cache_resource(show_spinner=False, max_entries=24)
def findings(subject: Subject) -> Findings:
    """Findings on the methods that are shown, so that regret is against the best of these."""
    return Findings(loaded(subject.path, subject.stamp).only(subject.methods), subject.share)


@st.cache_data(show_spinner=False, max_entries=64)
def regret(subject: Subject, q_star: float) -> pd.DataFrame:
    return aggregate.regret_by_cost(findings(subject).results, q_star, subject.share)


@st.cache_data(show_spinner=False, max_entries=64)
def errors(subject: Subject, cost: float) -> pd.DataFrame:
    return aggregate.errors(findings(subject).results, cost, subject.share)


@st.cache_data(show_spinner=False, max_entries=64)
def rows(subject: Subject, q_star: float, cost: float, target: float = TARGET_RECALL) -> pd.DataFrame:
    """Rows of one q* and cost, with intervals, and whether a method knows the truth."""
    results = findings(subject).results
    frame = aggregate.rows(results, share=subject.share, q_stars=[q_star], costs=[cost], target=target)
    return frame.assign(is_oracle=[method.is_oracle for method in results.methods])


@st.cache_data(show_spinner=False, max_entries=8)
def all_rows(subject: Subject, target: float) -> pd.DataFrame:
    """Rows of every q* and cost, as written by the command line."""
    return aggregate.rows(findings(subject).results, share=subject.share, target=target)


def in_words(frame: pd.DataFrame, results: Results) -> pd.DataFrame:
    """Return a frame with the page's names for the errors, as files saved from the page have them.

    In the program and in files of the command line `false_adopt` is a wrong a⁺ and `false_reject` a wrong a⁻. In
    patents, however, the page calls a wrong a⁺ a false reject.
    """
    called = {name: title.replace(" ", "_") for name, title in errors_of(results.settings).items()}
    beside = {f"{name}_paper": f"{title}_paper" for name, title in called.items()}
    return frame.rename(columns=called | beside)


# --- controls -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Look:
    """The answers of the controls, with the results that they select."""

    choice: Choice
    subject: Subject
    findings: Findings  # Findings on the methods that are shown
    everything: Results  # Results of all methods that were run
    q_star: float
    cost: float
    dark: bool

    @property
    def results(self) -> Results:
        """The results of the methods that are shown."""
        return self.findings.results

    def rows(self, target: float = TARGET_RECALL) -> pd.DataFrame:
        return rows(self.subject, self.q_star, self.cost, target)

    def at(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows of a frame at this q* and cost."""
        return frame[(frame["q_star"] == self.q_star) & (frame["cost"] == self.cost)]

    @property
    def stem(self) -> str:
        """Beginning of the names of files."""
        settings = self.results.settings
        truth = f"-{settings['truth']}" if TASKS[self.results.scenario].truths else ""
        return f"tarstop-{settings['benchmark']}{truth}-q{self.q_star:g}-c{self.cost:g}"

    @property
    def truth(self) -> str:
        """Words for the truth that decisions are compared with."""
        truth = self.results.settings["truth"]
        return TASKS[self.results.scenario].truth_words.get(truth, f"truth: {truth}")

    @property
    def caption(self) -> str:
        """Caption of LaTeX tables."""
        settings = self.results.settings
        simulated = "simulated; " if self.results.simulated else ""
        given = self.subject.share
        share = "" if given is None else f"; reweighted to {percent(given)} of topics in ω⁺"
        return (
            f"{settings['title']} ({simulated}{len(self.results.cases):,} topics), q* = {self.q_star:g}, cost of a document "
            f"{self.cost:g}; {self.truth}; belief engine: {settings['engine']}{share}."
        )


def controls() -> Look | None:
    """Draw the controls and return their answers; None if there are no results, or no method is chosen."""
    offered = choices()
    if not offered:
        st.info(
            "There are no results here. Run an experiment on your own files below, "
            "or make the shipped results with scripts/make_results.py.",
            icon=":material/arrow_downward:",
        )
        return None
    keep_valid("benchmark", offered)
    full = researching()
    first, second, third = st.columns([2.2, 1.6, 1.2], vertical_alignment="bottom")
    choice = offered[first.selectbox("Benchmark", list(offered), **bound("benchmark"))]
    left, right, more = st.columns([1.1, 2.3, 1.2], gap="medium") if full else (second, third, None)
    with second:
        file = _truth(choice) if full else next(iter(choice.files.values()))
    results = everything(file)
    with third:
        usual = _first(results, choice.own)
        methods = _methods(results, usual) if full else usual
    q_star, cost, share = _stakes(results, left, right, more)
    if not methods:
        st.info("Choose at least one method.", icon=":material/arrow_upward:")
        return None
    subject = subject_of(file, methods, share)
    return Look(choice, subject, findings(subject), results, q_star, cost, dark())


def researching() -> bool:
    """Whether the switch "For researchers" is on."""
    return bool(st.session_state.get(FULL))


def for_researchers(views: Iterable[str]) -> None:
    """Draw the switch, which is on for an address that needs it; `views` are the tabs that it adds."""
    asked = st.query_params
    if FULL not in st.session_state and (asked.get("view") in {*views} or RESEARCHERS_ONLY & {*asked}):
        st.session_state[FULL] = True
    brings = "Methods, what counts as the truth, every table, single topics."
    st.toggle("For researchers", **bound(FULL), help=brings)


def keep_valid(key: str, options: Iterable[Any]) -> None:
    """Forget a choice that another benchmark does not offer."""
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]


def _truth(choice: Choice) -> ResultsFile:
    truths = {truth: words for truth, words in ReviewTask.truths.items() if truth in choice.files}
    if len(truths) < 2:
        return next(iter(choice.files.values()))
    keep_valid("truth", truths)
    question = "What counts as the truth"
    return choice.files[switch(question, truths, **bound("truth"), **STAYS, help=TRUTH_HELP)]


def _by_family(results: Results) -> list[MethodInfo]:
    place = {family: at for at, family in enumerate(FAMILY_ORDER)}
    return sorted(results.methods, key=lambda method: place.get(method.family, len(place)))


def _first(results: Results, own: bool) -> tuple[str, ...]:
    """Methods that are shown by default: all if there are few or a person chose them, otherwise the best known."""
    names = tuple(method.name for method in _by_family(results))
    show_all = own or len(names) <= len(SHOWN_FIRST)
    return tuple(name for name in names if show_all or name in SHOWN_FIRST)


def _methods(results: Results, first: tuple[str, ...]) -> tuple[str, ...]:
    """Ask for the methods to show, in the order of families and then of the run; `first` is the default."""
    titles, state = {method.name: method.title for method in _by_family(results)}, st.session_state
    # After a change of benchmark its default methods are shown too, such as a person's own rule.
    before, state["results/first"] = state.get("results/first", first), first
    if "methods" in state and (before != first or not {*state["methods"]} <= {*titles}):
        wanted = {*state["methods"], *first} - ({*before} - {*state["methods"]})
        state["methods"] = [name for name in titles if name in wanted]
    count = len(state.get("methods", first))
    with st.popover(f"Methods: {count} of {len(titles)}", width="stretch", key="results-methods"):
        against = f"{term('regret', 'Regret')} is measured from the best of the methods shown."
        picked = some_of("Methods", titles, first, **bound("methods"), **STAYS, help=against)
        some, every = st.columns(2)
        choose = partial(button, width="stretch")
        choose("The paper’s and ours", state.update, {"methods": first}, key="results/ours", at=some)
        choose("All", state.update, {"methods": list(titles)}, key="results/every", at=every)
    return tuple(name for name in titles if name in picked)


def _stakes(
    results: Results, left: DeltaGenerator, right: DeltaGenerator, more: DeltaGenerator | None
) -> tuple[float, float, float | None]:
    """Ask for q*, the cost and, if there is a container `more`, the share of topics in ω⁺."""
    q_stars = {value: percent(value) for value in results.q_stars}
    costs = {value: f"{value:g}" for value in sorted(results.costs)}
    keep_valid("q", q_stars)
    keep_valid("cost", costs)
    usual = 0.5 if 0.5 in q_stars else results.q_stars[len(q_stars) // 2]
    profiles = ", ".join(f"{percent(at)}: {name}" for at, name in PROFILES.items())
    meaning = f"a⁺ only if ω⁺ is more likely than this; {profiles}."
    # A bound widget would write its label into the address, where earlier links have the number.
    by_number = {f"{value:g}": value for value in q_stars}
    first = by_number[address.named("q", by_number, f"{usual:g}")]
    q_star = switch("How sure before you act", q_stars, at=left, default=first, key="q", help=meaning)
    address.write({"q": "" if q_star == usual else f"{q_star:g}"})
    usual = tables.headline_cost(results.scenario, results.costs)
    unit = "If both mistakes together cost 1 (K = 1)."
    cost = one_of("Cost of one document", costs, at=right, first=usual, **bound("cost"), help=unit)
    if more is None:
        return q_star, cost, None
    with more:
        words = {value: value if isinstance(value, str) else percent(value) for value in SHARES}
        # The address has the number, as for q*; earlier links have the label.
        by_text: dict[str, str | float] = {label: value for value, label in words.items()}
        by_text |= {f"{value:g}": value for value in SHARES if isinstance(value, float)}
        default = by_text[address.named("share", by_text, AS_THEY_ARE)]
        how = {"format_func": words.__getitem__, "key": "share", **STAYS}
        share = st.select_slider("Share of topics in ω⁺", SHARES, default, **how)
        address.write({"share": f"{share:g}" if isinstance(share, float) else ""})
        if isinstance(share, float):
            note(f"Reweighted as if {percent(share)} of topics were in ω⁺.")
            return q_star, cost, share
        at = float(results.omega[:, results.q(q_star)] @ results.weights / results.weights.sum())
        note(f"As they are: {percent(at)} of topics are in ω⁺.")
    return q_star, cost, None


def about(look: Look) -> None:
    """Draw badges and a sentence that describe the results."""
    settings = look.results.settings
    marks = ["simulated"] * look.results.simulated
    marks += [f"{len(look.results.cases):,} test topics", f"belief engine: {settings['engine']}"]
    marks += [f"θ = {settings['theta']:g}"] if "theta" in settings else []
    marks += [f"specificity above {settings['theta_sp']:g}"] if "theta_sp" in settings else []
    truth = html.escape(f"{look.truth[0].upper()}{look.truth[1:]}.")
    st.html(f'<p class="tar-about">{badges(*marks)} <span class="tar-meta">{truth}</span></p>')
