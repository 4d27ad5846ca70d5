"""A class in browsers: the lecturer goes a step, and the page of a student who follows goes with it, alone."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.acting import at_rest
from tests.browser.conftest import AppServer
from tests.ui.frame.test_classroom import words

OpenPage = Callable[..., Any]


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with AppServer(tmp_path_factory.mktemp("class"), environment={"TARSTOP_CLASSROOM": "yes"}) as running:
        yield running


def at_step(page: Page, step: int) -> Locator:
    """What a page shows once so many documents are read on it."""
    return page.locator(f'[data-here="step={step}"]')


def press(page: Page, button: str) -> None:
    page.get_by_role("button", name=button).click()


@pytest.mark.deep  # what a page and a connection say is tested without a browser
def test_a_students_page_follows_the_lecturer_until_the_student_turns_that_off(
    served: AppServer, open_page: OpenPage
) -> None:
    key, code = words(served)
    lecturer, student = open_page(), open_page()
    lecturer.page.goto(f"{served.url}/join?key={key}")
    student.page.goto(f"{served.url}/join")
    student.errors.clear()  # the question for the code is an answer 401
    student.page.get_by_label("Code of the class").fill(code.lower())
    student.page.get_by_role("button", name="Join").click()
    for watched in (lecturer, student):
        watched.page.wait_for_url(f"{served.url}/learn**")
        at_rest(watched.page)
    expect(lecturer.page.get_by_text("1 phone")).to_be_visible()
    for step in (1, 2):
        press(lecturer.page, "Step")
        for watched in (lecturer, student):
            expect(at_step(watched.page, step)).to_be_visible()
    student.page.get_by_text("Follow the lecturer").click()
    expect(student.page.get_by_role("button", name="Step")).to_be_visible()
    press(lecturer.page, "Step")
    expect(at_step(lecturer.page, 3)).to_be_visible()
    at_rest(student.page)
    expect(at_step(student.page, 2)).to_be_visible()
    press(student.page, "Step")
    expect(at_step(student.page, 3)).to_be_visible()
    press(student.page, "Step")
    expect(at_step(student.page, 4)).to_be_visible()
    expect(at_step(lecturer.page, 3)).to_be_visible()
    student.page.get_by_text("Follow the lecturer").click()
    expect(at_step(student.page, 3)).to_be_visible()
    assert not student.page.get_by_role("button", name="Step").count()
