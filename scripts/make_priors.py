"""Learn the priors in ``sample_data/priors`` from training reviews: a few numbers each, and what they saw.

Needs the folder that TARSTOP_REAL_DATA names. Run again, it writes the same files.
"""

import sys

from tarstop_core.belief.learned_prior import learn_prior, learn_width
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.places import real_data, sample_dir

THETA = 0.75
SOURCE = "diagnostic-accuracy reviews of CLEF TAR 2017 and 2018 with their Cochrane 2×2 tables"


def main() -> None:
    """Write what can be made here."""
    folder = real_data() / "clef_dta"
    outcomes = read_outcomes(folder / "outcomes.csv", read_run(folder / "bm25.run")).outcomes
    tables, reviews = [each.tables for each in outcomes], [each.review for each in outcomes]
    (sample_dir() / "priors").mkdir(exist_ok=True)
    for name, learn in (("clef-reviews", learn_prior), ("clef-reviews-width", learn_width)):
        prior = learn(tables, reviews, THETA, SOURCE)
        (sample_dir() / "priors" / f"{name}.json").write_text(prior.to_json(), encoding="utf-8")
        print(f"{name}: b_0 {prior.b_0:g}, s {prior.s:g}, tau {prior.tau:g}, weight {prior.weight:g}")


if __name__ == "__main__":
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))
