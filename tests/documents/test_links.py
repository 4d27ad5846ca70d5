"""Documents are linked to where they can be read, and to nowhere else."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.records import links, web_address
from tests.payload_cases import PAYLOAD

KNOWN = {"worldwide.espacenet.com", "patents.google.com", "doi.org", "pubmed.ncbi.nlm.nih.gov"}


@pytest.mark.parametrize(
    ("given_by_file", "wanted"),
    [
        (
            ("https://patents.google.com/patent/US9876543B2/en", "US-9876543-B2", "", ""),
            {"Google Patents": "https://patents.google.com/patent/US9876543B2/en"},
        ),
        (
            ("", "US-2018/0123456-A1", "", ""),
            {
                "Espacenet": "https://worldwide.espacenet.com/patent/search?q=pn%3DUS2018123456A1",
                "Google Patents": "https://patents.google.com/patent/US20180123456A1/en",
            },
        ),
        (
            ("", "US2018123456A1", "", ""),
            {
                "Espacenet": "https://worldwide.espacenet.com/patent/search?q=pn%3DUS2018123456A1",
                "Google Patents": "https://patents.google.com/patent/US20180123456A1/en",
            },
        ),
        (
            ("http://www.lens.org/lens/patent/1", "", "", ""),
            {"The Lens": "http://www.lens.org/lens/patent/1"},
        ),
        (("https://library.example/7", "", "", ""), {"open": "https://library.example/7"}),
        (
            ("", "", "https://doi.org/10.1000/A(1)", "PMID: 0123"),
            {"DOI": "https://doi.org/10.1000/a(1)", "PubMed": "https://pubmed.ncbi.nlm.nih.gov/123/"},
        ),
        (("", "", "10.1000/a#b?c%d", ""), {"DOI": "https://doi.org/10.1000/a%23b%3Fc%25d"}),
        (("https://doi.org/10.1000/1", "", "10.1000/1", ""), {"DOI": "https://doi.org/10.1000/1"}),
        (("see the shelf", "n/a", "none", "-"), {}),
    ],
)
def test_where_a_document_can_be_read(
    given_by_file: tuple[str, str, str, str], wanted: dict[str, str]
) -> None:
    assert {link.words: link.url for link in links(*given_by_file)} == wanted


@pytest.mark.parametrize(
    "text",
    [
        PAYLOAD,
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)//https://a.example",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//foreign.example/x",
        "https:/a",
        "https://",
        "https://user:secret@foreign.example",
        "https://patents.google.com@foreign.example/",
        'https://a.example/" onmouseover="alert(1)',
        "https://a.example/'onclick='alert(1)",
        "https://a.example/<script>",
        "https://a.example/a b",
        "https://a.example/\nb",
        "https://a.example\\@foreign.example",
        "https://[::1",
        "https://a.example:99999/",
        "https://a.example/" + "x" * 3_000,
        f"10.1000/{'x' * 3_000}",
        "1" * 3_000,
        '=HYPERLINK("https://foreign.example")',
        "ftp://a.example/x",
    ],
)
def test_what_is_no_address_of_a_web_page_is_none(text: str) -> None:
    assert web_address(text) == ""
    assert not links(text, text, text, text)


@given(
    *[st.text(max_size=60) | st.sampled_from(["EP1234567A1", "10.1000/x", "7", "https://a.example/x"])] * 4
)
def test_whatever_a_file_holds_leads_to_known_places(url: str, number: str, doi: str, pmid: str) -> None:
    for link in links(url, number, doi, pmid):
        parts = urlsplit(link.url)
        assert parts.scheme in ("http", "https") and not set("\"'<>` \n\t") & set(link.url)
        assert link.url == web_address(url) or parts.hostname in KNOWN


@given(st.text(max_size=20))
def test_nothing_ends_the_place_of_a_number(text: str) -> None:
    for link in links("", f"EP1234567{text}", f"10.1000/x{text}", f"7{text}"):
        assert not set("\"'<>` \n\t#") & set(link.url)
        if link.words != "DOI":  # in which these may stand: there they are letters of a path
            assert "&" not in link.url and "//" not in link.url.partition("://")[2]
