"""The Decisions page, without a browser: what it says is what the core computes."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.decisions.entered import KINDS
from tests.ui.evidence.test_page import shown

OpenApp = Callable[..., AppTest]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_decision_is_answered_at_once(kind: str, open_app: OpenApp) -> None:
    app = open_app("decisions", kind=kind)
    assert not app.exception and not app.error
    assert "is best" in shown(app) and 'class="tar-fluid"' in shown(app)
