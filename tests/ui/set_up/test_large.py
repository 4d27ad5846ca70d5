"""Set up with files that count as large: the same page, its work done in processes of their own."""

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.parts import documents
from dashboard.set_up import order
from tarstop_core.evaluation import worker
from tarstop_core.files import read_records, source
from tarstop_core.sessions.store.store import Store
from tests.ui.set_up.cases import CSV, FILES, query, start, upload, words_of


@pytest.fixture
def jobs_done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything counts as large; the names of the jobs that were done."""
    done: list[str] = []
    run = worker.run

    def noted(name: str, job: Callable[..., object], *args: object, **how: Any) -> object:
        done.append(getattr(job, "__name__", ""))
        return run(name, job, *args, **how)

    monkeypatch.setattr(worker, "run", noted)
    monkeypatch.setattr(documents, "LARGE_FILE", 0)
    monkeypatch.setattr(documents, "LARGE_LIST", 0)
    monkeypatch.setattr(order, "LARGE", 0)
    return done


def test_a_large_list_is_taken_in_and_put_in_order(page: AppTest, store: Store, jobs_done: list[str]) -> None:
    upload(page, ("patents.csv", CSV))
    page.text_area(query(page)).set_value("kettle").run()
    start(page)
    assert not page.exception and not page.error
    assert store.session(store.sessions()[0].id).ids[0] == "EP-1000009-A1"
    assert {"records_in", "propose", "stored", "in_store", "suggest_order", "index_of"} == set(jobs_done)


def test_what_is_wrong_with_a_large_file_is_said_and_columns_are_asked_for(
    page: AppTest, store: Store, jobs_done: list[str]
) -> None:
    upload(page, ("broken.csv", b"id,title\n1,a,b,c\n"))
    assert "Line 2 of broken.csv has 4 cells" in words_of(page.error)
    page.file_uploader(FILES).clear().run()
    upload(page, ("odd.csv", b"foo,bar\nHinge,2\n"))
    assert "No column of odd.csv looks like a title" in words_of(page.warning)
    assert jobs_done == ["records_in", "records_in"] and not store.collections()


def test_one_tab_holds_so_many_records(page: AppTest, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    held = read_records(io.BytesIO(CSV), "one.csv").frame
    monkeypatch.setattr(source, "BUDGET", replace(source.BUDGET, held=len(held)))
    upload(page, ("one.csv", CSV), ("two.csv", CSV))
    assert "With two.csv this browser tab would have more than" in words_of(page.error).replace("\\", "")
    assert not store.collections() and page.session_state["set_up/documents/read"]
    tables = [each.table for each in page.session_state["set_up/documents/read"].values()]
    assert [table is None for table in tables] == [False, True]
    page.file_uploader(FILES).clear().run()
    upload(page, ("one.csv", CSV))
    assert len(store.collections()) == 1
