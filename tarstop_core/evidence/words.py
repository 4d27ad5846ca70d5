"""Sentences about every figure and number of the evidence; their templates are in `messages.jinja`."""

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from tarstop_core.belief.both import threshold
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.reitsma import IDENTIFIED_FROM, Estimate
from tarstop_core.evidence.everyone import NOBODY, Everyone
from tarstop_core.evidence.summary import Evidence
from tarstop_core.evidence.synthesis import Synthesis
from tarstop_core.presentation.messages import Messages
from tarstop_core.presentation.numbers import percent
from tarstop_core.value.payoffs import TOLERANCE, Payoffs

REML_CORRECTION = (
    "Half a patient is added to studies with an empty cell; mada adds it to all studies by default."
)
PLUS, MINUS = "Adopt", "Don’t adopt"  # default names of the two actions


@dataclass(frozen=True)
class Actions:
    """Names of the options of a decision."""

    plus: str = PLUS
    minus: str = MINUS
    lacking: str = ""  # why a⁺ may not be chosen yet, in words; empty if it may
    others: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order of the options of :class:`~tarstop_core.value.payoffs.Payoffs`."""
        return self.minus, self.plus, *self.others

    def at(self, belief: float, payoffs: Payoffs) -> str:
        """Name of the best option at a belief."""
        return self.names[int(payoffs.best(belief, not self.lacking))]


TWO = Actions()
FEW = 5  # with fewer studies, regions and variation are very uncertain
# Word for the variation, if the true sensitivities of 95 % of studies span less than this; no published standard.
VARIATION = ((0.1, "little"), (0.25, "moderate"), (0.5, "considerable"), (math.inf, "very large"))


def studies(count: int) -> str:
    """Format a number of studies: '1 study', '12 studies'."""
    return "1 study" if count == 1 else f"{count:,} studies"


def interval(estimate: Estimate) -> str:
    """Format an estimate and its 95 % interval in per cent."""
    value, low, high = (percent(x) for x in estimate)
    return f"{value} (95 % interval {low} to {high})"


message = Messages("evidence/messages.jinja", interval=interval, studies=studies, threshold=threshold)


def belief_sentence(evidence: Evidence) -> str:
    """Word the belief, or what the Reitsma model needs before it can give one."""
    return message("belief", evidence=evidence, least=IDENTIFIED_FROM)


def each_sentence(evidence: Evidence) -> str:
    """Word the beliefs about sensitivity and specificity; empty unless the question asks for both and both are available."""
    if evidence.of_each is None:
        return ""
    sensitivity, specificity = evidence.of_each
    return message("of_each", sensitivity=sensitivity, specificity=specificity)


def action_sentence(evidence: Synthesis, payoffs: Payoffs, actions: Actions = TWO) -> str:
    """Word the decision that the belief leads to.

    Parameters
    ----------
    evidence
        The studies and their belief.
    payoffs
        Benefits and costs of the options.
    actions
        Names of the options.

    Returns
    -------
    str
        A sentence.
    """
    b, q_star = evidence.belief, payoffs.q_star
    if b is not None and payoffs.others:
        return message("best_of_several", chosen=actions.at(b, payoffs))
    above = b is not None and b > q_star + TOLERANCE
    return message("action", belief=b, q_star=q_star, turned=above, actions=actions)


def rival_action(evidence: Synthesis, payoffs: Payoffs, actions: Actions) -> str:
    """Name of the action that the other school of models would choose.

    Parameters
    ----------
    evidence
        The studies and their belief.
    payoffs
        Benefits and costs of the options.
    actions
        Names of the options.

    Returns
    -------
    str
        Empty if the other model has no belief or leads to the same action.
    """
    ours, theirs = evidence.belief, evidence.rival_belief
    if ours is None or theirs is None or payoffs.best(ours) == payoffs.best(theirs):
        return ""
    return replace(actions, lacking="").at(theirs, payoffs)


def rival_sentence(evidence: Evidence, payoffs: Payoffs, actions: Actions = TWO) -> str:
    """Word what the other school of models would choose.

    Parameters
    ----------
    evidence, payoffs, actions
        As for :func:`rival_action`.

    Returns
    -------
    str
        A sentence; empty if it would choose the same.
    """
    chosen = rival_action(evidence, payoffs, actions)
    return message("rival", evidence=evidence, chosen=chosen) if chosen else ""


def forest_sentence(evidence: Evidence) -> str:
    """Word the range of sensitivities in the forest plot, and what is pooled from them."""
    value, names = evidence.sensitivity.value, evidence.tables.study
    with_sensitivity = np.flatnonzero(~np.isnan(value))
    if not len(with_sensitivity):
        return message("forest_of_none")
    low = with_sensitivity[value[with_sensitivity].argmin()]
    high = with_sensitivity[value[with_sensitivity].argmax()]
    return message(
        "forest",
        low=float(value[low]),
        high=float(value[high]),
        lowest=names[low],
        highest=names[high],
        with_sensitivity=len(with_sensitivity),
        without=int(np.isnan(evidence.specificity.value).sum()),
        pooled=pooled_sentence(evidence),
    )


def pooled_sentence(evidence: Evidence) -> str:
    """Word the sensitivity and specificity that the engine pools, or why it pools nothing.

    Examples
    --------
    >>> from tarstop_core.evidence.summary import evidence
    >>> from tarstop_core.belief.question import Question
    >>> from tarstop_core.documents.tables import Tables
    >>> one = Tables(("a",), *(np.array([x]) for x in (8.0, 1.0, 2.0, 30.0)))
    >>> pooled_sentence(evidence(one, Question(0.75)))
    'Pooled from exact counts of both groups: sensitivity 80 % (95 % interval 40 % to 96 %), specificity 93 % (95 % interval 61 % to 99 %).'
    """
    pooled = evidence.pooled
    if pooled.sensitivity is None and pooled.specificity is None:
        return summary_sentence(evidence)
    how = ENGINES[evidence.engine].badge.removeprefix("belief ")
    return message("pooled", how=how, sensitivity=pooled.sensitivity, specificity=pooled.specificity)


def summary_sentence(evidence: Evidence) -> str:
    """Word the summary of the bivariate model by REML, or why there is none."""
    fit, tables = evidence.summary, evidence.tables
    if fit is None:
        return message("no_summary", usable=evidence.usable, least=IDENTIFIED_FROM)
    empty = bool((np.stack([tables.TP, tables.FN, tables.FP, tables.TN]) == 0).any())
    return message("summary", fit=fit, all=fit.n == len(evidence), empty=empty)


def sroc_sentence(evidence: Evidence) -> str:
    """Word the pooled point, curve and regions of the SROC plot."""
    fit, pooled, engine = evidence.summary, pooled_sentence(evidence), evidence.engine
    if fit is None:
        return pooled if engine == "reml" else f"{pooled} {message('no_curve', least=IDENTIFIED_FROM)}"
    variation = variation_sentence(evidence)
    return message("sroc", fit=fit, engine=engine, pooled=pooled, variation=variation, few=fit.n < FEW)


def variation_sentence(evidence: Evidence) -> str:
    """Word how much the studies differ beyond chance."""
    fit, new = evidence.summary, evidence.new_study
    if fit is None or new is None:
        return message("no_variation")
    size = next(word for width, word in VARIATION if new.high - new.low < width)
    differ = fit.Psi[0, 0] > 1e-6
    return message("variation", fit=fit, new_study=new, size=size, differ=differ, few=fit.n < FEW)


def path_sentence(evidence: Synthesis, payoffs: Payoffs) -> str:
    """Word how the belief moved from study to study, and when another option became the best one."""
    path, names = evidence.drawn_path.beliefs, evidence.names
    seen = [(n, b) for n, b in enumerate(path) if b is not None]
    if not seen:
        return message("not_identified")
    if len(seen) == 1:
        return message("path_of_one", belief=seen[0][1])
    _, at, change = max((abs(b - a), n, b - a) for (_, a), (n, b) in pairwise(seen))
    sides = payoffs.best([b for _, b in seen]).tolist()
    (first, before), after = seen[0], seen[-1][1]
    crossed = [seen[i + 1][0] for i, (one, other) in enumerate(pairwise(sides)) if one != other]
    return message(
        "path",
        first=first,
        before=before,
        after=after,
        last=len(path) - 1,
        change=change,
        moved_by=names[at - 1],
        payoffs=payoffs,
        crossed=crossed,
        crossed_by=names[crossed[-1] - 1] if crossed else "",
        previewed=evidence.previewed,
        belief=evidence.belief,
    )


def density_sentence(evidence: Evidence) -> str:
    """Word the density of pooled sensitivity before and after the studies."""
    density = evidence.density
    if density is None or evidence.belief is None:
        return belief_sentence(evidence)
    low, middle, high = (density.quantile(level) for level in (0.025, 0.5, 0.975))
    with_prior = ENGINES[evidence.engine].knows_prior
    return message("density", evidence=evidence, with_prior=with_prior, low=low, middle=middle, high=high)


def parameters_sentence(evidence: Evidence) -> str:
    """Word the use of the summary's parameters, or why there are none."""
    summary = summary_sentence(evidence)
    return summary if evidence.summary is None else message("parameters", summary=summary)


def without_sentence(evidence: Synthesis, payoffs: Payoffs) -> str:
    """Word which study the belief depends on most, and whether leaving one out would change the decision."""
    b, without, names = evidence.belief, evidence.without, evidence.names
    changes = np.abs(without.beliefs - (np.nan if b is None else b))
    if b is None or np.isnan(changes).all():
        return message("without_none")
    strongest = int(np.nanargmax(changes))
    best, chosen = payoffs.best(b), payoffs.best(without.beliefs)
    order = [i for i in np.argsort(-np.nan_to_num(changes)) if not np.isnan(changes[i])]
    return message(
        "without",
        name=names[strongest],
        change=changes[strongest],
        belief=b,
        other=float(without.beliefs[strongest]),
        turning=[names[i] for i in order if chosen[i] != best],
        approximate=without.approximate,
    )


def value_sentence(evidence: Synthesis, payoffs: Payoffs, everyone: Everyone = NOBODY) -> str:
    """Word the value of more studies beside that of certainty.

    Parameters
    ----------
    evidence
        The studies and their belief.
    payoffs
        Benefits and costs of right and wrong decisions.
    everyone
        Number of people concerned, and the price of a study.

    Returns
    -------
    str
        Sentences; one more for all people if their number or a price is given.
    """
    more = evidence.more_studies(payoffs)
    if more is None:
        return message("not_identified")
    one, ten = (float(np.interp(k, more.k, more.evsi)) for k in (1, 10))
    sentences = message("value", more=more, one=one, ten=ten, payoffs=payoffs)
    if everyone == NOBODY:
        return sentences
    best, net = everyone.best(more)
    of_all = {
        "all": everyone.worth(more),
        "everyone": everyone,
        "best": best,
        "net": net,
        "payoffs": payoffs.scaled(everyone.people or 1.0),
    }
    return f"{sentences} {message('for_everyone', **of_all)}"


def risk_sentence(evidence: Synthesis, payoffs: Payoffs, actions: Actions = TWO) -> str:
    """Word whether the decision depends on studies at high risk of bias.

    Parameters
    ----------
    evidence
        The studies and their belief.
    payoffs
        Benefits and costs of right and wrong decisions.
    actions
        Names of the options.

    Returns
    -------
    str
        A sentence.
    """
    decisions = {decided(variant.belief, payoffs, actions) for _, variant in evidence.by_risk}
    return message("risk", decisions=len(decisions), count=len(evidence.judged.high_risk()))


def decided(belief: float | None, payoffs: Payoffs, actions: Actions = TWO) -> str | None:
    """Name of the best action at a belief.

    Parameters
    ----------
    belief
        The belief, if there is one.
    payoffs
        Benefits and costs of right and wrong decisions.
    actions
        Names of the options.

    Returns
    -------
    str or None
        None without a belief.
    """
    return None if belief is None else actions.at(belief, payoffs)


def not_accounted_sentence(evidence: Synthesis) -> str:
    """Word what the belief leaves out, as GRADE asks."""
    judged, high = bool(evidence.judged.bias), len(evidence.judged.high_risk())
    return message("not_accounted", judged=judged, high=high, total=len(evidence.names))
