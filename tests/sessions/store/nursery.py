"""Processes that can be killed: loading the libraries takes longer than any test, so one loads them and forks others."""

import subprocess
import sys

SCRIPT = """
import os, sys
from pathlib import Path
from tarstop_core.screening.log import Event
from tarstop_core.sessions.file import import_session
from tarstop_core.sessions.store import backup, migrations
from tarstop_core.sessions.store.store import Conflict, Store

def write(url, session, count, path):
    store = Store(url)
    out = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    last = done = 0
    while done != int(count):
        try:
            last = store.append(session, Event("note", {"doc": "EP0", "text": str(last)}), last).seq
        except Conflict:
            last = len(store.events(session))
            continue
        os.write(out, f"{last}\\n".encode())
        done += 1

def open_store(url):
    Store(url).close()

def restore(url, file):
    backup.restore(Path(file), url, replace=True)

def take_in(url, file):
    import_session(Store(url), Path(file).read_text("utf-8"), "x.json")

for line in sys.stdin:
    command, *rest = line.split()
    if command == "wait":
        print(os.waitstatus_to_exitcode(os.waitpid(int(rest[0]), 0)[1]), flush=True)
    else:
        child = os.fork()
        if not child:
            try:
                globals()[command](*rest)
                os._exit(0)
            finally:
                os._exit(1)
        print(child, flush=True)
"""


class Nursery:
    """Starts processes and says how they ended."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def _ask(self, *words: object) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(*words, file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())

    def start(self, what: str, *arguments: object) -> int:
        """A process that does one of the things above; its id."""
        return self._ask(what, *arguments)

    def wait(self, pid: int) -> int:
        """Exit code; negative: the signal that ended it."""
        return self._ask("wait", pid)
