"""Run every benchmark once and write what it printed to ``docs/benchmarks.md``."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPORT = ROOT / "docs" / "benchmarks.md"
ORDER = ("bm25", "policies", "import_records", "label_latency", "kills")


def section(name: str) -> str:
    """What one benchmark printed; one that misses its target is reported like any other."""
    print(name, file=sys.stderr)
    ran = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    verdict = "" if ran.returncode == 0 else f"\n(exit status {ran.returncode}: a target was missed)"
    return f"## `benchmarks/{name}.py`\n\n```\n{ran.stdout.strip()}{verdict}\n```\n"


def kept() -> dict[str, str]:
    """The sections of the report as it is."""
    if not REPORT.exists():
        return {}
    parts = re.split(r"^(?=## `benchmarks/)", REPORT.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {part[len("## `benchmarks/") : part.index(".py`")]: part.rstrip() + "\n" for part in parts}


def main() -> None:
    """Write the report: all of it, or only the sections named on the command line anew."""
    scripts = sorted(
        path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem not in ("__init__", "judging")
    )
    wanted = sys.argv[1:] or scripts
    sections = kept() | {name: section(name) for name in wanted}
    head = (
        "# Benchmarks\n\n"
        f"What `python scripts/report_benchmarks.py` printed on {os.cpu_count()} cores of {platform.machine()}, "
        f"Python {platform.python_version()}. Ratios compare two ways of doing the same work in one run; seconds "
        "depend on the machine. Each script in `benchmarks/` says what it measures and what its target is.\n"
    )
    ranked = sorted(scripts, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
    body = "\n".join(sections[name] for name in ranked if name in sections)
    REPORT.write_text(f"{head}\n{body}", encoding="utf-8")


if __name__ == "__main__":
    main()
