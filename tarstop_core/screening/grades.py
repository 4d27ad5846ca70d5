"""How many documents were graded X, Y and A, in words."""

from tarstop_core.screening.state import State


def grades_in_words(state: State) -> str:
    """'0 relevant', with Y and A beside it where there are any: '1 relevant (X) · 2 Y · 3 A'.

    A hit that waits for confirmation is not counted as relevant yet.
    """
    others = [
        f"{len(found):,} {grade}"
        for found, grade in ((state.combination, "Y"), (state.background, "A"))
        if len(found)
    ]
    waiting = len(state.pending)
    if waiting:
        others.insert(0, f"{waiting:,} to be confirmed")
    return " · ".join([f"{state.relevant - waiting:,} relevant{' (X)' if others else ''}", *others])
