"""Benchmarks by name, simulated or of real collections, and folders of your own by path."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.folder import (
    CollectionFiles,
    decisive_cases,
    from_folder,
    measured_statistics,
    review_cases,
)
from tarstop_core.evaluation.cases import Benchmark, Case, Fold, cross_validated
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.files import read_outcomes
from tarstop_core.places import real_data
from tarstop_core.samples.simulate import rankings, reviews


@dataclass(frozen=True)
class Named:
    """A benchmark that has a name on the command line and in files."""

    name: str  # Short, for the command line and for files
    title: str  # For headings
    scenario: str  # One of :data:`~tarstop_core.evaluation.tasks.TASKS`
    summary: str  # For the command's help
    make: Callable[..., Benchmark]  # Takes the folder of real collections if `real`, else nothing
    real: bool = False  # Whether it needs real collections
    variant: str = ""
    """What differs from the main benchmark of its kind; "" for that one. Results of variants are not shipped."""

    def made(self) -> Benchmark:
        """Make the benchmark.

        Raises
        ------
        InputProblem
            When it needs real collections and they are not at hand (:func:`~tarstop_core.places.real_data`).
        """
        return self.make(real_data()) if self.real else self.make()

    def holding(self, **content: Any) -> Benchmark:
        """Return a benchmark with this name, title and scenario; `content` is its other fields."""
        return Benchmark(name=self.name, title=self.title, scenario=self.scenario, **content)


# --- simulated ------------------------------------------------------------------------------------

TOPICS = 1000
"""Topics in each half; half of them are ω⁺, as in the paper."""


def simulated_patents(topics: int = TOPICS, seed: int = rankings.DEFAULT_SEED) -> Benchmark:
    """Simulate this many searches to train on and as many to test on, which take the next seed; the paper has 500 each."""
    train, test = (rankings.simulate_patent_rankings(topics, seed + half) for half in (0, 1))
    return _simulated(
        SIMULATED_PATENTS,
        [[Case(topic, topic.name) for topic in half] for half in (train, test)],
        f"rankings, seeds {seed} (training) and {seed + 1} (test)",
        (rankings.ranking_statistics(test), rankings.TARGETS),
    )


def simulated_reviews(outcomes: int = reviews.OUTCOMES, seed: int = reviews.DEFAULT_SEED) -> Benchmark:
    """Simulate review outcomes: 67 to train and 68 to test by default, no review in both."""
    simulated = reviews.simulate_review_outcomes(outcomes, seed)
    train, test = simulated[: outcomes // 2], simulated[outcomes // 2 :]
    return _simulated(
        SIMULATED_REVIEWS,
        [[Case(outcome.topic, outcome.review, outcome) for outcome in half] for half in (train, test)],
        f"reviews, seed {seed}",
        (reviews.review_statistics(test), reviews.TARGETS),
    )


def _simulated(
    about: Named,
    halves: Sequence[list[Case]],
    drawn: str,
    statistics: tuple[Mapping[str, float], Mapping[str, float]],
) -> Benchmark:
    reached, aimed_at = statistics
    matched = "matched only to the paper's ranking statistics"
    return about.holding(
        folds=(Fold(*halves),),
        provenance=f"tarstop_core.samples.simulate.{drawn}; {matched}",
        simulated=True,
        statistics={name: (value, aimed_at.get(name)) for name, value in reached.items()},
    )


SIMULATED_PATENTS, SIMULATED_REVIEWS = (
    Named(scenario, summary.capitalize(), scenario, summary, make)
    for scenario, summary, make in (
        (DecisiveTask.scenario, "simulated patent searches", simulated_patents),
        (ReviewTask.scenario, "simulated diagnostic-accuracy reviews", simulated_reviews),
    )
)


# --- CLEF TAR: real rankings played as patents, and reviews with real 2×2 tables ------------------

READ = {"content": "full text", "abs": "title and abstract"}
"""What relevance is judged by, in words, by its name in files."""
PROVENANCE = (
    "CLEF TAR {years} (MIT licence): medical systematic reviews, {ranking}, relevance by {relevance}; ω⁻ topics are "
    "the same rankings with their relevant documents removed"
)


def _collection(data: Path, name: str, relevance: str) -> CollectionFiles:
    """The files of a real collection (``docs/benchmarks_of_your_own.md``); `relevance` is one of :data:`READ`."""
    run, qrels = {
        "clef_dta": ("bm25.run", f"{relevance}.qrels"),
        "clef2019": ("bm25_dta.run", f"full.test.dta.{relevance}.2019.qrels"),
        "clef2017": ("es_bool.run", f"qrel_{relevance}_test.txt"),
    }[name]
    outcomes = data / name / "outcomes.csv" if name == "clef_dta" else None
    return CollectionFiles(data / name / run, data / name / qrels, outcomes)


def _clef_rankings(data: Path, relevance: str) -> Benchmark:
    """24 real rankings (``clef_dta``), 5-fold cross-validation over topics, ω⁻ topics by removal."""
    cases, notes = decisive_cases(_collection(data, "clef_dta", relevance))
    provenance = PROVENANCE.format(
        years="2017 and 2018", ranking="rank_bm25 scores", relevance=READ[relevance]
    )
    folds, statistics = cross_validated(cases), measured_statistics(cases)
    return RANKINGS[relevance].holding(folds=folds, provenance=provenance, statistics=statistics, notes=notes)


def _clef_travel(data: Path, relevance: str) -> Benchmark:
    """Trained on ``clef_dta``, tested on the rankings of ``clef2019`` and ``clef2017`` made by other systems."""
    train, notes = decisive_cases(_collection(data, "clef_dta", relevance))
    seen = {case.group for case in train}
    test: list[Case] = []
    for name in ("clef2019", "clef2017"):
        cases, more = decisive_cases(_collection(data, name, relevance))
        fresh = [case for case in cases if case.group not in seen]
        left_out = {case.group for case in cases} & seen
        seen |= {case.group for case in fresh}
        test += fresh
        notes += more
        if left_out:
            notes += (f"{name}: {len(left_out)} reviews are left out because they are already used.",)
    provenance = PROVENANCE.format(
        years="2017 to 2019",
        ranking="trained on rank_bm25 scores of one set, tested on Elasticsearch and BM25 scores of others",
        relevance=READ[relevance],
    )
    folds, statistics = (Fold(train, test),), measured_statistics(test)
    return TRAVEL[relevance].holding(folds=folds, provenance=provenance, statistics=statistics, notes=notes)


def _clef_reviews(data: Path) -> Benchmark:
    """63 outcomes of 16 reviews, 5-fold cross-validation over reviews, which count equally."""
    cases, notes = review_cases(_collection(data, "clef_dta", "content"), read_outcomes)
    return REVIEWS.holding(
        folds=cross_validated(cases),
        provenance=(
            "Real rankings (CLEF TAR 2017 and 2018, rank_bm25 scores), real 2×2 tables of Cochrane reviews "
            "(via LIMSI-Cochrane, doi 10.5281/zenodo.1303259); which document brings which table is invented"
        ),
        weigh_by_group=True,
        statistics=measured_statistics(cases),
        notes=notes,
    )


def _by_relevance(name: str, title: str, summary: str, make: Callable[..., Benchmark]) -> dict[str, Named]:
    """A benchmark of rankings played as patents for each of :data:`READ`; names and titles leave out full text."""
    return {
        relevance: Named(
            name if relevance == "content" else f"{name}-{relevance}",
            f"{title}, relevance by {words}",
            DecisiveTask.scenario,
            summary,
            make=partial(make, relevance=relevance),
            real=True,
            variant="" if relevance == "content" else f"relevance by {words}",
        )
        for relevance, words in READ.items()
    }


RANKINGS = _by_relevance(
    "clef", "CLEF TAR rankings", "real rankings; any relevant document decides", _clef_rankings
)
TRAVEL = _by_relevance(
    "clef-travel",
    "CLEF TAR rankings of other systems",
    "the same, trained on one system's rankings, tested on others'",
    _clef_travel,
)
REVIEWS = Named(
    "clef-review",
    "Diagnostic-accuracy reviews, semi-synthetic",
    ReviewTask.scenario,
    "real rankings and 2×2 tables; which document brings which is invented",
    make=_clef_reviews,
    real=True,
)


# --- by name ----------------------------------------------------------------------------------------

BENCHMARKS = {
    about.name: about
    for about in (SIMULATED_PATENTS, SIMULATED_REVIEWS, *RANKINGS.values(), *TRAVEL.values(), REVIEWS)
}
"""Benchmarks by name, in the order in which they are offered."""


def named(name: str) -> Benchmark:
    """Make one of :data:`BENCHMARKS` by its name, or read a folder of your own.

    Raises
    ------
    InputProblem
        When there is no such benchmark, or it needs real collections that are not at hand.
    """
    if name in BENCHMARKS:
        return BENCHMARKS[name].made()
    if Path(name).is_dir():
        return from_folder(Path(name))
    raise InputProblem(
        f"There is no benchmark '{name}' and no folder of that name; choose {', '.join(BENCHMARKS)} or a folder."
    )
