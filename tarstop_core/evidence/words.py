"""What the evidence says, in sentences computed from it: one for every figure and number that is shown."""

import math
from functools import partial
from itertools import pairwise

import numpy as np

from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.reitsma import IDENTIFIED_FROM, Estimate
from tarstop_core.evidence.summary import AHEAD, Evidence
from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.presentation.words import TEXTS, say
from tarstop_core.value.payoffs import TOLERANCE, Payoffs

REML_CORRECTION = (
    "Half a patient is added to studies with an empty cell; mada then adds it to all unless told otherwise."
)
PLUS, MINUS = "Adopt", "Don’t adopt"  # what the two actions are called where nobody named them
FEW = 5  # studies below which regions and variation are hardly known
# Widths of the range that holds the true sensitivity of 95 % of studies: our words, no standard.
VARIATION = ((0.1, "little"), (0.25, "moderate"), (0.5, "considerable"), (math.inf, "very large"))


def threshold(theta: float) -> str:
    """θ as a person says it.

    Examples
    --------
    >>> threshold(0.75), threshold(0.925)
    ('75 %', '92.5 %')
    """
    return f"{100 * theta:.4g} %"


def studies(count: int) -> str:
    """'1 study', '12 studies'."""
    return "1 study" if count == 1 else f"{count:,} studies"


def _interval(estimate: Estimate) -> str:
    value, low, high = (percent(x) for x in estimate)
    return f"{value} (95 % interval {low} to {high})"


TEXTS.filters |= {"studies": studies, "interval": _interval}
_said = partial(say, __name__)


def belief_sentence(evidence: Evidence) -> str:
    """The belief in words."""
    told = {"theta": threshold(evidence.theta), "least": IDENTIFIED_FROM, "usable": evidence.usable}
    return _said("belief", **told, belief=evidence.belief)


def action_sentence(evidence: Evidence, q_star: float) -> str:
    """What that means for the decision, with how sure one wants to be."""
    b, edge = evidence.belief, q_star + TOLERANCE
    return _said("action", plus=PLUS, minus=MINUS, q_star=q_star, belief=b, turned=b is not None and b > edge)


def rival_sentence(evidence: Evidence, q_star: float, plus: str = PLUS, minus: str = MINUS) -> str:
    """What the other school of models would do, where it has an answer and would do otherwise; else nothing."""
    ours, theirs = evidence.belief, evidence.rival_belief
    if ours is None or theirs is None or (ours > q_star + TOLERANCE) == (theirs > q_star + TOLERANCE):
        return ""
    chosen = plus if theirs > q_star + TOLERANCE else minus
    return _said("rival", reml=evidence.engine == "reml", belief=theirs, chosen=chosen)


def forest_sentence(evidence: Evidence) -> str:
    """What the forest plot shows."""
    value, names = evidence.sensitivity.value, evidence.tables.study
    known = np.flatnonzero(~np.isnan(value))
    if not len(known):
        return _said("forest_of_none")
    low, high = known[value[known].argmin()], known[value[known].argmax()]
    return _said(
        "forest",
        low=float(value[low]),
        high=float(value[high]),
        lowest=names[low],
        highest=names[high],
        known=len(known),
        without=int(np.isnan(evidence.specificity.value).sum()),
        pooled=pooled_sentence(evidence),
    )


def pooled_sentence(evidence: Evidence) -> str:
    """What the engine that decides pools, or why it has no answer.

    Examples
    --------
    >>> from tarstop_core.evidence.summary import evidence
    >>> from tarstop_core.documents.tables import Tables
    >>> one = Tables(("a",), *(np.array([x]) for x in (8.0, 1.0, 2.0, 30.0)))
    >>> pooled_sentence(evidence(one, 0.75))
    'Pooled from exact counts of both groups: sensitivity 80 % (95 % interval 40 % to 96 %), specificity 93 % (95 % interval 61 % to 99 %).'
    """
    pooled = evidence.pooled
    named = (("sensitivity", pooled.sensitivity), ("specificity", pooled.specificity))
    parts = [f"{name} {_interval(each)}" for name, each in named if each is not None]
    if not parts:
        return summary_sentence(evidence)
    return _said("pooled", how=ENGINES[evidence.engine].badge.removeprefix("belief "), parts=parts)


def summary_sentence(evidence: Evidence) -> str:
    """The summary of the bivariate model by REML, or why there is none."""
    fit, tables = evidence.summary, evidence.tables
    if fit is None:
        return _said("no_summary", least=IDENTIFIED_FROM, usable=evidence.usable)
    empty = bool((np.stack([tables.TP, tables.FN, tables.FP, tables.TN]) == 0).any())
    return _said("summary", fit=fit, all=fit.n == len(evidence), empty=empty)


def sroc_sentence(evidence: Evidence) -> str:
    """What the SROC plot shows."""
    fit, pooled, reml = evidence.summary, pooled_sentence(evidence), evidence.engine == "reml"
    if fit is None:
        return pooled if reml else f"{pooled} {_said('no_curve', least=IDENTIFIED_FROM)}"
    variation = variation_sentence(evidence)
    return _said("sroc", fit=fit, pooled=pooled, reml=reml, variation=variation, few=fit.n < FEW)


def variation_sentence(evidence: Evidence) -> str:
    """How much the studies differ beyond chance."""
    fit, new = evidence.summary, evidence.new_study
    if fit is None or new is None:
        return _said("no_variation")
    word = next(word for width, word in VARIATION if new.high - new.low < width)
    return _said("variation", fit=fit, new=new, word=word, differ=fit.Psi[0, 0] > 1e-6, few=fit.n < FEW)


def path_sentence(evidence: Evidence, q_star: float) -> str:
    """What the belief did from study to study."""
    path = evidence.drawn_path.beliefs
    seen = [(n, b) for n, b in enumerate(path) if b is not None]
    if not seen:
        return belief_sentence(evidence)
    if len(seen) == 1:
        return _said("path_of_one", b=seen[0][1])
    size, at, change = max((abs(b - a), n, b - a) for (_, a), (n, b) in pairwise(seen))
    sides = [b > q_star + TOLERANCE for _, b in seen]
    (first, before), after = seen[0], seen[-1][1]
    return _said(
        "path",
        first=first,
        before=before,
        after=after,
        last=len(path) - 1,
        size=size,
        at=at,
        change=change,
        names=evidence.tables.study,
        q_star=q_star,
        crossed=[seen[i + 1][0] for i, (one, other) in enumerate(pairwise(sides)) if one != other],
        previewed=evidence.previewed,
        belief=evidence.belief,
    )


def density_sentence(evidence: Evidence) -> str:
    """What prior and posterior say."""
    density = evidence.density
    if density is None or evidence.belief is None:
        return belief_sentence(evidence)
    low, middle, high = (density.quantile(level) for level in (0.025, 0.5, 0.975))
    return _said(
        "density",
        belief=evidence.belief,
        theta=threshold(evidence.theta),
        knows_prior=ENGINES[evidence.engine].knows_prior,
        b_0=evidence.prior.b_0,
        low=low,
        middle=middle,
        high=high,
        reml=evidence.engine == "reml",
    )


def parameters_sentence(evidence: Evidence) -> str:
    """What to do with the parameters."""
    summary = summary_sentence(evidence)
    return summary if evidence.summary is None else _said("parameters", summary=summary)


def without_sentence(evidence: Evidence, q_star: float) -> str:
    """Which study the belief depends on most."""
    b, without, names = evidence.belief, evidence.without, evidence.tables.study
    changes = np.abs(without.beliefs - (np.nan if b is None else b))
    if b is None or np.isnan(changes).all():
        return _said("without_none")
    at = int(np.nanargmax(changes))
    edge = q_star + TOLERANCE
    order = [i for i in np.argsort(-np.nan_to_num(changes)) if not np.isnan(changes[i])]
    return _said(
        "without",
        name=names[at],
        change=changes[at],
        b=b,
        other=float(without.beliefs[at]),
        turning=[names[i] for i in order if (without.beliefs[i] > edge) != (b > edge)],
        approximate=without.approximate,
    )


def value_sentence(evidence: Evidence, payoffs: Payoffs) -> str:
    """What more studies are worth beside certainty."""
    more = evidence.more_studies(payoffs)
    if more is None:
        return belief_sentence(evidence)
    one, most = float(more.evsi[0]), more.evpi
    amounts = (one, float(more.evsi[AHEAD.index(10)]), most)
    first, many, all_of_it = (
        amount(value, payoffs.unit) if value >= 5e-5 * payoffs.K else "next to nothing" for value in amounts
    )
    return _said(
        "value",
        n1=more.n1,
        first=first,
        many=many,
        most=all_of_it,
        scale=None if payoffs.unit else payoffs.K,
        little=one < 0.01 * most or one < 1e-6 * payoffs.K,
        share=min(1.0, one / most) if most > 0 else None,
    )
