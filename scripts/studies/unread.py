"""Whether the number still unread is true, and whether the check of the chances warns when it should."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from scripts.make_reranked_chances import sessions
from scripts.real_lists import read_collections
from scripts.study import Floats, Study, Tables, cluster_t
from tarstop_core.calibration import calibration_monitor as monitor
from tarstop_core.calibration import hit_rate_model as model
from tarstop_core.calibration.hit_rate_fit import fit_thinning
from tarstop_core.calibration.hit_rate_model import Thinning
from tarstop_core.documents.tables import Flags
from tarstop_core.evaluation.replay import SHARES
from tarstop_core.places import real_data
from tarstop_core.samples.shipped import calibrators
from tarstop_core.screening.advised import FEW, MOST_LEFT

JUDGMENTS = {"abs": "inclusion", "content": "review"}
LEARNED = {"reviews that learned": True, "screening sets that learned": False}  # Whether they are of CLEF
LEVELS = {
    1.0: "as foreseen",
    0.25: "¼ as many",
    0.5: "½ as many",
    2.0: "twice as many",
    4.0: "4 times as many",
}
TRUTHS = (*((level, 1.0, name) for level, name in LEVELS.items()), (1.0, 0.5, "earlier"), (1.0, 2.0, "later"))
"""How hits come: the level, as a multiple of what is foreseen, the power that relative ranks are raised to, and in words."""
NUMBERS = (10, 20, 40, 80)  # Sessions of a person
POOL = {"reviews": 600, "patents": 4000}  # Drawn sessions
PERSONS = 400  # Those who have some of them each
LOOKS, GIVES_UP, LENGTHS = 5, 50, (300, 3000)  # Reviews: looks, misses in a row that end it, lengths of lists
LISTED, SEARCHED, PRIOR_ART = 100, 30, 0.5  # Patents: documents, those read at most, how often there is a hit


def statement(thinning: Thinning, sharp: Thinning, labels: Flags, depth: int) -> tuple[float, ...]:
    """Mean and ends of the interval, the true number, and the number found."""
    read = np.arange(len(labels)) < depth
    unread = model.still_unread(thinning, read, read & labels, ~read, sharp)
    return unread.mean, *unread.interval(), int(labels[depth:].sum()), int(labels[:depth].sum())


def taught_by(lists: Sequence[Flags]) -> Thinning:
    """What lists teach whose labels are all known."""
    return fit_thinning([(np.ones(len(labels), dtype=bool), labels) for labels in lists])


def left_out(data: Path) -> Iterator[tuple[str, str, dict[str, Flags], Thinning, Thinning]]:
    """Every collection, as judged, with what the others teach of lists, and of those whose ranking is nearly perfect."""
    played = sessions(data)
    for judgments, scenario in JUDGMENTS.items():
        collections = read_collections(data, judgments)
        lists = {name: {t.name: np.asarray(t.labels) for t in topics} for name, topics in collections.items()}
        for tested in (*collections, *LEARNED):
            clef = LEARNED.get(tested)
            if clef is not None:
                lists[tested] = {
                    s.name: s.relevant for s in played if s.clef == clef and s.judged == scenario
                }
            others = {name: lists[name] for name in collections if name != tested}.values()
            taught = [x for other in others for name, x in other.items() if name not in lists[tested]]
            sharp = [s.relevant for s in played if s.name not in lists[tested] and s.clef != clef]
            yield judgments, tested, lists[tested], taught_by(taught), taught_by(sharp)


def statements(data: Path) -> Iterator[tuple[object, ...]]:
    """What is said of every list by what the other collections teach, at five depths."""
    for judgments, tested, lists, thinning, sharp in left_out(data):
        for (name, labels), share in product(lists.items(), SHARES):
            if (depth := math.ceil(share * len(labels))) < len(labels):
                values = statement(thinning, sharp, labels, depth)
                yield judgments, tested, name, f"{100 * share:g} %", depth, *values, len(labels)


def scores(low: ArrayLike, high: ArrayLike, true: ArrayLike) -> Floats:
    """Interval score of 90 % intervals: their width, and 20 times what lies beyond them (Gneiting & Raftery 2007)."""
    low, high, true = map(np.asarray, (low, high, true))
    return np.asarray(high - low + 20 * (np.maximum(low - true, 0) + np.maximum(true - high, 0)), dtype=float)


Looks = list[Floats]  # What one session says against its chances each time somebody looks, last at its end


def drawn_review(rng: np.random.Generator, thinning: Thinning, level: float, tilt: float) -> Looks:
    """What a drawn review says that ends after so many documents in a row without a hit."""
    length = int(np.exp(rng.uniform(*np.log(LENGTHS))))
    mean = np.array(thinning.mean) @ (1.0, math.log(length / model.TYPICAL))
    alpha, beta, total = np.exp(rng.multivariate_normal(mean, model.WIDER * np.array(thinning.spread)))
    number = rng.poisson(level * total * rng.gamma(model.TOTAL_SHAPE) / model.TOTAL_SHAPE)
    hits = np.unique((rng.beta(tilt * alpha, beta, number) * length).astype(int))
    at, begins = np.arange(length), np.append(-1, hits)
    end = begins[np.diff(begins, append=length + GIVES_UP) > GIVES_UP][0] + 1 + GIVES_UP
    reads = [at < depth for depth in np.unique(np.geomspace(1, min(end, length), LOOKS).astype(int))]
    return [monitor.ratios_of_curves(thinning, read, read & np.isin(at, hits), at < 0) for read in reads]


def drawn_search(rng: np.random.Generator, log_M: Floats, level: float, tilt: float) -> Looks:
    """What a drawn search says after each document, until the first hit or until it is given up."""
    at = LISTED * (np.arange(SEARCHED + 1) / LISTED) ** tilt
    come = PRIOR_ART * -np.expm1(level * np.interp(at, np.arange(LISTED + 1), log_M))
    first, ratios = int(np.searchsorted(come, rng.random())), partial(monitor.ratios_of_first_hit, log_M)
    looks = [ratios(depth, False, 1 - PRIOR_ART) for depth in range(min(first, SEARCHED + 1))]
    return looks if first > SEARCHED else [*looks, ratios(first, True, 1 - PRIOR_ART)]


def warned_at(sessions_begun: Sequence[Looks]) -> int:
    """After how many sessions somebody is warned who looks each time, or one more than there are."""
    before: Floats = np.zeros(len(monitor.LEVELS) + len(monitor.TILTS))
    for n, looks in enumerate(sessions_begun, start=1):
        if any(monitor.combined([before, look]).warned for look in looks):
            return n
        before = before + looks[-1]
    return len(sessions_begun) + 1


def power() -> Iterator[dict[str, object]]:
    """Share of drawn persons who are ever warned, by number of sessions and by what is true."""
    rng, search = np.random.default_rng(1), calibrators()["clef-reviews-rank-frailty"]
    thinning = calibrators()["review-inclusion-rank"].thinning or model.PRIOR
    log_M = search.curve(search.probabilities(None, LISTED)).log_M
    draws = {"reviews": partial(drawn_review, rng, thinning), "patents": partial(drawn_search, rng, log_M)}
    for (scenario, draw), (level, tilt, _) in product(draws.items(), TRUTHS):
        pool = [draw(level, tilt) for _ in range(POOL[scenario])]
        choices = [rng.choice(len(pool), max(NUMBERS), replace=False) for _ in range(PERSONS)]
        first = np.array([warned_at([pool[at] for at in chosen]) for chosen in choices])
        about = {"scenario": scenario, "level": level, "tilt": tilt, "half": int(np.median(first))}
        yield about | {f"after {n}": np.mean(first <= n) for n in NUMBERS}


def coverage(rows: pd.DataFrame, over: str = "review") -> dict[str, object]:
    """How many statements hold, with an interval of 95 % over what weighs equally, and in how many more is left."""
    inside = (rows["true"] >= rows["low"]) & (rows["true"] <= rows["high"])
    means = inside.groupby(rows[over]).mean()
    interval = cluster_t(means)
    return {
        "covered": inside.mean(),
        "low": interval["low"],
        "high": min(interval["high"], 1.0),
        "above": (rows["true"] > rows["high"]).mean(),
    }


def distances(every: pd.DataFrame, bound: pd.DataFrame) -> pd.DataFrame:
    """By judgment and depth: the score on real lists, how far it is from the oracle's, and how far that of who knows how lists vary."""
    about = ["judgments", "collection", "review", "at"]
    every = every.assign(score=scores(every["low"], every["high"], every["true"]))
    real = every.merge(bound[~bound["drawn"]].drop(columns="score"), on=about)
    rows = []
    for (judged, at), own in real.groupby(["judgments", "at"], sort=False):
        drawn = bound[bound["drawn"] & (bound["judgments"] == judged) & (bound["at"] == at)]
        gaps = {"now": own["score"] - own["oracle"], "best": drawn["score"] - drawn["oracle"]}
        ends = {f"{who}_reach": 1.96 * gap.sem() for who, gap in gaps.items()}
        means = {who: gap.mean() for who, gap in gaps.items()}
        rows.append({"judged": judged, "at": at, "score": own["score"].mean(), **means, **ends})
    return pd.DataFrame(rows)


def measure() -> Tables:
    """Statements on real lists, and warnings of drawn persons."""
    names = "judgments collection review at read mean low high true found documents".split()
    return {
        "still_unread": pd.DataFrame(statements(real_data()), columns=names).round(5),
        "still_unread_power": pd.DataFrame(power()),
    }


def summarise(tables: Tables) -> dict[str, object]:
    """Coverage in all and by collection, and how often the interval is shown."""
    every = tables["still_unread"]
    is_open = every["high"] > MOST_LEFT * every["found"].clip(lower=FEW)
    rows = [
        {"part": name} | {kind: coverage(part[part["judgments"] == kind]) for kind in JUDGMENTS}
        for name, part in [("all", every), *every.groupby("collection")]
    ]
    rates = tables["still_unread_power"].set_index(["scenario", "level", "tilt"]).to_dict("index")
    shares = is_open.groupby(every["at"], sort=False).mean()
    by_collection = {kind: coverage(of, over="collection") for kind, of in every.groupby("judgments")}
    about = {"scores": distances(every, tables["still_unread_bound"]), "by_collection": by_collection}
    return about | {"rows": rows, "open": shares, "power": rates, "truths": TRUTHS}


STUDY = Study(
    page="still_unread",
    reads="the medical rankings and lists with text in TARSTOP_REAL_DATA; some minutes",
    tables=("still_unread", "still_unread_bound", "still_unread_power"),
    measured_once=("still_unread_bound",),
    measure=measure,
    summarise=summarise,
)
