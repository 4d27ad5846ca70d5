"""A scenario is added as CONTRIBUTING says: path, file among the scenarios, sentences, task, and a line in either list.

The toy is a coin of unknown bias. It goes through set-up, screening, advice, export and replay.
"""

from pathlib import Path

from tests.additions.conftest import Tree

COIN = Path(__file__).parent / "coin"
SCENARIOS = "tarstop_core/screening/scenarios/named.py"
TASKS = "tarstop_core/evaluation/tasks/__init__.py"


def test_a_scenario_is_its_own_files_and_a_line_in_two_lists(tree: Tree) -> None:
    for name, file in (
        ("value", "tarstop_core/value/coin.py"),
        ("scenario", "tarstop_core/screening/scenarios/coin.py"),
        ("messages", "tarstop_core/screening/messages/coin.jinja"),
        ("task", "tarstop_core/evaluation/tasks/coin.py"),
    ):
        tree.add(file, (COIN / f"{name}.txt").read_text(encoding="utf-8"))
    tree.line(
        SCENARIOS,
        "from tarstop_core.screening.scenarios.base import Scenario\n",
        "from tarstop_core.screening.scenarios.coin import COIN\n",
    )
    tree.line(SCENARIOS, "        REVIEW,\n", "        COIN,\n")
    tree.line(
        TASKS,
        "from tarstop_core.evaluation.tasks.base import Task\n",
        "from tarstop_core.evaluation.tasks.coin import CoinTask\n",
    )
    tree.line(TASKS, "        ReviewTask,\n", "        CoinTask,\n")
    told = tree.run((COIN / "looked_at.txt").read_text(encoding="utf-8"))
    assert told.strip() == "coin 4 coin"
