"""What 2×2 tables say as a page to hand on: nothing to load, nothing to run, two sheets of paper for some twenty studies.

What it says of its methods stands in ``report.toml``, where it stands in the template beside this module. The report of a
session shows its studies by the same pieces.
"""

import platform
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from tarstop_core import __version__
from tarstop_core.belief.engines import ENGINES
from tarstop_core.documents.tables import Floats
from tarstop_core.evidence import words
from tarstop_core.evidence.prior_figure import prior_sentence
from tarstop_core.evidence.study_figures import COMPACT_FROM, forest, sroc
from tarstop_core.evidence.summary import Evidence, Shares
from tarstop_core.evidence.typed import rows_of
from tarstop_core.presentation.html import Sheet, page, sheet
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.still import still
from tarstop_core.presentation.words import say
from tarstop_core.value.payoffs import TOLERANCE, Payoffs

_said = partial(say, __name__)


def evidence_report(
    found: Evidence,
    payoffs: Payoffs,
    *,
    name: str,
    at: str,
    by: str = "",
    source: str = "",
    notes: Sequence[str] = (),
    plus: str = "Adopt",
    minus: str = "Don’t adopt",
) -> str:
    """An evidence synthesis as one HTML page.

    `name` is what the tables are called, `at` when they were looked at and `by` by whom, `source` where they come from,
    `notes` what is to be known of them, `plus` and `minus` what the two actions are called.
    """
    b, pooled, q_star = found.belief, found.pooled, payoffs.q_star
    theta = words.threshold(found.theta)
    rows = [
        ("Question", _said("question", theta=theta)),
        ("How sure before you act (q*)", _said("needed", plus=plus, q_star=q_star)),
        ("Consequences", _said("consequences", plus=plus, minus=minus, payoffs=payoffs)),
        ("Computed by", ENGINES[found.engine].title),
        (_said("chance", theta=theta), "not known yet" if b is None else percent(b)),
        ("Pooled sensitivity (95 % interval)", _in_words(pooled.sensitivity)),
        ("Pooled specificity (95 % interval)", _in_words(pooled.specificity)),
        (
            "Studies",
            _said(
                "counted",
                count=len(found),
                diseased=_sum(found.tables.diseased),
                healthy=_sum(found.tables.healthy),
            ),
        ),
    ]
    prior = found.prior if ENGINES[found.engine].knows_prior else None
    return page(
        __name__,
        name=name,
        at=at,
        by=by,
        title=f"{name} · TARstop report",
        action=None if b is None else plus if b > q_star + TOLERANCE else minus,
        rows=[row for row in rows if row[1]],
        told=[
            words.belief_sentence(found) if b is None else "",
            words.action_sentence(found, q_star, plus, minus),
            words.rival_sentence(found, q_star, plus, minus),
        ],
        rests=[words.variation_sentence(found), words.without_sentence(found, q_star)],
        notes=list(dict.fromkeys((*notes, *found.notes))),
        table=studies_sheet(found),
        named=len(found) <= COMPACT_FROM,
        figures=drawn_studies(found),
        methods=[
            _said("model", method=ENGINES[found.engine].method, engine=found.engine),
            "" if prior is None else f"{prior_sentence(prior, found.theta)} {_said('prior', prior=prior)}",
            _said("rule", plus=plus, minus=minus, theta=theta),
        ],
        source=source,
        versions=written_with(),
    )


def _in_words(estimate: Sequence[float] | None) -> str:
    return "" if estimate is None else "{} ({} to {})".format(*map(percent, estimate))


def _sum(counts: Floats) -> int:
    return int(np.nansum(counts))


def studies_sheet(found: Evidence) -> Sheet:
    """The studies with their counts and shares; what no study has is left out."""
    shares = zip(_shares(found.sensitivity), _shares(found.specificity), strict=True)
    rows = [(*row, *share) for row, share in zip(rows_of(found.tables), shares, strict=True)]
    head = "Study | TP:n | FP:n | FN:n | TN:n | Sensitivity (95 %):n | Specificity (95 %):n"
    return sheet(head, rows, "2×2 tables")


def _shares(shares: Shares) -> list[str]:
    told = zip(shares.value, shares.low, shares.high, strict=True)
    return ["" if np.isnan(value) else f"{value:.2f} ({low:.2f} to {high:.2f})" for value, low, high in told]


def drawn_studies(found: Evidence, simulated: bool = False) -> list[tuple[str, str]]:
    """Forest plot and ROC plane as SVG, with what they say; none without a table."""
    if not len(found):
        return []
    plane = sroc(found, simulated=simulated)
    margin, height = plane["layout"]["margin"], plane["layout"]["height"]
    square = height - margin["t"] - margin["b"] + margin["l"] + margin["r"]
    shown: tuple[tuple[dict[str, Any], float, str], ...] = (
        (forest(found, simulated=simulated), 760, words.forest_sentence(found)),
        (plane, square, words.sroc_sentence(found)),
    )
    return [(still(figure, width, says), says) for figure, width, says in shown]


def written_with() -> list[tuple[str, str]]:
    """The programme, and what its numbers depend on: name and version."""
    packages = ("numpy", "scipy", "scikit-learn", "pandas")
    own = [("TARstop", __version__), ("Python", platform.python_version())]
    return [*own, *((name, version(name)) for name in packages)]
