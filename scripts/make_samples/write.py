"""Writes the folder of sample data; equal seeds write equal bytes."""

import csv
import gzip
import io
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.make_samples import diagnostic, patents, trials
from scripts.make_samples.patents import PatentTopic
from scripts.make_samples.readme import readme
from tarstop_core.documents.tables import CELLS

Searches = Sequence[tuple[Any, Sequence[Any]]]  # What is searched for, and the pool
More = Callable[[Any], dict[str, object]]  # What else is written of a document

GOOGLE_TOPIC = "antenna-mount"
GOOGLE_ROWS = 60
GOOGLE_COLUMNS = (
    "id,title,assignee,inventor/author,priority date,filing/creation date,publication date,grant date,"
    "result link,representative figure link"
).split(",")


def write_sample_data(folder: Path) -> list[Path]:
    """Write the readable searches and reviews, the example of an export and the README; which files were written."""
    topics, reviews = patents.simulate_patents(), diagnostic.simulate_reviews()
    contents = {
        **_searches(folder / "patents", topics),
        **_reviews(
            folder / "reviews",
            [(review.question, review.reports) for review in reviews],
            lambda report: dict(zip(CELLS, report.counts or [None] * 4, strict=True)),
        ),
        **_reviews(folder / "trials", trials.simulate_trials(), lambda report: {"numbers": report.numbers}),
        folder / "google_patents_example.csv": _google_patents(topics),
        folder / "README.md": readme(topics, reviews).encode(),
    }
    for path, content in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return list(contents)


def _searches(folder: Path, topics: Sequence[PatentTopic]) -> dict[Path, bytes]:
    pools = [(topic.invention, topic.documents) for topic in topics]
    documents = [(invention.topic, document) for invention, pool in pools for document in pool]
    # So that searches without prior art are judged too.
    judged = [(topic, each) for topic, each in documents if each.relevant or each.kind == "near miss"]
    lines = [f"{topic} 0 {each.id} {int(each.relevant)}\n" for topic, each in judged]
    reasons = ({"topic": topic, **_of(each, "id", "kind", "reason")} for topic, each in documents)
    return {
        folder / "qrels.txt": "".join(lines).encode(),
        folder / "reasons.jsonl.gz": _json_lines(reasons),
        **_pools(
            folder,
            pools,
            ("topic", "title", "claim"),
            lambda each: {"publication_number": each.id, "authors": each.assignee},
        ),
    }


def _reviews(folder: Path, searches: Searches, numbers: More) -> dict[Path, bytes]:
    """Reviews with the reports of each, whose full texts bring `numbers`."""
    full_texts = (
        {"topic": review.topic, "id": report.id, "text": report.full_text}
        | _of(report, "status", "reason", "study")
        | numbers(report)
        for review, reports in searches
        for report in reports
        if report.status
    )
    columns = ("topic", "title", "question", "criteria")
    pools = _pools(folder, searches, columns, lambda report: {"authors": report.authors})
    return {folder / "full_texts.jsonl.gz": _json_lines(full_texts), **pools}


def _pools(folder: Path, searches: Searches, columns: Sequence[str], more: More) -> dict[Path, bytes]:
    """A table of searches with these columns, and a file of records for each."""
    rows = [(*_of(about, *columns).values(), len(pool)) for about, pool in searches]
    contents = {folder / "topics.csv": _csv([(*columns, "documents"), *rows])}
    for about, pool in searches:
        records = (
            _of(each, "id", "title", "abstract") | {"date": str(each.year)} | more(each) for each in pool
        )
        contents[folder / f"{about.topic}.jsonl.gz"] = _json_lines(records)
    return contents


def _of(thing: object, *names: str) -> dict[str, object]:
    return {name: getattr(thing, name) for name in names}


def _json_lines(rows: Iterable[Mapping[str, object]]) -> bytes:
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


def _google_patents(topics: list[PatentTopic]) -> bytes:
    """Rows of one search as Google Patents exports results: a line with the search, then the table."""
    topic = next(t for t in topics if t.invention.topic == GOOGLE_TOPIC)
    rng = random.Random(f"{patents.DEFAULT_SEED} export")
    prior_art = [document for document in topic.documents if document.relevant]
    others = [document for document in topic.documents if not document.relevant]
    chosen = prior_art + rng.sample(others, GOOGLE_ROWS - len(prior_art))
    rows: list[Sequence[object]] = [
        ("search URL:", "https://patents.google.com/?q=(foldable+antenna+mount)&oq=foldable+antenna+mount"),
        GOOGLE_COLUMNS,
    ]
    for document in sorted(chosen, key=lambda document: document.id):
        months = f"{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        number = document.id
        inventors = ", ".join(rng.sample(patents.WORDS["inventors"], rng.randint(1, 3)))
        dates = [f"{document.year - before}-{months}" for before in (2, 1, 0)]
        granted = dates[-1] if "-B" in number else ""
        link = f"https://example.org/simulated/{number}"
        rows.append((number, document.title, document.assignee, inventors, *dates, granted, link, ""))
    return _csv(rows)
