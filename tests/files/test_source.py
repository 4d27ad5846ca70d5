"""Encodings of files."""

import io
from pathlib import Path

import pytest

from tarstop_core.files import RecordTable, read_records
from tarstop_core.files.source import detect_encoding, open_source


def read(text: str | bytes) -> RecordTable:
    return read_records(io.BytesIO(text.encode() if isinstance(text, str) else text), "a.csv")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding: str) -> None:
    table = read("id,title\n1,Übersicht für Masten\n".encode(encoding))
    assert table.frame.loc[0, "title"] == "Übersicht für Masten"
    assert any("read as Windows-1252" in note and "line 2" in note for note in table.notes) == (
        encoding == "cp1252"
    )


@pytest.mark.parametrize(
    ("encoding", "name", "title"),
    [
        ("cp932", "Shift JIS", "折りたたみ式マストの設計と評価"),
        ("gb18030", "GB 18030", "折叠桅杆的设计与评价"),
        ("big5", "Big5", "折疊桅杆的設計與評價"),
        ("cp949", "EUC-KR", "접이식 마스트의 설계와 평가"),
    ],
)
def test_encodings_of_east_asia_are_guessed(encoding: str, name: str, title: str) -> None:
    table = read(f"id,title,abstract\n1,Mast,It folds.\n2,{title},It is a mast.\n".encode(encoding))
    assert table.frame.loc[1, "title"] == title
    assert f"read as {name}" in table.notes[0] and "line 3" in table.notes[0]


def test_real_exports_in_windows_1252_are_taken_for_no_other_encoding(real_data: Path) -> None:
    exports = [path for path in sorted((real_data / "exports").iterdir()) if path.suffix in (".csv", ".ris")]
    assert len(exports) > 20
    for path in exports:
        text = path.read_text(encoding="utf-8-sig").encode("cp1252", "ignore")
        with open_source(io.BytesIO(text), path.name) as opened:
            assert detect_encoding(opened)[0] == ("utf-8-sig" if text.isascii() else "cp1252")


def test_a_character_split_between_chunks_is_no_error() -> None:
    text = "id,title\n1," + "x" * ((1 << 20) - 12) + "é\n"
    assert read(text).frame.loc[0, "title"].endswith("xé")
