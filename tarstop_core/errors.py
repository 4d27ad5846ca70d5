"""Exceptions that carry a sentence for a person."""

import re

LONGEST_WORD, LONGEST = 200, 900
"""Characters of a word, or of what is quoted, and of all, that a message has at most: it may echo what a file holds."""
LONGEST_HEARD = 20_000
"""Characters that are looked at: of more, the middle goes before anything is searched."""
_LONG = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
# What looks like another opening mark ends a quotation, so that nothing is searched twice. (A possessive mark
# behind the alternative would say so, but Python up to 3.11.4 misreads it.)
_QUOTED = re.compile(
    rf"""(?:(?<=[\s(:])|\A)(?:'(?:[^']|(?<![\s(:])'(?=\w)){{{LONGEST_WORD},}}'|"[^"]{{{LONGEST_WORD},}}"|“[^“”]{{{LONGEST_WORD},}}”)"""
)


class InputProblem(ValueError):
    r"""Something a person gave cannot be used.

    The message is a single sentence that names the place (file, line, column, field) and the mend. The command line
    prints it and exits with 2; pages show it where the input was given. It never needs a traceback to be understood.
    What it echoes of a file may be long and may hold line breaks; it is made short and one line here.

    Examples
    --------
    >>> str(InputProblem("There is no column 'a\nb'."))
    "There is no column 'a b'."
    >>> len(str(InputProblem(f"There is no column '{'very ' * 1000}long'; choose another.")))
    238
    """

    def __init__(self, sentence: str) -> None:
        lines = _shortened(sentence, LONGEST_HEARD).splitlines()
        line = " ".join(filter(None, map(str.strip, lines))) if len(lines) > 1 else "".join(lines)
        line = _LONG.sub(lambda word: f"{word[0][:LONGEST_WORD]}…", line)
        line = _QUOTED.sub(lambda quote: f"{quote[0][:LONGEST_WORD]}…{quote[0][-1]}", line)
        super().__init__(_shortened(line, LONGEST))


def _shortened(text: str, most: int) -> str:
    """The beginning and the end of a text that is longer than that."""
    return f"{text[: most // 2]} … {text[-most // 2 :]}" if len(text) > most else text


class Outage(InputProblem):
    """The database cannot be used, now or at all."""
