"""Settings in words: as rows for a report, as differences between two, and as a paragraph for a protocol."""

from __future__ import annotations

from collections.abc import Sequence

from tarstop_core import __version__
from tarstop_core.belief.engines import ENGINES
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.application import Application
from tarstop_core.documents.dates import date_words
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.screening.explain import chances_badge, question
from tarstop_core.screening.settings import Settings

TRUTHS = {
    "pooled": "whether pooled sensitivity exceeds θ",
    "full_evidence": "what all documents of the list would have led to",
}
STAGES = {
    1: "a document and its table at once",
    2: "titles and abstracts first, included reports in full later",
}


def settings_rows(settings: Settings, calibrator: Calibrator) -> list[tuple[str, str]]:
    """Everything that changes advice, apart from the labels: name and value, words before symbols.

    Parameters
    ----------
    settings : Settings
    calibrator : Calibrator
        The one that `settings` names.
    """
    payoffs, unit = settings.payoffs, settings.payoffs.unit
    plus, minus, asked = settings.plus, settings.minus, question(settings)
    rows = [
        ("Question", f"whether {asked}"),
        ("Decisions", f"“{plus}” (a⁺) or “{minus}” (a⁻)"),
        (f"Benefit of “{plus}” if {asked} (B)", amount(payoffs.B, unit)),
        (f"Loss of “{plus}” if not (L_r)", amount(payoffs.L_r, unit)),
        (f"Loss of “{minus}” if {asked} (L_g)", amount(payoffs.L_g, unit)),
        (f"Gain of “{minus}” if not (G)", amount(payoffs.G, unit)),
        ("How sure before you act (q*)", number(payoffs.q_star)),
        ("Cost per document (c)", amount(settings.cost, unit)),
        ("Stopping rule", f"{settings.rule}: {settings.rule.rule}"),
        ("Starting chance (b₀)", percent(settings.b_0)),
        (
            "Chances of the documents",
            f"{calibrator.fitted_on.badge}; kind {calibrator.kind}, for {calibrator.scenario}, "
            f"digest {calibrator.digest}",
        ),
        ("Chances of the documents multiplied by", number(settings.scale)),
        ("Chance that a deciding document is in the list (κ)", percent(settings.kappa)),
        ("Chance of recognising a relevant document (s)", percent(settings.s)),
    ]
    if not settings.review:
        return [
            *rows,
            (f"“{plus}” needs a document to cite", _yes(settings.needs_citation)),
            ("Hits count once confirmed", _yes(settings.confirm_hits)),
            *_application_rows(settings.application),
        ]
    share = settings.data_share
    low, high = share.interval()
    return [
        *rows,
        ("Sensitivity to exceed (θ)", percent(settings.theta)),
        ("Belief computed by", f"{settings.engine}: {ENGINES[settings.engine].method}"),
        ("Prior", _prior(settings)),
        ("Held against", TRUTHS[settings.truth]),
        ("Reading", STAGES[settings.stages]),
        ("Cost of a report in full", amount(settings.full_cost, unit)),
        (
            "Included reports expected to bring data",
            f"{percent(share.mean)} ({percent(low)} to {percent(high)})",
        ),
        ("Least chance of the right decision (floor)", percent(settings.floor) if settings.floor else "none"),
    ]


def _application_rows(application: Application) -> list[tuple[str, str]]:
    """What was said of the application, a row each."""
    rows = [
        ("Application", application.number),
        ("Family of the application", application.family),
        ("Prior art must precede", date_words(application.priority)),
        (
            "Flagged documents left out of the list",
            f"{application.left_out:,}" if application.left_out else "",
        ),
    ]
    return [row for row in rows if row[1]]


def changes(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[str]:
    """What differs between two lists of :func:`settings_rows`, a clause each.

    Examples
    --------
    >>> changes([("q*", "0.5"), ("c", "1")], [("q*", "0.8"), ("c", "1")])
    ['q*: 0.5 → 0.8']
    """
    old = dict(before)
    new = dict(after)
    return [
        f"{name}: {old.get(name, '—')} → {new.get(name, '—')}"
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]


def protocol_paragraph(
    settings: Settings,
    calibrator: Calibrator,
    *,
    size: int,
    sources: Sequence[str] = (),
    duplicates: int = 0,
    query: str = "",
    ranking: str = "",
    digest: str = "",
    registered: bool = True,
) -> str:
    """A paragraph on stopping for the methods of a protocol, to be pasted before screening starts.

    Parameters
    ----------
    settings : Settings
    calibrator : Calibrator
    size : int
        Documents in the list.
    sources : sequence of str
        Files or databases that they come from.
    duplicates : int
        Records folded into others before.
    query : str
    ranking : str
        Where the order comes from, in words.
    digest : str
        Hash of documents, order and scores, which shows later that the list is the same.
    registered : bool
        Whether the settings are, or can still be, registered before the first document is read.

    Returns
    -------
    str
        Plain text in the future tense, one paragraph.
    """
    payoffs, unit = settings.payoffs, settings.payoffs.unit
    # "0.001" says nothing without the scale that it stands on.
    scale = "" if unit else f", where both mistakes together cost {number(payoffs.K)}"
    origin = f" from {', '.join(sources)}" if sources else ""
    folded = f", after {duplicates:,} duplicates were removed" if duplicates else ""
    asked = f" for the question “{' '.join(query.split())}”" if query.strip() else ""
    order = f" in a fixed order ({_lower(ranking.rstrip('.'))})" if ranking else " in a fixed order"
    moved_by = "document"
    if settings.review:
        moved_by = "report read in full" if settings.stages == 2 else "2×2 table"
    told = [
        f"Screening will stop by a decision-theoretic rule (Fletcher and Stevenson, Decision-Theoretic Stopping "
        f"Rules for Document Screening), computed with TARstop {__version__}.",
        f"The list holds {count_of(size)}{origin}{folded}; they will be read one after the other{order}{asked}."
        + (f" The list has the fingerprint {digest}." if digest else ""),
        f"The decision is between “{settings.plus}” and “{settings.minus}” and depends on whether "
        f"{question(settings)}: “{settings.plus}” will be chosen when the probability of that exceeds "
        f"q* = {number(payoffs.q_star)}. This threshold follows from four consequences: benefit B = "
        f"{amount(payoffs.B, unit)} and loss L_r = {amount(payoffs.L_r, unit)} of “{settings.plus}” when it is "
        f"right and wrong, loss L_g = {amount(payoffs.L_g, unit)} and gain G = {amount(payoffs.G, unit)} of "
        f"“{settings.minus}” when it is wrong and right. Reading one document costs {amount(settings.cost, unit)}"
        f"{scale}.",
        f"The probability starts at {percent(settings.b_0)} and is updated after every {moved_by}; the chance of "
        f"each document is that of a calibration {chances_badge(calibrator, settings)} "
        f"(digest {calibrator.digest}).",
    ]
    if settings.review:
        full = (
            " Included reports will be read in full at a cost of "
            f"{amount(settings.full_cost, unit)} each; only their 2×2 tables move the probability."
            if settings.stages == 2
            else " Each document is read together with its 2×2 table."
        )
        told.append(
            f"Sensitivity is pooled over the 2×2 tables found so far ({ENGINES[settings.engine].method}; {_prior(settings)}; "
            f"digest {settings.belief_prior.digest}).{full}"
        )
    told.append(f"The stopping rule is {settings.rule}: {_lower(settings.rule.rule)}")
    if settings.review and settings.floor:
        told.append(
            f"It will not stop while the chance of the right decision is below {percent(settings.floor)}."
        )
    limits = [
        words
        for holds, words in (
            (
                settings.citation_needed,
                f"“{settings.plus}” needs a confirmed document to cite",
            ),
            (
                settings.confirm_hits and not settings.review,
                "a relevant document counts once it is confirmed",
            ),
            (
                bool(settings.application.priority) and not settings.review,
                f"prior art must have been published before {date_words(settings.application.priority)}",
            ),
            (
                settings.kappa < 1,
                f"a deciding document, if there is one, is taken to be in the list with {percent(settings.kappa)} probability",
            ),
            (
                settings.s < 1,
                f"a relevant document is taken to be recognised with {percent(settings.s)} probability",
            ),
        )
        if holds
    ]
    if limits:
        joined = "; ".join(limits)
        told.append(f"{joined[0].upper()}{joined[1:]}.")
    told.append(
        "Documents left unread because the rule stopped will be reported in the flow diagram in a box of their own. "
        + (
            "These settings are registered before the first document is read; any later change will be recorded with "
            "its time and reason and reported as a deviation."
            if registered
            else "These settings were not registered before the first document was read; the log holds every change."
        )
    )
    return " ".join(told)


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _prior(settings: Settings) -> str:
    prior = settings.belief_prior
    learned = f", learned from {prior.learned_from.source}" if prior.learned_from else ""
    return (
        f"prior with s {number(prior.s)}, τ {number(prior.tau)}, spread of the false-positive rate "
        f"{number(prior.s_fpr)} and η {number(prior.eta)}{learned}"
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"
