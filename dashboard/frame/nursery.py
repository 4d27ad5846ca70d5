"""Where jobs beside the pages are born: a process that has imported what they need, and forks one for each.

It is started by :mod:`dashboard.frame.apart`, which sends it one end of a pipe for every job, and ends when the
server does. It knows nothing of Streamlit.
"""

import contextlib
import gc
import os
import signal
import socket
import sys
import threading
import time
import traceback
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from dashboard.frame.pipes import receive, send
from tarstop_core.errors import InputProblem

NEEDED = (
    "dashboard.parts.jobs",
    "tarstop_core.documents.merging",
    "tarstop_core.files.labelled_lists",
    "tarstop_core.ranking.order",
)
BEAT = 0.1
"""Seconds between two words of how far a job is."""
DONE = "done"
PROBLEM = "problem"
PROGRESS = "progress"
DIED = "died"
"""Said by the nursery of a job that could say nothing itself, with the signal that ended it, or 0."""
_PIPES: dict[int, Connection] = {}
"""By process: the pipe of a job that is going on."""


def main(control: int) -> None:
    """Fork a job for every pipe that comes in; ends when the server's end is closed."""
    for name in NEEDED:
        import_module(name)
    gc.freeze()  # so that children share what is there
    signal.signal(signal.SIGCHLD, _buried)
    with socket.socket(fileno=control) as server:
        while True:
            said, pipes, *_ = socket.recv_fds(server, 1, 1)
            if not said:
                return
            pipe = Connection(pipes[0])
            # Until it is known whose death it would be.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
            child = os.fork()
            if child == 0:
                server.close()
                code = 1
                try:
                    _job(pipe)
                    code = 0
                except Exception:
                    traceback.print_exc()
                finally:
                    os._exit(code)
            _PIPES[child] = pipe
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})


def _buried(*_: object) -> None:
    """Jobs have ended: say of those that died what ended them."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            with _PIPES.pop(found[0]) as pipe, contextlib.suppress(OSError):
                if found[1]:
                    send(pipe, DIED, os.WTERMSIG(found[1]))


def _job(pipe: Connection) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for other in _PIPES.values():
        other.close()
    send(pipe, os.getpid())
    job, name, memory, tells, *args = receive(pipe)
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()
    _limit(memory)
    with contextlib.suppress(OSError):
        os.nice(5)  # what a person waits for at a page comes first
    last = [0.0]

    def progress(*far: Any) -> None:
        if far[0] == far[-1] or time.monotonic() - last[0] >= BEAT:  # the last of a number is always said
            last[0] = time.monotonic()
            send(pipe, PROGRESS, far)

    try:
        send(pipe, DONE, job(*args, progress=progress) if tells else job(*args))
    except InputProblem as problem:
        send(pipe, PROBLEM, problem)
    except MemoryError:
        send(pipe, PROBLEM, too_much(name, memory))


def too_much(name: str, memory: int) -> InputProblem:
    """What is said of a job that ran out of memory."""
    return InputProblem(
        f"{name} takes more memory than there is for one job ({memory / 2**30:.1f} GB); give it in parts."
    )


def _limit(memory: int) -> None:
    """Linux refuses what is too much; what it does not count, and on other systems all of it, is looked at instead."""
    import resource

    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    unit = 1 if sys.platform == "darwin" else 1024

    def watch() -> None:
        while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit < memory:
            time.sleep(BEAT)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _end_with(pipe: Connection) -> None:
    """The server sends nothing more: when there is something to read, it is that its end was closed."""
    with contextlib.suppress(OSError):
        pipe.poll(None)
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
