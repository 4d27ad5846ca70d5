"""Real rankings and real 2×2 tables, semi-synthetic: which document brings which table is invented."""

from pathlib import Path

from tarstop_core.evaluation.benchmarks import clef
from tarstop_core.evaluation.benchmarks.base import Named, achieved
from tarstop_core.evaluation.benchmarks.sources import review_cases
from tarstop_core.evaluation.cases import Benchmark, cross_validated
from tarstop_core.evaluation.tasks.review import ReviewTask


def clef_reviews(data: Path) -> Benchmark:
    """63 outcomes of 16 reviews, 5-fold cross-validation over reviews, which count equally."""
    cases, notes = review_cases(clef.collection(data, "clef_dta", "content"))
    return NAMED.holding(
        folds=cross_validated(cases),
        provenance=(
            "Real rankings (CLEF TAR 2017 and 2018, rank_bm25 scores), real 2×2 tables of Cochrane reviews "
            "(via LIMSI-Cochrane, doi 10.5281/zenodo.1303259); which document brings which table is invented"
        ),
        weigh_by_group=True,
        statistics=achieved(cases),
        notes=notes,
    )


NAMED = Named(
    "clef-review",
    "Diagnostic-accuracy reviews, semi-synthetic",
    ReviewTask.scenario,
    "real rankings and 2×2 tables, which document brings which is invented",
    make=clef_reviews,
    real=True,
)
