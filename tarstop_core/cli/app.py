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
@click.option("--headless", is_flag=True, help="Do not open a browser.")
def app(port: int, address: str, hosts: tuple[str, ...], no_login: bool, headless: bool) -> None:
    """Start the dashboard."""
    from tarstop_core.cli.launch import run_app

    run_app(port=port, address=address, headless=headless, hosts=hosts, no_login=no_login)
