"""Documents that join a session later: a search that was made again, another database."""

import io
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.documents.duplicates import merge_records, unique_ids
from tarstop_core.documents.near_duplicates import near_duplicates
from tarstop_core.documents.records import ranking_text
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_records
from tarstop_core.files.budget import check_held
from tarstop_core.ranking.bm25 import PAPER, RECIPES, build_index
from tarstop_core.ranking.learning import Floats
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.state import State
from tarstop_core.sessions.store.rows import SessionRow
from tarstop_core.sessions.store.store import Store


def join(
    store: Store,
    session_id: str,
    content: bytes,
    name: str,
    database: str = "",
    by: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Event:
    """Let the records of a file join a session; the event that says which did, as it was stored, all or nothing.

    Records that are the same document as one that is there, or as each other, count as duplicates and change nothing;
    those that are perhaps the same join, and it is said of which. A list by likeness or by scores takes each in where its score puts it, behind those with the same: what was read stays
    where it was, and the rest is read in that order unless labels decide. Scores by likeness count the words of the list
    made longer; those of the documents that were there stay as they were. A list in its own order takes them in at its
    end. `database` is named in the flow diagram, `by` is whoever did it, `progress` that of `save_collection`.
    InputProblem when the file cannot be read, or the list cannot take it in.
    """
    row = store.session(session_id)
    held, there = store.collection(row.collection_id), store.records(row.collection_id)
    state = replay(row.settings, row.ids, store.events(session_id))
    if held.simulated or state.drawn is not None:
        why = "its documents are simulated" if held.simulated else "documents are drawn from it at random"
        raise InputProblem(f"No others can join this list, because {why}; set up another session for them.")
    table = read_records(io.BytesIO(content), name)
    stands = merge_records([there, table.frame]).rows - len(there)
    new = table.frame.iloc[stands[stands >= 0]]
    check_held(name, len(there) + len(new))
    whole = pd.concat([there, new], ignore_index=True)
    whole["id"] = pd.Series(unique_ids(whole["id"].tolist())[0], dtype="str")
    scores = _scores(row, whole, len(there), name)
    listed = row.as_read(state)
    first = np.arange(len(new)) if scores is None else np.argsort(-scores, kind="stable")
    given = {} if scores is None else {"scores": scores[first].tolist()}
    positions, duplicates = (len(there) + first).tolist(), len(table.frame) - len(new)
    matches = [match for match in near_duplicates(whole) if match.other >= len(there)]
    told = {
        "source": name,
        "docs": whole["id"].iloc[positions].tolist(),
        "positions": positions,
        "ranks": _ranks(listed, state, len(new), given.get("scores")).tolist(),
        "duplicates": duplicates,
        "alike": {whole["id"].iloc[match.other]: whole["id"].iloc[match.kept] for match in matches},
    }
    file = table.described | ({"database": database} if database else {})
    about = (held.name, whole, [*held.files, file], held.duplicates + duplicates)
    key = store.save_collection(*about, query=held.query, progress=progress, finished=False)
    try:
        return store.grow(session_id, Event("joined", told | given, reviewer=by), held.id, key, len(whole))
    except BaseException:
        store.remove_unfinished(key)
        raise


def _scores(row: SessionRow, whole: pd.DataFrame, before: int, name: str) -> Floats | None:
    """Scores of the kind that the list is in order of, of the documents that come after so many; None where it has none."""
    if row.scores is None:
        return None
    # Sessions keep the words that say where their order comes from (`ranking/order.py`), and nothing else of it.
    if "(BM25" in row.ranking:
        recipe = next((each for each in RECIPES.values() if f"on {each.said})" in row.ranking), PAPER)
        return build_index(ranking_text(whole), recipe=recipe).scores(row.query)[before:]
    scores = whole["score"].to_numpy(dtype=np.float64)[before:]
    if missing := int(np.count_nonzero(~np.isfinite(scores))):
        raise InputProblem(
            f"This list is in the order of its scores, and {missing:,} of the {len(scores):,} documents that {name} would add "
            "have none; fill them in."
        )
    return scores


def _ranks(row: SessionRow, state: State, count: int, scores: list[float] | None) -> NDArray[np.int64]:
    """Ranks of so many documents in the list made longer, given their scores, the highest first; `row` is as read."""
    N = len(row.ids)
    if scores is None or row.scores is None:
        return N + 1 + np.arange(count)
    listed = row.scores if state.ranks is None else row.scores[np.argsort(state.ranks)]
    before = np.searchsorted(-np.minimum.accumulate(listed), -np.array(scores), side="right")
    return np.asarray(before + 1 + np.arange(count), dtype=np.int64)
