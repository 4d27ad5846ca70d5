"""Benchmarks by name: one file each, all in the list, and told of in the documents."""

import importlib
import re
from pathlib import Path

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import benchmarks
from tarstop_core.evaluation.benchmarks.base import Named
from tarstop_core.evaluation.benchmarks.named import BENCHMARKS, named

FOLDER = Path(benchmarks.__file__).parent
PAGE = Path(__file__).resolve().parents[3] / "docs" / "benchmarks_of_your_own.md"


def test_names_of_benchmarks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TARSTOP_REAL_DATA", raising=False)
    with pytest.raises(
        InputProblem, match=r"no benchmark 'nothing' and no folder.*review, clef,.* or a folder"
    ):
        named("nothing")
    with pytest.raises(InputProblem, match="TARSTOP_REAL_DATA"):
        named("clef")
    (tmp_path / "a.run").write_text("T1 Q0 d1 1 2.5 x\nT2 Q0 d1 1 2.5 x\n", encoding="utf-8")
    (tmp_path / "a.qrels").write_text("T1 0 d1 1\nT2 0 d1 1\n", encoding="utf-8")
    assert named(str(tmp_path)).name == tmp_path.name


def test_every_file_that_offers_one_is_in_the_list() -> None:
    offered = []
    for path in FOLDER.glob("*.py"):
        module = importlib.import_module(f"{benchmarks.__name__}.{path.stem}")
        given = vars(module).get("NAMED", ())
        offered += [given] if isinstance(given, Named) else given
    assert {each.name for each in offered} == set(BENCHMARKS)


@pytest.mark.parametrize("name", [each.name for each in BENCHMARKS.values() if not each.real])
def test_what_is_said_before_it_is_made_holds_afterwards(name: str) -> None:
    made = named(name)
    about = BENCHMARKS[name]
    assert (made.name, made.title, made.scenario) == (about.name, about.title, about.scenario)
    assert made.simulated and made.provenance


def test_the_document_names_them_all() -> None:
    told = set(re.findall(r"`([a-z-]+)`", PAGE.read_text(encoding="utf-8").split("## The real ones")[0]))
    assert set(BENCHMARKS) <= told
