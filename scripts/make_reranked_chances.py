"""Learn the chances of re-ranked lists in ``sample_data/reranked``: figures only, each judged on sets it has not seen.

Needs the folder that TARSTOP_REAL_DATA names. Every labelled list is played as a session that learns from its labels
(some minutes, kept for the next time). Run again, it writes the same files.
"""

import sys
from dataclasses import replace

import numpy as np

from scripts.played_sessions import learned, left_out, next_chances, sessions
from tarstop_core.calibration.calibrator import Quality
from tarstop_core.calibration.fitting import ece, reliability
from tarstop_core.errors import InputProblem
from tarstop_core.places import real_data, sample_dir


def main() -> None:
    data = real_data()
    if data is None:
        raise InputProblem("Set TARSTOP_REAL_DATA to the folder with the real rankings.")
    played = sessions(data)
    p, came_true = map(np.concatenate, zip(*next_chances(played, left_out(played)), strict=True))
    curve = reliability(p, came_true)
    brier = float(((p - came_true) ** 2).mean())
    how = "next document, leaving each set out"
    quality = Quality(how, len(played), len(p), round(brier, 6), round(ece(curve), 6), curve)
    path = sample_dir() / "reranked" / "reviews.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(replace(learned(played), quality=quality).to_json(), encoding="utf-8")
    print(f"{path.name}: {len(played)} sessions, Brier {brier:.4f}, ECE {quality.ece:.4f}", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except InputProblem as problem:
        sys.exit(str(problem))
