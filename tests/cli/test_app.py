"""Who the dashboard is served to, before it is."""

import json
from pathlib import Path

import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.places import (
    ADMINISTRATORS,
    CLASSROOM,
    HOSTS_VARIABLE,
    LOGIN,
    PROXY_ADDRESS,
    PROXY_HEADER,
    Classroom,
    Proxy,
    read_provider,
    way_in,
)
from tests.cli.shell import Run, refused


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (HOSTS_VARIABLE, LOGIN, PROXY_HEADER, PROXY_ADDRESS, ADMINISTRATORS, CLASSROOM):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "arguments", [("--address", "0.0.0.0"), ("--address", "::"), ("--host", "tarstop.example")]
)
def test_others_are_not_served_without_a_login(tarstop: Run, arguments: tuple[str, ...]) -> None:
    refused(tarstop("app", *arguments), "without a login", arguments[1], "--login", "--proxy-header")
    refused(tarstop("app", "--no-login", *arguments), "instead of --no-login")


def test_at_ones_own_machine_nobody_logs_in() -> None:
    assert way_in("127.0.0.1", []) is None
    with pytest.raises(InputProblem, match="without a login"):
        way_in("127.0.0.1", ["tarstop.example"])


def test_a_proxy_is_named_with_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROXY_HEADER, "X-User")
    for address in ("", "proxy.example", "10.0.0.0/8", "*"):
        monkeypatch.setenv(PROXY_ADDRESS, address)
        with pytest.raises(InputProblem, match="address in numbers"):
            way_in("0.0.0.0", [])
    monkeypatch.setenv(PROXY_ADDRESS, "10.0.0.5")
    assert way_in("0.0.0.0", []) == Proxy("x-user", "10.0.0.5", None)
    assert way_in("127.0.0.1", []) == Proxy("x-user", "10.0.0.5", None), "a proxy may stand on this machine"
    for header in ("", "X User", "X_User", "X:"):
        monkeypatch.setenv(PROXY_HEADER, header)
        with pytest.raises(InputProblem, match="name of its header"):
            way_in("0.0.0.0", [])
    monkeypatch.setenv(LOGIN, "login.toml")
    with pytest.raises(InputProblem, match="both say"):
        way_in("0.0.0.0", [])


def test_a_class_joins_without_a_login_and_never_beside_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CLASSROOM, "yes")
    assert way_in("0.0.0.0", []) == way_in("127.0.0.1", ["tarstop.example"]) == Classroom()
    monkeypatch.setenv(LOGIN, "login.toml")
    with pytest.raises(InputProblem, match="--classroom"):
        way_in("0.0.0.0", [])


WHOLE = {
    "client_id": "t",
    "client_secret": "s",
    "server_metadata_url": "https://id.example/.well-known/openid-configuration",
    "redirect_uri": "https://tarstop.example/oauth2callback",
    "cookie_secret": "x" * 32,
    "people": ["@example.org"],
}


@pytest.mark.parametrize(
    "changed, said",
    [
        ({"client_secret": ""}, "lacks client_secret"),
        ({"people": []}, "names no people"),
        ({"cookie_secret": "short"}, "is short"),
        ({"server_metadata_url": "http://id.example/x"}, "does not begin with https"),
        ({"redirect_uri": "http://tarstop.example/oauth2callback"}, "does not begin with https"),
        ({"redirect_uri": "https://tarstop.example/"}, "does not end with /oauth2callback"),
        ({"peeple": []}, "means nothing"),
    ],
)
def test_a_login_file_is_whole_or_refused(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    file = tmp_path / "login.toml"

    def write(content: dict[str, object]) -> None:
        lines = [f"{name} = {json.dumps(value)}" for name, value in content.items()]
        file.write_text("\n".join(lines), encoding="utf-8")

    write(WHOLE)
    assert read_provider(file).people == ("@example.org",)
    write(WHOLE | changed)
    with pytest.raises(InputProblem, match=said):
        read_provider(file)


@pytest.mark.parametrize("host", ["http://tarstop.example", "tarstop.example:80", "a,b", "*", ""])
def test_a_host_is_a_name_alone(tarstop: Run, host: str) -> None:
    refused(tarstop("app", "--host", host), "--host", "name alone")


def test_results_and_rules_are_looked_at_before_anybody_is_served(tarstop: Run, tmp_path: Path) -> None:
    refused(tarstop("app", "--results", str(tmp_path)), "No results in", "tarstop experiment --out")
    (tmp_path / "results.npz").write_text("no results", encoding="utf-8")
    refused(tarstop("app", "--results", str(tmp_path)), "results.npz is not a file of results")
    refused(tarstop("app", "--rules", "nowhere.py:Mine"), "nowhere.py")
