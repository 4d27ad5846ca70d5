"""Every formula, assumption and source, and every word of the interface: one text each.

A section of formulas is a file of ``methods/``, a theme of words one of ``glossary/``; rules describe themselves.
`python -m tarstop_core.teaching.reference` prints docs/methods.md.
"""

import inspect
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from tarstop_core.policies import POLICIES, Parameter, Policy
from tarstop_core.policies.registry import message as rule_message
from tarstop_core.presentation.messages import Messages


def _plain(value: Any) -> Any:
    """Return lists as tuples, texts without the line breaks that keep their file readable."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, str):
        return value.replace("\n", " ")
    return tuple(value) if isinstance(value, list) else value


def _read(folder: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the names and contents of all TOML files of a folder beside this module."""
    for file in (resources.files("tarstop_core.teaching") / folder).iterdir():
        if file.name.endswith(".toml"):
            yield file.name.removesuffix(".toml"), _plain(tomllib.loads(file.read_text("utf-8")))


# --- formulas -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Formula:
    """One formula with what it rests on; a section's file gives its fields by their names, under its key."""

    key: str  # Names it in addresses: ``formulas#key``
    title: str
    text: str  # Markdown, with formulas between dollars
    source: str  # Its place in the paper, or its publication
    computed_by: tuple[str, ...]  # Functions and methods, below ``tarstop_core``
    formula: str = ""  # LaTeX; "" where it is said in words
    assumption: str = ""  # What is assumed because the source is silent; "" where nothing is


@dataclass(frozen=True)
class Section:
    """Formulas that belong together."""

    place: int  # Where it stands among the sections
    title: str
    formulas: tuple[Formula, ...]
    intro: str = ""


FAMILIES = {
    "paper's policy": "The paper's policies",
    "beyond the paper": "Beyond the paper",
    "paper's baseline": "The paper's baselines",
    "reference": "References",
}


@cache
def sections() -> tuple[Section, ...]:
    """Return all sections in their order."""
    every = []
    for _, content in _read("methods"):
        fields = {name: content.pop(name) for name in ("place", "title", "intro") if name in content}
        formulas = tuple(Formula(key, **formula) for key, formula in content.items())
        every.append(Section(formulas=formulas, **fields))
    return tuple(sorted(every, key=lambda section: section.place))


@cache
def formulas() -> dict[str, Formula]:
    """Return all formulas by key; the rules are not among them."""
    return {formula.key: formula for section in sections() for formula in section.formulas}


def by_family() -> dict[str, list[type[Policy]]]:
    """Return the rules under the titles of their families."""
    rules = POLICIES.values()
    return {title: [rule for rule in rules if rule.family == family] for family, title in FAMILIES.items()}


# Letters with an index, as documentation of code writes them: ρ_{d+1}, b_d, max_{d<D≤d+m}.
_INDEXED = re.compile(r"(?<![\w])(max|min|[A-Za-zρΣΛ])_(\{[^{}]*\}|[A-Za-z0-9]+)")


def details(policy: type[Policy]) -> str:
    """Return a rule's own documentation after its first paragraph, which rule and formula say too.

    It is Markdown: indexed letters are formulas, every other sign is as it is.
    """
    text = (inspect.getdoc(policy) or "").partition("\n\n")[2]
    text = text.split("Parameters\n---")[0].strip()
    text = re.sub(r"``?([^`]+)``?", r"\1", text)
    parts, end = [], 0
    for match in _INDEXED.finditer(text):
        letter = f"\\{match[1]}" if len(match[1]) > 1 else match[1]
        index = match[2].strip("{}").replace("<", "\\lt ")
        index = f"\\mathrm{{{index}}}" if index.isalpha() and len(index) > 1 else index
        parts += [_literal(text[end : match.start()]), f"${letter}_{{{index}}}$"]
        end = match.end()
    return "".join((*parts, _literal(text[end:])))


def _literal(text: str) -> str:
    return re.sub(r"([\\*_<>$|])", r"\\\1", text)


def _tried(parameter: Parameter) -> str:
    return "/".join(f"{value:g}" if isinstance(value, float) else str(value) for value in parameter.grid)


def _code(policy: type[Policy]) -> str:
    return f"{policy.__module__.removeprefix('tarstop_core.')}.{policy.__name__}"


def _needs(policy: type[Policy]) -> str:
    return rule_message("needs", kind=policy)


_METHODS = Messages("teaching/methods.jinja", details=details, tried=_tried, code=_code, needs=_needs)


def _markdown(macro: str, **values: Any) -> str:
    return _METHODS.text(macro, **values).strip()


def body(formula: Formula) -> str:
    """Return the text below a formula's title, as Markdown."""
    return _markdown("formula", formula=formula)


def rule_body(policy: type[Policy]) -> str:
    """Return what stands below a rule's title: its own words, its formula, its parameters and its source."""
    return _markdown("rule", policy=policy)


def document() -> str:
    """Return the page docs/methods.md."""
    return _markdown("document", sections=sections(), families=by_family()) + "\n"


# --- words --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """One word; a theme's file gives its fields by their names, under its key."""

    key: str  # Names it in addresses
    name: str  # As the interface says it
    meaning: str  # One to three sentences; plain words first
    symbol: str = ""  # LaTeX; "" without one
    also: tuple[str, ...] = ()  # Other names, found by the search
    explained: str = ""  # Key of a formula, or of a rule, that has formula and source
    origin: str = ""  # Publication or practice, where no formula says it
    related: tuple[str, ...] = ()  # Keys of other terms
    idea: str = ""  # What the switch of "Ideas in pictures" calls the idea that shows it
    group: str = ""  # The title of its group

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

    def is_called(self, words: str) -> bool:
        """Return whether one of its names holds this phrase."""
        return any(words.casefold().strip() in name.casefold() for name in (self.name, *self.also))


GROUPS: dict[str, Any] = dict(_read())["groups"]
"""Titles of the groups, and what rules do not say of themselves."""
FIRST: str = GROUPS["first"]
"""Title of the words that a newcomer needs."""


@cache
def terms() -> dict[str, Term]:
    """Return all terms by key, in the order of their names; rules as they describe themselves."""
    titles, related, ideas = GROUPS["titles"], GROUPS["related"], GROUPS["ideas"]
    every = [
        Term(key, **fields, group=titles[theme])
        for theme, content in _read("glossary")
        for key, fields in content.items()
    ]
    for name, rule in POLICIES.items():
        beside, idea = related[rule.family], ideas.get(name, "")
        every.append(
            Term(
                name, rule.title, rule.rule, explained=name, related=beside, idea=idea, group=titles["rules"]
            )
        )
    return {term.key: term for term in sorted(every, key=lambda term: term.name.casefold())}


def grouped() -> dict[str, list[Term]]:
    """Return all terms by the titles of their groups; before them once more, in order, those that a newcomer needs."""
    every = terms()
    newcomers = {FIRST: [every[key] for key in GROUPS["newcomers"]]}
    titles = GROUPS["titles"].values()
    return newcomers | {title: [term for term in every.values() if term.group == title] for title in titles}


def matching(words: str) -> list[Term]:
    """Return terms in which all these words occur, those first in whose name they do."""
    matched = [term for term in terms().values() if term.says(words)]
    return sorted(matched, key=lambda term: not term.is_called(words))


_ADDED = re.compile("[(,]")
LONG_ENOUGH = 20
"""Letters from which the beginning of a phrase is taken for the phrase."""


def named(words: str) -> Term | None:
    """Return the term that a page calls so, whatever is added in brackets or behind a comma; None without one."""
    phrase, names = words.casefold().strip(), _names()
    exact = names.get(phrase) or names.get(_ADDED.split(phrase)[0].rstrip())
    if exact:
        return exact
    begun = [name for name in names if len(name) >= LONG_ENOUGH and phrase.startswith(name)]
    return names[max(begun, key=len)] if begun else None


@cache
def _names() -> dict[str, Term]:
    """Return terms by everything that they are called; a name goes before another term's other name."""
    others = {name.casefold(): term for term in terms().values() for name in term.also}
    return others | {term.name.casefold(): term for term in terms().values()}


if __name__ == "__main__":
    print(document(), end="")
