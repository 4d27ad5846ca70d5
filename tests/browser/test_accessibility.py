"""Every page in light, in dark and on a phone, by the rules of axe-core and by the Tab key alone."""

import json
from collections.abc import Callable
from typing import Any, Literal
from urllib.parse import quote

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, ViewportSize, expect

from dashboard.explore.page import LEARNED, MAP, SENSITIVITY
from tests.browser.acting import (
    OF_ADMINISTRATORS,
    PAGES,
    assert_fits,
    at_rest,
    hit,
    listening,
    press,
    start_demo,
    stored,
)
from tests.session_cases import a_patent_session, a_review

OpenPage = Callable[..., Any]
ALL = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
LOOKS: tuple[tuple[Literal["light", "dark"], dict[str, Any]], ...] = (("light", ALL), ("dark", OF_COLOURS))
PHONE: ViewportSize = {"width": 390, "height": 844}
# A single letter is judged like any other text: the signs of keys are.
SET_UP = "axe.configure({checks: [{id: 'color-contrast', options: {ignoreLength: true}}]})"
CHECK = """([rules, where]) => axe.run(where ?? document, {runOnly: rules, resultTypes: ['violations']})
    .then((found) => found.violations.flatMap((rule) => rule.nodes.map((node) => ({
        rule: rule.id, place: node.target.flat().join(' '), why: node.failureSummary}))))"""
OPEN_ALL = """() => document.querySelectorAll('[data-testid=stMain] details:not([open]) > summary')
    .forEach((each) => each.click())"""
ADDRESSES = (
    "/",
    "/calibration",
    "/decisions",
    "/evidence",
    "/explore",
    "/guide",
    "/learn?present=true&shown=yes",
    "/results",
    "/screen?session=REVIEW",
    "/sessions?session=REVIEW",
    "/set_up?scenario=review",
)
"""Every page, with as much on it as an address can ask for."""
OTHERS = (
    f"/calibration?part={quote('Lists that learn')}",
    "/decisions?kind=effect",
    "/decisions?kind=table",
    "/decisions?kind=test",
    "/evidence?present=true",
    "/evidence?source=file",
    f"/explore?present=true&show={quote(MAP)}",
    "/evidence?source=typed",
    f"/explore?show={quote(SENSITIVITY)}",
    f"/explore?of=review:brindle-fever&show={quote(LEARNED)}",
    "/guide?read=own_data",
    "/results?view=Claims",
    "/results?view=Effort",
    "/results?view=Topics",
    "/screen",
    "/screen?session=PATENT",
    "/sessions",
    "/sessions?session=PATENT",
    "/set_up?scenario=patent",
)
"""Other addresses that make a page another one."""
STATES = (
    "/learn?part=call",
    "/learn?part=formulas",
    "/learn?part=glossary&term=belief",
    "/learn?part=ideas&present=true",
    "/learn?part=walk",
    *(
        pytest.param(each, marks=pytest.mark.deep)
        for each in (
            "/evidence?present=true",
            f"/explore?present=true&show={quote(MAP)}",
            "/learn?part=call&present=true",
        )
    ),
)
"""Parts of pages, and pages on a projector."""
BAR, DIALOG, OPENED = ".st-key-bar", "[role=dialog]", "[data-testid=stPopoverBody]"
OPENERS = "[data-testid=stPopoverButton]"
ON_A_PHONE = ("/calibration", "/evidence", "/results?view=Claims", "/sessions?session=REVIEW")
"""Where what lies behind every tab has to fit as well; the tabs of Results draw as much as five pages do and are deep."""
THUMB = 44  # pixels that a button has to be high
LARGE = ".tar-save, .stDownloadButton button, button[kind=primary], .tar-claim summary, .tar-line, [role=tab]"
HEIGHTS = "all => all.map(each => each.getBoundingClientRect().height).filter(height => height > 0)"
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
LETTERS = """() => {
    const family = getComputedStyle(document.querySelector('[data-testid=stMain] p')).fontFamily;
    const drawn = document.createElement('canvas').getContext('2d');
    drawn.font = `700 16px ${family}`;
    return {
        family,
        loaded: document.fonts.check('16px "Source Sans"', 'Aa 0ω⁺≥'),
        from: performance.getEntriesByType('resource').map((each) => each.name).filter((each) => each.includes('.woff2')),
        digits: [...'0123456789'].map((digit) => drawn.measureText(digit).width),
    };
}"""
MOST_STEPS = 400
GRID = (
    "CANVAS"  # Streamlit's data grid: Tab goes from cell to cell, as in a spreadsheet, and Escape lets it out
)


def luminance(colour: str) -> float:
    """Rough brightness (0 to 1) of a CSS `rgb(…)`."""
    red, green, blue = (float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def assert_theme(page: Page, theme: str) -> None:
    """The page's ground is light or dark."""
    ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert (luminance(ground) < 0.5) == (theme == "dark")


def assert_accessible(page: Page, where: str, rules: dict[str, Any] = ALL, within: str | None = None) -> None:
    """No rule is broken by what is on the page now, or `within` a part of it."""
    at_rest(page)
    found = page.evaluate(CHECK, [rules, within])
    assert not found, f"{where}:\n{json.dumps(found, indent=1)}"


def assert_both(page: Page, where: str, within: str | None = None) -> None:
    """No rule is broken in light, and no rule of colours in dark."""
    for scheme, rules in LOOKS:
        page.emulate_media(color_scheme=scheme)
        assert_accessible(page, f"{where}, {scheme}", rules, within)


def assert_menus(page: Page, where: str, rules: dict[str, Any], by_keys: bool) -> None:
    """Whatever a button opens breaks no rule; `by_keys`: Tab goes into it and out, Escape gives the focus back."""
    seen: set[str] = set()
    for button in page.locator(OPENERS).filter(visible=True).all():
        name = button.inner_text()
        if name in seen or not button.is_enabled():
            continue
        seen.add(name)
        opened = page.locator(OPENED)
        button.press("Enter")
        expect(opened).to_be_visible()
        assert_accessible(page, f"{where}, {name} opened", rules, OPENED)
        if by_keys:
            button.press("Tab")
            expect(opened.locator(":focus")).to_have_count(1)
            page.keyboard.press("Shift+Tab")
            expect(button).to_be_focused()
            page.keyboard.press("Tab")
        page.keyboard.press("Escape")
        expect(opened).to_have_count(0)
        expect(button).to_be_focused()


def assert_all_in_both(page: Page, where: str) -> None:
    """The page and all that its buttons open, in one look after the other: a new look draws everything again."""
    for scheme, rules in LOOKS:
        page.emulate_media(color_scheme=scheme)
        assert_menus(page, f"{where}, {scheme}", rules, by_keys=scheme == "light")
        assert_accessible(page, f"{where}, {scheme}", rules)


def assert_fits_a_phone(page: Page) -> None:
    """Nothing makes the page scroll sideways, and what a thumb has to hit is large enough."""
    assert_fits(page, PHONE["width"])
    heights = page.locator(LARGE).evaluate_all(HEIGHTS)
    assert all(height >= THUMB for height in heights), f"buttons are {heights} pixels high"


def with_axe(page: Page, opening: str = OPEN_ALL) -> None:
    """Make axe ready, and open all that can be opened in place."""
    page.evaluate(opening)
    page.evaluate(AXE_SCRIPT)
    page.evaluate(SET_UP)


def assert_tab_comes_back(page: Page, where: str) -> None:
    """By the Tab key: the focus is never caught, reaches the end, and can be seen wherever it is."""
    page.add_style_tag(content=STILL)
    places: list[int] = []
    unseen: list[str] = []
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
        assert not places or step["place"] != places[-1], f"{where}: caught at {step['name']}"
        places.append(step["place"])
    else:
        pytest.fail(f"{where}: {MOST_STEPS} steps did not reach the end, last {step['name']}")
    assert len(places) == len(set(places)), f"{where}: the focus goes in a circle"
    assert not unseen, f"{where}: the focus cannot be seen at {unseen}"


def test_every_page_is_among_them() -> None:
    """But the page of administrators, which on one's own machine nobody is."""
    assert {address.partition("?")[0] for address in ADDRESSES} == {*PAGES} - {OF_ADMINISTRATORS}


@pytest.mark.parametrize(
    "address", [*ADDRESSES, *(pytest.param(each, marks=pytest.mark.deep) for each in OTHERS)]
)
def test_a_page_breaks_no_rule_in_any_look_and_tab_goes_through_it(
    server: Any, open_page: OpenPage, address: str
) -> None:
    with stored(server) as store:
        asked = address.replace("PATENT", a_patent_session(store)).replace("REVIEW", a_review(store))
    watched = open_page()
    watched.open(server.url + asked)
    page = watched.page
    assert_theme(page, "light")
    assert_tab_comes_back(page, address)
    with_axe(page)
    assert_all_in_both(page, address)
    assert_theme(page, "dark")
    page.set_viewport_size(PHONE)
    assert_accessible(page, f"{address}, dark on a phone")
    assert_fits_a_phone(page)
    if address in ON_A_PHONE:
        tabs = page.get_by_role("tab").all()
        assert tabs, "there is nothing behind tabs"
        for tab in tabs:
            tab.click()
            expect(tab).to_have_attribute("aria-selected", "true")
            assert_fits_a_phone(page)
    watched.assert_sound()


@pytest.mark.parametrize("address", STATES)
def test_parts_and_projected_pages_break_none_with_what_they_open(
    server: Any, open_page: OpenPage, address: str
) -> None:
    watched = open_page({"width": 1280, "height": 720})
    watched.open(server.url + address)
    with_axe(watched.page)
    assert_all_in_both(watched.page, address)
    watched.assert_sound()


def test_letters_come_with_the_application_and_digits_are_of_one_width(
    server: Any, open_page: OpenPage
) -> None:
    watched = open_page()
    watched.open(f"{server.url}/learn?part=formulas")
    found = watched.page.evaluate(LETTERS)
    assert found["family"].startswith('"Source Sans"') and found["from"] and found["loaded"]
    assert all(where.startswith(server.url) for where in found["from"])
    assert len(set(found["digits"])) == 1, found["digits"]
    watched.assert_sound()


def test_the_last_control_of_what_a_button_opens_leads_back_to_the_button(
    server: Any, open_page: OpenPage
) -> None:
    watched = open_page()
    watched.open(f"{server.url}/learn?part=walk")
    button = watched.page.get_by_role("button", name="Change", exact=True)
    button.press("Enter")
    for _ in range(MOST_STEPS):
        watched.page.keyboard.press("Tab")
        watched.page.wait_for_timeout(0)
        if button.evaluate("each => each === document.activeElement"):
            break
    expect(button).to_be_focused()
    expect(watched.page.locator(OPENED)).to_have_count(0)


def test_a_patent_session_breaks_none_in_whatever_its_keys_open(server: Any, open_page: OpenPage) -> None:
    watched = open_page()
    page = start_demo(watched, server)
    with_axe(page, opening="")
    assert_both(page, "the first document")
    press(page, "e", 1)
    for key in "nj":
        hit(page, key)
        assert_both(page, f"what {key} opens", BAR)
        page.keyboard.press("Escape")
        listening(page, key)
    for _ in range(2):  # one thing is folded within another
        page.evaluate(OPEN_ALL)
        at_rest(page)
    assert_both(page, "all that is folded")
    hit(page, "x")
    listening(page, "h")
    assert_both(page, "the question whether a hit holds", BAR)
    hit(page, "h")
    for words in ("Reasons to exclude", "Your application", "Stop and decide"):
        page.get_by_role("button", name=words).last.click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        assert_both(page, f"the dialog {words}", DIALOG)
        if words == "Stop and decide":
            dialog.get_by_role("button", name="Record the decision").click()
        else:
            page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
    expect(page.locator(".tar-end")).to_be_visible()
    assert_both(page, "the end")
    watched.assert_sound()


def test_a_review_breaks_none_while_a_report_waits_and_while_it_is_read(
    server: Any, open_page: OpenPage
) -> None:
    with stored(server) as store:
        session = a_review(store)
    watched = open_page()
    watched.open(f"{server.url}/screen?session={session}")
    page = watched.page
    with_axe(page, opening="")
    page.get_by_role("button", name="Stop and decide").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert_both(page, "the dialog while a report waits", DIALOG)
    page.keyboard.press("Escape")
    hit(page, "f")
    expect(page.get_by_label("TP", exact=True).first).to_be_visible()
    assert_both(page, "the form of a report")
    watched.assert_sound()
