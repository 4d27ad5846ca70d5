"""Exceptions that carry a sentence for a person."""

import re

LONGEST_WORD, LONGEST = 200, 900
"""Characters of a word, or of what is quoted, and of all, that a message has at most: it may echo what a file holds."""
_LONG = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_QUOTED = re.compile(
    rf"""(?:(?<=[\s(:])|\A)(?:'(?:[^']|'(?=\w)){{{LONGEST_WORD},}}'|"[^"]{{{LONGEST_WORD},}}"|“[^”]{{{LONGEST_WORD},}}”)"""
)
_BREAK = re.compile(r"\s*[\n\r\x0b\x0c\x85\u2028\u2029]\s*")


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
        line = _LONG.sub(lambda word: f"{word[0][:LONGEST_WORD]}…", _BREAK.sub(" ", sentence))
        line = _QUOTED.sub(lambda found: f"{found[0][:LONGEST_WORD]}…{found[0][-1]}", line)
        if len(line) > LONGEST:
            line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
        super().__init__(line)


class Outage(InputProblem):
    """The database cannot be used, now or at all."""
