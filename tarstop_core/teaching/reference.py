"""All formulas with their assumptions and sources, and all terms of the interface.

Each section of formulas is a file in ``methods/``, each theme of terms a file in ``glossary/``; rules have their own
descriptions. `python -m tarstop_core.teaching.reference` prints docs/methods.md.
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
    """Return lists as tuples, and texts without the line breaks of their file."""
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
    """A formula with its source and assumptions; the file of its section has its fields under its key."""

    key: str  # Its name in addresses: ``formulas#key``
    title: str
    text: str  # Markdown, with formulas between dollars
    source: str  # Its place in the paper, or its publication
    computed_by: tuple[str, ...]  # Functions and methods that compute it, below ``tarstop_core``
    formula: str = ""  # LaTeX; "" if the text describes it in words
    assumption: str = ""  # Assumption where the source states nothing; "" if none is needed


@dataclass(frozen=True)
class Section:
    """A section of formulas."""

    place: int  # Position among the sections
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
    unordered = []
    for _, content in _read("methods"):
        fields = {name: content.pop(name) for name in ("place", "title", "intro") if name in content}
        formulas = tuple(Formula(key, **formula) for key, formula in content.items())
        unordered.append(Section(formulas=formulas, **fields))
    return tuple(sorted(unordered, key=lambda section: section.place))


@cache
def formulas() -> dict[str, Formula]:
    """Return all formulas by key, without those of rules."""
    return {formula.key: formula for section in sections() for formula in section.formulas}


def by_family() -> dict[str, list[type[Policy]]]:
    """Return the rules by the title of their family."""
    rules = POLICIES.values()
    return {title: [rule for rule in rules if rule.family == family] for family, title in FAMILIES.items()}


# Letters with an index as in docstrings: ρ_{d+1}, b_d, max_{d<D≤d+m}.
_INDEXED = re.compile(r"(?<![\w])(max|min|[A-Za-zρΣΛ])_(\{[^{}]*\}|[A-Za-z0-9]+)")


def details(policy: type[Policy]) -> str:
    """Return the docstring of a rule as Markdown, without its first paragraph, which repeats rule and formula.

    Letters with an index become formulas; all other characters stay as they are.
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
    """Return the text below a rule's title as Markdown: description, formula, parameters and source."""
    return _markdown("rule", policy=policy)


def document() -> str:
    """Return the page docs/methods.md."""
    return _markdown("document", sections=sections(), families=by_family()) + "\n"


# --- words --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """A term of the interface; the file of its theme has its fields under its key."""

    key: str  # Its name in addresses
    name: str  # Its name in the interface
    meaning: str  # One to three sentences; plain words first
    symbol: str = ""  # LaTeX; "" without one
    also: tuple[str, ...] = ()  # Other names, which the search finds
    explained: str = ""  # Key of the formula or rule that has formula and source
    origin: str = ""  # Publication or practice, if no formula states it
    related: tuple[str, ...] = ()  # Keys of other terms
    idea: str = ""  # Name of the idea in pictures that shows it
    group: str = ""  # The title of its group

    @property
    def formula(self) -> str:
        """Its formula in LaTeX, or ""."""
        formula = formulas().get(self.explained) or POLICIES.get(self.explained)
        return formula.formula if formula else ""

    @property
    def source(self) -> str:
        """Its place in the paper or its publication, or ""."""
        formula = formulas().get(self.explained) or POLICIES.get(self.explained)
        return self.origin or (formula.source if formula else "")

    def says(self, words: str) -> bool:
        """Whether all these words occur in its names or its meaning."""
        text = " ".join((self.name, self.meaning, self.key, *self.also)).casefold()
        return all(word in text for word in words.casefold().split())

    def is_called(self, words: str) -> bool:
        """Whether one of its names contains this phrase."""
        return any(words.casefold().strip() in name.casefold() for name in (self.name, *self.also))


GROUPS: dict[str, Any] = dict(_read())["groups"]
"""Titles of the groups, and the related terms and ideas of rules."""
FIRST: str = GROUPS["first"]
"""Title of the group of terms that a newcomer needs."""


@cache
def terms() -> dict[str, Term]:
    """Return all terms by key in the order of their names, rules among them."""
    titles, related, ideas = GROUPS["titles"], GROUPS["related"], GROUPS["ideas"]
    unordered = [
        Term(key, **fields, group=titles[theme])
        for theme, content in _read("glossary")
        for key, fields in content.items()
    ]
    for name, rule in POLICIES.items():
        links = {"explained": name, "related": related[rule.family], "idea": ideas.get(name, "")}
        unordered.append(Term(name, rule.title, rule.rule, **links, group=titles["rules"]))
    return {term.key: term for term in sorted(unordered, key=lambda term: term.name.casefold())}


def grouped() -> dict[str, list[Term]]:
    """Return all terms by the titles of their groups, after a first group of those that a newcomer needs."""
    by_key = terms()
    newcomers = {FIRST: [by_key[key] for key in GROUPS["newcomers"]]}
    titles = GROUPS["titles"].values()
    return newcomers | {title: [term for term in by_key.values() if term.group == title] for title in titles}


def matching(words: str) -> list[Term]:
    """Return the terms in which all these words occur, first those with the phrase in a name."""
    matched = [term for term in terms().values() if term.says(words)]
    return sorted(matched, key=lambda term: not term.is_called(words))


_ADDED = re.compile("[(,]")
LONG_ENOUGH = 20
"""Fewest letters of a name that a phrase may begin with to count as that name."""


def named(words: str) -> Term | None:
    """Return the term of a phrase on a page, ignoring additions in brackets or after a comma; None if there is none."""
    phrase, names = words.casefold().strip(), _names()
    exact = names.get(phrase) or names.get(_ADDED.split(phrase)[0].rstrip())
    if exact:
        return exact
    beginnings = [name for name in names if len(name) >= LONG_ENOUGH and phrase.startswith(name)]
    return names[max(beginnings, key=len)] if beginnings else None


@cache
def _names() -> dict[str, Term]:
    """Return terms by all their names in lower case; a main name takes precedence over another term's other names."""
    others = {name.casefold(): term for term in terms().values() for name in term.also}
    return others | {term.name.casefold(): term for term in terms().values()}


if __name__ == "__main__":
    print(document(), end="")
