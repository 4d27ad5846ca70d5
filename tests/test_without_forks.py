"""Windows has no forks: uploads, screening, reports, experiments and the command line do without."""

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from tarstop_core.cli.commands import tarstop

ROOT = Path(__file__).resolve().parents[1]


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": "utf-8",
            "TARSTOP_DATABASE_URL": f"sqlite:///{folder}/t.db",
        },
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_main_flows(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "tests.without_forks", str(tmp_path)) == "done\n"


def test_an_experiment_on_two_cores(tmp_path: Path) -> None:
    made = CliRunner().invoke(tarstop, ["samples", str(tmp_path / "mine")])
    assert made.exit_code == 0, made.output
    for name in ("records.csv", "labelled.csv", "my_rule.py"):
        (tmp_path / "mine" / name).unlink()
    asked = [
        str(tmp_path / "mine"),
        "--out",
        str(tmp_path / "out"),
        "--methods",
        "greedy,decide-now",
        "--workers",
        "2",
    ]
    command = f"import sys; sys.argv = ['tarstop', 'experiment', *{asked!r}]"
    code = f"from tests.without_forks import forbid; forbid(); {command}; from tarstop_core.cli import main; main()"
    assert "2 methods" in run(tmp_path, "-c", code)
    assert (tmp_path / "out" / "rows.csv").is_file()
