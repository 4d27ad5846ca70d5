"""Learn the chances of re-ranked lists in ``sample_data/reranked``: figures only, each judged on lists it has not seen.

Needs the folder that TARSTOP_REAL_DATA names. Every labelled list is played as a session that learns from its labels
(some minutes, kept for the next time). Run again, it writes the same files.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir

import numpy as np

from scripts.real_lists import ABSTRACT, SETS, TextList, run_script, screening_set, text_lists, write_sample
from scripts.studies.reranking import SOFTWARE
from tarstop_core.calibration.calibrator import INCLUSION, REVIEW, FittedOn
from tarstop_core.calibration.quality import Quality, ece, reliability
from tarstop_core.calibration.reranked import RerankedChances, fit_reranked, forecasts
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.tables import Flags, Floats, Ints
from tarstop_core.evaluation.reranking import simulate
from tarstop_core.places import real_data
from tarstop_core.ranking.learning import DEFAULT, RANKERS

SEED = 1
KEPT = Path(gettempdir()) / "tarstop-reranked"
"""Orders of sessions played before; they hold as long as the ranker is the same."""
SOURCE = (
    "sessions played on 13 diagnostic-accuracy reviews of CLEF TAR (MIT licence, Leif Azzopardi) and 12 labelled screening sets: "
    "Cohen et al. 2006 (drug classes), Appenzeller-Herzog et al., Kwok et al. 2020, Radjenovic and Wahono as gathered by Yu, "
    "Kraft & Menzies (all CC-BY 4.0); each by title and abstract and by full text, where it is judged by both; put in order anew by the ranker {}, version {}"
)


@dataclass(frozen=True, eq=False)
class Session:
    """A list read to its end."""

    name: str
    judged: str
    """`INCLUSION` by title and abstract, `REVIEW` by full text."""
    clef: bool
    relevant: Flags
    """In the order read, shape (N,)."""

    @property
    def group(self) -> str:
        """What is left out together when the session is judged: two sets share papers."""
        return "software" if self.name in SOFTWARE else self.name


def labelled(data: Path) -> Iterator[tuple[str, TextList]]:
    """Every labelled list, by each kind of judgment that it has."""
    for each in text_lists(data):
        yield INCLUSION if each.group == ABSTRACT else REVIEW, each
        if each.group == SETS and (again := screening_set(data, each.name, each.query, by_abstract=True)):
            yield INCLUSION, again


def sessions(data: Path) -> list[Session]:
    """All lists as they would have been read."""
    played = []
    ranker = RANKERS[DEFAULT]
    for judged, each in labelled(data):
        ids = each.frame["id"].to_numpy(dtype=str)
        relevant = np.isin(ids, list(each.relevant))
        kept = KEPT / f"{ranker.name}-{ranker.version}" / f"{each.name}.{judged}.npy"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            read = simulate(ranking_text(each.frame), each.query, relevant, ranker=ranker, seed=SEED)
            np.save(kept, read.order)
            print(judged, each.name, len(ids), file=sys.stderr)
        order: Ints = np.load(kept)
        played.append(Session(each.name, judged, each.group != SETS, relevant[order]))
    return played


def learned(played: Sequence[Session]) -> RerankedChances:
    """The chances that these sessions teach."""
    sizes, ranker = [len(each.relevant) for each in played], RANKERS[DEFAULT]
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
    """What the other sessions teach, by what is left out."""
    groups = dict.fromkeys(each.group for each in played)
    return {group: learned([each for each in played if each.group != group]) for group in groups}


def next_chances(played: Sequence[Session], models: dict[str, RerankedChances]) -> list[tuple[Floats, Flags]]:
    """Chance of each document when it was next, and its label, by session."""
    return [
        (forecasts(models[each.group], each.relevant, len(each.relevant))[:-1], each.relevant)
        for each in played
    ]


def main() -> None:
    """Write the file."""
    played = sessions(real_data())
    p, came_true = map(np.concatenate, zip(*next_chances(played, left_out(played)), strict=True))
    curve = reliability(p, came_true)
    brier = float(((p - came_true) ** 2).mean())
    how = "next document, leaving each set out"
    quality = Quality(how, len(played), len(p), round(brier, 6), round(ece(curve), 6), curve)
    write_sample("reranked", "reviews.json", replace(learned(played), quality=quality).to_json())
    print(f"{len(played)} sessions, Brier {brier:.4f}, ECE {quality.ece:.4f}", file=sys.stderr)


if __name__ == "__main__":
    run_script(main)
