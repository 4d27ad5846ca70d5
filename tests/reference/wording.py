"""What earlier versions recorded, in the words of today: what was said then is said otherwise now."""

import re
from collections.abc import Mapping
from typing import Any

from tarstop_core.presentation.numbers import percent

WORDS = {
    "CONTINUE": "GO ON",
    "STOP: FOUND": "FOUND",
    "CONFIRM THE HIT": "CONFIRM IT",
    "READ WAITING REPORTS": "READ THE REPORTS",
}


def word_now(said: str, go_on: bool) -> str:
    """What a headline is called now; that it depends on assumptions stands in a line beneath it."""
    return ("GO ON" if go_on else "STOP") if said == "DEPENDS ON ASSUMPTIONS" else WORDS.get(said, said)


def now(said: Any) -> Any:
    """Advice and traces as recorded then, as they would be recorded now."""
    if isinstance(said, Mapping):
        known = {name: now(value) for name, value in said.items()}
        if known.get("headline") == "depends":
            known["headline"] = "continue" if said["go_on"] else "stop"
        if "columns" in known and "headline" in known["columns"]:
            headline, advice = (known["columns"].index(name) for name in ("headline", "advice"))
            for row in known["rows"]:
                if row[headline] == "depends":
                    row[headline] = row[advice]
        return known
    if isinstance(said, list):
        return [now(each) for each in said]
    if isinstance(said, str):
        return re.sub(
            r"(a chance of )(\S+) instead of (\S+)",
            lambda found: f"{found[1]}{percent(float(found[2]))} instead of {percent(float(found[3]))}",
            said,
        )
    return said
