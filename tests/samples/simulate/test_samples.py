"""The folder of sample data: made again byte for byte, and read back whole."""

import csv
import gzip
from pathlib import Path

import pytest

from scripts.make_samples.diagnostic import simulate_reviews
from scripts.make_samples.patents import simulate_patents
from scripts.make_samples.write import GOOGLE_COLUMNS, write_sample_data
from tarstop_core import places
from tarstop_core.documents.records import RECORD_COLUMNS
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.errors import InputProblem
from tarstop_core.samples import collections as samples


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    write_sample_data(folder)
    return folder


def _files(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def test_shipped_files_are_what_the_script_writes(written: Path) -> None:
    shipped = places.sample_dir()
    for name in _files(written):
        ours, theirs = (shipped / name).read_bytes(), (written / name).read_bytes()
        if name.suffix == ".gz":
            # Another zlib may pack the same text into other bytes.
            ours, theirs = gzip.decompress(ours), gzip.decompress(theirs)
        assert ours == theirs, name


def test_packed_files_carry_no_time_and_no_name(written: Path) -> None:
    for path in written.rglob("*.gz"):
        head = path.read_bytes()[:8]
        assert head[3] == 0 and head[4:8] == b"\0\0\0\0"


def test_size_is_modest(written: Path) -> None:
    assert sum((written / name).stat().st_size for name in _files(written)) < 3_000_000
    assert sum(path.stat().st_size for path in (written / "reviews").iterdir()) < 600_000


def test_topics_do_not_give_the_truth_away() -> None:
    topics = samples.sample_topics()
    assert list(topics.columns) == ["topic", "title", "claim", "documents"]
    assert len(topics) == 16
    assert not topics.astype(str).apply(lambda column: column.str.contains("SIM-|omega|ω")).any().any()
    assert topics["topic"].is_monotonic_increasing  # not sorted by the truth


def test_loading_gives_the_simulated_documents() -> None:
    qrels = samples.sample_qrels()
    for topic in simulate_patents():
        name = topic.invention.topic
        records = samples.load_sample(name)
        assert tuple(records.columns) == RECORD_COLUMNS
        assert records["id"].tolist() == [d.id for d in topic.documents]
        assert records["abstract"].tolist() == [d.abstract for d in topic.documents]
        assert records["score"].isna().all()
        assert set(records["source"]) == {f"{name}.jsonl.gz"}
        assert {doc for doc, grade in qrels[name].items() if grade} == {
            d.id for d in topic.documents if d.relevant
        }
    counts = samples.sample_topics().set_index("topic")["documents"]
    assert counts[name] == len(records)


def test_every_document_has_a_reason() -> None:
    reasons = samples.sample_reasons("ski-binding")
    assert set(reasons) == set(samples.load_sample("ski-binding")["id"])
    assert any(reason.startswith("Discloses") and "but not" in reason for reason in reasons.values())


def test_readme_says_simulated_and_reports_figures(written: Path) -> None:
    text = (written / "README.md").read_text(encoding="utf-8")
    assert "every document here is simulated" in text.splitlines()[0]
    assert "seeds 1412 (searches) and 2712 (reviews)" in text
    assert "| MAP | 0.353 | 0.3" in text and "| MAP | 0.099 | 0.1" in text
    assert text.count("\n| ") > 45


def test_export_has_the_form_of_google_patents(written: Path) -> None:
    with (written / "google_patents_example.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][0] == "search URL:" and rows[0][1].startswith("https://patents.google.com/?q=")
    assert rows[1] == GOOGLE_COLUMNS
    body = rows[2:]
    assert len(body) == 60 and all(len(row) == len(GOOGLE_COLUMNS) for row in body)
    assert all(row[0].startswith("SIM-") and row[4] < row[5] < row[6] for row in body)
    assert sum(samples.sample_qrels()["antenna-mount"].get(row[0], 0) for row in body) == 5


def test_reviews_do_not_give_the_truth_away() -> None:
    frame = samples.sample_reviews()
    assert list(frame.columns) == ["topic", "title", "question", "criteria", "documents"]
    assert len(frame) == 10 and frame["topic"].is_monotonic_increasing


def test_loading_a_review_gives_the_simulated_documents() -> None:
    counts = samples.sample_reviews().set_index("topic")["documents"]
    for review in simulate_reviews():
        name = review.question.topic
        records, texts = samples.load_review_sample(name), samples.sample_full_texts(name)
        assert tuple(records.columns) == RECORD_COLUMNS
        assert records["id"].tolist() == [report.id for report in review.reports]
        assert records["abstract"].tolist() == [report.abstract for report in review.reports]
        assert counts[name] == len(records) and set(records["source"]) == {f"{name}.jsonl.gz"}
        included = {report.id: report for report in review.reports if report.included}
        assert texts.keys() == included.keys()
        for document, text in texts.items():
            report = included[document]
            assert (text.text, text.status, text.reason, text.study) == (
                report.full_text,
                report.status,
                report.reason,
                report.study,
            )
            table = (text.TP, text.FP, text.FN, text.TN)
            assert table == (report.counts or (None,) * 4)


def test_full_texts_are_reports_that_a_session_can_hold() -> None:
    for name in samples.sample_reviews()["topic"]:
        for text in samples.sample_full_texts(name).values():
            rows = (
                (AccuracyRow(text.study, text.TP, text.FP, text.FN, text.TN),)
                if text.status == "data"
                else ()
            )
            Report(text.status, text.reason, text.study, rows)


def test_unknown_topic_is_one_sentence() -> None:
    with pytest.raises(InputProblem, match="no sample topic 'antenna-mount'; choose one of brindle-fever"):
        samples.load_review_sample("antenna-mount")
    with pytest.raises(InputProblem, match="no sample topic"):
        samples.sample_full_texts("teapot")
    with pytest.raises(InputProblem, match="no sample topic 'teapot'; choose one of antenna-mount"):
        samples.load_sample("teapot")
    with pytest.raises(InputProblem, match="no sample topic"):
        samples.sample_reasons("teapot")


def test_folder_named_by_the_environment_comes_first(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARSTOP_SAMPLE_DATA", str(written))
    assert places.sample_dir() == written
    monkeypatch.setenv("TARSTOP_SAMPLE_DATA", str(tmp_path))
    with pytest.raises(InputProblem, match="No sample data in"):
        places.sample_dir()


def test_folder_of_an_installation_is_found(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "tarstop_app" / "sample_data" / "patents"
    target.mkdir(parents=True)
    (target / "topics.csv").write_bytes((written / "patents" / "topics.csv").read_bytes())
    monkeypatch.delenv("TARSTOP_SAMPLE_DATA", raising=False)
    monkeypatch.setattr(places, "PARENT", tmp_path)
    assert places.sample_dir() == tmp_path / "tarstop_app" / "sample_data"
