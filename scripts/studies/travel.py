"""How well chances travel: learned on some collections of real rankings and used on another."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from scripts.real_lists import COLLECTIONS, EACH_ONCE, JUDGED, PATENTS, elsewhere, medical, read
from scripts.study import Floats, Tables, named_lines
from tarstop_core.belief.decisive import HitCurve
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.coverage import UNKNOWN, share_without_hit
from tarstop_core.calibration.fitting import fit
from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.cases import without_relevant
from tarstop_core.evaluation.metrics import bootstrap_weights
from tarstop_core.places import real_data
from tarstop_core.policies import Optimal
from tarstop_core.presentation.palette import BELIEF, PLUS, THRESHOLD
from tarstop_core.samples.shipped import FOR_MERGED_LISTS, calibrators
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs

PAGE = "calibrators_travel"
READS = "the medical and patent rankings in TARSTOP_REAL_DATA; a few minutes"
TABLES = tuple(f"calibrators_travel{part}" for part in ("", "_hits", "_topics", "_patents"))
Chances = Callable[[Topic], HitCurve]
Row = dict[str, object]
PAYOFFS = [Payoffs.from_q_star(q_star) for q_star in (0.2, 0.5, 0.8)]
COSTS = (0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
DEPTHS = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100)
SHOWN_DEPTHS = (10, 20, 50, 100)
NEW, BEFORE = "rank-frailty", "marginal"  # the default for searches, and the default before it
PSEUDO, LONGEST = 1.0, 12_000
ONE_RANKING = "clef-reviews-rank-frailty"
UNCERTAIN = {"κ unknown": ONE_RANKING, "κ unknown, merged": FOR_MERGED_LISTS}  # as nobody knows the search
LIST = ["domain", "collection", "judged", "review"]


def curve_of(calibrator: Calibrator, kappa: float = 1.0) -> Chances:
    """The survival curve of a list."""
    if not calibrator.by_rank:
        return lambda topic: calibrator.curve(calibrator.probabilities(topic.scores), kappa=kappa)
    longest = calibrator.curve(calibrator.probabilities(None, LONGEST), kappa=kappa)
    return lambda topic: HitCurve(longest.log_M[: len(topic) + 1], longest.h[: len(topic)])


def before(data: Path, tested: str) -> Callable[[Topic], Calibrator]:
    """The default before, or the same kind fitted without the review where the default has seen it."""
    shipped, home = calibrators()["clef-reviews"], medical(data, "clef_dta", "content")
    here = {topic.name for topic in medical(data, tested, "abs")}
    taught = [topic for topic in home if topic.name not in here]
    if tested == "clef_dta":
        topics, names = elsewhere(data, tested)
        taught = [topic for topic, name in zip(topics, names, strict=True) if name.endswith("content")]
    again, seen = fit(taught, pseudo=PSEUDO), {topic.name for topic in home}
    return lambda topic: again if topic.name in seen else shipped


def utility_of(topic: Topic, chances: Chances) -> float:
    """Net utility of Optimal over all cells, on a list and its twin without relevant documents."""
    found = []
    for case in (topic, without_relevant(topic)):
        path = DecisivePath(chances(case), 0.5, PAYOFFS[0], case.first_hit)
        for payoffs in PAYOFFS:
            path = path.with_payoffs(payoffs)
            for cost, depth in zip(COSTS, Optimal().depths(path, np.array(COSTS), 0).tolist(), strict=True):
                found.append(payoffs.outcome(bool(path.action_at(depth)), case.omega) - cost * depth)
    return float(np.mean(found))


def on_lists(
    topics: Sequence[Topic], sources: Mapping[str, Callable[[Topic], Chances]], **where: str
) -> Iterator[Row]:
    """A row for each list and source: what Optimal came to, and the chance that nothing has shown by some depths."""
    for topic, (source, chances_for) in product([each for each in topics if each.omega], sources.items()):
        chances, hit = chances_for(topic), topic.first_hit
        log_M = chances(topic).log_M
        row: Row = where | {"review": topic.name, "chances": source, "utility": utility_of(topic, chances)}
        for depth in DEPTHS:
            row[f"said_{depth}"] = float(np.exp(log_M[min(depth, len(topic))]))
            row[f"nothing_in_{depth}"] = hit is None or hit > depth
        yield row


def searches(data: Path) -> pd.DataFrame:
    """Both kinds of chances on every list that they were not learned from."""
    rows: list[Row] = []
    for tested in COLLECTIONS:
        topics, names = elsewhere(data, tested)
        new, default = curve_of(fit(topics, kind="rank-frailty", collections=names)), before(data, tested)
        sources = {NEW: lambda _, new=new: new, BEFORE: lambda topic, of=default: curve_of(of(topic))}
        for judged in JUDGED:
            lists = medical(data, tested, judged)
            rows += on_lists(lists, sources, domain="medical", collection=tested, judged=judged)
    curves = {NEW: curve_of(calibrators()[ONE_RANKING]), BEFORE: curve_of(calibrators()["clef-reviews"])}
    curves |= {source: curve_of(calibrators()[name], UNKNOWN.mean) for source, name in UNCERTAIN.items()}
    sources = {source: lambda _, curve=curve: curve for source, curve in curves.items()}
    for name, files in PATENTS.items():
        rows += on_lists(read(data, *files), sources, domain="patents", collection=name, judged="cited")
    return pd.DataFrame(rows)


def compared(rows: pd.DataFrame, new: str = NEW, before: str = BEFORE) -> Row:
    """Utility of new chances minus those before over lists, with an interval from resampling reviews with all their lists."""
    wide = rows.pivot(index=LIST[1:], columns="chances", values="utility")
    gain = wide[new] - wide[before]
    low, high = resampled(gain, gain.index.get_level_values("review"))
    means = {"before": wide[before].mean(), "new": wide[new].mean(), "difference": gain.mean()}
    return {"reviews": rows["review"].nunique(), "lists": len(gain)} | means | {"low": low, "high": high}


def resampled(values: pd.Series, reviews: pd.Index) -> Floats:
    """Ends of the 95 % interval of the mean; a review is drawn with all its lists."""
    grouped = values.groupby(pd.factorize(reviews)[0])
    sums, count = grouped.sum().to_numpy(), grouped.size().to_numpy()
    drawn = bootstrap_weights(len(count), 10_000)
    return np.asarray(np.quantile((drawn @ sums) / (drawn @ count), [0.025, 0.975]))


def without_a_hit(rows: pd.DataFrame) -> Iterator[Row]:
    """Share of lists that have shown nothing by each depth, as it was and as either kind of chances said."""
    new, old = (rows[rows["chances"] == source] for source in (NEW, BEFORE))
    for depth in DEPTHS:
        said, nothing = f"said_{depth}", f"nothing_in_{depth}"
        off = new[nothing] - new[said]
        sums = off.groupby([new["collection"], new["judged"]]).sum().to_numpy()
        error = np.sqrt(len(sums) / max(1, len(sums) - 1) * (sums**2).sum()) / len(new)
        means = {"said": new[said].mean(), "said_before": old[said].mean(), "nothing": new[nothing].mean()}
        yield {"depth": depth, "lists": len(new)} | means | {"difference": off.mean(), "apart": 1.96 * error}


def uncertain(patents: pd.DataFrame) -> Iterator[Row]:
    """What patent lists came to and showed by some depths, and what is predicted not knowing how they were searched."""
    for (collection, rows), source in product(patents.groupby("collection", sort=False), UNCERTAIN):
        row = {"lists_of": collection, "chances": source} | compared(rows, source, NEW)
        for depth in SHOWN_DEPTHS:
            row[f"nothing_{depth}"] = rows.loc[rows["chances"] == source, f"nothing_in_{depth}"].mean()
            share = vars(share_without_hit(calibrators()[UNCERTAIN[source]], depth, UNKNOWN))
            row |= {f"{name}_{depth}": value for name, value in share.items()}
        yield row


def measure() -> Tables:
    """Searches on medical reviews and patents."""
    data = real_data()
    rows = searches(data)
    medical_rows, patents = (rows[rows["domain"] == domain] for domain in ("medical", "patents"))
    once = patents[patents["collection"].isin(EACH_ONCE)]
    groups = {"all medical reviews": medical_rows, "all patents, each topic once": once}
    groups |= {
        f"{collection}, {judged}": part
        for (collection, judged), part in rows.groupby(["collection", "judged"], sort=False)
    }
    hits = {"all": pd.concat([medical_rows, once]), "medical reviews": medical_rows, "patents": once}
    # Of patents only means: their topics are not ours to pass on.
    nothing = [f"nothing_in_{depth}" for depth in SHOWN_DEPTHS]
    topics = medical_rows[[*LIST[1:], "chances", "utility", *nothing]]
    parts = [{"lists_of": name} | compared(part) for name, part in groups.items()]
    without = [{"lists_of": name} | row for name, part in hits.items() for row in without_a_hit(part)]
    return {
        "calibrators_travel": pd.DataFrame(parts).round(6),
        "calibrators_travel_hits": pd.DataFrame(without).round(6),
        "calibrators_travel_topics": topics.round({"utility": 5}),
        "calibrators_travel_patents": pd.DataFrame(uncertain(patents)).round(6),
    }


def summarise(tables: Tables) -> Row:
    """The tables under short names."""
    parts = tables["calibrators_travel"].set_index("lists_of", drop=False)
    merged = [f"{name}, cited" for name in PATENTS if name not in EACH_ONCE]
    return {
        "parts": parts,
        "merged": parts.loc[merged, "difference"].to_dict(),
        "hits": tables["calibrators_travel_hits"],
        "depths": SHOWN_DEPTHS,
        "patents": tables["calibrators_travel_patents"],
        "once": EACH_ONCE,
    }


def figure(tables: Tables) -> str:
    """Share of lists without a hit by rank, as it was and as two calibrators said."""
    rows = tables["calibrators_travel_hits"].query("lists_of == 'all'").set_index("depth")
    rows = rows.rename(columns={"nothing": "so it was", "said": NEW, "said_before": BEFORE})
    titled = rows.rename_axis(index="documents read", columns="lists without a hit")
    says = "Share of lists with something to find that have shown nothing, as it was and as calibrators from elsewhere said."
    return named_lines(titled, {"so it was": PLUS, NEW: BELIEF, BEFORE: THRESHOLD}, [0.0, 1.0], says)
