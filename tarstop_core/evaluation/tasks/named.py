"""The tasks by scenario."""

from __future__ import annotations

from tarstop_core.evaluation.tasks.base import Task
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.review import ReviewTask

TASKS: dict[str, type[Task]] = {
    task.scenario: task
    for task in (
        DecisiveTask,
        ReviewTask,
    )
}
"""In the order in which they are offered."""
