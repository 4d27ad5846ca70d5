"""The command as tests run it, and what it answers."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


RECORDS = """id,title,abstract
p1,A bicycle brake,Rim brake with a cable.
p2,A coffee machine,Hot water under pressure.
p3,Disc brake,"A brake disc for a bicycle, ventilated."
p4,A lamp,Light.
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        assert self.out.count("\n") == 1, "more than one document on stdout"
        return json.loads(self.out)


Run = Callable[..., Result]


def process(*arguments: object, cwd: Path) -> Result:
    """The command, run as a person's shell runs it."""
    done = subprocess.run(
        [sys.executable, "-m", "tarstop_core", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def refused(result: Result, *words: str) -> None:
    """Exit code 2, one line on stderr that says what is wrong, nothing on stdout."""
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("tarstop: ") and result.err.count("\n") == 1 and result.err.endswith("\n")
    assert "Traceback" not in result.err
    for word in words:
        assert word in result.err
