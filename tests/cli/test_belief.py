"""``tarstop learn-prior``, and ``tarstop belief`` with what it wrote."""

from dataclasses import replace
from pathlib import Path

import pytest

from tarstop_core.belief.prior import Prior
from tarstop_core.samples.shipped import WIDTH, priors
from tarstop_core.sessions.file import export_session
from tarstop_core.sessions.store.store import Store
from tests.cli.shell import Run, refused
from tests.session_cases import a_patent_session, a_review


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


def test_the_prior_is_taken_by_name_and_printed(tarstop: Run, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("study,TP,FP,FN,TN\na,9,1,3,9\n", encoding="utf-8")
    width = priors()[WIDTH]
    told = tarstop("belief", table, "--prior", WIDTH, "--b0", "0.3", "--json").json
    assert told["prior"] == replace(width, b_0=0.3).to_dict() and told["theta"] == 0.75
    out = tarstop("belief", table, "--prior", WIDTH, "--b0", "0.3").out
    assert "It begins with 30 %" in out and "learned from" in out
    weak = tarstop("belief", table, "--prior", "weak", "--json").json
    assert weak["prior"] == Prior().to_dict() == tarstop("belief", table, "--json").json["prior"]
    assert weak["belief"] != told["belief"]
    refused(tarstop("belief", table, "--prior", "strong"), "no prior strong", WIDTH)
    refused(tarstop("belief", table, "--prior", tmp_path / "none.json"), "cannot be read")


def test_a_session_file_of_a_search_is_refused_and_so_is_a_damaged_one(tarstop: Run, tmp_path: Path) -> None:
    search, damaged = tmp_path / "search.json", tmp_path / "damaged.json"
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        search.write_text(export_session(store, a_patent_session(store)), encoding="utf-8")
        review = export_session(store, a_review(store))
    refused(tarstop("belief", search), "not a session of a review")
    damaged.write_text(review.replace('"order": [0', '"order": [99'), encoding="utf-8")
    refused(tarstop("belief", damaged), "damaged", "export the session again")
    whole = tmp_path / "review.json"
    whole.write_text(review, encoding="utf-8")
    plain = tarstop("belief", whole, "--b0", "0.9", "--json").json
    assert plain["prior"]["b_0"] == 0.9 and "options" not in plain
    asked = tarstop("belief", whole, "--option", "Trial,0.4,0.4", "--json").json
    assert [row["option"] for row in asked["options"]] == ["a-", "a+", "Trial"]


def test_what_is_chosen_stands_beside_the_belief(tarstop: Run, tmp_path: Path) -> None:
    """Which option is right the state says, so a middle one is never that, and may yet be expected to bring most."""
    table = tmp_path / "t.csv"
    table.write_text("study,TP,FP,FN,TN\na,9,1,3,9\n", encoding="utf-8")
    plain = tarstop("belief", table, "--json").json
    trial = "--q-star", "0.5", "--option", "Trial, small,0.2,0.2"
    asked = tarstop("belief", table, *trial, "--json").json
    minus, plus, other = asked.pop("options")
    b = plain["belief"]
    assert asked.pop("action") == "Trial, small" and asked == plain and 0.1 < b < 0.9
    assert (minus["chance_best"], plus["chance_best"], other["chance_best"]) == (1 - b, b, 0)
    assert plus["expected"] == pytest.approx(0.25 * b - 0.25 * (1 - b)) and other["expected"] == 0.2
    told = tarstop("belief", table, *trial).out
    assert "Stopping now means Trial, small" in told and told.count("the best one with a chance of") == 3
    assert tarstop("belief", table, "--q-star", "0.99", "--json").json["action"] == "a-"
    unknown = tarstop("belief", table, *trial, "--engine", "reml", "--json").json
    assert unknown["action"] is None is unknown["options"]
    refused(tarstop("belief", table, "--option", "Trial,1,0"), "--q-star or --payoffs")
