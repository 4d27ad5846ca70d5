"""What the evidence says, in sentences computed from it: one for every figure and number that is shown."""

import math
from itertools import pairwise

import numpy as np

from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.reitsma import IDENTIFIED_FROM, Estimate
from tarstop_core.evidence.summary import AHEAD, Evidence
from tarstop_core.presentation.numbers import amount, listed, number, percent
from tarstop_core.value.payoffs import TOLERANCE, Payoffs

REML_CORRECTION = (
    "Half a patient is added to studies with an empty cell; mada then adds it to all unless told otherwise."
)
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


def belief_sentence(evidence: Evidence) -> str:
    """The belief in words."""
    what = f"sensitivity exceeds {threshold(evidence.theta)}"
    if evidence.belief is None:
        return (
            f"The Reitsma model cannot say yet whether {what}: it needs {IDENTIFIED_FROM} studies with all four "
            f"counts, and there {'is' if evidence.usable == 1 else 'are'} {evidence.usable}."
        )
    return f"The chance that {what} is {percent(evidence.belief)}."


def action_sentence(
    evidence: Evidence, q_star: float, plus: str = "Adopt", minus: str = "Don’t adopt"
) -> str:
    """What that means for the decision, with how sure one wants to be."""
    if evidence.belief is None:
        return f"“{plus}” needs more than {percent(q_star)}."
    chosen = plus if evidence.belief > q_star + TOLERANCE else minus
    side = "more" if chosen == plus else "not more"
    return (
        f"That is {side} than the {percent(q_star)} that “{plus}” needs, so now you would choose “{chosen}”."
    )


def rival_sentence(evidence: Evidence, q_star: float, plus: str = "Adopt", minus: str = "Don’t adopt") -> str:
    """What the other school of models would do, where it has an answer and would do otherwise; else nothing."""
    ours, theirs = evidence.belief, evidence.rival_belief
    if ours is None or theirs is None or (ours > q_star + TOLERANCE) == (theirs > q_star + TOLERANCE):
        return ""
    chosen = plus if theirs > q_star + TOLERANCE else minus
    if evidence.engine == "reml":
        return f"The exact belief is {percent(theirs)}: {chosen}."
    return (
        f"The usual model (REML) would say {percent(theirs)}: {chosen}; it weighs studies by variances taken from "
        "their own results."
    )


def forest_sentence(evidence: Evidence) -> str:
    """What the forest plot shows."""
    value = evidence.sensitivity.value
    known = np.flatnonzero(~np.isnan(value))
    if not len(known):
        return "No study has diseased patients, so none says anything about sensitivity."
    low, high = known[value[known].argmin()], known[value[known].argmax()]
    names = evidence.tables.study
    if value[low] == value[high]:
        text = f"Sensitivity is {percent(float(value[low]))} in {'all ' if len(known) > 1 else ''}{studies(len(known))}"
    else:
        text = (
            f"Sensitivity goes from {percent(float(value[low]))} ({names[low]}) to {percent(float(value[high]))} "
            f"({names[high]}) in {studies(len(known))}"
        )
    without = int(np.isnan(evidence.specificity.value).sum())
    if without:
        text += f", and {studies(without)} {'has' if without == 1 else 'have'} no specificity"
    return (
        f"{text}. {pooled_sentence(evidence)} Squares grow with the number of patients; lines are exact "
        "(Clopper–Pearson) 95 % intervals."
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
    return f"Pooled {ENGINES[evidence.engine].badge.removeprefix('belief ')}: {', '.join(parts)}."


def summary_sentence(evidence: Evidence) -> str:
    """The summary of the bivariate model by REML, or why there is none."""
    fit = evidence.summary
    if fit is None:
        return (
            f"A summary needs {IDENTIFIED_FROM} studies with all four counts; there "
            f"{'is' if evidence.usable == 1 else 'are'} {evidence.usable}."
        )
    of = "" if fit.n == len(evidence) else f" of the {studies(fit.n)} with all four counts"
    text = (
        f"Summary sensitivity{of} {_interval(fit.sensitivity)}, specificity {_interval(fit.specificity)}, "
        "by the bivariate model"
    )
    cells = np.stack([evidence.tables.TP, evidence.tables.FN, evidence.tables.FP, evidence.tables.TN])
    if (cells == 0).any():
        text += " (REML; half a patient is added to studies with an empty cell, where mada adds it to all)"
    else:
        text += " (REML)"
    return text + ("." if fit.converged else ", though the fit did not settle: do not rely on it.")


def sroc_sentence(evidence: Evidence) -> str:
    """What the SROC plot shows."""
    fit = evidence.summary
    if fit is None:
        return f"{pooled_sentence(evidence)} {_no_curve(evidence)}".strip()
    other = ""
    if evidence.engine != "reml":
        other = (
            f" Curve and regions are those of the REML model, whose own point lies at "
            f"{percent(fit.sensitivity.value)} and {percent(fit.specificity.value)}."
        )
    return (
        f"{pooled_sentence(evidence)}{other} The area under the curve is {fit.auc:.2f} "
        f"(1 is a perfect test, 0.5 a useless one). {variation_sentence(evidence)} Circles are studies, sized by "
        "patients; the regions are as large as RevMan draws them, for few studies larger than mada’s."
        + (f" {fit.n} studies are too few for regions to say much." if fit.n < FEW else "")
    )


def _no_curve(evidence: Evidence) -> str:
    if evidence.engine == "reml":
        return ""
    return f"Curve and regions need {IDENTIFIED_FROM} studies with all four counts."


def variation_sentence(evidence: Evidence) -> str:
    """How much the studies differ beyond chance."""
    fit, new = evidence.summary, evidence.new_study
    if fit is None or new is None:
        return "How much studies differ beyond chance cannot be told from fewer than 3."
    word = next(word for width, word in VARIATION if new.high - new.low < width)
    text = (
        f"Studies differ beyond chance: {word} variation. In 95 % of studies like these the true sensitivity would lie "
        f"between {percent(new.low)} and {percent(new.high)}."
        if fit.Psi[0, 0] > 1e-6
        else "Sensitivity differs no more between studies than chance explains."
    )
    if fit.n < FEW:
        text += f" From {fit.n} studies that is hardly more than a guess."
    if fit.correlation > 0.5:
        text += (
            " Where sensitivity is higher, false positives are more frequent too: perhaps a lower cut-off."
        )
    return text


def path_sentence(evidence: Evidence, q_star: float | None = None) -> str:
    """What the belief did from study to study."""
    path = evidence.drawn_path.beliefs
    seen = [(n, b) for n, b in enumerate(path) if b is not None]
    if not seen:
        return belief_sentence(evidence)
    if len(seen) == 1:
        return f"The belief is {percent(seen[0][1])}; the next study will move it."
    (first, before), (_, after) = seen[0], seen[-1]
    start = (
        "before any study" if first == 0 else f"after {studies(first)}, where the model is first identified"
    )
    text = (
        f"The belief went from {percent(before)} {start} to {percent(after)} after {studies(len(path) - 1)}"
    )
    moves = [(abs(b - a), n, b - a) for (_, a), (n, b) in pairwise(seen)]
    size, at, change = max(moves)
    if size >= 0.005:
        text += (
            f"; {evidence.tables.study[at - 1]} moved it most, "
            f"{'up' if change > 0 else 'down'} by {number(100 * size)} points"
        )
    text += "."
    if q_star is not None:
        sides = [b > q_star + TOLERANCE for _, b in seen]
        crossed = [seen[i + 1][0] for i in range(len(sides) - 1) if sides[i] != sides[i + 1]]
        threshold_words = f"the {percent(q_star)} at which you would act"
        if not crossed:
            text += f" It never crossed {threshold_words}."
        else:
            times = "once" if len(crossed) == 1 else f"{len(crossed)} times"
            text += f" It crossed {threshold_words} {times}, last with study {crossed[-1]} ({evidence.tables.study[crossed[-1] - 1]})."
    if evidence.previewed:
        text += (
            " Preview: with so many studies the path is drawn from sensitivity alone; the belief that counts, "
            f"from both groups, is {percent(evidence.belief or 0.0)}."
        )
    return text


def density_sentence(evidence: Evidence) -> str:
    """What prior and posterior say."""
    density = evidence.density
    if density is None or evidence.belief is None:
        return belief_sentence(evidence)
    low, middle, high = (density.quantile(level) for level in (0.025, 0.5, 0.975))
    theta = threshold(evidence.theta)
    text = f"{_capital(percent(evidence.belief))} of the belief lies above {theta} (shaded)"
    if ENGINES[evidence.engine].knows_prior:
        text += f"; before any study it was {percent(evidence.prior.b_0)}"
    text += (
        f". Pooled sensitivity is most likely near {percent(middle)}, and with 95 % probability between "
        f"{percent(low)} and {percent(high)}."
    )
    if evidence.engine == "reml":
        text += " This is the normal approximation of the REML estimate, which knows no prior."
    return text


def parameters_sentence(evidence: Evidence) -> str:
    """What to do with the parameters."""
    if evidence.summary is None:
        return summary_sentence(evidence)
    return (
        "RevMan draws the same summary when these are typed into its “externally calculated parameters”. "
        + summary_sentence(evidence)
    )


def without_sentence(evidence: Evidence, q_star: float | None = None) -> str:
    """Which study the belief depends on most."""
    b, without = evidence.belief, evidence.without
    changes = np.abs(without.beliefs - (np.nan if b is None else b))
    if b is None or np.isnan(changes).all():
        return "Leaving out a study leaves too few for a belief."
    at = int(np.nanargmax(changes))
    names = evidence.tables.study
    if changes[at] < 0.0005:
        text = f"No single study matters: without any of them the belief stays {percent(b)}."
    else:
        text = (
            f"{names[at]} matters most: without it the belief would be {percent(float(without.beliefs[at]))} "
            f"instead of {percent(b)}."
        )
    if q_star is not None:
        other = [
            names[i]
            for i in np.argsort(-np.nan_to_num(changes))
            if not np.isnan(changes[i])
            and (without.beliefs[i] > q_star + TOLERANCE) != (b > q_star + TOLERANCE)
        ]
        if not other:
            text += " Leaving out any one study would not change the decision."
        elif len(other) <= 3:
            text += f" Without {listed(other, 'or')} you would decide otherwise."
        else:
            text += f" Leaving out any one of {len(other)} studies, {other[0]} first among them, would change the decision."
    if without.approximate:
        text += " Approximate: with so many studies the changes are taken from sensitivity alone."
    return text


def value_sentence(evidence: Evidence, payoffs: Payoffs) -> str:
    """What more studies are worth beside certainty."""
    more = evidence.more_studies(payoffs)
    if more is None:
        return belief_sentence(evidence)
    one, most = float(more.evsi[0]), more.evpi
    ten = float(more.evsi[AHEAD.index(10)])
    first, many, all_of_it = (_worth(value, payoffs) for value in (one, ten, most))
    patients = f"{more.n1:,} diseased patient{'' if more.n1 == 1 else 's'}"
    if first == many:
        text = f"One more study like these ({patients}) is worth {first}, and so are ten more"
    else:
        text = f"One more study like these ({patients}) is worth {first}, ten more {many}"
    scale = "" if payoffs.unit else f", where both mistakes together cost {number(payoffs.K)}"
    text += f"; certainty would be worth {all_of_it}{scale}."
    if one < 0.01 * most or one < 1e-6 * payoffs.K:
        text += " A single further study could hardly change what you do."
    elif most > 0:
        text += f" The next study alone is worth {percent(min(1.0, one / most))} of certainty."
    return text


def _worth(value: float, payoffs: Payoffs) -> str:
    return amount(value, payoffs.unit) if value >= 5e-5 * payoffs.K else "next to nothing"


def _interval(estimate: Estimate) -> str:
    value, low, high = (percent(x) for x in estimate)
    return f"{value} (95 % interval {low} to {high})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
