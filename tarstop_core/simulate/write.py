"""Writes the folder of sample data; equal seeds write equal bytes."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from tarstop_core.ranking import rank_documents
from tarstop_core.samples import TOPIC_COLUMNS
from tarstop_core.simulate import patents, rankings
from tarstop_core.simulate.patents import Document, PatentTopic

GOOGLE_TOPIC = "antenna-mount"
GOOGLE_ROWS = 60
GOOGLE_COLUMNS: tuple[str, ...] = (
    "id",
    "title",
    "assignee",
    "inventor/author",
    "priority date",
    "filing/creation date",
    "publication date",
    "grant date",
    "result link",
    "representative figure link",
)
INVENTORS: tuple[str, ...] = (
    "Anselm Torvik",
    "Birgit Ollander",
    "Casimir Dahlquay",
    "Delphine Marrot",
    "Edda Wintergrave",
    "Farid Qasoun",
    "Greta Plumleigh",
    "Hiro Takanuma",
    "Imke Sandvoort",
    "Joaquim Ferrado",
    "Katya Brelova",
    "Ludo Vanheemst",
)


def write_sample_data(folder: Path, seed: int = patents.DEFAULT_SEED) -> list[Path]:
    """Write the readable collection, the example of an export and the README.

    Parameters
    ----------
    folder : Path
        Where to; made when missing. Files of the same names are written anew.
    seed : int
        Seed of the readable collection.

    Returns
    -------
    list of Path
        What was written.
    """
    topics = patents.simulate_patents(seed)
    searches = folder / "patents"
    searches.mkdir(parents=True, exist_ok=True)
    contents: dict[Path, bytes] = {
        searches / "topics.csv": _csv(
            [
                TOPIC_COLUMNS,
                *(
                    (t.invention.topic, t.invention.title, t.invention.claim, len(t.documents))
                    for t in topics
                ),
            ]
        ),
        searches / "qrels.txt": "".join(
            f"{t.invention.topic} 0 {d.publication_number} {int(d.relevant)}\n"
            for t in topics
            for d in t.documents
            if d.relevant or d.kind == "near miss"  # so that searches without prior art are judged too
        ).encode(),
        searches / "reasons.jsonl.gz": _json_lines(
            {"topic": t.invention.topic, "id": d.publication_number, "kind": d.kind, "reason": d.reason}
            for t in topics
            for d in t.documents
        ),
        folder / "google_patents_example.csv": _google_patents(topics, seed),
        folder / "README.md": _readme(topics, seed).encode(),
    }
    for topic in topics:
        contents[searches / f"{topic.invention.topic}.jsonl.gz"] = _json_lines(map(_record, topic.documents))
    for path, content in contents.items():
        path.write_bytes(content)
    return list(contents)


def first_hits(topic: PatentTopic) -> list[int]:
    """Depths (1-based) of the prior art when the pool is ranked by BM25 with the claim as query."""
    texts = [f"{document.title} {document.abstract}" for document in topic.documents]
    order, _ = rank_documents(texts, topic.invention.claim)
    return [depth for depth, i in enumerate(order, start=1) if topic.documents[i].relevant]


def _record(document: Document) -> dict[str, str]:
    return {
        "id": document.publication_number,
        "title": document.title,
        "abstract": document.abstract,
        "date": str(document.year),
        "publication_number": document.publication_number,
        "authors": document.assignee,
    }


def _json_lines(rows: Iterable[dict[str, str]]) -> bytes:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    packed = io.BytesIO()
    # Neither a time nor a file name in the header, so that equal rows give equal bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
        file.write(text.encode())
    return packed.getvalue()


def _csv(rows: Sequence[Sequence[object]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _google_patents(topics: list[PatentTopic], seed: int) -> bytes:
    """Rows of one search as Google Patents exports results: a line with the search, then the table."""
    topic = next(t for t in topics if t.invention.topic == GOOGLE_TOPIC)
    rng = random.Random(f"{seed} export")
    prior_art = [document for document in topic.documents if document.relevant]
    others = [document for document in topic.documents if not document.relevant]
    chosen = prior_art + rng.sample(others, GOOGLE_ROWS - len(prior_art))
    chosen.sort(key=lambda document: document.publication_number)
    rows: list[Sequence[object]] = [
        ("search URL:", "https://patents.google.com/?q=(foldable+antenna+mount)&oq=foldable+antenna+mount"),
        GOOGLE_COLUMNS,
    ]
    for document in chosen:
        months = f"{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        number = document.publication_number
        rows.append(
            (
                number,
                document.title,
                document.assignee,
                ", ".join(rng.sample(INVENTORS, rng.randint(1, 3))),
                f"{document.year - 2}-{months}",
                f"{document.year - 1}-{months}",
                f"{document.year}-{months}",
                f"{document.year}-{months}" if "-B" in number else "",
                f"https://example.org/simulated/{number}",
                "",
            )
        )
    return _csv(rows)


def _readme(topics: list[PatentTopic], seed: int) -> str:
    achieved = rankings.ranking_statistics(rankings.simulate_patent_rankings())
    names = {
        "n_relevant": "relevant documents",
        "map": "MAP",
        "ndcg": "NDCG",
        "recall_100": "Recall@100",
        "hit_within_31": "first relevant within 31",
        "hit_within_100": "first relevant within 100",
    }
    comparison = "\n".join(
        f"| {names[key]} | {rankings.TARGETS[key]:.3f} | {achieved[key]:.3f} |" for key in rankings.TARGETS
    )
    depths = []
    for topic in topics:
        hits = first_hits(topic)
        near = sum(document.kind == "near miss" for document in topic.documents)
        depths.append(
            f"| {topic.invention.topic} | {len(topic.documents)} | {len(hits)} | {near} "
            f"| {hits[0] if hits else '–'} |"
        )
    table = "\n".join(depths)
    return f"""# Sample data: everything here is simulated

No patent, company or inventor in this folder exists. `python -m tarstop_core.simulate sample_data` wrote all
of it with seed {seed}, and writes the same bytes again.

| file | what |
|---|---|
| `patents/topics.csv` | {len(topics)} searches: `topic`, `title`, `claim` (use it as the query), `documents` |
| `patents/<topic>.jsonl.gz` | the documents of a search, in order of publication number, not of relevance |
| `patents/qrels.txt` | the judgements: documents that disclose the whole claim; any other is not relevant |
| `patents/reasons.jsonl.gz` | one sentence for each document: what it discloses and what it lacks |
| `google_patents_example.csv` | {GOOGLE_ROWS} rows of `{GOOGLE_TOPIC}` in the form of a Google Patents export, to try an upload |

A grammar (`tarstop_core/simulate/patents.py`) composed the documents from the vocabulary of sixteen invented
applications. A claim has three key features. A document is relevant when its text discloses all three, in the
claim's words or in others; near misses disclose two and say what they have in place of the third. Every search
also holds documents about the same kind of device and strays from other fields.

## The large simulated benchmark

The calibrator "simulated patents" is fitted on `simulate_patent_rankings(topics=1000, seed={rankings.DEFAULT_SEED})`:
scores and labels without text, made anew when needed and not stored. It is matched to the six figures below and to
nothing else. Means over the 500 topics with prior art:

| figure | target | achieved |
|---|---|---|
{comparison}

## Which searches have prior art

Stop here if you want to try the searches yourself. First hit: depth under BM25 with the claim as query.

| topic | documents | relevant | near misses | first hit |
|---|---|---|---|---|
{table}
"""
