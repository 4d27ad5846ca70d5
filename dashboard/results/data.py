"""What the Results page draws from: files of results, and frames computed from them once for all readers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import streamlit as st

from dashboard.frame.shell import term
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import running as background
from tarstop_core.evaluation.findings import aggregate, claims, paper
from tarstop_core.evaluation.methods import PAPER
from tarstop_core.evaluation.metrics import TARGET_RECALL
from tarstop_core.evaluation.results import Listed, Results, load, named_at_start, shipped
from tarstop_core.evaluation.tasks import TASKS, errors_of
from tarstop_core.places import RESULTS_VARIABLE, named_by_server

KEPT = 64
SHOWN_FIRST = (*PAPER, "optimal", "decide-now")
OWN = "Yours"
TRUTHS = {name: said for task in TASKS.values() for name, said in task.truths.items()}
TRUTH_HELP = (
    f"The {term('truth', 'truth')}: whether sensitivity pooled over all studies exceeds θ, as the paper’s text says; or the "
    "action that all studies would choose, the only truth that its Table 2 can come from."
)


@dataclass(frozen=True)
class Choice:
    """One benchmark on the page."""

    files: Mapping[str, Listed]  # By truth
    folder: str = ""  # Of a run on these pages; empty for what is shipped or was named to the server
    own: bool = False  # Whether somebody here chose the methods: all of them are shown to begin with


def choices() -> dict[str, Choice]:
    """Everything that can be shown, by what it is called; first what the server was started with, then what is shipped."""
    choices: dict[str, Choice] = {
        f"{OWN}: {listed.title} ({listed.path.parent.name}/{listed.path.stem})": Choice(
            {listed.truth: listed}, own=True
        )
        for listed in named_at_start(named_by_server(RESULTS_VARIABLE))
    }
    by_benchmark: dict[str, dict[str, Listed]] = {}
    for each in shipped():
        by_benchmark.setdefault(each.benchmark, {})[each.truth] = each
    for files in by_benchmark.values():
        first = next(iter(files.values()))
        plain = "simulated" in first.title.lower() or not first.simulated
        choices[first.title if plain else f"{first.title} (simulated)"] = Choice(files)
    for run in background.runs():
        try:
            results = run.results
        except InputProblem:
            continue  # damaged; the list of runs still offers to remove it
        if results is not None:
            choices[own_label(run)] = Choice({results.truth: results}, str(run.folder), own=True)
    return choices


def own_label(run: background.Run) -> str:
    """What a run of one's own is called in the list of benchmarks: titles may repeat, identifiers do not."""
    return f"{OWN}: {run.order.title} ({run.id})"


@dataclass(frozen=True)
class Asked:
    """What is looked at: a file as it was when it was listed, some of its methods, and a share of ω⁺ topics."""

    path: str
    stamp: int
    methods: tuple[str, ...]
    share: float | None = None


def asked_of(file: Listed, methods: Sequence[str], share: float | None = None) -> Asked:
    return Asked(str(file.path), file.path.stat().st_mtime_ns, tuple(methods), share)


@st.cache_resource(show_spinner=False, max_entries=12)
def loaded(path: str, stamp: int) -> Results:
    """All results of a file as it was at a time."""
    return load(Path(path))


def everything(file: Listed) -> Results:
    return loaded(str(file.path), file.path.stat().st_mtime_ns)


@st.cache_resource(show_spinner=False, max_entries=24)
def _some(path: str, stamp: int, methods: tuple[str, ...]) -> Results:
    return loaded(path, stamp).only(methods)


def some(asked: Asked) -> Results:
    """The results of the methods that are looked at: regret is against the best of these."""
    return _some(asked.path, asked.stamp, asked.methods)


def in_words(frame: pd.DataFrame, results: Results) -> pd.DataFrame:
    """A frame as it leaves the page: errors are called there what the page calls them.

    Within the programme, and in what the command line writes, `false_adopt` is a wrong a⁺ and `false_reject` a wrong a⁻
    whatever the actions are called; in patents the page's false reject is the former.
    """
    called = {name: said.replace(" ", "_") for name, said in errors_of(results.settings).items()}
    beside = {f"{name}_paper": f"{said}_paper" for name, said in called.items()}
    return frame.rename(columns=called | beside)


@st.cache_data(show_spinner=False, max_entries=KEPT)
def regret(asked: Asked, q_star: float) -> pd.DataFrame:
    return aggregate.regret_by_cost(some(asked), q_star, asked.share, aggregate.DRAWS)


@st.cache_data(show_spinner=False, max_entries=KEPT)
def errors(asked: Asked, cost: float) -> pd.DataFrame:
    return aggregate.errors(some(asked), cost, asked.share)


@st.cache_data(show_spinner=False, max_entries=KEPT)
def rows(asked: Asked, q_star: float, cost: float, target: float = TARGET_RECALL) -> pd.DataFrame:
    """Rows of one q* and cost, with intervals, and whether a method knows the truth."""
    results = some(asked)
    found = aggregate.rows(results, share=asked.share, q_stars=[q_star], costs=[cost], target=target)
    return found.assign(is_oracle=[method.is_oracle for method in results.methods])


@st.cache_data(show_spinner=False, max_entries=8)
def all_rows(asked: Asked, target: float) -> pd.DataFrame:
    """Rows of every q* and cost, as the command line writes them."""
    return aggregate.rows(some(asked), share=asked.share, target=target)


@st.cache_data(show_spinner=False, max_entries=16)
def compared(asked: Asked) -> pd.DataFrame:
    """Every method against Greedy on the same topics."""
    return aggregate.compare(some(asked), share=asked.share)


@st.cache_data(show_spinner=False, max_entries=16)
def verdicts(asked: Asked) -> list[claims.Verdict]:
    return claims.verdicts(some(asked), asked.share)


@st.cache_data(show_spinner=False, max_entries=16)
def beside_paper(asked: Asked) -> tuple[pd.DataFrame, list[str]]:
    """A run beside the paper's tables, and where the order of methods differs."""
    results = some(asked)
    beside = aggregate.beside_paper(results).assign(differs_by=claims.reasons(results))
    return beside, claims.ordering_sentences(results)


@st.cache_data(show_spinner=False)
def recovered() -> pd.DataFrame:
    return paper.recovered()
