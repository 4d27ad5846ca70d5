"""Lists to explore: a session, a sample, or documents in their own order."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.scores import scaled
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.replay import TopicResult, replay, replay_reviews
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.policies import Policy
from tarstop_core.samples.collections import labelled_review, labelled_search, sample_reviews, sample_topics
from tarstop_core.samples.shipped import calibrators, default_calibrator
from tarstop_core.screening.labels import UNSEEN
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.outcomes import is_plus, outcome_path
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Floats, Payoffs


@dataclass(frozen=True, eq=False)
class LabelledList:
    """A ranked list with its labels so far, and with all labels if the truth is known."""

    name: str  # Name on pages
    settings: Settings  # Settings to start from; exploring changes payoffs, costs, b_0 and θ
    calibrator: Calibrator
    p: Floats  # Chance of each document in screening order, shape (N,)
    state: State  # Labels so far; plans begin at its depth
    truth: Topic | Outcome | None = None  # All labels, if they are known; the results of rules need them
    simulated: bool = False

    def __len__(self) -> int:
        return len(self.p)

    @property
    def start(self) -> int:
        """Documents read so far."""
        return self.state.depth

    @property
    def topic(self) -> Topic:
        """The labelled ranking; InputProblem when the truth is not known."""
        if isinstance(self.truth, Outcome):
            return self.truth.topic
        return self._labelled()

    def planned(self, settings: Settings, chance_factor: float = 1.0) -> ListPath:
        """Return the path from here on if nothing (more) turns up, with chances times `chance_factor`, at most 1."""
        return _planned(self, settings, chance_factor)

    def played(self, settings: Settings) -> ListPath:
        """Return the path with every label known, as in an experiment (paper mode).

        Raises
        ------
        InputProblem
            When the labels are not known.
        """
        p = scaled(self.p, settings.scale)
        if isinstance(self.truth, Outcome):
            review = _of_review(settings)
            return outcome_path(self.truth, p, settings.payoffs, review.question)
        topic = self._labelled()
        assert topic.labels is not None  # A truth has all labels
        curve = self.calibrator.curve(p)
        return DecisivePath(curve, settings.b_0, settings.payoffs, topic.first_hit, labels=topic.labels, p=p)

    def omega(self, settings: Settings) -> bool:
        """Return whether ω⁺ holds; InputProblem when the labels are not known."""
        if isinstance(self.truth, Outcome):
            review = _of_review(settings)
            return is_plus(
                self.truth.tables, review.theta, review.truth, review.payoffs.q_star, review.theta_sp
            )
        return self._labelled().omega

    def replayed(
        self, policy: Policy, settings: Settings, chances: Mapping[str, Floats] | None = None
    ) -> TopicResult:
        """Play one rule at these settings, as ``tarstop replay`` does.

        Parameters
        ----------
        policy, settings
            The rule, and payoffs, cost, b_0 and θ.
        chances
            By review, chances of its documents to use instead of the calibrator's, shape (N,).

        Returns
        -------
        TopicResult
            The stop of the rule and its result.

        Raises
        ------
        InputProblem
            When the labels are not known.
        """
        stakes = settings.payoffs, settings.cost
        if isinstance(self.truth, Outcome):
            review = _of_review(settings)
            task = ReviewTask.asked(vars(review))
            sources = chances or self.calibrator
            return replay_reviews([self.truth], sources, policy, *stakes, task, review.belief_prior)[0]
        topic = self._labelled()
        return replay([topic], self.calibrator, policy, *stakes, settings.b_0, settings.scale)[0]

    def _labelled(self) -> Topic:
        if not isinstance(self.truth, Topic):
            raise InputProblem(
                f"Not every document of {self.name} is labelled, so the result of a rule is unknown; "
                "look at what is planned."
            )
        return self.truth


def _of_review(settings: Settings) -> ReviewSettings:
    assert isinstance(settings, ReviewSettings), "only a review has an outcome"
    return settings


# A page asks for the same few paths repeatedly. Lists are compared by identity.
@lru_cache(maxsize=16)
def _planned(listing: LabelledList, settings: Settings, chance_factor: float) -> ListPath:
    return screening_path(settings, listing.calibrator, listing.p, listing.state, chance_factor)


def unread(settings: Settings, documents: int) -> State:
    """Return the state of an unread list of this many documents."""
    labels = np.full(documents, UNSEEN, dtype=np.int8)
    return State(settings=settings, labels=labels, confirmed=np.zeros(documents, dtype=np.int8))


def first_settings(scenario: Scenario[Any]) -> Settings:
    """Return the settings, in paper mode, with which exploring a sample begins."""
    plus, minus = scenario.first_actions
    settings = scenario.settings_class(Payoffs.from_q_star(0.5), 0.001, plus=plus, minus=minus)
    return settings.paper_mode()


def in_own_order(name: str, documents: int, simulated: bool = False) -> LabelledList:
    """Make a list of a collection in its own order, with chances by rank.

    Parameters
    ----------
    name
        Name of the collection.
    documents
        Number of its documents.
    simulated
        Whether it is simulated.

    Returns
    -------
    LabelledList
        An unread list in paper mode.
    """
    calibrator = calibrators()[default_calibrator(False)]
    settings = replace(first_settings(PATENT), calibrator=calibrator.digest)
    p = calibrator.probabilities(None, documents)
    return LabelledList(name, settings, calibrator, p, unread(settings, documents), simulated=simulated)


@cache
def samples(kind: str = "") -> dict[str, str]:
    """Return titles of the samples, all or of one kind, by key: {"search:antenna-mount": "Foldable antenna mount", …}."""
    return {
        f"{sample_kind}:{topic}": str(title)
        for sample_kind, frame in ((PATENT.sample, sample_topics()), (REVIEW.sample, sample_reviews()))
        if kind in ("", sample_kind)
        for topic, title in zip(frame["topic"], frame["title"], strict=True)
    }


@lru_cache(maxsize=32)
def sample(key: str) -> LabelledList:
    """Return the simulated sample with a key of :func:`samples`, with its truth, in paper mode.

    In a review a document is read together with its 2×2 table.
    """
    kind, _, name = key.partition(":")
    scenario: Scenario[Any] = PATENT if kind == PATENT.sample else REVIEW
    truth = labelled_search(name) if scenario is PATENT else labelled_review(name)
    topic = truth.topic if isinstance(truth, Outcome) else truth
    settings = first_settings(scenario)
    calibrator = calibrators()[
        default_calibrator(topic.scores is not None, True, scenario.chance_of(settings))
    ]
    p = calibrator.probabilities(topic.scores, len(topic))
    settings = replace(settings, calibrator=calibrator.digest)
    return LabelledList(
        samples()[key], settings, calibrator, p, unread(settings, len(p)), truth, simulated=True
    )


COLLECTIONS: dict[str, str] = {"searches": PATENT.sample, "reviews": REVIEW.sample}
"""Kind of the lists in :func:`samples`, by the name of the sample collection."""


def collection(name: str) -> dict[str, LabelledList]:
    """Return every list of a sample collection by its key."""
    return {key: sample(key) for key in samples(COLLECTIONS[name])}
