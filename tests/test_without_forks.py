"""Windows has no forks: uploads, screening, reports, experiments and the command line do without."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_main_flows(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.without_forks", str(tmp_path)],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": "utf-8",
            "TARSTOP_DATABASE_URL": f"sqlite:///{tmp_path}/t.db",
        },
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "2 methods" in done.stdout and done.stdout.endswith("\ndone\n")
