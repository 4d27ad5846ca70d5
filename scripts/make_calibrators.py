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
    taught_by,
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
from tarstop_core.calibration.hit_rate_model import Thinning
from tarstop_core.calibration.quality import Quality
from tarstop_core.calibration.rank_frailty import SPREADS, cases_of, for_merged_lists, learn, survival
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.places import real_data
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings
from tarstop_core.samples.simulate.reviews import simulate_review_outcomes

# A person relies on these: no step learned from a handful of documents may claim certainty.
PSEUDO = 1.0
SEEDS = 1, 2  # of what is fitted and of what it is judged on
SEARCH_SEEDS = range(101, 121), range(201, 211)
REVIEW_SEEDS = range(301, 321), range(401, 411)
ALL_COLLECTIONS = "CLEF TAR 2017 to 2019 (MIT licence, Leif Azzopardi), ranked by rank_bm25, Elasticsearch and the organisers"
HOME = "CLEF TAR 2017 and 2018 (MIT licence, Leif Azzopardi), rank_bm25 scores"
DATA = "full-text relevance, which stands for extractable data"
ELSEWHERE = "medical reviews from four collections"
LEFT_OUT = "leaving each collection, with its reviews, out"
HELD_OUT = "8 held-out CLEF TAR 2019 diagnostic reviews, ranked by another BM25"
SUFFIX = {"marginal": "", "hazard": "-hazard", "frailty": "-frailty", "rank": "-rank"}


def write(stem: str, calibrator: Calibrator, quality: Quality) -> None:
    """Write a calibrator with how well it was judged."""
    write_sample("calibrators", f"{stem}.json", replace(calibrator, quality=quality).to_json())
    print(f"{stem}: Brier {quality.brier:.4f}, ECE {quality.ece:.4f}")


def make(
    stem: str,
    lists: tuple[Sequence[Topic], Sequence[Topic]],
    how: str,
    scenario: str = "patent",
    kinds: Sequence[str] = ("marginal", "rank"),
    thins_out: Thinning | None = None,
    **about: Any,
) -> None:
    """Fit each kind on the first lists, judge it on the second; `thins_out` says how hits thin out, where these lists do not."""
    train, test = lists
    for kind in kinds:
        fitted = fit(train, kind=kind, scenario=scenario, pseudo=PSEUDO, **about)
        fitted = replace(fitted, thinning=thins_out or fitted.thinning)
        write(f"{stem}{SUFFIX[kind]}", fitted, assess(fitted, test, how))


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
        name=f"{ELSEWHERE}, not patents",
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
    default = replace(fit(topics, kind="rank-frailty", collections=names), fitted_on=seen)
    write("clef-reviews-rank-frailty", default, assess_each(held_out, LEFT_OUT))
    merged = replace(default, fitted_on=replace(seen, name=f"{seen.name}, for merged lists"))
    held_out = [(for_merged_lists(calibrator), lists) for calibrator, lists in held_out]
    write("clef-reviews-merged", for_merged_lists(merged), assess_each(held_out, LEFT_OUT))


def share(stem: str, learned: ExtractionRate) -> None:
    """Write the share of included reports that bring data."""
    write_sample("data_share", f"{stem}.json", learned.to_json())
    low, high = learned.interval()
    print(f"data_share/{stem}: {learned.mean:.3f} ({low:.3f} to {high:.3f})")


def searches(seeds: range) -> list[Topic]:
    """Readable simulated searches like the sample's."""
    return [search.ranked(f"-{seed}") for seed in seeds for search in simulate_patents(seed)]


def reviews(seeds: range, scenario: str) -> list[Topic]:
    """Readable simulated reviews like the sample's, by data or by inclusion."""
    how = {"by_inclusion": scenario == "inclusion"}
    return [review.ranked(f"-{seed}", **how) for seed in seeds for review in simulate_reviews(seed)]


def thinning(data: Path, judged: str) -> Thinning:
    """How relevant documents thin out along the lists of all collections."""
    collections = read_collections(data, judged).values()
    return taught_by(np.asarray(topic.labels) for topics in collections for topic in topics)


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
    make(
        "sample-searches",
        (searches(SEARCH_SEEDS[0]), searches(SEARCH_SEEDS[1])),
        f"{8 * len(SEARCH_SEEDS[1])} held-out simulated searches",
        simulated=True,
        name="searches like the sample's",
        source=f"tarstop_core.simulate.patents, seeds {SEARCH_SEEDS[0][0]}–{SEARCH_SEEDS[0][-1]}",
    )
    seeds = f"seeds {SEEDS[0]} (fit) and {SEEDS[1]} (judged)"
    train, test = (simulate_patent_rankings(topics=1000, seed=seed) for seed in SEEDS)
    make(
        "simulated-patents",
        (train, test),
        "500 held-out simulated topics",
        kinds=tuple(SUFFIX),
        simulated=True,
        name="patent searches",
        source=f"tarstop_core.simulate.rankings, {seeds}",
    )
    relevant = []
    for stem, scenario in (("sample-reviews", "review"), ("sample-reviews-inclusion", "inclusion")):
        train, test = (reviews(seeds, scenario) for seeds in REVIEW_SEEDS)
        make(
            stem,
            (train, test),
            f"{len(test)} held-out simulated reviews",
            scenario,
            simulated=True,
            name="reviews like the sample's",
            source=f"tarstop_core.simulate.diagnostic, seeds {REVIEW_SEEDS[0][0]}–{REVIEW_SEEDS[0][-1]}",
        )
        relevant.append([topic.n_relevant or 0 for topic in train])
    pairs = list(zip(*reversed(relevant), strict=True))
    share("sample-reviews", fit_extraction_rate(pairs, "simulated reviews like the sample's"))
    train, test = ([outcome.topic for outcome in simulate_review_outcomes(seed=seed)] for seed in SEEDS)
    make(
        "simulated-reviews",
        (train, test),
        "135 held-out simulated outcomes",
        "review",
        simulated=True,
        name="review outcomes",
        source=f"tarstop_core.simulate.reviews, {seeds}",
    )


def of_two_systems(data: Path, judged: str) -> tuple[Sequence[Topic], Sequence[Topic]]:
    """Lists of one system to fit on, and those of another to judge on."""
    return medical(data, "clef_dta", judged), medical(data, "clef2019 dta", judged)


def make_real(data: Path) -> None:
    """What real lists of medical reviews teach."""
    make(
        "clef-reviews",
        of_two_systems(data, "content"),
        HELD_OUT,
        kinds=tuple(SUFFIX),
        name="medical reviews of CLEF TAR, not patents",
        source=f"{HOME}, full-text relevance",
    )
    make_for_new_collections(data)
    for stem, scenario, judged, note, what, judged_by in (
        ("review-data", "review", "content", "; full-text relevance stands for data", DATA, DATA),
        ("review-inclusion", "inclusion", "abs", "", "inclusion by title and abstract", "title and abstract"),
    ):
        thins_out = thinning(data, judged)
        if scenario == "review":
            # Chances are those of one question, of which the review has several.
            thins_out = for_one_question(thins_out, question_rate(data, judged))
        collections = read_collections(data, judged)
        rank: dict[str, Any] = {"kind": "rank", "scenario": scenario, "pseudo": PSEUDO}
        held_out = [(fit(others(collections, each), **rank), lists) for each, lists in collections.items()]
        rank |= {"name": f"{ELSEWHERE}{note}", "source": f"{ALL_COLLECTIONS}; {judged_by}"}
        fitted = fit([topic for lists in collections.values() for topic in lists], **rank)
        write(f"{stem}-elsewhere", replace(fitted, thinning=thins_out), assess_each(held_out, LEFT_OUT))
        make(
            stem,
            of_two_systems(data, judged),
            HELD_OUT,
            scenario,
            thins_out=thins_out,
            name=f"CLEF TAR diagnostic reviews{note}",
            source=f"{HOME}, {what}; how many are still unread: CLEF TAR 2017 to 2019, four collections",
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
