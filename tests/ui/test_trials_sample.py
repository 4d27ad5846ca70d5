"""Published trials as a simulated sample: set up, screened, filled in from a table, decided, exported and imported again."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tarstop_core.effects.beliefs import belief_of_effect
from tarstop_core.effects.measures import Measure
from tarstop_core.places import sample_dir
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.collections import TRIALS, sample_full_texts, sample_reviews
from tarstop_core.screening.effect_settings import EffectSettings
from tarstop_core.sessions.demo import sample_answer, sample_text
from tarstop_core.sessions.file import export_session, import_session
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.effects.golden import studies_of

Open = Callable[..., AppTest]
SETS = {"bcg": ("bcg", "bcg"), "catheters": ("catheters", "nielweise2007")}
"""By search: the published set that its trials are of, and what the golden values call it."""


def html_of(app: AppTest) -> str:
    assert not app.exception and not app.error, (app.exception, app.error)
    return " ".join(str(each.proto.body) for each in app.get("html"))


@pytest.mark.parametrize("topic", ["bcg", pytest.param("catheters", marks=pytest.mark.deep)])
def test_a_published_set_is_screened_filled_in_and_decided(
    open_app: Open, store: Store, tmp_path: Path, topic: str
) -> None:
    published, golden = SETS[topic]
    app = open_app("set_up", scenario="effect")
    chosen = next(each for each in app.selectbox if each.key == f"set_up/documents/{TRIALS}")
    chosen.set_value(topic).run()
    assert "simulated documents" in html_of(app)
    app.number_input("set_up/effect/people").set_value(5.0).run()
    app.button("set_up/start").click().run()
    html_of(app)
    session = store.sessions()[0].id
    work = OpenSession.load(store, session)
    assert work.collection.simulated and isinstance(work.state.settings, EffectSettings)
    texts = sample_full_texts(topic, TRIALS)
    while set(texts).difference(work.row.ids[: work.state.depth]):
        doc = work.row.ids[work.state.depth]
        assert "imulated" in sample_text(work, doc) or doc not in texts
        work.label(doc, "relevant" if doc in texts else "irrelevant", work.state.seq)

    page = open_app("screen", session=session)
    page.session_state["fill_in"] = True
    page.run()
    file = sample_dir() / "published" / "effects" / f"{published}.csv"
    page.file_uploader("fill_in_file").upload(file.name, file.read_bytes())
    page.run()
    count = len(studies_of(golden))
    assert f"{count} of {count} studies" in html_of(page)
    page.button("fill_in_save").click().run()
    html_of(page)
    page.session_state["evidence_drawn"] = True
    page.run()
    assert ("4 of 123 treated, 11 of 139 control" in html_of(page)) == (topic == "bcg")

    snapshot = session_snapshot(store, session)
    settings, evidence = snapshot.state.settings, snapshot.state.evidence
    assert isinstance(settings, EffectSettings) and len(evidence) == count
    names = [row.study for row in evidence.rows]
    order = sorted(range(count), key=lambda at: names.index(studies_of(golden).study[at]))
    read = studies_of(golden).only(order)
    core = belief_of_effect(read, settings.target, settings.used_engine, settings.b_0)
    assert snapshot.advice_now.b == pytest.approx(core.beliefs[-1], abs=1e-12)
    said = html_of(open_app("evidence", session=session)).replace("\u00a0", " ")
    assert percent(core.beliefs[-1]) in said and "simulated" in said  # type: ignore[arg-type]

    work = OpenSession.load(store, session)
    right = bool(settings.payoffs.chooses_plus(snapshot.advice_now.b))
    answer, other = (sample_answer(work, settings, plus) for plus in (right, not right))
    assert answer is not None and not answer.wrong and other is not None and other.wrong
    page.button("stop").click().run()
    next(each for each in page.radio if each.label == "Your decision").set_value(right).run()
    next(each for each in page.button if each.label == "Record the decision").click().run()
    html_of(page)
    decided = session_snapshot(store, session)
    assert "simulated" in report_html(decided)
    elsewhere = Store(f"sqlite:///{tmp_path}/elsewhere.db")
    again = session_snapshot(elsewhere, import_session(elsewhere, export_session(store, session)))
    assert again.advice_now.b == snapshot.advice_now.b and again.state.decision is not None
    assert again.collection.simulated
    moved = settings.with_threshold(0.5)
    assert moved == replace(settings, delta=0.5) and moved.kind is Measure.OR


def test_every_search_says_that_it_is_simulated() -> None:
    for topic in sample_reviews(TRIALS)["topic"]:
        for text in sample_full_texts(topic, TRIALS).values():
            assert "imulated" in text.text
