"""A document as a page shows it."""

from collections.abc import Iterable, Iterator, Sequence

import streamlit as st

from dashboard.frame.markup import Blocks
from tarstop_core.documents.application import Flag, dated, flags
from tarstop_core.documents.records import links
from tarstop_core.presentation.numbers import number
from tarstop_core.ranking.words import parts, stems
from tarstop_core.screening.labels import GRADES, NAMES, RELEVANT
from tarstop_core.screening.state import State
from tarstop_core.sessions.joining import alike_in_words
from tarstop_core.sessions.lazy_session import LazySession
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.tables import Record

LONGEST = 24  # characters of a reason that a button shows
MARKING = "mark_words"
ABSTRACT_NAMES = {"relevant": "included", "not relevant": "excluded"}
block = Blocks("parts/blocks.html")


def flagged(record: Record, state: State) -> tuple[Flag, ...]:
    """The reasons why a document cannot count against the application."""
    if not state.settings.grades:
        return ()
    return flags(
        state.settings.application, dated(vars(record)), state.other_family_members.get(record.id, ())
    )


def chance_kept(flag: Flag) -> str:
    """A sentence on why a document that cannot settle the question keeps its chance."""
    why = "It keeps its place and chance, so a verdict on it changes the belief like any other"
    if flag.kind == "late" and not flag.certain:
        why = "It keeps its chance, because an earlier filing may count"
    return f"{why}; to change that, set it aside."


def shortened(reason: str) -> str:
    """A reason as a button shows it.

    >>> shortened("wrong field"), shortened("another device than the one that is claimed")
    ('wrong field', 'another device than the…')
    """
    return reason if len(reason) <= LONGEST else f"{reason[: LONGEST - 1].rstrip()}…"


def settled_with(state: State, at: int) -> str:
    """' together with #3', if two documents graded Y settle the question."""
    first = state.together.get(at)
    return "" if first is None else f" together with #{first + 1}"


def document_html(
    record: Record,
    at: int,
    state: State,
    query: str,
    score: float | None,
    more: list[str],
    lead: str,
    whose: str = "you said",
) -> str:
    """A document as the page shows it.

    Parameters
    ----------
    record, at
        The document, and its 0-based position.
    state
        Where the session stands.
    query
        The words of it are marked.
    score
        That of the list.
    more
        What else is known of it.
    lead
        HTML above the abstract.
    whose
        Whose a verdict on it is.

    Returns
    -------
    str
        HTML.
    """
    words, abstract = stems(query), record.abstract
    if abstract.startswith(record.title):  # some files repeat it there
        abstract = abstract[len(record.title) :].lstrip()
    facts = _facts(record, at, state, score, more, whose)
    addresses = links(record.url, record.publication_number, record.doi, record.pmid)
    title, text = _parts(record.title or "Untitled", words), _parts(abstract, words)
    return block("document", at + 1, title, facts, addresses, lead, text)


def _facts(
    record: Record, at: int, state: State, score: float | None, more: list[str], whose: str
) -> Iterator[str]:
    """The line below the title."""
    also = state.other_family_members.get(record.id)
    whose = "kept label" if at < state.kept else whose
    facts = (
        record.publication_number or record.id,
        *_dates(record),
        record.assignee,
        record.authors,
        "" if score is None else f"score {number(score)}",
        *more,
        f"{whose}: {verdict_on(state, at)}" if at < state.depth else "",
        "set aside: no evidence" if at in state.aside_read else "",
        f"also published as {', '.join(also)}" if also is not None else "",
    )
    return filter(None, facts)


def _dates(record: Record) -> list[str]:
    """The dates that decide whether a patent may count; for another document its date."""
    of_itself = "published" if record.publication_number else "dated"
    dates = {"priority": record.priority_date, "filed": record.filing_date, of_itself: record.date}
    # A grant on the day of this publication adds nothing.
    dates["granted"] = "" if record.grant_date == record.date else record.grant_date
    return [f"{what} {date}" for what, date in dates.items() if date]


def verdict_on(state: State, at: int) -> str:
    """The verdict on a document with its additions: "X, relevant, to be confirmed"."""
    label, settings = int(state.labels[at]), state.settings
    verdict = NAMES[label]
    if settings.judges_abstracts:
        verdict = ABSTRACT_NAMES.get(verdict, verdict)
    if label == RELEVANT and settings.confirm_hits:
        verdict += ", confirmed" if state.confirmed[at] else ", to be confirmed"
    if settings.grades and label in GRADES:
        verdict = f"{GRADES[label]}, {verdict}{settled_with(state, at)}"
    if at in state.excluded_for:
        verdict += f" ({state.excluded_for[at]})"
    return verdict


def _parts(text: str, words: frozenset[str]) -> Iterable[tuple[str, bool]]:
    """Split a text into parts, each with whether it is one of the words; nothing for an empty text."""
    if not text:
        return ()
    return parts(text, words) if words else [(text, False)]


def flags_html(flags: Sequence[Flag], aside: bool = False) -> str:
    """Flags as they stand above the abstract of a document that counts, or is set `aside`."""
    reasons = [chance_kept(flag) if flag.bars and not aside else "" for flag in flags]
    # A reason that several flags share stands with the last of them.
    last = [("" if reason in reasons[at:] else reason) for at, reason in enumerate(reasons, start=1)]
    pairs = zip(flags, last, strict=True)
    return block("flags", [f"{sentence(flag.words)} {reason}".rstrip() for flag, reason in pairs])


def sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def opened_html(work: LazySession, at: int, lead: str, chance: str = "", words: Sequence[str] = ()) -> str:
    """A document of the open session as :func:`document_html` shows it, `words` marked too unless marking is off.

    `work` is the session as a person reads it, or what counts of several readers' verdicts.
    """
    common = isinstance(work, OpenSession) and work.several is not None
    record, score = work.document(at), None if work.row.scores is None else float(work.row.scores[at])
    query = " ".join((work.row.query, *words)) if st.session_state.get(MARKING, True) else ""
    return document_html(
        record,
        at,
        work.state,
        query,
        score,
        [chance, _same_as(work, record)],
        lead,
        "together" if common else "you said",
    )


def _same_as(work: LazySession, record: Record) -> str:
    """The document of which one that joined later may be a duplicate; empty if there is none."""
    if (other := work.state.alike.get(record.id)) is None:
        return ""
    return alike_in_words(work, other, work.document(work.row.ids.index(other)).title)
