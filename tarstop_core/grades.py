"""How many documents were graded X, Y and A, in words."""

from __future__ import annotations

from tarstop_core.session import State


def grades_in_words(state: State) -> str:
    """'0 relevant', with Y and A beside it where there are any: '1 relevant (X) · 2 Y · 3 A'.

    Examples
    --------
    >>> from tarstop_core.payoffs import Payoffs
    >>> from tarstop_core.session import Event, Settings, replay
    >>> log = [Event("label", {"doc": "a", "label": "relevant"}), Event("label", {"doc": "b", "label": "combination"})]
    >>> settings = Settings(Payoffs.from_q_star(0.5), 0.001)
    >>> grades_in_words(replay(settings, ["a", "b"], log[:1])), grades_in_words(replay(settings, ["a", "b"], log))
    ('1 relevant', '1 relevant (X) · 1 Y')
    """
    others = [
        f"{len(found):,} {grade}"
        for found, grade in ((state.combination, "Y"), (state.background, "A"))
        if len(found)
    ]
    return " · ".join([f"{state.relevant:,} relevant{' (X)' if others else ''}", *others])
