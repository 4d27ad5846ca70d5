"""Run every benchmark once and write what it printed to ``docs/benchmarks.md``."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPORT = ROOT / "docs" / "benchmarks.md"
ORDER = ("bm25", "policies", "import_records", "label_latency", "kills")


def main() -> None:
    """Write the report; a benchmark that misses its target is reported like any other."""
    parts = [
        "# Benchmarks",
        "",
        f"What `python scripts/report_benchmarks.py` printed on {os.cpu_count()} cores of {platform.machine()}, "
        f"Python {platform.python_version()}. Ratios compare two ways of doing the same work in one run; seconds "
        "depend on the machine. Each script in `benchmarks/` says what it measures and what its target is.",
    ]
    scripts = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__")
    for name in sorted(scripts, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name)):
        print(name, file=sys.stderr)
        ran = subprocess.run(
            [sys.executable, "-m", f"benchmarks.{name}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        verdict = "" if ran.returncode == 0 else f"\n(exit status {ran.returncode}: a target was missed)"
        parts += ["", f"## `benchmarks/{name}.py`", "", "```", ran.stdout.strip() + verdict, "```"]
    REPORT.write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
