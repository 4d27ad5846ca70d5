"""What prior and look-ahead are worth in reviews: measured on real rankings and tables, written as it comes out.

Needs the folder that TARSTOP_REAL_DATA names. Writes ``docs/reviews_measured.md``, and what it rests on in
``docs/data/reviews_beliefs.csv`` (belief after each study) and ``docs/data/reviews_decisions.csv`` (what each
rule came to on each outcome). Run again, it writes the same files.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from tarstop_core.belief.learned_prior import learn_prior
from tarstop_core.belief.of_tables import beliefs
from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.fitting import fit
from tarstop_core.documents.outcome import Outcome
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.replay import replay_reviews
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.places import real_data
from tarstop_core.policies import Greedy, LookAhead, OpenLoop, Policy
from tarstop_core.value.outcomes import is_plus
from tarstop_core.value.payoffs import Payoffs

Floats = NDArray[np.float64]

THETA, ENGINE = 0.75, "bivariate"
FOLDS = 8
POLICIES: tuple[Policy, ...] = (Greedy(), LookAhead(2000), OpenLoop())
Q_STARS, COSTS = (0.2, 0.5, 0.8), (0.0001, 0.0005, 0.001, 0.005)
AFTER = (0, 1, 2, 3, 5)
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
DRAWS, SEED = 10_000, 1
PRIORS = ("default", "learned")


def measure(outcomes: Sequence[Outcome]) -> tuple[pd.DataFrame, pd.DataFrame, list[Prior]]:
    """Beliefs after each study and what each rule came to, every review judged without having been learned from."""
    reviews = np.array([each.review for each in outcomes])
    believed, decided, learned = [], [], []
    for train, test in GroupKFold(FOLDS).split(reviews, groups=reviews):
        fitted_on = [outcomes[i] for i in train]
        names = [each.review for each in fitted_on]
        prior = learn_prior([each.tables for each in fitted_on], names, THETA, "the other reviews")
        calibrator = fit(
            [each.topic for each in fitted_on], kind="marginal", scenario="review", name="other reviews"
        )
        learned.append(prior)
        held_out = [outcomes[i] for i in test]
        for name, used in zip(PRIORS, (Prior(), prior), strict=True):
            for each in held_out:
                omega = is_plus(each.tables, THETA, "pooled", 0.5)
                path = beliefs(each.tables, THETA, ENGINE, used)
                believed += [(each.review, each.name, name, n, b, omega) for n, b in enumerate(path)]
            for q_star in Q_STARS:
                payoffs = Payoffs.from_q_star(q_star)
                for cost in COSTS:
                    for policy in POLICIES:
                        played = replay_reviews(
                            held_out, calibrator, policy, payoffs, cost, THETA, "pooled", ENGINE, used
                        )
                        decided += [
                            (outcome.review, each.topic, name, q_star, cost, policy.spec, each.depth,
                             each.action, each.omega, each.net_utility)
                            for outcome, each in zip(held_out, played, strict=True)
                        ]  # fmt: skip
    columns = ["review", "outcome", "prior", "studies", "belief", "omega"]
    more = [
        "review",
        "outcome",
        "prior",
        "q_star",
        "cost",
        "policy",
        "depth",
        "action",
        "omega",
        "net_utility",
    ]
    return pd.DataFrame(believed, columns=columns), pd.DataFrame(decided, columns=more), learned


# --- means over reviews, and their intervals ------------------------------------------------------


def by_review(values: pd.Series, reviews: pd.Series) -> pd.Series:
    """Mean a review: reviews weigh equally, however many outcomes they have."""
    return values.groupby(reviews.to_numpy()).mean()


def interval(of_reviews: Sequence[float] | Floats) -> tuple[float, float]:
    """95 % interval of a mean over reviews, by resampling reviews."""
    values = np.asarray(of_reviews, dtype=float)
    drawn = np.random.default_rng(SEED).integers(len(values), size=(DRAWS, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def log_losses(frame: pd.DataFrame) -> pd.Series:
    """−log of the chance that was given to what is true."""
    given = np.where(frame["omega"], frame["belief"], 1 - frame["belief"])
    return pd.Series(-np.log(np.maximum(given, 1e-12)), index=frame.index)


def reliability(believed: pd.DataFrame, prior: str, studies: int) -> pd.DataFrame:
    """Mean belief and share of ω⁺ in bins of the belief, reviews weighing equally, with outcomes counted."""
    frame = believed[(believed["prior"] == prior) & (believed["studies"] == studies)]
    weight = 1 / frame.groupby("review")["belief"].transform("size")
    bins = np.clip(np.digitize(frame["belief"], BINS) - 1, 0, len(BINS) - 2)
    rows = []
    for at in range(len(BINS) - 1):
        inside = bins == at
        if inside.any():
            w = weight[inside] / weight[inside].sum()
            rows.append(
                (f"{BINS[at]:g}–{BINS[at + 1]:g}", int(inside.sum()), float((w * frame["belief"][inside]).sum()),
                 float((w * frame["omega"][inside]).sum()))
            )  # fmt: skip
    return pd.DataFrame(rows, columns=["belief", "outcomes", "mean", "share"])


def difference(decided: pd.DataFrame, q_star: float, cost: float, prior: str, rule: str) -> pd.DataFrame:
    """A rule minus Greedy, outcome by outcome, in one cell."""
    cell = decided[(decided["q_star"] == q_star) & (decided["cost"] == cost) & (decided["prior"] == prior)]
    one, greedy = (
        cell[cell["policy"] == name].set_index("outcome").sort_index() for name in (rule, Greedy().spec)
    )
    right = [(each["action"] == "a+") == each["omega"] for each in (one, greedy)]
    return pd.DataFrame(
        {
            "review": one["review"],
            "net_utility": one["net_utility"] - greedy["net_utility"],
            "agreement": right[0].astype(float) - right[1].astype(float),
            "depth": one["depth"],
            "greedy_depth": greedy["depth"],
            "right": right[0].astype(float),
            "greedy_right": right[1].astype(float),
        }
    )


# --- words ----------------------------------------------------------------------------------------


def signed(value: float, digits: int = 3) -> str:
    """'+0.012', '−0.004', '0'."""
    text = f"{abs(value):.{digits}f}"
    return "0" if float(text) == 0 else ("−" if value < 0 else "+") + text


def percent(share: float) -> str:
    """'68 %'."""
    return f"{100 * share:.0f} %"


def with_interval(values: pd.Series, reviews: pd.Series) -> str:
    """A mean over reviews with its interval, bold where that leaves out 0."""
    means = by_review(values, reviews)
    low, high = interval(means.to_numpy())
    text = f"{signed(float(means.mean()))} [{signed(low)}, {signed(high)}]"
    return f"**{text}**" if low > 0 or high < 0 else text


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, the first column left."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def report(believed: pd.DataFrame, decided: pd.DataFrame, learned: Sequence[Prior]) -> str:
    """The page."""
    outcomes, reviews = believed["outcome"].nunique(), believed["review"].nunique()
    truth = believed.drop_duplicates("outcome")
    plus = float(by_review(truth["omega"].astype(float), truth["review"]).mean())

    loss_rows, better = [], []
    for n in AFTER:
        cells = [str(n)]
        losses = {}
        for prior in PRIORS:
            frame = believed[(believed["prior"] == prior) & (believed["studies"] == n)]
            losses[prior] = by_review(log_losses(frame), frame["review"])
            cells.append(f"{losses[prior].mean():.3f}")
        change = losses["learned"] - losses["default"]
        low, high = interval(change.to_numpy())
        better.append((n, float(change.mean()), low, high))
        text = f"{signed(float(change.mean()))} [{signed(low)}, {signed(high)}]"
        loss_rows.append([*cells, f"**{text}**" if low > 0 or high < 0 else text])

    bins = []
    for n in (1, 3):
        for prior in PRIORS:
            for _, row in reliability(believed, prior, n).iterrows():
                bins.append(
                    [
                        f"{n}, {prior}",
                        row["belief"],
                        str(row["outcomes"]),
                        f"{row['mean']:.2f}",
                        f"{row['share']:.2f}",
                    ]
                )
    one = {prior: reliability(believed, prior, 1) for prior in PRIORS}

    rule = LookAhead(2000).spec
    cells, counts = [], {prior: [0, 0, 0, 0] for prior in PRIORS}
    for q_star in Q_STARS:
        for cost in COSTS:
            line = [f"{q_star:g}, {cost:g}"]
            for prior in PRIORS:
                found = difference(decided, q_star, cost, prior, rule)
                means = by_review(found["net_utility"], found["review"])
                low, high = interval(means.to_numpy())
                count = counts[prior]
                count[0] += means.mean() > 5e-4
                count[1] += means.mean() < -5e-4
                count[2] += low > 0
                count[3] += high < 0
                of = {
                    name: by_review(found[name], found["review"]).mean()
                    for name in ("depth", "greedy_depth", "right", "greedy_right")
                }
                line += [
                    with_interval(found["net_utility"], found["review"]),
                    f"{of['depth']:.0f} / {of['greedy_depth']:.0f}",
                    f"{of['right']:.2f} / {of['greedy_right']:.2f}",
                ]
            cells.append(line)
    n_cells = len(Q_STARS) * len(COSTS)

    def over_cells(prior: str, policy: str, column: str) -> float:
        frame = decided[(decided["prior"] == prior) & (decided["policy"] == policy)]
        values = (frame["action"] == "a+") == frame["omega"] if column == "right" else frame[column]
        return float(by_review(values.astype(float), frame["review"]).mean())

    same = (
        decided[decided["policy"] == rule]["depth"].to_numpy()
        == decided[decided["policy"] == OpenLoop().spec]["depth"].to_numpy()
    )
    spread = sorted({(each.b_0, each.s, each.tau) for each in learned})
    said = {
        prior: f"it came out above Greedy in {counts[prior][0]} of the {n_cells} cells and below in {counts[prior][1]}; "
        f"the interval lies above 0 in {counts[prior][2]} and below 0 in {counts[prior][3]}"
        for prior in PRIORS
    }
    helps = sum(change < 0 for n, change, _, _ in better if n)
    sure = sum(high < 0 for n, _, _, high in better if n)
    low_bins = {prior: one[prior].iloc[0] for prior in PRIORS}
    return f"""# What a learned prior and the look-ahead are worth in reviews

Measured on {outcomes} outcomes of {reviews} diagnostic-accuracy reviews of CLEF TAR: real rankings (`rank_bm25`, the title as
query), real 2×2 tables, and an invented link between the two, so read it as semi-synthetic. ω⁺ is a pooled
sensitivity above {percent(THETA)} by all studies ({ENGINE} engine, default prior); {percent(plus)} of the outcomes are ω⁺, reviews
weighing equally. Everything is {FOLDS}-fold by review: calibrator and learned prior have not seen the review they are
judged on. Intervals are 95 %, from {DRAWS:,} resamplings of the reviews; bold where they leave out 0. They are not
corrected for the number of comparisons, and {reviews} reviews are few. `scripts/report_reviews.py` computes the page
from [beliefs](data/reviews_beliefs.csv) and [decisions](data/reviews_decisions.csv) by outcome.

## Does the belief come true?

*Default* is the paper's b₀ = 0.5 with a weak prior. *Learned* chooses b₀, the spread s and the scale of τ by marginal
likelihood on the training reviews: {"; ".join(f"b₀ = {b_0:g}, s = {s:g}, τ {tau:g}" for b_0, s, tau in spread)}.

{table(["after n studies", "log-loss, default", "log-loss, learned", "learned − default [95 %]"], loss_rows)}

The learned prior has the lower log-loss after {helps} of the {len(AFTER) - 1} numbers of studies from 1 on; the interval leaves out 0 in {sure}.
After one study, the lowest bin of the default prior held {low_bins["default"]["outcomes"]} outcomes with a mean belief of
{low_bins["default"]["mean"]:.2f}, of which {percent(low_bins["default"]["share"])} were ω⁺; that of the learned prior {low_bins["learned"]["outcomes"]} with
{low_bins["learned"]["mean"]:.2f} and {percent(low_bins["learned"]["share"])}.

{table(["studies, prior", "belief", "outcomes", "mean belief", "share ω⁺"], bins)}

## Does looking ahead pay?

Look-ahead (plans of 1, 2, 5 … 2,000 documents) minus Greedy, both with the same prior. *Read* is documents of
look-ahead / Greedy, *right* the share of decisions that are those of the truth.

{table(["q*, cost", "net utility, default", "read", "right", "net utility, learned", "read", "right"], cells)}

- With the default prior {said["default"]}.
- With the learned prior {said["learned"]}.
- Over all cells, Greedy with the default prior came to {signed(over_cells("default", "greedy", "net_utility"))} with {over_cells("default", "greedy", "depth"):.0f} documents and {percent(over_cells("default", "greedy", "right"))} right decisions; look-ahead with it to {signed(over_cells("default", rule, "net_utility"))} with {over_cells("default", rule, "depth"):.0f} and {percent(over_cells("default", rule, "right"))}.
- With the learned prior it was {signed(over_cells("learned", "greedy", "net_utility"))}, {over_cells("learned", "greedy", "depth"):.0f} and {percent(over_cells("learned", "greedy", "right"))} for Greedy, and {signed(over_cells("learned", rule, "net_utility"))}, {over_cells("learned", rule, "depth"):.0f} and {percent(over_cells("learned", rule, "right"))} for look-ahead.
- `open-loop`, which is look-ahead with every plan to the end of the list, stopped at the same depth in {percent(same.mean())} of the outcomes and cells.

Look-ahead reads less and is right less often: it gives up what costs more than it is worth, and it trusts the belief
it has. That is why the page shows the chance of the right decision beside every advice, and why a floor can be set on it.
"""


def main() -> None:
    """Write the page and its data."""
    folder = real_data() / "clef_dta"
    outcomes = read_outcomes(folder / "outcomes.csv", read_run(folder / "bm25.run")).outcomes
    believed, decided, learned = measure(outcomes)
    docs = Path(__file__).resolve().parents[1] / "docs"
    believed.round({"belief": 5}).to_csv(docs / "data" / "reviews_beliefs.csv", index=False)
    decided.round({"net_utility": 6}).to_csv(docs / "data" / "reviews_decisions.csv", index=False)
    (docs / "reviews_measured.md").write_text(report(believed, decided, learned), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))
