"""Calibrators, which turn scores or ranks into the chance that a document is relevant.

Scores are compared within a topic (z-scores), pooled over training topics and turned into
probabilities by one isotonic regression. Six kinds:

``marginal``
    p_k = P(document k relevant | ω⁺): the paper's, and the default.
``hazard``
    P(document k relevant | ω⁺, none before it): fitted on documents up to the first hit.
``frailty``
    marginal, plus one shape a shared by all topics: misses within a topic go together.
``rank``
    marginal as a falling function of the rank, for lists that have an order but no scores.
``first-hit``
    P(document k relevant | ω⁺, none before it) as a function of the rank, from past cases of which only
    the rank of the first hit is known; see :mod:`tarstop_core.calibration.first_hit`.
``rank-frailty``
    by rank, for lists of a collection that was not learned from: how rich it is and how fast its hits thin out is not
    known, and its lists vary; see :mod:`tarstop_core.calibration.rank_frailty`.

What the chances are chances of is the scenario: "patent", relevant given that something is to be found;
"review", bringing extractable data for the outcome; "inclusion", being included by title and abstract.
"""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.belief.decisive import HitCurve, hit_curve
from tarstop_core.belief.mixture import ListMixture, Remaining, mixture, power_exposure
from tarstop_core.calibration.calibration_monitor import ratios_of_curves
from tarstop_core.calibration.hit_rate_model import Thinning, still_unread, thinning_of
from tarstop_core.calibration.quality import Quality
from tarstop_core.calibration.scores import tied_share, z_scores
from tarstop_core.documents.tables import Flags, Floats, Ints
from tarstop_core.envelope import FileKind, read_file, validated
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.html import IN_PRINT
from tarstop_core.presentation.numbers import percent

Kind = Literal["marginal", "hazard", "frailty", "rank", "first-hit", "rank-frailty"]
# Kinds that :func:`~tarstop_core.calibration.fitting.fit` fits on labelled rankings.
KINDS: tuple[Kind, ...] = ("marginal", "hazard", "frailty", "rank", "rank-frailty")
# Kinds that look at ranks and need no scores.
BY_RANK: tuple[Kind, ...] = ("rank", "first-hit", "rank-frailty")
# Kinds whose chances are already those of a first hit.
HAZARDS: tuple[Kind, ...] = ("hazard", "first-hit")
PATENT, REVIEW, INCLUSION = SCENARIOS = ("patent", "review", "inclusion")
"""What chances may be chances of; not the scenarios of sessions, of which several need the same chances."""
FILE = FileKind(
    "tarstop-calibrator", 1, "calibrator", "'tarstop calibrate' or the Calibration page", "fit it again"
)


@dataclass(frozen=True)
class FittedOn:
    """What a calibrator was fitted on, so that a person can judge whether it suits their list."""

    name: str  # What the topics are, for people
    topics: int
    documents: int  # Documents with a label, over all topics
    relevant: int
    """`topics`, `documents` and `relevant`: how many there were."""
    simulated: bool  # Whether the topics are invented
    source: str = ""  # Where they come from, such as the name of a file
    shortest_list: int = 0  # Documents of the shortest list
    longest_list: int = 0  # Documents of the longest list
    top_z: tuple[float, float] = (0.0, 0.0)  # 5 % and 95 % quantile, over lists, of the best score's z-score
    tied_share: float = 0.0  # Mean share of documents whose score another document of the list has too
    own: str = ""
    """What a person's own calibrator was fitted on: "lists", "sessions", "cases"; empty for others."""
    lists: tuple[str, ...] = ()
    """Hashes of the lists it was fitted on (:func:`tarstop_core.documents.topic.records_digest`), if any."""

    @property
    def title(self) -> str:
        """The name as pages print it."""
        return self.name.translate(IN_PRINT)

    @property
    def badge(self) -> str:
        """Where the probabilities come from, in a few words."""
        if self.simulated:
            return f"fitted on {self.topics:,} simulated topics ({self.title}): illustrative"
        if self.own:
            what = self.own if self.topics != 1 else self.own.removesuffix("s")
            return f"fitted on your {self.topics:,} {what} ({self.title})"
        return f"fitted on {self.topics:,} real topics ({self.title})"


@dataclass(frozen=True)
class Calibrator:
    """A fitted map from z-scores or ranks to probabilities, small enough to read."""

    kind: Kind
    scenario: str
    """`kind` and `scenario`: as at the top of this module; the latter is one of :data:`SCENARIOS`."""
    x: tuple[float, ...]
    y: tuple[float, ...]
    """`x` and `y`: nodes of the isotonic function: z-scores (by rank: log ranks, so y falls), and probabilities. Linear
    between nodes, constant outside.
    """
    fitted_on: FittedOn
    frailty: float = math.inf  # Shape a of the gamma frailty; infinite for every other kind
    quality: Quality | None = None  # None if it was not judged on other topics
    dispersion: float = math.inf
    """How much lists' totals of relevant documents vary around what the chances predict: the total is negative binomial
    with mean Σp and this shape, as if Σp were multiplied by a gamma variable of mean 1 and this shape. Infinite
    if they vary no more than by chance, for hazards, whose chances do not add up to a total, and for files
    older than it.
    """
    band: tuple[tuple[float, float], ...] = ()
    """For "first-hit" and "rank-frailty": at each x, the 95 % interval of the chance that the first hit has come by that
    rank.
    """
    list_kinds: tuple[tuple[float, float, float, float], ...] = ()
    """For "rank-frailty", the kinds of lists this one may be: weight; v and w of the exposure Λ(k) = e^v·(k/10)^w of its
    first k documents; and 1/a, the variance of a gamma factor of mean 1 by which lists of the kind vary. In a file, `kinds`.
    """
    lacking: float = 0.0
    """1 − κ: how often a list holds nothing although there is something to find; learned together with `list_kinds`."""
    thinning: Thinning | None = None
    """How relevant documents thin out along a list; None in patents, and for files from before it existed."""

    @property
    def by_rank(self) -> bool:
        """Whether it uses only ranks, so that a list needs no scores."""
        return self.kind in BY_RANK

    @property
    def first_hits(self) -> bool:
        """Whether it is judged by the first hit, given none before it, and not by every relevant document."""
        return self.kind in HAZARDS or self.kind in ("frailty", "rank-frailty")

    def probabilities(self, scores: ArrayLike | None, n: int | Ints | None = None) -> Floats:
        """Chance of each document of a list, in screening order.

        Parameters
        ----------
        scores : array_like, shape (N,), or None
            Scores of the whole list; kinds by rank do not look at them.
        n : int or ndarray of int, shape (N,), optional
            Number of documents, if there are no scores; or the rank of each, if they are not in the order of ranks.

        Returns
        -------
        ndarray, shape (N,)
            Chances in [0, 1].

        Raises
        ------
        InputProblem
            When this kind needs scores, or the length of the list, and does not get them.
        """
        if self.by_rank:
            if not isinstance(n, np.ndarray):
                length = n if scores is None else len(np.asarray(scores))
                if length is None:
                    raise InputProblem("Say how many documents the list has: it has no scores.")
                n = np.arange(1, length + 1)
            at = np.log(n)
        elif scores is None:
            raise InputProblem(
                "This list has no scores, and the chosen calibrator reads scores; choose a rank-based one."
            )
        else:
            at = z_scores(scores)
        return np.interp(at, self.x, self.y)

    def curve(
        self, p: ArrayLike, ranks: int | Ints | None = None, kappa: float = 1.0, **assumptions: Any
    ) -> HitCurve:
        """Return the survival curve for these chances, with this calibrator's frailty or kinds of lists.

        Parameters
        ----------
        p : array_like, shape (N,)
            Chances as :meth:`probabilities` gives them.
        ranks : ndarray of int, shape (N,), or int, optional
            Rank of each document. A number of documents, like None, says that they are in the order of ranks.
        kappa : float
            Chance that the list holds a hit if there is one, in (0, 1]; at most 1 − `lacking` is used.
        **assumptions
            Other arguments of :func:`~tarstop_core.belief.decisive.hit_curve`.

        Returns
        -------
        HitCurve
            Chance of no hit in the first 0 … N documents.
        """
        kappa = min(kappa, 1 - self.lacking)
        if not self.list_kinds:
            return hit_curve(p, frailty=self.frailty, kappa=kappa, **assumptions)
        p = np.asarray(p, dtype=float)
        at = ranks if isinstance(ranks, np.ndarray) else np.arange(1, len(p) + 1)
        return hit_curve(p, kinds=self.kinds_at(at), kappa=kappa, **assumptions)

    def kinds_at(self, ranks: Ints) -> ListMixture:
        """Return the kinds of lists, with exposures of the documents at these ranks relative to what their chances imply."""
        weight, rich, slope, variance = np.array(self.list_kinds).T
        slopes, of = np.unique(slope, return_inverse=True)
        expected = -np.log1p(-np.minimum(self.probabilities(None, ranks), 1 - 1e-12))
        across = slopes[:, None]
        ratio = (power_exposure(ranks, across) - power_exposure(ranks - 1, across)) / expected
        with np.errstate(divide="ignore"):
            return ListMixture(mixture(weight, 1 / variance), np.exp(rich), of, ratio)

    def left(
        self, p: Floats, judged: Flags, relevant: Flags, unread: Flags, ranks: Ints | None = None
    ) -> Remaining:
        """Distribution of the relevant documents among those not read yet.

        Parameters
        ----------
        p : ndarray, shape (N,)
            Chances as :meth:`probabilities` gives them.
        judged, relevant, unread : ndarray of bool, shape (N,)
            Documents with a label that counts, those of them that are relevant, and documents not read yet.
        ranks : ndarray of int, shape (N,), optional
            Ranks of the documents, if they are not in the order of ranks.

        Returns
        -------
        Remaining
            Number of relevant documents among those not read yet.
        """
        order = slice(None) if ranks is None else np.argsort(ranks)
        thinning = self.thinning or thinning_of(p[order])
        return still_unread(thinning, judged[order], relevant[order], unread[order])

    def ratios(
        self,
        p: Floats,
        judged: Flags,
        relevant: Flags,
        before: Flags,
        ranks: Ints | None = None,
        scale: float = 1.0,
    ) -> Floats:
        """Log likelihood ratio of each alternative to these chances, for a list in which hits add up.

        Parameters
        ----------
        p : ndarray, shape (N,)
            Chances as :meth:`probabilities` gives them.
        judged, relevant : ndarray of bool, shape (N,)
            Documents with a label that counts, and those of them that are relevant.
        before : ndarray of bool, shape (N,)
            Documents that had been read when the chances were given.
        ranks : ndarray of int, shape (N,), optional
            Ranks of the documents, if they are not in the order of ranks.
        scale : float
            Factor by which the chances are multiplied.

        Returns
        -------
        ndarray, shape (A,)
            As :func:`tarstop_core.calibration.calibration_monitor.ratios_of_curves` gives it.
        """
        order = slice(None) if ranks is None else np.argsort(ranks)
        labels = judged[order], relevant[order], before[order]
        return ratios_of_curves(self.thinning or thinning_of(p[order]), *labels, scale)

    def mismatch(self, scores: ArrayLike | None, n: int | None = None) -> list[str]:
        """Sentences on how a list differs from the training lists; empty if it does not."""
        fitted_on = self.fitted_on
        length = n if scores is None else len(np.asarray(scores))
        if self.kind == "rank-frailty" or (
            self.kind == "first-hit" and (length or 0) <= fitted_on.longest_list
        ):
            return []  # Kind "rank-frailty" is made for lists of any length and system.
        if self.kind == "first-hit":
            from_there = f"from there to document {length:,} the chances follow only the shape of the curve"
            return [f"Your past cases say nothing beyond rank {fitted_on.longest_list:,}; {from_there}."]
        remarks = self._unlike_training_lists(scores, length)
        if not length or scores is None or self.by_rank:
            return remarks
        values = np.asarray(scores, dtype=float)
        if length > 1 and values.min() == values.max():
            return [*remarks, "All scores are the same, so every document gets the same chance."]
        tied = tied_share(values)
        if tied > fitted_on.tied_share + 0.25:
            remarks.append(
                f"{percent(tied)} of your scores are tied with another; "
                f"in the training lists it was {percent(fitted_on.tied_share)}. The order of equal scores says nothing."
            )
        return remarks

    def _unlike_training_lists(self, scores: ArrayLike | None, length: int | None) -> list[str]:
        """Sentences on a length or a best score far outside those of the training lists."""
        fitted_on, remarks = self.fitted_on, []
        shortest, longest = fitted_on.shortest_list, fitted_on.longest_list
        if length and longest and not shortest / 2 <= length <= longest * 2:
            remarks.append(
                f"Your list has {length:,} documents; the training lists had {shortest:,} to {longest:,}."
            )
        if not length or length < 2 or scores is None or self.by_rank:
            return remarks
        values = np.asarray(scores, dtype=float)
        top, (low, high) = float(z_scores(values).max()), fitted_on.top_z
        slack = max(1.0, (high - low) / 2)
        if values.min() < values.max() and high > low and not low - slack <= top <= high + slack:
            remarks.append(
                f"Your best score stands {top:.1f} standard deviations above the average; "
                f"in the training lists it was {low:.1f} to {high:.1f}."
            )
        return remarks

    def refusal(self, scores: ArrayLike | None) -> str:
        """Say why chances from these scores would mean nothing, if length or best score are unlike training; else empty."""
        if self.by_rank or scores is None:
            return ""
        unlike = self._unlike_training_lists(scores, len(np.asarray(scores)))
        why = "So a score means something else here; choose a calibrator that uses ranks."
        return " ".join((*unlike, why)) if unlike else ""

    def to_json(self) -> str:
        """Return the calibrator as a small versioned JSON document."""
        content = {"kinds" if name == "list_kinds" else name: value for name, value in asdict(self).items()}
        if math.isinf(self.frailty):
            content["frailty"] = None
        if math.isinf(self.dispersion):
            del content["dispersion"]
        # Fields added later are left out at their defaults, so that older files keep their digest.
        for part, names in (
            (content, ("band", "kinds", "lacking", "thinning")),
            (content["quality"] or {}, ("intervals",)),
            (content["fitted_on"], ("own", "lists")),
        ):
            for name in names:
                if not part.get(name):
                    part.pop(name, None)
        return FILE.text(content)

    @cached_property
    def digest(self) -> str:
        """Hash of everything that decides the probabilities, and of the data they were fitted on."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]


def from_json(text: str, name: str = "The calibrator") -> Calibrator:
    """Read a calibrator from its JSON; raise InputProblem if it is none of a known version or its numbers cannot be used."""
    content = FILE.content(text, name)
    if content.get("frailty", 0) is None:
        del content["frailty"]
    content["list_kinds"] = content.pop("kinds", [])
    calibrator = validated(Calibrator, content, name, FILE.again)
    for fault in _faults(calibrator):
        raise InputProblem(f"{name} is damaged ({fault}); {FILE.again}.")
    return calibrator


def _faults(calibrator: Calibrator) -> Iterator[str]:
    """Yield reasons why a calibrator that was read cannot be used."""
    if calibrator.scenario not in SCENARIOS:
        yield f"there is no scenario '{calibrator.scenario}'"
    x, y = np.array(calibrator.x), np.array(calibrator.y)
    if not len(x) or len(x) != len(y) or not (np.diff(x) > 0).all() or not np.isfinite(x).all():
        yield "its steps are not in order"
    if not ((y >= 0) & (y <= 1)).all():
        yield "its steps are not probabilities"
    if calibrator.band and len(calibrator.band) != len(x):
        yield "its interval does not fit its steps"
    kinds = np.array(calibrator.list_kinds or [(1, 0, 1, 0)])
    if bool(calibrator.list_kinds) != (calibrator.kind == "rank-frailty") or not (
        (kinds[:, [0, 2]] > 0).all() and (kinds[:, 3] >= 0).all() and (np.abs(kinds) < 100).all()
    ):
        yield "its kinds of lists cannot be used"
    if not 0 <= calibrator.lacking < 1:
        yield "its 'lacking' is not a chance below 1"
    for what in ("frailty", "dispersion"):
        if not getattr(calibrator, what) > 0:
            yield f"its {what} is not above 0"
    if calibrator.thinning and not calibrator.thinning.usable:
        yield "its thinning is not a distribution"


def load(path: str | Path) -> Calibrator:
    """Read a calibrator file; see :func:`from_json`."""
    name = f"The calibrator {path}"
    return from_json(read_file(path, name), name)
