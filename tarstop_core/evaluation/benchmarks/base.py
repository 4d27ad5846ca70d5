"""What a benchmark says of itself before it is made, and what all of them do with their cases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tarstop_core.evaluation.cases import Benchmark, Case
from tarstop_core.evaluation.ranking_metrics import ranking_metrics
from tarstop_core.files import read_qrels
from tarstop_core.places import real_data
from tarstop_core.samples.simulate.rankings import ranking_statistics


@dataclass(frozen=True)
class Named:
    """A benchmark that goes by a name."""

    name: str  # Short, for the command line and for files
    title: str  # For headings
    scenario: str  # One of :data:`~tarstop_core.evaluation.tasks.named.TASKS`
    said: str  # What it is, for the command's help
    make: Callable[..., Benchmark]  # Makes it: of nothing, or of the folder of real collections
    real: bool = False  # Whether it needs these
    variant: str = ""
    """Where it is another benchmark with one thing otherwise: what it takes. No results of such a one are shipped."""

    def made(self) -> Benchmark:
        """The benchmark itself.

        InputProblem when it needs real collections and they are not at hand (:func:`~tarstop_core.places.real_data`).
        """
        return self.make(real_data()) if self.real else self.make()

    def holding(self, **content: Any) -> Benchmark:
        """A benchmark of this name with the rest of its content."""
        return Benchmark(name=self.name, title=self.title, scenario=self.scenario, **content)


def achieved(cases: Sequence[Case], qrels: Path | None = None) -> dict[str, tuple[float, float | None]]:
    """Ranking statistics of topics with relevant documents, if any; NDCG is of the grades where judgments are graded."""
    topics = {case.name: case.topic for case in cases if case.topic.omega}
    if not topics:
        return {}
    reached = ranking_statistics(list(topics.values()))
    judged = read_qrels(qrels) if qrels else {}
    if any(relevance > 1 for of in judged.values() for relevance in of.values()):
        reached["ndcg"] = ranking_metrics(topics, judged)["ndcg"]
    return against(reached, {})


def against(
    reached: Mapping[str, float], targets: Mapping[str, float]
) -> dict[str, tuple[float, float | None]]:
    """Statistics beside what was aimed at, None where nothing was."""
    return {name: (value, targets.get(name)) for name, value in reached.items()}
