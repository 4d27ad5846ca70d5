"""Real rankings of CLEF TAR played as patents: any relevant document decides."""

from pathlib import Path

from tarstop_core.evaluation.benchmarks import clef
from tarstop_core.evaluation.benchmarks.base import achieved
from tarstop_core.evaluation.benchmarks.sources import decisive_cases
from tarstop_core.evaluation.cases import Benchmark, cross_validated


def clef_decisive(data: Path, relevance: str = "content") -> Benchmark:
    """24 real rankings (``clef_dta``), 5-fold cross-validation over topics, ω⁻ topics by removal."""
    cases, notes = decisive_cases(clef.collection(data, "clef_dta", relevance))
    return NAMED[relevance].holding(
        folds=cross_validated(cases),
        provenance=clef.PROVENANCE.format(
            years="2017 and 2018", ranking="rank_bm25 scores", relevance=clef.READ[relevance]
        ),
        statistics=achieved(cases),
        notes=notes,
    )


NAMED = clef.by_relevance(
    "clef", "CLEF TAR rankings", "real rankings, any relevant document decides", clef_decisive
)
