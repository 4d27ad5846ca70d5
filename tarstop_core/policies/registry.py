"""All stopping rules by name, as the files of this package define them: adding a rule is adding a file."""

import importlib
import inspect
import pkgutil
import sys

from tarstop_core.policies.base import Policy
from tarstop_core.presentation.messages import Messages

_PACKAGE = __name__.rpartition(".")[0]
message = Messages("policies/messages.jinja")
_NO_RULES = {"check", "registry", "specs"}  # Modules that import the rules


def rules_of_package() -> dict[str, type[Policy]]:
    """The rules of this package that have a place, in the order of their places."""
    names = [module.name for module in pkgutil.iter_modules(sys.modules[_PACKAGE].__path__)]
    modules = [importlib.import_module(f"{_PACKAGE}.{name}") for name in names if name not in _NO_RULES]
    classes = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass)}
    rules = [kind for kind in classes if issubclass(kind, Policy) and kind.place > 0]
    return {kind.name: kind for kind in sorted(rules, key=lambda kind: (kind.place, kind.name))}


POLICIES: dict[str, type[Policy]] = rules_of_package()


def followed() -> list[str]:
    """Names of the rules that can advise a person: those that weigh consequences come first."""
    names = [name for name, kind in POLICIES.items() if not kind.needs_labels]
    return sorted(
        names, key=lambda name: (POLICIES[name].family == "reference", not POLICIES[name].acts_on_belief)
    )


def titled(name: str) -> str:
    """Title of a rule, with what it promises.

    >>> titled("optimal"), titled("budget")
    ('Optimal · estimator', 'Budget · heuristic')
    """
    return f"{POLICIES[name].title} · {POLICIES[name].promise.value}"


def about(kind: type[Policy]) -> str:
    """What a rule does, what it needs and what it promises, in sentences."""
    return message("about", kind=kind)
