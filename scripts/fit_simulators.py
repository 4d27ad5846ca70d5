"""Fits the constants that say where relevant documents lie in the simulated rankings, and prints them.

`patents` and `reviews`: Nelder–Mead from the shipped constants. Every step draws the same random numbers, so that
the loss is a function of the constants alone. It is the squared distance to the figures that the simulator aims at:
for patents of the five retrieval figures, as they are; for reviews of all three, relative to the target. Afterwards
both sets of constants are judged on random numbers that the fit has not seen. `seeds`: how near other seeds of the
shipped benchmark of reviews come to the same figures. Minutes each, 15 at most; writes no file.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from tarstop_core.samples.simulate import rankings, reviews

Figures = Mapping[str, float]


@dataclass(frozen=True)
class Fit:
    """What is fitted: fields of a simulator's shape, with their bounds, to figures of what it draws."""

    shape: rankings.Shape | reviews.Shape
    bounds: dict[str, tuple[float, float]]
    figures: Callable[[rankings.Shape | reviews.Shape, int], Figures]
    targets: Figures
    relative: bool

    def shaped(self, values: np.ndarray) -> rankings.Shape | reviews.Shape:
        """The shape with these values in the order of the bounds."""
        return replace(self.shape, **dict(zip(self.bounds, map(float, values), strict=True)))

    def loss(self, achieved: Figures) -> float:
        """Squared distance to the targets."""
        return sum(
            ((achieved[name] - target) / (target if self.relative else 1)) ** 2
            for name, target in self.targets.items()
        )


def patents(topics: int) -> Fit:
    """The simulated patent rankings; as many topics without a relevant document are drawn along."""
    return Fit(
        rankings.Shape(),
        {
            "hard_share": (0, 1),
            "hard_place": (-4, 0),
            "easy_place": (-6, 0),
            "spread": (0.1, 4),
            "odd_share": (0.01, 0.99),
        },
        lambda shape, seed: rankings.ranking_statistics(
            rankings.simulate_patent_rankings(2 * topics, seed, shape=shape)
        ),
        {name: target for name, target in rankings.TARGETS.items() if name != "n_relevant"},
        relative=False,
    )


def of_reviews(outcomes: int) -> Fit:
    """The simulated review outcomes."""
    return Fit(
        reviews.Shape(),
        {"place": (-6, 0), "spread": (0.1, 4), "odd_share": (0.01, 0.99)},
        lambda shape, seed: reviews.review_statistics(
            reviews.simulate_review_outcomes(outcomes, seed, shape=shape)
        ),
        reviews.TARGETS,
        relative=True,
    )


def found(fit: Fit, seed: int, evaluations: int) -> np.ndarray:
    """The constants at the least loss that Nelder–Mead comes upon."""

    def loss(values: np.ndarray) -> float:
        value = fit.loss(fit.figures(fit.shaped(values), seed))
        print(f"{value:.3e} at {np.round(values, 3)}", file=sys.stderr)
        return value

    return minimize(
        loss,
        [getattr(fit.shape, name) for name in fit.bounds],
        method="Nelder-Mead",
        bounds=list(fit.bounds.values()),
        options={"maxfev": evaluations, "xatol": 2e-3, "fatol": 1e-7},
    ).x


def report(fit: Fit, values: np.ndarray, seed: int) -> str:
    """The constants shipped and found, with the losses and figures of both on seen and on fresh random numbers."""
    shapes = fit.shape, fit.shaped(values)
    lines = [f"{'constant':<20}{'shipped':>9}{'found':>9}"]
    lines += [
        f"{name:<20}{getattr(shapes[0], name):>9.3f}{getattr(shapes[1], name):>9.3f}" for name in fit.bounds
    ]
    for kind, drawn in (("fitted on", seed), ("fresh", seed + 1)):
        achieved = [fit.figures(shape, drawn) for shape in shapes]
        lines += ["", f"{f'seed {drawn} ({kind})':<20}{'shipped':>9}{'found':>9}{'target':>9}"]
        lines.append(f"{'loss':<20}" + "".join(f"{fit.loss(each):>9.1e}" for each in achieved))
        lines += [
            f"{name:<20}" + "".join(f"{each[name]:>9.3f}" for each in achieved) + f"{target:>9.3f}"
            for name, target in fit.targets.items()
        ]
    return "\n".join(lines)


def of_seeds(count: int) -> str:
    """The figures of the benchmark of reviews over many seeds, and how near both halves of each come."""
    targets = np.array(list(reviews.TARGETS.values()))

    def figures(seed: int) -> np.ndarray:
        outcomes = reviews.simulate_review_outcomes(seed=seed)
        half = len(outcomes) // 2
        parts = outcomes, outcomes[:half], outcomes[half:]
        return np.array([list(reviews.review_statistics(part).values()) for part in parts])

    def distance(part: np.ndarray) -> float:
        """Of the half and figure that lie farthest from their target, relative to it."""
        return float(np.abs(part[1:] / targets - 1).max())

    drawn = [figures(seed) for seed in range(1, count + 1)]
    whole = np.array([each[0] for each in drawn])
    shipped = distance(figures(reviews.DEFAULT_SEED))
    near = sum(distance(each) <= shipped for each in drawn)
    lines = [f"{f'seeds 1 to {count}':<20}{'mean':>9}{'sd':>9}{'target':>9}"]
    lines += [
        f"{name:<20}{mean:>9.3f}{sd:>9.3f}{target:>9.3f}"
        for name, mean, sd, target in zip(
            reviews.TARGETS, whole.mean(axis=0), whole.std(axis=0, ddof=1), targets, strict=True
        )
    ]
    lines += ["", f"Seed {reviews.DEFAULT_SEED}: both halves within {shipped:.1%} of every target."]
    lines.append(f"So are those of {near} of the seeds 1 to {count}.")
    return "\n".join(lines)


def main() -> int:
    """Fit one simulator, or look at other seeds of the reviews."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["patents", "reviews", "seeds"])
    parser.add_argument("--topics", type=int, default=2500, help="patent topics with relevant documents")
    parser.add_argument("--outcomes", type=int, default=2700, help="review outcomes")
    parser.add_argument(
        "--seed", type=int, default=1, help="of every step; the next judges; default: %(default)s"
    )
    parser.add_argument("--evaluations", type=int, default=120, help="at most; default: %(default)s")
    parser.add_argument("--seeds", type=int, default=240, help="how many, from 1; default: %(default)s")
    given = parser.parse_args()
    if given.what == "seeds":
        print(of_seeds(given.seeds))
        return 0
    fit = patents(given.topics) if given.what == "patents" else of_reviews(given.outcomes)
    print(report(fit, found(fit, given.seed, given.evaluations), given.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
