"""Cases on which methods are compared, their folds, and benchmarks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import joblib
import numpy as np

from tarstop_core.documents.tables import CELLS
from tarstop_core.documents.topic import EffectOutcome, Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import message
from tarstop_core.value.payoffs import Flags, Floats

FOLDS = 5
"""Folds of a cross-validation."""


@dataclass(frozen=True, eq=False)
class Case:
    """One decision to be made: a labelled ranking, in reviews with its studies. InputProblem without judgments."""

    topic: Topic  # With labels and R
    group: str
    """Cases of one group are split, weighed and resampled together: a topic and its ω⁻ twin, the outcomes of a review."""
    outcome: Outcome | EffectOutcome | None = None  # Reviews: the studies
    adaptive_chances: Floats | None = None
    """Lists that learn: chance of each document at the time when it was the next one, shape (N,)."""

    def __post_init__(self) -> None:
        if self.topic.labels is None or self.topic.n_relevant is None:
            raise InputProblem(
                f"Topic {self.topic.name} has no judgments; an experiment or a replay needs them."
            )

    @property
    def name(self) -> str:
        return self.topic.name

    @property
    def labels(self) -> Flags:
        """Whether each document is relevant, in ranking order; shape (N,)."""
        assert self.topic.labels is not None
        return self.topic.labels

    @property
    def n_relevant(self) -> int:
        """R: the number of relevant documents, ranked or not."""
        assert self.topic.n_relevant is not None
        return self.topic.n_relevant

    @property
    def digest(self) -> str:
        """Hash of everything about the case that a result can depend on."""
        outcome, studies = self.outcome, None
        if isinstance(outcome, Outcome):
            studies = outcome.positions, [getattr(outcome.tables, cell) for cell in CELLS]
        elif outcome is not None:
            studies = outcome.positions, [outcome.studies.form.name, outcome.studies.values]
        about = self.name, self.group, self.n_relevant, self.labels, self.topic.scores
        return str(joblib.hash((about, self.adaptive_chances, studies)))


@dataclass(frozen=True, eq=False)
class Fold:
    """Training cases, and test cases from other groups."""

    train: Sequence[Case]
    test: Sequence[Case]
    """`train` and `test` may make their cases lazily: the protocol takes slices, a chunk at a time."""
    learn: Sequence[Case] | None = None  # Cases to learn from if not the training cases

    @property
    def learned_from(self) -> Sequence[Case]:
        """Cases on which calibrators and priors are fitted."""
        return self.train if self.learn is None else self.learn


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Cases to tune and to test on, with their description."""

    name: str  # Short, for files
    title: str  # For headings
    scenario: str  # One of :data:`~tarstop_core.evaluation.tasks.TASKS`
    folds: tuple[Fold, ...]
    """One fold if the benchmark has a training half; in cross-validation several, and each case is tested in one."""
    provenance: str  # Where rankings, judgments and tables come from, in a sentence or two
    simulated: bool = False
    weigh_by_group: bool = False
    """Whether groups count equally in means, however many cases they have (reviews with many outcomes)."""
    statistics: Mapping[str, tuple[float, float | None]] = field(default_factory=dict)
    """Ranking statistics by name: the value, and the paper's or None."""
    notes: tuple[str, ...] = ()  # Remarks on the files

    def __post_init__(self) -> None:
        if not self.folds or any(not len(fold.train) or not len(fold.test) for fold in self.folds):
            raise InputProblem(
                f"The benchmark {self.name} has no topics for tuning or none for testing; give both."
            )

    def by_recall(self, scenario: str) -> "Benchmark":
        """Return the benchmark for a scenario that only asks for recall, without lists that have no relevant document.

        Recall is not defined on those lists, and any rule would be right on them.

        Raises
        ------
        InputProblem
            When too few are left to tune or to test on.
        """

        def kept(cases: Sequence[Case]) -> list[Case]:
            return [case for case in cases if case.n_relevant]

        folds = tuple(
            Fold(kept(fold.train), kept(fold.test), None if fold.learn is None else kept(fold.learn))
            for fold in self.folds
        )
        return replace(self, scenario=scenario, folds=folds, notes=(*self.notes, message("by_recall")))

    @property
    def contents(self) -> str:
        """Sentence that says what the benchmark holds."""
        cases = {case.name: case for fold in self.folds for half in (fold.train, fold.test) for case in half}
        return message("contents", cases=list(cases.values()), folds=self.folds)


def group_weights(groups: Sequence[str], by_group: bool) -> Floats:
    """Weights of the T cases, shape (T,), whose sum is T: equal for all cases, or with `by_group` equal for all groups."""
    if not by_group:
        return np.ones(len(groups))
    _, group_of, count = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    return np.asarray(len(groups) / (len(count) * count[group_of]))


def cross_validated(cases: Sequence[Case], folds: int = FOLDS) -> tuple[Fold, ...]:
    """Split cases into folds by group: each case is tested once, after learning and tuning without its group.

    Groups are dealt out in turn, the largest first, so folds are about equal in size and nothing is random.

    Raises
    ------
    InputProblem
        When there are fewer than two groups.
    """
    sizes = Counter(case.group for case in cases)
    folds = min(folds, len(sizes))
    if folds < 2:
        raise InputProblem(
            "Cross-validation needs at least two topics (in reviews: two reviews) that are independent; "
            "add some, or give a separate training half."
        )
    ordered = sorted(sizes, key=lambda group: (-sizes[group], group))
    fold_of = {group: place % folds for place, group in enumerate(ordered)}
    return tuple(
        Fold(
            train=[case for case in cases if fold_of[case.group] != fold],
            test=[case for case in cases if fold_of[case.group] == fold],
        )
        for fold in range(folds)
    )


def without_relevant(topic: Topic) -> Topic:
    """The ω⁻ twin of a topic: its ranking without the relevant documents, as in the paper."""
    assert topic.labels is not None
    kept = ~topic.labels
    return replace(
        topic,
        name=f"{topic.name}, relevant removed",
        ids=topic.ids[kept],
        scores=None if topic.scores is None else topic.scores[kept],
        labels=np.zeros(int(kept.sum()), dtype=bool),
        n_relevant=0,
        labelled=None if topic.labelled is None else topic.labelled[kept],
    )
