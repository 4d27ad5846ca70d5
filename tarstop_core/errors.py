"""Exceptions that carry a sentence for a person."""

import re

ECHOED = 200
"""Characters of one thing out of a file, at most, that a sentence repeats."""
LONGEST = 800
_QUOTED = re.compile(
    rf"""(?:(?<=[\s(:])|\A)(?:'(?:[^']|'(?=\w)){{{ECHOED},}}'|"[^"]{{{ECHOED},}}"|“[^”]{{{ECHOED},}}”)"""
)
_UNBROKEN = re.compile(rf"\S{{{ECHOED + 1},}}")


def shortened(message: str) -> str:
    """A sentence without what is endless in it: what it quotes, what has no space, or else its middle.

    Examples
    --------
    >>> len(shortened("There is no rule '" + "very " * 1000 + "long'; choose another."))
    235
    >>> shortened("x" * 1000 + " is unknown.") == "x" * 199 + "… is unknown."
    True
    """
    message = _QUOTED.sub(lambda found: f"{found[0][: ECHOED - 1]}…{found[0][-1]}", message)
    message = _UNBROKEN.sub(lambda found: f"{found[0][: ECHOED - 1]}…", message)
    half = LONGEST // 2
    return message if len(message) <= LONGEST else f"{message[:half]} … {message[-half:]}"


class InputProblem(ValueError):
    """Something a person gave cannot be used.

    The message is a single sentence that names the place (file, line, column,
    field) and the mend. The command line prints it and exits with 2; pages show
    it where the input was given. It never needs a traceback to be understood,
    and repeats little of what was given, however much that is (:func:`shortened`).
    """

    def __init__(self, message: str) -> None:
        super().__init__(shortened(message))


class Outage(InputProblem):
    """The database cannot be used, now or at all.

    Its sentence names file or host, for whoever runs the program, on the command line and in the log; whoever
    only uses a page is not told these.
    """
