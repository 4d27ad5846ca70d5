"""Count in ``sample_data/past_stops`` what decisions on few studies came to in past reviews.

Needs the folder that TARSTOP_REAL_DATA names. Run again, it writes the same file.
"""

import json
import sys

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold

from scripts import reviews_measured
from scripts.turning import tempering
from tarstop_core.belief.bivariate import bivariate_belief, bivariate_path
from tarstop_core.belief.learned_prior import learn_width
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_outcomes, read_run
from tarstop_core.places import real_data, sample_dir
from tarstop_core.samples.past_stops import FILE

FOLDS, LEARNED_AT, MOST = 8, 0.75, 10
THETAS = tuple(round(0.5 + 0.05 * i, 2) for i in range(10))
SOURCE = (
    "63 questions of 16 diagnostic-accuracy reviews of CLEF TAR 2017 and 2018 with their Cochrane 2×2 tables, in the order "
    "of a BM25 ranking of the title; the chance is ½ before any study, and how wide the prior is was learned on other reviews"
)


def main() -> None:
    """Write the file."""
    folder = real_data() / "clef_dta"
    outcomes = read_outcomes(folder / "outcomes.csv", read_run(folder / "bm25.run")).outcomes
    reviews = np.array([each.review for each in outcomes])
    found = {}
    for train, test in GroupKFold(FOLDS).split(reviews, groups=reviews):
        prior = learn_width([outcomes[i].tables for i in train], reviews[train].tolist(), LEARNED_AT, SOURCE)
        for i in test:
            tables = outcomes[i].tables
            few = tables.first(min(MOST, len(tables) - 1))
            after = np.array([bivariate_path(few, theta, prior)[1:] for theta in THETAS]).T
            end = [bivariate_belief(tables, theta) for theta in THETAS]
            found[i] = {
                "review": outcomes[i].review,
                "end": [round(b, 3) for b in end],
                "after": after.round(3).tolist(),
            }
    parts = [reviews_measured.turned(each) for each in reviews_measured.folds(outcomes)]
    turned = pd.DataFrame([row for rows in parts for row in rows], columns=reviews_measured.TURNED)
    content = {
        **FILE.head,
        "source": SOURCE,
        "thetas": THETAS,
        "questions": [found[i] for i in sorted(found)],
        "tempering": round(tempering(turned[turned["prior"] == "width"]), 2),
    }
    path = sample_dir() / "past_stops" / "clef-reviews.json"
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text.replace('{"review"', '\n{"review"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))
