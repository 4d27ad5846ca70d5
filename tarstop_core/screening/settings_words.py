"""Settings in words: as rows for a report, as differences between two, and as a paragraph for a protocol."""

from collections.abc import Sequence

from tarstop_core import __version__
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.ranking.features import VERSION as FEATURES_VERSION
from tarstop_core.ranking.learning import DEFAULT, EVERY_LABEL, FURTHER, RANKERS
from tarstop_core.screening.audit import audit_protocol
from tarstop_core.screening.explain import chances_badge, question
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings


def settings_rows(settings: Settings, calibrator: Calibrator) -> list[tuple[str, str]]:
    """Everything that changes advice, apart from the labels: name and value, words before symbols.

    The calibrator is the one that the settings name.
    """
    payoffs, unit = settings.payoffs, settings.payoffs.unit
    plus, minus, asked = settings.plus, settings.minus, question(settings)
    return [
        ("Question", f"whether {asked}"),
        ("Decisions", f"“{plus}” (a⁺) or “{minus}” (a⁻)"),
        (f"Benefit of “{plus}” if {asked} (B)", amount(payoffs.B, unit)),
        (f"Loss of “{plus}” if not (L_r)", amount(payoffs.L_r, unit)),
        (f"Loss of “{minus}” if {asked} (L_g)", amount(payoffs.L_g, unit)),
        (f"Gain of “{minus}” if not (G)", amount(payoffs.G, unit)),
        ("How sure before you act (q*)", number(payoffs.q_star)),
        ("Cost per document (c)", amount(settings.cost, unit)),
        ("Stopping rule", f"{settings.rule}: {settings.rule.rule}"),
        (
            "What is read next",
            f"the likeliest by the labels so far{counts_too(settings)}"
            if settings.learns
            else "the next of the list",
        ),
        ("Starting chance (b₀)", percent(settings.b_0)),
        (
            "Chances of the documents",
            chances_badge(calibrator, settings)
            if settings.foretold
            else f"{calibrator.fitted_on.badge}; kind {calibrator.kind}, for {calibrator.scenario}, "
            f"digest {calibrator.digest}",
        ),
        ("Chances of the documents multiplied by", number(settings.scale)),
        ("Chance that a deciding document is in the list (κ)", percent(settings.kappa)),
        ("Chance of recognising a relevant document (s)", percent(settings.s)),
        *scenario_of(settings).settings_rows(settings),
    ]


def changes(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[str]:
    """What differs between two lists of :func:`settings_rows`, a clause each.

    Examples
    --------
    >>> changes([("q*", "0.5"), ("c", "1")], [("q*", "0.8"), ("c", "1")])
    ['q*: 0.5 → 0.8']
    """
    old, new = dict(before), dict(after)
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
    audited: int = 0,
) -> str:
    """A paragraph in the future tense on stopping for the methods of a protocol, to be pasted before screening starts.

    Of the list: how many documents it holds, the files or databases that they come from, how many were folded into
    others, what was asked, where the order comes from in words, and its hash, which a list that learns draws by.
    `registered` says whether the settings are, or can still be, registered before the first document is read,
    `audited` how many documents to one audit draw, 0 where none is drawn.
    """
    payoffs, unit = settings.payoffs, settings.payoffs.unit
    # "0.001" says nothing without the scale that it stands on.
    scale = "" if unit else f", where both mistakes together cost {number(payoffs.K)}"
    origin = f" from {', '.join(sources)}" if sources else ""
    folded = f", after {duplicates:,} duplicates were removed" if duplicates else ""
    asked = f" for the question “{' '.join(query.split())}”" if query.strip() else ""
    order = f" ({_lower(ranking.rstrip('.'))})" if ranking else ""
    order = (
        f" in an order that is learned, beginning with that of the list{order}"
        if settings.learns
        else f" in a fixed order{order}"
    )
    scenario = scenario_of(settings)
    told = [
        f"Screening will stop by a decision-theoretic rule (Fletcher and Stevenson, Decision-Theoretic Stopping "
        f"Rules for Document Screening), computed with TARstop {__version__}.",
        f"The list holds {count_of(size)}{origin}{folded}; they will be read one after the other{order}{asked}.",
        f"The decision is between “{settings.plus}” and “{settings.minus}” and depends on whether "
        f"{question(settings)}: “{settings.plus}” will be chosen when the probability of that exceeds "
        f"q* = {number(payoffs.q_star)}. This threshold follows from four consequences: benefit B = "
        f"{amount(payoffs.B, unit)} and loss L_r = {amount(payoffs.L_r, unit)} of “{settings.plus}” when it is "
        f"right and wrong, loss L_g = {amount(payoffs.L_g, unit)} and gain G = {amount(payoffs.G, unit)} of "
        f"“{settings.minus}” when it is wrong and right. Reading one document costs {amount(settings.cost, unit)}"
        f"{scale}.",
        *([learning_protocol(settings, digest)] if settings.learns else []),
        f"The probability starts at {percent(settings.b_0)} and is updated after every {scenario.moved_by(settings)}; the chance of "
        f"each document is that of a calibration {chances_badge(calibrator, settings)}.",
    ]
    told += scenario.protocol(settings)
    told.append(f"The stopping rule is {settings.rule}: {_lower(settings.rule.rule)}")
    told += scenario.protocol_stop(settings)
    if audited:
        told.append(audit_protocol(audited))
    limits = scenario.protocol_limits(settings)
    for chance, what in (
        (settings.kappa, "a deciding document, if there is one, is taken to be in the list"),
        (settings.s, "a relevant document is taken to be recognised"),
    ):
        if chance < 1:
            limits.append(f"{what} with {percent(chance)} probability")
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


def protocol_appendix(settings: Settings, calibrator: Calibrator, digest: str) -> str:
    """What shows later that list, calibration and prior are those of the protocol: for its appendix."""
    told = {"list of documents": digest, "calibration": calibrator.digest}
    if settings.kind.reads_full_texts:
        told["prior of sensitivity"] = settings.belief_prior.digest
    return f"Fingerprints: {'; '.join(f'{what} {value}' for what, value in told.items())}."


def counts_too(settings: Settings) -> str:
    """What a list that learns goes by beside the labels, as the end of a clause; empty where that is nothing.

    Examples
    --------
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> counts_too(Settings(Payoffs.from_q_star(0.5), 0.01, learns=True, words_for="hip", words_against="cost"))
    ', by “hip” typed for it, by “cost” typed against it'
    """
    words = {"for": settings.words_for, "against": settings.words_against}
    told = [f", by “{text}” typed {side} it" for side, text in words.items() if text]
    scores = ", by scores that came with the documents, as far as labels bear them out"
    return "".join((*told, scores if settings.weighs_scores else ""))


def learning_protocol(settings: Settings, digest: str) -> str:
    """What a protocol says of a list that learns, its hash given."""
    ranker = RANKERS[DEFAULT]
    drawn = f" with the seed {seed_of(digest)}" if digest else ""
    return (
        f"After every label up to {EVERY_LABEL}, and then whenever there are {percent(FURTHER)} more, the documents still "
        f"unread are put in order anew ({_lower(ranker.said.rstrip('.'))}; ranker {ranker.name}, version {ranker.version}, on TF-IDF "
        f"weights of word stems and neighbouring pairs in title and abstract, version {FEATURES_VERSION}){drawn}{counts_too(settings)}. The log "
        "records every fit and with every label the fit that put its document there; the order read will be reported in "
        "an appendix."
    )


def seed_of(digest: str) -> int:
    """What a ranker draws by: the same for the same list, by its hash."""
    return int(digest[:8], 16)


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
