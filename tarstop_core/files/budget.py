"""How much of a file is read: a few kilobytes may unpack to more than a machine holds."""

import io
import zipfile
from dataclasses import dataclass
from typing import IO

from tarstop_core.errors import InputProblem

CHUNK = 1 << 20


@dataclass(frozen=True)
class Budget:
    """What one file may have at most, well above what people screen."""

    freely: int = 32 << 20  # Bytes that any compressed file may unpack to
    ratio: int = 100
    """How many times its own size it may unpack to beyond that. Texts shrink to a fifth, runs to a tenth."""
    unpacked: int = 4 << 30  # Bytes that it may unpack to in any case
    line: int = 32 << 20
    words: int = 1 << 16
    """`line` and `words`: bytes of one line, and of one where columns are words."""
    columns: int = 16_384
    sheet_rows: int = 1_048_576
    """`columns` and `sheet_rows`: as many as a spreadsheet can have; keys of JSON lines are columns."""
    cells: int = 100_000_000  # Of a sheet, blank ones to the left of others included
    strings: int = 5_000_000  # Texts of a workbook, each counted once
    records: int = 5_000_000
    held: int = 2_000_000
    """`records` of one file, and of all that a browser tab holds at once."""
    studies: int = 100_000
    topics: int = 100_000
    entries: int = 10_000  # Files in an archive


BUDGET = Budget()


def check_columns(name: str, place: str, count: int) -> None:
    """Refuse a row that is wider than a spreadsheet (InputProblem)."""
    if count > BUDGET.columns:
        raise InputProblem(
            f"{name} has {count:,} columns ({place}) where {BUDGET.columns:,} can be read; "
            "leave out those that hold no part of a record."
        )


def check_held(name: str, count: int) -> None:
    """Refuse what makes more records than one browser tab may hold (InputProblem)."""
    if count > BUDGET.held:
        raise InputProblem(
            f"With {name} this browser tab would hold more than {BUDGET.held:,} records; leave it out, or give fewer "
            "files at once."
        )


def check_count(name: str, count: int, most: int, what: str) -> None:
    """Refuse more of something than can be read (InputProblem)."""
    if count > most:
        raise InputProblem(f"{name} holds more than {most:,} {what}; give it in parts.")


class Room:
    """Bytes that a file of this size may still unpack to, whatever is packed in what it holds."""

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._most = self._left = min(BUDGET.unpacked, max(BUDGET.freely, BUDGET.ratio * size))

    def take(self, count: int) -> None:
        """So many were unpacked; InputProblem when they are too many."""
        self._left -= count
        if self._left < 0:
            raise InputProblem(
                f"{self._name} unpacks to more than {self._most >> 20:,} MB, which is far more than such a file holds; "
                "unpack it and give what is in it, in parts."
            )


class Counted(io.RawIOBase):
    """Unpacked bytes, as far as there is room."""

    def __init__(self, inner: IO[bytes], room: Room) -> None:
        self._inner, self._room = inner, room

    def readable(self) -> bool:
        """As it says."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer as far as there is something."""
        block = self._inner.read(len(buffer))
        self._room.take(len(block))
        buffer[: len(block)] = block
        return len(block)


def check_workbook(name: str, content: IO[bytes], size: int) -> None:
    """Unpack a workbook once, keeping nothing: headers may say any size.

    InputProblem when it is larger than it may be; BadZipFile, zlib.error, EOFError, RuntimeError or NotImplementedError
    when it is damaged, encrypted or packed in an unusual way.
    """
    room = Room(name, size)
    with zipfile.ZipFile(content) as packed:
        check_count(name, len(packed.infolist()), BUDGET.entries, "files")
        for entry in packed.infolist():
            strings = 0
            with packed.open(entry) as stream:
                while block := stream.read(CHUNK):
                    room.take(len(block))
                    if "sharedstrings" in entry.filename.lower():
                        strings += block.count(b"<si") + block.count(b":si>") // 2
                        check_count(name, strings, BUDGET.strings, "texts")
