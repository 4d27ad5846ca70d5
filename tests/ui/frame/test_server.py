"""A running server, asked by plain HTTP: headers, hosts, paths, health."""

import asyncio
import http.client
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import populate_hash_if_needed

import tarstop_core
from dashboard.frame import scripts, shell
from dashboard.frame.first_answer import HEADERS
from dashboard.frame.server import PIECE, Guarded
from tests.browser.conftest import AppServer
from tests.ui.frame.test_login import the_header_says_who_is_there

UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with AppServer(tmp_path_factory.mktemp("asked")) as running:
        yield running


def asked(server: AppServer, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    """Status and text of an answer, after a look at its headers."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = {name: answer.getheader(name) for name in HEADERS}
    # What was upgraded goes on for ever.
    text = "" if answer.status == 101 else answer.read().decode(errors="replace")
    connection.close()
    assert found == HEADERS, (method, path)
    return answer.status, text


@pytest.mark.parametrize(
    "path, method, status",
    [
        ("/", "GET", 200),
        ("/screen", "GET", 200),
        ("/nowhere", "GET", 404),
        ("/learn/nowhere", "GET", 404),
        ("/index.html", "GET", 404),
        ("/favicon.png", "GET", 200),
        ("/_stcore/health", "GET", 200),
        ("/_stcore/host-config", "GET", 200),
        ("/media/none.csv", "GET", 404),
        ("/component/none/x.js", "GET", 404),
        ("/_stcore/upload_file/a/b", "PUT", 403),
        ("/_stcore/metrics", "GET", 404),
        ("/_stcore/metrics", "OPTIONS", 404),
        ("/_stcore/script-health-check", "GET", 404),
        ("/_stcore/agent/openapi.json", "GET", 404),
        ("/_stcore/agent/interact", "POST", 404),
        ("/", "POST", 405),
        ("/", "OPTIONS", 405),
    ],
)
def test_every_answer_carries_the_headers(server: AppServer, path: str, method: str, status: int) -> None:
    assert asked(server, path, method)[0] == status


@pytest.mark.parametrize(
    "path",
    [
        "/../app.py",
        "/%2e%2e/app.py",
        "/..%2f..%2fetc/passwd",
        "/static/..%2f..%2f..%2fetc/passwd",
        "/media/..%2f..%2fetc%2fpasswd",
        "/component/tarstop_typed_table/..%2f..%2fapp.py",
        "/_stcore/bidi-components/tarstop_typed_table/..%2f..%2fapp.py",
        "//etc/passwd",
        "/app.py",
        "/.streamlit/config.toml",
        "/%5c%5cevil.example%5cshare",
        "/static/%00",
    ],
)
def test_no_path_leads_to_a_file_of_the_machine(server: AppServer, path: str) -> None:
    status, text = asked(server, path)
    assert status in (400, 403, 404)
    assert "root:" not in text and "gatherUsageStats" not in text and "import App" not in text


@pytest.mark.parametrize("path", ["/nowhere", "/learn/nowhere", "/screen.html"])
def test_where_no_page_is_one_says_so_and_leads_home(server: AppServer, path: str) -> None:
    _, text = asked(server, path)
    assert "<title>TARstop</title>" in text and 'href="/"' in text and "<script" not in text


def test_it_answers_by_its_own_names_only(server: AppServer) -> None:
    for host in ("localhost", "LOCALHOST:1", "127.0.0.1", f"[::1]:{server.port}", "localhost."):
        assert asked(server, "/health", Host=host)[0] == 200, host
    for host in (
        *(
            "evil.example",
            f"evil.example:{server.port}",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "",
        ),
        *(
            "evil.example@127.0.0.1",
            "127.0.0.1/x",
            "127.0.0.1:x",
            "10.0.0.7",
            "0.0.0.0",
            "[",
            "localhost,evil.example",
        ),
    ):
        status, said = asked(server, "/health", Host=host)
        assert status == 400 and "host name" in said, host


def test_the_connection_is_for_its_own_pages_only(server: AppServer) -> None:
    path, own = "/_stcore/stream", f"http://127.0.0.1:{server.port}"
    assert asked(server, path, **UPGRADE, Origin=own)[0] == 101
    for origin in (
        "http://evil.example",
        "http://127.0.0.1:1",
        "http://localhost",
        "null",
        f"{own}.evil.example",
        own.replace("http", "HTTP").replace("127.0.0.1", "LOCALHOST"),
    ):
        status, said = asked(server, path, **UPGRADE, Origin=origin)
        assert status == 400 and "from another site" in said, origin
    status, said = asked(server, path, **UPGRADE, Host="evil.example", Origin="http://evil.example")
    assert status == 400 and "host name" in said


def test_its_health_tells_of_the_database(server: AppServer) -> None:
    status, text = asked(server, "/health")
    assert status == 200 and json.loads(text) == {"status": "ok", "version": tarstop_core.__version__}
    database = Path(server.database.removeprefix("sqlite:///"))
    away = database.rename(database.with_name("away.db"))
    try:
        status, text = asked(server, "/health")
        assert (
            status == 503 and "database " in text and "cannot be" in text and str(database.parent) not in text
        )
    finally:
        away.rename(database)
    assert asked(server, "/health")[0] == 200
    assert str(database) in Path(server.log).read_text(encoding="utf-8")


@pytest.mark.parametrize("size", [0, 1, PIECE, PIECE + 1, 3 * PIECE])
def test_what_is_saved_leaves_as_it_is_in_pieces(size: int) -> None:
    content, sent = bytes(range(256)) * (size // 256) + b"x" * (size % 256), list[Message]()

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert "accept-encoding" not in Request(scope).headers
        await Response(content)(scope, receive, send)

    headers = [(b"host", b"localhost"), (b"accept-encoding", b"gzip")]
    scope = {"type": "http", "method": "GET", "path": "/media/a.json", "headers": headers}
    asyncio.run(Guarded(app)(scope, receive, send))
    pieces = [message["body"] for message in sent[1:]]
    assert b"".join(pieces) == content and max(map(len, pieces)) <= PIECE
    assert [message.get("more_body", False) for message in sent[1:]] == [True] * (len(pieces) - 1) + [False]


def test_an_address_is_read_up_to_a_length(server: AppServer) -> None:
    assert asked(server, f"/screen?session={'a' * 15_000}")[0] == 200
    status, said = asked(server, f"/screen?session={'%20' * 20_000}")
    assert status == 414 and "16,000" in said


LISTENER = """import sys, os

def heard(event, args):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        with open(os.environ["HEARD"], "a", encoding="utf-8") as out:
            print(event, args[1:] if event in ("socket.connect", "socket.sendto") else args, file=out)

sys.addaudithook(heard)
open(os.environ["HEARD"], "a", encoding="utf-8").close()
"""
"""Python runs it as `sitecustomize` in the server and every process that it starts."""
LOCAL = ("127.0.0.1", "0.0.0.0", "'::1'", "localhost", "/tmp/", "\\x00")
"""In what a socket is told where the other end is on this machine."""


class Open(AppServer):
    """A server for others behind a proxy, that notes what its sockets are told."""

    def __init__(self, folder: Path) -> None:
        (folder / "sitecustomize.py").write_text(LISTENER, encoding="utf-8")
        self.heard = folder / "heard.txt"
        proxy = {"TARSTOP_PROXY_HEADER": "X-User", "TARSTOP_PROXY_ADDRESS": "127.0.0.1"}
        asked_by = {"TARSTOP_HOSTS": "tarstop.example", "PYTHONPATH": str(folder), "HEARD": str(self.heard)}
        super().__init__(folder, None, asked_by | proxy)

    def command(self) -> list[str]:
        own = ("tarstop_core", "app", "--port", str(self.port), "--address", "0.0.0.0", "--headless")
        return [sys.executable, "-m", *own]


def test_a_server_for_others_asks_no_other_host_anything(tmp_path: Path) -> None:
    with Open(tmp_path) as server:
        for host, origin in (
            (f"127.0.0.1:{server.port}", f"http://127.0.0.1:{server.port}"),
            ("tarstop.example", "http://tarstop.example"),
            ("TARSTOP.example", "http://tarstop.example"),
            ("10.0.0.7", "http://10.0.0.7"),
        ):
            named = {"Host": host, "Origin": origin, "X-User": "ann"}
            status, _ = asked(server, "/_stcore/stream", **UPGRADE, **named)
            assert status == (400 if host.isupper() or host != origin.removeprefix("http://") else 101), host
        asked(server, "/", Host="10.0.0.7")
        the_header_says_who_is_there(server)
        told = server.log.read_text(encoding="utf-8")
    assert f"http://localhost:{server.port}" in told and "External URL" not in told
    outside = [
        line
        for line in server.heard.read_text(encoding="utf-8").splitlines()
        if not any(map(line.__contains__, LOCAL))
    ]
    assert server.heard.exists() and not outside


def test_a_server_of_ones_own_says_where_it_is_and_no_more(server: AppServer) -> None:
    told = Path(server.log).read_text(encoding="utf-8")
    assert f"TARstop is at {server.url}" in told and "login" not in told


def test_no_script_is_taken_for_markup() -> None:
    """Streamlit's front end cleans HTML with DOMPurify, which drops an element whose text looks like a tag."""
    texts = [rest.partition("</script>")[0] for rest in scripts.ALL.split("<script>")[1:]]
    assert len(texts) > 5
    assert [found.group() for text in texts for found in re.finditer(r".{0,40}<[/\w!].{0,40}", text)] == []


def test_no_message_is_kept_by_the_browser_in_place_of_which_it_is_sent_a_name() -> None:
    message = ForwardMsg()
    message.delta.new_element.markdown.body = "long " * 100_000
    populate_hash_if_needed(message)
    assert message.hash and not message.metadata.cacheable


@pytest.mark.parametrize("path", shell.addresses())
def test_every_page_comes_with_the_look(server: AppServer, path: str) -> None:
    """Before anything is drawn: a style sheet that came later would move what stands."""
    status, text = asked(server, path)
    before, _, after = text.partition("<style>")
    assert (
        status == 200
        and before.endswith("<body>")
        and ".stMainBlockContainer" in after
        and '<div id="root">' in after
    )
