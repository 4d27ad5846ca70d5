"""What beliefs and look-ahead are worth in reviews: measured on real rankings and tables, written as it comes out.

Needs the folder that TARSTOP_REAL_DATA names. Writes ``docs/reviews_measured.md``, and what it rests on in
``docs/data/reviews_beliefs.csv`` (belief after each study), ``reviews_decisions.csv`` (what each rule came to on each
outcome), ``reviews_turned.csv`` (what was said of the end), ``reviews_never_worse.csv`` (rules against Greedy),
``reviews_frailty.csv`` and ``reviews_simulated.csv``. Run again, it writes the same files.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

from scripts import never_worse
from scripts import reviews_measured as measured
from scripts.by_review import DRAWS, Floats, by_review, interval, percent, table, with_interval
from scripts.reviews_measured import AFTER, COSTS, ENGINE, FOLDS, POLICIES, PRIORS, Q_STARS, THETA
from scripts.turning import SAID, of_turning, with_said
from tarstop_core.belief.learned_prior import learn_width
from tarstop_core.belief.prior import Prior
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.places import real_data
from tarstop_core.policies import Greedy, LookAhead, OpenLoop, Optimal

__all__ = ["AFTER", "POLICIES", "by_review", "log_losses"]  # asked of this script by its tests

PROCESSES = 2
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


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
            "depth": one["depth"],
            "greedy_depth": greedy["depth"],
            "right": right[0].astype(float),
            "greedy_right": right[1].astype(float),
        }
    )


def between(frame: pd.DataFrame, column: str, one: str, other: str, value: str = "net_utility") -> str:
    """Mean difference of two values of a column over reviews, with its interval."""
    means = [
        by_review(frame[frame[column] == name][value], frame[frame[column] == name]["review"])
        for name in (one, other)
    ]
    change = means[0] - means[1]
    return with_interval(change, pd.Series(change.index, index=change.index))


# --- the sections -----------------------------------------------------------------------------------


def of_beliefs(believed: pd.DataFrame, folds: Sequence[measured.Fold]) -> str:
    """Log-loss and reliability by number of studies."""
    loss_rows, better, sure = [], 0, 0
    for n in AFTER:
        losses = {}
        for prior in PRIORS:
            frame = believed[(believed["prior"] == prior) & (believed["studies"] == n)]
            losses[prior] = by_review(log_losses(frame), frame["review"])
        cells = [str(n), *(f"{losses[prior].mean():.3f}" for prior in PRIORS)]
        for prior in PRIORS[1:]:
            change = losses[prior] - losses["default"]
            cells.append(with_interval(change, pd.Series(change.index, index=change.index)))
        if n:
            better += losses["width"].mean() < losses["default"].mean()
            sure += "**" in cells[-1]
        loss_rows.append(cells)
    bins = [
        [f"{n}, {prior}", row.belief, str(row.outcomes), f"{row.mean:.2f}", f"{row.share:.2f}"]
        for n in (1, 3)
        for prior in PRIORS
        for row in reliability(believed, prior, n).itertuples(index=False, name="Row")
    ]
    lowest = {prior: reliability(believed, prior, 1).iloc[0] for prior in PRIORS}
    learned = sorted(
        {(f.priors["learned"].b_0, f.priors["learned"].s, f.priors["learned"].tau) for f in folds}
    )
    width = [(f.priors["width"].s, f.priors["width"].tau, f.priors["width"].weight) for f in folds]
    header = [
        "after n studies",
        *(f"log-loss, {prior}" for prior in PRIORS),
        *(f"{prior} − default [95 %]" for prior in PRIORS[1:]),
    ]
    return f"""## Does the belief come true?

*Default* is the paper's b₀ = 0.5 with a weak prior. *Learned* chooses b₀, the spread s and the scale of τ by marginal
likelihood on the training reviews: {"; ".join(f"b₀ = {b_0:g}, s = {s:g}, τ {tau:g}" for b_0, s, tau in learned)}.
*Width* leaves b₀ to the person (here 0.5), chooses s and τ in the same way, and lets a study count as much as the first
studies of the training reviews did (below): {"; ".join(f"s = {s:g}, τ {tau:g}, {weight:g}" for s, tau, weight in width)}.
New sessions of reviews begin with it, learned from all of these reviews.

{table(header, loss_rows)}

Of the {len(AFTER) - 1} numbers of studies from 1 on, *width* has a lower log-loss than *default* in {better}; the interval leaves out 0 in {sure}.
After one study, the lowest bin of the default prior held {lowest["default"]["outcomes"]} outcomes with a mean belief of {lowest["default"]["mean"]:.2f}, of which
{percent(lowest["default"]["share"])} were ω⁺; that of *width* {lowest["width"]["outcomes"]} with {lowest["width"]["mean"]:.2f} and {percent(lowest["width"]["share"])}.

{table(["studies, prior", "belief", "outcomes", "mean belief", "share ω⁺"], bins)}
"""


def of_order(strayed: tuple[pd.Series, Floats], tails: dict[str, Floats], width: Prior) -> str:
    """Why early beliefs are over-confident, and what was tried."""
    real, shuffled = strayed
    low, high = interval(real.to_numpy())
    ends = np.quantile(shuffled, [0.025, 0.975])
    against = np.array(list(tails.values()))
    rows = [
        [
            "half-normal" if tail is None else f"half-t, {tail:g}",
            f"{against[:, at].mean() - against[:, 0].mean():+.3f}",
        ]
        for at, tail in enumerate(measured.TAILS)
    ]
    return f"""### Where the over-confidence comes from

The same studies in another order make good beliefs; in the order in which the list brings them, the first ones are unlike the
rest. Pooled over the first 1, 2, 3 and 5 studies, sensitivity lay {real.mean():.2f} times as far from the pooled end (in variance) as chance would have
it [{low:.2f}, {high:.2f}]; in {len(shuffled)} random orders {shuffled.mean():.2f}, and 95 % of them between {ends[0]:.2f} and {ends[1]:.2f}. So a study that a list brings first counts less than one drawn at
random: {width.weight:g} of one, learned from all {len(real)} reviews. Of the pairing of tables and documents this holds as much as of the lists.

Heavier tails of τ were tried: log evidence a review of the best (s, τ) with each, against the half-normal.

{table(["prior of τ, degrees of freedom", "difference"], rows)}

So τ keeps its half-normal prior.
"""


def of_decisions(decided: pd.DataFrame) -> str:
    """Look-ahead against Greedy, cell by cell, and the priors against each other."""
    rule = LookAhead(2000).spec
    shown = ("default", "learned", "width")
    cells, counts = [], {prior: [0, 0, 0, 0] for prior in shown}
    for q_star in Q_STARS:
        for cost in COSTS:
            line = [f"{q_star:g}, {cost:g}"]
            for prior in shown:
                found = difference(decided, q_star, cost, prior, rule)
                means = by_review(found["net_utility"], found["review"])
                low, high = interval(means.to_numpy())
                for at, so in enumerate((means.mean() > 5e-4, means.mean() < -5e-4, low > 0, high < 0)):
                    counts[prior][at] += bool(so)
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
    said = "\n".join(
        f"- With the prior *{prior}* it came out above Greedy in {counts[prior][0]} of the {len(cells)} cells and below in "
        f"{counts[prior][1]}; the interval lies above 0 in {counts[prior][2]} and below 0 in {counts[prior][3]}."
        for prior in shown
    )
    same = (
        decided[decided["policy"] == rule]["depth"].to_numpy()
        == decided[decided["policy"] == OpenLoop().spec]["depth"].to_numpy()
    )
    header = ["q*, cost"]
    for prior in shown:
        header += [f"net utility, {prior}", "read", "right"]
    over = [
        [
            policy.title,
            f"{cost:g}",
            *(between(_cell(decided, policy.spec, cost), "prior", name, "default") for name in shown[1:]),
        ]
        for policy in (Greedy(), OpenLoop())
        for cost in COSTS
    ]
    against = [[f"{cost:g}", *(_against_greedy(decided, prior, cost) for prior in shown)] for cost in COSTS]
    return f"""## Does looking ahead pay?

Look-ahead (plans of 1, 2, 5 … 2,000 documents) minus Greedy, both with the same prior. *Read* is documents of
look-ahead / Greedy, *right* the share of decisions that are those of the truth.

{table(header, cells)}

{said}
- `open-loop`, which is look-ahead with every plan to the end of the list, stopped at the same depth in {percent(same.mean())} of the outcomes and cells.

Open loop minus Greedy, over the three q*:

{table(["cost", *shown], against)}

Net utility with a prior minus that with the default one, the same rule, over the three q*:

{table(["rule", "cost", *shown[1:]], over)}

Look-ahead reads less and is right less often: it gives up what costs more than it is worth, and it trusts the belief
it has. That is why the page says first what all that is left would still change, shows the chance of the right decision beside
every advice, and lets a floor and a least number of studies be set.
"""


def _cell(decided: pd.DataFrame, policy: str, cost: float) -> pd.DataFrame:
    return decided[(decided["policy"] == policy) & (decided["cost"] == cost)]


def _against_greedy(decided: pd.DataFrame, prior: str, cost: float) -> str:
    frame = decided[(decided["prior"] == prior) & (decided["cost"] == cost)]
    return between(frame, "policy", OpenLoop().spec, Greedy().spec)


def of_frailty(played: pd.DataFrame) -> str:
    """Whether rules gain where chances follow what the list brought."""
    rows = []
    for learned in played["learned"].unique():
        for rule in (Greedy(), OpenLoop(), Optimal()):
            frame = played[(played["learned"] == learned) & (played["rule"] == rule.spec)]
            for way in frame["way"].unique()[1:]:
                cells = [learned, rule.title, way]
                cells += [
                    between(frame[frame["cost"] == cost], "way", way, measured.WAYS[0]) for cost in COSTS
                ]
                right = [
                    100 * frame[frame["way"] == each]["right"].mean() for each in (measured.WAYS[0], way)
                ]
                rows.append([*cells, f"{right[0]:.0f} → {right[1]:.0f}"])
    planned = played[played["rule"] == Optimal().spec]
    over = "; ".join(
        f"{learned}, {between(planned[planned['learned'] == learned], 'way', 'gamma', measured.WAYS[0])}"
        for learned in planned["learned"].unique()
    )
    said = (
        f"Over all costs kinds of lists bring Optimal: {over}. In two stages, where every included report would be planned for, it was "
        "not measured.\n"
        if over
        else ""
    )
    header = ["chances learned on", "rule", "way", *(f"{cost:g}" for cost in COSTS), "% right"]
    return f"""## Should the chances follow what the list brought?

The rate at which studies come is uncertain, and what was found says something of it. Chances times a gamma factor of the list
(shape {measured.SHAPE:g}), and chances by the curves that say how many are [still unread](still_unread.md), both updated after every document, against chances
as they are; with the prior *width*, the univariate engine, over the three q*. *Optimal* plans with the gamma factor as kinds of lists, in one
stage. Net utility, difference, by cost.

{table(header, rows)}

{said}In one stage Greedy gains, because it reads less. In two stages, which is what sessions begin with, it loses; Open loop gains
in some cells and came out lower at a cost of 0.00001 in one stage. Like a rule it would become part of the advice where no
interval reaches below −.005 and no fewer are right, which holds of neither way. So chances stay as they are, and the number still unread, with all that is not known of it, decides what is said of the
decision with everything read.
"""


def of_simulated(rows: pd.DataFrame) -> str:
    """Default and width where it is known what reviews are like."""
    lines = []
    for kind in measured.KINDS:
        frame = rows[rows["kind"] == kind]
        for what, at in (
            *(("log-loss", n) for n in AFTER[1:]),
            *((rule.spec, cost) for rule in measured.RULES for cost in measured.SIMULATED_COSTS),
        ):
            cell = frame[(frame["what"] == what) & (frame["at"] == at)]
            means = cell.groupby("prior")["value"].mean()
            name = f"log-loss after {at:g}" if what == "log-loss" else f"{what}, cost {at:g}"
            lines.append(
                [kind, name, f"{means['default']:.3f}", f"{means['width']:.3f}", between(cell, "prior", "width", "default", "value")]
            )  # fmt: skip
    count = measured.REVIEWS * len(measured.KINDS)
    return f"""## Simulated reviews

{count:,} reviews, {measured.REVIEWS} of each kind, {measured.DOCUMENTS} documents with known chances, q* = 0.5, the univariate engine; the truth is the pooled sensitivity they were
drawn with. *As the default prior has it*: s = 1.5, τ half-normal of scale 1. *Like these reviews*: s = 0.8 around 0.5 logits above θ, τ of scale 0.8;
*heavy tails*: studies by a t distribution of 3 degrees of freedom; *neighbours alike*: a correlation of {measured.ALIKE:g} between studies next to each other.
Log-loss is better low, net utility high.

{table(["kind", "what", "default", "width", "width − default"], lines)}

Where the default prior is right, *width* pays for its caution with some log-loss after one study, and Greedy, whose score takes no
account of how little a study says, with reading; of Open loop no loss can be told from 0.
"""


def report(
    believed: pd.DataFrame,
    decided: pd.DataFrame,
    turned: pd.DataFrame,
    against: pd.DataFrame,
    combined: pd.DataFrame,
    played: pd.DataFrame,
    simulated: pd.DataFrame,
    folds: Sequence[measured.Fold],
    strayed: tuple[pd.Series, Floats],
    tails: dict[str, Floats],
    width: Prior,
) -> str:
    """The page."""
    outcomes, reviews = believed["outcome"].nunique(), believed["review"].nunique()
    truth = believed.drop_duplicates("outcome")
    plus = float(by_review(truth["omega"].astype(float), truth["review"]).mean())
    return f"""# What a learned prior and the look-ahead are worth in reviews

Measured on {outcomes} outcomes of {reviews} diagnostic-accuracy reviews of CLEF TAR: real rankings (`rank_bm25`, the title as
query), real 2×2 tables, and an invented link between the two, so read it as semi-synthetic. ω⁺ is a pooled
sensitivity above {percent(THETA)} by all studies ({ENGINE} engine, default prior); {percent(plus)} of the outcomes are ω⁺, reviews
weighing equally. Everything is {FOLDS}-fold by review: calibrator and learned prior have not seen the review they are
judged on. Intervals are 95 %, from {DRAWS:,} resamplings of the reviews; bold where they leave out 0. They are not
corrected for the number of comparisons, and {reviews} reviews are few. `scripts/report_reviews.py` computes the page
from [beliefs](data/reviews_beliefs.csv), [decisions](data/reviews_decisions.csv), [what was said of the end](data/reviews_turned.csv),
[rules against Greedy](data/reviews_never_worse.csv), [rules and priors against Greedy with the default one](data/reviews_combined.csv), [chances that follow](data/reviews_frailty.csv) and [simulated reviews](data/reviews_simulated.csv).

{of_beliefs(believed, folds)}
{of_order(strayed, tails, width)}
{of_turning(turned)}
{of_decisions(decided)}
{never_worse.of_never_worse(against)}
{never_worse.of_combinations(combined)}
{of_frailty(played)}
{of_simulated(simulated)}"""


Found = tuple[
    pd.DataFrame, pd.DataFrame, pd.DataFrame, pd.DataFrame, pd.DataFrame, pd.DataFrame, pd.DataFrame,
    list[measured.Fold], tuple[pd.Series, Floats], dict[str, Floats], Prior,
]  # fmt: skip


def found(folder: Path) -> Found:
    """Everything that the page says, as :func:`report` takes it."""
    dta = folder / "clef_dta"
    outcomes = read_outcomes(dta / "outcomes.csv", read_run(dta / "bm25.run")).outcomes
    tables, reviews = [each.tables for each in outcomes], [each.review for each in outcomes]
    width, folds = learn_width(tables, reviews, THETA, "all of them"), list(measured.folds(outcomes))
    with ProcessPoolExecutor(PROCESSES) as pool:
        # What takes longest first.
        played = pool.submit(measured.with_frailty, folder, outcomes, width)
        parts = [pool.submit(measured.of_fold, each) for each in folds]
        loops = never_worse.begun(pool, folds, width)
        simulated = pool.submit(measured.simulated, width)
        strayed, tails = pool.submit(measured.strayed, outcomes), pool.submit(measured.tails, outcomes)
        believed, decided, turned = measured.together([part.result() for part in parts])
        turned = with_said(turned, [{each.review for each in fold.held_out} for fold in folds])
        rows = pd.concat([never_worse.of_real(decided), *(job.result() for job in loops)])
        against, combined = never_worse.against_greedy(rows), never_worse.against_first(decided)
        return (
            believed, decided, turned, against, combined, played.result(), simulated.result(), folds, strayed.result(), tails.result(), width,
        )  # fmt: skip


def main() -> None:
    """Write the page and its data."""
    everything = found(real_data())
    believed, decided, turned, against, combined, played, simulated, *_ = everything
    docs = Path(__file__).resolve().parents[1] / "docs"
    for name, frame in (
        ("beliefs", believed.round({"belief": 5})),
        ("decisions", decided.round({"net_utility": 6})),
        ("turned", turned[[*measured.TURNED, SAID]].rename(columns={SAID: "said"}).round(6)),
        ("never_worse", against),
        ("combined", combined),
        ("frailty", played),
        ("simulated", measured.in_short(simulated)),
    ):
        frame.to_csv(docs / "data" / f"reviews_{name}.csv", index=False)
    (docs / "reviews_measured.md").write_text(report(*everything), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))
