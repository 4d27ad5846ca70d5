"""Collect the tests twice, seconds apart and in unlike surroundings: both must find the same tests in the same order.

Workers of pytest-xdist collect for themselves and run nothing where they disagree, which one name of a test that
holds the time, a set's order or a temporary path is enough for.
"""

import difflib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APART = 2.0  # seconds
SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8"},
    {"PYTHONHASHSEED": "2", "TZ": "America/Los_Angeles", "LC_ALL": "C"},
)


def collecting(surroundings: dict[str, str], folder: str) -> subprocess.Popen[str]:
    """A process that prints the name of every test."""
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-p", "no:cacheprovider"],
        cwd=ROOT,
        env={**os.environ, **surroundings, "TMPDIR": folder},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )


def main() -> int:
    """Print what differs; 1 where something does or the tests cannot be collected."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first = collecting(SURROUNDINGS[0], one)
        time.sleep(APART)
        second = collecting(SURROUNDINGS[1], other)
        said = [process.communicate()[0] for process in (first, second)]
    for process, text in zip((first, second), said, strict=True):
        if process.returncode:
            print(text, "The tests could not be collected.", sep="\n", file=sys.stderr)
            return 1
    found, again = ([line for line in text.splitlines() if "::" in line] for text in said)
    if found == again:
        print(f"{len(found)} tests, the same when collected again")
        return 0
    print(
        *difflib.unified_diff(found, again, "collected", "again", n=0, lineterm=""), sep="\n", file=sys.stderr
    )
    print("Tests differ between two collections: give them ids that say what they are.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
