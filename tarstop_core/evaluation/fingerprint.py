"""The fingerprint of what computes an experiment: code that a chunk of cases can reach, without words about it."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tarstop_core.policies import POLICIES

ROOT = "tarstop_core"
ENTRY = "tarstop_core.evaluation.protocol"
"""Where a chunk's work begins."""


@cache
def code_digest() -> str:
    """Fingerprint of the code and data that compute: results of other code are not taken for this one's."""
    return digest_of(Path(__file__).resolve().parents[1])


def digest_of(package: Path) -> str:
    """Fingerprint of the package in a folder, without comments, docstrings, layout, and modules that no chunk reaches.

    So a word changed in the glossary or on a page leaves an interrupted experiment its finished chunks.
    """
    digest = hashlib.blake2b(digest_size=16)
    for name, tree in sorted(reached(package).items()):
        digest.update(f"{name}\n{ast.dump(_Silent().visit(tree))}\n".encode())
    for path in sorted(package.rglob("*.npz")):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def reached(package: Path) -> dict[str, ast.Module]:
    """The modules that a chunk may run, by name: what its own module imports, directly or not.

    A name that a package only hands on leads to the module it comes from, not to everything else the package names.
    """
    modules: dict[str, ast.Module] = {}
    # Rules are named, however the registry comes by them.
    waiting = [ENTRY, *(rule.__module__ for rule in POLICIES.values())]
    while waiting:
        name = waiting.pop()
        if name not in modules:
            modules[name] = _parsed(package, name)
            waiting += [module for node in ast.walk(modules[name]) for module in _imported(package, node)]
    return modules


def _imported(package: Path, node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == ROOT)
    elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == ROOT:
        for alias in node.names:
            yield _home(package, str(node.module), alias.name)


def _home(package: Path, module: str, name: str) -> str:
    """The module that ``from module import name`` is about."""
    if _file(package, f"{module}.{name}").is_file():
        return f"{module}.{name}"
    if _file(package, module).name == "__init__.py":
        for node in _parsed(package, module).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == ROOT:
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return _home(package, str(node.module), alias.name)
    return module


def _file(package: Path, module: str) -> Path:
    place = package.joinpath(*module.split(".")[1:])
    return place / "__init__.py" if place.is_dir() else place.with_name(f"{place.name}.py")


def _parsed(package: Path, module: str) -> ast.Module:
    return ast.parse(_file(package, module).read_bytes())


class _Silent(ast.NodeTransformer):
    """Without strings that stand alone: docstrings, and what is said of a constant below it."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node
