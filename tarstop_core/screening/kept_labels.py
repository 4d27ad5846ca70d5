"""Labels that came with a list: kept as already screened, or replayed in the order of the list.

An earlier reader did not read in the order of this list. Kept documents therefore stand first, each with the chance
that its own score or rank gives it. Under the marginal model, in which documents are relevant independently of each
other given that there is something to find, the belief after them is exact, whatever order they were read in and
however they were chosen from what was known then: M_d is a product over the documents read. It is an approximation for
calibrators of first hits, and for rules that look at the order of labels (knees, targets, runs of misses): they take
kept documents for the top of the list. A list that learns forecasts from what was read in its own order alone: there
kept documents teach the order, and the forecast is one of a list that begins after them
(:mod:`tarstop_core.screening.adaptive_chances`).
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
_ASREVIEW = ("asreview label", "label included")


@dataclass(frozen=True, eq=False)
class FileLabels:
    """The earlier labels of a collection's documents."""

    codes: NDArray[np.int8]
    """By position in the collection: UNSEEN for no label, else as in a session. Shape (n,)."""
    unknown: tuple[str, ...]  # Labels with an unclear meaning; their documents count as not labelled
    source: str  # where they come from

    @property
    def count(self) -> int:
        """Documents with a label."""
        return int(np.count_nonzero(self.codes != UNSEEN))

    @property
    def relevant(self) -> int:
        """Documents labelled relevant."""
        return int(np.count_nonzero(self.codes == FOUND))

    @property
    def undecided(self) -> int:
        """Documents labelled "maybe", or differently by several reviewers."""
        return int(np.count_nonzero(self.codes == UNSURE))

    @property
    def sentence(self) -> str:
        """Say how many labels there are of each kind.

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
        Its records.
    files : iterable of mapping
        What was understood of each file, as the store keeps it.
    groups : iterable of sequence of int
        Rows of patent families: a label of one member is one of all, and the one that found most counts.

    Returns
    -------
    FileLabels
    """
    meaning = {text: _code(text) for text in frame["label"].unique().tolist()}
    codes = frame["label"].map(meaning).to_numpy(dtype=np.int8)
    unknown = tuple(text for text, code in meaning.items() if text and code == UNSEEN)
    for group in groups:
        labels = {int(codes[row]) for row in group} - {UNSEEN}
        if labels:
            codes[list(group)] = next((code for code in (FOUND, UNSURE) if code in labels), min(labels))
    sources = [
        f"{file['source']} ({theirs}{', as ASReview writes them' if normal_header(theirs) in _ASREVIEW else ''})"
        for file in files
        for theirs, ours in file.get("understood", {}).items()
        if ours == "label"
    ]
    return FileLabels(codes, unknown, "; ".join(sources) or "the list")


def _code(text: str) -> int:
    if text in _MEANING:
        return CODES[_MEANING[text]]
    parts = [part.strip().casefold() for part in text.split("/")]
    return UNSURE if parts != [""] and all(part in _UNDECIDED for part in parts) else UNSEEN


def kept_first(ranking: Ranking, labels: FileLabels) -> tuple[Ranking, list[int]]:
    """Put labelled documents before the others, each group in the order of the ranking.

    Beside the new ranking the rank that each labelled document had, from 1 on.
    """
    labelled = labels.codes[ranking.order] != UNSEEN
    at = np.concatenate([np.flatnonzero(labelled), np.flatnonzero(~labelled)])
    count = int(labelled.sum())
    scores = None if ranking.scores is None else ranking.scores[at]
    how = f"{ranking.how} {count_of(count).capitalize()} that came with labels come first."
    return replace(ranking, order=ranking.order[at], scores=scores, how=how), (at[:count] + 1).tolist()


def kept_event(frame: pd.DataFrame, ranking: Ranking, labels: FileLabels, ranks: Sequence[int]) -> Event:
    """The event that adds the labels to a session, with the reasons and remarks that came with them.

    Parameters
    ----------
    frame : DataFrame
        The records.
    labels : FileLabels
        What they were labelled as.
    ranking, ranks
        As :func:`kept_first` gives them.

    Returns
    -------
    Event
    """
    positions = ranking.order[: len(ranks)].tolist()
    column = {name: frame[name].tolist() for name in ("id", "reason", "remark")}
    return Event(
        "kept",
        {
            "source": labels.source,
            "labels": {column["id"][row]: _NAME[int(labels.codes[row])] for row in positions},
            "ranks": list(ranks),
            "notes": _said(column["id"], column["remark"], positions),
            "reasons": _said(column["id"], column["reason"], positions),
        },
    )


def _said(ids: Sequence[str], texts: Sequence[str], positions: Iterable[int]) -> dict[str, str]:
    return {ids[row]: texts[row] for row in positions if texts[row]}


@dataclass(frozen=True)
class Replayed:
    """Where a rule would have stopped on labelled documents."""

    policy: Policy
    depth: int  # documents read by then
    found: int  # relevant ones among them
    plus: bool | None  # whether a⁺ is taken there; None if labels do not tell, or nothing is weighed


def replayed(
    ranking: Ranking,
    labels: FileLabels,
    settings: Settings,
    calibrator: Calibrator,
    policies: Sequence[Policy],
    whole: bool = False,
) -> list[Replayed]:
    """Replay the labelled documents in rank order, and find where each rule stops.

    Every label counts as it stands, so hits need no confirmation. In a review the labels say which reports are included and
    not what is in them: belief stays where it starts, so that only rules that do not act on it tell something.

    Parameters
    ----------
    ranking : Ranking
        Of the whole list, in which each document has its chance.
    labels : FileLabels
        What its documents were labelled as.
    settings : Settings
        What is at stake.
    calibrator : Calibrator
        Where the chances come from.
    policies : sequence of Policy
        The rules.
    whole : bool
        Documents without a label are passed over, for nobody knows what they are. Where the list is whole, with these behind
        those that have one, they count in its length, and a rule that has not stopped before them goes on.

    Returns
    -------
    list of Replayed
        One for each rule.
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
