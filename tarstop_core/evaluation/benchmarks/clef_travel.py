"""Whether what was learned travels: trained on one system's rankings of CLEF TAR, tested on others'."""

from pathlib import Path

from tarstop_core.evaluation.benchmarks import clef
from tarstop_core.evaluation.benchmarks.base import achieved
from tarstop_core.evaluation.benchmarks.sources import decisive_cases
from tarstop_core.evaluation.cases import Benchmark, Case, Fold


def clef_travel(data: Path, relevance: str = "content") -> Benchmark:
    """Trained on ``clef_dta``, tested on the rankings of ``clef2019`` and ``clef2017`` made by other systems."""
    train, notes = decisive_cases(clef.collection(data, "clef_dta", relevance))
    known = {case.group for case in train}
    test: list[Case] = []
    for name in ("clef2019", "clef2017"):
        cases, more = decisive_cases(clef.collection(data, name, relevance))
        fresh = [case for case in cases if case.group not in known]
        left_out = sorted({case.group for case in cases} & known)
        known |= {case.group for case in fresh}
        test += fresh
        notes += more
        if left_out:
            notes += (f"{name}: {len(left_out)} reviews are left out, because they are known already.",)
    return NAMED[relevance].holding(
        folds=(Fold(train, test),),
        provenance=clef.PROVENANCE.format(
            years="2017 to 2019",
            ranking="trained on rank_bm25 scores of one set, tested on Elasticsearch and BM25 scores of others",
            relevance=clef.READ[relevance],
        ),
        statistics=achieved(test),
        notes=notes,
    )


NAMED = clef.by_relevance(
    "clef-travel",
    "CLEF TAR rankings of other systems",
    "the same, trained on one system's rankings, tested on others'",
    clef_travel,
)
