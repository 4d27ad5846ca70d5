"""What kind of sentence is said, and of which values: what a test asserts in place of its wording."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from tarstop_core.presentation.messages import Messages


class Spoken(NamedTuple):
    """One sentence: the macro that says it, and what it was given."""

    kind: str
    values: Mapping[str, Any]


@contextmanager
def listening(messages: Messages) -> Iterator[list[Spoken]]:
    """Note every sentence of a template that is rendered in this context."""
    heard, render = list[Spoken](), messages.text

    def noted(macro: str, /, **values: Any) -> str:
        heard.append(Spoken(macro, values))
        return render(macro, **values)

    messages.text = noted  # type: ignore[method-assign]
    try:
        yield heard
    finally:
        del messages.text


def spoken(messages: Messages, say: Callable[..., object], *args: Any, **named: Any) -> Spoken:
    """The sentence that a function says last, which holds those before it."""
    with listening(messages) as heard:
        say(*args, **named)
    return heard[-1]
