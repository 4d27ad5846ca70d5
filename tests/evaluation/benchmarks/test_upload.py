"""A benchmark of one's own as a browser sends it."""

import gzip
import io
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.folder import read_upload, save_upload
from tests.evaluation.own_benchmark import bring, own_files, zipped


def test_an_upload_is_laid_out_as_a_folder(tmp_path: Path) -> None:
    files = own_files()
    save_upload([(name, io.BytesIO(content)) for name, content in files.items()], tmp_path / "loose")
    assert len(read_upload(tmp_path / "loose").folds) == 5
    halves = {f"my/{half}/{name}": content for half, seed in (("train", 5), ("test", 6)) for name, content in own_files(6, seed).items()}  # fmt: skip
    halves = {name: content.replace(b"SIM-", b"T-") if "/test/" in name else content for name, content in halves.items()}  # fmt: skip
    notes = save_upload(
        [("my.zip", io.BytesIO(zipped({**halves, "my/notes.md": b"x"})))], tmp_path / "packed"
    )
    assert len(read_upload(tmp_path / "packed").folds) == 1
    assert notes == ("my.zip: left out because their names do not say what they are: notes.md.",)
    packed = {"own.run.gz": gzip.compress(files["own.run"]), "own.qrels": files["own.qrels"]}
    save_upload([(name, io.BytesIO(content)) for name, content in packed.items()], tmp_path / "gz")
    assert read_upload(tmp_path / "gz").scenario == "patent"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"own.txt": b"x"}, r"own\.txt is neither a run"),
        ({"own.zip": b"no zip"}, r"own\.zip is damaged or not a zip"),
        ({"own.zip": zipped({"a/b/own.run": b"x", "a/own.qrels": b"x"})}, r"own\.zip holds a/b/own\.run in an unexpected folder"),
        ({"own.zip": zipped({"../own.run": b"x", "own.qrels": b""})}, "Your upload contains no run; put a TREC run"),
        ({"own.run": b"T Q0 d 1 x own\n", "own.qrels": b"T 0 d 1\n"}, r"own\.run"),
        ({"own.run": own_files()["own.run"]}, r"Your upload contains no file of judgments; put TREC judgments"),
        ({"own.zip": zipped({"train/own.run": b"T Q0 d 1 1 o", "train/own.qrels": b"T 0 d 1"})}, "only one of train and test"),
    ],
)  # fmt: skip
def test_bad_uploads_are_refused_in_a_sentence(
    tmp_path: Path, files: dict[str, bytes], sentence: str
) -> None:
    folder = tmp_path / "up"
    with pytest.raises(InputProblem, match=sentence) as caught:
        bring(files, folder)
    assert str(tmp_path) not in str(caught.value)


def archive(*entries: tuple[str, bytes], link: bool = False) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        warnings.simplefilter("ignore")  # that a name occurs twice
        for name, content in entries:
            about = zipfile.ZipInfo(name)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = (0o120777 if link else 0o100644) << 16
            packed.writestr(about, content)
    return out.getvalue()


QRELS = ("own.qrels", b"T 0 d 1\n")
BLANK = b" " * (40 << 20)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: archive(("own.run", b"x " * 60_000 + b"\n"), QRELS), r"Line 1 of own\.run is longer than 64 kB"),
        (lambda: archive(("own.run", BLANK), QRELS), r"own\.zip unpacks to more than 32 MB"),
        (lambda: archive(("own.run.gz", gzip.compress(BLANK)), QRELS), r"own\.\w+(\.gz)? unpacks to more than 32 MB"),
        (lambda: archive(("own.run.gz", gzip.compress(gzip.compress(BLANK) * 20)), QRELS), "own"),
        (lambda: archive(("own.zip", archive(("own.run", BLANK)))), "Your upload contains no run"),
        (lambda: archive(("../../own.run", b"x"), QRELS), "Your upload contains no run"),
        (lambda: archive(("/etc/own.run", b"x"), ("/etc/own.qrels", b"x")), "in an unexpected folder"),
        (lambda: archive(("own.run", b"x"), ("own.run", b"y")), r"two files called own\.run"),
        (lambda: archive(("own.run", b"/etc/passwd"), link=True), r"own\.run in own\.zip is a link; pack the file"),
        (lambda: archive(*((f"{n}.md", b"") for n in range(10_001))), r"own\.zip contains more than 10,000 files"),
    ],
    ids=["line of many words", "run that unpacks", "packed run that unpacks", "packed twice", "zip in zip", "name that leads up", "name from the root", "name twice", "link", "too many files"],
)  # fmt: skip
def test_archives_that_are_traps_are_refused_and_leave_nothing_outside(
    tmp_path: Path, make: Callable[[], bytes], sentence: str
) -> None:
    folder = tmp_path / "in" / "here"
    with pytest.raises(InputProblem, match=sentence):
        bring({"own.zip": make()}, folder)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert {path.name for path in (tmp_path / "in").iterdir()} <= {"here"}
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))


@pytest.mark.parametrize("named", ["a" * 400 + ".csv", "é" * 150 + ".run", "train/" + "q" * 5_000 + ".qrels"])
def test_a_name_that_no_disk_takes_is_a_sentence(tmp_path: Path, named: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(named, "x")
    for name, content in (("mine.zip", packed), (named.rpartition("/")[2], io.BytesIO(b"x"))):
        with pytest.raises(InputProblem, match="is too long to be stored; rename it") as caught:
            save_upload([(name, content)], tmp_path / "in")
        assert len(str(caught.value)) < 200


def test_what_is_left_out_is_named_in_short(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("n" * 60_000, "x")
    [note] = save_upload([("mine.zip", packed)], tmp_path / "in")
    assert "left out" in note and len(note) < 200
