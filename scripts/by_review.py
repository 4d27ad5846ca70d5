"""Means over reviews with their intervals, and how reports write them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DRAWS, SEED = 10_000, 1


def by_review(values: pd.Series, reviews: pd.Series) -> pd.Series:
    """Mean a review: reviews weigh equally, however many outcomes they have."""
    return values.groupby(reviews.to_numpy()).mean()


def interval(of_reviews: Sequence[float] | Floats) -> tuple[float, float]:
    """95 % interval of a mean over reviews, by resampling reviews."""
    values = np.asarray(of_reviews, dtype=float)
    drawn = np.random.default_rng(SEED).integers(len(values), size=(DRAWS, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def signed(value: float, digits: int = 3) -> str:
    """'+0.012', '−0.004', '0'."""
    text = f"{abs(value):.{digits}f}"
    return "0" if float(text) == 0 else ("−" if value < 0 else "+") + text


def percent(share: float) -> str:
    """'68 %'."""
    return f"{100 * share:.0f} %"


def with_interval(values: pd.Series, reviews: pd.Series, digits: int = 3) -> str:
    """A mean over reviews with its interval, bold where that leaves out 0."""
    means = by_review(values, reviews)
    low, high = interval(means.to_numpy())
    text = f"{signed(float(means.mean()), digits)} [{signed(low, digits)}, {signed(high, digits)}]"
    return f"**{text}**" if low > 0 or high < 0 else text


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, the first column left."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
