"""The documents of the sample collections for a lecture: text, question, and truth."""

import html
from functools import lru_cache

from dashboard.parts.document import document_html
from tarstop_core.documents.topic import Outcome
from tarstop_core.explore.lists import sample
from tarstop_core.samples.collections import (
    load_review_sample,
    load_sample,
    sample_full_texts,
    sample_reasons,
    sample_reviews,
    sample_topics,
)
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.sessions.store.tables import Record


@lru_cache(maxsize=32)
def records(key: str) -> dict[str, Record]:
    """Return the documents of a sample, such as "search:antenna-mount", by identifier."""
    kind, _, topic = key.partition(":")
    frame = load_sample(topic) if kind == "search" else load_review_sample(topic)
    return {
        str(row["id"]): Record(position=at, **{str(name): value for name, value in row.items()})
        for at, row in enumerate(frame.to_dict("records"))
    }


@lru_cache(maxsize=32)
def question_of(key: str) -> str:
    """Return the claim of a search, or the question of a review, that documents are compared with."""
    kind, _, topic = key.partition(":")
    frame, column = (sample_topics(), "claim") if kind == "search" else (sample_reviews(), "question")
    return str(frame.set_index("topic").loc[topic, column])


_reasons = lru_cache(maxsize=32)(sample_reasons)
_full_texts = lru_cache(maxsize=32)(sample_full_texts)


def verdict(key: str, at: int) -> tuple[bool, str]:
    """Return whether the document at a 0-based rank brings what is sought, and the reason in a few sentences."""
    truth, topic, name = sample(key).truth, sample(key).topic, key.partition(":")[2]
    document = str(topic.ids[at])
    if not isinstance(truth, Outcome):
        assert topic.labels is not None  # Samples are labelled
        return bool(topic.labels[at]), _reasons(name)[document]
    text = _full_texts(name).get(document)
    new = bool((truth.positions == at).any())
    if text is None:
        return False, "Title and abstract show that it brings no table for this question."
    if new or text.status != "data":
        return new, text.text
    return False, "It reports a study whose table already counts."


def document(key: str, at: int, chance: str = "") -> str:
    """Return the document at a 0-based rank with its truth, as HTML; `chance` words the chance that it had."""
    listing = sample(key)
    topic = listing.topic
    hit, why = verdict(key, at)
    if isinstance(listing.truth, Outcome):
        outcome = "✓ brings a 2×2 table." if hit else "✗ no table."
    else:
        outcome = "✓ settles the question." if hit else "✗ not it."
    kind = "tar-found hit" if hit else "tar-found"
    lead = f'<p class="{kind}"><strong>{outcome}</strong> {html.escape(why)}</p>'
    score = None if topic.scores is None else float(topic.scores[at])
    record = records(key)[str(topic.ids[at])]
    return document_html(record, at, listing.state, question_of(key), score, [chance], lead)


def given(key: str, before: str = "") -> str:
    """Return what is shown before the first document, as HTML: the claim or question, with words that introduce it."""
    given_first = scenario_of(sample(key).settings).given
    return claim(key, f"{before}{given_first} that you compare every document with")


def claim(key: str, before: str = "") -> str:
    """Return the claim or question of a sample as HTML; `before` is HTML that introduces it."""
    lead = f'<div class="tar-meta">{before}:</div>' if before else ""
    return f'{lead}<div class="tar-literal">{html.escape(question_of(key))}</div>'
