"""What a question about a test is made of, for the grammar that composes documents about it; one TOML file says each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """How the pool of one review is made up.

    Parameters
    ----------
    sensitivity, specificity : float
        Pooled, in the population that the studies are drawn from.
    tau : float
        Standard deviation of both logits between studies.
    data, no_data, excluded, not_retrieved : int
        Reports that title and abstract let through, by what becomes of them. The second report of a study
        comes on top, and counts as one without data.
    wording : float
        Chance that such a report names test and disease in the question's words.
    documents : int
        Size of the pool.
    draw : int
        Which of the review's streams of random numbers is used.
    """

    sensitivity: float
    specificity: float
    tau: float
    data: int
    no_data: int
    excluded: int
    not_retrieved: int
    wording: float
    documents: int
    draw: int


@dataclass(frozen=True)
class Question:
    """An invented test for an invented disease, and the vocabulary of reports about them.

    Parameters
    ----------
    topic, title, question, criteria : str
        Name (that of the file), title, what the review asks (the query), and which studies it includes (begins in lower case).
    test, test_far : tuple of str
        The test in the question's words, and in words that a search for it finds late; with an
        article where it needs one.
    condition, condition_far : tuple of str
        The disease likewise; used without an article.
    positive : str
        What counts as positive, as the subject of a sentence.
    reference : str
        The reference standard that the review accepts; used without an article.
    wrong_references : tuple of str
        What some reports used in its place.
    patients, wrong_patients : tuple of str
        Who was tested, in the plural: eligible, and not.
    places : tuple of str
        Where, after "at".
    rivals : tuple of str
        Other tests for the disease, with their article.
    lookalikes : tuple of str
        Other diseases that the test is tried for.
    treatments : tuple of str
        For trials of therapy.
    facts : tuple of str
        Sentences about the disease.
    technical : tuple of str
        What reports on the test's technique measure, with article.
    plan : Plan
    """

    topic: str
    title: str
    question: str
    criteria: str
    test: tuple[str, ...]
    test_far: tuple[str, ...]
    condition: tuple[str, ...]
    condition_far: tuple[str, ...]
    positive: str
    reference: str
    wrong_references: tuple[str, ...]
    patients: tuple[str, ...]
    wrong_patients: tuple[str, ...]
    places: tuple[str, ...]
    rivals: tuple[str, ...]
    lookalikes: tuple[str, ...]
    treatments: tuple[str, ...]
    facts: tuple[str, ...]
    technical: tuple[str, ...]
    plan: Plan
