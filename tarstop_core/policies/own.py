"""Rules in files of one's own: ``path/to/file.py:Name``."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
import traceback
from dataclasses import fields
from functools import lru_cache
from pathlib import Path as FilePath
from types import ModuleType
from typing import Any

from tarstop_core.errors import InputProblem
from tarstop_core.policies.base import Policy


def load_rule(file: str, name: str) -> type[Policy]:
    """The class `name` in a Python file, which is run to get it.

    Raises
    ------
    InputProblem
        When the file cannot be read or fails, or the class is not a rule.
    """
    try:
        content = FilePath(file).read_bytes()
    except OSError as problem:
        raise InputProblem(f"The rule file {file} cannot be read: {problem.strerror or problem}.") from None
    return _load(file, name, hashlib.sha256(content).hexdigest())


def make_rule(file: str, name: str, values: dict[str, Any]) -> Policy:
    """The rule `name` of a file with these parameters.

    Raises
    ------
    InputProblem
        When there is no such rule (:func:`load_rule`), it refuses the values, or it fails.
    """
    kind = load_rule(file, name)
    try:
        return kind(**values)
    except InputProblem:
        raise
    except Exception as problem:
        raise InputProblem(
            f"The rule {name} in {file} cannot be made: {_failure(problem, file)}."
        ) from problem


def _failure(problem: BaseException, file: str) -> str:
    """An error as half a sentence: what it is, and where in the file."""
    at = [
        frame.lineno
        for frame in traceback.extract_tb(problem.__traceback__)
        if frame.filename == str(FilePath(file))
    ]
    line = problem.lineno if isinstance(problem, SyntaxError) else at[-1] if at else None
    said = " ".join(str(problem.msg if isinstance(problem, SyntaxError) else problem).split()).rstrip(".")
    said = said.replace(". ", "; ")
    where = f" in line {line}" if line else ""
    return f"{type(problem).__name__}{where}{': ' if said else ''}{said}"


@lru_cache(maxsize=32)
def _load(file: str, name: str, digest: str) -> type[Policy]:
    module = _run(file, digest)
    found = {
        key: value
        for key, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__
    }
    kind = found.get(name)
    if kind is None:
        has = f"it has {', '.join(found)}" if found else "it defines no class"
        raise InputProblem(f"{file} has no class '{name}'; {has}.")
    if not issubclass(kind, Policy):
        raise InputProblem(f"{name} in {file} is not a rule; derive it from tarstop_core.policies.Policy.")
    if inspect.isabstract(kind):
        missing = ", ".join(sorted(kind.__abstractmethods__))
        raise InputProblem(f"The rule {name} in {file} has no method {missing}; write it.")
    for attribute in ("name", "title", "rule", "source"):
        if not isinstance(getattr(kind, attribute, None), str):
            raise InputProblem(f"The rule {name} in {file} has no text '{attribute}'; add it to the class.")
    described = [parameter.name for parameter in kind.parameters]
    if [field.name for field in fields(kind)] != described:
        raise InputProblem(
            f"The rule {name} in {file} describes the parameters ({', '.join(described)}) but has the fields "
            f"({', '.join(field.name for field in fields(kind))}); make it a frozen dataclass whose fields are "
            "its parameters."
        )
    kind.origin = f"{file}:{name}"
    kind.__reduce__ = _reload  # type: ignore[method-assign,assignment]
    return kind


@lru_cache(maxsize=32)
def _run(file: str, digest: str) -> ModuleType:
    name = f"tarstop_own_{digest[:16]}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        # Compiled here, not through the cache of byte code: that tells versions apart by the second only.
        exec(compile(FilePath(file).read_bytes(), file, "exec"), module.__dict__)
    except Exception as problem:
        del sys.modules[name]
        raise InputProblem(f"The rule file {file} fails: {_failure(problem, file)}.") from problem
    return module


def _reload(policy: Policy) -> tuple[Any, tuple[Any, ...]]:
    """How another process gets the rule: from its file."""
    file, _, name = policy.origin.rpartition(":")
    return make_rule, (file, name, policy.settings)
