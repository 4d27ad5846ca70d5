"""What every word of the interface means, in one to three sentences: a theme a file, beside this one.

Formulas and sources are those of :mod:`tarstop_core.teaching.methods`, and a rule's are the rule's own.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from tarstop_core.policies import POLICIES
from tarstop_core.teaching.methods import formulas


@dataclass(frozen=True)
class Term:
    """One word; a theme's file gives its fields by their names, under its key."""

    key: str  # Names it in addresses
    name: str  # As the interface says it
    meaning: str  # One to three sentences; plain words first
    symbol: str = ""  # LaTeX; "" without one
    also: tuple[str, ...] = ()  # Other names, found by the search
    explained: str = ""
    """Key of a formula (:func:`tarstop_core.teaching.methods.formulas`), or of a rule, that has formula and source."""
    origin: str = ""  # Publication or practice, where no formula says it
    related: tuple[str, ...] = ()  # Keys of other terms
    idea: str = ""  # What the switch of "Ideas in pictures" calls the idea that shows it
    group: str = ""  # One of :data:`GROUPS`

    @property
    def formula(self) -> str:
        """LaTeX, or ""."""
        formula = formulas().get(self.explained) or POLICIES.get(self.explained)
        return formula.formula if formula else ""

    @property
    def source(self) -> str:
        """Its place in the paper or its publication, or ""."""
        formula = formulas().get(self.explained) or POLICIES.get(self.explained)
        return self.origin or (formula.source if formula else "")

    def says(self, words: str) -> bool:
        """Return whether all these words occur in it."""
        text = " ".join((self.name, self.meaning, self.key, *self.also)).casefold()
        return all(word in text for word in words.casefold().split())


# Rules are compared with those of their family.
_BESIDE = {
    "paper's policy": ("stopping-rule", "score"),
    "beyond the paper": ("stopping-rule",),
    "paper's baseline": ("baseline", "recall"),
    "reference": ("stopping-rule", "regret"),
}
GROUPS = {
    "reading": "Reading",
    "stakes": "What is at stake",
    "belief": "What is believed",
    "value": "What reading is worth",
    "rules": "Stopping rules",
    "reviews": "Tests and reviews",
    "calibration": "Chances",
    "sessions": "Sessions",
    "experiments": "Experiments",
}
"""Titles by the names of their files, in the order in which one meets them; rules describe themselves."""
FIRST = "To begin with"
_FIRST = """screening document ranking relevant chance belief q-star payoffs cost worth stopping-rule recall net-utility
sensitivity specificity prevalence predictive-values likelihood-ratios""".split()
_IDEAS = {"optimal": "One document", "greedy": "One document", "look-ahead": "One document"}


def _written() -> Iterator[Term]:
    """Yield the terms of all themes."""
    for file in resources.files(__name__).iterdir():
        if file.name.endswith(".toml"):
            for key, fields in tomllib.loads(file.read_text("utf-8")).items():
                also, related = (tuple(fields.pop(name, ())) for name in ("also", "related"))
                group = GROUPS[file.name.removesuffix(".toml")]
                yield Term(key, also=also, related=related, group=group, **fields)


@lru_cache(maxsize=1)
def terms() -> dict[str, Term]:
    """Return all terms by key, in the order of their names; rules as they describe themselves."""
    every = [*_written()]
    for name, policy in POLICIES.items():
        term = Term(name, policy.title, policy.rule, explained=name, related=_BESIDE[policy.family])
        every.append(replace(term, idea=_IDEAS.get(name, ""), group=GROUPS["rules"]))
    every.sort(key=lambda term: term.name.casefold())
    return {term.key: term for term in every}


def grouped() -> dict[str, list[Term]]:
    """Return all terms by the titles of their groups; before them once more, in order, those that a newcomer needs."""
    every = terms()
    begin = {FIRST: [every[key] for key in _FIRST]}
    return begin | {
        title: [term for term in every.values() if term.group == title] for title in GROUPS.values()
    }


def matching(words: str) -> list[Term]:
    """Return terms in which all these words occur, those first in whose name they do."""
    return sorted(
        (term for term in terms().values() if term.says(words)), key=lambda term: not _named(term, words)
    )


def _named(term: Term, words: str) -> bool:
    return any(words.casefold().strip() in name.casefold() for name in (term.name, *term.also))


def named(words: str) -> Term | None:
    """Return the term that a page calls so, whatever is added in brackets or behind a comma; None without one."""
    phrase = words.casefold().strip()
    names = _names()
    exact = names.get(phrase) or names.get(_ADDED.split(phrase)[0].rstrip())
    if exact:
        return exact
    begun = [name for name in names if len(name) >= LONG_ENOUGH and phrase.startswith(name)]
    return names[max(begun, key=len)] if begun else None


_ADDED = re.compile("[(,]")
LONG_ENOUGH = 20
"""Letters from which the beginning of a phrase is taken for the phrase."""


@lru_cache(maxsize=1)
def _names() -> dict[str, Term]:
    """Return terms by everything that they are called; a name goes before another term's other name."""
    others = {name.casefold(): term for term in terms().values() for name in term.also}
    return others | {term.name.casefold(): term for term in terms().values()}
