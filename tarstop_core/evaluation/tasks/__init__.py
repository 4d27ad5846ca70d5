"""What an experiment asks of a scenario: the tasks by scenario."""

from collections.abc import Mapping
from typing import Any

from tarstop_core.evaluation.tasks.base import Task
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.effect import EffectTask
from tarstop_core.evaluation.tasks.enough import EnoughTask
from tarstop_core.evaluation.tasks.review import ReviewTask

TASKS: dict[str, type[Task]] = {
    task.scenario: task
    for task in (  # One a line: one more is one more line
        DecisiveTask,
        ReviewTask,
        EffectTask,
        EnoughTask,
    )
}
"""In the order in which they are offered."""


def errors_of(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """Return what errors are called where results with these settings are shown: "false grant" in patents alone.

    What a person's own decisive rankings decide is not known.
    """
    task = TASKS[settings["scenario"]]
    own = task is DecisiveTask and settings["benchmark"] != DecisiveTask.scenario
    return ReviewTask.errors if own else task.errors
