"""Reports on paper: two sheets, and behind those of a session the trail."""

import csv
import re
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Browser

from tarstop_core.belief.question import Question
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.documents.tables import CELLS
from tarstop_core.evidence.report import About, evidence_report
from tarstop_core.evidence.summary import evidence
from tarstop_core.files import read_records, read_tables
from tarstop_core.samples.collections import published_sets
from tarstop_core.screening.log import Event
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tests.session_cases import INCLUSION, REVIEW, log

TOPIC = "CD010632"
SHEET = re.compile(rb"/Type\s*/Page\b")
OTHERS = 40  # documents that bring nothing


def test_a_review_with_14_tables_is_two_sheets_and_its_trail_opens_on_paper(
    chromium: Browser, real_data: Path, tmp_path: Path
) -> None:
    records = read_records(real_data / "records" / f"{TOPIC}.jsonl.gz").frame
    with (real_data / "clef_dta" / "outcomes.csv").open(encoding="utf-8") as file:
        brings = {row["docid"]: row for row in csv.DictReader(file) if row["topic"] == TOPIC}
    ids = records["id"].tolist()
    order = sorted(range(len(ids)), key=lambda at: ids[at] not in brings)
    with Store(f"sqlite:///{tmp_path}/t.db") as store:
        store.save_calibrator(INCLUSION)
        collection = store.save_collection(TOPIC, records, [], 0)
        session = store.create_session(TOPIC, collection, order, None, REVIEW, "FDG-PET", "own order")
        events = [Event("plan", {"settings": REVIEW.to_dict(), "records": store.session(session).digest})]
        for doc in (ids[at] for at in order[: len(brings) + OTHERS]):
            row = brings.get(doc)
            events.append(Event("label", {"doc": doc, "label": "relevant" if row else "irrelevant"}))
            if row:
                cells = AccuracyRow(row["study"], *(int(row[cell]) for cell in CELLS))
                report = Report("data", study=row["study"], rows=(cells,))
                events.append(Event("report", {"doc": doc, **report.to_dict()}))
        moved = {"settings": replace(REVIEW, cost=7.0).to_dict(), "reason": "A second reader joined."}
        decided = {"plus": True, "action": "Adopt", "advised": True, "advice": "continue", "belief": 0.6}
        log(
            store, session, *events, Event("settings", moved), Event("stopped", {}), Event("decided", decided)
        )
        whole = session_snapshot(store, session)
        assert len(whole.state.evidence.tables) == len(brings) == 14
        (tmp_path / "report.html").write_text(report_html(whole), encoding="utf-8")
    page = chromium.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    assert page.get_by_text("Advice at each step").last.is_hidden()

    def sheets() -> int:
        return len(SHEET.findall(page.pdf(prefer_css_page_size=True)))

    everything = sheets()
    page.evaluate("document.querySelector('.appendix').remove()")
    assert sheets() == 2 and everything > 5
    page.close()


def test_a_synthesis_of_up_to_20_studies_is_two_sheets(
    chromium: Browser, real_data: Path, tmp_path: Path
) -> None:
    real = read_tables(real_data / "dta_reviews" / f"{TOPIC}.csv").tables
    largest = max((each.tables for each in published_sets()), key=len)
    page, payoffs = chromium.new_page(), Payoffs(0, 30_000, 10_000, 0, "£")
    for tables, engine in ((real, "bivariate"), (real, "reml"), (largest.first(20), "bivariate")):
        written = evidence_report(
            evidence(tables, Question(0.75, engine)),
            payoffs,
            About(
                name=TOPIC,
                at="2026-11-22 23:00 UTC",
                by="Rita",
                source="Lee and others. A journal. " * 4,
                notes=("Two studies have the same name, and both count here.",),
            ),
        )
        (tmp_path / "report.html").write_text(written, encoding="utf-8")
        page.goto((tmp_path / "report.html").as_uri())
        assert len(SHEET.findall(page.pdf(prefer_css_page_size=True))) == 2, (len(tables), engine)
    page.close()
