"""What goes through a pipe between two processes, without keeping other threads waiting.

Pickling a long list and reading it back hold the interpreter's lock for as long as they copy it. Here its buffers are
written as they lie, and read into their place; that is not filled with zeros before, which would hold the lock too.
"""

import os
import pickle
import socket
from multiprocessing.connection import Connection
from typing import Any

import numpy as np


def as_it_lies(what: Any) -> Any:
    """The same, to be sent; of bytes, which pickling would copy, the place where they are."""
    return pickle.PickleBuffer(what) if isinstance(what, bytes) else what


def send(pipe: Connection, what: Any) -> None:
    """Send what can be pickled."""
    found: list[pickle.PickleBuffer] = []
    head = pickle.dumps(what, pickle.HIGHEST_PROTOCOL, buffer_callback=found.append)
    buffers = [each.raw() for each in found]
    pipe.send((head, [(len(each), each.readonly) for each in buffers]))
    for rest in buffers:
        while rest:
            rest = rest[os.write(pipe.fileno(), rest) :]


def receive(pipe: Connection) -> Any:
    """What was sent.

    Raises
    ------
    EOFError
        When the other end was closed before all of it came.
    """
    head, sizes = pipe.recv()
    with socket.socket(fileno=os.dup(pipe.fileno())) as line:
        buffers = [(_bytes if fixed else _array)(line, length) for length, fixed in sizes]
    return pickle.loads(head, buffers=buffers)


def _bytes(line: socket.socket, length: int) -> bytes:
    """Nearly always in one piece, which is not joined to anything."""
    pieces = []
    while length:
        pieces.append(line.recv(length, socket.MSG_WAITALL))
        if not pieces[-1]:
            raise EOFError
        length -= len(pieces[-1])
    return b"".join(pieces)


def _array(line: socket.socket, length: int) -> memoryview:
    """To be written to by whoever gets it."""
    rest = place = np.empty(length, np.uint8).data
    while rest:
        read = line.recv_into(rest)
        if not read:
            raise EOFError
        rest = rest[read:]
    return place
