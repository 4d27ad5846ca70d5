"""Where bytes come from: a path or an open file, gzipped or not, and in which encoding."""

from __future__ import annotations

import codecs
import gzip
import io
import itertools
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from tarstop_core.errors import InputProblem
from tarstop_core.files.budget import BUDGET, CHUNK, Counted, Room

HEAD = 1 << 16
# Control characters that no text file needs; a few may stray into abstracts, many mean binary data.
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1a"))
_CONTROL_SHARE = 0.01
_NOT_IN_CP1252 = b"\x81\x8d\x8f\x90\x9d"


@dataclass(frozen=True, eq=False)
class Source:
    """A file that can be read from its start as often as needed."""

    handle: BinaryIO  # Seekable; belongs to whoever opened it
    name: str  # The name people know the file by
    size: int  # Bytes in `handle`, compressed or not
    gzipped: bool

    @property
    def suffix(self) -> str:
        """The suffix that names the format: lower case, without a trailing ".gz"."""
        path = Path(self.name.lower())
        return path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix

    def fraction(self) -> float:
        """Return the share of the file that was read, 0 to 1."""
        return min(1.0, self.handle.tell() / self.size) if self.size else 1.0

    @contextmanager
    def binary(self) -> Iterator[BinaryIO]:
        """Read (decompressed) bytes from the start."""
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
                f"{self.name} is damaged: its compressed content breaks off or does not check; "
                "download or compress it again."
            ) from problem

    @contextmanager
    def text(self, encoding: str, newline: str | None = None) -> Iterator[TextIO]:
        """Read text from the start; leaves the handle open."""
        with self.binary() as stream:
            wrapper = io.TextIOWrapper(stream, encoding=encoding, newline=newline)
            try:
                yield wrapper
            except UnicodeDecodeError as problem:
                raise InputProblem(
                    f"{self.name} begins like UTF-16 but does not continue so; save it as UTF-8."
                ) from problem
            finally:
                wrapper.detach()

    def head(self) -> bytes:
        """Return the first 64 kB (decompressed)."""
        with self.binary() as stream:
            return stream.read(HEAD)


@contextmanager
def open_source(source: Path | str | BinaryIO, name: str | None = None) -> Iterator[Source]:
    """Open a path, or take an open binary file (an upload), as a `Source`.

    InputProblem when the path cannot be read, is empty, or is gzipped without saying so (and the reverse).
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
    size = handle.seek(0, io.SEEK_END)
    handle.seek(0)
    gzipped = handle.read(2) == b"\x1f\x8b"
    says_so = name.lower().endswith(".gz")
    if size == 0:
        raise InputProblem(f"{name} is empty; export or upload it again.")
    if gzipped and not says_so:
        raise InputProblem(f'{name} is compressed with gzip; rename it to end in ".gz" or unpack it first.')
    if says_so and not gzipped:
        raise InputProblem(f'{name} is not compressed although its name ends in ".gz"; remove that ending.')
    return Source(handle, name, size, gzipped)


def detect_encoding(source: Source, longest: int = BUDGET.line) -> tuple[str, list[str]]:
    """Find the encoding by reading the whole file once, in bounded memory; no line may have more than `longest` bytes.

    It is "utf-8-sig", "utf-16" (with mark) or "cp1252"; beside it stands a sentence where it had to be guessed.
    InputProblem for an empty, binary or undecodable file, or one with a line that is too long.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    valid, blank, bad_line, line = True, True, 0, 1
    total = control = undefined = 0
    lines = _Lines(source.name, longest)
    with source.binary() as stream:
        for chunk in itertools.chain(iter(partial(stream.read, CHUNK), b""), [b""]):
            if not total and chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                _require_utf16(source, lines)
                return "utf-16", []
            total += len(chunk)
            lines.pass_on(chunk)
            control += len(chunk) - len(chunk.translate(None, _CONTROL))
            undefined += len(chunk) - len(chunk.translate(None, _NOT_IN_CP1252))
            if b"\0" in chunk:
                raise InputProblem(_binary(source.name))
            blank = blank and not chunk.removeprefix(codecs.BOM_UTF8).strip()
            if valid:
                try:
                    decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as problem:
                    valid = False
                    bad_line = line + chunk.count(b"\n", 0, problem.start)
                line += chunk.count(b"\n")
    if blank:
        raise InputProblem(f"{source.name} is empty; export or upload it again.")
    if control > _CONTROL_SHARE * total:
        raise InputProblem(_binary(source.name))
    if valid:
        return "utf-8-sig", []
    if undefined:
        raise InputProblem(
            f"Line {bad_line} of {source.name} is neither UTF-8 nor Windows-1252 text; "
            "save the file as UTF-8."
        )
    return "cp1252", [
        f"{source.name} is not UTF-8 (line {bad_line}); it was read as Windows-1252, "
        "so check that accented letters look right."
    ]


def _require_utf16(source: Source, lines: _Lines) -> None:
    blank = True
    with source.text("utf-16", newline="") as stream:
        while text := stream.read(CHUNK):
            if "\0" in text:
                raise InputProblem(_binary(source.name))
            blank = blank and not text.strip()
            lines.pass_on(text.encode("utf-8", "replace"))
    if blank:
        raise InputProblem(f"{source.name} is empty; export or upload it again.")


class _Lines:
    """Passes text on that comes in pieces, and refuses a line that is too long."""

    def __init__(self, name: str, longest: int) -> None:
        self._name, self._longest = name, longest
        self._before, self._number = 0, 1

    def pass_on(self, piece: bytes) -> None:
        ended = piece.splitlines(keepends=True)
        if not ended:
            return
        lengths = list(map(len, ended))
        lengths[0] += self._before
        if max(lengths) > self._longest:
            at = next(at for at, length in enumerate(lengths) if length > self._longest)
            most = f"{self._longest >> 20} MB" if self._longest >> 20 else f"{self._longest >> 10} kB"
            raise InputProblem(
                f"Line {self._number + at:,} of {self._name} is longer than {most}; look there for line "
                "breaks that are missing, or export the file again."
            )
        open_ended = not ended[-1].endswith((b"\n", b"\r"))
        self._before = lengths[-1] if open_ended else 0
        self._number += len(ended) - open_ended


def _binary(name: str) -> str:
    return f"{name} holds binary data, not text; export the records as CSV, RIS or another format listed."


@dataclass(frozen=True)
class Looks:
    """A recognised kind of content: `key` of one of our formats or "" for a foreign one."""

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
_WEB_PAGE = re.compile(r"(?i:\s*<(!doctype|html|\?xml|head|body|svg))")
_WEB_OF_SCIENCE = re.compile(r"\s*(FN .*\r?\n(VR .*\r?\n)?)?PT [A-Z]\b.*\r?\n(AU|TI|Z2|BA) ")
_TREC_RUN = re.compile(r"\s*\S+[ \t]+Q0[ \t]+\S+[ \t]+\d+[ \t]+\S+[ \t]+\S+[ \t]*(\r|\n|$)")
_TEXT_LOOKS = (
    (_WEB_PAGE, Looks("", "a web page or XML", "download the export itself, as CSV, RIS or XLSX")),
    (_WEB_OF_SCIENCE, Looks("", "Web of Science plain text", "export it as tab-delimited, Excel or RIS")),
    (re.compile(r"\s*\[\s*\{"), Looks("", "one JSON array", 'write one object a line and name it ".jsonl"')),
    (_TREC_RUN, Looks("", "a TREC run, which holds scores and no text", "give it where a run is asked for")),
)


def looks_like(head: bytes, own: Sequence[tuple[re.Pattern[str], Looks]] = ()) -> Looks | None:
    """Recognise content by its first bytes; None for plain or unknown text.

    `own` says how texts begin that can be read here, as a pattern, and what they are.
    """
    for magic, looks in _BINARY_LOOKS.items():
        if head.startswith(magic):
            return looks
    utf_16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = head.decode("utf-16" if utf_16 else "utf-8-sig", errors="replace")
    return next((looks for pattern, looks in (*_TEXT_LOOKS, *own) if pattern.match(text)), None)
