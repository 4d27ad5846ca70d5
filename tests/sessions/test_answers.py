"""What is told of a sample, and never of documents of a person's own."""

from dataclasses import replace

from tarstop_core.documents.records import as_records
from tarstop_core.samples.collections import sample_full_texts, sample_qrels, sample_reviews
from tarstop_core.screening.log import Event
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.sessions.demo import (
    DEMO_REVIEW,
    DEMO_TOPIC,
    sample_answer,
    sample_criteria,
    sample_text,
    start_demo,
    start_review_demo,
)
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import PLUS
from tests.session_cases import PATENT, START
from tests.sessions.store.cases import on_both


@on_both
def test_a_search_tells_where_its_prior_art_is(store: Store) -> None:
    session = OpenSession.load(store, start_demo(store))
    settings = session.row.settings
    relevant = sample_qrels()[DEMO_TOPIC]
    at = [f"#{rank}" for rank, doc in enumerate(session.row.ids, start=1) if relevant.get(doc)]
    right, wrong = (sample_answer(session, settings, option) for option in (PLUS, 1 - PLUS))
    assert right is not None and wrong is not None and wrong.wrong and not right.wrong
    assert "“Reject” was right: " in right.sentence and "“Grant” was wrong: " in wrong.sentence
    assert all(told.sentence.endswith(f" at {', '.join(at)}.") for told in (right, wrong))
    assert f" {at[0]}; " in right.overlooked and right.overlooked.endswith(" 0.")
    first = int(at[0][1:])
    for rank in range(1, first + 1):
        session.record(
            Event("label", {"doc": session.row.ids[rank - 1], "label": "irrelevant"}), session.state.seq
        )
    passed = sample_answer(session, settings, 1 - PLUS)
    assert passed is not None and passed.overlooked.endswith(f": {at[0]}.")
    assert sample_text(session, session.row.ids[0]) == sample_criteria(session) == ""


def test_the_right_action_for_the_wrong_document_is_told(store: Store) -> None:
    session = OpenSession.load(store, start_demo(store))
    doc = session.row.ids[0]
    session.record(Event("label", {"doc": doc, "label": "relevant"}), session.state.seq)
    session.record(Event("confirm", {"doc": doc, "holds": True}), session.state.seq)
    told = sample_answer(session, session.row.settings, PLUS)
    assert told is not None and told.wrong and "right, but not for #1:" in told.sentence


def test_a_review_tells_what_all_its_tables_say(store: Store) -> None:
    session = OpenSession.load(store, start_review_demo(store))
    settings = session.row.settings
    texts = sample_full_texts(DEMO_REVIEW)
    assert {doc: sample_text(session, doc) for doc in texts} == {
        doc: each.text for doc, each in texts.items()
    }
    criteria = sample_reviews().set_index("topic").loc[DEMO_REVIEW, "criteria"]
    assert sample_criteria(session) == criteria
    told, other = (sample_answer(session, settings, option) for option in (PLUS, 1 - PLUS))
    assert told is not None and "sensitivity exceeds 75 % at" in told.sentence
    strict = sample_answer(session, replace(settings, theta=0.95), PLUS)
    assert strict is not None and told.sentence != strict.sentence
    assert other is not None and told.sentence == other.sentence and told.wrong != other.wrong


def test_a_persons_own_documents_tell_nothing(store: Store) -> None:
    sample = OpenSession.load(store, start_demo(store))
    frame = as_records({"id": list(sample.row.ids[:2]), "title": ["Hinge", "Mast"]})
    store.save_calibrator(PATENT)
    for simulated, name in ((False, sample.collection.name), (True, "Not a sample")):
        collection = store.save_collection(name, frame, [], 0, simulated=simulated)
        own = OpenSession.load(store, store.create_session("S", collection, [0, 1], None, START, "", ""))
        assert sample_answer(own, START, PLUS) is None and sample_criteria(own) == ""
        assert sample_text(own, own.row.ids[0]) == ""
        assert sample_answer(own, ReviewSettings(START.payoffs, START.cost), PLUS) is None
