"""How databases and tools name the columns of their exports."""

from __future__ import annotations

import re

# Names in lower case with runs of space, underscore, dot, hyphen and slash made one space.
# Within a field the earlier name wins. Covers the exports of ASReview, Rayyan, Google Patents, The Lens,
# Scopus, Web of Science, PubMed, Espacenet and Zotero.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "id": (
        "id",
        "record id",
        "document id",
        "doc id",
        "docid",
        "docno",
        "recordid",
        "lens id",
        "ut (unique wos id)",
        "ut (unique id)",
        "eid",
        "openalex id",
        "paper id",
        "article id",
        "unique id",
        "uid",
        "identifier",
        "accession number",
        "key",
        "ref id",
        "covidence #",
    ),
    "title": (
        "title",
        "article title",
        "document title",
        "primary title",
        "title (english)",
        "english title",
        "invention title",
        "title of invention",
        "original title",
        "titles",
    ),
    "abstract": (
        "abstract",
        "abstract note",
        "abstract (english)",
        "english abstract",
        "abstracts",
        "abstract text",
        "notes abstract",
        "content",
        "text",
        "summary",
        "description",
    ),
    "authors": (
        "authors",
        "author",
        "author s",
        "inventors",
        "inventor",
        "inventor author",
        "author full names",
        "author names",
        "first authors",
        "creators",
        "creator",
    ),
    "date": (
        "publication date",
        "date published",
        "publish date",
        "pub date",
        "date",
        "earliest publication",
        "publication year",
        "year published",
        "pub year",
        "year",
        "filing creation date",
        "application date",
        "priority date",
        "earliest priority",
        "earliest priority date",
    ),
    "doi": ("doi", "digital object identifier", "article doi", "doi link"),
    "pmid": ("pmid", "pubmed id", "pubmedid", "pubmed", "medline pmid", "pubmed pmid"),
    "publication_number": (
        "publication number",
        "publication no",
        "publication numbers",
        "publicationnumber",
        "patent publication number",
        "display key",
        "patent number",
        "patent no",
        "patent id",
        "publication id",
        "document number",
        "pub number",
    ),
    "url": ("url", "urls", "result link", "link", "external url", "source urls", "source url", "web link"),
    "label": (
        "label included",
        "included",
        "final included",
        "asreview label",
        "label",
        "labels",
        "inclusion",
        "include",
        "final decision",
        "decision",
        "screening decision",
        "relevant",
        "is relevant",
        "relevance label",
        "judgment",
        "judgement",
        "label abstract screening",
        "abstract label",
    ),
    "score": (
        "score",
        "scores",
        "relevance score",
        "ranking score",
        "retrieval score",
        "bm25",
        "bm25 score",
        "similarity",
        "similarity score",
        "probability",
        "relevance probability",
        "asreview score",
        "model score",
    ),
    # Not one of our fields, but where Rayyan and ASReview keep decisions.
    "notes": ("notes", "note"),
}
# Two-letter headers (tab-delimited Web of Science) mean something only in each other's company.
TAG_SYNONYMS: dict[str, tuple[str, ...]] = {
    "id": ("ut",),
    "title": ("ti",),
    "abstract": ("ab",),
    "authors": ("au", "af"),
    "date": ("py",),
    "doi": ("di",),
    "pmid": ("pm",),
}


def normal_header(name: str) -> str:
    """Return a header in the form in which `SYNONYMS` lists it.

    Examples
    --------
    >>> normal_header(" Inventor/Author ")
    'inventor author'
    """
    return re.sub(r"[\s_.\-/]+", " ", name.strip().strip('"').casefold()).strip(" :")
