"""Every page by the rules of axe-core, and by the Tab key alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, ViewportSize, expect

from dashboard.explore.page import SENSITIVITY
from tests.browser.acting import PAGES, at_rest, start_demo, stored
from tests.session_cases import a_patent_session, a_review

OpenPage = Callable[..., Any]
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
PHONE: ViewportSize = {"width": 390, "height": 844}
# A single letter is judged like any other text: the signs of keys are.
SET_UP = "axe.configure({checks: [{id: 'color-contrast', options: {ignoreLength: true}}]})"
CHECK = """(levels) => axe.run(document, {runOnly: {type: 'tag', values: levels}, resultTypes: ['violations']})
    .then((found) => found.violations.flatMap((rule) => rule.nodes.map((node) => ({
        rule: rule.id, place: node.target.flat().join(' '), why: node.failureSummary}))))"""
OPEN_ALL = """() => document.querySelectorAll('[data-testid=stMain] details:not([open]) > summary')
    .forEach((each) => each.click())"""
STATES = {
    "/set_up": ("?scenario=patent", "?scenario=review"),
    "/evidence": ("", "?source=file", "?source=typed"),
    "/explore": ("", f"?show={quote(SENSITIVITY)}"),
    "/guide": ("", "?read=own_data"),
    "/results": ("", "?view=Effort", "?view=Topics", "?view=Claims"),
}
"""Addresses at which a page is another one."""
# Goes one Tab further: where the focus is, and whether the place that it left had looked any different with it.
STILL = "*, *::before, *::after { transition: none !important; animation: none !important; }"
STEP = """() => {
    const deepest = (root) => (root.activeElement?.shadowRoot ? deepest(root.activeElement.shadowRoot) : root.activeElement);
    const looks = (each) => [null, '::before', '::after'].map((part) => {
        const style = getComputedStyle(each, part);
        return [style.outlineStyle, style.outlineWidth, style.outlineColor, style.boxShadow, style.borderColor,
                style.backgroundColor, style.color, style.opacity, style.textDecorationLine].join();
    }).join();
    const around = (each) => {
        const seen = [each, ...each.children];
        for (let up = each.parentElement, far = 0; up && far < 4; up = up.parentElement, far += 1) seen.push(up);
        return [...seen, each.nextElementSibling, each.previousElementSibling].filter(Boolean);
    };
    window.tabbed ??= {met: new Map(), last: null};
    const {met, last} = window.tabbed;
    const now = deepest(document);
    const marked = !last || last.parts.some((part, at) => part.isConnected && looks(part) !== last.looks[at]);
    const left = last?.name;
    const nowhere = !now || now === document.body;
    if (!nowhere && !met.has(now)) met.set(now, met.size);
    const parts = nowhere ? [] : around(now);
    const name = nowhere ? '' : `${now.tagName} ${now.getAttribute('aria-label') ?? now.textContent.slice(0, 40)}`;
    window.tabbed.last = nowhere ? null : {parts, looks: parts.map(looks), name};
    return {place: nowhere ? -1 : met.get(now), name, left, marked};
}"""
MOST_STEPS = 400
GRID = (
    "CANVAS"  # Streamlit's data grid: Tab goes from cell to cell, as in a spreadsheet, and Escape lets it out
)


@pytest.fixture(scope="module")
def sessions(server: Any) -> Iterator[tuple[str, ...]]:
    """A patent session and a review that are under way."""
    with stored(server) as store:
        yield a_patent_session(store), a_review(store)


def addresses(path: str, sessions: tuple[str, ...]) -> tuple[str, ...]:
    if path in ("/screen", "/sessions"):
        return ("", *(f"?session={session}" for session in sessions))
    return STATES.get(path, ("",))


def assert_accessible(page: Page, where: str) -> None:
    """No rule is broken by what is on the page now."""
    at_rest(page)
    page.evaluate(OPEN_ALL)
    at_rest(page)
    page.evaluate(AXE_SCRIPT)
    page.evaluate(SET_UP)
    found = page.evaluate(CHECK, LEVELS)
    assert not found, f"{where}:\n{json.dumps(found, indent=1)}"


@pytest.mark.parametrize("path", PAGES)
def test_no_rule_of_axe_is_broken(
    server: Any, open_page: OpenPage, sessions: tuple[str, ...], path: str
) -> None:
    for address in addresses(path, sessions):
        watched = open_page()
        watched.open(server.url + path + address)
        page = watched.page
        assert_accessible(page, f"{path}{address}, light")
        page.emulate_media(color_scheme="dark")
        assert_accessible(page, f"{path}{address}, dark")
        page.set_viewport_size(PHONE)
        assert_accessible(page, f"{path}{address}, on a phone")
        page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_dialog_and_the_verdicts_break_none_either(server: Any, open_page: OpenPage, scheme: str) -> None:
    watched = open_page(color_scheme=scheme)
    page = start_demo(watched, server.url)
    assert_accessible(page, "the first document")
    page.get_by_role("button", name="Stop and decide").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert_accessible(page, "the dialog")


@pytest.mark.parametrize("path", PAGES)
def test_the_tab_key_goes_through_the_page_and_comes_back(
    server: Any, open_page: OpenPage, sessions: tuple[str, ...], path: str
) -> None:
    """The focus is never caught, reaches the end, and can be seen wherever it is."""
    for address in addresses(path, sessions):
        watched = open_page()
        watched.open(server.url + path + address)
        page = watched.page
        page.add_style_tag(content=STILL)
        places, unseen = [], []
        for _ in range(MOST_STEPS):
            page.keyboard.press("Tab")
            step = page.evaluate(STEP)
            if places and step["place"] == places[-1] and step["name"].startswith(GRID):
                page.keyboard.press("Escape")
                page.keyboard.press("Tab")
                step = page.evaluate(STEP)
            if not step["marked"]:
                unseen.append(step["left"])
            if places and step["place"] in (-1, places[0]):
                break
            assert not places or step["place"] != places[-1], f"{path}{address}: caught at {step['name']}"
            places.append(step["place"])
        else:
            pytest.fail(f"{path}{address}: {MOST_STEPS} steps did not reach the end, last {step['name']}")
        assert len(places) == len(set(places)), f"{path}{address}: the focus goes in a circle"
        assert not unseen, f"{path}{address}: the focus cannot be seen at {unseen}"
        watched.page.context.close()
