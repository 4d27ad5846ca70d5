"""Labels that came with a list: kept as already screened, or replayed in the order of the list.

An earlier reader did not read in the order of this list. Kept documents are therefore put first, each with the chance
that its own score or rank gives it. In the marginal model, documents are relevant independently of each other given
that there is something to find. The belief after the kept documents is then exact, whatever their order was and however
they were chosen: M_d is a product over the documents read. It is an approximation for calibrators of first hits, and for
rules that use the order of labels (knees, targets, runs of misses), which take kept documents for the top of the list.
A list that learns forecasts only from documents read in its own order: kept documents teach the order, and the forecast
is for the list after them (:mod:`tarstop_core.screening.adaptive_chances`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.records import SAID_NOT_RELEVANT, SAID_RELEVANT
from tarstop_core.files.columns import normal_header
from tarstop_core.policies import Policy
from tarstop_core.presentation.numbers import count_of
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening.labels import CODES, CONFIRMED, UNSEEN, UNSURE
from tarstop_core.screening.labels import RELEVANT as FOUND
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State

_MEANING = {SAID_RELEVANT: "relevant", SAID_NOT_RELEVANT: "irrelevant"}
_UNDECIDED = {
    *("maybe", "unsure", "undecided", "unclear", "conflict", "included", "excluded"),
    *("unklar", "vielleicht", "peut-être", "incertain", "quizás", "dudoso", "talvez", "forse", "misschien"),
}
_NAME = {code: name for name, code in CODES.items()}
_ASREVIEW = ("asreview label", "label included")  # headers of labels in ASReview's files


@dataclass(frozen=True, eq=False)
class FileLabels:
    """The labels that a collection's documents came with."""

    codes: NDArray[np.int8]
    """Label of each document by position in the collection, as in a session; UNSEEN for none. Shape (n,)."""
    unknown: tuple[str, ...]  # Labels whose meaning is unclear; their documents count as not labelled
    source: str  # Files and columns that the labels come from

    @property
    def count(self) -> int:
        """Number of documents with a label."""
        return int(np.count_nonzero(self.codes != UNSEEN))

    @property
    def relevant(self) -> int:
        """Number of documents labelled relevant."""
        return int(np.count_nonzero(self.codes == FOUND))

    @property
    def undecided(self) -> int:
        """Number of documents labelled "maybe", or differently by several reviewers."""
        return int(np.count_nonzero(self.codes == UNSURE))

    @property
    def sentence(self) -> str:
        """Sentence on how many labels there are of each kind.

        Examples
        --------
        >>> FileLabels(np.array([1, 0, -1], dtype=np.int8), (), "a.csv").sentence
        '2 of 3 documents carry labels (1 relevant).'
        """
        carry = "carries" if self.count == 1 else "carry"
        undecided = f", {self.undecided:,} undecided" if self.undecided else ""
        carrying = f"{self.count:,} of {count_of(len(self.codes))} {carry} labels"
        return f"{carrying} ({self.relevant:,} relevant{undecided})."


def labels_found(
    frame: pd.DataFrame, files: Iterable[Mapping[str, Any]] = (), groups: Iterable[Sequence[int]] = ()
) -> FileLabels:
    """Read the labels of a collection.

    Parameters
    ----------
    frame : DataFrame
        Table of its records.
    files : iterable of mapping
        Descriptions of the files that they come from, with the columns understood.
    groups : iterable of sequence of int
        Rows of each patent family. A label of one member counts for all; of several, relevant counts before unsure.

    Returns
    -------
    FileLabels
        Labels of all records, and where they come from.
    """
    meaning = {text: _code(text) for text in frame["label"].unique().tolist()}
    codes = frame["label"].map(meaning).to_numpy(dtype=np.int8)
    unknown = tuple(text for text, code in meaning.items() if text and code == UNSEEN)
    for group in groups:
        labels = {int(codes[row]) for row in group} - {UNSEEN}
        if labels:
            codes[list(group)] = next((code for code in (FOUND, UNSURE) if code in labels), min(labels))
    sources = [
        f"{file['source']} ({header}{', as ASReview writes them' if normal_header(header) in _ASREVIEW else ''})"
        for file in files
        for header, column in file.get("understood", {}).items()
        if column == "label"
    ]
    return FileLabels(codes, unknown, "; ".join(sources) or "the list")


def _code(text: str) -> int:
    """Code of a label as a file writes it; UNSEEN if its meaning is unclear."""
    if text in _MEANING:
        return CODES[_MEANING[text]]
    parts = [part.strip().casefold() for part in text.split("/")]
    return UNSURE if parts != [""] and all(part in _UNDECIDED for part in parts) else UNSEEN


def kept_first(ranking: Ranking, labels: FileLabels) -> tuple[Ranking, list[int]]:
    """Ranking with labelled documents before the others, and the rank that each of these had before, from 1 on.

    Both groups keep their order.
    """
    labelled = labels.codes[ranking.order] != UNSEEN
    at = np.concatenate([np.flatnonzero(labelled), np.flatnonzero(~labelled)])
    count = int(labelled.sum())
    scores = None if ranking.scores is None else ranking.scores[at]
    how = f"{ranking.how} {count_of(count).capitalize()} that came with labels come first."
    return replace(ranking, order=ranking.order[at], scores=scores, how=how), (at[:count] + 1).tolist()


def kept_event(frame: pd.DataFrame, ranking: Ranking, labels: FileLabels, ranks: Sequence[int]) -> Event:
    """Event that adds the labels to a session, with the reasons and remarks that came with them.

    Parameters
    ----------
    frame : DataFrame
        Table of the records.
    labels : FileLabels
        Their labels.
    ranking, ranks : Ranking, sequence of int
        Results of :func:`kept_first`.

    Returns
    -------
    Event
        The event, still to be recorded.
    """
    positions = ranking.order[: len(ranks)].tolist()
    column = {name: frame[name].tolist() for name in ("id", "reason", "remark")}
    return Event(
        "kept",
        {
            "source": labels.source,
            "labels": {column["id"][row]: _NAME[int(labels.codes[row])] for row in positions},
            "ranks": list(ranks),
            "notes": _texts_of(column["id"], column["remark"], positions),
            "reasons": _texts_of(column["id"], column["reason"], positions),
        },
    )


def _texts_of(ids: Sequence[str], texts: Sequence[str], positions: Iterable[int]) -> dict[str, str]:
    """Texts of some rows that are not empty, by document."""
    return {ids[row]: texts[row] for row in positions if texts[row]}


@dataclass(frozen=True)
class Replayed:
    """Where a rule would have stopped on labelled documents."""

    policy: Policy
    depth: int  # documents read by then
    relevant_read: int  # relevant documents among them
    plus: bool | None  # whether a⁺ is taken there; None if labels do not tell, or no decision is weighed


def replayed(
    ranking: Ranking,
    labels: FileLabels,
    settings: Settings,
    calibrator: Calibrator,
    policies: Sequence[Policy],
    whole: bool = False,
) -> list[Replayed]:
    """Where each rule stops if the labelled documents are read in the order of the list.

    Every label counts at once, so hits need no confirmation. In a review, labels say which reports are included but not
    what is in them. The belief then stays at its start, so only rules that do not act on it give a meaningful result.

    Parameters
    ----------
    ranking : Ranking
        The whole list, which decides the chance of each document.
    labels : FileLabels
        Labels of its documents.
    settings : Settings
        Scenario, stakes and cost.
    calibrator : Calibrator
        Where the chances come from.
    policies : sequence of Policy
        The rules.
    whole : bool
        Whether documents without a label are part of the list; the ranking must then have them at its end, and a rule
        that has not stopped before them goes on. Otherwise they are left out, because their label is unknown.

    Returns
    -------
    list of Replayed
        Result of each rule.
    """
    codes = labels.codes[ranking.order]
    labelled = np.full(len(codes), True) if whole else codes != UNSEEN
    p, codes = calibrator.probabilities(ranking.scores, len(ranking))[labelled], codes[labelled]
    relevant = codes == FOUND
    counted = settings.read_at_once()
    verdicts_tell = scenario_of(settings).verdicts_tell
    chosen = verdicts_tell and settings.weighs
    verdicts = codes if verdicts_tell else np.full_like(codes, UNSEEN)
    state = State(counted, verdicts, np.full(len(codes), CONFIRMED, dtype=np.int8))
    path = screening_path(counted, calibrator, p, state).with_labels(relevant)
    hits = np.concatenate([[0], np.cumsum(relevant)])
    depths = [int(policy.depths(path, [counted.cost])[0]) for policy in policies]
    return [
        Replayed(rule, at, int(hits[at]), bool(path.action_at(at, rule.acts_on_belief)) if chosen else None)
        for rule, at in zip(policies, depths, strict=True)
    ]
