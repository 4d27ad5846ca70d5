"""How well a calibrator travels: fit on one real collection, stop on the other, and write what came out.

Needs the folder that TARSTOP_REAL_DATA names. Writes ``docs/calibrators_travel.md`` with its figure
``docs/calibrators_travel.svg`` and per-topic results in ``docs/data/calibrators_travel_topics.csv``.
Run again, it writes the same files.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scripts.travel_figure import FEWEST, reliability_bins, reliability_svg
from scripts.travel_measured import (
    AWAY,
    CELL,
    CELLS,
    DRAWS,
    FOLDS,
    HOME,
    POLICIES,
    Judged,
    difference,
    measure,
)
from tarstop_core.calibration.calibrator import KINDS
from tarstop_core.errors import InputProblem
from tarstop_core.places import real_data
from tarstop_core.policies import Budget, Greedy, LookAhead, Optimal

Floats = NDArray[np.float64]


# --- writing ------------------------------------------------------------------------------------


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table; the first column is text, the others are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign; one that rounds to nothing is 0."""
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text if any(character in "123456789" for character in text) else "0"


def with_interval(row: Sequence[float], digits: int = 3) -> str:
    """A difference and its interval; bold where the interval leaves out 0."""
    mean, low, high = row
    text = f"{signed(mean, digits)} [{signed(low, digits)}, {signed(high, digits)}]"
    return f"**{text}**" if low > 0 or high < 0 else text


def quality_table(judged: Sequence[Judged]) -> str:
    """Brier score and ECE at home and away."""
    return table(
        [
            "tested on, kind",
            "documents judged",
            "Brier home",
            "Brier away",
            "away − home [95 %]",
            "ECE home",
            "ECE away",
        ],
        [
            [
                f"{each.tested}, {each.kind}",
                f"{each.away.documents:,}",
                f"{each.home.brier:.4f}",
                f"{each.away.brier:.4f}",
                with_interval(each.brier_change, 4),
                f"{each.home.ece:.4f}",
                f"{each.away.ece:.4f}",
            ]
            for each in judged
        ],
    )


def policy_table(outcomes: pd.DataFrame, column: str, digits: int) -> str:
    """Means by cell and policy."""
    means = outcomes.pivot_table(index=CELL, columns="policy", values=column, aggfunc="mean")
    names = [str(policy) for policy in POLICIES]
    return table(
        ["q*, cost", *names],
        [
            [cell_name(cell), *(f"{value:.{digits}f}" for value in means.loc[cell, names])]
            for cell in means.index
        ],
    )


def direction_table(outcomes: pd.DataFrame, cost: float) -> str:
    """The two directions apart, at one cost: documents read / net utility / same decision."""
    rows = []
    for tested, part in outcomes[outcomes["cost"] == cost].groupby("tested", sort=False):
        for q_star, cell in part.groupby("q_star"):
            means = cell.groupby("policy")[["read", "utility", "right"]].mean()
            texts = (means.loc[str(policy)] for policy in POLICIES)
            rows.append(
                [
                    f"{tested}, q* = {q_star:g}",
                    *(f"{one['read']:.1f} / {one['utility']:.4f} / {one['right']:.3f}" for one in texts),
                ]
            )
    return table(["tested on", *map(str, POLICIES)], rows)


def difference_table(columns: Mapping[str, pd.DataFrame]) -> str:
    """Differences by cell, a column each."""
    cells = next(iter(columns.values())).index
    return table(
        ["q*, cost", *columns],
        [[cell_name(cell), *(with_interval(each.loc[cell]) for each in columns.values())] for cell in cells],
    )


def cell_name(cell: tuple[float, float]) -> str:
    """Name of a row."""
    return f"{cell[0]:g}, {cell[1]:g}"


def count(differences: pd.DataFrame) -> dict[str, int]:
    """In how many cells a difference is positive, negative or none, and how many intervals leave out 0."""
    tiny = 1e-9
    return {
        "above": int((differences["mean"] > tiny).sum()),
        "below": int((differences["mean"] < -tiny).sum()),
        "equal": int((differences["mean"].abs() <= tiny).sum()),
        "clearly above": int((differences["low"] > tiny).sum()),
        "clearly below": int((differences["high"] < -tiny).sum()),
    }


def verdict(differences: pd.DataFrame) -> str:
    """The short answer to "is the first one better?"."""
    seen = count(differences)
    if seen["clearly above"] and seen["clearly below"]:
        return "Sometimes, and sometimes the reverse"
    if seen["clearly above"] > CELLS / 2:
        return "Mostly"
    if seen["clearly above"]:
        return "In some cells"
    if seen["clearly below"]:
        return "No, and in some cells the reverse"
    return "Not that these reviews could show"


def reversed_sign(differences: pd.DataFrame) -> pd.DataFrame:
    """Second minus first, from first minus second."""
    return -differences.rename(columns={"low": "high", "high": "low"})


def compared(what: str, than: str, differences: pd.DataFrame) -> str:
    """One sentence on a difference over all cells."""
    seen = count(differences)
    least, most = differences["mean"].min(), differences["mean"].max()
    same = f" and the same in {seen['equal']}" if seen["equal"] else ""
    return (
        f"{what} had a higher mean net utility than {than} in {seen['above']} of the {CELLS} cells, a lower one "
        f"in {seen['below']}{same} (differences from {signed(least)} to {signed(most)}); "
        f"the interval lies above 0 in {seen['clearly above']} and below 0 in {seen['clearly below']}."
    )


def findings(judged: Sequence[Judged], outcomes: pd.DataFrame, sets: Mapping[str, pd.DataFrame]) -> list[str]:
    """What came out, every number and verdict computed here."""
    marginal = [each for each in judged if each.kind == "marginal"]
    ece_pairs = " and ".join(
        f"{each.away.ece:.4f} (home: {each.home.ece:.4f}) on {each.tested}" for each in marginal
    )
    brier_pairs = " and ".join(f"{signed(100 * relative_change(each), 1)} %" for each in marginal)
    worse = sum(each.away.ece > each.home.ece for each in judged)
    most = max(judged, key=relative_change)
    away = outcomes[(outcomes["source"] == AWAY) & (outcomes["kind"] == "marginal")]
    optimal, greedy = str(Optimal()), str(Greedy())
    read, right, utility = (
        {str(name): float(value) for name, value in away.groupby("policy")[column].mean().items()}
        for column in ("read", "right", "utility")
    )
    shapes = " and ".join(
        f"{each.frailty:.1f} (used on {each.tested})" for each in judged if each.kind == "frailty"
    )
    depths = away.pivot(index=["tested", "review", "omega", *CELL], columns="policy", values="read")
    same_depth = float((depths[optimal] == depths[str(LookAhead(20))]).mean())
    low = away[away["omega"] & (away["q_star"] == 0.2) & (away["policy"] == greedy)].groupby("cost")
    return [
        f"**Do the chances travel?** The marginal calibrator's ECE away is {ece_pairs}; its Brier score changes by "
        f"{brier_pairs}. Over all kinds the ECE is larger away than at home in {worse} of {len(judged)} "
        f"comparisons; the Brier score grows most for {most.kind} on {most.tested}, by "
        f"{share(relative_change(most), 0)}.",
        f"**Do the decisions travel: is home better than away?** {verdict(reversed_sign(sets['travel']))}. "
        + compared(
            "Optimal with the marginal calibrator from away", "with the one from home", sets["travel"]
        ),
        f"**Does Optimal beat the paper's Greedy here?** {verdict(sets['optimal'])}. "
        + compared("Optimal", "Greedy (both with the marginal calibrator from away)", sets["optimal"])
        + f" Averaged over cells, its net utility was {plain(utility[optimal])} against "
        f"{plain(utility[greedy])}; it read {read[optimal]:.0f} documents a topic instead "
        f"of {read[greedy]:.0f} and took the same decision as the truth in "
        f"{share(right[optimal])} instead of {share(right[greedy])}.",
        f"Averaged over cells, Budget(100) came to {plain(utility[str(Budget(100))])} and the rule with "
        f"the highest net utility was {max(utility, key=lambda name: utility[name])}. Look-ahead(20) stopped at Optimal's depth in "
        f"{share(same_depth, 0)} of the topics and cells.",
        f"**Does hazard add anything?** {verdict(sets['hazard'])}. "
        + compared(
            "Optimal with the hazard calibrator", "with the marginal one (both from away)", sets["hazard"]
        ),
        f"**Does frailty?** {verdict(sets['frailty'])}. "
        + compared(
            "Optimal with the frailty calibrator", "with the marginal one (both from away)", sets["frailty"]
        )
        + f" The fitted shapes a were {shapes}.",
        "**Are scores needed, or does the rank do?** "
        + compared(
            "Optimal with the rank calibrator", "with the marginal one (both from away)", sets["rank"]
        ),
        "**Why the ω⁻ twins?** On the topics as they are, a rule that read nothing would be right every time at "
        "q* = 0.2, because the starting belief of 0.5 is above it. There, Greedy was right in "
        + " and ".join(
            f"{share(float(rows['right'].mean()))} at cost {cost:g} ({rows['read'].mean():.1f} documents read)"
            for cost, rows in low
        )
        + ": where nothing but ω⁺ occurs, these figures do not tell a good rule from a bad one.",
    ]


def relative_change(judged: Judged) -> float:
    """Change of the Brier score on the way, as a share of the one at home."""
    return judged.brier_change[0] / judged.home.brier


def plain(value: float) -> str:
    """A net utility in a sentence."""
    return f"{value:.4f}".replace("-", "−")


def share(value: float, digits: int = 1) -> str:
    """A share in a sentence."""
    return f"{100 * value:.{digits}f} %"


def page(judged: Sequence[Judged], outcomes: pd.DataFrame, bins: Mapping[str, Mapping[str, Floats]]) -> str:
    """The whole page."""
    twins = outcomes[outcomes["source"] == AWAY]
    marginal = twins[twins["kind"] == "marginal"]
    plain = marginal[marginal["omega"]]

    def optimal_minus_greedy(kind: str) -> pd.DataFrame:
        chosen = twins[twins["kind"] == kind]
        return difference(chosen, {"policy": str(Optimal())}, {"policy": str(Greedy())})

    optimal = outcomes[outcomes["policy"] == str(Optimal())]
    optimal_away = optimal[optimal["source"] == AWAY]
    over_greedy: dict[str, pd.DataFrame] = {kind: optimal_minus_greedy(kind) for kind in KINDS}
    over_marginal: dict[str, pd.DataFrame] = {
        kind: difference(optimal_away, {"kind": kind}, {"kind": "marginal"})
        for kind in KINDS
        if kind != "marginal"
    }
    travel: dict[str, pd.DataFrame] = {
        kind: difference(optimal[optimal["kind"] == kind], {"source": AWAY}, {"source": HOME})
        for kind in KINDS
    }
    sets: dict[str, pd.DataFrame] = {
        "travel": travel["marginal"],
        "optimal": over_greedy["marginal"],
        **over_marginal,
    }
    sentences = "\n".join(
        f"{number}. {text}" for number, text in enumerate(findings(judged, outcomes, sets), 1)
    )
    names = {name: len(part["review"].unique()) for name, part in outcomes.groupby("tested")}
    sizes = f"{names['clef_dta']} and {names['clef2019']}"
    return f"""# How well a calibrator travels between collections

A calibrator turns retrieval scores into chances. Here one is fitted on one collection of real rankings and used
on another: `clef_dta` (reviews of CLEF TAR 2017 and 2018, `rank_bm25` scores with the title as query) and
`clef2019` (CLEF TAR 2019, the organisers' BM25), {sizes} reviews of diagnostic tests, relevance by full text. They
share no review. *Away* means fitted on the other collection; *home* means fitted on the same collection without
the review in question ({FOLDS}-fold by review). All of it is computed by `scripts/report_travel.py`, in paper mode
(b₀ = 0.5, payoffs that add up to 1), and results by topic are in
[data/calibrators_travel_topics.csv](data/calibrators_travel_topics.csv).

Every review here has relevant documents, so *as they are* all topics are ω⁺. *With ω⁻ twins*, each ranking also
occurs with its relevant documents taken out: half of the topics are then ω⁻. The twins are made, not found: their
other documents are those of the same ranking.

Intervals are 95 %, from {DRAWS:,} resamplings of the tested reviews within each collection, a review and its twin
together; bold where they leave out 0. They take the calibrators as given, are not corrected for the number of
comparisons, and rest on {sum(names.values())} reviews. *Away* and *home* differ in size as well as in origin: on
`clef_dta` the calibrator from away has seen {names["clef2019"]} reviews and the one from home about
{round(names["clef_dta"] * (1 - 1 / FOLDS))}; on `clef2019` it is {names["clef_dta"]} and about {round(names["clef2019"] * (1 - 1 / FOLDS))}.

## What came out

With ω⁻ twins unless said otherwise; a cell is one q* and one cost.

{sentences}

## Chances: Brier score and expected calibration error

`hazard` and `frailty` are judged by "first relevant document" on the documents up to it, `marginal` and `rank` by
"relevant" on all documents: only figures of one event may be compared.

{quality_table(judged)}

![Share found relevant against the chance that was given, at home and away](calibrators_travel.svg)

{reliability_sentence(bins)}
The marginal calibrator on log axes, in bins of half a decade with at least {FEWEST} documents; chances below 0.01 %
are left out, a share of 0 is drawn at the lower edge. Bars are 95 % intervals, which take documents to be
independent.

## Decisions with ω⁻ twins

Marginal calibrator from away, both directions together ({2 * sum(names.values())} topics).

Mean documents read:

{policy_table(marginal, "read", 1)}

Mean net utility:

{policy_table(marginal, "utility", 4)}

Decision agreement:

{policy_table(marginal, "right", 3)}

### Optimal minus Greedy, net utility, by kind of calibrator

{difference_table(over_greedy)}

### Each kind minus marginal, net utility under Optimal

{difference_table({f"{kind} − marginal": each for kind, each in over_marginal.items()})}

### Away minus home, net utility under Optimal

{difference_table(travel)}

### The two directions apart, at cost 0.001

Documents read / net utility / decision agreement.

{direction_table(marginal, 0.001)}

## Decisions on the topics as they are (all ω⁺)

Marginal calibrator from away, both directions together ({sum(names.values())} topics).

Mean documents read:

{policy_table(plain, "read", 1)}

Mean net utility:

{policy_table(plain, "utility", 4)}

Decision agreement:

{policy_table(plain, "right", 3)}

### The two directions apart, at cost 0.001

Documents read / net utility / decision agreement.

{direction_table(plain, 0.001)}

These last figures come from the command line too, for example

    tarstop calibrate clef_dta/bm25.run clef_dta/content.qrels --scenario patent --out dta.json \\
        --test-run clef2019/bm25_dta.run --test-qrels clef2019/full.test.dta.content.2019.qrels
    tarstop replay clef2019/bm25_dta.run clef2019/full.test.dta.content.2019.qrels --calibrator dta.json \\
        --policy optimal --q-star 0.5 --cost 0.001
"""


def topic_rows(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Results by topic, calibrators from away, the costs side by side."""
    away = outcomes[outcomes["source"] == AWAY].assign(
        truth=lambda rows: rows["omega"].map({True: "ω+", False: "ω-"})
    )
    # A fixed budget asks no calibrator: once is enough.
    away = away[(away["policy"] != str(Budget(100))) | (away["kind"] == "marginal")]
    keys = ["tested", "review", "truth", "kind", "policy", "q_star"]
    wide = away.pivot(index=keys, columns="cost", values=["read", "action", "utility"])
    wide.columns = pd.Index([f"{column[0]}_at_{column[1]:g}" for column in wide.columns])
    for name in wide.columns:
        if name.startswith("utility"):
            wide[name] = [f"{value:.4f}" for value in wide[name]]
    return wide.reset_index()


def reliability_sentence(bins: Mapping[str, Mapping[str, Floats]]) -> str:
    """What the figure shows, from its own points."""
    parts = []
    for tested, series in bins.items():
        said = []
        for name in (HOME, AWAY):
            p, found, count = next(row for row in series[name][::-1] if row[2] >= 100)
            said.append(f"{share(p)} {name} ({share(found)} of those {count:,.0f} documents were relevant)")
        parts.append(f"on {tested} {' and '.join(said)}")
    return f"In the highest bin with at least 100 documents the mean chance was {'; '.join(parts)}."


def main() -> None:
    """Write the page, its figure and its data."""
    data = real_data()
    docs = Path(__file__).resolve().parent.parent / "docs"
    judged, outcomes = measure(data)
    bins = reliability_bins(data)
    (docs / "data").mkdir(parents=True, exist_ok=True)
    (docs / "calibrators_travel.md").write_text(page(judged, outcomes, bins), encoding="utf-8")
    (docs / "calibrators_travel.svg").write_text(reliability_svg(bins), encoding="utf-8")
    topic_rows(outcomes).to_csv(docs / "data" / "calibrators_travel_topics.csv", index=False)
    print(f"Wrote {docs / 'calibrators_travel.md'}, its figure and its data.")


if __name__ == "__main__":
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))
