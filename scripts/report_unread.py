"""How many relevant documents are still unread, and the live check: measured, written as it comes out.

Needs the folder that TARSTOP_REAL_DATA names. Writes ``docs/still_unread.md`` and, with what each statement said and what was so,
``docs/data/still_unread.csv``, and what rules would gain from it, ``docs/data/unread_engine.csv``. Run again, it writes the same
files.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import f as f_distribution
from scipy.stats import nbinom, poisson

from scripts import unread_engine
from scripts.unread_engine import TESTED, WITH_TABLES
from scripts.unread_simulated import live_check_tables
from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.live_check import AGAINST, against_shape
from tarstop_core.calibration.thinning import fit_thinning
from tarstop_core.documents.tables import Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.replay import SHARES, replay, replay_reviews
from tarstop_core.files import label_topics, read_outcomes, read_qrels, read_run
from tarstop_core.places import real_data
from tarstop_core.policies import parse_policy
from tarstop_core.value.payoffs import Payoffs

COLLECTIONS = {
    "clef_dta": ("clef_dta/bm25.run", "clef_dta/{}.qrels"),
    "clef2017": ("clef2017/es_bool.run", "clef2017/qrel_{}_test.txt"),
    "clef2019 DTA": ("clef2019/bm25_dta.run", "clef2019/full.test.dta.{}.2019.qrels"),
    "clef2019 intervention": (
        "clef2019/bm25_intervention.run",
        "clef2019/full.test.intervention.{}.2019.qrels",
    ),
}
JUDGMENTS = {"abs": "inclusion", "content": "review"}
RULES = ("consecutive", "knee", "budget:d=100")
"""Whose stops need no tables, beside :data:`WITH_TABLES`, whose stops are those on the reviews that have them."""
Q_STAR, COST = 0.5, 0.001
BINS, LOOKS = 5, 25
NEW, OLD, FIXED = "curves", "one factor", "fixed share"


def read_collections(data: Path, judgments: str) -> dict[str, list[Topic]]:
    """Labelled topics of each collection; a topic of which nothing is ranked is left out."""
    found = {}
    for name, (run, qrels) in COLLECTIONS.items():
        topics, _ = label_topics(read_run(data / run), read_qrels(data / qrels.format(judgments)))
        found[name] = [topic for topic in topics.values() if len(topic)]
    return found


def others(collections: dict[str, list[Topic]], tested: str) -> list[Topic]:
    """What may be learned from: other collections, without reviews that the tested one holds too."""
    names = {topic.name for topic in collections[tested]}
    return [
        topic
        for name, topics in collections.items()
        for topic in topics
        if name != tested and topic.name not in names
    ]


def said(
    topic: Topic, calibrator: Calibrator, taught: Sequence[Topic], depth: int
) -> dict[str, tuple[float, ...]]:
    """By each method: mean, ends of the interval, chance of fewer than are left and of no more."""
    assert topic.labels is not None
    read = np.arange(len(topic)) < depth
    labels, true, documents = topic.labels, int(topic.labels[depth:].sum()), len(topic) - depth
    p = calibrator.probabilities(topic.scores, len(topic))
    left = calibrator.left(p, read, read & labels, ~read)
    told = {
        NEW: (left.mean, *left.interval(), left.chance_of_at_most(true - 1), left.chance_of_at_most(true))
    }
    told[OLD] = one_factor(
        float(p[:depth].sum()), int(labels[:depth].sum()), float(p[depth:].sum()), calibrator
    )
    ends = [math.ceil(depth / len(topic) * len(each)) for each in taught]
    shares = [
        float(each.labels[end:].mean()) for each, end in zip(taught, ends, strict=True)
        if each.labels is not None and end < len(each)
    ]  # fmt: skip
    low, high = np.quantile(shares, [0.05, 0.95]) * documents
    told[FIXED] = (float(np.mean(shares)) * documents, math.floor(low), math.ceil(high), math.nan, math.nan)
    return told


def one_factor(read: float, found: int, unread: float, calibrator: Calibrator) -> tuple[float, ...]:
    """As it was: the chances of head and tail multiplied by one gamma factor."""
    a = calibrator.dispersion
    if unread <= 0:
        return 0.0, 0.0, 0.0, math.nan, math.nan
    told = poisson(unread) if math.isinf(a) else nbinom(a + found, (a + read) / (a + read + unread))
    return float(told.mean()), *map(float, told.ppf([0.05, 0.95])), math.nan, math.nan


def measure(data: Path) -> pd.DataFrame:
    """What was said and what was so, a row each."""
    rows: list[tuple[object, ...]] = []

    def note(
        judgments: str,
        tested: str,
        topic: Topic,
        calibrator: Calibrator,
        taught: Sequence[Topic],
        at: str,
        depth: int,
    ) -> None:
        assert topic.labels is not None
        if depth >= len(topic):
            return  # Nothing is left to be said.
        true, review = int(topic.labels[depth:].sum()), topic.name.split("/")[0]
        for method, (mean, low, high, below, upto) in said(topic, calibrator, taught, depth).items():
            rows.append(
                (judgments, tested, review, at, method, depth, mean, low, high, true, below, upto, len(topic))
            )

    for judgments, scenario in JUDGMENTS.items():
        collections = read_collections(data, judgments)
        for tested, topics in collections.items():
            taught = others(collections, tested)
            calibrator = fit(taught, kind="marginal", scenario=scenario, pseudo=1.0)
            stops = {
                rule: replay(
                    topics,
                    replace(calibrator, scenario="patent"),
                    parse_policy(rule),
                    Payoffs.from_q_star(Q_STAR),
                    COST,
                )
                for rule in RULES
            }
            for i, topic in enumerate(topics):
                for share in SHARES:
                    note(
                        judgments,
                        tested,
                        topic,
                        calibrator,
                        taught,
                        f"{100 * share:g} %",
                        math.ceil(share * len(topic)),
                    )
                for rule in RULES:
                    note(judgments, tested, topic, calibrator, taught, rule, int(stops[rule][i].depth))
            if tested == TESTED and scenario == "review":
                outcomes = read_outcomes(
                    data / "clef_dta/outcomes.csv", read_run(data / "clef_dta/bm25.run")
                ).outcomes
                judged = {topic.name: topic for topic in topics}
                named = [
                    replace(each, topic=replace(judged[each.review], name=each.name)) for each in outcomes
                ]
                for rule in WITH_TABLES:
                    played = replay_reviews(
                        named,
                        calibrator,
                        parse_policy(rule),
                        Payoffs.from_q_star(Q_STAR),
                        COST,
                        prior=Prior(),
                    )
                    for outcome, each in zip(named, played, strict=True):
                        note(judgments, tested, outcome.topic, calibrator, taught, rule, int(each.depth))
    names = [
        "judgments",
        "collection",
        "review",
        "at",
        "method",
        "read",
        "mean",
        "low",
        "high",
        "true",
        "below",
        "upto",
        "documents",
    ]
    return pd.DataFrame(rows, columns=names)


def warned(data: Path, judgments: str) -> tuple[int, int]:
    """Real lists that were not learned from: how many are ever warned at :data:`LOOKS` depths, and how many there are."""
    collections = read_collections(data, judgments)
    count = [0, 0]
    for tested, topics in collections.items():
        taught = [(np.ones(len(each), dtype=bool), each.labels) for each in others(collections, tested)]
        thinning = fit_thinning([(known, labels) for known, labels in taught if labels is not None])
        for topic in topics:
            assert topic.labels is not None
            depths = np.unique(np.geomspace(1, len(topic), LOOKS).astype(int))
            read = np.arange(len(topic)) < depths[:, None]
            count[0] += any(against_shape(thinning, each, each & topic.labels) >= AGAINST for each in read)
            count[1] += 1
    return count[0], count[1]


# --- how well it was said ---------------------------------------------------------------------------


def interval_score(frame: pd.DataFrame) -> pd.Series:
    """Width, and twenty times what lies outside (Gneiting & Raftery 2007, for 90 %); lower is better."""
    short, over = (frame["low"] - frame["true"]).clip(lower=0), (frame["true"] - frame["high"]).clip(lower=0)
    return frame["high"] - frame["low"] + 20 * (short + over)


def calibrated(frame: pd.DataFrame) -> tuple[Floats, float]:
    """Share of statements by fifths of what was predicted, reviews weighing equally, and a test that each is a fifth.

    A number spreads over the fifths that its chance covers (Czado, Gneiting & Held 2009). The test is Hotelling's, over reviews.
    """
    edges = np.linspace(0, 1, BINS + 1)
    low, high = (frame[name].to_numpy()[:, None] for name in ("below", "upto"))
    covered = np.clip(np.minimum(high, edges[1:]) - np.maximum(low, edges[:-1]), 0, None)
    shares = covered / np.maximum(high - low, 1e-12)
    by_review = pd.DataFrame(shares).groupby(frame["review"].to_numpy()).mean().to_numpy()
    mean, reviews, k = by_review.mean(axis=0), len(by_review), BINS - 1
    if reviews <= k + 1:
        return mean, math.nan
    off = mean[:-1] - 1 / BINS
    statistic = float(off @ np.linalg.solve(np.cov(by_review[:, :-1].T) / reviews + 1e-12 * np.eye(k), off))
    return mean, float(f_distribution.sf(statistic * (reviews - k) / (k * (reviews - 1)), k, reviews - k))


def line(name: str, frame: pd.DataFrame) -> list[str]:
    """A row of a table: covered, above, p of the test, interval scores."""
    new = frame[frame["method"] == NEW]
    cells = [name, f"{new['review'].nunique()} / {len(new)}"]
    for method in (NEW, OLD):
        of = frame[frame["method"] == method]
        inside = (of["true"] >= of["low"]) & (of["true"] <= of["high"])
        cells.append(f"{100 * inside.mean():.0f} % / {100 * (of['true'] > of['high']).mean():.0f} %")
    _, p = calibrated(new)
    cells.append("" if math.isnan(p) else f"{p:.2f}" if p >= 0.01 else "< .01")
    cells += [
        f"{interval_score(frame[frame['method'] == method]).mean():.0f}" for method in (NEW, OLD, FIXED)
    ]
    return cells


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, the first column left."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(each) + " |" for each in lines)


def of_judgments(rows: pd.DataFrame, judgments: str) -> str:
    """Everything about one kind of judgment."""
    frame = rows[rows["judgments"] == judgments]
    by_share = frame["at"].str.endswith("%")
    lines = [line("five depths, all collections", frame[by_share])]
    lines += [line(name, frame[by_share & (frame["collection"] == name)]) for name in COLLECTIONS]
    lines += [line(f"{100 * share:g} % read", frame[frame["at"] == f"{100 * share:g} %"]) for share in SHARES]
    lines += [
        line(f"stop of {rule}", frame[frame["at"] == rule])
        for rule in (*RULES, *WITH_TABLES)
        if (frame["at"] == rule).any()
    ]
    lines.append(line("everything", frame))
    header = [
        "",
        "reviews / statements",
        "covered / above",
        "as it was",
        "p",
        "score",
        "as it was",
        "fixed share",
    ]
    return table(header, lines)


def of_rules(played: pd.DataFrame) -> str:
    """What rules come to with chances foreseen from what is still unread, and as they are."""
    header = ["learned on", "rule", "net utility, difference", "% right", "documents read"]
    return table(header, unread_engine.lines(played))


def of_spread(rows: pd.DataFrame, own: pd.DataFrame) -> str:
    """Covered, above and score, as it is and with the spread that reviews with tables have."""
    rows = rows[(rows["judgments"] == "content") & (rows["method"] == NEW)]
    found = []
    for at in ("five depths, all collections", *WITH_TABLES):
        cells = [at if at not in WITH_TABLES else f"stop of {at}"]
        for each in (rows, own):
            here = each[each["at"] == at if at in WITH_TABLES else each["at"].str.endswith("%")]
            inside = (here["true"] >= here["low"]) & (here["true"] <= here["high"])
            above = (here["true"] > here["high"]).mean()
            cells += [
                f"{100 * inside.mean():.0f} % / {100 * above:.0f} %",
                f"{interval_score(here).mean():.0f}",
            ]
        found.append(cells)
    return table(["", "covered / above", "score", "own spread", "score"], found)


def report(
    rows: pd.DataFrame,
    simulated: str,
    real: dict[str, tuple[int, int]],
    played: pd.DataFrame,
    own: pd.DataFrame,
) -> str:
    """The page."""
    fifths = {
        name: calibrated(rows[(rows["judgments"] == name) & (rows["method"] == NEW)])[0] for name in JUDGMENTS
    }
    told = {name: ", ".join(f"{100 * share:.0f}" for share in each) for name, each in fifths.items()}
    return f"""# How many are still unread, and whether the chances fit: measured

`scripts/report_unread.py` writes this page and [what each statement said](data/still_unread.csv).

## Relevant documents probably still unread

Each of four collections (24, 30, 8 and 20 reviews) is judged by what the other three taught, without reviews that it shares
with them. *Covered* is the share of statements whose 90 % interval holds the true number, *above* of those where more is left
than its upper end. *p* is of a test that the true numbers are spread as predicted (fifths of the predicted distribution),
clustered by review; below .05 it would be rejected. *Score* is the mean interval score, lower is better. *As it was* multiplied
the chances of head and tail by one gamma factor; *fixed share* takes the shares of documents left that are relevant at the same
share read in the training lists.

### Included by title and abstract

{of_judgments(rows, "abs")}

Of the true numbers {told["abs"]} per cent lie in the fifths of what was predicted.

### Relevant in full text, which stands for data

{of_judgments(rows, "content")}

Of the true numbers {told["content"]} per cent lie in the fifths of what was predicted.

Stops of Greedy, look-ahead and Open loop are those on the outcomes of `clef_dta` that have tables, at q* = {Q_STAR:g} and a cost of
{COST:g}; outcomes of one review are not independent, and there the intervals are wider than they need be. They are wide
throughout. How much the spread between training lists is widened (1.2), evidence about a list's shape tempered (.5) and the
tail varied (shape 10) was chosen among sixteen settings by the five depths of these collections, so expect somewhat less
elsewhere; the lowest coverage in all that was noted among them is .856, but not every setting's was. Single collections differ more
than the pooled figures show: lists of the eight DTA reviews of 2019 are held in fewer than 85 %, intervention reviews bring
less early than others foresee, and by title and abstract more is left after half a list than is said.

**Why the intervals are too wide at those stops.** Reviews with tables are alike: each has at least five studies for
some question, and the numbers that they hold vary less than those of the lists that taught the curves (by full-text judgments
alone; what is included by title and abstract has curves of its own). With the spread of the reviews with tables,
each left out of what it is judged by, and the mean of the other collections:

{of_spread(rows, own)}

The score at the stops gets better, but over all collections more than 7 % are above the upper end, and the score gets worse:
a list from elsewhere need not be like those. So the spread is that of all lists.

## Why the advice does not use it

The advice goes by the calibrator's chances, multiplied by what a person pressed; the number still unread by curves that this
list's hits and misses update, so the two may differ. Whether the rules gain where both are the same was measured on
the {played["review"].nunique()} reviews with tables (63 outcomes): after every document, chances as the curves foresee them, so that they add up to the mean
that is said, against the calibrator's; θ = {unread_engine.THETA:g}, the {unread_engine.ENGINE} engine, costs of 0.00001 to 0.005, q* of .2, .5 and .8. Calibrators and curves
were learned on other reviews. In two stages included reports are read at once, at no cost of their own, and P(data | included)
is updated by them. The difference is that of net utility, foreseen minus as it is, paired by review, with a 95 % interval by resampling
reviews ([by review](data/unread_engine.csv)).

{of_rules(played)}

Set beforehand: it becomes the default if the lower end is at least −.005 and no fewer are right. In one stage, with chances
from other collections, the three rules together pass, by Greedy, which reads less; look-ahead and Open loop alone do not. With chances
from the same collection fewer are right. In two stages, which is what sessions begin with, more are right, but for more
reading, so that net utility does not gain. So the advice stays as it is. *Open loop* has
no place for what does not average out over documents: it takes the number of studies ahead as Poisson, however uncertain its
mean. The plans of *Optimal* have one (kinds of lists); what it brings them, and what rules come to by cost, is
[measured with them](reviews_measured.md#should-the-chances-follow-what-the-list-brought).

## The live check

A ratio compares what was found with what it would be if hits lay otherwise along the list. If the chances are right,
differences between lists included, its mean is 1 after every document, so that it ever reaches {AGAINST:g} in at most one
session in {AGAINST:g} (Ville's inequality), however often somebody looks.

**Real lists.** Of those above, judged by what other collections taught and asked at {LOOKS} depths, {real["abs"][0]} of {real["abs"][1]} are ever warned by title
and abstract and {real["content"][0]} of {real["content"][1]} in full text: a list from elsewhere can be of a kind that nobody has seen, and that is what
the check is for.

{simulated}
"""


def main() -> None:
    """Write the page and its data."""
    docs = Path(__file__).resolve().parents[1] / "docs"
    rows = measure(real_data())
    rows.round({"mean": 3, "below": 5, "upto": 5}).to_csv(docs / "data" / "still_unread.csv", index=False)
    real = {judgments: warned(real_data(), judgments) for judgments in JUDGMENTS}
    collections = {judgments: read_collections(real_data(), judgments) for judgments in JUDGMENTS}
    taught = {judgments: others(each, TESTED) for judgments, each in collections.items()}
    played = unread_engine.measure(real_data(), collections["abs"], taught)
    played.to_csv(docs / "data" / "unread_engine.csv", index=False)
    full = rows[(rows["judgments"] == "content") & (rows["method"] == NEW)]
    own = unread_engine.spread_of_their_own(
        full, collections["content"], lambda tested: others(collections["content"], tested)
    )
    page = report(rows, live_check_tables(), real, played, own)
    (docs / "still_unread.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))
