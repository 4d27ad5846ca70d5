"""Settings in words: rows for a report, differences between two settings, and a paragraph for a protocol."""

from collections.abc import Sequence
from dataclasses import dataclass

from tarstop_core import __version__
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.presentation.numbers import amount, listed, number, percent
from tarstop_core.ranking.features import VERSION as FEATURES_VERSION
from tarstop_core.ranking.learning import DEFAULT, EVERY_LABEL, FURTHER, RANKERS
from tarstop_core.screening import record_message
from tarstop_core.screening.audit import audit_protocol
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.several_readers import SECOND, SHARE
from tarstop_core.screening.wording import best_between, chances_badge, question


@dataclass(frozen=True)
class ProtocolFacts:
    """What a protocol says apart from the settings."""

    size: int  # number of documents
    sources: Sequence[str]
    duplicates: int
    query: str
    order: str  # where the order of the list comes from
    registered: bool
    """Whether the settings are, or can still be, registered before the first document is read."""
    badge: str  # where the chances come from
    learning: str  # sentences on a list that learns; "" if it does not
    audit: str  # sentences on audit draws; "" without draws
    second: str  # what all except the first of several readers read; "" with one reader
    version: str = __version__


def settings_rows(settings: Settings, calibrator: Calibrator) -> list[tuple[str, str]]:
    """Rows of name and value for everything besides the labels that changes the advice; words come before symbols.

    The calibrator is the one that the settings name.
    """
    chances, first = chances_badge(calibrator, settings), "the most likely, given the labels so far"
    if not settings.adapts_chances:
        chances = record_message("calibrator", calibrator=calibrator, follow=settings.chances_follow)
    starting = [("Starting chance (b₀)", percent(settings.b_0))] if settings.weighs else []
    return [
        ("Question", f"whether {question(settings)}"),
        *(_stakes_rows(settings) if settings.weighs else ()),
        ("Stopping rule", f"{settings.rule.in_words}: {settings.rule.rule}"),
        (
            "What is read next",
            f"{first}{counts_too(settings)}" if settings.learns else "the next of the list",
        ),
        *_reader_rows(settings),
        *starting,
        ("Chances of the documents", chances),
        ("Chances of the documents multiplied by", number(settings.scale)),
        *scenario_of(settings).settings_rows(settings),
    ]


def _reader_rows(settings: Settings) -> list[tuple[str, str]]:
    """Rows on who reads what; none with one reader."""
    readers = settings.readers
    if not readers.names:
        return []
    share = [("Share read twice", f"{percent(readers.share)}, drawn with seed {readers.seed}")]
    return [
        ("Readers", listed(readers.names)),
        (f"Read by all except {readers.names[0]}", SECOND[readers.second]),
        *(share if readers.second == SHARE else ()),
        *([("Reports in full text", "read by all of them, each on their own")] if readers.full_texts else ()),
    ]


def _stakes_rows(settings: Settings) -> list[tuple[str, str]]:
    """Rows on options, payoffs and cost."""
    payoffs, unit = settings.payoffs, settings.payoffs.unit
    plus, minus, asked = settings.plus, settings.minus, question(settings)
    others = [
        row
        for option in payoffs.others
        for row in (
            (f"Brought by “{option.name}” if {asked}", amount(option.right, unit)),
            (f"Brought by “{option.name}” if not", amount(option.wrong, unit)),
        )
    ]
    return [
        (
            "Decisions",
            listed(
                [f"“{plus}” (a⁺)", f"“{minus}” (a⁻)", *(f"“{option.name}”" for option in payoffs.others)],
                "or",
            ),
        ),
        (f"Benefit of “{plus}” if {asked}", amount(payoffs.B, unit)),
        (f"Loss of “{plus}” if not", amount(payoffs.L_r, unit)),
        (f"Loss of “{minus}” if {asked}", amount(payoffs.L_g, unit)),
        (f"Gain of “{minus}” if not", amount(payoffs.G, unit)),
        *others,
        ("Which option is best", best_between(settings))
        if others
        else ("How sure before you act (q*)", number(payoffs.q_star)),
        ("Cost per document (c)", amount(settings.cost, unit)),
    ]


def changes(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[str]:
    """Clauses on the differences between two results of :func:`settings_rows`.

    Examples
    --------
    >>> changes([("q*", "0.5"), ("c", "1")], [("q*", "0.8"), ("c", "1")])
    ['q*: 0.5 → 0.8']
    """
    # A value may be a whole sentence; within a clause it has no full stop.
    old, new = ({name: value.removesuffix(".") for name, value in rows} for rows in (before, after))
    return [
        f"{name}: {old.get(name, '—')} → {new.get(name, '—')}"
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]


TRIED = {
    "payoffs": "what is at stake",
    "cost": "cost of a document",
    "full_cost": "cost of a report",
    "theta": "sensitivity to exceed",
    "theta_sp": "specificity to exceed",
    "measure": "measure",
    "delta": "smallest effect that matters",
    "above": "which effect is good",
    "engine": "model",
    "prior": "prior",
    "b_0": "starting chance",
    "policy": "stopping rule",
}
"""Names, for a sentence, of the settings that people can change on *Evidence* and *Explore*."""


def not_as_in_session(session: Settings, here: Settings, belief: float | None = None) -> str:
    """Sentence on which settings of a page differ from those of the session; empty if none does.

    Parameters
    ----------
    session, here : Settings
        Settings of the session, and those on the page.
    belief : float, optional
        Belief under the session's settings, if the sentence should name it.

    Returns
    -------
    str
        The sentence.
    """
    before, after = vars(session), vars(here)
    names = [name for field, name in TRIED.items() if before.get(field) != after.get(field)]
    return record_message("not_as_in_session", names=names, belief=belief) if names else ""


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
    """Paragraph on stopping for a protocol, in the future tense, to be pasted in before screening starts.

    Parameters
    ----------
    settings : Settings
        Settings of the session to come.
    calibrator : Calibrator
        The calibrator that they name.
    size : int
        Number of documents in the list.
    sources : sequence of str
        Files or databases that the documents come from.
    duplicates : int
        Number of records that were merged into others.
    query : str
        The question that put the documents in order.
    ranking : str
        Where the order comes from, in words.
    digest : str
        Hash of the list, from which the seed of the ranker follows if the list learns.
    registered : bool
        Whether the settings are, or can still be, registered before the first document is read.
    audited : int
        Number of documents to one audit draw; 0 without draws.

    Returns
    -------
    str
        The paragraph.
    """
    plan = ProtocolFacts(
        size=size,
        sources=sources,
        duplicates=duplicates,
        query=" ".join(query.split()),
        order=ranking.rstrip("."),
        registered=registered,
        badge=chances_badge(calibrator, settings),
        learning=learning_protocol(settings, digest) if settings.learns else "",
        audit=audit_protocol(audited, settings.recall_confidence) if audited else "",
        second=SECOND[settings.readers.second] if settings.readers.names else "",
    )
    return scenario_of(settings).message("protocol", settings=settings, plan=plan)


def protocol_appendix(settings: Settings, calibrator: Calibrator, digest: str) -> str:
    """Sentence with fingerprints that later prove that list, calibrator and prior are those of the protocol.

    Parameters
    ----------
    settings : Settings
        Settings of the protocol.
    calibrator : Calibrator
        The calibrator that they name.
    digest : str
        Hash of the list.

    Returns
    -------
    str
        The sentence, for the appendix of the protocol.
    """
    fingerprints = {"list of documents": digest, "calibration": calibrator.digest, **settings.fingerprints}
    return f"Fingerprints: {'; '.join(f'{name} {value}' for name, value in fingerprints.items())}."


def counts_too(settings: Settings) -> str:
    """End of a clause on what a list that learns uses besides labels; empty if nothing.

    Examples
    --------
    >>> from tarstop_core.screening.review_settings import ReviewSettings
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> counts_too(ReviewSettings(Payoffs.from_q_star(0.5), 0.01, learns=True, words_for="hip", words_against="cost"))
    ', by “hip” typed for it, by “cost” typed against it'
    """
    return record_message("by_words", settings=settings)


def learning_protocol(settings: Settings, digest: str) -> str:
    """Sentences for a protocol on a list that learns, given the hash of the list."""
    return record_message(
        "learning",
        settings=settings,
        ranker=RANKERS[DEFAULT],
        every=EVERY_LABEL,
        further=FURTHER,
        features=FEATURES_VERSION,
        seed=seed_of(digest) if digest else None,
    )


def seed_of(digest: str) -> int:
    """Seed of the random draws of a ranker, from the hash of the list."""
    return int(digest[:8], 16)
