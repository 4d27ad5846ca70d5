"""What 2×2 tables say as a page to hand on: nothing to load, nothing to run, two sheets of paper for some twenty studies.

What it says of its methods stands in ``report.toml``, where it stands in the template beside this module. The report of a
session shows its studies by the same pieces.
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
from tarstop_core.presentation.html import Sheet, page, sheet
from tarstop_core.presentation.pictures import still
from tarstop_core.presentation.words import template, texts
from tarstop_core.value.payoffs import Payoffs


def evidence_report(
    found: Evidence,
    payoffs: Payoffs,
    *,
    name: str,
    at: str,
    by: str = "",
    source: str = "",
    notes: Sequence[str] = (),
) -> str:
    """An evidence synthesis as one HTML page.

    `name` is what the tables are called, `at` when they were looked at and `by` by whom, `source` where they come from,
    `notes` what is to be known of them if not what they say themselves.
    """
    b, q_star = found.belief, payoffs.q_star
    told = {
        "found": found,
        "theta": words.threshold(found.theta),
        "engine": ENGINES[found.engine],
        "prior": prior_sentence(found.prior, found.theta),
        "payoffs": payoffs,
        "plus": words.PLUS,
        "minus": words.MINUS,
        "diseased": np.nansum(found.tables.diseased),
        "healthy": np.nansum(found.tables.healthy),
    }

    def filled(part: str) -> list[tuple[str, str]]:
        rows = [(template(text).render(told) for text in row) for row in texts(__name__)[part].items()]
        return [(head, text) for head, text in rows if text]

    return page(
        __name__,
        title=f"{name} · TARstop report",
        name=name,
        at=at,
        by=by,
        action=None if b is None else words.PLUS if payoffs.chooses_plus(b) else words.MINUS,
        rows=filled("decision"),
        told=[
            words.belief_sentence(found) if b is None else "",
            words.action_sentence(found, q_star),
            words.rival_sentence(found, q_star),
        ],
        rests=[words.variation_sentence(found), words.without_sentence(found, q_star)],
        notes=notes or found.notes,
        table=studies_sheet(found),
        named=len(found) <= COMPACT_FROM,
        figures=drawn_studies(found),
        methods=[text for _, text in filled("methods")],
        source=source,
        versions=written_with(),
    )


def studies_sheet(found: Evidence) -> Sheet:
    """The studies with their counts and shares; what no study has is left out."""
    shares = zip(_shares(found.sensitivity), _shares(found.specificity), strict=True)
    rows = [(*row, *share) for row, share in zip(rows_of(found.tables), shares, strict=True)]
    numbers = (*CELLS, "Sensitivity (95 %)", "Specificity (95 %)")
    return sheet(("Study", *numbers), rows, "2×2 tables", numbers=numbers)


def _shares(shares: Shares) -> list[str]:
    told = zip(shares.value, shares.low, shares.high, strict=True)
    return ["" if np.isnan(value) else f"{value:.2f} ({low:.2f} to {high:.2f})" for value, low, high in told]


def drawn_studies(found: Evidence, simulated: bool = False) -> list[tuple[str, str]]:
    """Forest plot and ROC plane as SVG, with what they say; none without a table."""
    if not len(found):
        return []
    shown = (
        (forest(found, simulated=simulated), words.forest_sentence(found)),
        (sroc(found, simulated=simulated), words.sroc_sentence(found)),
    )
    return [(still(figure, says), says) for figure, says in shown]


def written_with() -> list[tuple[str, str]]:
    """The programme, and what its numbers depend on: name and version."""
    packages = ("numpy", "scipy", "scikit-learn", "pandas")
    own = [("TARstop", __version__), ("Python", platform.python_version())]
    return [*own, *((name, version(name)) for name in packages)]
