"""Stopping rules in a person's own file, named as ``path/to/file.py:Name``."""

import warnings
from dataclasses import fields
from typing import Any

from tarstop_core.errors import InputProblem
from tarstop_core.plugins import load_class, make
from tarstop_core.policies.base import Policy

RENAMED = {"worth": "value_rate", "at_once": "batch_size", "knows_truth": "is_oracle"}
"""Attributes of rules under earlier names, which files that were written then go on using."""


def load_rule(file: str, name: str) -> type[Policy]:
    """The rule `name` in a Python file, which is run to get it. InputProblem when it fails, or the class is no rule."""
    kind = load_class(file, name, Policy, "rule", "tarstop_core.policies.Policy")  # type: ignore[type-abstract]
    for attribute in ("name", "title", "rule", "source"):
        if not isinstance(getattr(kind, attribute, None), str):
            raise InputProblem(f"The rule {name} in {file} has no text '{attribute}'; add it to the class.")
    described, held = [each.name for each in kind.parameters], [each.name for each in fields(kind)]
    if held != described:
        raise InputProblem(
            f"The rule {name} in {file} describes the parameters ({', '.join(described)}) but has the fields "
            f"({', '.join(held)}); make it a frozen dataclass whose fields are its parameters."
        )
    for before, now in RENAMED.items():
        if before in vars(kind):
            warnings.warn(
                f"{name} in {file}: '{before}' is called '{now}' today.", DeprecationWarning, stacklevel=2
            )
            setattr(kind, now, vars(kind)[before])
    kind.origin = f"{file}:{name}"
    kind.__reduce__ = _reload  # type: ignore[method-assign,assignment]
    return kind


def make_rule(file: str, name: str, values: dict[str, Any]) -> Policy:
    """The rule `name` of a file with these parameters. InputProblem when there is none, it refuses them, or it fails."""
    return make(load_rule(file, name), file, name, values, "rule")


def _reload(policy: Policy) -> tuple[Any, tuple[Any, ...]]:
    """How another process gets the rule: from its file."""
    file, _, name = policy.origin.rpartition(":")
    return make_rule, (file, name, policy.settings)
