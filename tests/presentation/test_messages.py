"""Sentences from templates: what is missing or too much is an error, and no branch stays unrendered unnoticed."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from jinja2 import DictLoader, UndefinedError

from tarstop_core.presentation.messages import SENTENCES, Messages
from tarstop_core.presentation.numbers import INTERVAL_LEVEL, percent
from tests.branches import every_branch

CORE = Path(__file__).parents[2] / "tarstop_core"
TEMPLATE = """\
{% macro stops(rule, depth, right) %}
{{ rule }} stops
after {{ depth|count_of }},
{% if right %}
rightly.
{% else %}
wrongly.
{% endif %}
{% endmacro %}
{% macro formula(b) %}
How likely?

b &= {{ short(b) }}
&= {{ short(b) }}
{% endmacro %}
{% macro hits(count) %}{{ 'a hit' if count == 1 else 'hits' }}{% for _ in range(count) %} ✓{% endfor %}{% endmacro %}
{% macro loose(depth) %}after {{ depth }} .{% endmacro %}
"""


@pytest.fixture
def message(monkeypatch: pytest.MonkeyPatch) -> Iterator[Messages]:
    monkeypatch.setattr(SENTENCES, "loader", DictLoader({"some.jinja": TEMPLATE}))
    yield Messages("some.jinja", short="{:.1f}".format)
    assert SENTENCES.cache is not None
    SENTENCES.cache.clear()


def test_lines_of_the_source_make_one_sentence(message: Messages) -> None:
    assert message("stops", rule="Greedy", depth=1, right=True) == "Greedy stops after 1 document, rightly."


def test_paragraphs_keep_their_lines(message: Messages) -> None:
    assert message.paragraphs("formula", b=0.25) == ["How likely?", "b &= 0.2\n&= 0.2"]


@pytest.mark.parametrize(
    ("values", "problem"),
    [({"rule": "Greedy", "depth": 3}, UndefinedError), ({"ruin": "Greedy"}, TypeError)],
)
def test_a_value_missing_or_too_much_is_an_error(
    message: Messages, values: dict[str, object], problem: type[Exception]
) -> None:
    with pytest.raises(problem):
        message("stops", **values)


def test_a_branch_that_nobody_renders_is_named(message: Messages) -> None:
    def render(*, wrong: bool = True, several: bool = True) -> None:
        message("stops", rule="Greedy", depth=3, right=True)
        if wrong:
            message("stops", rule="Greedy", depth=3, right=False)
        message("formula", b=0.5)
        message("hits", count=1)
        if several:
            message("hits", count=2)

    with pytest.raises(AssertionError, match=r"line 4: else.*macro loose"), every_branch(message):
        render(wrong=False)
    with pytest.raises(AssertionError, match="value else"), every_branch(message):
        render(several=False)
    message("stops", rule="Greedy", depth=3, right=True)  # as before


def test_a_sentence_with_a_slip_is_named(message: Messages) -> None:
    with pytest.raises(AssertionError, match=r"loose: “after 3 \.”"), every_branch(message):
        message("loose", depth=3)


def test_no_template_joins_two_words() -> None:
    """A block that ends a line swallows its end: a word before it and one on the next line become one."""
    block_alone, joined = re.compile(r"{%.*?%}"), []
    for file in sorted(CORE.rglob("*.jinja")):
        lines = file.read_text(encoding="utf-8").splitlines()
        for at, (line, after) in enumerate(pairwise(lines), start=1):
            ends = line.rstrip().endswith("%}") and not block_alone.fullmatch(line.strip())
            if ends and re.match(r"[\w“]|{{ ", after):
                joined.append(f"{file.name}:{at}")
    assert not joined


def test_no_template_writes_out_the_level_of_intervals() -> None:
    templates = [*CORE.rglob("*.jinja"), *CORE.rglob("*.html")]
    written = [path.name for path in templates if percent(INTERVAL_LEVEL) in path.read_text(encoding="utf-8")]
    assert written == [], "a level that is written out is wrong once the constant changes"
