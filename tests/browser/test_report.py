"""A report on paper: two sheets, and the trail behind them."""

import csv
import re
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Browser

from tarstop_core.documents.reports import Report, Row
from tarstop_core.documents.tables import CELLS
from tarstop_core.files import read_records
from tarstop_core.screening.log import Event
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.whole import whole_session
from tests.session_cases import INCLUSION, REVIEW, log

TOPIC = "CD010632"
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
                cells = Row(row["study"], *(int(row[cell]) for cell in CELLS))
                report = Report("data", study=row["study"], rows=(cells,))
                events.append(Event("report", {"doc": doc, **report.to_dict()}))
        moved = {"settings": replace(REVIEW, cost=7.0).to_dict(), "reason": "A second reader joined."}
        decided = {"plus": True, "action": "Adopt", "advised": True, "advice": "continue", "belief": 0.6}
        log(
            store, session, *events, Event("settings", moved), Event("stopped", {}), Event("decided", decided)
        )
        whole = whole_session(store, session)
        assert len(whole.state.evidence.tables) == len(brings) == 14
        (tmp_path / "report.html").write_text(report_html(whole), encoding="utf-8")
    page = chromium.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    assert page.get_by_text("Advice at each step").last.is_hidden()

    def sheets() -> int:
        return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))

    everything = sheets()
    page.evaluate("document.querySelector('.appendix').remove()")
    assert sheets() == 2 and everything > 5
    page.close()
