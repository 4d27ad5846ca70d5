"""Jobs in processes beside the server, so that one person's work never blocks others, whatever a file contains.

A job has limits on time and memory, says how far it is, and is ended when whoever waits for it stops waiting: by
Cancel, by a rerun of the page, or with the server. Its process is kept for the next job.
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

METHODS = ("forkserver", "spawn")  # the first that the system has; Windows has no forks
CONTEXT: Any = multiprocessing.get_context(
    next(method for method in METHODS if method in multiprocessing.get_all_start_methods())
)
SECONDS = 300.0
"""Seconds that a job may take."""
QUICK_SECONDS = 60.0
"""Seconds that it may take in the place for small jobs while others wait for that."""
SMALL = 8_000_000
"""Bytes that a small job is given at most."""
AT_ONCE = max(2, os.cpu_count() or 1)
"""Large jobs that are done at once; there is one place more for a small job."""
PLACES = Places(AT_ONCE)
KEPT = 512 << 20  # bytes: a process that holds more after its job is not kept
PIECE = 1 << 20  # bytes copied at a time, as a copy keeps all threads waiting
_modules: list[str] = []
_idle: list["Worker"] = []
_lock = threading.Lock()


class Kind(Enum):
    """Kinds of messages that a worker sends."""

    PROGRESS = auto()
    RESULT = auto()
    PROBLEM = auto()
    FAILURE = auto()


@dataclass(frozen=True, eq=False)
class Worker:
    """A process, and the pipe to it."""

    process: BaseProcess
    pipe: Connection

    def end(self) -> None:
        """Kill it and the processes that it started, wherever they are."""
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
    """Name the modules that jobs need; every worker has imported them before its first job."""
    _modules.extend(modules)
    if CONTEXT.get_start_method() == "forkserver":
        CONTEXT.set_forkserver_preload([__name__, *_modules])


def warm() -> None:
    """Start a worker before anybody waits for one."""
    worker = start(_serve, list(_modules))
    with _lock:
        _idle.append(worker)


def start(target: Callable[..., object], *args: Any) -> Worker:
    """Call `target` with a pipe and `args` in a process of its own, which ends with this one."""
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=_begin, args=(target, theirs, *args), daemon=True)
    with _lock, _without_main():
        process.start()
    theirs.close()
    return Worker(process, ours)


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Start processes that do not run this one's main module again, which under Streamlit is a page.

    The server from which processes are forked does not get `sys.path` by itself.
    """
    prepare, environment = spawn.get_preparation_data, dict(os.environ)

    def prepared(name: str) -> dict[str, Any]:
        return {key: value for key, value in prepare(name).items() if not key.startswith("init_main")}

    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    # The products in a job are small; shared among threads they wait for cores that others use.
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
    """Return what a function gives, computed by a worker.

    Parameters
    ----------
    name : str
        What is worked on, for messages.
    job : callable
        A function of a module that does not import Streamlit. It, its arguments and its result are pickled.
    *args
        Its arguments.
    visitor : str
        Who asked for it; places are shared among visitors.
    progress : callable, optional
        Is given what the job gives to its own `progress`.
    beat : callable, optional
        Is called every so often with whether the job still waits for a place, and may raise to end it.
    seconds : float
        Time that the job may take, without the wait.
    most : int, optional
        Bytes of memory that it may take.

    Returns
    -------
    object
        What the job returns.

    Raises
    ------
    InputProblem
        As the job does; or when it takes too much time or memory.
    RuntimeError
        When the job fails for an unexpected reason, which is in the log.
    """
    limit = memory() if most is None else most
    message = pack(name, limit, progress is not None, job, *args)
    ticket = Ticket(visitor, small=sum(map(len, message)) <= SMALL)
    with PLACES.taken(ticket, beat):
        worker, whole = _take(), False
        try:
            send(worker.pipe, message)
            begun = time.monotonic()
            while True:
                if worker.pipe.poll(BEAT):
                    kind, content = receive(worker.pipe)
                    whole = kind is not Kind.PROGRESS
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
            # Also when Streamlit ends the script, which does not raise an Exception.
            _put_back(worker, whole)


def _take() -> Worker:
    while True:
        with _lock:
            worker = _idle.pop() if _idle else None
        if worker is None:
            return start(_serve, list(_modules))
        # From one that died there is something to read.
        if worker.process.is_alive() and not worker.pipe.poll():
            return worker
        worker.pipe.close()


def _put_back(worker: Worker, whole: bool) -> None:
    """Keep a worker that is ready for another job; another one takes the place of one that is not."""
    if whole and _held(worker) < KEPT:
        with _lock:
            _idle.append(worker)
        return
    worker.end()
    if not _idle:
        threading.Thread(target=warm, daemon=True).start()


def _held(worker: Worker) -> int:
    with contextlib.suppress(psutil.Error):
        return int(psutil.Process(worker.process.pid).memory_info().rss)
    return 0


def _died(name: str, code: int, most: int) -> Exception:
    """Return the message for a job that died, from the exit code of its process."""
    if code == -getattr(signal, "SIGKILL", 9):
        return too_much(name, most)  # the system ends what takes too much of the machine's
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt at the server's terminal is for the server
    # It may have processes of its own, and is ended with the server anyway.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    threading.Thread(target=_end_with_server, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(5)  # what a person waits for at a page comes first
    target(pipe, *args)


def _end_with_server() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _serve(pipe: Connection, modules: list[str]) -> None:
    """Do one job after another."""
    for module in modules:
        import_module(module)
    with contextlib.suppress(EOFError):
        while True:
            _do(pipe, *receive(pipe))


def _do(pipe: Connection, name: str, most: int, tells: bool, job: Callable[..., Any], *args: Any) -> None:
    last = [0.0]

    def progress(*far: Any) -> None:
        if far[0] == far[-1] or time.monotonic() - last[0] >= BEAT:  # the last of a number is always said
            last[0] = time.monotonic()
            send(pipe, pack(Kind.PROGRESS, far))

    try:
        if sys.platform == "linux":  # refuses what is too much; the server looks at the rest
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))
        send(pipe, pack(Kind.RESULT, job(*args, progress=progress) if tells else job(*args)))
    except InputProblem as problem:
        send(pipe, pack(Kind.PROBLEM, problem))
    except MemoryError:
        send(pipe, pack(Kind.PROBLEM, too_much(name, most)))
    except Exception:
        traceback.print_exc()
        send(pipe, pack(Kind.FAILURE, None))


# --- between them ----------------------------------------------------------------------------------


def pack(*what: Any) -> list[memoryview]:
    """Pickle, with what is large left in its place; bytes too, which pickling would copy."""
    buffers: list[pickle.PickleBuffer] = []
    parts = [pickle.PickleBuffer(part) if isinstance(part, bytes) else part for part in what]
    head = pickle.dumps(parts, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
    return [memoryview(head), *(buffer.raw() for buffer in buffers)]


def send(pipe: Connection, message: list[memoryview]) -> None:
    """Send what was packed, in pieces."""
    pipe.send([(len(buffer), buffer.readonly) for buffer in message])
    for buffer in message:
        for at in range(0, len(buffer), PIECE):
            pipe.send_bytes(buffer[at : at + PIECE])


def receive(pipe: Connection) -> list[Any]:
    """Return what was sent.

    Raises
    ------
    EOFError
        When the other end was closed before all of it came.
    """
    head, *buffers = [_buffer(pipe, *size) for size in pipe.recv()]
    parts: list[Any] = pickle.loads(head, buffers=buffers)
    return parts


def _buffer(pipe: Connection, length: int, fixed: bool) -> bytes | memoryview:
    """Read a buffer of this length from the pipe, as bytes if it must not be written to."""
    if fixed:
        gathered = io.BytesIO()
        while gathered.tell() < length:
            gathered.write(pipe.recv_bytes())
        return gathered.getvalue()  # uncopied
    place = np.empty(length, np.uint8).data  # not filled with zeros, which would keep all threads waiting
    for at in range(0, length, PIECE):
        pipe.recv_bytes_into(place[at : at + PIECE])
    return place
