"""Published 2×2 tables: cited, and giving the figures that were reported for them."""

import re

import numpy as np
import pytest
from scipy.special import expit

from tarstop_core.belief.reitsma import fit_prefixes
from tarstop_core.documents.tables import CELLS
from tarstop_core.samples.collections import PublishedSet, published_sets
from tests.reference.recorded import counts, mada_summaries

SETS = published_sets()
REFERENCE = {"audit-c": "mada:AuditC", "iqcode": "MetaDTA:IQCODE", "mmse": "mada:Dementia"}
GOLDEN = {"audit-c": "mada_AuditC", "iqcode": "metadta_IQCODE", "mmse": "mada_Dementia"}


@pytest.mark.parametrize("each", SETS, ids=lambda each: each.name)
def test_the_figures_reported_for_it_come_out(each: PublishedSet) -> None:
    fit = fit_prefixes(each.tables, correction="all")[-1]
    for i, reported in enumerate((each.reported.sensitivity, each.reported.false_positive_rate)):
        ours = expit(fit.mu[i] + fit.se[i] * np.array([0, -1.959964, 1.959964]))
        assert ours == pytest.approx(reported, abs=1e-4)


@pytest.mark.parametrize("each", SETS, ids=lambda each: each.name)
def test_it_is_cited_with_a_doi_and_a_note(each: PublishedSet) -> None:
    assert re.search(r"\b(19|20)\d\d\b.*doi:10\.\d{4,}/\S+$", each.citation)
    assert str(len(each.tables)) in each.note and each.title and "mada" in each.reported.by


def test_participants_are_as_many_as_the_review_counts() -> None:
    (iqcode,) = (each for each in SETS if each.name == "iqcode")
    assert iqcode.tables.diseased.sum() + iqcode.tables.healthy.sum() == 2745
    assert iqcode.tables.diseased.sum() == 1403


@pytest.mark.parametrize("each", SETS, ids=lambda each: each.name)
def test_counts_and_figures_are_those_of_the_source(each: PublishedSet) -> None:
    row = next(row for row in mada_summaries() if row["dataset"] == REFERENCE[each.name])
    assert each.reported.sensitivity == pytest.approx(
        [float(row[key]) for key in ("sens", "sens_lo", "sens_hi")], abs=1e-6
    )
    assert each.reported.false_positive_rate == pytest.approx(
        [float(row[key]) for key in ("fpr", "fpr_lo", "fpr_hi")], abs=1e-6
    )
    for cell, expected in zip(CELLS, zip(*counts(GOLDEN[each.name]), strict=True), strict=True):
        assert getattr(each.tables, cell).tolist() == list(expected)
