"""What every page has in common."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.frame.work import FLASH

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted(page.stem for page in (ROOT / "pages").glob("*.py"))


@pytest.mark.parametrize("name", [name for name in PAGES if name not in ("guide", "screen")])
def test_what_a_press_could_not_do_is_said_on_its_page(name: str, open_app: Callable[..., AppTest]) -> None:
    page = open_app(name)
    page.session_state[FLASH] = "The disk is full; make room."
    page.run()
    assert "The disk is full" in " ".join(each.value for each in page.warning)
    assert "disk" not in " ".join(each.value for each in page.run().warning)
