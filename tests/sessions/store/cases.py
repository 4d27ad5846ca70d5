"""Records, sessions and logs to try a store with, and the databases that it is tried on."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

from tarstop_core.documents.records import as_records
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tests import postgres

EXAMPLES = settings.default.max_examples // 4
"""Of a property that every example writes to a database for, on each of two."""
on_both = pytest.mark.parametrize("store", ["sqlite", "postgres"], indirect=True)
"""Runs a test on either kind of database.

Every test of the store runs so. Of what stands on the store, those run so that take a way through it which its own tests
do not take, or that two people write in at the same time.
"""
SETTINGS = PatentSettings(
    Payoffs(B=4000, L_r=1000, L_g=4000, G=1000, unit="£"), cost=2.5, policy="batch:K=20"
)


@contextmanager
def fresh_url(kind: str, folder: Path) -> Iterator[str]:
    """An empty database of this kind, as long as it is needed."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 't.db'}"
    else:
        with postgres.database() as url:
            yield url


@cache
def _empty_file() -> bytes:
    with TemporaryDirectory() as folder:
        Store(f"sqlite:///{folder}/t.db").close()
        return Path(folder, "t.db").read_bytes()


def empty_file(folder: Path) -> str:
    """Address of an empty store in a file: its tables are made once for all tests."""
    (folder / "t.db").write_bytes(_empty_file())
    return f"sqlite:///{folder}/t.db"


@contextmanager
def store_url(kind: str, folder: Path) -> Iterator[str]:
    """A store of this kind that holds nothing, as long as it is needed; its tables are made once for many tests."""
    if kind == "sqlite":
        yield empty_file(folder)
    else:
        with postgres.store_database() as url:
            yield url


def some_records(n: int = 5) -> pd.DataFrame:
    return as_records(
        {
            "id": [f"EP{i}" for i in range(n)],
            "title": [f"Hinge {i}" for i in range(n)],
            "abstract": ["A «hinge» costing $5, x < 3."] * n,
            "score": [np.nan if i == 1 else 10.0 / (i + 1) for i in range(n)],
        }
    )


def new_session(store: Store, n: int = 5, name: str = "s") -> str:
    collection = store.save_collection("c", some_records(n), [], 0)
    return store.create_session(name, collection, np.arange(n), None, SETTINGS, "", "own order")


def label(number: int, text: str = "irrelevant") -> Event:
    return Event("label", {"doc": f"EP{number}", "label": text})


def record(store: Store, session: str, *events: Event) -> list[Event]:
    start = len(store.events(session))
    return [store.append(session, event, start + i) for i, event in enumerate(events)]
