"""A stopping rule followed one document at a time: all is read off the path that a replay plays, and off the policy."""

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.replay import Played
from tarstop_core.explore.lists import LabelledList, sample
from tarstop_core.explore.maps import COMPARED
from tarstop_core.explore.plans import Now, decide
from tarstop_core.policies import Policy
from tarstop_core.presentation.words import say
from tarstop_core.screening.explain import action, question
from tarstop_core.screening.settings import Settings
from tarstop_core.value.path import Path

_said = partial(say, "tarstop_core.teaching.words")


@dataclass(frozen=True)
class Step:
    """Where a lesson stands after some documents."""

    depth: int
    documents: int
    """`depth` and `documents`: read, and in the list."""
    now: Now  # The paper's decision, as ``tarstop decide`` prints it
    settled: bool  # Whether a document read has settled the question
    found: int  # What the last document brought: 1 for a hit, or its number of studies
    studies: int  # Studies with data so far; in patents hits, 0 or 1
    p: float | None
    """Chance of the next document: of settling the question if there is something to find, or of bringing data. None
    where no document is left or none can change anything.
    """
    evsi: float  # Exact value of the next document and then acting
    worth: float  # What the next documents are worth, each, by the best plan of any length
    plan: int  # Documents of that plan; 0 where none is worth anything
    compared: float | None  # What the rule compares with the cost; None for a rule that does not
    go_on: bool  # Whether the rule reads another document, as a replay has it
    more: int  # Documents it would still read if nothing (more) turned up


@dataclass(frozen=True, eq=False)
class Lesson:
    """One rule on one labelled list."""

    explored: LabelledList  # With its truth
    settings: Settings
    policy: Policy  # One that needs no labels beyond those read, and draws no sample

    @cached_property
    def path(self) -> Path:
        """The path of a replay, labels and all."""
        return self.explored.played(self.settings)

    @cached_property
    def stop(self) -> int:
        """Depth at which the rule stops on this list."""
        return int(self.policy.depths(self.path, [self.settings.cost])[0])

    @cached_property
    def played(self) -> Played:
        """What ``tarstop replay`` says of the rule."""
        return self.explored.replayed(self.policy, self.settings)

    @cached_property
    def compared(self) -> tuple[tuple[Policy, Played], ...]:
        """The rule and those it is held against, as replayed; the rule itself first."""
        others = [policy for policy in COMPARED if policy != self.policy]
        replayed = [(policy, self.explored.replayed(policy, self.settings)) for policy in others]
        return (self.policy, self.played), *replayed

    @cached_property
    def regret(self) -> float:
        """Net utility given up against the best of :attr:`compared`."""
        return float(metrics.regret([[found.net_utility for _, found in self.compared]])[0, 0])

    def step(self, depth: int) -> Step:
        """Everything there is to say after so many documents, at most :attr:`stop`."""
        depth = min(max(depth, 0), self.stop)
        path, cost = self.path, self.settings.cost
        settled = path.hit is not None and depth >= path.hit
        left = depth < len(path) and not settled
        worth, plan = best_plan(path, depth) if left else (0.0, 0)
        compared = self.policy.value_rate(path)
        projected = int(self.policy.depths(path.ahead(depth), [cost], depth)[0])
        return Step(
            depth=depth,
            documents=len(path),
            now=decide(path, depth, cost),
            settled=settled,
            found=self.found(depth),
            studies=path.brought(depth),
            p=float(path.chances[depth]) if left else None,
            evsi=float(path.evsi()[depth]) if left else 0.0,
            worth=worth,
            plan=plan,
            compared=None if compared is None else float(compared[depth]) if left else 0.0,
            go_on=depth < self.stop,
            more=max(projected - depth, 1) if depth < self.stop else 0,
        )

    def found(self, depth: int) -> int:
        """What the document at this rank brought: 1 for the first hit, or its number of studies."""
        return self.path.brought(depth) - self.path.brought(depth - 1) if depth else 0


def topic_of(explored: LabelledList) -> Topic:
    """The ranked list of a sample."""
    truth = explored.truth
    assert truth is not None  # samples are labelled
    return truth.topic if isinstance(truth, Outcome) else truth


@lru_cache(maxsize=16)
def lesson(key: str, settings: Settings, policy: Policy) -> Lesson:
    """The lesson on a sample ("search:antenna-mount"), remembered: a page asks for each of its steps."""
    return Lesson(sample(key), settings, policy)


def best_plan(path: Path, depth: int) -> tuple[float, int]:
    """What the next documents are worth, each, and how many the plan reads that makes them so (0: none is worth it).

    `depth` documents were read, fewer than there are; the worth is ``path.value_rate()[depth]``.
    """
    worth = float(path.value_rate()[depth])
    if worth <= 0:
        return 0.0, 0
    plans, rates = path.rates_from(depth)
    return worth, int(plans[int(rates.argmax())])


# --- what is said of a lesson ----------------------------------------------------------------------


def words(lesson: Lesson, step: Step) -> str:
    """Where the lesson stands, in one sentence: what the curves show."""
    settings = lesson.settings
    return _said("step", step=step, question=question(settings), plus=settings.plus, rule=lesson.policy)


def truth(lesson: Lesson) -> str:
    """What was hidden, and what the rule made of it."""
    played, settings = lesson.played, lesson.settings
    truth, plus = lesson.explored.truth, played.action == "a+"
    if isinstance(truth, Outcome):
        b, last = float(lesson.path.belief_at(len(lesson.path))), int(truth.positions[-1]) + 1
        told = {"omega": played.omega, "question": question(settings)}
        hidden = _said("truth_review", **told, studies=len(truth.tables), b=b, last=last)
    else:
        hidden = _said("truth_hit" if lesson.path.hit is not None else "truth_none", hit=lesson.path.hit)
    told = {"rule": lesson.policy, "played": played, "right": plus == played.omega}
    return _said("stopped", **told, hidden=hidden, action=action(plus, settings))


def came_of(lesson: Lesson) -> str:
    """What that cost or brought, and what the best of the rules compared made of the same list."""
    played, settings = lesson.played, lesson.settings
    plus, right = played.action == "a+", (played.action == "a+") == played.omega
    letter = ("B" if right else "L_r") if plus else ("G" if right else "L_g")
    best = max(lesson.compared, key=lambda each: each[1].net_utility)
    told = {"settings": settings, "unit": settings.payoffs.unit, "action": action(plus, settings)}
    return _said("came_of", lesson=lesson, played=played, right=right, letter=letter, best=best, **told)


def log(lesson: Lesson, depth: int) -> list[dict[str, Any]]:
    """One row a document read so far: what it brought, what is believed after it, what the next ones are worth."""
    path, ids = lesson.path, topic_of(lesson.explored).ids
    chances, compared = path.chances, lesson.policy.value_rate(path)
    found = []
    for k in range(1, min(depth, lesson.stop) + 1):
        now = decide(path, k, lesson.settings.cost)
        weighs = k < len(path) and now.rho > 0
        worth = float(compared[k]) if compared is not None and weighs else None
        row = {"rank": k, "id": str(ids[k - 1]), "p": float(chances[k - 1]), "found": lesson.found(k)}
        row |= {"b": now.b, "evpi": now.evpi, "rho_evpi": now.value, "worth": worth}
        found.append(row | {"advice": "continue" if k < lesson.stop else "stop"})
    return found
