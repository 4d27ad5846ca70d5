"""Report of an evidence synthesis: a page that loads and runs nothing, two sheets of paper for some twenty studies.

The report of a session shows its studies by the same pieces.
"""

import platform
from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from tarstop_core import __version__
from tarstop_core.belief.engines import ENGINES
from tarstop_core.documents.tables import CELLS
from tarstop_core.evidence import words
from tarstop_core.evidence.manual_tables import rows_of
from tarstop_core.evidence.prior_figure import prior_sentence
from tarstop_core.evidence.study_figures import COMPACT_FROM, forest, sroc
from tarstop_core.evidence.summary import Evidence, Shares
from tarstop_core.evidence.words import message
from tarstop_core.presentation.html import Sheet, page, sheet
from tarstop_core.presentation.pictures import still
from tarstop_core.value.payoffs import Payoffs


def evidence_report(
    evidence: Evidence,
    payoffs: Payoffs,
    *,
    name: str,
    at: str,
    by: str = "",
    source: str = "",
    notes: Sequence[str] = (),
) -> str:
    """Write an evidence synthesis as one HTML page.

    Parameters
    ----------
    evidence
        The tables and what follows from them.
    payoffs
        What right and wrong decisions bring and cost.
    name
        What the tables are called.
    at, by
        When somebody looked at them, and who.
    source
        Where the tables come from.
    notes
        Warnings about the tables; those of the evidence unless given.

    Returns
    -------
    str
        A page that loads nothing and runs nothing.
    """
    b, q_star = evidence.belief, payoffs.q_star
    return page(
        __name__,
        title=f"{name} · TARstop report",
        name=name,
        at=at,
        by=by,
        action=None if b is None else words.PLUS if payoffs.chooses_plus(b) else words.MINUS,
        rows=[(title, text) for title, text in _decision_rows(evidence, payoffs) if text],
        remarks=[
            words.belief_sentence(evidence) if b is None else "",
            words.action_sentence(evidence, q_star),
            words.rival_sentence(evidence, q_star),
        ],
        rests=[words.variation_sentence(evidence), words.without_sentence(evidence, q_star)],
        notes=notes or evidence.notes,
        table=studies_sheet(evidence),
        named=len(evidence) <= COMPACT_FROM,
        figures=drawn_studies(evidence),
        methods=_methods(evidence),
        source=source,
        versions=written_with(),
    )


def _decision_rows(evidence: Evidence, payoffs: Payoffs) -> list[tuple[str, str]]:
    """What is asked and believed: titles and texts, empty where the engine pools nothing."""
    theta, pooled, tables = evidence.theta, evidence.pooled, evidence.tables
    patients = {"diseased": np.nansum(tables.diseased), "healthy": np.nansum(tables.healthy)}
    return [
        ("Question", message("question", theta=theta)),
        ("How sure before you act (q*)", message("how_sure", plus=words.PLUS, q_star=payoffs.q_star)),
        ("Consequences", message("consequences", payoffs=payoffs, plus=words.PLUS, minus=words.MINUS)),
        ("Computed by", ENGINES[evidence.engine].title),
        (
            f"Chance that it exceeds {words.threshold(theta)} (ω⁺)",
            message("belief_row", belief=evidence.belief),
        ),
        ("Pooled sensitivity", words.interval(pooled.sensitivity) if pooled.sensitivity else ""),
        ("Pooled specificity", words.interval(pooled.specificity) if pooled.specificity else ""),
        ("Studies", message("studies_row", count=len(evidence), **patients)),
    ]


def _methods(evidence: Evidence) -> list[str]:
    """How the belief was computed, what it began with, and how it leads to an action."""
    engine, prior, theta = ENGINES[evidence.engine], evidence.prior, evidence.theta
    sentences = [message("model", engine=engine)]
    if engine.knows_prior:
        sentences.append(message("prior_of_belief", prior=prior, sentence=prior_sentence(prior, theta)))
    return [*sentences, message("rule", theta=theta, plus=words.PLUS, minus=words.MINUS)]


def studies_sheet(evidence: Evidence) -> Sheet:
    """Table of the studies with their counts and shares, without columns that no study fills."""
    shares = zip(_shares(evidence.sensitivity), _shares(evidence.specificity), strict=True)
    rows = [(*row, *share) for row, share in zip(rows_of(evidence.tables), shares, strict=True)]
    numbers = (*CELLS, "Sensitivity (95 %)", "Specificity (95 %)")
    return sheet(("Study", *numbers), rows, "2×2 tables", numbers=numbers)


def _shares(shares: Shares) -> list[str]:
    ends = zip(shares.value, shares.low, shares.high, strict=True)
    return ["" if np.isnan(value) else f"{value:.2f} ({low:.2f} to {high:.2f})" for value, low, high in ends]


def drawn_studies(evidence: Evidence, simulated: bool = False) -> list[tuple[str, str]]:
    """Forest plot and ROC plane as SVG, each with its sentence; none without a study."""
    if not len(evidence):
        return []
    figures = (
        (forest(evidence, simulated=simulated), words.forest_sentence(evidence)),
        (sroc(evidence, simulated=simulated), words.sroc_sentence(evidence)),
    )
    return [(still(figure, says), says) for figure, says in figures]


def written_with() -> list[tuple[str, str]]:
    """Names and versions of the programme and of what its numbers depend on."""
    packages = ("numpy", "scipy", "scikit-learn", "pandas")
    own = [("TARstop", __version__), ("Python", platform.python_version())]
    return [*own, *((name, version(name)) for name in packages)]
