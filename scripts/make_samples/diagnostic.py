"""Simulated reviews of diagnostic accuracy that a person can screen: ten reviews, tests and diseases invented.

The pool of each holds reports that title and abstract let through (*accuracy*), others that they rule out, and strays
from another review. A study's table follows the bivariate model; a full text gives in words all four counts, or what
they follow from. How deep the studies lie under BM25 follows from `Plan.wording`.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import cycle

from scripts.make_samples.grammar import apart, capitals, fill, ranked, read_folder, read_words, unlike
from tarstop_core.documents.reports import FullText
from tarstop_core.documents.topic import Topic

DEFAULT_SEED = 2712

SHORTEST = 45  # words of an abstract
OTHER_WORDING = 0.6  # chance that any other report names them in the question's words
OTHER_FIELD_SHARE = 0.1
SHARES: dict[str, float] = {  # of the other reports
    "other test": 0.24,
    "other disease": 0.18,
    "technique": 0.12,
    "treatment": 0.16,
    "course": 0.18,
    "opinion": 0.12,
}
DISEASED, HEALTHY, SIZE_SPREAD, LEAST = 38.0, 70.0, 0.5, 8  # medians of group sizes, spread of their logs

WORDS = read_words(files(__package__) / "diagnostic.toml")  # says what stands for what
NO_RATES = (*WORDS["instead_of_rates"], *WORDS["beside_rates"])
CONCLUSIONS = (*WORDS["conclusions"], *WORDS["spare_conclusions"])


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


QUESTIONS: tuple[Question, ...] = read_folder(Question, files(__package__) / "questions")

# Reasons that the grammar knows by name.
SECOND_REPORT, OVERLAPPING = "second report of", "overlapping population"
WRONG_REFERENCE, WRONG_POPULATION = "wrong reference standard", "wrong population"


@dataclass(frozen=True)
class Report:
    """One invented report."""

    title: str
    abstract: str
    authors: str  # separated by ";"
    year: int
    kind: str  # "accuracy" when title and abstract let it through; else why not
    full_text: str = ""  # what the full text says, for reports that are let through; else empty
    status: FullText | str = ""  # what becomes of it; "" when it is not let through
    reason: str = ""  # why it brings no data
    study: str = ""  # as "Surname YEAR" of the study it reports; two reports of a study share it
    counts: tuple[int, int, int, int] | None = None  # TP, FP, FN, TN
    numbers: Mapping[str, int] | None = None  # of a published trial, by column
    id: str = ""  # such as "SIM-204117"; unique in the whole collection

    @property
    def included(self) -> bool:
        """Title and abstract let it through."""
        return self.kind == "accuracy"


@dataclass(frozen=True)
class Review:
    """One simulated review: its question and its pool, in order of identifier."""

    question: Question
    reports: tuple[Report, ...]

    @property
    def studies(self) -> tuple[Report, ...]:
        """The reports that bring a 2×2 table."""
        return tuple(report for report in self.reports if report.counts is not None)

    def ranked(self, suffix: str = "", *, by_inclusion: bool = False) -> Topic:
        """The pool ranked with the question as query; studies are relevant, or what title and abstract let through."""
        wanted = [report.included if by_inclusion else report.counts is not None for report in self.reports]
        return ranked(f"{self.question.topic}{suffix}", self.question.question, self.reports, wanted)


def simulate_reviews(seed: int = DEFAULT_SEED) -> list[Review]:
    """The readable reviews, in the order of `QUESTIONS`; equal seeds give equal ones.

    Pooled sensitivities are those of the plans whatever the seed. No title occurs twice in a review, no abstract twice
    at all.
    """
    abstracts: set[str] = set()
    reviews = []
    for question, numbers, rng in apart(seed, "report numbers", range(100_000, 1_000_000), QUESTIONS):
        pool = zip(_pool(question, abstracts, rng), numbers, strict=True)
        named = [replace(report, id=f"SIM-{number}") for report, number in pool]
        reviews.append(Review(question, tuple(sorted(named, key=lambda report: report.id))))
    return reviews


# --- one review -----------------------------------------------------------------------------------


def _pool(question: Question, abstracts: set[str], rng: random.Random) -> list[Report]:
    reports = _included(question, question.plan, rng)
    others = question.plan.documents - len(reports)
    strays = round(OTHER_FIELD_SHARE * others)
    kinds = [kind for kind, share in SHARES.items() for _ in range(round(share * (others - strays)))]
    kinds += ["course"] * (others - strays - len(kinds))
    elsewhere = [each for each in QUESTIONS if each is not question]
    titles = {report.title for report in reports}
    abstracts |= {report.abstract for report in reports}

    def stray() -> Report:
        report = _other(rng.choice(elsewhere), rng.choice(list(SHARES)), rng)
        return replace(report, kind="other field")

    made = [partial(_other, question, kind, rng) for kind in kinds[: others - strays]] + [stray] * strays
    return reports + [unlike(each, titles, abstracts) for each in made]


def _included(question: Question, plan: Plan, rng: random.Random) -> list[Report]:
    """Reports that title and abstract let through, with their full texts."""
    fates: list[tuple[FullText, int]] = [
        ("data", plan.data),
        ("no data", plan.no_data + 1),  # the first of them is a study's second report
        ("excluded", plan.excluded),
        ("not retrieved", plan.not_retrieved),
    ]
    why = {
        "excluded": cycle(rng.sample(list(WORDS["excluded"]), len(WORDS["excluded"]))),
        "no data": cycle(rng.sample(list(WORDS["without_data"]), len(WORDS["without_data"]))),
    }
    settings: dict[str, dict[str, str]] = {}  # who was tested and where, by study
    titles: set[str] = set()
    reports: list[Report] = []
    for nth, status in enumerate(status for status, count in fates for _ in range(count)):
        second = nth == plan.data
        reason = SECOND_REPORT if second else next(why[status]) if status in why else ""
        first = rng.choice(reports[: plan.data]) if second or reason == OVERLAPPING else None
        while True:
            setting = _setting(question, reason, rng) if first is None else settings[first.study]
            report = _accuracy(question, status, reason, first, setting, rng)
            if report.title not in titles and (second or report.study not in settings):
                break
        titles.add(report.title)
        settings.setdefault(report.study, setting)
        reports.append(report)
    return reports


def _setting(question: Question, reason: str, rng: random.Random) -> dict[str, str]:
    patients = rng.choice(WORDS["vague_patients"] if reason == WRONG_POPULATION else question.patients)
    return {**capitals({"p": patients}), "place": rng.choice(question.places)}


def _accuracy(
    question: Question,
    status: FullText,
    reason: str,
    first: Report | None,
    setting: dict[str, str],
    rng: random.Random,
) -> Report:
    """A report on the accuracy of the test for the disease; `first` is the study whose patients it shares."""
    plan = question.plan
    test = rng.choice(question.test if rng.random() < plan.wording else question.test_far)
    condition = rng.choice(question.condition if rng.random() < plan.wording else question.condition_far)
    if first is None or first.counts is None:
        counts = _counts(plan, rng)
    elif reason == SECOND_REPORT:
        counts = first.counts
    else:  # some of the first study's patients
        TP, FP, FN, TN = first.counts
        counts = (TP - TP // 3, FP - FP // 3, FN - FN // 3, TN - TN // 3)
    # Abstracts must not give away what only the full text can tell.
    vague = reason in (WRONG_REFERENCE, WRONG_POPULATION) or rng.random() < 0.3
    values = {
        **_said_once(rng),
        **capitals({"t": test, "c": condition}),
        **_numbers(*counts),
        **setting,
        "ref": rng.choice(WORDS["vague_references"]) if vague else question.reference,
    }
    sentences = [rng.choice(WORDS["aims"]), rng.choice(WORDS["methods"])]
    if rng.random() < 0.6:
        sentences.insert(0, rng.choice(question.facts))
    if status != "no data" or rng.random() < 0.4:
        sentences.append(rng.choice(WORDS["results"]))
    tells = status == "data" and rng.random() < 0.35
    sentences.append(rng.choice(WORDS["rates"] if tells else NO_RATES))
    sentences.append(rng.choice(CONCLUSIONS))
    extra = [each for each in (*WORDS["beside_rates"], *WORDS["spare_conclusions"]) if each not in sentences]
    abstract = _abstract(sentences, rng.sample(extra, len(extra)), values, rng)
    authors, year = _authors(rng), rng.randint(1997, 2022)
    if first is not None:
        year = first.year + rng.randint(0, 2)
    study = f"{authors.split(' ')[0]} {year}"
    if first is not None and reason == SECOND_REPORT:
        authors, study = first.authors, first.study
    return Report(
        title=fill(rng.choice(WORDS["accuracy_titles"]), values, WORDS["slots"], rng),
        abstract=abstract,
        authors=authors,
        year=year,
        kind="accuracy",
        full_text=_full_text(question, status, reason, first, values, rng),
        status=status,
        reason=f"{reason} {first.study}" if reason == SECOND_REPORT and first else reason,
        study=study,
        counts=counts if status == "data" else None,
    )


def _full_text(
    question: Question,
    status: FullText,
    reason: str,
    first: Report | None,
    values: Mapping[str, str],
    rng: random.Random,
) -> str:
    """What a reader of the full text learns."""
    if status == "not retrieved":
        return str(rng.choice(WORDS["not_retrieved"]))
    opening = rng.choice(WORDS["full_openings"])
    tested = rng.choice(WORDS["full_tests"])
    referred = rng.choice(WORDS["full_references"])
    own = dict(values) | {
        "ref": question.reference,
        **capitals({"positive": question.positive}),
        "other": first.study if first else "",
        "pct2": str(rng.randint(62, 93)),
        "pct3": str(5 * rng.randint(12, 18)),
    }
    if status == "data":
        sentences = [opening, tested, referred, rng.choice(WORDS["counts"])]
        sentences.insert(rng.choice((3, 4)), rng.choice(WORDS["left_out"]))
    elif reason == SECOND_REPORT:
        sentences = [opening, WORDS["second_report"]]
    elif status == "no data":
        sentences = [opening, tested, referred, WORDS["without_data"][reason]]
    else:
        wrong = question.wrong_references if reason == WRONG_REFERENCE else question.wrong_patients
        own["wrong"] = rng.choice(wrong)
        # A sentence that would contradict what is wrong is left out.
        sentences = [tested if reason == WRONG_POPULATION else opening, WORDS["excluded"][reason]]
    return " ".join(fill(sentence, own, WORDS["slots"], rng) for sentence in sentences)


def _other(question: Question, kind: str, rng: random.Random) -> Report:
    """A report that title and abstract rule out."""
    test = rng.choice(question.test if rng.random() < OTHER_WORDING else question.test_far)
    condition = rng.choice(question.condition if rng.random() < OTHER_WORDING else question.condition_far)
    rival, rival2 = rng.sample(question.rivals, 2)
    lookalike = rng.choice(question.lookalikes)
    patients = rng.choice(question.patients)
    technical, treatment = rng.choice(question.technical), rng.choice(question.treatments)
    diseased = rng.randint(15, 140)
    participants = diseased + rng.randint(30, 300)
    words = {"t": test, "c": condition, "p": patients, "r": rival, "l": lookalike, "tech": technical}
    values = {
        **_said_once(rng),
        **capitals(words | {"treat": treatment, "n": str(participants)}),
        "place": rng.choice(question.places),
        "ref": question.reference,
        "r2": rival2,
        "big": str(participants),
        "n1": str(diseased),
        "sens": str(rng.randint(48, 96)),
        "spec": str(rng.randint(60, 97)),
    }
    title = rng.choice(tuple(WORDS["opinions"]) if kind == "opinion" else WORDS["other_titles"][kind])
    about = values
    if kind == "other test":
        about = values | capitals({"t": rival, "c": condition})
    elif kind == "other disease":
        about = values | capitals({"t": test, "c": lookalike, "p": f"patients who may have {lookalike}"})
        about["ref"] = rng.choice(WORDS["vague_references"])
    if kind in ("other test", "other disease"):
        drawn = WORDS["aims"], WORDS["methods"], WORDS["results"], (*WORDS["rates"], *NO_RATES)
        sentences = [rng.choice(each) for each in drawn]
        spare = [rng.choice(CONCLUSIONS), *rng.sample(WORDS["beside_rates"], 2)]
    else:
        pool = WORDS["other_sentences"][kind]
        lead = WORDS["opinions"][title] if kind == "opinion" else pool[0]
        rest = [sentence for sentence in pool if sentence != lead]
        kept = set(rng.sample(rest, rng.randint(4, len(rest) - 1)))
        sentences = [lead, *(sentence for sentence in rest if sentence in kept)]
        spare = []
        if kind != "technique" and rng.random() < 0.5:
            sentences.insert(0, rng.choice(question.facts))
    return Report(
        title=fill(title, values, WORDS["slots"], rng),
        abstract=_abstract(sentences, [each for each in spare if each not in sentences], about, rng),
        authors=_authors(rng),
        year=rng.randint(1996, 2023),
        kind=kind,
    )


# --- pieces ---------------------------------------------------------------------------------------


def _said_once(rng: random.Random) -> dict[str, str]:
    """Durations and the like, the same in title, abstract and full text."""
    return {slot: rng.choice(choices) for slot, choices in WORDS["slots"].items()}


def _numbers(TP: int, FP: int, FN: int, TN: int) -> dict[str, str]:
    n1, n2 = TP + FN, FP + TN
    counts = {"TP": TP, "FP": FP, "FN": FN, "TN": TN, "n1": n1, "n2": n2, "n": n1 + n2, "N": n1 + n2}
    counts |= {"pos": TP + FP, "neg": FN + TN, "sens": round(100 * TP / n1), "spec": round(100 * TN / n2)}
    return {name: str(count) for name, count in counts.items()}


def _counts(plan: Plan, rng: random.Random) -> tuple[int, int, int, int]:
    """A study's table under the review's model; its two logits are independent."""

    def group(median: float, rate: float) -> tuple[int, int]:
        size = max(LEAST, round(median * math.exp(rng.gauss(0, SIZE_SPREAD))))
        own = 1 / (1 + math.exp(-math.log(rate / (1 - rate)) - rng.gauss(0, plan.tau)))
        hits = sum(rng.random() < own for _ in range(size))
        return hits, size - hits

    TP, FN = group(DISEASED, plan.sensitivity)
    TN, FP = group(HEALTHY, plan.specificity)
    return TP, FP, FN, TN


def _abstract(sentences: list[str], spare: list[str], values: Mapping[str, str], rng: random.Random) -> str:
    """The sentences, with spare ones until the abstract is long enough."""
    wanted = rng.randint(SHORTEST, SHORTEST + 30)
    spoken = [fill(sentence, values, WORDS["slots"], rng) for sentence in sentences]
    for sentence in spare:
        if len(" ".join(spoken).split()) >= wanted:
            break
        spoken.append(fill(sentence, values, WORDS["slots"], rng))
    return " ".join(spoken)


def _authors(rng: random.Random) -> str:
    names = rng.sample(WORDS["surnames"], rng.randint(2, 5))
    return "; ".join(f"{name} {rng.choice(WORDS['initials'])}" for name in names)
