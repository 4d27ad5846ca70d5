"""What the benchmarks of a redraw print, and whether they meet their target."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray


def judged(measured: Mapping[str, NDArray[np.float64]], what: str, warm_up: int, target: float) -> int:
    """Print median, 95th percentile and longest of each series of milliseconds.

    Parameters
    ----------
    measured : mapping of str to ndarray
        Without what warmed up.
    what : str
        What was done once for each, in the plural.
    warm_up : int
        How many were left out.
    target : float
        Most that a 95th percentile may be, in milliseconds.

    Returns
    -------
    int
        Exit status: 1 where a target was missed.
    """
    worst = 0.0
    for name, times in measured.items():
        middle, high = np.percentile(times, [50, 95])
        worst = max(worst, float(high))
        print(
            f"{name}: median {middle:.0f} ms, p95 {high:.0f} ms, longest {times.max():.0f} ms "
            f"({len(times)} {what} after {warm_up} to warm up; target p95 {target:.0f} ms)"
        )
    return 0 if worst <= target else 1
