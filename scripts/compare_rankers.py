"""Rankers that learn from labels, side by side with ASReview on real labelled lists, and what was tried to do better.

Needs the folder that TARSTOP_REAL_DATA names. Installs ASReview in an environment of its own (`--environment`, kept for the
next run with the orders that it read in); where that fails, nothing is written.
ASReview, BM25 and the ranker that is shipped read every list as it stands in `FILES` files, everything else that was tried in
the first of them alone. Writes ``docs/reranking.md`` with results by list and file in ``docs/data/reranking_lists.csv``, in
about half an hour of two cores; interrupted, it goes on where it was.
"""

import argparse
import json
import os
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

from scripts.ranker_ideas import FILES, IDEAS, Idea, Listed, study_types
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


def standing(documents: int, file: int) -> NDArray[np.intp]:
    """The order in which a list stands in one of the files, as positions in the first; the others are shuffled."""
    return np.random.default_rng(file).permutation(documents) if file else np.arange(documents)


def in_file(given: Listed, file: int) -> Listed:
    """The list as it stands in one of the files."""
    if not file:
        return given
    at = standing(len(given.final), file)
    moved = replace(
        given,
        titles=[given.titles[each] for each in at],
        abstracts=[given.abstracts[each] for each in at],
        final=given.final[at],
        by_abstract=given.by_abstract[at],
        start=given.start[at],
    )
    return replace(moved, features=make_features(moved.texts))


def asreview(
    lists: Sequence[Listed], environment: Path, workers: int
) -> dict[tuple[str, int], NDArray[np.intp]]:
    """The order in which ASReview reads each list in each file, as positions in the first."""
    environment = environment.resolve()
    python = environment / "bin" / "python"
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
            "files": [standing(len(each.final), file).tolist() for file in range(FILES)],
        }
        for each in lists
    ]
    given.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    play = [python, ROOT / "scripts" / "asreview_alone.py", given, read, str(workers)]
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
    subprocess.run(play, check=True, env=alone, cwd=environment)  # it leaves a cache where it is run
    orders = map(json.loads, read.read_text(encoding="utf-8").splitlines())
    return {(each["name"], each["file"]): np.array(each["order"]) for each in orders}


def measures(hits: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Loss, recall after a tenth and WSS@95 of an order."""
    found = quality(hits)
    return found["loss"], found["recall_at"]["0.1"], found["wss_95"]


def played(idea: Idea, given: Listed, file: int) -> tuple[str, str, int, float, float, float]:
    """One list, as it stands in one of the files, read by one idea."""
    given = in_file(given, file)
    labels = given.final
    if idea.full_text is not None:
        labels = np.where(given.by_abstract, idea.full_text, Label.NOT_RELEVANT)
        labels[given.final] = Label.INCLUDED
    read = simulate(
        idea.features(given),
        given.question,
        labels,
        ranker=idea.ranker,
        start=given.start if idea.start is None else idea.start(given),
        outside=None if idea.outside is None else idea.outside(given),
        to_the_end=False,
    )
    return (idea.name, given.name, file, *measures(given.final[read.order]))


def theirs(lists: Sequence[Listed], environment: Path, workers: int) -> Iterator[tuple[object, ...]]:
    """ASReview on each list in each file."""
    orders = asreview(lists, environment, workers)
    for given in lists:
        for file in range(FILES):
            yield (THEIRS, given.name, file, *measures(given.final[orders[given.name, file]]))


def side_by_side(rows: pd.DataFrame, rankers: Sequence[str], measure: str) -> pd.DataFrame:
    """A measure by list and ranker: the mean over those files that all of these read."""
    wide = rows[rows["ranker"].isin(rankers)].pivot(index=["list", "file"], columns="ranker", values=measure)
    return wide[[*rankers]].dropna().groupby("list").mean()


def compared(
    rows: pd.DataFrame, one: str, other: str, groups: dict[str, str]
) -> dict[str, tuple[float, ...]]:
    """Means of two by measure, their difference and its 95 % interval; groups of lists are resampled."""
    found = {}
    for measure in MEASURES:
        wide = side_by_side(rows, (one, other), measure)
        difference = wide[one] - wide[other]
        by_group = difference.groupby(difference.index.map(groups)).mean()
        found[measure] = (*wide.mean(), float(difference.mean()), *interval(by_group.to_numpy()), len(wide))
    return found


def chosen_elsewhere(rows: pd.DataFrame, ideas: Sequence[str], groups: dict[str, str]) -> float:
    """Mean loss where each list is read by the settings that were best on all others."""
    wide = side_by_side(rows, ideas, "loss")
    of = wide.index.map(groups)
    return float(
        np.mean(
            [
                wide.loc[name, wide[of != group].mean().idxmin()]
                for name, group in zip(wide.index, of, strict=True)
            ]
        )
    )


def by_file(rows: pd.DataFrame, ranker: str) -> pd.DataFrame:
    """R@10 % over the files of each list: ``first``, ``mean``, ``std``, ``min`` and ``max``."""
    of = rows[rows["ranker"] == ranker].sort_values("file").groupby("list")["recall_10"]
    return of.agg(first="first", mean="mean", std=lambda each: each.std(ddof=0), min="min", max="max")


def told(found: tuple[float, ...]) -> str:
    """A difference with its interval."""
    return f"{signed(found[2])} ({signed(found[3])} to {signed(found[4])})"


def page(rows: pd.DataFrame, ideas: Sequence[Idea], lists: Sequence[Listed]) -> str:
    """The page about it."""
    groups = {each.name: each.group for each in lists}
    three, first = (BM25, THEIRS, BASE), rows[rows["file"] == 0]
    means = {measure: side_by_side(rows, three, measure) for measure in MEASURES}
    against = [(name, *(f"{means[each][name].mean():.4f}" for each in MEASURES)) for name in three]
    versus, at_first, since = (
        compared(held, BASE, THEIRS, groups) for held in (rows, first, rows[rows["file"] > 0])
    )
    lower = [
        compared(rows[rows["file"] != file], BASE, THEIRS, groups)["recall_10"][3] for file in range(FILES)
    ]
    looked = [compared(rows[rows["file"] < n], BASE, THEIRS, groups)["recall_10"][3] for n in (3, 7)]
    lines = []
    for idea in ideas:
        if idea.name in (BASE, BM25):
            continue
        found = compared(first, idea.name, idea.against, groups)
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
    of_theirs, of_ours = by_file(rows, THEIRS), by_file(rows, BASE)
    luckiest = of_theirs["std"].idxmax()
    by_list = [
        (name, *(f"{means[each].loc[name, one]:.3f}" for each in ("loss", "recall_10") for one in three))
        for name in means["loss"].index
    ]
    return PAGE.format(
        lists=versus["loss"][5],
        means=table(("", "loss", "R@10 %", "WSS@95"), against),
        files=FILES,
        difference=told(versus["loss"]),
        recall=told(versus["recall_10"]),
        first_difference=told(at_first["loss"]),
        first_recall=told(at_first["recall_10"]),
        since_difference=told(since["loss"]),
        since_recall=told(since["recall_10"]),
        looked=" and ".join(map(signed, looked)),
        lowest=signed(min(lower)),
        highest=signed(max(lower)),
        theirs_within=f"{of_theirs['std'].mean():.3f}",
        within=f"{of_ours['std'].mean():.3f}",
        luckiest=luckiest,
        documents=next(len(each.final) for each in lists if each.name == luckiest),
        theirs_there=THERE.format(**of_theirs.loc[luckiest]),
        there=THERE.format(**of_ours.loc[luckiest]),
        ideas=table(("", "lists", "loss", "R@10 %", "difference in loss (95 %)", ""), lines),
        shipped=f"{first.query('ranker == @BASE')['loss'].mean():.4f}",
        settings=len(settings),
        elsewhere=f"{chosen_elsewhere(first, settings, groups):.4f}",
        by_list=table(
            ("", *(f"{what}: {who}" for what in ("loss", "R@10 %") for who in ("BM25", "ASReview", "here"))),
            by_list,
        ),
    )


THERE = "{first:.3f} in the first file and {mean:.3f} on average ({min:.3f} to {max:.3f})"
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
record known before, a fit after every label) was run beside it.

{means}

Here less ASReview, 95 % interval by list (the two on software engineering share papers and count as one): loss {difference},
R@10 % {recall}.

All three read every list in {files} files, the first as before and the others shuffled anew, and a list counts with the mean of its files.
That was decided on after the figures of the first alone had been seen: loss {first_difference}, R@10 % {first_recall}.
After the first 3 and 7 somebody had looked, too: lower end of R@10 % {looked}.
In the files made since, without that one: loss {since_difference}, R@10 % {since_recall}.

The file matters because ASReview reads it from its top until it knows a record that is not relevant, and because of documents
that are scored alike. By the file alone R@10 % of a list has a standard deviation of {theirs_within} with ASReview and {within} here (the
mean of the lists), the largest in {luckiest} with its {documents} documents: ASReview {theirs_there},
here {there}. Without any one of the files the lower end of the interval of R@10 % is
between {lowest} and {highest}; the rest of it is how lists differ, which more files do not change.

## What was tried

Each line changes one thing; differences are from what is shipped unless it says otherwise, and below 0 is better. All of this is in
the first file alone, where what is shipped has a loss of {shipped}.

{ideas}

The settings of the ranker were chosen on these same lists, so expect somewhat less elsewhere: where each list is read by that of
{settings} settings which is best on all the others, mean loss is {elsewhere}. Not tried for want of data: citations of included
records, near-duplicates (merged in these sets), and words that a person types.

## List by list

The mean of {files} files:

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
    columns = ["ranker", "list", "file", *MEASURES]
    if not kept.exists():
        found = pd.DataFrame(theirs(lists, asked.environment, asked.workers), columns=columns)
        found.to_csv(kept, index=False, encoding="utf-8")
    if not asked.page:
        lists = [replace(each, study_type=like) for each, like in zip(lists, study_types(lists), strict=True)]
    for idea in () if asked.page else IDEAS:
        if (pd.read_csv(kept)["ranker"] == idea.name).any():
            continue
        used = [each for each in lists if idea.full_text is None or (each.by_abstract & ~each.final).any()]
        play = joblib.delayed(played)
        rows = joblib.Parallel(asked.workers)(
            play(idea, each, file) for each in used for file in range(idea.files)
        )
        found = pd.DataFrame(rows, columns=columns)
        found.to_csv(kept, mode="a", header=False, index=False, encoding="utf-8")
        print(f"{idea.name}: {found['loss'].mean():.4f}", file=sys.stderr, flush=True)
    rows = pd.read_csv(kept)
    done = [idea for idea in IDEAS if (rows["ranker"] == idea.name).any()]
    text = page(rows, done, lists)
    (DOCS / "reranking.md").write_text(text, encoding="utf-8")
    rows.round(4).to_csv(
        DOCS / "data" / "reranking_lists.csv", index=False, encoding="utf-8", lineterminator="\n"
    )


if __name__ == "__main__":
    main()
