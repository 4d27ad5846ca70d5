"""Trials on random lists that show whether a rule looks ahead, that is whether unread labels change its depth."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice, product
from typing import Any

import numpy as np

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.errors import InputProblem
from tarstop_core.policies.base import Depths, Flags, Policy, Randomised
from tarstop_core.policies.combined import Combined
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.studies import NextStudy

COSTS = (0.0, 0.0001, 0.002, 0.01, 0.05, 1.0)
LENGTHS = (1, 2, 7, 40, 150, 1_200)
LISTS = 60  # Random lists that a rule is tried on by default
RESTARTS = 6  # Depths of a list from which the rule is asked again
ENOUGH = 5  # Findings after which no further list is tried

Check = Callable[[Policy, Any, float, int, np.random.Generator], str]
"""From rule, path, cost, stop and random generator: a sentence on what is wrong, empty if nothing is."""


@dataclass(frozen=True)
class CheckResult:
    """What the trials of one rule found."""

    policy: str  # The rule's spec
    lists: int  # Random lists it was tried on
    findings: tuple[str, ...]  # Sentences on what is wrong; empty if nothing is
    remark: str = ""  # What could not be tried; empty if everything could

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def refuse_looking_ahead(policies: Iterable[Policy], in_steps: bool) -> None:
    """Try the rules in people's own files on random lists before anything is measured with them.

    Parameters
    ----------
    policies : iterable of Policy
        Rules; those of the program are skipped, because its own tests try them.
    in_steps : bool
        Whether they will be measured where belief moves in steps, as in reviews; then they are tried on such lists too.

    Raises
    ------
    InputProblem
        If a rule looks ahead or fails, so that its results would mean nothing.
    """
    own = [policy for policy in policies if not _is_shipped(policy)]
    # The settings of one grid share the trials, but each sees every length at least twice.
    lists = max(2 * len(LENGTHS), LISTS // max(1, len(own)))
    for policy in own:
        result = check_policy(policy, lists, in_steps=in_steps)
        if not result.ok:
            raise InputProblem(
                f"{policy.spec} cannot be measured. {result.findings[0]} Fix it until tarstop check-policy finds nothing."
            )


def _is_shipped(policy: Policy) -> bool:
    """Whether a rule, or each rule that it combines, is one of the program's."""
    if isinstance(policy, Combined):
        return all(map(_is_shipped, policy.rules))
    return type(policy).__module__.startswith("tarstop_core.")


def check_policy(
    policy: Policy, lists: int = LISTS, seed: int = 0, in_steps: bool | None = None
) -> CheckResult:
    """Try a rule on random lists of 1 to 1,200 documents.

    On each list and for several costs its depth must lie between `start` and N. It must not change when the documents after
    it are labelled otherwise, and a stop must not move to before a document whose label alone was changed. A person
    who goes on document by document, knowing only the labels so far, must be sent to the same depth. Chances of unread
    documents may be used: the ranking is known.

    Parameters
    ----------
    policy : Policy
        The rule.
    lists : int
        How many random lists.
    seed : int
        Seed of the lists.
    in_steps : bool, optional
        True for lists on which belief moves in steps, as in reviews, where neither labels nor studies after the stop may
        move it; False for patent searches. By default each list is tried once as both.

    Returns
    -------
    CheckResult
        At most :data:`ENOUGH` findings.
    """
    rng = np.random.default_rng(seed)
    if isinstance(policy, Randomised):
        return _check_randomised(policy, lists, rng)
    findings: list[str] = []
    for trial, length in zip(range(lists), cycle(LENGTHS), strict=False):
        path = _random_path(rng, length)
        of_list: list[str] = []
        if not in_steps:
            of_list += _findings(policy, path, rng, "On a list", (_looks_ahead, _restarts), None)
        if in_steps is not False:
            review = _random_review(rng, length)
            of_list += _findings(policy, review, rng, "In a review", (_looks_at_studies,), 1)
        findings += [finding for finding in of_list if finding not in findings]
        if len(findings) >= ENOUGH:
            return CheckResult(policy.spec, trial + 1, tuple(findings[:ENOUGH]))
    return CheckResult(policy.spec, lists, tuple(findings))


def _check_randomised(policy: Randomised, lists: int, rng: np.random.Generator) -> CheckResult:
    """Check that averages of a rule with a random sample are possible: 0 ≤ depth ≤ documents read ≤ N."""
    remark = (
        "It first draws a random sample of the whole list, so it needs labels that nobody has while "
        "reading in order; it cannot be checked for looking ahead."
    )
    for trial, length in zip(range(lists), cycle(LENGTHS), strict=False):
        labels = _random_path(rng, length).labels
        average = policy.expected(labels)
        if not 0 <= average.depth <= average.read + 1e-9 <= len(labels) + 2e-9:
            reads = f"reads {average.read:g} and goes down to {average.depth:g} on average"
            finding = f"On a list of {len(labels)} documents it {reads}."
            return CheckResult(policy.spec, trial + 1, (finding,), remark)
    return CheckResult(policy.spec, lists, (), remark)


def _findings(
    policy: Policy, path: Any, rng: np.random.Generator, where: str, checks: Sequence[Check], most: int | None
) -> list[str]:
    """Sentences on what is wrong on one list, cost by cost: at most this many, or all with None."""
    try:
        stops = policy.depths(path, COSTS)
        if wrong := _malformed(stops, len(path)):
            return [wrong]
        tried = product(zip(COSTS, stops.tolist(), strict=True), checks)
        sentences = (check(policy, path, cost, stop, rng) for (cost, stop), check in tried)
        return [*islice(filter(None, sentences), most)]
    except Exception as problem:
        reason = " ".join(str(problem).split()).rstrip(".")
        return [f"{where} of {len(path)} documents it fails: {type(problem).__name__}: {reason}."]


def _looks_at_studies(
    policy: Policy, path: CumulativePath, cost: float, stop: int, rng: np.random.Generator
) -> str:
    """Describe a stop that moves when only studies after it change; empty if there is none."""
    for d in {stop, *_some_depths(stop, rng)[-2:]}:
        other = int(policy.depths(_other_studies(path, d, rng), [cost])[0])
        if (d == stop and other != stop) or (d < stop and other <= d):
            return (
                f"In a review of {len(path)} documents at cost {cost:g} it stops at {stop}, but at {other} when only the studies after {d} "
                f"change: it looks ahead."
            )
    return ""


def _random_review(rng: np.random.Generator, N: int) -> CumulativePath:
    """Invent a review with chances, studies and states of belief."""
    p = np.clip(rng.uniform(0.05, 0.6) / np.arange(1, N + 1) ** rng.uniform(0, 1), 0, 1)
    labels = rng.random(N) < p
    states = [_random_state(rng) for _ in range(int(labels.sum()) + 1)]
    studies = studies_after(np.flatnonzero(labels), N)
    return CumulativePath(p, states, studies, Payoffs(*rng.uniform(0.05, 2, 4)), labels)


def _random_state(rng: np.random.Generator) -> NextStudy:
    """Invent a state of belief, with six results that the next study may have."""
    plus, minus = rng.dirichlet(np.ones(6), size=2)
    return NextStudy(5, float(rng.uniform(0.02, 0.98)), plus, minus, float(rng.uniform(0.1, 20)))


def _other_studies(path: CumulativePath, depth: int, rng: np.random.Generator) -> CumulativePath:
    """Return the path with the same studies up to a depth; after it, other documents bring other studies."""
    met = int(path.studies[depth])
    labels = np.where(np.arange(len(path)) < depth, path.labels, rng.random(len(path)) < 0.3)
    states = [*path.states[: met + 1], *(_random_state(rng) for _ in range(int(labels[depth:].sum())))]
    return replace(
        path, labels=labels, states=states, studies=studies_after(np.flatnonzero(labels), len(path))
    )


def _malformed(stops: Depths, N: int) -> str:
    """Describe depths that are not whole numbers from 0 to N, one a cost; empty if they are."""
    if np.shape(stops) != (len(COSTS),):
        return f"For {len(COSTS)} costs it gives depths of shape {np.shape(stops)}; one for each is needed."
    if not np.issubdtype(np.asarray(stops).dtype, np.integer):
        return f"Its depths are of type {np.asarray(stops).dtype}; whole numbers are needed."
    outside = [stop for stop in stops.tolist() if not 0 <= stop <= N]
    return f"On a list of {N} documents, begun at 0, it stops at {outside[0]}." if outside else ""


def _looks_ahead(policy: Policy, path: DecisivePath, cost: float, stop: int, rng: np.random.Generator) -> str:
    """Describe a stop that moves when only labels after it, or after an earlier depth, change; empty if there is none."""
    N = len(path)
    for labels in _relabelled(path.labels, stop, rng):
        other = int(policy.depths(_with_labels(path, labels, stop), [cost])[0])
        if other != stop:
            return (
                f"On a list of {N} documents at cost {cost:g} it stops at {stop}, but at {other} when only the "
                f"labels after {stop} are changed: it looks ahead."
            )
    for d in _some_depths(stop, rng):
        for labels in _relabelled(path.labels, d, rng):
            other = int(policy.depths(_with_labels(path, labels, d), [cost])[0])
            if other <= d:
                return (
                    f"On a list of {N} documents at cost {cost:g} it goes on after {d} (to {stop}), but stops at "
                    f"{other} when only the labels after {d} are changed: it looks ahead."
                )
    return ""


def _restarts(policy: Policy, path: DecisivePath, cost: float, stop: int, rng: np.random.Generator) -> str:
    """Describe a depth from which the rule, asked again with the labels so far, gives other advice; empty if there is none."""
    N = len(path)
    for d in (*_some_depths(stop, rng), stop):
        so_far = np.where(np.arange(N) < d, path.labels, False)
        ahead = int(policy.depths(_with_labels(path, so_far, d), [cost], start=d)[0])
        if not (ahead == stop if d == stop else d < ahead <= N):
            advice = f"{'go on to' if d == stop else 'stop at'} {ahead}"
            return (
                f"On a list of {N} documents at cost {cost:g} it stops at {stop}, but someone who has read {d} "
                f"is told to {'stop there' if ahead == d else advice}."
            )
    return ""


def _some_depths(stop: int, rng: np.random.Generator) -> list[int]:
    """Some depths before the stop: the first, the last and random ones."""
    if stop <= RESTARTS:
        return list(range(stop))
    return [0, *sorted(rng.choice(np.arange(1, stop - 1), RESTARTS - 2, replace=False).tolist()), stop - 1]


def _relabelled(labels: Flags, depth: int, rng: np.random.Generator) -> list[Flags]:
    """Labels that agree up to a depth; after it none, the next 30 documents, or some random ones are relevant."""
    rank = np.arange(len(labels))
    some = rng.random(len(labels)) < rng.choice([0.02, 0.2])
    return [np.where(rank >= depth, other, labels) for other in (False, rank < depth + 30, some)]


def _with_labels(path: DecisivePath, labels: Flags, depth: int) -> DecisivePath:
    """Return the path with other labels; a hit after `depth` becomes the first relevant document of these."""
    hit = path.hit if path.hit is not None and path.hit <= depth else _first(labels)
    return replace(path, labels=labels, hit=hit)


def _first(labels: Flags) -> int | None:
    """Rank of the first relevant document, from 1; None if there is none."""
    return int(np.argmax(labels)) + 1 if labels.any() else None


def _random_path(rng: np.random.Generator, N: int) -> DecisivePath:
    """Invent a patent search: labels come as its chances say, late, evenly, or not at all."""
    top, fall = rng.uniform(0.02, 0.9), rng.uniform(0, 1)
    p = np.clip(top / np.arange(1, N + 1) ** fall * rng.lognormal(0, 0.5, N), 0, 0.99)
    kind = rng.choice(["none", "as forecast", "late", "even"], p=[0.2, 0.5, 0.15, 0.15])
    chances = {"none": 0 * p, "as forecast": p, "late": p[::-1], "even": np.full(N, 0.05)}[str(kind)]
    labels = rng.random(N) < chances
    return DecisivePath(
        hit_curve(p),
        float(rng.uniform(0.05, 0.95)),
        Payoffs(*rng.uniform(0.05, 2, 4)),
        hit=_first(labels),
        needs_citation=bool(rng.random() < 0.3),
        labels=labels,
        p=p,
    )
