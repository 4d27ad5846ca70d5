"""Address of a database: its URL, what it is called, and messages if it cannot be used."""

import logging
import os
import tomllib
from importlib.resources import files
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tarstop_core.errors import InputProblem
from tarstop_core.places import URL_VARIABLE, default_path

_LOG = logging.getLogger(__name__)
_PROBLEMS = tomllib.loads((files(__package__) / "problems.toml").read_text(encoding="utf-8"))


def read_url(url: str | None) -> URL:
    """URL of a database: the given one, else that of the environment, else that of the local file, whose folder is created.

    InputProblem if it cannot be read, is of another kind than SQLite or PostgreSQL, or keeps everything in memory.
    """
    text = (url if url is not None else os.environ.get(URL_VARIABLE, "")).strip()
    if not text and url is None:
        path = default_path()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            _LOG.warning("%s: %s", path.parent, problem.strerror)
            raise InputProblem(
                f"The folder for your data cannot be created ({problem.strerror}); "
                f"name a database in {URL_VARIABLE}, such as sqlite:////home/me/tarstop.db."
            ) from None
        return URL.create("sqlite", database=str(path))
    try:
        parsed = make_url(text)
    except (ArgumentError, ValueError):
        # The URL is not repeated, because one that cannot be read may hold a password anywhere.
        raise InputProblem(
            "The database URL cannot be read; write it as sqlite:////home/me/tarstop.db or "
            f"postgresql+psycopg://user:password@host/database (in {URL_VARIABLE})."
        ) from None
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise unknown_kind(parsed)
    if parsed.get_backend_name() == "sqlite":
        database = parsed.database or ":memory:"
        if ":memory:" in database or parsed.query.get("mode") == "memory":
            raise InputProblem(
                "A database in memory forgets everything when the program ends; "
                f"name a file, such as sqlite:////home/me/tarstop.db (in {URL_VARIABLE})."
            )
    return parsed


def unknown_kind(url: URL) -> InputProblem:
    """The problem to raise for a kind of database that is not supported."""
    return InputProblem(
        f"There is no kind of database '{url.drivername}'; use sqlite or postgresql+psycopg in {URL_VARIABLE}."
    )


def file_name(url: URL) -> str:
    """Path of the file of a SQLite database, as the URL spells it."""
    return (url.database or "").removeprefix("file:")


def public_name(url: URL) -> str:
    """Name of the database for pages and messages: without folder, host and user."""
    if url.get_backend_name() == "sqlite":
        return Path(file_name(url)).name
    return "on PostgreSQL"


def full_name(url: URL) -> str:
    """Address of the database for the server's log: without password and without options, which may contain one."""
    if url.get_backend_name() == "sqlite":
        return file_name(url)
    return url.set(password=None, query={}).render_as_string()


def driver_words(problem: Exception, url: URL) -> str:
    """First line of the driver's error message, without passwords."""
    lines = _words(problem).strip().splitlines() or ["no reason given"]
    first = lines[0].rstrip(".")
    for secret in (url.password, *(value for key, value in url.query.items() if "pass" in key)):
        if isinstance(secret, str) and secret:
            first = first.replace(secret, "***")
    return first


def sentence(problem: Exception, url: URL, name: str) -> str:
    """Sentence on what to do about an error of the database; the driver's own message may name folders, hosts and users.

    Parameters
    ----------
    problem
        Error of the driver or of the pool of connections.
    url
        URL of the database.
    name
        Its public name, from :func:`public_name`.

    Returns
    -------
    str
        From ``problems.toml``: the sentence for the first words there that occur in the driver's message.
    """
    words, kind = _words(problem), "sqlite" if url.get_backend_name() == "sqlite" else "server"
    if isinstance(problem, PoolTimeout):
        words = "every connection is in use"
    elif kind == "server" and getattr(problem, "connection_invalidated", False):
        words = "connection"
    elif "unable to open" in words and not Path(file_name(url)).absolute().parent.is_dir():
        words = "no such folder"
    problems: dict[str, str] = _PROBLEMS[kind]
    advice = next((text for part, text in problems.items() if part in words), _PROBLEMS["other"])
    return advice.format(name=name, variable=URL_VARIABLE)


def _words(problem: Exception) -> str:
    """The error message of the driver."""
    return str(getattr(problem, "orig", None) or problem)
