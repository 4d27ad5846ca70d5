"""Code that can be read aloud: docstrings that stand alone, names that say what they hold, no branch on a text."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from numpydoc.validate import validate

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("tarstop_core", "dashboard")
VAGUE = {"each", "found", "said", "told", "known", "shown", "stuff", "thing", "things"}
MOST_VAGUE = 1
MOST_LEANING = 0
MOST_UNDOCUMENTED = 0
MOST_BRANCHES = 0
MOST_SENTENCES = 172
SENTENCE = 5  # Words from which a text that a test asserts is a sentence
ARGUMENTS = 2  # A function with more needs sections for its parameters and for what it returns.
SECTIONS = {"PR01", "PR02", "RT01"}  # numpydoc: undocumented parameters, unknown parameters, no Returns
LEANING = re.compile(r"(The same|Of|Those)\b")
WORDS = re.compile(r"[A-Za-z][a-z]{3,}( [A-Za-z][a-z]*)*")
PROSE = re.compile(r"phrase|sentence|text|words|title|assumption|rule|note|says|label$")
NO_PROSE = {
    **dict.fromkeys(
        ("http", "https", "psycopg", "postgresql", "sqlite", "file", "mailto", "data"), "a protocol"
    ),
    **dict.fromkeys(("axis", "xaxis", "yaxis", "scaleanchor"), "a key of a plotly layout"),
    **dict.fromkeys(("lines", "markers"), "a part of a plotly mode"),
}
"""Words that a branch may look for, and why they are no sentence for a person."""
TEMPLATE_BRANCH = re.compile(r"[<{]%.*(endswith|startswith|'[a-z ]{4,}' in )")


class Place(NamedTuple):
    """Somewhere in the code."""

    file: str
    line: int
    what: str


@cache
def trees() -> dict[str, ast.Module]:
    """The syntax tree of every module of the core and the dashboard."""
    files = [file for top in TOPS for file in sorted((ROOT / top).rglob("*.py"))]
    return {str(file.relative_to(ROOT)): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def nodes() -> Iterator[tuple[str, ast.AST]]:
    """Every node of every tree, with its file."""
    for file, tree in trees().items():
        for node in ast.walk(tree):
            yield file, node


def leaning_docstrings() -> list[Place]:
    """Docstrings that mean nothing without what stands above them."""
    return [
        Place(file, getattr(node, "lineno", 1), text.splitlines()[0])
        for file, node in nodes()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
        and LEANING.match(text := ast.get_docstring(node) or "")
    ]


def vague_names() -> list[Place]:
    """Variables and arguments whose names do not say what they hold; targets of comprehensions may be short."""
    places = []
    for file, tree in trees().items():
        comprehended = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.comprehension)
            for inner in ast.walk(node.target)
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Store)
                and id(node) not in comprehended
            ):
                name = node.id
            elif isinstance(node, ast.arg):
                name = node.arg
            else:
                continue
            if name in VAGUE:
                places.append(Place(file, node.lineno, name))
    return places


def _is_prose(node: ast.AST) -> bool:
    """Whether a constant reads like words for a person."""
    text = getattr(node, "value", None)
    return isinstance(text, str) and WORDS.fullmatch(text) is not None and text not in NO_PROSE


def _holds_prose(node: ast.AST) -> bool:
    """Whether an expression's name says that it holds a text."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return isinstance(node, ast.Attribute) and PROSE.search(node.attr) is not None


def _branches_on_text(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        looks = node.func.attr in ("startswith", "endswith")
        changes = node.func.attr == "replace" and len(node.args) == 2
        return (looks or changes) and any(map(_is_prose, ast.walk(node.args[0])))
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        return _is_prose(node.left) and _holds_prose(node.comparators[0])
    return False


def text_branches() -> list[Place]:
    """Places where the programme decides by what a text says."""
    places = [
        Place(file, node.lineno, ast.unparse(node)) for file, node in nodes() if _branches_on_text(node)
    ]  # type: ignore[attr-defined]
    for suffix in ("toml", "jinja", "html"):
        for file in (file for top in TOPS for file in sorted((ROOT / top).rglob(f"*.{suffix}"))):
            for at, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if TEMPLATE_BRANCH.search(line):
                    places.append(Place(str(file.relative_to(ROOT)), at, line.strip()))
    return places


def asserted_sentences() -> list[Place]:
    """Asserts of tests that hold a sentence: they break when it is worded better, and prove no number."""
    return [
        Place(str(file.relative_to(ROOT)), node.lineno, ast.unparse(node.test))
        for file in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assert) and any(map(_is_sentence, ast.walk(node.test)))
    ]


def _is_sentence(node: ast.AST) -> bool:
    """Whether a text, or the words around the values of an f-string, has as many words as a sentence."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = (part.value if isinstance(part, ast.Constant) else "1" for part in parts)
    words = " ".join(text for text in texts if isinstance(text, str)).split()
    return sum(any(map(str.isalpha, word)) for word in words) >= SENTENCE


def public_functions() -> Iterator[str]:
    """Dotted names of the core's public functions and methods with more than two arguments."""
    for file, tree in trees().items():
        if not file.startswith("tarstop_core"):
            continue
        module = ".".join(Path(file).with_suffix("").parts).removesuffix(".__init__")
        for scope in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
            within = [] if scope is tree else [scope.name]  # type: ignore[attr-defined]
            for node in scope.body:
                if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                    continue
                arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                if len([one for one in arguments if one.arg not in ("self", "cls")]) > ARGUMENTS:
                    yield ".".join((module, *within, node.name))


def undocumented() -> list[str]:
    """Public functions without what they take or return; what another class's method says need not be said again."""
    return [
        f"{name}: {', '.join(text for _, text in faults)}"
        for name in public_functions()
        if not _inherited(name) and (faults := _faults(name))
    ]


def _faults(name: str) -> list[tuple[str, str]]:
    """What numpydoc misses in a docstring. A command's docstring is its help: each of its options needs a text instead."""
    module, _, function = name.rpartition(".")
    command = getattr(import_module(module), function) if module.startswith("tarstop_core.cli.") else None
    if isinstance(command, click.Command):
        options = [option for option in command.params if isinstance(option, click.Option)]
        return [("PR01", f"no help for {option.opts[0]}") for option in options if not option.help]
    return [fault for fault in validate(name)["errors"] if fault[0] in SECTIONS]


def _inherited(name: str) -> bool:
    """Whether a method fulfils what a base class documents, and adds no docstring of its own."""
    owner, _, method = name.rpartition(".")
    module, _, cls = owner.rpartition(".")
    holder = getattr(import_module(module), cls, None) if module.startswith("tarstop_core.") else None
    return (
        inspect.isclass(holder)
        and not vars(holder)[method].__doc__
        and any(method in vars(base) for base in holder.__mro__[1:])
    )


@pytest.mark.parametrize(
    "count, most",
    [
        (leaning_docstrings, MOST_LEANING),
        (vague_names, MOST_VAGUE),
        (text_branches, MOST_BRANCHES),
        (asserted_sentences, MOST_SENTENCES),
        (undocumented, MOST_UNDOCUMENTED),
    ],
)
def test_there_are_few_places_that_are_hard_to_read(count, most: int) -> None:
    places = count()
    assert len(places) <= most, "\n".join(map(str, places))


@pytest.mark.parametrize(
    "code, is_branch",
    [
        ("phrase.endswith('worth')", True),
        ("'twice' in variation.assumption", True),
        ("row['order'].startswith(('other', 'same'))", True),
        ("many.replace('document', 'title')", True),
        ("name.endswith('.csv')", False),
        ("url.startswith('https')", False),
        ("'depth' in names", False),
    ],
)
def test_a_branch_on_a_text_is_seen(code: str, is_branch: bool) -> None:
    assert any(map(_branches_on_text, ast.walk(ast.parse(code)))) == is_branch
