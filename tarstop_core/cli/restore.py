"""``tarstop restore``: a backup into the store."""

from pathlib import Path

import click

from tarstop_core.cli.shared import progress


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace what the store holds, after a backup of it beside it.")
def restore_command(file: Path, replace: bool) -> None:
    """Put everything in the backup FILE into the store, all of it or nothing.

    The store is the one that TARSTOP_DATABASE_URL names, or the local one. FILE may be of an earlier version, and may come
    from another kind of database.
    """
    from tarstop_core.sessions.store.backup import restore

    restored = restore(file, replace=replace, progress=lambda share: progress(share, "Restoring"))
    if restored.before is not None:
        click.echo(f"What was there before is in {restored.before}.")
    click.echo(f"The store holds {restored.held}.")
