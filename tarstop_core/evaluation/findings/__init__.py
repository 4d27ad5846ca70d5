"""Tables, figures and sentences on an experiment; this module has the template of the sentences and its numbers."""

import pandas as pd

from tarstop_core.presentation.messages import Messages


def signed(value: float, digits: int = 4) -> str:
    """A number with a typographic minus sign, and no minus on zero."""
    return f"{value:z.{digits}f}".replace("-", "−")


def share_words(share: float) -> str:
    """A share as a percentage with three digits, never rounded up to 100 %."""
    digits = f"{100 * share:.3g}"
    # Weighted means of ones can be slightly below 1.
    return f"{'100' if share > 1 - 1e-9 else '>99.9' if digits == '100' else digits} %"


def cells_of(table: pd.DataFrame) -> str:
    """The q* and costs of a table's rows.

    >>> cells_of(pd.DataFrame({"q_star": [0.2, 0.2, 0.5, 0.8], "cost": [0.0001, 0.01, 1.0, 1.0]}))
    'q* = 0.2 at 0.0001, 0.01; q* = 0.5, 0.8 at 1'
    """
    by_costs: dict[str, list[str]] = {}
    for q_star, costs in table.groupby("q_star")["cost"]:
        by_costs.setdefault(", ".join(f"{cost:g}" for cost in costs), []).append(f"{q_star:g}")
    return "; ".join(f"q* = {', '.join(q_stars)} at {costs}" for costs, q_stars in by_costs.items())


def gain_words(value: float, low: float, high: float) -> str:
    """A difference in net utility with its interval; gains have a plus sign.

    Parameters
    ----------
    value, low, high : float
        The difference and the ends of its interval.

    Returns
    -------
    str
    """
    mean, least, most = (f"+{end:.4f}" if end > 0 else signed(end) for end in (value, low, high))
    return f"{mean} ({least} to {most})"


message = Messages(
    "evaluation/findings/messages.jinja",
    cells_of=cells_of,
    gain_words=gain_words,
    share_words=share_words,
    signed=signed,
)
"""The sentences of this package."""
