"""Fit calibrators to labelled lists, and judge them on lists they were not fitted on."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from tarstop_core.calibration.calibrator import BY_RANK, KINDS, PATENT, SCENARIOS, Calibrator, FittedOn, Kind
from tarstop_core.calibration.hit_rate_fit import fit_thinning
from tarstop_core.calibration.quality import Predicted, Quality, quality_of
from tarstop_core.calibration.rank_frailty import fit_rank_frailty, with_learned
from tarstop_core.calibration.scores import tied_share, z_scores
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem

Choice = TypeVar("Choice", bound=str)


def fit(
    topics: Sequence[Topic],
    *,
    kind: str = "marginal",
    scenario: str = PATENT,
    name: str = "your topics",
    source: str = "",
    simulated: bool = False,
    pseudo: float = 0.0,
    own: str = "",
    lists: tuple[str, ...] = (),
    collections: Sequence[str] | None = None,
    start: Calibrator | None = None,
) -> Calibrator:
    """Fit a calibrator on labelled rankings; documents without a label are ignored.

    The marginal kind is that of Fletcher & Stevenson; the others go beyond the paper.

    Parameters
    ----------
    topics : sequence of Topic
        Labelled lists, with scores unless `kind` goes by rank. In the patent scenario only ω⁺ topics count (p is
        conditional on ω⁺); in the others all do.
    kind : str
        One of :data:`~tarstop_core.calibration.calibrator.KINDS`.
    scenario : str
        One of :data:`~tarstop_core.calibration.calibrator.SCENARIOS`.
    name, source, simulated, own, lists
        Provenance of the topics, as in :class:`~tarstop_core.calibration.calibrator.FittedOn`.
    pseudo : float
        Weight of imagined documents, relevant at the base rate, added to every isotonic step. 0 is plain
        isotonic regression, as in the paper. With 1, a top step learned from two documents no longer
        claims certainty, which a single miss would turn into the belief that nothing exists.
    collections, start
        Only for "rank-frailty", as for :func:`~tarstop_core.calibration.rank_frailty.fit_rank_frailty`.

    Returns
    -------
    Calibrator
        Without its quality, which :func:`assess` and :func:`cross_validate` measure.

    Raises
    ------
    InputProblem
        If there is no such kind or scenario, or nothing to learn from.
    """
    kind = _one_of(KINDS, "calibrator kind", kind)
    used = usable(topics, scenario, kind)
    seen = _describe(used, name=name, source=source, simulated=simulated, own=own, lists=lists)
    labelled = [(has_label(topic), _labels(topic)) for topic in used]
    thinning = fit_thinning(labelled) if scenario != PATENT else None
    if kind == "rank-frailty":
        if collections is not None:
            collections = [name for topic, name in zip(topics, collections, strict=True) if topic in used]
        learned = fit_rank_frailty(used, collections, start)
        return with_learned(Calibrator(kind, scenario, (), (), seen, thinning=thinning), learned)
    if kind == "rank":
        at, share, weight = _rank_frequencies(used)
    else:
        at, hit = _pairs(used, until_hit=kind == "hazard")
        share, weight = hit.astype(float), np.ones(len(hit))
    x, y = _isotonic(at, share, weight, increasing=kind != "rank", pseudo=pseudo)
    calibrator = Calibrator(kind, scenario, tuple(x.tolist()), tuple(y.tolist()), seen, thinning=thinning)
    if kind == "frailty":
        calibrator = replace(calibrator, frailty=_fit_frailty(calibrator, used))
    if kind != "hazard":
        calibrator = replace(calibrator, dispersion=_fit_dispersion(calibrator, used))
    return calibrator


def assess(calibrator: Calibrator, topics: Sequence[Topic], how: str) -> Quality:
    """Quality of a calibrator on labelled topics: Brier score, ECE and reliability.

    Parameters
    ----------
    calibrator : Calibrator
        Its chances are compared with being relevant. Those of kinds "hazard", "first-hit", "frailty" and "rank-frailty" are
        compared with being the first hit, given none before, so only documents up to the first hit count.
    topics : sequence of Topic
        Labelled lists; in the patent scenario only ω⁺ topics count.
    how : str
        How these topics relate to the training topics, for a person.

    Returns
    -------
    Quality
        With intervals by resampling lists.
    """
    return assess_each([(calibrator, topics)], how)


def assess_each(judged: Sequence[tuple[Calibrator, Sequence[Topic]]], how: str) -> Quality:
    """Pooled quality of several calibrators, each judged on lists of its own; otherwise as :func:`assess`."""
    pairs = [
        (calibrator, usable(topics, calibrator.scenario, calibrator.kind)) for calibrator, topics in judged
    ]
    return quality_of([lists for pair in pairs for lists in _predictions(*pair)], how)


def cross_validate(topics: Sequence[Topic], folds: int = 5, **settings: Any) -> Quality:
    """Quality by k-fold cross-validation over topics: a fit that has not seen a topic judges it.

    There are as many folds as topics if there are fewer of these. `settings` are those of :func:`fit`. Raises InputProblem
    with fewer than two usable topics.
    """
    kind = _one_of(KINDS, "calibrator kind", settings.get("kind", "marginal"))
    used = usable(topics, settings.get("scenario", PATENT), kind)
    folds = min(folds, len(used))
    if folds < 2:
        raise InputProblem(
            "A calibrator is judged on topics it was not fitted on, but there is only one usable topic; "
            "give a test run and its qrels."
        )
    from sklearn.model_selection import GroupKFold  # slow to import, seldom needed

    order = np.arange(len(used))
    held_out: list[Predicted] = []
    for train, test in GroupKFold(folds).split(order, groups=order):
        held_out += _predictions(fit([used[i] for i in train], **settings), [used[i] for i in test])
    return quality_of(held_out, f"{folds}-fold cross-validation by topic")


def usable(topics: Sequence[Topic], scenario: str, kind: Kind) -> list[Topic]:
    """Return the lists that a kind of calibrator can be fitted or judged on: labelled, in the patent scenario ω⁺.

    Parameters
    ----------
    topics : sequence of Topic
        Lists, labelled or not.
    scenario : str
        One of :data:`~tarstop_core.calibration.calibrator.SCENARIOS`.
    kind : str
        The kind of calibrator.

    Returns
    -------
    list of Topic
        At least one.

    Raises
    ------
    InputProblem
        If there is none, if scores are missing, or if nothing relevant is ranked.
    """
    _one_of(SCENARIOS, "scenario", scenario)
    used = [topic for topic in topics if topic.labels is not None and len(topic)]
    if scenario == PATENT:
        used = [topic for topic in used if topic.omega]
    elif kind == "rank-frailty":
        raise InputProblem(
            "Kind 'rank-frailty' is for searches that end at the first hit; choose 'rank' here."
        )
    if not used:
        raise InputProblem(
            "No list has a relevant document, so there is nothing to learn from; give one that does, "
            "or check that its labels name the same lists and documents."
        )
    if kind not in BY_RANK and any(topic.scores is None for topic in used):
        raise InputProblem("Some lists have no scores; fit a rank-based calibrator instead.")
    if not any(_labels(topic).any() for topic in used):
        raise InputProblem("No relevant document is ranked in any list, so there is nothing to learn from.")
    return used


def _labels(topic: Topic) -> Flags:
    """Labels of a list that has them."""
    return cast(Flags, topic.labels)


def has_label(topic: Topic) -> Flags:
    """Flags of the documents that have a label, shape (N,)."""
    return np.ones(len(topic), dtype=bool) if topic.labelled is None else topic.labelled


def _pairs(topics: Sequence[Topic], until_hit: bool) -> Predicted:
    """z-scores and labels of the labelled documents of all lists, as far as the first hit or to the end."""
    z, y = [], []
    for topic in topics:
        at = _judged(topic, until_hit)
        z.append(z_scores(cast(Floats, topic.scores))[at])
        y.append(_labels(topic)[at])
    return np.concatenate(z), np.concatenate(y)


def _judged(topic: Topic, until_hit: bool) -> NDArray[np.intp]:
    """Positions of labelled documents, as far as the first hit or to the end."""
    return np.flatnonzero(has_label(topic)[: topic.first_hit if until_hit else None])


def _rank_frequencies(topics: Sequence[Topic]) -> tuple[Floats, Floats, Floats]:
    """Log of each rank with a label, share relevant there, and number of lists with a label there."""
    longest = max(len(topic) for topic in topics)
    relevant, reached = np.zeros(longest), np.zeros(longest)
    for topic in topics:
        relevant[: len(topic)] += _labels(topic)
        reached[: len(topic)] += has_label(topic)
    # Ranks that nobody read are no evidence.
    at = np.flatnonzero(reached)
    return np.log(at + 1), relevant[at] / reached[at], reached[at]


def _isotonic(
    at: Floats, share: Floats, weight: Floats, increasing: bool, pseudo: float
) -> tuple[Floats, Floats]:
    """Nodes of an isotonic regression, its steps pulled towards the base rate by `pseudo` imagined documents each."""
    from sklearn.isotonic import IsotonicRegression  # slow to import, seldom needed

    isotonic = IsotonicRegression(increasing=increasing, y_min=0, y_max=1)
    fitted = isotonic.fit_transform(at, share, sample_weight=weight)
    x, y = np.asarray(isotonic.X_thresholds_), np.asarray(isotonic.y_thresholds_)
    if pseudo:
        steps, of = np.unique(fitted, return_inverse=True)
        size = np.bincount(of, weights=weight)
        base = float(np.average(share, weights=weight))
        pulled = np.maximum.accumulate((steps * size + pseudo * base) / (size + pseudo))
        y = pulled[np.minimum(np.searchsorted(steps, y), len(steps) - 1)]
    return x, y


def _fit_frailty(calibrator: Calibrator, topics: Sequence[Topic]) -> float:
    """Shape of the frailty by maximum likelihood on first-hit depths; infinite if independence fits as well."""
    cumulative = []
    for topic in topics:
        # An isotonic zero at a document that was a hit after all must not decide.
        p = np.clip(calibrator.probabilities(topic.scores), 1e-9, 1 - 1e-9)
        # Unread documents do not count as passed.
        total = np.concatenate(([0.0], np.cumsum(np.where(has_label(topic), -np.log1p(-p), 0.0))))
        hit = topic.first_hit
        cumulative.append((total[-1], np.inf) if hit is None else (total[hit - 1], total[hit]))
    before, at_hit = np.array(cumulative).T

    def log_M(total: Floats, a: float) -> Floats:
        return -total if math.isinf(a) else -a * np.log1p(total / a)

    def log_likelihood(a: float) -> float:
        return float(np.sum(log_M(before, a) + np.log(-np.expm1(log_M(at_hit, a) - log_M(before, a)))))

    return _likeliest(log_likelihood)


def _fit_dispersion(calibrator: Calibrator, topics: Sequence[Topic]) -> float:
    """Shape of the dispersion by maximum likelihood on totals of topics; infinite if a Poisson distribution fits as well."""
    hits = np.array([int(_labels(topic).sum()) for topic in topics])
    expected = np.array(
        [calibrator.probabilities(topic.scores, len(topic))[has_label(topic)].sum() for topic in topics]
    )
    above = expected > 0
    hits, expected = hits[above], expected[above]

    def log_likelihood(a: float) -> float:
        """Log-likelihood without terms that do not depend on a."""
        if math.isinf(a):
            return float(np.sum(hits * np.log(expected) - expected))
        rise = gammaln(a + hits) - gammaln(a)
        return float(np.sum(rise - (a + hits) * np.log1p(expected / a) + hits * np.log(expected / a)))

    return _likeliest(log_likelihood)


def _likeliest(log_likelihood: Callable[[float], float]) -> float:
    """Most likely shape; infinite if that fits as well."""
    best = minimize_scalar(lambda log_a: -log_likelihood(math.exp(log_a)), bounds=(-3, 7), method="bounded")
    a = math.exp(float(best.x))
    return a if log_likelihood(a) > log_likelihood(math.inf) + 1e-6 else math.inf


def _predictions(calibrator: Calibrator, topics: Sequence[Topic]) -> list[Predicted]:
    """Chances and labels of each list, for the event by which the calibrator is judged."""
    return [predicted(calibrator, topic, calibrator.first_hits) for topic in topics]


def predicted(calibrator: Calibrator, topic: Topic, first_hits: bool) -> Predicted:
    """Chances that a calibrator gives to the documents of a labelled list, with their labels.

    Parameters
    ----------
    calibrator : Calibrator
        The calibrator to be judged.
    topic : Topic
        A labelled list.
    first_hits : bool
        Whether to return chances of the first hit, for documents up to it, instead of chances of being relevant, for all
        documents with a label.

    Returns
    -------
    p, relevant : ndarray, shape (n,)
        Chances, and whether each document is relevant.
    """
    chance = calibrator.probabilities(topic.scores, len(topic))
    if first_hits:
        chance = calibrator.curve(chance, uninformative=~has_label(topic)).h
    at = _judged(topic, first_hits)
    return chance[at], _labels(topic)[at]


def _describe(topics: Sequence[Topic], **provenance: Any) -> FittedOn:
    """Describe the topics that a calibrator is fitted on."""
    lengths = [len(topic) for topic in topics]
    scored = [topic.scores for topic in topics if topic.scores is not None]
    top = [float(z_scores(scores).max()) for scores in scored] or [0.0]
    low, high = np.quantile(top, [0.05, 0.95]).tolist()
    return FittedOn(
        topics=len(topics),
        documents=sum(int(has_label(topic).sum()) for topic in topics),
        relevant=sum(int(_labels(topic).sum()) for topic in topics),
        shortest_list=min(lengths),
        longest_list=max(lengths),
        top_z=(low, high),
        tied_share=float(np.mean([tied_share(scores) for scores in scored])) if scored else 0.0,
        **provenance,
    )


def _one_of(choices: tuple[Choice, ...], what: str, name: object) -> Choice:
    """Return the choice of this name; raise InputProblem if there is none."""
    for choice in choices:
        if choice == name:
            return choice
    raise InputProblem(f"There is no {what} '{name}'; choose one of {', '.join(choices)}.")
