"""Simulated reports of published trials: abstracts and full texts are invented, the counts are those of the trials.

Each search holds a report of every trial of a published set, reports that turn out to have no usable numbers, and
others that title and abstract rule out.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import cycle

from scripts.make_samples.diagnostic import Report
from scripts.make_samples.grammar import capitals, fill, read_folder, read_words
from tarstop_core.documents.reports import FullText
from tarstop_core.effects.studies import Studies
from tarstop_core.samples.collections import published_effects

SEED = 2912
FAR = 0.25  # chance that a trial is reported in words that a search for the question finds late
WITHOUT = 6  # reports that are let through and bring no numbers, one of which cannot be had
NOT_HAD, NOT_SUPPLIED = "not to be had", "The library could not supply this report. (Simulated text.)"
AUTHOR = "Simulated author"
STATUS: dict[str, tuple[FullText, str]] = {
    "no numbers by group": ("no data", "Simulated report"),
    NOT_HAD: ("not retrieved", ""),
}
"""Of reports without numbers that are not excluded, by the reason: what becomes of them, and their study."""


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


WORDS = read_words(files(__package__) / "trials.toml")  # says what stands for what
SUBJECTS: tuple[Subject, ...] = read_folder(Subject, files(__package__) / "trials")


def simulate_trials() -> list[tuple[Subject, list[Report]]]:
    """The searches, in the order of `SUBJECTS`, each with its reports in order of identifier."""
    sets = {published.name: published.studies for published in published_effects()}
    searches = []
    for subject in SUBJECTS:
        rng = random.Random(f"{SEED} {subject.topic}")
        numbers = rng.sample(range(100_000, 1_000_000), subject.documents)
        pool = zip(numbers, _pool(subject, sets[subject.published], rng), strict=False)
        reports = [replace(report, id=f"SIM-{number}") for number, report in pool]
        searches.append((subject, sorted(reports, key=lambda report: report.id)))
    return searches


def _pool(subject: Subject, studies: Studies, rng: random.Random) -> Iterator[Report]:
    """A report of each published trial, whose counts stand in the full text; some without numbers; others without end."""
    titles = set[str]()
    for study, row in zip(studies.study, studies.values.tolist(), strict=True):
        numbers = {column: int(value) for column, value in zip(studies.form.columns, row, strict=True)}
        title, values = _titled(WORDS["titles"], subject, titles, rng)
        name, year = study.rsplit(" ", 1)
        cells = (numbers[f"{what}_{arm}"] for what in ("events", "n") for arm in ("treated", "control"))
        values |= {key: f"{count:,}" for key, count in zip("abmk", cells, strict=True)}
        values["n"] = f"{numbers['n_treated'] + numbers['n_control']:,}"
        parts = WORDS["full_openings"], WORDS["full_counts"], WORDS["full_ends"]
        text = fill(" ".join([rng.choice(part) for part in parts]), values, {}, rng)
        authors = "; ".join(name.removesuffix(" et al").split(" & "))
        report = Report(title, _abstract(subject, values, rng), authors, int(year), "trial", text, "data")
        yield replace(report, study=study, numbers=numbers)
    again = rng.sample([*WORDS["full_without"]], WITHOUT - 1 - len(WORDS["full_without"]))
    for reason in [*WORDS["full_without"], NOT_HAD, *again]:
        title, values = _titled(WORDS["titles"], subject, titles, rng)
        abstract, written = _abstract(subject, values, rng), rng.randint(1950, 2006)
        status, study = STATUS.get(reason, ("excluded", ""))
        text = fill(WORDS["full_without"].get(reason, NOT_SUPPLIED), values, {}, rng)
        yield Report(title, abstract, AUTHOR, written, "trial", text, status, reason, study)
    for kind in cycle(WORDS["others"]):
        title, abstract = WORDS["others"][kind]
        title, values = _titled((title,), subject, titles, rng)
        yield Report(title, fill(abstract, values, {}, rng), AUTHOR, rng.randint(1950, 2006), kind)


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
    parts = WORDS["aims"], WORDS["methods"], WORDS["results"], WORDS["conclusions"], WORDS["ends"]
    sentences = [rng.choice(part) for part in parts]
    if rng.random() < 0.6:
        sentences.insert(0, rng.choice(subject.facts))
    return fill(" ".join(sentences), values, {}, rng)
