"""How many documents were graded X, Y and A, in words."""

from tarstop_core.screening.state import State


def grades_in_words(state: State) -> str:
    """'0 relevant', with Y and A beside it where there are any: '1 relevant (X) · 2 Y · 3 A'.

    A hit that waits for confirmation is not counted as relevant yet.

    Examples
    --------
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> from tarstop_core.screening.log import Event
    >>> from tarstop_core.screening.settings import Settings
    >>> from tarstop_core.screening.fold import replay
    >>> log = [Event("label", {"doc": "a", "label": "relevant"}), Event("label", {"doc": "b", "label": "combination"})]
    >>> settings = Settings(Payoffs.from_q_star(0.5), 0.001, confirm_hits=False)
    >>> grades_in_words(replay(settings, ["a", "b"], log[:1])), grades_in_words(replay(settings, ["a", "b"], log))
    ('1 relevant', '1 relevant (X) · 1 Y')
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
