"""Records of published reviews, where the real data are at hand."""

from pathlib import Path

import pytest

from tarstop_core.documents.duplicates import merge_records
from tarstop_core.documents.records import ranking_text
from tarstop_core.files import read_qrels, read_records


@pytest.mark.parametrize(
    ("name", "documents"),
    [("CD008691", 1_310), ("CD009944", 1_162), ("CD010632", 1_499), ("CD011134", 1_938)],
)
def test_json_lines(real_data: Path, name: str, documents: int) -> None:
    table = read_records(real_data / "records" / f"{name}.jsonl.gz")
    assert len(table.frame) == documents
    assert table.understood == {"id": "id", "title": "title", "content": "abstract"}
    assert table.notes == ()
    # `content` starts with the title, so the text is the content itself.
    assert ranking_text(table.frame) == table.frame["abstract"].tolist()
    judged = read_qrels(real_data / "records" / "qrels_abs.txt")[name]
    assert set(judged) & set(table.frame["id"])


def test_every_collection_reads(real_data: Path) -> None:
    paths = sorted((real_data / "records").glob("CD*.jsonl.gz"))
    assert len(paths) == 13
    tables = [read_records(path) for path in paths]
    merged = merge_records(table.frame for table in tables)
    assert len(merged.frame) + merged.duplicates == sum(len(table.frame) for table in tables)


@pytest.mark.parametrize(
    ("name", "documents", "relevant", "bare"), [("ADHD", 851, 20, 48), ("Triptans", 671, 24, 77)]
)
def test_screening_exports(real_data: Path, name: str, documents: int, relevant: int, bare: int) -> None:
    table = read_records(real_data / "records" / f"{name}.csv")
    frame = table.frame
    assert len(frame) == documents
    assert (frame["label"] == "relevant").sum() == relevant
    assert set(frame["label"]) == {"relevant", "not relevant"}
    assert (frame["abstract"] == "").sum() == bare
    assert table.understood["pubmedID"] == "pmid" and table.understood["label_included"] == "label"
    assert any("label_abstract_screening was not used" in note for note in table.notes)
