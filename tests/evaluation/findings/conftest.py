"""Sentences as what they are made of."""

from typing import Any

import pytest

from tarstop_core.evaluation.findings import effort, figures, topics

Worded = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def worded(monkeypatch: pytest.MonkeyPatch) -> Worded:
    """The names of the messages that were asked for, each with its values."""
    calls: Worded = []

    def message(name: str, /, **values: Any) -> str:
        calls.append((name, values))
        return name

    for module in (figures, effort, topics):
        monkeypatch.setattr(module, "message", message)
    return calls
