"""Where a document can be read: the address its file gives, and what follows from its numbers."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from tarstop_core.documents.records import normal_doi, normal_pmid, normal_publication_number

LONGEST = 2_000  # characters of an address; browsers and servers give up soon after
_HOSTS = {
    "patents.google.com": "Google Patents",
    "worldwide.espacenet.com": "Espacenet",
    "lens.org": "The Lens",
    "doi.org": "DOI",
    "dx.doi.org": "DOI",
    "pubmed.ncbi.nlm.nih.gov": "PubMed",
}
# Numbers of simulated documents begin with SIM: no office knows them.
_NUMBER = re.compile(r"(?!SIM\d)[A-Z]{2}[A-Z]{0,2}\d{4,13}(?:[A-Z]\d?)?")
_US_APPLICATION = re.compile(r"(US\d{4})0?(\d{6})(A\d)")
_DOI = re.compile(r"10\.\d{4}[^/\s]*/[^\s\"'<>\\^`{|}]+")
_ADDRESS = re.compile(r"https?://[^\s\"'<>\\^`{|}\x00-\x1f\x7f]+", re.IGNORECASE)


@dataclass(frozen=True)
class Link:
    """An address on the web that is safe to follow, and what is there."""

    words: str
    url: str


def web_address(text: str) -> str:
    """A text that is an address of a web page, as one; "" for anything else.

    Only http and https, with a host and without a name or password before it; nothing that ends an attribute.
    """
    text = text.strip()
    if len(text) > LONGEST or not _ADDRESS.fullmatch(text):
        return ""
    try:
        parts = urlsplit(text)
        usable = bool(parts.hostname) and "@" not in parts.netloc and (parts.port or 1) > 0
    except ValueError:
        return ""
    return text if usable else ""


def links(url: str, publication_number: str, doi: str, pmid: str) -> tuple[Link, ...]:
    """Where a document can be read: its own address, else the patent databases by its number; its DOI; PubMed."""
    own = web_address(url)
    host = (urlsplit(own).hostname or "").removeprefix("www.")
    found = [Link(_HOSTS.get(host, "open"), own)] if own else _by_number(publication_number)
    if (name := normal_doi(doi)) and _DOI.fullmatch(name):
        # What an address gives a meaning of its own may stand in a DOI.
        name = name.replace("%", "%25").replace("#", "%23").replace("?", "%3F")
        found.append(Link("DOI", f"https://doi.org/{name}"))
    if number := normal_pmid(pmid):
        found.append(Link("PubMed", f"https://pubmed.ncbi.nlm.nih.gov/{number}/"))
    # One that the file gave already is not repeated, and none is too long to be followed.
    first = {link.words: link for link in reversed(found)}
    return tuple(link for link in found if first[link.words] is link and web_address(link.url))


def _by_number(text: str) -> list[Link]:
    number = normal_publication_number(text)
    if not _NUMBER.fullmatch(number):
        return []
    # Applications in the United States have seven figures after the year at Google, and six at the patent offices.
    office = _US_APPLICATION.sub(r"\1\2\3", number)
    google = _US_APPLICATION.sub(r"\g<1>0\2\3", number)
    return [
        Link("Espacenet", f"https://worldwide.espacenet.com/patent/search?q=pn%3D{office}"),
        Link("Google Patents", f"https://patents.google.com/patent/{google}/en"),
    ]
