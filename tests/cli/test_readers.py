"""``tarstop readers``."""

from pathlib import Path

import pytest

from tarstop_core.readers.overlooked import missed_in_audit
from tests.cli.shell import Run, refused

ROWS = [
    *[f"b{at},1,1,yes," for at in range(30)],
    *[f"o{at},1,0,{'yes' if at < 3 else 'no'}," for at in range(6)],
    "w1,0,1,,",
    *[f"d{at},0,0,{'yes' if at == 4 else 'no'},{at + 1}" for at in range(20)],
    *[f"n{at},0,0,," for at in range(80)],
]


@pytest.fixture
def screened(tmp_path: Path) -> Path:
    file = tmp_path / "screened.csv"
    file.write_text("id,person_1,person_2,final,audit\n" + "\n".join(ROWS) + "\n", encoding="utf-8")
    return file


def test_it_says_what_all_may_have_overlooked(tarstop: Run, screened: Path) -> None:
    said = tarstop("readers", screened, "--json").json
    assert (said["records"], said["excluded"], said["drawn"], said["hits"]) == (137, 100, 20, 1)
    low, high = missed_in_audit(100, 20, 1)
    assert (said["missed"], said["remaining"]) == ([low, high], [low - 1, high - 1])
    assert said["relevant_found"] == 34 and said["disagreements"] == ["w1"] and said["unresolved"] == 1
    first, second = said["readers"]
    assert first["name"] == "person_1"
    assert first["sensitivity"] == pytest.approx([33 / (34 + high), 33 / (33 + low)])
    assert second["sensitivity"] == pytest.approx([30 / (33 + high), 31 / (34 + low)])
    assert said["agreement"]["per_cent"]["value"] == pytest.approx(130 / 137)
    assert len(said["quarters"]) == 4 and said["at_every_look"] >= high
    out = tarstop("readers", screened).out
    assert f"{low} to {high} " in out and "w1: " in out


def test_scores_and_columns_may_be_named(tarstop: Run, tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    rows = ["5,4,1", "4,2,0", "1,1,", "2,1,", "5,5,1"]
    file.write_text("Ann,model,truth\n" + "\n".join(rows) + "\n", encoding="utf-8")
    chosen = ("--reader", "Ann", "--reader", "model", "--resolved", "truth", "--include-from", "3")
    said = tarstop("readers", file, *chosen, "--limit", "5", "--json").json
    assert said["missed"] == [0, 2] and said["within"]["limit"] == 5
    assert [one["sensitivity"] for one in said["readers"]] == [[0.5, 1.0], [0.5, 1.0]]


def test_real_readers(tarstop: Run, real_data: Path) -> None:
    people = real_data / "readers" / "two_people_snhl.csv"
    refused(tarstop("readers", people), "Line 14", "final")
    said = tarstop("readers", people, "--resolved", "person_1", "--json")
    assert said.code == 0
    models = tarstop("readers", real_data / "readers" / "search1.csv", "--include-from", "3", "--json").json
    # Everything is known here, so nothing is left to an interval.
    assert (models["missed"], models["relevant_found"]) == ([47, 47], 697)
    assert [one["sensitivity"] for one in models["readers"]] == [
        pytest.approx([623 / 697] * 2),
        pytest.approx([646 / 697] * 2),
    ]


def test_bad_input_is_one_sentence(tarstop: Run, screened: Path) -> None:
    refused(tarstop("readers", screened, "--reader", "person_1"), "two or more")
    refused(tarstop("readers", screened, "--limit", "0.5"), "1 or more")
    refused(tarstop("readers", screened.with_name("none.csv")), "no file")


def test_who_reads_compares_ways_of_reading_on(tarstop: Run, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    read = ["1,1,1"] * 5 + ["0,1,1"] * 4 + ["0,0,"] * 31
    file.write_text(
        "model,Ann,final\n" + "\n".join(read + ["1,,"] * 10 + ["0,,"] * 50) + "\n", encoding="utf-8"
    )
    asked = (
        "--machine",
        "model",
        "--person",
        "Ann",
        "--price",
        "1",
        "--machine-price",
        "0.01",
        "--next",
        "30",
    )
    said = tarstop("who-reads", file, *asked, "--worth", "40", "--json").json
    assert (said["read"], said["next"]) == (40, {"included": 10, "excluded": 20})
    assert said["relevant"]["excluded"] == pytest.approx(5 / (20 + 0.866 * 35))
    values = [way["value"] for way in said["ways"]]
    assert len(values) == 5 and values == sorted(values, reverse=True)
    assert said["ways"][0]["way"] == "both", "one record in ten that the machine excludes is worth 40"
    dear = tarstop("who-reads", file, *asked, "--worth", "1", "--json").json
    assert dear["ways"][0]["way"] == "machine"
    assert "10 of the next 30 records" in tarstop("who-reads", file, *asked, "--worth", "40").out
    refused(tarstop("who-reads", file, *asked, "--worth", "0"), "above 0")
    refused(tarstop("who-reads", file, *asked, "--worth", "4", "--sensitivity", "2"), "at most 1")


def test_who_reads_compares_strategies_on_a_list_with_every_verdict(tarstop: Run, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    rows = ["1,1,1"] * 5 + ["0,1,1"] * 4 + ["1,0,0"] * 11 + ["0,0,0"] * 80
    file.write_text("model,Ann,final\n" + "\n".join(rows) + "\n", encoding="utf-8")
    asked = ("--machine", "model", "--person", "Ann", "--price", "1", "--whole")
    said = tarstop("who-reads", file, *asked, "--worth", "40", "--json").json
    by_way = {one["way"]: one for one in said["strategies"]}
    assert (said["records"], said["relevant"], len(by_way)) == (100, 9, 6)
    assert by_way["person"] == pytest.approx({"way": "person", "hits": 9.0, "cost": 100.0, "net": 260.0})
    assert by_way["machine"]["hits"] == pytest.approx(5.0) and "advice" in by_way
    assert tarstop("who-reads", file, *asked, "--worth", "40").out.startswith("Best: ")
    file.write_text(file.read_text(encoding="utf-8") + "1,,1\n", encoding="utf-8")
    refused(tarstop("who-reads", file, *asked, "--worth", "40"), "no verdict of the person")
    refused(tarstop("who-reads", file, *asked, "--worth", "0"), "above 0")
