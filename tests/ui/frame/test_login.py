"""Who is let in where others are served: tokens, headers of a proxy, and what a stranger is told; by plain HTTP."""

import http.client
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc.jwk import RSAKey
from starlette.datastructures import Headers
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from dashboard.frame.people import by_claims, by_proxy, with_visitor
from dashboard.frame.shell import addresses
from tarstop_core.errors import InputProblem
from tarstop_core.places import Provider, Proxy, read_provider
from tests.browser.conftest import AppServer
from tests.oidc import OidcProvider

STREAM = "/_stcore/stream"
EVERYWHERE = (
    *addresses(),
    *("/_stcore/health", "/_stcore/host-config", STREAM, "/_stcore/upload_file/a/b", "/_stcore/metrics"),
    *(
        "/_stcore/bidi-components/x/y.js",
        "/component/x/y.js",
        "/media/a.csv",
        "/static/js/x.js",
        "/favicon.png",
    ),
    *("/app/static/x", "/nowhere", "//health", "/health/", "/health/x", "/login/../screen", "/LOGIN"),
)


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with OidcProvider() as running:
        yield running


@pytest.fixture(scope="module")
def server(provider: OidcProvider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    folder = tmp_path_factory.mktemp("login")
    running = AppServer(folder, environment={"TARSTOP_LOGIN": str(folder / "login.toml")})
    (folder / "login.toml").write_text(provider.login_file(running.url), encoding="utf-8")
    with running:
        yield running


@pytest.fixture(autouse=True)
def as_it_should_be(provider: OidcProvider) -> None:
    provider.person, provider.claims, provider.signs_with = "ann@example.org", {}, provider.key


def browser(server: AppServer) -> httpx.Client:
    """Who asks, without the certificates of other hosts, which take a hundred times as long to read."""
    return httpx.Client(base_url=server.url, verify=False, follow_redirects=True, timeout=60)


def logged_in(server: AppServer) -> httpx.Client:
    client = browser(server)
    client.get("/login")
    return client


def is_login(answer: httpx.Response) -> bool:
    """Whether an answer is the login page and nothing else."""
    words = re.sub(r"<style>.*?</style>|<[^>]*>", " ", answer.text, flags=re.DOTALL).split()
    return (
        answer.status_code == 401
        and words[:4] == ["TARstop", "TARstop", "Log", "in"]
        and len(answer.text) < 2000
    )


def streams(client: httpx.Client, server: AppServer, seconds: float = 0.0) -> bool:
    """Whether a connection for a page is accepted, and still there some seconds later."""
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    try:
        with connect(
            f"ws://127.0.0.1:{server.port}{STREAM}",
            additional_headers={"Cookie": cookies},
            origin=server.url,  # type: ignore[arg-type]
            subprotocols=["streamlit"],  # type: ignore[list-item]
        ) as stream:
            if seconds:
                stream.recv(timeout=seconds)
    except TimeoutError:
        return True
    except (ConnectionClosed, InvalidStatus):
        return False
    return True


@pytest.mark.parametrize("path", EVERYWHERE)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_a_stranger_sees_a_login_and_nothing_else(server: AppServer, path: str, method: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request(method, path)
    answer = connection.getresponse()
    said = answer.read().decode()
    connection.close()
    assert answer.status == 401, path
    assert method == "HEAD" or "Log in" in said
    assert not re.search("Streamlit|Screen|Sessions|Set up|Explore|Calibration|script", said)


def test_a_stranger_gets_no_connection(server: AppServer) -> None:
    assert not streams(browser(server), server)


def test_whoever_logs_in_is_let_in(server: AppServer) -> None:
    client = logged_in(server)
    answer = client.get("/sessions")
    assert answer.status_code == 200 and "<title>Streamlit</title>" in answer.text
    assert client.get("/_stcore/host-config").status_code == 200 and streams(client, server)
    client.get("/auth/logout")
    assert is_login(client.get("/sessions"))


OTHERS = RSAKey.generate_key(2048, {"kid": "own"})
NOW = int(time.time())
WRONG: dict[str, dict[str, Any]] = {
    "expired": {"exp": NOW - 10, "iat": NOW - 100},
    "long expired": {"exp": NOW - 10_000, "iat": NOW - 20_000},
    "another audience": {"aud": "somebody-elses-client"},
    "several audiences, for another": {"aud": ["tarstop", "other"], "azp": "other"},
    "another issuer": {"iss": "https://evil.example"},
    "without an issuer": {"iss": None},
    "without an audience": {"aud": None},
    "without an end": {"exp": None},
    "another nonce": {"nonce": "n"},
    "without a nonce": {"nonce": None},
    "of tomorrow": {"iat": NOW + 86_400, "exp": NOW + 90_000},
    "unverified address": {"email_verified": False},
    "nothing said of the address": {"email_verified": None},
    "without an address": {"email": None},
    "an address of another domain": {"email": "ann@example.org.evil.example"},
    "a project's name": {"email": "project:x@example.org"},
    "forged": {},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_tokens_are_refused(server: AppServer, provider: OidcProvider, wrong: str) -> None:
    provider.claims = WRONG[wrong]
    if wrong == "forged":
        provider.signs_with = OTHERS
    client = logged_in(server)
    assert is_login(client.get("/")) and not streams(client, server)


def test_a_login_ends_with_its_token(server: AppServer, provider: OidcProvider) -> None:
    provider.claims = {"exp": int(time.time()) + 4}
    client = logged_in(server)
    assert client.get("/screen").status_code == 200
    assert not streams(client, server, seconds=30), "the connection is closed too"
    assert is_login(client.get("/screen"))


def test_a_cookie_of_ones_own_making_is_none(server: AppServer) -> None:
    good = logged_in(server)
    signed = str(good.cookies["_streamlit_user"])
    for value in ("", "x", signed[:-1], signed[:-3] + "abc", signed.replace(".", "_", 1)):
        client = browser(server)
        client.cookies.set("_streamlit_user", value)
        assert is_login(client.get("/")), value
    other = browser(server)
    other.cookies.set("_streamlit_user_tokens", signed)
    assert is_login(other.get("/"))


def test_nobody_brings_the_headers_that_the_server_sets(server: AppServer) -> None:
    for name in ("X-Tarstop-Person", "x_tarstop_person", "X-TARSTOP-SEAL"):
        assert is_login(browser(server).get("/", headers={name: "ann@example.org"}))
    scope = {"headers": [(b"x-tarstop-person", b"eve"), (b"X_Tarstop_Seal", b"1"), (b"host", b"h")]}
    assert with_visitor(scope, None) == [(b"host", b"h")]


PROVIDER = Provider(
    {"client_id": "tarstop", "server_metadata_url": "https://id.example/.well-known/openid-configuration"},
    "email",
    ("@example.org", "bob@example.com"),
    None,
)
CLAIMS = {
    "iss": "https://id.example",
    "aud": "tarstop",
    "iat": 100,
    "exp": 200,
    "is_logged_in": True,
    "email": "Ann@example.org",
    "email_verified": True,
    "preferred_username": "ann",
}


@pytest.mark.parametrize(
    "changed",
    [
        *({"iss": "https://id.example.evil"}, {"iss": "http://id.example"}, {"aud": "x"}, {"aud": []}),
        *({"exp": 150}, {"iat": 300}, {"nbf": 300}, {"is_logged_in": "yes"}, {"email_verified": "false"}),
        *({"email": "bob@example.org.evil"}, {"email": ""}, {"email": 7}, {"email": "eve@example.com"}),
        {"aud": ["tarstop", "x"], "azp": "x"},
    ],
)
def test_claims_are_looked_at_again_at_every_request(changed: dict[str, Any]) -> None:
    here = by_claims(CLAIMS, PROVIDER, 150)
    assert here is not None and (here.name, here.until) == ("ann@example.org", 200)
    with suppress(InputProblem):
        assert by_claims(CLAIMS | changed, PROVIDER, 150) is None


def test_another_claim_may_name_the_person() -> None:
    named = replace(PROVIDER, claim="preferred_username", people=("*",))
    here = by_claims(CLAIMS | {"email_verified": False}, named, 150)
    assert here is not None and here.name == "ann"


PROXY = Proxy("x-user", "10.0.0.5", None)


@pytest.mark.parametrize(
    "address, headers, name",
    [
        ("10.0.0.5", [("X-User", "Ann")], "ann"),
        ("::ffff:10.0.0.5", [("x-user", "ann")], "ann"),
        ("10.0.0.6", [("x-user", "ann")], None),
        ("127.0.0.1", [("x-user", "ann")], None),
        ("10.0.0.5", [], None),
        ("10.0.0.5", [("x-user", "ann"), ("x-user", "eve")], None),
        ("10.0.0.5", [("x-other", "ann")], None),
    ],
)
def test_a_header_counts_from_its_proxy_alone(
    address: str, headers: list[tuple[str, str]], name: str | None
) -> None:
    raw = [(key.lower().encode(), value.encode()) for key, value in headers]
    here = by_proxy(Headers(raw=raw), address, PROXY)
    assert (here and here.name) == name


class Proxied(AppServer):
    """A server for others behind a proxy, started as any other application of Streamlit is."""

    def __init__(self, folder: Path) -> None:
        proxy = {"TARSTOP_PROXY_HEADER": "X-User", "TARSTOP_PROXY_ADDRESS": "127.0.0.1"}
        super().__init__(folder, None, {**proxy, "FORWARDED_ALLOW_IPS": ""})

    def command(self) -> list[str]:
        port = ("--server.port", str(self.port), "--server.headless", "true")
        return [sys.executable, "-m", "streamlit", "run", "app.py", "--server.address", "0.0.0.0", *port]


def test_behind_a_proxy_its_header_says_who_is_there(tmp_path: Path) -> None:
    with Proxied(tmp_path) as server:
        the_header_says_who_is_there(server)
        _a_tab_is_taken_up_again_by_its_own_person_alone(server)


def the_header_says_who_is_there(server: AppServer) -> None:
    """Nobody is let in without it; `test_server.py` asks this of a server that `tarstop app` started."""
    client = browser(server)
    for path in ("/", "/login", "/auth/login"):
        assert client.get(path).status_code == 401, path
    assert client.get("/", headers={"X-User": "ann"}).status_code == 200
    _another_address_is_not_the_proxy_whatever_it_says(server)


def _another_address_is_not_the_proxy_whatever_it_says(server: AppServer) -> None:
    if not sys.platform.startswith("linux"):
        return  # elsewhere this machine has but one address of its own
    with httpx.Client(transport=httpx.HTTPTransport(verify=False, local_address="127.0.0.2")) as elsewhere:
        for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP"):
            headers = {"X-User": "ann", name: "127.0.0.1"}
            assert elsewhere.get(f"{server.url}/", headers=headers).status_code == 401, name


def _a_tab_is_taken_up_again_by_its_own_person_alone(server: AppServer) -> None:
    first = _session_of(server, "ann", "")
    assert _session_of(server, "ann", first) == first
    assert _session_of(server, "eve", first) != first


def _session_of(server: AppServer, person: str, earlier: str) -> str:
    """The id of the tab that a connection is given which asks for an earlier one."""
    asked = BackMsg()
    asked.rerun_script.query_string = ""
    with connect(
        f"ws://127.0.0.1:{server.port}{STREAM}",
        additional_headers={"X-User": person},
        subprotocols=["streamlit", "x", *([earlier] if earlier else [])],  # type: ignore[list-item]
    ) as stream:
        stream.send(asked.SerializeToString())
        while True:
            said = ForwardMsg()
            said.ParseFromString(bytes(stream.recv(timeout=60)))  # type: ignore[arg-type]
            if said.WhichOneof("type") == "new_session":
                return str(said.new_session.initialize.session_id)


def test_a_login_file_is_whole_or_refused(tmp_path: Path, provider: OidcProvider) -> None:
    file = tmp_path / "login.toml"
    file.write_text(
        provider.login_file("https://tarstop.example", administrators=["Ann@example.org"]), encoding="utf-8"
    )
    read = read_provider(file)
    assert read.people == ("@example.org",) and read.administrators == ("ann@example.org",)
