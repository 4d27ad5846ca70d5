"""Calibrators that a person without labelled topics can start from."""

from __future__ import annotations

from functools import cache

from tarstop_core.calibration import Calibrator, load
from tarstop_core.samples import sample_dir


@cache
def calibrators() -> dict[str, Calibrator]:
    """Every shipped calibrator by its short name, simulated ones first.

    The files are made by ``scripts/make_calibrators.py``; each says what it was fitted on and how
    well it did on topics it had not seen.
    """
    found = {path.stem: load(path) for path in sorted((sample_dir() / "calibrators").glob("*.json"))}
    return dict(sorted(found.items(), key=lambda item: (not item[1].fitted_on.simulated, item[0])))


def default_calibrator(has_scores: bool, sample: bool = False) -> str:
    """Short name of the calibrator to begin with.

    Parameters
    ----------
    has_scores : bool
        Whether the list has scores, or only its order.
    sample : bool
        Whether the list is one of the sample searches.
    """
    name = "sample-searches" if sample else "clef-reviews"
    return name if has_scores else f"{name}-rank"
