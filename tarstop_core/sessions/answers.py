"""What is known of a simulated session because it was invented: criteria, full texts and the truth."""

from functools import lru_cache

from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.documents.reports import Report, Row, collect
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.collections import (
    FullText,
    sample_full_texts,
    sample_qrels,
    sample_reviews,
    sample_topics,
)
from tarstop_core.screening.explain import action, question
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.open import OpenSession


def sample_text(session: OpenSession, doc: str) -> str:
    """What a report of a sample review says; empty for documents of a person's own."""
    found = _full_texts(session.collection.name).get(doc) if session.collection.simulated else None
    return found.text if found else ""


def sample_criteria(session: OpenSession) -> str:
    """Which studies a sample review includes; empty for documents of a person's own."""
    return _of_reviews("criteria").get(session.collection.name, "") if session.collection.simulated else ""


def sample_answer(session: OpenSession, settings: Settings, plus: bool) -> str:
    """For a sample, the truth, which is known because it was invented, and what it makes of the action taken."""
    if not session.collection.simulated:
        return ""
    return TOLD.get(settings.scenario, _nothing)(session, settings, plus)


def _of_search(session: OpenSession, settings: Settings, plus: bool) -> str:
    titles = dict(sample_topics()[["title", "topic"]].itertuples(index=False, name=None))
    topic = titles.get(session.collection.name)
    if topic is None:
        return ""
    relevant = sample_qrels()[topic]
    at = [f"#{rank}" for rank, doc in enumerate(session.row.ids, start=1) if relevant.get(doc)]
    said = f"Your “{action(plus, settings)}” was {'right' if plus == bool(at) else 'wrong'}"
    truth = f"prior art exists, at {', '.join(at)}" if at else "it holds no prior art"
    return f" {said}: the truth of this simulated search is that {truth}."


def _of_review(session: OpenSession, settings: Settings, plus: bool) -> str:
    """What all tables of the review say, each study's once."""
    texts = _full_texts(session.collection.name)
    reports = {
        at: Report(
            "data", study=found.study, rows=(Row(found.study, found.TP, found.FP, found.FN, found.TN),)
        )
        for at, found in enumerate(map(texts.get, session.row.ids))
        if found is not None and found.TP is not None and found.FN is not None
    }
    if not reports:
        return ""
    tables = collect(reports).tables
    b = bivariate_belief(tables, settings.theta)
    return (
        f" The truth of this simulated review: all its {len(tables):,} studies together put the chance that "
        f"{question(settings)} at {percent(b)}."
    )


@lru_cache(maxsize=2)
def _of_reviews(column: str) -> dict[str, str]:
    """What the sample reviews say, by title."""
    return dict(sample_reviews()[["title", column]].itertuples(index=False, name=None))


@lru_cache(maxsize=8)
def _full_texts(title: str) -> dict[str, FullText]:
    topic = _of_reviews("topic").get(title)
    return sample_full_texts(topic) if topic else {}


def _nothing(session: OpenSession, settings: Settings, plus: bool) -> str:
    return ""


TOLD = {PATENT.name: _of_search, REVIEW.name: _of_review}
"""What the truth of a sample is, by scenario."""
