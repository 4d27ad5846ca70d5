"""Experiments on a person's own benchmark, which is uploaded or a folder, and their runs."""

import html
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import shell
from dashboard.frame.drawing import note
from dashboard.frame.markup import badges
from dashboard.frame.people import person, served_on
from dashboard.frame.waiting import LARGE_FILE, shown, take_in, taken_in
from dashboard.frame.widgets import ask_for_files, files_given, named, one_of, share, some_of, switch
from dashboard.frame.work import button, clock
from dashboard.parts import jobs
from dashboard.results.look import SHOWN_FIRST, TRUTH_HELP, own_label
from tarstop_core.belief.engines import ENGINES
from tarstop_core.effects.measures import Measure
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import running as background
from tarstop_core.evaluation.benchmarks.folder import from_folder, stem
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.methods import DEFAULT, parse_methods, server_rules
from tarstop_core.evaluation.protocol import COSTS, Q_STARS
from tarstop_core.evaluation.running import ExperimentOrder, ExperimentRun, Status
from tarstop_core.evaluation.tasks.effect import EffectTask
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.places import folder_of_the_server, open_folders

SECONDS = 1.0
"""Seconds between two updates of a run."""
SHOWN = 5
"""Runs that are listed before the others are folded."""
TAKEN = "results/taken"
"""State: the benchmark that was read."""
PROBLEM = "results/problem"
"""State: the problem with the last upload."""
SENDINGS = "results/sendings"
"""State: the number of uploads so far, which is part of the uploader's key."""
GOING = ("waiting", "running")
"""States of a run that has not ended."""
WAYS = {"send": "Send files", "folder": "Name a folder"}
LAYOUT = Path(__file__).with_name("layout.md")


@dataclass(frozen=True)
class ReadBenchmark:
    """A benchmark that was read and can be run."""

    home: str  # Folder of the run
    folder: str  # Folder of the benchmark's files
    title: str
    scenario: str
    contents: str  # Sentence that says what the benchmark holds
    notes: tuple[str, ...]


def section() -> None:
    """Draw the part of the page with the person's own runs."""
    st.html('<h2 class="tar-section" id="own">Your own benchmark</h2>')
    if background.runs(person()):
        going = _anything_going()
        st.fragment(_listing, run_every=SECONDS if going else None)(going)
    taken: ReadBenchmark | None = st.session_state.get(TAKEN)
    if taken is not None and not background.wanted_still(Path(taken.home)):
        taken = st.session_state[TAKEN] = None
        st.session_state[PROBLEM] = (
            "Your files were not run within a day and were removed; upload them again."
        )
    background.sweep(person())
    with st.expander("Run an experiment on your own rankings", expanded=taken is not None, key="order"):
        if taken is None:
            _bring()
        else:
            _choose(taken)


def _listing(going: bool) -> None:
    """List the runs; while one is going on, this is drawn every second, and the whole page once when it has ended."""
    listed = [(run, background.status(run)) for run in background.runs(person())]
    for run, status in listed[:SHOWN]:
        _run(run, status)
    if older := listed[SHOWN:]:
        with st.expander(f"{len(older)} older"):
            for run, status in older:
                _run(run, status)
    if going and not any(status.state in GOING for _, status in listed):
        st.rerun()


def _run(run: ExperimentRun, status: Status) -> None:
    with st.container(border=True, key=f"run-{run.id}"):
        words, buttons = st.columns([1.6, 1], vertical_alignment="center")
        with words:
            st.html(
                f'<div class="tar-row"><strong class="tar-name">{html.escape(run.order.title)}</strong> '
                f"{badges('starting' if status.state == 'waiting' else status.state)}</div>"
                f'<div class="tar-meta">{len(run.order.methods)} methods · {html.escape(clock(run.order.created))}</div>'
            )
            if status.state in GOING:
                st.progress(min(1.0, status.share), text=background.progress_words(status))
            elif status.state == "failed":
                shell.problem_box(status.what)
            elif status.state == "stopped":
                note(f"{100 * status.share:.0f} % is done and kept.")
        with buttons, st.container(horizontal=True, horizontal_alignment="right"):
            _buttons(run, status)


def _buttons(run: ExperimentRun, status: Status) -> None:
    key = run.id
    if status.state in GOING:
        button("Cancel", background.cancel, run, key=f"cancel-{key}")
        return
    if status.state == "done":
        # A press inside a fragment redraws only that.
        if st.button("Show", key=f"show-{key}", on_click=_show, args=(run,)):
            st.rerun()
    else:
        kept, busy = "Finished parts are not computed again.", _anything_going()
        if st.button("Go on", key=f"resume-{key}", help=kept, disabled=busy):
            background.resume(run)
            st.rerun()
    with st.popover("Remove", key=f"remove-{key}", width="content"):
        st.write("Its results and the uploaded files will be deleted.")
        if st.button("Delete", key=f"delete-{key}"):
            background.forget(run)
            st.rerun()


def _show(run: ExperimentRun) -> None:
    st.session_state["benchmark"] = own_label(run)
    st.session_state.pop("methods", None)


def _anything_going() -> bool:
    return any(background.status(run).state in GOING for run in background.runs(person()))


def _bring() -> None:
    state = st.session_state
    st.markdown(LAYOUT.read_text(encoding="utf-8"))
    way = switch("How", WAYS, key="results/way", label_visibility="collapsed")
    if way == "send":
        # Uploads are gone after a visit to another page, so they are read at once; then there is a new uploader.
        key = f"results/upload/{state.setdefault(SENDINGS, 0)}"
        files = ask_for_files("Run, judgments and tables, or one zip", accept_multiple_files=True, key=key)
        button("Read these files", _given, key, key="results/read", disabled=not files)
        taken_in(TAKEN)
    else:
        with shell.problems_shown():
            open_folders(served_on())
            words, hint = "Folder on the computer that runs TARstop", "/home/me/my-benchmark"
            st.text_input(words, key="results/folder", placeholder=hint, on_change=_take_folder)
    if state.get(PROBLEM):
        shell.problem_box(state[PROBLEM])


def _given(key: str) -> None:
    files = files_given(key)
    large = sum(file.size for file in files) > LARGE_FILE
    take_in(TAKEN, _take_in, files, large, large=large)


def _take_in(sent: Sequence[UploadedFile], large: bool) -> None:
    state = st.session_state
    state[PROBLEM] = ""
    home = taken = None
    try:
        home = background.new_folder(person())
        folder = home / background.FILES / stem([file.name for file in sent])
        files = [(file.name, file.getvalue()) for file in sent]
        job = (jobs.benchmark_in, files, folder)
        benchmark, notes = shown("Your upload", "Reading the files", *job, large=large)
        taken = _taken(home, folder, benchmark, notes)
    except InputProblem as problem:
        state[PROBLEM] = str(problem)
    finally:
        # Runs also when Streamlit ends the script, which raises no Exception, so that no files are left behind.
        if home is not None and taken is None:
            shutil.rmtree(home, ignore_errors=True)
    if taken is not None:
        state[TAKEN] = taken
        state[SENDINGS] += 1


def _take_folder() -> None:
    state, folder = st.session_state, None
    text = str(state["results/folder"]).strip()
    state[PROBLEM] = ""
    if not text:
        return
    try:
        folder = folder_of_the_server(text, served_on())
        if not folder.is_dir():
            raise InputProblem(f"There is no folder {text}; give the path of the folder that holds the run.")
        benchmark = from_folder(folder)
        home = background.new_folder(person())
    except InputProblem as problem:
        state[PROBLEM] = str(problem).replace(str(folder or text), text)
    else:
        state[TAKEN] = _taken(home, folder, benchmark, ())


def _taken(home: Path, folder: Path, benchmark: Benchmark, notes: tuple[str, ...]) -> ReadBenchmark:
    remarks = (*notes, *benchmark.notes)
    return ReadBenchmark(
        str(home), str(folder), benchmark.title, benchmark.scenario, benchmark.contents, remarks
    )


def _choose(taken: ReadBenchmark) -> None:
    note(taken.contents)
    for remark in taken.notes:
        note(remark)
    title = named(st.text_input("Name", taken.title, key="results/title"))
    specs = (*DEFAULT[taken.scenario], *server_rules())
    titles = {method.name: method.title for method in parse_methods(specs, taken.scenario)}
    first = [name for name in titles if name in SHOWN_FIRST or ".py:" in name]
    against = (
        f"{shell.term('icer', 'ICERs')} and paired comparisons are against {shell.term('greedy', 'Greedy')}."
    )
    methods = some_of("Methods to run", titles, first, key="results/run_methods", help=against)
    left, right = st.columns(2)
    options = {cost: f"{cost:g}" for cost in COSTS}
    costs = some_of("Costs of a document", options, options, at=left, key="results/run_costs")
    options = {value: f"{value:g}" for value in (round(0.1 * step, 1) for step in range(1, 10))}
    asked = "How sure before you act"
    q_stars = some_of(asked, options, Q_STARS, at=right, key="results/run_q_stars")
    of_task = ASKED.get(taken.scenario, dict)()
    given = {"method": methods, "cost": costs, "q*": q_stars}
    missing = next((what for what, chosen in given.items() if not chosen), None)
    busy = _anything_going()
    run, back = st.columns([1, 1])
    pressed = run.button(
        "Run experiment",
        key="results/run",
        type="primary",
        width="stretch",
        disabled=missing is not None or busy,
    )

    def put_back() -> None:
        # The files in a folder that was only named are not in `home`, and stay.
        shutil.rmtree(taken.home, ignore_errors=True)
        st.session_state.pop(TAKEN, None)

    button("Choose other files", put_back, key="results/back", at=back, width="stretch")
    if missing is not None:
        note(f"Choose at least one {missing}.")
    elif busy:
        note("Another experiment is running; this one can start when it ends.")
    if pressed:
        order = ExperimentOrder(
            title=title or taken.title,
            folder=taken.folder,
            methods=tuple(methods),
            q_stars=tuple(sorted(q_stars)),
            costs=tuple(sorted(costs)),
            **of_task,
        )
        background.begin(Path(taken.home), order)
        del st.session_state[TAKEN]
        st.rerun()


def _review() -> dict[str, Any]:
    left, middle, right = st.columns(3)
    truth = one_of(
        "What counts as the truth", ReviewTask.truths, key="results/run_truth", at=left, help=TRUTH_HELP
    )
    engines = {name: engine.title for name, engine in ENGINES.items()}
    engine = one_of("Belief that rules act on", engines, at=middle, key="results/run_engine")
    theta = share("Sensitivity to exceed, θ", 0.75, low=0.5, at=right, key="results/run_theta")
    return {"truth": truth, "engine": engine, "theta": theta}


def _effect() -> dict[str, Any]:
    """Ask for the measure, and for the effect that is enough."""
    left, middle, right = st.columns(3)
    measures = {str(measure): str(measure) for measure in Measure}
    measure = one_of("Effect measure", measures, at=left, key="results/run_measure")
    ratio = Measure(measure).is_ratio
    how: dict[str, Any] = {"step": 0.05, "format": "%g", "key": f"results/run_delta/{ratio}"}
    asked = "Smallest effect that matters, δ"
    delta = middle.number_input(asked, 0.001 if ratio else None, None, 1.0 if ratio else 0.0, **how)
    sides = {"below": "Below δ", "above": "Above δ"}
    side = switch("An effect is good", sides, at=right, key="results/run_direction")
    return {"measure": measure, "delta": float(delta), "above": side == "above"}


ASKED: dict[str, Callable[[], dict[str, Any]]] = {ReviewTask.scenario: _review, EffectTask.scenario: _effect}
"""By scenario, a function that asks for the parameters of the task besides payoffs and costs."""
