"""How soon Python users have their first advice: beside the time that importing numpy, SciPy and scikit-learn takes.

Each is measured in fresh processes in turn. Targets: ``import tarstop_core`` at most 0.3 s, the first ``ts.advise`` at most
1.6 times those imports.
"""

import subprocess
import sys
from statistics import median

RUNS = 7
CODES = {
    "libraries": "import numpy, scipy, sklearn",
    "root": "import tarstop_core",
    "advice": (
        "import tarstop_core as ts; "
        "ts.advise([.5 / k for k in range(1, 501)], [0] * 20, ts.Stakes.from_q_star(.5, cost=.001))"
    ),
}


def seconds(code: str) -> float:
    """Seconds that a fresh interpreter takes for some code, its own start not counted."""
    timed = f"from time import perf_counter as now; begun = now(); {code}; print(now() - begun)"
    return float(subprocess.run([sys.executable, "-c", timed], capture_output=True, check=True).stdout)


def main() -> int:
    for code in CODES.values():
        seconds(code)  # compiled, and read from disk
    took: dict[str, list[float]] = {name: [] for name in CODES}
    for _ in range(RUNS):
        for name, code in CODES.items():
            took[name].append(seconds(code))
    libraries, root, advice = (median(times) for times in took.values())
    ratio = advice / libraries
    print(
        f"median: first advice after {advice:.2f} s, {ratio:.2f} times the imports of numpy, SciPy and scikit-learn ({libraries:.2f} s); "
        f"import tarstop_core {root * 1000:.0f} ms"
    )
    return 0 if ratio <= 1.6 and root <= 0.3 else 1


if __name__ == "__main__":
    sys.exit(main())
