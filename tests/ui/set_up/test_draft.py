"""What was entered is there again where the page is loaded anew."""

import pytest
from streamlit.testing.v1 import AppTest

from tarstop_core.belief.prior import Prior
from tarstop_core.sessions.store.store import Store
from tests.ui.conftest import ROOT, SECONDS
from tests.ui.set_up.cases import CSV, HEADER, PATENTS, START, Open, html_of, query, start, upload, words_of


def draft_of(page: AppTest) -> str:
    named = page.query_params.get("draft", "")
    return named[0] if isinstance(named, list) else named


def test_a_page_that_was_only_looked_at_is_no_draft(page: AppTest) -> None:
    page.run()
    assert not draft_of(page)


def test_every_field_survives(open_app: Open, page: AppTest, store: Store) -> None:
    upload(page, ("patents.csv", CSV), ("b.csv", (HEADER + PATENTS[0] + "\n").encode()))
    page.text_area(query(page)).set_value("foldable mast")
    page.radio("set_up/own/stakes/worse").set_value("minus").run()
    page.number_input("set_up/own/stakes/times").set_value(3.0).run()
    page.text_input("set_up/own/stakes/unit").set_value("£").run()
    page.slider("set_up/chances/b_0").set_value(33)
    page.selectbox("set_up/searched/any").set_value("own").run()
    page.slider("set_up/kappa").set_value(80)
    page.toggle("set_up/needs_citation").set_value(False)
    page.selectbox("set_up/chances/policy").set_value("batch").run()
    page.number_input("set_up/chances/batch/K").set_value(20)
    page.text_input("set_up/application/priority").set_value("3 March 2018")
    page.text_input("set_up/reviewer").set_value("Ada")
    page.checkbox("set_up/register").set_value(True).run()
    draft = draft_of(page)
    assert store.draft(draft)

    again = open_app("set_up", draft=draft)
    assert not again.exception and not again.error
    assert "patents.csv and 1 more: 4 documents, imported before" in words_of(again.caption)
    assert again.text_area(query(again)).value == "foldable mast"
    assert "first-titles" in html_of(again)
    for kind, key in (
        ("radio", "own/stakes/worse"),
        ("number_input", "own/stakes/times"),
        ("number_input", "own/stakes/documents"),
        ("number_input", "own/stakes/G"),
        ("slider", "chances/b_0"),
        ("selectbox", "searched/any"),
        ("slider", "kappa"),
        ("toggle", "needs_citation"),
        ("selectbox", "chances/policy"),
        ("number_input", "chances/batch/K"),
        ("text_input", "application/priority"),
        ("text_input", "reviewer"),
        ("checkbox", "register"),
    ):
        assert getattr(again, kind)(f"set_up/{key}").value == getattr(page, kind)(f"set_up/{key}").value, key

    again.button(START).click().run()
    assert "how much you would read" in again.error[0].value and not store.sessions(), "one question is open"
    again.number_input("set_up/own/stakes/documents").set_value(800.0).run()
    again = open_app("set_up", draft=draft)
    assert again.number_input("set_up/own/stakes/documents").value == 800
    start(again)
    assert not again.exception and not again.error
    (session,) = store.sessions()
    row = store.session(session.id)
    assert (row.settings.payoffs.unit, row.settings.policy, row.settings.b_0) == ("£", "batch:K=20", 0.33)
    assert row.query == "foldable mast" and store.draft(draft) == {}


@pytest.mark.parametrize(("kappa", "answer"), [(80, "own"), (100, "unknown")])
def test_a_draft_of_an_earlier_version_keeps_its_coverage(
    open_app: Open, page: AppTest, store: Store, kappa: int, answer: str
) -> None:
    upload(page, ("patents.csv", CSV))
    content = store.draft(draft_of(page))
    fields = {name: value for name, value in content["fields"].items() if "/searched/" not in name}
    draft = store.save_draft(content | {"fields": fields | {"set_up/kappa": kappa}}, "")
    again = open_app("set_up", draft=draft)
    assert not again.exception and not again.error
    assert again.selectbox("set_up/searched/any").value == answer
    assert [slider.value for slider in again.slider if slider.key == "set_up/kappa"] == [80] * (kappa == 80)


def test_a_prior_from_a_file_survives(open_app: Open, store: Store) -> None:
    page = open_app("set_up", scenario="review")
    page.selectbox("set_up/review/prior").set_value("file").run()
    mine = Prior(b_0=0.66, s=0.7, tau=0.4)
    file = ("mine.json", mine.to_json().encode(), "application/json")
    page.file_uploader("set_up/review/prior/upload").set_value(file).run()
    again = open_app("set_up", scenario="review", draft=draft_of(page))
    start(again)
    assert store.session(store.sessions()[0].id).settings.prior == mine


@pytest.mark.parametrize("opened", [False, True])
def test_what_was_entered_in_the_second_step_counts_before_that_is_drawn(
    page: AppTest, store: Store, opened: bool
) -> None:
    page.slider("set_up/stakes/q").set_value(0.8).run()
    page.slider("set_up/chances/b_0").set_value(33).run()
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    again.query_params["draft"] = draft_of(page)
    again.switch_page("pages/set_up.py").run()
    assert not again.slider and again.text_area
    if opened:
        again.button("set_up/next").click().run()
        # As what the browser is to show: of a widget that it has not drawn yet it knows nothing.
        moved = {
            each.key: [*(each.proto.value if each.proto.set_value else each.proto.default)]
            for each in again.slider
        }
        assert moved["set_up/stakes/q"] == [0.8] and moved["set_up/chances/b_0"] == [33]
    start(again)
    assert not again.exception and not again.error
    settings = store.session(store.sessions()[0].id).settings
    assert (settings.payoffs.q_star, settings.b_0) == (pytest.approx(0.8), 0.33)


def test_a_draft_keeps_the_second_step_while_that_step_is_not_drawn(
    open_app: Open, page: AppTest, store: Store
) -> None:
    upload(page, ("patents.csv", CSV))
    page.slider("set_up/chances/b_0").set_value(33).run()
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    again.query_params["draft"] = draft_of(page)
    again.switch_page("pages/set_up.py").run()
    again.text_area(query(again)).set_value("foldable mast").run()
    assert not again.exception and not again.slider, "questions about the stakes are open"
    again.button(START).click().run()
    assert "which mistake is worse" in again.error[0].value and not store.sessions()
    assert again.button("set_up/there").label == "Go to 2 What is at stake"
    last = open_app("set_up", draft=draft_of(page))
    assert last.text_area(query(last)).value == "foldable mast"
    assert last.slider("set_up/chances/b_0").value == 33


def test_an_unknown_draft_is_a_page_as_new(open_app: Open) -> None:
    page = open_app("set_up", draft="nothing")
    assert not page.exception and not page.error


def test_what_is_looked_for_is_asked_whatever_the_order(page: AppTest, store: Store) -> None:
    upload(page, ("scored.csv", b"id,title,score\na,Mast,1.5\nb,Kettle,8\nc,Cup,2.5\n"))
    page.text_area(query(page)).set_value("a kettle").run()
    start(page)
    row = store.session(store.sessions()[0].id)
    assert (row.ids, row.query) == (("b", "c", "a"), "a kettle")


def test_a_name_of_250_characters_is_refused_with_a_sentence(page: AppTest, store: Store) -> None:
    box = next(each for each in page.text_input if "/name/" in str(each.key))
    box.set_value("n" * 250).run()
    start(page)
    assert "has 250 characters; give one of at most 120" in words_of(page.error)
    assert not store.sessions()
