"""Sessions in which the list learned, played on labelled lists: what chances of such lists are learned from and judged by."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pandas as pd

from scripts.report_ranking import ABSTRACT, FULL, NAMED, SETS, Case, cases, screening_set
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.tables import Flags, Ints
from tarstop_core.evaluation.reranking import simulate
from tarstop_core.ranking.learning import DEFAULT, RANKERS

INCLUSION, FINAL = "inclusion", "review"
"""Judged by title and abstract, and at the end."""
TOGETHER = {"Radjenovic_2013": "software", "Wahono_2015_to_2008": "software"}
"""Sets that share papers: what tests one is never learned from the other."""
SEED = 1
CACHE = Path(gettempdir()) / "tarstop-reranked"
"""Playing every session takes some minutes; whoever changed nothing of a ranker need not do it again."""


@dataclass(frozen=True, eq=False)
class Session:
    """A list read to its end."""

    name: str
    judged: str
    clef: bool
    ids: np.ndarray
    """In the order read, shape (N,)."""
    relevant: Flags
    """In the order read, shape (N,)."""

    @property
    def group(self) -> str:
        """What is left out together when it is judged."""
        return TOGETHER.get(self.name, self.name)


def labelled(folder: Path) -> Iterator[tuple[str, Case]]:
    """Every labelled list, by what it is judged."""
    for case in cases(folder):
        yield INCLUSION if case.group == ABSTRACT else FINAL, case
        if case.group != SETS:
            continue
        if case.name in NAMED:
            given = pd.read_csv(folder / "records" / f"{case.name}.csv", encoding="utf-8")
            given = given.sample(frac=1, random_state=1).rename(columns={"record_id": "id"})
            label = "label_abstract_screening"
        else:
            given = pd.read_json(folder / "screening" / f"{case.name}.jsonl.gz", lines=True)
            label = "label_abstract"
        if given[label].notna().all():
            yield INCLUSION, screening_set(case.name, case.query, given, label)


def sessions(folder: Path, judged: str) -> list[Session]:
    """All lists judged so, as they would have been read."""
    found = []
    ranker = RANKERS[DEFAULT]
    for how, case in labelled(folder):
        if how != judged:
            continue
        ids = case.frame["id"].to_numpy(dtype=str)
        relevant = np.isin(ids, list(case.relevant))
        kept = CACHE / f"{ranker.name}-{ranker.version}" / f"{case.name}.{judged}.npy"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            order = simulate(ranking_text(case.frame), case.query, relevant, ranker=ranker, seed=SEED).order
            np.save(kept, order)
            print(judged, case.name, len(ids), file=sys.stderr)
        order: Ints = np.load(kept)
        clef = case.group in (ABSTRACT, FULL)
        found.append(Session(case.name, judged, clef, ids[order], relevant[order]))
    return found
