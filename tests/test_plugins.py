"""Classes in files of one's own, whatever they are: what rules in files show as well (``policies/test_specs.py``)."""

from collections.abc import Sized
from pathlib import Path

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.plugins import load_class, make

FILE = """
from collections.abc import Sized

class Mine(Sized):
    def __init__(self, n=3):
        if n > 9:
            raise ValueError("too many")
        self.n = n

    def __len__(self):
        return self.n

class Idle(Sized):
    pass

class Other:
    pass
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(FILE, encoding="utf-8")
    return str(path)


def load(file: str, name: str) -> type[Sized]:
    return load_class(file, name, Sized, "shelf", "collections.abc.Sized")  # type: ignore[type-abstract]


def test_a_class_is_loaded_and_made(file: str) -> None:
    kind = load(file, "Mine")
    assert load(file, "Mine") is kind
    assert len(make(kind, file, "Mine", {"n": 2}, "shelf")) == 2


def test_a_changed_file_is_run_again(file: str) -> None:
    before = load(file, "Mine")
    Path(file).write_text(FILE.replace("n=3", "n=4"), encoding="utf-8")
    assert load(file, "Mine") is not before
    assert len(make(load(file, "Mine"), file, "Mine", {}, "shelf")) == 4


@pytest.mark.parametrize(
    "name, says",
    [
        ("Missing", "mine.py has no class 'Missing'; it has Mine, Idle, Other."),
        ("Idle", "The shelf Idle in FILE has no method __len__; write it."),
        ("Other", "Other in FILE is not a shelf; derive it from collections.abc.Sized."),
    ],
)
def test_what_is_wrong_with_a_class_is_said(file: str, name: str, says: str) -> None:
    with pytest.raises(InputProblem) as problem:
        load(file, name)
    assert says.replace("FILE", file) in str(problem.value)


def test_what_fails_is_said_with_its_line(file: str) -> None:
    with pytest.raises(InputProblem, match=r"cannot be made: ValueError in line 7: too many\."):
        make(load(file, "Mine"), file, "Mine", {"n": 10}, "shelf")
    with pytest.raises(InputProblem, match="cannot be made: TypeError"):
        make(load(file, "Mine"), file, "Mine", {"height": 1}, "shelf")
    Path(file).write_text("\n\n1 / 0\n", encoding="utf-8")
    with pytest.raises(InputProblem, match=r"The shelf file .* fails: ZeroDivisionError in line 3"):
        load(file, "Mine")
    Path(file).unlink()
    with pytest.raises(InputProblem, match=r"The shelf file .* cannot be read: No such file"):
        load(file, "Mine")
