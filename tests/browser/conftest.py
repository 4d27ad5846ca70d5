"""A real server, killed and started at will, and a real browser."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Playwright,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError

from tarstop_core.sessions.store.database import Database
from tarstop_core.sessions.store.tables import METADATA, SchemaVersion
from tests import postgres
from tests.browser.acting import ROOT, SECONDS, at_rest

# The first one draws no window that nobody sees: a tenth less of a processor.
CHROMIUM_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
CHROMIUM_PLACES = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
CHROMIUM_FLAGS = (
    "--no-sandbox",  # the tests may run as root, in a container
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # a page that opens another one need not compile all scripts again
)
# No page is looked at for long enough to earn back what optimising its scripts costs.
UNOPTIMISED = "--js-flags=--no-opt --no-maglev"
NO_CHROMIUM = (
    "The browser tests found no Chromium and could not fetch one; install it (on Debian: apt-get install "
    "chromium) or name its program in TARSTOP_CHROMIUM."
)
START_SECONDS = 120.0
WINDOW: ViewportSize = {"width": 1280, "height": 900}
# While the server is away Streamlit's front end asks whether it is back.
HARMLESS = ("/_stcore/health", "/_stcore/host-config")
WAITING = "/_stcore/health"  # an address without a script
REFUSED = """window.refused = []; document.addEventListener('securitypolicyviolation',
  (each) => window.refused.push(`${each.violatedDirective} ${each.blockedURI} ${each.sample}`))"""
"""Keeps what the browser refuses by the server's policy."""

# A cold or busy machine is no finding: what must be fast is measured in benchmarks/.
expect.set_options(timeout=SECONDS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a failed browser test once more.

    Two programs and a network between them can fail together for reasons that no page is to blame for (a machine
    that stands still for seconds, a browser tab that dies). A fault in the project fails both times, and what needed
    a second run is listed at the end, so that it is looked into.
    """
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.flaky(reruns=1))


class AppServer:
    """The dashboard in a process of its own, on one port, with one database.

    Parameters
    ----------
    folder : Path
        Holds the server's log, its experiments, and the database unless that is elsewhere.
    database : str, optional
        URL of the database, where it is not a file in that folder.
    environment : dict of str, optional
        What the server finds in its environment beside what is there.
    """

    def __init__(
        self, folder: Path, database: str | None = None, environment: dict[str, str] | None = None
    ) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = folder
        self.database = database or f"sqlite:///{folder / 't.db'}"
        self.log = folder / "server.log"
        self.environment = environment or {}
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        """The program that is the server, with its arguments."""
        call = f"from tarstop_core.cli.launch import app; app(['--port', '{self.port}', '--headless'])"
        return [sys.executable, "-c", call]

    def start(self) -> None:
        """Start and wait until pages are served."""
        assert self.process is None, "the server runs already"
        environment = {
            **os.environ,
            "TARSTOP_DATABASE_URL": self.database,
            "PYTHONUNBUFFERED": "1",
            **self.environment,
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + START_SECONDS
        while not self.healthy():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                pytest.fail(
                    f"The server did not start; it said:\n{self.log.read_text(errors='replace', encoding='utf-8')}"
                )
            time.sleep(0.05)

    def healthy(self) -> bool:
        """Whether the server answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=1) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def alive(self) -> bool:
        """Whether the process is there, however long its answers take on a busy machine."""
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """SIGKILL: the server gets no chance to finish anything."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def restart(self) -> None:
        """Kill, then start again on the same port and database."""
        self.kill()
        self.start()

    def empty(self) -> None:
        """Take every row out of the database, beside the running server, and every experiment."""
        with closing(Database(self.database)) as database, database.write() as connection:
            for table in reversed(METADATA.sorted_tables):
                if table is not SchemaVersion.__table__:
                    connection.execute(table.delete())
        shutil.rmtree(self.folder / "experiments", ignore_errors=True)

    def __enter__(self) -> AppServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


@pytest.fixture(scope="session")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """One server for all tests of a process."""
    with AppServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="session")
def running_on_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """Another one, whose database is on a PostgreSQL server."""
    folder = tmp_path_factory.mktemp("on_postgres")
    with postgres.database() as url, AppServer(folder, url) as running:
        yield running


@pytest.fixture
def server(request: pytest.FixtureRequest) -> AppServer:
    """A server with an empty database, on SQLite unless the test asks for "postgres"; a test may kill it."""
    kind = getattr(request, "param", "sqlite")
    running: AppServer = request.getfixturevalue(
        "running_server" if kind == "sqlite" else "running_on_postgres"
    )
    if not running.alive():
        running.restart()
    running.empty()
    return running


def find_chromium(playwright: Playwright) -> str:
    """Program of a Chromium: the one named, the system's, or Playwright's own, fetched if need be."""
    named = os.environ.get("TARSTOP_CHROMIUM")
    if named:
        program = shutil.which(named)
        if program is None:
            pytest.fail(
                f"TARSTOP_CHROMIUM names {named}, which is not a program; correct or unset it.", pytrace=False
            )
        return program
    for name in (*CHROMIUM_NAMES, *CHROMIUM_PLACES):
        program = shutil.which(name)
        if program is not None:
            return program
    own = Path(playwright.chromium.executable_path)
    if not own.exists():
        install = [sys.executable, "-m", "playwright", "install", "chromium"]
        try:
            subprocess.run(install, capture_output=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            pytest.fail(NO_CHROMIUM, pytrace=False)
    if not own.exists():
        pytest.fail(NO_CHROMIUM, pytrace=False)
    return str(own)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One Chromium for all tests of a process; each test opens contexts of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(playwright), args=[*CHROMIUM_FLAGS, UNOPTIMISED]
        )
        yield browser
        browser.close()


class Watched:
    """A page whose console errors, uncaught exceptions and requests to other hosts are collected."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        page.add_init_script(REFUSED)
        page.on("console", self._console)
        page.on("request", self._request)
        page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))

    def _console(self, message: ConsoleMessage) -> None:
        place = message.location.get("url", "")
        if message.type == "error" and not place.endswith(HARMLESS):
            self.errors.append(f"{message.text} ({place})")

    def _request(self, request: Request) -> None:
        where = urlsplit(request.url)
        if where.scheme in ("http", "https", "ws", "wss") and where.hostname != "127.0.0.1":
            self.errors.append(f"asks another host: {request.url}")

    def open(self, url: str) -> None:
        """Go to a URL and wait until Streamlit has drawn the page."""
        self.page.goto(url)
        at_rest(self.page)

    def settle(self) -> None:
        """Wait until a page is there and no script runs."""
        at_rest(self.page)

    def assert_sound(self) -> None:
        """Fail on a visible exception, a "page not found" or anything the console calls an error."""
        exceptions = self.page.locator("[data-testid='stException']").all_inner_texts()
        assert not exceptions, f"the page shows an exception: {exceptions[0]}"
        assert self.page.get_by_text("Page not found").count() == 0, f"no such page: {self.page.url}"
        assert not self.errors, f"the browser's console has errors: {self.errors}"

    def leave(self) -> None:
        """Forget what the page knows, so that the next test finds it as if it were new.

        It waits at its server, not at about:blank, for which the browser would end the process that has compiled the
        dashboard's scripts: half the time that opening a page takes.
        """
        for other in self.page.context.pages:
            if other is not self.page:
                other.close()
        if self.page.url.startswith("http"):
            self.page.goto(urljoin(self.page.url, WAITING))
            self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        else:
            self.page.goto("about:blank")
        self.page.context.clear_cookies()
        self.page.context.clear_permissions()


@pytest.fixture(scope="session")
def idle_pages() -> dict[str, list[Watched]]:
    """Pages that no test looks at now, by what their contexts were made with.

    A new page compiles megabytes of scripts again, which costs more than most tests do.
    """
    return defaultdict(list)


@pytest.fixture
def open_page(chromium: Browser, idle_pages: dict[str, list[Watched]]) -> Iterator[Callable[..., Watched]]:
    """Give a watched page that knows nothing but a name; further arguments are those of Playwright's `new_context`."""
    taken: list[tuple[str, Watched]] = []

    def make(
        viewport: ViewportSize = WINDOW,
        color_scheme: Literal["light", "dark"] = "light",
        **settings: Any,
    ) -> Watched:
        kind = repr(sorted(settings.items()))
        if idle_pages[kind]:
            watched = idle_pages[kind].pop()
        else:
            context = chromium.new_context(**settings)
            context.set_default_timeout(SECONDS)
            watched = Watched(context.new_page())
        name = {"name": "tarstop_reviewer", "value": "Rita", "domain": "127.0.0.1", "path": "/"}
        watched.page.context.add_cookies([name])  # nobody wants to be asked in every test
        taken.append((kind, watched))
        watched.errors.clear()
        watched.page.set_viewport_size(viewport)
        # Every frame of a motion costs as if somebody watched it.
        watched.page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")
        return watched

    yield make
    for kind, watched in reversed(taken):
        try:
            watched.leave()
        except PlaywrightError:  # whatever befell it, the next test gets another one
            watched.page.context.close()
        else:
            idle_pages[kind].append(watched)
