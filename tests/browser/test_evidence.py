"""The Evidence page in a real browser: import, follow the sliders, save pictures, come back by the address."""

import re
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

from dashboard.parts.evidence import VIEWS
from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import CELLS
from tarstop_core.evidence.manual_tables import Row, manual_tables
from tarstop_core.evidence.summary import Evidence
from tarstop_core.files import read_tables
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import TEXT_ON_DARK
from tests.browser.acting import assert_fits, at_rest, paste, save_menu, saved, unfold

OpenPage = Callable[..., Any]
SVG = "{http://www.w3.org/2000/svg}"


def give(page: Page, name: str, content: str) -> None:
    """Upload tables."""
    at_rest(page)  # a field that is drawn again forgets the file
    file = {"name": name, "mimeType": "text/csv", "buffer": content.encode()}
    page.locator("input[type=file]").first.set_input_files(file)  # type: ignore[arg-type]


def at_upload(watched: Any, url: str) -> Page:
    """The page where files are uploaded."""
    watched.open(f"{url}/evidence")
    page: Page = watched.page
    page.get_by_text("A file", exact=True).click()
    expect(page.get_by_text("Nothing to show yet")).to_be_visible()
    at_rest(page)
    return page


def says(page: Page, words: str) -> None:
    """The headline has these words; no line break parts a number from its sign."""
    expect(page.locator(".tar-word")).to_contain_text(words.replace(" %", "\u00a0%"))


def show(watched: Any, title: str) -> None:
    """Open a tab and wait for its figure."""
    watched.page.get_by_role("tab", name=title).click()
    watched.settle()
    expect(watched.page.locator("[class*='tar-figure-'] .tar-fluid").first).to_be_visible()


def test_a_real_review_is_imported_drawn_and_saved(server: Any, open_page: OpenPage, real_data: Path) -> None:
    tables = real_data / "dta_reviews" / "CD010632.csv"
    found = Evidence(read_tables(tables).tables, 0.75, "bivariate", Prior())
    assert found.belief is not None and found.pooled.sensitivity is not None
    watched = open_page(color_scheme="dark", viewport={"width": 1280, "height": 1100})
    page = at_upload(watched, server.url)
    page.locator("input[type=file]").first.set_input_files(tables)
    says(page, f"The chance that sensitivity exceeds 75 % is {percent(found.belief)}.")

    for view in VIEWS:
        if view.figure is None:
            continue
        show(watched, view.title)
        save_menu(page)
        name, file = saved(page, "SVG")
        svg = file.read_bytes()
        assert name == f"CD010632-{view.name}.svg"
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
        assert texts and TEXT_ON_DARK.encode() not in svg, "texts of a dark page stayed light on white"
        name, file = saved(page, "PNG")
        png = file.read_bytes()
        assert name == f"CD010632-{view.name}.png" and png.startswith(b"\x89PNG\r\n\x1a\n")
        page.keyboard.press("Escape")
        width, height = struct.unpack(">II", png[16:24])
        assert abs(width - 3 * float(root.get("width", 0))) <= 3
        assert abs(height - 3 * float(root.get("height", 0))) <= 3
        if view.name == "forest":
            assert {"Anchisi 2005", "Pardo 2010", "Pooled"} <= set(texts)
            assert f"{found.pooled.sensitivity.value:.2f} [" in " ".join(texts)

    show(watched, "Forest")
    save_menu(page)
    name, file = saved(page, "CSV")
    assert name == "CD010632-forest.csv"
    frame = pd.read_csv(file)
    assert frame["study"].tolist() == list(found.tables.study)
    assert frame["sensitivity_low"].tolist() == found.sensitivity.low.tolist()
    watched.assert_sound()


def test_report_all_figures_and_data_leave_by_one_menu(
    server: Any, open_page: OpenPage, real_data: Path
) -> None:
    tables = real_data / "dta_reviews" / "CD010632.csv"
    watched = open_page(color_scheme="dark", viewport={"width": 390, "height": 844})
    page = at_upload(watched, server.url)
    page.locator("input[type=file]").first.set_input_files(tables)
    says(page, "The chance that sensitivity exceeds 75 % is")
    watched.settle()
    save_menu(page)
    name, file = saved(page, "Report (HTML)")
    written = file.read_text(encoding="utf-8")
    assert name == "CD010632-report.html" and "<h1>CD010632</h1>" in written and "Anchisi 2005" in written
    page.get_by_label("Title of the report").fill("Nodes, by PET")
    page.keyboard.press("Tab")
    watched.settle()
    name, file = saved(page, "Report (HTML)")
    assert name == "Nodes-by-PET-report.html" and "<h1>Nodes, by PET</h1>" in file.read_text(encoding="utf-8")
    page.get_by_label("Title of the report").fill("")
    page.keyboard.press("Tab")
    watched.settle()
    name, file = saved(page, "Data (CSV)")
    assert name == "CD010632.csv" and list(pd.read_csv(file)["study"]) == list(
        read_tables(tables).tables.study
    )

    for _ in range(2):
        name, file = saved(page, "All figures (ZIP)")
        assert name == "CD010632-figures.zip"
        with ZipFile(file) as packed:
            assert packed.testzip() is None
            # These tables have no column on the risk of bias.
            shown = [view for view in VIEWS if view.name != "risk"]
            kinds = {view.name: ("svg", "png", "csv") if view.figure else ("csv",) for view in shown}
            assert packed.namelist() == [f"CD010632-{view}.{kind}" for view in kinds for kind in kinds[view]]
            for view in kinds:
                if len(kinds[view]) > 1:
                    svg = ElementTree.fromstring(packed.read(f"CD010632-{view}.svg"))
                    assert float(svg.get("width", 0)) >= 350
                    assert packed.read(f"CD010632-{view}.png").startswith(b"\x89PNG\r\n\x1a\n")
        # Packed, so it may be pressed again.
        expect(page.locator("[data-save=all][aria-busy]")).to_have_count(0)
        page.keyboard.press("Escape")
        save_menu(page)
    assert_fits(page, 390)
    watched.assert_sound()


def test_the_address_brings_the_question_back(server: Any, open_page: OpenPage) -> None:
    watched = open_page()
    watched.open(f"{server.url}/evidence?theta=0.9&b_0=0.3&engine=univariate&q_star=0.9&tau=0.5&set=iqcode")
    page = watched.page
    headline = page.locator(".tar-word")
    expect(headline).to_contain_text("sensitivity exceeds 90\u00a0% is")
    expect(page.get_by_text("“Don’t adopt”.")).to_be_visible()
    unfold(page, "Source")
    expect(page.get_by_text("doi:10.1002/14651858.CD010772.pub2")).to_be_visible()
    said = headline.inner_text()
    at_rest(page)
    page.reload()
    at_rest(page)
    expect(headline).to_have_text(said)
    expect(page.get_by_label("How the belief is computed")).to_have_value(
        "Exact counts, each group separately"
    )

    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    expect(headline).to_contain_text("sensitivity exceeds 91\u00a0% is")
    expect(page).to_have_url(re.compile(r"theta=0\.91"))
    watched.assert_sound()


def test_a_file_that_cannot_be_read_is_refused_and_then_mended(server: Any, open_page: OpenPage) -> None:
    watched = open_page()
    page = at_upload(watched, server.url)
    give(page, "broken.csv", "study,TP,FP,FN,TN\nLee,9,1,-2,30\n")
    expect(
        page.get_by_text("broken.csv, line 2: FN is '-2'; give a whole number, 0 or more.")
    ).to_be_visible()
    at_rest(page)
    page.get_by_role("button", name="Remove").first.click()
    give(page, "mended.csv", "author;tp;fn\nLee <b>;9;2\nKim;0;0\nLee <b>;9;2\n")
    expect(page.locator(".tar-word")).to_contain_text("sensitivity exceeds 75")
    expect(page.get_by_text("has the name and the counts of study 1, and both count here")).to_be_visible()
    expect(page.get_by_text("has no diseased patients")).to_be_visible()
    expect(page.get_by_text("Lee <b>").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"source=file.*tables="))
    watched.settle()
    said = page.locator(".tar-word").inner_text()
    page.reload()
    expect(page.locator(".tar-word")).to_have_text(said)
    expect(page.get_by_text("mended.csv").first).to_be_visible()
    watched.assert_sound()


def cell(page: Page, column: str, row: int) -> Locator:
    """A field of the table to type into."""
    return page.get_by_label(f"{column}, row {row}", exact=True)


def type_row(page: Page, row: int, *texts: str) -> None:
    """By keyboard alone, as fast as it goes: Tab leads from cell to cell."""
    cell(page, "Study", row).focus()
    for text in texts:
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    expect(cell(page, "Risk of bias", row)).to_be_focused()
    page.keyboard.press("Tab")
    expect(cell(page, "Study", row + 1)).to_be_focused()
    for column, text in zip(("Study", *CELLS), texts, strict=True):
        expect(cell(page, column, row)).to_have_value(text)


def test_tables_are_typed_in_kept_over_a_visit_to_another_page_refused_and_pasted(
    server: Any, open_page: OpenPage
) -> None:
    watched = open_page()
    watched.open(f"{server.url}/evidence")
    page = watched.page
    page.get_by_text("Type or paste").click()
    expect(cell(page, "Study", 1)).to_be_visible()
    at_rest(page)
    type_row(page, 1, "Lee", "9", "1", "2", "30")
    says(page, "The chance that sensitivity exceeds 75 % is")
    expect(page.get_by_text("1 study", exact=True)).to_be_visible()
    # Typed without a pause, while the page is drawn again.
    for row in (2, 3, 4, 5):
        type_row(page, row, f"Kim {row}", "20", "3", "4", "50")
    expect(page.get_by_text("5 studies", exact=True)).to_be_visible()
    at_rest(page)
    said = page.locator(".tar-word").inner_text()
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("button", name="Start the demo")).to_be_visible()
    at_rest(page)
    page.get_by_role("link", name="Evidence").click()
    expect(page.locator(".tar-word")).to_have_text(said)
    expect(cell(page, "Study", 5)).to_have_value("Kim 5")
    expect(page).to_have_url(re.compile(r"source=typed.*tables="))
    at_rest(page)
    page.reload()
    expect(page.locator(".tar-word")).to_have_text(said)
    expect(cell(page, "TN", 5)).to_have_value("50")
    at_rest(page)

    # A minus or a fraction is refused and not changed.
    type_row(page, 6, "Lee", "-1", "1", "7.5", "30")
    refused = "Row 6 (Lee) is left out: TP is '-1' and FN is '7.5'; give whole numbers, 0 or more."
    expect(page.get_by_text(refused)).to_be_visible()
    expect(page.locator(".tar-word")).to_have_text(said)

    # Cells from a spreadsheet are pasted.
    paste(page, cell(page, "Study", 6), [(f"Study {at}", f"{at}0", at, at, f"9{at}") for at in range(1, 8)])
    expect(page.get_by_text("12 studies", exact=True)).to_be_visible()
    expect(cell(page, "TN", 12)).to_have_value("97")
    expect(cell(page, "Study", 13)).to_have_value("")
    watched.assert_sound()


TEN = [(f"Study {at}", 20 + at, 3 + at % 4, 9 - at % 5, 40 + 2 * at) for at in range(10)]
"""Ten studies with TP, FN, FP and TN."""
NAMES = ("Study", "TP", "FN", "FP", "TN")
YEARS = [(name, 2004, *counts) for name, *counts in TEN]


def at_typed(watched: Any, url: str) -> Page:
    watched.open(f"{url}/evidence?source=typed")
    page: Page = watched.page
    expect(cell(page, "Study", 1)).to_be_visible()
    at_rest(page)
    return page


def belief_of(rows: list[Row]) -> str:
    tables, left_out, _ = manual_tables(rows)
    found = Evidence(tables, 0.75, "bivariate", Prior())
    assert not left_out and found.belief is not None
    return f"The chance that sensitivity exceeds 75 % is {percent(found.belief)}."


def test_names_of_columns_pasted_along_decide_their_order(server: Any, open_page: OpenPage) -> None:
    page_order = [(name, str(TP), str(FP), str(FN), str(TN)) for name, TP, FN, FP, TN in TEN]
    said = belief_of(page_order)
    assert said != belief_of([tuple(map(str, row)) for row in TEN]), "the order matters"
    named = pd.DataFrame(TEN, columns=NAMES).rename(columns={"FN": "False\nnegatives", "TN": "true neg."})
    watched = open_page()
    page, order = at_typed(watched, server.url), list(reversed(list(named)))
    titles = [f'"{name}"' if "\n" in name else name for name in order]
    paste(page, cell(page, "FP", 1), [titles, *named[order].to_numpy().tolist()])
    says(page, said)
    expect(page.get_by_text("10 studies", exact=True)).to_be_visible()
    for at, row in enumerate(page_order, start=1):
        for name, text in zip(("Study", *CELLS), row, strict=True):
            expect(cell(page, name, at)).to_have_value(text)
    # Names typed further up hold for what is below them, until others do.
    page = at_typed(watched, server.url)
    type_row(page, 1, "Study", "FN", "TP", "FP", "TN")
    paste(page, cell(page, "Study", 2), [NAMES, *TEN])
    says(page, said)
    at_rest(page)
    page.reload()
    says(page, said)
    watched.assert_sound()


@pytest.mark.parametrize(
    "lines, sentence",
    [
        (
            [("Study", "TP", "FN", "FPs", "TN"), *TEN],
            "'FPs' is none of Study, TP, FP, FN, TN and Risk of bias",
        ),
        (YEARS, "Row 1: the risk of bias is '40'"),
        # Which names are refused is decided without a browser: ``tests/evidence/test_manual_tables.py``.
        *(
            pytest.param(*each, marks=pytest.mark.deep)
            for each in (
                ([NAMES[:4], *(row[:4] for row in TEN)], "but none is TN"),
                ([("Study", "TP", "TP", "FP", "TN"), *TEN], "names two columns TP"),
                ([("Study", "Year", *NAMES[1:]), *YEARS], "'Year' is none of"),
            )
        ),
    ],
    ids=["unknown name", "years", "no TN", "two TP", "unknown name and years"],
)
def test_pasted_cells_that_may_belong_elsewhere_are_not_computed(
    server: Any, open_page: OpenPage, lines: list[tuple[object, ...]], sentence: str
) -> None:
    watched = open_page()
    page = at_typed(watched, server.url)
    paste(page, cell(page, "Study", 1), lines)
    expect(page.get_by_text(sentence)).to_be_visible()
    expect(page.locator(".tar-word")).to_have_count(0)
    watched.assert_sound()


def test_on_a_phone_no_figure_of_studies_makes_the_page_scroll_sideways(
    server: Any, open_page: OpenPage
) -> None:
    watched = open_page(viewport={"width": 390, "height": 844})
    watched.open(f"{server.url}/evidence?numbers=trials&set=bcg&measure=RD&delta=-0.01")
    for view in ("Cumulative", "Leave one out"):
        watched.page.get_by_role("tab", name=view).click()
        expect(watched.page.get_by_role("tab", name=view)).to_have_attribute("aria-selected", "true")
        assert_fits(watched.page, 390)
    watched.assert_sound()
