"""The tasks of experiments, by scenario."""

from collections.abc import Mapping
from typing import Any

from tarstop_core.evaluation.tasks.base import Task
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.effect import EffectTask
from tarstop_core.evaluation.tasks.enough import EnoughTask
from tarstop_core.evaluation.tasks.review import ReviewTask

TASKS: dict[str, type[Task]] = {
    task.scenario: task
    for task in (  # One task a line
        DecisiveTask,
        ReviewTask,
        EffectTask,
        EnoughTask,
    )
}
"""Tasks by scenario, in the order in which they are offered."""


def errors_of(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the names of the two errors in results with these settings; only simulated patents have "false grant".

    It is not known what a person's own decisive rankings decide.
    """
    task = TASKS[settings["scenario"]]
    unnamed = task is DecisiveTask and settings["benchmark"] != DecisiveTask.scenario
    return ReviewTask.errors if unnamed else task.errors
