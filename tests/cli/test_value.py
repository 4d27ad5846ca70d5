"""``tarstop value``: every kind of decision from JSON, TOML and tables, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tarstop_core.value.actions.schema import KINDS
from tests.cli.shell import Run, refused
from tests.value.actions.golden import ROWS, differing

OWN = [row for row in ROWS if row["kind"] in KINDS]
TABLE = "action,bad,good\nadopt,-10,30\nreject,0,0\nchance,0.5,0.5\n"
LINEAR = {"post_mean": 0.2, "post_var": 0.01, "value_per_unit": 1000, "delta": 0.15}


def write(folder: Path, name: str, content: object) -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def test_all_reference_rows_in_one_file(tarstop: Run, tmp_path: Path) -> None:
    file = write(tmp_path, "voi.json", {"about": "figures", "rows": OWN})
    results = tarstop("value", file, "--json").json
    assert [result["id"] for result in results] == [row["id"] for row in OWN]
    for result, row in zip(results, OWN, strict=True):
        scale = np.abs(np.hstack([x for x in row["value"].values() if not isinstance(x, str)])).max()
        assert differing(result["value"], row, 1e-6, 1e-8 * max(1, scale)) == {}
    spoken = tarstop("value", file)
    assert spoken.code == 0 and all(row["id"] in spoken.out for row in OWN)


def test_toml_says_the_same_as_json(tarstop: Run, tmp_path: Path) -> None:
    lines = [f"{name} = {value}" for name, value in LINEAR.items()]
    toml = write(tmp_path, "one.toml", 'kind = "linear_normal"\n[inputs]\n' + "\n".join(lines) + "\n")
    file = write(tmp_path, "one.json", {"kind": "linear_normal", "inputs": LINEAR})
    one = tarstop("value", toml, "--json").json
    assert one == tarstop("value", file, "--json").json
    assert one["value"]["evpi"] == pytest.approx(19.7796557401)


def test_everyone_concerned(tarstop: Run, tmp_path: Path) -> None:
    people = {"annual_population": 10, "years": 2, "rate": 0.0}
    one: Any = {"kind": "linear_normal", "inputs": LINEAR}
    named = tarstop("value", write(tmp_path, "a.json", one | {"population": people}), "--json").json
    options = ("--people", 10, "--years", 2)
    asked = tarstop("value", write(tmp_path, "b.json", one), *options, "--json").json
    test = next(row for row in OWN if row["kind"] == "test_treat")
    parts = tarstop("value", write(tmp_path, "c.json", test), *options, "--json").json["value"]
    assert parts["population_evppi_se"] == pytest.approx(20 * test["value"]["evppi_se"])
    assert named == asked and asked["value"]["population_evpi"] == pytest.approx(20 * 19.7796557401)


def test_a_table_of_actions(tarstop: Run, tmp_path: Path) -> None:
    result = tarstop("value", write(tmp_path, "t.csv", TABLE), "--json").json
    assert result["value"] == {"net_benefit_now": [10.0, 0.0], "best": "adopt", "evpi": 5.0}


def test_a_table_of_draws(tarstop: Run, tmp_path: Path) -> None:
    x, noise = np.random.default_rng(0).normal(size=(2, 200))
    rows = [f"{a:.6f},{a + b:.6f},0,note,{at}" for at, (a, b) in enumerate(zip(x, noise, strict=True))]
    file = write(tmp_path, "psa.csv", "\n".join(["x,new,old,remark,draw", *rows]) + "\n")
    answer = tarstop("value", file, "--net-benefits", "old,new", "--json")
    net = np.maximum(0, x + noise).mean() - max(0, (x + noise).mean())
    assert answer.json["value"]["evpi"] == pytest.approx(net, abs=1e-5) and "remark" in answer.err
    assert [part["parameters"] for part in answer.json["value"]["evppi"]] == [
        ["x"]
    ] and "numbers the draws" in answer.err
    known = tarstop("value", file, "--net-benefits", "old,new", "--know", "x,draw", "--json").json
    assert [part["parameters"] for part in known["value"]["evppi"]] == [["x", "draw"]]
    bought = ("--effects", "old,new", "--costs", "old,old", "--willingness-to-pay", 2, "--ceac", "0,1")
    curve = tarstop("value", file, *bought, "--json").json["value"]["ceac"]
    assert [point["willingness_to_pay"] for point in curve] == [0, 1]
    assert curve[0]["chance_best"] == {"old": 0.5, "new": 0.5}


DRAWS = "e A,e B,c\n" + "".join(f"{at},{at + 1},3\n" for at in range(1, 41))
WORTH = ("--effects", "e A,e B", "--costs", "c,c", "--willingness-to-pay", "20")


def of_test(**changed: object) -> dict[str, Any]:
    """The inputs of a test with something changed."""
    row = next(row for row in OWN if row["kind"] == "test_treat")
    return {"kind": row["kind"], "inputs": row["inputs"] | changed}


@pytest.mark.parametrize(
    "name, content, options, words",
    [
        ("a.json", "{", (), ("a.json", "line 1")),
        ("a.toml", "x = \n", (), ("a.toml", "line 1")),
        ("a.json", "[]", (), ("a.json",)),
        ("a.json", "3", (), ("a.json", "kind")),
        ("a.json", {"kind": "none", "inputs": {}}, (), ("a.json: there is no kind", "linear_normal")),
        ("a.json", {"kind": 3, "inputs": {}}, (), ("a.json: kind: 3 is not a text",)),
        ("a.toml", "kind = 'test_treat'\n[inputs]\nprevalence = '20 %'", (), ("mu_logit_se: missing",)),
        ("a.json", of_test(prevalence="20 %"), (), ("(test_treat): prevalence: '20 %' is not a number",)),
        (
            "a.json",
            of_test(prevalence=1.2),
            (),
            ("(test_treat): prevalence is 1.2; give a number between 0 and 1.\n",),
        ),
        ("a.json", of_test(prevalence={"beta": ["a", 3]}), (), ("prevalence.beta.0: 'a' is not a number",)),
        (
            "a.json",
            of_test(prevalence={"bta": [1, 3]}),
            (),
            ("prevalence.beta: missing, and bta is unknown",),
        ),
        ("a.json", of_test(cov=3), (), ("cov: 3 is not a list",)),
        ("a.json", of_test(cost_test=-1), (), ("cost_test is -1; give 0 or more",)),
        ("a.toml", "kind = 'linear_normal'\n[inputs]\npost_mean = 1e200", (), ("the number 1e+200",)),
        (
            "a.json",
            of_test() | {"population": {"annual_population": 9, "years": 2, "rate": 3.5}},
            (),
            ("rate", "0.035"),
        ),
        (
            "a.json",
            [{"kind": "linear_normal", "inputs": LINEAR | {"post_var": -1}}],
            (),
            ("row 1", "post_var"),
        ),
        ("a.json", {"kind": "linear_normal", "inputs": LINEAR | {"tau": 1}}, (), ("inputs", "tau")),
        ("a.json", {"kind": "linear_normal", "inputs": {}}, (), ("post_mean", "missing")),
        ("a.json", {"kind": "linear_normal", "inputs": LINEAR}, ("--know", "x"), ("a.json",)),
        ("a.json", {"kind": "linear_normal", "inputs": LINEAR}, ("--people", 3), ("--years",)),
        ("t.csv", TABLE.replace("30", "thirty"), (), ("line 2", "good")),
        ("t.csv", TABLE.replace("chance", "prior"), (), ("chance",)),
        ("d.csv", "nb A,nb B\n0,1\n0,2\n0,3\n", (), ("--net-benefits",)),
        ("t.csv", TABLE.replace("0.5,0.5", "0.5,0.6"), (), ("t.csv", "1.1")),
        ("t.csv", TABLE.replace("0.5,0.5", "1.5,-0.5"), (), ("chance of a state is -0.5",)),
        ("t.csv", TABLE.replace("30", "1,030"), (), ("line 2 has 4 cells and the header 3",)),
        ("t.csv", TABLE.replace("30", "1e300"), (), ("line 2: good is '1e300'",)),
        ("t.csv", TABLE.replace("reject", "adopt"), (), ("line 3",)),
        ("t.csv", TABLE, ("--net-benefits", "bad,worse"), ("worse",)),
        ("t.csv", TABLE, ("--net-benefits", "bad,good"), ("t.csv", "draws")),
        ("t.csv", TABLE, ("--effects", "bad,good"), ("costs",)),
        ("t.csv", TABLE, ("--net-benefits", "bad,good", "--ceac", "x"), ("--ceac",)),
        ("t.csv", "action\n", (), ("t.csv",)),
        ("d.csv", DRAWS.replace("7,", ","), WORTH, ("d.csv, line 8: e A is ''",)),
        (
            "d.csv",
            DRAWS.replace(",", ";").replace(";3\n", ";3,5\n"),
            WORTH,
            ("d.csv, line 2: c is '3,5'", "a point"),
        ),
        ("d.csv", "e A,e B,c\n1,2,3\n", WORTH, ("d.csv: There is 1 draw;",)),
        ("d.csv", DRAWS, (*WORTH, "--willingness-to-pay", "-5"), ("worth -5",)),
        ("d.csv", DRAWS, (*WORTH, "--willingness-to-pay", "nan"), ("worth nan",)),
        ("d.csv", DRAWS, (*WORTH, "--ceac", "1,-2"), ("worth -2",)),
    ],
)
def test_bad_input_is_one_sentence(
    tarstop: Run,
    tmp_path: Path,
    name: str,
    content: object,
    options: tuple[object, ...],
    words: tuple[str, ...],
) -> None:
    refused(tarstop("value", write(tmp_path, name, content), *options), *words)


def test_a_file_that_is_not_there(tarstop: Run, tmp_path: Path) -> None:
    refused(tarstop("value", tmp_path / "none.json"), "none.json")
    refused(tarstop("value", tmp_path / "none.csv"), "none.csv")
