"""Classes in a user's own files, ``path/to/file.py:Name``: loaded and made; problems are reported with their line."""

import hashlib
import importlib.util
import inspect
import sys
import traceback
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from tarstop_core.errors import InputProblem

Kind = TypeVar("Kind")


def load_class(file: str, name: str, base: type[Kind], what: str, public: str) -> type[Kind]:
    """Run a Python file and return a class of it; a file that was changed is run again.

    Parameters
    ----------
    file, name : str
        The file, and the class in it.
    base : type
        What the class has to be derived from.
    what : str
        What such a class is called in messages: "rule".
    public : str
        What a person imports the base as.

    Returns
    -------
    type

    Raises
    ------
    InputProblem
        When the file cannot be read or fails, or has no such class with all its methods.
    """
    try:
        content = Path(file).read_bytes()
    except OSError as problem:
        raise InputProblem(f"The {what} file {file} cannot be read: {problem.strerror or problem}.") from None
    try:
        module = _run(file, hashlib.sha256(content).hexdigest())
    except Exception as problem:
        raise InputProblem(f"The {what} file {file} fails: {_failure(problem, file)}.") from problem
    classes = ((key, value) for key, value in vars(module).items() if inspect.isclass(value))
    defined = {key: value for key, value in classes if value.__module__ == module.__name__}
    kind: type[Any] | None = defined.get(name)
    if kind is None:
        has = f"it has {', '.join(defined)}" if defined else "it defines no class"
        raise InputProblem(f"{file} has no class '{name}'; {has}.")
    if not issubclass(kind, base):
        raise InputProblem(f"{name} in {file} is not a {what}; derive it from {public}.")
    missing = ", ".join(sorted(getattr(kind, "__abstractmethods__", ())))
    if missing:
        raise InputProblem(f"The {what} {name} in {file} has no method {missing}; write it.")
    return kind


def make(kind: type[Kind], file: str, name: str, values: dict[str, Any], what: str) -> Kind:
    """Make an object of a class that was loaded.

    Parameters
    ----------
    kind : type
        The class.
    file, name, what : str
        Where it comes from, its name, and what such a class is called in messages.
    values : dict
        Arguments by name.

    Returns
    -------
    object

    Raises
    ------
    InputProblem
        When the class refuses the values, or fails.
    """
    try:
        return kind(**values)
    except InputProblem:
        raise
    except Exception as problem:
        failure = _failure(problem, file)
        raise InputProblem(f"The {what} {name} in {file} cannot be made: {failure}.") from problem


def _failure(problem: BaseException, file: str) -> str:
    """An error as half a sentence: what it is, and where in the file."""
    frames = traceback.extract_tb(problem.__traceback__)
    at = [frame.lineno for frame in frames if frame.filename == str(Path(file))]
    line, words = at[-1] if at else None, str(problem)
    if isinstance(problem, SyntaxError):
        line, words = problem.lineno, problem.msg
    reason = " ".join(words.split()).rstrip(".").replace(". ", "; ")
    where = f" in line {line}" if line else ""
    return f"{type(problem).__name__}{where}{': ' if reason else ''}{reason}"


@lru_cache(maxsize=32)
def _run(file: str, digest: str) -> ModuleType:
    name = f"tarstop_own_{digest[:16]}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        # Compiled here, not through the cache of byte code: that tells versions apart by the second only.
        exec(compile(Path(file).read_bytes(), file, "exec"), module.__dict__)
    except Exception:
        del sys.modules[name]
        raise
    return module
