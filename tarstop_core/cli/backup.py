"""``tarstop backup`` and ``tarstop restore``: everything in the store as one file, and back."""

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
