"""The files of words: one that is malformed raises and names the place, so that no word is lost in silence."""

from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import pytest

from scripts.make_samples import diagnostic, patents
from scripts.make_samples.diagnostic import QUESTIONS
from scripts.make_samples.patents import INVENTIONS, Mechanism, Mechanisms
from scripts.make_samples.words import Slots, read, read_folder
from tarstop_core.errors import InputProblem


@dataclass(frozen=True)
class Device:
    topic: str
    claim: str
    uses: tuple[str, ...]
    parts: Mechanisms
    slots: Slots


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
    device = read(Device, written(tmp_path, GOOD), topic="hinge")
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
    with pytest.raises(InputProblem, match=says):
        read(Device, written(tmp_path, GOOD.replace(good, bad)), topic="hinge")


def test_every_file_is_read() -> None:
    package = Path(patents.__file__).parent
    for found, folder in ((INVENTIONS, "inventions"), (QUESTIONS, "questions")):
        assert [each.topic for each in found] == sorted(
            path.stem for path in (package / folder).glob("*.toml")
        )
    assert (len(INVENTIONS), len(QUESTIONS)) == (16, 10)


def lists(words: object) -> list[tuple[object, ...]]:
    """All tuples of words in a dataclass and what it holds."""
    if isinstance(words, tuple):
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
