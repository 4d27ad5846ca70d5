"""What is known of a simulated session because it was invented: criteria, full texts and the truth."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.documents.reports import collect
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples import collections as samples
from tarstop_core.samples.collections import reports_with_data
from tarstop_core.screening.labels import RELEVANT
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import ReviewSettings, Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import action, question
from tarstop_core.sessions.open import OpenSession


def sample_text(session: OpenSession, doc: str) -> str:
    """What a report of a sample review says; empty for documents of a person's own."""
    found = _full_texts(session.collection.name).get(doc) if session.collection.simulated else None
    return found.text if found else ""


def sample_criteria(session: OpenSession) -> str:
    """Which studies a sample review includes; empty for documents of a person's own."""
    return _of_reviews("criteria").get(session.collection.name, "") if session.collection.simulated else ""


@dataclass(frozen=True)
class Truth:
    """What is true of a sample."""

    wrong: bool
    """Whether the truth speaks for the other action, or does not know the document that was named for it."""
    said: str
    overlooked: str = ""
    """Documents that would have told, were read and taken for something else; or where the first was not reached."""


def sample_answer(session: OpenSession, settings: Settings, plus: bool) -> Truth | None:
    """For a sample, the truth, which is known because it was invented, and what it makes of the action taken."""
    told = TOLD.get(settings.scenario)
    return told(session, settings, plus) if told is not None and session.collection.simulated else None


def _of_search(session: OpenSession, settings: Settings, plus: bool) -> Truth | None:
    titles = dict(samples.sample_topics()[["title", "topic"]].itertuples(index=False, name=None))
    topic = titles.get(session.collection.name)
    if topic is None:
        return None
    relevant = samples.sample_qrels()[topic]
    places = [at for at, doc in enumerate(session.row.ids) if relevant.get(doc)]
    state = session.state
    wrong = plus != bool(places)
    mistaken = plus and state.hit is not None and state.hit - 1 not in places
    how = "wrong" if wrong else f"right, but not for #{state.hit}" if mistaken else "right"
    said = f"Your “{action(plus, settings)}” was {how}"
    truth = f"prior art exists, at {_ranks(places)}" if places else "it holds no prior art"
    overlooked = _overlooked(places, state)
    if places and places[0] >= state.depth:
        overlooked = f"The first stands at #{places[0] + 1}; you had read {state.depth:,}."
    said = f"{said}: the truth of this simulated search is that {truth}."
    return Truth(wrong or mistaken, said, overlooked)


def _ranks(places: Iterable[int]) -> str:
    return ", ".join(f"#{at + 1}" for at in places)


def _overlooked(places: Iterable[int], state: State) -> str:
    """Which documents that would have told were read and taken for something else."""
    passed = [at for at in places if at < state.depth and state.labels[at] != RELEVANT]
    return f"Overlooked among what you read: {_ranks(passed)}." if passed else ""


def _of_review(session: OpenSession, settings: Settings, plus: bool) -> Truth | None:
    """What all tables of the review say, each study's once."""
    reports = reports_with_data(_full_texts(session.collection.name), session.row.ids)
    if not reports:
        return None
    tables = collect(reports).tables
    assert isinstance(settings, ReviewSettings)
    b = bivariate_belief(tables, settings.theta)
    return Truth(
        plus != bool(settings.payoffs.chooses_plus(b)),
        f"The truth of this simulated review: all its {len(tables):,} studies together put the chance that "
        f"{question(settings)} at {percent(b)}.",
        _overlooked(reports, session.state),
    )


@lru_cache(maxsize=2)
def _of_reviews(column: str) -> dict[str, str]:
    """What the sample reviews say, by title."""
    return dict(samples.sample_reviews()[["title", column]].itertuples(index=False, name=None))


@lru_cache(maxsize=8)
def _full_texts(title: str) -> dict[str, samples.FullText]:
    topic = _of_reviews("topic").get(title)
    return samples.sample_full_texts(topic) if topic else {}


TOLD = {PATENT.name: _of_search, REVIEW.name: _of_review}
"""What the truth of a sample is, by scenario."""
