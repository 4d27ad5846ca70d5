"""Self-contained HTML report of an evidence synthesis, and the numbers of each figure as rows.

The report of a session reuses these functions.
"""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from tarstop_core import __version__
from tarstop_core.belief.engines import ENGINES
from tarstop_core.documents.tables import CELLS
from tarstop_core.effects.bias import Judged
from tarstop_core.evidence import words
from tarstop_core.evidence.curve_figures import prior_sentence
from tarstop_core.evidence.everyone import NOBODY, Everyone
from tarstop_core.evidence.manual_tables import rows_of
from tarstop_core.evidence.study_figures import COMPACT_FROM, forest, sroc
from tarstop_core.evidence.summary import Evidence, Shares
from tarstop_core.evidence.synthesis import Synthesis
from tarstop_core.evidence.words import message
from tarstop_core.presentation import figures
from tarstop_core.presentation.figures import Rows
from tarstop_core.presentation.html import Sheet, page, sheet
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.pictures import still
from tarstop_core.value.payoffs import Payoffs

RISK = "With and without high risk of bias"
"""Title of a table."""


@dataclass(frozen=True)
class About:
    """Names, dates, source and notes of a report."""

    name: str
    """Name of the review."""
    at: str = ""
    """Time of the report."""
    by: str = ""
    """Author of the report."""
    source: str = ""
    """Source of the studies."""
    notes: Sequence[str] = ()
    """Warnings about the studies; a review of accuracy has those of its evidence if none are given."""
    actions: words.Actions = words.TWO
    everyone: Everyone = NOBODY
    """Number of people concerned, and the price of a study."""
    simulated: bool = False
    """Whether the studies are simulated."""


def evidence_report(evidence: Evidence, payoffs: Payoffs, about: About) -> str:
    """Write an evidence synthesis as one HTML page.

    Parameters
    ----------
    evidence
        The 2×2 tables and everything computed from them.
    payoffs
        Benefits and costs of right and wrong decisions.
    about
        Names, dates, source and notes of the report.

    Returns
    -------
    str
        A page without scripts that loads nothing.
    """
    b, actions = evidence.belief, about.actions
    return synthesis_page(
        evidence,
        payoffs,
        about,
        question=message("question", evidence=evidence),
        rows=_decision_rows(evidence, payoffs, about.everyone),
        remarks=[
            words.belief_sentence(evidence) if b is None else "",
            words.action_sentence(evidence, payoffs, actions),
            words.rival_sentence(evidence, payoffs, actions),
        ],
        variation=words.variation_sentence(evidence),
        notes=about.notes or evidence.notes,
        table=studies_sheet(evidence),
        named=len(evidence) <= COMPACT_FROM,
        figures=drawn_studies(evidence, about.simulated),
        methods=_methods(evidence, actions),
    )


def synthesis_page(
    evidence: Synthesis,
    payoffs: Payoffs,
    about: About,
    *,
    question: str,
    rows: Sequence[tuple[str, str]],
    variation: str = "",
    tables: Mapping[str, Rows] | None = None,
    **of_kind: Any,
) -> str:
    """Write the report of a synthesis of studies of a test or of an intervention.

    Parameters
    ----------
    evidence
        The studies and everything computed from them.
    payoffs
        Benefits and costs of right and wrong decisions.
    about
        Names, dates, source and notes of the report.
    question
        The question of the review, as a sentence.
    rows
        Titles and texts about the belief; rows with an empty text are left out.
    variation
        A sentence on how much the studies differ.
    tables
        Further tables by their titles.
    **of_kind
        Further variables of the template, which only one kind of review has.

    Returns
    -------
    str
        A page without scripts that loads nothing.
    """
    actions = about.actions
    risks = risk_rows(evidence, payoffs, actions)
    asked = [
        ("Question", question),
        ("How sure before you act (q*)", message("how_sure", payoffs=payoffs, actions=actions)),
    ]
    if not payoffs.others:
        consequences = message("consequences", payoffs=payoffs, plus=actions.plus, minus=actions.minus)
        asked.append(("Consequences", consequences))
    return page(
        __name__,
        title=f"{about.name} · TARstop report",
        name=about.name,
        at=about.at,
        by=about.by,
        source=about.source,
        action=words.decided(evidence.belief, payoffs, actions),
        rows=[(title, text) for title, text in (*asked, *rows) if text],
        rests=[
            variation,
            words.not_accounted_sentence(evidence),
            words.risk_sentence(evidence, payoffs, actions) if risks else "",
            words.without_sentence(evidence, payoffs),
        ],
        more=sheets({RISK: risks, **(tables or {})}),
        versions=written_with(),
        **of_kind,
    )


def _decision_rows(evidence: Evidence, payoffs: Payoffs, everyone: Everyone) -> list[tuple[str, str]]:
    """Titles and texts about the belief; a text is empty if the engine pools nothing."""
    pooled, tables = evidence.pooled, evidence.tables
    patients = {"diseased": np.nansum(tables.diseased), "healthy": np.nansum(tables.healthy)}
    valued = evidence.belief is not None and everyone != NOBODY
    return [
        ("Computed by", ENGINES[evidence.engine].title),
        (f"Chance that {evidence.claim} (ω⁺)", message("belief_row", belief=evidence.belief)),
        *[
            (f"Chance of {name} alone", message("belief_row", belief=b))
            for name, b in zip(("sensitivity", "specificity"), evidence.of_each or (), strict=False)
        ],
        ("Pooled sensitivity", words.interval(pooled.sensitivity) if pooled.sensitivity else ""),
        ("Pooled specificity", words.interval(pooled.specificity) if pooled.specificity else ""),
        ("Studies", message("studies_row", count=len(evidence), **patients)),
        ("Value of more studies", words.value_sentence(evidence, payoffs, everyone) if valued else ""),
    ]


def _methods(evidence: Evidence, actions: words.Actions) -> list[str]:
    """Sentences on the model, its prior, and the rule that turns the belief into an action."""
    engine = ENGINES[evidence.engine]
    sentences = [message("model", engine=engine, theta_sp=evidence.theta_sp)]
    if engine.knows_prior:
        sentence = prior_sentence(evidence.prior_of_sensitivity, evidence.theta)
        sentences.append(message("prior_of_belief", prior=evidence.prior, sentence=sentence))
    return [*sentences, message("rule", evidence=evidence, plus=actions.plus, minus=actions.minus)]


def studies_sheet(evidence: Evidence) -> Sheet:
    """Table of the studies with counts and shares, and the risk of bias if it was judged."""
    shares = zip(_shares(evidence.sensitivity), _shares(evidence.specificity), strict=True)
    judged = ("Risk of bias",) if evidence.tables.bias else ()
    rows = [(*row, *share) for row, share in zip(rows_of(evidence.tables), shares, strict=True)]
    accuracy = ("Sensitivity (95 %)", "Specificity (95 %)")
    columns = ("Study", *CELLS, *judged, *accuracy)
    return sheet(columns, rows, "2×2 tables", numbers=(*CELLS, *accuracy))


def _shares(shares: Shares) -> list[str]:
    ends = zip(shares.value, shares.low, shares.high, strict=True)
    return ["" if np.isnan(value) else f"{value:.2f} ({low:.2f} to {high:.2f})" for value, low, high in ends]


def drawn_studies(evidence: Evidence, simulated: bool = False) -> list[tuple[str, str]]:
    """Forest plot and ROC plane as SVG, each with its sentence; empty without a study."""
    if not len(evidence):
        return []
    figures = (
        (forest(evidence, simulated=simulated), words.forest_sentence(evidence)),
        (sroc(evidence, simulated=simulated), words.sroc_sentence(evidence)),
    )
    return [(still(figure, sentence), sentence) for figure, sentence in figures]


def written_with() -> list[tuple[str, str]]:
    """Names and versions of the program, of Python and of the packages that compute its numbers."""
    packages = ("numpy", "scipy", "scikit-learn", "pandas")
    own = [("TARstop", __version__), ("Python", platform.python_version())]
    return [*own, *((name, version(name)) for name in packages)]


# --- the numbers of each figure -------------------------------------------------------------------

PARAMETERS = {
    "E(logitSe)": "mean logit sensitivity",
    "E(logitSp)": "mean logit specificity",
    "Var(logitSe)": "variance of logit sensitivity between studies",
    "Var(logitSp)": "variance of logit specificity between studies",
    "Cov(logits)": "covariance of the two between studies",
    "Corr(logits)": "correlation of the two between studies",
    "SE(E(logitSe))": "standard error of mean logit sensitivity",
    "SE(E(logitSp))": "standard error of mean logit specificity",
    "Cov(Es)": "covariance of the two estimated means",
    "Studies": "studies that the model was fitted to",
    "AUC": "area under the summary ROC curve (RevMan does not ask for it)",
}


def study_rows(evidence: Evidence) -> Rows:
    """Counts, shares and intervals, one row per study."""
    columns = {"study": np.array(evidence.tables.study, dtype=object)}
    for cell in CELLS:
        counts = getattr(evidence.tables, cell)
        columns[cell] = np.array([None if np.isnan(n) else int(n) for n in counts], dtype=object)
    for name, shares in (("sensitivity", evidence.sensitivity), ("specificity", evidence.specificity)):
        columns[name] = figures.or_none(shares.value)
        columns |= {f"{name}_low": figures.or_none(shares.low), f"{name}_high": figures.or_none(shares.high)}
    return figures.rows_of(**columns, **bias_column(evidence.tables))


def bias_column(studies: Judged) -> dict[str, NDArray[np.object_]]:
    """A column with the risk of bias of each study; no column if it was not judged."""
    judged = np.array([risk and risk.value for risk in studies.bias], dtype=object)
    return {"bias": judged} if len(judged) else {}


def parameter_rows(evidence: Evidence) -> Rows:
    """Parameters of the summary that RevMan asks for, and the area under the curve: name, value, meaning."""
    fit = evidence.summary
    if fit is None:
        return []
    values = figures.or_none(np.array([*fit.revman_parameters().values(), fit.auc], dtype=float))
    names = [*fit.revman_parameters(), "AUC"]
    return figures.rows_of(parameter=names, value=values, meaning=[PARAMETERS[name] for name in names])


def path_rows(evidence: Synthesis) -> Rows:
    """Belief by study: number of studies, the newest one, belief."""
    beliefs = np.array(evidence.drawn_path.beliefs, dtype=object)
    engine = "univariate" if evidence.previewed else evidence.engine
    names = ("", *evidence.names)
    return figures.rows_of(
        studies=range(len(beliefs)), newest=names, belief=beliefs, engine=[engine] * len(beliefs)
    )


def density_rows(evidence: Evidence) -> Rows:
    """Prior and posterior density at each sensitivity of the grid."""
    density = evidence.density
    if density is None:
        return []
    return figures.rows_of(sensitivity=density.sensitivity, prior=density.prior, posterior=density.posterior)


def without_rows(evidence: Synthesis) -> Rows:
    """Leave-one-out beliefs."""
    with_all = np.full(len(evidence.names), evidence.belief, dtype=object)
    beliefs = figures.or_none(evidence.without.beliefs)
    return figures.rows_of(left_out=evidence.names, belief=beliefs, belief_with_all=with_all)


def value_rows(evidence: Synthesis, payoffs: Payoffs, everyone: Everyone = NOBODY) -> Rows:
    """Rows of the value of more studies: how many, their expected value, and that of certainty.

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
    Rows
        With columns for all people if their number is given, and for prices if a study has one.
    """
    more = evidence.more_studies(payoffs)
    if more is None:
        return []
    unit = {"unit": [payoffs.unit] * len(more.k)} if payoffs.unit else {}
    columns: dict[str, ArrayLike] = {"evsi": more.evsi, "evpi": [more.evpi] * len(more.k)}
    everyone = everyone.priced(payoffs)
    if everyone.people:
        of_all = everyone.worth(more)
        columns |= {"evsi_everyone": of_all.evsi, "evpi_everyone": [of_all.evpi] * len(more.k)}
    price = {"price": everyone.price * more.k} if everyone.price else {}
    return figures.rows_of(more_studies=more.k.astype(int), **columns, **price, **unit)


def risk_rows(evidence: Synthesis, payoffs: Payoffs, actions: words.Actions = words.TWO) -> Rows:
    """Belief and decision with all studies, without those at high risk of bias, and with their weight reduced.

    Parameters
    ----------
    evidence
        The studies and everything computed from them.
    payoffs
        Benefits and costs of right and wrong decisions.
    actions
        Names of the options.

    Returns
    -------
    Rows
        As texts; empty if no study is at high risk.
    """
    return [
        {
            "studies": f"{title} ({len(variant.names)})",
            "average": variant.average,
            "chance": "–" if variant.belief is None else percent(variant.belief),
            "decision": words.decided(variant.belief, payoffs, actions) or "not usable yet",
        }
        for title, variant in evidence.by_risk
    ]


def sheets(tables: Mapping[str, Rows]) -> list[Sheet]:
    """HTML tables of texts with their titles; tables without a row are left out."""
    return [
        sheet(tuple(rows[0]), [tuple(row.values()) for row in rows], title, numbers=())
        for title, rows in tables.items()
        if rows
    ]


def curve_rows(evidence: Evidence) -> Rows:
    """Points, curve and regions of the SROC plot, one row per point."""
    fit, pooled, complete = evidence.summary, evidence.pooled, ~np.isnan(evidence.specificity.value)
    complete &= ~np.isnan(evidence.sensitivity.value)
    studies = np.stack([1 - evidence.specificity.value, evidence.sensitivity.value], axis=1)[complete]
    drawn = {"study": studies, "SROC curve": evidence.curve}
    if fit is not None:
        drawn["95 % confidence region"] = fit.confidence_region()
        drawn["95 % prediction region"] = fit.prediction_region()
        drawn["REML summary"] = expit(fit.mu[None, ::-1])
    if pooled.sensitivity is not None and pooled.specificity is not None:
        drawn["pooled"] = np.array([[1 - pooled.specificity.value, pooled.sensitivity.value]])
    parts = {what: points for what, points in drawn.items() if points is not None}
    fpr, sensitivity = np.concatenate([*parts.values()]).T
    names = [*compress(evidence.tables.study, complete)]
    return figures.rows_of(
        what=np.repeat([*parts], [*map(len, parts.values())]),
        name=names + [""] * (len(fpr) - len(names)),
        false_positive_rate=fpr,
        sensitivity=sensitivity,
    )
