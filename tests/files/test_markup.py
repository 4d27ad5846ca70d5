"""XML that may neither define nor fetch anything, however it is encoded."""

import io

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.files.markup import root_element
from tarstop_core.files.source import Source

DEFINES = '<?xml version="1.0" encoding="{}"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'


def source(content: bytes) -> Source:
    return Source(io.BytesIO(content), "a.xml", len(content), gzipped=False)


def test_text_of_every_encoding_is_read() -> None:
    for encoding in ("utf-8", "utf-16", "latin-1"):
        content = f'<?xml version="1.0" encoding="{encoding}"?><a>é</a>'.encode(encoding)
        assert root_element(source(content)).text == "é"


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (DEFINES.format("utf-8").encode(), "entities"),
        (DEFINES.format("utf-16").encode("utf-16"), "entities"),
        (b'<!DOCTYPE a SYSTEM "http://localhost/a.dtd"><a/>', "entities"),
        (b"<a><b></a>", "well-formed"),
        (b'<?xml version="1.0" encoding="nonsense"?><a/>', "well-formed"),
    ],
)
def test_what_defines_something_or_is_damaged_is_refused(content: bytes, word: str) -> None:
    with pytest.raises(InputProblem, match=word):
        root_element(source(content))


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarstop_core.files.markup.LONGEST", 10)
    with pytest.raises(InputProblem, match="larger"):
        root_element(source(b"<a>" + b" " * 20 + b"</a>"))
