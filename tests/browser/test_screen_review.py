"""A diagnostic-accuracy review in a real browser: abstracts, full texts, tables, the decision, the exports."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.documents.records import as_records
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.files import read_qrels, read_records
from tarstop_core.presentation.numbers import percent
from tarstop_core.ranking.order import prepare
from tarstop_core.samples.shipped import calibrators
from tarstop_core.screening.advice import advise
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs
from tests.browser.acting import (
    arrived,
    assert_fits,
    assert_trace_is_the_cores,
    at_rest,
    counter,
    hit,
    paste,
    press,
    save_menu,
    stored,
    table_of,
    unfold,
    verdict,
)

OpenPage = Callable[..., Any]
TOPIC, OUTCOME = "CD010632", "CD010632-000"
BEFORE = 104  # abstracts judged in an earlier sitting
READ = (30, 38, 74, 91)  # ranks of reports read in it
UNTIL = 106  # abstracts judged in the end: one more that is included
EXCLUDED = "Not the index test"
STUDIES = ("Anchisi 2005", "Herholz 2011", "Mosconi 2004", "Pardo 2010")


def review_settings(calibrator: str, **changes: Any) -> Settings:
    values: dict[str, Any] = {
        "cost": 1e-4,
        "full_cost": 1e-3,
        "plus": "Adopt",
        "minus": "Don't adopt",
        "data_share": ExtractionRate(3, 7),
    }
    return ReviewSettings(Payoffs.from_q_star(0.5), calibrator=calibrator, **{**values, **changes})


def invented_review(store: Store, **changes: Any) -> str:
    """A session on 30 invented documents."""
    frame = as_records(
        {
            "id": [f"d{i}" for i in range(1, 31)],
            "title": [f"Accuracy of an invented test, part {i}" for i in range(1, 31)],
            "abstract": ["Patients were tested. " * 20] * 30,
            "authors": [f"Author{i}, A.; Other, B." for i in range(1, 31)],
            "date": ["2004"] * 30,
        }
    )
    calibrator = calibrators()["clef-reviews-rank"]
    store.save_calibrator(calibrator)
    collection = store.save_collection("Invented", frame, files=[], duplicates=0)
    settings = review_settings(calibrator.digest, **changes)
    return store.create_session("Invented", collection, list(range(30)), None, settings, "test", "own order")


def real_review(store: Store, real_data: Path, stages: int) -> tuple[str, dict[str, dict[str, Any]]]:
    """A session on a real list, and the real tables that its documents bring."""
    frame = read_records(real_data / f"records/{TOPIC}.jsonl.gz").frame
    query = str(pd.read_csv(real_data / "topics.csv").set_index("topic")["title"][TOPIC])
    ranking = prepare(frame, "text", query)
    calibrator = calibrators()["clef-reviews"]
    store.save_calibrator(calibrator)
    collection = store.save_collection(TOPIC, frame, files=[], duplicates=0)
    settings = review_settings(calibrator.digest, stages=stages, full_cost=1e-3 if stages == 2 else 0.0)
    session = store.create_session(
        TOPIC, collection, ranking.order, ranking.scores, settings, query, ranking.how
    )
    rows = pd.read_csv(real_data / "clef_dta/outcomes.csv", dtype={"docid": str})
    rows = rows[rows["outcome"] == OUTCOME]
    return session, {str(row["docid"]): row for row in rows.to_dict("records")}


def show(watched: Any, url: str, session: str, words: str) -> Page:
    watched.open(f"{url}/screen?session={session}")
    arrived(watched.page, words)
    page: Page = watched.page
    return page


def field(page: Page, label: str, place: int = 0) -> Any:
    return page.get_by_label(label, exact=True).nth(place)


def next_report(page: Page) -> int:
    """Open the next report by its key; its rank."""
    hit(page, "f")
    heading = page.get_by_text(re.compile("^What became of report #"))
    expect(heading).to_be_visible()
    at_rest(page)
    found = re.search(r"#(\d+)", heading.inner_text())
    assert found
    return int(found.group(1))


def saved(page: Page, rank: int) -> None:
    """Enter in a field saves; the form makes way for the next abstract."""
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(f"^What became of report #{rank}"))).to_have_count(0)
    at_rest(page)


def type_table(page: Page, row: dict[str, Any], name: str = "") -> None:
    """By keyboard alone: the first count has the focus, Tab leads on."""
    expect(field(page, "TP")).to_be_focused()
    for cell in ("TP", "FP", "FN", "TN"):
        expect(field(page, cell)).to_be_focused()
        page.keyboard.type(str(int(row[cell])))
        expect(field(page, cell)).to_have_value(str(int(row[cell])))
        page.keyboard.press("Tab")
    if name:
        expect(field(page, "Study")).to_be_focused()
        page.keyboard.press("Control+a")
        page.keyboard.type(name)
        expect(field(page, "Study")).to_have_value(name)


def assert_belief_is_the_cores(page: Page, server: Any, session: str) -> float:
    """What the page says of the belief is what the core says of the stored log."""
    with stored(server) as store:
        row = store.session(session)
        state = replay(row.settings, row.ids, store.events(session))
        calibrator = store.calibrator(state.settings.calibrator)
    p = calibrator.probabilities(row.scores, len(row.ids))
    b = advise(state.settings, calibrator, p, state).b
    shown = page.locator(".tar-numbers b").first
    expect(shown).to_have_text(percent(b))
    return b


def evidence(page: Page) -> Any:
    return page.locator(".st-key-evidence")


@pytest.mark.deep  # half a minute; each of its steps is tried on smaller sessions too
@pytest.mark.parametrize("stages", [2, 1])
def test_a_real_review_from_the_abstracts_to_the_decision(
    server: Any, open_page: OpenPage, real_data: Path, stages: int
) -> None:
    included = set(read_qrels(real_data / "records/qrels_abs.txt")[TOPIC])
    eligible = set(read_qrels(real_data / "records/qrels_content.txt")[TOPIC])
    wanted = included if stages == 2 else eligible
    with stored(server) as store:
        session, tables = real_review(store, real_data, stages)
        ids = store.session(session).ids
        # In one stage a report is read with its abstract, so the earlier sitting ends before the first one.
        before = BEFORE if stages == 2 else next(at for at, doc in enumerate(ids) if doc in wanted)
        for at in range(before):
            label = "relevant" if ids[at] in wanted else "irrelevant"
            store.append(session, Event("label", {"doc": ids[at], "label": label}), expected=at)
        entered: list[str] = []
        for rank in READ if stages == 2 else ():
            report = Report("no data") if ids[rank - 1] in eligible else Report("excluded", reason=EXCLUDED)
            if ids[rank - 1] in tables:
                row = tables[ids[rank - 1]]
                entered.append(str(row["study"]))
                counts_of = (int(row[cell]) for cell in ("TP", "FP", "FN", "TN"))
                report = Report("data", study=entered[-1], rows=(AccuracyRow(entered[-1], *counts_of),))
            told = {"doc": ids[rank - 1], **report.to_dict()}
            store.append(session, Event("report", told), expected=len(store.events(session)))
    watched = open_page()
    page = show(watched, server.url, session, f"{before} of 1,499")

    unfold(page, "Why?")
    unfold(page, "Evidence")
    beliefs = [assert_belief_is_the_cores(page, server, session)]

    def read(rank: int) -> None:
        """Record what the report at this rank holds, as the real review has it."""
        doc = ids[rank - 1]
        if doc in tables:
            type_table(page, tables[doc], str(tables[doc]["study"]))
            entered.append(str(tables[doc]["study"]))
        elif doc in eligible:
            page.get_by_text("Eligible, no extractable data").click()
            at_rest(page)
            field(page, "Study").press("End")
        else:
            page.get_by_text("Excluded, with a reason").click()
            at_rest(page)
            field(page, "Reason, if not used").fill(EXCLUDED)
        saved(page, rank)
        beliefs.append(assert_belief_is_the_cores(page, server, session))
        for study in entered:
            expect(evidence(page).locator(".tar-fluid").get_by_text(study).first).to_be_attached()

    last = UNTIL if stages == 2 else before + 3
    for at in range(before, last):
        press(page, "i" if ids[at] in wanted else "e", at + 1)
        if stages == 1 and ids[at] in wanted:
            expect(page.get_by_text(f"What became of report #{at + 1}")).to_be_visible()
            at_rest(page)
            read(at + 1)
    if stages == 2:
        waiting = [at + 1 for at in range(last) if ids[at] in included and at + 1 not in READ]
        expect(counter(page)).to_contain_text(
            f"{len(READ) + len(waiting)} included · 2 with data · {len(waiting)} reports waiting"
        )
        for rank in waiting:
            assert next_report(page) == rank
            read(rank)
        expect(counter(page)).to_contain_text(f"{len(entered)} with data · 0 reports waiting")
        assert len(entered) == 4 and len(set(beliefs)) == 3, "each table moves the belief, nothing else does"
        evidence(page).get_by_role("tab", name="SROC").click()
        expect(evidence(page).get_by_text(re.compile("◆ pooled"))).not_to_have_count(0)
        page.get_by_text("Reports read (").click()
        expect(page.get_by_text(re.compile("Excluded: #"))).to_be_visible()

        evidence(page).get_by_role("tab", name="Forest").click()

    # The last table (in one stage, the last verdict) taken back; a table entered again gives the same belief.
    hit(page, "z")
    expect(page.get_by_text(re.compile("^Undone: the "))).to_be_visible()
    at_rest(page)
    if stages == 2:
        rank = next_report(page)
        read(rank)
        assert beliefs[-1] == beliefs[-2]

    page.get_by_role("button", name="Stop and decide").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text(re.compile(r"The chance that sensitivity exceeds 75\s% is"))).to_be_visible()
    at_rest(page)
    dialog.locator("label").filter(has_text=re.compile("^Adopt")).click()
    expect(dialog.get_by_role("radio", name=re.compile("^Adopt"))).to_be_checked()
    at_rest(page)
    dialog.get_by_label(re.compile("^Reason")).fill("Specificity is enough.")
    dialog.get_by_role("button", name="Record the decision").click()
    expect(verdict(page)).to_contain_text("Decided: Adopt")
    at_rest(page)

    page.reload()
    arrived(page, f"{last if stages == 2 else last - 1:,} of 1,499")
    expect(verdict(page)).to_contain_text("Decided: Adopt")
    unfold(page, "Why?")
    assert_belief_is_the_cores(page, server, session)
    unfold(page, "Save, reasons")
    save_menu(page)
    trace = table_of(page, "Every document read")
    with stored(server) as store:
        assert_trace_is_the_cores(trace, store, session)
        decided = store.events(session)[-1].payload
    assert decided["engine"] == "bivariate" and decided["truth"] == "pooled" and decided["theta"] == 0.75
    if stages == 2:
        counts = table_of(page, "The studies")
        assert sorted(counts["study"]) == sorted(STUDIES)
        for row in counts.to_dict("records"):
            real = tables[str(row["document"])]
            assert all(row[cell] == real[cell] for cell in ("TP", "FP", "FN", "TN"))
        log = table_of(page, "The full-text log")
        assert log["outcome"].value_counts().to_dict() == {"data": 4, "excluded": 2, "no data": 1}
    watched.assert_sound()


@pytest.fixture
def invented(server: Any, open_page: OpenPage) -> Iterator[Callable[..., tuple[Any, Page, str]]]:
    """Show a fresh session on invented documents; arguments are settings, or those of a browser context."""

    def start(context: dict[str, Any] | None = None, **changes: Any) -> tuple[Any, Page, str]:
        with stored(server) as store:
            session = invented_review(store, **changes)
        watched = open_page(**(context or {}))
        return watched, show(watched, server.url, session, "0 of"), session

    return start


def test_mistakes_are_said_at_the_form_nothing_typed_is_lost_or_a_shortcut_and_names_are_offered(
    server: Any, invented: Callable[..., tuple[Any, Page, str]]
) -> None:
    watched, page, session = invented()
    press(page, "i", 1)
    next_report(page)
    expect(field(page, "TP")).to_be_focused()
    page.keyboard.type("12")
    field(page, "FP").fill("3")
    field(page, "TN").fill("-40")
    page.keyboard.press("Enter")
    expect(page.get_by_text("FN missing; every 2×2 table needs TP and FN.")).to_be_visible()
    at_rest(page)
    field(page, "FN").fill("2")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("TN is “-40”"))).to_be_visible()
    for label, value in (("TP", "12"), ("FP", "3"), ("FN", "2"), ("TN", "-40"), ("Study", "Author1 2004")):
        expect(field(page, label)).to_have_value(value)
    # Going back to the abstracts and returning loses nothing either.
    at_rest(page)
    page.get_by_role("button", name="Back to screening").click()
    expect(page.get_by_role("button", name=re.compile("^Include"))).to_be_enabled()
    next_report(page)
    expect(field(page, "TN")).to_have_value("-40")
    field(page, "TN").fill("40")
    saved(page, 1)
    # The style sheet outlives the message that the report was saved.
    assert verdict(page).evaluate("each => getComputedStyle(each).fontWeight") == "700"
    with stored(server) as store:
        assert [event.kind for event in store.events(session)] == ["label", "report"]

    press(page, "i", 2)
    assert next_report(page) == 2
    assert field(page, "Study").get_attribute("list") == "tar-studies"
    names = page.locator("#tar-studies option").evaluate_all("all => all.map(each => each.value)")
    assert names == ["Author1 2004"]
    field(page, "Study").fill("")
    field(page, "Study").press_sequentially("Zeiss, if unsure")
    expect(field(page, "Study")).to_have_value("Zeiss, if unsure")
    with stored(server) as store:
        assert [event.kind for event in store.events(session)] == ["label", "report", "label"]
    watched.assert_sound()


def test_escape_closes_an_open_menu_first_and_then_the_form_which_keeps_what_was_typed(
    invented: Callable[..., tuple[Any, Page, str]],
) -> None:
    watched, page, _ = invented()
    press(page, "i", 1)
    next_report(page)
    field(page, "TP").fill("12")
    menu = page.get_by_role("combobox", name="Risk of bias")
    menu.press("ArrowDown")
    expect(page.get_by_role("option", name="High")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("option")).to_have_count(0)
    at_rest(page)
    expect(field(page, "TP")).to_have_value("12")
    field(page, "FN").press_sequentially("3")
    page.keyboard.press("Escape")
    at_rest(page)
    expect(page.get_by_role("button", name=re.compile("^Include"))).to_be_enabled()
    next_report(page)
    for label, value in (("TP", "12"), ("FN", "3")):
        expect(field(page, label)).to_have_value(value)
    watched.assert_sound()


def test_cells_pasted_into_one_field_fill_the_form_and_the_table_is_found_again(
    server: Any, open_page: OpenPage
) -> None:
    with stored(server) as store:
        session = invented_review(store)
        for at in range(2):
            store.append(session, Event("label", {"doc": f"d{at + 1}", "label": "relevant"}), expected=at)
    watched = open_page()
    page = show(watched, server.url, session, "2 of 30")
    next_report(page)
    names, right = ("TP", "FP", "FN", "TN"), ("30", "4", "3", "60")

    def stand(*texts: str) -> None:
        for name, text in zip(names, texts, strict=True):
            expect(field(page, name)).to_have_value(text)
        for name in names:
            field(page, name).fill("")

    by_name = dict(zip(names, right, strict=True))
    for into, lines in (
        ("TP", [right]),
        ("FN", [right]),
        ("FP", [(each,) for each in right]),
        ("TN", [("FN", "TP", "TN", "FP"), ("3", "30", "60", "4")]),
        ("TP", [(name.lower(), by_name[name]) for name in reversed(names)]),
    ):
        paste(page, field(page, into), lines)
        stand(*right)
    paste(page, field(page, "FN"), [("3", "60")])
    stand("", "", "3", "60")
    paste(page, field(page, "TP"), [("Study", "TP", "FN", "FP", "Year"), ("Lee", "30", "3", "4", "2004")])
    expect(field(page, "TP")).to_have_value(re.compile("Year"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("in TP are several cells; paste one row")).to_be_visible()
    paste(page, field(page, "TP"), [("Study", "TP", "FN", "FP", "TN"), ("Lee 2004", "30", "3", "4", "60")])
    expect(field(page, "Study")).to_have_value("Lee 2004")
    page.keyboard.press("Tab")
    at_rest(page)
    saved(page, 1)
    with stored(server) as store:
        (report,) = (event for event in store.events(session) if event.kind == "report")
    assert report.payload["tables"] == [{"study": "Lee 2004", "TP": 30, "FP": 4, "FN": 3, "TN": 60}]

    for rank in (2, 1):
        hit(page, "ArrowLeft")
        expect(page.locator(".tar-rank")).to_have_text(f"#{rank}")
        at_rest(page)
    page.get_by_role("button", name="Its 2×2 table: TP 30, FP 4, FN 3, TN 60").click()
    listed = page.get_by_role("link", name="#1 Lee 2004: TP 30, FP 4, FN 3, TN 60")
    expect(listed).to_be_visible()
    at_rest(page)
    listed.click()
    expect(field(page, "TP")).to_have_value("30")
    expect(page.locator(".tar-title")).to_be_in_viewport()
    watched.assert_sound()


def test_a_phone_shows_the_form_without_scrolling_sideways(
    invented: Callable[..., tuple[Any, Page, str]],
) -> None:
    context = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    watched, page, _ = invented(context, stages=1, full_cost=0.0)
    page.get_by_role("button", name=re.compile("^Relevant")).tap()
    expect(page.get_by_text("What became of report #1")).to_be_visible()
    at_rest(page)
    for cell in ("TP", "FP", "FN", "TN"):
        box = field(page, cell).bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["width"] > 100
    field(page, "TP").fill("9")
    field(page, "FN").fill("1")
    page.get_by_role("button", name="Save the report").tap()
    expect(counter(page)).to_contain_text("1 with data")
    assert_fits(page, 390)
    watched.assert_sound()
