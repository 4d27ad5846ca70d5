"""Who the dashboard is served to, before it is."""

from pathlib import Path

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.places import HOSTS_VARIABLE, NO_LOGIN_VARIABLE, require_consent
from tests.cli.shell import Run, refused


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (HOSTS_VARIABLE, NO_LOGIN_VARIABLE):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "arguments", [("--address", "0.0.0.0"), ("--address", "::"), ("--host", "tarstop.example")]
)
def test_others_are_not_served_unasked(tarstop: Run, arguments: tuple[str, ...]) -> None:
    refused(tarstop("app", *arguments), "no login yet", arguments[1], "--no-login")


def test_others_are_served_when_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    require_consent("127.0.0.1", [])
    require_consent("0.0.0.0", [], no_login=True)
    with pytest.raises(InputProblem, match="no login yet"):
        require_consent("127.0.0.1", ["tarstop.example"])
    for answer in ("yes", "1", "True", " on "):
        monkeypatch.setenv(NO_LOGIN_VARIABLE, answer)
        require_consent("127.0.0.1", ["tarstop.example"])


@pytest.mark.parametrize("answer", ["0", "no", "False", "off", "", " "])
def test_others_are_not_served_when_the_answer_is_no(monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    monkeypatch.setenv(NO_LOGIN_VARIABLE, answer)
    with pytest.raises(InputProblem, match="no login yet"):
        require_consent("0.0.0.0", [])


def test_an_answer_that_is_neither_yes_nor_no_is_refused(
    tarstop: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NO_LOGIN_VARIABLE, "maybe")
    refused(tarstop("app", "--address", "0.0.0.0"), NO_LOGIN_VARIABLE, "maybe", "neither yes nor no")
    require_consent("127.0.0.1", [])  # nobody else is served


@pytest.mark.parametrize("host", ["http://tarstop.example", "tarstop.example:80", "a,b", "*", ""])
def test_a_host_is_a_name_alone(tarstop: Run, host: str) -> None:
    refused(tarstop("app", "--no-login", "--host", host), "--host", "name alone")


def test_results_and_rules_are_looked_at_before_anybody_is_served(tarstop: Run, tmp_path: Path) -> None:
    refused(tarstop("app", "--results", str(tmp_path)), "No results in", "tarstop experiment --out")
    (tmp_path / "results.npz").write_text("no results", encoding="utf-8")
    refused(tarstop("app", "--results", str(tmp_path)), "results.npz is not a file of results")
    refused(tarstop("app", "--rules", "nowhere.py:Mine"), "nowhere.py")
