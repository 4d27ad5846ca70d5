"""Fit the calibrators in ``sample_data/calibrators``: figures only, each judged on topics it has not seen.

Beside them, the share of included reports that bring data, in ``sample_data/data_share``. The simulated ones need nothing; the
real ones need the folder that TARSTOP_REAL_DATA names. Run again, it writes the same files.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from scripts.make_samples.diagnostic import simulate_reviews
from scripts.make_samples.patents import simulate_patents
from scripts.real_lists import (
    COLLECTIONS,
    JUDGED,
    elsewhere,
    medical,
    others,
    questions_by_review,
    read_collections,
    write_sample,
)
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.extraction_rate import (
    ExtractionRate,
    fit_extraction_rate,
    fit_question_rate,
    for_one_question,
)
from tarstop_core.calibration.fitting import assess, assess_each, fit
from tarstop_core.calibration.hit_rate_fit import fit_thinning
from tarstop_core.calibration.hit_rate_model import Thinning
from tarstop_core.calibration.quality import Quality
from tarstop_core.calibration.rank_frailty import SPREADS, cases_of, for_merged_lists, learn, survival
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.places import real_data
from tarstop_core.presentation.numbers import percent
from tarstop_core.ranking.bm25 import rank_documents
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings
from tarstop_core.samples.simulate.reviews import simulate_review_outcomes

# A person relies on these: no step learned from a handful of documents may claim certainty.
PSEUDO = 1.0
TRAIN_SEED, TEST_SEED = 1, 2
SEARCH_TRAIN_SEEDS, SEARCH_TEST_SEEDS = range(101, 121), range(201, 211)
REVIEW_TRAIN_SEEDS, REVIEW_TEST_SEEDS = range(301, 321), range(401, 411)
ALL_COLLECTIONS = "CLEF TAR 2017 to 2019 (MIT licence, Leif Azzopardi), ranked by rank_bm25, Elasticsearch and the organisers"
LEFT_OUT = "leaving each collection, with its reviews, out"
DATA = "full-text relevance, which stands for extractable data"
SUFFIX = {"marginal": "", "hazard": "-hazard", "frailty": "-frailty", "rank": "-rank"}


def write(stem: str, calibrator: Calibrator, quality: Quality) -> None:
    """Write a calibrator with how well it was judged."""
    write_sample("calibrators", f"{stem}.json", replace(calibrator, quality=quality).to_json())
    print(f"{stem}: Brier {quality.brier:.4f}, ECE {quality.ece:.4f}")


def make(
    stem: str,
    train: Sequence[Topic],
    test: Sequence[Topic],
    how: str,
    scenario: str = "patent",
    kinds: Sequence[str] = ("marginal", "rank"),
    thins_out: Thinning | None = None,
    simulated: bool = True,
    **about: Any,
) -> None:
    """Fit each kind on `train` and judge it on `test`; `thins_out` says how hits thin out, where the lists that are fitted do not."""
    for kind in kinds:
        calibrator = fit(train, kind=kind, scenario=scenario, pseudo=PSEUDO, simulated=simulated, **about)
        if thins_out is not None:
            calibrator = replace(calibrator, thinning=thins_out)
        write(f"{stem}{SUFFIX[kind]}", calibrator, assess(calibrator, test, how))


def make_for_new_collections(data: Path) -> None:
    """Chances for lists of a collection that nobody has seen, judged by leaving each collection out."""
    topics, names = elsewhere(data)
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
            f"{ALL_COLLECTIONS}; "
            "each list by title and abstract and by full text. Four collections hardly tell how unlike them the next may be; "
            f"the mean hardly depends on it: a first hit comes by rank 50 in {percent(by_50[0])} of searches if collections are "
            f"taken to differ half as much, and in {percent(by_50[1])} if twice as much"
        ),
    )
    held_out = []
    for tested in COLLECTIONS:
        away, where = elsewhere(data, tested)
        calibrator = fit(away, kind="rank-frailty", collections=where)
        held_out += [(calibrator, medical(data, tested, judged)) for judged in JUDGED]
    fitted = replace(fit(topics, kind="rank-frailty", collections=names), fitted_on=seen)
    write("clef-reviews-rank-frailty", fitted, assess_each(held_out, LEFT_OUT))
    merged = for_merged_lists(replace(fitted, fitted_on=replace(seen, name=f"{seen.name}, for merged lists")))
    held_out = [(for_merged_lists(calibrator), topics) for calibrator, topics in held_out]
    write("clef-reviews-merged", merged, assess_each(held_out, LEFT_OUT))


def make_reviews_for_new_collections(
    data: Path, stem: str, scenario: str, judged: str, name: str, what: str, thins_out: Thinning
) -> None:
    """Chances by rank for reviews of a collection that nobody has seen, judged by leaving each collection out."""
    collections = read_collections(data, judged)
    settings: dict[str, Any] = {"kind": "rank", "scenario": scenario, "pseudo": PSEUDO}
    every = [topic for topics in collections.values() for topic in topics]
    fitted = fit(every, **settings, name=name, source=f"{ALL_COLLECTIONS}; {what}")
    held_out = [
        (fit(others(collections, tested), **settings), topics) for tested, topics in collections.items()
    ]
    write(stem, replace(fitted, thinning=thins_out), assess_each(held_out, LEFT_OUT))


def share(stem: str, learned: ExtractionRate) -> None:
    """Write the share of included reports that bring data."""
    write_sample("data_share", f"{stem}.json", learned.to_json())
    low, high = learned.interval()
    print(f"data_share/{stem}: {learned.mean:.3f} ({low:.3f} to {high:.3f})")


def ranked(
    name: str, query: str, documents: Sequence[Any], ids: Sequence[str], labels: Sequence[bool]
) -> Topic:
    """A simulated list, ranked as the dashboard ranks it."""
    order, scores = rank_documents([f"{each.title} {each.abstract}" for each in documents], query)
    relevant = np.array(labels)[order]
    return Topic(name, np.array(ids)[order], scores[order], relevant, int(relevant.sum()))


def searches(seeds: range) -> list[Topic]:
    """Readable simulated searches like the sample's."""
    return [
        ranked(
            f"{search.invention.topic}-{seed}",
            search.invention.claim,
            search.documents,
            [document.publication_number for document in search.documents],
            [document.relevant for document in search.documents],
        )
        for seed in seeds
        for search in simulate_patents(seed)
    ]


def reviews(seeds: range) -> tuple[list[Topic], list[Topic]]:
    """Readable simulated reviews like the sample's: by data, and by inclusion."""
    data, inclusion = [], []
    for seed in seeds:
        for review in simulate_reviews(seed):
            given = f"{review.question.topic}-{seed}", review.question.question, review.reports
            ids = [report.id for report in review.reports]
            data.append(ranked(*given, ids, [report.counts is not None for report in review.reports]))
            inclusion.append(ranked(*given, ids, [report.included for report in review.reports]))
    return data, inclusion


def thinning(data: Path, judged: str) -> Thinning:
    """How relevant documents thin out along the lists of all collections."""
    topics = [topic for topics in read_collections(data, judged).values() for topic in topics]
    return fit_thinning([(np.ones(len(topic), dtype=bool), np.asarray(topic.labels)) for topic in topics])


def question_rate(data: Path, judged: str) -> ExtractionRate:
    """How many of the reports judged to be included bring data for one question."""
    reviews = list(questions_by_review(data, judged).values())
    kept, few = sum(len(each.with_data) for each in reviews), sum(each.few for each in reviews)
    source = (
        f"{kept} questions of diagnostic reviews of CLEF TAR 2017 and 2018, whose studies were linked to documents by us, and "
        f"{few} with fewer than five studies, of which only the number is known"
    )
    return fit_question_rate(reviews, source)


def make_simulated() -> None:
    """What needs no real lists."""
    first, last = SEARCH_TRAIN_SEEDS.start, SEARCH_TRAIN_SEEDS.stop - 1
    make(
        "sample-searches",
        searches(SEARCH_TRAIN_SEEDS),
        searches(SEARCH_TEST_SEEDS),
        f"{8 * len(SEARCH_TEST_SEEDS)} held-out simulated searches",
        name="searches like the sample's",
        source=f"tarstop_core.simulate.patents, seeds {first}–{last}",
    )
    make(
        "simulated-patents",
        simulate_patent_rankings(topics=1000, seed=TRAIN_SEED),
        simulate_patent_rankings(topics=1000, seed=TEST_SEED),
        "500 held-out simulated topics",
        kinds=tuple(SUFFIX),
        name="patent searches",
        source=f"tarstop_core.simulate.rankings, seeds {TRAIN_SEED} (fit) and {TEST_SEED} (judged)",
    )
    train, test = reviews(REVIEW_TRAIN_SEEDS), reviews(REVIEW_TEST_SEEDS)
    first, last = REVIEW_TRAIN_SEEDS.start, REVIEW_TRAIN_SEEDS.stop - 1
    for at, (stem, scenario) in enumerate(
        (("sample-reviews", "review"), ("sample-reviews-inclusion", "inclusion"))
    ):
        make(
            stem,
            train[at],
            test[at],
            f"{len(test[at])} held-out simulated reviews",
            scenario,
            name="reviews like the sample's",
            source=f"tarstop_core.simulate.diagnostic, seeds {first}–{last}",
        )
    with_data, included = ([topic.n_relevant or 0 for topic in topics] for topics in train)
    pairs = list(zip(included, with_data, strict=True))
    share("sample-reviews", fit_extraction_rate(pairs, "simulated reviews like the sample's"))
    make(
        "simulated-reviews",
        [outcome.topic for outcome in simulate_review_outcomes(seed=TRAIN_SEED)],
        [outcome.topic for outcome in simulate_review_outcomes(seed=TEST_SEED)],
        "135 held-out simulated outcomes",
        "review",
        name="review outcomes",
        source=f"tarstop_core.simulate.reviews, seeds {TRAIN_SEED} (fit) and {TEST_SEED} (judged)",
    )


def make_real(data: Path) -> None:
    """What real lists of medical reviews teach."""
    home = "CLEF TAR 2017 and 2018 (MIT licence, Leif Azzopardi), rank_bm25 scores"
    how = "8 held-out CLEF TAR 2019 diagnostic reviews, ranked by another BM25"
    make(
        "clef-reviews",
        medical(data, "clef_dta", "content"),
        medical(data, "clef2019 dta", "content"),
        how,
        kinds=tuple(SUFFIX),
        name="medical reviews of CLEF TAR, not patents",
        source=f"{home}, full-text relevance",
        simulated=False,
    )
    make_for_new_collections(data)
    for stem, scenario, judged, name, what in (
        ("review-data", "review", "content", "; full-text relevance stands for data", DATA),
        ("review-inclusion", "inclusion", "abs", "", "inclusion by title and abstract"),
    ):
        judged_by = DATA if scenario == "review" else "title and abstract"
        named = f"medical reviews from four collections{name}"
        thins_out = thinning(data, judged)
        if scenario == "review":
            # Chances are those of one question, of which the review has several.
            thins_out = for_one_question(thins_out, question_rate(data, judged))
        make_reviews_for_new_collections(
            data, f"{stem}-elsewhere", scenario, judged, named, judged_by, thins_out
        )
        make(
            stem,
            medical(data, "clef_dta", judged),
            medical(data, "clef2019 dta", judged),
            how,
            scenario,
            thins_out=thins_out,
            name=f"CLEF TAR diagnostic reviews{name}",
            source=f"{home}, {what}; how many are still unread: CLEF TAR 2017 to 2019, four collections",
            simulated=False,
        )
    share("clef-reviews", question_rate(data, "abs"))


def main() -> None:
    """Make what can be made here."""
    make_simulated()
    try:
        make_real(real_data())
    except InputProblem as problem:
        print(f"The calibrators from real rankings are left as they are. {problem}")


if __name__ == "__main__":
    main()
