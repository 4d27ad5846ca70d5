"""A stopping rule followed one document at a time: all is read off the path that a replay plays, and off the policy."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from tarstop_core.documents.topic import Outcome
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.replay import Played
from tarstop_core.explore.lists import LabelledList, sample
from tarstop_core.explore.maps import COMPARED
from tarstop_core.explore.plans import Now, decide
from tarstop_core.policies import Policy
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action, question
from tarstop_core.teaching import message
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class Step:
    """Where a lesson stands after some documents."""

    depth: int  # Documents read
    documents: int  # Documents in the list
    now: Now  # The paper's decision, as ``tarstop decide`` prints it
    settled: bool  # Whether a document read has settled the question
    brought: int  # What the last document brought: 1 for a hit, or its number of studies
    studies: int  # Studies with data so far; in patents hits, 0 or 1
    p: float | None
    """Chance of the next document: of settling the question if there is something to find, or of bringing data. None
    where no document is left or none can change anything.
    """
    evsi: float  # Exact value of the next document and then acting
    value_rate: float  # What the next documents are worth, each, by the best plan of any length
    plan: int  # Documents of that plan; 0 where none is worth anything
    compared: float | None  # What the rule compares with the cost; None for a rule that does not
    go_on: bool  # Whether the rule reads another document, as a replay has it
    more: int  # Documents it would still read if nothing (more) turned up


@dataclass(frozen=True, eq=False)
class Lesson:
    """One rule on one labelled list."""

    listing: LabelledList  # With its truth
    settings: Settings
    policy: Policy  # One that needs no labels beyond those read, and draws no sample

    @cached_property
    def path(self) -> Path:
        """The path of a replay, labels and all."""
        return self.listing.played(self.settings)

    @cached_property
    def stop(self) -> int:
        """Depth at which the rule stops on this list."""
        return int(self.policy.depths(self.path, [self.settings.cost])[0])

    @cached_property
    def played(self) -> Played:
        """What ``tarstop replay`` says of the rule."""
        return self.listing.replayed(self.policy, self.settings)

    @cached_property
    def compared(self) -> tuple[tuple[Policy, Played], ...]:
        """The rule and those it is held against, as replayed; the rule itself first."""
        others = [policy for policy in COMPARED if policy != self.policy]
        replayed = [(policy, self.listing.replayed(policy, self.settings)) for policy in others]
        return (self.policy, self.played), *replayed

    @cached_property
    def regret(self) -> float:
        """Net utility given up against the best of :attr:`compared`."""
        return float(metrics.regret([[played.net_utility for _, played in self.compared]])[0, 0])

    def step(self, depth: int) -> Step:
        """Return where the lesson stands after so many documents, at most :attr:`stop`."""
        depth = min(max(depth, 0), self.stop)
        path, cost = self.path, self.settings.cost
        settled = path.hit is not None and depth >= path.hit
        left = depth < len(path) and not settled
        value_rate, plan = best_plan(path, depth) if left else (0.0, 0)
        compared = self.policy.value_rate(path)
        projected = int(self.policy.depths(path.ahead(depth), [cost], depth)[0])
        return Step(
            depth=depth,
            documents=len(path),
            now=decide(path, depth, cost),
            settled=settled,
            brought=self.brought_by(depth),
            studies=path.brought(depth),
            p=float(path.chances[depth]) if left else None,
            evsi=float(path.evsi()[depth]) if left else 0.0,
            value_rate=value_rate,
            plan=plan,
            compared=None if compared is None else float(compared[depth]) if left else 0.0,
            go_on=depth < self.stop,
            more=max(projected - depth, 1) if depth < self.stop else 0,
        )

    def brought_by(self, depth: int) -> int:
        """Return what the document at this rank brought: 1 for the first hit, or its number of studies."""
        return self.path.brought(depth) - self.path.brought(depth - 1) if depth else 0


@lru_cache(maxsize=16)
def lesson(key: str, settings: Settings, policy: Policy) -> Lesson:
    """Return the lesson on a sample, remembered: a page asks for each of its steps.

    Parameters
    ----------
    key
        Of the sample: "search:antenna-mount".
    settings, policy
        What is at stake, and the rule.

    Returns
    -------
    Lesson
        The same object for the same arguments.
    """
    return Lesson(sample(key), settings, policy)


def best_plan(path: Path, depth: int) -> tuple[float, int]:
    """Return what the next documents are worth, each, and how many the plan reads that makes them so.

    `depth` documents were read, fewer than there are. The plan has 0 documents where none is worth anything.
    """
    value_rate = float(path.value_rate()[depth])
    if value_rate <= 0:
        return 0.0, 0
    plans, rates = path.rates_from(depth)
    return value_rate, int(plans[int(rates.argmax())])


def words(lesson: Lesson, step: Step) -> str:
    """Say where the lesson stands, in one sentence: what the curves show."""
    settings = lesson.settings
    return message("step", step=step, question=question(settings), plus=settings.plus, rule=lesson.policy)


def truth(lesson: Lesson) -> str:
    """Say what was hidden, and what the rule made of it."""
    played, settings, outcome = lesson.played, lesson.settings, lesson.listing.truth
    if isinstance(outcome, Outcome):
        hidden = message(
            "truth_of_review",
            omega=played.omega,
            studies=len(outcome.tables),
            question=question(settings),
            b=float(lesson.path.belief_at(len(lesson.path))),
            last=int(outcome.positions[-1]) + 1,
        )
    else:
        hidden = message("truth", first_hit=lesson.path.hit)
    chosen = action(played.action == "a+", settings)
    return message("stopped", truth=hidden, rule=lesson.policy, played=played, action=chosen)


def came_of(lesson: Lesson) -> str:
    """Say what that cost or brought, and what the best of the rules compared made of the same list."""
    played, plus = lesson.played, lesson.played.action == "a+"
    letters = {(True, True): "B", (True, False): "L_r", (False, True): "G", (False, False): "L_g"}
    best_rule, best = max(lesson.compared, key=lambda pair: pair[1].net_utility)
    return message(
        "came_of",
        lesson=lesson,
        played=played,
        action=action(plus, lesson.settings),
        letter=letters[plus, played.right],
        best_rule=best_rule,
        best=best,
    )


def log(lesson: Lesson, depth: int) -> list[dict[str, Any]]:
    """Return a row a document read so far: what it brought, the belief after it, what the next ones are worth."""
    path, ids, value_rates = lesson.path, lesson.listing.topic.ids, lesson.policy.value_rate(lesson.path)
    rows = []
    for k in range(1, min(depth, lesson.stop) + 1):
        now = decide(path, k, lesson.settings.cost)
        weighs = value_rates is not None and k < len(path) and now.rho > 0
        rows.append(
            {
                "rank": k,
                "id": str(ids[k - 1]),
                "p": float(path.chances[k - 1]),
                "found": lesson.brought_by(k),
                "b": now.b,
                "evpi": now.evpi,
                "rho_evpi": now.value,
                "worth": float(value_rates[k]) if value_rates is not None and weighs else None,
                "advice": "continue" if k < lesson.stop else "stop",
            }
        )
    return rows
