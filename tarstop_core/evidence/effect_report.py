"""Report of the evidence on an intervention: a page that loads and runs nothing."""

from tarstop_core.evidence import effect_words as said
from tarstop_core.evidence import words
from tarstop_core.evidence.effect_figures import cumulative, forest, funnel
from tarstop_core.evidence.effect_rows import reviewed_rows
from tarstop_core.evidence.effects import EffectEvidence
from tarstop_core.evidence.report import About, synthesis_page
from tarstop_core.files.effect_tables import rows_of_effects
from tarstop_core.presentation.html import sheet
from tarstop_core.presentation.numbers import number
from tarstop_core.presentation.pictures import still
from tarstop_core.value.payoffs import Payoffs


def effect_report(evidence: EffectEvidence, payoffs: Payoffs, about: About) -> str:
    """Write the evidence on an intervention as one HTML page.

    Parameters
    ----------
    evidence
        The studies and what follows from them.
    payoffs
        What right and wrong decisions bring and cost.
    about
        What is said beside the numbers.

    Returns
    -------
    str
        A page that loads nothing and runs nothing.
    """
    b, tau2 = evidence.belief, evidence.drawn_path.tau2
    value = "" if b is None else words.value_sentence(evidence, payoffs, about.everyone)
    head, *table = rows_of_effects(evidence.studies)
    return synthesis_page(
        evidence,
        payoffs,
        about,
        question=said.message("question", evidence=evidence),
        rows=[
            ("Computed by", evidence.engine),
            ("Chance that it is so (ω⁺)", words.message("belief_row", belief=b)),
            ("Pooled", evidence.average),
            ("Heterogeneity (τ²)", "" if tau2 is None else number(tau2)),
            ("Studies", words.studies(len(evidence))),
            ("Value of more studies", value),
        ],
        remarks=said.remarks(evidence, payoffs, about.actions),
        notes=about.notes,
        table=sheet(tuple(head), table, "Studies as given", numbers=head[1:]),
        named=True,
        figures=drawn_effects(evidence, payoffs, about.simulated),
        methods=said.methods_sentences(evidence, about.actions),
        tables={"By other methods": reviewed_rows(evidence)},
    )


def drawn_effects(
    evidence: EffectEvidence, payoffs: Payoffs, simulated: bool = False
) -> list[tuple[str, str]]:
    """Draw forest plots and funnel.

    Parameters
    ----------
    evidence
        The studies and what follows from them.
    payoffs
        What the options of the decision bring.
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
        (cumulative(evidence, payoffs, simulated=simulated), said.cumulative_sentence(evidence, payoffs)),
        (funnel(evidence, simulated=simulated), said.funnel_sentence(evidence)),
    )
    return [(still(figure, says), says) for figure, says in figures]
