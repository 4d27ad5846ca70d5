"""A session whose labels teach what to read next: what a ranker is told of it, and the fit that is recorded.

Only a fit needs a ranker. It names the documents that come next, as many as are read before the next one is due, so that
the order of a session follows from its log alone (:mod:`tarstop_core.screening.fold`), on every machine.
"""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from weakref import WeakValueDictionary

import numpy as np
import pandas as pd

from tarstop_core.documents.records import ranking_text
from tarstop_core.places import features_folder
from tarstop_core.ranking.bm25 import Progress
from tarstop_core.ranking.features import Features, load_features, make_features
from tarstop_core.ranking.learning import (
    DEFAULT,
    FURTHER,
    ITS_SCORE,
    RANKERS,
    Feedback,
    Floats,
    Label,
    Ranker,
    due,
    reading_order,
)
from tarstop_core.screening import labels as said
from tarstop_core.screening.log import CHANGES_LIST, UNDOABLE, Event
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import seed_of
from tarstop_core.screening.state import State
from tarstop_core.sessions.store.rows import CollectionRow, Record, SessionRow
from tarstop_core.sessions.store.store import Store

AHEAD = 20
"""A fit names so many documents at least."""
TEACHES = {
    said.RELEVANT: Label.RELEVANT,
    said.COMBINATION: Label.RELEVANT,
    said.BACKGROUND: Label.OTHER_KIND,
    said.IRRELEVANT: Label.NOT_RELEVANT,
}
"""What each verdict tells a ranker; unsure ones tell nothing."""
MOST_WORDS, LEAST_FOUND = 3, 3
"""Words that are said to have put a document first, and documents found from which that is set beside the list."""
_HELD: WeakValueDictionary[str, Features] = WeakValueDictionary()


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fit, and what it rests on."""

    event: Event
    told: tuple[bytes, list[str], bool]
    """The labels that it was told, by position in the collection, what was typed, and whether scores were weighed."""


def _file(collection: CollectionRow) -> Path:
    return features_folder() / f"{collection.digest}.npz"


def features_of(collection: CollectionRow) -> Features | None:
    """What a ranker learns from in these documents, shared by all who have them open; None until it was made."""
    features = _HELD.get(collection.digest) or load_features(_file(collection))
    if features is not None:
        _HELD[collection.digest] = features
    return features


def prepare_features(store: Store, collection_id: str, progress: Progress | None = None) -> None:
    """Make that, and keep it beside the database."""
    collection, file = store.collection(collection_id), _file(store.collection(collection_id))
    features = make_features(ranking_text(store.records(collection.id)), progress)
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=file.parent, delete=False) as beside:
        pass
    try:
        features.save(Path(beside.name))
        os.replace(beside.name, file)
    except BaseException:
        Path(beside.name).unlink()
        raise


def forget_features(store: Store) -> None:
    """Delete what was kept so of collections that are gone."""
    there = {each.digest for each in store.collections()}
    for file in features_folder().glob("*.npz"):
        if file.stem not in there:
            file.unlink(missing_ok=True)


def taught(row: SessionRow, state: State, documents: int, outside: Floats | None = None) -> Feedback:
    """What a ranker may use of a session, by position in its collection of so many documents; `row` is as read.

    `outside` are the scores that the documents came with, where they are weighed.
    """
    labels, start = np.zeros(documents, dtype=np.int8), np.full(documents, -1.0 - documents)
    for code, label in TEACHES.items():
        labels[row.order[state.labels == code]] = label
    labels[row.order[[*state.aside_read]]] = (
        0  # most like what is sought, and dismissed for its date or family alone
    )
    for at, report in state.read_in_full.items():
        in_full = Label.OTHER_KIND if report.outcome == "excluded" else Label.INCLUDED
        labels[row.order[at]] = in_full if report.was_read else Label.RELEVANT
    start[row.order] = -np.arange(1, len(row.order) + 1) if state.ranks is None else -state.ranks
    return Feedback(row.query, labels, start, state.settings.words_for, state.settings.words_against, outside)


def basis(told: Feedback) -> tuple[bytes, list[str], bool]:
    """What tells one fit of a session from another: labels, words typed for and against, and whether scores are weighed."""
    return told.labels.tobytes(), _typed(told), told.outside is not None


def _typed(by: Feedback | Settings) -> list[str]:
    words = [by.words_for, by.words_against]
    return words if any(words) else []


def is_due(events: Sequence[Event], state: State) -> bool:
    """Whether the labels, words that were typed, or documents that joined call for another fit.

    Else one follows a label: what was taken back or changed counts with the next one, for its document is offered first.
    While a batch lasts its documents stay as they are.
    """
    if not state.settings.learns or state.stopped or state.depth % state.settings.rule.batch_size:
        return False
    moves = [event.kind for event in events if event.kind in (*UNDOABLE, *CHANGES_LIST, "undo", "fit")]
    since = moves[len(moves) - moves[::-1].index("fit") :] if "fit" in moves else moves
    if since[-1:] not in ([], ["label"], *([kind] for kind in CHANGES_LIST)):
        return False
    if _typed(state.settings) != (state.fit.get("words", []) if state.fit else []):
        return True
    known = int(np.isin(state.labels, list(TEACHES)).sum())
    corrected = state.fit is not None and (
        {*since} - {"label"} or state.fit.get("scores", False) != state.settings.weighs_scores
    )
    return due(known, state.fit["after"] if state.fit else 0) or (corrected and known > 0)


def fit(
    features: Features,
    row: SessionRow,
    state: State,
    outside: Floats | None = None,
    ranker: Ranker = RANKERS[DEFAULT],
) -> Fitted:
    """What the ranker puts first after the labels of this state, to be recorded; `row` and `outside` as for :func:`taught`."""
    told, seed = taught(row, state, len(features), outside), seed_of(row.digest)
    order = reading_order(ranker.scores(features, told, seed), seed)
    place = np.full(len(features), -1, dtype=np.intp)
    place[row.order] = np.arange(len(row.order))
    ahead = AHEAD + max(state.settings.rule.batch_size, int(FURTHER * told.count))
    following = place[order][place[order] >= state.depth][:ahead]
    payload = {
        "number": 1 + (state.fit["number"] if state.fit else 0),
        "after": told.count,
        "ranker": f"{ranker.name} {ranker.version}",
        "seed": seed,
        "settings": asdict(ranker),  # type: ignore[call-overload]
        "next": [row.ids[at] for at in following.tolist()],
    }
    rests_on = basis(told)
    beside = {name: what for name, what in (("words", rests_on[1]), ("scores", rests_on[2])) if what}
    return Fitted(Event("fit", payload | beside), rests_on)


def why_next(
    features: Features, row: SessionRow, state: State, record: Record, outside: Floats | None = None
) -> list[str]:
    """Words in a document, or pairs of them, that put it first after the labels of this state, the weightiest first.

    `ITS_SCORE` stands among them where that did; `outside` as for :func:`taught`.
    """
    told, [text] = taught(row, state, len(features), outside), ranking_text(pd.DataFrame([vars(record)]))
    found, at = list[str](), int(row.order[row.ids.index(record.id)])
    for term, adds in RANKERS[DEFAULT].why(features, told, at, text, seed_of(row.digest)).items():
        known = {*term.lower().split()} <= {*" ".join(found).split()} or not _tells(term)
        if adds > 0 and len(found) < MOST_WORDS and (term == ITS_SCORE or not known):
            found.append(term.lower())
    return found


def _tells(term: str) -> bool:
    """Whether a term says something to a person: '12 5', 'mg dose' and the 's' of a genitive do not, 'CT' does."""
    parts = term.split()
    long = [len(part) > (1 if part.isupper() or not part.isascii() else 2) for part in parts]
    return all(long) and any(map(str.isalpha, parts))


def why_sentence(state: State, ids: Sequence[str], words: Sequence[str]) -> str:
    """Why the next document is next, where it is not because the list says so and always did; `ids` are as read.

    `words` are those of :func:`why_next`.
    """
    at = state.depth
    if at == len(ids) or not (state.settings.learns or ids[at] in state.put_back):
        return ""
    if state.drawn is not None and state.drawn[at]:
        return "Next because it was drawn at random."
    if ids[at] in state.put_back:
        return "Next because its verdict was taken back."
    if words:
        # Before anything is found, what speaks for a document can only come from what was typed.
        found = np.isin(state.labels[:at], (said.RELEVANT, said.COMBINATION)).any()
        typed = "words" if state.settings.words_for else "question"
        by, named = ["its score in the file"] * (ITS_SCORE in words), list(filter(ITS_SCORE.__ne__, words))
        by += [f"your {'labels' if found else typed}: {', '.join(named)}"] if named else []
        return f"Next by {' and '.join(by)}."
    if state.fit is None:
        return "Next in the order of the list, until there is a label to learn from."
    return (
        "Next by what your labels say." if ids[at] in state.fit["next"] else "Next in the order of the list."
    )


def gain_sentence(state: State) -> str:
    """What was found in this order beside what the list's own would have shown by now; else empty.

    How many the list's order finds is known only of what was read: where the last of those found stands in it would
    flatter this order, for others like it may stand before. So what is unread there is said too.
    """
    documents, read = state.depth - state.kept, slice(state.kept, state.depth)
    found = state.labels[read] == said.RELEVANT
    if state.fit is None or state.ranks is None or np.count_nonzero(found) < LEAST_FOUND:
        return ""
    early = (np.argsort(np.argsort(state.ranks[state.kept :])) < documents)[:documents]
    same, unread = np.count_nonzero(early & found), documents - np.count_nonzero(early)
    if not unread:
        return ""
    what = "included" if state.settings.two_stages else "relevant"
    return (
        f"{np.count_nonzero(found):,} {what} after {documents:,}; of the {documents:,} that stand first in the list's own "
        f"order, {same:,} {'is' if same == 1 else 'are'} among them, and {unread:,} still unread."
    )
