"""Sessions that learn: the input of the ranker, and the fit that the log records.

Only a fit needs a ranker. It names the documents that come next, as many as are read before the next one is due, so that
the order of a session follows from its log alone (:mod:`tarstop_core.screening.fold`), on every machine.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
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
from tarstop_core.screening import labels as verdicts
from tarstop_core.screening.adaptive_chances import adaptive_chances
from tarstop_core.screening.log import CHANGES_LIST, UNDOABLE, Event
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import seed_of
from tarstop_core.screening.state import State
from tarstop_core.sessions import message
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import Collection, Record, SessionRow

AHEAD = 20
"""The least number of documents that a fit names."""
TEACHES = {
    verdicts.RELEVANT: Label.RELEVANT,
    verdicts.COMBINATION: Label.RELEVANT,
    verdicts.BACKGROUND: Label.OTHER_KIND,
    verdicts.IRRELEVANT: Label.NOT_RELEVANT,
}
"""The label of each verdict for a ranker; unsure ones have none."""
MOST_WORDS, LEAST_FOUND = 3, 3
"""Most words named as the reason why a document comes next, and finds from which the order is compared with the list's own."""
_HELD: WeakValueDictionary[str, Features] = WeakValueDictionary()


@dataclass(frozen=True, eq=False)
class RankerFit:
    """A fit and its basis."""

    event: Event
    basis: tuple[bytes, list[str], bool]
    """The labels that it learned from, by position in the collection, the words typed, and whether scores were used."""


def _file(collection: Collection) -> Path:
    return features_folder() / f"{collection.digest}.npz"


def features_of(collection: Collection) -> Features | None:
    """The features of these documents, shared by all sessions that are open on them; None until they are computed."""
    features = _HELD.get(collection.digest) or load_features(_file(collection))
    if features is not None:
        _HELD[collection.digest] = features
    return features


def prepare_features(store: Store, collection_id: str, progress: Progress | None = None) -> None:
    """Compute a ranker's features and keep them beside the database.

    Parameters
    ----------
    store
        Holds the collection.
    collection_id
        Of the collection.
    progress
        Called with documents done and their number.
    """
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
    """Delete kept features of collections that no longer exist."""
    there = store.record_digests()
    for file in features_folder().glob("*.npz"):
        if file.stem not in there:
            file.unlink(missing_ok=True)


def session_feedback(
    row: SessionRow, state: State, documents: int, outside: Floats | None = None
) -> Feedback:
    """Return everything in a session that a ranker may use.

    Parameters
    ----------
    row
        The session as read.
    state
        Where it stands.
    documents
        Documents of its collection.
    outside
        The scores that they came with, where they are weighed; shape (documents,).

    Returns
    -------
    Feedback
        By position in the collection.
    """
    labels, start = np.zeros(documents, dtype=np.int8), np.full(documents, -1.0 - documents)
    for code, label in TEACHES.items():
        labels[row.order[state.labels == code]] = label
    # most similar to what is sought, and set aside only for its date or family
    labels[row.order[[*state.aside_read]]] = 0
    for at, report in state.read_in_full.items():
        in_full = Label.OTHER_KIND if report.outcome == "excluded" else Label.INCLUDED
        labels[row.order[at]] = in_full if report.was_read else Label.RELEVANT
    start[row.order] = -np.arange(1, len(row.order) + 1) if state.ranks is None else -state.ranks
    return Feedback(row.query, labels, start, state.settings.words_for, state.settings.words_against, outside)


def basis(feedback: Feedback) -> tuple[bytes, list[str], bool]:
    """Return what distinguishes fits: labels, words typed for and against, and whether scores are used."""
    return feedback.labels.tobytes(), _typed(feedback), feedback.outside is not None


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
    labelled = int(np.isin(state.labels, list(TEACHES)).sum())
    corrected = state.fit is not None and (
        {*since} - {"label"} or state.fit.get("scores", False) != state.settings.weighs_scores
    )
    return due(labelled, state.fit["after"] if state.fit else 0) or (corrected and labelled > 0)


def fit(
    features: Features,
    row: SessionRow,
    state: State,
    outside: Floats | None = None,
    ranker: Ranker = RANKERS[DEFAULT],
    beyond: int = 0,
) -> RankerFit:
    """Fit the ranker to the labels of this state, and put the next documents in order.

    Parameters
    ----------
    features
        Of the collection.
    row, state, outside
        As for :func:`session_feedback`.
    ranker
        The ranker.
    beyond
        How many documents one of several readers has read that others have not, who needs as many more to go on.

    Returns
    -------
    RankerFit
        The event to be recorded.
    """
    feedback, seed = session_feedback(row, state, len(features), outside), seed_of(row.digest)
    order = reading_order(ranker.scores(features, feedback, seed), seed)
    place = np.full(len(features), -1, dtype=np.intp)
    place[row.order] = np.arange(len(row.order))
    ahead = AHEAD + beyond + max(state.settings.rule.batch_size, int(FURTHER * feedback.count))
    following = place[order][place[order] >= state.depth][:ahead]
    payload = {
        "number": 1 + (state.fit["number"] if state.fit else 0),
        "after": feedback.count,
        "ranker": f"{ranker.name} {ranker.version}",
        "seed": seed,
        "settings": asdict(ranker),  # type: ignore[call-overload]
        "next": [row.ids[at] for at in following.tolist()],
    }
    rests_on = basis(feedback)
    beside = {name: value for name, value in (("words", rests_on[1]), ("scores", rests_on[2])) if value}
    return RankerFit(Event("fit", payload | beside), rests_on)


def why_next(
    features: Features, row: SessionRow, state: State, record: Record, outside: Floats | None = None
) -> list[str]:
    """Return the words or pairs in a document that put it next, the most important first.

    Parameters
    ----------
    features, row, state, outside
        As for :func:`fit`.
    record
        The document.

    Returns
    -------
    list of str
        `ITS_SCORE` stands among them where that did.
    """
    feedback = session_feedback(row, state, len(features), outside)
    [text] = ranking_text(pd.DataFrame({"title": [record.title], "abstract": [record.abstract]}))
    words, at = list[str](), int(row.order[row.ids.index(record.id)])
    for term, adds in RANKERS[DEFAULT].why(features, feedback, at, text, seed_of(row.digest)).items():
        repeated = {*term.lower().split()} <= {*" ".join(words).split()}
        if adds > 0 and len(words) < MOST_WORDS and (term == ITS_SCORE or (_tells(term) and not repeated)):
            words.append(term.lower())
    return words


def prefetch(
    features: Features,
    row: SessionRow,
    state: State,
    events: Sequence[Event],
    outside: Floats | None,
    document: Callable[[int], Record],
) -> tuple[list[RankerFit], dict[tuple[str, int], list[str]]]:
    """Fit both answers to the next document before one is given.

    Parameters
    ----------
    features, row, state, outside
        As for :func:`fit`.
    events
        The log.
    document
        Returns the document at a place of the screening order.

    Returns
    -------
    list of RankerFit
        The fits that an answer makes due.
    dict
        Words that put a document next, by its id and the number of the fit.
    """
    fits, because = list[RankerFit](), dict[tuple[str, int], list[str]]()
    for verdict in (verdicts.IRRELEVANT, verdicts.RELEVANT):
        labels = state.labels.copy()
        labels[state.depth] = verdict
        later, number = replace(state, labels=labels), state.fit["number"] if state.fit else 0
        following = [*row.ids[later.depth : later.depth + 1]]
        if is_due([*events, Event("label")], later):
            fits.append(fit(features, row, later, outside))
            number, following = number + 1, fits[-1].event.payload["next"]
        if later.settings.adapts_chances:
            _ = adaptive_chances(later.settings, later)[1].chance  # cached by the hits
        for doc in following[:1]:
            record = document(row.ids.index(doc))
            because[doc, number] = why_next(features, row, later, record, outside)
    return fits, because


def _tells(term: str) -> bool:
    """Whether a term means something to a person: '12 5', 'mg dose' and the 's' of a genitive do not, 'CT' does."""
    parts = term.split()
    long = [len(part) > (1 if part.isupper() or not part.isascii() else 2) for part in parts]
    return all(long) and any(map(str.isalpha, parts))


def why_sentence(state: State, ids: Sequence[str], words: Sequence[str]) -> str:
    """Say why the next document comes next, unless that is only the list's own order.

    Parameters
    ----------
    state
        Where the session stands.
    ids
        Its documents as read.
    words
        As :func:`why_next` returns them.

    Returns
    -------
    str
        A sentence, or nothing.
    """
    at = state.depth
    if at == len(ids) or not (state.settings.learns or ids[at] in state.put_back):
        return ""
    # Before the first find, only typed words can tell documents apart.
    hits = np.isin(state.labels[:at], (verdicts.RELEVANT, verdicts.COMBINATION)).any()
    typed = "words" if state.settings.words_for else "question"
    return message(
        "why_next",
        drawn=state.drawn is not None and state.drawn[at],
        put_back=ids[at] in state.put_back,
        by_score=ITS_SCORE in words,
        words=[word for word in words if word != ITS_SCORE],
        source="labels" if hits else typed,
        fitted=state.fit is not None,
        named=state.fit is not None and ids[at] in state.fit["next"],
    )


def gain_sentence(state: State) -> str:
    """Compare the finds in this order with those in the list's own order, in words; empty if there is nothing to compare.

    How many the list's order finds is known only of what was read: where the last of those found stands in it would
    flatter this order, for others like it may stand before. So what is unread there is said too.
    """
    documents, read = state.depth - state.kept, slice(state.kept, state.depth)
    hits = state.labels[read] == verdicts.RELEVANT
    if state.fit is None or state.ranks is None or np.count_nonzero(hits) < LEAST_FOUND:
        return ""
    early = (np.argsort(np.argsort(state.ranks[state.kept :])) < documents)[:documents]
    same, unread = np.count_nonzero(early & hits), documents - np.count_nonzero(early)
    if not unread:
        return ""
    counts = {"found": np.count_nonzero(hits), "documents": documents, "same": same, "unread": unread}
    return message("gain", **counts, included=state.settings.judges_abstracts)
