"""The paper's definitions as plain loops, one document at a time.

They are the oracle of the policy tests and the reference of ``benchmarks/policies.py``. :data:`LOOPS` has one
for every rule; those that look at labels alone are in ``baselines.py`` and ``field.py``. They are
written for reading: no arrays, no closed forms where the definition is a loop, and each policy goes
only as far down the list as it screens (Optimal excepted: backward induction begins at the end).

`stakes` is anything with the four payoffs B, L_r, L_g and G. `h` holds, for each document, the
chance that it is a hit given ω⁺ and no hit before it; in the paper's model that is p itself.
`hit` is the depth (from 1) of the first relevant document, None where there is none. `cited` says
that a⁺ needs a document to cite, so that before a hit only a⁻ is open.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

from tarstop_core.policies.grlstop import shipped_weights
from tests.reference import baselines, field

ROUNDING = 1e-12
"""Relative to the sum of the payoffs: a plan that gains less than this gains nothing."""


class Stakes(Protocol):
    """Four payoffs."""

    @property
    def B(self) -> float: ...
    @property
    def L_r(self) -> float: ...
    @property
    def L_g(self) -> float: ...
    @property
    def G(self) -> float: ...


def utility_plus(b: float, stakes: Stakes) -> float:
    """EU(a⁺|b)."""
    return b * stakes.B - (1 - b) * stakes.L_r


def utility_minus(b: float, stakes: Stakes) -> float:
    """EU(a⁻|b)."""
    return -b * stakes.L_g + (1 - b) * stakes.G


def utility(b: float, stakes: Stakes, cited: bool = False) -> float:
    """EU*(b): the better of the actions that are open before a hit."""
    if cited:
        return utility_minus(b, stakes)
    return max(utility_plus(b, stakes), utility_minus(b, stakes))


def evpi(b: float, stakes: Stakes, cited: bool = False) -> float:
    """What certainty would add: the expected loss by the error that the present action risks."""
    if cited:
        return b * (stakes.B + stakes.L_g)
    return min(b * (stakes.B + stakes.L_g), (1 - b) * (stakes.G + stakes.L_r))


def survival(
    p: Sequence[float], kappa: float = 1.0, s: float = 1.0, frailty: float = math.inf
) -> list[float]:
    """M_0 … M_N: chance of no hit in the first d documents, given ω⁺."""
    product, total = 1.0, 0.0
    curve = [1.0]
    for chance in p:
        if math.isinf(frailty):
            product *= 1 - s * chance
            M = product
        else:
            total += -math.log(1 - s * chance) if s * chance < 1 else math.inf
            M = (1 + total / frailty) ** -frailty
        curve.append(1 - kappa * (1 - M))
    return curve


def hazards(p: Sequence[float], kappa: float = 1.0, s: float = 1.0, frailty: float = math.inf) -> list[float]:
    """h_1 … h_N = 1 − M_d / M_{d−1}; s·p itself where documents are independent and all are listed."""
    if kappa == 1 and math.isinf(frailty):
        return [s * chance for chance in p]
    M = survival(p, kappa, s, frailty)
    return [1 - after / before if before > 0 else 0.0 for before, after in pairwise(M)]


def beliefs(h: Sequence[float], b_0: float) -> list[float]:
    """b_0 … b_N without a hit, from the running product M_d."""
    M = 1.0
    path = [b_0]
    for chance in h:
        M *= 1 - chance
        path.append(b_0 * M / (b_0 * M + 1 - b_0))
    return path


def one_step_evsi(b: float, chance: float, stakes: Stakes, cited: bool = False) -> float:
    """Value of one document by enumerating its two outcomes: a hit (then b = 1 and a⁺) and a miss."""
    rho = b * chance
    value = rho * stakes.B
    if rho < 1:
        after_miss = b * (1 - chance) / (1 - rho)
        value += (1 - rho) * utility(after_miss, stakes, cited)
    return value - utility(b, stakes, cited)


def plan_values(
    h: Sequence[float], b: float, stakes: Stakes, c: float, cited: bool = False, limit: int | None = None
) -> list[float]:
    """Expected net utility from belief b of every plan "until a hit, at most D documents", D = 0, 1, … ."""
    alive, gained = 1.0, 0.0
    values = [utility(b, stakes, cited)]
    for chance in h[:limit]:
        rho = b * chance
        gained += alive * (rho * stakes.B - c)
        alive *= 1 - rho
        b = b * (1 - chance) / (1 - rho) if rho < 1 else 0.0
        values.append(gained + alive * utility(b, stakes, cited))
    return values


def greedy_depth(
    h: Sequence[float], b_0: float, stakes: Stakes, c: float, hit: int | None = None, cited: bool = False
) -> int:
    """Documents screened by: continue iff ρ_{d+1}·EVPI(b_d) > c."""
    M = 1.0
    for d, chance in enumerate(h):
        b = b_0 * M / (b_0 * M + 1 - b_0)
        if not b * chance * evpi(b, stakes, cited) > c:
            return d
        if hit == d + 1:
            return d + 1
        M *= 1 - chance
    return len(h)


def smooth_depth(
    h: Sequence[float],
    b_0: float,
    stakes: Stakes,
    c: float,
    K: int,
    hit: int | None = None,
    cited: bool = False,
) -> int:
    """Documents screened by: continue iff mean(ρ_{d+1} … ρ_{d+K})·EVPI(b_d) > c, ρ by the current b_d."""
    M = 1.0
    for d in range(len(h)):
        b = b_0 * M / (b_0 * M + 1 - b_0)
        window = h[d : d + K]
        rho = sum(b * chance for chance in window) / len(window)
        if not rho * evpi(b, stakes, cited) > c:
            return d
        if hit == d + 1:
            return d + 1
        M *= 1 - h[d]
    return len(h)


def batch_depth(
    h: Sequence[float],
    b_0: float,
    stakes: Stakes,
    c: float,
    K: int,
    hit: int | None = None,
    cited: bool = False,
) -> int:
    """Documents screened by: continue iff Σ_{j≤K} ρ_{d+j}·EVPI(b_d) > K·c, then screen all K.

    The last batch holds the documents that are left. A hit ends the screening after its batch.
    """
    M, d = 1.0, 0
    while d < len(h):
        b = b_0 * M / (b_0 * M + 1 - b_0)
        batch = h[d : d + K]
        if not sum(b * chance for chance in batch) * evpi(b, stakes, cited) > len(batch) * c:
            return d
        for chance in batch:
            M *= 1 - chance
            d += 1
        if hit is not None and hit <= d:
            return d
    return d


def look_ahead_depth(
    h: Sequence[float],
    b_0: float,
    stakes: Stakes,
    c: float,
    m: int,
    hit: int | None = None,
    cited: bool = False,
) -> int:
    """Documents screened by: continue iff some plan of at most m more documents beats acting now."""
    rounding = ROUNDING * (stakes.B + stakes.L_r + stakes.L_g + stakes.G)
    M = 1.0
    for d, chance in enumerate(h):
        b = b_0 * M / (b_0 * M + 1 - b_0)
        now, *plans = plan_values(h[d : d + m], b, stakes, c, cited)
        if not max(plans) > now + rounding:
            return d
        if hit == d + 1:
            return d + 1
        M *= 1 - chance
    return len(h)


def induction(
    h: Sequence[float], b_0: float, stakes: Stakes, c: float, cited: bool = False
) -> tuple[float, int]:
    """W_0 and the first depth at which acting is as good as going on, by backward induction.

    W_N = EU*(b_N); W_d = max(EU*(b_d), −c + ρ_{d+1}·B + (1 − ρ_{d+1})·W_{d+1}).
    """
    rounding = ROUNDING * (stakes.B + stakes.L_r + stakes.L_g + stakes.G)
    b = beliefs(h, b_0)
    stop = len(h)
    W = utility(b[stop], stakes, cited)
    for d in range(len(h) - 1, -1, -1):
        rho = b[d] * h[d]
        act = utility(b[d], stakes, cited)
        go_on = -c + rho * stakes.B + (1 - rho) * W
        if not go_on > act + rounding:
            stop = d
        W = max(act, go_on)
    return W, stop


def optimal_depth(
    h: Sequence[float], b_0: float, stakes: Stakes, c: float, hit: int | None = None, cited: bool = False
) -> int:
    """Documents screened by the plan that backward induction finds."""
    stop = induction(h, b_0, stakes, c, cited)[1]
    return stop if hit is None else min(stop, hit)


def oracle_depth(
    h: Sequence[float], b_0: float, stakes: Stakes, c: float, hit: int | None = None, cited: bool = False
) -> int:
    """The way to the hit where a⁺ is not open at once and gains more than the way costs."""
    if hit is None or (not cited and utility_plus(b_0, stakes) > utility_minus(b_0, stakes)):
        return 0
    return hit if stakes.B + stakes.L_g > c * hit else 0


# One for every rule


@dataclass(frozen=True)
class Case:
    """A list with its labels and stakes; `drawn` is the order in which a random sample would take its documents."""

    p: Sequence[float]
    labels: Sequence[int]
    b_0: float
    stakes: Stakes
    c: float
    cited: bool
    drawn: Sequence[int]

    @property
    def hit(self) -> int | None:
        return self.labels.index(1) + 1 if 1 in self.labels else None


Loop = Callable[..., int]
"""From a case and the values of a rule's parameters to the depth where it stops."""


def of_value(loop: Callable[..., int]) -> Loop:
    return lambda case, *values: loop(
        case.p, case.b_0, case.stakes, case.c, *values, hit=case.hit, cited=case.cited
    )


def of_labels(loop: Callable[..., int]) -> Loop:
    return lambda case, *values: loop(case.labels, *values)


def of_draws(loop: Callable[..., int]) -> Loop:
    return lambda case, *values: loop(case.labels, case.drawn, *values)


def numbers_of(permutation: Sequence[int]) -> list[float]:
    """Numbers between 0 and 1, one a document, that rise in the order in which documents are drawn."""
    place = {document: at for at, document in enumerate(permutation)}
    return [(place[document] + 0.5) / len(place) for document in range(len(place))]


def qbcb_depth(case: Case, tau: float, n_min: int, alpha: float) -> int:
    j = baselines.order_statistic(tau, n_min, alpha)
    return baselines.sampled_run(case.labels, case.drawn, n_min, j)[0]


def target_depth(case: Case, tau: float, confidence: float) -> int:
    t = math.ceil(-math.log(1 - confidence) / (1 - tau))
    return baselines.sampled_run(case.labels, case.drawn, t, t)[0]


def audit_depth(case: Case, tau: float, confidence: float, every: int) -> int:
    return baselines.audit_run(case.labels, case.drawn, tau, confidence, every)[0]


LOOPS: dict[str, Loop] = {
    "optimal": of_value(optimal_depth),
    "open-loop": of_value(optimal_depth),
    "look-ahead": of_value(look_ahead_depth),
    "greedy": of_value(greedy_depth),
    "smooth": of_value(smooth_depth),
    "batch": of_value(batch_depth),
    "budget": lambda case, d: min(d, len(case.p)),
    "qbcb": qbcb_depth,
    "knee": of_labels(baselines.knee_depth),
    "grlstop": lambda case, target: baselines.agent_depth(case.labels, target, shipped_weights())[0],
    "cg-knee": of_labels(baselines.geometric_knee_depth),
    "tar-knee": of_labels(field.tar_knee_depth),
    "cg-budget": of_labels(baselines.budget_method_depth),
    "target": target_depth,
    "hypergeometric": lambda case, tau, confidence, every, bias: baselines.hypergeometric_depth(
        case.labels, tau, confidence, every
    ),
    "anytime-test": of_labels(field.anytime_depth),
    "beta-binomial": of_labels(field.beta_binomial_depth),
    "baseline-rate": of_draws(field.baseline_rate_depth),
    "autostop": lambda case, *values: field.autostop_depth(case.labels, numbers_of(case.drawn), *values),
    "scal": of_draws(field.scal_depth),
    "audit": audit_depth,
    "few-left": lambda case, *values: baselines.few_left_depth(case.p, case.labels, *values),
    "poisson": of_labels(baselines.poisson_depth),
    "quant": lambda case, *values: baselines.quant_depth(case.p, *values),
    "consecutive": of_labels(baselines.consecutive_depth),
    "safe": of_labels(field.safe_depth),
    "low-precision": of_labels(baselines.low_precision_depth),
    "rule-2399": of_labels(baselines.rule_2399_depth),
    "share": lambda case, share: math.ceil(Fraction(str(share)) * len(case.p)),
    "decide-now": lambda case: 0,
    "screen-everything": lambda case: len(case.p),
    "oracle": of_value(oracle_depth),
}
"""By the rule's name. A new rule brings its own: a test asks for it."""
