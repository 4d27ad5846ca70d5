"""The numbers of each figure of a review of an intervention, as rows."""

from typing import Any

import numpy as np

from tarstop_core.evidence.effects import EffectEvidence
from tarstop_core.evidence.report import bias_column
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Rows
from tarstop_core.presentation.numbers import number, signed


def study_rows(evidence: EffectEvidence) -> Rows:
    """Studies as given, with estimates, limits and weights in the measure's own unit."""
    studies = evidence.studies
    unit = np.exp if evidence.target.ratio else np.asarray
    columns: dict[str, Any] = {"study": np.array(evidence.names, dtype=object)}
    columns |= {name: fig.or_none(studies.column(name)) for name in studies.form.columns}
    part = evidence.estimates
    columns |= {
        f"estimate_{name}": fig.or_none(unit(x))
        for name, x in zip(("value", "low", "high"), part, strict=True)
    }
    columns |= {"scale_y": fig.or_none(evidence.sizes.y), "scale_se": fig.or_none(np.sqrt(evidence.sizes.v))}
    columns["weight"] = fig.or_none(evidence.weights)
    columns |= bias_column(studies)
    return fig.rows_of(**columns)


def cumulative_rows(evidence: EffectEvidence) -> Rows:
    """The average effect and the belief after each study."""
    unit = np.exp if evidence.target.ratio else np.asarray
    part = {
        name: fig.or_none(unit(x))
        for name, x in zip(("average", "low", "high"), evidence.cumulative, strict=True)
    }
    beliefs = np.array(evidence.drawn_path.beliefs[1:], dtype=object)
    return fig.rows_of(studies=range(1, len(evidence) + 1), newest=evidence.names, **part, belief=beliefs)


def reviewed_rows(evidence: EffectEvidence) -> Rows:
    """The pooled effect by every method that reviewers use, as texts."""
    rows = []
    for row in evidence.reviewed:
        texts = {"method": row.method, "pooled": evidence.written(row.est, *row.ci)}
        texts["Knapp–Hartung"] = evidence.written(row.est, *row.kh_ci) if np.isfinite(row.kh_ci[0]) else ""
        texts["τ²"] = number(row.tau2) if np.isfinite(row.tau2) else ""
        texts["I²"] = f"{row.I2:.0f} %" if np.isfinite(row.I2) else ""
        ends = [signed(evidence.unit(end)) for end in row.prediction]
        texts["new settings"] = " to ".join(ends) if np.isfinite(row.prediction[0]) else ""
        rows.append(texts)
    return rows
