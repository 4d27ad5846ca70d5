"""The files of CLEF TAR that several benchmarks read, and what is said of them."""

from __future__ import annotations

from pathlib import Path

from tarstop_core.evaluation.benchmarks.sources import Source

READ = {"content": "full text", "abs": "title and abstract"}
"""What relevance is judged by: as files call it, and in words."""
PROVENANCE = (
    "CLEF TAR {years} (MIT licence): medical systematic reviews, {ranking}, relevance by {relevance}; ω⁻ topics are "
    "the same rankings with their relevant documents removed"
)


def collection(data: Path, name: str, relevance: str) -> Source:
    """A collection as the folder of real data holds it (``docs/benchmarks_of_your_own.md``); relevance of :data:`READ`."""
    run, qrels = {
        "clef_dta": ("bm25.run", f"{relevance}.qrels"),
        "clef2019": ("bm25_dta.run", f"full.test.dta.{relevance}.2019.qrels"),
        "clef2017": ("es_bool.run", f"qrel_{relevance}_test.txt"),
    }[name]
    outcomes = data / name / "outcomes.csv" if name == "clef_dta" else None
    return Source(data / name / run, data / name / qrels, outcomes)


def called(name: str, relevance: str) -> str:
    """The name of a benchmark by what relevance is judged by: full text goes without saying."""
    return name if relevance == "content" else f"{name}-{relevance}"


def variant(relevance: str) -> str:
    """What a benchmark takes otherwise than the one of its name."""
    return "" if relevance == "content" else f"relevance by {READ[relevance]}"
