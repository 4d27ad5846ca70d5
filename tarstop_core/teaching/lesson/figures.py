"""Figures of a lesson as plain plotly dictionaries, lettered for a lecture hall."""

from typing import Any

import numpy as np

from tarstop_core.presentation.curves import live_curves
from tarstop_core.presentation.figures import Figure, note, text_colour
from tarstop_core.presentation.palette import PAPER, PAPER_ON_DARK
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.teaching.lesson.steps import Lesson, Step

HEIGHT = 430  # pixels
LETTERS = 1.3
"""Times the letters of the other pages: a lesson is projected."""
ENDS = (15, 25, 40, 60, 80, 100, 150, 200, 300, 400, 600, 1000, 2000, 5000, 10_000)


def curves(lesson: Lesson, step: Step, *, dark: bool = False) -> Figure:
    """Belief against q*, and what the rule (else the best plan) compares with the cost, as known after this step.

    Solid up to here, dotted to where the rule would stop if nothing (more) turned up.
    """
    path = lesson.path.ahead(step.depth)
    worth = lesson.policy.value_rate(path)
    title = "worth each" if worth is None or not lesson.policy.criterion.is_score else "paper’s score"
    plan = step.depth + step.more
    figure = live_curves(
        np.asarray(path.b),
        path.value_rate() if worth is None else worth,
        cost=lesson.settings.cost,
        q_star=step.now.q_star,
        depth=step.depth,
        plan=plan,
        hit=path.hit if step.settled else None,
        span=(0, end_of_axis(plan, step.documents)),
        unit=lesson.settings.payoffs.unit,
        belief_title=scenario_of(lesson.settings).belief_title,
        worth_title=title,
        steps=path.in_steps,
        dark=dark,
    )
    return for_a_hall(figure, dark=dark)


def end_of_axis(plan: int, documents: int) -> int:
    """A depth to draw to that changes seldom: the axis holds still while the lesson goes on."""
    wanted = plan * 1.1
    return min(documents, next((end for end in ENDS if end >= wanted), documents))


def for_a_hall(figure: Figure, height: int = HEIGHT, *, dark: bool = False) -> Figure:
    """The same figure with larger letters, and marked as simulated."""
    layout = figure["layout"]
    layout["annotations"].append(note(1, 1, "simulated", text_colour(dark), yshift=2))
    for each in layout["annotations"]:
        each["bgcolor"] = PAPER_ON_DARK if dark else PAPER  # a line that crosses a text ends at it
    layout["font"] = {"color": text_colour(dark)}
    layout["height"] = height
    margin = layout["margin"]
    margin |= {"l": round(LETTERS * margin["l"]), "r": 16, "t": 26, "b": round(LETTERS * margin["b"])}
    _enlarge(layout)
    return figure


def _enlarge(part: Any) -> None:
    if isinstance(part, dict):
        for name, value in part.items():
            if name in ("font", "tickfont") and "size" in value:
                part[name] = value | {"size": round(LETTERS * value["size"])}
            else:
                _enlarge(value)
    elif isinstance(part, list):
        for each in part:
            _enlarge(each)
