"""``tarstop app``, ``backup`` and ``restore``: start the dashboard; save its store to one file and load it back."""

import errno
import os
import re
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from tarstop_core import places
from tarstop_core.cli.shared import progress
from tarstop_core.errors import InputProblem


@click.command()
@click.option("--port", default=8501, show_default=True, help="Port to serve on.")
@click.option("--address", default="127.0.0.1", show_default=True, help="Address to serve on.")
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A host name it answers to, behind a proxy; repeatable.",
)
@click.option("--login", metavar="FILE.toml", help="File of the OIDC provider for logins.")
@click.option("--proxy-header", metavar="NAME", help="Header in which a proxy names the person.")
@click.option("--proxy-address", metavar="IP", help="Address from which this proxy sends requests.")
@click.option(
    "--administrator",
    "administrators",
    multiple=True,
    metavar="NAME",
    help="An administrator's name, behind a proxy; repeatable.",
)
@click.option(
    "--classroom", is_flag=True, help="Serve a class: Learn, and Explore on samples; nothing is stored."
)
@click.option("--no-login", is_flag=True, hidden=True, help="Refused: logins are required.")
@click.option(
    "--results",
    multiple=True,
    metavar="PATH",
    help="Show this folder of 'tarstop experiment' on Results; repeatable.",
)
@click.option(
    "--rules",
    multiple=True,
    metavar="FILE.py:Name",
    help="A rule in a file that experiments on Results may use; repeatable. It runs on this machine.",
)
@click.option("--headless", is_flag=True, help="Do not open a browser.")
def app(
    port: int,
    address: str,
    hosts: tuple[str, ...],
    login: str | None,
    proxy_header: str | None,
    proxy_address: str | None,
    administrators: tuple[str, ...],
    classroom: bool,
    no_login: bool,
    results: tuple[str, ...],
    rules: tuple[str, ...],
    headless: bool,
) -> None:
    """Start the dashboard."""
    if find_spec("streamlit") is None:
        raise InputProblem(
            "The dashboard needs packages that are not installed; run: pip install 'tarstop[app]'."
        )

    for host in hosts:
        if not re.fullmatch(r"[\w.-]+|[0-9a-fA-F:]+", host):
            raise InputProblem(f"--host is '{host}'; give the name alone, such as tarstop.example.org.")
    served = [*places.named_hosts(), *hosts]
    variables = {places.LOGIN: login, places.PROXY_HEADER: proxy_header, places.PROXY_ADDRESS: proxy_address}
    variables |= {
        places.ADMINISTRATORS: ",".join(administrators) or None,
        places.CLASSROOM: "yes" if classroom else None,
    }
    os.environ.update({name: value for name, value in variables.items() if value is not None})
    if no_login:
        raise InputProblem(
            "TARstop no longer serves anybody without a login; give --login or --proxy-header instead of --no-login."
        )
    way = places.way_in(address, served)
    os.environ[places.FORWARDED] = ""
    require_free_port(port, address)
    shared_results = [*places.named_by_server(places.RESULTS_VARIABLE), *results]
    rule_specs = [*places.named_by_server(places.RULES_VARIABLE), *rules]
    # The checks take a second to import, so they are imported only if there is something to check.
    if shared_results:
        from tarstop_core.evaluation.results import named_at_start

        named_at_start(shared_results)
    if rule_specs:
        from tarstop_core.policies import parse_policy

        for rule in rule_specs:
            parse_policy(rule)
    os.environ[places.RESULTS_VARIABLE] = places.APART.join(shared_results)
    os.environ[places.RULES_VARIABLE] = places.APART.join(rule_specs)
    os.environ[places.HOSTS_VARIABLE] = ",".join(served)
    # Everything else is set in the `.streamlit/config.toml` beside `app.py`, which is read from any working directory.
    command = [
        # -P: a folder `dashboard` or a file `numpy.py` in the working directory must not be imported.
        *(sys.executable, "-P", "-m", "streamlit", "run", str(places.app_directory() / "app.py")),
        *("--server.port", str(port), "--server.address", address),
        *(("--server.headless", "true") if headless or isinstance(way, places.Classroom) else ()),
    ]
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execv(command[0], command)  # the server takes this process's id: stopping it stops the server
    else:
        raise SystemExit(subprocess.run(command, check=False).returncode)


def require_free_port(port: int, address: str) -> None:
    """Raise InputProblem if the dashboard could not listen here; port 0 means any free one.

    The port may be taken or need rights, or the address may not be this machine's.
    """
    if not 0 <= port <= 65535:
        raise InputProblem(f"{port} is not a port; give a number from 1 to 65535 with --port.")
    try:
        family, kind, _, _, where = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            if os.name == "posix":  # as the server does: a port that was just released counts as free
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except OSError as problem:
        reasons = {
            errno.EADDRINUSE: f"Port {port} is taken by another program; choose another one with --port.",
            errno.EACCES: f"Port {port} needs rights that you do not have; choose one above 1023 with --port.",
        }
        foreign = f"{address} is not an address of this machine; give one of its own with --address."
        raise InputProblem(reasons.get(problem.errno or 0, foreign)) from None


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def backup_command(file: Path) -> None:
    """Write everything in the store to FILE, which must not exist. People can go on labelling meanwhile.

    The store is the one that TARSTOP_DATABASE_URL names, or the local one. FILE is a SQLite database; 'tarstop restore'
    puts it into a store of any kind.
    """
    from tarstop_core.sessions.store.backup import backup

    content = backup(file, progress=lambda share: progress(share, "Backing up"))
    click.echo(f"{file} holds {content}.")


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace the store's content, after a backup beside it.")
def restore_command(file: Path, replace: bool) -> None:
    """Put everything in the backup FILE into the store, all of it or nothing.

    The store is the one that TARSTOP_DATABASE_URL names, or the local one. FILE may come from an earlier version or from
    another kind of database.
    """
    from tarstop_core.sessions.store.backup import restore

    restored = restore(file, replace=replace, progress=lambda share: progress(share, "Restoring"))
    if restored.before is not None:
        click.echo(f"What was there before is in {restored.before}.")
    click.echo(f"The store holds {restored.held}.")
