"""All stopping rules by name, as the files of this package define them: adding a rule is adding a file."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys

from tarstop_core.policies.base import Policy

_PACKAGE = __name__.rpartition(".")[0]
_NO_RULES = {"check", "registry", "specs"}
"""Modules that ask for the rules or try them: they come after."""


def found() -> dict[str, type[Policy]]:
    """The rules that name a place, in the order of their places."""
    names = [module.name for module in pkgutil.iter_modules(sys.modules[_PACKAGE].__path__)]
    modules = [importlib.import_module(f"{_PACKAGE}.{name}") for name in names if name not in _NO_RULES]
    kinds = {kind for module in modules for kind in vars(module).values() if _is_rule(kind)}
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: (kind.place, kind.name))}


def _is_rule(kind: object) -> bool:
    return (
        inspect.isclass(kind) and issubclass(kind, Policy) and not inspect.isabstract(kind) and kind.place > 0
    )


POLICIES: dict[str, type[Policy]] = found()
