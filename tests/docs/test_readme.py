"""What the README shows of the command line runs in an empty folder, one line after the other."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import tarstop  # noqa: F401
from tests.cli.shell import Run

ROOT = Path(__file__).resolve().parents[2]
LINES = re.findall(
    r"^\| `tarstop (.+?)`.* \|", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE
)
ELSEWHERE = ("app", "experiment", "backup FILE")
"""What takes long or has no end, and is tested in tests/cli and tests/test_wheel.py."""


def test_every_line_runs(tarstop: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.chdir(tmp_path)
    lines = [line for line in LINES if not line.startswith(ELSEWHERE)]
    assert len(lines) == 7
    for line in lines:
        done = tarstop(*shlex.split(line))
        assert done.code == 0 and done.out, (line, done.err)
    assert {path.name for path in tmp_path.iterdir()} >= {"ranked.run", "report.html", "my.json"}


def test_samples_replace_no_file(tarstop: Run, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "my.run").write_text("mine", encoding="utf-8")
    refused = tarstop("samples", tmp_path)
    assert refused.code == 2 and "my.run exists" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["my.run"]
    assert tarstop("samples", tmp_path / "new" / "folder").code == 0
