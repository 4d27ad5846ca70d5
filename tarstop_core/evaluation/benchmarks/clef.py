"""The files of CLEF TAR that several benchmarks read, and what is said of them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tarstop_core.evaluation.benchmarks.base import Named
from tarstop_core.evaluation.benchmarks.sources import Source
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.tasks.decisive import DecisiveTask

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


def by_relevance(name: str, title: str, said: str, make: Callable[..., Benchmark]) -> dict[str, Named]:
    """A benchmark of rankings played as patents, once for each of :data:`READ`: full text goes without saying."""
    return {
        relevance: Named(
            name if relevance == "content" else f"{name}-{relevance}",
            f"{title}, relevance by {read}",
            DecisiveTask.scenario,
            said,
            make=partial(make, relevance=relevance),
            real=True,
            variant="" if relevance == "content" else f"relevance by {read}",
        )
        for relevance, read in READ.items()
    }
