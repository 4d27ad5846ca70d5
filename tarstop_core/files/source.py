"""Open files within limits of size, and detect their compression, encoding and kind."""

import codecs
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, TextIO, cast

from tarstop_core.errors import InputProblem

HEAD = 1 << 16
CHUNK = 1 << 20
# Control characters that text does not need; a few may occur in abstracts, many mean binary data.
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1a"))
_CONTROL_SHARE = 0.01
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Encodings of spreadsheets besides UTF-8. More candidates would make wrong guesses for Western text more likely.
_ENCODINGS = {
    "cp1252": "Windows-1252",
    "cp932": "Shift JIS",
    "euc_jp": "EUC-JP",
    "gb18030": "GB 18030",
    "big5": "Big5",
    "cp949": "EUC-KR",
}

# --- limits: a few kilobytes may unpack to more than the memory ---------------------------------------------


@dataclass(frozen=True)
class FileLimits:
    """Limits for one file, far above the size of any screening."""

    freely: int = 32 << 20  # Bytes that any compressed file may unpack to
    ratio: int = 100  # Beyond that, a file may unpack to this many times its size; texts compress to a fifth, runs to a tenth
    unpacked: int = 4 << 30  # Bytes that no file may exceed when unpacked
    line: int = 32 << 20  # Characters of a line
    words: int = 1 << 16  # Characters of a line in a file whose columns are words
    columns: int = 16_384  # Columns of a table, as in a spreadsheet; keys of JSON are columns
    sheet_rows: int = 1_048_576  # Rows of a spreadsheet
    cells: int = 100_000_000  # Cells of a sheet, including blank ones to the left of others
    strings: int = 5_000_000  # Different texts of a workbook
    records: int = 5_000_000  # Records of a file
    held: int = 2_000_000  # Records that a browser tab holds at once
    studies: int = 100_000
    topics: int = 100_000
    entries: int = 10_000  # Files in an archive


BUDGET = FileLimits()


def check_columns(name: str, place: str, count: int) -> None:
    """Refuse a row that is wider than a spreadsheet.

    Parameters
    ----------
    name, place
        Name of the file, and the row in words.
    count
        Number of its cells.

    Raises
    ------
    InputProblem
        When there are more columns than `BUDGET` allows.
    """
    if count > BUDGET.columns:
        raise InputProblem(
            f"{name} has {count:,} columns ({place}) where {BUDGET.columns:,} can be read; "
            "leave out those that hold no part of a record."
        )


def check_held(name: str, count: int) -> None:
    """Raise InputProblem for more records than one browser tab may hold."""
    if count > BUDGET.held:
        raise InputProblem(
            f"With {name} this browser tab would have more than {BUDGET.held:,} records; leave it out, or give fewer "
            "files at once."
        )


def check_count(name: str, count: int, most: int, what: str) -> None:
    """Refuse a file with too many of something.

    Parameters
    ----------
    name
        Name of the file.
    count, most
        Their number, and the largest number allowed.
    what
        What is counted, in words.

    Raises
    ------
    InputProblem
        When `count` is larger than `most`.
    """
    if count > most:
        raise InputProblem(f"{name} contains more than {most:,} {what}; split it.")


class Room:
    """Counts down the bytes to which a file of this size may unpack."""

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._most = self._left = min(BUDGET.unpacked, max(BUDGET.freely, BUDGET.ratio * size))

    def take(self, count: int) -> None:
        """Count unpacked bytes; InputProblem when they exceed the limit."""
        self._left -= count
        if self._left < 0:
            raise InputProblem(
                f"{self._name} unpacks to more than {self._most >> 20:,} MB, far more than such a file should contain; unpack it "
                "and give its content in parts."
            )


class Counted(io.RawIOBase):
    """A stream of unpacked bytes that enforces the limit of a :class:`Room`."""

    def __init__(self, inner: IO[bytes], room: Room) -> None:
        self._inner, self._room = inner, room

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read bytes into the buffer and count them."""
        block = self._inner.read(len(buffer))
        self._room.take(len(block))
        buffer[: len(block)] = block
        return len(block)


def check_workbook(name: str, content: IO[bytes], size: int) -> None:
    """Unpack a workbook once without keeping anything, to check its size, because its headers may claim any.

    Parameters
    ----------
    name : str
        Name of the file.
    content : binary file
        The workbook.
    size : int
        Size of the file in bytes.

    Raises
    ------
    InputProblem
        When it exceeds a limit.
    BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError
        When it is damaged, encrypted or compressed in an unusual way.
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


# --- files ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Source:
    """A file that can be read from its start as often as needed."""

    handle: BinaryIO  # Seekable; closed by the code that opened it
    name: str  # Name of the file for people
    size: int  # Bytes in `handle`, compressed or not
    gzipped: bool

    @property
    def suffix(self) -> str:
        """Suffix in lower case; that before ".gz" for a gzipped file."""
        path = Path(self.name.lower())
        return path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix

    def fraction(self) -> float:
        """Share of the file read so far, 0 to 1."""
        return min(1.0, self.handle.tell() / self.size) if self.size else 1.0

    @contextmanager
    def binary(self) -> Iterator[BinaryIO]:
        """Open the file from its start as a stream of decompressed bytes."""
        self.handle.seek(0)
        try:
            if self.gzipped:
                with gzip.GzipFile(fileobj=self.handle) as stream:
                    counted = Counted(cast(BinaryIO, stream), Room(self.name, self.size))
                    yield io.BufferedReader(counted, CHUNK)
            else:
                yield self.handle
        except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
            raise InputProblem(
                f"{self.name} is damaged: its compressed content is cut off or fails its check; "
                "download or compress it again."
            ) from problem

    @contextmanager
    def text(self, encoding: str, newline: str | None = None) -> Iterator[TextIO]:
        """Open the file from its start as a stream of text."""
        with self.binary() as stream:
            wrapper = io.TextIOWrapper(stream, encoding=encoding, newline=newline)
            try:
                yield wrapper
            finally:
                wrapper.detach()

    def head(self) -> bytes:
        """The first 64 kB, decompressed."""
        with self.binary() as stream:
            return stream.read(HEAD)


@contextmanager
def open_source(source: Path | str | BinaryIO, name: str | None = None) -> Iterator[Source]:
    """Open a path or an open binary file (an upload) as a `Source`.

    Raises
    ------
    InputProblem
        When the file is unreadable or empty, or its name ends in ".gz" without gzipped content or the reverse.
    """
    if isinstance(source, (str, Path)):
        path = Path(source)
        try:
            handle = cast(BinaryIO, path.open("rb"))
        except FileNotFoundError:
            raise InputProblem(f"There is no file {path}; check its name and folder.") from None
        except IsADirectoryError:
            raise InputProblem(f"{path} is a folder; name a file in it.") from None
        except OSError as problem:
            raise InputProblem(
                f"{path} cannot be read ({problem.strerror}); check that you may open it."
            ) from problem
        with handle:
            yield _inspect(handle, name or path.name)
    else:
        own = Path(str(getattr(source, "name", "") or "upload")).name
        seekable = source if source.seekable() else cast(BinaryIO, io.BytesIO(source.read()))
        yield _inspect(seekable, name or own)


def _inspect(handle: BinaryIO, name: str) -> Source:
    """Check that a file is not empty, and that its name tells whether it is gzipped."""
    size = handle.seek(0, io.SEEK_END)
    handle.seek(0)
    gzipped = handle.read(2) == b"\x1f\x8b"
    named_gz = name.lower().endswith(".gz")
    if size == 0:
        raise InputProblem(f"{name} is empty; export or upload it again.")
    if gzipped and not named_gz:
        raise InputProblem(f'{name} is compressed with gzip; rename it to end in ".gz" or unpack it first.')
    if named_gz and not gzipped:
        raise InputProblem(f'{name} is not compressed although its name ends in ".gz"; remove that ending.')
    return Source(handle, name, size, gzipped)


def detect_encoding(source: Source, longest: int = BUDGET.line) -> tuple[str, list[str]]:
    """Detect the encoding of a text, whose lines have at most `longest` characters, by reading it once in bounded memory.

    Returns
    -------
    encoding : str
        "utf-8-sig", "utf-16" (with a byte order mark), or a guess.
    notes : list of str
        A sentence if the encoding was guessed.

    Raises
    ------
    InputProblem
        When the file is empty or binary, its encoding is unknown, or a line is too long.
    """
    head = source.head()
    encoding = "utf-16" if head.startswith(_UTF_16) else "utf-8-sig"
    if encoding != "utf-16" and len(head) - len(head.translate(None, _CONTROL)) > _CONTROL_SHARE * len(head):
        raise InputProblem(_binary(source.name))
    undecodable = _check_text(source, encoding, longest)
    if undecodable is None:
        return encoding, []
    line, sample = undecodable
    if encoding == "utf-16":
        raise InputProblem(
            f"{source.name} begins like UTF-16 but does not continue like it; save it as UTF-8."
        )
    for guess in (_guess(sample), "cp1252"):
        if _check_text(source, guess, longest) is None:
            return guess, [
                f"{source.name} is not UTF-8 (line {line}); it was read as {_ENCODINGS[guess]}, "
                "so check that accented letters look right."
            ]
    raise InputProblem(
        f"Line {line} of {source.name} is neither UTF-8 nor Windows-1252 text; save the file as UTF-8."
    )


def _check_text(source: Source, encoding: str, longest: int) -> tuple[int, bytes] | None:
    """Refuse binary, blank and overlong text; return number and bytes around the first line that cannot be decoded, if any."""
    number, blank = 0, True
    with source.text(encoding, newline="") as text:
        try:
            while line := text.readline(longest + 1):
                number += 1
                if len(line) > longest:
                    most = f"{longest >> 20} MB" if longest >> 20 else f"{longest >> 10} kB"
                    raise InputProblem(
                        f"Line {number:,} of {source.name} is longer than {most}; look there for missing line breaks, or "
                        "export the file again."
                    )
                if "\0" in line:
                    raise InputProblem(_binary(source.name))
                blank = blank and line.isspace()
        except UnicodeDecodeError as problem:
            return number + 1 + problem.object.count(b"\n", 0, problem.start), problem.object
    if blank:
        raise InputProblem(f"{source.name} is empty; export or upload it again.")
    return None


def _guess(sample: bytes) -> str:
    """The most probable encoding of bytes among those of spreadsheets."""
    from charset_normalizer import from_bytes  # slow to import, seldom needed

    # The sample may end inside a character.
    whole_lines = sample[: sample.rfind(b"\n") + 1] or sample
    guess = from_bytes(whole_lines, cp_isolation=list(_ENCODINGS)).best()
    return guess.encoding if guess and guess.encoding in _ENCODINGS else "cp1252"


def _binary(name: str) -> str:
    return f"{name} contains binary data, not text; export the records as CSV, RIS or another format listed."


@dataclass(frozen=True)
class Looks:
    """A recognised kind of content: key of the format ("" if not ours), name in a sentence, and what to do instead."""

    key: str
    phrase: str
    mend: str


_EXPORT = "export the list of records instead, as CSV, RIS or XLSX"
_BINARY_LOOKS = {
    b"%PDF": Looks("", "a PDF", _EXPORT),
    rb"{\rtf": Looks("", "a text document (RTF)", _EXPORT),
    **dict.fromkeys(
        (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*"), Looks("", "a picture", _EXPORT)
    ),
    b"\xd0\xcf\x11\xe0": Looks(
        "", "an old Excel workbook (.xls)", 'save it as ".xlsx" in your spreadsheet program'
    ),
    b"PK\x03\x04": Looks("xlsx", "an Excel workbook or ZIP archive", 'rename a workbook to end in ".xlsx"'),
}
_WEB_PAGE = re.compile(r"(?i:\s*<(!doctype|html|head|body|svg|\?xml(?![^>]*>\s*<(xml|records)>)))")
_TREC_RUN = re.compile(r"\s*\S+[ \t]+Q0[ \t]+\S+[ \t]+\d+[ \t]+\S+[ \t]+\S+[ \t]*(\r|\n|$)")
_TEXT_LOOKS = (
    (_WEB_PAGE, Looks("", "a web page or XML", "download the export itself, as CSV, RIS or XLSX")),
    (_TREC_RUN, Looks("", "a TREC run, which has scores but no text", "use it where a run is asked for")),
)


def looks_like(head: bytes, own: Sequence[tuple[re.Pattern[str], Looks]] = ()) -> Looks | None:
    """Recognise content by its first bytes; None for plain or unknown text.

    `own` lists patterns for the beginning of our text formats.
    """
    for magic, looks in _BINARY_LOOKS.items():
        if head.startswith(magic):
            return looks
    text = head.decode("utf-16" if head.startswith(_UTF_16) else "utf-8-sig", errors="replace")
    return next((looks for pattern, looks in (*_TEXT_LOOKS, *own) if pattern.match(text)), None)
