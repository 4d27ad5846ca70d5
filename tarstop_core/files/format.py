"""What a format of records is: a reader's file ends with its own."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tarstop_core.files.columns import Progress, RecordTable
from tarstop_core.files.source import Source

Reader = Callable[[Source, Mapping[str, str] | None, Progress | None], RecordTable]


@dataclass(frozen=True)
class Format:
    """A format of records that can be read."""

    key: str  # Short name, as in `RecordTable.format`
    name: str  # What people call it
    suffixes: tuple[str, ...]  # Lower case, with the dot. Each may be followed by ".gz".
    reader: Reader
    looks: re.Pattern[str] | None = (
        None  # How such a file begins; None where nothing tells it from other text
    )
    phrase: str = ""  # What a file is called that looks so, where that is not its name
