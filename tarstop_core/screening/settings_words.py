"""Settings in words: as rows for a report, as differences between two, and as a paragraph for a protocol."""

from collections.abc import Sequence
from functools import partial

from tarstop_core import __version__
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.presentation.numbers import amount, number, percent
from tarstop_core.presentation.words import TEXTS, say
from tarstop_core.ranking.features import VERSION as FEATURES_VERSION
from tarstop_core.ranking.learning import DEFAULT, EVERY_LABEL, FURTHER, RANKERS
from tarstop_core.screening.audit import audit_protocol
from tarstop_core.screening.explain import chances_badge, question
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


TEXTS.filters["lowered"] = _lower
_said = partial(say, __name__)


def settings_rows(settings: Settings, calibrator: Calibrator) -> list[tuple[str, str]]:
    """Everything that changes advice, apart from the labels: name and value, words before symbols.

    The calibrator is the one that the settings name.
    """
    payoffs, unit = settings.payoffs, settings.payoffs.unit
    plus, minus, asked = settings.plus, settings.minus, question(settings)
    chances, first = chances_badge(calibrator, settings), "the likeliest by the labels so far"
    if not settings.foretold:
        chances = _said("calibrator", calibrator=calibrator)
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
            f"{first}{counts_too(settings)}" if settings.learns else "the next of the list",
        ),
        ("Starting chance (b₀)", percent(settings.b_0)),
        ("Chances of the documents", chances),
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
    scenario = scenario_of(settings)
    limits = scenario.protocol_limits(settings)
    limits += [
        _said(name, chance=chance) for name in ("kappa", "s") if (chance := getattr(settings, name)) < 1
    ]
    joined = "; ".join(limits)
    money = {"payoffs": settings.payoffs, "unit": settings.payoffs.unit}
    return _said(
        "protocol",
        size=size,
        sources=sources,
        duplicates=duplicates,
        registered=registered,
        **money,
        version=__version__,
        settings=settings,
        scenario=scenario,
        question=question(settings),
        badge=chances_badge(calibrator, settings),
        asked=" ".join(query.split()),
        order=ranking.rstrip("."),
        learning=learning_protocol(settings, digest) if settings.learns else "",
        audit=audit_protocol(audited) if audited else "",
        limits=f"{joined[:1].upper()}{joined[1:]}",
    )


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
    seed = seed_of(digest) if digest else None
    told = {"every": EVERY_LABEL, "further": FURTHER, "features": FEATURES_VERSION}
    return _said("learning", **told, ranker=RANKERS[DEFAULT], seed=seed, beside=counts_too(settings))


def seed_of(digest: str) -> int:
    """What a ranker draws by: the same for the same list, by its hash."""
    return int(digest[:8], 16)
