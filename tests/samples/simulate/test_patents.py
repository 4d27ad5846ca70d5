"""The readable collection: every document says what its kind promises, and ranks at varied depths."""

import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from scripts.make_samples.patents import INVENTIONS, Invention, PatentTopic, simulate_patents
from scripts.make_samples.readme import depths


def disclosed_features(invention: Invention, text: str) -> tuple[bool, ...]:
    """Which key features a text contains, by the phrases of the grammar."""
    plain = text.casefold()
    return tuple(
        any(
            mechanism.phrase.casefold() in plain or mechanism.short.casefold() in plain
            for mechanism in (*feature.close, *feature.far)
        )
        for feature in invention.features
    )


@pytest.fixture(scope="module")
def topics() -> list[PatentTopic]:
    return simulate_patents()


@pytest.fixture(scope="module")
def scores(topics: list[PatentTopic]) -> dict[str, np.ndarray]:
    """Scores of rank_bm25's defaults, the claim as query."""
    return {
        t.invention.topic: BM25Okapi(
            [f"{d.title} {d.abstract}".lower().split() for d in t.documents]
        ).get_scores(t.invention.claim.lower().split())
        for t in topics
    }


def test_eight_searches_with_prior_art_and_eight_without(topics: list[PatentTopic]) -> None:
    assert Counter(topic.omega for topic in topics) == {True: 8, False: 8}


def test_sizes(topics: list[PatentTopic]) -> None:
    for topic in topics:
        assert 240 <= len(topic.documents) <= 360
        relevant = sum(document.relevant for document in topic.documents)
        assert 3 <= relevant <= 12 if topic.omega else relevant == 0
        assert 40 <= len(topic.invention.claim.split()) <= 90


def test_equal_seeds_give_equal_collections(topics: list[PatentTopic]) -> None:
    assert simulate_patents() == topics
    assert simulate_patents(seed=7) != topics


def test_documents_are_marked_as_simulated_and_unique(topics: list[PatentTopic]) -> None:
    documents = [document for topic in topics for document in topic.documents]
    assert all(re.fullmatch(r"SIM-\d{4}-(A1|B1|B2|U1)", d.id) for d in documents)
    assert len({d.id for d in documents}) == len(documents)
    assert len({d.abstract for d in documents}) == len(documents)
    for topic in topics:
        assert len({d.title for d in topic.documents}) == len(topic.documents)
        numbers = [d.id for d in topic.documents]
        assert numbers == sorted(numbers)


def test_abstracts_read_as_sentences(topics: list[PatentTopic]) -> None:
    for document in (document for topic in topics for document in topic.documents):
        assert 60 <= len(document.abstract.split()) <= 120, document.abstract
        assert not re.search(r"[{}|]|  |\ba (?!one)[aeio]|\.\.", document.abstract), document.abstract
        sentences = re.split(r"(?<=[^\d]\.) ", document.abstract)
        assert all(s[0].isupper() or s[0].isdigit() for s in sentences), document.abstract
        assert len(set(sentences)) == len(sentences), document.abstract
        assert document.title[0].isupper() and not document.title.endswith(".")
        assert document.reason.endswith(".") and document.assignee and 1990 < document.year < 2025


@pytest.mark.parametrize(
    ("kind", "allowed"),
    [
        ("prior art", lambda n: n == 3),
        ("near miss", lambda n: n == 2),
        ("partial", lambda n: n == 1),
        ("same field", lambda n: n == 0),
        ("other field", lambda n: n == 0),
    ],
)
def test_text_contains_what_the_kind_promises(
    topics: list[PatentTopic], kind: str, allowed: Callable[[int], bool]
) -> None:
    seen = 0
    for topic in topics:
        for document in topic.documents:
            if document.kind == kind:
                found = disclosed_features(topic.invention, f"{document.title} {document.abstract}")
                assert found == document.disclosed
                # The abstract alone must decide: a title names one or two parts at most.
                assert disclosed_features(topic.invention, document.abstract) == found
                assert allowed(sum(found))
                seen += 1
    assert seen >= 8


def test_near_misses_lack_each_feature_in_turn_and_say_what_they_have(topics: list[PatentTopic]) -> None:
    for topic in topics:
        near = [d for d in topic.documents if d.kind == "near miss"]
        assert {d.disclosed.index(False) for d in near} == {0, 1, 2}
        for document in near:
            instead = re.search(r"; it has (.+) instead\.$", document.reason)
            assert instead and instead.group(1) in document.abstract


@pytest.mark.parametrize("invention", INVENTIONS, ids=lambda invention: invention.topic)
def test_nothing_else_in_the_vocabulary_discloses_a_key_feature(invention: Invention) -> None:
    assert len(invention.features) == 3
    others = [m for feature in invention.features for m in feature.other] + list(invention.extras)
    for text in (
        *(f"{m.short}. {m.phrase}" for m in others),
        *invention.devices,
        *invention.uses,
        *invention.purposes,
        *invention.problems,
        *invention.advantages,
        *invention.operations,
    ):
        assert disclosed_features(invention, text) == (False, False, False), text
    shorts = [
        m.short for feature in invention.features for m in (*feature.close, *feature.far, *feature.other)
    ]
    assert len(set(shorts)) == len(shorts)


@pytest.mark.parametrize("invention", INVENTIONS, ids=lambda invention: invention.topic)
def test_close_wordings_share_the_claims_words_and_far_ones_fewer(invention: Invention) -> None:
    claim = set(re.findall(r"\w+", invention.claim.lower())) - {
        "a",
        "an",
        "the",
        "of",
        "by",
        "and",
        "which",
        "to",
    }

    def shared(phrase: str) -> float:
        words = re.findall(r"\w+", phrase.lower())
        return sum(word in claim for word in words) / len(words)

    for feature in invention.features:
        assert min(shared(m.phrase) for m in feature.close) > max(shared(m.phrase) for m in feature.far)


def test_first_hits_lie_at_varied_depths(topics: list[PatentTopic], scores: dict[str, np.ndarray]) -> None:
    firsts = []
    for topic in topics:
        if topic.omega:
            order = np.argsort(-scores[topic.invention.topic], kind="stable")
            expected = [depth for depth, i in enumerate(order, start=1) if topic.documents[i].relevant]
            assert expected == depths(topic.ranked())
            firsts.append(expected[0])
    assert sum(first <= 3 for first in firsts) >= 2
    assert sum(8 <= first <= 25 for first in firsts) >= 3
    assert 1 <= sum(first >= 40 for first in firsts) <= 2


def test_scores_look_alike_with_and_without_prior_art(
    topics: list[PatentTopic], scores: dict[str, np.ndarray]
) -> None:
    def tops(omega: bool) -> np.ndarray:
        found = [scores[t.invention.topic] for t in topics if t.omega == omega]
        return np.array([(np.sort(s)[::-1][[0, 9, 49]] - s.mean()) / s.std() for s in found])

    positive, negative = tops(True), tops(False)
    assert np.abs(positive.mean(axis=0) - negative.mean(axis=0)).max() < 0.5
    assert positive[:, 0].min() < negative[:, 0].max() and negative[:, 0].min() < positive[:, 0].max()
