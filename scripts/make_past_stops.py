"""Count in ``sample_data/past_stops`` what decisions on few studies came to in past reviews.

Needs the folder that TARSTOP_REAL_DATA names. Run again, it writes the same file.
"""

import json
import sys

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold

from scripts.real_lists import outcomes
from scripts.studies import reviews
from tarstop_core.belief.bivariate import bivariate_belief, bivariate_path
from tarstop_core.belief.learned_prior import learn_width
from tarstop_core.errors import InputProblem
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
    cases = outcomes(real_data())
    names = np.array([case.review for case in cases])
    found = {}
    for train, test in GroupKFold(FOLDS).split(names, groups=names):
        prior = learn_width([cases[i].tables for i in train], names[train].tolist(), LEARNED_AT, SOURCE)
        for i in test:
            tables = cases[i].tables
            few = tables.first(min(MOST, len(tables) - 1))
            after = np.array([bivariate_path(few, theta, prior)[1:] for theta in THETAS]).T
            end = [bivariate_belief(tables, theta) for theta in THETAS]
            found[i] = {
                "review": cases[i].review,
                "end": [round(b, 3) for b in end],
                "after": after.round(3).tolist(),
            }
    rows = [row for fold in reviews.folds(cases) for row in reviews.turned(fold)]
    turned = pd.DataFrame(rows, columns=reviews.TURN_COLUMNS)
    content = {
        **FILE.head,
        "source": SOURCE,
        "thetas": THETAS,
        "questions": [found[i] for i in sorted(found)],
        "tempering": round(reviews.tempering(turned[turned["prior"] == reviews.WIDTH]), 2),
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
