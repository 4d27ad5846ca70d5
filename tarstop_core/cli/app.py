"""``tarstop app``: the dashboard."""

import click


@click.command()
@click.option("--port", default=8501, show_default=True, help="Port to serve on.")
@click.option("--address", default="127.0.0.1", show_default=True, help="Address to serve on.")
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name it is asked by, behind a proxy; repeatable.",
)
@click.option("--no-login", is_flag=True, help="Serve others although there is no login yet.")
@click.option(
    "--results",
    multiple=True,
    metavar="PATH",
    help="A folder that tarstop experiment wrote, to be shown on Results; repeatable.",
)
@click.option(
    "--rules",
    multiple=True,
    metavar="FILE.py:Name",
    help="A rule in a file, which experiments on Results may follow; repeatable. It is run on this machine.",
)
@click.option("--headless", is_flag=True, help="Do not open a browser.")
def app(
    port: int,
    address: str,
    hosts: tuple[str, ...],
    no_login: bool,
    results: tuple[str, ...],
    rules: tuple[str, ...],
    headless: bool,
) -> None:
    """Start the dashboard."""
    from tarstop_core.cli.launch import run_app

    run_app(port, address, headless, hosts, no_login, results, rules)
