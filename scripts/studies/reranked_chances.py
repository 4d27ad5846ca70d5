"""Chances of a list that learns: what sessions played over labelled lists teach, which ships, and whether it is true."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pandas as pd

from scripts.real_lists import text_lists, write_sample
from scripts.studies.reranking import SOFTWARE
from scripts.study import Tables, coverage
from tarstop_core.calibration.calibrator import INCLUSION, REVIEW, FittedOn
from tarstop_core.calibration.quality import Predicted, Quality, ece, quality_of, reliability
from tarstop_core.calibration.reranked import RerankedChances, ahead, fit_reranked, forecasts
from tarstop_core.documents.records import ranking_text
from tarstop_core.documents.tables import Flags
from tarstop_core.evaluation.reranking import READ, mean_log_loss, simulate
from tarstop_core.places import real_data
from tarstop_core.ranking.learning import DEFAULT, RANKERS

PAGE = "reranked_chances"
READS = "the labelled lists with text in TARSTOP_REAL_DATA; some minutes"
TABLES = ("reranked_chances", "reranked_chances_next")
SEED, RANKER = 1, RANKERS[DEFAULT]
KEPT = Path(gettempdir()) / "tarstop-reranked" / f"{RANKER.name}-{RANKER.version}"
"""Orders of sessions played before; they hold as long as the ranker is the same."""
SOURCE = (
    "sessions played on 13 diagnostic-accuracy reviews of CLEF TAR (MIT licence, Leif Azzopardi) and 12 labelled screening sets: "
    "Cohen et al. 2006 (drug classes), Appenzeller-Herzog et al., Kwok et al. 2020, Radjenovic and Wahono as gathered by Yu, "
    "Kraft & Menzies (all CC-BY 4.0); each by title and abstract and by full text, where it is judged by both; "
    f"put in order anew by the ranker {RANKER.name}, version {RANKER.version}"
)
AHEAD = {"next 20": 20, "next 100": 100, "all left": None}
STATED = ["judged", "clef", "review", "set", "read", "what", "mean", "low", "high", "true", "below", "upto"]
SHIPPED = ["judged", "set", "read", "what", "mean", "low", "high", "true"]


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


Models = Mapping[str, RerankedChances]  # By group, what the other sessions teach


def sessions(data: Path) -> list[Session]:
    """All lists as they would have been read."""
    played = []
    KEPT.mkdir(parents=True, exist_ok=True)
    for each in text_lists(data):
        kept = KEPT / f"{each.name}.{each.judged}.npy"
        if not kept.exists():
            print(each.judged, each.name, len(each.relevant), file=sys.stderr)
            read = simulate(ranking_text(each.frame), each.query, each.relevant, ranker=RANKER, seed=SEED)
            np.save(kept, read.order)
        played.append(Session(each.name, each.judged, each.clef, each.relevant[np.load(kept)]))
    return played


def learned(played: Sequence[Session]) -> RerankedChances:
    """The chances that these sessions teach."""
    sizes = [len(each.relevant) for each in played]
    on = FittedOn(
        "labelled reviews and screening sets, re-ranked",
        topics=len({each.name for each in played}),
        documents=sum(sizes),
        relevant=int(sum(each.relevant.sum() for each in played)),
        simulated=False,
        source=SOURCE,
        shortest_list=min(sizes),
        longest_list=max(sizes),
    )
    kinds = dict.fromkeys(each.judged for each in played)
    lists = {kind: [each.relevant for each in played if each.judged == kind] for kind in kinds}
    return fit_reranked(lists, on)


def left_out(played: Sequence[Session]) -> dict[str, RerankedChances]:
    """What the other sessions teach, by what is left out."""
    groups = dict.fromkeys(each.group for each in played)
    return {group: learned([each for each in played if each.group != group]) for group in groups}


def next_chances(played: Sequence[Session], models: Models) -> list[Predicted]:
    """Chance of each document when it was next, and its label, by session."""
    pairs = ((models[each.group], each.relevant) for each in played)
    return [(forecasts(model, labels, len(labels))[:-1], labels) for model, labels in pairs]


def statements(played: Sequence[Session], models: Models) -> Iterator[tuple[object, ...]]:
    """What is said of the documents ahead after some numbers of documents, and what is so."""
    for session in played:
        documents, model = len(session.relevant), models[session.group].for_scenario(session.judged)
        for read in (depth for depth in READ if depth < documents):
            rest = ahead(model, session.relevant[:read], documents)
            for what, more in AHEAD.items():
                left, true = rest.left(more), int(session.relevant[read:][:more].sum())
                chances = left.chance_of_at_most(true - 1), left.chance_of_at_most(true)
                where = session.judged, session.clef, session.group, session.name
                yield (*where, read, what, left.mean, *left.interval(), true, *chances)


def next_document(
    played: Sequence[Session], models: Models, elsewhere: Models
) -> Iterator[dict[str, object]]:
    """Log-loss and calibration error of the next document, beside the mean share of the other lists."""
    for judged in (INCLUSION, REVIEW):
        for clef in (True, False):
            own = [each for each in played if each.judged == judged and each.clef == clef]
            others = [each.relevant for each in played if each.judged == judged and each.clef != clef]
            usual = float(np.mean([labels.mean() for labels in others]))
            constant = [(np.full(len(each.relevant), usual), each.relevant) for each in own]
            ways = {"constant": constant, "learned": next_chances(own, models)}
            if clef:
                ways["without CLEF"] = next_chances(own, elsewhere)
            for way, pairs in ways.items():
                p, labels = (np.concatenate(part) for part in zip(*pairs, strict=True))
                row = {"judged": judged, "clef": clef, "sessions": len(own), "way": way}
                yield row | {"log_loss": mean_log_loss(p, labels), "ece": ece(reliability(p, labels))}


def quality(played: Sequence[Session], models: Models) -> Quality:
    """How well the chance of the next document came true in all sessions, as it ships."""
    of_next = quality_of(next_chances(played, models), "next document, leaving each set out")
    return replace(of_next, brier=round(of_next.brier, 6), ece=round(of_next.ece, 6), intervals=())


def measure() -> Tables:
    """What was said and what was so, in sessions whose list was learned without.

    Writes what ships: the chances that all sessions teach, and what the Calibration page shows of these statements.
    """
    played = sessions(real_data())
    models = left_out(played)
    shipped = replace(learned(played), quality=quality(played, models))
    write_sample("reranked", "reviews.json", shipped.to_json())
    clef = [each for each in played if each.clef]
    by_sets = learned([each for each in played if not each.clef])
    elsewhere = dict.fromkeys((each.group for each in clef), by_sets)
    rows = pd.DataFrame(statements(played, models), columns=STATED)
    away = pd.DataFrame(statements(clef, elsewhere), columns=STATED)
    write_sample("reranked", "came_out.csv", rows[SHIPPED].round({"mean": 2}).to_csv(index=False))
    return {
        "reranked_chances": pd.concat([rows.assign(way="learned"), away.assign(way="without CLEF")]).round(5),
        "reranked_chances_next": pd.DataFrame(next_document(played, models, elsewhere)).round(6),
    }


def summarise(tables: Tables) -> dict[str, object]:
    """Coverage by judgment, by what is ahead and by depth."""
    every = tables["reranked_chances"]
    rows, away = (every[every["way"] == way] for way in ("learned", "without CLEF"))
    words = {INCLUSION: "by title and abstract", REVIEW: "by full text"}
    parts = [("all", rows)]
    ahead_of = rows.groupby(["judged", "what"], sort=False)
    parts += [(f"{words[judged]}, {what}", part) for (judged, what), part in ahead_of]
    parts += [(f"after {READ[0]} documents", rows[rows["read"] == READ[0]])]
    parts += [(f"{words[judged]}, learned without CLEF", part) for judged, part in away.groupby("judged")]
    covered = [{"part": name} | coverage(part) for name, part in parts]
    return {"parts": covered, "next": tables["reranked_chances_next"], "words": words}
