"""Every test of the store runs on SQLite and on PostgreSQL."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tarstop_core.sessions.store.store import Store
from tests.sessions.store.cases import empty_file, fresh_url
from tests.sessions.store.nursery import Nursery


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with fresh_url(request.param, tmp_path) as made:
        yield made


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A database for all examples of a property."""
    with fresh_url(request.param, tmp_path_factory.mktemp("kept")) as made, Store(made) as opened:
        yield opened


@pytest.fixture
def store(url: str, tmp_path: Path) -> Iterator[Store]:
    if url.startswith("sqlite"):
        empty_file(tmp_path)
    with Store(url) as opened:
        yield opened


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork or kill a process outright")
    started = Nursery()
    yield started
    started.process.communicate(timeout=60)
