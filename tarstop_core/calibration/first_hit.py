"""The rank of the first hit, learned from past cases that a person remembers.

Nobody keeps the labelled ranking of every past search, but "the first relevant one was at rank 4" or "none in the
first 60" is remembered. Such cases are few, so nothing is fitted to a point: a posterior over a small grid gives the
mean curve and how far it may be off.

The model is the discrete Weibull distribution of the rank of the first hit, given that there is something to find:

    S(k) = exp(−a·k^w),    h_k = 1 − S(k)/S(k − 1),    0 < w ≤ 1,

so that hits grow rarer down the list (w = 1: never). Its parameter is m = 1 − S(10), the chance of a hit within the
first ten. Prior: m, w and the share b of cases in which there is something to find, each uniform and independent.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tarstop_core.belief.mixture import weighted_quantiles
from tarstop_core.calibration.calibrator import PATENT, Calibrator, FittedOn
from tarstop_core.documents.tables import Floats, Ints
from tarstop_core.errors import InputProblem

Ending = Literal["hit", "stopped", "missed", "none"]
WITHIN = 10  # Rank at which the curve is reported and its prior stated
DEEPEST = 100_000  # Deepest rank of a case
CELLS = 48, 32, 32  # Of the grid over m, w and b
SURE = 0.95  # Coverage of intervals


@dataclass(frozen=True)
class PastCase:
    """What a person remembers of one search; InputProblem if its rank cannot be one."""

    outcome: Ending
    """"hit": the first relevant document stood at rank `at`. "stopped": none among the first `at`, and nobody knows whether
    there was one at all. "missed": none among the first `at`, although there was one. "none": there was nothing to find.
    """
    at: int = 0  # Rank, from 1 on; 0 for "none"

    def __post_init__(self) -> None:
        if self.outcome != "none" and not 1 <= self.at <= DEEPEST:
            raise InputProblem(f"Rank {self.at:,} cannot be used; give a whole number from 1 to {DEEPEST:,}.")

    def __str__(self) -> str:
        return SHORT[self.outcome].format(at=self.at)


SHORT: dict[Ending, str] = {
    "hit": "{at}",
    "stopped": "none in {at}",
    "missed": "missed in {at}",
    "none": "none at all",
}
"""How a case is written; :func:`read_cases` reads it back."""
MEANING: dict[Ending, str] = {
    "hit": "First relevant document at rank …",
    "stopped": "Stopped after … without one; it is unknown whether there was any",
    "missed": "None among the first …, although there was one",
    "none": "There turned out to be none at all",
}
_WRITTEN: tuple[tuple[re.Pattern[str], Ending], ...] = (
    (re.compile(r"(?:rank |first (?:relevant )?at (?:rank )?)?(\d+)"), "hit"),
    (re.compile(r"(?:none (?:in|among) (?:the )?(?:first )?|>\s*)(\d+)"), "stopped"),
    (re.compile(r"missed (?:in |among )?(?:the )?(?:first )?(\d+)"), "missed"),
    (re.compile(r"none(?: at all)?"), "none"),
)
LONGEST = 100
"""Most characters of a case."""


def read_cases(text: str) -> list[PastCase]:
    """Parse cases as a person writes them, one a line or separated by commas or semicolons.

    Raises
    ------
    InputProblem
        If a line cannot be read; the message names the line.

    Examples
    --------
    >>> [str(case) for case in read_cases("4, first relevant at rank 17\\nnone in the first 60\\nnone at all")]
    ['4', '17', 'none in 60', 'none at all']
    """
    return [
        _read_case(part.strip(), number)
        for number, line in enumerate(text.splitlines(), start=1)
        for part in re.split(r"[,;]", line)
        if part.strip()
    ]


def _read_case(part: str, line: int) -> PastCase:
    """Parse one case; raise InputProblem with the number of its line if that fails."""
    plain = " ".join(part.casefold().rstrip(".").split())
    for pattern, outcome in _WRITTEN:
        if len(plain) <= LONGEST and (match := pattern.fullmatch(plain)):
            try:
                return PastCase(outcome, int(match[1]) if match.groups() else 0)
            except InputProblem as problem:
                raise InputProblem(f"Line {line}: {problem}") from None
    raise InputProblem(
        f"Line {line}: “{part[:60]}” is not a case; write a rank (4), “none in 60”, “missed in 60” or “none at all”."
    )


@dataclass(frozen=True, eq=False)
class FirstHits:
    """Posterior of the model of first hits, on a grid over a and w."""

    cases: tuple[PastCase, ...]
    a: Floats
    w: Floats
    """`a` and `w`: the points of the grid; shape (G,)."""
    weight: Floats  # Posterior probability of each of its points; adds up to 1; shape (G,)
    share: tuple[float, float, float]  # b: posterior mean, and its interval of 95 %

    def come_by(self, k: NDArray[np.integer] | Sequence[int]) -> Floats:
        """Posterior mean of the chance that the first hit has come by each rank, given that there is one; shape (len(k),)."""
        return self.weight @ self._come_by(k)

    def interval(self, k: NDArray[np.integer] | Sequence[int], sure: float = SURE) -> tuple[Floats, Floats]:
        """Both ends of the interval of the chance that the first hit has come by each rank; shape (len(k),) each."""
        chances = self._come_by(k)
        ends = np.array([weighted_quantiles(column, self.weight, sure) for column in chances.T])
        return ends[:, 0], ends[:, 1]

    def _come_by(self, k: NDArray[np.integer] | Sequence[int]) -> Floats:
        """Chance by each rank at every point of the grid, shape (G, len(k))."""
        return come_by(np.asarray(k), self.a[:, None], self.w[:, None])


def come_by(k: NDArray[np.integer], a: Floats | float, w: Floats | float) -> Floats:
    """Chance that the first hit has come by rank k, given that there is one: 1 − S(k).

    Parameters
    ----------
    k : ndarray of int
        Ranks from 0 on; it broadcasts against `a` and `w`.
    a, w : ndarray or float
        Parameters of the discrete Weibull distribution.

    Returns
    -------
    ndarray
        Chances in [0, 1].

    Examples
    --------
    >>> come_by(np.array([0, 1]), np.log(2), 0.5).round(3)
    array([0. , 0.5])
    """
    return np.asarray(-np.expm1(-a * np.asarray(k, dtype=float) ** w))


def log_likelihood(cases: Iterable[PastCase], a: Floats, w: Floats, b: Floats) -> Floats:
    """Log-likelihood of past cases at each point of a grid.

    Parameters
    ----------
    cases : iterable of PastCase
        Their chances are, for a hit at k, b·(S(k−1) − S(k)); stopped after n, b·S(n) + 1 − b; missed in n, b·S(n); none at
        all, 1 − b. Whether a person learned after stopping what there was is taken not to depend on the answer.
    a, w, b : ndarray
        Parameters of the distribution, and the share of cases with something to find; they broadcast.

    Returns
    -------
    ndarray
        Of the shape to which `a`, `w` and `b` broadcast.
    """
    total = np.zeros(np.broadcast_shapes(a.shape, w.shape, b.shape))
    with np.errstate(divide="ignore"):
        for case, times in Counter(cases).items():
            survived = 1 - come_by(np.array(case.at), a, w)
            if case.outcome == "none":
                chance = 1 - b
            elif case.outcome == "hit":
                chance = b * (1 - come_by(np.array(case.at - 1), a, w) - survived)
            else:
                chance = b * survived + 1 - b if case.outcome == "stopped" else b * survived
            total = total + times * np.log(chance)
    return total


def fit_first_hits(cases: Sequence[PastCase]) -> FirstHits:
    """Return the posterior given past cases.

    Raises
    ------
    InputProblem
        If no case says at which rank a hit stood.

    Notes
    -----
    T. Nakagawa and S. Osaki (1975), The discrete Weibull distribution, IEEE Transactions on Reliability R-24,
    300–301. Prior, censoring and the share b are this program's.

    Examples
    --------
    >>> posterior = fit_first_hits(read_cases("1, 3, 4, 17, none in 60"))
    >>> posterior.come_by([10]).round(2)
    array([0.69])
    """
    if not any(case.outcome == "hit" for case in cases):
        raise InputProblem(
            "No case says at which rank the first relevant document stood; enter at least one that does."
        )
    m, w, b = ((np.arange(cells) + 0.5) / cells for cells in CELLS)
    a = -np.log1p(-m)[:, None] / WITHIN ** w[None, :]
    a, w = a.ravel(), np.broadcast_to(w, a.shape).ravel()
    log = log_likelihood(cases, a[:, None], w[:, None], b[None, :])
    joint = np.exp(log - log.max())
    joint /= joint.sum()
    of_b = joint.sum(axis=0)
    low, high = weighted_quantiles(b, of_b, SURE)
    return FirstHits(tuple(cases), a, w, joint.sum(axis=1), (float(of_b @ b), low, high))


def ranks() -> Ints:
    """Ranks at which a curve is stored: each of the first 200, then ever fewer up to the deepest."""
    late = np.geomspace(200, DEEPEST, 160).round().astype(np.int64)
    return np.unique(np.concatenate((np.arange(1, 201), late)))


def first_hit_calibrator(
    posterior: FirstHits, name: str, simulated: bool = False, own: str = "cases", lists: tuple[str, ...] = ()
) -> Calibrator:
    """Return the posterior mean as a calibrator: chances of a first hit by rank.

    Parameters
    ----------
    posterior : FirstHits
        As :func:`fit_first_hits` gives it.
    name, simulated, own, lists
        Provenance of the cases, as in :class:`~tarstop_core.calibration.calibrator.FittedOn`.

    Returns
    -------
    Calibrator
        The chance at rank k is h_k = 1 − E S(k) / E S(k − 1): the uncertainty of the curve is averaged out, so that
        misses lower what the next rank promises by as much as they should.
    """
    at = ranks()
    survived, before = 1 - posterior.come_by(at), 1 - posterior.come_by(at - 1)
    chance = np.minimum.accumulate(np.clip(1 - survived / np.maximum(before, 1e-300), 0, 1))
    low, high = posterior.interval(at)
    # Far down the list most of the grid is near certainty, and the mean may lie outside the middle 95 %.
    low, high = np.minimum(low, 1 - survived), np.maximum(high, 1 - survived)
    return Calibrator(
        kind="first-hit",
        scenario=PATENT,
        x=tuple(np.log(at).tolist()),
        y=tuple(chance.tolist()),
        band=tuple(zip(low.tolist(), high.tolist(), strict=True)),
        fitted_on=provenance(posterior.cases, name, simulated, own, lists),
    )


def provenance(
    cases: Sequence[PastCase], name: str, simulated: bool, own: str, lists: tuple[str, ...]
) -> FittedOn:
    """Describe the cases that a calibrator was fitted on.

    Parameters
    ----------
    cases : sequence of PastCase
        The cases.
    name, simulated, own, lists
        As in :class:`~tarstop_core.calibration.calibrator.FittedOn`.

    Returns
    -------
    FittedOn
        With the number of documents read in all cases, and the counts by outcome as its source.
    """
    counted = Counter(case.outcome for case in cases)
    read = [case.at for case in cases if case.at] or [0]
    return FittedOn(
        name=name,
        topics=len(cases),
        documents=sum(read),
        relevant=counted["hit"],
        simulated=simulated,
        source=in_words(counted),
        shortest_list=min(read),
        longest_list=max(read),
        own=own,
        lists=lists,
    )


def in_words(counted: dict[Ending, int]) -> str:
    """Count the cases by their outcome, in words.

    >>> in_words({"hit": 3, "stopped": 1, "missed": 0, "none": 0})
    '3 with the rank of the first hit, 1 stopped without one'
    """
    names: dict[Ending, str] = {
        "hit": "with the rank of the first hit",
        "stopped": "stopped without one",
        "missed": "in which it was missed",
        "none": "with nothing to find",
    }
    return ", ".join(f"{counted[outcome]:,} {words}" for outcome, words in names.items() if counted[outcome])
