"""All stopping rules by name, and the parser of texts that name a rule, such as ``smooth:K=5`` or ``my_rules.py:Mine:n=3``.

The rules of this package are found in its files, so adding a file adds a rule.
"""

import importlib
import inspect
import pkgutil
import re
import sys
import warnings
from dataclasses import fields
from pathlib import Path
from typing import Any

from tarstop_core.errors import InputProblem
from tarstop_core.plugins import load_class, make
from tarstop_core.policies.base import Policy
from tarstop_core.policies.combined import Both, Combined, Either
from tarstop_core.presentation.messages import Messages

_PACKAGE = __name__.rpartition(".")[0]
message = Messages("policies/messages.jinja")
_NO_RULES = {"check", "registry"}  # Modules without rules, which import those with rules


def rules_of_package() -> dict[str, type[Policy]]:
    """The rules of this package whose `place` is above 0, in that order."""
    names = [module.name for module in pkgutil.iter_modules(sys.modules[_PACKAGE].__path__)]
    modules = [importlib.import_module(f"{_PACKAGE}.{name}") for name in names if name not in _NO_RULES]
    classes = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass)}
    rules = [kind for kind in classes if issubclass(kind, Policy) and kind.place > 0]
    return {kind.name: kind for kind in sorted(rules, key=lambda kind: (kind.place, kind.name))}


POLICIES: dict[str, type[Policy]] = rules_of_package()


def advising_rules() -> list[str]:
    """Names of the rules that can advise a person; rules that weigh consequences come first."""
    names = [name for name, kind in POLICIES.items() if not kind.needs_labels]
    return sorted(
        names, key=lambda name: (POLICIES[name].family == "reference", not POLICIES[name].acts_on_belief)
    )


def titled(name: str) -> str:
    """Title of a rule with its promise.

    >>> titled("optimal"), titled("budget")
    ('Optimal · estimator', 'Budget · heuristic')
    """
    return f"{POLICIES[name].title} · {POLICIES[name].promise.value}"


def with_same_target(kind: type[Policy], rule: Policy) -> Policy:
    """Make a rule of this kind with its default settings, but the recall target of `rule`, if both have one."""
    recall = rule.settings.get("tau")
    targets = [parameter for parameter in kind.parameters if parameter.name in ("tau", "target")]
    return (
        kind(**{parameter.name: min(recall, parameter.high) for parameter in targets}) if recall else kind()
    )


def about(kind: type[Policy]) -> str:
    """Say in sentences what a rule does, needs and promises."""
    return message("about", kind=kind)


# --- from a text to a rule ---------------------------------------------------------------------------

RENAMED = {"worth": "value_rate", "at_once": "batch_size", "knows_truth": "is_oracle"}
"""Earlier names of attributes, which people's own files may still use."""
MOVED = {
    **dict.fromkeys(("smooth", "batch"), "greedy"),
    **dict.fromkeys(("open_loop", "look_ahead"), "optimal"),
    **dict.fromkeys(("qbcb", "target"), "sampled"),
    **dict.fromkeys(("audit", "autostop", "baseline_rate", "scal"), "runs"),
    **dict.fromkeys(("poisson", "few_left", "beta_binomial", "quant"), "forecast"),
    **dict.fromkeys(("grlstop.rule", "grlstop.network"), "grlstop"),
    "anytime": "hypergeometric",
    "safe": "consecutive",
    "promises": "base",
    "specs": "registry",
}
"""Earlier modules of this package, which people's own files may still import from."""


def load_rule(file: str, name: str) -> type[Policy]:
    """Run a person's Python file and return the rule of this name.

    Raises
    ------
    InputProblem
        When the file fails, or the class is no rule.
    """
    # The earlier modules must exist before the file is run, because it may import from them.
    for before, now in MOVED.items():
        sys.modules.setdefault(f"{_PACKAGE}.{before}", sys.modules[f"{_PACKAGE}.{now}"])
    kind = load_class(file, name, Policy, "rule", "tarstop_core.policies.Policy")  # type: ignore[type-abstract]
    for attribute in ("name", "title", "rule", "source"):
        if not isinstance(getattr(kind, attribute, None), str):
            raise InputProblem(f"The rule {name} in {file} has no text '{attribute}'; add it to the class.")
    described, own_fields = [part.name for part in kind.parameters], [field.name for field in fields(kind)]
    if own_fields != described:
        raise InputProblem(
            f"The rule {name} in {file} describes the parameters ({', '.join(described)}) but has the fields "
            f"({', '.join(own_fields)}); make it a frozen dataclass whose fields are its parameters."
        )
    for before, now in RENAMED.items():
        if before in vars(kind):
            warnings.warn(
                f"{name} in {file}: '{before}' is now called '{now}'.", DeprecationWarning, stacklevel=2
            )
            setattr(kind, now, vars(kind)[before])
    for before, now in MOVED.items():
        if f"{_PACKAGE}.{before} " in Path(file).read_text(encoding="utf-8", errors="replace"):
            warnings.warn(
                f"{file}: {_PACKAGE}.{before} is part of {_PACKAGE}.{now} now.",
                DeprecationWarning,
                stacklevel=2,
            )
    kind.origin = f"{file}:{name}"
    kind.__reduce__ = _reload  # type: ignore[method-assign,assignment]
    return kind


def make_rule(file: str, name: str, values: dict[str, Any]) -> Policy:
    """Return a rule from a person's own file, with these parameters.

    Parameters
    ----------
    file, name : str
        The Python file, which is run, and the class in it.
    values : dict
        Parameter values by name.

    Returns
    -------
    Policy
        A rule whose values are within their ranges.

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


COMBINED: dict[str, type[Combined]] = {"either": Either, "both": Both}
LONGEST = 10_000  # characters of a text that names a rule
MOST_RULES = 32  # Rules that one text may combine
_COMBINED = re.compile(r"(either|both)\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
_OWN = re.compile(r"(.+?\.py)(?::([^:]*))?(?::(.*))?", re.DOTALL)


def parse_policy(spec: str, files: bool = True) -> Policy:
    """Parse the specification of a policy.

    ``name`` or ``name:parameter=value,…``; ``either(…;…)`` and ``both(…;…)`` of such texts; or ``path/to/file.py:Class``
    with or without parameters, which runs the file: not with `files` off, for texts that come from someone else, such as in
    a saved session.

    Raises
    ------
    InputProblem
        When there is no such policy, parameter or value, or a file does not yield one.
    """
    spec = spec.strip()
    if spec.count("(") > MOST_RULES or spec.count(";") > MOST_RULES:
        raise InputProblem(f"A rule cannot combine more than {MOST_RULES} others; name fewer.")
    if len(spec) > LONGEST:
        raise InputProblem(f"The text of a rule has {len(spec):,} characters; give at most {LONGEST:,}.")
    if combined := _COMBINED.fullmatch(spec):
        kind = COMBINED[combined[1].lower()]
        return kind(tuple(parse_policy(part, files) for part in _parts(combined[2], spec)))
    if own := _OWN.fullmatch(spec):
        return _own_rule(own[1], own[2], own[3] or "", files)
    name, _, rest = spec.partition(":")
    policy = POLICIES.get(name.lower().replace("_", "-"))
    if policy is None:
        choices = ", ".join([*POLICIES, *(f"{name}(…;…)" for name in COMBINED)])
        raise InputProblem(f"There is no policy '{name}'; choose one of {choices}.")
    return policy(**_values(policy, name, rest))


def _own_rule(file: str, name: str | None, rest: str, files: bool) -> Policy:
    """Return the rule of a person's file; raise InputProblem if files may not run or no class is named."""
    if not files:
        raise InputProblem(
            f"The rule {file}:{name or ''} is in a file, and rules from files do not run here; choose another."
        )
    if not name:
        raise InputProblem(f"Which rule of {file}? Name its class as in {file}:Name.")
    return make_rule(file, name, _values(load_rule(file, name), name, rest))


def _values(policy: type[Policy], name: str, rest: str) -> dict[str, Any]:
    """Parse the parameter values ``name=value,…`` of a rule."""
    parameters = {parameter.name: parameter for parameter in policy.parameters}
    values: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, _, text = part.partition("=")
        key = key.strip()
        if key in values:
            raise InputProblem(f"Policy {name} is given {key} twice; give it once.")
        if key not in parameters:
            takes = f"it takes {', '.join(parameters)}" if parameters else "it takes no parameter"
            raise InputProblem(f"Policy {name} has no parameter '{key}'; {takes}.")
        try:
            values[key] = parameters[key].read(text)
        except ValueError:
            raise InputProblem(f"Policy {name}: {key} is '{text}'; {parameters[key].wanted}.") from None
    return values


def _parts(text: str, spec: str) -> list[str]:
    """Split at the semicolons outside inner brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == ";" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    if depth:
        raise InputProblem(f"The brackets of '{spec}' do not match; close each one.")
    return [part for part in parts if part.strip()]
