"""What goes through a pipe between two processes, without keeping other threads waiting.

Pickling a long list and reading it back hold the interpreter's lock for as long as they copy it. Here its buffers are
written as they lie, and read into their place; that is not filled with zeros before, which would hold the lock too.
"""

import io
import os
import pickle
from multiprocessing.connection import Connection
from typing import Any

import numpy as np


def send(pipe: Connection, *what: Any) -> None:
    """Send what can be pickled; of bytes, which pickling would copy, each of them goes from the place where it is."""
    found: list[pickle.PickleBuffer] = []
    told = [pickle.PickleBuffer(each) if isinstance(each, bytes) else each for each in what]
    head = pickle.dumps(told, pickle.HIGHEST_PROTOCOL, buffer_callback=found.append)
    buffers = [each.raw() for each in found]
    pipe.send((head, [(len(each), each.readonly) for each in buffers]))
    for rest in buffers:
        while rest:
            rest = rest[os.write(pipe.fileno(), rest) :]


def receive(pipe: Connection) -> list[Any]:
    """What was sent.

    Raises
    ------
    EOFError
        When the other end was closed before all of it came.
    """
    head, sizes = pipe.recv()
    end = io.FileIO(os.dup(pipe.fileno()))
    with io.BufferedReader(end, 1) as line:  # which reads nothing of what comes next
        told: list[Any] = pickle.loads(head, buffers=[_buffer(line, *size) for size in sizes])
    return told


def _buffer(line: "io.BufferedReader[io.FileIO]", length: int, fixed: bool) -> bytes | memoryview:
    """One of this length; bytes where nobody is to write to it."""
    place = line.read(length) if fixed else np.empty(length, np.uint8).data
    if (len(place) if isinstance(place, bytes) else line.readinto(place)) < length:
        raise EOFError
    return place
