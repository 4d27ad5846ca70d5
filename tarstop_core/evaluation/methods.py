"""What is compared: a rule, the settings that tuning may choose from, and what its chances come from."""

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
"""The paper's seven methods by the names of their policies."""

DEFAULT: dict[str, tuple[str, ...]] = {name: task.methods for name, task in TASKS.items()}
"""What an experiment compares unless told."""


@dataclass(frozen=True)
class Method:
    """One row of a table."""

    name: str
    """``policy``, ``policy@variant`` or a policy with its parameters: what `--methods` takes."""
    settings: tuple[Policy, ...]  # In grid order; ties go to the first
    variant: str  # One of the task's: where chances come from, or the prior of the belief

    @property
    def policy(self) -> type[Policy]:
        return type(self.settings[0])

    @property
    def title(self) -> str:
        """What the row is called."""
        base = str(self.settings[0]) if len(self.settings) == 1 else self.policy.title
        first = any(self.variant == task.variants[0] for task in TASKS.values())
        return base if first else f"{base}, {self.variant}"

    @property
    def digest(self) -> str:
        """Hash of the settings, and of the source of every rule that is not part of this program."""
        kinds = list(_kinds(self.settings[0]))
        own = [inspect.getsource(kind) for kind in kinds if not kind.__module__.startswith("tarstop_core.")]
        agent = self.settings[0].agent.digest if isinstance(self.settings[0], GRLStop) else ""
        specs = [policy.spec for policy in self.settings]
        return str(joblib.hash((self.variant, specs, [kind.__module__ for kind in kinds], own, agent)))

    def following(self, agent: Weights | None) -> Self:
        """A copy that follows the given weights where it is GRLStop."""
        if agent is None or self.policy is not GRLStop:
            return self
        rules = (rule for rule in self.settings if isinstance(rule, GRLStop))
        return replace(self, settings=tuple(rule.following(agent) for rule in rules))


def titles(methods: Sequence[Method]) -> list[str]:
    """What the rows are called, each otherwise: figures have one line for a title."""
    count = Counter(method.title for method in methods)
    return [
        method.title if count[method.title] == 1 else f"{method.title} ({method.name})" for method in methods
    ]


def _kinds(policy: Policy) -> Iterator[type[Policy]]:
    """The class of a rule, and those of the rules that it is made of."""
    yield type(policy)
    if isinstance(policy, Combined):
        for rule in policy.rules:
            yield from _kinds(rule)


def grid(policy: type[Policy]) -> tuple[Policy, ...]:
    """Every combination of the values that a grid search tries and the rule accepts, the first parameter slowest."""
    names = [parameter.name for parameter in policy.parameters]
    settings = []
    for values in product(*(parameter.grid for parameter in policy.parameters)):
        with suppress(InputProblem):
            settings.append(policy(**dict(zip(names, values, strict=True))))
    return tuple(settings)


def parse_methods(specs: Iterable[str], scenario: str, files: bool = True) -> tuple[Method, ...]:
    """Make methods of their names.

    A name is that of a policy (tuned over its grid), a policy with parameters (``budget:d=100``, taken as it is), a
    combination (``either(greedy;budget:d=100)``, ``both(…;…)``), a rule in a file (``mine.py:Name``), each with
    ``@variant`` or without; ``paper`` for the paper's seven, ``all`` for every rule that means something in the scenario.

    Parameters
    ----------
    specs : iterable of str
        Names.
    scenario : str
        Whose variants there are.
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
    """Rules in files (``mine.py:Name``) that were named when the server started; visitors can run no other file."""
    return named_by_server(RULES_VARIABLE)


def split_specs(text: str) -> list[str]:
    """Methods in one text, separated by commas; a comma before ``name=`` belongs to a method's parameters."""
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
    names: list[str] = []
    every = tuple(name for name, kind in POLICIES.items() if weighs or not kind.acts_on_belief)
    for spec in specs:
        group = {"paper": PAPER, "all": every}.get(spec.strip().lower())
        names += [spec.strip()] if group is None else [each for each in group if each not in names]
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
"""Folder of agents, each found by the training cases that ``scripts/train_grlstop.py --benchmark`` trained it on."""


def weights_file(cases: Sequence[Case]) -> Path:
    """Return the file of the agent trained on these cases: named by all that training looks at."""
    digest = hashlib.blake2b(digest_size=8)
    for case in cases:
        digest.update(len(case.labels).to_bytes(8, "little"))
        digest.update(np.packbits(case.labels).tobytes())
    return sample_dir() / AGENTS / f"{digest.hexdigest()}.npz"


def weights_of(cases: Sequence[Case]) -> Weights | None:
    """Load the agent trained on these cases; for other cases GRLStop follows that of the package.

    Returns
    -------
    Weights or None
        None where there is no agent of these cases.

    Raises
    ------
    InputProblem
        When its file holds something else.
    """
    path = weights_file(cases)
    return Weights.load(path) if path.is_file() else None
