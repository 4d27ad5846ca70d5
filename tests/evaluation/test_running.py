"""Runs beside the pages."""

import os
import time
from pathlib import Path

from tarstop_core.evaluation import running
from tarstop_core.evaluation.running import Status, progress_words
from tests.evaluation.own_benchmark import bring, ended, ordered, own_files


def test_a_run_that_was_cancelled_or_lost_its_server_goes_on(no_runs: None) -> None:
    home = running.new_folder()
    files = home / running.FILES / "own"
    bring(own_files(), files)
    started = running.begin(home, ordered(files))
    running.cancel(started)
    assert ended(started).state == "stopped"
    assert started.results is None
    running.resume(started)
    alone = running._WORKERS.pop(home)
    assert running.status(started).state == "stopped"  # as after a new start of the server
    alone.end()
    running.resume(started)
    assert ended(started) == Status("done", 1.0)
    running._WORKERS.pop(home)
    assert running.status(started).state == "done"
    running.forget(started)
    assert running.runs() == [] and not home.exists()


def test_a_run_that_cannot_go_well_says_why(runs_here: None, tmp_path: Path) -> None:
    started = running.begin(running.new_folder(), ordered(tmp_path / "nowhere"))
    status = running.status(started)
    assert status.state == "failed"
    assert "nowhere" in status.what


def test_a_folder_that_nobody_wants_is_removed_and_no_other(runs_here: None, tmp_path: Path) -> None:
    left, wanted, new = (running.new_folder() for _ in range(3))
    started = running.begin(running.new_folder(), ordered(tmp_path / "nowhere"))
    theirs = left.parent / "theirs"
    theirs.mkdir()
    long_ago = time.time() - running.FORGOTTEN - 60
    for folder in (left, wanted, started.folder, theirs):
        os.utime(folder, (long_ago, long_ago))
    assert running.wanted_still(wanted)
    running.sweep()
    assert not left.exists() and not running.wanted_still(left)
    assert all(folder.exists() for folder in (wanted, new, started.folder, theirs))


def test_progress_is_worded_with_time_left() -> None:
    words = progress_words(Status("running", 0.421, "tuning", 75.0))
    assert words.startswith("42 %") and "tuning" in words and "1 min 15 s" in words
    assert "left" not in progress_words(Status("running", 0.4, "tuning"))
