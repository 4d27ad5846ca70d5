"""What every saved JSON file says of itself first: what it is, and in which version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tarstop_core.errors import InputProblem


def read_envelope(
    text: str, name: str, *, file_format: str, version: int, what: str, maker: str, again: str
) -> dict[str, Any]:
    """The content of a JSON document that says it is of this format and version.

    Parameters
    ----------
    text : str
    name : str
        Name for messages.
    file_format, version
        As they stand under "format" and "version".
    what, maker, again : str
        What it is, who writes it and how to get a new one, for messages.

    Raises
    ------
    InputProblem
        When it is not.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise InputProblem(f"{name} is not JSON; give a file that {maker} wrote.") from None
    if not isinstance(content, dict) or content.get("format") != file_format:
        raise InputProblem(f"{name} is not a {what}; give a file that {maker} wrote.")
    if content.get("version") != version:
        raise InputProblem(
            f"{name} has version {str(content.get('version'))[:40]}; this program reads version {version}: {again}."
        )
    return content


def read_file(path: str | Path, what: str) -> str:
    """The text of a saved file.

    Parameters
    ----------
    path : str or Path
    what : str
        Name for messages, with a capital.

    Raises
    ------
    InputProblem
        When it cannot be read or is not text.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not text"
        raise InputProblem(f"{what} cannot be read: {reason}.") from None
