"""A review of an intervention from import to report: effects are typed from reports, and the advice is the core's."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tarstop_core.effects.beliefs import EffectTarget, belief_of_effect
from tarstop_core.effects.measures import Measure
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.sessions.compare import asked_otherwise, other_scenarios
from tarstop_core.sessions.export import to_csv, to_xlsx
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.effects.golden import studies_of
from tests.ui.set_up.cases import answered

Open = Callable[..., AppTest]
BCG = studies_of("bcg")
FIELDS = ("Events, treated", "People, treated", "Events, control", "People, control")


def records() -> bytes:
    """Trials of a vaccine, and what else a search finds."""
    rows = [("id", "title", "abstract", "authors", "year")]
    for at, study in enumerate(BCG.study):
        name, year = study.rsplit(" ", 1)
        rows.append((f"t{at}", f"BCG vaccine against tuberculosis, trial {at}", "Randomised.", name, year))
        rows.append((f"o{at}", f"Housing and tuberculosis, report {at}", "A survey.", "Smith", "1990"))
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def html_of(app: AppTest) -> str:
    assert not app.exception, app.exception
    return " ".join(str(each.proto.body) for each in app.get("html"))


def set_up(open_app: Open) -> AppTest:
    app = open_app("set_up", scenario="effect")
    app.radio("set_up/documents/source").set_value("upload").run()
    app.file_uploader("set_up/documents/files/0").upload("bcg.csv", records())
    app.run()
    next(each for each in app.text_area if "/query/" in each.key).set_value("BCG vaccine tuberculosis").run()
    app.text_input("set_up/effect/outcome").set_value("tuberculosis").run()
    app.number_input("set_up/effect/people").set_value(5.0).run()
    return answered(app)


def press(app: AppTest, label: str) -> AppTest:
    next(each for each in app.button if each.label == label).click().run()
    assert not app.exception, app.exception
    return app


def fill(app: AppTest, values: tuple[float, ...]) -> AppTest:
    for label, value in zip(FIELDS, values, strict=True):
        next(each for each in app.text_input if each.label == label).set_value(f"{value:g}")
    return press(app, "Save the report")


def test_from_import_to_report_the_advice_is_the_cores(open_app: Open, store: Store, tmp_path: Path) -> None:
    app = set_up(open_app)
    app.button("set_up/start").click().run()
    assert not app.exception and not app.error, (app.exception, app.error)
    session = store.sessions()[0].id
    settings = store.session(session).settings
    assert isinstance(settings, EffectSettings)
    assert (settings.outcome, settings.measure, settings.above) == ("tuberculosis", "OR", False)
    assert settings.prevented == pytest.approx(5.0) and settings.baseline == 0.2

    work, entered = OpenSession.load(store, session), list[int]()
    for _ in range(5):
        work.learn()
        doc = work.row.ids[work.state.depth]
        work.label(doc, "relevant" if doc.startswith("t") else "irrelevant", work.state.seq)
        if doc.startswith("t"):
            entered.append(int(doc[1:]))
    page = open_app("screen", session=session)
    press(page, "Read the next report")
    first, *_ = entered
    fill(page, tuple(BCG.values[first]))
    snapshot = session_snapshot(store, session)
    (row,) = snapshot.state.evidence.rows
    assert row.numbers["n_treated"] == BCG.values[first][1]
    core = (
        belief_of_effect(BCG.first(first + 1), EffectTarget(Measure.OR, settings.delta, False, True))
        if not first
        else None
    )
    if core is not None:
        assert snapshot.advice_now.b == pytest.approx(core.beliefs[-1], abs=1e-9)
    page.session_state["why"] = page.session_state["evidence_drawn"] = True
    page.run()
    shown = html_of(page)
    assert "in a new setting" in shown and "tuberculosis" in shown
    assert any("pool" in str(each.value).lower() for each in page.caption)

    page.button("stop").click().run()
    next(each for each in page.radio if each.label == "Your decision").set_value(True).run()
    press(page, "Record the decision")
    snapshot = session_snapshot(store, session)
    assert snapshot.state.decision is not None and snapshot.state.decision.payload["measure"] == "OR"
    report = report_html(snapshot)
    assert "not a complete synthesis" in report and "events_treated" in report
    assert "events_treated" in to_csv(snapshot) and to_xlsx(snapshot)
    elsewhere = Store(f"sqlite:///{tmp_path}/elsewhere.db")
    again = session_snapshot(elsewhere, import_session(elsewhere, export_session(store, session)))
    assert again.advice_now.b == snapshot.advice_now.b and again.state.settings == snapshot.state.settings
    assert {"review", "enough"} == {*other_scenarios(settings)}
    other, _ = asked_otherwise(snapshot, "enough")
    assert other.scenario == "enough"
    for name, address in (
        ("sessions", {"session": session}),
        ("home", {}),
        ("explore", {"session": session}),
    ):
        assert html_of(open_app(name, **address))


def test_what_cannot_be_is_said_where_it_is_typed(open_app: Open, store: Store) -> None:
    app = set_up(open_app)
    app.button("set_up/start").click().run()
    session = store.sessions()[0].id
    work = OpenSession.load(store, session)
    work.learn()
    work.label(work.row.ids[0], "relevant", work.state.seq)
    page = press(open_app("screen", session=session), "Read the next report")
    next(each for each in page.text_input if each.label == "Study").set_value("")
    fill(page, (9, 4, 1, 5))
    name = f"#1 {work.reports_of([0])[0].title}"
    assert any(f"{name} has more events" in str(each.value) for each in page.error)
    fill(page, (0, 40, 0, 39))
    assert any("either arm" in str(each.value) for each in page.info)
    assert not len(session_snapshot(store, session).state.evidence)
    press(page, "Save the report")
    assert [row.study for row in session_snapshot(store, session).state.evidence.rows] == [name]


@pytest.mark.parametrize(
    "measure",
    ["RD", "SMD", "generic", *(pytest.param(measure, marks=pytest.mark.deep) for measure in ("RR", "MD"))],
)
def test_every_measure_can_be_begun_with(open_app: Open, store: Store, measure: str) -> None:
    app = set_up(open_app)
    app.selectbox("set_up/effect/measure").set_value(measure).run()
    assert not app.exception and not app.error
    app.button("set_up/start").click().run()
    settings = store.session(store.sessions()[0].id).settings
    assert isinstance(settings, EffectSettings) and settings.measure == measure
