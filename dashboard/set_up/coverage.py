"""How a list was searched: one question, whose answer says how probable it is that the list lacks what is sought."""

from typing import Any

import streamlit as st

from dashboard.frame.drawing import note
from dashboard.frame.shell import term
from dashboard.frame.widgets import hundredths, lasting, one_of
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.coverage import (
    COMPLETE,
    COVERAGES,
    DEPTH,
    UNKNOWN,
    Coverage,
    capped,
    share_without_hit,
)
from tarstop_core.presentation.numbers import percent
from tarstop_core.ranking.order import several_files
from tarstop_core.sessions.create import Documents

OWN, PAST = "own", "past"


def merges(prefix: str, chosen: Documents) -> bool:
    """Whether a list comes from several files, or from searches that a person said were several."""
    answer = str(st.session_state.get(f"{prefix}/searched/{_kind(chosen, None)}"))
    merged = COVERAGES.get(answer, UNKNOWN).merged or several_files(chosen.frame)
    return merged and not chosen.simulated


def ask(prefix: str, calibrator: Calibrator | None, chosen: Documents, *, disabled: bool) -> float:
    """Ask how the list was searched, and give κ."""
    state, key = st.session_state, f"{prefix}/searched/{_kind(chosen, calibrator)}"
    options = {name: way.title for name, way in COVERAGES.items()} | {OWN: "I give the chance myself"}
    first = "complete" if chosen.simulated else "unknown"
    if key.endswith(PAST):  # They already say how much such lists lack.
        del options["complete"]
        options, first = {PAST: "As in my past cases"} | options, PAST
    if state.get(f"{prefix}/kappa", 100) != 100 and key not in state:  # of a draft by an earlier version
        first = OWN
    answer = one_of(
        "How did you search?",
        options,
        first=state.get(key, first),
        disabled=disabled,
        help=f"{term('kappa', 'κ (coverage)')}: could it be missing from this list? No answer's chance was measured.",
        **lasting(key),
    )
    coverage = COVERAGES.get(answer, COMPLETE)
    if answer == OWN:
        asked = "Chance that it is in this list, if it exists"
        how: dict[str, Any] = {"step": 5, "disabled": disabled, **lasting(f"{prefix}/kappa")}
        coverage = Coverage(asked, hundredths(asked, 90, low=5, high=100, **how) / 100, UNKNOWN.sure)
    if calibrator is not None and not disabled:
        _explain(coverage, calibrator, min(DEPTH, len(chosen.frame)))
    return coverage.mean


def _kind(chosen: Documents, calibrator: Calibrator | None) -> str:
    """Return what the answer holds for: a sample, lists like those that taught the calibrator, or any list."""
    if chosen.simulated:
        return "sample"
    return PAST if calibrator is not None and calibrator.list_kinds and calibrator.fitted_on.own else "any"


def _explain(coverage: Coverage, calibrator: Calibrator, depth: int) -> None:
    """Say what the answer stands for, and how often nothing shows although it exists."""
    sentences = []
    if not calibrator.fitted_on.own or capped(coverage, calibrator) == coverage:
        low, high = map(percent, coverage.interval())
        between = "" if low == high else f", between {low} and {high}"
        sentences.append(f"The list holds it with a chance of {percent(coverage.mean)}{between}.")
    share = share_without_hit(calibrator, depth, coverage)
    if share is not None:
        sentences.append(
            f"If it exists, {percent(share.mean)} of such lists ({percent(share.low)} to {percent(share.high)}) show nothing "
            f"in the first {depth}."
        )
    note(" ".join(sentences))
