"""The Guide page: what stands in docs/, with its pictures, and with links that hold inside the app."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.scripts import GUIDE_SCRIPT
from dashboard.frame.widgets import one_of

DOCS = shell.ROOT / "docs"
FIRST = "guide"
READ = (
    f"{FIRST} own_data for_several benchmarks_of_your_own results reviews_measured still_unread question_chances reranked_chances "
    "calibrators_travel ranking reranking recall_statement readers_measured reml_or_exact grlstop"
).split()
"""Documents by their names in the address, in the order in which they are offered."""
ELSEWHERE = {"methods": shell.learn("formulas")}
"""What another page shows."""
_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^()#\s]*)(#[^()\s]*)?\)")
_PICTURE = re.compile(r"^!\[([^\]]*)\]\(([^)\s]+)\)$", flags=re.MULTILINE)
_COMMENT = re.compile(r"<!--(?:(?!<!--|-->).)*-->\n?", flags=re.DOTALL)
_CODE = re.compile(r"(^```(?:(?!^```).)*^```$|`[^`\n]+`)", flags=re.MULTILINE | re.DOTALL)


def guide_page() -> None:
    """Draw the page: one document, its chapters to jump to first."""
    named = st.query_params.get("read", FIRST)
    if named not in READ:
        shell.problem_box(f"The guide has no document {named}; choose one below.")
        named = FIRST
    titles = {each: title(each) for each in READ}
    name = one_of(
        "What to read", titles, first=named, key="guide/read", width=520, label_visibility="collapsed"
    )
    # Only where it changes: a new address loses the place in the document.
    if name != st.query_params.get("read", FIRST):
        st.query_params["read"] = name
    text = document(name)
    st.title(title(name))
    places = " · ".join(f"[{words}](#{place})" for words, place in chapters(text))
    with st.container(key="guide"):
        for at, (words, picture) in enumerate(parts(text)):
            st.markdown(words if at else f"{places}\n\n{words}")
            if not at:
                shell.send_ahead()
            if picture is not None:
                alt, file = picture
                st.image(DOCS / file, alt=alt, width="stretch", output_format="PNG")
    shell.apart(GUIDE_SCRIPT, "scripts")


@cache
def document(name: str) -> str:
    """A document as the page shows it: without its title, which stands above."""
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    return in_app(_COMMENT.sub("", text.split("\n", 1)[1]))


@cache
def title(name: str) -> str:
    """The first line of a document."""
    with (DOCS / f"{name}.md").open(encoding="utf-8") as lines:
        return lines.readline().lstrip("# ").strip()


def parts(text: str) -> Iterator[tuple[str, tuple[str, str] | None]]:
    """A document in pieces: words, and the picture after them with its alternative text.

    >>> list(parts("One.\\n\\n![A page](images/a.png)\\n\\nTwo."))
    [('One.\\n\\n', ('A page', 'images/a.png')), ('\\n\\nTwo.', None)]
    """
    end = 0
    for matched in _PICTURE.finditer(text):
        yield text[end : matched.start()], (matched[1], matched[2])
        end = matched.end()
    yield text[end:], None


def in_app(text: str) -> str:
    """Markdown whose links between documents hold inside the app; code stays as it is.

    >>> in_app("[data](own_data.md#formats), [formulas](methods.md), [code](architecture.md), `[a](b.md)`")
    '[data](guide?read=own_data#formats), [formulas](learn?part=formulas), code, `[a](b.md)`'
    """
    pieces = _CODE.split(text)
    return "".join(piece if at % 2 else _LINK.sub(_link, piece) for at, piece in enumerate(pieces))


def _link(matched: re.Match[str]) -> str:
    words, to, place = matched[1], matched[2], matched[3] or ""
    name = Path(to).stem
    if not to or to.startswith(("http://", "https://")):
        return matched[0]
    if to.endswith(".md") and name in ELSEWHERE:
        return f"[{words}]({ELSEWHERE[name]})"
    if to == f"{name}.md" and name in READ:
        return f"[{words}]({shell.guide(name, place.removeprefix('#'))})"
    # What is of use only beside the code does not travel with the app.
    return words


def chapters(text: str) -> list[tuple[str, str]]:
    """The chapters of a document and the anchors that Streamlit gives them, where these are plain.

    >>> chapters("## Stop, and decide\\n\\n## 2×2 tables\\n\\n## With ω")
    [('Stop, and decide', 'stop-and-decide'), ('2×2 tables', '2-2-tables')]
    """
    headings = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    placed = [(words, "-".join(re.findall(r"[^\W_]+", words.lower()))) for words in headings]
    return [(words, place) for words, place in placed if place.isascii()]
