"""What is believed of sensitivity before any study: a small frozen record that can be seen and saved."""

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
LEAST_SURE = 1e-3  # of a b_0 that is carried to another threshold


@dataclass(frozen=True)
class LearnedFrom:
    """The training outcomes that a prior was learned from."""

    source: str  # What they were, for a person
    theta: float  # Threshold on sensitivity that they were judged against: b_0 refers to it
    reviews: int
    outcomes: int
    studies: int
    """`reviews`, `outcomes` and `studies`: how many there were; a review may hold several outcomes."""
    gain: float  # Log marginal likelihood per review, above the weak prior's
    keeps_b_0: bool = False
    """Whether b_0 was left to the person, at whichever threshold: only how wide the prior is was learned."""

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
    """How much a study says against one drawn at random, 0.1 to 1: those that a list brings first may be alike, and stray
    from what all say in the end more than chance has it.
    """

    def __post_init__(self) -> None:
        check_prior(self.b_0)
        _check("spread s of the prior", self.s, 0.2, 5)
        _check("scale of the prior of heterogeneity", self.tau, 0.05, 3)
        _check("spread of the prior of the false-positive rate", self.s_fpr, 0.2, 5)
        _check("LKJ shape of the prior of the correlation", self.eta, 1, 100)
        _check("weight of a study", self.weight, 0.1, 1)

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
        """Whether only its width was learned, and b_0 is a person's own."""
        return self.learned_from is not None and self.learned_from.keeps_b_0

    def at(self, theta: float) -> Prior:
        """A prior with this distribution of sensitivity, its b_0 taken at another threshold.

        Only a prior whose b_0 was learned says what that refers to; any other is returned as it is.

        >>> learned = Prior(0.7, 0.8, learned_from=LearnedFrom("past reviews", 0.75, 16, 63, 742, 0.1))
        >>> learned.at(0.75).b_0, round(learned.at(0.9).b_0, 2), Prior(0.7).at(0.9).b_0
        (0.7, 0.2, 0.7)
        """
        seen = self.learned_from
        if seen is None or self.width_alone or seen.theta == theta:
            return self
        b_0 = float(ndtr((logit(seen.theta) + self.shift - logit(check_theta(theta))) / self.s))
        return replace(self, b_0=min(max(b_0, LEAST_SURE), 1 - LEAST_SURE))

    def to_json(self) -> str:
        """The prior as a small versioned JSON document."""
        return FILE.text(self.to_dict(), ascii_only=True)

    def to_dict(self) -> dict[str, Any]:
        """JSON values; what is as it was before these fields existed is left out, so that fingerprints stay."""
        content = asdict(self)
        if self.weight == 1:
            del content["weight"]
        if self.learned_from is not None and not self.learned_from.keeps_b_0:
            del content["learned_from"]["keeps_b_0"]
        return content

    @property
    def digest(self) -> str:
        """Fingerprint of the numbers and of what they were learned from."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]


def from_json(text: str, name: str = "The prior") -> Prior:
    """Read a prior back. InputProblem when the text is not one of a known version."""
    return FILE.read(Prior, text, name, weight=1.0)


def load(path: str | Path) -> Prior:
    """Read a prior file; see :func:`from_json`."""
    name = f"The prior {path}"
    return from_json(read_file(path, name), name)


def check_theta(theta: float, margin: str = "sensitivity") -> float:
    """The threshold on pooled sensitivity, or on specificity, refused unless strictly between 0 and 1."""
    if 0 < theta < 1:
        return theta
    raise InputProblem(f"The threshold θ is {theta:g}; give a {margin} between 0 and 1, both excluded.")


def _check(name: str, value: float, least: float, most: float) -> None:
    if not (math.isfinite(value) and least <= value <= most):
        raise InputProblem(f"The {name} is {value:g}; give a number from {least:g} to {most:g}.")
