"""What a task has learned from training cases: a calibrator in patents, a calibrator and a prior in reviews."""

from typing import Any, cast

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.evaluation.tasks.base import Task


def calibrator_of(known: Any) -> Calibrator:
    """The calibrator in what was learned."""
    return cast(Calibrator, parts_of(known)[0])


def belief_of(known: Any, task: Task) -> float:
    """Belief before any document: of the prior that was learned, in patents the task's."""
    return float(task.settings["b_0"] if isinstance(known, Calibrator) else known[1].b_0)


def parts_of(known: Any) -> tuple[Any, ...]:
    """The calibrator, and in reviews the prior."""
    return known if isinstance(known, tuple) else (known,)


def digest_of(known: Any) -> str:
    """Fingerprint of what was learned."""
    return ":".join(each.digest for each in parts_of(known))
