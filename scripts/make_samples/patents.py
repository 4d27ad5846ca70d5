"""A simulated patent collection that a person can read: sixteen searches, eight of them with prior art.

A claim names three key features. A document of its pool discloses all (*prior art*), two (*near miss*), one
(*partial*), none (*same field*), or is a stray from another search. How deep prior art lies under BM25 follows from
`Plan.wording`. Nothing here describes a real patent.
"""

import random
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from typing import Annotated

from pydantic import BeforeValidator

from scripts.make_samples.grammar import apart, capitals, fill, ranked, read_folder, read_words, unlike
from tarstop_core.documents.topic import Topic
from tarstop_core.presentation.numbers import listed

DEFAULT_SEED = 1412

SHORTEST, LONGEST = 62, 118  # words of an abstract
NEAR_MISS_WORDING = 0.75  # chance that a near miss names a feature in the claim's words
PARTIAL_SHARE = 0.22  # of the pool
OTHER_FIELD_SHARE = 0.08

WORDS = read_words(files(__package__) / "patents.toml")  # says what stands for what


@dataclass(frozen=True)
class Mechanism:
    """Something a device can have: a short name for titles, a phrase for abstracts."""

    short: str
    phrase: str


def _by_name(phrases: dict[str, str]) -> list[dict[str, str]]:
    return [{"short": short, "phrase": phrase} for short, phrase in phrases.items()]


Mechanisms = Annotated[tuple[Mechanism, ...], BeforeValidator(_by_name)]  # in a file, phrases by short name


@dataclass(frozen=True)
class Feature:
    """One key feature of a claim."""

    label: str  # what it is called in reasons: "the spring detent"
    close: Mechanisms  # wordings near the claim's own words
    far: Mechanisms  # the same thing in other words, which a search by words finds late
    other: Mechanisms  # what documents have that solve this part of the problem differently


@dataclass(frozen=True)
class Plan:
    """How the pool of one topic is made up, set by hand so that first hits lie at varied depths under BM25."""

    prior_art: int  # documents that disclose everything; 0 in an ω⁻ topic
    wording: float  # chance that prior art names a feature in the claim's words, not in its own
    near_misses: int  # documents that disclose all but one feature, mostly in the claim's words
    documents: int  # size of the pool
    draw: int  # which of the topic's streams of random numbers is used


@dataclass(frozen=True)
class Invention:
    """An application and the vocabulary of its field; `topic` is the name of its file."""

    topic: str
    title: str
    claim: str
    devices: tuple[str, ...]
    uses: tuple[str, ...]
    purposes: tuple[str, ...]
    problems: tuple[str, ...]
    advantages: tuple[str, ...]
    operations: tuple[str, ...]
    extras: Mechanisms
    features: tuple[Feature, ...]
    plan: Plan


INVENTIONS: tuple[Invention, ...] = read_folder(Invention, files(__package__) / "inventions")


@dataclass(frozen=True)
class Document:
    """One invented document."""

    title: str
    abstract: str
    assignee: str
    year: int  # of publication
    kind: str  # one of "prior art", "near miss", "partial", "same field" or "other field"
    disclosed: tuple[bool, ...]  # which key features of the topic's claim the text contains
    reason: str  # a sentence for a demo: what it discloses and what it lacks
    id: str = ""  # publication number, such as "SIM-0412-A1"; unique in the whole collection

    @property
    def relevant(self) -> bool:
        return all(self.disclosed)


@dataclass(frozen=True)
class PatentTopic:
    """One simulated search: the application and its pool, in order of publication number."""

    invention: Invention
    documents: tuple[Document, ...]

    @property
    def omega(self) -> bool:
        """ω⁺: the pool holds prior art that discloses the whole claim."""
        return any(document.relevant for document in self.documents)

    def ranked(self, suffix: str = "") -> Topic:
        """The pool ranked with the claim as query; `suffix` is added to the name."""
        wanted = [document.relevant for document in self.documents]
        return ranked(f"{self.invention.topic}{suffix}", self.invention.claim, self.documents, wanted)


def simulate_patents(seed: int = DEFAULT_SEED) -> list[PatentTopic]:
    """The readable collection: 16 topics in the order of `INVENTIONS`, 8 with prior art; equal seeds give equal ones.

    No title occurs twice in a topic, no abstract twice at all.
    """
    abstracts: set[str] = set()
    each = apart(seed, "numbers", range(100, 10_000), INVENTIONS)
    return [_topic(invention, numbers, rng, abstracts) for invention, numbers, rng in each]


def _topic(invention: Invention, numbers: list[int], rng: random.Random, abstracts: set[str]) -> PatentTopic:
    plan = invention.plan
    counts = {"prior art": plan.prior_art, "near miss": plan.near_misses}
    counts["partial"] = round(PARTIAL_SHARE * plan.documents)
    strays = round(OTHER_FIELD_SHARE * plan.documents)
    counts["same field"] = plan.documents - sum(counts.values()) - strays
    kinds = Counter({**counts, "other field": strays}).elements()
    titles: set[str] = set()
    documents = []
    for nth, (kind, number) in enumerate(zip(kinds, numbers, strict=True)):
        document = unlike(partial(_document, invention, kind, plan.wording, nth, rng), titles, abstracts)
        kind_code = rng.choice(("A1", "A1", "A1", "B1", "B2", "U1"))
        documents.append(replace(document, id=f"SIM-{number:04d}-{kind_code}"))
    documents.sort(key=lambda document: document.id)
    return PatentTopic(invention, tuple(documents))


def _document(invention: Invention, kind: str, wording: float, nth: int, rng: random.Random) -> Document:
    """One document without its number; `nth` spreads the missing feature over the near misses."""
    if kind == "other field":
        field = rng.choice([other for other in INVENTIONS if other is not invention])
        shown: tuple[int, ...] = ()
        parts = [*rng.sample(field.extras, 2), rng.choice(rng.choice(field.features).other)]
    else:
        field = invention
        shown = (0, 1, 2) if kind == "prior art" else ()
        if kind == "near miss":
            shown = tuple(i for i in range(3) if i != nth % 3)
            wording = NEAR_MISS_WORDING
        elif kind == "partial":
            shown = (rng.randrange(3),)
            wording = 0.5
        told = [field.features[i] for i in shown]
        parts = [rng.choice(each.close if rng.random() < wording else each.far) for each in told]
        missing = [feature for i, feature in enumerate(field.features) if i not in shown]
        # A near miss always says what it has in place of the third feature; others may leave it open.
        solved = missing if kind == "near miss" else rng.sample(missing, rng.randint(0, len(missing)))
        parts += [rng.choice(feature.other) for feature in solved]
    parts = [replace(part, phrase=_fill(part.phrase, {}, rng)) for part in parts]
    instead = parts[-1].phrase if kind == "near miss" else ""
    used = {part.short for part in parts}
    extras = (extra for extra in rng.sample(field.extras, 4) if extra.short not in used)
    spare = [replace(extra, phrase=_fill(extra.phrase, {}, rng)) for extra in extras]
    while len(parts) < 3:
        parts.append(spare.pop())
    rng.shuffle(parts)
    title, abstract = _text(field, parts, spare, rng)
    return Document(
        title=title,
        abstract=abstract,
        assignee=f"{rng.choice(WORDS['name_roots'])} {rng.choice(WORDS['name_trades'])} {rng.choice(WORDS['name_forms'])}",
        year=rng.randint(1994, 2021),
        kind=kind,
        disclosed=tuple(i in shown for i in range(3)),
        reason=_reason(invention, field, kind, shown, instead),
    )


def _fill(template: str, values: dict[str, str], rng: random.Random) -> str:
    return fill(template, values, WORDS["slots"], rng)


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0].lower() in "aeiou" and not noun.startswith("uni") else f"a {noun}"


def _text(
    field: Invention, parts: list[Mechanism], spare: list[Mechanism], rng: random.Random
) -> tuple[str, str]:
    """Title and abstract of a document that has these three parts."""
    device = rng.choice(field.devices)
    # "a release binding for skis for beginners" would say "for" twice.
    use = "" if " for " in device else f" {rng.choice(field.uses)}"
    problems = rng.sample(field.problems, 2)
    purpose = rng.choice(field.purposes)
    operation = _fill(rng.choice(field.operations), {}, rng)
    advantages = [_fill(advantage, {}, rng) for advantage in rng.sample(field.advantages, 2)]
    values = {
        **capitals({"d": device, "a_d": _article(device), "op": operation, "adv": advantages[0]}),
        "use": use,
        "purpose": purpose,
        "problem": problems[0],
        **{f"m{i}": part.phrase for i, part in enumerate(parts, start=1)},
    }

    first, second = rng.sample(parts, 2)
    title_values = values | capitals({"s1": first.short, "s2": second.short})
    title = _fill(rng.choice(WORDS["titles"]), title_values, rng)

    opening = rng.choice(WORDS["openings"])
    later = [rng.choice(WORDS["operation_sentences"]), rng.choice(WORDS["advantage_sentences"])]
    if "{purpose}" not in opening and rng.random() < 0.5:
        later.insert(rng.randrange(2), rng.choice(WORDS["purpose_sentences"]))
    elif "{problem}" not in opening:
        later.insert(rng.randrange(3), rng.choice(WORDS["problem_sentences"]))
    sentences = [_fill(opening, values, rng)]
    if spare and rng.random() < 0.45:
        sentences.append(_fill(rng.choice(WORDS["extra_sentences"]), values | {"m": spare.pop().phrase}, rng))
    sentences += [_fill(sentence, values, rng) for sentence in later]
    again = values | capitals({"adv": advantages[1]}) | {"problem": problems[1]}
    fillers = rng.sample(WORDS["general_sentences"], 3)
    fillers.insert(rng.randrange(2), rng.choice([s for s in WORDS["problem_sentences"] if s not in later]))
    fillers.insert(rng.randrange(2), rng.choice(WORDS["extra_sentences"]))
    wanted = rng.randint(SHORTEST, LONGEST - 25)
    for filler in fillers:
        if len(" ".join(sentences).split()) >= wanted:
            break
        if "{m}" in filler:
            if not spare:
                continue
            again["m"] = spare.pop().phrase
        sentences.append(_fill(filler, again, rng))
    while len(" ".join(sentences).split()) > LONGEST:
        sentences.pop()
    return title, " ".join(sentences)


def _reason(invention: Invention, field: Invention, kind: str, shown: tuple[int, ...], instead: str) -> str:
    has = [feature.label for i, feature in enumerate(invention.features) if i in shown]
    lacks = [feature.label for i, feature in enumerate(invention.features) if i not in shown]
    if kind == "prior art":
        return f"Discloses all three key features: {listed(has)}."
    if kind == "near miss":
        return f"Discloses {listed(has)}, but not {lacks[0]}; it has {instead} instead."
    if kind == "partial":
        return f"Discloses {has[0]}, but neither {listed(lacks, 'nor')}."
    if kind == "same field":
        return "The same kind of device, but it discloses none of the three key features."
    return f"From another field ({field.title.lower()}); it discloses none of the three key features."
