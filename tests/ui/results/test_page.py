"""The Results page."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.frame import people
from dashboard.results import look, page, views
from dashboard.results import run as results_run
from tarstop_core.evaluation import running as background
from tarstop_core.evaluation.benchmarks.folder import from_folder
from tarstop_core.evaluation.findings import reliability, tables
from tarstop_core.evaluation.findings.report import Findings
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.results import load
from tarstop_core.evaluation.running import Status
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.places import RESULTS_VARIABLE, RULES_VARIABLE, runs_folder
from tarstop_core.presentation.numbers import percent
from tarstop_core.sessions.store.store import Store
from tests.evaluation.benchmarks.test_folder import of_effects
from tests.evaluation.own_benchmark import bring, ordered, own_files, own_rules

Open = Callable[..., AppTest]
RULE = """from dataclasses import dataclass
import numpy as np
from tarstop_core.policies import Policy


@dataclass(frozen=True)
class Seven(Policy):
    name, title, rule, source = "seven", "Seven", "Stop after seven.", "a test"

    def depths(self, path, costs, start=0):
        return np.full(len(costs), min(7, len(path)))
"""
PATENT = "Simulated patent searches"


def texts(app: AppTest) -> str:
    return " ".join(
        [element.proto.body for element in app.get("html")] + [each.value for each in app.caption]
    ).replace("\\", "")


def test_the_page_opens_at_once_with_what_is_shipped(open_app: Open) -> None:
    app = open_app("results", full="true")
    assert not app.exception and not app.error
    offered = app.selectbox("benchmark").options
    assert offered[0] == PATENT
    assert len(offered) >= 5
    said = texts(app)
    assert "simulated" in said and "Truth: a relevant document exists" in said
    assert len(app.get("plotly_chart")) == 2


TABS = [name for name in page.VIEWS if name != "Claims"]


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.deep)], ids=["some", "all"])
@pytest.mark.parametrize("title", TABS)
def test_every_tab_of_every_shipped_benchmark_is_drawn(open_app: Open, title: str, whole: bool) -> None:
    """Each tab of two benchmarks, each benchmark on some tabs; or all of them."""
    at, labels = TABS.index(title), list(look.choices())
    for label in labels if whole else (labels[at % len(labels)], labels[(at + 2) % len(labels)]):
        app = open_app("results", view=title, benchmark=label)
        assert not app.exception and not app.error, (label, title)


def test_every_rule_is_shown_with_what_it_promises_and_reaches(open_app: Open) -> None:
    app = open_app("results", view="Every rule")
    shown, rows = texts(app), reliability.by_rule(reliability.shipped())
    for row in rows.to_dict("records"):
        assert str(row["rule"]) in shown and str(row["promise"]) in shown
        assert f"{percent(row['reached'])} ({percent(row['reached_low'])} to" in shown


def test_figures_say_what_they_show_and_react(open_app: Open) -> None:
    app = open_app("results", view="About")
    before = texts(app)
    app.segmented_control("q").set_value(0.8).run()
    after = texts(app)
    assert "50\xa0% sure" in before and "costs 0.001" in before
    assert "80\xa0% sure" in after
    app.selectbox("cost").set_value(0.01).run()
    assert "costs 0.01," in texts(app)
    app.select_slider("share").set_value(0.1).run()
    assert "Reweighted as if 10" in texts(app)
    app.multiselect("methods").set_value(["greedy", "budget"]).run()
    assert not app.exception
    assert "Budget most" in texts(app) or "Greedy most" in texts(app)


def test_the_address_has_the_share_as_a_number(open_app: Open) -> None:
    for there in ("0.1", percent(0.1)):  # what it was called in links of before
        app = open_app("results", view="About", share=there)
        assert not app.exception
        assert "Reweighted as if 10" in texts(app) and app.query_params["share"] in ("0.1", ["0.1"])
    app.select_slider("share").set_value("as they are").run()
    assert "Reweighted" not in texts(app) and "share" not in app.query_params


def test_the_address_has_how_sure_as_a_number(open_app: Open) -> None:
    """Links of before have it so, and what an option is called may change."""
    app = open_app("results", q="0.8")
    assert "80\xa0% sure" in texts(app) and "0.8" in app.query_params["q"]
    app.segmented_control("q").set_value(0.2).run()
    assert "20\xa0% sure" in texts(app) and "0.2" in app.query_params["q"]
    app.segmented_control("q").set_value(0.5).run()
    assert "50\xa0% sure" in texts(app) and "q" not in app.query_params
    wrong = open_app("results", q="0.81")
    assert not wrong.exception and "50\xa0% sure" in texts(wrong) and "q" not in wrong.query_params


@pytest.mark.parametrize(
    ("scenario", "called"),
    [
        ("patent", {"false_adopt": "false_reject", "false_reject": "false_grant"}),
        ("review", {"false_adopt": "false_adopt", "false_reject": "false_reject"}),
    ],
)
def test_what_is_saved_calls_errors_as_the_page_does(scenario: str, called: dict[str, str]) -> None:
    files = [next(iter(each.files.values())) for each in look.choices().values()]
    file = next(each for each in files if look.everything(each).scenario == scenario)
    asked = look.subject_of(file, ("optimal", "greedy"))
    frame = look.rows(asked, 0.5, 0.001)
    saved = look.in_words(frame, look.findings(asked).results)
    for within, shown in called.items():
        assert saved[shown].tolist() == frame[within].tolist()
    assert {column for column in saved if column.startswith("false_")} == set(called.values())
    assert list(
        look.in_words(look.errors(asked, 0.001), look.findings(asked).results).filter(like="false_")
    ) == list(called.values())


def test_first_comes_what_it_says_and_the_rest_behind_a_switch_that_loses_nothing(open_app: Open) -> None:
    app = open_app("results")
    assert not app.exception and not app.multiselect and "ω⁻" not in texts(app)
    assert [tab.label for tab in app.tabs] == list(views.FIRST)
    app.toggle("full").set_value(True).run()
    assert [tab.label for tab in app.tabs] == list(views.VIEWS)
    app.multiselect("methods").set_value(["greedy", "budget"]).run()
    app.toggle("full").set_value(False).run()
    assert not app.multiselect
    app.toggle("full").set_value(True).run()
    assert app.multiselect("methods").value == ["greedy", "budget"]


def test_a_list_that_learns_stands_beside_one_that_does_not(open_app: Open) -> None:
    said = texts(open_app("results", view="Learning list"))
    known = pd.read_csv(views.PRIZE)
    one = known[
        (known["stages"] == "one stage") & (known["rule"] == "greedy") & (known["way"] == "re-ranked")
    ]
    assert "learning from labels" in said and f"{one['net_utility'].mean():+.4f}" in said


def test_no_method_is_no_dead_end(open_app: Open) -> None:
    app = open_app("results", full="true")
    app.multiselect("methods").set_value([]).run()
    assert [each.value for each in app.info] == ["Choose at least one method."]
    app.multiselect("methods").set_value(["oracle"]).run()
    assert not app.exception and not app.error


def test_reviews_have_two_truths_named_in_the_table(open_app: Open) -> None:
    app = open_app("results", benchmark="Simulated diagnostic-accuracy reviews", full="true")
    assert "pooled sensitivity above θ" in texts(app)
    app.segmented_control("truth").set_value("full_evidence").run()
    said = texts(app)
    assert "the action that all studies of an outcome would choose" in said
    assert "belief engine: univariate" in said


def test_a_topic_of_a_simulated_benchmark_is_made_again(open_app: Open) -> None:
    app = open_app("results", view="Topics", topic="SIM-P0003")
    assert not app.exception and not app.error
    assert "On SIM-P0003 (ω⁺, " in texts(app)
    assert "changed since these results were measured" not in texts(app)


def test_rankings_that_are_not_shipped_are_said_to_be_missing(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TARSTOP_REAL_DATA", raising=False)
    real = next(
        label for label, each in look.choices().items() if next(iter(each.files.values())).benchmark == "clef"
    )
    app = open_app("results", view="Topics", benchmark=real)
    first = app.selectbox("topic").options[0]
    app.selectbox("topic").set_value(first).run()
    assert any("Real collections do not come with TARstop" in each.value for each in app.info)


def test_the_papers_rows_are_recomputed_on_the_page(open_app: Open) -> None:
    said = texts(open_app("results", view="Paper and this run"))
    assert "42 of 42 net utilities" in said and "42 of 42 ICERs" in said
    for column in ("ICER, here", "ICER, paper", "Differs by", "agent, data"):
        assert column in said, column


# --- a benchmark of one's own -------------------------------------------------------------------


def test_a_run_is_shown(runs_here: None, store: Store, open_app: Open) -> None:
    home = background.new_folder()
    files = home / background.FILES / "own"
    bring(own_files(), files)
    started = background.begin(home, ordered(files))
    assert background.status(started) == Status("done", 1.0)
    found = started.results
    assert found is not None and found.title == "Mine"
    assert load(found.path).costs == (0.001, 0.01)

    app = open_app("results", benchmark=look.own_label(started), view="Topics")
    assert not app.exception and not app.error
    topic = app.selectbox("topic").options[0]
    app.selectbox("topic").set_value(topic).run()
    assert f"On {topic} (" in texts(app)


def test_what_the_server_was_started_with_is_shown_and_followed(
    runs_here: None, store: Store, open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(RULE, encoding="utf-8")
    rule = f"{tmp_path / 'mine.py'}:Seven"
    files = tmp_path / "own"
    bring(own_files(), files)
    order = ordered(files, ("greedy", "consecutive", rule))
    started = background.begin(background.new_folder(), order)
    refused = background.status(started)
    assert refused.state == "failed" and "not run here" in refused.what
    background.forget(started)

    monkeypatch.setenv(RULES_VARIABLE, rule)
    begun = background.begin(background.new_folder(), order)
    assert background.status(begun) == Status("done", 1.0)
    found = begun.results
    assert found is not None
    (tmp_path / "out").mkdir()
    shutil.copy(found.path, tmp_path / "out" / "results.npz")
    monkeypatch.setenv(RESULTS_VARIABLE, str(tmp_path / "out"))
    label = "Yours: Mine (out/results)"
    app = open_app("results", benchmark=label)
    assert not app.exception and not app.error
    assert label in app.selectbox("benchmark").options and "Seven most" in texts(app)
    app = open_app("results", benchmark=label, full="true")
    assert {*app.multiselect("methods").value} == {"greedy", "consecutive", rule}, "of a few none is hidden"
    app = open_app("results", full="true")
    named, shipped = app.selectbox("benchmark").options[:2]
    assert named == label, "what the server was started with comes first"
    app.selectbox("benchmark").set_value(shipped).run()
    usual = app.multiselect("methods").value
    app.selectbox("benchmark").set_value(label).run()
    assert {*app.multiselect("methods").value} == {"greedy", "consecutive", rule}, (
        "nor after another benchmark"
    )
    app.selectbox("benchmark").set_value(shipped).run()
    assert {*usual} <= {*app.multiselect("methods").value}
    app.segmented_control("results/way").set_value("folder").run()
    app.text_input("results/folder").set_value(str(files)).run()
    assert rule in app.multiselect("results/run_methods").value, "the server was started to follow it"


def test_what_nobody_foresaw_is_said_and_the_files_that_were_sent_go(
    no_runs: None, open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def died(*_: object, **__: object) -> None:
        raise RuntimeError("the process is gone")

    app = open_app("results")
    app.file_uploader("results/upload/0").upload("own.run", b"T1 Q0 d1 1 2 x\n").run()
    monkeypatch.setattr(results_run, "shown", died)
    app.button("results/read").click().run()
    assert "unexpected" in " ".join(each.value for each in app.warning)
    assert not list(runs_folder().iterdir())


def test_what_is_large_is_read_with_a_bar_and_cancel(
    no_runs: None, open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    bars: list[str] = []
    drawn = results_run.shown

    def noted(*job: object, **more: object) -> object:
        bars.append(str(job[1]))
        assert more["large"] and "results/taken/later" in st.session_state  # not in the callback
        return drawn(*job, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(results_run, "shown", noted)
    monkeypatch.setattr(results_run, "LARGE_FILE", 0)
    app = open_app("results")
    files = [(name, content, "text/plain") for name, content in own_files().items()]
    app.file_uploader("results/upload/0").set_value(files).run()
    app.button("results/read").click().run()
    assert not app.error and "8 topics, 4 in ω⁺" in texts(app) and bars == ["Reading the files"]
    assert "results/taken/later" not in app.session_state


def test_what_was_brought_and_never_run_is_removed_and_said(
    no_runs: None, open_app: Open, tmp_path: Path
) -> None:
    bring(own_files(), tmp_path / "own")
    app = open_app("results")
    app.segmented_control("results/way").set_value("folder").run()
    app.text_input("results/folder").set_value(str(tmp_path / "own")).run()
    (home,) = runs_folder().iterdir()
    os.utime(home, (0, 0))
    app.run()  # whoever looks at it wants it
    assert home.exists() and "8 topics, 4 in ω⁺" in texts(app)
    shutil.rmtree(home)
    app.run()
    assert "not run within a day" in app.error[0].value and app.button("results/read")


def test_others_name_folders_below_the_one_that_is_open_to_them(
    no_runs: None, open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARSTOP_HOSTS", "tarstop.example")
    monkeypatch.setattr(people, "way", lambda: None)
    app = open_app("results")
    app.segmented_control("results/way").set_value("folder").run()
    assert "its folders cannot be named" in app.error[0].value and not app.text_input

    opened = tmp_path / "open"
    bring(own_files(), opened / "own")
    bring(own_files(), tmp_path / "shut")
    (tmp_path / "shut.run").write_text("a secret first line\n", encoding="utf-8")
    (opened / "out").symlink_to(tmp_path / "shut")
    (opened / "half").mkdir()
    (opened / "half" / "x.run").symlink_to(tmp_path / "shut.run")
    monkeypatch.setenv("TARSTOP_FOLDERS", str(opened))
    app = open_app("results")
    app.segmented_control("results/way").set_value("folder").run()
    for named in (
        "..",
        "../shut",
        str(tmp_path / "shut"),
        "/",
        "/etc",
        "own/../../shut",
        "out",
        "half",
        "~",
        "a\0b",
    ):
        app.text_input("results/folder").set_value(named).run()
        said = app.error[0].value.replace("\\", "")
        assert named == "~" or "lies outside" in said, named
        assert str(tmp_path) not in said and "secret" not in said
    app.text_input("results/folder").set_value("nowhere").run()
    assert str(tmp_path) not in app.error[0].value.replace("\\", "")
    app.text_input("results/folder").set_value("own").run()
    assert not app.error and "8 topics, 4 in ω⁺" in texts(app)


def test_ones_own_run_shows_every_method_with_the_figures_of_the_command_line(
    runs_here: None, open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, seen = f"{own_rules(tmp_path)}:NIrrelevant", f"{own_rules(tmp_path)}:LastHit"
    monkeypatch.setenv(RULES_VARIABLE, ";".join((own, seen)))
    bring(own_files(), tmp_path / "own")
    few = (
        "greedy",
        "smooth",
        "batch",
        "optimal",
        "budget",
        "consecutive",
        "knee",
        "budget:d=5",
        "decide-now",
    )
    order = ordered(tmp_path / "own", (*few, "either(greedy;budget:d=9)", own))
    started = background.begin(background.new_folder(), order)
    assert background.status(started) == Status("done", 1.0)
    app = open_app("results", benchmark=look.own_label(started), full="true", view="Table")
    assert not app.exception and not app.error
    assert {*app.multiselect("methods").value} == {*order.methods}

    task = TASKS["patent"]()
    found = run(
        from_folder(tmp_path / "own"), task, parse_methods(order.methods, "patent"), costs=order.costs
    )
    report = Findings(found)
    assert started.results is not None
    asked = look.subject_of(started.results, order.methods)
    for frame, written in (
        (look.regret(asked, 0.5), report.regret[0.5]),
        (look.all_rows(asked, 0.95), report.rows),
        (
            look.rows(asked, 0.5, 0.001).drop(columns="is_oracle"),
            report.rows.query("q_star == 0.5 and cost == 0.001"),
        ),
    ):
        pd.testing.assert_frame_equal(
            frame.drop(columns="benchmark", errors="ignore").reset_index(drop=True),
            written.drop(columns="benchmark", errors="ignore").reset_index(drop=True),
        )
    said = texts(app)
    assert all(
        note.replace("\u00a0", " ") in said.replace("\u00a0", " ")
        for note in tables.notes(look.rows(asked, 0.5, 0.001))
    )
    app.segmented_control("target").set_value(0.8).run()
    assert "recall reaches 80" in texts(app)

    refused = background.begin(background.new_folder(), ordered(tmp_path / "own", ("greedy", seen)))
    status = background.status(refused)
    assert status.state == "failed" and "looks ahead" in status.what


def test_a_folder_on_this_computer_can_be_named(runs_here: None, open_app: Open, tmp_path: Path) -> None:
    app = open_app("results")
    app.segmented_control("results/way").set_value("folder").run()
    app.text_input("results/folder").set_value(str(tmp_path / "nowhere")).run()
    assert "There is no folder" in app.error[0].value
    bring(own_files(), tmp_path / "own")
    app.text_input("results/folder").set_value(str(tmp_path / "own")).run()
    assert not app.error and "8 topics, 4 in ω⁺" in texts(app)
    app.multiselect("results/run_methods").set_value([]).run()
    assert app.button("results/run").disabled and "Choose at least one method." in texts(app)
    app.multiselect("results/run_methods").set_value(["greedy", "decide-now"]).run()
    app.button("results/run").click().run()
    (started,) = background.runs()
    assert background.status(started).state == "done"
    background.forget(started)
    assert (tmp_path / "own" / "own.run").exists()


def test_reviews_of_interventions_are_asked_what_is_compared(
    runs_here: None, open_app: Open, tmp_path: Path
) -> None:
    app = open_app("results")
    app.segmented_control("results/way").set_value("folder").run()
    app.text_input("results/folder").set_value(str(of_effects(tmp_path / "trials"))).run()
    assert not app.error and "2 outcomes of reviews" in texts(app)
    assert app.number_input("results/run_delta/True").value == 1.0
    app.selectbox("results/run_measure").set_value("RD").run()
    app.number_input("results/run_delta/False").set_value(-0.05).run()
    app.multiselect("results/run_methods").set_value(["greedy", "decide-now"]).run()
    app.button("results/run").click().run()
    (started,) = background.runs()
    assert background.status(started).state == "done" and started.results is not None
    asked = {"measure": "RD", "delta": -0.05, "above": False, "ratio": False}
    assert load(started.results.path).settings.items() >= asked.items()
    app = open_app("results", benchmark=look.own_label(started), view="About", full="true")
    assert not app.exception and "effect beyond δ" in texts(app)
