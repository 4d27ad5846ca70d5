"""``tarstop backup``: everything in the store as one file."""

from pathlib import Path

import click

from tarstop_core.cli.shared import progress


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def backup_command(file: Path) -> None:
    """Write everything in the store to FILE, which must not exist, while people go on labelling.

    The store is the one that TARSTOP_DATABASE_URL names, or the local one. FILE is a SQLite database; 'tarstop restore'
    puts it into a store of any kind.
    """
    from tarstop_core.sessions.store.backup import backup

    held = backup(file, progress=lambda share: progress(share, "Backing up"))
    click.echo(f"{file} holds {held}.")
