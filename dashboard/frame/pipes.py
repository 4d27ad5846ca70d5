"""What goes through a pipe between two processes, without keeping other threads waiting.

Pickling a long list and reading it back hold the interpreter's lock for as long as they copy it. Here its buffers are
written as they lie, and read into their place.
"""

import os
import pickle
from multiprocessing.connection import Connection
from typing import Any


def send(pipe: Connection, what: Any) -> None:
    """Send what can be pickled."""
    found: list[pickle.PickleBuffer] = []
    head = pickle.dumps(what, pickle.HIGHEST_PROTOCOL, buffer_callback=found.append)
    buffers = [each.raw() for each in found]
    pipe.send((head, [len(each) for each in buffers]))
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
    head, lengths = pipe.recv()
    buffers = [bytearray(length) for length in lengths]
    for buffer in buffers:
        rest = memoryview(buffer)
        while rest:
            read = os.readv(pipe.fileno(), [rest])
            if not read:
                raise EOFError
            rest = rest[read:]
    return pickle.loads(head, buffers=buffers)
