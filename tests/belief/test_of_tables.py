"""One way to a belief, whichever engine; and the command that prints it."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tarstop_core.belief.after import belief
from tarstop_core.belief.bivariate import bivariate_path
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.of_tables import belief_path, beliefs
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.belief.reitsma import IDENTIFIED_FROM, fit_prefixes
from tarstop_core.cli.commands import tarstop
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem

STUDIES = Tables(
    ("a", "b", "c", "d"),
    *(np.array(each, dtype=float) for each in ([40, 9, 55, 3], [5, 1, 9, 0], [8, 4, 6, 2], [50, 30, 99, 12])),
)


def test_every_engine_gives_a_belief_for_every_prefix() -> None:
    for engine in ENGINES:
        path = belief_path(STUDIES, Question(0.75, engine))
        assert len(path.beliefs) == 5
        known = [b for b in path.beliefs if b is not None]
        assert all(0 < b < 1 for b in known)
    assert belief_path(STUDIES, Question(0.75, "reml")).beliefs[:3] == (None, None, None)
    assert belief_path(STUDIES, Question(0.75)).beliefs == pytest.approx(tuple(bivariate_path(STUDIES, 0.75)))


def test_the_usual_fit_is_told_with_its_errors() -> None:
    fit, path = fit_prefixes(STUDIES, correction="single")[-1], belief_path(STUDIES, Question(0.75, "reml"))
    assert fit is not None and path.mu is not None and path.se is not None
    assert [*path.mu, *path.se] == [*fit.mu, *np.sqrt(np.diag(fit.cov))]


def test_the_prior_and_the_starting_belief_are_used(tmp_path: Path) -> None:
    assert belief_path(STUDIES, Question(0.75, prior=Prior(b_0=0.2))).beliefs[0] == pytest.approx(0.2)
    prior = Prior(b_0=0.7, s=0.8)
    assert belief_path(STUDIES, Question(0.75, "univariate", prior)).beliefs[0] == pytest.approx(0.7)
    (tmp_path / "prior.json").write_text(prior.to_json(), encoding="utf-8")
    table = written(tmp_path)
    for more, first in (([], 0.7), (["--b0", "0.2"], 0.2)):
        asked = ["belief", table, "--prior", str(tmp_path / "prior.json"), "--prefixes", "--json", *more]
        assert json.loads(CliRunner().invoke(tarstop, asked).stdout)["prefixes"][0] == pytest.approx(first)


def test_where_reml_has_no_answer_the_starting_belief_stands() -> None:
    path = beliefs(STUDIES, Question(0.75, "reml", Prior(b_0=0.3)))
    assert path[:3].tolist() == [0.3] * 3 and path[3:].tolist() == list(
        belief_path(STUDIES, Question(0.75, "reml")).beliefs[3:]
    )


def test_what_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    for arguments in ({"theta": 1.0}, {"engine": "magic"}):
        with pytest.raises(InputProblem):
            belief_path(STUDIES, Question(**arguments))  # type: ignore[arg-type]
    rows = np.array([STUDIES.TP, STUDIES.FP, STUDIES.FN, STUDIES.TN]).T
    for more in ({"b_0": 0.3}, {"prior": Prior()}):
        with pytest.raises(InputProblem, match="uses no prior"):
            belief(rows, theta=0.75, engine="reml", **more)  # type: ignore[arg-type]
    assert (
        belief(rows, theta=0.75, engine="reml").after == belief_path(STUDIES, Question(0.75, "reml")).beliefs
    )
    asked = ["belief", written(tmp_path), "--engine", "reml", "--b0", "0.3"]
    with pytest.raises(InputProblem, match="uses no prior"):
        CliRunner().invoke(tarstop, asked, catch_exceptions=False, standalone_mode=False)


def written(folder: Path) -> str:
    """The studies as a file."""
    rows = zip(STUDIES.study, STUDIES.TP, STUDIES.FP, STUDIES.FN, STUDIES.TN, strict=True)
    lines = [f"{name},{tp:g},{fp:g},{fn:g},{tn:g}" for name, tp, fp, fn, tn in rows]
    (folder / "t.csv").write_text("study,TP,FP,FN,TN\n" + "\n".join(lines), encoding="utf-8")
    return str(folder / "t.csv")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_command_prints_one_json_document(tmp_path: Path, engine: str) -> None:
    ran = CliRunner().invoke(
        tarstop, ["belief", written(tmp_path), "--engine", engine, "--prefixes", "--json"]
    )
    found = json.loads(ran.stdout)
    assert found["engine"] == engine and len(found["prefixes"]) == 5
    assert (
        found["belief"]
        == found["prefixes"][-1]
        == pytest.approx(belief_path(STUDIES, Question(0.75, engine)).beliefs[-1])
    )
    assert (found["mu"] is not None) == (found["se"] is not None) == (engine == "reml")


def test_the_review_of_the_literature(real_data: Path) -> None:
    """CD007394, 50 studies, θ = .75: the usual fit says .009, the exact belief .297."""
    table = str(real_data / "dta_reviews" / "CD007394.csv")
    said = {}
    for engine in ("reml", "bivariate"):
        ran = CliRunner().invoke(tarstop, ["belief", table, "--engine", engine, "--json"])
        said[engine] = json.loads(ran.stdout)["belief"]
    assert said["reml"] == pytest.approx(0.009, abs=0.001)
    assert said["bivariate"] == pytest.approx(0.297, abs=0.02)


def test_the_engines_say_of_themselves_what_they_do() -> None:
    for name, engine in ENGINES.items():
        first = next(
            n for n, b in enumerate(belief_path(STUDIES, Question(0.75, name)).beliefs) if b is not None
        )
        assert first == engine.needs and engine.name == name
        low, high = (
            belief_path(STUDIES, Question(0.75, name, Prior(b_0=b_0))).beliefs[-1] for b_0 in (0.3, 0.7)
        )
        assert (low != high) == engine.knows_prior
    assert ENGINES["reml"].needs == IDENTIFIED_FROM
