"""The names of the root: imported late, known to type checkers, shown as tables and figures."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import tarstop_core as ts
from tarstop_core.calibration.fitting import fit
from tarstop_core.documents.topic import Topic
from tarstop_core.presentation.results import Result
from tests.api.cases import RELEVANT, STAKES, TABLES, N
from tests.cli.test_experiment import QRELS, RUN, tarstop

CORE = Path(ts.__file__).parent
P = np.linspace(0.5, 0.01, N)
RESULTS = {
    "advice": lambda: ts.advise(P, [0, 0], STAKES),
    "advice of a review": lambda: ts.advise(P, RELEVANT[:5], STAKES, scenario="review", tables=TABLES[:2]),
    "enough": lambda: ts.advise(P, RELEVANT[:5], scenario="enough"),
    "decision": lambda: ts.decide(0.4, 0.02, STAKES),
    "sure": lambda: ts.decide(1, 0.02, STAKES),
    "plans": lambda: ts.evsi(P, [0, 0], STAKES),
    "no plans": lambda: ts.evsi(P, np.zeros(N), STAKES),
    "stops": lambda: ts.replay(P, RELEVANT, STAKES, ["optimal", "knee", "target"]),
    "stops in enough": lambda: ts.replay(P, RELEVANT, None, ["few-left"], scenario="enough"),
    "belief": lambda: ts.belief(TABLES),
    "belief by REML": lambda: ts.belief(TABLES[:2], engine="reml"),
    "ranking": lambda: ts.rank(["a door", "a hinge of a door"], "hinge"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_an_answer_shows_itself(name: str) -> None:
    answer = RESULTS[name]()
    assert isinstance(answer, Result)
    table = answer.to_frame()
    assert isinstance(table, pd.DataFrame) and set(table) and "<table" in answer._repr_html_()
    assert str(answer)
    assert len(answer.plot().data)
    with pytest.raises(AttributeError):
        answer.read = 3  # type: ignore[attr-defined]


def test_texts_are_escaped_where_they_are_shown() -> None:
    assert "<b>" not in ts.rank(["<b>a door</b>"], "door")._repr_html_()


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8")
    return done.stdout.strip()


def test_the_root_imports_nothing_until_it_is_asked() -> None:
    loaded = run(
        "import tarstop_core, sys; print([name for name in ('numpy', 'pandas', 'scipy', 'click') if name in sys.modules])"
    )
    assert loaded == "[]"


def test_advice_imports_neither_scikit_learn_nor_the_dashboard() -> None:
    names = ("sklearn", "joblib", "plotly", "streamlit", "pyarrow", "sqlalchemy")
    asked = "ts.advise([.3, .2], [0], ts.Stakes.from_q_star(.5, cost=.01)).go_on"
    code = f"import sys; sys.modules['pyarrow'] = None; import tarstop_core as ts; {asked}; print([n for n in {names} if sys.modules.get(n)])"
    assert run(code) == "[]"


def test_without_plotly_a_sentence_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['plotly.graph_objects'] = None; import tarstop_core as ts\n"
        "try: ts.decide(.4, .1, ts.Stakes.from_q_star(.5, cost=.01)).plot()\n"
        "except ImportError as problem: print(problem)"
    )
    assert "pip install 'tarstop[app]'" in run(code)


def test_belief_is_a_function_and_a_package_whatever_was_imported_before() -> None:
    asked = "float(ts.belief([[45, 5, 5, 45]])) > .5 and ts.belief.prior.Prior is not None"
    for before in ("", "import tarstop_core.belief.bivariate, tarstop_core.belief.prior; "):
        code = f"{before}import tarstop_core as ts; print({asked})"
        assert run(code) == "True"


def test_every_name_is_told_to_type_checkers_and_documented() -> None:
    stub = ast.parse((CORE / "__init__.pyi").read_text(encoding="utf-8"))
    said = {
        alias.asname: node for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert sorted(said) == sorted(ts.__all__) and set(ts.__all__) <= set(dir(ts))
    for name, node in said.items():
        assert node.module is not None
        home = sys.modules.get(node.module) or __import__(node.module, fromlist=[name])
        if name != "belief":
            assert getattr(ts, name) is getattr(home, name)
        assert getattr(home, name).__doc__
    assert (CORE / "py.typed").is_file()
    with pytest.raises(AttributeError, match="magic"):
        ts.magic  # type: ignore[attr-defined]  # noqa: B018


def test_a_calibrator_follows_scikit_learn(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    scores = np.concatenate([np.sort(rng.normal(size=30))[::-1] for _ in range(5)])
    labels = rng.random(150) < 1 / (1 + np.exp(2 - 2 * scores))
    lists = np.repeat(np.arange(5), 30)
    own = ts.Calibrator(kind="frailty", pseudo=1.0)
    assert own.fit(scores.reshape(-1, 1), labels, groups=lists) is own
    topics = [
        Topic(
            str(k),
            np.arange(30).astype(str),
            scores[lists == k],
            labels[lists == k],
            int(labels[lists == k].sum()),
        )
        for k in range(5)
    ]
    engine = fit(topics, kind="frailty", pseudo=1.0)
    assert (own.calibrator_.x, own.calibrator_.y, own.calibrator_.frailty) == (
        engine.x,
        engine.y,
        engine.frailty,
    )
    assert own.predict(scores[:30]).tolist() == engine.probabilities(scores[:30]).tolist()
    assert (
        clone(own).get_params()
        == own.get_params()
        == {"kind": "frailty", "pseudo": 1.0, "scenario": "patent"}
    )
    own.save(tmp_path / "own.json")
    assert ts.Calibrator.load(tmp_path / "own.json").calibrator_ == own.calibrator_
    assert len(ts.Calibrator.load("clef-reviews-rank").predict(7)) == 7
    half = np.where(np.arange(150) % 2, np.nan, labels)
    assert own.fit(scores, half, groups=lists).calibrator_.fitted_on.documents == 75


def test_records_are_read_and_ranked(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(
        "id,title,abstract\nx,A lamp,Light\ny,A hinge,Of a door\nz,A lock,Of a door\n", encoding="utf-8"
    )
    records = ts.read_records(file)
    assert records.to_frame()["id"].tolist() == ["x", "y", "z"] and "hinge" in records._repr_html_()
    ranking = ts.rank(records, "hinges")
    assert ranking.to_frame()["id"].tolist()[0] == "y"
    assert ts.rank(records.to_frame(), "hinges").order.tolist() == ranking.order.tolist()


def test_an_experiment_is_that_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(RUN, encoding="utf-8")
    (tmp_path / "a.qrels").write_text(QRELS, encoding="utf-8")
    tried = ts.experiment(str(tmp_path), ["greedy", "budget:d=10"])
    asked = (str(tmp_path), "--out", str(tmp_path / "out"), "--methods", "greedy,budget:d=10")
    said = tarstop(*asked, "--json")
    assert said.exit_code == 0
    rows = json.loads(said.stdout)["rows"]
    for name in ("approach", "q_star", "cost", "net_utility", "screened"):
        assert tried.to_frame()[name].tolist() == [row[name] for row in rows]
    assert "<table" in tried._repr_html_() and len(tried.plot().data)
