"""Sessions that learn: what the ranker is given, and the fit that the log records.

Only a fit runs the ranker. The log names the documents that a fit puts next, as many as are read before the next fit is
due. So the order of a session follows from its log alone (:mod:`tarstop_core.screening.fold`), on every machine.
"""

import os
from collections.abc import Callable, Iterable, Sequence
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
"""Fewest documents that a fit names as the next ones."""
TEACHES = {
    verdicts.RELEVANT: Label.RELEVANT,
    verdicts.COMBINATION: Label.RELEVANT,
    verdicts.BACKGROUND: Label.OTHER_KIND,
    verdicts.IRRELEVANT: Label.NOT_RELEVANT,
}
"""What each verdict teaches a ranker; an unsure one teaches nothing."""
MOST_WORDS = 3
"""Most words that are named as the reason why a document comes next."""
LEAST_FOUND = 3
"""Fewest relevant documents with which the order is compared with the list's own."""
_HELD: WeakValueDictionary[str, Features] = WeakValueDictionary()  # By digest, while a session uses them


@dataclass(frozen=True, eq=False)
class RankerFit:
    """A fit of the ranker, and what distinguishes it from others."""

    event: Event
    basis: tuple[bytes, list[str], bool]
    """As :func:`basis` returns it: labels by position in the collection, the words typed, and whether scores were used."""


def _file(collection: Collection) -> Path:
    return features_folder() / f"{collection.digest}.npz"


def features_of(collection: Collection) -> Features | None:
    """Features of the documents of a collection, shared by all sessions open on it; None until they are computed."""
    features = _HELD.get(collection.digest) or load_features(_file(collection))
    if features is not None:
        _HELD[collection.digest] = features
    return features


def prepare_features(store: Store, collection_id: str, progress: Progress | None = None) -> None:
    """Compute the features of a collection's documents and store them in a file beside the database.

    Parameters
    ----------
    store
        Holds the collection.
    collection_id
        Id of the collection.
    progress
        Called with the number of documents done, and of all.
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
    """Delete the files with features of collections that no longer exist."""
    there = store.record_digests()
    for file in features_folder().glob("*.npz"):
        if file.stem not in there:
            file.unlink(missing_ok=True)


def session_feedback(
    row: SessionRow, state: State, documents: int, outside: Floats | None = None
) -> Feedback:
    """Everything in a session that a ranker may use, by position in the collection.

    Parameters
    ----------
    row
        The session, with its documents in the order of reading.
    state
        State of the session.
    documents
        Number of documents in its collection.
    outside
        Scores that the documents came with, shape (documents,); None if they are not weighed.

    Returns
    -------
    Feedback
        Labels, first scores and `outside`, each of shape (documents,), with the question and the words typed.
    """
    labels, start = np.zeros(documents, dtype=np.int8), np.full(documents, -1.0 - documents)
    for code, label in TEACHES.items():
        labels[row.order[state.labels == code]] = label
    # A document set aside for its date or family may be most similar to what is sought, so its label teaches nothing.
    labels[row.order[[*state.aside_read]]] = 0
    for at, report in state.read_in_full.items():
        in_full = Label.OTHER_KIND if report.outcome == "excluded" else Label.INCLUDED
        labels[row.order[at]] = in_full if report.was_read else Label.RELEVANT
    start[row.order] = -np.arange(1, len(row.order) + 1) if state.ranks is None else -state.ranks
    return Feedback(row.query, labels, start, state.settings.words_for, state.settings.words_against, outside)


def basis(feedback: Feedback) -> tuple[bytes, list[str], bool]:
    """What distinguishes one fit from another: labels, words typed for and against, and whether scores are used."""
    return feedback.labels.tobytes(), _typed(feedback), feedback.outside is not None


def _typed(source: Feedback | Settings) -> list[str]:
    """Words typed for and against documents; empty if there are none."""
    words = [source.words_for, source.words_against]
    return words if any(words) else []


def is_due(events: Sequence[Event], state: State) -> bool:
    """Whether new labels, words typed or documents that joined call for another fit.

    A fit follows a label or a change of the list, not an undo or a changed verdict: these count with the next label,
    because their document is offered first. Documents of a batch keep their order until all of it is read.
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
    beyond: int = 0,
    prefetched: Iterable[RankerFit] = (),
) -> RankerFit:
    """Fit the ranker to the labels of this state, and put the next documents in order.

    Parameters
    ----------
    features
        Features of the collection's documents.
    row, state, outside
        As for :func:`session_feedback`.
    beyond
        With several readers: by how many documents the fastest is ahead of those that all have judged. The fit names
        as many more, so that this reader can go on.
    prefetched
        Fits of :func:`prefetch`, one of which may be to the same labels.

    Returns
    -------
    RankerFit
        The fit, with the event that records it.
    """
    feedback, seed = session_feedback(row, state, len(features), outside), seed_of(row.digest)
    rests_on, ranker = basis(feedback), RANKERS[DEFAULT]
    for fitted in prefetched:
        if fitted.basis == rests_on:
            return fitted
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
    beside = {name: value for name, value in (("words", rests_on[1]), ("scores", rests_on[2])) if value}
    return RankerFit(Event("fit", payload | beside), rests_on)


def why_next(
    features: Features, row: SessionRow, state: State, record: Record, outside: Floats | None = None
) -> list[str]:
    """Words or pairs of words in a document that put it next, the most important first.

    Parameters
    ----------
    features, row, state, outside
        As for :func:`fit`.
    record
        The next document.

    Returns
    -------
    list of str
        At most :data:`MOST_WORDS`; `ITS_SCORE` stands for the document's own score.
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
    """Fit the ranker for both verdicts on the next document before one is given.

    Parameters
    ----------
    features, row, state, outside
        As for :func:`fit`.
    events
        The log.
    document
        Returns the document at a position in the order of reading.

    Returns
    -------
    list of RankerFit
        The fits that a verdict would make due.
    dict
        Words that would put a document next, by its id and the number of the fit.
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
    """Whether a term means something to a person: 'CT' does; '12 5', 'mg dose' and the 's' of a genitive do not."""
    parts = term.split()
    long = [len(part) > (1 if part.isupper() or not part.isascii() else 2) for part in parts]
    return all(long) and any(map(str.isalpha, parts))


def why_sentence(state: State, ids: Sequence[str], words: Sequence[str]) -> str:
    """Sentence on why the next document comes next; empty if it only follows the list's own order.

    Parameters
    ----------
    state
        State of the session.
    ids
        Its documents in the order of reading.
    words
        Words that put the document next, from :func:`why_next`.

    Returns
    -------
    str
        A sentence, or nothing.
    """
    at = state.depth
    if at == len(ids) or not (state.settings.learns or ids[at] in state.put_back):
        return ""
    # Until something relevant is found, only the words typed or the question can tell documents apart.
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
    """Sentence that compares the finds in this order with those in the list's own order; empty if there is nothing to compare.

    Of the documents that the list's own order would have put first, some are unread, and may be relevant. The sentence
    therefore also says how many these are. The rank of the last find in the list would flatter this order.
    """
    documents, read = state.depth - state.kept, slice(state.kept, state.depth)
    hits = state.labels[read] == verdicts.RELEVANT
    if state.fit is None or state.ranks is None or np.count_nonzero(hits) < LEAST_FOUND:
        return ""
    early = (np.argsort(np.argsort(state.ranks[state.kept :])) < documents)[:documents]
    same, unread = np.count_nonzero(early & hits), documents - np.count_nonzero(early)
    if not unread:
        return ""
    counts = {"found": np.count_nonzero(hits), "documents": documents, "kept": state.kept}
    counts |= {"same": same, "unread": unread}
    return message("gain", **counts, included=state.settings.judges_abstracts)
