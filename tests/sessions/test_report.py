"""The report of a session holds what an audit asks for, and nothing that runs or loads."""

import io
import re
from dataclasses import replace

import pandas as pd
import pytest

from dashboard.parts.jobs import stored
from tarstop_core.documents.records import as_records
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.files import read_records
from tarstop_core.presentation.html import IN_PRINT
from tarstop_core.presentation.numbers import percent
from tarstop_core.screening import record_message
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.patent import PATENT as PATENTS
from tarstop_core.screening.scenarios.review import REVIEW as REVIEWS
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import word_of
from tarstop_core.sessions.export import document_rows
from tarstop_core.sessions.report import report_html
from tarstop_core.sessions.snapshot import session_snapshot
from tarstop_core.sessions.store.store import Store
from tests.reading_pages import read, still
from tests.session_cases import (
    EVIL,
    IDS,
    INCLUSION,
    PATENT,
    REVIEW,
    SEEN,
    START,
    N,
    a_collection,
    a_patent_session,
    a_review,
    label,
    log,
)
from tests.sessions.store.cases import on_both


@pytest.mark.parametrize("make", [a_patent_session, a_review])
def test_nothing_runs_and_nothing_is_loaded(store: Store, make) -> None:
    page = report_html(session_snapshot(store, make(store)))
    reader, text = still(page)
    assert EVIL in " ".join(reader.text) and "simulated" in text


def test_the_curve_says_when_a_study_counts(store: Store) -> None:
    session = session_snapshot(store, a_review(store))
    assert "study counts once" in read(report_html(session))[1]


def test_it_holds_what_an_audit_asks_for(store: Store) -> None:
    session = session_snapshot(store, a_patent_session(store))
    _, text = read(report_html(session))
    for words in (
        "Decided: Reject",
        "Figure 3 & 4",
        "12 of 30 documents were read, at a cost of £60.",
        "#12 “Title 11” settles the question",
        "FOUND",
        "Identified in a.ris 22",
        "Duplicates removed 3",
        "1 relevant, 1 unsure, of 12 documents read",
        "Registered 2",
        "by Ann <b>, before the first document was read. The list of documents is the one that was registered.",
        "How sure before you act (q*): 0.2 → 0.5",
        "Reason: The office <asked> for it",
        "Records not screened because a document settled the question 18",
        "Title 11",
        "All 18 events",
        session.calibrators[START.calibrator].digest,
        "TARstop 0.",
        "numpy",
    ):
        assert words in text, words


def test_every_step_has_its_advice(store: Store) -> None:
    session = session_snapshot(store, a_patent_session(store))
    page = report_html(session)
    part = page[page.index("<h2>Advice at each step") : page.index("<h2>Log")]
    assert f"{PATENTS.message('chance_column', settings=START)}</th>" in part
    rows = re.findall(r"<tr>(<td.*?)</tr>", part)
    assert len(rows) == 12
    for step, row in zip(session.steps, rows, strict=True):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
        assert cells[0] == str(step["rank"]) and word_of(step["headline"]).lower() in cells
        assert "Ann &lt;b&gt;" in cells
        assert percent(step["rho"]) in cells[2], "as the page said of the next document"


def test_a_review_shows_its_tables_and_reasons(store: Store) -> None:
    _, text = read(report_html(session_snapshot(store, a_review(store))))
    assert "Lee 9 1 2 0.82 (0.48 to 0.98)" in text
    assert f"{REVIEWS.message('chance_column', settings=REVIEW)} Belief" in text
    assert "excluded: wrong <test>" in text and "not read in full" in text
    assert "Excluded: wrong <test> (n = 1)" in text
    assert "No plan was registered" in text and "No decision yet." in text


@on_both
def test_the_search_that_a_file_carries_is_printed_in_full(store: Store) -> None:
    query = (
        "https://patents.google.com/?q=(foldable+antenna+mount)&before=priority:20110101&oq=foldable+mount"
    )
    rows = "id,title\nEP-1000001-A1,Foldable mast\nEP-1000002-A1,Kettle\nEP-1000002-A1,Kettle\n"
    table = read_records(io.BytesIO(f"search URL:,{query}\n{rows}".encode()), "gp-search.csv")
    collection, _ = stored(store.reach, "gp", table.frame, [table.described], lambda *_: None)
    store.save_calibrator(PATENT)
    session = store.create_session("Mast", collection, [0, 1], None, START, "", "")
    page = report_html(session_snapshot(store, session))
    _, text = read(page)
    assert f"gp-search.csv search URL: {query}" in text
    assert "gp-search.csv 3" in text and "Duplicates removed 1" in text
    assert "removed before screening (n = 1)" in text


def with_kept_labels(store: Store, settings: Settings, *events: Event, kept: int = 10) -> str:
    """A session of which the first documents came with their labels."""
    session = store.create_session("Kept", a_collection(store), list(range(N)), None, settings, "", "")
    labels = dict.fromkeys(IDS[:kept], "irrelevant")
    came = {"source": "a.csv", "labels": labels, "notes": {}, "reasons": {}, "ranks": [*range(1, kept + 1)]}
    log(store, session, Event("kept", came), *events)
    return session


def test_the_curve_begins_with_the_first_document(store: Store) -> None:
    session = with_kept_labels(store, START, *(label(at, "irrelevant") for at in range(10, 14)))
    page = report_html(session_snapshot(store, session))
    drawn = page[page.index("<h2>Belief and value") : page.index("<h2>Plan")]
    lines = re.findall(r'<path d="M([\d.]+) [^>]* stroke-width="2(?:[.]5)?"', drawn)
    assert lines and {*map(float, lines)} == {0.0}
    _, text = read(page)
    assert "50 % at the start" in text and "first 10 came with" in text
    assert re.search("14 of 30 documents .* 10 of them .* cost £20[.]", text)
    assert "“Reject” pays above 20 %." in text and "a⁺ above" not in text


def test_a_curve_of_few_documents_counts_them_whole_and_says_chances_in_per_cent(store: Store) -> None:
    session = store.create_session("Short", a_collection(store), list(range(N)), None, START, "", "")
    log(store, session, label(0, "irrelevant"), label(1, "irrelevant"))
    page = report_html(session_snapshot(store, session))
    drawn = page[page.index("<h2>Belief and value") : page.index("<h2>Plan")]
    first = re.findall(r">([\d.]+(?:\xa0%)?)</text>", drawn[: drawn.index("</svg>")])
    assert {*first} == {"0", "1", "2"} | {f"{at}\xa0%" for at in range(0, 101, 20)}


def test_labels_that_came_along_are_drawn_without_any_of_ones_own(store: Store) -> None:
    session = with_kept_labels(store, START)
    text = report_html(session_snapshot(store, session))
    assert "nothing to draw" not in text
    assert "<svg" in text


def test_chances_of_a_first_hit_are_not_said_to_wait_for_documents(store: Store) -> None:
    hazard = replace(PATENT, kind="first-hit")
    store.save_calibrator(hazard)
    settings = replace(START, calibrator=hazard.digest, confirm_hits=False)
    session = with_kept_labels(store, settings, label(10, "relevant"))
    _, text = read(report_html(session_snapshot(store, session)))
    assert "Once you have read" not in text
    assert "0 to 1 relevant among the 11" in text and "found 1." in text


def test_documents_read_against_the_advice_are_counted(store: Store) -> None:
    dear = replace(START, cost=3000.0)
    session = store.create_session("Past", a_collection(store), list(range(N)), None, dear, "", "")
    log(store, session, *(label(at, "irrelevant") for at in range(3)))
    _, text = read(report_html(session_snapshot(store, session)))
    assert "Before 3 of them, first before #1" in text


def test_dates_and_numbers_stay_on_one_line(store: Store) -> None:
    page = report_html(session_snapshot(store, a_patent_session(store)))
    text = re.sub(r"<(svg|style|pre|title)\b.*?</\1>", "", page, flags=re.DOTALL)
    apart = re.sub(r'<span class="one">[^<]*</span>', "", text)
    one = '<span class="one">'
    assert re.search(rf"{one}\d{{4}}-\d\d-\d\d</span> {one}[\d:]+ UTC</span>", text)
    assert not re.findall(r"\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\d %", re.sub(r"<[^>]*>", " ", apart))
    assert ".one{white-space:nowrap}" in page


def test_the_trail_is_a_folded_appendix_and_the_first_part_says_what_counts(store: Store) -> None:
    patent, review = (
        report_html(session_snapshot(store, make(store))) for make in (a_patent_session, a_review)
    )
    for page in (patent, review):
        main, trail = page.split('<details class="appendix"><summary>Appendix: the trail</summary>')
        assert "<h2>Decision" in main and "<h2>What it rests on" in main and "<h2>Plan and deviations" in main
        for heading in (
            "What was searched",
            "What was at stake",
            "Flow diagram",
            "Advice at each step",
            "Log",
        ):
            assert f"<h2>{heading}" in trail and f"<h2>{heading}" not in main
    _, told = read(patent.split('<details class="appendix">')[0] + "</main></body></html>")
    assert "By Ann <b>" in told and re.search("“Reject” above .* 50 %", told) and "What decides it" in told
    drawn = review[review.index("<h2>The studies") : review.index("<h2>Plan and")]
    assert drawn.count("<svg") == 2 and ">Lee</text>" in drawn and "<h2>The studies" not in patent


def test_documents_link_to_where_they_can_be_read(store: Store) -> None:
    page = report_html(session_snapshot(store, a_review(store)))
    for url, words in (
        ("https://doi.org/10.1000/x", "DOI"),
        ("https://pubmed.ncbi.nlm.nih.gov/123456/", "PubMed"),
    ):
        assert f'<a href="{url}" rel="noopener">{words}</a>' in page


def test_nothing_read_is_a_report_too(store: Store) -> None:
    session = store.create_session("Empty", a_collection(store), list(range(N)), None, START, "", "")
    _, text = read(report_html(session_snapshot(store, session)))
    assert "nothing to draw" in text and "Nothing was recorded." in text


PAYLOADS = (
    "<script>alert(1)</script>",
    "</title></style></script><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "<svg/onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "]]>--><!-- &lt;b&gt;",
)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_field_becomes_markup(store: Store, payload: str) -> None:
    def in_field(name: str) -> str:
        return f"{payload} {name}"

    seen = replace(SEEN, name=in_field("fitted on"))
    calibrator = replace(INCLUSION, fitted_on=seen)
    store.save_calibrator(calibrator)
    settings = replace(
        REVIEW,
        calibrator=calibrator.digest,
        plus=in_field("plus"),
        minus=in_field("minus"),
        payoffs=replace(REVIEW.payoffs, unit=in_field("unit")),
    )
    texts = ("title", "authors", "date", "doi", "pmid", "publication_number", "source")
    # Of a number the first that is there is shown.
    frame = pd.DataFrame({"id": [f"{in_field('id')} {at}" for at in range(6)]})
    frame[list(texts)] = [[in_field(name) for name in texts]] + [[in_field("title"), *[""] * 6]] * 5
    ids = frame["id"].tolist()
    collection = store.save_collection(
        in_field("collection"),
        as_records(frame),
        [{"source": in_field("file"), "records": 6}],
        0,
        simulated=True,
    )
    session = store.create_session(
        in_field("session"), collection, list(range(6)), None, settings, in_field("query"), in_field("order")
    )
    data = Report("data", study=in_field("study"), rows=(AccuracyRow(in_field("table"), 9, 1, 2, None),))
    out = Report("excluded", reason=in_field("reason of a report"))
    verdicts = (
        {"label": "relevant"},
        {"label": "relevant"},
        {"label": "unsure"},
        {"label": "irrelevant", "reason": in_field("reason of a verdict")},
    )
    events = [
        Event("plan", {"settings": settings.to_dict(), "records": store.session(session).digest}),
        Event("reasons", {"reasons": [in_field("reason of a verdict")]}),
        *(Event("label", {"doc": ids[at], **said}) for at, said in enumerate(verdicts)),
        Event("report", {"doc": ids[0], **data.to_dict()}),
        Event("report", {"doc": ids[1], **out.to_dict()}),
        Event("note", {"doc": ids[3], "text": in_field("note")}),
        Event(
            "settings",
            {"settings": replace(settings, cost=7.0).to_dict(), "reason": in_field("reason of a change")},
        ),
        Event("stopped", {"advice": "stop", "depth": 4}),
        Event(
            "decided",
            {"plus": True, "action": in_field("action"), "advice": in_field("advice"), "advised": False}
            | {"depth": 4, "belief": 0.9, "utility": 3.0, "reason": in_field("reason of a decision")},
        ),
    ]
    for event in events:
        signed = replace(event, reviewer=in_field("reviewer"))
        store.append(session, signed, expected=len(store.events(session)))

    page = report_html(session_snapshot(store, session))
    reader, _ = read(page)
    plain, _ = read(report_html(session_snapshot(store, a_review(store))))
    assert {tag for tag, _ in reader.tags} <= {tag for tag, _ in plain.tags} | {"ul", "li", "h3", "strong"}
    known = {name for _, attributes in plain.tags for name in attributes}
    assert {name for _, attributes in reader.tags for name in attributes} <= known
    text = "".join(reader.text)
    assert calibrator.fitted_on.title in text
    for name in (
        *("collection", "session", "query", "order", "file", "title", "publication_number", "date"),
        *("plus", "minus", "unit", "study", "note", "reviewer", "action", "advice", "reason of a report"),
        *("reason of a verdict", "reason of a change", "reason of a decision"),
    ):
        assert in_field(name) in text, name
    assert in_field("fitted on").translate(IN_PRINT) in text


def test_setting_documents_aside_after_the_plan_is_a_deviation_from_it(store: Store) -> None:
    session = store.create_session(
        "Mast", a_collection(store), list(range(N)), None, START, "mast", "own order"
    )
    late = {"doc": IDS[2], "kind": "late", "words": "published after it: too late"}
    log(
        store,
        session,
        Event("plan", {"settings": START.to_dict(), "records": store.session(session).digest}),
        label(0, "irrelevant"),
        Event("set_aside", {"documents": [late], "reason": "Published in June"}),
        Event("returned", {"docs": [IDS[2]]}),
    )
    _, text = read(report_html(session_snapshot(store, session)))
    aside, back = (record_message(name, documents=1) for name in ("moved_aside", "moved_back"))
    assert "no deviation" not in text
    assert "Published in June" in text and back in text
    assert f"Set aside later {aside}, 20" in text, "by whoever reads what was searched"
    assert f"1 document (too late): {IDS[2]}" in text, "the log names it"


def test_what_was_returned_is_said_and_what_is_set_aside_keeps_its_score(store: Store) -> None:
    session, docs = a_patent_session(store), IDS[-2:]
    late = [{"doc": doc, "kind": "late", "words": "published after it"} for doc in docs]
    log(store, session, Event("set_aside", {"documents": late}), Event("returned", {"docs": docs[:1]}))
    whole = session_snapshot(store, session)
    score = dict(zip(whole.stored.ids, whole.stored.scores.tolist(), strict=True))  # type: ignore[union-attr]
    _, text = read(report_html(whole))
    assert f"Returned later {record_message('moved_back', documents=1)}, 20" in text
    rows = {row["id"]: row["score"] for row in document_rows(whole)}
    assert rows == score
