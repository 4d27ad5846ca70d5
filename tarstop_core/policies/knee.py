"""Knee rules, which stop when the gain curve has bent enough: the paper's baseline, and the originals of 2016."""

from dataclasses import dataclass, replace

import numpy as np

from tarstop_core.policies.base import AtAnyCost, Depths, Flags, Floats, Parameter, first_check
from tarstop_core.policies.budget import share_of
from tarstop_core.policies.gain_curve import (
    gain,
    geometric_knees,
    growing_batches,
    growing_checks,
    kneedle_knees,
    slope_ratio,
)
from tarstop_core.value.path import Path

SLOPE_RATIO = Parameter(
    "rho_min",
    "least ratio of the slope before the knee to the slope after it",
    0.0,
    1e6,
    (5.0, 6.0, 10.0),
    "float",
)


@dataclass(frozen=True)
class Knee(AtAnyCost):
    """Stop at a check where the slope before Kneedle's last knee is ρ_min times the slope after it.

    The paper names four parameters (ρ_min, β, cap, f) and their grid, and defines none: everything here is assumed.
    `reading` chooses:

    - P (the primary one): it looks every f documents, from β documents on, with Kneedle's sensitivity S = 1.
    - Q: f is the sensitivity; it looks after batches that grow by a tenth.
    - R: β is the sensitivity (the paper calls it "curvature sensitivity"); it looks every f documents.

    The curve at the checks so far is smoothed over both neighbours. It gives up at the first check from
    ⌊cap·N⌋ on; with `cap_on_empty` = no, not while nothing relevant was found.
    """

    rho_min: float = 5.0
    beta: int = 100
    cap: float = 0.75
    f: int = 10
    reading: str = "P"
    cap_on_empty: str = "yes"

    name = "knee"
    title = "Knee"
    rule = "Stop when relevant documents are much rarer than before the gain curve's bend."
    formula = r"\frac{C(i)/i}{(1 + C(s) - C(i))/(s - i)} \ge \rho_{\min}"
    source = (
        "Fletcher & Stevenson, baseline Knee (parameters not defined there); Kneedle: Satopaa et al. 2011; "
        "slope ratio: Cormack & Grossman 2016"
    )
    family = "paper's baseline"
    place, colour, marker = 80, "#8C8C00", "star"
    parameters = (
        replace(SLOPE_RATIO, grid=(5.0, 10.0)),
        Parameter(
            "beta",
            "minimum number of documents to read (reading R: sensitivity)",
            0,
            1_000_000,
            (10, 100, 500, 1000),
        ),
        Parameter("cap", "share of the list at which to give up", 0.01, 1.0, (0.6, 0.75), "float"),
        Parameter(
            "f", "documents between checks, or the sensitivity in reading Q", 0, 100_000, (10, 50, 100)
        ),
        Parameter.choice("reading", "what the paper's parameters mean", ("P", "Q", "R"), ("P",)),
        Parameter.choice(
            "cap_on_empty", "whether it gives up when nothing is found", ("yes", "no"), ("yes",)
        ),
    )

    def depth(self, path: Path, start: int) -> int:
        N, labels = len(path), path.labels
        sensitivity = {"P": 1.0, "Q": float(self.f), "R": float(self.beta)}[self.reading]
        every = max(1, self.f)
        checks = growing_batches(N) if self.reading == "Q" else np.append(np.arange(every, N, every), N)
        C = gain(labels)
        ratio = slope_ratio(C, kneedle_knees(labels, tuple(checks.tolist()), sensitivity), checks)
        stops = (ratio >= self.rho_min) & (ratio > 0)
        if self.reading != "R":
            stops &= checks >= self.beta
        given_up = checks >= int(N * self.cap)
        if self.cap_on_empty == "no":
            given_up &= C[checks] > 0
        return first_check(checks, stops | given_up, N, start)


def _geometric(labels: Flags) -> tuple[Depths, Depths, Depths, Floats]:
    """Return the gain curve, growing checks, and the geometric knee and slope ratio at each check."""
    C, checks = gain(labels), growing_checks(len(labels))
    knees = geometric_knees(labels, tuple(checks.tolist()))
    return C, checks, knees, slope_ratio(C, knees, checks)


@dataclass(frozen=True)
class GeometricKnee(AtAnyCost):
    """Stop at the first check s ≥ β at which the slope ratio reaches its threshold.

    The knee is the point of the gain curve furthest from its chord; checks are about a tenth apart. A = 150
    asks for more where little was found; A = 0 is a fixed ratio. relret counts the relevant documents at the knee, or now.
    Without a knee the list is read to its end (assumption).
    """

    rho_min: float = 6.0
    adjust: int = 150
    beta: int = 0
    relret_at: str = "knee"

    name = "cg-knee"
    title = "Cormack–Grossman knee"
    rule = "Stop when the gain curve is much flatter after its knee than before it."
    formula = r"\frac{C(i)/i}{(1 + C(s) - C(i))/(s - i)} \ge \rho_{\min} + A - \min(\mathrm{relret}, A)"
    source = "Cormack & Grossman 2016 (knee method); adjustment as in Sneyd & Stevenson 2019"
    place, colour, marker = 100, "#0072B2", "square"
    parameters = (
        SLOPE_RATIO,
        Parameter("adjust", "how much more is required while nothing is found, A", 0, 100_000, (0, 50, 150)),
        Parameter("beta", "minimum number of documents to read", 0, 1_000_000, (0, 100)),
        Parameter.choice(
            "relret_at", "where relevant documents are counted for A", ("knee", "now"), ("knee",)
        ),
    )

    def depth(self, path: Path, start: int) -> int:
        C, checks, knees, ratio = _geometric(path.labels)
        relret = C[knees if self.relret_at == "knee" else checks]
        threshold = self.rho_min + self.adjust - np.minimum(relret, self.adjust)
        stops = (ratio >= threshold) & (ratio > 0) & (checks >= self.beta)
        return first_check(checks, stops, len(path), start)


@dataclass(frozen=True)
class TarKnee(AtAnyCost):
    """Stop as the geometric knee does with its published settings, from a minimum depth on."""

    least: int = 1000

    name = "tar-knee"
    title = "TAR knee"
    rule = "The Cormack–Grossman knee as published, searched from a minimum number of documents on."
    formula = r"\rho \ge 156 - \min(\mathrm{relret}, 150), \quad s \ge \text{least}"
    source = "Cormack & Grossman 2016 (knee method), from 1,000 documents on as in pyterrier-tar"
    place, colour, marker = 105, "#E69F00", "triangle-down"
    parameters = (Parameter("least", "minimum number of documents to read", 0, 1_000_000, (100, 1000)),)

    def depth(self, path: Path, start: int) -> int:
        return GeometricKnee(6.0, 150, self.least).depth(path, start)


@dataclass(frozen=True)
class BudgetMethod(AtAnyCost):
    """Stop at a check s with ρ ≥ ρ_min and s ≥ 10·N / C(s); at the latest at cap·N documents.

    Knee and checks are those of the Cormack–Grossman knee. Not the paper's Budget.
    """

    rho_min: float = 6.0
    cap: float = 0.75

    name = "cg-budget"
    title = "Cormack–Grossman budget"
    rule = "Stop after the knee, once you have read as much as finding ten at random would take."
    formula = r"\rho \ge \rho_{\min} \ \text{and}\ s \ge \frac{10 N}{C(s)}, \quad \text{or } s \ge \mathrm{cap} \cdot N"
    source = "Cormack & Grossman 2016 (budget method)"
    place, colour, marker = 110, "#D55E00", "diamond"
    parameters = (
        SLOPE_RATIO,
        Parameter("cap", "share of the list at which to stop anyway", 0.01, 1.0, (0.6, 0.75), "float"),
    )

    def depth(self, path: Path, start: int) -> int:
        N = len(path)
        C, checks, _, ratio = _geometric(path.labels)
        stops = (ratio >= self.rho_min) & (ratio > 0) & (checks * C[checks] >= 10 * N)
        return max(start, min(first_check(checks, stops, N, start), share_of(self.cap, N)))
