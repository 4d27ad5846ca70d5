"""One way to a belief, whichever engine; and the command that prints it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tarstop_core.belief.bivariate import bivariate_path
from tarstop_core.belief.of_tables import ENGINES, belief_path
from tarstop_core.belief.prior import Prior, save
from tarstop_core.cli import tarstop
from tarstop_core.errors import InputProblem
from tarstop_core.tables import Tables

STUDIES = Tables(
    ("a", "b", "c", "d"),
    *(np.array(each, dtype=float) for each in ([40, 9, 55, 3], [5, 1, 9, 0], [8, 4, 6, 2], [50, 30, 99, 12])),
)


def test_every_engine_gives_a_belief_for_every_prefix() -> None:
    for engine in ENGINES:
        path = belief_path(STUDIES, 0.75, engine)
        assert len(path.beliefs) == 5
        known = [b for b in path.beliefs if b is not None]
        assert all(0 < b < 1 for b in known)
    assert belief_path(STUDIES, 0.75, "reml").beliefs[:3] == (None, None, None)
    assert belief_path(STUDIES, 0.75).beliefs == pytest.approx(tuple(bivariate_path(STUDIES, 0.75)))


def test_the_prior_and_the_starting_belief_are_used(tmp_path: Path) -> None:
    assert belief_path(STUDIES, 0.75, b_0=0.2).beliefs[0] == pytest.approx(0.2)
    save(Prior(b_0=0.7, s=0.8), tmp_path / "prior.json")
    path = belief_path(STUDIES, 0.75, "univariate", prior_file=tmp_path / "prior.json")
    assert path.beliefs[0] == pytest.approx(0.7)


def test_what_cannot_be_used_is_one_sentence() -> None:
    for arguments in ({"theta": 1.0}, {"engine": "magic"}, {"engine": "reml", "b_0": 0.3}, {"b_0": 0.0}):
        with pytest.raises(InputProblem):
            belief_path(STUDIES, **{"theta": 0.75, **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_command_prints_one_json_document(tmp_path: Path, engine: str) -> None:
    table = tmp_path / "t.csv"
    rows = zip(STUDIES.study, STUDIES.TP, STUDIES.FP, STUDIES.FN, STUDIES.TN, strict=True)
    lines = [f"{name},{tp:g},{fp:g},{fn:g},{tn:g}" for name, tp, fp, fn, tn in rows]
    table.write_text("study,TP,FP,FN,TN\n" + "\n".join(lines))
    ran = CliRunner().invoke(tarstop, ["belief", str(table), "--engine", engine, "--prefixes", "--json"])
    found = json.loads(ran.stdout)
    assert found["engine"] == engine and len(found["prefixes"]) == 5
    assert (
        found["belief"]
        == found["prefixes"][-1]
        == pytest.approx(belief_path(STUDIES, 0.75, engine).beliefs[-1])
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
