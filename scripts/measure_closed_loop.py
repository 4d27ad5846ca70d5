"""What looking again is worth in reviews: Greedy, the open and the closed loop on the outcomes of CLEF TAR.

Run it as ``python scripts/measure_closed_loop.py OUT.csv``. 8-fold by review with chances learned from the others, default prior,
truth as pooled sensitivity, one stage; costs from 1e-6 to 5e-3. Writes depth, studies, decision and net utility of each
outcome, and prints means over reviews and differences with 95 % intervals by resampling reviews.
"""

import sys

import numpy as np
import pandas as pd
from report_reviews import FOLDS, Q_STARS, THETA, interval
from sklearn.model_selection import GroupKFold

from tarstop_core.calibration.fitting import fit
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.places import real_data
from tarstop_core.policies import Greedy, OpenLoop, Optimal, Policy
from tarstop_core.value.outcomes import is_plus, outcome_path
from tarstop_core.value.payoffs import Payoffs

COSTS = (1e-6, 1e-5, 1e-4, 5e-4, 1e-3, 5e-3)
RULES: tuple[Policy, ...] = (Greedy(), OpenLoop(), Optimal())
PAIRS = (("optimal", "greedy"), ("open-loop", "greedy"), ("optimal", "open-loop"))


def measured() -> pd.DataFrame:
    """One row an outcome, threshold, cost and rule."""
    folder = real_data() / "clef_dta"
    outcomes = read_outcomes(folder / "outcomes.csv", read_run(folder / "bm25.run")).outcomes
    reviews = np.array([each.review for each in outcomes])
    rows = []
    for train, test in GroupKFold(FOLDS).split(reviews, groups=reviews):
        lists = [outcomes[i].topic for i in train]
        calibrator = fit(lists, kind="marginal", scenario="review", name="other reviews")
        for each in (outcomes[i] for i in test):
            p = calibrator.probabilities(each.topic.scores, len(each.topic))
            omega = is_plus(each.tables, THETA, "pooled", 0.5)
            for q_star in Q_STARS:
                payoffs = Payoffs.from_q_star(q_star)
                path = outcome_path(each, p, payoffs, THETA)
                for rule in RULES:
                    for cost, depth in zip(COSTS, rule.depths(path, COSTS), strict=True):
                        plus = path.chooses_plus(int(depth))
                        net = payoffs.outcome(plus, omega) - cost * int(depth)
                        studies = path.brought(int(depth))
                        rows.append(
                            (each.review, each.name, q_star, cost, rule.name, int(depth), studies, plus == omega, net)
                        )  # fmt: skip
    names = ["review", "outcome", "q_star", "cost", "rule", "depth", "studies", "right", "net_utility"]
    return pd.DataFrame(rows, columns=names)


def main(out: str) -> None:
    """Measure, keep and print."""
    found = measured()
    found.round({"net_utility": 6}).to_csv(out, index=False)
    cell = ["q_star", "cost"]
    of_reviews = found.groupby([*cell, "rule", "review"])[["depth", "studies", "right", "net_utility"]].mean()
    print(of_reviews.groupby([*cell, "rule"]).mean().unstack("rule").round(3).to_string())
    net = of_reviews["net_utility"].unstack("rule")
    for one, other in PAIRS:
        for (q_star, cost), values in (net[one] - net[other]).groupby(cell):
            low, high = interval(values.to_numpy())
            print(
                f"{one} − {other}, q* {q_star:g}, c {cost:g}: {values.mean():+.4f} [{low:+.4f}, {high:+.4f}]"
            )


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (InputProblem, IndexError) as problem:
        sys.exit(str(problem))
