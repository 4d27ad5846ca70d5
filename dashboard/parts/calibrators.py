"""A calibrator as pages offer and draw it."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame.drawing import dark, figure, note
from dashboard.frame.widgets import one_of, text_of
from tarstop_core.calibration import figures
from tarstop_core.calibration.calibrator import Calibrator, Quality, from_json
from tarstop_core.calibration.first_hit import PastCase
from tarstop_core.sessions.shelf import Listed, title


def which(label: str, there: Mapping[str, Listed], usual: str, *, key: str, **more: Any) -> Listed:
    """Ask for one of those there are; `usual` is chosen to begin with, where it is among them."""
    if st.session_state.get(key) not in there:
        st.session_state[key] = usual if usual in there else next(iter(there))
    titles = {name: title(each) for name, each in there.items()}
    return there[one_of(label, titles, first=st.session_state[key], key=key, **more)]


def read(file: UploadedFile) -> Calibrator:
    """The calibrator in a file; InputProblem when it is none."""
    text = text_of(file, "give a file that 'tarstop calibrate' or the Calibration page wrote")
    return from_json(text, file.name)


def first_hits(name: str, calibrator: Calibrator, file_stem: str, cases: tuple[PastCase, ...] = ()) -> None:
    """When the first hit comes, by one that learned it from cases."""
    at, come, low, high = figures.come_by_rank(calibrator)
    figure(
        name,
        "When the first hit comes",
        figures.first_hit_figure(calibrator, cases, dark(), calibrator.fitted_on.simulated),
        figures.first_hit_sentence(calibrator),
        {"rank": at, "first_hit_has_come": come, "low_95": low, "high_95": high},
        file_stem,
    )


def reliability_rows(quality: Quality) -> pd.DataFrame:
    return pd.DataFrame(quality.reliability, columns=["mean_chance", "share_relevant", "documents"])


def reliability(name: str, quality: Quality, simulated: bool, file_stem: str) -> None:
    """Whether the chances came true on lists that were not fitted on."""
    note(figures.quality_sentence(quality))
    if not quality.reliability:
        return
    figure(
        name,
        "Did the chances come true?",
        figures.reliability_figure(quality.reliability, simulated, dark(), quality.intervals),
        figures.reliability_sentence(quality.reliability),
        reliability_rows(quality),
        file_stem,
    )
