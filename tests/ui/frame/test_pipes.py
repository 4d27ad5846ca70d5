"""What is sent through a pipe comes out as it was, whatever it is made of."""

import os
from multiprocessing import Pipe
from threading import Thread

import numpy as np
import pandas as pd
import pytest

from dashboard.frame.pipes import receive, send


@pytest.mark.parametrize("size", [0, 1, 300_000])
def test_lists_arrays_and_small_things_come_out_as_they_went_in(size: int) -> None:
    ours, theirs = Pipe()
    frame = pd.DataFrame({"id": [f"é{i}" for i in range(size)], "score": np.arange(size, dtype=float)})
    told = {"frame": frame, "backwards": np.arange(size)[::-1], "bytes": b"x" * size, "none": None}
    sender = Thread(target=send, args=(ours, told, told["bytes"]))
    sender.start()
    came, as_it_lies = receive(theirs)
    sender.join()
    pd.testing.assert_frame_equal(came["frame"], frame)
    assert np.array_equal(came["backwards"], told["backwards"]) and came["bytes"] == told["bytes"]
    assert type(as_it_lies) is bytes and as_it_lies == told["bytes"]
    came["frame"]["score"] += 1  # what came can be written to


@pytest.mark.parametrize("fixed", [False, True])
def test_an_end_in_the_middle_is_an_end(fixed: bool) -> None:
    ours, theirs = Pipe()
    ours.send((b"", [(10, fixed)]))
    os.write(ours.fileno(), b"five.")
    ours.close()
    with pytest.raises(EOFError):
        receive(theirs)
