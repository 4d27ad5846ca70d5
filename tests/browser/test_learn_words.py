"""Learn's ideas and words in a real browser: links that lose nothing, formulas that are drawn, addresses that last."""

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from dashboard.learn.ideas import IDEAS
from dashboard.learn.page import RULES
from tarstop_core.teaching.reference import terms
from tests.browser.acting import assert_fits, at_rest
from tests.browser.conftest import AppServer, Watched

OpenPage = Callable[..., Watched]


def test_a_word_in_a_tooltip_opens_the_glossary_beside_the_page(
    server: AppServer, open_page: OpenPage
) -> None:
    watched = open_page()
    watched.open(f"{server.url}/learn?part=ideas&idea=Certainty")
    page = watched.page
    page.get_by_test_id("stTooltipIcon").first.hover()
    link = page.get_by_test_id("stTooltipContent").get_by_role("link")
    with page.context.expect_page() as opened:
        link.click()
    words = Watched(opened.value)
    asked = words.page.locator(".st-key-glossary-asked")
    expect(asked).to_contain_text(terms()["q-star"].meaning)
    # A neighbour lies on the same page: it is jumped to, once the page below it stands still.
    at_rest(words.page)
    asked.get_by_role("link", name=terms()["payoffs"].name).click()
    expect(words.page.locator("#term-payoffs")).to_be_in_viewport()
    words.assert_sound()
    expect(page.get_by_role("heading", name=IDEAS["Certainty"].title)).to_be_visible()
    watched.assert_sound()


def test_what_is_moved_in_an_idea_survives_a_reload(server: AppServer, open_page: OpenPage) -> None:
    watched = open_page()
    watched.open(f"{server.url}/learn?part=ideas&idea={quote('Wrong chances')}")
    page = watched.page
    slider = page.get_by_role("slider", name="All chances times")
    slider.focus()
    slider.press("ArrowRight")
    told = page.get_by_text("With the chances × 2.83")
    expect(told).to_be_visible()
    expect(page).to_have_url(re.compile("idea-factor="))
    page.reload()
    expect(told).to_be_visible()
    watched.assert_sound()


@pytest.mark.parametrize("where", ["glossary&find=e", f"formulas&section={quote(RULES)}"])
def test_formulas_are_drawn_and_fit_on_a_phone(server: AppServer, open_page: OpenPage, where: str) -> None:
    watched = open_page(viewport={"width": 390, "height": 844})
    watched.open(f"{server.url}/learn?part={where}")
    page = watched.page
    expect(page.locator(".katex").nth(20)).to_be_attached()
    expect(page.locator(".katex-error")).to_have_count(0)
    assert_fits(page, 390)
    watched.assert_sound()


def test_ideas_fit_on_a_phone(server: AppServer, open_page: OpenPage) -> None:
    watched = open_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    watched.open(f"{server.url}/learn?part=ideas")
    page = watched.page
    for name, idea in IDEAS.items():
        page.get_by_role("radio", name=name, exact=True).click()
        expect(page.get_by_role("heading", name=idea.title)).to_be_visible()
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        assert_fits(page, 390)
    watched.assert_sound()


def test_an_idea_is_seen_whole_on_a_projector(server: AppServer, open_page: OpenPage) -> None:
    watched = open_page(viewport={"width": 1280, "height": 720})
    watched.open(f"{server.url}/learn?part=ideas&present=true")
    shown = watched.page.locator(".st-key-idea-shown")
    for name, idea in IDEAS.items():
        watched.page.get_by_role("radio", name=name, exact=True).click()
        expect(shown.get_by_role("heading", name=idea.title)).to_be_visible()
        at_rest(watched.page)
        expect(shown.get_by_test_id("stCaptionContainer").first).to_be_in_viewport(ratio=1)
        for slider in shown.get_by_test_id("stSlider").all():
            expect(slider).to_be_in_viewport(ratio=1)
    watched.assert_sound()


@pytest.mark.parametrize(
    "where",
    [
        *("formulas&formula=grlstop", "glossary&term=evpi"),
        pytest.param("formulas&formula=evpi", marks=pytest.mark.deep),
    ],
)
def test_one_formula_or_word_has_the_window_of_a_projector_and_the_address_names_it(
    server: AppServer, open_page: OpenPage, where: str
) -> None:
    watched = open_page(viewport={"width": 1280, "height": 720})
    watched.open(f"{server.url}/learn?present=true&part={where}")
    page, (part, _, asked) = watched.page, where.partition("&")
    shown = page.locator(".st-key-formula-asked, .st-key-glossary-asked")
    expect(shown).to_have_count(1)
    assert page.get_by_test_id("stMain").evaluate("each => each.scrollHeight - each.clientHeight") <= 0
    assert shown.evaluate("each => each.scrollHeight - each.clientHeight") <= 1  # a part of a pixel
    assert asked in page.url
    box = page.get_by_role("combobox").first
    box.fill("Regret")
    box.press("Enter")
    expect(shown).to_contain_text("Regret")
    expect(page).not_to_have_url(re.compile(asked))
    assert part in page.url
    watched.assert_sound()
