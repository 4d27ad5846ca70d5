"""CLEF TAR: real rankings played as patents, on one system's lists or on others', and reviews with real 2×2 tables."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tarstop_core.evaluation.benchmarks.base import Named, achieved
from tarstop_core.evaluation.benchmarks.sources import Source, decisive_cases, review_cases
from tarstop_core.evaluation.cases import Benchmark, Case, Fold, cross_validated
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.review import ReviewTask

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


def rankings(data: Path, relevance: str) -> Benchmark:
    """24 real rankings (``clef_dta``), 5-fold cross-validation over topics, ω⁻ topics by removal."""
    cases, notes = decisive_cases(collection(data, "clef_dta", relevance))
    provenance = PROVENANCE.format(
        years="2017 and 2018", ranking="rank_bm25 scores", relevance=READ[relevance]
    )
    folds, statistics = cross_validated(cases), achieved(cases)
    return RANKINGS[relevance].holding(folds=folds, provenance=provenance, statistics=statistics, notes=notes)


def travel(data: Path, relevance: str) -> Benchmark:
    """Trained on ``clef_dta``, tested on the rankings of ``clef2019`` and ``clef2017`` made by other systems."""
    train, notes = decisive_cases(collection(data, "clef_dta", relevance))
    known = {case.group for case in train}
    test: list[Case] = []
    for name in ("clef2019", "clef2017"):
        cases, more = decisive_cases(collection(data, name, relevance))
        fresh = [case for case in cases if case.group not in known]
        left_out = sorted({case.group for case in cases} & known)
        known |= {case.group for case in fresh}
        test += fresh
        notes += more
        if left_out:
            notes += (f"{name}: {len(left_out)} reviews are left out, because they are known already.",)
    provenance = PROVENANCE.format(
        years="2017 to 2019",
        ranking="trained on rank_bm25 scores of one set, tested on Elasticsearch and BM25 scores of others",
        relevance=READ[relevance],
    )
    folds, statistics = (Fold(train, test),), achieved(test)
    return TRAVEL[relevance].holding(folds=folds, provenance=provenance, statistics=statistics, notes=notes)


def reviews(data: Path) -> Benchmark:
    """63 outcomes of 16 reviews, 5-fold cross-validation over reviews, which count equally."""
    cases, notes = review_cases(collection(data, "clef_dta", "content"))
    return REVIEWS.holding(
        folds=cross_validated(cases),
        provenance=(
            "Real rankings (CLEF TAR 2017 and 2018, rank_bm25 scores), real 2×2 tables of Cochrane reviews "
            "(via LIMSI-Cochrane, doi 10.5281/zenodo.1303259); which document brings which table is invented"
        ),
        weigh_by_group=True,
        statistics=achieved(cases),
        notes=notes,
    )


def _by_relevance(name: str, title: str, said: str, make: Callable[..., Benchmark]) -> dict[str, Named]:
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


RANKINGS = _by_relevance(
    "clef", "CLEF TAR rankings", "real rankings, any relevant document decides", rankings
)
TRAVEL = _by_relevance(
    "clef-travel",
    "CLEF TAR rankings of other systems",
    "the same, trained on one system's rankings, tested on others'",
    travel,
)
REVIEWS = Named(
    "clef-review",
    "Diagnostic-accuracy reviews, semi-synthetic",
    ReviewTask.scenario,
    "real rankings and 2×2 tables, which document brings which is invented",
    make=reviews,
    real=True,
)
NAMED = (*RANKINGS.values(), *TRAVEL.values(), REVIEWS)
