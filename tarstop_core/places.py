"""Where things lie: the programme, its sample data, what belongs to the person; and who is let in to them."""

import ipaddress
import os
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from tarstop_core.errors import InputProblem

PARENT = Path(__file__).resolve().parent.parent
"""The folder that holds the package: a checkout, or where packages are installed."""


def sample_dir() -> Path:
    """The folder of the sample data: that of `TARSTOP_SAMPLE_DATA`, of the checkout or of the installation.

    InputProblem when there is none.
    """
    named = os.environ.get("TARSTOP_SAMPLE_DATA")
    candidates = [Path(named)] if named else [PARENT / "sample_data", PARENT / "tarstop_app" / "sample_data"]
    for candidate in candidates:
        if (candidate / "patents" / "topics.csv").is_file():
            return candidate
    where = " or ".join(map(str, candidates))
    raise InputProblem(
        f"No sample data in {where}; install the package again, or make them in a checkout with "
        "`python -m scripts.make_samples DIR` and set TARSTOP_SAMPLE_DATA to DIR."
    )


def real_data() -> Path:
    """The folder of real collections, which do not come with the programme.

    InputProblem when the environment variable `TARSTOP_REAL_DATA` does not name it.
    """
    named = os.environ.get("TARSTOP_REAL_DATA")
    if not named:
        raise InputProblem(
            "Real collections do not come with TARstop: name their folder in TARSTOP_REAL_DATA and start again."
        )
    return Path(named)


def runs_folder() -> Path:
    """Where runs are kept: ``experiments`` beside the local database."""
    return _beside_database() / "experiments"


def features_folder() -> Path:
    """Where is kept what rankers learn from, which can be made again: ``features`` beside the local database."""
    return _beside_database() / "features"


def _beside_database() -> Path:
    from sqlalchemy.engine import make_url  # it takes its time to import

    url = os.environ.get(URL_VARIABLE, "").strip()
    place = default_path()
    if url and make_url(url).get_backend_name() == "sqlite":
        place = Path(make_url(url).database or place)
    return place.parent


URL_VARIABLE = "TARSTOP_DATABASE_URL"


def default_path() -> Path:
    """The SQLite file that is used when nothing else is named."""
    return Path(platformdirs.user_data_dir("tarstop", appauthor=False)) / "tarstop.db"


def app_directory() -> Path:
    """Folder that holds `app.py`, `pages/`, `dashboard/` and `sample_data/`.

    In a checkout this is the folder beside `tarstop_core`; the wheel carries the same files in `tarstop_app`.
    InputProblem when neither place has an `app.py`.
    """
    for folder in (PARENT, PARENT / "tarstop_app"):
        if (folder / "app.py").is_file():
            return folder
    raise InputProblem(
        f"The dashboard's files are not beside {PARENT / 'tarstop_core'}; install tarstop again from its wheel "
        "or its checkout."
    )


HOSTS_VARIABLE = "TARSTOP_HOSTS"
FOLDERS_VARIABLE = "TARSTOP_FOLDERS"
NO_LOGIN_VARIABLE = "TARSTOP_NO_LOGIN"
APART = ";"
YES, NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")
RESULTS_VARIABLE = "TARSTOP_RESULTS"
RULES_VARIABLE = "TARSTOP_RULES"


def is_loopback(address: str) -> bool:
    """Whether an address, or the name of a host, is this machine's own and nobody else's."""
    if address.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def named_hosts() -> tuple[str, ...]:
    """Names beside its address that the dashboard answers to: those in `TARSTOP_HOSTS`, between commas."""
    given = os.environ.get(HOSTS_VARIABLE, "").lower().split(",")
    return tuple(filter(None, map(str.strip, given)))


def named_by_server(variable: str) -> list[str]:
    """What whoever started the server named in a variable, between semicolons."""
    return [each for each in os.environ.get(variable, "").split(APART) if each]


def open_to_others(address: str, hosts: Sequence[str] = ()) -> bool:
    """Whether a dashboard served on `address`, or by a proxy under `hosts`, can be reached from elsewhere."""
    return bool(hosts) or not is_loopback(address)


def consents() -> bool:
    """Whether `TARSTOP_NO_LOGIN` says yes to serving others without a login.

    Raises
    ------
    InputProblem
        When it says neither yes nor no.
    """
    answer = os.environ.get(NO_LOGIN_VARIABLE, "").strip()
    if answer.lower() in YES:
        return True
    if answer.lower() in NO:
        return False
    raise InputProblem(
        f"{NO_LOGIN_VARIABLE} is '{answer}', which is neither yes nor no; set it to yes to serve others without a "
        "login, or remove it."
    )


def require_consent(address: str, hosts: Sequence[str], no_login: bool = False) -> None:
    """Refuse to serve others unasked: whoever reaches the dashboard may do everything in it.

    Parameters
    ----------
    address : str
        Where it is served.
    hosts : sequence of str
        Names under which a proxy serves it.
    no_login : bool
        Whether serving others is meant, as `TARSTOP_NO_LOGIN` may say too.

    Raises
    ------
    InputProblem
        When it can be reached from elsewhere and nobody says that this is meant.
    """
    if open_to_others(address, hosts) and not (no_login or consents()):
        raise InputProblem(
            f"There is no login yet: whoever reaches {' or '.join([*hosts, address])} can read, change and delete every "
            f"session; give --no-login, or set {NO_LOGIN_VARIABLE} to yes, to serve them all the same."
        )


def open_folders(address: str) -> Path | None:
    """The folder below which a browser may name others on the machine that serves the dashboard on `address`; None: any.

    Whoever sits at that machine may name any. Served to others, a browser reaches nothing but what lies below the
    folder that `TARSTOP_FOLDERS` names. InputProblem when it may name none.
    """
    root = os.environ.get(FOLDERS_VARIABLE, "").strip()
    if root:
        return Path(root).expanduser().resolve()
    if not open_to_others(address, named_hosts()):
        return None
    raise InputProblem(
        "This server is open to others, so its folders cannot be named; send the files, or have whoever runs "
        f"it name a folder in {FOLDERS_VARIABLE}."
    )


def folder_of_the_server(named: str, address: str) -> Path:
    """A folder that a browser names, whatever ``..`` and links say, those in the folder included.

    InputProblem when it may not be read (:func:`open_folders`).
    """
    top = open_folders(address)
    if top is None:
        return Path(named).expanduser()
    try:
        folder = (top / named).resolve()
        within = (folder, *folder.glob("*"), *folder.glob("*/*"))
        if not all(each.resolve().is_relative_to(top) for each in within):
            raise ValueError
    except (OSError, RuntimeError, ValueError):
        raise InputProblem(
            "That folder, or what it links to, lies outside what may be read here; name one inside."
        ) from None
    return folder
