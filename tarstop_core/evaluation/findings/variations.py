"""What the comparison with the paper would say had other choices been made: figures of ``scripts/make_variations.py``."""

from functools import cache

import pandas as pd

from tarstop_core.evaluation.findings.shipped import FOLDER
from tarstop_core.places import sample_dir

FILE = f"{FOLDER}/variations.csv"
COLUMNS = "benchmark variation value method q_star cost net_utility screened decision_agreement recall difference low high".split()
"""`difference`, `low` and `high` (of ``tuning`` alone): of net utility from the shipped results, with its 95 % interval."""


@cache
def variations() -> pd.DataFrame:
    """All rows; none where the file is missing."""
    path = sample_dir() / FILE
    if not path.is_file():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(path, dtype={"value": "str"})


def of(benchmark: str, variation: str) -> pd.DataFrame:
    """The rows of one variation of a benchmark."""
    rows = variations()
    return rows[(rows["benchmark"] == benchmark) & (rows["variation"] == variation)]


def spread(benchmark: str) -> pd.DataFrame:
    """Over draws of the data: mean, sd, least and most of each figure, by q*, cost and method.

    Columns ``net_utility_mean, net_utility_std, net_utility_min, net_utility_max`` and so on, and ``draws``.
    """
    grouped = of(benchmark, "seed").groupby(["q_star", "cost", "method"])
    figures = ["net_utility", "screened", "decision_agreement", "recall"]
    statistics = grouped[figures].agg(["mean", "std", "min", "max"])
    statistics.columns = statistics.columns.map("_".join)
    return statistics.assign(draws=grouped.size()).reset_index()
