"""Jobs in processes of their own, so that one person's work does not stop the others, whatever a file holds.

A job has limits on memory and time, says how far it is, and is killed when whoever waits for it stops waiting:
by Cancel, by a rerun of the page, or with the server.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from dashboard.frame.nursery import DIED, DONE, PROBLEM, PROGRESS, too_much
from dashboard.frame.pipes import receive, send
from tarstop_core.errors import InputProblem
from tarstop_core.places import PARENT

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
SECONDS = 900.0
"""That a job may take."""
BEAT = 0.2
"""Seconds after which a person who waits is heard."""
POSSIBLE = hasattr(os, "fork")
AT_ONCE = max(1, os.cpu_count() or 1)
_PLACES = threading.BoundedSemaphore(AT_ONCE)
_LOCK = threading.Lock()
_NURSERY: list[tuple[subprocess.Popen[bytes], socket.socket]] = []


def memory() -> int:
    """Bytes that a job may use: three quarters of the machine's, at most 6 GB."""
    with contextlib.suppress(ValueError, OSError):
        return min(6 << 30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4)
    return 6 << 30


def apart(
    name: str,
    job: Callable[..., T],
    *args: Any,
    progress: Callable[..., None] | None = None,
    beat: Callable[[bool], None] | None = None,
    seconds: float = SECONDS,
    most: int | None = None,
) -> T:
    """What a function gives, computed in a process of its own; messages call what is worked on by `name`.

    The function is one of a module that does not import Streamlit; it, its arguments and its result are pickled. What
    it gives to its own `progress` is handed on to the one given here. `beat` is called every so often with whether the
    job still waits for others to end, and may raise to end it. The job may take so many `seconds`, without the wait for
    a place, and at `most` so many bytes of memory.

    Raises
    ------
    InputProblem
        As the job does; or when it takes too much time or memory.
    RuntimeError
        When the job fails for a reason that was not foreseen, which the log has.
    """
    if not POSSIBLE:
        return job(*args, progress=progress) if progress else job(*args)
    while not _PLACES.acquire(timeout=BEAT):
        if beat is not None:
            beat(True)
    try:
        return _carried_out(name, job, args, progress, beat, seconds, memory() if most is None else most)
    finally:
        _PLACES.release()


def _carried_out(
    name: str,
    job: Callable[..., Any],
    args: tuple[Any, ...],
    progress: Callable[..., None] | None,
    beat: Callable[[bool], None] | None,
    seconds: float,
    most: int,
) -> Any:
    pipe = _born()
    child = 0
    try:
        [child] = receive(pipe)
        send(pipe, job, name, most, progress is not None, *args)
        end = time.monotonic() + seconds
        while True:
            if pipe.poll(BEAT):
                kind, said = receive(pipe)
                if kind == PROGRESS and progress is not None:
                    progress(*said)
                elif kind == DONE:
                    child = 0
                    return said
                elif kind == PROBLEM:
                    raise said
                elif kind == DIED:
                    child = 0
                    raise _died(name, said, most)
            if beat is not None:
                beat(False)
            if time.monotonic() > end:
                most_minutes = f"the {seconds / 60:.0f} minutes that there are for one job"
                raise InputProblem(f"{name} takes longer than {most_minutes}; give it in parts.")
    except (EOFError, ConnectionError):
        raise _died(name, 0, most) from None
    finally:
        # Also where Streamlit ends the script, which is no Exception.
        if child:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        pipe.close()


def _died(name: str, of: int, most: int) -> Exception:
    """What is said of a job that could say nothing itself, by the signal that ended it."""
    if of == signal.SIGKILL:
        return too_much(name, most)  # for its own limit, or for the machine
    if not of:
        return RuntimeError(f"A job on {name} failed; its own words stand above.")
    why = signal.strsignal(of)
    return InputProblem(
        f"The process that worked on {name} died ({why}); try again, and if that dies too, report it with the file."
    )


def _born() -> Connection:
    """The pipe to a process that waits for its job."""
    ours, theirs = socket.socketpair()
    with ours, theirs, _LOCK:
        try:
            socket.send_fds(_nursery(), [b"+"], [theirs.fileno()])
        except OSError:  # it was ended; another one takes its place
            _NURSERY.clear()
            socket.send_fds(_nursery(), [b"+"], [theirs.fileno()])
        return Connection(ours.detach())


def _nursery() -> socket.socket:
    """The line to the nursery, which is started when there is none."""
    if _NURSERY and _NURSERY[0][0].poll() is None:
        return _NURSERY[0][1]
    _NURSERY.clear()
    ours, theirs = socket.socketpair()
    paths = os.pathsep.join(filter(None, (str(ROOT), str(PARENT), os.environ.get("PYTHONPATH"))))
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "dashboard.frame.nursery", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,  # an interrupt at the server's terminal reaches it through its line
        )
    _NURSERY.append((process, ours))
    return ours
