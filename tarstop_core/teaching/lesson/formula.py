"""One formula with numbers in it, as ``formulas.toml`` says it, and numbers as formulas write them."""

import math
from dataclasses import dataclass
from functools import cache, reduce
from operator import getitem
from typing import Any

from tarstop_core.presentation.numbers import number
from tarstop_core.presentation.words import TEXTS, template, texts
from tarstop_core.screening.explain import action, question
from tarstop_core.teaching.lesson.steps import Lesson, Step


@dataclass(frozen=True)
class FilledFormula:
    """One formula with a step's numbers."""

    name: str
    """One of "chance", "survival", "belief", "rho", "actions", "evpi", "score", "evsi", "worth" or "decision"."""
    heading: str  # The question that it answers
    words: str  # What it says here, in plain words
    lines: tuple[str, ...]
    """LaTeX: symbols, the same with numbers, the result; aligned at their first relation."""
    value: float  # The result
    place: str  # Where it stands in the paper, or that it does not
    explained: str  # Its name in :mod:`tarstop_core.teaching.methods`; of a decision that of its rule

    @property
    def latex(self) -> str:
        """All lines as one formula."""
        # Fractions on top of each other would touch.
        gap = "0.9em" if any("frac" in line for line in self.lines) else "0.35em"
        return r"\begin{aligned} " + rf" \\[{gap}] ".join(self.lines) + r" \end{aligned}"


def tex(value: float) -> str:
    r"""A number for a formula: three significant digits, never rounded to certainty."""
    if 0.99 < value < 1:
        return f"{value:.{1 - math.floor(math.log10(1 - value))}f}"
    text = number(value)
    if "e" in text:
        mantissa, power = text.split("e")
        return rf"{mantissa} \times 10^{{{int(power)}}}"
    return text.replace(",", "{,}")


TEXTS.filters["tex"] = tex


@cache
def _entry(key: str) -> dict[str, Any]:
    """What the file says under a key, with what it takes over from another."""
    own: Any = reduce(getitem, key.split("."), texts("tarstop_core.teaching.lesson.formulas"))
    return {"name": key.rpartition(".")[2], **(_entry(own["as"]) if "as" in own else {}), **own}


def made(key: str, lesson: Lesson, step: Step, value: float, **told: Any) -> FilledFormula:
    """The formula that stands under a key, filled in with this step and what else is `told`."""
    said, settings, now = _entry(key), lesson.settings, step.now
    told |= {
        "step": step,
        "now": now,
        "b": now.b,
        "value": value,
        "rule": lesson.policy,
        "settings": settings,
    }
    told |= {"payoffs": settings.payoffs, "unit": settings.payoffs.unit}
    told |= {"action": action(now.plus, settings), "question": question(settings)}

    def filled(text: str) -> str:
        return template(text).render(told)

    return FilledFormula(
        said["name"],
        filled(said["heading"]),
        filled(said["words"] + said.get("more", "")),
        tuple(map(filled, said["lines"])),
        value,
        filled(said["place"]),
        filled(said.get("explained", lesson.policy.name)),
    )
