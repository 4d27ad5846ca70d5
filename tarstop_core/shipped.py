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


def default_calibrator(has_scores: bool) -> str:
    """Short name of the calibrator to begin with, for lists with and without scores."""
    return "clef-reviews" if has_scores else "clef-reviews-rank"
