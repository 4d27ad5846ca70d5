"""One formula with numbers in it, and numbers as formulas write them."""

import math
from dataclasses import dataclass

from tarstop_core.presentation.numbers import number

ALONE = "What is the next document alone exactly worth?"
DERIVED = "not in the paper; derived from its framework"


@dataclass(frozen=True)
class FilledFormula:
    """One formula with a step's numbers."""

    name: str
    """One of "chance", "survival", "belief", "rho", "actions", "evpi", "score", "evsi", "worth" or "decision"."""
    heading: str
    """The question that it answers."""
    words: str
    """What it says here, in plain words."""
    lines: tuple[str, ...]
    """LaTeX: symbols, the same with numbers, the result; aligned at their first relation."""
    value: float
    """The result."""
    place: str
    """Where it stands in the paper, or that it does not."""

    @property
    def latex(self) -> str:
        """All lines as one formula."""
        # Fractions on top of each other would touch.
        gap = "0.9em" if any("frac" in line for line in self.lines) else "0.35em"
        return r"\begin{aligned} " + rf" \\[{gap}] ".join(self.lines) + r" \end{aligned}"


def tex(value: float) -> str:
    r"""A number for a formula: three significant digits, never rounded to certainty.

    Examples
    --------
    >>> tex(0.04312), tex(1234.0), tex(-0.25), tex(1.2e-7), tex(0.99962)
    ('0.0431', '1{,}230', '-0.25', '1.2 \\times 10^{-7}', '0.99962')
    """
    if 0.99 < value < 1:
        return f"{value:.{1 - math.floor(math.log10(1 - value))}f}"
    text = number(value)
    if "e" in text:
        mantissa, power = text.split("e")
        return rf"{mantissa} \times 10^{{{int(power)}}}"
    return text.replace(",", "{,}")
