"""No page makes Markdown or HTML of what came in with somebody's data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node

from tarstop_core.evidence.typed import pack
from tarstop_core.sessions.store.store import Store
from tests.payload_cases import PAYLOAD, RENDERED, patent_session, review_session

Open = Callable[..., AppTest]
PLAIN = {
    *(
        "selectbox.options",
        "selectbox.value",
        "selectbox.default_value",
        "multiselect.options",
        "text_input.default",
    ),
    *(
        "text_input.value",
        "text_input.placeholder",
        "text_area.default",
        "text_area.value",
        "text_area.placeholder",
    ),
    *("selectbox.placeholder", "multiselect.placeholder", "selectbox.raw_value", "multiselect.raw_values"),
    *("text.body", "plotly_chart.alt", "bidi_component.json", "code.code_text"),
}
"""Shown letter by letter; everything else that is a text may be Markdown."""


def nodes(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node, Block):
        for child in node.children.values():
            yield from nodes(child)


def texts(message: Message, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text in what the server sends for one element, with where it stands."""
    for field, value in message.ListFields():
        place = f"{name}.{field.name}" if name else field.name
        for each in value if (field.is_repeated and not field.message_type) or field.is_repeated else [value]:
            if isinstance(each, Message):
                yield from texts(each, place)
            elif isinstance(each, str):
                yield place, each


def rendered(app: AppTest) -> list[str]:
    """What would be made of payloads, and where."""
    found = []
    for node in nodes(app._tree):
        if not isinstance(getattr(node, "proto", None), Message):
            continue
        kind = getattr(node, "type", "")
        for place, text in texts(node.proto):
            last = f"{kind}.{place.rpartition('.')[2]}"
            if last in PLAIN or place.endswith(("id", "key")):
                continue
            if place == "spec":
                text = json.dumps(json.loads(text), ensure_ascii=False)
            if kind in ("html", "plotly_chart"):
                bad = [
                    each
                    for each in ("<img src=http", '<a href="http://f', '<a href=\\"http://f', "<script>al")
                    if each in text
                ]
            else:
                bad = [each for each in RENDERED if each in text]
            found += [
                f"{kind}.{place}: {each} in {text[max(0, text.find(each) - 60) :][:120]!r}" for each in bad
            ]
    return found


@pytest.fixture
def full(store: Store) -> dict[str, str]:
    """Sessions by what they are."""
    return {
        "patent": patent_session(store),
        "decided": patent_session(store, decided=True),
        "review": review_session(store),
    }


@pytest.mark.parametrize("page", ["home", "sessions", "calibration", "set_up"])
def test_lists_show_texts_as_they_are(full: dict[str, str], open_app: Open, page: str) -> None:
    app = open_app(page)
    assert not app.exception and rendered(app) == []


@pytest.mark.parametrize("name", ["patent", "decided", "review"])
@pytest.mark.parametrize("page", ["screen", "explore", "sessions"])
def test_a_session_shows_texts_as_they_are(
    full: dict[str, str], open_app: Open, page: str, name: str
) -> None:
    asked = {
        "screen": {"session": full[name]},
        "explore": {"of": f"session:{full[name]}"},
        "sessions": {"session": full[name]},
    }
    app = open_app(page, **asked[page])
    assert not app.exception and rendered(app) == []


def test_tables_show_texts_as_they_are(store: Store, open_app: Open) -> None:
    rows = [(PAYLOAD, "9", "1", "2", "8"), (f"{PAYLOAD} 2", "8", "2", "2", "7")]
    app = open_app("evidence", source="typed", tables=pack(rows) or "", name=PAYLOAD)
    assert not app.exception and rendered(app) == []
