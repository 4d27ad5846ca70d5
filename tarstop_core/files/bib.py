"""Read BibTeX with bibtexparser, with LaTeX commands converted to text."""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from bibtexparser.entrypoint import parse_string
from bibtexparser.model import Block, Entry, ParsingFailedBlock
from pylatexenc.latex2text import LatexNodes2Text

from tarstop_core.errors import InputProblem
from tarstop_core.files.record_tables import Format, Progress, RecordTable
from tarstop_core.files.source import Source, detect_encoding
from tarstop_core.files.tagged import Value, decisions, patent_number, table_of
from tarstop_core.files.values import find_doi

_FIELDS = {
    "title": ("title", "booktitle"),
    "abstract": ("abstract", "annotation"),
    "date": ("date", "year"),
    "pmid": ("pmid", "pubmedid"),
}
# A command with its arguments, in braces or not; a formula; notations for spaces, dashes and quotes.
_LATEX = re.compile(
    r"\\[cvuHrkbdt][ \t]+\\?\w|\\(?:[a-zA-Z]+\*?|.)(?:\s*\{[^{}]*\}|(?<=\\[\"'`^~=.])\\?\w)*[ \t]?|(?<!\\)\$[^$]*\$|---?|``|''|~",
    flags=re.DOTALL,
)
# Both libraries log every command or entry that they cannot read; here it is refused in one sentence, or kept as it is.
for _library in ("bibtexparser", "pylatexenc"):
    logging.getLogger(_library).setLevel(logging.CRITICAL)


def read_bib(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read BibTeX; a file with a broken entry is refused as a whole.

    Parameters
    ----------
    source : Source
        The file.
    columns : mapping, optional
        Ignored: the format defines its fields.
    progress : callable, optional
        Called with the share read so far, 0 to 1, and a few words.

    Returns
    -------
    RecordTable
        One record per entry.

    Raises
    ------
    InputProblem
        When an entry is broken or there is none.
    """
    encoding, notes = detect_encoding(source)
    with source.text(encoding) as stream:
        text = stream.read()
    if progress:
        progress(0.3, f"Read the text of {source.name}")
    blocks = parse_string(text).blocks
    return table_of(source, "bib", _records(source.name, blocks), notes, progress)


def _records(name: str, blocks: Iterable[Block]) -> Iterator[tuple[int, Iterator[Value]]]:
    """Yield the line and the values of each entry; InputProblem when one is broken or there is none."""
    empty = True
    for block in blocks:
        # The parser wraps an entry whose key or field occurs twice; it is read, and ids are made unique later.
        entry = getattr(block, "ignore_error_block", None) or block
        line = int(block.start_line or 0) + 1
        if isinstance(entry, Entry):
            empty = False
            yield line, _values(entry)
        elif isinstance(block, ParsingFailedBlock):
            key = re.match(r"\s*@\w+\s*[{(]\s*([^\s,={}]+)", str(block.raw))
            label = f" {key[1][:60]}" if key else ""
            raise InputProblem(
                f"The entry{label} that begins on line {line} of {name} cannot be read; look there for a missing "
                "comma, brace or quotation mark."
            )
    if empty:
        raise InputProblem(f"{name} contains no BibTeX entry; export it as BibTeX again.")


def _values(entry: Entry) -> Iterator[Value]:
    given: dict[str, str] = {}
    for field in entry.fields:
        given.setdefault(field.key.lower(), " ".join(str(field.value).split()))
    yield from (("", "", theirs) for theirs in given)
    yield "id", entry.key, ""
    for ours, names in _FIELDS.items():
        for theirs in names:
            yield ours, plain_text(given.get(theirs, "")), theirs
    for theirs in ("author", "editor"):
        people = re.split(r"(?<!\s)\s+and\s+", given.get(theirs, ""))
        yield "authors", "; ".join(filter(None, map(plain_text, people))), theirs
    for theirs in ("url", "howpublished"):
        # Tildes and dashes in an address are not LaTeX.
        address = re.sub(r"\\url|[{}\\]", "", given.get(theirs, ""))
        yield "url", address if address.startswith("http") else "", theirs
    for theirs in ("doi", "url"):
        yield "doi", find_doi(given.get(theirs, "").replace("\\", "")), theirs
    if entry.entry_type.lower() == "patent" or "publication number" in given:
        for theirs in ("number", "publication number"):
            yield "publication_number", patent_number(plain_text(given.get(theirs, ""))), theirs
        for theirs in ("holder", "assignee"):
            yield "assignee", plain_text(given.get(theirs, "")), theirs
    for theirs in ("note", "annote", "notes", "comment", "keywords"):
        # Programs escape the quotation marks and arrows of what Rayyan wrote.
        yield from decisions([given.get(theirs, "").replace("\\", "")], theirs)


def plain_text(latex: str) -> str:
    """Convert LaTeX to text: accents and symbols become letters, protecting braces are dropped."""
    if not any(mark in latex for mark in "\\{}$~`'-"):
        return latex
    return " ".join(re.sub(r"[{}\xad]", "", _LATEX.sub(lambda command: _letters(command[0]), latex)).split())


@lru_cache(maxsize=10_000)
def _letters(latex: str) -> str:
    """Convert a command to text; cached because long lists repeat a few hundred of them."""
    try:
        return str(_decoder().latex_to_text(latex, tolerant_parsing=True))
    except Exception:  # the parser fails on nonsense in many ways; then the text stays as it is
        return latex


@lru_cache(maxsize=1)
def _decoder() -> Any:
    return LatexNodes2Text(math_mode="text", keep_comments=True, strict_latex_spaces=True)


# Programs write some lines about themselves before the first entry.
_BEGINS = re.compile(
    r"(?:.*\n){0,50}?[ \t]*@(?:[A-Za-z]+[ \t]*[{(][^\s,={}]*[ \t]*,|(?i:article|book|in\w+|misc|\w*thesis|"
    r"techreport|patent|online|comment|string|preamble)[ \t]*[{(])"
)
BIB = Format("bib", "BibTeX", (".bib", ".bibtex"), read_bib, looks=_BEGINS)
