"""ZIP archives, checked before unpacking and unpacked into memory within limits."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import BinaryIO

from tarstop_core.errors import InputProblem
from tarstop_core.files.source import BUDGET, CHUNK, Room, Source, check_count

_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError)
"""Errors that zipfile raises for an archive that is damaged, encrypted or packed in an unusual way."""


class Archive:
    """A ZIP file whose members are read into memory; nothing is written to disk, so any member name is harmless."""

    def __init__(self, name: str, packed: zipfile.ZipFile, size: int) -> None:
        self.name, self._packed, self._room = name, packed, Room(name, size)
        check_count(name, len(packed.infolist()), BUDGET.entries, "files")
        self.members = frozenset(packed.namelist())

    def read(self, member: str) -> bytes:
        """Unpack one member; InputProblem when it is missing or too large."""
        if member not in self.members:
            raise InputProblem(f"{self.name} lacks the file {member}; export it again.")
        blocks = []
        with self._packed.open(member) as stream:
            while block := stream.read(CHUNK):
                self._room.take(len(block))
                blocks.append(block)
        return b"".join(blocks)


@contextmanager
def opened(source: Source) -> Iterator[Archive]:
    """Open a file as an archive; InputProblem when it is damaged or no archive."""
    try:
        with source.binary() as stream:
            handle = stream if stream.seekable() else io.BytesIO(stream.read())
            with zipfile.ZipFile(handle) as packed:
                yield Archive(source.name, packed, source.size)
    except InputProblem:
        raise
    except _BROKEN as problem:
        raise InputProblem(f"{source.name} is a damaged archive; export or download it again.") from problem


def kind_of(source: Source) -> str:
    """Kind of an archive: "xlsx" (a workbook), "asreview" (a project), or "zip" (any other)."""
    try:
        with opened(source) as archive:
            members = archive.members
    except InputProblem:
        return "asreview" if source.suffix == ".asreview" else "xlsx"
    if "xl/workbook.xml" in members or "[Content_Types].xml" in members:
        return "xlsx"
    return "asreview" if "project.json" in members else "zip"


def only_file(source: Source, suffixes: frozenset[str]) -> tuple[str, BinaryIO]:
    """Unpack the only member with records, as in an export of Rayyan.

    Parameters
    ----------
    source : Source
        An archive.
    suffixes : frozenset of str
        Suffixes of files with records.

    Returns
    -------
    name : str
        Name of the member, without its folder.
    content : binary file
        Its content.

    Raises
    ------
    InputProblem
        When no member or several fit.
    """
    with opened(source) as archive:
        paths = [PurePosixPath(member) for member in sorted(archive.members)]
        fitting = [
            path
            for path in paths
            if path.suffix.lower() in suffixes
            and not path.name.startswith((".", "customizations_log"))
            and "__MACOSX" not in path.parts
        ]
        if len(fitting) != 1:
            held = "none" if not fitting else ", ".join(path.name[:40] for path in fitting[:3])
            raise InputProblem(
                f"{source.name} is an archive that should contain one file of records and contains {held}; unpack it and give "
                "the files in it."
            )
        return fitting[0].name, io.BytesIO(archive.read(str(fitting[0])))
