"""Sessions in which the list learned, played on labelled lists: what chances of such lists are learned from and judged by."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pandas as pd

from scripts.report_ranking import ABSTRACT, FULL, NAMED, SETS, Case, cases, screening_set
from tarstop_core.calibration.calibrator import INCLUSION, REVIEW, FittedOn
from tarstop_core.calibration.reranked import RerankedChances, forecasts
from tarstop_core.calibration.reranked_fit import fit_reranked
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.tables import Flags, Floats, Ints
from tarstop_core.evaluation.reranking import simulate
from tarstop_core.ranking.learning import DEFAULT, RANKERS

FINAL = REVIEW
"""Judged at the end, by full text; :data:`~tarstop_core.calibration.calibrator.INCLUSION` by title and abstract."""
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


def sessions(folder: Path) -> list[Session]:
    """All lists as they would have been read, each by every kind of judgment that it has."""
    found = []
    ranker = RANKERS[DEFAULT]
    for judged, case in labelled(folder):
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


SOURCE = (
    "sessions played on 13 diagnostic-accuracy reviews of CLEF TAR (MIT licence, Leif Azzopardi) and 12 labelled screening sets: "
    "Cohen et al. 2006 (drug classes), Appenzeller-Herzog et al., Kwok et al. 2020, Radjenovic and Wahono as gathered by Yu, "
    "Kraft & Menzies (all CC-BY 4.0); each by title and abstract and by full text, where it is judged by both; put in order anew by the ranker {}, version {}"
)


def learned(played: Sequence[Session]) -> RerankedChances:
    """From all of these."""
    sizes, ranker = [len(each.ids) for each in played], RANKERS[DEFAULT]
    on = FittedOn(
        "labelled reviews and screening sets, re-ranked",
        topics=len({each.name for each in played}),
        documents=sum(sizes),
        relevant=int(sum(each.relevant.sum() for each in played)),
        simulated=False,
        source=SOURCE.format(ranker.name, ranker.version),
        shortest_list=min(sizes),
        longest_list=max(sizes),
    )
    kinds: dict[str, list[Flags]] = {}
    for each in played:
        kinds.setdefault(each.judged, []).append(each.relevant)
    return fit_reranked(kinds, on)


def left_out(played: Sequence[Session]) -> dict[str, RerankedChances]:
    """By what is left out, what the others teach."""
    groups = dict.fromkeys(each.group for each in played)
    return {group: learned([each for each in played if each.group != group]) for group in groups}


def foretold(played: Sequence[Session], models: dict[str, RerankedChances]) -> list[tuple[Floats, Flags]]:
    """Chances of each document as it stood when it was next, and what came true, by session."""
    return [
        (forecasts(models[each.group], each.relevant, len(each.ids))[:-1], each.relevant) for each in played
    ]
