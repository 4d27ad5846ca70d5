"""Every branch of the sentences about two calibrators and about the paper's reviews, rendered."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from tarstop_core.evaluation import message
from tarstop_core.evaluation.calibrators import ComparedMeasure
from tests.branches import every_branch


def measure(name: str, difference: float, low: float, high: float) -> ComparedMeasure:
    return ComparedMeasure(name, 0.2, 0.2 + difference, difference, low, high)


def sentences() -> Iterator[tuple[str, dict[str, Any]]]:
    """A macro and its values, for every branch."""
    better, worse = measure("Brier score", 0.1, 0.05, 0.2), measure("Log-loss", -0.1, -0.2, -0.05)
    names = {"a": "old", "b": "new"}
    for lists, first_hits, clear in (
        (1, True, []),
        (9, False, []),
        (9, False, [better, worse]),
        (9, False, [better]),
    ):
        comparison = SimpleNamespace(lists=lists, documents=900, first_hits=first_hits)
        values = {"brier": better, "clear": clear, "names": names}
        yield "comparison", {"comparison": comparison, **values}
    for utility, interval in (
        (measure("U", 0.0, 0.0, 0.0), True),
        (better, True),
        (measure("U", 0.1, -1, 1), False),
    ):
        values = {"read": better, "right": better, "utility": utility, "interval": interval}
        yield "decisions", {"policy": "Greedy", **names, **values}
    yield "seen", {"name": "old", "seen": 2, "lists": 9}
    for truth in ("pooled", "full_evidence"):
        yield "truth_of_reviews", {"truth": truth}
        of_effects = {"truth": truth, "measure": "OR", "delta": 0.9, "above": truth == "pooled"}
        yield "truth_of_effects", {"settings": of_effects}
    fold = SimpleNamespace(train=range(2), test=range(3))
    for outcome, folds in ((None, [fold]), ("an outcome", [fold, fold])):
        cases = [SimpleNamespace(outcome=outcome, topic="ab")] if outcome else []
        yield "contents", {"cases": cases, "folds": folds}
    yield "by_recall", {}
    yield "engines", {"engine": "univariate"}
    yield "contradicted", {}


def test_every_branch_reads_as_a_sentence() -> None:
    with every_branch(message):
        for name, values in sentences():
            assert message(name, **values)
