"""All stopping rules by name, as the files of this package define them: adding a rule is adding a file."""

import importlib
import inspect
import pkgutil
import sys

from tarstop_core.policies.base import Policy

_PACKAGE = __name__.rpartition(".")[0]
_NO_RULES = {"check", "registry", "specs"}  # Modules that import the rules


def rules_of_package() -> dict[str, type[Policy]]:
    """The rules of this package that have a place, in the order of their places."""
    names = [module.name for module in pkgutil.iter_modules(sys.modules[_PACKAGE].__path__)]
    modules = [importlib.import_module(f"{_PACKAGE}.{name}") for name in names if name not in _NO_RULES]
    classes = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass)}
    rules = [kind for kind in classes if issubclass(kind, Policy) and kind.place > 0]
    return {kind.name: kind for kind in sorted(rules, key=lambda kind: (kind.place, kind.name))}


POLICIES: dict[str, type[Policy]] = rules_of_package()

GROUPS = ("", "baseline", "for comparison")
"""Kinds of rules beside those that weigh consequences, in the order in which they are offered."""


def followed() -> list[str]:
    """Names of the rules that can advise a person: those that weigh consequences come first."""
    names = [name for name, kind in POLICIES.items() if not kind.needs_labels]
    return sorted(names, key=lambda name: GROUPS.index(_group(POLICIES[name])))


def titled(name: str) -> str:
    """Title of a rule, with its kind unless it weighs consequences.

    >>> titled("optimal"), titled("budget")
    ('Optimal', 'Budget · baseline')
    """
    kind = POLICIES[name]
    return " · ".join(filter(None, (kind.title, _group(kind))))


def _group(kind: type[Policy]) -> str:
    if kind.family == "reference":
        return "for comparison"
    return "" if kind.acts_on_belief else "baseline"
