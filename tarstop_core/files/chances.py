"""Chances of a list as each document had it when it was next: what ``tarstop rerank --chances`` writes."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from tarstop_core.documents.tables import Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.files.budget import check_columns
from tarstop_core.files.source import Source, detect_encoding, open_source
from tarstop_core.files.trec import one_word


def read_chances(path: Path, topics: Mapping[str, Topic]) -> dict[str, Floats]:
    """Chances of every document of these topics, by topic, in the order of its run, shape (N,) each.

    The CSV has columns ``id`` and ``chance`` and, where there is more than one topic, ``topic``; other columns are passed over.
    InputProblem when one is missing, a chance is none, or the documents are not those of the run in its order.
    """
    with open_source(path) as source:
        check_columns(path.name, "line 1", len(_frame(source, nrows=0).columns))
        frame = _frame(source)
    several = len(topics) > 1
    needed = ("id", "chance", *(("topic",) if several else ()))
    if missing := [name for name in needed if name not in frame]:
        raise InputProblem(f"{path.name} has no column {missing[0]}; name its columns {', '.join(needed)}.")
    found = {}
    for name, topic in topics.items():
        own = frame[frame["topic"] == name] if "topic" in frame else frame
        own = own if several or len(own) else frame
        # Where an id begins like a formula, whoever wrote the file put an apostrophe in front.
        ids, ranked = ([one_word(each.lstrip("'")) for each in names] for names in (own["id"], topic.ids))
        if ids != ranked:
            raise InputProblem(
                f"{path.name} holds other documents for {name} than the run, or the same in another order; give the run "
                "that was written with it."
            )
        p = pd.to_numeric(own["chance"], errors="coerce").to_numpy(dtype=np.float64)
        if not (usable := (p >= 0) & (p <= 1)).all():
            at = int(np.argmin(usable))
            raise InputProblem(
                f"{path.name} gives {own['id'].iloc[at]} the chance '{own['chance'].iloc[at]}'; give a number from 0 to 1."
            )
        found[name] = p
    return found


def _frame(source: Source, nrows: int | None = None) -> pd.DataFrame:
    """The cells of a CSV, or of its first rows; InputProblem when it is none."""
    encoding, _ = detect_encoding(source)
    with source.text(encoding, newline="") as lines:
        try:
            return pd.read_csv(lines, dtype=str, keep_default_na=False, nrows=nrows)
        except (pd.errors.ParserError, pd.errors.EmptyDataError) as problem:
            raise InputProblem(f"{source.name} is no CSV ({problem}); give what rerank wrote.") from None
