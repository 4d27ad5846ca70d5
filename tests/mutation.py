"""Change one operator or number of the core at a time, and see whether a test notices.

Run as ``python -m tests.mutation [--count N] [--seed S] [--workers W] [PACKAGE …]``. A first run of the tests records which test
runs which line; ``--record FILE`` keeps what it found for the next run. Then every mutant is tried in a copy of the
project by the tests that run its line, those of its own package first. Prints the mutants that no test noticed; exits
with 1 when more than one in twenty survive. A long series goes in parts: ``--first 40 --count 20`` tries the mutants 40 to
59 of the same seed.
"""

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import pytest
from coverage import Coverage, CoverageData

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("value", "policies", "belief", "calibration", "screening")
MOST_SURVIVORS = 0.05
SECONDS = 600  # of processor time that one run of tests may take: a loop without an end is noticed too
AT_ONCE = 100  # tests in one run, so that those which end in time are never taken for a loop without an end
WARM = """
import json, os, resource, sys
import click, hypothesis, jinja2, numpy, pandas, pydantic, pytest, scipy.integrate, scipy.optimize, scipy.sparse, scipy.special
import scipy.stats, sklearn.isotonic, sqlalchemy.orm

for line in sys.stdin:
    seconds, arguments = json.loads(line)
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1), os.dup2(nowhere, 2)
        os._exit(pytest.main(arguments))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Loads the libraries once and forks for every run of tests: loading them takes longer than most runs do."""
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
COVERAGE = "[run]\nsource = tarstop_core\nrelative_files = true\n"
BROKEN = 2  # what pytest ends with where a test cannot be imported; with 1 where one fails


@dataclass(frozen=True)
class Mutant:
    """One changed place of one file."""

    file: str  # from the root of the project
    line: int
    change: str  # what was changed to what
    source: str  # the whole file with the change


def mutants(file: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a file: a swapped operator, or a whole number that is one higher.

    Annotations and docstrings are left alone.

    >>> [mutant.change for mutant in mutants("x.py", "def f(a): return a + 1 < 2")]
    ['< → <=', '+ → -', '1 → 2', '2 → 3']
    """
    for line, change, tree in changes(source):
        yield Mutant(file, line, change, ast.unparse(tree))


def changes(source: str) -> Iterator[tuple[int, str, ast.Module]]:
    """Line and words of every change, and the tree as changed until the next is asked for: to write it takes long."""
    tree = ast.parse(source)
    annotations = {
        id(inner)
        for node in ast.walk(tree)
        for hint in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if hint is not None
        for inner in ast.walk(hint)
    }
    places = [node for node in ast.walk(tree) if id(node) not in annotations and hasattr(node, "lineno")]
    for node in sorted(places, key=lambda place: (place.lineno, place.col_offset)):  # type: ignore[attr-defined]
        for change in _changed(node):
            yield node.lineno, change, tree  # type: ignore[attr-defined]


def _changed(node: ast.AST) -> Iterator[str]:
    """Change an expression in every way, one after the other; afterwards it is as before."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        before, node.value = node.value, node.value + 1
        yield f"{before} → {node.value}"
        node.value = before
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            if type(operator) in SWAPS:
                node.ops[at] = SWAPS[type(operator)]()  # type: ignore[call-overload]
                yield _swap(operator, node.ops[at])
                node.ops[at] = operator
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
        operator = node.op
        node.op = SWAPS[type(operator)]()  # type: ignore[assignment]
        yield _swap(operator, node.op)
        node.op = operator


def _swap(before: ast.AST, after: ast.AST) -> str:
    signs = {
        ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
        ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.And: "and", ast.Or: "or",
    }  # fmt: skip
    return f"{signs[type(before)]} → {signs[type(after)]}"


def drawn(packages: list[str], count: int, seed: int) -> list[Mutant]:
    """Mutants drawn at random over the packages, each place as likely as any other."""
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for package in packages
        for path in sorted((ROOT / "tarstop_core" / package).rglob("*.py"))
    }
    possible = [(file, at) for file, source in sources.items() for at, _ in enumerate(changes(source))]
    chosen = [possible[at] for at in np.random.default_rng(seed).permutation(len(possible))[:count]]
    wanted = set(chosen)
    made = {
        (file, at): Mutant(file, line, change, ast.unparse(tree))
        for file in {file for file, _ in chosen}
        for at, (line, change, tree) in enumerate(changes(sources[file]))
        if (file, at) in wanted
    }
    return [made[each] for each in chosen]


class Copy:
    """A copy of the project to change a file in, and a process with all libraries that runs its tests."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.changes = folder, 0
        tracked = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        for name in tracked.stdout.split("\0")[:-1]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(folder)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is compiled once serves every mutant
        self.process = subprocess.Popen(
            [sys.executable, "-c", WARM],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def write(self, file: str, source: str) -> None:
        """Change a file; its time is another one every time, or Python would take what it compiled before."""
        self.changes += 1
        (self.folder / file).write_text(source, encoding="utf-8")
        os.utime(self.folder / file, (self.changes, self.changes))

    def passes(self, tests: list[str]) -> bool:
        """Whether tests pass; a run that takes too long counts as failed, however busy the machine is."""
        assert self.process.stdin is not None and self.process.stdout is not None
        options = ["-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not deep"]
        print(json.dumps([SECONDS, [*options, *tests]]), file=self.process.stdin, flush=True)
        if (status := int(self.process.stdout.readline())) > BROKEN:
            if subprocess.run([sys.executable, "-c", "import tests.conftest"], cwd=self.folder).returncode:
                return False  # what every test imports cannot be imported
            raise SystemExit(
                f"pytest ended with {status}, so it is unknown whether these tests pass: {tests}."
            )
        return status == 0

    def close(self) -> None:
        self.process.communicate(timeout=SECONDS)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """While a first run records: what runs from here on is run by this test."""
    if recording := Coverage.current():
        recording.switch_context(item.nodeid.partition("[")[0])


def tests_by_line(folder: Path, recorded: list[str], record: Path) -> CoverageData:
    """Which of the recorded tests runs which line: as an earlier run found it, or by running them now."""
    if not record.exists():
        (folder / ".coveragerc").write_text(COVERAGE, encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "coverage",
            "run",
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:xdist",
            "-p",
            "tests.mutation",
        ]
        options = ["-p", "no:cacheprovider", "-m", "not deep", "--ignore=tests/browser"]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(folder)}
        ran = subprocess.run(
            [*command, *options, *recorded], cwd=folder, env=environment, capture_output=True, text=True
        )
        if ran.returncode:
            print(*ran.stdout.splitlines()[-20:], sep="\n")
            raise SystemExit("Tests fail without any change, so they would notice none: mend them first.")
        shutil.copy(folder / ".coverage", record)
    data = CoverageData(str(record))
    data.read()
    return data


def tests_of(mutant: Mutant, ran: CoverageData) -> list[str]:
    """The tests that run a mutant's line, those of its package first; where only imports run it, those of its package."""
    package = mutant.file.split("/")[1]
    tests = sorted(set(ran.contexts_by_lineno(mutant.file).get(mutant.line, [])) - {""})
    own = f"tests/{package}"
    return sorted(tests, key=lambda test: not test.startswith(own)) or [own]


def survives(copy: Copy, mutant: Mutant, ran: CoverageData) -> bool:
    """Whether no test notices the mutant; the first that does ends the search."""
    original = (copy.folder / mutant.file).read_text(encoding="utf-8")
    tests = [test for test in tests_of(mutant, ran) if (copy.folder / test.partition("::")[0]).exists()]
    tests.insert(0, mutant.file)  # its own examples are tests too
    copy.write(mutant.file, mutant.source)
    try:
        return all(copy.passes(tests[at : at + AT_ONCE]) for at in range(0, len(tests), AT_ONCE))
    finally:
        copy.write(mutant.file, original)


def survivors(mutated: list[Mutant], recorded: list[str], record: Path, workers: int) -> list[Mutant]:
    """The mutants that none of the recorded tests noticed."""
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Copy] = SimpleQueue()
        made = [Copy(Path(folder) / str(at)) for at in range(workers)]
        ran = tests_by_line(made[0].folder, recorded, record)
        for copy in made:
            copies.put(copy)

        def tried(mutant: Mutant) -> bool:
            copy = copies.get()
            try:
                alive = survives(copy, mutant, ran)
            finally:
                copies.put(copy)
            print("alive " if alive else "killed", f"{mutant.file}:{mutant.line}", mutant.change, flush=True)
            return alive

        with ThreadPoolExecutor(workers) as pool:
            alive = list(pool.map(tried, mutated))
        for copy in made:
            copy.close()
    return [mutant for mutant, lives in zip(mutated, alive, strict=True) if lives]


def main() -> int:
    """Draw, try and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--first", type=int, default=0, help="how many mutants of the seed are left out")
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--own", action="store_true", help="only the tests of the packages themselves")
    options.add_argument("--record", type=Path, help="which test runs which line, kept from run to run")
    options.add_argument("packages", nargs="*", default=list(PACKAGES))
    chosen = options.parse_args()
    mutated = drawn(chosen.packages, chosen.first + chosen.count, chosen.seed)[chosen.first :]
    recorded = [f"tests/{package}" for package in chosen.packages] if chosen.own else ["tests"]
    with tempfile.TemporaryDirectory() as folder:
        record = chosen.record or Path(folder) / "record"
        alive = survivors(mutated, recorded, record, chosen.workers)
    for mutant in alive:
        print("alive", f"{mutant.file}:{mutant.line}", mutant.change)
    print(f"{len(alive)} of {len(mutated)} mutants survive.")
    return int(len(alive) > MOST_SURVIVORS * len(mutated))


if __name__ == "__main__":
    raise SystemExit(main())
