"""How well chances travel: on real lists of collections that were not learned from, and what came out, written down.

Needs the folder that TARSTOP_REAL_DATA names. Writes ``docs/calibrators_travel.md`` with its figure
``docs/calibrators_travel.svg`` and results by list in ``docs/data/calibrators_travel_topics.csv``, in a few minutes.
Run again, it writes the same files.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from scripts.reviews_travel import section
from scripts.travel_measured import (
    COLLECTIONS,
    COSTS,
    DEPTHS,
    DRAWN,
    DRAWS,
    EACH_ONCE,
    FOLDS,
    HELD_OUT,
    HOME,
    HOME_NEW,
    JUDGED,
    NEW,
    PATENTS,
    Q_STARS,
    RESAMPLED,
    TODAY,
    Interval,
    blending,
    by_cell,
    chosen,
    measure,
    paired,
    spreads,
)
from tarstop_core.calibration.figures import wilson
from tarstop_core.calibration.rank_frailty import SPREADS
from tarstop_core.errors import InputProblem
from tarstop_core.places import real_data
from tarstop_core.presentation.palette import BELIEF, PLUS, THRESHOLD
from tarstop_core.presentation.svg import Line, chart

CELLS = len(Q_STARS) * len(COSTS)
VARIANTS = 26
"""Compared while the model was made, counted by hand: priors, weights, shapes along the rank, what was learned from."""


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table; the first column is text, the others are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def signed(value: float, digits: int = 4) -> str:
    """A difference with its sign; one that rounds to nothing is 0."""
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text if any(character in "123456789" for character in text) else "0"


def with_interval(row: Sequence[float], digits: int = 4) -> str:
    """A difference and its interval; bold where the interval leaves out 0."""
    mean, low, high = row
    text = f"{signed(mean, digits)} [{signed(low, digits)}, {signed(high, digits)}]"
    return f"**{text}**" if low > 0 or high < 0 else text


def said_and_so(without: pd.DataFrame, source: str) -> list[list[str]]:
    """Lists without a hit: said, so with its interval, and how far apart the two are."""
    rows = []
    for depth in DEPTHS:
        here = without[(without["chances"] == source) & (without["depth"] == depth)]
        n, so, said = len(here), here["so"].mean(), here["said"].mean()
        (low,), (high,) = wilson(np.array([so]), np.array([n]))
        difference, p, apart = surprise(here)
        rows.append(
            [
                f"{depth}",
                f"{n}",
                f"{said:.3f}",
                f"{so:.3f} [{low:.3f}, {high:.3f}]",
                f"{p:.2f}",
                f"{signed(difference, 3)} ± {apart:.3f}",
            ]
        )
    return rows


def surprise(here: pd.DataFrame) -> tuple[float, float, float]:
    """Difference of shares; chance of one at least as large by the chances themselves; and 1.96 times its error by collection.

    The first takes lists to be independent; the second takes collections to be: its error is that of a sum of so many
    differences.
    """
    off = here["so"] - here["said"]
    spread = np.sqrt((here["said"] * (1 - here["said"])).sum())
    p = 2 * norm.sf(abs(off.sum()) / spread)
    each = off.groupby([here["collection"], here["judged"]]).sum().to_numpy()
    error = np.sqrt(len(each) / max(1, len(each) - 1) * (each**2).sum()) / len(here)
    return float(off.mean()), float(p), float(1.96 * error)


def counted(cells: pd.DataFrame) -> str:
    """In how many cells a difference is above and below 0, and in how many clearly."""
    tiny = 1e-9
    above, below = int((cells["mean"] > tiny).sum()), int((cells["mean"] < -tiny).sum())
    clear, reverse = int((cells["low"] > tiny).sum()), int((cells["high"] < -tiny).sum())
    return f"above 0 in {above} of {len(cells)} cells (clearly in {clear}), below in {below} (clearly in {reverse})"


def blended(rows: pd.DataFrame) -> tuple[str, str]:
    """The table by number of own lists, and its sentence."""
    columns = ["shipped", "own, marginal", "own, rank-frailty", "updated"]
    by_set = rows.groupby(["set", "own"])[columns].mean()
    # The better of the two is that of the set, not of the draw, which nobody could choose.
    by_set["against the better"] = by_set["updated"] - by_set[
        ["shipped", "own, marginal", "own, rank-frailty"]
    ].max(axis=1)
    by_set["against shipped or marginal"] = by_set["updated"] - by_set[["shipped", "own, marginal"]].max(
        axis=1
    )
    means = by_set.groupby("own").mean()
    least = by_set["against shipped or marginal"].groupby("own").min()
    body = [
        [
            f"{own}",
            *(f"{row[name]:.4f}" for name in columns),
            signed(row["against shipped or marginal"]),
            signed(row["against the better"]),
            signed(least[own]),
        ]
        for own, row in means.iterrows()
    ]
    header = [
        "own lists",
        "shipped",
        "own, marginal",
        "own, rank-frailty alone",
        "shipped, updated",
        "minus the better of shipped and own marginal",
        "minus the best of all three",
        "least of a set",
    ]
    worst = float(means["against shipped or marginal"].min())
    said = (
        f"On average over {rows['set'].nunique()} sets the updated one is {'never below' if worst >= 0 else 'at worst ' + signed(worst) + ' below'} the better of "
        f"shipped and own (marginal); the least in any one set is {signed(float(least.min()))}. With none of one's own it is the shipped one."
    )
    return table(header, body), said


def figure(without: pd.DataFrame) -> str:
    """Share of lists without a hit by rank: so, and as two calibrators said."""

    def along(source: str, column: str) -> list[float | None]:
        here = without[without["chances"] == source].groupby("depth")[column].mean()
        return [float(here[depth]) for depth in DRAWN]

    x = [float(depth) for depth in DRAWN]
    return chart(
        [
            Line(x, along(NEW, "so"), PLUS, "so it was"),
            Line(x, along(NEW, "said"), BELIEF, "rank-frailty", dash="6 4"),
            Line(x, along(TODAY, "said"), THRESHOLD, "marginal", dash="2 4"),
        ],
        x_title="documents read",
        y_title="lists without a hit",
        y_range=(0.0, 1.0),
        says="Share of lists with something to find that have shown nothing, as it was and as calibrators from elsewhere said.",
    )


def page(
    decisions: pd.DataFrame,
    without: pd.DataFrame,
    own: pd.DataFrame,
    priors: Mapping[tuple[float, float], Mapping[str, float]],
    reviews_begin: str,
) -> str:
    """The whole page."""
    medical = decisions[decisions["domain"] == "medical"]
    patents = decisions[decisions["domain"] == "patents"]
    new, before = chosen(medical, NEW), chosen(medical, TODAY)
    main, cells = paired(new, before), by_cell(new, before)
    reviews = medical["review"].nunique()
    lists = len(medical.groupby(["collection", "judged", "review"]))
    once = without[(without["domain"] == "medical") | without["collection"].isin(EACH_ONCE)]

    def read(rows: pd.DataFrame) -> str:
        return f"{rows['read'].mean():.0f}"

    def right(rows: pd.DataFrame) -> str:
        return f"{100 * rows['right'].mean():.1f} %"

    def over(first: str, second: str, rows: pd.DataFrame = medical) -> Interval:
        return paired(chosen(rows, first), chosen(rows, second))

    middle = medical[medical["cost"].between(0.0005, 0.005)]
    against = [
        [name, with_interval(interval)]
        for name, interval in (
            ("the default before: marginal, by full text", main),
            ("… by title and abstract only", over(NEW, TODAY, medical[medical["judged"] == "abs"])),
            ("… by full text only", over(NEW, TODAY, medical[medical["judged"] == "content"])),
            ("… at costs from 0.0005 to 0.005 only", over(NEW, TODAY, middle)),
            ("rank, fitted elsewhere by full text", over(NEW, "rank")),
            ("frailty (from scores), fitted elsewhere by full text", over(NEW, "frailty")),
            (f"{HOME} ({FOLDS}-fold by review)", over(NEW, HOME)),
            (f"{HOME_NEW} ({FOLDS}-fold by review)", over(NEW, HOME_NEW)),
        )
    ]
    greedy = paired(new, chosen(medical, NEW, "Greedy"))
    old_greedy = paired(new, chosen(medical, TODAY, "Greedy"))
    by_collection = [
        [
            f"{name}, {judged}",
            f"{part['review'].nunique()}",
            f"{chosen(part, TODAY)['utility'].mean():.4f}",
            f"{chosen(part, NEW)['utility'].mean():.4f}",
            with_interval(over(NEW, TODAY, part)),
            f"{read(chosen(part, TODAY))} → {read(chosen(part, NEW))}",
        ]
        for name in COLLECTIONS
        for judged in JUDGED
        for part in [medical[(medical["collection"] == name) & (medical["judged"] == judged)]]
    ]
    by_ranking = [
        [
            name,
            f"{part['review'].nunique()}",
            f"{chosen(part, TODAY)['utility'].mean():.4f}",
            f"{chosen(part, NEW)['utility'].mean():.4f}",
            with_interval(over(NEW, TODAY, part)),
            with_interval(paired(chosen(part, NEW), chosen(part, NEW, "Greedy"))),
        ]
        for name in PATENTS
        for part in [patents[patents["collection"] == name]]
    ]
    merged = [
        over(NEW, TODAY, patents[patents["collection"] == name])[0]
        for name in PATENTS
        if name not in EACH_ONCE
    ]
    all_patents = over(NEW, TODAY, patents[patents["collection"].isin(EACH_ONCE)])
    head = ["documents", "lists", "said", "so [95 %]", "p", "so − said, ± by collection"]
    pooled = {
        "All, each topic of a collection once": once,
        "Medical reviews": without[without["domain"] == "medical"],
        "Patents (fused, BioPAT)": without[without["collection"].isin(EACH_ONCE)],
    }
    passed = "\n\n".join(
        f"{title}, said by `{NEW}`:\n\n{table(head, said_and_so(rows, NEW))}"
        for title, rows in pooled.items()
    )
    least = min(surprise(once[(once["chances"] == NEW) & (once["depth"] == depth)])[1] for depth in DEPTHS)
    blend_table, blend_said = blended(own)
    gains = [each["over the default before"] for each in priors.values()]
    by_50 = [each["without a hit after 50"] for each in priors.values()]
    prior_table = table(
        ["prior scale of v, w", "net utility over the default before", "lists without a hit after 50, said"],
        [
            [
                f"{v:g}, {w:g}{' (used)' if (v, w) == SPREADS else ''}",
                signed(each["over the default before"]),
                f"{each['without a hit after 50']:.3f}",
            ]
            for (v, w), each in priors.items()
        ],
    )
    cell_table = table(
        ["q*, cost", "before", "rank-frailty", "difference [95 %]", "read before", "read"],
        [
            [
                f"{q:g}, {c:g}",
                f"{_mean(before, q, c, 'utility'):.4f}",
                f"{_mean(new, q, c, 'utility'):.4f}",
                with_interval(cells.loc[(q, c)]),
                f"{_mean(before, q, c, 'read'):.1f}",
                f"{_mean(new, q, c, 'read'):.1f}",
            ]
            for q, c in cells.index
        ],
    )
    return f"""# How well chances travel to lists from elsewhere

Whoever screens a list of their own reads it with chances that were learned on other lists. Here chances are learned on some
collections of real rankings and used on another. All of it is computed by `scripts/report_travel.py`, in paper mode (b₀ =
0.5, payoffs that add up to 1); results by medical list are in [data/calibrators_travel_topics.csv](data/calibrators_travel_topics.csv).

**Learned on medical reviews, four collections:** `clef_dta` (diagnostic reviews of CLEF TAR 2017 and 2018, `rank_bm25`), `clef2017`
(Elasticsearch), `clef2019` diagnostic and intervention (the organisers' BM25), each judged by title and abstract (`abs`) and by
full text (`content`): {lists} lists with something to find, of {reviews} reviews. A collection is always left out whole when it is tested,
and so is every review of it elsewhere (`clef_dta` and `clef2017` share twelve). **Patents are measured on, never learned from:** 146
topics of CLEF-IP 2011 in five rankings and 148 of BioPAT. CLEF-IP can be had for non-commercial use; that is why nothing of it,
and nothing fitted on it, comes with TARstop.

*New* is the kind `rank-frailty` ([methods](methods.md#lists-from-elsewhere)), what comes with TARstop as the default for a
search of one's own. *Before* is the default until now, `marginal` on scores, fitted on `clef_dta` by full text; where that had seen a review, the same
kind fitted without it (for `clef_dta` itself: on the other three collections).

Every list also occurs with its relevant documents taken out, as its ω⁻ twin. The twins are ours: the paper's topics
without prior art are other patents, sampled from those of the pool that were never cited. Intervals are 95 %, from {DRAWS:,} resamplings of reviews (or patents), each with all its lists and twins;
bold where they leave out 0. A cell is one of {len(Q_STARS)} q* ({", ".join(f"{q:g}" for q in Q_STARS)}) and one of {len(COSTS)} costs
({", ".join(f"{c:g}" for c in COSTS)}).

While the model was made some {VARIANTS} variants were compared, by log-likelihood and net utility, on `clef_dta` and `clef2019`
intervention, and looked at on all; their net utilities lay within .0015 of each other, so little was chosen, but the intervals do not know of it.

## What came out

1. **New against before, on medical reviews of collections not learned from:** Optimal's net utility changes by {with_interval(main)}, mean over
   {CELLS} cells and both judgments: {counted(cells)}. It reads {read(new)} documents a list instead of {read(before)} and decides as the truth would in {right(new)}
   instead of {right(before)}.
2. **On real patents:** by {with_interval(all_patents)} where each topic is taken once (CLEF-IP by the fused ranking, BioPAT). In the four
   rankings of 100 documents by merged scores the differences are {signed(min(merged))} to {signed(max(merged))} (table below).
3. **Is home better?** Against a marginal calibrator of the same collection, fitted on scores without the review, the difference is {with_interval(over(NEW, HOME))};
   against the new kind fitted at home {with_interval(over(NEW, HOME_NEW))}. Lists of one's own are worth having.
4. **Does Optimal beat the paper's Greedy?** With the new chances under both, {with_interval(greedy)}; against Greedy with the chances before,
   {with_interval(old_greedy)}.
5. **Do the chances come true?** Over all collections the share of lists that have shown nothing after {", ".join(map(str, DEPTHS))} documents is not rejected
   (least p {least:.2f}, lists taken to be independent). Within one collection it may be far off: what is said is for a collection of which nothing is known.
6. **One's own lists.** {blend_said}
7. **The prior of how far collections lie apart** matters for the chances, little for decisions: over {len(priors)} priors the change in
   net utility is {signed(min(gains))} to {signed(max(gains))}, and lists said to be without a hit after 50 are {min(by_50):.3f} to {max(by_50):.3f}.

## Net utility under Optimal, new minus another

{table(["new minus", "difference [95 %]"], against)}

By collection:

{table(["tested on", "reviews", "before", "new", "new − before [95 %]", "read, before → new"], by_collection)}

## Real patents

Learned on medical reviews only. Truth: what the search report cites, in the collection, ranked or not; a third of the CLEF-IP lists hold none of it.

{table(["ranking", "topics", "before", "new", "new − before [95 %]", "new: Optimal − Greedy [95 %]"], by_ranking)}

## Lists without a hit

Of lists with something to find, how many have shown nothing after so many documents: as it was said for them, and as it was, with Wilson's 95 % interval. p is
the chance of a difference at least as large if all were right and lists independent. They are not: the last column has the error that follows from
how collections differ.

{passed}

![Lists without a hit by documents read, as it was and as it was said](calibrators_travel.svg)

## Lists of one's own

From a collection some lists are drawn as one's own, {RESAMPLED} times for each number, and up to {HELD_OUT} others judged: mean net utility over the
{CELLS} cells. *Shipped* is learned on the other collections.

{blend_table}

## How far collections lie apart: the prior

{prior_table}

{reviews_begin}
## Every cell, medical reviews

{cell_table}
"""


def _mean(rows: pd.DataFrame, q_star: float, cost: float, column: str) -> float:
    return float(rows.loc[(rows["q_star"] == q_star) & (rows["cost"] == cost), column].mean())


def list_rows(decisions: pd.DataFrame, without: pd.DataFrame) -> pd.DataFrame:
    """Results by list: means over cells and twin, and whether it had shown nothing."""
    means = decisions.groupby(["collection", "judged", "review", "chances", "policy"], sort=False)[
        ["utility", "read", "right"]
    ].mean()
    rows = means.round({"utility": 5, "read": 2, "right": 3}).reset_index()
    nothing = without[(without["depth"].isin(DEPTHS)) & (without["chances"] == NEW)].pivot_table(
        index=["collection", "judged", "review"], columns="depth", values="so", aggfunc="first"
    )
    nothing.columns = pd.Index([f"nothing_in_{depth}" for depth in nothing.columns])
    return rows.merge(nothing.astype(int).reset_index(), on=["collection", "judged", "review"])


def main() -> None:
    """Write the page, its figure and its data."""
    data = real_data()
    docs = Path(__file__).resolve().parent.parent / "docs"
    decisions, without = measure(data)
    text = page(decisions, without, blending(data), spreads(data), section(data))
    once = without[(without["domain"] == "medical") | without["collection"].isin(EACH_ONCE)]
    (docs / "data").mkdir(parents=True, exist_ok=True)
    (docs / "calibrators_travel.md").write_text(text, encoding="utf-8")
    (docs / "calibrators_travel.svg").write_text(figure(once) + "\n", encoding="utf-8")
    # Of patents only means: their topics are not ours to pass on.
    medical = decisions["domain"] == "medical"
    rows = list_rows(decisions[medical], without)
    rows.to_csv(docs / "data" / "calibrators_travel_topics.csv", index=False)
    print(f"Wrote {docs / 'calibrators_travel.md'}, its figure and its data.")


if __name__ == "__main__":
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))
