"""Set up asks how a patent list was searched: what exists may not be in it, and merged ranks mean less."""

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.parts.chances import PREFIX
from tarstop_core.calibration.coverage import COMPLETE, COVERAGES, share_without_hit
from tarstop_core.calibration.first_hit import read_cases
from tarstop_core.calibration.rank_frailty import from_cases
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.shipped import FOR_MERGED_LISTS, calibrators
from tarstop_core.sessions.calibrator_library import keep
from tarstop_core.sessions.store.store import Store
from tests.ui.set_up.cases import Open, html_of, query, start, upload, words_of

SCORED = b"id,title,score\na,Mast,1.5\nb,Kettle,3.5\nc,Cup,2.5\n"
CHANCES = "set_up/chances/calibrator/scores/own"


def test_a_sample_lacks_nothing(page: AppTest, store: Store) -> None:
    assert page.selectbox("set_up/searched/sample").value == "complete"
    start(page)
    assert store.session(store.sessions()[0].id).settings.kappa == 1


@pytest.mark.parametrize("merged", [False, True])
def test_the_answer_is_a_chance_that_the_list_holds_it(page: AppTest, store: Store, merged: bool) -> None:
    upload(page, ("scored.csv", SCORED))
    page.text_area(query(page)).set_value("a mast").run()
    assert page.selectbox("set_up/searched/any").value == "unknown"
    for answer, coverage in COVERAGES.items():
        if coverage.merged != merged:
            continue
        page.selectbox("set_up/searched/any").set_value(answer).run()
        captions = words_of(page.caption).replace("\xa0", " ")
        name = FOR_MERGED_LISTS if merged else "clef-reviews-rank-frailty"
        share = share_without_hit(calibrators()[name], 3, coverage)
        assert share is not None and percent(share.mean) in captions, answer
        assert f"a chance of {percent(coverage.mean)}" in captions, answer
    last = [coverage for coverage in COVERAGES.values() if coverage.merged == merged][-1]
    start(page)
    assert not page.exception
    settings = store.session(store.sessions()[0].id).settings
    assert settings.kappa == last.mean
    assert merged == (settings.calibrator == calibrators()[FOR_MERGED_LISTS].digest)


def test_ranks_of_several_files_are_those_of_merged_lists(page: AppTest) -> None:
    upload(page, ("one.csv", SCORED), ("two.csv", b"id,title,score\nd,Lid,1.5\ne,Spoon,3.5\n"))
    assert page.selectbox(f"{CHANCES}/merged").value == FOR_MERGED_LISTS
    # Put in order by what is looked for they are one ranking.
    page.text_area(query(page)).set_value("a mast").run()
    next(radio for radio in page.radio if "/order/" in str(radio.key)).set_value("text").run()
    assert page.selectbox(CHANCES).value == "clef-reviews-rank-frailty"


def test_chances_that_a_person_chose_stay(page: AppTest) -> None:
    upload(page, ("scored.csv", SCORED))
    page.selectbox(CHANCES).set_value("clef-reviews-rank").run()
    page.selectbox("set_up/searched/any").set_value("databases").run()
    assert page.selectbox(CHANCES).value == "clef-reviews-rank"


def test_past_cases_answer_it(open_app: Open, store: Store) -> None:
    included = calibrators()["clef-reviews-rank-frailty"]
    mine = from_cases(included, read_cases("4, 17, missed in 60"), "my past searches")
    keep(store, mine)
    page = open_app("set_up")
    upload(page, ("scored.csv", SCORED))
    box = page.selectbox("set_up/searched/past")
    assert box.value == "past" and "complete" not in box.options
    share = share_without_hit(mine, 3, COMPLETE)
    assert share is not None
    # What cases taught is a share without a hit, and no κ.
    captions = words_of(page.caption).replace("\xa0", " ")
    assert percent(share.mean) in captions and "κ =" not in captions
    page.text_area(query(page)).set_value("a mast").run()
    start(page)
    settings = store.session(store.sessions()[0].id).settings
    assert (settings.kappa, settings.calibrator) == (1, mine.digest)


def test_what_is_set_aside_is_not_counted_as_shown(page: AppTest) -> None:
    dated = b"id,title,priority date\na,Mast,1990-02-03\nb,Cup,1991-02-03\nc,Lid,2001-02-03\n"
    upload(page, ("dated.csv", dated))
    page.text_area(query(page)).set_value("a mast").run()
    assert "in the first 3." in words_of(page.caption).replace("\xa0", " ")
    page.text_input("set_up/application/priority").set_value("3 March 1998").run()
    assert "in the first 2." in words_of(page.caption).replace("\xa0", " ")


def test_whether_the_chances_came_true_is_drawn_once_a_person_opens_it(page: AppTest) -> None:
    assert "tar-fluid" not in html_of(page)
    page.session_state[f"{PREFIX}/came_true"] = True
    page.run()
    assert not page.exception and html_of(page).count("tar-fluid") == 1
