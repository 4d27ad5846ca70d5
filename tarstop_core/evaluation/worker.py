"""Run jobs in processes beside the server, so that one person's work never blocks others, whatever a file contains.

A job has limits on time and memory and reports its progress. It ends when its caller stops waiting: by Cancel, by a
rerun of the page, or with the server. Its process is kept for the next job.
"""

import contextlib
import io
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from importlib import import_module
from multiprocessing import spawn
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

import numpy as np
import psutil

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.fair_share import BEAT, Places, Ticket

T = TypeVar("T")

METHODS = ("forkserver", "spawn")  # The first one that the system has is used; Windows cannot fork
CONTEXT: Any = multiprocessing.get_context(
    next(method for method in METHODS if method in multiprocessing.get_all_start_methods())
)
SECONDS = 300.0
"""Seconds that a job may take."""
QUICK_SECONDS = 60.0
"""Seconds that a job may take in the place for small jobs while others wait for that place."""
SMALL = 8_000_000
"""Largest arguments of a small job, in bytes."""
AT_ONCE = max(2, os.cpu_count() or 1)
"""Large jobs that run at once; there is one more place for a small job."""
PLACES = Places(AT_ONCE)
KEPT = 512 << 20
"""Bytes; a process that uses more memory after its job is not kept."""
PIECE = 1 << 20
"""Bytes that are copied at a time, because all threads wait during a copy."""
_modules: list[str] = []  # Modules that a worker imports before its first job
_idle: list["Worker"] = []  # Workers that are ready for a job
_lock = threading.Lock()


class Kind(Enum):
    """Kinds of messages that a worker sends."""

    PROGRESS = auto()
    RESULT = auto()
    PROBLEM = auto()
    FAILURE = auto()


@dataclass(frozen=True, eq=False)
class Worker:
    """A process and the pipe to it."""

    process: BaseProcess
    pipe: Connection

    def end(self) -> None:
        """Kill the process and all processes that it started."""
        children: list[psutil.Process] = []
        with contextlib.suppress(psutil.Error):
            children = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        self.process.join()
        self.pipe.close()
        for child in children:
            with contextlib.suppress(psutil.Error):
                child.kill()


def preload(*modules: str) -> None:
    """Have every worker import these modules before its first job."""
    _modules.extend(modules)
    if CONTEXT.get_start_method() == "forkserver":
        CONTEXT.set_forkserver_preload([__name__, *_modules])


def warm() -> None:
    """Start a worker before one is needed."""
    worker = start(_serve, list(_modules))
    with _lock:
        _idle.append(worker)


def start(target: Callable[..., object], *args: Any) -> Worker:
    """Call `target` with a pipe and `args` in a new process, which ends with this one."""
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=_begin, args=(target, theirs, *args), daemon=True)
    with _lock, _without_main():
        process.start()
    theirs.close()
    return Worker(process, ours)


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Keep new processes from running this one's main module, which under Streamlit is a page.

    The fork server does not get `sys.path` by itself, so it is passed in the environment.
    """
    prepare, environment = spawn.get_preparation_data, dict(os.environ)

    def prepared(name: str) -> dict[str, Any]:
        return {key: value for key, value in prepare(name).items() if not key.startswith("init_main")}

    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    # The matrix products of a job are small; with several threads they would wait for cores that others use.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    spawn.get_preparation_data = prepared
    try:
        yield
    finally:
        spawn.get_preparation_data = prepare
        for name in ("PYTHONPATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.pop(name)
            os.environ |= {name: environment[name]} if name in environment else {}


# --- in the server ---------------------------------------------------------------------------------


def memory() -> int:
    """Bytes that a job may use: three quarters of the machine's, at most 6 GB."""
    return min(6 << 30, psutil.virtual_memory().total * 3 // 4)


def run(
    name: str,
    job: Callable[..., T],
    *args: Any,
    visitor: str = "",
    progress: Callable[..., None] | None = None,
    beat: Callable[[bool], None] | None = None,
    seconds: float = SECONDS,
    most: int | None = None,
) -> T:
    """Call a function in a worker and return its result.

    Parameters
    ----------
    name : str
        What the job works on, for messages.
    job : callable
        Function of a module that does not import Streamlit. The function, its arguments and its result are pickled.
    *args
        Arguments of the function.
    visitor : str
        Visitor who wants the result; places are shared among visitors.
    progress : callable, optional
        Takes the arguments with which the job calls its own `progress`.
    beat : callable, optional
        Called several times a second with whether the job still waits for a place; it may raise to end the job.
    seconds : float
        Time that the job may take, without the wait for a place.
    most : int, optional
        Bytes of memory that the job may use.

    Returns
    -------
    object
        The result of the job.

    Raises
    ------
    InputProblem
        When the job raises one, or takes too much time or memory.
    RuntimeError
        When the job fails for an unexpected reason, which is in the log.
    """
    limit = memory() if most is None else most
    message = pack(name, limit, progress is not None, job, *args)
    ticket = Ticket(visitor, small=sum(map(len, message)) <= SMALL)
    with PLACES.taken(ticket, beat):
        worker, finished = _take(), False
        try:
            send(worker.pipe, message)
            begun = time.monotonic()
            while True:
                if worker.pipe.poll(BEAT):
                    kind, content = receive(worker.pipe)
                    finished = kind is not Kind.PROGRESS
                    if kind is Kind.RESULT:
                        return content  # type: ignore[no-any-return]
                    if kind is Kind.PROBLEM:
                        raise content
                    if kind is Kind.FAILURE:
                        raise RuntimeError(f"A job on {name} failed; its own message is above.")
                    if progress is not None:
                        progress(*content)
                if beat is not None:
                    beat(False)
                taken = time.monotonic() - begun
                if taken > seconds:
                    raise InputProblem(
                        f"{name} takes longer than the {seconds / 60:.0f} minutes that there are for one job; give "
                        "it in parts."
                    )
                if taken > QUICK_SECONDS and PLACES.others_wait(ticket):
                    raise InputProblem(
                        f"{name} takes long, and others are waiting; try again in a few minutes, or split it."
                    )
                if _held(worker) > limit:
                    raise too_much(name, limit)
        except (EOFError, ConnectionError):
            worker.process.join(BEAT)
            raise _died(name, worker.process.exitcode or 0, limit) from None
        finally:
            # Runs also when Streamlit ends the script, which raises no Exception.
            _put_back(worker, finished)


def _take() -> Worker:
    """An idle worker that is alive, or a new one."""
    while True:
        with _lock:
            worker = _idle.pop() if _idle else None
        if worker is None:
            return start(_serve, list(_modules))
        # The pipe of a worker that died has its end to read.
        if worker.process.is_alive() and not worker.pipe.poll():
            return worker
        worker.pipe.close()


def _put_back(worker: Worker, finished: bool) -> None:
    """Keep a worker that finished its job and uses little memory; else end it, and start one if none is idle."""
    if finished and _held(worker) < KEPT:
        with _lock:
            _idle.append(worker)
        return
    worker.end()
    if not _idle:
        threading.Thread(target=warm, daemon=True).start()


def _held(worker: Worker) -> int:
    """Bytes of memory that a worker uses."""
    with contextlib.suppress(psutil.Error):
        return int(psutil.Process(worker.process.pid).memory_info().rss)
    return 0


def _died(name: str, code: int, most: int) -> Exception:
    """Return the message for a job that died, from the exit code of its process."""
    if code == -getattr(signal, "SIGKILL", 9):
        return too_much(name, most)  # The system kills processes when the machine runs out of memory
    if code >= 0:
        return RuntimeError(f"A job on {name} failed; its own message is above.")
    return InputProblem(
        f"The process that worked on {name} died ({signal.strsignal(-code)}); try again, and if that dies too, report "
        "it with the file."
    )


def too_much(name: str, most: int) -> InputProblem:
    """Return the message for a job that ran out of memory."""
    return InputProblem(f"{name} needs more memory than one job may use ({most / 2**30:.1f} GB); split it.")


# --- in the worker ---------------------------------------------------------------------------------


def _begin(target: Callable[..., object], pipe: Connection, *args: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # An interrupt at the server's terminal is for the server
    # A daemon may not start processes; this one ends with the server anyway.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    threading.Thread(target=_end_with_server, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(5)  # Pages come first
    target(pipe, *args)


def _end_with_server() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _serve(pipe: Connection, modules: list[str]) -> None:
    """Run one job after another until the pipe is closed."""
    for module in modules:
        import_module(module)
    with contextlib.suppress(EOFError):
        while True:
            _do(pipe, *receive(pipe))


def _do(pipe: Connection, name: str, most: int, reports: bool, job: Callable[..., Any], *args: Any) -> None:
    """Run a job and send its result; `reports` says whether it takes `progress`."""
    last = 0.0

    def progress(*done: Any) -> None:
        nonlocal last
        if done[0] == done[-1] or time.monotonic() - last >= BEAT:  # The end is always reported
            last = time.monotonic()
            send(pipe, pack(Kind.PROGRESS, done))

    try:
        if sys.platform == "linux":  # A large allocation fails here; the server watches the total
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))
        send(pipe, pack(Kind.RESULT, job(*args, progress=progress) if reports else job(*args)))
    except InputProblem as problem:
        send(pipe, pack(Kind.PROBLEM, problem))
    except MemoryError:
        send(pipe, pack(Kind.PROBLEM, too_much(name, most)))
    except Exception:
        traceback.print_exc()
        send(pipe, pack(Kind.FAILURE, None))


# --- messages --------------------------------------------------------------------------------------


def pack(*content: Any) -> list[memoryview]:
    """Pickle a message without copying its arrays and bytes: a head, and a buffer for each of them."""
    buffers: list[pickle.PickleBuffer] = []
    parts = [pickle.PickleBuffer(part) if isinstance(part, bytes) else part for part in content]
    head = pickle.dumps(parts, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
    return [memoryview(head), *(buffer.raw() for buffer in buffers)]


def send(pipe: Connection, message: list[memoryview]) -> None:
    """Send a packed message in pieces of :data:`PIECE` bytes."""
    pipe.send([(len(buffer), buffer.readonly) for buffer in message])
    for buffer in message:
        for at in range(0, len(buffer), PIECE):
            pipe.send_bytes(buffer[at : at + PIECE])


def receive(pipe: Connection) -> list[Any]:
    """Receive a message and unpack it.

    Raises
    ------
    EOFError
        When the other end is closed before the message is complete.
    """
    head, *buffers = [_buffer(pipe, *size) for size in pipe.recv()]
    parts: list[Any] = pickle.loads(head, buffers=buffers)
    return parts


def _buffer(pipe: Connection, length: int, read_only: bool) -> bytes | memoryview:
    """Receive a buffer of this length, as bytes if it is read-only."""
    if read_only:
        received = io.BytesIO()
        while received.tell() < length:
            received.write(pipe.recv_bytes())
        return received.getvalue()  # Makes no copy
    buffer = np.empty(length, np.uint8).data  # Filling with zeros would keep all threads waiting
    for at in range(0, length, PIECE):
        pipe.recv_bytes_into(buffer[at : at + PIECE])
    return buffer
