"""Self-contained HTML report of the evidence on an intervention, and the numbers of each figure as rows."""

from typing import Any

import numpy as np

from tarstop_core.evidence import effect_words as said
from tarstop_core.evidence import words
from tarstop_core.evidence.effect_figures import cumulative, forest, funnel
from tarstop_core.evidence.effects import EffectEvidence
from tarstop_core.evidence.report import About, bias_column, synthesis_page
from tarstop_core.files.effect_tables import rows_of_effects
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Rows
from tarstop_core.presentation.html import sheet
from tarstop_core.presentation.numbers import alike, number
from tarstop_core.presentation.pictures import still
from tarstop_core.value.payoffs import Payoffs


def effect_report(evidence: EffectEvidence, payoffs: Payoffs, about: About) -> str:
    """Write the evidence on an intervention as one HTML page.

    Parameters
    ----------
    evidence
        The studies and everything computed from them.
    payoffs
        Benefits and costs of right and wrong decisions.
    about
        Names, dates, source and notes of the report.

    Returns
    -------
    str
        A page without scripts that loads nothing.
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
    """Draw the forest plot, the cumulative one and the funnel.

    Parameters
    ----------
    evidence
        The studies and everything computed from them.
    payoffs
        Benefits and costs of the options.
    simulated
        Whether the studies are simulated.

    Returns
    -------
    list of (str, str)
        SVG and its sentence; empty without a study.
    """
    if not len(evidence):
        return []
    figures = (
        (forest(evidence, simulated=simulated), said.forest_sentence(evidence)),
        (cumulative(evidence, payoffs, simulated=simulated), said.cumulative_sentence(evidence, payoffs)),
        (funnel(evidence, simulated=simulated), said.funnel_sentence(evidence)),
    )
    return [(still(figure, sentence), sentence) for figure, sentence in figures]


# --- the numbers of each figure -------------------------------------------------------------------


def study_rows(evidence: EffectEvidence) -> Rows:
    """Studies as given, with estimates, limits and weights in the measure's own unit."""
    studies = evidence.studies
    unit = np.exp if evidence.target.ratio else np.asarray
    columns: dict[str, Any] = {"study": np.array(evidence.names, dtype=object)}
    columns |= {name: fig.or_none(studies.column(name)) for name in studies.form.columns}
    columns |= {f"estimate_{name}": fig.or_none(unit(x)) for name, x in evidence.estimates._asdict().items()}
    columns |= {"scale_y": fig.or_none(evidence.sizes.y), "scale_se": fig.or_none(np.sqrt(evidence.sizes.v))}
    columns["weight"] = fig.or_none(evidence.weights)
    return fig.rows_of(**columns, **bias_column(studies))


def cumulative_rows(evidence: EffectEvidence) -> Rows:
    """The average effect and the belief after each study."""
    unit = np.exp if evidence.target.ratio else np.asarray
    average, low, high = (fig.or_none(unit(x)) for x in evidence.cumulative)
    return fig.rows_of(
        studies=range(1, len(evidence) + 1),
        newest=evidence.names,
        average=average,
        low=low,
        high=high,
        belief=np.array(evidence.drawn_path.beliefs[1:], dtype=object),
    )


def reviewed_rows(evidence: EffectEvidence) -> Rows:
    """The pooled effect by every method that reviewers use, as texts."""
    rows = []
    for row in evidence.reviewed:
        texts = {"method": row.method, "pooled": evidence.written(row.est, *row.ci)}
        texts["Knapp–Hartung"] = evidence.written(row.est, *row.kh_ci) if np.isfinite(row.kh_ci[0]) else ""
        texts["τ²"] = number(row.tau2) if np.isfinite(row.tau2) else ""
        texts["I²"] = f"{row.I2:.0f} %" if np.isfinite(row.I2) else ""
        ends = alike([evidence.unit(end) for end in row.prediction])
        texts["new settings"] = " to ".join(ends) if np.isfinite(row.prediction[0]) else ""
        rows.append(texts)
    return rows
