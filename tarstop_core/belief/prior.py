"""Priors: what is believed about pooled accuracy before any study, as a small record that can be saved."""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scipy.special import logit, ndtr, ndtri

from tarstop_core.belief.decisive import check_prior
from tarstop_core.envelope import FileKind, read_file
from tarstop_core.errors import InputProblem

FILE = FileKind("tarstop-prior", 1, "prior")
LEAST_B_0 = 1e-3  # How near to 0 or 1 a b_0 may come that is carried over to another threshold


@dataclass(frozen=True)
class LearnedFrom:
    """The training outcomes that a prior was learned from."""

    source: str  # What the outcomes are, for people
    theta: float  # Threshold on sensitivity that they were judged against: b_0 refers to it
    reviews: int
    outcomes: int
    studies: int
    """`reviews`, `outcomes` and `studies`: how many there were; a review may have several outcomes."""
    gain: float  # Log marginal likelihood per review, above the weak prior's
    keeps_b_0: bool = False
    """Whether only the width of the prior was learned, and b_0 is left to the person, at any threshold."""

    def __post_init__(self) -> None:
        check_theta(self.theta)


@dataclass(frozen=True)
class Prior:
    """Prior of the bivariate binomial–normal model, relative to the threshold θ on sensitivity.

    With λ = logit θ: μ1 ~ N(λ + s·Φ⁻¹(b_0), s²), so that P(pooled sensitivity > θ) = b_0 exactly;
    μ2 ~ N(−λ, s_fpr²); both between-study standard deviations ~ HalfNormal(tau); their correlation ~ LKJ(eta). The
    likelihood of the studies is taken to the power `weight`. InputProblem when a number is out of its range.

    Apart from the recentred mean the defaults are those of MetaBayesDTA (Cerullo et al. 2023,
    doi 10.1186/s12874-023-01910-y).

    >>> round(Prior(b_0=0.7).shift, 3)
    0.787
    """

    b_0: float = 0.5  # Belief before any study, in (0, 1)
    s: float = 1.5  # Spread of pooled sensitivity, logits, 0.2 to 5
    tau: float = 1.0  # Scale of the half-normal prior of heterogeneity, logits, 0.05 to 3. It matters most.
    s_fpr: float = 1.5  # Spread of the pooled false-positive rate, logits, 0.2 to 5 (bivariate engine only)
    eta: float = 2.0
    """Shape of the LKJ prior of the correlation, 1 to 100; 1 is flat, large means none (bivariate only)."""
    learned_from: LearnedFrom | None = None  # None for a prior that a person chose
    weight: float = 1.0
    """Power to which each study's likelihood is taken, 0.1 to 1: below 1, a study counts for less than one drawn at random,
    because the studies that a list brings first may be alike.
    """

    def __post_init__(self) -> None:
        check_prior(self.b_0)
        _check_range("spread s of the prior", self.s, 0.2, 5)
        _check_range("scale of the prior of heterogeneity", self.tau, 0.05, 3)
        _check_range("spread of the prior of the false-positive rate", self.s_fpr, 0.2, 5)
        _check_range("LKJ shape of the prior of the correlation", self.eta, 1, 100)
        _check_range("weight of a study", self.weight, 0.1, 1)

    @property
    def shift(self) -> float:
        """Prior mean of μ1 − λ, in logits: s·Φ⁻¹(b_0)."""
        return float(self.s * ndtri(self.b_0))

    @property
    def margins(self) -> tuple[Prior, Prior]:
        """Priors of sensitivity and of specificity, each by itself, where b_0 is the chance that both exceed thresholds.

        >>> [round(each.b_0, 2) for each in Prior(0.49).margins]
        [0.7, 0.7]
        """
        of_sensitivity = replace(self, b_0=math.sqrt(self.b_0), learned_from=None)
        return of_sensitivity, replace(of_sensitivity, s=self.s_fpr)

    @property
    def width_alone(self) -> bool:
        """Whether only the width was learned, so that b_0 is a person's own."""
        return self.learned_from is not None and self.learned_from.keeps_b_0

    def at(self, theta: float) -> Prior:
        """Return the prior with the same distribution of sensitivity, its b_0 carried over to another threshold.

        Only a learned b_0 refers to a threshold; any other prior is returned as it is.

        >>> learned = Prior(0.7, 0.8, learned_from=LearnedFrom("past reviews", 0.75, 16, 63, 742, 0.1))
        >>> learned.at(0.75).b_0, round(learned.at(0.9).b_0, 2), Prior(0.7).at(0.9).b_0
        (0.7, 0.2, 0.7)
        """
        learned_from = self.learned_from
        if learned_from is None or self.width_alone or learned_from.theta == theta:
            return self
        b_0 = float(ndtr((logit(learned_from.theta) + self.shift - logit(check_theta(theta))) / self.s))
        return replace(self, b_0=min(max(b_0, LEAST_B_0), 1 - LEAST_B_0))

    def to_json(self) -> str:
        """Return the prior as a small versioned JSON document."""
        return FILE.text(self.to_dict(), ascii_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values. Fields added later are left out at their defaults, so that digests stay."""
        content = asdict(self)
        if self.weight == 1:
            del content["weight"]
        if self.learned_from is not None and not self.learned_from.keeps_b_0:
            del content["learned_from"]["keeps_b_0"]
        return content

    @property
    def digest(self) -> str:
        """Hash of the numbers and of what they were learned from."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]


def from_json(text: str, name: str = "The prior") -> Prior:
    """Read a prior from its JSON; raise InputProblem if the text holds none of a known version."""
    return FILE.read(Prior, text, name, weight=1.0)


def load(path: str | Path) -> Prior:
    """Read a prior file; see :func:`from_json`."""
    name = f"The prior {path}"
    return from_json(read_file(path, name), name)


def check_theta(theta: float, margin: str = "sensitivity") -> float:
    """Return a threshold on the pooled margin named; raise InputProblem unless it is strictly between 0 and 1."""
    if 0 < theta < 1:
        return theta
    raise InputProblem(f"The threshold θ is {theta:g}; give a {margin} between 0 and 1, both excluded.")


def _check_range(name: str, value: float, least: float, most: float) -> None:
    """Raise InputProblem unless a number is finite and within its range."""
    if not (math.isfinite(value) and least <= value <= most):
        raise InputProblem(f"The {name} is {value:g}; give a number from {least:g} to {most:g}.")
