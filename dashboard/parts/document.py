"""A document as HTML: title, facts, verdict, flags and abstract."""

from collections.abc import Iterator, Sequence

import streamlit as st

from dashboard.frame.markup import Blocks
from tarstop_core.documents.application import NOTHING_SAID, Flag, dated, flags
from tarstop_core.documents.records import links
from tarstop_core.presentation.numbers import number
from tarstop_core.ranking.words import parts, stems
from tarstop_core.screening.labels import GRADES, NAMES, RELEVANT
from tarstop_core.screening.state import State
from tarstop_core.sessions.joining import alike_in_words
from tarstop_core.sessions.lazy_session import LazySession
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.tables import Record

LONGEST = 24
"""Most characters of a reason on a button."""
MARKING = "mark_words"
"""State: whether words of the question are marked."""
ABSTRACT_NAMES = {"relevant": "included", "not relevant": "excluded"}
block = Blocks("parts/blocks.html")


def flagged(record: Record, state: State) -> tuple[Flag, ...]:
    """The reasons why a document cannot count against the application."""
    application = state.settings.application
    if application == NOTHING_SAID:
        return ()
    return flags(application, dated(vars(record)), state.other_family_members.get(record.id, ()))


def chance_kept(flag: Flag) -> str:
    """A sentence on why a document that cannot settle the question keeps its chance."""
    why = "It keeps its place and chance, so a verdict on it changes the belief like any other"
    if flag.kind == "late" and not flag.certain:
        why = "It keeps its chance, because an earlier filing may count"
    return f"{why}; to change that, set it aside."


def shortened(reason: str) -> str:
    """A reason, shortened for a button.

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
    """A document as HTML.

    Parameters
    ----------
    record, at
        The document, and its 0-based position.
    state
        The state of the session.
    query
        Text whose words are marked.
    score
        Its score in the list.
    more
        Further facts for the line below the title.
    lead
        HTML above the abstract.
    whose
        Words before a verdict, such as "you said".

    Returns
    -------
    str
    """
    words, abstract = stems(query), record.abstract
    if abstract.startswith(record.title):  # Some files repeat the title there
        abstract = abstract[len(record.title) :].lstrip()
    facts = _facts(record, at, state, score, more, whose)
    addresses = links(record.url, record.publication_number, record.doi, record.pmid)
    title, text = parts(record.title or "Untitled", words), parts(abstract, words)
    return block("document", at + 1, title, facts, addresses, lead, text)


def _facts(
    record: Record, at: int, state: State, score: float | None, more: list[str], whose: str
) -> Iterator[str]:
    """The facts on the line below the title."""
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
    """The dates of a patent, which decide whether it may count, or the date of another document."""
    own = "published" if record.publication_number else "dated"
    dates = {"priority": record.priority_date, "filed": record.filing_date, own: record.date}
    # A grant on the day of publication is the same event.
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


def flags_html(flags: Sequence[Flag], aside: bool = False) -> str:
    """Flags above an abstract as HTML; `aside` says whether the document is set aside."""
    reasons = [chance_kept(flag) if flag.bars and not aside else "" for flag in flags]
    # A reason that several flags share is shown once, with the last of them.
    last = [("" if reason in reasons[at:] else reason) for at, reason in enumerate(reasons, start=1)]
    pairs = zip(flags, last, strict=True)
    return block("flags", [f"{sentence(flag.words)} {reason}".rstrip() for flag, reason in pairs])


def sentence(clause: str) -> str:
    """A clause as a sentence, with a capital letter and a full stop."""
    return f"{clause[0].upper()}{clause[1:]}."


def opened_html(work: LazySession, at: int, lead: str, chance: str = "", words: Sequence[str] = ()) -> str:
    """A document of the open session as HTML (:func:`document_html`), with `words` marked too unless marking is off.

    `work` is the session in one person's reading, or with the verdicts of several readers combined.
    """
    common = isinstance(work, OpenSession) and work.several is not None
    record, score = work.document(at), None if work.row.scores is None else float(work.row.scores[at])
    query = " ".join((work.row.query, *words)) if st.session_state.get(MARKING, True) else ""
    same = _same_as(work, record) if work.state.joined else ""
    return document_html(
        record,
        at,
        work.state,
        query,
        score,
        [chance, same],
        lead,
        "together" if common else "you said",
    )


def _same_as(work: LazySession, record: Record) -> str:
    """Words that name the document of which this one, which joined later, may be a duplicate; "" if there is none."""
    if (other := work.state.alike.get(record.id)) is None:
        return ""
    return alike_in_words(work, other, work.document(work.row.ids.index(other)).title)
