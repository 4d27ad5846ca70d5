"""A server for a class: who is let in, which pages there are, and that a step of the lecturer comes to a phone."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from benchmarks.classroom import Phone
from dashboard.frame import people
from dashboard.frame import server as around
from dashboard.frame.classroom import UNREACHED
from dashboard.frame.shell import OF_A_CLASS
from tarstop_core.teaching.lecture import Lecture
from tests.browser.conftest import AppServer
from tests.ui.frame.test_login import EVERYWHERE

OPEN = ("/", *(f"/{title.lower()}" for title in OF_A_CLASS), "/_stcore/health", "/_stcore/host-config")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    folder = tmp_path_factory.mktemp("class")
    with AppServer(folder, environment={"TARSTOP_CLASSROOM": "yes"}) as running:
        yield running


def words(server: AppServer) -> tuple[str, str]:
    """The lecturer's key and the code, as the console says them."""
    found = re.search(r"key=(\S+) .* code (\w+)\.", server.log.read_text(encoding="utf-8"))
    assert found
    return found[1], found[2]


def joined(server: AppServer, **given: str) -> httpx.Client:
    client = httpx.Client(base_url=server.url, verify=False, timeout=60)
    answer = client.get("/join", params=given)
    assert answer.status_code == 303 and answer.headers["location"] == "learn"
    assert "HttpOnly" in answer.headers["set-cookie"] and "SameSite=lax" in answer.headers["set-cookie"]
    return client


def cookie(client: httpx.Client) -> str:
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


@pytest.mark.parametrize("path", EVERYWHERE)
def test_a_stranger_is_asked_for_the_code_and_sees_nothing_else(server: AppServer, path: str) -> None:
    for cookies in ({}, {"tarstop_class": "guessed"}, {"tarstop_class": words(server)[1]}):
        answer = httpx.get(f"{server.url}{path}", cookies=cookies, verify=False, timeout=60)
        assert answer.status_code == 401 and "Code of the class" in answer.text
        assert words(server)[1] not in answer.text and words(server)[0] not in answer.text


@pytest.mark.parametrize("given", [{}, {"code": ""}, {"code": "WRONG2"}, {"key": "x"}])
def test_a_wrong_code_lets_nobody_in(server: AppServer, given: dict[str, str]) -> None:
    answer = httpx.get(f"{server.url}/join", params=given, verify=False, timeout=60)
    assert answer.status_code == 401 and "set-cookie" not in answer.headers


def test_a_lecturer_who_tries_the_code_still_leads(server: AppServer) -> None:
    key, code = words(server)
    for given in ({"key": key}, {"code": code}):
        client = joined(server, **given)
        word = cookie(client)
        assert client.get("/join", params={"code": code}).status_code == 303 and cookie(client) == word


def test_a_class_has_two_pages_and_takes_no_files(server: AppServer) -> None:
    client = joined(server, code=words(server)[1].lower())
    for path in (*EVERYWHERE[: EVERYWHERE.index("/_stcore/health")], *OPEN):
        assert client.get(path).status_code == (200 if path in OPEN else 404), path
    assert client.put("/_stcore/upload_file/a/b", content=b"x").status_code == 404


def test_a_step_of_the_lecturer_comes_to_a_phone(server: AppServer) -> None:
    key, code = words(server)
    lecturer, phone = (
        Phone(server.url, headers={"Cookie": cookie(joined(server, **given))})
        for given in ({"key": key}, {"code": code})
    )

    async def step() -> None:
        async with lecturer.connected() as leading, phone.connected() as following:
            for one, socket in ((lecturer, leading), (phone, following)):
                await one.ask(socket)
                await one.drawn(socket)
            for _ in range(2):
                await lecturer.ask(leading, "Step")
                await lecturer.drawn(leading)
                await asyncio.wait_for(phone.drawn(following), 60)
                assert phone.step == lecturer.step
            phone.follows = False
            await phone.ask(following)
            await phone.drawn(following)
            await phone.ask(following, "Step")
            await phone.drawn(following)
            assert phone.step == lecturer.step + 1

    asyncio.run(step())
    assert not lecturer.failed and not phone.failed


def test_the_console_says_that_no_phone_reaches_this_machine_alone(server: AppServer) -> None:
    assert UNREACHED in server.log.read_text(encoding="utf-8")


def test_the_console_writes_an_address_of_ipv6_in_brackets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(around, "served_on", lambda: "2001:db8::7")
    monkeypatch.setattr(people, "lecture", Lecture)
    around.announce()
    printed = capsys.readouterr().out
    assert "from http://[2001:db8::7]:8501/join?key=" in printed and "Phones" not in printed


def test_it_stores_nothing(server: AppServer) -> None:
    assert [each.name for each in Path(server.folder).iterdir()] == ["server.log"]
