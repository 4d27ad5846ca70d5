"""The tasks by scenario."""

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
