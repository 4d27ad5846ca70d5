"""Experiments that run beside the dashboard, each in its own process and with its own folder for its order and state.

Any page can show a run. It outlives a restart of the server and continues where it was, because finished chunks are
cached. Cancel kills the process, and it ends with the server.
"""

import contextlib
import json
import os
import secrets
import shutil
import threading
import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from joblib import cpu_count

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import worker
from tarstop_core.evaluation.benchmarks.folder import from_folder
from tarstop_core.evaluation.jobs import ResultCache
from tarstop_core.evaluation.methods import parse_methods, server_rules
from tarstop_core.evaluation.protocol import COSTS, Q_STARS, run
from tarstop_core.evaluation.results import ResultsFile, results_file, save
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.places import runs_folder
from tarstop_core.policies.check import refuse_looking_ahead

State = Literal["waiting", "running", "stopped", "done", "failed"]
ORDER, PROGRESS, RESULTS = "order.json", "progress.json", "results.npz"
CACHE, FILES, LOG = "finished", "benchmark", "log.txt"
NAME_BYTES = 4
"""Bytes of the random name of a folder."""
FORGOTTEN = 86_400.0
"""Seconds after which an unused folder whose run was never ordered is removed."""
BEAT = 0.2
"""Seconds between two writes of a run's progress."""
UNFORESEEN = (
    "Something unexpected happened; finished parts are kept. Continue the run; if it happens again, report "
    f"it with the file {LOG} of this run."
)


@dataclass(frozen=True)
class ExperimentOrder:
    """The experiment that a person orders."""

    title: str  # Name that the person gave it
    folder: str  # Folder of the benchmark's files
    methods: tuple[str, ...]  # As :func:`~tarstop_core.evaluation.methods.parse_methods` takes them
    q_stars: tuple[float, ...] = Q_STARS
    costs: tuple[float, ...] = COSTS
    truth: str = "pooled"
    engine: str = "univariate"
    theta: float = 0.75
    """`truth`, `engine` and `theta`: reviews only."""
    measure: str = "OR"
    delta: float | None = None
    above: bool = False
    """`measure`, `delta` and `above`: reviews of interventions, as
    :class:`~tarstop_core.evaluation.tasks.effect.EffectTask` has them.
    """
    b_0: float = 0.5
    created: str = ""  # ISO time, UTC


@dataclass(frozen=True)
class Status:
    """State and progress of a run."""

    state: State
    share: float = 0.0  # Share of the work that is done, 0 to 1
    what: str = ""  # What is being done, or why the run failed
    seconds_left: float | None = None


@dataclass(frozen=True)
class ExperimentRun:
    """A run, with its folder and its order."""

    folder: Path
    order: ExperimentOrder

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def results(self) -> ResultsFile | None:
        """File of its results; None until they are written."""
        path = self.folder / RESULTS
        return results_file(path) if path.is_file() else None


_LOCK = threading.Lock()
_WORKERS: dict[Path, worker.Worker] = {}


def new_folder(whose: str = "") -> Path:
    """Make the folder of a person's next run; its benchmark goes into :data:`FILES` there.

    Raises
    ------
    InputProblem
        When the folder cannot be made.
    """
    folder = runs_folder(whose) / secrets.token_hex(NAME_BYTES)
    try:
        folder.mkdir(parents=True)
    except OSError as problem:
        raise InputProblem(
            f"The folder {folder.parent} cannot be written to ({problem.strerror}); free space there or give rights."
        ) from None
    return folder


def wanted_still(folder: Path) -> bool:
    """Whether the folder of a run that is not ordered yet still exists; it is then kept for another day."""
    with contextlib.suppress(OSError):
        os.utime(folder)
    return folder.is_dir()


def sweep(whose: str = "") -> None:
    """Remove folders of a person's runs that were never started and have been unused for a day."""
    for folder in runs_folder(whose).glob("[0-9a-f]" * (2 * NAME_BYTES)):
        with contextlib.suppress(OSError):  # Another process may remove it at the same time
            if not (folder / ORDER).exists() and time.time() - folder.stat().st_mtime > FORGOTTEN:
                shutil.rmtree(folder, ignore_errors=True)


def runs(whose: str = "") -> list[ExperimentRun]:
    """List the runs that a person ordered, the newest first."""
    ordered = []
    for path in runs_folder(whose).glob(f"*/{ORDER}"):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            content |= {name: tuple(content[name]) for name in ("methods", "q_stars", "costs")}
            ordered.append(ExperimentRun(path.parent, ExperimentOrder(**content)))
        except (OSError, ValueError, TypeError, KeyError):
            continue  # Not written by this program, or being removed
    return sorted(ordered, key=lambda run: run.order.created, reverse=True)


def begin(folder: Path, order: ExperimentOrder) -> ExperimentRun:
    """Write the order of a run and start it."""
    started = ExperimentRun(folder, replace(order, created=datetime.now(UTC).isoformat(timespec="seconds")))
    _write(folder / ORDER, asdict(started.order))
    resume(started)
    return started


def resume(run: ExperimentRun) -> None:
    """Start a run, or continue one that was stopped; a run that is running is left alone."""
    with _LOCK:
        running = _WORKERS.get(run.folder)
        if running is None or not running.process.is_alive():
            _write(run.folder / PROGRESS, asdict(Status("waiting", what="starting")))
            _WORKERS[run.folder] = worker.start(main, run.folder)


def cancel(run: ExperimentRun) -> None:
    """End a run; its finished chunks are kept."""
    with _LOCK:
        if running := _WORKERS.pop(run.folder, None):
            running.end()


def forget(run: ExperimentRun) -> None:
    """End a run and remove its folder."""
    cancel(run)
    shutil.rmtree(run.folder, ignore_errors=True)


def status(run: ExperimentRun) -> Status:
    """Return the progress of a run; a run without a process counts as stopped."""
    running = _WORKERS.get(run.folder)
    # Asked before the file is read, because the process writes its final status before it ends.
    alive = running is not None and running.process.is_alive()
    try:
        last = Status(**json.loads((run.folder / PROGRESS).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return Status("stopped")
    if last.state not in ("waiting", "running") or alive:
        return last
    return replace(last, state="stopped", seconds_left=None)


def progress_words(status: Status) -> str:
    """Word the progress of a run for its bar."""
    words = f"{100 * status.share:.0f} % · {status.what}"
    if status.seconds_left is None:
        return words
    minutes, seconds = divmod(max(1, round(status.seconds_left)), 60)
    left = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    return f"{words} · about {left if minutes < 60 else f'{minutes // 60} h'} left"


def _write(path: Path, content: Any) -> None:
    """Write a file of JSON, complete or not at all."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    os.replace(part, path)


# --- in the process -------------------------------------------------------------------------------


def main(_: Connection, folder: Path) -> None:
    """Carry out the order of a folder; everything that is printed goes to the log there."""
    with (folder / LOG).open("ab") as log:
        for output in (1, 2):
            os.dup2(log.fileno(), output)
    carry_out(folder)


def carry_out(folder: Path) -> None:
    """Carry out the order of a folder, and write progress and results there."""
    status, written = Status("running", what="reading the benchmark"), time.monotonic()

    def note(share: float, what: str, seconds_left: float | None) -> None:
        nonlocal status, written
        status = Status("running", share, what, seconds_left)
        if time.monotonic() - written >= BEAT:
            written = time.monotonic()
            _write(folder / PROGRESS, asdict(status))

    _write(folder / PROGRESS, asdict(status))
    order = ExperimentOrder(**json.loads((folder / ORDER).read_text(encoding="utf-8")))
    source = Path(order.folder)
    try:
        if not source.is_dir():
            raise InputProblem(f"The folder {source} is no longer there; upload the benchmark again.")
        benchmark = replace(from_folder(source), title=order.title)
        # Rules in files run only if the server was started with them.
        for spec in {*order.methods} - {*server_rules()}:
            parse_methods([spec], benchmark.scenario, files=False)
        methods = parse_methods(order.methods, benchmark.scenario)
        task = TASKS[benchmark.scenario].asked(vars(order))
        refuse_looking_ahead((rule for method in methods for rule in method.settings), task.in_steps)
        results = run(
            benchmark,
            task,
            methods,
            q_stars=order.q_stars,
            costs=order.costs,
            workers=max(1, cpu_count() - 1),  # One core is left for the pages
            cache=ResultCache(folder / CACHE),
            progress=note,
        )
        # Values are kept exactly, so that pages show the same numbers as the command line.
        save(results, folder / f"{RESULTS}.part")
        os.replace(folder / f"{RESULTS}.part", folder / RESULTS)
        status = Status("done", 1.0)
    except InputProblem as problem:
        # Pages show this sentence, and visitors must not see the server's paths.
        status = Status("failed", status.share, str(problem).replace(str(source), source.name))
    except Exception:
        status = Status("failed", status.share, UNFORESEEN)
        raise
    finally:
        _write(folder / PROGRESS, asdict(status))
