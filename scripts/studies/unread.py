"""Whether the number still unread is true; and whether the check of the chances warned when it should, which was measured once."""

import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from scripts.real_lists import read_collections, taught_by
from scripts.studies.reranked_chances import sessions
from scripts.study import Tables, coverage
from tarstop_core.calibration.hit_rate_model import Thinning, still_unread
from tarstop_core.documents.tables import Flags
from tarstop_core.evaluation.replay import SHARES
from tarstop_core.places import real_data
from tarstop_core.screening.advised import is_open

PAGE = "still_unread"
READS = "the medical rankings and lists with text in TARSTOP_REAL_DATA; some minutes"
TABLES = ("still_unread", "still_unread_bound", "still_unread_power")
MEASURED_ONCE = ("still_unread_bound", "still_unread_power")
COLUMNS = "judgments collection review at read mean low high true found documents".split()
JUDGMENTS = {"abs": "inclusion", "content": "review"}
LEARNED = {"reviews that learned": True, "screening sets that learned": False}  # Whether they are of CLEF
TRUTHS = (
    (0.25, 1.0, "¼ as many"),
    (0.5, 1.0, "½ as many"),
    (2.0, 1.0, "twice as many"),
    (4.0, 1.0, "4 times as many"),
    (1.0, 0.5, "earlier"),
    (1.0, 2.0, "later"),
)
"""How hits came: the level, as a multiple of what is foreseen, the power that relative ranks are raised to, and in words."""
BEYOND = 20
"""What a document beyond a 90 % interval costs in its score, in documents of width (Gneiting & Raftery 2007)."""


def statement(thinning: Thinning, sharp: Thinning, labels: Flags, depth: int) -> tuple[float, ...]:
    """Mean and ends of the interval, the true number, and the number found."""
    read = np.arange(len(labels)) < depth
    left = still_unread(thinning, read, read & labels, ~read, sharp)
    return left.mean, *left.interval(), int(labels[depth:].sum()), int(labels[:depth].sum())


def left_out(data: Path) -> Iterator[tuple[str, str, dict[str, Flags], Thinning, Thinning]]:
    """Every collection, as judged, with what the others teach of lists, and of those whose ranking is nearly perfect."""
    played = sessions(data)
    for judgments, scenario in JUDGMENTS.items():
        collections = read_collections(data, judgments)
        lists = {name: {t.name: np.asarray(t.labels) for t in topics} for name, topics in collections.items()}
        for name, clef in LEARNED.items():
            own = [session for session in played if session.clef == clef and session.judged == scenario]
            lists[name] = {session.name: session.relevant for session in own}
        for tested, own_lists in lists.items():
            others = [lists[name].items() for name in collections if name != tested]
            taught = [labels for other in others for name, labels in other if name not in own_lists]
            clef = LEARNED.get(tested)
            sharp = [s.relevant for s in played if s.name not in own_lists and s.clef != clef]
            yield judgments, tested, own_lists, taught_by(taught), taught_by(sharp)


def statements(data: Path) -> Iterator[tuple[object, ...]]:
    """What is said of every list by what the other collections teach, at five depths."""
    for judgments, tested, lists, thinning, sharp in left_out(data):
        for (name, labels), share in product(lists.items(), SHARES):
            if (depth := math.ceil(share * len(labels))) < len(labels):
                values = statement(thinning, sharp, labels, depth)
                yield judgments, tested, name, f"{100 * share:g} %", depth, *values, len(labels)


def measure() -> Tables:
    """Statements on real lists."""
    return {"still_unread": pd.DataFrame(statements(real_data()), columns=COLUMNS).round(5)}


def distances(every: pd.DataFrame, bound: pd.DataFrame) -> pd.DataFrame:
    """By judgment and depth: the score on real lists, how far it is from the oracle's, and how far that of who knows how lists vary."""
    true, low, high = every["true"], every["low"], every["high"]
    missed = (low - true).clip(lower=0) + (true - high).clip(lower=0)
    of_real = bound[~bound["drawn"]].drop(columns="score")
    real = every.assign(score=high - low + BEYOND * missed).merge(of_real, on=COLUMNS[:4])
    rows = []
    for (judged, at), own in real.groupby(["judgments", "at"], sort=False):
        drawn = bound[bound["drawn"] & (bound["judgments"] == judged) & (bound["at"] == at)]
        gaps = {"now": own["score"] - own["oracle"], "best": drawn["score"] - drawn["oracle"]}
        ends = {f"{who}_reach": 1.96 * gap.sem() for who, gap in gaps.items()}
        means = {who: gap.mean() for who, gap in gaps.items()}
        rows.append({"judged": judged, "at": at, "score": own["score"].mean(), **means, **ends})
    return pd.DataFrame(rows)


def summarise(tables: Tables) -> dict[str, object]:
    """Coverage in all and by collection, and how often the interval is shown."""
    every, power = tables["still_unread"], tables["still_unread_power"]
    opened = [is_open(high, found) for high, found in zip(every["high"], every["found"], strict=True)]
    return {
        "scores": distances(every, tables["still_unread_bound"]),
        "by_collection": {k: coverage(part, over="collection") for k, part in every.groupby("judgments")},
        "rows": [
            {"part": name} | {kind: coverage(part[part["judgments"] == kind]) for kind in JUDGMENTS}
            for name, part in [("all", every), *every.groupby("collection")]
        ],
        "open": pd.Series(opened).groupby(every["at"], sort=False).mean(),
        "power": power.set_index(["scenario", "level", "tilt"]).to_dict("index"),
        "truths": TRUTHS,
    }
