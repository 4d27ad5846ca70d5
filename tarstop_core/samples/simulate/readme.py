"""The README of the sample data: what is simulated and how, what was matched, and the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.documents.tables import Tables
from tarstop_core.ranking.bm25 import rank_documents
from tarstop_core.samples.simulate import rankings, reviews
from tarstop_core.samples.simulate.diagnostic import Review
from tarstop_core.samples.simulate.patents import PatentTopic

THETA = 0.75
NAMES = {
    "n_relevant": "relevant documents",
    "map": "MAP",
    "ndcg": "NDCG",
    "recall_100": "Recall@100",
    "hit_within_31": "first relevant within 31",
    "hit_within_100": "first relevant within 100",
}


def first_hits(topic: PatentTopic) -> list[int]:
    """Depths (1-based) of the prior art when the pool is ranked by BM25 with the claim as query."""
    texts = [f"{document.title} {document.abstract}" for document in topic.documents]
    order, _ = rank_documents(texts, topic.invention.claim)
    return [depth for depth, i in enumerate(order, start=1) if topic.documents[i].relevant]


def study_depths(review: Review) -> list[int]:
    """Depths (1-based) of the studies when the pool is ranked by BM25 with the question as query."""
    texts = [f"{report.title} {report.abstract}" for report in review.reports]
    order, _ = rank_documents(texts, review.question.question)
    return [depth for depth, i in enumerate(order, start=1) if review.reports[i].counts is not None]


def tables_of(review: Review) -> Tables:
    """The 2×2 tables of a simulated review, in order of its documents."""
    counts = np.array([report.counts for report in review.studies], dtype=float).T
    return Tables(tuple(report.study for report in review.studies), *counts)


def readme(topics: Sequence[PatentTopic], written: Sequence[Review], seed: int, review_seed: int) -> str:
    """The text of the file.

    Parameters
    ----------
    topics, written
        The readable searches and reviews.
    seed, review_seed : int
        Their seeds.
    """
    seeds = rankings.DEFAULT_SEED, rankings.DEFAULT_SEED + 1
    patents = [rankings.ranking_statistics(rankings.simulate_patent_rankings(seed=each)) for each in seeds]
    outcomes = reviews.simulate_review_outcomes()
    half = len(outcomes) // 2
    parts = [reviews.review_statistics(part) for part in (outcomes, outcomes[:half], outcomes[half:])]
    beliefs = np.array([bivariate_belief(outcome.tables, THETA) for outcome in outcomes])
    documents = np.mean([len(outcome.topic) for outcome in outcomes])
    studies = [len(outcome.tables) for outcome in outcomes]
    return f"""# Sample data: every document here is simulated

No patent, company, inventor, test, disease, study or author in it exists. Only figures are real: those in `published`
and `priors`, and the calibrators, shares and results that say so.
`python -m tarstop_core.samples.simulate sample_data` wrote them with seeds {seed} (searches) and {review_seed} (reviews), and
writes the same bytes again.

| file | what |
|---|---|
| `patents/topics.csv` | {len(topics)} searches: `topic`, `title`, `claim` (use it as the query), `documents` |
| `patents/<topic>.jsonl.gz` | the documents of a search, in order of publication number, not of relevance |
| `patents/qrels.txt` | the judgements: documents that disclose the whole claim; any other is not relevant |
| `patents/reasons.jsonl.gz` | one sentence for each document: what it discloses and what it lacks |
| `google_patents_example.csv` | rows of one search in the form of a Google Patents export, to try an upload |
| `reviews/topics.csv` | {len(written)} reviews: `topic`, `title`, `question` (the query), `criteria`, `documents` |
| `reviews/<topic>.jsonl.gz` | the documents of a review, in order of identifier, not of relevance |
| `reviews/full_texts.jsonl.gz` | what the full texts of included reports say, what becomes of them, and their 2×2 tables |
| `published/*.csv` | 2×2 tables of published meta-analyses (real figures); `published.json` cites their sources |
| `calibrators/*.json` | chances by score or rank; each says what it was fitted on (`scripts/make_calibrators.py`) |
| `data_share/*.json` | the share of included reports that bring data, learned from complete reviews (the same script) |
| `priors/*.json` | what is believed of sensitivity before any study (`scripts/make_priors.py`) |
| `results/` | results of the experiments, figures only, with their provenance (`scripts/make_results.py`) |

## The searches

A grammar (`tarstop_core/simulate/patents.py`) composed the documents from the vocabulary of sixteen invented
applications. A claim has three key features. A document is relevant when its text discloses all three, in the
claim's words or in others; near misses disclose two and say what they have in place of the third. Every search
also holds documents about the same kind of device and strays from other fields.

## The reviews

Another grammar (`tarstop_core/simulate/diagnostic.py`) composed reports about ten invented tests for invented
diseases. Title and abstract let some of them through. Their full texts tell which bring a 2×2 table, which are
eligible without one, which are excluded and why, and which cannot be had; one study of every review has two reports.
A full text says the counts in words, in one of several ways. Studies are drawn from the bivariate binomial–normal
model, and what they found has nothing to do with how they are worded.

## The large simulated benchmarks

Scores, labels and tables without text, made anew when needed and not stored.

**Patents.** `simulate_patent_rankings(topics=1000)` draws the topics to train on with seed {seeds[0]} and those to test
on with seed {seeds[1]}. It is matched to the six figures below and to nothing else; the calibrator "simulated-patents"
comes from other seeds. Means over the 500 topics with prior art of either half; results are those of the test half:

{_compared(rankings.TARGETS, patents, ["train", "test"])}

**Reviews.** `simulate_review_outcomes(outcomes={len(outcomes)}, seed={reviews.DEFAULT_SEED})` is matched to the three
figures below and to nothing else; the calibrator "simulated-reviews" comes from other seeds. It has {len(outcomes)}
outcomes in {len({outcome.review for outcome in outcomes})} reviews, {half} of them to train on and {len(outcomes) - half}
to test on, with {documents:,.0f} documents and {np.mean(studies):.1f} studies ({min(studies)} to {max(studies)}) on
average. Pooled sensitivity exceeds {THETA} in {(beliefs > 0.5).mean():.0%} of them (train
{(beliefs[:half] > 0.5).mean():.0%}, test {(beliefs[half:] > 0.5).mean():.0%}; bivariate belief after all studies above
.5). The seed was chosen: both of its halves come within 6 % of every target, as those of only 4 of the seeds 1 to 240
do (`scripts/fit_simulators.py seeds`). Means over all outcomes, and over either half; results are those of the test
half:

{_compared(reviews.TARGETS, parts, ["all", "train", "test"])}

## Which searches have prior art

Stop here if you want to try the samples yourself. First hit: depth under BM25 with the claim as query.

| topic | documents | relevant | near misses | first hit |
|---|---|---|---|---|
{_search_answers(topics)}

## Which tests are sensitive enough

Belief: that pooled sensitivity exceeds {THETA}, from all studies (bivariate). First and last: depth of the first and
the last study under BM25 with the question as query.

| topic | documents | included | with data | first | last | belief | state |
|---|---|---|---|---|---|---|---|
{_review_answers(written)}
"""


def _compared(
    targets: Mapping[str, float], achieved: Sequence[Mapping[str, float]], headings: Sequence[str]
) -> str:
    """A row each figure, with its target and what each part achieved."""
    rows = [["figure", "target", *headings]]
    rows += [[NAMES[key], *(f"{each[key]:.3f}" for each in (targets, *achieved))] for key in targets]
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join((head, "|---" * len(rows[0]) + "|", *body))


def _search_answers(topics: Sequence[PatentTopic]) -> str:
    rows = []
    for topic in topics:
        hits = first_hits(topic)
        near = sum(document.kind == "near miss" for document in topic.documents)
        rows.append(
            f"| {topic.invention.topic} | {len(topic.documents)} | {len(hits)} | {near} "
            f"| {hits[0] if hits else '–'} |"
        )
    return "\n".join(rows)


def _review_answers(written: Sequence[Review]) -> str:
    rows = []
    for review in written:
        depths = study_depths(review)
        included = sum(report.included for report in review.reports)
        belief = bivariate_belief(tables_of(review), THETA)
        rows.append(
            f"| {review.question.topic} | {len(review.reports)} | {included} | {len(depths)} | {depths[0]} "
            f"| {depths[-1]} | {belief:.2f} | {'above' if belief > 0.5 else 'not above'} |"
        )
    return "\n".join(rows)
