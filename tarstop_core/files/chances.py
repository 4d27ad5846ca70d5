"""Chances of documents as ``tarstop rerank --chances`` writes them."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from tarstop_core.documents.tables import Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files.source import check_columns, detect_encoding, open_source
from tarstop_core.files.trec import one_word


def read_chances(path: Path, topics: Mapping[str, Topic]) -> dict[str, Floats]:
    """Read the chances that each document had when it was next, as ``tarstop rerank --chances`` writes them.

    The CSV has columns ``id`` and ``chance`` and, where there is more than one topic, ``topic``; other columns are passed over.
    They are returned by topic, in the order of its run, shape (N,) each. InputProblem when a column is missing, a chance is
    none, or the documents are not those of the run in its order.
    """
    with open_source(path) as source:
        encoding, _ = detect_encoding(source)
        with source.text(encoding) as lines:
            check_columns(path.name, "line 1", next(lines).count(",") + 1)
        with source.text(encoding, newline="") as lines:
            try:
                frame = pd.read_csv(lines, dtype=str, keep_default_na=False)
            except (pd.errors.ParserError, pd.errors.EmptyDataError) as problem:
                raise InputProblem(
                    f"{path.name} is not a CSV ({problem}); give the file that rerank wrote."
                ) from None
    several = len(topics) > 1
    needed = ("id", "chance", *(("topic",) if several else ()))
    if missing := [name for name in needed if name not in frame]:
        raise InputProblem(f"{path.name} has no column {missing[0]}; name its columns {', '.join(needed)}.")
    chances = {}
    for name, topic in topics.items():
        own = frame[frame["topic"] == name] if "topic" in frame else frame
        own = own if several or len(own) else frame
        # An id that begins like a formula has an apostrophe in front of it in the file.
        ids, ranked = ([one_word(text.lstrip("'")) for text in texts] for texts in (own["id"], topic.ids))
        if ids != ranked:
            raise InputProblem(
                f"{path.name} has other documents for {name} than the run, or another order; give "
                f"the run that was written with it."
            )
        p = pd.to_numeric(own["chance"], errors="coerce").to_numpy(dtype=np.float64)
        if not (usable := (p >= 0) & (p <= 1)).all():
            at = int(np.argmin(usable))
            raise InputProblem(
                f"{path.name} gives {own['id'].iloc[at]} the chance '{own['chance'].iloc[at]}'; give a number from 0 to 1."
            )
        chances[name] = p
    return chances
