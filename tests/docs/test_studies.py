"""Every measurement page is what its study writes from the tables in docs/data, and short."""

import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

from scripts.study import DATA, DOCS, NAMES, Study, kept_tables, load, page

ROOT = Path(__file__).resolve().parents[2]
MOST_WORDS = {"results": 1500, "reviews_measured": 1500}
MOST_WORDS_ELSEWHERE = 500
MOST_WORDS_IN_ALL = 30_200
MOST_WORDS_OF_README = 900
GENERATED = "api"  # The page that repeats docstrings
RETIRED = {
    "calibrators_travel": [f"calibrators_travel{part}" for part in ("", "_hits", "_topics", "_patents")],
    "question_chances": ["question_chances"],
    "ranking": ["ranking_topics"],
    "reml_or_exact": ["reml_or_exact"],
}
"""Pages of experiments that settled their question, as these left them, with their tables."""
MOST_LINES_OF_SCRIPTS = 4_000


@pytest.fixture(params=NAMES)
def study(request: pytest.FixtureRequest) -> Study:
    return load(request.param)


def words(path: Path) -> int:
    """As wc counts them."""
    return len(path.read_text(encoding="utf-8").split())


def test_a_page_is_what_its_study_writes_from_its_tables(study: Study) -> None:
    tables = kept_tables(study)
    assert page(study, tables) == (DOCS / f"{study.page}.md").read_text(encoding="utf-8")
    if study.figure:
        assert study.figure(tables) + "\n" == (DOCS / f"{study.page}.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*(load(name).page for name in NAMES), *RETIRED])
def test_a_page_is_short(name: str) -> None:
    assert words(DOCS / f"{name}.md") <= MOST_WORDS.get(name, MOST_WORDS_ELSEWHERE)


def test_every_table_belongs_to_one_study() -> None:
    named = [*RETIRED.values(), *(load(each).tables for each in NAMES)]
    assert sorted(chain.from_iterable(named)) == sorted(path.stem for path in DATA.glob("*.csv"))


def test_documents_and_scripts_stay_readable() -> None:
    assert words(ROOT / "README.md") <= MOST_WORDS_OF_README
    pages = {path.stem: words(path) for path in DOCS.glob("*.md") if path.stem != GENERATED}
    assert sum(pages.values()) <= MOST_WORDS_IN_ALL, f"shorten a page by as much as was added: {pages}"
    lines = (path.read_text(encoding="utf-8").count("\n") for path in (ROOT / "scripts").rglob("*.py"))
    assert sum(lines) <= MOST_LINES_OF_SCRIPTS


def test_no_script_works_or_needs_another_first_when_it_is_imported() -> None:
    """Each alone, in an order that no circle survives."""
    scripts = sorted((ROOT / "scripts").rglob("*.py"))
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in scripts if path.stem != "__main__"
    ]
    code = "import importlib, sys\nfor name in sys.argv[1:]:\n" + (
        "    importlib.import_module(name)\n"
        "    for loaded in [each for each in sys.modules if each.startswith('scripts')]:\n"
        "        del sys.modules[loaded]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
