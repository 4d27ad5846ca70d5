"""Jobs for the test of processes of their own, which have to be where such a process can import them."""

import mmap
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

from tarstop_core.errors import InputProblem


def doubled(value: int, progress: Callable[[int, int], None]) -> tuple[int, int]:
    """Twice a number, and in which process."""
    progress(1, 2)
    progress(2, 2)
    return 2 * value, os.getpid()


def refused() -> None:
    """Nothing of it can be used."""
    raise InputProblem("a.csv has no title; give it one.")


def broken() -> None:
    """What nobody foresaw."""
    raise KeyError("unforeseen")


def greedy() -> int:
    """Take a gigabyte, piece by piece."""
    return len([bytes(range(256)) * 4096 for _ in range(1024)])


def beside_the_count() -> None:
    """Take a gigabyte that Linux counts as nobody's own, and keep it."""
    held = mmap.mmap(-1, 1 << 30)
    for at in range(0, len(held), mmap.PAGESIZE):
        held[at] = 1
    threading.Event().wait()


def dying(of: signal.Signals) -> None:
    """As when the system ends what takes too much memory, or a library fails."""
    os.kill(os.getpid(), of)


def leaving() -> None:
    """End without a word."""
    os._exit(3)


def endless(at: Path) -> None:
    """Say in a file which process it is, and never end."""
    beside = at.with_suffix(".part")
    beside.write_text(str(os.getpid()), encoding="utf-8")
    beside.rename(at)
    threading.Event().wait()
