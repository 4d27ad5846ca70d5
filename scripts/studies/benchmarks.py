"""Speed and memory: runs every script in ``benchmarks`` once and keeps what it printed."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pandas as pd

from scripts.study import Tables

PAGE = "benchmarks"
READS = "the scripts in benchmarks/; an idle machine, and half an hour"
TABLES = ("benchmarks",)
ROOT = Path(__file__).resolve().parents[2]
HEADLINES = (
    "stopping depth with a test",
    "bivariate, all prefixes",
    "sparse matrix",
    "reml one start",
    "belief and forest",
    "patent, every method",
    "median",
    "p95 is",
    "all five",
    "Explore, Map",
    "50 reviewers, 36,000",
)
"""How the lines begin that the page quotes; the first line where a benchmark printed none of them."""


def run(name: str) -> dict[str, object]:
    """What one benchmark printed, and whether it missed a target."""
    print(name, file=sys.stderr)
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    machine = f"{os.cpu_count()} cores of {platform.machine()}, Python {platform.python_version()}"
    row = {"benchmark": name, "missed": done.returncode != 0, "machine": machine}
    return row | {"output": done.stdout.strip()}


def measure() -> Tables:
    """Every benchmark, in order of its name."""
    names = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - {"__init__", "judging", "tab"}
    return {"benchmarks": pd.DataFrame(map(run, sorted(names)))}


def summarise(tables: Tables) -> dict[str, object]:
    """The headline of each benchmark."""
    rows = []
    for row in tables["benchmarks"].to_dict("records"):
        lines = [" ".join(line.split()) for line in row["output"].splitlines()]
        quoted = [line for line in lines if line.startswith(HEADLINES)]
        rows.append(row | {"headline": (quoted or lines)[0]})
    return {"rows": rows, "machine": tables["benchmarks"]["machine"].iloc[0]}
