"""Learn from past reviews: priors in ``sample_data/priors``, and in ``sample_data/past_stops`` what decisions on few studies came to.

Needs the folder that TARSTOP_REAL_DATA names. Run again, it writes the same files.
"""

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd

from scripts.real_lists import outcomes, run_script, write_sample
from scripts.studies import reviews
from tarstop_core.belief.bivariate import bivariate_belief, bivariate_path
from tarstop_core.belief.learned_prior import learn_prior, learn_width
from tarstop_core.documents.topic import Outcome
from tarstop_core.places import real_data
from tarstop_core.samples.shipped import PAST_STOPS

THETA, MOST = 0.75, 10
THETAS = tuple(round(0.5 + 0.05 * i, 2) for i in range(10))
PRIOR_SOURCE = "diagnostic-accuracy reviews of CLEF TAR 2017 and 2018 with their Cochrane 2×2 tables"
STOPS_SOURCE = (
    "63 questions of 16 diagnostic-accuracy reviews of CLEF TAR 2017 and 2018 with their Cochrane 2×2 tables, in the order "
    "of a BM25 ranking of the title; the chance is ½ before any study, and how wide the prior is was learned on other reviews"
)


def past_stops(cases: Sequence[Outcome]) -> str:
    """Beliefs after few studies and at the end of every question, and the power that corrects the chance of a turn."""
    folds, questions = list(reviews.folds(cases)), {}
    for fold in folds:
        width = fold.priors[reviews.WIDTH]
        for case in fold.held_out:
            few = case.tables.first(min(MOST, len(case.tables) - 1))
            after = np.array([bivariate_path(few, theta, width)[1:] for theta in THETAS]).T
            end = [round(bivariate_belief(case.tables, theta), 3) for theta in THETAS]
            questions[case.name] = {"review": case.review, "end": end, "after": after.round(3).tolist()}
    rows = [row for fold in folds for row in reviews.turned(fold)]
    turned = pd.DataFrame(rows, columns=reviews.TURN_COLUMNS)
    turned = turned[turned["prior"] == reviews.WIDTH]
    stops = reviews.within(turned, [{case.review for case in fold.held_out} for fold in folds])
    content = {
        **PAST_STOPS.head,
        "source": STOPS_SOURCE,
        "thetas": THETAS,
        "questions": [questions[case.name] for case in cases],
        "tempering": round(reviews.tempering(turned), 2),
        "widening": round(reviews.widening(turned), 2),
        "held": [int(stops["within"].sum()), len(stops)],
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return text.replace('{"review"', '\n{"review"') + "\n"


def main() -> None:
    """Write the files."""
    cases = outcomes(real_data())
    tables, names = [case.tables for case in cases], [case.review for case in cases]
    for name, learn in (("clef-reviews", learn_prior), ("clef-reviews-width", learn_width)):
        write_sample("priors", f"{name}.json", learn(tables, names, THETA, PRIOR_SOURCE).to_json())
    write_sample("past_stops", "clef-reviews.json", past_stops(cases))


if __name__ == "__main__":
    run_script(main)
