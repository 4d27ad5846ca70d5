"""From scores or ranks to the chance that a document is relevant.

Scores are compared within a topic (z-scores), pooled over training topics and turned into
probabilities by one isotonic regression. Five kinds:

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
    the rank of the first hit is known; see :mod:`tarstop_core.first_hit`.

What the chances are chances of is the scenario: "patent", relevant given that something is to be found;
"review", bringing extractable data for the outcome; "inclusion", being included by title and abstract.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import gammaln
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import GroupKFold

from tarstop_core.belief.decisive import HitCurve, hit_curve
from tarstop_core.documents.topic import Topic
from tarstop_core.envelope import read_envelope, read_file
from tarstop_core.errors import InputProblem

Floats = NDArray[np.float64]
Kind = Literal["marginal", "hazard", "frailty", "rank", "first-hit"]
KINDS: tuple[Kind, ...] = ("marginal", "hazard", "frailty", "rank")
"""Those that :func:`fit` fits on labelled rankings."""
BY_RANK: tuple[Kind, ...] = ("rank", "first-hit")
HAZARDS: tuple[Kind, ...] = ("hazard", "first-hit")
"""Kinds whose chances are already those of a first hit."""
SCENARIOS = ("patent", "review", "inclusion")
FILE_FORMAT = "tarstop-calibrator"
FILE_VERSION = 1
BINS = 10


@dataclass(frozen=True)
class FittedOn:
    """What a calibrator has seen, kept so that a person can judge whether it fits their list."""

    name: str
    topics: int
    documents: int
    relevant: int
    simulated: bool
    source: str = ""
    shortest_list: int = 0
    longest_list: int = 0
    top_z: tuple[float, float] = (0.0, 0.0)
    tied_share: float = 0.0
    own: str = ""
    """What a person's own calibrator was fitted on: "lists", "sessions", "cases"; empty for others."""
    lists: tuple[str, ...] = ()
    """Hashes of the lists it was fitted on (:func:`tarstop_core.session.records_digest`), where they are known."""

    @property
    def badge(self) -> str:
        """Where the probabilities come from, in a few words."""
        if self.simulated:
            return f"fitted on {self.topics:,} simulated topics ({self.name}): illustrative"
        if self.own:
            what = self.own if self.topics != 1 else self.own.removesuffix("s")
            return f"fitted on your {self.topics:,} {what} ({self.name})"
        return f"fitted on {self.topics:,} real topics ({self.name})"


@dataclass(frozen=True)
class Quality:
    """How well probabilities matched what was found, on topics that were not fitted on.

    `reliability` holds, for each non-empty bin of equal width, the mean probability, the share
    found relevant and the number of documents.
    """

    how: str
    topics: int
    documents: int
    brier: float
    ece: float
    reliability: tuple[tuple[float, float, int], ...] = ()


@dataclass(frozen=True)
class Calibrator:
    """A fitted map from z-scores (or ranks) to probabilities, small enough to read.

    Parameters
    ----------
    kind : {"marginal", "hazard", "frailty", "rank", "first-hit"}
    scenario : {"patent", "review", "inclusion"}
        patent: chance of being relevant given ω⁺; review: chance of bringing extractable data;
        inclusion: chance of being included by title and abstract.
    x, y : tuple of float
        Nodes of the isotonic function: z-scores (by rank: log ranks, so y falls), and probabilities.
        Linear between nodes, constant outside.
    fitted_on : FittedOn
    frailty : float
        Shape a of the gamma frailty; infinite for every other kind.
    quality : Quality or None
    dispersion : float
        How much lists' totals of relevant documents vary around what the chances predict: the total is
        negative binomial with mean Σp and this shape, as if Σp were multiplied by a gamma variable of mean
        1 and this shape. Infinite where they vary no more than chance has it, for hazards, whose chances
        do not add up to a total, and for files older than it. See :func:`tarstop_core.unseen.unseen`.
    band : tuple of (float, float)
        "first-hit": at each x, the 95 % interval of the chance that the first hit has come by that rank.
    """

    kind: Kind
    scenario: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    fitted_on: FittedOn
    frailty: float = math.inf
    quality: Quality | None = None
    dispersion: float = math.inf
    band: tuple[tuple[float, float], ...] = ()

    @property
    def by_rank(self) -> bool:
        """Whether it looks at ranks alone, so that a list without scores will do."""
        return self.kind in BY_RANK

    @property
    def first_hits(self) -> bool:
        """Whether its event is the first hit, none before it; else it is "relevant"."""
        return self.kind in HAZARDS or self.kind == "frailty"

    def probabilities(self, scores: ArrayLike | None, n: int | NDArray[np.int64] | None = None) -> Floats:
        """Chance of each document, shape (N,), in screening order.

        Parameters
        ----------
        scores : array_like, shape (N,), or None
            Scores of the whole list; kinds by rank do not look at them.
        n : int or ndarray of int, shape (N,), optional
            N, when there are no scores; or the rank of each document, where they do not stand by rank.

        Raises
        ------
        InputProblem
            When this kind needs scores and there are none.
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

    def curve(self, p: ArrayLike, **assumptions: Any) -> HitCurve:
        """Survival curve for these probabilities, with this calibrator's frailty."""
        return hit_curve(p, frailty=self.frailty, **assumptions)

    def mismatch(self, scores: ArrayLike | None, n: int | None = None) -> list[str]:
        """What about a list looks unlike the training lists, a sentence each; empty when nothing does."""
        seen = self.fitted_on
        length = n if scores is None else len(np.asarray(scores))
        remarks = []
        if self.kind == "first-hit":
            if length and length > seen.longest_list:
                remarks.append(
                    f"Your past cases say nothing beyond rank {seen.longest_list:,}; from there to document "
                    f"{length:,} the chances follow the shape of the curve alone."
                )
            return remarks
        if length and seen.longest_list and not seen.shortest_list / 2 <= length <= seen.longest_list * 2:
            remarks.append(
                f"Your list has {length:,} documents; the training lists had "
                f"{seen.shortest_list:,} to {seen.longest_list:,}."
            )
        if length and scores is not None and not self.by_rank:
            values = np.asarray(scores, dtype=float)
            if len(values) > 1 and values.min() == values.max():
                remarks.append("All scores are the same, so every document gets the same chance.")
            else:
                top, (low, high) = float(z_scores(values).max()), seen.top_z
                slack = max(1.0, (high - low) / 2)
                if high > low and len(values) > 1 and not low - slack <= top <= high + slack:
                    remarks.append(
                        f"Your best score stands {top:.1f} standard deviations above the average; "
                        f"in the training lists it was {low:.1f} to {high:.1f}."
                    )
                tied = tied_share(values)
                if tied > seen.tied_share + 0.25:
                    remarks.append(
                        f"{tied:.0%} of your scores are tied with another; "
                        f"in the training lists it was {seen.tied_share:.0%}. Among equals the order says nothing."
                    )
        return remarks

    def to_json(self) -> str:
        """The calibrator as a small versioned JSON document."""
        content: dict[str, Any] = {"format": FILE_FORMAT, "version": FILE_VERSION, **asdict(self)}
        if math.isinf(self.frailty):
            content["frailty"] = None
        # What is as it was before these fields existed is left out, so that older files keep their fingerprint.
        if math.isinf(self.dispersion):
            del content["dispersion"]
        if not self.band:
            del content["band"]
        for name in ("own", "lists"):
            if not content["fitted_on"][name]:
                del content["fitted_on"][name]
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    @property
    def digest(self) -> str:
        """Fingerprint of what decides the probabilities and of what they were fitted on."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]


def from_json(text: str, name: str = "The calibrator") -> Calibrator:
    """Read a calibrator back.

    Raises
    ------
    InputProblem
        When the text is not a calibrator of a known version.
    """
    content = read_envelope(
        text,
        name,
        file_format=FILE_FORMAT,
        version=FILE_VERSION,
        what="calibrator",
        maker="'tarstop calibrate'",
        again="fit it again",
    )
    try:
        calibrator = Calibrator(
            kind=_kind(content["kind"], (*KINDS, "first-hit")),
            scenario=_scenario(content["scenario"]),
            x=_numbers(content["x"]),
            y=_numbers(content["y"]),
            fitted_on=_fitted_on(content["fitted_on"]),
            frailty=math.inf if content["frailty"] is None else float(content["frailty"]),
            dispersion=float(content.get("dispersion", math.inf)),
            quality=None if content.get("quality") is None else _read_quality(content["quality"]),
            band=tuple((float(low), float(high)) for low, high in content.get("band", ())),
        )
    except InputProblem as problem:
        raise InputProblem(f"{name} is damaged: {problem}") from None
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as problem:
        raise InputProblem(f"{name} is damaged ({problem}); fit it again.") from None
    x, y = np.array(calibrator.x), np.array(calibrator.y)
    if not len(x) or len(x) != len(y) or not (np.diff(x) > 0).all() or not np.isfinite(x).all():
        raise InputProblem(f"{name} is damaged (its steps are not in order); fit it again.")
    if not ((y >= 0) & (y <= 1)).all():
        raise InputProblem(f"{name} is damaged (its steps are not probabilities); fit it again.")
    if calibrator.band and len(calibrator.band) != len(x):
        raise InputProblem(f"{name} is damaged (its interval does not fit its steps); fit it again.")
    for what in ("frailty", "dispersion"):
        if not getattr(calibrator, what) > 0:
            raise InputProblem(f"{name} is damaged (its {what} is not above 0); fit it again.")
    return calibrator


def load(path: str | Path) -> Calibrator:
    """Read a calibrator file; see :func:`from_json`."""
    name = f"The calibrator {path}"
    return from_json(read_file(path, name), name)


def scaled(p: Floats, factor: float) -> Floats:
    """Every chance times a factor, at most 1; where they are as they were, the same array.

    Examples
    --------
    >>> scaled(np.array([0.1, 0.8]), 2.0)
    array([0.2, 1. ])
    """
    return p if factor == 1 else np.minimum(1.0, factor * p)


def z_scores(scores: ArrayLike) -> Floats:
    """(v − mean)/sd within the topic, shape (N,); zeros where all scores are the same.

    Raises
    ------
    InputProblem
        When a score is missing or infinite.

    Examples
    --------
    >>> z_scores([3.0, 1.0]), z_scores([2.0, 2.0])
    (array([ 1., -1.]), array([0., 0.]))
    """
    values = np.asarray(scores, dtype=float)
    if not np.isfinite(values).all():
        raise InputProblem("A score is missing or infinite; give every document a number.")
    if not len(values) or values.min() == values.max():
        return np.zeros(len(values))
    # Scaling by the largest first keeps huge scores from overflowing when squared.
    values = values / np.abs(values).max()
    return np.asarray((values - values.mean()) / values.std())


def tied_share(scores: ArrayLike) -> float:
    """Share of documents whose score another document has too."""
    _, counts = np.unique(np.asarray(scores, dtype=float), return_counts=True)
    return float(counts[counts > 1].sum() / max(1, counts.sum()))


def fit(
    topics: Sequence[Topic],
    *,
    kind: str = "marginal",
    scenario: str = "patent",
    name: str = "your topics",
    source: str = "",
    simulated: bool = False,
    pseudo: float = 0.0,
    own: str = "",
    lists: tuple[str, ...] = (),
) -> Calibrator:
    """Fit a calibrator on labelled rankings. Documents whose label is not known are passed over.

    Parameters
    ----------
    topics : sequence of Topic
        With labels, and with scores unless `kind` is "rank". In the patent scenario only ω⁺ topics
        count (p is conditional on ω⁺); in the others all do.
    kind : {"marginal", "hazard", "frailty", "rank"}
    scenario : {"patent", "review", "inclusion"}
    name, source, simulated
        What the topics are, for the person who will rely on them.
    own, lists
        As in :class:`FittedOn`.
    pseudo : float
        Weight of imagined documents, relevant at the base rate, added to every isotonic step. 0 is plain
        isotonic regression, as in the paper. With 1, a top step learned from two documents no longer
        claims certainty, which a single miss would turn into the belief that nothing exists.

    Raises
    ------
    InputProblem
        When there is nothing to learn from.

    Notes
    -----
    Fletcher & Stevenson, calibration (marginal); the other kinds go beyond the paper.
    """
    kind = _kind(kind)
    used = usable(topics, scenario, kind)
    if kind == "rank":
        at, share, weight = _rank_frequencies(used)
    else:
        at, hit = _pairs(used, until_hit=kind == "hazard")
        share, weight = hit.astype(float), np.ones(len(hit))
    x, y = _isotonic(at, share, weight, increasing=kind != "rank", pseudo=pseudo)
    calibrator = Calibrator(
        kind=kind,
        scenario=scenario,
        x=tuple(x.tolist()),
        y=tuple(y.tolist()),
        fitted_on=replace(_describe(used, name, source, simulated), own=own, lists=lists),
    )
    if kind == "frailty":
        calibrator = replace(calibrator, frailty=_fit_frailty(calibrator, used))
    if kind != "hazard":
        calibrator = replace(calibrator, dispersion=_fit_dispersion(calibrator, used))
    return calibrator


def assess(calibrator: Calibrator, topics: Sequence[Topic], how: str) -> Quality:
    """Brier score, ECE and reliability on labelled topics, by the calibrator's own event.

    The event of "hazard" and "first-hit" is "the first hit, none before it", so only documents up to the
    first hit count; of "frailty" likewise, with the conditional chances its curve gives. For the other
    kinds it is "relevant".

    Parameters
    ----------
    calibrator : Calibrator
    topics : sequence of Topic
        Labelled; in the patent scenario only ω⁺ topics count.
    how : str
        How these topics relate to the training topics, as shown to a person.
    """
    used = usable(topics, calibrator.scenario, calibrator.kind)
    return _quality(*_predictions(calibrator, used), topics=len(used), how=how)


def cross_validate(topics: Sequence[Topic], folds: int = 5, **settings: Any) -> Quality:
    """:func:`assess` by k-fold over topics: every topic is judged by a fit that has not seen it.

    Fewer topics than folds: as many folds as topics. A single topic cannot be held out of itself.

    Raises
    ------
    InputProblem
        With fewer than two usable topics.
    """
    kind, scenario = _kind(settings.get("kind", "marginal")), settings.get("scenario", "patent")
    used = usable(topics, scenario, kind)
    folds = min(folds, len(used))
    if folds < 2:
        raise InputProblem(
            "A calibrator is judged on topics it was not fitted on, and there is only one usable topic; "
            "give a test run and its qrels."
        )
    order = np.arange(len(used))
    p, hit = [], []
    for train, test in GroupKFold(folds).split(order, groups=order):
        held_out = _predictions(fit([used[i] for i in train], **settings), [used[i] for i in test])
        p.append(held_out[0])
        hit.append(held_out[1])
    how = f"{folds}-fold cross-validation by topic"
    return _quality(np.concatenate(p), np.concatenate(hit), topics=len(used), how=how)


def reliability(p: ArrayLike, relevant: ArrayLike, bins: int = BINS) -> tuple[tuple[float, float, int], ...]:
    """Mean probability, share relevant and count in each non-empty bin of equal width on [0, 1]."""
    p, relevant = np.asarray(p, dtype=float), np.asarray(relevant, dtype=float)
    at = np.minimum((p * bins).astype(int), bins - 1)
    count = np.bincount(at, minlength=bins)
    mean_p, share = (
        np.bincount(at, weights=weight, minlength=bins) / np.maximum(count, 1) for weight in (p, relevant)
    )
    return tuple((float(mean_p[i]), float(share[i]), int(count[i])) for i in np.flatnonzero(count))


def ece(curve: Sequence[tuple[float, float, int]]) -> float:
    """Expected calibration error of a reliability curve.

    Examples
    --------
    >>> round(ece(reliability([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1])), 3)
    0.1
    """
    total = sum(count for _, _, count in curve)
    return sum(count * abs(p - share) for p, share, count in curve) / total


def _kind(kind: object, known: tuple[Kind, ...] = KINDS) -> Kind:
    if kind not in known:
        raise InputProblem(f"There is no calibrator kind '{kind}'; choose one of {', '.join(known)}.")
    return kind


def _scenario(scenario: object) -> str:
    if scenario not in SCENARIOS:
        raise InputProblem(f"There is no scenario '{scenario}'; choose one of {', '.join(SCENARIOS)}.")
    return str(scenario)


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _fitted_on(content: Any) -> FittedOn:
    low, high = _numbers(content["top_z"])
    counts = ("topics", "documents", "relevant", "shortest_list", "longest_list")
    return FittedOn(
        name=str(content["name"]),
        simulated=bool(content["simulated"]),
        source=str(content["source"]),
        top_z=(low, high),
        tied_share=float(content["tied_share"]),
        own=str(content.get("own", "")),
        lists=tuple(str(each) for each in content.get("lists", ())),
        **{count: int(content[count]) for count in counts},
    )


def _read_quality(content: Any) -> Quality:
    brier, ece = float(content["brier"]), float(content["ece"])
    if not (0 <= brier <= 1 and 0 <= ece <= 1):
        raise InputProblem("its quality is outside 0 to 1; fit it again.")
    return Quality(
        how=str(content["how"]),
        topics=int(content["topics"]),
        documents=int(content["documents"]),
        brier=brier,
        ece=ece,
        reliability=tuple((float(p), float(share), int(n)) for p, share, n in content["reliability"]),
    )


def usable(topics: Sequence[Topic], scenario: str, kind: Kind) -> list[Topic]:
    """The lists that can teach or judge this kind: labelled, and in the patent scenario ω⁺.

    Raises
    ------
    InputProblem
        When there is none, when scores are lacking, or when nothing relevant is ranked.
    """
    scenario = _scenario(scenario)
    used = [topic for topic in topics if topic.labels is not None and len(topic)]
    if scenario == "patent":
        used = [topic for topic in used if topic.omega]
    if not used:
        raise InputProblem(
            "No topic has a relevant document, so there is nothing to learn from; "
            "check that the run and the qrels use the same topic and document names."
        )
    if kind not in BY_RANK and any(topic.scores is None for topic in used):
        raise InputProblem("Some lists have no scores; fit a rank-based calibrator instead.")
    if not any(_labels(topic).any() for topic in used):
        raise InputProblem("No relevant document is ranked in any topic, so there is nothing to learn from.")
    return used


def _labels(topic: Topic) -> NDArray[np.bool_]:
    if topic.labels is None:
        raise InputProblem(f"Topic {topic.name} has no labels.")
    return topic.labels


def known(topic: Topic) -> NDArray[np.bool_]:
    """Where the label of a document is known, shape (N,)."""
    return np.ones(len(topic), dtype=bool) if topic.known is None else topic.known


def _pairs(topics: Sequence[Topic], until_hit: bool) -> tuple[Floats, NDArray[np.bool_]]:
    z, y = [], []
    for topic in topics:
        judged = known(topic)[: (topic.first_hit or len(topic)) if until_hit else len(topic)]
        z.append(z_scores(cast(Floats, topic.scores))[: len(judged)][judged])
        y.append(_labels(topic)[: len(judged)][judged])
    return np.concatenate(z), np.concatenate(y)


def _rank_frequencies(topics: Sequence[Topic]) -> tuple[Floats, Floats, Floats]:
    """Share relevant at each rank among the lists that reach it, as sufficient statistics."""
    longest = max(len(topic) for topic in topics)
    relevant, reached = np.zeros(longest), np.zeros(longest)
    for topic in topics:
        relevant[: len(topic)] += _labels(topic)
        reached[: len(topic)] += known(topic)
    # Ranks that nobody read say nothing.
    at = np.flatnonzero(reached)
    return np.log(at + 1), relevant[at] / reached[at], reached[at]


def _isotonic(
    at: Floats, share: Floats, weight: Floats, increasing: bool, pseudo: float
) -> tuple[Floats, Floats]:
    """Nodes of an isotonic regression, its steps drawn towards the base rate by `pseudo` documents."""
    isotonic = IsotonicRegression(increasing=increasing, y_min=0, y_max=1)
    fitted = isotonic.fit_transform(at, share, sample_weight=weight)
    x, y = np.asarray(isotonic.X_thresholds_), np.asarray(isotonic.y_thresholds_)
    if pseudo:
        steps, of = np.unique(fitted, return_inverse=True)
        size = np.bincount(of, weights=weight)
        base = float(np.average(share, weights=weight))
        drawn = np.maximum.accumulate((steps * size + pseudo * base) / (size + pseudo))
        y = drawn[np.minimum(np.searchsorted(steps, y), len(steps) - 1)]
    return x, y


def _fit_frailty(calibrator: Calibrator, topics: Sequence[Topic]) -> float:
    """Shape a by maximum likelihood on first-hit depths; infinite when independence fits as well.

    An isotonic zero at a document that was a hit after all would make its likelihood zero whatever
    a is; the floor keeps such a document from deciding.
    """
    cumulative = []
    for topic in topics:
        p = np.clip(calibrator.probabilities(topic.scores), 1e-9, 1 - 1e-9)
        # What nobody read was not passed.
        total = np.concatenate(([0.0], np.cumsum(np.where(known(topic), -np.log1p(-p), 0.0))))
        hit = topic.first_hit
        cumulative.append((total[-1], None) if hit is None else (total[hit - 1], total[hit]))

    before = np.array([first for first, _ in cumulative])
    at_hit = np.array([np.inf if second is None else second for _, second in cumulative])

    def log_M(total: Floats, a: float) -> Floats:
        return -total if math.isinf(a) else -a * np.log1p(total / a)

    def log_likelihood(a: float) -> float:
        return float(np.sum(log_M(before, a) + np.log(-np.expm1(log_M(at_hit, a) - log_M(before, a)))))

    best = minimize_scalar(lambda log_a: -log_likelihood(math.exp(log_a)), bounds=(-3, 7), method="bounded")
    a = math.exp(float(best.x))
    return a if log_likelihood(a) > log_likelihood(math.inf) + 1e-6 else math.inf


def _fit_dispersion(calibrator: Calibrator, topics: Sequence[Topic]) -> float:
    """Shape a by maximum likelihood on the topics' totals; infinite when Poisson fits as well."""
    found = np.array([int(_labels(topic).sum()) for topic in topics])
    expected = np.array(
        [calibrator.probabilities(topic.scores, len(topic))[known(topic)].sum() for topic in topics]
    )
    above = expected > 0
    found, expected = found[above], expected[above]

    def log_likelihood(a: float) -> float:
        """Without the terms that do not depend on a."""
        if math.isinf(a):
            return float(np.sum(found * np.log(expected) - expected))
        return float(
            np.sum(
                gammaln(a + found)
                - gammaln(a)
                - (a + found) * np.log1p(expected / a)
                + found * np.log(expected / a)
            )
        )

    best = minimize_scalar(lambda log_a: -log_likelihood(math.exp(log_a)), bounds=(-3, 7), method="bounded")
    a = math.exp(float(best.x))
    return a if log_likelihood(a) > log_likelihood(math.inf) + 1e-6 else math.inf


def _predictions(calibrator: Calibrator, topics: Sequence[Topic]) -> tuple[Floats, NDArray[np.bool_]]:
    each = [predicted(calibrator, topic, calibrator.first_hits) for topic in topics]
    return np.concatenate([p for p, _ in each]), np.concatenate([y for _, y in each])


def predicted(calibrator: Calibrator, topic: Topic, first_hits: bool) -> tuple[Floats, NDArray[np.bool_]]:
    """What was said of the documents of a labelled list, and what they were, each of shape (n,).

    Parameters
    ----------
    calibrator : Calibrator
    topic : Topic
        Labelled.
    first_hits : bool
        Chances of the first hit, on documents up to it; else chances of being relevant, on all whose
        label is known.
    """
    chance = calibrator.probabilities(topic.scores, len(topic))
    if first_hits:
        chance = calibrator.curve(chance, silent=~known(topic)).h
    judged = known(topic)[: (topic.first_hit or len(topic)) if first_hits else len(topic)]
    return chance[: len(judged)][judged], _labels(topic)[: len(judged)][judged]


def _quality(p: Floats, relevant: NDArray[np.bool_], topics: int, how: str) -> Quality:
    curve = reliability(p, relevant)
    brier = float(np.mean((p - relevant) ** 2))
    return Quality(how=how, topics=topics, documents=len(p), brier=brier, ece=ece(curve), reliability=curve)


def _describe(topics: Sequence[Topic], name: str, source: str, simulated: bool) -> FittedOn:
    lengths = [len(topic) for topic in topics]
    scored = [topic.scores for topic in topics if topic.scores is not None]
    top = [float(z_scores(scores).max()) for scores in scored] or [0.0]
    low, high = np.quantile(top, [0.05, 0.95])
    return FittedOn(
        name=name,
        topics=len(topics),
        documents=sum(int(known(topic).sum()) for topic in topics),
        relevant=sum(int(_labels(topic).sum()) for topic in topics),
        simulated=simulated,
        source=source,
        shortest_list=min(lengths),
        longest_list=max(lengths),
        top_z=(float(low), float(high)),
        tied_share=float(np.mean([tied_share(scores) for scores in scored])) if scored else 0.0,
    )
