"""The Evidence page without a browser: what is asked, what is said, and the panel for any page."""

import base64
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.evidence import page as evidence_page
from dashboard.evidence.page import EXAMPLE, Chosen
from dashboard.frame import widgets
from dashboard.frame.drawing import ALL
from dashboard.parts.evidence import VIEWS
from dashboard.parts.sessions import file_stem
from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import Tables
from tarstop_core.evidence.manual_tables import manual_tables, pack
from tarstop_core.evidence.report import study_rows
from tarstop_core.evidence.summary import Evidence
from tarstop_core.files import read_tables, trace_to_csv
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.collections import published_sets
from tarstop_core.samples.shipped import priors
from tests.ui.conftest import SECONDS

OpenApp = Callable[..., AppTest]
TITLES = [view.title for view in VIEWS]


def shown(app: AppTest) -> str:
    """Everything that the page says in HTML, captions and boxes."""
    assert not app.exception
    parts = [*app.get("html"), *app.caption, *app.info, *app.warning, *app.error]
    return (
        " ".join(str(getattr(part, "value", "") or part.proto.body) for part in parts)
        .replace("\xa0", " ")
        .replace("\u2060", "")
        .replace("\\", "")
    )


@pytest.fixture
def published(open_app: OpenApp) -> AppTest:
    """The page as it opens, with the first published set."""
    return open_app("evidence")


def belief(
    theta: float = 0.75,
    engine: str = "bivariate",
    prior: Prior | None = None,
    at: int = 0,
    theta_sp: float | None = None,
) -> str:
    """What the page ought to say of a published set."""
    found = Evidence(published_sets()[at].tables, theta, engine, prior or Prior(), theta_sp).belief
    assert found is not None
    return percent(found)


def test_a_published_set_is_shown_first_with_its_source(published: AppTest) -> None:
    said, first = shown(published), published_sets()[0]
    assert f"sensitivity exceeds 75 % is {belief()}." in said
    assert "you would choose “Adopt”" in said
    assert f"{len(first.tables)} studies" in said and first.citation.split(".")[0] in said
    assert f"Reported: sensitivity {percent(first.reported.sensitivity[0])} (" in said
    pooled = Evidence(first.tables, 0.75, "bivariate", Prior()).pooled.sensitivity
    assert pooled is not None and f"both groups: sensitivity {percent(pooled.value)} (" in said
    assert [tab.label for tab in published.tabs] == TITLES
    assert said.count('class="tar-fluid"') == 2, "the open tab's, and the prior's"


def test_another_set_is_chosen_by_hand_or_by_the_address(published: AppTest, open_app: OpenApp) -> None:
    name = published_sets()[1].name
    published.selectbox("evidence/set").set_value(name).run()
    said = f"is {belief(at=1)}."
    assert said in shown(published) and published.query_params["set"] == name
    assert said in shown(open_app("evidence", set=name))
    assert f"is {belief()}." in shown(open_app("evidence", set="no such set"))


def test_without_a_file_the_page_says_what_to_do(open_app: OpenApp) -> None:
    app = open_app("evidence")
    app.session_state["evidence/source"] = "file"
    app.run()
    assert "fill in the example" in shown(app)
    assert not app.tabs


def test_a_file_is_called_as_a_person_reads_it() -> None:
    tables = published_sets()[0].tables
    assert [Chosen(name, tables=tables).title for name in ("hip_2x2_tables.csv.gz", "D-dimer.xlsx")] == [
        "hip 2x2 tables",
        "D-dimer",
    ]


def test_the_example_to_fill_in_is_readable() -> None:
    read = read_tables(io.BytesIO(EXAMPLE.encode()), "example.csv")
    assert len(read.tables) == 6 and not read.notes
    assert all("Invented" in name for name in read.tables.study)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_only_the_open_tab_is_drawn(open_app: OpenApp, view: object) -> None:
    app = open_app("evidence")
    app.session_state["evidence/tab"] = view.title  # type: ignore[attr-defined]
    app.run()
    drawn = [part for tab in app.tabs for part in tab.caption]
    assert len(drawn) == 1 and not app.exception


def test_theta_engine_chance_and_threshold_come_from_the_address(open_app: OpenApp) -> None:
    app = open_app("evidence", theta="0.9", engine="univariate", b_0="0.3", q_star="0.9")
    said = shown(app)
    assert f"sensitivity exceeds 90 % is {belief(0.9, 'univariate', Prior(b_0=0.3))}." in said
    assert "choose “Don’t adopt”" in said and "each group separately" in said


def test_moving_a_slider_moves_the_belief_and_the_address(published: AppTest) -> None:
    published.slider("theta").set_value(0.8).run()
    assert f"sensitivity exceeds 80 % is {belief(0.8)}." in shown(published)
    published.slider("b_0").set_value(0.2).run()
    published.slider("tau").set_value(0.5).run()
    assert f"is {belief(0.8, prior=Prior(b_0=0.2, tau=0.5))}." in shown(published)
    assert "prior chosen here" in shown(published)


def test_specificity_may_decide_too(published: AppTest) -> None:
    published.checkbox("both").set_value(True).run()
    published.slider("theta_sp").set_value(0.75).run()
    both = belief(theta_sp=0.75)
    assert both != belief() and f"and specificity 75 % is {both}." in shown(published)
    published.button("evidence/prior/clef-reviews").click().run()
    assert published.slider("b_0").value == 0.5  # what was learned of sensitivity says nothing of both
    published.checkbox("both").set_value(False).run()
    learned = replace(priors()["clef-reviews"], b_0=0.5)
    assert f"sensitivity exceeds 75 % is {belief(prior=learned)}." in shown(published)


def test_the_learned_prior_is_taken_over_with_its_origin_and_put_back(published: AppTest) -> None:
    name, learned = "clef-reviews", priors()["clef-reviews"]
    assert learned.learned_from is not None
    published.button(f"evidence/prior/{name}").click().run()
    said = shown(published)
    assert f"is {belief(prior=learned)}." in said
    assert f"prior learned from {learned.learned_from.reviews} reviews" in said
    published.slider("s").set_value(2.0).run()
    assert "prior chosen here" in shown(published)
    published.button("evidence/prior/weak").click().run()
    assert "weak prior" in shown(published) and f"is {belief()}." in shown(published)


def test_reml_looks_at_no_prior(published: AppTest) -> None:
    published.selectbox("evidence/engine").set_value("reml").run()
    assert f"is {belief(engine='reml')}." in shown(published)
    assert published.query_params["engine"] == "reml"
    assert published.slider("b_0").disabled and "prior" not in shown(published).split("</p>")[1]


def test_the_table_to_fill_in_asks_for_a_study(open_app: OpenApp) -> None:
    app = open_app("evidence")
    app.session_state["evidence/source"] = "typed"
    app.run()
    assert "Enter TP and FN" in shown(app)


def at_address(open_app: OpenApp, rows: list[tuple[str, ...]], source: str, name: str = "") -> AppTest:
    """The page as a reload opens it."""
    return open_app("evidence", source=source, tables=pack(rows) or "", **({"name": name} if name else {}))


TYPED = [("Lee 2004", "20", "3", "4", "50"), ("Kim", "7.5", "1", "2", "30")]


def test_typed_tables_come_back_by_the_address_with_the_incomplete_row_left_out(open_app: OpenApp) -> None:
    app = at_address(open_app, TYPED, "typed")
    said = shown(app)
    tables, left_out, _ = manual_tables(TYPED)
    found = Evidence(tables, 0.75, "bivariate", Prior()).belief
    assert found is not None and f"is {percent(found)}." in said and "1 study" in said
    assert left_out[0] in said and "brings them back" in said
    assert app.query_params["tables"] == pack(TYPED) and app.query_params["source"] == "typed"


def test_typed_tables_are_called_by_their_rows(open_app: OpenApp) -> None:
    rows = [
        ("Study", "TP", "FP", "FN", "TN"),
        ("Lee", "20", "3", "4", "50"),
        TYPED[1],
        ("Lee", "9", "1", "2", "30"),
    ]
    said = shown(at_address(open_app, rows, "typed"))
    assert "Row 3 (Kim)" in said and "Row 1" not in said
    assert "Rows 2 and 4" in said and "Studies 1 and 2" not in said


def test_uploaded_tables_come_back_by_the_address_under_their_name(open_app: OpenApp) -> None:
    said = shown(at_address(open_app, TYPED[:1], "file", "mine.csv"))
    assert "mine.csv" in said and "1 study" in said and "brings them back" in said


def test_a_large_file_is_read_in_a_process_of_its_own(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (evidence_page, widgets):
        monkeypatch.setattr(module, "LARGE_FILE", 0)
    app = open_app("evidence", source="file")
    for name, content in (("mine.csv", EXAMPLE.encode()), ("bad.csv", b"TP,FN\n1,x\n")):
        app.file_uploader("evidence/upload").set_value((name, content, "text/csv")).run()
        assert name in shown(app) and bool(app.error) == (name == "bad.csv")


@pytest.mark.parametrize("source", ["file", "typed"])
def test_an_address_cut_short_is_a_sentence(open_app: OpenApp, source: str) -> None:
    app = open_app("evidence", source=source, tables=(pack(TYPED) or "")[:-5])
    assert "address cannot be read" in shown(app) and not app.tabs


def test_tables_from_elsewhere_do_not_stay_in_the_address(open_app: OpenApp) -> None:
    app = at_address(open_app, TYPED, "typed")
    for source in ("file", "published"):
        app.session_state["evidence/source"] = source
        app.run()
        assert "tables" not in app.query_params
    assert "source" not in app.query_params and f"is {belief()}." in shown(app)


def test_tables_too_long_for_the_address_say_so(open_app: OpenApp) -> None:
    app = open_app("evidence")
    counts = np.random.default_rng(1).integers(1, 10**9, (4, 400)).astype(float)
    tables = Tables(tuple(f"S{at}" for at in range(400)), *counts)
    app.session_state["evidence/chosen"], app.session_state["evidence/upload_problem"] = (
        Chosen("big", tables=tables),
        "",
    )
    app.session_state["evidence/source"] = "file"
    app.session_state["engine"] = "univariate"
    app.run()
    assert "upload the file again" in shown(app) and "tables" not in app.query_params


def test_the_other_model_is_quoted_under_the_headline(open_app: OpenApp) -> None:
    exact = Evidence(published_sets()[0].tables, 0.75, "bivariate", Prior())
    assert exact.belief is not None and exact.rival_belief is not None
    between = f"{(exact.belief + exact.rival_belief) / 2:.2f}"
    if min(exact.belief, exact.rival_belief) < float(between) < max(exact.belief, exact.rival_belief):
        assert "(REML) would decide differently" in shown(open_app("evidence", q_star=between))
        said = shown(open_app("evidence", q_star=between, engine="reml"))
        assert f"exact belief is {percent(exact.belief)}" in said and "half a patient" in said


# --- the panel ----------------------------------------------------------------------------------


def page() -> None:
    import numpy as np
    import streamlit as st

    from dashboard.parts.evidence import panel
    from tarstop_core.belief.question import Question
    from tarstop_core.documents.tables import Tables
    from tarstop_core.evidence.report import About
    from tarstop_core.evidence.summary import evidence
    from tarstop_core.value.payoffs import Payoffs

    n = st.session_state.get("n", 0)
    cells = [np.full(n, value, dtype=float) for value in (20, 4, 5, 90)]
    tables, engine = (
        Tables(tuple(f"<b>Study* $ {i}" for i in range(n)), *cells),
        st.session_state.get("engine"),
    )
    shown = evidence(tables, Question(0.75, engine or "bivariate"))
    panel(shown, Payoffs(2500, 2500, 2500, 2500, "£"), About("n"), key="p", file_stem="stem")


@pytest.mark.parametrize(
    ("engine", "n"),
    [
        *(("bivariate", n) for n in (0, 1, 2, 3, 70)),
        *((engine, n) for engine in ("univariate", "reml") for n in (0, 3)),
    ],
)
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_tab_can_be_drawn_from_any_number_of_studies(n: int, view: object, engine: str) -> None:
    app = AppTest.from_function(page, default_timeout=SECONDS)
    app.session_state["n"], app.session_state["engine"] = n, engine
    app.session_state["p/tab"] = view.title  # type: ignore[attr-defined]
    app.run()
    assert not app.exception and not app.error
    assert len(app.caption) == 1 and app.caption[0].value


def handed_over(app: AppTest) -> list[dict[str, dict[str, str]]]:
    """All figures as the script of the page gets them."""
    found = (re.search(r'data-figures="([^"]+)"', part.proto.body) for part in app.get("html"))
    return [json.loads(base64.b64decode(each[1])) for each in found if each]


def test_all_figures_are_made_when_they_are_asked_for_and_only_then(published: AppTest) -> None:
    tables = published_sets()[0]
    stem = file_stem(tables.title)
    menu = [each.label for each in published.get("download_button")]
    assert menu[:3] == ["Report (HTML)", "Data (CSV)", "CSV"] and not handed_over(published)
    for _ in range(2):
        published.button("all-figures").click().run()
        (figures,) = handed_over(published)
        assert list(figures) == [f"{stem}-{view.name}" for view in VIEWS]
        assert [bool(each["svg"]) for each in figures.values()] == [view.figure is not None for view in VIEWS]
        found = Evidence(tables.tables, 0.75, "bivariate", Prior())
        assert figures[f"{stem}-forest"]["csv"] == trace_to_csv(study_rows(found))
    published.run()
    assert not handed_over(published)


def test_a_press_on_a_page_that_was_left_brings_nothing_on_another(published: AppTest) -> None:
    published.session_state[ALL] = ("tarstop-explore", {})
    assert not handed_over(published.run()) and ALL not in published.session_state


def test_names_are_shown_as_they_are() -> None:
    app = AppTest.from_function(page, default_timeout=SECONDS)
    app.session_state["n"], app.session_state["p/tab"] = 3, "Leave one out"
    app.run()
    assert "\\<b\\>Study\\* \\$" in app.caption[0].value


def test_a_file_with_odd_names_is_asked_about_and_read_by_the_answers(open_app: OpenApp) -> None:
    app = open_app("evidence", source="file")
    content = b"who;hit rate;sick;well;right\nLee;83 (69 to 92);47;eighty;92.5\n"
    app.file_uploader("evidence/upload").set_value(("odd.csv", content, "text/csv")).run()
    assert "no column TP or FN" in shown(app) and not app.tabs
    again = "evidence/map"
    assert app.button(again).disabled
    for field, theirs in {
        "study": "who",
        "sensitivity": "hit rate",
        "diseased": "sick",
        "healthy": "well",
    }.items():
        app.selectbox(f"{again}/{field}").set_value(theirs)
    app.selectbox(f"{again}/specificity").set_value("right").run()
    app.button(again).click().run()
    assert "odd.csv, line 2:" in shown(app) and "'eighty'" in shown(app)
    app.selectbox(f"{again}/healthy").set_value("–")
    app.selectbox(f"{again}/specificity").set_value("–").run()
    app.button(again).click().run()
    assert "recovered by rounding" in shown(app) and len(app.tabs)
    assert app.session_state["evidence/chosen"].rows == [("Lee", "39", "", "8", "")]
