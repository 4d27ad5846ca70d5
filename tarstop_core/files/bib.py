"""BibTeX: read with bibtexparser; LaTeX's spellings of letters become the letters."""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from bibtexparser.entrypoint import parse_string
from bibtexparser.model import Block, Entry, ParsingFailedBlock
from pylatexenc.latex2text import LatexNodes2Text

from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import Progress, RecordTable
from tarstop_core.files.format import Format
from tarstop_core.files.source import Source, detect_encoding
from tarstop_core.files.tagged import Fields, find_doi, patent_number, put_decisions, put_into, table_of

_FIELDS = {
    "title": ("title", "booktitle"),
    "abstract": ("abstract", "annotation"),
    "date": ("date", "year"),
    "pmid": ("pmid", "pubmedid"),
}
# A command with its arguments, in braces or not; a formula; what stands for spaces, dashes and quotes.
_LATEX = re.compile(
    r"\\[cvuHrkbdt][ \t]+\\?\w|\\(?:[a-zA-Z]+\*?|.)(?:\s*\{[^{}]*\}|(?<=\\[\"'`^~=.])\\?\w)*[ \t]?|(?<!\\)\$[^$]*\$|---?|``|''|~",
    flags=re.DOTALL,
)
# Both write a line for each command or entry that they cannot read; a person gets one sentence, or the spelling as it is.
for _library in ("bibtexparser", "pylatexenc"):
    logging.getLogger(_library).setLevel(logging.CRITICAL)


def read_bib(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read BibTeX; nothing is kept of a file in which an entry is broken."""
    encoding, notes = detect_encoding(source)
    with source.text(encoding) as stream:
        text = stream.read()
    if progress:
        progress(0.3, f"Read the text of {source.name}")
    blocks = parse_string(text).blocks
    understood: dict[str, str] = {}
    records = _records(source.name, blocks, understood)
    return table_of(source, "bib", records, understood, notes, progress)


def _records(name: str, blocks: Iterable[Block], understood: dict[str, str]) -> Iterator[tuple[int, Fields]]:
    none = True
    for block in blocks:
        # An entry whose key or field occurs twice is whole; identifiers are made unique later.
        entry = getattr(block, "ignore_error_block", None) or block
        line = int(block.start_line or 0) + 1
        if isinstance(entry, Entry):
            none = False
            yield line, _fields(entry, understood)
        elif isinstance(block, ParsingFailedBlock):
            key = re.match(r"\s*@\w+\s*[{(]\s*([^\s,={}]+)", str(block.raw))
            called = f" {key[1][:60]}" if key else ""
            raise InputProblem(
                f"The entry{called} that begins on line {line} of {name} cannot be read; look there for a missing "
                "comma, brace or quotation mark."
            )
    if none:
        raise InputProblem(f"{name} holds no BibTeX entry; export it as BibTeX again.")


def _fields(entry: Entry, understood: dict[str, str]) -> Fields:
    given: dict[str, str] = {}
    for each in entry.fields:
        given.setdefault(each.key.lower(), " ".join(str(each.value).split()))
    fields: Fields = {"id": entry.key}
    put = put_into(fields, understood, given)
    for field, theirs in _FIELDS.items():
        for their in theirs:
            put(field, plain_text(given.get(their, "")), their)
    for their in ("author", "editor"):
        names = re.split(r"(?<!\s)\s+and\s+", given.get(their, ""))
        put("authors", "; ".join(filter(None, map(plain_text, names))), their)
    for their in ("url", "howpublished"):
        # Tildes and dashes of an address are no LaTeX.
        address = re.sub(r"\\url|[{}\\]", "", given.get(their, ""))
        put("url", address if address.startswith("http") else "", their)
    for their in ("doi", "url"):
        put("doi", find_doi(given.get(their, "").replace("\\", "")), their)
    if entry.entry_type.lower() == "patent" or "publication number" in given:
        for their in ("number", "publication number"):
            put("publication_number", patent_number(plain_text(given.get(their, ""))), their)
        for their in ("holder", "assignee"):
            put("assignee", plain_text(given.get(their, "")), their)
    for their in ("note", "annote", "notes", "comment", "keywords"):
        # Programs escape the quotation marks and arrows of what Rayyan wrote.
        put_decisions(put, [given.get(their, "").replace("\\", "")], their)
    return fields


def plain_text(latex: str) -> str:
    r"""Return LaTeX as text: accents and symbols as letters, without the braces that protect capitals."""
    if not any(mark in latex for mark in "\\{}$~`'-"):
        return latex
    return " ".join(re.sub(r"[{}\xad]", "", _LATEX.sub(lambda found: _letters(found[0]), latex)).split())


@lru_cache(maxsize=10_000)
def _letters(latex: str) -> str:
    """One command as text, remembered: a long list repeats a few hundred of them."""
    try:
        return str(_decoder().latex_to_text(latex, tolerant_parsing=True))
    except Exception:  # what a LaTeX parser makes of nonsense shows in many ways; the spelling stays
        return latex


@lru_cache(maxsize=1)
def _decoder() -> Any:
    return LatexNodes2Text(math_mode="text", keep_comments=True, strict_latex_spaces=True)


# Programs write a line or two about themselves before the first entry.
_BEGINS = re.compile(
    r"(?:.*\n){0,50}?[ \t]*@(?:[A-Za-z]+[ \t]*[{(][^\s,={}]*[ \t]*,|(?i:article|book|in\w+|misc|\w*thesis|"
    r"techreport|patent|online|comment|string|preamble)[ \t]*[{(])"
)
BIB = Format("bib", "BibTeX", (".bib", ".bibtex"), read_bib, looks=_BEGINS)
