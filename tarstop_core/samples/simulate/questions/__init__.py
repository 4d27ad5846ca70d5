"""Ten invented questions about tests, each a file with the vocabulary of its reports and the plan of its pool."""

from dataclasses import dataclass
from importlib.resources import files

from tarstop_core.samples.simulate.words import read_folder


@dataclass(frozen=True)
class Plan:
    """How the pool of one review is made up."""

    sensitivity: float  # pooled, in the population that the studies are drawn from
    specificity: float
    tau: float  # standard deviation of both logits between studies
    data: int
    no_data: int
    excluded: int
    not_retrieved: int
    """Reports that title and abstract let through, by what becomes of them. The second report of a study comes on top,
    and counts as one without data.
    """
    wording: float  # chance that such a report names test and disease in the question's words
    documents: int  # size of the pool
    draw: int  # which of the review's streams of random numbers is used


@dataclass(frozen=True)
class Question:
    """An invented test for an invented disease, and the vocabulary of reports about them."""

    topic: str  # name (that of the file)
    title: str
    question: str  # what the review asks (the query)
    criteria: str  # which studies it includes (begins in lower case)
    test: tuple[str, ...]  # in the question's words, with an article where it needs one
    test_far: tuple[str, ...]  # likewise, in words that a search for it finds late
    condition: tuple[str, ...]  # the disease, without an article
    condition_far: tuple[str, ...]
    positive: str  # what counts as positive, as the subject of a sentence
    reference: str  # the reference standard that the review accepts, without an article
    wrong_references: tuple[str, ...]  # what some reports used in its place
    patients: tuple[str, ...]  # who was tested, in the plural
    wrong_patients: tuple[str, ...]  # the same where they are not eligible
    places: tuple[str, ...]  # where, after "at"
    rivals: tuple[str, ...]  # other tests for the disease, with their article
    lookalikes: tuple[str, ...]  # other diseases that the test is tried for
    treatments: tuple[str, ...]  # for trials of therapy
    facts: tuple[str, ...]  # sentences about the disease
    technical: tuple[str, ...]  # what reports on the test's technique measure, with article
    plan: Plan


QUESTIONS: tuple[Question, ...] = read_folder(Question, files(__package__))
