"""Sentences about the evidence on an intervention; their templates are in `effects.jinja`."""

import numpy as np

from tarstop_core.effects.absolute import difference_of_delta
from tarstop_core.effects.beliefs import POOLED, EffectTarget
from tarstop_core.effects.sizes import Z
from tarstop_core.effects.studies import EVENT_MEASURES, Form
from tarstop_core.evidence import words
from tarstop_core.evidence.effects import EffectEvidence
from tarstop_core.evidence.words import TWO, Actions
from tarstop_core.presentation.messages import Messages
from tarstop_core.value.payoffs import Payoffs

message = Messages("evidence/effects.jinja")


def belief_sentence(evidence: EffectEvidence) -> str:
    """Word the belief, or what the engine lacks for one."""
    return message("belief", evidence=evidence)


def settings_sentence(evidence: EffectEvidence) -> str:
    """Word the effect to expect in a new setting; empty where the engine cannot say."""
    new = evidence.drawn_path.new_setting
    return "" if new is None else message("settings", new_setting=new, between=evidence.settings_share())


def rival_sentence(evidence: EffectEvidence, payoffs: Payoffs, actions: Actions = TWO) -> str:
    """Word what the other school of models would choose.

    Parameters
    ----------
    evidence, payoffs, actions
        As for :func:`~tarstop_core.evidence.words.rival_action`.

    Returns
    -------
    str
        A sentence; empty if it would choose the same.
    """
    chosen, theirs = words.rival_action(evidence, payoffs, actions), evidence.rival_belief
    pooled = evidence.engine in POOLED
    return message("rival", pooled=pooled, belief=theirs, chosen=chosen) if chosen else ""


def pooled_sentence(evidence: EffectEvidence) -> str:
    """Word the pooled effect."""
    path = evidence.drawn_path
    ends = path.prediction and [evidence.unit(end) for end in path.prediction]
    return message("pooled", average=evidence.average, tau=np.sqrt(path.tau2 or 0.0), new_settings=ends)


def threshold_sentence(target: EffectTarget, baseline: float | None) -> str:
    """Word the smallest effect that matters as a number of people, and note if it is a harm.

    Parameters
    ----------
    target
        The measure, δ and direction.
    baseline
        Risk of the event without the intervention; None if unknown.

    Returns
    -------
    str
        Empty if there is nothing to note.
    """
    prevented = None
    if baseline is not None and target.measure in EVENT_MEASURES and target.delta != target.nothing:
        prevented = difference_of_delta(target.measure, baseline, target.delta)
    if prevented is None and not target.harmful:
        return ""
    return message("in_people", prevented=prevented, baseline=baseline, harmful=target.harmful)


def forest_sentence(evidence: EffectEvidence) -> str:
    """Word what the forest plot shows."""
    silent = int((~np.isfinite(evidence.sizes.y)).sum())
    sentence = message("forest", pooled=pooled_sentence(evidence), silent=silent, ratio=evidence.target.ratio)
    counted = evidence.engine == "exact" and evidence.studies.has_empty_cells
    return f"{sentence} {message('exact_cells')}" if counted else sentence


def cumulative_sentence(evidence: EffectEvidence, payoffs: Payoffs) -> str:
    """Word after which study the decision no longer changed."""
    sides = [payoffs.best(0.0 if b is None else b) for b in evidence.drawn_path.beliefs]
    turned = [n for n in range(2, len(sides)) if sides[n] != sides[n - 1]]
    return message("cumulative", settled=turned[-1] if turned else None, total=len(evidence))


def funnel_sentence(evidence: EffectEvidence) -> str:
    """Word how many studies lie outside the funnel."""
    y, se, mu = evidence.sizes.y, np.sqrt(evidence.sizes.v), evidence.drawn_path.mu
    usable = np.isfinite(y)
    outside = 0 if mu is None else int((np.abs(y - mu)[usable] > Z * se[usable]).sum())
    return message("funnel", outside=outside, total=int(usable.sum()))


def labbe_sentence(evidence: EffectEvidence) -> str:
    """Word in how many studies the treated arm has the lower risk."""
    if evidence.studies.form is not Form.EVENTS:
        return message("labbe", better=0, total=0)
    a, m, c, n = evidence.studies.complete().values.T
    return message("labbe", better=int((a / m < c / n).sum()), total=len(a))


def reviewed_sentence(evidence: EffectEvidence) -> str:
    """Word the heterogeneity that the usual pooling methods estimate."""
    rows = {row.method: row for row in evidence.reviewed}
    I2 = rows["REML"].I2 if rows else 0.0
    return message("reviewed", I2=I2, interval=evidence.tau2_interval, count=len(rows))


def methods_sentences(evidence: EffectEvidence, actions: Actions) -> list[str]:
    """Sentences on the model, its prior, and the rule that turns the belief into an action."""
    prior = evidence.drawn_path.prior
    prior_sentences = [message("prior", b_0=evidence.b_0, sd=prior.sd)] if prior else []
    rule = message("rule", claim=evidence.claim, plus=actions.plus, minus=actions.minus)
    return [message("model", engine=evidence.engine), *prior_sentences, rule]


def remarks(evidence: EffectEvidence, payoffs: Payoffs, actions: Actions = TWO) -> list[str]:
    """Sentences on belief, decision, the other model's choice, and the effect in a new setting.

    Parameters
    ----------
    evidence
        The studies and what follows from them.
    payoffs
        What the options bring and cost.
    actions
        Names of the options.

    Returns
    -------
    list of str
        One sentence per entry.
    """
    sentences = (
        belief_sentence(evidence),
        words.action_sentence(evidence, payoffs, actions),
        rival_sentence(evidence, payoffs, actions),
        settings_sentence(evidence),
    )
    return [sentence for sentence in sentences if sentence]
