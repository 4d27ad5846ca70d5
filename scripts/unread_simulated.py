"""The live check on sessions that were drawn: how often it warns where chances are right, and where they are wrong."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tarstop_core.belief.mixture import left, mixture
from tarstop_core.calibration.live_check import (
    AGAINST,
    across_lists,
    against_chances,
    against_first_hit,
    against_shape,
    kinds_against,
    levels_of_first_hit,
    levels_of_number,
)
from tarstop_core.calibration.thinning import WIDER, Thinning, share_at
from tarstop_core.samples.shipped import calibrators, default_calibrator

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SESSIONS, FEWER, LENGTH, SEED = 10_000, 200, 200, 1
LEVEL_SHAPE = 4.0
SHAPES = (
    ("like the training lists", None),
    ("flat: α = β = 1", (1.0, 1.0)),
    ("rising: α = 2, β = 1", (2.0, 1.0)),
    ("all at the end: α = 3, β = 0.5", (3.0, 0.5)),
    ("all at the head: α = 0.15, β = 5", (0.15, 5.0)),
)
NUMBERS = (10, 40)
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
LISTS = (10, 20, 40)
DEEPEST, STOP = 500, 100


def drawn(rng: np.random.Generator, thinning: Thinning, sessions: int, shape: tuple[float, float] | None = None,
          number: float | None = None) -> Flags:  # fmt: skip
    """Labels of lists whose curves are drawn as a session takes them to be, gamma factor included, shape (S, N)."""
    mean = np.array(thinning.mean) @ (1.0, math.log(LENGTH / 1000))
    theta = rng.multivariate_normal(mean, WIDER * np.array(thinning.spread), sessions)
    alpha, beta, total = np.exp(theta).T
    total = (
        total * rng.gamma(LEVEL_SHAPE, 1 / LEVEL_SHAPE, sessions)
        if number is None
        else np.full(sessions, number)
    )
    if shape is not None:
        alpha, beta = np.full(sessions, shape[0]), np.full(sessions, shape[1])
    exposure = total[:, None] * share_at(np.arange(LENGTH), LENGTH, alpha, beta)
    return np.asarray(rng.random((sessions, LENGTH)) < -np.expm1(-exposure))


def highest(thinning: Thinning, labels: Flags) -> Floats:
    """The highest ratio that each session sees, asked after every document, shape (S,)."""
    positions = np.arange(LENGTH)
    exposures, weights = [], []
    for alpha, beta, log_total, log_weight in kinds_against(thinning, LENGTH):
        upto = np.exp(log_total)[..., None] * share_at(positions, LENGTH, alpha, beta)[:, None]
        exposures.append(upto.reshape(-1, LENGTH))
        weights.append(log_weight.ravel())
    best = np.zeros(len(labels))
    for part in np.array_split(np.arange(len(labels)), max(1, len(labels) // 500)):
        logs = [np.tile(weight, (len(part), 1)) for weight in weights]
        for k in positions:
            now = []
            for log, exposure in zip(logs, exposures, strict=True):
                at = np.maximum(exposure[:, k], 1e-300)
                log += np.where(labels[part, k][:, None], np.log(-np.expm1(-at)), -at)
                top = log.max(axis=1)
                now.append(top + np.log(np.exp(log - top[:, None]).sum(axis=1)))
            best[part] = np.maximum(best[part], np.exp(now[1] - now[0]))
    return best


def ratios_in_patents(log_M: Floats, none: float) -> tuple[Floats, Floats]:
    """The ratio of a search after 1 … N misses, and where the first hit comes there, each of shape (N,)."""
    depths = range(1, len(log_M))
    passed, found = ([against_first_hit(log_M, d, hit, none) for d in depths] for hit in (False, True))
    return np.array(passed), np.array(found)


def first_hits(
    rng: np.random.Generator, log_M: Floats, none: float, times: float, searches: int
) -> NDArray[np.intp]:
    """Depths of first hits, N + 1 where there is none, of searches at a multiple of the level that was said."""
    come = np.searchsorted(-np.exp(times * log_M), -rng.random(searches), side="right")
    return np.where(rng.random(searches) < none, len(log_M), come)


def share_of(rng: np.random.Generator, times: int, warned: Callable[[], bool]) -> float:
    """How often a drawn session is warned."""
    return sum(warned() for _ in range(times)) / times


def live_check_tables() -> str:
    """What the page says of it."""
    rng = np.random.default_rng(SEED)
    calibrator = calibrators()[default_calibrator(False, scenario="inclusion")]
    assert calibrator.thinning is not None
    thinning = calibrator.thinning
    labels = drawn(rng, thinning, SESSIONS)
    ever = float((highest(thinning, labels) >= AGAINST).mean())
    whole = np.ones(LENGTH, dtype=bool)
    assert against_shape(thinning, whole, labels[0]) <= highest(thinning, labels[:1])[0] * (1 + 1e-6)
    rows = []
    for name, shape in SHAPES:
        cells = [name]
        for number in NUMBERS:
            ratios = highest(thinning, drawn(rng, thinning, FEWER, shape, number))
            cells.append(f"{100 * (ratios >= AGAINST).mean():.0f} %")
        rows.append(cells)
    return f"""**Reviews with right chances.** Of {SESSIONS:,} sessions over {LENGTH} documents, drawn from the curves of the shipped
calibrator for inclusion with everything that lists differ by, and asked after every document, {100 * ever:.1f} % are ever warned.

{_patents(rng)}

**Power against a wrong shape.** Share of {FEWER} sessions that are ever warned, by how many relevant documents their
{LENGTH} hold.

{_table(["hits lie", *(f"{number} in all" for number in NUMBERS)], rows)}

{_levels(rng)}

{_lists(rng)}
"""


def _patents(rng: np.random.Generator) -> str:
    calibrator, none = calibrators()[default_calibrator(False)], 0.5
    log_M = calibrator.curve(calibrator.probabilities(None, DEEPEST)).log_M
    passed, found = ratios_in_patents(log_M, none)
    best = np.append(0.0, np.maximum.accumulate(passed))
    come = first_hits(rng, log_M, none, 1.0, SESSIONS)
    hit = come <= DEEPEST
    seen = np.where(
        hit, np.maximum(best[np.minimum(come, DEEPEST) - 1], found[np.minimum(come, DEEPEST) - 1]), best[-1]
    )
    rows = []
    for lists in LISTS:
        cells = [f"{lists}"]
        for times in FACTORS:

            def warned(times: float = times, lists: int = lists) -> bool:
                at = first_hits(rng, log_M, none, times, lists)
                told = [levels_of_first_hit(log_M, int(min(d, STOP)), bool(d <= STOP), none) for d in at]
                return _ever(told)

            cells.append(f"{100 * share_of(rng, FEWER, warned):.0f} %")
        rows.append(cells)
    return f"""**Patents with right chances.** Of {SESSIONS:,} searches of {DEEPEST} documents by the shipped chances for ranks (b₀ = {none:g}), asked
after every document, {100 * (seen >= AGAINST).mean():.1f} % are ever warned. A search ends with its first hit, and one hit is little: the ratio
never exceeds {max(passed.max(), found.max()):.1f} whatever comes, so that a single search is not warned when its chances are wrong either. Over
finished searches, each read to its first hit or to document {STOP}, the common level is judged: share of {FEWER} persons ever warned.

{_table(["finished searches", *(f"× {times:g}" for times in FACTORS)], rows)}"""


def _ever(told: list[Floats]) -> bool:
    """Whether a person is warned after any of these lists."""
    found = (across_lists(told[: n + 1]) for n in range(len(told)))
    return any(each is not None and each.against >= AGAINST for each in found)


def _levels(rng: np.random.Generator) -> str:
    p, found = np.full(LENGTH, 0.15), np.ones(LENGTH, dtype=bool)
    rows = []
    for before in (0, 5, 20):
        cells, shape = [f"{before}"], 4.0 + before
        for times in FACTORS:

            def warned(times: float = times, shape: float = shape) -> bool:
                hit = rng.random(LENGTH) < np.minimum(1, times * rng.gamma(shape, 1 / shape) * p)
                read = np.arange(LENGTH)
                return any(
                    against_chances(p, found & (read < d), hit & (read < d), shape) >= AGAINST
                    for d in range(5, LENGTH + 1, 5)
                )

            cells.append(f"{100 * share_of(rng, FEWER // 2, warned):.0f} %")
        rows.append(cells)
    header = ["hits before it", *(f"× {times:g}" for times in FACTORS)]
    return f"""**After chances were multiplied** what follows is held against them: share of {FEWER // 2} sessions ever warned within {LENGTH}
documents of chance .15, where the true level is a multiple of what was set (× 1: right).

{_table(header, rows)}"""


def _lists(rng: np.random.Generator) -> str:
    shape = 1.5
    rows = []
    for lists in LISTS:
        cells = [f"{lists}"]
        for times in FACTORS:

            def warned(times: float = times, lists: int = lists) -> bool:
                expected = rng.uniform(3, 30, lists)
                found = rng.poisson(times * expected * rng.gamma(shape, 1 / shape, lists))
                told = [
                    levels_of_number(left(mixture([1.0], [shape]), [e], 2000), int(f))
                    for e, f in zip(expected, found, strict=True)
                ]
                return _ever(told)

            cells.append(f"{100 * share_of(rng, FEWER // 4, warned):.0f} %")
        rows.append(cells)
    header = ["finished lists", *(f"× {times:g}" for times in FACTORS)]
    return f"""**Across a person's reviews**, from ten on, their common level is judged: share of {FEWER // 4} persons ever warned, where lists vary by a
gamma factor of shape {shape:g} beside it.

{_table(header, rows)}"""


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(each) + " |" for each in lines)
