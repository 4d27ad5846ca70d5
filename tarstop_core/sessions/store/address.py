"""Where a database lies: its URL, what it is called, and what is said when it cannot be used."""

import logging
import os
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tarstop_core.errors import InputProblem
from tarstop_core.places import URL_VARIABLE, default_path

_LOG = logging.getLogger(__name__)


def read_url(url: str | None) -> URL:
    """The URL given, or else the one of the environment, or else that of the local file, whose folder is made."""
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
        # Not repeated here: a URL that cannot be read may hold a password anywhere.
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
    return InputProblem(
        f"There is no kind of database '{url.drivername}'; use sqlite or postgresql+psycopg in {URL_VARIABLE}."
    )


def file_name(url: URL) -> str:
    """The file of a SQLite database."""
    return (url.database or "").removeprefix("file:")


def public_name(url: URL) -> str:
    """What everybody may read, whose pages say it: no folder, no host, no user."""
    if url.get_backend_name() == "sqlite":
        return Path(file_name(url)).name
    return "on PostgreSQL"


def full_name(url: URL) -> str:
    """For the log of whoever runs it: without password, and without options that may hold one."""
    if url.get_backend_name() == "sqlite":
        return file_name(url)
    return url.set(password=None, query={}).render_as_string()


def driver_words(problem: Exception, url: URL) -> str:
    """The first line of what the driver says, without a password."""
    said = str(getattr(problem, "orig", None) or problem)
    first = (said.strip().splitlines() or ["no reason given"])[0].rstrip(".")
    for secret in (url.password, *(value for key, value in url.query.items() if "pass" in key)):
        if isinstance(secret, str) and secret:
            first = first.replace(secret, "***")
    return first


def sentence(problem: Exception, url: URL, name: str) -> str:
    """What to do, for everybody to read: a driver's words name folders, hosts and users."""
    said = str(getattr(problem, "orig", None) or problem)
    if isinstance(problem, PoolTimeout):
        return f"The database {name} is busy; try again in a moment."
    if url.get_backend_name() == "sqlite":
        problems = _SQLITE_PROBLEMS
        if "unable to open" in said and not Path(file_name(url)).absolute().parent.is_dir():
            return f"The database {name} cannot be opened, because there is no such folder; create it or correct {URL_VARIABLE}."
    else:
        problems = _SERVER_PROBLEMS
        if getattr(problem, "connection_invalidated", False):
            said = "connection"
    for words, told in problems.items():
        if words in said:
            return told.format(name=name, variable=URL_VARIABLE)
    return (
        f"The database {name} cannot be used; the log of the server says why, correct it or {URL_VARIABLE}."
    )


_SQLITE_PROBLEMS = {
    "unable to open": "The database {name} cannot be opened; check that it is a file you may read and write.",
    "locked": "The database {name} is locked by another program; close that program or try again in a moment.",
    "readonly": "The database {name} is read-only; make the file and its folder writable.",
    "not a database": "The file {name} is not a database; name another one in {variable}.",
    "malformed": "The database {name} is damaged; restore it from a backup or name another one in {variable}.",
    "ecode": "The database {name} is damaged; restore it from a backup or name another one in {variable}.",
    "disk is full": "The disk that holds the database {name} is full; make room and try again.",
    "disk I/O error": "The disk that holds the database {name} reports an error; check it and try again.",
    "no such table": "The database {name} lacks a table; restore it from a backup or name another one in {variable}.",
}
# In the order in which they are looked for: an attempt to connect says first that it failed, then why.
_SERVER_PROBLEMS = {
    "authentication failed": "The database server refuses the user or the password; correct them in {variable}.",
    "role ": "The database server refuses the user or the password; correct them in {variable}.",
    "read-only": "The database {name} is read-only; let its user write to it.",
    "permission denied": "The user of the database {name} may not do this; grant it the rights.",
    "No space left": "The disk that holds the database {name} is full; make room and try again.",
    "too many clients": "The database {name} is busy; try again in a moment.",
    "does not exist": "The database {name} lacks a table or is not there; create it, restore it from a backup or correct {variable}.",
    "starting up": "The database server is starting; try again in a moment.",
    "connection": "The database server cannot be reached; try again in a moment, what was acknowledged is safe.",
}
