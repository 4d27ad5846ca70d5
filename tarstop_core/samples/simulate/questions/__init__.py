"""Ten invented questions about tests, each a file with the vocabulary of its reports and the plan of its pool."""

from dataclasses import dataclass
from importlib.resources import files

from tarstop_core.samples.simulate.words import read_folder


@dataclass(frozen=True)
class Plan:
    """How the pool of one review is made up."""

    sensitivity: float
    specificity: float
    """`sensitivity` and `specificity`: pooled, in the population that the studies are drawn from."""
    tau: float
    """Standard deviation of both logits between studies."""
    data: int
    no_data: int
    excluded: int
    not_retrieved: int
    """`data`, `no_data`, `excluded` and `not_retrieved`: reports that title and abstract let through, by what becomes
    of them. The second report of a study comes on top, and counts as one without data.
    """
    wording: float
    """Chance that such a report names test and disease in the question's words."""
    documents: int
    """Size of the pool."""
    draw: int
    """Which of the review's streams of random numbers is used."""


@dataclass(frozen=True)
class Question:
    """An invented test for an invented disease, and the vocabulary of reports about them."""

    topic: str
    title: str
    question: str
    criteria: str
    """`topic`, `title`, `question` and `criteria`: name (that of the file), title, what the review asks (the query),
    and which studies it includes (begins in lower case).
    """
    test: tuple[str, ...]
    test_far: tuple[str, ...]
    """`test` and `test_far`: the test in the question's words, and in words that a search for it finds late; with an
    article where it needs one.
    """
    condition: tuple[str, ...]
    condition_far: tuple[str, ...]
    """`condition` and `condition_far`: the disease likewise; used without an article."""
    positive: str
    """What counts as positive, as the subject of a sentence."""
    reference: str
    """The reference standard that the review accepts; used without an article."""
    wrong_references: tuple[str, ...]
    """What some reports used in its place."""
    patients: tuple[str, ...]
    wrong_patients: tuple[str, ...]
    """`patients` and `wrong_patients`: who was tested, in the plural: eligible, and not."""
    places: tuple[str, ...]
    """Where, after "at"."""
    rivals: tuple[str, ...]
    """Other tests for the disease, with their article."""
    lookalikes: tuple[str, ...]
    """Other diseases that the test is tried for."""
    treatments: tuple[str, ...]
    """For trials of therapy."""
    facts: tuple[str, ...]
    """Sentences about the disease."""
    technical: tuple[str, ...]
    """What reports on the test's technique measure, with article."""
    plan: Plan


QUESTIONS: tuple[Question, ...] = read_folder(Question, files(__package__))
