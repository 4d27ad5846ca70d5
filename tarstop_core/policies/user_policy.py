"""Stopping rules in a person's own file, named as ``path/to/file.py:Name``."""

import warnings
from dataclasses import fields
from typing import Any

from tarstop_core.errors import InputProblem
from tarstop_core.plugins import load_class, make
from tarstop_core.policies.base import Policy

RENAMED = {"worth": "value_rate", "at_once": "batch_size", "knows_truth": "is_oracle"}
"""Earlier names of attributes, which people's own files may still use."""


def load_rule(file: str, name: str) -> type[Policy]:
    """Run a person's Python file and return the rule of this name.

    Raises
    ------
    InputProblem
        When the file fails, or the class is no rule.
    """
    kind = load_class(file, name, Policy, "rule", "tarstop_core.policies.Policy")  # type: ignore[type-abstract]
    for attribute in ("name", "title", "rule", "source"):
        if not isinstance(getattr(kind, attribute, None), str):
            raise InputProblem(f"The rule {name} in {file} has no text '{attribute}'; add it to the class.")
    described, held = [part.name for part in kind.parameters], [field.name for field in fields(kind)]
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
    """The rule of a person's own file with these parameters.

    Parameters
    ----------
    file, name : str
        The Python file, which is run, and the class in it.
    values : dict
        Parameter values by name.

    Returns
    -------
    Policy
        Checked against its parameters.

    Raises
    ------
    InputProblem
        When there is no such rule, it refuses the values, or it fails.
    """
    return make(load_rule(file, name), file, name, values, "rule")


def _reload(policy: Policy) -> tuple[Any, tuple[Any, ...]]:
    """Recreate the rule in another process, from its file."""
    file, _, name = policy.origin.rpartition(":")
    return make_rule, (file, name, policy.settings)
