"""Where things lie: the program, its sample data, what belongs to the person; and who is let in to them."""

import ipaddress
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from tarstop_core.errors import InputProblem

PARENT = Path(__file__).resolve().parent.parent
"""The folder that holds the package: a checkout, or where packages are installed."""


def sample_dir() -> Path:
    """The folder of the sample data: that of `TARSTOP_SAMPLE_DATA`, of the checkout or of the installation.

    InputProblem otherwise.
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
    """The folder of real collections, which do not come with the program.

    InputProblem when the environment variable `TARSTOP_REAL_DATA` does not name it.
    """
    named = os.environ.get("TARSTOP_REAL_DATA")
    if not named:
        raise InputProblem(
            "Real collections do not come with TARstop: name their folder in TARSTOP_REAL_DATA and start again."
        )
    return Path(named)


def runs_folder(whose: str = "") -> Path:
    """Where the runs of a person are kept, in ``experiments`` beside the local database; of nobody by name on one's own machine."""
    folder = _beside_database() / "experiments"
    return folder / "people" / sha256(whose.encode()).hexdigest()[:32] if whose else folder


def features_folder() -> Path:
    """Folder of rankers' features, which can be recomputed: ``features`` beside the local database."""
    return _beside_database() / "features"


def backups_folder() -> Path:
    """Where the page writes backups: ``backups`` beside the local database."""
    return _beside_database() / "backups"


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
LOGIN, PROXY_HEADER = "TARSTOP_LOGIN", "TARSTOP_PROXY_HEADER"
PROXY_ADDRESS, ADMINISTRATORS = "TARSTOP_PROXY_ADDRESS", "TARSTOP_ADMINISTRATORS"
CLASSROOM = "TARSTOP_CLASSROOM"
"""Set to anything, a class is served."""
FORWARDED = "FORWARDED_ALLOW_IPS"
"""Whom the server below Streamlit believes that they pass on a request; nobody, where a proxy is known by its address."""
CLIENT = ("client_id", "client_secret", "server_metadata_url", "redirect_uri", "cookie_secret")
SECRET = 32
"""Characters that the secret has at least with which cookies are signed."""
APART = ";"
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


def is_everywhere(address: str) -> bool:
    """Whether a server that listens on an address listens on every one of its machine."""
    try:
        return ipaddress.ip_address(address).is_unspecified
    except ValueError:
        return False


def in_url(host: str) -> str:
    """Return a host as a URL writes it: an address of IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def named_hosts() -> tuple[str, ...]:
    """Names beside its address that the dashboard answers to: those in `TARSTOP_HOSTS`, between commas."""
    given = os.environ.get(HOSTS_VARIABLE, "").lower().split(",")
    return tuple(filter(None, map(str.strip, given)))


def named_by_server(variable: str) -> list[str]:
    """Return what a server variable names, split at semicolons."""
    return [each for each in os.environ.get(variable, "").split(APART) if each]


def open_to_others(address: str, hosts: Sequence[str] = ()) -> bool:
    """Whether a dashboard served on `address`, or by a proxy under `hosts`, can be reached from elsewhere."""
    return bool(hosts) or not is_loopback(address)


@dataclass(frozen=True)
class Provider:
    """An OIDC provider with which people log in."""

    client: Mapping[str, str]
    """What Streamlit's login takes: `client_id`, `client_secret`, `server_metadata_url`, `redirect_uri`, `cookie_secret`."""
    claim: str
    """What in a token is the name of the person."""
    people: tuple[str, ...]
    """Who is let in: names, or domains behind an @; a star is everybody whom the provider knows."""
    administrators: tuple[str, ...] | None
    """None: the first account."""


@dataclass(frozen=True)
class Proxy:
    """A proxy that asks who is there, and says so in a header."""

    header: str
    address: str
    """Where the proxy asks from; nobody else's header counts."""
    administrators: tuple[str, ...] | None


@dataclass(frozen=True)
class Classroom:
    """A class: its code admits anybody, without a name, to the parts that store nothing."""


Way = Provider | Proxy | Classroom
"""How people come in where others are served."""


def read_provider(file: Path) -> Provider:
    """Read the TOML file that says with which OIDC provider people log in.

    Parameters
    ----------
    file
        Its place.

    Returns
    -------
    Provider
        What it says.

    Raises
    ------
    InputProblem
        When it cannot be read, lacks something or would let tokens or cookies go over the network unsealed.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise InputProblem(f"The login file {file} cannot be read ({problem}); correct it.") from None
    client = {name: str(content.pop(name, "")) for name in CLIENT}
    if missing := [name for name, value in client.items() if not value]:
        raise InputProblem(f"The login file {file} lacks {', '.join(missing)}; add that.")
    people, named = content.pop("people", []), content.pop("administrators", None)
    claim = str(content.pop("claim", "email"))
    if content:
        raise InputProblem(
            f"The login file {file} has {', '.join(content)}, which means nothing; remove that."
        )
    if not isinstance(people, list) or not people:
        raise InputProblem(
            f'The login file {file} names no people; add people = ["ann@example.org", "@example.com"], or ["*"] for '
            "everybody whom the provider knows."
        )
    if len(client["cookie_secret"]) < SECRET:
        raise InputProblem(f"The cookie_secret in {file} is short; give {SECRET} random characters or more.")
    for name in ("server_metadata_url", "redirect_uri"):
        url = urlsplit(client[name])
        if url.scheme != "https" and not (url.scheme == "http" and is_loopback(url.hostname or "")):
            raise InputProblem(f"The {name} in {file} does not begin with https; tokens would go unsealed.")
    if not client["redirect_uri"].endswith("/oauth2callback"):
        raise InputProblem(f"The redirect_uri in {file} does not end with /oauth2callback; let it.")
    administrators = None if named is None else _names(named)
    return Provider(client, claim, _names(people), administrators)


def _names(given: Iterable[object]) -> tuple[str, ...]:
    return tuple(filter(None, (str(name).strip().casefold() for name in given)))


def way_in(address: str, hosts: Sequence[str]) -> Way | None:
    """Return how people come in where others are served; nobody else is.

    Parameters
    ----------
    address
        Where the dashboard is served.
    hosts
        Names under which a proxy serves it.

    Returns
    -------
    Provider, Proxy, Classroom or None
        As the environment names it; None where only whoever sits at this machine is served and nothing is named.

    Raises
    ------
    InputProblem
        When others can reach the dashboard and nothing is named, or what is named is not whole or is several things.
    """
    file, header, proxy = (os.environ.get(name, "").strip() for name in (LOGIN, PROXY_HEADER, PROXY_ADDRESS))
    if file and (header or proxy):
        raise InputProblem(f"{LOGIN} and {PROXY_HEADER} both say how people log in; set one of them.")
    if os.environ.get(CLASSROOM, "").strip():
        if file or header or proxy:
            raise InputProblem(
                "A class joins with a code, and nobody logs in; name either --classroom or a login."
            )
        return Classroom()
    if file:
        return read_provider(Path(file))
    if header or proxy:
        try:
            where = str(ipaddress.ip_address(proxy))
        except ValueError:
            where = ""
        if not where or not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", header):
            raise InputProblem(
                f"A proxy that logs people in needs both the name of its header in {PROXY_HEADER} (--proxy-header) and the "
                f"address in numbers that it asks from in {PROXY_ADDRESS} (--proxy-address)."
            )
        named = os.environ.get(ADMINISTRATORS)
        return Proxy(header.lower(), where, None if named is None else _names(named.split(",")))
    if open_to_others(address, hosts):
        raise InputProblem(
            f"Nobody is served on {' or '.join([*hosts, address])} without a login; name an OIDC provider's file with --login "
            f"({LOGIN}), a proxy that asks who is there with --proxy-header and --proxy-address ({PROXY_HEADER}, "
            f"{PROXY_ADDRESS}), or serve a class with --classroom. Serving everybody without (--no-login) ended with accounts."
        )
    return None


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
