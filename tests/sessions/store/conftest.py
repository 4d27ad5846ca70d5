"""Every test of the store runs on SQLite and on PostgreSQL."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tarstop_core.sessions.store.store import Store
from tests.sessions.store import cells
from tests.sessions.store.cases import fresh_url, store_url
from tests.sessions.store.nursery import Nursery


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database; a store's, with its tables, where a test asks for the store too."""
    made_for = store_url if "store" in request.fixturenames else fresh_url
    with made_for(request.param, tmp_path) as made:
        yield made


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A database for all examples of a property."""
    with store_url(request.param, tmp_path_factory.mktemp("kept")) as made, Store(made) as opened:
        yield opened


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store(url) as opened:
        yield opened


@pytest.fixture
def people(store: Store) -> Iterator[Store]:
    """A store with accounts; the first of them administers."""
    yield from cells.people(store)


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork or kill a process outright")
    started = Nursery()
    yield started
    started.process.communicate(timeout=60)
