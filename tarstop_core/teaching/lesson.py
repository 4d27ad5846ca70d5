"""A lesson: a stopping rule followed one document at a time, on the path that a replay plays."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from tarstop_core.documents.topic import Outcome
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.replay import TopicResult
from tarstop_core.explore.lists import LabelledList, sample
from tarstop_core.explore.maps import COMPARED
from tarstop_core.explore.plans import Now, decide
from tarstop_core.policies import Policy
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action, question
from tarstop_core.teaching import message
from tarstop_core.value.path import ListPath


@dataclass(frozen=True)
class Step:
    """The state of a lesson after some documents."""

    depth: int  # Documents read
    documents: int  # Documents in the list
    now: Now  # The paper's decision, as ``tarstop decide`` prints it
    settled: bool  # Whether a document read so far has settled the question
    brought: int  # Studies of the last document; in patents 1 if it is a hit
    studies: int  # Studies with data so far; in patents hits, 0 or 1
    p: float | None
    """Chance that the next document settles the question if there is something to find, or in reviews that it brings
    data. None if no document is left or none can change anything.
    """
    evsi: float  # Exact value of reading the next document and then acting
    value_rate: float  # Value per document of the best plan of any length
    plan: int  # Documents of that plan; 0 if no document has a value
    compared: float | None  # Value that the rule compares with the cost; None if it compares none
    go_on: bool  # Whether the rule reads another document, as in a replay
    more: int  # Documents that it would still read if nothing (more) turned up


@dataclass(frozen=True, eq=False)
class Lesson:
    """One rule on one labelled list."""

    listing: LabelledList
    settings: Settings
    policy: Policy  # A rule that needs no labels of unread documents and draws no sample

    @cached_property
    def path(self) -> ListPath:
        """The path of a replay, with all labels."""
        return self.listing.played(self.settings)

    @cached_property
    def stop(self) -> int:
        """Depth at which the rule stops on this list."""
        return int(self.policy.depths(self.path, [self.settings.cost])[0])

    @cached_property
    def played(self) -> TopicResult:
        """The result of the rule, as in ``tarstop replay``."""
        return self.listing.replayed(self.policy, self.settings)

    @cached_property
    def compared(self) -> tuple[tuple[Policy, TopicResult], ...]:
        """The rule and those that it is compared with, each with its result; the rule itself comes first."""
        others = [policy for policy in COMPARED if policy != self.policy]
        replayed = [(policy, self.listing.replayed(policy, self.settings)) for policy in others]
        return (self.policy, self.played), *replayed

    @cached_property
    def regret(self) -> float:
        """Net utility given up against the best of :attr:`compared`."""
        return float(metrics.regret([[played.net_utility for _, played in self.compared]])[0, 0])

    def step(self, depth: int) -> Step:
        """Return the state of the lesson after this many documents, at most :attr:`stop`."""
        depth = min(max(depth, 0), self.stop)
        path, cost = self.path, self.settings.cost
        settled = path.hit is not None and depth >= path.hit
        left = depth < len(path) and not settled
        value_rate, plan = best_plan(path, depth) if left else (0.0, 0)
        compared = self.policy.value_rate(path)
        projected = int(self.policy.depths(path.without_later_finds(depth), [cost], depth)[0])
        return Step(
            depth=depth,
            documents=len(path),
            now=decide(path, depth, cost),
            settled=settled,
            brought=self.brought_by(depth),
            studies=path.finds_until(depth),
            p=float(path.chances[depth]) if left else None,
            evsi=float(path.evsi()[depth]) if left else 0.0,
            value_rate=value_rate,
            plan=plan,
            compared=None if compared is None else float(compared[depth]) if left else 0.0,
            go_on=depth < self.stop,
            more=max(projected - depth, 1) if depth < self.stop else 0,
        )

    def brought_by(self, depth: int) -> int:
        """Return the studies of the document at this rank; in patents 1 if it is the first hit."""
        return self.path.finds_until(depth) - self.path.finds_until(depth - 1) if depth else 0


@lru_cache(maxsize=16)
def lesson(key: str, settings: Settings, policy: Policy) -> Lesson:
    """Return the lesson on a sample, which is cached because a page asks for every step.

    Parameters
    ----------
    key
        Key of the sample, such as "search:antenna-mount".
    settings, policy
        The stakes, and the rule.

    Returns
    -------
    Lesson
    """
    return Lesson(sample(key), settings, policy)


def best_plan(path: ListPath, depth: int) -> tuple[float, int]:
    """Return the value per document of the best plan after `depth` < N documents, and the number of its documents.

    Both are 0 if no document has a value.
    """
    value_rate = float(path.value_rate()[depth])
    if value_rate <= 0:
        return 0.0, 0
    plans, rates = path.rates_from(depth)
    return value_rate, int(plans[int(rates.argmax())])


def words(lesson: Lesson, step: Step) -> str:
    """Say in a sentence what the curves show at this step."""
    settings = lesson.settings
    return message("step", step=step, question=question(settings), plus=settings.plus, rule=lesson.policy)


def truth(lesson: Lesson) -> str:
    """Say the truth of the list, and what the rule decided."""
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
    """Say the net utility of the rule, and that of the best of the rules compared on the same list."""
    played, plus = lesson.played, lesson.played.action == "a+"
    names = {(True, True): "B", (True, False): "L_r", (False, True): "G", (False, False): "L_g"}
    best_rule, best = max(lesson.compared, key=lambda pair: pair[1].net_utility)
    return message(
        "came_of",
        lesson=lesson,
        played=played,
        action=action(plus, lesson.settings),
        consequence=getattr(lesson.settings.payoffs, names[plus, played.right]),
        best_rule=best_rule,
        best=best,
    )


def log(lesson: Lesson, depth: int, first: int = 1) -> list[dict[str, Any]]:
    """Tabulate the documents read so far: what each brought, the belief after it, and the worth of the next ones.

    Parameters
    ----------
    lesson, depth
        The lesson, and the number of documents read.
    first
        Rank of the first row; 0 for a row with the belief before any document.

    Returns
    -------
    list of dict
        A row for each rank.
    """
    path, ids, value_rates = lesson.path, lesson.listing.topic.ids, lesson.policy.value_rate(lesson.path)
    rows = []
    for k in range(first, min(depth, lesson.stop) + 1):
        now = decide(path, k, lesson.settings.cost)
        weighs = value_rates is not None and k < len(path) and now.rho > 0
        rows.append(
            {
                "rank": k,
                "id": str(ids[k - 1]) if k else "",
                "p": float(path.chances[k - 1]) if k else None,
                "found": lesson.brought_by(k),
                "b": now.b,
                "evpi": now.evpi,
                "rho_evpi": now.value,
                "worth": float(value_rates[k]) if value_rates is not None and weighs else None,
                "advice": "continue" if k < lesson.stop else "stop",
            }
        )
    return rows
