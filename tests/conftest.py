"""Fixtures for all tests, and the rule that the browser tests must have run where they are asked for."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from sqlalchemy.util import LRUCache

from tarstop_core.sessions.store import database, sqlite_file
from tarstop_core.sessions.store.tables import Table
from tests import postgres

# A busy machine is no finding (what must be fast is measured in benchmarks/), and a run is no lottery: "tests" tries
# the same examples every time, and more would find nothing another time. `make deep` looks for new ones.
settings.register_profile(
    "tests",
    max_examples=16,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", settings.get_profile("tests"), derandomize=False, max_examples=1000)
settings.load_profile("tests")

# What a test stores need not survive a loss of power, which a disk makes every transaction wait for. Processes that
# tests start store as people's do.
DURABLE = sqlite_file.SYNCHRONOUS
sqlite_file.SYNCHRONOUS = "OFF"
# Nor is there a disk that fills, but where a test makes one: megabytes need not be written beside every collection.
RESERVED = sqlite_file.RESERVED
sqlite_file.RESERVED = 1


class Compiled(LRUCache[Any, Any]):
    """Statements as they are sent to any database of a kind: else each of the tests' many databases compiles all of them anew."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), value)


compiled, make_engine = Compiled(2000), database._engine


def engine_of_many(*arguments: Any) -> sa.Engine:
    """An engine that knows what those before it have compiled."""
    engine = make_engine(*arguments)
    engine._compiled_cache = compiled
    return engine


database._engine = engine_of_many
for mapper in Table.registry.mappers:
    mapper._compiled_cache = compiled  # type: ignore[misc]

BROWSER_TESTS = Path(__file__).parent / "browser"


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real collections (rankings, judgments, records)."""
    folder = os.environ.get("TARSTOP_REAL_DATA")
    if not folder:
        pytest.skip("TARSTOP_REAL_DATA is not set: no real collections to test on")
    return Path(folder)


@pytest.fixture
def durable(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite writes, and room is reserved for it, as outside the tests."""
    monkeypatch.setattr(sqlite_file, "SYNCHRONOUS", DURABLE)
    monkeypatch.setattr(sqlite_file, "RESERVED", RESERVED)


@pytest.fixture(scope="session")
def server_to_stop() -> Iterator[postgres.Server]:
    """A PostgreSQL server that tests stop, and start again."""
    with postgres.own_server() as own:
        yield own


@pytest.fixture
def no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No experiment has been ordered, and none goes on afterwards."""
    from tarstop_core.evaluation import running

    monkeypatch.setenv("TARSTOP_DATABASE_URL", f"sqlite:///{tmp_path}/t.db")
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")  # so small a run needs no processes of its own
    yield
    for each in running.runs():
        running.forget(each)


@pytest.fixture
def runs_here(no_runs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An experiment that is ordered is over at once: what it finds is the point, not the process that it has."""
    from tarstop_core.evaluation import running

    monkeypatch.setattr(running, "resume", lambda run: running.carry_out(run.folder))


class BrowserTestsRan:
    """Fails a run whose browser tests were skipped, deselected or not found."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not Path(report.fspath).resolve().is_relative_to(BROWSER_TESTS):
            return
        if report.failed:
            self.failed += 1
        elif report.when == "call" and report.passed:
            self.passed += 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.passed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.passed and not self.failed:
            terminalreporter.write_line(
                "No browser test ran, and TARSTOP_BROWSER_TESTS=required asks for them: "
                "run the tests from the project's root without selecting some of them.",
                red=True,
            )


def pytest_sessionstart() -> None:
    if settings.get_current_profile_name() == "tests":
        # Hypothesis also tries constants of the modules that happen to be loaded, which the tests that a worker ran
        # before decide: examples would still depend on who ran what.
        providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Leave what is imported and collected out of every search for garbage, and search seldom: what tests make is soon gone."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    beside_others = hasattr(config, "workerinput")  # only the process that gathers all reports can tell
    if os.environ.get("TARSTOP_BROWSER_TESTS") == "required" and not beside_others:
        config.pluginmanager.register(BrowserTestsRan(), "browser-tests-ran")
    if not beside_others and not config.option.collectonly:
        postgres.begin_run()
        config.add_cleanup(postgres.end_run)
