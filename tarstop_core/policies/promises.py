"""What a stopping rule needs, and what it promises."""

from enum import Enum


class Need(Enum):
    """What a rule uses to decide."""

    LABELS = "labels"  # Of the documents read
    CHANCES = "calibrated chances"
    STAKES = "stakes"  # Payoffs, and what reading costs
    SAMPLE = "a random sample"  # Documents that are drawn from the whole list and read
    AGENT = "a trained agent"
    TRUTH = "every label"  # So that nobody can follow the rule


class Promise(Enum):
    """What a rule promises of the recall, or of the decision, at which it stops."""

    HEURISTIC = "heuristic"  # Nothing: it often does well
    ESTIMATE = "estimator"  # As much as its model of the list is right
    CERTIFICATE = "certificate"  # Its confidence, on every list
