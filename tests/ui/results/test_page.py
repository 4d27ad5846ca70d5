"""The Results page."""

from __future__ import annotations

import gzip
import io
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.results import data, page
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import running as background
from tarstop_core.evaluation.benchmarks.simulated_patents import simulated_patents
from tarstop_core.evaluation.findings import topic_figures as view
from tarstop_core.evaluation.findings.shipped import listed, load_small, save_small, shipped
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.running import Order, Status
from tarstop_core.evaluation.tasks import DecisiveTask
from tarstop_core.evaluation.upload import checked, place
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings
from tarstop_core.sessions.store.store import Store

Open = Callable[..., AppTest]
METHODS = ("greedy", "optimal", "budget", "qbcb", "decide-now", "oracle")
PATENT = "Simulated patent searches"


@pytest.fixture(scope="module")
def small() -> Results:
    benchmark = simulated_patents(20, seed=3)
    return run(benchmark, DecisiveTask(), parse_methods(METHODS, "patent"), costs=(0.001, 0.01))


@pytest.fixture
def no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TARSTOP_DATABASE_URL", f"sqlite:///{tmp_path}/t.db")
    yield
    for each in background.runs():
        background.forget(each)


def texts(app: AppTest) -> str:
    return " ".join(
        [element.proto.body for element in app.get("html")] + [each.value for each in app.caption]
    ).replace("\\", "")


def own_files(topics: int = 8, seed: int = 5) -> dict[str, bytes]:
    """A small run and its judgments."""
    rankings = simulate_patent_rankings(topics, seed, pool_mean=120)
    lines, judged = [], []
    for topic in rankings:
        assert topic.scores is not None and topic.labels is not None
        for rank, (doc, score) in enumerate(zip(topic.ids, topic.scores, strict=True), start=1):
            lines.append(f"{topic.name} Q0 {doc} {rank} {score:.6f} own")
        judged += [
            f"{topic.name} 0 {doc} {int(label)}" for doc, label in zip(topic.ids, topic.labels, strict=True)
        ]
    return {"own.run": "\n".join(lines).encode(), "own.qrels": "\n".join(judged).encode()}


def bring(files: dict[str, bytes], folder: Path) -> None:
    """Place files as an upload would and check them."""
    place([(name, io.BytesIO(content)) for name, content in files.items()], folder)
    checked(folder)


def zipped(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return target.getvalue()


# --- the page -----------------------------------------------------------------------------------


def test_the_page_opens_at_once_with_what_is_shipped(open_app: Open) -> None:
    app = open_app("results")
    assert not app.exception and not app.error
    offered = app.selectbox("benchmark").options
    assert offered[0] == PATENT
    assert len(offered) >= 5
    said = texts(app)
    assert "simulated" in said and "truth: a relevant document exists" in said
    assert len(app.get("plotly_chart")) == 2


@pytest.mark.parametrize("title", [name for name in page.VIEWS if name != "Claims"])
def test_every_tab_of_every_shipped_benchmark_is_drawn(open_app: Open, title: str) -> None:
    for choice in data.choices().values():
        app = open_app("results", view=title, benchmark=choice.label)
        assert not app.exception and not app.error, (choice.label, title)


def test_figures_say_what_they_show_and_react(open_app: Open) -> None:
    app = open_app("results", view="About")
    before = texts(app)
    app.segmented_control("q").set_value(0.8).run()
    after = texts(app)
    assert "q* = 0.5 and a cost of 0.001" in before and "q* = 0.8 and a cost of 0.001" in after
    app.segmented_control("cost").set_value(0.01).run()
    assert "q* = 0.8 and a cost of 0.01" in texts(app)
    app.select_slider("share").set_value(0.1).run()
    assert "Reweighted as if 10" in texts(app)
    app.multiselect("methods").set_value(["greedy", "budget"]).run()
    assert not app.exception
    assert "Budget most" in texts(app) or "Greedy most" in texts(app)


def test_no_method_is_no_dead_end(open_app: Open) -> None:
    app = open_app("results")
    app.multiselect("methods").set_value([]).run()
    assert [each.value for each in app.info] == ["Choose at least one method."]
    app.multiselect("methods").set_value(["oracle"]).run()
    assert not app.exception and not app.error


def test_reviews_have_two_truths_named_in_the_table(open_app: Open) -> None:
    app = open_app("results", benchmark="Simulated diagnostic-accuracy reviews")
    assert "pooled sensitivity above θ" in texts(app)
    app.segmented_control("truth").set_value("full_evidence").run()
    said = texts(app)
    assert "the action that all studies of an outcome would choose" in said
    assert "belief engine: univariate" in said


def test_a_topic_of_a_simulated_benchmark_is_made_again(open_app: Open) -> None:
    app = open_app("results", view="Topics", topic="SIM-P0003")
    assert not app.exception and not app.error
    assert "On SIM-P0003 (ω⁺, " in texts(app)
    assert "no longer what these results were measured with" not in texts(app)


def test_rankings_that_are_not_shipped_are_said_to_be_missing(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TARSTOP_REAL_DATA", raising=False)
    real = next(
        each for each in data.choices().values() if next(iter(each.files.values())).benchmark == "clef"
    )
    app = open_app("results", view="Topics", benchmark=real.label)
    first = app.selectbox("topic").options[0]
    app.selectbox("topic").set_value(first).run()
    assert any("Real collections do not come with TARstop" in each.value for each in app.info)


def test_the_papers_rows_are_recomputed_on_the_page(open_app: Open) -> None:
    said = texts(open_app("results", view="Paper and this run"))
    assert "42 of 42 net utilities" in said and "42 of 42 ICERs" in said


# --- what is computed for it --------------------------------------------------------------------


def test_small_files_hold_the_same_results(small: Results, tmp_path: Path) -> None:
    save_small(small, tmp_path / "r.npz")
    again = load_small(tmp_path / "r.npz")
    np.testing.assert_array_equal(again.plus, small.plus)
    np.testing.assert_allclose(again.screened, small.screened, rtol=1e-7)
    np.testing.assert_allclose(again.recall, small.recall, rtol=1e-7)
    whole = [m for m, each in enumerate(small.methods) if each.policy != "qbcb"]
    np.testing.assert_array_equal(again.net_utility[:, whole], small.net_utility[:, whole])
    assert listed(tmp_path / "r.npz").settings == again.settings
    (tmp_path / "r.npz").write_bytes(b"no results")
    with pytest.raises(InputProblem, match=r"r\.npz is not a file of results"):
        listed(tmp_path / "r.npz")


def test_shipped_files_are_small_and_say_where_they_come_from() -> None:
    files = shipped()
    assert {"patent", "review", "clef", "clef-travel", "clef-review"} <= {each.benchmark for each in files}
    for each in files:
        assert each.path.stat().st_size < 1_000_000
        assert each.settings["provenance"]
    assert [each.simulated for each in files] == sorted((each.simulated for each in files), reverse=True)


def test_a_jump_of_the_belief_is_drawn_where_it_is(small: Results) -> None:
    b = np.full(5001, 0.5)
    b[548:] = 0.8
    figure = view.topic_figure(b, None, [], cost=0.001, q_star=0.5, depth=548, hit=None, steps=True)
    solid, dotted = figure["data"][:2]
    drawn = dict(zip(solid["x"], solid["y"], strict=True))
    assert (drawn[547], drawn[548]) == (0.5, 0.8)
    assert (solid["x"][-1], dotted["x"][0], dotted["x"][-1]) == (548, 548, 5000)
    assert solid["line"]["shape"] == "hv"
    hit = view.topic_figure(b, b[1:], [], cost=0.001, q_star=0.5, depth=40, hit=30)
    drawn = dict(zip(hit["data"][0]["x"], hit["data"][0]["y"], strict=True))
    assert (drawn[29], drawn[30], drawn[40]) == (0.5, 1.0, 1.0)


# --- a benchmark of one's own -------------------------------------------------------------------


def test_an_upload_is_laid_out_as_a_folder(tmp_path: Path) -> None:
    files = own_files()
    place([(name, io.BytesIO(content)) for name, content in files.items()], tmp_path / "loose")
    assert len(checked(tmp_path / "loose").folds) == 5
    halves = {f"my/{half}/{name}": content for half, seed in (("train", 5), ("test", 6)) for name, content in own_files(6, seed).items()}  # fmt: skip
    halves = {name: content.replace(b"SIM-", b"T-") if "/test/" in name else content for name, content in halves.items()}  # fmt: skip
    notes = place([("my.zip", io.BytesIO(zipped({**halves, "my/notes.md": b"x"})))], tmp_path / "packed")
    assert len(checked(tmp_path / "packed").folds) == 1
    assert notes == ("my.zip: left out, because their names do not say what they are: notes.md.",)
    packed = {"own.run.gz": gzip.compress(files["own.run"]), "own.qrels": files["own.qrels"]}
    place([(name, io.BytesIO(content)) for name, content in packed.items()], tmp_path / "gz")
    assert checked(tmp_path / "gz").scenario == "patent"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"own.txt": b"x"}, r"own\.txt is neither a run"),
        ({"own.zip": b"no zip"}, r"own\.zip is damaged or not a zip"),
        ({"own.zip": zipped({"a/b/own.run": b"x", "a/own.qrels": b"x"})}, r"own\.zip holds a/b/own\.run in a folder"),
        ({"own.zip": zipped({"../own.run": b"x", "own.qrels": b""})}, "Your upload holds no run; put a TREC run"),
        ({"own.run": b"T Q0 d 1 x own\n", "own.qrels": b"T 0 d 1\n"}, r"own\.run"),
        ({"own.run": own_files()["own.run"]}, r"Your upload holds no file of judgments; put TREC judgments"),
        ({"own.zip": zipped({"train/own.run": b"T Q0 d 1 1 o", "train/own.qrels": b"T 0 d 1"})}, "only one of train and test"),
    ],
)  # fmt: skip
def test_bad_uploads_are_refused_in_a_sentence(
    tmp_path: Path, files: dict[str, bytes], sentence: str
) -> None:
    folder = tmp_path / "up"
    with pytest.raises(InputProblem, match=sentence) as caught:
        bring(files, folder)
    assert str(tmp_path) not in str(caught.value)


def ordered(folder: Path, methods: tuple[str, ...] = ("greedy", "budget", "decide-now")) -> Order:
    return Order("Mine", str(folder), methods, costs=(0.001, 0.01))


def ended(of: background.Run, seconds: float = 300) -> Status:
    until = time.monotonic() + seconds
    while (status := background.status(of)).state in ("waiting", "running", "stopping"):
        assert time.monotonic() < until, status
        time.sleep(0.05)
    return status


def test_a_run_is_cancelled_goes_on_and_is_shown(no_runs: None, store: Store, open_app: Open) -> None:
    home = background.new_folder()
    files = home / background.FILES / "own"
    bring(own_files(), files)
    started = background.begin(home, ordered(files))
    background.cancel(started)
    assert ended(started).state == "stopped"
    assert started.results is None
    background.resume(started)
    assert ended(started) == Status("done", 1.0)
    found = started.results
    assert found is not None and found.title == "Mine"
    assert load_small(found.path).costs == (0.001, 0.01)

    app = open_app("results", benchmark=data.own_label(started), view="Topics")
    assert not app.exception and not app.error
    topic = app.selectbox("topic").options[0]
    app.selectbox("topic").set_value(topic).run()
    assert f"On {topic} (" in texts(app)


def test_a_folder_on_this_computer_can_be_named(no_runs: None, open_app: Open, tmp_path: Path) -> None:
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
    assert ended(started).state == "done"
    background.forget(started)
    assert (tmp_path / "own" / "own.run").exists()


def test_a_run_whose_server_is_gone_can_go_on(no_runs: None) -> None:
    home = background.new_folder()
    files = home / background.FILES / "own"
    bring(own_files(), files)
    started = background.begin(home, ordered(files))
    process = background._PROCESSES.pop(home)
    assert background.status(started).state == "stopped"  # as after a new start of the server
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(120) == 0
    background.resume(started)
    assert ended(started).state == "done"
    background.forget(started)
    assert background.runs() == [] and not home.exists()


def test_a_run_that_cannot_go_well_says_why(no_runs: None, tmp_path: Path) -> None:
    started = background.begin(background.new_folder(), ordered(tmp_path / "nowhere"))
    status = ended(started)
    assert status.state == "failed"
    assert "nowhere" in status.what
