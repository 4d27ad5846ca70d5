"""The Set up page, opened."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.set_up.cases import Open


@pytest.fixture
def page(open_app: Open) -> AppTest:
    app = open_app("set_up")
    assert not app.exception
    assert not app.error
    return app
