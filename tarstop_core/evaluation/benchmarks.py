"""Benchmarks: the simulated ones, real collections, and a folder of one's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tarstop_core.documents.outcome import Outcome
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.files import label_topics, read_outcomes, read_qrels, read_run
from tarstop_core.samples.simulate import rankings, reviews

FOLDS = 5
PATENT_TOPICS = 1000
"""Of either half; half of them ω⁺, as in the paper."""


# --- simulated ------------------------------------------------------------------------------------


def simulated_patents(topics: int = PATENT_TOPICS, seed: int = rankings.DEFAULT_SEED) -> Benchmark:
    """Simulated patent searches, as many to train as to test: the paper's 500 + 500 each by default.

    Parameters
    ----------
    topics : int
        Of either half; half of them ω⁺.
    seed : int
        The training half is drawn with it, the test half with the next.
    """
    train, test = (rankings.simulate_patent_rankings(topics, seed + half) for half in (0, 1))
    return Benchmark(
        name="patent",
        title="Simulated patent searches",
        scenario="patent",
        folds=(Fold(_cases(train), _cases(test)),),
        provenance=(
            f"tarstop_core.simulate.rankings, seeds {seed} (training) and {seed + 1} (test); matched to the "
            "paper's ranking statistics and to nothing else"
        ),
        simulated=True,
        statistics=_against(rankings.ranking_statistics(test), rankings.TARGETS),
    )


def simulated_reviews(outcomes: int = reviews.OUTCOMES, seed: int = reviews.DEFAULT_SEED) -> Benchmark:
    """Simulated review outcomes: 67 to train and 68 to test by default, no review in both."""
    simulated = reviews.simulate_review_outcomes(outcomes, seed)
    half = outcomes // 2
    train, test = simulated[:half], simulated[half:]
    return Benchmark(
        name="review",
        title="Simulated diagnostic-accuracy reviews",
        scenario="review",
        folds=(Fold(_review_cases(train), _review_cases(test)),),
        provenance=(
            f"tarstop_core.simulate.reviews, seed {seed}; matched to the paper's ranking statistics and to "
            "nothing else"
        ),
        simulated=True,
        statistics=_against(reviews.review_statistics(test), reviews.TARGETS),
    )


# --- real collections -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """Files of one collection.

    Parameters
    ----------
    run, qrels : path
    outcomes : path, optional
        2×2 tables with the documents they come from (reviews).
    """

    run: Path
    qrels: Path | None
    outcomes: Path | None = None

    @property
    def label(self) -> str:
        """What messages call it."""
        return str(self.run)


def without_relevant(topic: Topic) -> Topic:
    """The ω⁻ twin of a topic: the same ranking with its relevant documents taken out, as in the paper."""
    assert topic.labels is not None
    kept = ~topic.labels
    return replace(
        topic,
        name=f"{topic.name}, relevant removed",
        ids=topic.ids[kept],
        scores=None if topic.scores is None else topic.scores[kept],
        labels=np.zeros(int(kept.sum()), dtype=bool),
        n_relevant=0,
        known=None if topic.known is None else topic.known[kept],
    )


def decisive_cases(
    source: Source, *, twins: bool = True, prefix: str = ""
) -> tuple[list[Case], tuple[str, ...]]:
    """Patent-like cases of a labelled ranking, and what is to be said of the files.

    Parameters
    ----------
    source : Source
    twins : bool
        Whether every ω⁺ topic gets an ω⁻ twin; topics without relevant documents stay ω⁻ either way.
    prefix : str
        Before the names of topics and groups, where collections are pooled.
    """
    if source.qrels is None:
        raise InputProblem(f"There are no qrels for {source.label}; put them beside it.")
    run, qrels = read_run(source.run), read_qrels(source.qrels)
    topics, notes = label_topics(run, qrels)
    cases = []
    for topic in topics.values():
        named = replace(topic, name=prefix + topic.name)
        cases.append(Case(named, named.name))
        if twins and topic.omega:
            cases.append(Case(without_relevant(named), named.name))
    return cases, (*run.notes, *qrels.notes, *notes)


def review_cases(source: Source, prefix: str = "") -> tuple[list[Case], tuple[str, ...]]:
    """Cases of a ranking and its 2×2 tables, and what is to be said of the files."""
    if source.outcomes is None:
        raise InputProblem(f"There are no 2×2 tables for {source.label}; put a CSV of outcomes beside it.")
    run = read_run(source.run)
    found = read_outcomes(source.outcomes, run)
    cases = []
    for outcome in found.outcomes:
        named = replace(
            outcome,
            topic=replace(outcome.topic, name=prefix + outcome.name),
            review=prefix + outcome.review,
        )
        cases.append(Case(named.topic, named.review, named))
    return cases, (*run.notes, *found.notes)


def cross_validated(cases: Sequence[Case], folds: int = FOLDS) -> tuple[Fold, ...]:
    """Folds over groups: every case is tested once, by what was learned and tuned without its group.

    Groups are dealt out in turn from the largest on, so that folds are about equal and nothing is random.

    Raises
    ------
    InputProblem
        With fewer than two groups.

    Examples
    --------
    >>> topic = Topic("t", np.array(["d"]), labels=np.array([True]), n_relevant=1)
    >>> [len(fold.train) for fold in cross_validated([Case(topic, group) for group in "aab"], folds=2)]
    [1, 2]
    """
    sizes: dict[str, int] = {}
    for case in cases:
        sizes[case.group] = sizes.get(case.group, 0) + 1
    folds = min(folds, len(sizes))
    if folds < 2:
        raise InputProblem(
            "Cross-validation needs at least two topics (in reviews: two reviews) that are independent; "
            "add some, or give a training half of its own."
        )
    ordered = sorted(sizes, key=lambda group: (-sizes[group], group))
    of = {group: place % folds for place, group in enumerate(ordered)}
    return tuple(
        Fold(
            train=[case for case in cases if of[case.group] != fold],
            test=[case for case in cases if of[case.group] == fold],
        )
        for fold in range(folds)
    )


def _collection(data: Path, name: str, relevance: str) -> Source:
    """A real collection as the folder of real data holds it; relevance "content" or "abs"."""
    files = {
        "clef_dta": ("clef_dta/bm25.run", f"clef_dta/{relevance}.qrels"),
        "clef2019": ("clef2019/bm25_dta.run", f"clef2019/full.test.dta.{relevance}.2019.qrels"),
        "clef2019-intervention": (
            "clef2019/bm25_intervention.run",
            f"clef2019/full.test.intervention.{relevance}.2019.qrels",
        ),
        "clef2017": ("clef2017/es_bool.run", f"clef2017/qrel_{relevance}_test.txt"),
    }
    run, qrels = files[name]
    outcomes = data / "clef_dta/outcomes.csv" if name == "clef_dta" else None
    return Source(data / run, data / qrels, outcomes)


_CLEF = (
    "CLEF TAR {years} (MIT licence): medical systematic reviews, {ranking}, relevance by {relevance}; ω⁻ topics are "
    "the same rankings with their relevant documents removed"
)
_READ = {"content": "full text", "abs": "title and abstract"}


def clef_decisive(data: Path, relevance: str = "content") -> Benchmark:
    """24 real rankings (``clef_dta``), 5-fold cross-validation over topics, ω⁻ topics by removal."""
    cases, notes = decisive_cases(_collection(data, "clef_dta", relevance))
    return Benchmark(
        name="clef" if relevance == "content" else f"clef-{relevance}",
        title=f"CLEF TAR rankings, relevance by {_READ[relevance]}",
        scenario="patent",
        folds=cross_validated(cases),
        provenance=_CLEF.format(
            years="2017 and 2018", ranking="rank_bm25 scores", relevance=_READ[relevance]
        ),
        statistics=_achieved(cases),
        notes=notes,
    )


def clef_travel(data: Path, relevance: str = "content") -> Benchmark:
    """Trained on ``clef_dta``, tested on the rankings of ``clef2019`` and ``clef2017`` made by other systems."""
    train, notes = decisive_cases(_collection(data, "clef_dta", relevance))
    known = {case.group for case in train}
    test: list[Case] = []
    for name in ("clef2019", "clef2017"):
        cases, more = decisive_cases(_collection(data, name, relevance))
        fresh = [case for case in cases if case.group not in known]
        left_out = sorted({case.group for case in cases} & known)
        known |= {case.group for case in fresh}
        test += fresh
        notes += more
        if left_out:
            notes += (f"{name}: {len(left_out)} reviews are left out, because they are known already.",)
    return Benchmark(
        name="clef-travel" if relevance == "content" else f"clef-travel-{relevance}",
        title=f"CLEF TAR rankings of other systems, relevance by {_READ[relevance]}",
        scenario="patent",
        folds=(Fold(train, test),),
        provenance=_CLEF.format(
            years="2017 to 2019",
            ranking="trained on rank_bm25 scores of one set, tested on Elasticsearch and BM25 scores of others",
            relevance=_READ[relevance],
        ),
        statistics=_achieved(test),
        notes=notes,
    )


def clef_reviews(data: Path) -> Benchmark:
    """63 outcomes of 16 reviews, semi-synthetic: real rankings, real 2×2 tables, an invented link."""
    cases, notes = review_cases(_collection(data, "clef_dta", "content"))
    return Benchmark(
        name="clef-review",
        title="Diagnostic-accuracy reviews, semi-synthetic",
        scenario="review",
        folds=cross_validated(cases),
        provenance=(
            "Real rankings (CLEF TAR 2017 and 2018, rank_bm25 scores), real 2×2 tables of Cochrane reviews "
            "(via LIMSI-Cochrane, doi 10.5281/zenodo.1303259); which document brings which table is invented"
        ),
        weigh_by_group=True,
        statistics=_achieved(cases),
        notes=notes,
    )


NAMED: dict[str, Callable[[], Benchmark]] = {"patent": simulated_patents, "review": simulated_reviews}
"""Benchmarks that need no files."""
REAL: dict[str, Callable[[Path], Benchmark]] = {
    "clef": clef_decisive,
    "clef-abs": lambda data: clef_decisive(data, "abs"),
    "clef-travel": clef_travel,
    "clef-travel-abs": lambda data: clef_travel(data, "abs"),
    "clef-review": clef_reviews,
}
"""Benchmarks of real collections, in a folder laid out as ``docs/benchmarks_of_your_own.md`` says."""


def named(name: str, data: Path | None = None) -> Benchmark:
    """A benchmark by name, or from a folder of one's own.

    Parameters
    ----------
    name : str
        One of :data:`NAMED`, one of :data:`REAL` (with `data`), or a folder.
    data : path, optional
        Folder of the real collections.

    Raises
    ------
    InputProblem
        When there is no such benchmark.
    """
    if name in NAMED:
        return NAMED[name]()
    if name in REAL:
        if data is None:
            raise InputProblem(
                f"The benchmark {name} needs real collections; name their folder in TARSTOP_REAL_DATA."
            )
        return REAL[name](data)
    if Path(name).is_dir():
        return from_folder(Path(name))
    raise InputProblem(
        f"There is no benchmark '{name}' and no folder of that name; choose "
        f"{', '.join((*NAMED, *REAL))} or a folder."
    )


# --- a folder of one's own ------------------------------------------------------------------------

ABOUT = "benchmark.json"
ABOUT_KEYS: dict[str, type] = {
    "title": str,
    "provenance": str,
    "simulated": bool,
    "folds": int,
    "twins": bool,
}
HALVES = ("train", "test")


def from_folder(folder: Path) -> Benchmark:
    """A benchmark of one's own: rankings, judgments, and in reviews 2×2 tables.

    ::

        my-benchmark/
          benchmark.json        optional: title, provenance, simulated, folds, twins
          train/                with a folder of the same make called test/; or, without both, the
            bm25.run            three files in my-benchmark/ itself: then topics are cross-validated
            bm25.qrels
            outcomes.csv        only in reviews: topic, outcome, study, docid, TP, FP, FN, TN

    Runs end in ``.run`` and judgments in ``.qrels``, both TREC's and gzipped or not; one of each. A CSV or
    TSV makes it a benchmark of reviews, where judgments are not used and may be missing: a document counts as
    relevant when it brings a table. In the patent scenario a topic whose qrels list no relevant document is ω⁻;
    where there is none, every topic gets an ω⁻ twin with its relevant documents removed (``"twins"``).

    Raises
    ------
    InputProblem
        Naming the file that is missing, superfluous or broken.
    """
    if not folder.is_dir():
        raise InputProblem(
            f"There is no folder {folder}; name one that holds a run, its qrels and, in reviews, tables."
        )
    about = _about(folder)
    halves_there = [folder / half for half in HALVES if (folder / half).is_dir()]
    if len(halves_there) == 1:
        raise InputProblem(
            f"The folder {folder} holds only one of train and test; give both, or put the files in {folder} itself."
        )
    sources = [_source(part) for part in halves_there or [folder]]
    scenarios = {source.outcomes is not None for source in sources}
    if len(scenarios) > 1:
        raise InputProblem(
            f"Only one of train and test in {folder} holds 2×2 tables; give both theirs, or neither."
        )
    is_review = scenarios == {True}
    halves: list[list[Case]] = []
    notes: tuple[str, ...] = ()
    for source in sources:
        cases, more = _own_review(source) if is_review else _own_decisive(source, about)
        halves.append(cases)
        notes += more
    both = (
        {case.group for case in halves[0]} & {case.group for case in halves[-1]} if len(halves) == 2 else None
    )
    if both:
        raise InputProblem(
            f"The topic {min(both)} is in both train and test of {folder}; leave it out of one of them."
        )
    folds = (Fold(*halves),) if len(halves) == 2 else cross_validated(halves[0], about.get("folds", FOLDS))
    return Benchmark(
        name=folder.resolve().name,
        title=about.get("title", folder.resolve().name),
        scenario="review" if is_review else "patent",
        folds=folds,
        provenance=about.get("provenance", f"files in the folder {folder.resolve().name}"),
        simulated=about.get("simulated", False),
        weigh_by_group=is_review,
        statistics=_achieved(halves[-1]),
        notes=notes,
    )


def _own_review(source: Source) -> tuple[list[Case], tuple[str, ...]]:
    cases, notes = review_cases(source)
    if source.qrels is not None:
        unused = "judgments are not used: a document counts as relevant when it brings a table."
        notes = (*notes, f"{source.qrels.name}: {unused}")
    return cases, notes


def _own_decisive(source: Source, about: Mapping[str, Any]) -> tuple[list[Case], tuple[str, ...]]:
    cases, notes = decisive_cases(source, twins=False)
    mixed = len({case.topic.omega for case in cases}) == 2
    if about.get("twins", not mixed):
        cases, notes = decisive_cases(source)
        notes = (*notes, f"{source.run.name}: every ω⁺ topic got an ω⁻ twin without its relevant documents.")
    return cases, notes


def _source(folder: Path) -> Source:
    run = _only(folder, (".run", ".run.gz"), "run", "a TREC run whose name ends in .run")
    assert run is not None
    outcomes = _only(folder, (".csv", ".tsv", ".csv.gz", ".tsv.gz"), "file of 2×2 tables", None)
    needed = "TREC judgments whose name ends in .qrels" if outcomes is None else None
    return Source(run, _only(folder, (".qrels", ".qrels.gz"), "file of judgments", needed), outcomes)


def _only(folder: Path, suffixes: tuple[str, ...], what: str, needed: str | None) -> Path | None:
    found = sorted(path for path in folder.iterdir() if path.name.lower().endswith(suffixes))
    if len(found) > 1:
        raise InputProblem(
            f"The folder {folder} holds {len(found)} {what}s ({found[0].name}, {found[1].name}); keep one."
        )
    if not found and needed is not None:
        raise InputProblem(f"The folder {folder} holds no {what}; put {needed} there.")
    return found[0] if found else None


def _about(folder: Path) -> dict[str, Any]:
    path = folder / ABOUT
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as problem:
        raise InputProblem(f"{path} is not readable JSON ({problem}); correct or remove it.") from None
    if not isinstance(content, dict):
        raise InputProblem(f'{path} is not a JSON object; write {{"title": …}}.')
    for key, value in content.items():
        wanted = ABOUT_KEYS.get(key)
        if wanted is None:
            raise InputProblem(f"{path} has '{key}'; it may have {', '.join(ABOUT_KEYS)}.")
        kind = {str: "a text", bool: "true or false", int: "a whole number from 2 on"}[wanted]
        if type(value) is not wanted or (isinstance(value, int) and key == "folds" and value < 2):
            raise InputProblem(f"{path} has {value!r} for '{key}'; give {kind}.")
    return content


# --- shared ---------------------------------------------------------------------------------------


def _cases(topics: Sequence[Topic]) -> list[Case]:
    return [Case(topic, topic.name) for topic in topics]


def _review_cases(outcomes: Sequence[Outcome]) -> list[Case]:
    return [Case(outcome.topic, outcome.review, outcome) for outcome in outcomes]


def _against(
    achieved: Mapping[str, float], targets: Mapping[str, float]
) -> dict[str, tuple[float, float | None]]:
    return {name: (value, targets.get(name)) for name, value in achieved.items()}


def _achieved(cases: Sequence[Case]) -> dict[str, tuple[float, float | None]]:
    """Ranking statistics of topics with relevant documents; none where there is no such topic."""
    topics = [case.topic for case in cases if case.topic.omega]
    return _against(rankings.ranking_statistics(topics), {}) if topics else {}
