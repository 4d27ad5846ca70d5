"""What answers are kept under, and that they are kept whole."""

from pathlib import Path

import numpy as np
import pytest

from tarstop_core.evaluation.jobs import ResultCache, code_version


def test_answers_of_other_sources_or_weights_are_not_taken_for_this_versions(tmp_path: Path) -> None:
    def version(folder: str, source: str = "N = 1", weights: bytes = b"1", words: str = "one") -> str:
        package = tmp_path / folder
        (package / "rules").mkdir(parents=True)
        (package / "rules" / "a.py").write_text(source, encoding="utf-8")
        (package / "weights.npz").write_bytes(weights)
        (package / "messages.jinja").write_text(words, encoding="utf-8")
        return code_version(package)

    same = version("same")
    assert same == version("again", words="two")
    assert len({same, version("number", source="N = 2"), version("weights", weights=b"2")}) == 3


def test_an_answer_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, answer = ResultCache(tmp_path), np.arange(6.0).reshape(2, 3)
    cache.keep("abcd", answer)
    kept = cache.kept({"there": "abcd", "missing": "ab00"})
    assert list(kept) == ["there"] and np.array_equal(kept["there"], answer)

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(OSError, match="no space"):
        cache.keep("abef", answer)
    assert list(cache.kept({"a": "abcd", "b": "abef"})) == ["a"]
    cache.clear()
    assert not cache.kept({"there": "abcd"})
