"""Ten invented questions about tests, each a file with the vocabulary of its reports and the plan of its pool."""

from __future__ import annotations

from importlib.resources import files

from tarstop_core.samples.simulate.questions.model import Plan, Question
from tarstop_core.samples.simulate.words import read_folder

QUESTIONS: tuple[Question, ...] = read_folder(Question, files(__package__))

__all__ = ["QUESTIONS", "Plan", "Question"]
