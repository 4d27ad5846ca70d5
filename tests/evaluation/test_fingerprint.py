"""The fingerprint of what computes: numbers change it, words do not, and nothing that runs is left out."""

import shutil
import sys
from pathlib import Path
from types import FrameType

import pytest

from tarstop_core.evaluation import protocol
from tarstop_core.evaluation.benchmarks.simulated import simulated_patents, simulated_reviews
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.fingerprint import code_digest, digest_of, reached
from tarstop_core.evaluation.jobs import Answers, Job
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.tasks.base import Task
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.review import ReviewTask

PACKAGE = Path(protocol.__file__).resolve().parents[1]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    place = tmp_path / "tarstop_core"
    shutil.copytree(PACKAGE, place, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def change(place: Path, name: str, old: str, new: str) -> None:
    file = place / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_words_keep_it(copy: Path) -> None:
    computing = {copy.parent.joinpath(*name.split(".")).with_suffix(".py") for name in reached(copy)}
    others = [file for file in copy.rglob("*.py") if file not in computing and file.name != "__init__.py"]
    assert any("sessions" in str(file) for file in others)
    for file in others:
        file.write_text(file.read_text(encoding="utf-8") + "\nMORE = 'a word'\n", encoding="utf-8")
    change(copy, "evaluation/findings/report.html", "Simulated", "Invented")
    change(copy, "policies/greedy.py", '"""The paper', '"""Said otherwise')
    rule = copy / "policies" / "budget.py"
    rule.write_text(f"# A remark.\n\n\n{rule.read_text(encoding='utf-8')}\n# Another.\n", encoding="utf-8")
    change(copy, "evaluation/jobs.py", '"""Cases of one job, whatever runs it."""', '"""Of one job."""')
    (copy / "new_page.py").write_text("SAID = 1\n", encoding="utf-8")
    assert digest_of(copy) == code_digest()


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("policies/budget.py", "100", "101"),
        ("policies/batch.py", "* self.K", "* self.K + 0"),
        ("belief/univariate.py", "0.5", "0.6"),
        ("evaluation/protocol.py", "TIE = 1e-12", "TIE = 1e-11"),
        ("evaluation/jobs.py", "+= weight", "-= weight"),
        ("evaluation/metrics.py", " - ", " + "),
    ],
)
def test_a_changed_number_changes_it(copy: Path, name: str, old: str, new: str) -> None:
    change(copy, name, old, new)
    assert digest_of(copy) != code_digest()


def test_changed_weights_change_it(copy: Path) -> None:
    (weights,) = copy.rglob("*.npz")
    weights.write_bytes(weights.read_bytes() + b"x")
    assert digest_of(copy) != code_digest()


def test_a_name_that_is_handed_on_leads_home(copy: Path) -> None:
    """What else a package names is not reached by that."""
    package = copy / "face"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from tarstop_core.face.inner import used as told\nfrom tarstop_core.cli.commands import main\n",
        encoding="utf-8",
    )
    (package / "inner.py").write_text("used = 1\n", encoding="utf-8")
    before = set(reached(copy))
    change(copy, "policies/batch.py", "import numpy", "from tarstop_core.face import told\nimport numpy")
    assert set(reached(copy)) == before | {"tarstop_core.face.inner"}


@pytest.mark.parametrize("scenario", ["patent", "review"])
def test_nothing_that_runs_in_a_chunk_is_left_out(scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            ran.add(frame.f_globals["__name__"])

    def watched(job: Job) -> Answers:
        sys.setprofile(note)
        try:
            return work(job)
        finally:
            sys.setprofile(None)

    work = protocol.work
    monkeypatch.setattr(protocol, "work", watched)
    benchmark: Benchmark
    task: Task
    if scenario == "patent":
        benchmark, task = simulated_patents(topics=4, seed=5), DecisiveTask()
        methods = parse_methods(["all", "optimal@hazard", "optimal@frailty", "greedy@rank"], "patent")
    else:
        benchmark, task = simulated_reviews(outcomes=4, seed=3), ReviewTask()
        methods = parse_methods(["greedy", "look-ahead@learned", "qbcb", "oracle"], "review")
    protocol.run(benchmark, task, methods, costs=(0.001,), q_stars=(0.5,))
    assert "tarstop_core.evaluation.metrics" in ran
    assert ran <= set(reached(PACKAGE))
