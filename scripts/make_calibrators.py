"""Fit the calibrators in ``sample_data/calibrators``: figures only, each judged on topics it has not seen.

The simulated ones need nothing; the real ones need the folder that TARSTOP_REAL_DATA names. Run again,
it writes the same files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tarstop_core.calibration import assess, fit
from tarstop_core.files import label_topics, read_qrels, read_run
from tarstop_core.ranking import rank_documents
from tarstop_core.samples import sample_dir
from tarstop_core.simulate.patents import simulate_patents
from tarstop_core.simulate.rankings import simulate_patent_rankings
from tarstop_core.topic import Topic

# A person relies on these: no step learned from a handful of documents may claim certainty.
PSEUDO = 1.0
TRAIN_SEED, TEST_SEED = 1, 2
SEARCH_TRAIN_SEEDS, SEARCH_TEST_SEEDS = range(101, 121), range(201, 211)
SUFFIX = {"marginal": "", "hazard": "-hazard", "frailty": "-frailty", "rank": "-rank"}


def make(
    stem: str, kinds: Sequence[str], train: list[Topic], test: list[Topic], how: str, **about: Any
) -> None:
    """Fit each kind on `train`, judge it on `test`, write it."""
    for kind in kinds:
        calibrator = fit(train, kind=kind, scenario="patent", pseudo=PSEUDO, **about)
        judged = replace(calibrator, quality=assess(calibrator, test, how))
        path = sample_dir() / "calibrators" / f"{stem}{SUFFIX[kind]}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(judged.to_json(), encoding="utf-8")
        quality = judged.quality
        assert quality is not None
        print(f"{path.name}: {len(judged.x)} nodes, Brier {quality.brier:.4f}, ECE {quality.ece:.4f}")


def labelled(run: Path, qrels: Path) -> list[Topic]:
    """Topics of a run with their judgments."""
    topics, _ = label_topics(read_run(run), read_qrels(qrels))
    return list(topics.values())


def searches(seeds: range) -> list[Topic]:
    """Readable simulated searches like the sample's, ranked as the dashboard ranks them."""
    topics = []
    for seed in seeds:
        for search in simulate_patents(seed):
            texts = [f"{document.title} {document.abstract}" for document in search.documents]
            order, scores = rank_documents(texts, search.invention.claim)
            relevant = np.array([document.relevant for document in search.documents])[order]
            ids = np.array([document.publication_number for document in search.documents])[order]
            topics.append(
                Topic(f"{search.invention.topic}-{seed}", ids, scores[order], relevant, int(relevant.sum()))
            )
    return topics


def main() -> None:
    """Make what can be made here."""
    make(
        "sample-searches",
        ("marginal", "rank"),
        searches(SEARCH_TRAIN_SEEDS),
        searches(SEARCH_TEST_SEEDS),
        f"{8 * len(SEARCH_TEST_SEEDS)} held-out simulated searches",
        name="searches like the sample's",
        source=f"tarstop_core.simulate.patents, seeds {SEARCH_TRAIN_SEEDS.start}–{SEARCH_TRAIN_SEEDS.stop - 1}",
        simulated=True,
    )
    make(
        "simulated-patents",
        ("marginal", "hazard", "frailty", "rank"),
        simulate_patent_rankings(topics=1000, seed=TRAIN_SEED),
        simulate_patent_rankings(topics=1000, seed=TEST_SEED),
        "500 held-out simulated topics",
        name="patent searches",
        source=f"tarstop_core.simulate.rankings, seeds {TRAIN_SEED} (fit) and {TEST_SEED} (judged)",
        simulated=True,
    )
    real = os.environ.get("TARSTOP_REAL_DATA")
    if not real:
        print("TARSTOP_REAL_DATA is not set: the calibrators from real rankings are left as they are.")
        return
    data = Path(real)
    make(
        "clef-reviews",
        ("marginal", "hazard", "frailty", "rank"),
        labelled(data / "clef_dta/bm25.run", data / "clef_dta/content.qrels"),
        labelled(data / "clef2019/bm25_dta.run", data / "clef2019/full.test.dta.content.2019.qrels"),
        "8 held-out CLEF TAR 2019 diagnostic reviews, ranked by another BM25",
        name="medical reviews of CLEF TAR, not patents",
        source="CLEF TAR 2017 and 2018 (MIT licence, Leif Azzopardi), rank_bm25 scores, full-text relevance",
        simulated=False,
    )


if __name__ == "__main__":
    main()
