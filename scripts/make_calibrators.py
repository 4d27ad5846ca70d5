"""Fit the calibrators in ``sample_data/calibrators``: figures only, each judged on topics it has not seen.

Beside them, the share of included reports that bring data, in ``sample_data/data_share``. The simulated ones need nothing; the real ones need the folder that TARSTOP_REAL_DATA names. Run again,
it writes the same files.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from scripts.make_samples.diagnostic import simulate_reviews
from scripts.make_samples.patents import simulate_patents
from scripts.report_unread import others, read_collections
from scripts.travel_measured import COLLECTIONS, JUDGED, elsewhere, medical
from tarstop_core.calibration.data_share import fit_data_share
from tarstop_core.calibration.fitting import assess, assess_each, fit
from tarstop_core.calibration.rank_frailty import SPREADS, cases_of, learn, survival
from tarstop_core.calibration.thinning import fit_thinning
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files import label_topics, read_qrels, read_run
from tarstop_core.places import real_data, sample_dir
from tarstop_core.presentation.numbers import percent
from tarstop_core.ranking.bm25 import rank_documents
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings
from tarstop_core.samples.simulate.reviews import simulate_review_outcomes

# A person relies on these: no step learned from a handful of documents may claim certainty.
PSEUDO = 1.0
TRAIN_SEED, TEST_SEED = 1, 2
SEARCH_TRAIN_SEEDS, SEARCH_TEST_SEEDS = range(101, 121), range(201, 211)
REVIEW_TRAIN_SEEDS, REVIEW_TEST_SEEDS = range(301, 321), range(401, 411)
SUFFIX = {"marginal": "", "hazard": "-hazard", "frailty": "-frailty", "rank": "-rank"}


def make(
    stem: str,
    kinds: Sequence[str],
    train: list[Topic],
    test: list[Topic],
    how: str,
    scenario: str = "patent",
    thins_out: Sequence[Topic] = (),
    **about: Any,
) -> None:
    """Fit each kind on `train`, judge it on `test`, write it; how hits thin out is learned from other lists where given."""
    learned = fit_thinning(
        [(np.ones(len(each), dtype=bool), each.labels) for each in thins_out if each.labels is not None]
    )
    for kind in kinds:
        calibrator = fit(train, kind=kind, scenario=scenario, pseudo=PSEUDO, **about)
        if thins_out:
            calibrator = replace(calibrator, thinning=learned)
        judged = replace(calibrator, quality=assess(calibrator, test, how))
        path = sample_dir() / "calibrators" / f"{stem}{SUFFIX[kind]}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(judged.to_json(), encoding="utf-8")
        quality = judged.quality
        assert quality is not None
        print(
            f"{path.name}: {len(judged.x)} nodes, Brier {quality.brier:.4f}, ECE {quality.ece:.4f}, "
            f"dispersion {judged.dispersion:.2f}"
        )


def make_for_new_collections(data: Path, stem: str = "clef-reviews-rank-frailty") -> None:
    """Chances for lists of a collection that nobody has seen, judged by leaving each collection out."""
    topics, names = elsewhere(data)
    fitted = fit(topics, kind="rank-frailty", collections=names)
    cases = [
        cases_of(topic for topic, each in zip(topics, names, strict=True) if each == name)
        for name in dict.fromkeys(names)
    ]
    by_50 = [
        learned.weight @ (1 - survival(50)) * (1 - learned.lacking)
        for learned in (learn(cases, (scale * SPREADS[0], scale * SPREADS[1])) for scale in (0.5, 2))
    ]
    # Every list is in there twice, once by each judgment.
    once = [topic for topic, name in zip(topics, names, strict=True) if name.endswith(JUDGED[0])]
    seen = replace(
        fit(once, kind="rank").fitted_on,
        name="medical reviews from four collections, not patents",
        source=(
            "CLEF TAR 2017 to 2019 (MIT licence, Leif Azzopardi), ranked by rank_bm25, Elasticsearch and the organisers; "
            "each list by title and abstract and by full text. Four collections hardly tell how unlike them the next may be; "
            f"the mean hardly depends on it: a first hit comes by rank 50 in {percent(by_50[0])} of searches if collections are "
            f"taken to differ half as much, and in {percent(by_50[1])} if twice as much"
        ),
    )
    fitted = replace(fitted, fitted_on=seen)
    held_out = []
    for tested in COLLECTIONS:
        others, names = elsewhere(data, tested)
        away = fit(others, kind="rank-frailty", collections=names)
        held_out += [(away, medical(data, tested, by)) for by in JUDGED]
    quality = assess_each(held_out, "leaving each collection, with its reviews, out")
    path = sample_dir() / "calibrators" / f"{stem}.json"
    path.write_text(replace(fitted, quality=quality).to_json(), encoding="utf-8")
    print(f"{path.name}: {len(fitted.list_kinds)} kinds, Brier {quality.brier:.4f}, ECE {quality.ece:.4f}")


def make_reviews_for_new_collections(data: Path, stem: str, scenario: str, judgments: str, name: str) -> None:
    """Chances by rank for reviews of a collection that nobody has seen, judged by leaving each collection out."""
    collections = read_collections(data, judgments)
    settings: dict[str, Any] = {"kind": "rank", "scenario": scenario, "pseudo": PSEUDO}
    judged = (
        "title and abstract"
        if scenario == "inclusion"
        else "full-text relevance, which stands for extractable data"
    )
    fitted = fit(
        [topic for topics in collections.values() for topic in topics],
        **settings,
        name=name,
        source=(
            "CLEF TAR 2017 to 2019 (MIT licence, Leif Azzopardi), ranked by rank_bm25, Elasticsearch and the organisers; "
            f"{judged}"
        ),
    )
    held_out = [
        (fit(others(collections, tested), **settings), topics) for tested, topics in collections.items()
    ]
    quality = assess_each(held_out, "leaving each collection, with its reviews, out")
    path = sample_dir() / "calibrators" / f"{stem}.json"
    path.write_text(replace(fitted, quality=quality).to_json(), encoding="utf-8")
    print(f"{path.name}: {len(fitted.x)} nodes, Brier {quality.brier:.4f}, ECE {quality.ece:.4f}")


def share(stem: str, pairs: Sequence[tuple[int, int]], source: str) -> None:
    """Learn the share of included reports that bring data, and write it."""
    learned = fit_data_share(pairs, source)
    path = sample_dir() / "data_share" / f"{stem}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(learned.to_json(), encoding="utf-8")
    low, high = learned.interval()
    print(f"data_share/{path.name}: {learned.mean:.3f} ({low:.3f} to {high:.3f})")


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


def reviews(seeds: range) -> tuple[list[Topic], list[Topic]]:
    """Readable simulated reviews like the sample's, ranked likewise: by data, and by inclusion."""
    data, inclusion = [], []
    for seed in seeds:
        for review in simulate_reviews(seed):
            texts = [f"{report.title} {report.abstract}" for report in review.reports]
            order, scores = rank_documents(texts, review.question.question)
            ids = np.array([report.id for report in review.reports])[order]
            name = f"{review.question.topic}-{seed}"
            for topics, labels in (
                (data, [report.counts is not None for report in review.reports]),
                (inclusion, [report.included for report in review.reports]),
            ):
                relevant = np.array(labels)[order]
                topics.append(Topic(name, ids, scores[order], relevant, int(relevant.sum())))
    return data, inclusion


def shares(included: Sequence[Topic], with_data: Sequence[Topic]) -> list[tuple[int, int]]:
    """Reports included and reports with data of the same reviews."""
    return [(a.n_relevant or 0, b.n_relevant or 0) for a, b in zip(included, with_data, strict=True)]


def judged_pairs(abstracts: Path, full_texts: Path) -> list[tuple[int, int]]:
    """Documents included by title and abstract, and those of them relevant in full text, by topic."""
    pairs = []
    full = read_qrels(full_texts)
    for topic, judged in read_qrels(abstracts).items():
        included = {document for document, grade in judged.items() if grade > 0}
        relevant = {document for document, grade in full.get(topic, {}).items() if grade > 0}
        pairs.append((len(included), len(included & relevant)))
    return pairs


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
    train_data, train_inclusion = reviews(REVIEW_TRAIN_SEEDS)
    test_data, test_inclusion = reviews(REVIEW_TEST_SEEDS)
    for stem, scenario, train, test in (
        ("sample-reviews", "review", train_data, test_data),
        ("sample-reviews-inclusion", "inclusion", train_inclusion, test_inclusion),
    ):
        make(
            stem,
            ("marginal", "rank"),
            train,
            test,
            f"{len(test)} held-out simulated reviews",
            scenario,
            name="reviews like the sample's",
            source=(
                "tarstop_core.simulate.diagnostic, seeds "
                f"{REVIEW_TRAIN_SEEDS.start}–{REVIEW_TRAIN_SEEDS.stop - 1}"
            ),
            simulated=True,
        )
    share("sample-reviews", shares(train_inclusion, train_data), "simulated reviews like the sample's")
    make(
        "simulated-reviews",
        ("marginal", "rank"),
        [outcome.topic for outcome in simulate_review_outcomes(seed=TRAIN_SEED)],
        [outcome.topic for outcome in simulate_review_outcomes(seed=TEST_SEED)],
        "135 held-out simulated outcomes",
        "review",
        name="review outcomes",
        source=f"tarstop_core.simulate.reviews, seeds {TRAIN_SEED} (fit) and {TEST_SEED} (judged)",
        simulated=True,
    )
    try:
        data = real_data()
    except InputProblem as problem:
        print(f"The calibrators from real rankings are left as they are. {problem}")
        return
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
    make_for_new_collections(data)
    make_reviews_for_new_collections(
        data,
        "review-data-elsewhere",
        "review",
        "content",
        "medical reviews from four collections; full-text relevance stands for data",
    )
    make_reviews_for_new_collections(
        data,
        "review-inclusion-elsewhere",
        "inclusion",
        "abs",
        "medical reviews from four collections",
    )
    for stem, scenario, judgments, name, what in (
        (
            "review-data",
            "review",
            "content",
            "CLEF TAR diagnostic reviews; full-text relevance stands for data",
            "full-text relevance, which stands for extractable data",
        ),
        (
            "review-inclusion",
            "inclusion",
            "abs",
            "CLEF TAR diagnostic reviews",
            "inclusion by title and abstract",
        ),
    ):
        make(
            stem,
            ("marginal", "rank"),
            labelled(data / "clef_dta/bm25.run", data / f"clef_dta/{judgments}.qrels"),
            labelled(data / "clef2019/bm25_dta.run", data / f"clef2019/full.test.dta.{judgments}.2019.qrels"),
            "8 held-out CLEF TAR 2019 diagnostic reviews, ranked by another BM25",
            scenario,
            [each for lists in read_collections(data, judgments).values() for each in lists],
            name=name,
            source=(
                f"CLEF TAR 2017 and 2018 (MIT licence, Leif Azzopardi), rank_bm25 scores, {what}; how many are still unread: CLEF "
                "TAR 2017 to 2019, four collections"
            ),
            simulated=False,
        )
    share(
        "clef-reviews",
        judged_pairs(data / "clef_dta/abs.qrels", data / "clef_dta/content.qrels"),
        "diagnostic reviews of CLEF TAR 2017 and 2018; full-text relevance stands for data",
    )


if __name__ == "__main__":
    main()
