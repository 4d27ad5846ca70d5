"""Rankers that learn from labels, side by side with ASReview on real labelled lists, and what was tried to do better.

Needs the folder that TARSTOP_REAL_DATA names. Installs ASReview in an environment of its own (`--environment`, kept for the
next run with the orders that it read in); where that fails, its figures of an earlier run stand in, and the page says so. Writes
``docs/reranking.md`` with results by list in ``docs/data/reranking_lists.csv``, in about half an
hour of one core; interrupted, it goes on where it was.
"""

import argparse
import json
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scripts.ranker_ideas import IDEAS, Idea, Listed, study_types
from scripts.report_ranking import ABSTRACT, interval, signed, table
from scripts.report_ranking import cases as labelled_cases
from tarstop_core.documents.records import ranking_text
from tarstop_core.evaluation.reranking import quality, simulate
from tarstop_core.places import real_data
from tarstop_core.ranking.bm25 import WORDS, build_index
from tarstop_core.ranking.features import make_features
from tarstop_core.ranking.learning import Label, Linear

ROOT = Path(__file__).resolve().parents[1]
DOCS, ENVIRONMENT = ROOT / "docs", ROOT / "build" / "asreview"
ASREVIEW = "asreview==3.0.8"
FIGURES = "ASReview ELAS u4, prior query"
"""What an earlier run of it is called in the table of reference figures."""
FEWEST = 2
"""Relevant documents: one list of the 25 has a single one by full text."""
SOFTWARE = "software engineering"
"""Radjenovic and Wahono share papers: one list where lists are left out or resampled."""
MEASURES = ("loss", "recall_10", "wss_95")
BASE, BM25, THEIRS = "as shipped", "BM25 by the question", "ASReview 3.0.8"


def listed(folder: Path, names: Sequence[str] = ()) -> list[Listed]:
    """The 24 lists, or some of them; those of the reviews are shuffled, as the others are where they come from."""
    found = []
    for case in labelled_cases(folder):
        if case.group == ABSTRACT or len(case.relevant) < FEWEST or (names and case.name not in names):
            continue
        frame = case.frame
        if case.name.startswith("CD"):
            frame = frame.iloc[np.random.default_rng(1).permutation(len(frame))]
        # Some have the title once more where the abstract begins.
        titles, texts = frame["title"].tolist(), ranking_text(frame)
        abstracts = [text.removeprefix(title).strip() for title, text in zip(titles, texts, strict=True)]
        ids = frame["id"].to_numpy(dtype=str)
        final, by_abstract = (np.isin(ids, list(each)) for each in (case.relevant, case.by_abstract))
        group = SOFTWARE if case.name.startswith(("Radjenovic", "Wahono")) else case.name
        start = build_index(texts, recipe=WORDS).scores(case.query)
        texts_of = (case.query, titles, abstracts)
        found.append(
            Listed(case.name, group, *texts_of, final, by_abstract | final, start, make_features(texts))
        )
    return found


def asreview(lists: Sequence[Listed], environment: Path) -> dict[str, NDArray[np.intp]]:
    """The order in which ASReview reads each list; nothing where it cannot be installed."""
    python = environment / "bin" / "python"
    try:
        if not python.exists():
            venv.create(environment, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", ASREVIEW], check=True)
        given, read = environment / "lists.jsonl", environment / "orders.jsonl"
        lines = [
            {
                "name": each.name,
                "question": each.question,
                "titles": each.titles,
                "abstracts": each.abstracts,
                "relevant": each.final.astype(int).tolist(),
            }
            for each in lists
        ]
        given.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
        subprocess.run([python, ROOT / "scripts" / "asreview_alone.py", given, read], check=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"ASReview cannot be run here: {problem}", file=sys.stderr)
        return {}
    orders = map(json.loads, read.read_text(encoding="utf-8").splitlines())
    return {each["name"]: np.array(each["order"]) for each in orders}


def measures(hits: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Loss, recall after a tenth and WSS@95 of an order."""
    found = quality(hits)
    return found["loss"], found["recall_at"]["0.1"], found["wss_95"]


def played(idea: Idea, given: Listed, seed: int) -> tuple[str, str, int, float, float, float]:
    """One list read by one idea."""
    labels = given.final
    if idea.full_text is not None:
        labels = np.where(given.by_abstract, idea.full_text, Label.NOT_RELEVANT)
        labels[given.final] = Label.INCLUDED
    read = simulate(
        idea.features(given),
        given.question,
        labels,
        ranker=idea.ranker,
        seed=seed,
        start=given.start if idea.start is None else idea.start(given),
        outside=None if idea.outside is None else idea.outside(given),
        to_the_end=False,
    )
    return (idea.name, given.name, seed, *measures(given.final[read.order]))


def theirs(lists: Sequence[Listed], environment: Path, reference: Path) -> Iterator[tuple[object, ...]]:
    """ASReview on each list, run here or as it was."""
    orders = asreview(lists, environment)
    kept = pd.read_csv(reference).query("level == 'final' and ranker == @FIGURES").set_index("set")
    for given in lists:
        if given.name in orders:
            yield (THEIRS, given.name, 0, *measures(given.final[orders[given.name]]))
        elif given.name in kept.index:
            yield (THEIRS, given.name, 0, *kept.loc[given.name, ["loss", "recall@10%", "WSS@95"]])


def compared(
    rows: pd.DataFrame, one: str, other: str, groups: dict[str, str]
) -> dict[str, tuple[float, ...]]:
    """Means of two by measure, their difference and its 95 % interval; groups of lists are resampled."""
    found = {}
    for measure in MEASURES:
        wide = rows.pivot_table(index="list", columns="ranker", values=measure)[[one, other]].dropna()
        difference = wide[one] - wide[other]
        by_group = difference.groupby(difference.index.map(groups)).mean()
        found[measure] = (*wide.mean(), float(difference.mean()), *interval(by_group.to_numpy()), len(wide))
    return found


def chosen_elsewhere(rows: pd.DataFrame, ideas: Sequence[str], groups: dict[str, str]) -> float:
    """Mean loss where each list is read by the settings that were best on all others."""
    wide = rows[rows["ranker"].isin(ideas)].pivot_table(index="list", columns="ranker", values="loss")
    of = wide.index.map(groups)
    return float(
        np.mean(
            [
                wide.loc[name, wide[of != group].mean().idxmin()]
                for name, group in zip(wide.index, of, strict=True)
            ]
        )
    )


def told(found: tuple[float, ...]) -> str:
    """A difference with its interval."""
    return f"{signed(found[2])} ({signed(found[3])} to {signed(found[4])})"


def page(rows: pd.DataFrame, ideas: Sequence[Idea], groups: dict[str, str]) -> str:
    """The page about it."""
    against = [
        (
            name,
            *(f"{rows[rows['ranker'] == name].groupby('list')[each].mean().mean():.4f}" for each in MEASURES),
        )
        for name in (BM25, THEIRS, BASE)
    ]
    versus = compared(rows, BASE, THEIRS, groups)
    lines = []
    for idea in ideas:
        if idea.name in (BASE, BM25):
            continue
        found = compared(rows, idea.name, idea.against, groups)
        lines.append(
            (
                idea.name,
                str(found["loss"][5]),
                f"{found['loss'][0]:.4f}",
                f"{found['recall_10'][0]:.3f}",
                told(found["loss"]),
                idea.kept,
            )
        )
    settings = [idea.name for idea in ideas if idea.setting]
    each = rows.pivot_table(index="list", columns="ranker", values="loss")[[BM25, THEIRS, BASE]]
    by_list = [(name, *(f"{value:.3f}" for value in losses)) for name, *losses in each.itertuples()]
    return PAGE.format(
        lists=versus["loss"][5],
        means=table(("", "loss", "R@10 %", "WSS@95"), against),
        difference=told(versus["loss"]),
        recall=told(versus["recall_10"]),
        ran="was run beside it"
        if (rows["ranker"] == THEIRS).sum() == len(each)
        else "could not be run: figures of an earlier run, on the lists that it has",
        ideas=table(("", "lists", "loss", "R@10 %", "difference in loss (95 %)", ""), lines),
        settings=len(settings),
        elsewhere=f"{chosen_elsewhere(rows, settings, groups):.4f}",
        by_list=table(("", BM25, THEIRS, "here"), by_list),
    )


PAGE = """# A list that learns from its labels: measured

`scripts/compare_rankers.py` writes this page and [results by list](data/reranking_lists.csv).

After each label up to 50, then every 4 %, a linear support vector machine (C = 0.03) is fitted on what was read: TF-IDF over word
stems and pairs of them, and beside these one column with the score by which the list began. The question counts as a relevant document,
documents not relevant weigh a tenth of the relevant ones together, and until ten are known, unread ones drawn at random are
presumed not relevant. Before the first label the list stands as BM25 has it. `tarstop rerank` plays it on any labelled list.

{lists} lists by final inclusion: 12 diagnostic-accuracy reviews of CLEF TAR and 12 screening sets (drug classes, software
engineering, virology, Wilson disease). The question is the review's title or the set's topic, for all. Loss is the chance
that a document that is not relevant was read before one that is (½ by chance, as `asreview.metrics.loss`); R@10 % is the
share found in the first tenth, WSS@95 what was saved when 95 % were found. ASReview (ELAS u4, the question as a relevant
record known before, a fit after every label) {ran}.

{means}

Here less ASReview, 95 % interval by list (the two on software engineering share papers and count as one): loss {difference},
R@10 % {recall}.

## What was tried

Each line changes one thing; differences are from what is shipped unless it says otherwise, and below 0 is better.

{ideas}

The settings of the ranker were chosen on these same lists, so expect somewhat less elsewhere: where each list is read by that of
{settings} settings which is best on all the others, mean loss is {elsewhere}. Not tried for want of data: citations of included
records, near-duplicates (merged in these sets), and words that a person types.

## List by list

Loss:

{by_list}
"""


def main() -> None:
    """Measure, and write page and table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", type=Path, default=ENVIRONMENT, help="where ASReview is, or is put")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--page", action="store_true", help="only write what was measured so far")
    asked = parser.parse_args()
    lists = listed(real_data())
    kept = asked.environment / f"played-{Linear.version}.csv"
    columns = ["ranker", "list", "seed", *MEASURES]
    if not kept.exists():
        reference = real_data().parent / "reference" / "reranking_dev.csv"
        found = pd.DataFrame(theirs(lists, asked.environment, reference), columns=columns)
        found.to_csv(kept, index=False, encoding="utf-8")
    if not asked.page:
        lists = [replace(each, study_type=like) for each, like in zip(lists, study_types(lists), strict=True)]
    for idea in () if asked.page else IDEAS:
        if (pd.read_csv(kept)["ranker"] == idea.name).any():
            continue
        used = [each for each in lists if idea.full_text is None or (each.by_abstract & ~each.final).any()]
        play = joblib.delayed(played)
        rows = joblib.Parallel(asked.workers)(
            play(idea, each, seed) for each in used for seed in range(idea.seeds)
        )
        found = pd.DataFrame(rows, columns=columns)
        found.to_csv(kept, mode="a", header=False, index=False, encoding="utf-8")
        print(f"{idea.name}: {found['loss'].mean():.4f}", file=sys.stderr, flush=True)
    rows = pd.read_csv(kept)
    done = [idea for idea in IDEAS if (rows["ranker"] == idea.name).any()]
    text = page(rows, done, {each.name: each.group for each in lists})
    (DOCS / "reranking.md").write_text(text, encoding="utf-8")
    by_list = rows.groupby(["ranker", "list"], sort=False)[[*MEASURES]].mean().reset_index().round(4)
    by_list.to_csv(DOCS / "data" / "reranking_lists.csv", index=False, encoding="utf-8", lineterminator="\n")


if __name__ == "__main__":
    main()
