"""A benchmark of one's own as a browser sends it: single files or a zip, laid out as a folder."""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.folder import ABOUT, HALVES, from_folder
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.files.source import BUDGET, CHUNK, Room, check_count, open_source

LONGEST_NAME = 200
"""Bytes of a file's name: less than any file system takes."""
SUFFIXES = (".run", ".qrels", ".csv", ".tsv")


def place(files: Iterable[tuple[str, IO[bytes]]], folder: Path) -> tuple[str, ...]:
    """Write what was sent (name and content) into an empty folder, made if need be; says what was left out.

    A zip is unpacked: its files lie at its top, in ``train`` and ``test``, or in one folder that holds all of this.
    InputProblem naming the file that cannot be used.
    """
    folder.mkdir(parents=True, exist_ok=True)
    notes: list[str] = []
    for name, content in files:
        room = Room(name, content.seek(0, io.SEEK_END))
        content.seek(0)
        if name.lower().endswith(".zip"):
            notes += _unpack(name, content, folder, room)
        elif not _wanted(PurePosixPath(name).name):
            raise InputProblem(
                f"{name} is neither a run (.run), judgments (.qrels), 2×2 tables (.csv, .tsv) nor {ABOUT}; "
                "rename it to say which, or leave it out."
            )
        else:
            _write(content, folder / PurePosixPath(name).name, room)
    return tuple(notes)


def checked(folder: Path) -> Benchmark:
    """The benchmark in a folder of uploads. InputProblem names files as the person knows them, not the folder's path."""
    try:
        return from_folder(folder)
    except InputProblem as problem:
        known = str(problem)
        for path in (folder.resolve(), folder):
            known = known.replace(f"{path}/", "").replace(f"The folder {path}", "Your upload")
            known = known.replace(f"in {path} itself", "beside each other").replace(str(path), "your upload")
        raise InputProblem(known) from None


def stem(names: Sequence[str]) -> str:
    """A name for a folder of uploads: the zip's, else the run's."""
    telling = [name for name in names if name.lower().endswith((".zip", ".run", ".run.gz"))] or list(names)
    first = Path(telling[0]).name.split(".")[0] if telling else ""
    kept = "".join(letter if letter.isalnum() or letter in "-_ " else "_" for letter in first)
    return kept.strip() or "benchmark"


def _unpack(name: str, content: IO[bytes], folder: Path, room: Room) -> list[str]:
    try:
        with zipfile.ZipFile(content) as packed:
            check_count(name, len(packed.infolist()), BUDGET.entries, "files")
            members = [each for each in packed.infolist() if not each.is_dir() and not _hidden(each.filename)]
            inside = [PurePosixPath(each.filename) for each in members]
            top = _common_top(inside)
            left_out = []
            for member, path in zip(members, inside, strict=True):
                if not _wanted(path.name):
                    left_out.append(path.name[:80])
                    continue
                if stat.S_ISLNK(member.external_attr >> 16):
                    raise InputProblem(f"{path} in {name} is a link; pack the file that it leads to.")
                place = path.relative_to(top) if top else path
                half = place.parts[0].lower() if len(place.parts) == 2 else ""
                if len(place.parts) > 2 or (len(place.parts) == 2 and half not in HALVES):
                    raise InputProblem(
                        f"{name} holds {path} in a folder of its own; keep files at the top of the zip, or in "
                        "folders called train and test."
                    )
                with packed.open(member) as stream:
                    _write(stream, folder / half / place.name, room)
    except InputProblem:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError):
        raise InputProblem(f"{name} is damaged or not a zip; pack it again.") from None
    except (RuntimeError, NotImplementedError):
        raise InputProblem(
            f"{name} is encrypted or packed in an unusual way; pack it again without a password."
        ) from None
    shown = ", ".join(left_out[:3]) + (" …" if len(left_out) > 3 else "")
    said = f"{name}: left out, because their names do not say what they are: {shown}."
    return [said] if left_out else []


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _common_top(paths: list[PurePosixPath]) -> str:
    """The one folder that holds everything, unless it is a half of the benchmark."""
    tops = {path.parts[0] if len(path.parts) > 1 else "" for path in paths}
    top = tops.pop() if len(tops) == 1 else ""
    return "" if top.lower() in HALVES else top


def _wanted(name: str) -> bool:
    return name == ABOUT or name.lower().removesuffix(".gz").endswith(SUFFIXES)


def _write(content: IO[bytes], path: Path, room: Room) -> None:
    if len(path.name.encode()) > LONGEST_NAME:
        raise InputProblem(f"The name of the file {path.name[:40]}… is too long to be stored; rename it.")
    if path.exists():
        raise InputProblem(f"There are two files called {path.name}; keep one, or pack train and test apart.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as target:
        while block := content.read(CHUNK):
            room.take(len(block))
            target.write(block)
    if path.suffix.lower() == ".gz" and path.stat().st_size:
        with open_source(path) as source, source.binary() as stream:
            while block := stream.read(CHUNK):
                room.take(len(block))
