"""How often the REML belief and the exact belief choose different actions, and why, on real 2×2 tables.

Needs the folder that TARSTOP_REAL_DATA names. Writes ``docs/reml_or_exact.md`` with its figure
``docs/reml_or_exact.svg`` and the belief of every prefix in ``docs/data/reml_or_exact.csv``.
Run again, it writes the same files.

Why is answered by a staircase from the one belief to the other, one change at a time: see `staircase`.
"""

import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import binom

from scripts.reml_figure import SHOWN, figure, steps_of
from scripts.reml_measured import (
    FIRST,
    KEYS,
    ORDERS,
    OUTCOMES,
    Q_STARS,
    SEED,
    STEPS,
    THETA,
    THETAS,
    belief_columns,
    differs,
    logits,
    measure,
    other_orders,
    rate,
    read_first_tests,
    read_outcome_tables,
    settings_of,
)
from tarstop_core.belief.reitsma import IDENTIFIED_FROM
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.places import real_data

Floats = NDArray[np.float64]
SIZES = ((3, 5), (6, 10), (11, 20), (21, 10_000))
DRAWS = 10_000
FEWEST = 5  # reviews that an interval needs
NO_EMPTY_SENSITIVITY = "CD011134"


def interval(rows: pd.DataFrame) -> tuple[float, float]:
    """95 % interval of `rate` for REML and exact, from resampling reviews with all that belongs to them."""
    each = pd.DataFrame({"review": rows["review"].to_numpy(), "differing": differs(rows).sum(axis=1)})
    sums = each.groupby("review")["differing"].agg(["sum", "count"]).to_numpy()
    drawn = np.random.default_rng(SEED).integers(len(sums), size=(DRAWS, len(sums)))
    differing, prefixes = sums[drawn].sum(axis=1).T
    low, high = np.quantile(differing / (prefixes * len(Q_STARS)), [0.025, 0.975])
    return float(low), float(high)


def parts_of(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of the page's table."""
    main = rows[rows["theta"] == THETA]
    for low, high in SIZES:
        name = f"{low}–{high} studies" if high < 1000 else f"{low} studies or more"
        yield name, main[main["studies"].between(low, high)]
    yield "all prefixes", main
    yield "final answers", main[main["final"]]
    for theta in THETAS:
        if theta != THETA:
            yield f"all prefixes, θ = {theta:g}", rows[rows["theta"] == theta]


# --- writing ------------------------------------------------------------------------------------


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table; the first column is text, the others are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph in lines of readable length."""
    return textwrap.fill(text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def percent(value: float) -> str:
    """A share, in per cent."""
    return f"{100 * value:.1f} %"


def signed(value: float) -> str:
    """A difference of beliefs with its sign; one that rounds to nothing is 0."""
    text = f"{value:+.3f}".replace("-", "−")
    return text if any(character in "123456789" for character in text) else "0"


def main_table(found: pd.DataFrame) -> str:
    """Shares of differing actions by set and number of studies."""
    lines = []
    for origin, rows in found.groupby("set", sort=False):
        for name, part in parts_of(rows):
            by_q = differs(part).mean(axis=0)
            lines.append(
                [
                    f"{origin}, {name}",
                    f"{part['review'].nunique()}",
                    f"{len(part)}",
                    *(percent(share) for share in by_q),
                    with_interval(part),
                    percent(rate(part, "reml_all")),
                    percent(rate(part, "reml_single", "exact_flat")),
                ]
            )
    header = [
        "tables",
        "reviews",
        "answers",
        *(f"q* = {q_star:g}" for q_star in Q_STARS),
        "all q* [95 %]",
        "correction “all”",
        "flat prior",
    ]
    return table(header, lines)


def two_causes(rows: pd.DataFrame) -> dict[str, float]:
    """How far the mean belief moves by doing without corrections, and by counting all other studies exactly.

    Which of the two comes first makes a difference: the mean over both orders.
    """
    names = ("averaged", "own_logits", "empty_exact", "others_exact", "univariate_flat")
    mean = {name: float(rows[name].mean()) for name in names}
    empty_first = mean["empty_exact"] - mean["own_logits"]
    empty_last = mean["univariate_flat"] - mean["others_exact"]
    empty = (empty_first + empty_last) / 2
    return {
        "corrections": mean["own_logits"] - mean["averaged"] + empty,
        "others": mean["univariate_flat"] - mean["own_logits"] - empty,
    }


def reviews_that_differ(rows: pd.DataFrame) -> str:
    """Reviews with their number of differing actions, most first."""
    counts = pd.Series(differs(rows).sum(axis=1)).groupby(rows["review"].to_numpy()).sum()
    ordered = counts[counts > 0].sort_values(ascending=False, kind="stable")
    return ", ".join(f"{review} ({count})" for review, count in ordered.items())


def final_differences(rows: pd.DataFrame) -> str:
    """The final answers that differ, with both beliefs."""
    final = rows[rows["final"]]
    parts = []
    for at, q_stars in zip(final.index, differs(final), strict=True):
        for q_star in np.array(Q_STARS)[q_stars]:
            one = final.loc[at]
            parts.append(
                f"{one['outcome']} at q* = {q_star:g} ({one['reml_single']:.2f} against {one['exact']:.2f})"
            )
    return "; ".join(parts)


def each_set(found: pd.DataFrame, say: Callable[[pd.DataFrame], str]) -> str:
    """One phrase for each set, joined."""
    return " and ".join(f"{say(rows)} on the {origin}" for origin, rows in settings_of(found).items())


def with_interval(rows: pd.DataFrame) -> str:
    """How often REML and exact differ, with an interval where there are reviews enough for one."""
    if rows["review"].nunique() < FEWEST:
        return percent(rate(rows))
    low, high = interval(rows)
    return f"{percent(rate(rows))} [{100 * low:.1f}, {100 * high:.1f}]"


def findings(found: pd.DataFrame, orders: Mapping[str, Floats]) -> list[str]:
    """How often and in which direction, every number computed here."""
    sets = settings_of(found)
    without = sets[FIRST][sets[FIRST]["review"] != SHOWN]
    in_orders = " and ".join(
        f"{percent(shares.min())} to {percent(shares.max())} on the {origin}"
        for origin, shares in orders.items()
    )

    def lower(rows: pd.DataFrame) -> str:
        differing = differs(rows)
        count = int(differing[rows["reml_single"] < rows["exact"]].sum())
        gap = np.median(np.repeat((rows["exact"] - rows["reml_single"]).abs(), differing.sum(axis=1)))
        return f"{count} of {differing.sum()} (median distance {gap:.2f})"

    def when_unsure(rows: pd.DataFrame) -> str:
        unsure = rows["exact"].between(0.05, 0.95)
        return f"{percent(rate(rows[unsure]))} (elsewhere {percent(rate(rows[~unsure]))})"

    def final(rows: pd.DataFrame) -> str:
        some = differs(rows[rows["final"]])
        return f"{some.sum()} of {some.size}"

    return [
        f"**How often?** At θ = {THETA:g}, over all prefixes and the three q*, the actions differ in "
        f"{each_set(found, with_interval)}. Of the decisions on all studies, {each_set(found, final)} differ.",
        "**In which direction?** Among differing decisions, the REML belief is the lower one, so that it rejects where "
        f"the exact belief adopts, in {each_set(found, lower)}. These are not only close calls.",
        "**When?** Where the exact belief lies between 0.05 and 0.95, because pooled sensitivity may lie on either side "
        f"of θ, actions differ in {each_set(found, when_unsure)}. More studies do not end it (table).",
        f"**Which reviews?** Of the first tests {reviews_that_differ(sets[FIRST])} (differing decisions in "
        f"brackets); without {SHOWN} the share is {percent(rate(without))}. On all studies: "
        f"{final_differences(sets[FIRST])}. Of the outcomes {reviews_that_differ(sets[OUTCOMES])}.",
        f"**Does the order of studies matter?** The files list them by name. In {ORDERS} random orders the share was "
        f"{in_orders}.",
    ]


def causes(found: pd.DataFrame) -> str:
    """What the staircase says, in sentences."""
    sets = settings_of(found)

    def by_corrections(rows: pd.DataFrame) -> str:
        return signed(two_causes(rows)["corrections"])

    def by_others(rows: pd.DataFrame) -> str:
        return signed(two_causes(rows)["others"])

    def without_empty(rows: pd.DataFrame) -> str:
        free = rows["TP_or_FN_empty"] == 0
        return f"{percent(rate(rows[free]))} ({free.sum()} prefixes; after such a study {percent(rate(rows[~free]))})"

    def uncorrected(rows: pd.DataFrame) -> str:
        plain = rows[rows["any_empty"] == 0]
        return f"{percent(rate(plain))} ({len(plain)} prefixes, of {plain['studies'].median():.0f} studies in the median)"

    names = [after for after, _ in STEPS[1:]]
    others = [names.index(name) for name in ("reml_sensitivity", "averaged", "univariate", "exact")]
    move, turned = np.abs([steps_of(rows)[others] for rows in sets.values()]).max(axis=(0, 1))
    final = sets[FIRST][sets[FIRST]["final"]].set_index("outcome")
    shown, plain = final.loc[SHOWN], final.loc[NO_EMPTY_SENSITIVITY]
    return (
        wrapped(
            f"Single changes, one after another, lead from REML to exact and tell the causes apart (figure, right). At θ = "
            f"{THETA:g}, doing without corrections (counting studies with an empty TP or FN exactly, leaving the cells of "
            f"the others alone) moves the mean belief by {each_set(found, by_corrections)}; counting the "
            f"other studies exactly, which no correction touches, by {each_set(found, by_others)} (means over both orders "
            "of the two). Averaging over the heterogeneity in place of plugging it in, the default prior in place of a "
            f"nearly flat one, and leaving out the false positives or not move it by at most {move:.3f} each, though each "
            f"turns over up to {percent(turned)} of the actions. So neither REML's plug-in nor the prior makes the REML "
            "belief the lower one, and corrections are only part of it: where no study so far had an "
            f"empty TP or FN, actions differ in {each_set(found, without_empty)}. Where no cell is empty at all, REML "
            f"needs no correction; there they differ in {each_set(found, uncorrected)}."
        )
        + "\n\n"
        + wrapped(
            f"{SHOWN} shows both causes ({shown['studies']} studies, {shown['TP_or_FN_empty']} of them with an empty TP or "
            f"FN): REML says {shown['reml_single']:.3f} (“all”: {shown['reml_all']:.3f}); with studies of empty cells counted exactly it "
            f"is {shown['empty_exact']:.3f}, with all studies {shown['univariate_flat']:.3f}; the exact belief is "
            f"{shown['exact']:.3f}. {NO_EMPTY_SENSITIVITY} shows the second one ({plain['studies']} studies, "
            f"{plain['TP_or_FN_empty'] or 'none'} with an empty TP or FN): in the same order {plain['reml_single']:.3f}, {plain['empty_exact']:.3f}, "
            f"{plain['univariate_flat']:.3f} and {plain['exact']:.3f}."
        )
    )


def limit_of_logits(n: int, sensitivity: float) -> tuple[float, float]:
    """Where the weighted mean of corrected logits tends to, as a sensitivity, and the share of empty studies.

    Endlessly many studies of n diseased and one true sensitivity, weighted by their own variances.
    """
    hits = np.arange(n + 1.0)
    probability = binom.pmf(hits, n, sensitivity)
    empty = (hits == 0) | (hits == n)
    ones = np.ones(n + 1)
    y, v = logits(Tables(("",) * (n + 1), hits, ones, n - hits, ones), empty)
    weight = probability / v
    return float(expit((weight * y).sum() / weight.sum())), float(probability[empty].sum())


def weight_example(n: int, hits: int) -> str:
    """A study's logit and its variance."""
    return f"{np.log(hits / (n - hits)):.1f} with variance {1 / hits + 1 / (n - hits):.2f}"


def advice(found: pd.DataFrame) -> str:
    """What it means in use."""

    def by_wald(rows: pd.DataFrame) -> str:
        return f"{percent(rate(rows, 'wald'))} of the actions ({percent(rate(rows))} for REML)"

    def by_priors(rows: pd.DataFrame) -> str:
        names = ("exact_flat", "exact_half_tau", "exact_b0_7")
        return " / ".join(percent(rate(rows, name)) for name in names)

    unknown = int(found.loc[found["theta"] == THETA, "wald"].isna().sum())
    items = (
        "Decide by the exact belief, TARstop's default. Keep `--engine reml` for reproducing a published analysis, with "
        "“single” while studies still come in: under “all” the first empty cell changes every earlier study.",
        "Where the two beliefs fall on different sides of q*, say so in the review. Suspect a “reject” by REML when θ is "
        "near the pooled sensitivity and studies have few diseased patients or sensitivities near 1.",
        "Without TARstop, fit the binomial mixed model (`glmer` in R, `metandi` in Stata). Its maximum-likelihood answer "
        "Φ((μ̂ − logit θ)/se), here from sensitivity alone, differs from the exact belief in "
        f"{each_set(found, by_wald)}. In {unknown} prefixes it had no finite estimate: every diseased patient so far "
        "had been missed, or every one found.",
        "The exact belief has assumptions of its own. A nearly flat prior of pooled sensitivity (s = 5) / a heterogeneity "
        "prior of half the scale / b₀ = 0.7 in place of 0.5 would change these "
        f"shares of the actions: {each_set(found, by_priors)}. Try them before trusting a belief near q*.",
    )
    return "\n".join(wrapped(f"- {item}", "  ") for item in items)


def page(found: pd.DataFrame, orders: Mapping[str, Floats]) -> str:
    """The report as markdown."""
    sentences = "\n".join(f"{number}. {text}" for number, text in enumerate(findings(found, orders), 1))
    counts = {
        origin: (rows["review"].nunique(), rows["outcome"].nunique(), len(rows))
        for origin, rows in settings_of(found).items()
    }
    near, near_empty = limit_of_logits(20, THETA)
    high, high_empty = limit_of_logits(10, 0.9)
    return f"""# REML or exact: when two beliefs decide differently

A review of a diagnostic test ends in a decision: adopt the test if its pooled sensitivity exceeds a threshold θ,
reject it if not. The *belief* b is the probability that it does, given the 2×2 tables read so far. Adopt when b > q*,
the sureness that the stakes ask for: 0.2 where rejecting a good test is the dearer mistake, 0.8 where adopting a poor
one is. Two ways to b are compared.

- **REML**: the bivariate model of Reitsma et al. (2005) as the R package mada fits it. Logit sensitivity and logit
  false-positive rate are normal within and between studies; b is the part of a normal distribution around the pooled
  logit, as wide as its standard error, that lies above logit θ. A study with an empty cell gets half a patient added
  to each of its four cells (“single”, used here unless said otherwise), or all studies do once any cell is empty
  (“all”, mada's default).
- **Exact**: the same model between studies, but the counts are binomial and nothing is added. It starts at b₀ = 0.5 with
  a weak prior, and averages over the heterogeneity where REML plugs in an estimate (Chu & Cole 2006). This is TARstop's
  `bivariate` engine.

The tables are real: the first test of each of {counts[FIRST][0]} Cochrane reviews (*first tests*, {counts[FIRST][2]} prefixes of at least
{IDENTIFIED_FROM} studies), and {counts[OUTCOMES][1]} outcomes with at least 5 studies in {counts[OUTCOMES][0]} reviews (*outcomes*, {counts[OUTCOMES][2]} prefixes). The two sets
overlap and are not added up. A prefix is what a reviewer would have known after the first n studies. Intervals are 95 %,
from {DRAWS:,} resamplings of whole reviews, and left out below {FEWEST} reviews. The tables do not know which belief is *right*:
they say how often the choice of model is a choice of action. All of it is computed by `scripts/report_reml.py`; every
belief is in [data/reml_or_exact.csv](data/reml_or_exact.csv).

## What came out

{sentences}

Share of decisions in which REML and exact choose different actions, θ = {THETA:g} unless said otherwise. The last two
columns: REML with the correction “all”, and against the exact belief with a nearly flat prior (s = 5), all q*.

{main_table(found)}

## Why

**Half a patient pulls towards ½.** A study that found 8 of 8 diseased patients becomes 8.5 of 9, a sensitivity of {8.5 / 9:.2f};
1 of 1 becomes {1.5 / 2:.2f}; 0 of 1 becomes {0.5 / 2:.2f}. Tests worth reviewing mostly find more than half, so on balance pooled
sensitivity is pulled down. An empty FP or TN brings the same half patient to TP and FN, where nothing was empty.

**Good results count for less.** Within a study the normal model takes the variance of the logit from the result itself:
15 of 20 gives {weight_example(20, 15)}, 19 of 20 gives {weight_example(20, 19)}. The better the result, the smaller
its weight, though the studies are equally large; the binomial likelihood knows no such penalty. Were every
study to have 20 diseased patients and a true sensitivity of {THETA:g}, the mean weighted in that way would tend to {near:.3f} however many
studies there were, with only {percent(near_empty)} of them having an empty cell; with 10 patients and 0.9, to {high:.3f} ({percent(high_empty)} empty).
Many studies do not cure this: they narrow the standard error around the wrong place.

{causes(found)}

![Belief by study in {SHOWN}, and what each change between REML and exact does](reml_or_exact.svg)

Left: beliefs after each study of {SHOWN}; dashed lines are the three q*. Right: share of actions that each change
turns over (three q*, all prefixes), from REML at the top to exact at the bottom.

## What to do

{advice(found)}
"""


def data_rows(found: pd.DataFrame) -> pd.DataFrame:
    """What is written beside the page: no counts of patients, only how many studies there were."""
    return found[[*KEYS, "final", "any_empty", "TP_or_FN_empty", *belief_columns(found)]]


def main() -> None:
    """Write the page, its figure and its data."""
    data = real_data()
    docs = Path(__file__).resolve().parent.parent / "docs"
    found = measure(data)
    orders = {
        FIRST: other_orders(read_first_tests(data), ORDERS),
        OUTCOMES: other_orders(read_outcome_tables(data), ORDERS),
    }
    (docs / "data").mkdir(parents=True, exist_ok=True)
    (docs / "reml_or_exact.md").write_text(page(found, orders), encoding="utf-8")
    (docs / "reml_or_exact.svg").write_text(figure(found), encoding="utf-8")
    data_rows(found).to_csv(docs / "data" / "reml_or_exact.csv", index=False)
    print(f"Wrote {docs / 'reml_or_exact.md'}, its figure and its data.")


if __name__ == "__main__":
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))
