"""The house: floors, no circles, no page to page, Streamlit above everything, files that can be read at a sitting."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    {"errors", "presentation"},
    {"effects", "envelope", "places", "plugins"},
    {"documents"},
    {"belief", "ranking"},
    {"files", "value", "calibration"},
    {"policies", "samples", "evidence", "readers"},
    {"screening", "evaluation"},
    {"explore", "sessions"},
    {"teaching", "cli", "api"},
)
"""From the ground up: a package of `tarstop_core` imports from floors below its own only."""
STAIRS = ("frame", "parts")
"""Of the dashboard, from the ground up; pages stand on both and never on each other."""
LONGEST = {
    **dict.fromkeys(("tarstop_core", "dashboard", "pages"), 400),
    **dict.fromkeys(("tests", "scripts", "benchmarks"), 500),
}
"""Lines that a file may have, by folder."""
MOST_PACKAGES, MOST_MODULES = 19, 4
INTERFACE = ("streamlit",)
IMPORTERS = {"import_module", "__import__", "find_spec", "resolve_name"}
"""Functions that import a module by its name."""
BY_ANY_NAME = {
    "tarstop_core": "the names of its root, each imported when it is first used",
    "tarstop_core.policies.registry": "rules are found by their files, and import nothing of the registry",
    "tarstop_core.evaluation.worker": "a worker loads beforehand what the server names",
    "tarstop_core.cli.shared": "a list of choices: its name stands as a text where it is asked for",
    "dashboard.frame.waiting": "a worker loads beforehand what it names",
    "dashboard.frame.server": "the server loads every page before anybody comes, and calls none",
}
"""Modules that name others in a text, or put a name together while they run, and why that is no import upwards."""
NOT_FOR_THE_CORE = ("streamlit", "plotly")


class Import(NamedTuple):
    """One name that one module takes from another."""

    of: str
    source: str
    name: str


def modules(root: Path) -> dict[str, Path]:
    """Every module of core, dashboard and pages, by its dotted name."""
    files = [
        root / "app.py",
        *(file for top in ("tarstop_core", "dashboard", "pages") for file in (root / top).rglob("*.py")),
    ]
    named = {".".join(file.relative_to(root).with_suffix("").parts): file for file in files}
    return {name.removesuffix(".__init__"): file for name, file in named.items()}


@lru_cache(maxsize=1)
def nodes(text: str) -> list[ast.AST]:
    """All that a file is made of; whoever reads a file asks for it three times."""
    return list(ast.walk(ast.parse(text)))


@cache
def statements(text: str) -> list[ast.Import | ast.ImportFrom]:
    """Import statements of a file; a copy of the tree has most of them in common with it."""
    return [node for node in nodes(text) if isinstance(node, ast.Import | ast.ImportFrom)]


@cache
def names_in_texts(text: str) -> list[str]:
    """Texts of a file that may name a module: ``tarstop_core.errors`` or ``tarstop_core.errors:InputProblem``."""
    constants = (node.value for node in nodes(text) if isinstance(node, ast.Constant))
    names = (
        re.fullmatch(r"(\w+(?:\.\w+)+)(?::\w+)?", value) for value in constants if isinstance(value, str)
    )
    return [name[1] for name in names if name]


@cache
def patterns(text: str) -> list[str]:
    """Regular expressions of the names that a file imports by and that are put together while it runs."""
    expressions = []
    for node in nodes(text):
        if isinstance(node, ast.Call) and node.args:
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            name = node.args[0]
            if called in IMPORTERS and not isinstance(name, ast.Constant):
                parts = name.values if isinstance(name, ast.JoinedStr) else [name]
                expressions.append(
                    "".join(
                        re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+"
                        for part in parts
                    )
                )
    return expressions


def imports(root: Path) -> Iterator[Import]:
    """Every import: inside functions, for type hints, and by a name in a text; of a package's module the module itself."""
    all_modules = modules(root)
    for of, file in all_modules.items():
        text = file.read_text(encoding="utf-8")
        for node in statements(text):
            if isinstance(node, ast.Import):
                yield from (Import(of, alias.name, "") for alias in node.names)
            else:
                assert node.module and not node.level, f"{of}: import by the full path"
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield (
                        Import(of, inner, "") if inner in all_modules else Import(of, node.module, alias.name)
                    )
        if of not in BY_ANY_NAME:
            yield from (Import(of, name, "") for name in names_in_texts(text) if name in all_modules)
            for pattern in patterns(text):
                yield from (Import(of, name, "") for name in all_modules if re.fullmatch(pattern, name))


def faults(root: Path) -> list[str]:
    """What breaks the rules of the house, a sentence each."""
    floor = {name: at for at, names in enumerate(FLOORS) for name in names}
    found = []
    for of, source, name in imports(root):
        (top, part, *_), (from_top, from_part, *_) = (f"{each}..".split(".") for each in (of, source))
        said = f"{of} takes {name or 'everything'} from {source}"
        if top == "tarstop_core" and from_top in ("dashboard", "pages", *INTERFACE):
            found.append(f"{said}: the core knows nothing of the dashboard")
        if from_top in INTERFACE and top not in ("app", "dashboard"):
            found.append(f"{said}: only the dashboard draws")
        if (top, part) == (from_top, from_part) or from_top not in ("tarstop_core", "dashboard"):
            continue
        if name.startswith("_") and not name.startswith("__"):
            found.append(f"{said}: a private name stays in its package")
        if top == from_top == "tarstop_core" and part in floor and floor.get(from_part, -1) >= floor[part]:
            found.append(f"{said}: that is not a floor below")
        if (
            top == from_top == "dashboard"
            and from_part not in STAIRS[: STAIRS.index(part) if part in STAIRS else None]
        ):
            found.append(f"{said}: pages stand on {' and '.join(STAIRS)}, not on each other")
    return found


def test_every_import_leads_down() -> None:
    assert faults(ROOT) == []


def test_there_is_no_circle() -> None:
    known = modules(ROOT)
    graph: dict[str, set[str]] = {}
    for of, source, _ in imports(ROOT):
        if source in known and source != of:
            graph.setdefault(of, set()).add(source)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail(f"These import each other: {circle.args[1]}")


def test_a_stranger_finds_a_house_not_a_heap() -> None:
    core = [each for each in (ROOT / "tarstop_core").iterdir() if not each.name.startswith("__")]
    packages = {each.name for each in core if each.is_dir()}
    loose = {each.stem for each in core if each.suffix == ".py"}
    assert packages | loose == set().union(*FLOORS)
    assert len(packages) <= MOST_PACKAGES and len(loose) <= MOST_MODULES
    assert {each.name for each in (ROOT / "dashboard").glob("*.py")} == {"__init__.py"}
    pages = {file.stem for file in (ROOT / "pages").glob("*.py")}
    folders = {
        each.name for each in (ROOT / "dashboard").iterdir() if each.is_dir() and each.name != "__pycache__"
    }
    assert folders == {*pages, *STAIRS}
    assert all((ROOT / "dashboard" / page / "page.py").is_file() for page in pages)


def test_files_can_be_read_at_a_sitting() -> None:
    long = {
        str(file.relative_to(ROOT)): lines
        for top, most in LONGEST.items()
        for file in (ROOT / top).rglob("*.py")
        if (lines := len(file.read_text(encoding="utf-8").splitlines())) > most
    }
    assert long == {}


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree for all who change a file of it and change it back."""
    place = tmp_path_factory.mktemp("house")
    for top in ("tarstop_core", "dashboard", "pages"):
        shutil.copytree(ROOT / top, place / top, ignore=shutil.ignore_patterns("*.npz", "__pycache__"))
    shutil.copy(ROOT / "app.py", place)
    return place


@pytest.mark.parametrize(
    "file, line, said",
    [
        ("tarstop_core/value/payoffs.py", "from tarstop_core.policies import Greedy", "not a floor below"),
        ("tarstop_core/belief/prior.py", "import streamlit", "the core knows nothing"),
        (
            "tarstop_core/belief/prior.py",
            "def late():\n    import streamlit as st",
            "only the dashboard draws",
        ),
        (
            "tarstop_core/explore/maps.py",
            "from tarstop_core.value.decisive import _first_stall",
            "private name",
        ),
        (
            "tarstop_core/screening/log.py",
            "from tarstop_core.evaluation.cases import Case",
            "not a floor below",
        ),
        ("dashboard/home/page.py", "from dashboard.screen.page import screen_page", "not on each other"),
        ("dashboard/frame/shell.py", "from dashboard.parts import panels", "not on each other"),
        ("pages/home.py", "import streamlit", "only the dashboard draws"),
        (
            "tarstop_core/screening/settings.py",
            'def late():\n    return import_module("tarstop_core.sessions.create")',
            "not a floor below",
        ),
        ("tarstop_core/belief/prior.py", 'late = __import__("tarstop_core.value.path")', "not a floor below"),
        (
            "tarstop_core/value/path.py",
            'late = [importlib.import_module(f"tarstop_core.{name}.base") for name in ("policies",)]',
            "not a floor below",
        ),
        ("tarstop_core/belief/prior.py", 'LATE = "tarstop_core.value.payoffs:Payoffs"', "not a floor below"),
        ("dashboard/frame/shell.py", "late = import_module(name)", "not on each other"),
    ],
)
def test_an_import_the_wrong_way_is_found(copied: Path, file: str, line: str, said: str) -> None:
    changed = copied / file
    as_it_is = changed.read_text(encoding="utf-8")
    changed.write_text(f"{as_it_is}\n{line}\n", encoding="utf-8")
    new = set(faults(copied)) - set(faults(ROOT))
    changed.write_text(as_it_is, encoding="utf-8")
    assert new and any(said in each for each in new), new


def test_importing_the_core_loads_neither_streamlit_nor_plotly() -> None:
    core = sorted(name for name in modules(ROOT) if name.startswith("tarstop_core.") and "__" not in name)
    script = (
        f"import importlib, sys; [importlib.import_module(name) for name in {core!r}]; "
        f"print([name for name in {NOT_FOR_THE_CORE!r} if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, encoding="utf-8")
    assert len(core) > 40 and answer.stdout.strip() == "[]"
