"""``tarstop rank`` and ``tarstop metrics``: a ranking, and how good one is."""

import time
from pathlib import Path

import click

from tarstop_core.cli.shared import PATH, json_option, print_json, progress, say, writable, writing


@click.command()
@click.argument("records", type=PATH)
@click.option("--query", required=True, help="What is searched for: a sentence or a claim.")
@click.option("--out", type=PATH, required=True, help="TREC run to write.")
@click.option("--topic", help="Topic name in the run; the file's name without suffixes unless given.")
@click.option(
    "--tokens",
    type=click.Choice(["paper", "words"]),
    default="paper",
    show_default=True,
    help="What counts: lower case at white space, as in the paper, or word stems without common words, as new sessions do.",
)
@json_option
def rank(records: Path, query: str, out: Path, topic: str | None, tokens: str, as_json: bool) -> None:
    """Rank RECORDS by BM25 against a query and write a TREC run."""
    from tarstop_core.documents.records import ranking_text
    from tarstop_core.files import read_records, write_run
    from tarstop_core.ranking.bm25 import RECIPES, rank_documents

    begun = time.perf_counter()
    writable(out, records)
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

    ranked, judged = read_run(run), read_qrels(qrels)
    quality = ranking_metrics(ranked, judged)
    say((*ranked.notes, *judged.notes))
    if as_json:
        print_json(quality)
    else:
        click.echo(
            f"{quality['topics']} topics: MAP {quality['map']:.4f}, NDCG {quality['ndcg']:.4f}, "
            f"recall at 100 {quality['recall_100']:.4f}."
        )
