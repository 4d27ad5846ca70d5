"""``tarstop learn-prior``, and ``tarstop belief`` with what it wrote."""

from pathlib import Path

import pytest

from tests.cli.shell import Run


def test_a_prior_is_learned_and_used(tarstop: Run, tmp_path: Path) -> None:
    rows = [f"R{i % 4},o{i},S{j},{30 + i},{3 + j},{4 + j},40" for i in range(8) for j in range(4)]
    (tmp_path / "past.csv").write_text(
        "topic,outcome,study,TP,FP,FN,TN\n" + "\n".join(rows), encoding="utf-8"
    )
    prior = tmp_path / "prior.json"
    learned = tarstop("learn-prior", tmp_path / "past.csv", "--out", prior, "--json").json
    assert learned["reviews"] == 4 and learned["outcomes"] == 8 and learned["b_0"] > 0.6
    (tmp_path / "t.csv").write_text("study,TP,FP,FN,TN\na,9,1,3,9\n", encoding="utf-8")
    assert "After 1 study the chance" in tarstop("belief", tmp_path / "t.csv").out
    found = tarstop("belief", tmp_path / "t.csv", "--prior", prior, "--prefixes", "--json").json
    assert found["prefixes"][0] == pytest.approx(learned["b_0"])
    width = tarstop("learn-prior", tmp_path / "past.csv", "--width", "--out", prior, "--json").json
    assert width["b_0"] == 0.5 and 0.1 <= width["weight"] <= 1
    found = tarstop(
        "belief", tmp_path / "t.csv", "--prior", prior, "--prefixes", "--theta", "0.9", "--json"
    ).json
    assert found["prefixes"][0] == 0.5
