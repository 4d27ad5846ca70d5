"""No page makes Markdown or HTML of what came in with somebody's data."""

import json
from collections.abc import Callable, Iterator

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node

from dashboard.explore.page import CURRENT, MAP, SENSITIVITY
from dashboard.screen.full_text import EVIDENCE
from dashboard.screen.page import AT_STAKE, MORE
from dashboard.screen.why import KEY as WHY
from dashboard.sessions.detail import PREFIX, TABS
from tarstop_core.evidence.manual_tables import pack
from tarstop_core.sessions.store.store import Store
from tests.payload_cases import PAYLOAD, RENDERED, patent_session, review_session

Open = Callable[..., AppTest]
PLAIN = {
    f"{kind}.{name}"
    for kind, names in {
        "selectbox": "options value default_value placeholder raw_value",
        "multiselect": "options placeholder raw_values",
        "text_input": "default value placeholder",
        "text_area": "default value placeholder",
        "plotly_chart": "alt",
        "bidi_component": "json",
        "code": "code_text",
    }.items()
    for name in names.split()
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
        for each in value if field.is_repeated else [value]:
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
def test_a_session_shows_texts_as_they_are(full: dict[str, str], open_app: Open, name: str) -> None:
    app = open_app("screen", session=full[name])
    assert not app.exception and rendered(app) == []
    for folded in (AT_STAKE, EVIDENCE, MORE, WHY, "other_rules"):
        app.session_state[folded] = True
    app.run()
    assert not app.exception and rendered(app) == []
    app = open_app("sessions", session=full[name])
    for tab in TABS:
        app.session_state[f"{PREFIX}/tab"] = tab
        app.run()
        assert not app.exception and rendered(app) == [], tab


def test_what_is_held_against_an_application_reaches_the_page(full: dict[str, str], open_app: Open) -> None:
    app = open_app("screen", session=full["patent"])
    shown = " ".join(each.proto.body for each in app.get("html"))
    assert "after your priority date 3 March 2003, but ![x](" in shown and "also published as ![x](" in shown
    assert rendered(app) == [] and "espacenet" not in shown and 'javascript:alert(1)"' not in shown


@pytest.mark.parametrize("show", [CURRENT, MAP, SENSITIVITY])
def test_what_if_shows_texts_as_they_are(full: dict[str, str], open_app: Open, show: str) -> None:
    app = open_app("explore", of=f"session:{full['review' if show == MAP else 'patent']}", show=show)
    assert not app.exception and rendered(app) == []


@pytest.mark.parametrize("pressed", ["Stop and decide", "Note", "Reasons to exclude", "Register this plan"])
def test_a_dialog_shows_texts_as_they_are(full: dict[str, str], open_app: Open, pressed: str) -> None:
    app = open_app("screen", session=full["patent"])
    app.session_state[MORE] = True
    app.run()
    for button in app.button:
        if button.label.startswith(pressed) and not button.disabled:
            button.click().run()
            break
    assert not app.exception and rendered(app) == []


def test_tables_show_texts_as_they_are(store: Store, open_app: Open) -> None:
    rows = [(PAYLOAD, "9", "1", "2", "8"), (f"{PAYLOAD} 2", "8", "2", "2", "7")]
    app = open_app("evidence", source="typed", tables=pack(rows) or "", name=PAYLOAD)
    assert not app.exception and rendered(app) == []


def test_columns_of_an_upload_are_named_as_they_are(open_app: Open) -> None:
    app = open_app("set_up")
    app.radio("set_up/documents/source").set_value("upload").run()
    rows = [["title", PAYLOAD, "assignee", "priority date"], ["Mast", "x", PAYLOAD, PAYLOAD]]
    lines = "\n".join(",".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row) for row in rows)
    app.file_uploader("set_up/documents/files/0").upload(f"{PAYLOAD[:60]}.csv", lines.encode()).run()
    assert not app.exception and rendered(app) == []
    next(box for box in app.selectbox if box.label == "Column").set_value(PAYLOAD).run()
    next(box for box in app.selectbox if box.label == "Read it as").set_value("filing_date").run()
    next(button for button in app.button if button.label == "Read again").click().run()
    assert not app.exception and rendered(app) == []
    table = next(each.value for each in app.dataframe if "used as" in each.value)
    assert dict(zip(table["column in the file"], table["used as"], strict=True))[PAYLOAD] == "filing date"
