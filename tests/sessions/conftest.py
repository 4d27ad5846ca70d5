"""Each test has an empty database of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tarstop_core.sessions.store.store import Store
from tests.sessions.store.cases import store_url


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """On SQLite, unless the test asks for the other kind with ``on_both``."""
    with store_url(getattr(request, "param", "sqlite"), tmp_path) as url, Store(url) as opened:
        yield opened
