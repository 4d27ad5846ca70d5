"""What every page has in common."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.frame import address
from dashboard.frame.work import FLASH
from tarstop_core.evidence import manual_tables

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted(page.stem for page in (ROOT / "pages").glob("*.py"))


@pytest.mark.parametrize("name", [name for name in PAGES if name not in ("guide", "screen")])
def test_what_a_press_could_not_do_is_said_on_its_page(name: str, open_app: Callable[..., AppTest]) -> None:
    page = open_app(name)
    page.session_state[FLASH] = "The disk is full; make room."
    page.run()
    assert "The disk is full" in " ".join(each.value for each in page.warning)
    assert "disk" not in " ".join(each.value for each in page.run().warning)


@pytest.mark.parametrize(
    "name, parameter", [("screen", "session"), ("explore", "rule"), ("evidence", "tables")]
)
def test_a_parameter_that_is_too_long_is_left_out_and_said(
    name: str, parameter: str, open_app: Callable[..., AppTest]
) -> None:
    page = open_app(name, **{parameter: f"x{' ' * 7_000}y"})
    (said,) = (error.value.replace("\\", "") for error in page.error)
    assert "6,100" in said and f"“{parameter}”" in said
    assert "x " not in str(page.query_params.get(parameter)) and not page.exception


def test_tables_that_are_typed_fit_into_an_address() -> None:
    assert manual_tables.LONGEST + len("tables") <= address.LONGEST <= address.LONGEST_QUERY
