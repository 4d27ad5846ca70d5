"""Simulated reports of published trials: abstracts and full texts are invented, the counts are those of the trials.

Each search holds a report of every trial of a published set, reports that turn out to have no usable numbers, and
others that title and abstract rule out.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from scripts.make_samples.grammar import capitals, fill
from scripts.make_samples.words import read, read_folder
from tarstop_core.documents.reports import FullText
from tarstop_core.samples.collections import published_effects

SEED = 2912
FAR = 0.25  # chance that a trial is reported in words that a search for the question finds late
WITHOUT = 6  # reports that are let through and bring no numbers, one of which cannot be had


@dataclass(frozen=True)
class Words:
    """What is said of any treatment: the fields of `trials.toml`, which says what stands for what."""

    titles: tuple[str, ...]
    aims: tuple[str, ...]
    methods: tuple[str, ...]
    results: tuple[str, ...]
    conclusions: tuple[str, ...]
    ends: tuple[str, ...]
    full_openings: tuple[str, ...]
    full_counts: tuple[str, ...]
    full_ends: tuple[str, ...]
    full_without: dict[str, str]
    others: dict[str, tuple[str, ...]]
    """By kind: title and abstract."""


@dataclass(frozen=True)
class Subject:
    """A treatment, and the vocabulary of reports about it."""

    topic: str
    published: str  # name of the published set
    title: str
    question: str
    criteria: str
    documents: int  # in the search
    treatments: tuple[str, ...]
    far_treatments: tuple[str, ...]
    controls: tuple[str, ...]
    people: tuple[str, ...]
    wrong_people: tuple[str, ...]
    outcomes: tuple[str, ...]
    other_outcomes: tuple[str, ...]
    events: str
    places: tuple[str, ...]
    rivals: tuple[str, ...]
    lookalikes: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """One simulated report; fields as those of a report of a review."""

    id: str
    title: str
    abstract: str
    authors: str
    year: int
    full_text: str = ""
    status: FullText | str = ""  # "" where title and abstract rule it out
    reason: str = ""
    study: str = ""
    numbers: Mapping[str, float] | None = None


WORDS = read(Words, files(__package__) / "trials.toml")
SUBJECTS: tuple[Subject, ...] = read_folder(Subject, files(__package__) / "trials")


def simulate_trials() -> list[tuple[Subject, list[Report]]]:
    """The searches, in the order of `SUBJECTS`, each with its reports in order of identifier."""
    sets = {published.name: published.studies for published in published_effects()}
    searches = []
    for subject in SUBJECTS:
        rng, studies = random.Random(f"{SEED} {subject.topic}"), sets[subject.published]
        numbers = iter(rng.sample(range(100_000, 1_000_000), subject.documents))
        titles = set[str]()
        reports = [
            _trial(
                subject, name, dict(zip(studies.form.columns, row, strict=True)), next(numbers), titles, rng
            )
            for name, row in zip(studies.study, studies.values.tolist(), strict=True)
        ]
        again = rng.sample([*WORDS.full_without], WITHOUT - 1 - len(WORDS.full_without))
        reasons = [*WORDS.full_without, "", *again]
        reports += [_without(subject, reason, next(numbers), titles, rng) for reason in reasons]
        kinds = [*WORDS.others]
        reports += [
            _other(subject, kinds[at % len(kinds)], next(numbers), titles, rng)
            for at in range(subject.documents - len(reports))
        ]
        searches.append((subject, sorted(reports, key=lambda report: report.id)))
    return searches


def _values(subject: Subject, rng: random.Random) -> dict[str, str]:
    """One way to say everything."""
    near = rng.random() >= FAR
    words = {
        "t": rng.choice(subject.treatments if near else subject.far_treatments),
        "c": rng.choice(subject.controls),
        "p": rng.choice(subject.people),
        "x": rng.choice(subject.wrong_people),
        "o": rng.choice(subject.outcomes),
        "w": rng.choice(subject.other_outcomes),
        "e": subject.events,
        "r": rng.choice(subject.rivals),
        "l": rng.choice(subject.lookalikes),
    }
    ranges = {"months": (6, 60), "n": (60, 900), "a": (2, 9), "m": (40, 90)}
    counts = {name: str(rng.randint(*ends)) for name, ends in ranges.items()}
    return {**capitals(words), **counts, "place": rng.choice(subject.places)}


def _titled(
    templates: tuple[str, ...], subject: Subject, titles: set[str], rng: random.Random
) -> tuple[str, dict[str, str]]:
    """A title that is new, with the words it was made of."""
    while True:
        values = _values(subject, rng)
        title = fill(rng.choice(templates), values, {}, rng)
        if title not in titles:
            titles.add(title)
            return title, values


def _abstract(subject: Subject, values: Mapping[str, str], rng: random.Random) -> str:
    parts = WORDS.aims, WORDS.methods, WORDS.results, WORDS.conclusions, WORDS.ends
    sentences = [rng.choice(part) for part in parts]
    if rng.random() < 0.6:
        sentences.insert(0, rng.choice(subject.facts))
    return fill(" ".join(sentences), values, {}, rng)


def _trial(
    subject: Subject,
    study: str,
    counts: Mapping[str, float],
    number: int,
    titles: set[str],
    rng: random.Random,
) -> Report:
    """A report of a published trial: its counts stand in the full text."""
    title, values = _titled(WORDS.titles, subject, titles, rng)
    name, year = study.rsplit(" ", 1)
    treated, control = (int(counts[f"n_{arm}"]) for arm in ("treated", "control"))
    cells = (counts[f"{what}_{arm}"] for what in ("events", "n") for arm in ("treated", "control"))
    numbers = dict(zip("abmk", map(int, cells), strict=True))
    values |= {key: f"{count:,}" for key, count in numbers.items()} | {"n": f"{treated + control:,}"}
    parts = WORDS.full_openings, WORDS.full_counts, WORDS.full_ends
    text = fill(" ".join(rng.choice(part) for part in parts), values, {}, rng)
    return Report(
        id=f"SIM-{number}",
        title=title,
        abstract=_abstract(subject, values, rng),
        authors="; ".join(name.removesuffix(" et al").split(" & ")),
        year=int(year),
        full_text=text,
        status="data",
        study=study,
        numbers={column: int(value) for column, value in counts.items()},
    )


def _without(subject: Subject, reason: str, number: int, titles: set[str], rng: random.Random) -> Report:
    """A report that title and abstract let through and that brings no numbers; without a reason it cannot be had."""
    title, values = _titled(WORDS.titles, subject, titles, rng)
    text = (
        WORDS.full_without[reason]
        if reason
        else "The library could not supply this report. (Simulated text.)"
    )
    no_data = reason == "no numbers by group"
    return Report(
        id=f"SIM-{number}",
        title=title,
        abstract=_abstract(subject, values, rng),
        authors="Simulated author",
        year=rng.randint(1950, 2006),
        full_text=fill(text, values, {}, rng),
        status="no data" if no_data else "excluded" if reason else "not retrieved",
        reason=reason or "not to be had",
        study="Simulated report" if no_data else "",
    )


def _other(subject: Subject, kind: str, number: int, titles: set[str], rng: random.Random) -> Report:
    """A report that title and abstract rule out."""
    title, abstract = WORDS.others[kind]
    own_title, values = _titled((title,), subject, titles, rng)
    year = rng.randint(1950, 2006)
    return Report(f"SIM-{number}", own_title, fill(abstract, values, {}, rng), "Simulated author", year)
