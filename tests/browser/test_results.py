"""The Results page in a real browser: every shipped benchmark, every control, and a benchmark of one's own."""

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tarstop_core.samples.simulate.rankings import simulate_patent_rankings
from tests.browser.acting import at_rest, painted, save_menu, saved

LONG = 120_000  # milliseconds that an experiment may take on a busy machine


def choose(page: Page, key: str, text: str) -> None:
    """Take the first option that begins with a text, from the keyboard."""
    box = page.locator(f".st-key-{key} input").first
    box.scroll_into_view_if_needed()
    box.focus()
    painted(page)  # a list closes when the page scrolls
    box.press("ArrowDown")
    page.get_by_role("option").filter(has_text=re.compile(f"^{text}")).first.click()
    at_rest(page)


def press(page: Page, key: str, name: str) -> None:
    """Press a button of a group."""
    page.locator(f".st-key-{key}").get_by_text(name, exact=True).click()
    at_rest(page)


def headings(page: Page) -> list[str]:
    return page.locator("h3.tar-part").all_inner_texts()


@pytest.fixture
def own_zip(tmp_path: Path) -> Path:
    """A small benchmark with a training and a test half."""
    path = tmp_path / "mine.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for half, seed in (("train", 1), ("test", 2)):
            run, qrels = [], []
            for topic in simulate_patent_rankings(8, seed, pool_mean=80):
                assert topic.scores is not None and topic.labels is not None
                name = f"{half}-{topic.name}"
                for rank, (doc, score) in enumerate(zip(topic.ids, topic.scores, strict=True), start=1):
                    run.append(f"{name} Q0 {doc} {rank} {score:.6f} own")
                qrels += [
                    f"{name} 0 {doc} {int(label)}" for doc, label in zip(topic.ids, topic.labels, strict=True)
                ]
            packed.writestr(f"mine/{half}/own.run", "\n".join(run))
            packed.writestr(f"mine/{half}/own.qrels", "\n".join(qrels))
    return path


def test_all_shipped_results_and_every_control(
    server: Any, open_page: Callable[..., Any], tmp_path: Path
) -> None:
    watched = open_page()
    watched.open(f"{server.url}/results?full=true")
    page = watched.page
    at_rest(page)
    first = headings(page)
    press(page, "q", "80 %")
    choose(page, "cost", "0.01")
    expect(page.locator("h3.tar-part").first).to_contain_text("80 % sure, 0.01 a document")
    assert headings(page)[:2] != first[:2]
    slider = page.locator(".st-key-share input")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Reweighted as if 1")).to_be_visible()
    at_rest(page)
    assert "q=0.8" in page.url and "cost=0.01" in page.url and "share=" in page.url

    # What is looked at is in the address.
    kept = headings(page)
    page.reload()
    watched.settle()
    at_rest(page)
    assert headings(page)[:2] == kept[:2]

    page.get_by_role("button", name="Methods: ").click()
    at_rest(page)
    page.get_by_role("button", name="All", exact=True).click()
    at_rest(page)
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="About", exact=True).click()
    at_rest(page)
    watched.assert_sound()
    choose(page, "benchmark", "Simulated diagnostic")
    expect(page.locator(".st-key-benchmark input").first).to_have_value(re.compile("^Simulated diagnostic"))
    press(page, "truth", "Full evidence")
    expect(page.get_by_text("which the paper’s Table 2 implies").first).to_be_visible()

    page.get_by_role("tab", name="Table", exact=True).click()
    at_rest(page)
    save_menu(page)
    for button, suffix, content in (
        ("LaTeX", ".tex", b"\\begin{tabular}"),
        ("CSV, topic by topic", "-topics.csv", b"topic,group,omega"),
    ):
        name, file = saved(page, button)
        assert name.endswith(suffix) and content in file.read_bytes()
    figure = page.get_by_role("group", name=re.compile("gives up least"))
    for kind, content in (("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("CSV", b"method,approach")):
        name, file = saved(page, figure.get_by_role("button", name=kind, exact=True))
        assert name.endswith(kind.lower()) and content in file.read_bytes()[:2000]
    watched.assert_sound()


def test_from_a_point_to_its_topics_to_a_path(server: Any, open_page: Callable[..., Any]) -> None:
    watched = open_page(viewport={"width": 1280, "height": 1000})
    watched.open(f"{server.url}/results?full=true")
    page = watched.page
    at_rest(page)
    figure = page.locator("[class*='st-key-results-tar-figure-regret']")
    figure.locator(".js-plotly-plot .scatterlayer .point").first.wait_for()
    # The point at this cost that lies farthest from all others: what is under the mouse is it and no other.
    name, *box = page.evaluate(
        """() => {
            const chart = document.querySelector('[class*="tar-figure-regret"] .js-plotly-plot');
            const {xaxis, yaxis} = chart._fullLayout, area = chart.getBoundingClientRect();
            const points = chart._fullData.filter((trace) => trace.x.includes(0.01)).map((trace) => {
                const place = trace.x.indexOf(0.01);
                return [trace.name, area.left + xaxis._offset + xaxis.d2p(0.01), area.top + yaxis._offset + yaxis.d2p(trace.y[place])];
            });
            const room = (one) => Math.min(...points.filter((each) => each !== one).map((each) => Math.abs(each[2] - one[2])));
            return points.sort((one, other) => room(other) - room(one))[0];
        }"""
    )
    page.mouse.move(*box)
    expect(
        figure.locator(".hoverlayer .hovertext").first
    ).to_be_visible()  # plotly knows what is under the mouse
    page.mouse.click(*box)
    expect(page.get_by_text(f"{name} at q* = 0.5 and c = 0.01")).to_be_visible()
    at_rest(page)
    assert "cost=0.01" in page.url and "view=Topics" in page.url

    topic = page.locator(".st-key-topic input").first
    topic.click()
    topic.fill("SIM-P0007")  # at once: after every letter a thousand topics would be searched
    expect(page.get_by_role("option").filter(has_text="SIM-P0007")).to_have_count(1)
    topic.press("Enter")
    expect(page.get_by_text("On SIM-P0007 (ω⁺, ")).to_be_visible()
    expect(page).to_have_url(re.compile("topic=SIM-P0007"))
    watched.assert_sound()


def test_a_benchmark_of_ones_own(
    server: Any, open_page: Callable[..., Any], own_zip: Path, tmp_path: Path
) -> None:
    watched = open_page()
    watched.open(f"{server.url}/results")
    page = watched.page
    at_rest(page)
    page.get_by_text("Run an experiment on your own rankings").click()

    bad = tmp_path / "mine.txt"
    bad.write_text("no run", encoding="utf-8")
    upload = page.locator("[data-testid='stFileUploader'] input[type=file]")
    at_rest(page)
    upload.set_input_files(bad)
    at_rest(page)
    page.get_by_role("button", name="Read these files").click()
    expect(page.get_by_text("mine.txt is neither a run")).to_be_visible()
    at_rest(page)
    page.locator("[data-testid='stFileUploader']").get_by_role("button", name="Remove").first.click()
    at_rest(page)

    upload.set_input_files(own_zip)
    read = page.get_by_role("button", name="Read these files")
    expect(read).to_be_enabled()
    at_rest(page)
    read.click()
    expect(page.get_by_text("16 topics, 8 in ω⁺")).to_be_visible()
    at_rest(page)
    page.get_by_role("textbox", name="Name").fill("My patents")
    page.keyboard.press("Enter")
    at_rest(page)
    page.get_by_role("button", name="Run experiment").click()
    # A press that the server has not yet heard is lost with the page that a person leaves.
    expect(page.locator("[class*='st-key-run-']").first).to_be_visible()
    at_rest(page)
    # It runs on while another page is open.
    page.get_by_role("link", name="Evidence").click()
    watched.settle()
    page.get_by_role("link", name="Results").click()
    show = page.get_by_role("button", name="Show", exact=True)
    expect(show).to_be_visible(timeout=LONG)
    at_rest(page)
    show.click()
    expect(page.locator(".st-key-benchmark input").first).to_have_value(re.compile("My patents"))
    at_rest(page)
    watched.assert_sound()


def test_on_a_phone_the_tab_that_the_address_names_is_in_sight(
    server: Any, open_page: Callable[..., Any]
) -> None:
    watched = open_page(viewport={"width": 390, "height": 844})
    watched.open(f"{server.url}/results?full=true&view=Learning+list")
    box = watched.page.get_by_role("tab", name="Learning list", selected=True).bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    watched.assert_sound()
