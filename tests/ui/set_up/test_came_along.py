"""Set up: what is merged, families, and labels that came along."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tarstop_core.screening.fold import replay
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.ui.set_up.cases import answered, start

Open = Callable[..., AppTest]
FILES = "set_up/documents/files/0"
LABELLED = b"""id,title,abstract,date,included,exclusion reason
1,Accuracy of ultrasound for appendicitis in children,Ultrasound in children.,2010,1,
2,Kettles with lids,Kettles boil water.,2011,0,wrong topic
3,Accuracy of MRI for appendicitis in adults,MRI in adults.,2012,,
4,Accuracy of ultrasound for appendicitis in children,Ultrasound in children again.,2013,,
5,Fentanyl for pain,Pain after surgery.,2014,,
"""
FAMILY = b"""Display Key,Title,Abstract,Publication Date,Simple Family Members
EP 3456789 A1,Foldable mast,A mast.,2015-03-04,EP 3456789 A1;;US 2015/0123456 A1
US 2015/0123456 A1,Foldable antenna mast,An antenna mast.,2015-06-04,EP 3456789 A1;;US 2015/0123456 A1
US 9123456 B2,Kettle,A kettle.,2012-06-04,US 9123456 B2
"""


def upload(app: AppTest, name: str, content: bytes, query: str) -> AppTest:
    app.radio("set_up/documents/source").set_value("upload").run()
    app.file_uploader(FILES).upload(name, content)
    app.run()
    next(area for area in app.text_area if "/query/" in area.key).set_value(query).run()
    assert not app.exception and not app.error
    return app


def words_of(elements: object) -> str:
    return " ".join(str(element.value) for element in elements).replace("\\", "")  # type: ignore[attr-defined]


def html_of(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html")).replace("\u00a0", " ")


def choice(app: AppTest) -> object:
    return next(radio for radio in app.radio if "/came_along/choice/" in radio.key)


def test_labels_are_found_and_kept(open_app: Open, store: Store) -> None:
    app = upload(open_app("set_up"), "mine.csv", LABELLED, "ultrasound appendicitis")
    asked = choice(app)
    assert words_of(app.caption).count("2 of 5") == words_of(app.caption).count("(1 relevant)") == 1
    assert "of 5" not in asked.label, "it is said once"
    assert "mine.csv (included)" in asked.label.replace("\\", "")
    assert asked.value == "keep"
    assert "of 5, after 2 kept" in words_of(app.markdown)
    start(app)
    (summary,) = store.sessions()
    assert summary.labelled == 2
    whole = session_snapshot(store, summary.id)
    assert whole.row.ids[:2] == ("1", "2")
    assert (whole.state.kept, whole.state.relevant, whole.state.excluded_for) == (2, 1, {1: "wrong topic"})
    app.switch_page("pages/screen.py").run()
    assert not app.exception
    assert "2 of 5 screened" in html_of(app) and "2 came with labels" in html_of(app)


@pytest.mark.parametrize("wanted", ["leave", "replay"])
def test_labels_may_be_left_out_or_replayed(open_app: Open, store: Store, wanted: str) -> None:
    app = upload(open_app("set_up"), "mine.csv", LABELLED, "ultrasound appendicitis")
    choice(app).set_value(wanted).run()
    answered(app)
    assert ("would have stopped" in words_of(app.markdown)) == (wanted == "replay")
    if wanted == "replay":
        assert "1 of 1" in html_of(app) and "Consecutive irrelevant(50)" in html_of(app)
    start(app)
    (summary,) = store.sessions()
    assert summary.labelled == 0 and not store.events(summary.id)


def test_labels_are_replayed_in_the_order_in_which_they_were_given(open_app: Open) -> None:
    rows = (
        LABELLED.decode().replace("exclusion reason", "read order").replace("wrong topic", "1").splitlines()
    )
    rows[1] += "2"
    app = upload(open_app("set_up"), "mine.csv", "\n".join(rows).encode(), "ultrasound appendicitis")
    choice(app).set_value("replay").run()
    answered(app)
    assert "in the order read" in words_of(app.markdown) and "missed" in html_of(app)
    (methods,) = [code.value for code in app.code if "replayed with TARstop" in code.value]
    assert "2 labels from mine.csv (included)" in methods


def test_a_plan_can_be_registered_with_kept_labels(open_app: Open, store: Store) -> None:
    app = upload(open_app("set_up"), "mine.csv", LABELLED, "ultrasound appendicitis")
    app.checkbox("set_up/register").set_value(True).run()
    start(app)
    (summary,) = store.sessions()
    assert [event.kind for event in store.events(summary.id)] == ["kept", "plan"]


def test_near_duplicates_wait_for_a_tick(open_app: Open, store: Store) -> None:
    app = upload(open_app("set_up"), "mine.csv", LABELLED, "ultrasound")
    (expander,) = [each for each in app.expander if each.label.startswith("Look at duplicates")]
    assert expander.label.endswith(": 1 perhaps the same")
    (table,) = [each.value for each in app.dataframe if "would be merged" in each.value]
    assert table["merge"].tolist() == [False]
    (why,) = table["why"]
    assert "same title; year 2010 and 2013" in why
    # What the button stores, since the simulated page has no grid to tick.
    signature = app.session_state["set_up/documents/imported"][0]
    app.session_state["set_up/documents/chosen"] = (signature, frozenset({0}))
    app.run()
    assert "4 documents" in words_of(app.success) and "(5 from mine.csv; 1 merged" in words_of(app.success)
    (row,) = store.collections()
    assert (row.documents, row.duplicates) == (4, 1)
    (expander,) = [each for each in app.expander if each.label.startswith("Look at duplicates")]
    assert expander.label == "Look at duplicates: 1 merged"
    assert row.files[-1] == {"merging": {"same": 0, "apart": 0, "together": 1, "near": 0}}


def test_a_family_counts_once(open_app: Open, store: Store) -> None:
    app = upload(open_app("set_up"), "lens.csv", FAMILY, "antenna mast")
    (once,) = [box for box in app.checkbox if "patent family" in box.label]
    assert "leaves out 1 document" in once.label
    start(app)
    (summary,) = store.sessions()
    whole = session_snapshot(store, summary.id)
    assert len(whole.row.ids) == 2
    first = whole.row.ids[0]
    state = replay(whole.row.settings, whole.row.ids, whole.events)
    assert state.other_family_members == {first: ("EP 3456789 A1",)}
    rows = whole.prisma.rows()
    assert [count for name, count in rows if "patent family" in name] == [1]
    assert sum(count for name, count in rows if name.startswith("Records identified")) == 3
    app.switch_page("pages/screen.py").run()
    assert not app.exception
    assert "published as EP 3456789 A1" in html_of(app)


@pytest.mark.parametrize(("scenario", "named"), [("patent", False), ("patent", True), ("review", False)])
def test_patents_without_families_say_so(open_app: Open, scenario: str, named: bool) -> None:
    app = open_app("set_up", scenario=scenario)
    assert "patent family" not in words_of(app.caption)
    app = upload(app, "mine.csv", FAMILY if named else LABELLED, "ultrasound antenna mast")
    assert ("each counts separately" in words_of(app.caption)) == (scenario == "patent" and not named)


def test_families_may_stay_apart(open_app: Open, store: Store) -> None:
    app = upload(open_app("set_up"), "lens.csv", FAMILY, "antenna mast")
    (once,) = [box for box in app.checkbox if "patent family" in box.label]
    once.set_value(False).run()
    start(app)
    (summary,) = store.sessions()
    assert summary.documents == 3 and not store.events(summary.id)


def test_a_published_list_with_all_its_labels(open_app: Open, store: Store, real_data: Path) -> None:
    content = (real_data / "records" / "Triptans.csv").read_bytes()
    app = upload(open_app("set_up"), "Triptans.csv", content, "triptans for migraine")
    asked = choice(app)
    assert "671 of 671 documents" in words_of(app.caption) and "(24 relevant)" in words_of(app.caption)
    assert asked.value == "replay"
    assert "of 24" in html_of(answered(app)) and "as yours will" not in words_of(app.caption)
    answered(app.radio("set_up/scenario").set_value("review").run())
    assert "labels contain no 2×2 tables" in words_of(app.caption)
    assert "as yours will" in words_of(app.caption), "the list of the session learns"
    (shown,) = [each.proto.body for each in app.get("html") if "stops after" in each.proto.body]
    assert "Optimal" not in shown and "Greedy" not in shown and "Consecutive irrelevant(50)" in shown
    app.radio("set_up/scenario").set_value("patent").run()
    asked = choice(app)
    asked.set_value("keep").run()
    assert "Nothing is left" in words_of(app.caption)
    start(app)
    (summary,) = store.sessions()
    assert summary.labelled == 671


def test_a_published_list_with_two_verdicts_is_kept_whole(
    open_app: Open, store: Store, real_data: Path
) -> None:
    content = (real_data / "records" / "ADHD.csv").read_bytes()
    asked_for = "drugs for attention deficit hyperactivity disorder"
    app = upload(open_app("set_up", scenario="review"), "ADHD.csv", content, asked_for)
    assert "851 documents imported" in words_of(app.success)
    # In two stages the verdict by title and abstract is the one that is meant, unless a person says otherwise.
    verdict = next(radio for radio in app.radio if "/documents/verdict/" in radio.key)
    assert "ADHD.csv holds two verdicts" in verdict.label.replace("\\", "")
    asked = choice(app)
    assert "851 of 851 documents" in words_of(app.caption) and "(84 relevant)" in words_of(app.caption)
    assert "of 84" in html_of(answered(app))
    asked.set_value("keep").run()
    assert "Nothing is left" in words_of(app.caption)
    start(app)
    (summary,) = store.sessions()
    assert summary.labelled == 851
    assert [event.kind for event in store.events(summary.id)] == ["kept", "fit"]
    app.switch_page("pages/screen.py").run()
    assert not app.exception
    assert "851 of 851 screened · 84 included" in html_of(app) and "851 came with labels" in html_of(app)


BOTH = b"""title,abstract,label_included,label_abstract_screening
Accuracy of ultrasound for appendicitis,Ultrasound in children.,0,1
Accuracy of MRI for appendicitis,MRI in adults.,1,1
Kettles with lids,Kettles boil water.,0,0
"""


@pytest.mark.parametrize(("name", "content"), [("both.csv", BOTH), ("both.csv.gz", gzip.compress(BOTH))])
def test_the_verdict_that_the_stages_ask_for_is_taken_and_may_be_changed(
    open_app: Open, name: str, content: bytes
) -> None:
    app = open_app("set_up", scenario="review")
    app.radio("set_up/documents/source").set_value("upload").run()
    app.file_uploader(FILES).upload(name, content)
    app.run()
    assert not app.exception and not app.error
    assert "carry labels (2 relevant)." in words_of(app.caption), "said before a question is"
    next(area for area in app.text_area if "/query/" in area.key).set_value("ultrasound appendicitis").run()
    assert "(label_abstract_screening)" in choice(app).label.replace("\\", "")
    assert "(label_abstract_screening)" in words_of(app.caption) and not app.toast

    def asked() -> object:
        return next(radio for radio in app.radio if "/documents/verdict/" in radio.key)

    assert asked().value == "label_abstract_screening"
    asked().set_value("label_included").run()
    assert "carry labels (1 relevant)." in words_of(app.caption)
    assert "(label_included" in choice(app).label.replace("\\", ""), "what was asked of the list stays"
    app.radio("set_up/review/stages").set_value(1).run()
    assert not app.exception and asked().value == "label_included"
    app.radio("set_up/scenario").set_value("patent").run()
    assert not app.exception and asked().value == "label_included" and not app.toast


def test_another_question_does_not_change_the_labels_silently(open_app: Open) -> None:
    app = upload(open_app("set_up", scenario="patent"), "both.csv", BOTH, "ultrasound")
    assert "both.csv (label_included, " in words_of(app.caption) and not app.toast
    app.radio("set_up/scenario").set_value("enough").run()
    assert "both.csv (label_abstract_screening)" in words_of(app.caption)
    (changed,) = app.toast
    assert "2 relevant, not 1" in changed.value
    assert not app.run().toast
