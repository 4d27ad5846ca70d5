"""The documents of the sample collections as a lecture shows them: text, question, and what was hidden."""

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
from tarstop_core.sessions.store.rows import Record
from tarstop_core.teaching.lesson.steps import topic_of


@lru_cache(maxsize=32)
def records(key: str) -> dict[str, Record]:
    """The documents of a sample ("search:antenna-mount") by identifier."""
    kind, _, topic = key.partition(":")
    frame = load_sample(topic) if kind == "search" else load_review_sample(topic)
    rows = frame.to_dict("records")
    return {
        str(row["id"]): Record(position=at, **{str(k): v for k, v in row.items()})
        for at, row in enumerate(rows)
    }


@lru_cache(maxsize=32)
def asked(key: str) -> str:
    """What every document of a sample is held against: the claim, or the question of a review."""
    kind, _, topic = key.partition(":")
    frame, column = (sample_topics(), "claim") if kind == "search" else (sample_reviews(), "question")
    return str(frame.set_index("topic").loc[topic, column])


_reasons, _full_texts = lru_cache(maxsize=32)(sample_reasons), lru_cache(maxsize=32)(sample_full_texts)


def verdict(key: str, at: int) -> tuple[bool, str]:
    """Whether the document at a 0-based rank brings what is sought, and why (not), in a few sentences."""
    explored = sample(key)
    if not isinstance(explored.truth, Outcome):
        assert explored.truth is not None and explored.truth.labels is not None  # samples are labelled
        return bool(explored.truth.labels[at]), _reasons(key.partition(":")[2])[str(explored.truth.ids[at])]
    topic = explored.truth.topic
    text = _full_texts(key.partition(":")[2]).get(str(topic.ids[at]))
    new = bool((explored.truth.positions == at).any())
    if text is None:
        return False, "Title and abstract show that it brings no table for this question."
    if new or text.status != "data":
        return new, text.text
    return False, "It reports a study whose table is counted already."


def document(key: str, at: int, chance: str = "") -> str:
    """The document at a 0-based rank and what it turned out to be, as HTML; `chance` is what was thought of it before."""
    explored = sample(key)
    topic = topic_of(explored)
    hit, why = verdict(key, at)
    review = isinstance(explored.truth, Outcome)
    words = ("no table", "brings a 2×2 table") if review else ("not it", "settles the question")
    found = f"<strong>{'✓' if hit else '✗'} {words[hit]}.</strong>"
    lead = f'<p class="tar-found{" hit" if hit else ""}">{found} {html.escape(why)}</p>'
    score = None if topic.scores is None else float(topic.scores[at])
    record = records(key)[str(topic.ids[at])]
    return document_html(record, at, explored.state, asked(key), score, [chance], lead)


def given(key: str, before: str = "") -> str:
    """What is shown before the first document, as HTML: what every one is held against."""
    return claim(
        key, f"{before}{scenario_of(sample(key).settings).given} that every document is held against"
    )


def claim(key: str, before: str = "") -> str:
    """What every document of a sample is held against, as HTML; `before` is HTML that introduces it."""
    said = f'<div class="tar-meta">{before}:</div>' if before else ""
    return f'{said}<div class="tar-literal">{html.escape(asked(key))}</div>'
