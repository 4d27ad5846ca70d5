"""A copy of the tree to add something to, and a way to run what was added."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("app.py", "pages", "dashboard", "tarstop_core", "docs", ".streamlit")


class Tree:
    """The copy: files are added whole, and lines behind a line that is there."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, name: str, text: str) -> None:
        """A file of its own."""
        file = self.root / name
        assert not file.exists(), f"{name} is there already"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def line(self, name: str, behind: str, line: str) -> None:
        """One line in a list that is there."""
        file = self.root / name
        text = file.read_text(encoding="utf-8")
        assert text.count(behind) == 1, f"{behind!r} in {name}"
        file.write_text(text.replace(behind, f"{behind}{line}"), encoding="utf-8")

    def run(self, script: str) -> str:
        """What a script prints that imports from the copy."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root),
            "TARSTOP_SAMPLE_DATA": str(ROOT / "sample_data"),
        }
        environment["TARSTOP_DATABASE_URL"] = f"sqlite:///{self.root / 't.db'}"
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A copy of everything that a page or a command reads."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("images"))
        else:
            shutil.copy(source, tmp_path / name)
    return Tree(tmp_path)
