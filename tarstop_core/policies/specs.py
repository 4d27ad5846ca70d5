"""From a text to a rule: ``smooth:K=5``, ``either(greedy;budget:d=100)``, ``my_rules.py:Mine:n=3``."""

import re
from typing import Any

from tarstop_core.errors import InputProblem
from tarstop_core.policies.base import Policy
from tarstop_core.policies.combined import Both, Combined, Either
from tarstop_core.policies.registry import POLICIES
from tarstop_core.policies.user_policy import load_rule, make_rule

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
        raise InputProblem(f"A rule cannot be put together from more than {MOST_RULES} others; name fewer.")
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
    if not files:
        raise InputProblem(
            f"The rule {file}:{name or ''} lies in a file, which is not run here; choose another."
        )
    if not name:
        raise InputProblem(f"Which rule of {file}? Name its class as in {file}:Name.")
    return make_rule(file, name, _values(load_rule(file, name), name, rest))


def _values(policy: type[Policy], name: str, rest: str) -> dict[str, Any]:
    """Parameter values as a text gives them."""
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
    """Split at the semicolons that are in no inner brackets."""
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
