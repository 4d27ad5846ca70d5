"""Methods to compare: a rule, the settings that tuning may choose from, and the variant of its chances or prior."""

import hashlib
import inspect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Self

import joblib
import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.cases import Case
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.places import RULES_VARIABLE, named_by_server, sample_dir
from tarstop_core.policies import POLICIES, Policy, parse_policy
from tarstop_core.policies.combined import Combined
from tarstop_core.policies.grlstop import GRLStop, Weights

PAPER = ("greedy", "smooth", "batch", "budget", "qbcb", "knee", "grlstop")
"""Policy names of the paper's seven methods."""

DEFAULT: dict[str, tuple[str, ...]] = {name: task.methods for name, task in TASKS.items()}
"""By scenario, the methods that an experiment compares by default."""


@dataclass(frozen=True)
class Method:
    """A rule with the settings to choose from, which is one row of a table."""

    name: str
    """``policy``, ``policy@variant`` or a policy with its parameters: what `--methods` takes."""
    settings: tuple[Policy, ...]  # In grid order; the first wins a tie
    variant: str  # One of the task's variants: the source of the chances, or the prior of the belief

    @property
    def policy(self) -> type[Policy]:
        return type(self.settings[0])

    @property
    def title(self) -> str:
        """Name of the row on pages."""
        base = str(self.settings[0]) if len(self.settings) == 1 else self.policy.title
        default = any(self.variant == task.variants[0] for task in TASKS.values())
        return base if default else f"{base}, {self.variant}"

    @property
    def digest(self) -> str:
        """Hash of the settings, and of the source of every rule that is not part of this program."""
        kinds = list(_kinds(self.settings[0]))
        own = [inspect.getsource(kind) for kind in kinds if not kind.__module__.startswith("tarstop_core.")]
        agent = self.settings[0].agent.digest if isinstance(self.settings[0], GRLStop) else ""
        specs = [policy.spec for policy in self.settings]
        return str(joblib.hash((self.variant, specs, [kind.__module__ for kind in kinds], own, agent)))

    def following(self, agent: Weights | None) -> Self:
        """Return the method with these weights if it is GRLStop, else unchanged."""
        if agent is None or self.policy is not GRLStop:
            return self
        rules = (rule for rule in self.settings if isinstance(rule, GRLStop))
        return replace(self, settings=tuple(rule.following(agent) for rule in rules))


def titles(methods: Sequence[Method]) -> list[str]:
    """Names of the rows on pages; where two would be equal, the method's name is added."""
    count = Counter(method.title for method in methods)
    return [each.title if count[each.title] == 1 else f"{each.title} ({each.name})" for each in methods]


def _kinds(policy: Policy) -> Iterator[type[Policy]]:
    """The class of a rule and, if it combines others, of each rule in it."""
    yield type(policy)
    if isinstance(policy, Combined):
        for rule in policy.rules:
            yield from _kinds(rule)


def grid(policy: type[Policy]) -> tuple[Policy, ...]:
    """Settings that a grid search tries: all accepted combinations of parameter values, the first varying slowest."""
    names = [parameter.name for parameter in policy.parameters]
    settings = []
    for values in product(*(parameter.grid for parameter in policy.parameters)):
        with suppress(InputProblem):
            settings.append(policy(**dict(zip(names, values, strict=True))))
    return tuple(settings)


def parse_methods(specs: Iterable[str], scenario: str, files: bool = True) -> tuple[Method, ...]:
    """Make methods from their names.

    A name is a policy (tuned over its grid), a policy with parameters (``budget:d=100``, not tuned), a combination
    (``either(greedy;budget:d=100)``, ``both(…;…)``) or a rule in a file (``mine.py:Name``), with or without
    ``@variant``. ``paper`` stands for the paper's seven, ``all`` for every rule that has a meaning in the scenario.

    Parameters
    ----------
    specs : iterable of str
        Names.
    scenario : str
        The scenario, which decides which variants and rules there are.
    files : bool
        Whether rules may be loaded from files (:func:`~tarstop_core.policies.parse_policy`).

    Returns
    -------
    tuple of Method

    Raises
    ------
    InputProblem
        When there is no such policy or variant, or a method is named twice.
    """
    methods = tuple(_method(spec, scenario, files) for spec in _spelled_out(specs, TASKS[scenario].weighs))
    if not methods:
        raise InputProblem("No method is named; name at least one, or 'paper' or 'all'.")
    name, times = Counter(method.name for method in methods).most_common(1)[0]
    if times > 1:
        raise InputProblem(f"The method {name} is named twice; name it once.")
    return methods


def server_rules() -> list[str]:
    """List the rules in files (``mine.py:Name``) that the server was started with; visitors can run no other file."""
    return named_by_server(RULES_VARIABLE)


def split_specs(text: str) -> list[str]:
    """Split a text at the commas between methods; a comma before ``name=`` belongs to a method's parameters."""
    parts: list[str] = []
    depth = 0
    for part in text.split(","):
        further = re.match(r"\s*\w+\s*=", part) and parts and ":" in parts[-1]
        if depth or further:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
        depth += part.count("(") - part.count(")")
    return [part.strip() for part in parts if part.strip()]


def _spelled_out(specs: Iterable[str], weighs: bool) -> list[str]:
    """Replace "paper" and "all" by the names of their methods, leaving out those named before."""
    names: list[str] = []
    usable = tuple(name for name, kind in POLICIES.items() if weighs or not kind.acts_on_belief)
    for spec in specs:
        group = {"paper": PAPER, "all": usable}.get(spec.strip().lower())
        names += [spec.strip()] if group is None else [name for name in group if name not in names]
    return names


def _method(spec: str, scenario: str, files: bool) -> Method:
    rule, at, variant = spec.rpartition("@")
    variants = TASKS[scenario].variants
    if not at:
        rule, variant = spec, variants[0]
    if variant not in variants:
        raise InputProblem(
            f"There is no '{variant}' for {spec}; in the scenario {scenario}, choose one of "
            f"{', '.join(variants)}."
        )
    policy = parse_policy(rule, files)
    TASKS[scenario].check_rule(policy)
    if policy.parameters and "=" not in rule:
        name, settings = policy.origin or policy.name, grid(type(policy))
    else:
        name, settings = policy.spec, (policy,)
    return Method(f"{name}@{variant}" if at else name, settings, variant)


# --- GRLStop's agents -----------------------------------------------------------------------------

AGENTS = "agents"
"""Folder of the agents that ``scripts/train_grlstop.py --benchmark`` trained, each named by its training cases."""


def weights_file(cases: Sequence[Case]) -> Path:
    """Return the file of the agent trained on these cases; a hash of their labels is its name."""
    digest = hashlib.blake2b(digest_size=8)
    for case in cases:
        digest.update(len(case.labels).to_bytes(8, "little"))
        digest.update(np.packbits(case.labels).tobytes())
    return sample_dir() / AGENTS / f"{digest.hexdigest()}.npz"


def weights_of(cases: Sequence[Case]) -> Weights | None:
    """Load the agent trained on these cases.

    Returns
    -------
    Weights or None
        None if no agent was trained on them; GRLStop then uses the agent of the package.

    Raises
    ------
    InputProblem
        When the file does not hold an agent.
    """
    path = weights_file(cases)
    return Weights.load(path) if path.is_file() else None
