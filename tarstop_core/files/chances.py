"""Read chances of documents that ``tarstop rerank --chances`` wrote."""

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
    """Read the chance that each document had when it was next to be read.

    The CSV has columns ``id`` and ``chance`` and, with several topics, ``topic``; other columns are ignored.

    Returns
    -------
    dict of str to ndarray of shape (N,)
        Chances by topic, in the order of its run.

    Raises
    ------
    InputProblem
        When a column is missing, a chance is not from 0 to 1, or the documents differ from those of the run in its order.
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
        # In the file, an apostrophe stands before an id that begins like a formula.
        ids, ranked = ([one_word(text.lstrip("'")) for text in texts] for texts in (own["id"], topic.ids))
        if ids != ranked:
            raise InputProblem(
                f"{path.name} has other documents for {name} than the run, or another order; give "
                f"the run that was written with it."
            )
        p = pd.to_numeric(own["chance"], errors="coerce").to_numpy(dtype=np.float64)
        if not (usable := (p >= 0) & (p <= 1)).all():
            faulty = own.iloc[int(np.argmin(usable))]
            raise InputProblem(
                f"{path.name} gives {faulty['id']} the chance '{faulty['chance']}'; give a number from 0 to 1."
            )
        chances[name] = p
    return chances
