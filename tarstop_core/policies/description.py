"""What a stopping rule says of itself: its parameters, what it needs and what it promises."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, nonmember
from typing import Any, Literal

from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import number, percent

Value = int | float | str
Family = Literal["paper's policy", "paper's baseline", "beyond the paper", "reference"]


class Need(Enum):
    """What a rule needs to decide."""

    LABELS = "labels"  # Of the documents read
    CHANCES = "calibrated chances"
    STAKES = "stakes"  # Payoffs, and what reading costs
    SAMPLE = "a random sample"  # Documents that are drawn from the whole list and read
    AGENT = "a trained agent"
    TRUTH = "every label"  # Which nobody has while reading, so the rule is only a bound


class Promise(Enum):
    """What a rule promises about the recall, or the decision, when it stops."""

    HEURISTIC = "heuristic"  # No promise, although it often does well
    ESTIMATE = "estimator"  # The recall or decision, if its model of the list is right
    CERTIFICATE = "certificate"  # The recall, with its confidence, on every list


class Criterion(Enum):
    """How a rule takes the paper's score ρ·EVPI, which ignores what later documents may lead to, to compare it with the cost."""

    VALUE = nonmember(None)  # No score; rules of people that were written for earlier versions name it
    NEXT_SCORE = "score of the next document"
    MEAN_SCORE = "mean score of the next documents"
    BATCH_SCORE = "mean score of the batch"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a policy: sliders, command line and grid search read this."""

    name: str  # Field of the rule, and name on the command line
    meaning: str  # What it does, as a phrase
    low: Any
    high: Any
    """`low` and `high`: smallest and largest value (numbers only)."""
    grid: tuple[Value, ...]  # Values a grid search tries
    kind: Literal["int", "float", "choice"] = "int"
    choices: tuple[str, ...] = ()

    @classmethod
    def choice(cls, name: str, meaning: str, choices: tuple[str, ...], grid: tuple[str, ...]) -> Parameter:
        """Return a parameter whose values are words.

        Parameters
        ----------
        name, meaning : str
            Its name, and what it does.
        choices : tuple of str
            All its values.
        grid : tuple of str
            Values that a grid search tries.

        Returns
        -------
        Parameter
            Of kind "choice".
        """
        return cls(name, meaning, None, None, grid, "choice", choices)

    @property
    def label(self) -> str:
        """The meaning as the label of a field, with the name where it is a symbol.

        >>> Parameter("K", "documents in a batch", 1, 9, ()).label, Parameter("every", "documents to one draw", 1, 9, ()).label
        ('Documents in a batch (K)', 'Documents to one draw')
        """
        symbol = f" ({self.name})" if len(self.name) == 1 else ""
        return f"{self.meaning[:1].upper()}{self.meaning[1:]}{symbol}".strip()

    @property
    def wanted(self) -> str:
        """The allowed values, as the end of a sentence."""
        if self.kind == "choice":
            return f"choose one of {', '.join(self.choices)}"
        return f"give a {'whole ' if self.kind == 'int' else ''}number from {self.low} to {self.high}"

    def read(self, text: str) -> Value:
        """Parse a value without checking its range; ValueError if it is not a number."""
        if self.kind == "choice":
            return text.strip()
        return int(text) if self.kind == "int" else float(text)

    def in_words(self, value: Value) -> str:
        """The meaning of the parameter with a value; shares in per cent."""
        if not isinstance(value, str):
            value = percent(value) if self.kind == "float" and self.high <= 1 else number(value)
        return f"{self.meaning}: {value}"

    def checked(self, value: Any, title: str) -> Value:
        """Return the value in the right type; InputProblem if it is out of range, or not whole where it must be."""
        if self.kind == "choice":
            if value in self.choices:
                return str(value)
        elif self.low <= value <= self.high and (self.kind == "float" or value == int(value)):
            return float(value) if self.kind == "float" else int(value)
        raise InputProblem(f"{title}: {self.name} is {value}; {self.wanted}.")
