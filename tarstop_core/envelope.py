"""What comes in as JSON: a document says what it is, and is checked against the class it is to become."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tarstop_core.errors import InputProblem

if TYPE_CHECKING:
    from pydantic import ValidationError

T = TypeVar("T")
LARGEST = 2.0**53  # Of numbers that come in
PLAIN = {"missing": "missing", "unexpected_keyword_argument": "unknown", "extra_forbidden": "unknown"}
"""What the checks call otherwise."""
WANTED = {
    **dict.fromkeys(("float_parsing", "float_type"), "a number"),
    "finite_number": "a finite number",
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "a whole number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "true or false"),
    "string_type": "a text",
    **dict.fromkeys(("list_type", "tuple_type", "is_instance_of"), "a list"),
    **dict.fromkeys(("dict_type", "dataclass_type", "model_type"), "a table of names and values"),
}
"""What should have stood there, by what the checks call a value that is something else."""
LONGEST_VALUE = 40  # Characters of it that are repeated
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class FileKind:
    """What JSON files of one kind say of themselves, and what messages say of them."""

    format: str
    version: int
    what: str  # such a file is: "prior"
    maker: str = "this program"  # who writes them
    again: str = "learn it again"  # how to come by a new one

    @property
    def head(self) -> dict[str, Any]:
        """Return the head of a document of this kind."""
        return {"format": self.format, "version": self.version}

    def text(self, content: Mapping[str, Any], ascii_only: bool = False) -> str:
        """The content as a small document of this kind."""
        return json.dumps({**self.head, **content}, indent=1, ensure_ascii=ascii_only) + "\n"

    def content(self, text: str, name: str) -> dict[str, Any]:
        """The content of a document without its head. InputProblem when it is not one of this kind and version."""
        try:
            content = read_json(text)
        except ValueError:
            raise InputProblem(f"{name} is not JSON; give a file that {self.maker} wrote.") from None
        if not isinstance(content, dict) or content.get("format") != self.format:
            raise InputProblem(f"{name} is not a {self.what}; give a file that {self.maker} wrote.")
        if content.get("version") != self.version:
            raise InputProblem(
                f"{name} has version {str(content.get('version'))[:40]}; this program reads version {self.version}: "
                f"{self.again}."
            )
        return {key: value for key, value in content.items() if key not in self.head}

    def read(self, kind: type[T], text: str, name: str, **before: object) -> T:
        """Read a document as an object of a dataclass, all of whose fields it has.

        Parameters
        ----------
        kind : type
            The dataclass.
        text, name : str
            The document, and what messages call it.
        **before
            Values of fields that earlier documents lack.

        Returns
        -------
        object
            Of that class.

        Raises
        ------
        InputProblem
            When it is not one of this kind and version, or damaged.
        """
        content = before | self.content(text, name)
        missing = next((each.name for each in fields(cast(Any, kind)) if each.name not in content), None)
        if missing is not None:
            raise InputProblem(f"{name} is damaged ({missing}: missing); {self.again}.")
        return validated(kind, content, name, self.again)


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text that is nested at most 200 deep, its numbers finite and its integers exact as floats.

    ValueError when it is not.
    """
    from pydantic_core import from_json  # here and below: it takes its time to import

    return in_range(from_json(text, allow_inf_nan=False))


def in_range(content: Any) -> Any:
    """The content, whose numbers are finite and not beyond integers that are exact as floats; ValueError otherwise."""
    within = [content]
    for value in within:
        if isinstance(value, (dict, list)):
            within += value.values() if isinstance(value, dict) else value
        elif isinstance(value, (int, float)) and not -LARGEST <= value <= LARGEST:
            raise ValueError(f"it holds the number {str(value)[:20]}")
    return content


def validated(
    kind: type[T],
    content: object,
    name: str,
    mend: str,
    *,
    strict: bool = False,
    open_ended: bool = False,
    by_hand: bool = False,
) -> T:
    """Make an object of a class of JSON values, every field checked against its type.

    Parameters
    ----------
    kind : type
        A dataclass or a TypedDict.
    content : object
        What JSON holds.
    name, mend : str
        What messages call it, and how they say that it is mended.
    strict : bool
        Whether a number that is written as a text is refused.
    open_ended : bool
        Whether fields that are not known are passed over.
    by_hand : bool
        Whether a person wrote it, so that it is wrong rather than damaged.

    Returns
    -------
    object
        Of that class.

    Raises
    ------
    InputProblem
        Naming the field that is missing, unknown or unusable.
    """
    from pydantic import ValidationError

    holder = _holder(cast(Hashable, kind), open_ended)
    try:
        checked: T = holder.model_validate({"it": content}, strict=strict).it
    except ValidationError as problem:
        fault, says_how = _said(problem, content)
        if by_hand:
            raise InputProblem(f"{name}: {fault}." if says_how else f"{name}: {fault}; {mend}.") from None
        raise InputProblem(f"{name} is damaged ({fault}); {mend}.") from None
    return checked


@cache
def _holder(kind: Any, open_ended: bool) -> Any:
    """A model with one field, `it`. Dataclasses take over the rules of what they are part of."""
    from pydantic import ConfigDict, create_model

    rules = ConfigDict(extra="ignore" if open_ended else "forbid", allow_inf_nan=False)
    return create_model("Holder", __config__=rules, it=kind)


def _said(problem: ValidationError, content: object) -> tuple[str, bool]:
    """Describe the first error in the content, with its place; also return whether the description says how to mend it.

    If a value may be of several types, the error of the type that got furthest counts.
    """
    errors = problem.errors(include_url=False)
    begun = errors[0]["loc"][:2]
    first = max((error for error in errors if error["loc"][:2] == begun), key=lambda error: len(error["loc"]))
    own = first.get("ctx", {}).get("error")
    if isinstance(own, InputProblem):
        words = str(own).rstrip(".")
    elif first["type"] in WANTED:
        words = f"{repr(first['input'])[:LONGEST_VALUE]} is not {WANTED[first['type']]}"
    else:
        words = PLAIN.get(first["type"], first["msg"])
    unknown = [error["loc"][-1] for error in errors if PLAIN.get(error["type"]) == PLAIN["extra_forbidden"]]
    if first["type"] == "missing" and unknown:  # perhaps the same, misspelt
        words += f", and {unknown[0]} is unknown"
    place, within = list[str](), cast(Any, content)
    for part in first["loc"][1:]:
        if part == first["loc"][-1] and first["type"] in PLAIN:
            place.append(str(part))
        elif part in (
            range(len(within)) if isinstance(within, list) else within if isinstance(within, dict) else ()
        ):
            place.append(str(part))
            within = within[part]  # what is neither names one of several kinds of content
    return ": ".join(filter(None, (".".join(place), words))), isinstance(own, InputProblem)


def check_time(time: str) -> str:
    """A moment in ISO 8601 with its offset from UTC, in this century or the next; the text as it was given.

    InputProblem when it is not one.
    """
    try:
        moment = datetime.fromisoformat(time)
        if moment.tzinfo is not None and EARLIEST <= moment < LATEST:
            return time
    except (ValueError, OverflowError):
        pass
    raise InputProblem(f"{time[:40]!r} is not a time from 2000 to 2199 such as 2026-11-22T08:00:00+00:00.")


def read_file(path: str | Path, what: str) -> str:
    """The text of a saved file, which messages call `what`. InputProblem when it cannot be read or is not text."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not text"
        raise InputProblem(f"{what} cannot be read: {reason}.") from None
