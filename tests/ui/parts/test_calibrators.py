"""A calibrator that a person brings as a file."""

import pytest
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from dashboard.parts.chances import read
from tarstop_core.errors import InputProblem
from tests.session_cases import PATENT


def given(name: str, content: bytes) -> UploadedFile:
    return UploadedFile(UploadedFileRec("", name, "", content), FileURLs())


def test_a_file_is_read_or_refused_in_a_sentence() -> None:
    assert read(given("c.json", b"\xef\xbb\xbf" + PATENT.to_json().encode())) == PATENT
    with pytest.raises(InputProblem, match=r"c\.bin is not text; give a file that 'tarstop calibrate'"):
        read(given("c.bin", b"\xff\xfe\x00"))
    with pytest.raises(InputProblem, match=r"c\.json"):
        read(given("c.json", b"{}"))
