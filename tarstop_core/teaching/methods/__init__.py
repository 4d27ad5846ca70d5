"""Every formula, assumption and source, once: a section a file beside this one, named like what it explains.

What a rule does is said by the rule itself. `python -m tarstop_core.teaching.methods` prints docs/methods.md.
"""

import inspect
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from tarstop_core.policies import POLICIES, Parameter, Policy


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
    intro: str
    formulas: tuple[Formula, ...]


FAMILIES = {
    "paper's policy": "The paper's policies",
    "beyond the paper": "Beyond the paper",
    "paper's baseline": "The paper's baselines",
    "reference": "References",
}


@cache
def sections() -> tuple[Section, ...]:
    """Return all sections in their order."""
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(".toml")]
    return tuple(
        sorted((_section(file.read_text("utf-8")) for file in files), key=lambda section: section.place)
    )


def _section(text: str) -> Section:
    content = _plain(tomllib.loads(text))
    place, title, intro = content.pop("place"), content.pop("title"), content.pop("intro", "")
    return Section(place, title, intro, tuple(Formula(key, **fields) for key, fields in content.items()))


def _plain(value: Any) -> Any:
    """Return lists as tuples, texts without the line breaks that keep their file readable."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, str):
        return value.replace("\n", " ")
    return tuple(value) if isinstance(value, list) else value


@cache
def formulas() -> dict[str, Formula]:
    """Return all formulas by key; the rules are not among them."""
    return {formula.key: formula for section in sections() for formula in section.formulas}


def body(formula: Formula) -> str:
    """Return what stands below a formula's title, as Markdown."""
    parts = [f"$$\n{formula.formula}\n$$"] if formula.formula else []
    parts.append(formula.text)
    if formula.assumption:
        parts.append(f"*Assumed.* {formula.assumption}")
    named = ", ".join(f"`{name}`" for name in formula.computed_by)
    parts.append(f"*Source.* {formula.source}.  \n*Computed by* {named}.")
    return "\n\n".join(parts)


def rule_body(policy: type[Policy]) -> str:
    """Return what stands below a rule's title: its own words, its formula, its parameters and its source."""
    parts = [policy.rule, f"$$\n{policy.formula}\n$$", details(policy)]
    parts += (
        ["\n".join(f"- {_parameter(parameter)}" for parameter in policy.parameters)]
        if policy.parameters
        else []
    )
    parts.append(
        f"*Source.* {policy.source}.  \n*Computed by* `{policy.__module__.removeprefix('tarstop_core.')}.{policy.__name__}`."
    )
    return "\n\n".join(parts)


# Letters with an index, as documentation of code writes them: ρ_{d+1}, b_d, max_{d<D≤d+m}.
_INDEXED = re.compile(r"(?<![\w])(max|min|[A-Za-zρΣΛ])_(\{[^{}]*\}|[A-Za-z0-9]+)")


def details(policy: type[Policy]) -> str:
    """Return a rule's own documentation as Markdown: indexed letters as formulas, every other sign as it is."""
    text = inspect.getdoc(policy) or ""
    text = text.split("\nParameters\n---")[0].strip()
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


def _parameter(parameter: Parameter) -> str:
    tried = ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in parameter.grid)
    return f"`{parameter.name}`: {parameter.meaning}. Tried in a grid search: {tried}."


def by_family() -> dict[str, list[type[Policy]]]:
    """Return the rules under the titles of their families."""
    rules = POLICIES.values()
    return {title: [rule for rule in rules if rule.family == family] for family, title in FAMILIES.items()}


def document() -> str:
    """Return the page docs/methods.md."""
    parts = [
        "# Methods\n\nEvery formula with its source, what is assumed where the paper is silent, and the function that computes it. "
        "“The paper” is Fletcher & Stevenson, *Decision-Theoretic Stopping Rules for Document Screening*; symbols are the paper's. "
        "The Learn page shows the same under *Formulas*, and its glossary has the words. Names of functions are below `tarstop_core`. "
        "Written by `python -m tarstop_core.teaching.methods`."
    ]
    for section in sections():
        parts.append(f"## {section.title}")
        parts += [section.intro] if section.intro else []
        parts += [f"### {formula.title}\n\n{body(formula)}" for formula in section.formulas]
    parts.append(
        "## The rules\n\nEach rule says itself what it does; so do the sliders, the command line and the tables. "
        "`either(…;…)` stops where the first of several rules stops, `both(…;…)` where all do."
    )
    for title, rules in by_family().items():
        parts.append(f"### {title}")
        parts += [f"#### {policy.title}\n\n{rule_body(policy)}" for policy in rules]
    return "\n\n".join(parts) + "\n"
