"""Ten invented questions about tests, each with the vocabulary of its reports."""

from __future__ import annotations

from tarstop_core.simulate.questions.lasting import (
    CORROW_ANAEMIA,
    LANTERN_RETINOPATHY,
    MARL_LUNG,
    OSK_SYNDROME,
    QUILL_DEMENTIA,
)
from tarstop_core.simulate.questions.model import Question
from tarstop_core.simulate.questions.sudden import (
    BRINDLE_FEVER,
    HOLLOW_HIP,
    SARN_ALLERGY,
    TESSEL_ULCER,
    VELT_PALSY,
)

QUESTIONS: tuple[Question, ...] = (
    BRINDLE_FEVER,
    CORROW_ANAEMIA,
    HOLLOW_HIP,
    LANTERN_RETINOPATHY,
    MARL_LUNG,
    OSK_SYNDROME,
    QUILL_DEMENTIA,
    SARN_ALLERGY,
    TESSEL_ULCER,
    VELT_PALSY,
)

__all__ = ["QUESTIONS", "Question"]
