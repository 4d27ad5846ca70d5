"""Stopping rules. Adding one is adding a file and its class to :data:`POLICIES`."""

from __future__ import annotations

from tarstop_core.errors import InputProblem
from tarstop_core.policies.base import Parameter, Path, Policy
from tarstop_core.policies.batch import Batch
from tarstop_core.policies.budget import Budget
from tarstop_core.policies.greedy import Greedy
from tarstop_core.policies.look_ahead import LookAhead
from tarstop_core.policies.optimal import Optimal
from tarstop_core.policies.smooth import Smooth

__all__ = [
    "POLICIES",
    "Batch",
    "Budget",
    "Greedy",
    "LookAhead",
    "Optimal",
    "Parameter",
    "Path",
    "Policy",
    "Smooth",
    "parse_policy",
]

POLICIES: dict[str, type[Policy]] = {
    policy.name: policy for policy in (Optimal, LookAhead, Greedy, Smooth, Batch, Budget)
}


def parse_policy(spec: str) -> Policy:
    """The policy that a text such as ``smooth:K=5`` names.

    Raises
    ------
    InputProblem
        When there is no such policy, parameter or value.

    Examples
    --------
    >>> parse_policy("batch:K=20")
    Batch(K=20)
    >>> parse_policy("batch:K=20").spec
    'batch:K=20'
    """
    name, _, rest = spec.strip().partition(":")
    policy = POLICIES.get(name.lower().replace("_", "-"))
    if policy is None:
        raise InputProblem(f"There is no policy '{name}'; choose one of {', '.join(POLICIES)}.")
    known = [parameter.name for parameter in policy.parameters]
    values: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, _, text = part.partition("=")
        if key.strip() in values:
            raise InputProblem(f"Policy {name} is given {key.strip()} twice; give it once.")
        if key.strip() not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes no parameter"
            raise InputProblem(f"Policy {name} has no parameter '{key.strip()}'; {takes}.")
        try:
            values[key.strip()] = int(text)
        except ValueError:
            raise InputProblem(f"Policy {name}: {key.strip()} is '{text}'; give a whole number.") from None
    return policy(**values)
