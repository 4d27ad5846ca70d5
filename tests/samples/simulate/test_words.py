"""The files of words: one that is malformed raises and names the place, so that no word is lost in silence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import ModuleType

import pytest

from scripts.make_samples import diagnostic, patents, trials
from scripts.make_samples.diagnostic import QUESTIONS
from scripts.make_samples.grammar import read_folder, read_words
from scripts.make_samples.patents import INVENTIONS, Mechanism, Mechanisms
from tarstop_core.errors import InputProblem


@dataclass(frozen=True)
class Device:
    topic: str
    claim: str
    uses: tuple[str, ...]
    parts: Mechanisms
    slots: dict[str, tuple[str, ...]]


GOOD = '''
claim = """
A lever
and a pin."""
uses = ["for doors", "for gates"]

[parts]
pin = "a pin of {metal}"
"long lever" = "a lever"

[slots]
metal = ["tin", "lead"]
few = { from = 2, to = 8, step = 3 }
'''


def written(folder: Path, text: str, name: str = "hinge.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_fills_its_dataclass_in_the_order_of_the_file(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    (device,) = read_folder(Device, tmp_path)
    assert device == Device(
        topic="hinge",
        claim="A lever and a pin.",
        uses=("for doors", "for gates"),
        parts=(Mechanism("pin", "a pin of {metal}"), Mechanism("long lever", "a lever")),
        slots={"metal": ("tin", "lead"), "few": ("2", "5", "8")},
    )
    assert list(device.slots) == ["metal", "few"]


def test_a_folder_is_read_in_order_of_topic(tmp_path: Path) -> None:
    for topic in ("hinge", "door-lock", "door"):
        written(tmp_path, GOOD, f"{topic}.toml")
    written(tmp_path, "", "__init__.py")
    assert [device.topic for device in read_folder(Device, tmp_path)] == ["door", "door-lock", "hinge"]


@pytest.mark.parametrize(
    "good, bad, says",
    [
        ("uses = [", "use = [", r"hinge\.toml: uses: missing, and use is unknown"),
        ("claim =", "title = 'x'\nclaim =", r"title: unknown"),
        ('uses = ["for doors", "for gates"]', "", r"uses: missing"),
        ('["for doors", "for gates"]', '"for doors"', r"hinge\.toml: uses: 'for doors' is not a list"),
        ('"for gates"', "3", r"hinge\.toml: uses\.1: 3 is not a text"),
        ('"a lever"', '["a lever"]', r"hinge\.toml: parts"),
        ('"tin", "lead"', '"tin" "lead"', r"hinge\.toml: .*line 12"),
        ('"long lever" =', "pin =", r"hinge\.toml: "),
        ("[slots]", "[slots.more]", r"hinge\.toml: slots\.more"),
        ("step = 3", "by = 3", r"hinge\.toml: slots\.few"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(tmp_path: Path, good: str, bad: str, says: str) -> None:
    assert good in GOOD
    written(tmp_path, GOOD.replace(good, bad))
    with pytest.raises(InputProblem, match=says):
        read_folder(Device, tmp_path)


def test_every_file_is_read() -> None:
    package = Path(patents.__file__).parent
    for found, folder in ((INVENTIONS, "inventions"), (QUESTIONS, "questions")):
        assert [each.topic for each in found] == sorted(
            path.stem for path in (package / folder).glob("*.toml")
        )
    assert (len(INVENTIONS), len(QUESTIONS)) == (16, 10)


def lists(words: object) -> list[Sequence[object]]:
    """All tuples of words in a dataclass and what it holds."""
    if isinstance(words, (tuple, list)):
        return [words, *(found for each in words for found in lists(each))]
    if isinstance(words, dict):
        return [found for each in words.values() for found in lists(each)]
    if is_dataclass(words):
        return [found for field in fields(words) for found in lists(getattr(words, field.name))]
    return []


@pytest.mark.parametrize("words", [patents.WORDS, diagnostic.WORDS, *INVENTIONS, *QUESTIONS])
def test_nothing_is_said_twice_in_a_list(words: object) -> None:
    for each in lists(words):
        assert len(set(each)) == len(each), each


@pytest.mark.parametrize("generator", [patents, diagnostic, trials], ids=lambda module: module.__name__)
def test_no_list_of_words_is_lost_in_silence(generator: ModuleType) -> None:
    folder, name = Path(generator.__file__).parent, generator.__name__.rpartition(".")[2]
    sources = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    for words in read_words(folder / f"{name}.toml"):
        assert re.search(rf"WORDS\[.{words}.\]", sources), words
