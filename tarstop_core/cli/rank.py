"""``tarstop rank``, ``metrics`` and ``rerank``: rank records, judge a ranking, and simulate a session that learns."""

import time
from pathlib import Path
from typing import Any

import click

from tarstop_core.cli.shared import PATH, json_option, print_json, progress, require_writable, say, writing
from tarstop_core.errors import InputProblem


@click.command()
@click.argument("records", type=PATH)
@click.option("--query", required=True, help="What you look for: a sentence or a claim.")
@click.option("--out", type=PATH, required=True, help="TREC run to write.")
@click.option("--topic", help="Topic name in the run (default: the file's name without suffixes).")
@click.option(
    "--tokens",
    type=click.Choice(["paper", "words"]),
    default="paper",
    show_default=True,
    help="How to split words: lower case at white space, as in the paper, or word stems without common words, as in new sessions.",
)
@json_option
def rank(records: Path, query: str, out: Path, topic: str | None, tokens: str, as_json: bool) -> None:
    """Rank RECORDS by BM25 against a query and write a TREC run."""
    from tarstop_core.documents.records import ranking_text
    from tarstop_core.files import read_records, write_run
    from tarstop_core.ranking.bm25 import RECIPES, rank_documents

    begun = time.perf_counter()
    require_writable(out, records)
    table = read_records(records, progress=progress)
    order, scores = rank_documents(ranking_text(table.frame), query, RECIPES[tokens])
    name = topic or records.name.split(".")[0]
    ids = table.frame["id"].to_numpy()[order]
    with writing(out):
        write_run(out, name, ids, scores[order])
    say(table.notes)
    seconds = time.perf_counter() - begun
    if as_json:
        print_json({"documents": len(ids), "seconds": seconds})
    else:
        click.echo(f"Ranked {len(ids):,} documents in {seconds:.1f} s; wrote {out}.")
        if tokens == "paper":
            click.echo(
                "These are the paper's tokens. New sessions compare word stems, which can put another document first: "
                "--tokens words gives their order."
            )


@click.command()
@click.argument("run", type=PATH)
@click.argument("qrels", type=PATH)
@json_option
def metrics(run: Path, qrels: Path, as_json: bool) -> None:
    """Quality of the ranking RUN against QRELS, as trec_eval computes it."""
    from tarstop_core.evaluation.ranking_metrics import ranking_metrics
    from tarstop_core.files import read_qrels, read_run

    ranked, judgments = read_run(run), read_qrels(qrels)
    quality = ranking_metrics(ranked, judgments)
    say((*ranked.notes, *judgments.notes))
    if as_json:
        print_json(quality)
    else:
        click.echo(
            f"{quality['topics']} topics: MAP {quality['map']:.4f}, NDCG {quality['ndcg']:.4f}, "
            f"recall at 100 {quality['recall_100']:.4f}."
        )


@click.command()
@click.argument("records", type=PATH)
@click.option("--query", required=True, help="What you look for: a question or a title.")
@click.option("--for", "words_for", default="", help="Words that speak for a document, from the first on.")
@click.option("--against", "words_against", default="", help="Words that speak against one.")
@click.option("--labels", "column", required=True, help="Column with the labels.")
@click.option("--out", type=PATH, required=True, help="TREC run to write: the order read.")
@click.option("--ranker", "spec", help="A ranker, or your own as FILE.py:NAME.")
@click.option("--scores", help="Column of scores from elsewhere, weighted as far as the labels support them.")
@click.option(
    "--chances",
    "chances_file",
    type=PATH,
    help="CSV to write: each document's chance at the moment it came next.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of random draws."
)
@json_option
def rerank(
    records: Path,
    query: str,
    words_for: str,
    words_against: str,
    column: str,
    out: Path,
    spec: str | None,
    scores: str | None,
    chances_file: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Simulate a session on RECORDS that learns from every label, and write the order read.

    It begins in the order of 'tarstop rank --tokens words'; records without a label are left out.
    """
    import numpy as np

    from tarstop_core.documents.records import SAID_NOT_RELEVANT, SAID_RELEVANT, ranking_text
    from tarstop_core.evaluation.reranking import adaptive_chances, forecast_quality, order_quality, simulate
    from tarstop_core.files import read_records, table_to_csv, write_run
    from tarstop_core.ranking.learning import DEFAULT, parse_ranker
    from tarstop_core.samples.shipped import reranked_chances

    begun = time.perf_counter()
    for written in filter(None, (out, chances_file)):
        require_writable(written, records)
    ranker = parse_ranker(spec or DEFAULT)
    fields = {column: "label"} | ({scores: "score"} if scores else {})
    table = read_records(records, columns=fields, progress=progress)
    labelled = table.frame["label"].isin((SAID_RELEVANT, SAID_NOT_RELEVANT)).to_numpy()
    frame = table.frame[labelled].reset_index(drop=True)
    relevant = (frame["label"] == SAID_RELEVANT).to_numpy()
    if not relevant.any() or relevant.all():
        lacking = "only relevant documents" if relevant.any() else "no document that is relevant"
        raise InputProblem(
            f"{records.name} has {lacking} by the column {column}; name one with labels of both kinds."
        )
    outside = frame["score"].to_numpy(dtype=np.float64) if scores else None
    how: dict[str, Any] = {"words_for": words_for.strip(), "words_against": words_against.strip()}
    how |= {"outside": outside, "progress": lambda done, N: progress(done / N, f"Reading {records.name}")}
    read = simulate(ranking_text(frame), query, relevant, ranker=ranker, seed=seed, **how)
    with writing(out):
        ids = frame["id"].to_numpy()[read.order]
        write_run(out, records.name.split(".")[0], ids, np.arange(len(ids), 0.0, -1))
    model, found_relevant = reranked_chances(), relevant[read.order]
    if chances_file:
        with writing(chances_file):
            chances = adaptive_chances(model, ids, found_relevant).assign(topic=records.name.split(".")[0])
            chances_file.write_text(table_to_csv(chances), encoding="utf-8")
    left_out = int((~labelled).sum())
    say((*table.notes, *([f"{left_out:,} records without a label were left out."] if left_out else [])))
    result = order_quality(found_relevant) | forecast_quality(model, found_relevant)
    fit_ms = dict(zip(("median", "p95"), np.quantile(1e3 * read.seconds, [0.5, 0.95]).tolist(), strict=True))
    seconds = time.perf_counter() - begun
    if as_json:
        counts = {"documents": len(frame), "relevant": int(relevant.sum())}
        print_json({**counts, **result, "fit_ms": fit_ms, "seconds": seconds})
        return
    recall = ", ".join(f"{value:.0%} after {float(at):.0%}" for at, value in result["recall_at"].items())
    click.echo(
        f"Of {int(relevant.sum()):,} relevant among {len(frame):,} documents it had read {recall}; loss "
        f"{result['loss']:.4f}, WSS@95 {result['wss_95']:.3f}; its chances had a log-loss of {result['log_loss']:.3f}; wrote {out} in {seconds:.1f} s."
    )
