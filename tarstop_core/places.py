"""Where things lie: the programme, its sample data, and what belongs to the person."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
from sqlalchemy.engine import make_url

from tarstop_core.errors import InputProblem

PARENT = Path(__file__).resolve().parent.parent
"""The folder that holds the package: a checkout, or where packages are installed."""


def sample_dir() -> Path:
    """The folder of the sample data.

    Returns
    -------
    Path
        The folder named by the environment variable `TARSTOP_SAMPLE_DATA` where that is set, else the one
        of the checkout or of the installation.

    Raises
    ------
    InputProblem
        When there is none.
    """
    named = os.environ.get("TARSTOP_SAMPLE_DATA")
    candidates = [Path(named)] if named else [PARENT / "sample_data", PARENT / "tarstop_app" / "sample_data"]
    for candidate in candidates:
        if (candidate / "patents" / "topics.csv").is_file():
            return candidate
    where = " or ".join(str(candidate) for candidate in candidates)
    raise InputProblem(
        f"No sample data in {where}; install the package again, or make them with "
        "`python -m tarstop_core.samples.simulate DIR` and set TARSTOP_SAMPLE_DATA to DIR."
    )


def real_data() -> Path:
    """The folder of real collections, which do not come with the programme.

    Raises
    ------
    InputProblem
        When the environment variable `TARSTOP_REAL_DATA` does not name it.
    """
    named = os.environ.get("TARSTOP_REAL_DATA")
    if not named:
        raise InputProblem(
            "Real collections do not come with TARstop: name their folder in TARSTOP_REAL_DATA and start again."
        )
    return Path(named)


def runs_folder() -> Path:
    """Where runs are kept: ``experiments`` beside the local database."""
    url = os.environ.get(URL_VARIABLE, "").strip()
    place = default_path()
    if url and make_url(url).get_backend_name() == "sqlite":
        place = Path(make_url(url).database or place)
    return place.parent / "experiments"


URL_VARIABLE = "TARSTOP_DATABASE_URL"


# --- opening --------------------------------------------------------------------------------------


def default_path() -> Path:
    """The SQLite file that is used when nothing else is named."""
    return Path(platformdirs.user_data_dir("tarstop", appauthor=False)) / "tarstop.db"


def app_directory() -> Path:
    """Folder that holds `app.py`, `pages/`, `dashboard/` and `sample_data/`.

    In a checkout this is the folder beside `tarstop_core`; the wheel carries the
    same files in `tarstop_app`.

    Returns
    -------
    Path
        Absolute path of the folder.

    Raises
    ------
    InputProblem
        When neither place has an `app.py`.

    Examples
    --------
    >>> app_directory().is_absolute()
    True
    """
    for folder in (PARENT, PARENT / "tarstop_app"):
        if (folder / "app.py").is_file():
            return folder
    raise InputProblem(
        f"The dashboard's files are not beside {PARENT / 'tarstop_core'}; install tarstop again from its wheel "
        "or its checkout."
    )
