"""The main flows where no process can be forked, as on Windows; run as a script by ``test_without_forks.py``."""

import multiprocessing
import os
import sys
from pathlib import Path


def forbid() -> None:
    """Take from this process, and from those that it spawns, every way to fork."""
    for name in ("fork", "forkpty"):
        vars(os).pop(name, None)
    multiprocessing.get_all_start_methods = lambda: ["spawn"]
    multiprocessing.set_start_method("spawn", force=True)


def main(folder: Path) -> None:
    from tarstop_core.cli.commands import tarstop
    from tarstop_core.evaluation import running, worker
    from tarstop_core.files import read_records
    from tarstop_core.sessions.demo import start_demo
    from tarstop_core.sessions.report import report_html
    from tarstop_core.sessions.session import OpenSession
    from tarstop_core.sessions.snapshot import session_snapshot
    from tarstop_core.sessions.store.store import Store
    from tests.evaluation.own_benchmark import bring, ended, ordered, own_files

    assert worker.CONTEXT.get_start_method() == "spawn" and not hasattr(os, "fork")
    file = folder / "a.csv"
    file.write_text("id,title\n1,A hinge\n2,A door\n", encoding="utf-8")
    assert len(worker.run("a.csv", read_records, file).frame) == 2
    with Store() as store:
        session = OpenSession.load(store, start_demo(store))
        for _ in range(5):
            session.label(session.row.ids[session.state.depth], "irrelevant", seen=session.state.seq)
        assert session.advice(session.state.settings).depth == 5
        assert "</html>" in report_html(session_snapshot(store, session.stored.id))
    os.environ["LOKY_MAX_CPU_COUNT"] = "1"  # the run has a process, and needs none besides
    home = running.new_folder()
    bring(own_files(), home / running.FILES / "own")
    run = running.begin(home, ordered(home / running.FILES / "own", ("greedy", "decide-now")))
    assert ended(run).state == "done"
    del os.environ["LOKY_MAX_CPU_COUNT"]
    tarstop.main(["samples", str(folder / "mine")], standalone_mode=False)
    for name in ("records.csv", "labelled.csv", "my_rule.py"):
        (folder / "mine" / name).unlink()
    own, out = str(folder / "mine"), str(folder / "out")
    asked = ["--out", out, "--methods", "greedy,decide-now", "--workers", "2", "--no-pictures"]
    tarstop.main(["experiment", own, *asked], standalone_mode=False)
    assert (folder / "out" / "rows.csv").is_file()
    for idle in worker._idle:
        idle.end()
    print("done")


if __name__ == "__main__":
    forbid()
    main(Path(sys.argv[1]))
