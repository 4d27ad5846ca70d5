"""Pages that leave the programme, read as a browser would."""

import re
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Reader(HTMLParser):
    """Elements, attributes and text; fails on elements that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(page: str) -> tuple[Reader, str]:
    reader = Reader()
    # What keeps a number on one line parts no text.
    reader.feed(re.sub(r'<span class="one">([^<]*)</span>', r"\1", page))
    assert not reader.open
    return reader, " ".join(" ".join(reader.text).split())


def still(page: str) -> tuple[Reader, str]:
    """The page, of which nothing runs and for which nothing is loaded."""
    reader, text = read(page)
    tags = {tag for tag, _ in reader.tags}
    assert not tags & {"script", "img", "link", "iframe", "object", "form", "image", "use"}
    for tag, attributes in reader.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "src"], tag
        href = attributes.get("href") or "#"
        assert href.startswith(("#", "https://")) and (tag == "a" or "href" not in attributes)
    policy = dict(reader.tags[3][1])
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert str(policy["content"]).startswith("default-src 'none'")
    assert "url(" not in page and "@import" not in page
    return reader, text
