"""Change one operator or number of the core at a time, and see whether a test notices.

Run as ``python -m tests.mutation [--count N] [--seed S] [--workers W] [PACKAGE …]``. A first run of the tests records which test
runs which line; ``--record FILE`` keeps what it found for the next run. Then every mutant is tried in a copy of the
project by the tests that run its line, those of its own package first. Prints the mutants that no test noticed; exits
with 1 when more than one in twenty survive. A long series goes in parts: ``--first 40 --count 20`` tries the mutants 40 to
59 of the same seed.
"""

import argparse
import ast
import os
import resource
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
from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("value", "policies", "belief", "calibration", "screening")
COPIED = (
    "tarstop_core",
    "dashboard",
    "pages",
    "tests",
    "scripts",
    "sample_data",
    "docs",
    "app.py",
    "pyproject.toml",
)
MOST_SURVIVORS = 0.05
SECONDS = 600  # of processor time that the tests of one mutant may take: a loop without an end is noticed too
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
COVERAGE = "[run]\ndynamic_context = test_function\nsource = tarstop_core\nrelative_files = true\n"


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
        yield from _mutants_of(node, tree, file)


def _mutants_of(node: ast.AST, tree: ast.Module, file: str) -> Iterator[Mutant]:
    """Mutants of one expression; the tree is as before afterwards."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        before, node.value = node.value, node.value + 1
        yield Mutant(file, node.lineno, f"{before} → {node.value}", ast.unparse(tree))
        node.value = before
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            if type(operator) in SWAPS:
                node.ops[at] = SWAPS[type(operator)]()  # type: ignore[call-overload]
                yield Mutant(file, node.lineno, _swap(operator, node.ops[at]), ast.unparse(tree))
                node.ops[at] = operator
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
        operator = node.op
        node.op = SWAPS[type(operator)]()  # type: ignore[assignment]
        yield Mutant(file, node.lineno, _swap(operator, node.op), ast.unparse(tree))
        node.op = operator


def _swap(before: ast.AST, after: ast.AST) -> str:
    signs = {
        ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
        ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.And: "and", ast.Or: "or",
    }  # fmt: skip
    return f"{signs[type(before)]} → {signs[type(after)]}"


def drawn(packages: list[str], count: int, seed: int) -> list[Mutant]:
    """Mutants drawn at random over the packages, each place as likely as any other."""
    possible = [
        mutant
        for package in packages
        for path in sorted((ROOT / "tarstop_core" / package).rglob("*.py"))
        for mutant in mutants(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    ]
    order = np.random.default_rng(seed).permutation(len(possible))
    return [possible[at] for at in order[:count]]


def copy_project(folder: Path) -> Path:
    """A copy of the project to change a file in."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def run_tests(folder: Path, arguments: list[str], tool: tuple[str, ...] = ()) -> bool:
    """Whether the tests pass; a run that takes too long counts as failed, however busy the machine is."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", *tool, "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    limits = resource.RLIM_INFINITY if tool else SECONDS
    return not subprocess.run(
        [*command, "-m", "not deep", *arguments],
        cwd=folder,
        env=environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limits, limits)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ).returncode


def tests_by_line(folder: Path, recorded: list[str], record: Path) -> CoverageData:
    """Which of the recorded tests runs which line: as an earlier run found it, or by running them now."""
    if not record.exists():
        (folder / ".coveragerc").write_text(COVERAGE, encoding="utf-8")
        if not run_tests(folder, ["--ignore=tests/browser", *recorded], ("coverage", "run", "-m")):
            raise SystemExit("Tests fail without any change, so they would notice none: mend them first.")
        shutil.copy(folder / ".coverage", record)
    data = CoverageData(str(record))
    data.read()
    return data


def tests_of(mutant: Mutant, ran: CoverageData) -> list[str]:
    """The tests that run a mutant's line, those of its package first; where only imports run it, those of its package."""
    package = mutant.file.split("/")[1]
    contexts = ran.contexts_by_lineno(mutant.file).get(mutant.line, [])
    names = {context.rpartition(".") for context in contexts if context.startswith("tests.")}
    tests = sorted(f"{module.replace('.', '/')}.py::{name}" for module, _, name in names)
    own = f"tests/{package}"
    return sorted(tests, key=lambda test: not test.startswith(own)) or [own]


def survivors(mutated: list[Mutant], recorded: list[str], record: Path, workers: int) -> list[Mutant]:
    """The mutants that none of the recorded tests noticed."""
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for at in range(workers):
            copies.put(copy_project(Path(folder) / str(at)))
        first = copies.get()
        ran = tests_by_line(first, recorded, record)
        copies.put(first)

        def survives(mutant: Mutant) -> bool:
            copy = copies.get()
            changed = copy / mutant.file
            original = changed.read_text(encoding="utf-8")
            changed.write_text(mutant.source, encoding="utf-8")
            try:
                tests = [test for test in tests_of(mutant, ran) if (copy / test.partition("::")[0]).exists()]
                # Its own examples are tests too.
                alive = run_tests(copy, ["-x", mutant.file, *tests])
            finally:
                changed.write_text(original, encoding="utf-8")
                copies.put(copy)
            print("alive " if alive else "killed", f"{mutant.file}:{mutant.line}", mutant.change, flush=True)
            return alive

        with ThreadPoolExecutor(workers) as pool:
            alive = list(pool.map(survives, mutated))
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
