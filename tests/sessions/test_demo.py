"""What the demos bring: documents whose question is settled neither at once nor too late."""

from tarstop_core.samples.collections import TRIALS, sample_full_texts, sample_qrels
from tarstop_core.sessions.demo import (
    DEMO_REVIEW,
    DEMO_TOPIC,
    DEMO_TRIALS,
    start_demo,
    start_review_demo,
    start_trials_demo,
)
from tarstop_core.sessions.store.store import Store


def test_the_demo_is_a_search_with_prior_art_at_medium_depth(store: Store) -> None:
    row = store.session(start_demo(store, "Ada"))
    assert store.collection(row.collection_id).simulated
    assert len(row.ids) == 312
    assert store.calibrator(row.settings.calibrator).scenario == "patent"
    assert store.events(row.id) == []
    relevant = sample_qrels()[DEMO_TOPIC]
    first = next(depth for depth, doc in enumerate(row.ids, start=1) if relevant.get(doc))
    assert 5 < first < 40


def test_the_review_demo_has_two_stages_and_a_table_at_medium_depth(store: Store) -> None:
    row = store.session(start_review_demo(store))
    settings = row.settings
    assert store.collection(row.collection_id).simulated
    assert (settings.scenario, settings.plus, settings.stages) == ("review", "Adopt", 2)
    assert settings.full_cost == 10 * settings.cost
    assert store.calibrator(settings.calibrator).scenario == "inclusion"
    texts = sample_full_texts(DEMO_REVIEW)
    first = next(depth for depth, doc in enumerate(row.ids, start=1) if doc in texts and texts[doc].TP)
    assert 5 < first < 40


def test_the_demo_of_trials_has_its_first_study_soon_and_more_further_down(store: Store) -> None:
    row = store.session(start_trials_demo(store))
    assert store.collection(row.collection_id).simulated
    assert (row.settings.scenario, row.settings.plus, row.settings.stages) == ("effect", "Adopt", 2)
    texts = sample_full_texts(DEMO_TRIALS, TRIALS)
    ranks = [rank for rank, doc in enumerate(row.ids, start=1) if doc in texts]
    assert len(ranks) > 10 and ranks[0] < 5 and ranks[-1] > 40


def test_a_second_demo_has_another_name_and_the_same_documents(store: Store) -> None:
    first, second = (store.session(start_demo(store)) for _ in range(2))
    assert second.name == f"{first.name} (2)"
    assert second.collection_id == first.collection_id
    assert len(store.collections()) == 1
