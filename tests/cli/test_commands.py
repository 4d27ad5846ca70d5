"""The command as a whole."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.shell import Run, process, refused

DECIDE = ("decide", "--q-star", "0.8", "--belief", "0.5", "--rho", "0.02", "--cost", "0.001")


@pytest.mark.parametrize("command", ["app", "decide", "rank", "metrics", "calibrate", "replay"])
def test_every_command_has_help(tarstop: Run, command: str) -> None:
    told = tarstop(command, "--help")
    assert told.code == 0 and told.out.startswith("Usage:") and told.err == ""
    assert command == "app" or "--json" in told.out


def test_without_a_command_it_helps(tarstop: Run) -> None:
    told = tarstop()
    assert told.code == 0 and told.err == "" and "Commands:" in told.out


@pytest.mark.parametrize(
    "arguments", [["nope"], ["decide", "--nope"], ["metrics"], ["metrics", "a", "b", "c"]]
)
def test_misspelt_commands_are_refused(tarstop: Run, arguments: list[str]) -> None:
    refused(tarstop(*arguments))


def test_as_a_process(folder: Path) -> None:
    found = process(*DECIDE, "--json", cwd=folder)
    assert found.json["continue"] is True and found.err == ""
    told = process(*DECIDE, cwd=folder)
    assert told.code == 0 and "ρ·EVPI" in told.out and told.err == ""
    refused(process("decide", "--q-star", "2", *DECIDE[3:], cwd=folder), "q*")
    refused(process("metrics", "a.run", "none", cwd=folder), "none")


def test_from_records_to_a_replay(folder: Path, tarstop: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way as in a shell; the last command in a process of its own, which has nothing but files to go on."""
    monkeypatch.chdir(folder)
    ranked = tarstop("rank", "records.csv", "--query", "bicycle brake", "--out", "b.run", "--json")
    assert ranked.json["documents"] == 4 and ranked.err == ""
    (folder / "b.qrels").write_text("records 0 p3 1\n", encoding="utf-8")
    assert tarstop("metrics", "b.run", "b.qrels", "--json").json["topics"] == 1
    common = ("--scenario", "patent", "--out", "cal.json", "--json")
    assert tarstop("calibrate", "a.run", "a.qrels", *common).json["topics"] == 4
    outcome = process(
        *("replay", "b.run", "b.qrels", "--calibrator", "cal.json", "--policy", "budget:d=4"),
        *("--q-star", "0.5", "--cost", "0.01", "--json"),
        cwd=folder,
    ).json["topics"]
    assert len(outcome) == 1
    assert outcome[0] | {"net_utility": 0} == {
        "topic": "records", "depth": 4, "action": "a+", "omega": True, "net_utility": 0, "recall": 1.0,
    }  # fmt: skip
    assert outcome[0]["net_utility"] == pytest.approx(0.25 - 0.04)


def test_what_computes_is_not_imported_for_its_help() -> None:
    script = "import sys; from tarstop_core.cli import main; print('numpy' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, encoding="utf-8")
    assert answer.stdout.strip() == "False"
