"""How well documents are ranked for people and as in the paper: on real lists whose labels are known, written down.

Needs the folder that TARSTOP_REAL_DATA names. Writes ``docs/ranking.md`` with results by list in
``docs/data/ranking_topics.csv``, in a few minutes. Run again, it writes the same files.
"""

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from scripts.report_travel import signed, table
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.ranking_metrics import topic_metrics
from tarstop_core.files import read_qrels, read_records
from tarstop_core.places import real_data
from tarstop_core.ranking.bm25 import PAPER, WORDS, Recipe, build_index, rank_order
from tarstop_core.ranking.words import WORD_TOKENS, Tokens
from tarstop_core.samples.shipped import calibrators

DOCS = Path(__file__).resolve().parents[1] / "docs"
RESAMPLED = 10_000
ABSTRACT, FULL, SETS = "13 reviews, by title and abstract", "13 reviews, by full text", "12 screening sets"
GROUPS: dict[str, tuple[str, ...]] = {
    ABSTRACT: (ABSTRACT,),
    FULL: (FULL,),
    SETS: (SETS,),
    "**the 25 lists**": (ABSTRACT, SETS),
}
FIELDS = ("title and abstract", "title alone")
NAMED = {"ADHD": "ADHD drugs", "Triptans": "triptans"}
"""The two sets that come without a question: it is derived from their name, as the index of the others has it."""
FINAL_AND_ABSTRACT = ("label_included", "label_abstract_screening")
"""The columns of these two."""
CHANCES = {
    "review-inclusion-elsewhere": (ABSTRACT, SETS),
    "review-data-elsewhere": (FULL, SETS),
    "review-inclusion": (ABSTRACT, SETS),
    "review-data": (FULL, SETS),
}
"""Shipped calibrators and the lists they are judged on: the first two, by rank, are what reviews begin with."""
TRIED = 36
"""Recipes compared while this one was made, counted by hand."""


@dataclass(frozen=True)
class Case:
    """One list with its question and what of it is relevant."""

    group: str
    name: str
    query: str
    frame: pd.DataFrame
    relevant: frozenset[str]
    by_abstract: frozenset[str] = frozenset()
    """Those included by title and abstract, where `relevant` are those by full text and this is known too."""


def cases(folder: Path) -> Iterator[Case]:
    """Every labelled list with text."""
    with (folder / "topics.csv").open(encoding="utf-8", newline="") as lines:
        titles = {row["topic"]: row["title"] for row in csv.DictReader(lines)}
    verdicts = {each: read_qrels(folder / "records" / f"qrels_{each}.txt") for each in ("abs", "content")}
    for judged, group in (("abs", ABSTRACT), ("content", FULL)):
        for path in sorted((folder / "records").glob("CD*.jsonl.gz")):
            name = path.name.split(".")[0]
            by_abstract, relevant = (
                frozenset(each for each, grade in verdicts[which][name].items() if grade > 0)
                for which in ("abs", judged)
            )
            yield Case(group, name, titles[name], read_records(path).frame, relevant, by_abstract)
    with (folder / "screening" / "index.csv").open(encoding="utf-8", newline="") as lines:
        queries = {row["name"]: row["query"] for row in csv.DictReader(lines)}
    for name, query in queries.items():
        yield screening_set(
            name,
            query,
            pd.read_json(folder / "screening" / f"{name}.jsonl.gz", lines=True),
            "label_final",
            "label_abstract",
        )
    for name, drugs in NAMED.items():
        given = pd.read_csv(folder / "records" / f"{name}.csv", encoding="utf-8")
        # The order of the file is not to help where documents are scored alike.
        shuffled = given.sample(frac=1, random_state=1).rename(columns={"record_id": "id"})
        yield screening_set(
            name, f"Comparative effectiveness and safety of {drugs}", shuffled, *FINAL_AND_ABSTRACT
        )


def screening_set(name: str, query: str, given: pd.DataFrame, final: str, abstract: str = "") -> Case:
    ids = given["id"].astype(str)
    frame = pd.DataFrame(
        {"id": ids, "title": given["title"].fillna(""), "abstract": given["abstract"].fillna("")}
    )
    relevant, by_abstract = (
        frozenset(ids[given[each] == 1]) if each else frozenset() for each in (final, abstract)
    )
    return Case(SETS, name, query, frame, relevant, by_abstract)


def texts(case: Case, field: str) -> list[str]:
    """What is ranked."""
    return ranking_text(case.frame) if field == FIELDS[0] else case.frame["title"].tolist()


def measured(cases: Sequence[Case], recipes: dict[str, Recipe]) -> pd.DataFrame:
    """Average precision and recall at 100 of every list by every recipe, a row each."""
    rows = []
    for case in cases:
        ids = case.frame["id"].to_numpy(dtype=str)
        for field in FIELDS:
            for name, recipe in recipes.items():
                scores = build_index(texts(case, field), recipe=recipe).scores(case.query)
                run = {case.name: Topic(case.name, ids[rank_order(scores)])}
                found = topic_metrics(run, {case.name: dict.fromkeys(case.relevant, 1)})[case.name]
                rows.append((case.group, case.name, field, name, found["map"], found["recall_100"]))
        print(case.group, case.name, file=sys.stderr)
    return pd.DataFrame(rows, columns=["lists", "list", "text", "ranking", "map", "recall_100"])


def fit_of_chances(cases: Sequence[Case]) -> str:
    """Brier score of shipped calibrators by both rankings, in shares of that of each list's average chance."""
    lines = []
    for field in FIELDS:
        indices = {
            (case.group, case.name, recipe.name): build_index(texts(case, field), recipe=recipe).scores(
                case.query
            )
            for case in cases
            for recipe in (PAPER, WORDS)
        }
        for name, groups in CHANCES.items():
            by: dict[str, list[float]] = {PAPER.name: [], WORDS.name: []}
            for case in cases:
                for ranking in by if case.group in groups else ():
                    scores = indices[case.group, case.name, ranking]
                    order = rank_order(scores)
                    labels = np.isin(case.frame["id"].to_numpy(dtype=str)[order], list(case.relevant))
                    chances = calibrators()[name].probabilities(scores[order], len(order))
                    by[ranking].append(float(((chances - labels) ** 2).mean() / labels.var()))
            paper, words = np.array(by["paper"]), np.array(by["words"])
            low, high = interval(words - paper)
            difference = f"{signed(float((words - paper).mean()), 3)} ({signed(low, 3)} to {signed(high, 3)})"
            lines.append((f"{name}, {field}", f"{paper.mean():.3f}", f"{words.mean():.3f}", difference))
    return table(("", "paper", "words", "difference (95 %)"), lines)


def stop_words_of_sklearn() -> Tokens:
    """The tokens for people, with another list of common words."""
    common = {WORD_TOKENS.word(word) for word in ENGLISH_STOP_WORDS}
    return Tokens(
        WORD_TOKENS.split, lambda piece: "" if (word := WORD_TOKENS.word(piece)) in common else word
    )


VARIANTS = {
    "paper": PAPER,
    "words": WORDS,
    "stems, weights of the paper": replace(WORDS, k1=PAPER.k1, b=PAPER.b, floor=False, repeats=1),
    "paper's tokens, weights for people": replace(WORDS, tokens=PAPER.tokens),
    "common words by scikit-learn's list": replace(WORDS, tokens=stop_words_of_sklearn()),
    "without stems": replace(
        WORDS,
        tokens=Tokens(WORD_TOKENS.split, lambda piece: piece.lower() if WORD_TOKENS.word(piece) else ""),
    ),
    "without a least weight": replace(WORDS, floor=False),
    "a word counts as often as it is asked": replace(WORDS, repeats=1),
}


def interval(difference: NDArray[np.float64]) -> tuple[float, float]:
    """95 % percentile interval of the mean, lists resampled."""
    rng = np.random.default_rng(14)
    drawn = difference[rng.integers(0, len(difference), (RESAMPLED, len(difference)))].mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def wide(rows: pd.DataFrame, groups: Sequence[str], field: str, measure: str) -> pd.DataFrame:
    """A measure of some lists, rankings side by side."""
    held = rows[rows["lists"].isin(groups) & (rows["text"] == field)]
    return held.pivot(index=["lists", "list"], columns="ranking", values=measure)


def compared(rows: pd.DataFrame, field: str, measure: str) -> str:
    """The table of one measure."""
    lines = []
    for said, groups in GROUPS.items():
        both = wide(rows, groups, field, measure)
        difference = (both["words"] - both["paper"]).to_numpy()
        low, high = interval(difference)
        lines.append(
            (
                said,
                str(len(both)),
                f"{both['paper'].mean():.3f}",
                f"{both['words'].mean():.3f}",
                f"{signed(float(difference.mean()), 3)} ({signed(low, 3)} to {signed(high, 3)})",
                f"{int((difference > 0).sum())} / {int((difference < 0).sum())}",
            )
        )
    return table(("", "lists", "paper", "words", "difference (95 %)", "better / worse"), lines)


def parts_of_it(rows: pd.DataFrame) -> str:
    """What each part does, on the 25 lists."""
    lines = []
    for name in VARIANTS:
        cells = [
            f"{wide(rows, (ABSTRACT, SETS), field, measure)[name].mean():.3f}"
            for field in FIELDS
            for measure in ("map", "recall_100")
        ]
        lines.append((name, *cells))
    return table(("", "MAP", "R@100", "MAP, titles", "R@100, titles"), lines)


PAGE = """# The ranking for people: measured

`scripts/report_ranking.py` writes this page and [results by list](data/ranking_topics.csv).

New sessions are ordered by BM25 on **words**: stems (`PyStemmer`) without punctuation and case; common words left out, the
same that are not marked in a document; k₁ = 0.9 and b = 0.4, Anserini's defaults; no word weighs less than a quarter of the
mean; one that the query says n times counts √n. So “… and method for operating the same” no longer outranks the bicycle lock
that is sought. **Paper** is `rank_bm25` with its defaults on lower-case tokens at white space: in paper mode, in the simulated
samples (their chances were learned on it), and in `tarstop rank` unless `--tokens words` is given. A session keeps the order
that it began with.

Lists: 13 diagnostic-accuracy reviews of CLEF TAR, each judged twice, and 12 labelled screening sets (drug classes, software
engineering, virology, Wilson disease) by final inclusion. The query is the review's title or the set's topic. Intervals
resample lists; two sets on software engineering share papers. The recipe was chosen among {tried} on these same lists,
so expect somewhat less elsewhere. No patents are among them: there are none with text and judgments.

## Titles and abstracts

Average precision:

{map_full}

Recall at 100:

{recall_full}

## Titles alone

Average precision:

{map_titles}

Recall at 100:

{recall_titles}

## What each part does

On the 25 lists; each line but the first two changes one thing in *words*.

{parts}

Both lists of common words do as well; the short one stays, since scikit-learn's holds *fire*, *mill*, *front* and *system*.
An index of 200,000 such documents takes no longer than by the paper's tokens.

## Do the chances still fit?

They were learned on lists that were ranked as in the paper, the 13 reviews among them. Brier score as a share of what the
average chance of each list scores, lower is better; the first two calibrators go by rank and are what reviews begin with.

{chances}
"""


def main() -> None:
    """Measure, and write page and table."""
    folder = real_data()
    held = list(cases(folder))
    rows = measured(held, VARIANTS)
    rows[rows["ranking"].isin(["paper", "words"])].round(4).to_csv(
        DOCS / "data" / "ranking_topics.csv", index=False, encoding="utf-8", lineterminator="\n"
    )
    page = PAGE.format(
        tried=TRIED,
        map_full=compared(rows, FIELDS[0], "map"),
        recall_full=compared(rows, FIELDS[0], "recall_100"),
        map_titles=compared(rows, FIELDS[1], "map"),
        recall_titles=compared(rows, FIELDS[1], "recall_100"),
        parts=parts_of_it(rows),
        chances=fit_of_chances(held),
    )
    (DOCS / "ranking.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
