"""On the page: several readers, what each of them is shown, and the queue of what they differ on."""

from collections.abc import Callable
from dataclasses import replace

from streamlit.testing.v1 import AppTest

from dashboard.screen.reading import block
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.screening.labels import RELEVANT
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.several_readers import EXCLUDED, Readers
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tests.session_cases import IDS, REVIEW, N, a_collection

Open = Callable[..., AppTest]
BOTH = replace(REVIEW, readers=Readers(("Rita", "Sam")))


def begun(store: Store, settings: Settings = BOTH) -> str:
    return store.create_session("S", a_collection(store), list(range(N)), None, settings, "", "own order")


def read(store: Store, key: str, name: str, *labels: str, **more: str) -> None:
    work = OpenSession.load(store, key, name)
    for label in labels:
        own = work.own
        work.label(own.row.ids[own.state.depth], label, own.state.seq, **more)  # type: ignore[arg-type]


def press(page: AppTest, words: str) -> None:
    next(each for each in page.button if each.label.startswith(words)).click().run()
    assert not page.exception


def html(page: AppTest) -> str:
    return "\n".join(each.proto.body for each in page.get("html"))


def test_a_reader_goes_on_in_the_own_order_and_sees_nothing_of_others(open_app: Open, store: Store) -> None:
    key = begun(store)
    read(store, key, "Sam", "relevant", "irrelevant", "relevant", reason="a reason of Sam's")
    page = open_app("screen", session=key)  # Rita's browser
    assert "Sam&#39;s" not in html(page) and 'data-testid="readers"' not in html(page)
    assert "0 of 30 screened by all" in html(page)
    press(page, "Include")
    assert "1 of 30 screened by all" in html(page) and "0&nbsp;to resolve" not in html(page)
    press(page, "Include")
    assert "Title" not in html(page).split("<article>")[0].split("header")[0]
    assert [event.reviewer for event in store.log(key)] == ["Sam"] * 3 + ["Rita"] * 2
    press(page, "Undo")
    assert store.log(key)[-1].kind == "undo" and store.log(key)[-1].reviewer == "Rita"
    assert OpenSession.load(store, key, "Rita").own.state.depth == 1


def test_what_readers_differ_on_is_resolved_on_the_page(open_app: Open, store: Store) -> None:
    key = begun(store)
    read(store, key, "Sam", "irrelevant", "irrelevant", reason="wrong people")
    read(store, key, "Rita", "relevant", "relevant", note="a note of Rita's")
    page = open_app("screen", session=key)
    press(page, "Resolve 2 disagreements")
    assert "wrong people" in html(page) and "a note of Rita" in html(page)
    next(each for each in page.text_input if each.label.startswith("How it was")).set_value(
        "read again"
    ).run()
    press(page, "Include")
    event = store.log(key)[-1]
    assert (event.kind, event.reviewer) == ("resolved", "Rita")
    assert event.payload == {"doc": IDS[0], "label": "relevant", "note": "read again"}
    press(page, "Later")
    assert "What was read" not in html(page)
    press(page, "Earlier")  # back at the own list, where both verdicts can be looked at
    press(page, "Earlier")
    assert 'data-testid="readers"' in html(page)
    work = OpenSession.load(store, key)
    assert work.state.labels[0] == RELEVANT and len(work.state.unsure) == 1


def test_somebody_else_reads_nothing_and_may_resolve(
    open_app: Open, store: Store, cookies: dict[str, str]
) -> None:
    key = begun(store)
    read(store, key, "Sam", "irrelevant")
    read(store, key, "Rita", "relevant")
    cookies["tarstop_reviewer"] = "Tom"
    page = open_app("screen", session=key)
    assert "by Rita and Sam." in html(page)
    assert all(each.disabled for each in page.button if each.label in ("Include", "Exclude"))
    press(page, "Resolve 1 disagreement")
    press(page, "Exclude")
    assert store.log(key)[-1].reviewer == "Tom"


def test_the_second_reader_waits_for_what_the_first_excludes(
    open_app: Open, store: Store, cookies: dict[str, str]
) -> None:
    key = begun(store, replace(BOTH, readers=Readers(("Rita", "Sam"), EXCLUDED)))
    cookies["tarstop_reviewer"] = "Sam"
    page = open_app("screen", session=key)
    assert "Nothing waits for you." in html(page)
    read(store, key, "Rita", "relevant", "irrelevant")
    page.run()
    assert "Nothing waits for you." not in html(page) and f">{IDS[1]}" not in html(page).split("header")[0]
    press(page, "Exclude")
    assert store.log(key)[-1].payload["doc"] == IDS[1] and block("nothing_left", False, 0, 1) in html(page)
    read(store, key, "Rita", "irrelevant")
    page.run()
    press(page, "Include")
    assert block("nothing_left", False, 1, 1) in html(page), "what is left to do is said"


def test_set_up_asks_who_screens(open_app: Open, store: Store) -> None:
    page = open_app("set_up", scenario="review")
    page.segmented_control("set_up/readers/several").set_value(True).run()
    press(page, "Start")
    assert not store.sessions()
    page.text_input("set_up/readers/names").set_value("Rita,  Sam ").run()
    press(page, "Start")
    [session] = store.sessions()
    assert store.session(session.id).settings.readers == Readers(("Rita", "Sam"))


def test_what_all_excluded_is_drawn_and_judged_again_and_said(open_app: Open, store: Store) -> None:
    key = begun(store)
    for name in ("Rita", "Sam"):
        read(store, key, name, "relevant", *["irrelevant"] * 9)
    page = open_app("screen", session=key)
    page.session_state["readers"] = True
    page.run()
    assert "10 records" in html(page)
    press(page, "Judge a random one")
    press(page, "Include")
    press(page, "Exclude")
    work = OpenSession.load(store, key)
    assert work.several is not None and len(work.several.drawn) == 2
    assert int((work.state.labels == RELEVANT).sum()) == 2
    press(page, "Back to reading")
    assert "drawn at random" in html(page)
    press(page, "Open all verdicts")
    assert store.log(key)[-1].kind == "opened"


def test_verdicts_of_a_person_come_in_a_file(open_app: Open, store: Store) -> None:
    key = begun(store)
    page = open_app("screen", session=key)
    page.session_state["readers"] = True
    page.run()
    content = "\n".join(("id,said", *(f"{doc},{'included' if doc == 'd3' else 'excluded'}" for doc in IDS)))
    page.segmented_control("machine/whose").set_value(False).run()
    page.selectbox("machine/name").set_value("Sam").run()
    page.file_uploader("machine/file").upload("sam.csv", content.encode()).run()
    assert not [each for each in page.text_input if each.label == "Model"]
    press(page, "Import these verdicts")
    event = store.log(key)[-1]
    assert (event.kind, event.reviewer, len(event.payload["verdicts"])) == ("brought", "Rita", N)
    press(page, "Exclude")
    assert OpenSession.load(store, key).state.depth == 1


def test_verdicts_of_a_machine_come_in_a_file(open_app: Open, store: Store) -> None:
    key = begun(store, replace(BOTH, readers=Readers(("Rita", "Bot"))))
    page = open_app("screen", session=key)
    page.session_state["readers"] = True
    page.run()
    content = "\n".join(("id,answer", *(f"{doc},{'included' if doc == 'd3' else 'excluded'}" for doc in IDS)))
    page.selectbox("machine/name").set_value("Bot").run()
    page.file_uploader("machine/file").upload("bot.csv", content.encode()).run()
    for name, text in (
        ("model", "a model"),
        ("version", "4.1"),
        ("date", "2026-11-20"),
        ("prompt", "On topic?"),
    ):
        field = page.text_area if name == "prompt" else page.text_input
        field(f"machine/{name}").set_value(text).run()
    press(page, "Import these verdicts")
    event = store.log(key)[-1]
    assert (
        event.kind == "machine"
        and event.payload["model"] == "a model"
        and len(event.payload["verdicts"]) == N
    )
    worth = page.number_input(f"who_next/{key}")
    assert worth.label.endswith("in £")
    worth.set_value(500.0).run()
    assert f"Who reads the next {N}" in html(page) and "Rita, only what Bot includes" in html(page)
    assert any("obody has read yet" in each.value for each in page.caption)
    page.number_input(f"who_next/{key}").set_value(0.0).run()
    assert "Who reads the next" not in html(page)
    press(page, "Exclude")
    assert OpenSession.load(store, key).state.depth == 1


IN_FULL = replace(BOTH, readers=Readers(("Rita", "Sam"), full_texts=True))
TABLE = Report("data", study="Lee 2004", rows=(AccuracyRow("Lee 2004", 9, 1, 2, 30),))
OTHER = Report("data", study="Lee 2004", rows=(AccuracyRow("Lee 2004", 9, 1, 3, 30),))


def in_full(store: Store) -> str:
    key = begun(store, IN_FULL)
    for name in ("Rita", "Sam"):
        read(store, key, name, "relevant", "relevant")
    return key


def says(store: Store, key: str, name: str, doc: str, report: Report) -> None:
    work = OpenSession.load(store, key, name)
    work.report(doc, report, work.state.seq)


def test_each_reads_full_texts_alone_and_what_differs_is_settled_side_by_side(
    open_app: Open, store: Store, cookies: dict[str, str]
) -> None:
    key = in_full(store)
    says(store, key, "Sam", IDS[0], OTHER)
    page = open_app("screen", session=key)  # Rita's browser
    assert "2 reports wait" in html(page) and "Lee 2004" not in html(page)
    press(page, "Read the next report")
    assert 'data-testid="read-apart"' not in html(page) and "Lee 2004" not in html(page)
    for cell, number in zip(("TP", "FP", "FN", "TN"), ("9", "1", "2", "30"), strict=True):
        page.text_input(f"report_{cell}_0_{IDS[0]}").set_value(number)
    page.text_input(f"report_study_{IDS[0]}").set_value("Lee 2004")
    press(page, "Save the report")
    assert store.log(key)[-1].reviewer == "Rita" and OpenSession.load(store, key).state.read_in_full == {}
    press(page, "Resolve 1 differing report")
    shown = html(page).split('data-testid="read-apart"')[1].split("</table>")[0]
    assert "Rita" in shown and "Sam" in shown and shown.count("≠ differ") == 1
    assert "<td>FN</td><td><b>2</b></td><td><b>3</b></td>" in shown
    press(page, "As Sam says")
    event = store.log(key)[-1]
    assert (event.kind, event.reviewer) == ("resolved_report", "Rita")
    assert OpenSession.load(store, key).state.read_in_full == {0: OTHER}
    read(store, key, "Rita", *["irrelevant"] * (N - 2))
    page.run()
    assert block("nothing_left", False, 0, 1) in html(page), "a report waits for Rita"
    says(store, key, "Rita", IDS[1], OTHER)
    says(store, key, "Sam", IDS[1], OTHER)
    page.run()
    assert block("nothing_left", False, 0, 0) in html(page), "others have abstracts to read"
    read(store, key, "Sam", *["irrelevant"] * (N - 2))
    page.run()
    assert block("nothing_left", True, 0, 0) in html(page)
    assert not [each for each in page.button if each.label.startswith("Resolve")]


def test_numbers_that_neither_gave_settle_it_too(
    open_app: Open, store: Store, cookies: dict[str, str]
) -> None:
    key = in_full(store)
    says(store, key, "Sam", IDS[0], OTHER)
    says(store, key, "Rita", IDS[0], TABLE)
    cookies["tarstop_reviewer"] = "Tom"
    page = open_app("screen", session=key)
    assert not [each for each in page.button if each.label == "Read the next report" and not each.disabled]
    press(page, "Resolve 1 differing report")
    page.text_input(f"report_FN_0_{IDS[0]}").set_value("4")
    press(page, "Save the report")
    [(_, counts)] = OpenSession.load(store, key).state.read_in_full.items()
    assert counts.rows[0].FN == 4 and store.log(key)[-1].reviewer == "Tom"  # type: ignore[union-attr]
