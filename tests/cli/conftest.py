"""The command, run in this process, and files to give it."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.cli import commands as cli
from tests.cli.shell import RECORDS, Result, Run


@pytest.fixture
def tarstop(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, run in this process."""

    def run(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["tarstop", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return Result(left.value.code if isinstance(left.value.code, int) else 1, captured.out, captured.err)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Records, and a run with its qrels: 6 topics of 40 documents, 4 of them with relevant documents."""
    (tmp_path / "records.csv").write_text(RECORDS, encoding="utf-8")
    rng = np.random.default_rng(3)
    run, qrels = [], []
    for t in range(6):
        relevant = {1 + t, 9 + 3 * t} if t < 4 else set()
        for k, score in enumerate(np.sort(rng.normal(10, 3, 40))[::-1], start=1):
            run.append(f"T{t} Q0 d{t}_{k} {k} {score:.6f} x")
            qrels.append(f"T{t} 0 d{t}_{k} {int(k in relevant)}")
    (tmp_path / "a.run").write_text("\n".join(run) + "\n", encoding="utf-8")
    (tmp_path / "a.qrels").write_text("\n".join(qrels) + "\n", encoding="utf-8")
    (tmp_path / "other.qrels").write_text("Z9 0 d 1\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def calibrator(folder: Path, tarstop: Run) -> Path:
    made = folder / "cal.json"
    arguments = ("calibrate", folder / "a.run", folder / "a.qrels", "--scenario", "patent", "--out", made)
    assert tarstop(*arguments).code == 0
    return made
