"""Each test has an empty database of its own, of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tarstop_core.sessions.store.store import Store
from tests.sessions.store.cases import fresh_url


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with fresh_url(request.param, tmp_path) as url, Store(url) as opened:
        yield opened
