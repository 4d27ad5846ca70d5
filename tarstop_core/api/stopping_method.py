"""A method for the framework `destiny-evidence/stopping-methods`, which compares stopping rules.

The framework calls ``compute`` of every method. This module does not import it; there, inherit from its ``Method`` too:
``class TARstop(StoppingMethod, Method): ...``.
"""

from collections.abc import Iterator
from typing import Any, TypedDict

import numpy as np

from tarstop_core.api.screening import advise


class Parameters(TypedDict):
    """Parameters that distinguish variants of the method."""

    policy: str


class Answer(Parameters):
    """The answer that the framework stores."""

    KEY: str
    safe_to_stop: bool
    score: float | None


class StoppingMethod:
    """Stop when a rule of TARstop decides that enough was found."""

    KEY = "TARSTOP"

    @classmethod
    def parameter_options(cls) -> Iterator[Parameters]:
        """Yield the variants for a comparison: two rules at four recalls."""
        for recall in (0.8, 0.9, 0.95, 0.99):
            yield {"policy": f"few-left:tau={recall}"}
            yield {"policy": f"hypergeometric:tau={recall}"}

    @classmethod
    def compute(
        cls,
        n_total: int,
        labels: Any,
        scores: Any = None,
        is_prioritised: Any = None,
        full_labels: Any = None,
        bounds: Any = None,
        *,
        policy: str = "few-left",
    ) -> Answer:
        """Decide whether it is safe to stop after these labels.

        Parameters
        ----------
        n_total : int
            Number of all records, labelled or not.
        labels : array_like, shape (d,)
            Labels so far, 0 or 1, in the order of labelling.
        scores, full_labels, bounds : object
            Ignored; other methods use them.
        is_prioritised : array_like of bool, shape (d,), optional
            Whether a record was chosen by the order of the list. Records drawn at random are no evidence about it.
        policy : str
            A rule about recall with its parameters, such as "few-left:tau=0.95" or "hypergeometric".

        Returns
        -------
        dict
            `KEY`, `safe_to_stop`, `score` (estimated share of the relevant records that were found; None before any label)
            and `policy`.

        Examples
        --------
        >>> labels = [1, 1, 0, 1] + [0] * 146
        >>> StoppingMethod.compute(150, labels[:4])["safe_to_stop"]
        False
        >>> StoppingMethod.compute(150, labels[:140], policy="few-left:tau=0.5")["safe_to_stop"]
        True
        """
        y = np.asarray(labels, dtype=int)
        by_order = np.ones(len(y), dtype=bool) if is_prioritised is None else np.asarray(is_prioritised, bool)
        listed = n_total - int((~by_order).sum())
        answer: Answer = {"KEY": cls.KEY, "safe_to_stop": True, "score": 1.0, "policy": policy}
        if listed:
            advice = advise(listed, y[by_order].tolist(), scenario="enough", policy=policy)
            unread = advice.unread[0] if advice.unread else 0.0
            total = int(y.sum()) + unread
            answer["safe_to_stop"] = not advice.go_on
            answer["score"] = float(y.sum() / total) if len(y) and total else None
        return answer
