"""Report of the evidence on an intervention: a page that loads and runs nothing."""

from collections.abc import Sequence

from tarstop_core.evidence import effect_words as said
from tarstop_core.evidence import words
from tarstop_core.evidence.effect_figures import cumulative, forest, funnel
from tarstop_core.evidence.effect_rows import reviewed_rows
from tarstop_core.evidence.effects import EffectEvidence
from tarstop_core.evidence.everyone import NOBODY, Everyone
from tarstop_core.evidence.report import RISK, risk_rows, sheets, written_with
from tarstop_core.files.effect_tables import rows_of_effects
from tarstop_core.presentation.html import page, sheet
from tarstop_core.presentation.numbers import number
from tarstop_core.presentation.pictures import still
from tarstop_core.value.payoffs import Payoffs


def effect_report(
    evidence: EffectEvidence,
    payoffs: Payoffs,
    *,
    name: str,
    at: str,
    by: str = "",
    source: str = "",
    notes: Sequence[str] = (),
    actions: words.Actions = words.TWO,
    everyone: Everyone = NOBODY,
    simulated: bool = False,
) -> str:
    """Write the evidence on an intervention as one HTML page.

    Parameters
    ----------
    evidence
        The studies and what follows from them.
    payoffs
        What right and wrong decisions bring and cost.
    name
        What the studies are called.
    at, by
        When somebody looked at them, and who.
    source
        Where they come from.
    notes
        Warnings about them.
    actions
        What the two actions are called.
    everyone
        Whom the amounts concern, and what a study costs.
    simulated
        Whether the studies are made up.

    Returns
    -------
    str
        A page that loads nothing and runs nothing.
    """
    b, q_star = evidence.belief, payoffs.q_star
    rows = [
        ("Question", said.message("question", evidence=evidence)),
        ("How sure before you act (q*)", words.message("how_sure", plus=actions.plus, q_star=q_star)),
        (
            "Consequences",
            words.message("consequences", payoffs=payoffs, plus=actions.plus, minus=actions.minus),
        ),
        ("Computed by", evidence.engine),
        ("Chance that it is so (ω⁺)", words.message("belief_row", belief=b)),
        ("Pooled", evidence.average),
        ("Heterogeneity (τ²)", "" if evidence.drawn_path.tau2 is None else number(evidence.drawn_path.tau2)),
        ("Studies", words.studies(len(evidence))),
    ]
    if evidence.belief is not None:
        rows.append(("Value of more studies", words.value_sentence(evidence, payoffs, everyone)))
    head, *table = rows_of_effects(evidence.studies)
    risks = risk_rows(evidence, payoffs, actions)
    return page(
        "tarstop_core.evidence.report",
        title=f"{name} · TARstop report",
        name=name,
        at=at,
        by=by,
        action=words.decided(b, payoffs, actions),
        rows=[(title, text) for title, text in rows if text],
        remarks=said.remarks(evidence, q_star, actions),
        rests=[
            words.not_accounted_sentence(evidence),
            words.risk_sentence(evidence, payoffs, actions) if risks else "",
            words.without_sentence(evidence, q_star),
        ],
        notes=notes,
        table=sheet(tuple(head), table, "Studies as they were given", numbers=head[1:]),
        named=True,
        figures=drawn_effects(evidence, q_star, simulated),
        more=sheets({RISK: risks, "By other methods": reviewed_rows(evidence)}),
        methods=said.methods_sentences(evidence, actions),
        source=source,
        versions=written_with(),
    )


def drawn_effects(evidence: EffectEvidence, q_star: float, simulated: bool = False) -> list[tuple[str, str]]:
    """Draw forest plots and funnel.

    Parameters
    ----------
    evidence
        The studies and what follows from them.
    q_star
        Threshold belief of the decision.
    simulated
        Whether the studies are made up.

    Returns
    -------
    list of (str, str)
        SVG, each with its sentence; none without a study.
    """
    if not len(evidence):
        return []
    figures = (
        (forest(evidence, simulated=simulated), said.forest_sentence(evidence)),
        (cumulative(evidence, q_star, simulated=simulated), said.cumulative_sentence(evidence, q_star)),
        (funnel(evidence, simulated=simulated), said.funnel_sentence(evidence)),
    )
    return [(still(figure, says), says) for figure, says in figures]
