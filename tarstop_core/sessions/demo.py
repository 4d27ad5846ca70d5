"""Sessions on samples for trying the program, and the truth about each sample, which is known."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pandas as pd

from tarstop_core.calibration.calibrator import INCLUSION, Calibrator
from tarstop_core.documents.reports import collect
from tarstop_core.ranking.order import prepare
from tarstop_core.samples import collections as samples
from tarstop_core.samples.shipped import calibrators, default_calibrator, extraction_rate
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.screening.labels import RELEVANT
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.scenarios.effect import EFFECT
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import action, question
from tarstop_core.sessions import message
from tarstop_core.sessions.create import ChosenDocuments, NewSession, create
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import PLUS
from tarstop_core.value.stakes import REVIEW_EXAMPLE, SEARCH_EXAMPLE

DEMO_TOPIC = "antenna-mount"  # its first prior art is neither at the top nor out of reach
DEMO_REVIEW = "hollow-hip"  # its advice is to stop only after some documents and more than one table
DEMO_TRIALS = "bcg"


def sample(topic: str) -> ChosenDocuments:
    """Documents of a sample search for prior art."""
    return _documents(topic, samples.sample_topics(), "claim", samples.load_sample(topic))


def sample_review(topic: str, collection: str = samples.REVIEWS) -> ChosenDocuments:
    """Documents of a sample review."""
    return _documents(
        topic, samples.sample_reviews(collection), "question", samples.load_review_sample(topic, collection)
    )


def _documents(topic: str, table: pd.DataFrame, asked: str, frame: pd.DataFrame) -> ChosenDocuments:
    """Documents of a sample, from its row in the table of samples, whose column `asked` has the question."""
    row = table.set_index("topic").loc[topic]
    return ChosenDocuments(f"sample-{topic}", str(row["title"]), frame, str(row[asked]), True, "")


def start_demo(store: Store, reviewer: str = "") -> str:
    """Create a session on a simulated search, and return its id."""
    calibrator = calibrators()[default_calibrator(has_scores=True, sample=True)]
    return _demo(
        store,
        sample(DEMO_TOPIC),
        calibrator,
        PatentSettings(SEARCH_EXAMPLE.payoffs, SEARCH_EXAMPLE.cost),
        reviewer,
    )


def start_review_demo(store: Store, reviewer: str = "") -> str:
    """Create a session on a simulated review of a test, in two stages, and return its id."""
    return _review_demo(store, sample_review(DEMO_REVIEW), ReviewSettings, REVIEW, reviewer)


def start_trials_demo(store: Store, reviewer: str = "") -> str:
    """Create a session on published trials with invented texts, in two stages, and return its id."""
    return _review_demo(store, sample_review(DEMO_TRIALS, samples.TRIALS), EffectSettings, EFFECT, reviewer)


def _review_demo(
    store: Store,
    chosen: ChosenDocuments,
    kind: type[ReviewSettings | EffectSettings],
    scenario: Scenario[Any],
    reviewer: str,
) -> str:
    calibrator = calibrators()[default_calibrator(has_scores=True, sample=True, scenario=INCLUSION)]
    plus, minus = scenario.first_actions
    settings = kind(
        REVIEW_EXAMPLE.payoffs,
        REVIEW_EXAMPLE.cost,
        full_cost=REVIEW_EXAMPLE.full_cost,
        plus=plus,
        minus=minus,
        data_share=extraction_rate(simulated=True),
    )
    return _demo(store, chosen, calibrator, settings, reviewer)


def _demo(
    store: Store, chosen: ChosenDocuments, calibrator: Calibrator, settings: Settings, reviewer: str
) -> str:
    ranking = prepare(chosen.frame, "text", chosen.query)
    settings = replace(settings, calibrator=calibrator.digest)
    plan = NewSession(f"Demo: {chosen.name}", reviewer, chosen, ranking, chosen.query, calibrator, settings)
    return create(store, plan)


def sample_text(session: OpenSession, doc: str) -> str:
    """Text of a report of a sample review in full; empty for a person's own documents."""
    full_text = _full_texts(session.collection.name).get(doc) if session.collection.simulated else None
    return full_text.text if full_text else ""


def sample_criteria(session: OpenSession) -> str:
    """Inclusion criteria of a sample review; empty for a person's own documents."""
    return _review_column("criteria").get(session.collection.name, "") if session.collection.simulated else ""


@dataclass(frozen=True)
class Truth:
    """What turned out to be true of a sample, compared with a decision."""

    wrong: bool
    """Whether the truth asks for the other action, or does not contain the document that was cited."""
    sentence: str
    """What is true, and whether the action fits it."""
    overlooked: str = ""
    """Sentence on documents that decide the question and were misjudged, or on the first of them if none was reached."""


def sample_answer(session: OpenSession, settings: Settings, option: int) -> Truth | None:
    """The truth of a sample, and whether the action taken was right.

    Parameters
    ----------
    session
        A session, which may be on a sample.
    settings
        Settings in force.
    option
        The option that was chosen.

    Returns
    -------
    Truth or None
        None for a person's own documents, and for a further option besides a⁺ and a⁻, which no truth makes right.
    """
    truth = TRUTHS.get(settings.scenario) if session.collection.simulated else None
    return None if truth is None or option > PLUS else truth(session, settings, option == PLUS)


def _search_truth(session: OpenSession, settings: Settings, plus: bool) -> Truth | None:
    """Truth of a search: whether its list contains prior art."""
    titles = dict(samples.sample_topics()[["title", "topic"]].itertuples(index=False, name=None))
    topic = titles.get(session.collection.name)
    if topic is None:
        return None
    relevant, state = samples.sample_qrels()[topic], session.state
    places = [at for at, doc in enumerate(session.row.ids) if relevant.get(doc)]
    right = plus == bool(places)
    mistaken = state.hit if plus and state.hit is not None and state.hit - 1 not in places else None
    overlooked = _overlooked(places, state)
    if places and places[0] >= state.depth:
        overlooked = message("not_reached", first=places[0], depth=state.depth)
    truth = {"action": action(plus, settings), "right": right, "mistaken": mistaken, "places": places}
    return Truth(not right or mistaken is not None, message("search_truth", **truth), overlooked)


def _overlooked(places: Iterable[int], state: State) -> str:
    """Sentence on the documents that decide the question but were not labelled relevant; empty if there are none."""
    misjudged = [at for at in places if at < state.depth and state.labels[at] != RELEVANT]
    return message("overlooked", places=misjudged) if misjudged else ""


def _review_truth(session: OpenSession, settings: Settings, plus: bool) -> Truth | None:
    """Truth of a review: what all its studies say, each counted once."""
    reports = samples.reports_with_data(_full_texts(session.collection.name), session.row.ids)
    if not reports or not all(settings.counts(report) for report in reports.values()):
        return None
    studies = collect(reports)
    b = scenario_of(settings).true_belief(settings, studies)
    sentence = message("review_truth", studies=len(studies), question=question(settings), b=b)
    return Truth(
        plus != bool(settings.payoffs.chooses_plus(b)), sentence, _overlooked(reports, session.state)
    )


@lru_cache(maxsize=2)
def _review_column(column: str) -> dict[str, str]:
    """A column of the tables of sample reviews, by the review's title."""
    tables = map(samples.sample_reviews, (samples.REVIEWS, samples.TRIALS))
    return {
        title: text
        for table in tables
        for title, text in table[["title", column]].itertuples(index=False, name=None)
    }


@lru_cache(maxsize=8)
def _full_texts(title: str) -> dict[str, samples.FullText]:
    """Full texts of a sample review, by document; empty if no sample has this title."""
    topic = _review_column("topic").get(title)
    if not topic:
        return {}
    of_trials = topic in set(samples.sample_reviews(samples.TRIALS)["topic"])
    return samples.sample_full_texts(topic, samples.TRIALS if of_trials else samples.REVIEWS)


TRUTHS = {PATENT.name: _search_truth, REVIEW.name: _review_truth, EFFECT.name: _review_truth}
"""Functions that look up the truth of a sample, by scenario."""
