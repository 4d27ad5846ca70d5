"""What :mod:`scripts.report_travel` reports: chances from elsewhere on real lists, and the rules that read them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from tarstop_core.belief.decisive import HitCurve
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.rank_frailty import SPREADS, cases_of, from_cases, learn, with_learned
from tarstop_core.documents.tables import Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.benchmarks.sources import without_relevant
from tarstop_core.files import label_topics, read_qrels, read_run
from tarstop_core.policies import Greedy, Optimal, Policy
from tarstop_core.samples.shipped import calibrators
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs

Chances = Callable[[Topic], HitCurve]
Interval = tuple[float, float, float]

COLLECTIONS = {
    "clef_dta": ("clef_dta/bm25.run", "clef_dta/{}.qrels"),
    "clef2017": ("clef2017/es_bool.run", "clef2017/qrel_{}_test.txt"),
    "clef2019 dta": ("clef2019/bm25_dta.run", "clef2019/full.test.dta.{}.2019.qrels"),
    "clef2019 intervention": (
        "clef2019/bm25_intervention.run",
        "clef2019/full.test.intervention.{}.2019.qrels",
    ),
}
"""Real rankings of medical reviews, which calibrators may be learned from and shipped."""
JUDGED = "abs", "content"
PATENTS = {
    **{
        f"CLEF-IP 2011, {run}": (f"patents_real/clefip11_{run}.run.gz", "patents_real/clefip11.qrels.gz")
        for run in ("fused", "safe", "cori", "gmrf", "gmlr")
    },
    "BioPAT": ("patents_real/biopat.run.gz", "patents_real/biopat.qrels.gz"),
}
"""Real patent searches: measured on, never learned from."""
EACH_ONCE = ("CLEF-IP 2011, fused", "BioPAT")
"""Those of the rankings above in which no topic occurs twice."""
Q_STARS = (0.2, 0.5, 0.8)
COSTS = (0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
CELL = ["q_star", "cost"]
DEPTHS = (10, 20, 50, 100)
DRAWN = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100)
NEW, TODAY = "rank-frailty", "marginal (the default before)"
HOME, HOME_NEW = "marginal from home", "rank-frailty from home"
PSEUDO = 1.0
FOLDS, DRAWS, SEED = 5, 10_000, 1
OWN = (5, 10, 20)
BLENDED = (("clef_dta", "clef2017", "clef2019 intervention"), EACH_ONCE)
RESAMPLED, HELD_OUT = 10, 20
PAYOFFS = [Payoffs.from_q_star(q_star) for q_star in Q_STARS]


@lru_cache(maxsize=32)
def read(data: Path, run: str, qrels: str) -> tuple[Topic, ...]:
    """Labelled topics of a ranking."""
    topics, _ = label_topics(read_run(data / run), read_qrels(data / qrels))
    return tuple(topics.values())


def medical(data: Path, name: str, by: str) -> tuple[Topic, ...]:
    """A collection of medical reviews, judged by title and abstract ("abs") or by full text ("content")."""
    run, qrels = COLLECTIONS[name]
    return read(data, run, qrels.format(by))


def elsewhere(data: Path, tested: str = "") -> tuple[list[Topic], list[str]]:
    """Lists of all collections but the one that is tested, without reviews of that one, and where each is from.

    Relevance by title and abstract and by full text are two collections: how rich lists are differs as much between
    them as between systems.
    """
    seen = {topic.name for by in JUDGED for topic in medical(data, tested, by)} if tested else set()
    found = [
        (topic, f"{name}, {by}")
        for name in COLLECTIONS
        for by in JUDGED
        if name != tested
        for topic in medical(data, name, by)
        if topic.omega and topic.name not in seen
    ]
    return [topic for topic, _ in found], [name for _, name in found]


# --- chances ------------------------------------------------------------------------------------


def by(calibrator: Calibrator) -> Chances:
    """The survival curve of a list."""
    if not calibrator.by_rank:
        return lambda topic: calibrator.curve(calibrator.probabilities(topic.scores))

    @lru_cache(maxsize=1)
    def longest(n: int) -> HitCurve:
        return calibrator.curve(calibrator.probabilities(None, n))

    def cut(topic: Topic) -> HitCurve:
        whole, n = longest(LONGEST), len(topic)
        return HitCurve(whole.log_M[: n + 1], whole.h[:n])

    return cut


LONGEST = 12_000


def today(data: Path, tested: str) -> Callable[[Topic], Calibrator]:
    """The default before, fitted on `clef_dta` by full text; where that has seen the review, the same kind without it.

    For `clef_dta` itself: the same kind, fitted on the other collections by full text.
    """
    shipped = calibrators()["clef-reviews"]
    seen = {topic.name for topic in medical(data, "clef_dta", "content")}
    here = {topic.name for topic in medical(data, tested, "abs")}
    if tested == "clef_dta":
        topics, names = elsewhere(data, tested)
        others = [topic for topic, name in zip(topics, names, strict=True) if name.endswith("content")]
    else:
        others = [topic for topic in medical(data, "clef_dta", "content") if topic.name not in here]
    again = fit(others, kind="marginal", pseudo=PSEUDO)
    return lambda topic: again if tested == "clef_dta" or topic.name in seen else shipped


def at_home(topics: Sequence[Topic], kind: str) -> dict[str, Calibrator]:
    """For each topic a calibrator of its own collection that was fitted without it."""
    order = np.arange(len(topics))
    return {
        topics[i].name: fitted
        for train, test in GroupKFold(FOLDS).split(order, groups=order)
        for fitted in [fit([topics[i] for i in train], kind=kind, pseudo=PSEUDO)]
        for i in test
    }


def played(topic: Topic, chances: Chances, policy: Policy) -> tuple[Floats, Floats, Floats]:
    """Net utility, documents read and right decisions on a list and its ω⁻ twin together, each (q*, cost)."""
    total = np.zeros((3, len(Q_STARS), len(COSTS)))
    for each in (topic, without_relevant(topic)):
        path = DecisivePath(chances(each), 0.5, PAYOFFS[0], each.first_hit)
        for q, payoffs in enumerate(PAYOFFS):
            path = path.with_payoffs(payoffs)
            depths = policy.depths(path, np.array(COSTS), 0)
            plus = np.array([path.action_at(int(d)) for d in depths])
            utility = np.array([payoffs.outcome(bool(a), each.omega) for a in plus]) - COSTS * depths
            total[:, q] += np.array([utility, depths, plus == each.omega]) / 2
    return total[0], total[1], total[2]


def measured(
    where: Mapping[str, str], topics: Sequence[Topic], chances: Mapping[str, Callable[[Topic], Chances]]
) -> Iterator[dict[str, object]]:
    """A row for every list, source of chances and rule, and every q* and cost."""
    for topic in topics:
        for source, of in chances.items():
            curve = of(topic)
            for policy in (Optimal(), Greedy()) if source in (NEW, TODAY) else (Optimal(),):
                utility, depth, right = played(topic, curve, policy)
                for q, q_star in enumerate(Q_STARS):
                    for c, cost in enumerate(COSTS):
                        yield {
                            **where,
                            "review": topic.name,
                            "chances": source,
                            "policy": policy.title,
                            "q_star": q_star,
                            "cost": cost,
                            "utility": utility[q, c],
                            "read": depth[q, c],
                            "right": right[q, c],
                        }


def passed(
    where: Mapping[str, str], topics: Sequence[Topic], chances: Mapping[str, Callable[[Topic], Chances]]
) -> Iterator[dict[str, object]]:
    """For every list with something to find whether it has shown nothing by some depths, and how likely that was said to be."""
    for topic in topics:
        for source in (NEW, TODAY):
            log_M = chances[source](topic)(topic).log_M
            for depth in DRAWN:
                hit = topic.first_hit
                yield {
                    **where,
                    "review": topic.name,
                    "chances": source,
                    "depth": depth,
                    "said": float(np.exp(log_M[min(depth, len(topic))])),
                    "so": hit is None or hit > depth,
                }


def always(calibrator: Calibrator) -> Callable[[Topic], Chances]:
    """The same chances for every list."""
    curve = by(calibrator)
    return lambda topic: curve


def measure(data: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Decisions on every list, and lists without a hit."""
    decisions: list[dict[str, object]] = []
    without: list[dict[str, object]] = []
    for tested in COLLECTIONS:
        topics, names = elsewhere(data, tested)
        full_text = [topic for topic, name in zip(topics, names, strict=True) if name.endswith("content")]
        before = today(data, tested)
        away = {
            NEW: always(fit(topics, kind="rank-frailty", collections=names)),
            TODAY: lambda topic, before=before: by(before(topic)),
            **{kind: always(fit(full_text, kind=kind, pseudo=PSEUDO)) for kind in ("frailty", "rank")},
        }
        for judged in JUDGED:
            lists = [topic for topic in medical(data, tested, judged) if topic.omega]
            own = {name: at_home(lists, kind) for name, kind in ((HOME, "marginal"), (HOME_NEW, NEW))}
            home = {name: (lambda topic, each=each: by(each[topic.name])) for name, each in own.items()}
            where = {"domain": "medical", "collection": tested, "judged": judged}
            decisions += measured(where, lists, {**away, **home})
            without += passed(where, lists, away)
    shipped = calibrators()
    chances = {NEW: always(shipped["clef-reviews-rank-frailty"]), TODAY: always(shipped["clef-reviews"])}
    for name, files in PATENTS.items():
        lists = [topic for topic in read(data, *files) if topic.omega]
        where = {"domain": "patents", "collection": name, "judged": "cited"}
        decisions += measured(where, lists, chances)
        without += passed(where, lists, chances)
    return pd.DataFrame(decisions), pd.DataFrame(without)


def spreads(data: Path) -> dict[tuple[float, float], dict[str, float]]:
    """The same under other priors of how far collections lie apart: net utility over the default before, and chances."""
    found = {}
    for scale in ((0.5, 1), (1, 1), (2, 1), (1, 0.5), (1, 2)):
        per_list, without = [], []
        for tested in COLLECTIONS:
            topics, names = elsewhere(data, tested)
            cases = [
                cases_of(topic for topic, each in zip(topics, names, strict=True) if each == name)
                for name in dict.fromkeys(names)
            ]
            learned = learn(cases, (scale[0] * SPREADS[0], scale[1] * SPREADS[1]))
            chances = by(with_learned(calibrators()["clef-reviews-rank-frailty"], learned))
            before = today(data, tested)
            for judged in JUDGED:
                for topic in medical(data, tested, judged):
                    if topic.omega:
                        new = played(topic, chances, Optimal())[0]
                        per_list.append((new - played(topic, by(before(topic)), Optimal())[0]).mean())
                        without.append(np.exp(chances(topic).log_M[min(50, len(topic))]))
        found[scale[0] * SPREADS[0], scale[1] * SPREADS[1]] = {
            "over the default before": float(np.mean(per_list)),
            "without a hit after 50": float(np.mean(without)),
        }
    return found


def blending(data: Path) -> pd.DataFrame:
    """Net utility on held-out lists with some lists of one's own: shipped, one's own alone, and both."""
    rng = np.random.default_rng(SEED)
    rows = []
    sets: list[tuple[str, Calibrator, list[Topic]]] = []
    for tested in BLENDED[0]:
        topics, names = elsewhere(data, tested)
        start = fit(topics, kind="rank-frailty", collections=names)
        sets += [(f"{tested}, {judged}", start, list(medical(data, tested, judged))) for judged in JUDGED]
    shipped = calibrators()["clef-reviews-rank-frailty"]
    sets += [(name, shipped, list(read(data, *PATENTS[name]))) for name in BLENDED[1]]
    for name, start, topics in sets:
        lists = [topic for topic in topics if topic.omega]
        before = {topic.name: played(topic, by(start), Optimal())[0].mean() for topic in lists}
        for own in OWN:
            if own > len(lists) - 4:
                continue
            for draw in range(RESAMPLED):
                order = rng.permutation(len(lists))
                mine, rest = ([lists[i] for i in part] for part in (order[:own], order[own : own + HELD_OUT]))
                if not any(topic.first_hit for topic in mine):
                    continue
                kinds = {
                    "updated": from_cases(start, cases_of(mine), name),
                    "own, marginal": fit(mine, kind="marginal", pseudo=PSEUDO),
                    "own, rank-frailty": fit(mine, kind="rank-frailty"),
                }
                found = {
                    kind: np.mean([played(topic, by(each), Optimal())[0].mean() for topic in rest])
                    for kind, each in kinds.items()
                }
                shipped_here = np.mean([before[topic.name] for topic in rest])
                rows.append({"set": name, "own": own, "draw": draw, "shipped": shipped_here, **found})
    return pd.DataFrame(rows)


# --- differences --------------------------------------------------------------------------------


def chosen(decisions: pd.DataFrame, source: str, policy: str = "Optimal") -> pd.DataFrame:
    """Rows of one source of chances and one rule."""
    return decisions[(decisions["chances"] == source) & (decisions["policy"] == policy)]


def paired(first: pd.DataFrame, second: pd.DataFrame, column: str = "utility") -> Interval:
    """Mean of `first` minus `second` over lists and cells, with its 95 % interval by resampling reviews."""
    per_cell, reviews = _per_list(first, second, column)
    low, high = _resampled(per_cell.mean(axis=1), reviews)
    return float(per_cell.to_numpy().mean()), float(low), float(high)


def by_cell(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """The same of every cell: index (q_star, cost), columns mean, low, high."""
    per_cell, reviews = _per_list(first, second, "utility")
    low, high = _resampled(per_cell, reviews)
    return pd.DataFrame({"mean": per_cell.mean(), "low": low, "high": high}, index=per_cell.columns)


def _per_list(
    first: pd.DataFrame, second: pd.DataFrame, column: str
) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    def wide(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.pivot_table(index=["collection", "judged", "review"], columns=CELL, values=column)

    per_cell = wide(first) - wide(second)
    return per_cell, pd.factorize(per_cell.index.get_level_values("review"))[0]


def _resampled(values: pd.DataFrame | pd.Series, reviews: NDArray[np.intp]) -> Floats:
    """Ends of the interval of the mean; a review is drawn with all its lists."""
    grouped = values.groupby(reviews)
    sums, count = grouped.sum().to_numpy(), grouped.size().to_numpy()
    groups = len(count)
    drawn = np.random.default_rng(SEED).multinomial(groups, np.full(groups, 1 / groups), size=DRAWS)
    total = (drawn @ count).astype(float)
    means = (drawn @ sums) / (total if sums.ndim == 1 else total[:, None])
    return np.asarray(np.quantile(means, [0.025, 0.975], axis=0))
