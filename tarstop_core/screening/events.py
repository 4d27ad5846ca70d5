"""Actions of a person: each function checks an action against the state of the session and returns its event."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tarstop_core.documents.reports import Report
from tarstop_core.errors import InputProblem
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.labels import RELEVANT, Label
from tarstop_core.screening.log import Event
from tarstop_core.screening.reports_apart import RESOLVED_REPORT
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.several_readers import MachineReader, ReadElsewhere
from tarstop_core.screening.state import State


def families_event(members: Mapping[str, Sequence[str]]) -> Event:
    """Event that names the documents on the list that represent a patent family, with the other members of each."""
    return Event("families", {"members": {doc: list(others) for doc, others in members.items()}})


def label_event(state: State, ids: Sequence[str], doc: str, label: Label, **more: str) -> Event:
    """Event that labels the next document.

    Parameters
    ----------
    state : State
        State of the session.
    ids : sequence of str
        Its documents in the order of reading.
    doc, label : str
        The document that the person saw, and the verdict.
    **more
        Further arguments of :func:`verdict`.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If the document is not the next one any more, because a press came late or twice, or if screening has stopped.
    """
    if state.depth >= len(ids):
        raise InputProblem("You have already read every document.")
    if ids[state.depth] != doc:
        raise InputProblem(
            "That document was already labelled, so the press was not counted; look at the one shown now."
        )
    if state.stopped:
        raise InputProblem("Screening has stopped; choose 'Keep screening' first.")
    fit = state.put_back.get(doc)
    if fit is None and (state.settings.learns or (state.reordered and doc in state.put_back)):
        fit = state.fit["number"] if state.fit else 0
    by = {} if fit is None else {"fit": fit}
    return Event("label", verdict(doc, label, **more) | by)


def relabel_event(state: State, ids: Sequence[str], doc: str, label: Label, **more: str) -> Event:
    """Event that changes an earlier verdict.

    Parameters
    ----------
    state, ids, doc, label, **more
        As for :func:`label_event`; the document was read before.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If a hit needs this document, because the two settle the question together, and could not with the new verdict.
    """
    hit = next((at for at, first in state.together.items() if ids[first] == doc), None)
    if hit is not None and label not in ("combination", "relevant"):
        raise InputProblem(
            f"Document #{hit + 1} is graded X together with this one, so nothing was recorded; change its verdict "
            "first."
        )
    return Event("relabel", verdict(doc, label, **more))


def verdict(doc: str, label: Label, **more: str) -> dict[str, Any]:
    """Payload of an event that labels a document or changes its label, without empty entries.

    `more` may have the `reason` why the document is excluded, the flag `despite` which it is a hit, the other document
    `with` which it settles the question, and the document's new `note`, which an undo takes back with the verdict.

    Examples
    --------
    >>> verdict("EP1", "irrelevant", reason="wrong field", despite="")
    {'doc': 'EP1', 'label': 'irrelevant', 'reason': 'wrong field'}
    """
    return {"doc": doc, "label": label, **{name: text for name, text in more.items() if text}}


def together_event(state: State, ids: Sequence[str], one: str, other: str, **more: str) -> Event:
    """Event that two documents graded Y settle the question together.

    The one that was read later becomes the hit, because the question was not settled before.

    Parameters
    ----------
    state : State
        State of the session.
    ids : sequence of str
        Its documents in the order of reading.
    one, other : str
        The two documents.
    **more
        Further arguments of :func:`verdict`.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If they are not two different documents graded Y.
    """
    chosen = [ids[int(at)] for at in state.combination if ids[int(at)] in (one, other)]
    if len(chosen) < 2:
        raise InputProblem("Choose two different documents graded Y; nothing was recorded.")
    first, second = chosen
    return Event("relabel", verdict(second, "relevant", **{"with": first}, **more))


def report_event(state: State, ids: Sequence[str], doc: str, report: Report) -> Event:
    """Event that records the outcome of reading an included report in full.

    Parameters
    ----------
    state : State
        State of the session.
    ids : sequence of str
        Its documents in the order of reading.
    doc, report : str, Report
        The document, and the outcome.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If the document is not included.
    """
    included = {ids[int(at)] for at in np.flatnonzero(state.labels == RELEVANT)}
    if doc not in included:
        raise InputProblem("That document is no longer included, so nothing was recorded for its report.")
    return Event("report", {"doc": doc, **report.to_dict()})


def plan_event(state: State, records: str) -> Event:
    """Event that registers the settings in force as the plan, with a hash of the records.

    InputProblem after the first label, or if a plan is registered already.
    """
    if state.plan is not None:
        raise InputProblem("A plan is already registered; changes to it are recorded as deviations.")
    if state.touched:
        raise InputProblem(
            "A plan must be registered before the first document is read, and one has been read."
        )
    return Event("plan", {"settings": state.settings.to_dict(), "records": records})


def settings_event(state: State, settings: Settings, reason: str = "") -> Event:
    """Event that puts other settings in force.

    Parameters
    ----------
    state : State
        State of the session.
    settings : Settings
        The new settings.
    reason : str
        Why they change; needed if a plan is registered.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If a plan is registered and no reason is given, or if the readers would change.
    """
    if settings.readers != state.settings.readers:
        raise InputProblem("The readers of a session cannot change; set up another session on the same list.")
    if state.plan is not None and not reason.strip():
        raise InputProblem("A plan is registered: say why you deviate from it.")
    return Event("settings", {"settings": settings.to_dict(), "reason": reason.strip()})


LONGEST_REASON = 80
"""Most characters of a reason to exclude a document."""
KEYED = 9
"""How many reasons have a number key as a shortcut."""


def reasons_event(state: State, kept: Mapping[str, str], added: Sequence[str]) -> Event:
    """Event that changes the list of reasons to exclude a document.

    Parameters
    ----------
    state : State
        State of the session, with the present reasons.
    kept : mapping of str to str
        New names of present reasons. Documents excluded for a reason then have its new name. With "" the reason leaves
        the list, and documents keep it. A reason that is not in the mapping stays as it is.
    added : sequence of str
        New reasons; empty ones are ignored.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If two reasons have the same name, one is too long, or nothing would change.
    """
    names = [" ".join(kept.get(reason, reason).split()) for reason in state.reasons]
    renamed = {old: new for old, new in zip(state.reasons, names, strict=True) if new and new != old}
    reasons = list(filter(None, (*names, *(" ".join(reason.split()) for reason in added))))
    for name, times in Counter(reason.casefold() for reason in reasons).items():
        if times > 1:
            raise InputProblem(f"The reason “{name}” is there twice; give each its own name.")
    long = next((reason for reason in reasons if len(reason) > LONGEST_REASON), None)
    if long is not None:
        raise InputProblem(
            f"The reason “{long[:30]}…” has {len(long)} characters; shorten it to {LONGEST_REASON}, and put the rest in a note."
        )
    if reasons == list(state.reasons):
        raise InputProblem("No reason was changed, so nothing was recorded.")
    return Event("reasons", {"reasons": reasons, "renamed": renamed})


def reasons_given(state: State) -> Counter[str]:
    """Number of verdicts and reports in force for which each reason was given."""
    return Counter(state.excluded_for.values()) + Counter(
        report.reason for report in state.read_in_full.values() if report.outcome == "excluded"
    )


def reasons_offered(state: State) -> list[str]:
    """The defined reasons, then others that were given for reports, in the order of the list."""
    given = (report.reason for report in state.read_in_full.values() if report.reason)
    return list(dict.fromkeys((*state.reasons, *given)))


# --- several readers


def settled_event(several: SeveralReaders | None, by: str, doc: str, label: Label, **more: str) -> Event:
    """Event that resolves a difference between readers, or judges an audit draw from what all excluded.

    Parameters
    ----------
    several : SeveralReaders or None
        The log of all readers; None for one reader.
    by : str
        Name of the person who decides.
    doc, label : str
        The document, and the verdict that counts from now on.
    **more
        The `reason` why it is excluded, and a `note` on how this was decided.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If there is no name, the document is neither disputed nor drawn, or the verdict neither includes nor excludes it.
    """
    if several is not None and doc in several.judged and several.judged[doc].differ:
        kind = "resolved"
    elif several is not None and doc in several.excluded_by_all[: len(several.drawn) + 1]:
        kind = "checked"
    else:
        raise InputProblem(
            "Readers do not differ on that document, and it is not drawn among those that all excluded, so nothing was "
            "recorded."
        )
    if label not in ("relevant", "irrelevant"):
        raise InputProblem("Settle a disagreement by including or excluding the document.")
    if not by:
        raise InputProblem("First say under which name this is settled.")
    return Event(kind, verdict(doc, label, **more))


def file_event(
    several: SeveralReaders | None,
    about: MachineReader | ReadElsewhere,
    included: Mapping[str, bool],
    ids: Sequence[str],
) -> Event:
    """Event that adds one reader's verdicts from a file: those of a machine, or of a person who gave them elsewhere.

    Parameters
    ----------
    several : SeveralReaders or None
        The log of all readers; None for one reader.
    about : MachineReader or ReadElsewhere
        The reader, and where the verdicts come from.
    included : mapping of str to bool
        Whether each document is included.
    ids : sequence of str
        Documents of the list; verdicts on others are left out.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If the name is none of the readers, it has verdicts of another kind already, or none of the documents is on the
        list.
    """
    if several is None:
        raise InputProblem(
            "Verdicts from a file need a session with several readers; set one up with all their names."
        )
    several.readers.check_reader(about.name)
    before = several.files.get(about.name)
    if several.read_by(about.name) and (before is None or before.kind != about.kind):
        raise InputProblem(
            f"{about.name} already has verdicts here, entered by hand or from another kind of file; choose another reader."
        )
    verdicts = {doc: "relevant" if included[doc] else "irrelevant" for doc in ids if doc in included}
    if not verdicts:
        raise InputProblem(
            f"None of the records of {about.source} is on this list; choose the column with the ids of an export."
        )
    return Event(about.kind, {**about.to_dict(), "verdicts": verdicts})


def opened_event(several: SeveralReaders | None, by: str) -> Event:
    """Event that shows everybody's verdicts to all readers; InputProblem without a name, or if there is only one reader."""
    if several is None or not by:
        raise InputProblem("Opening the verdicts of several readers needs a name; give yours first.")
    return Event("opened")


def resolved_report_event(several: SeveralReaders | None, by: str, doc: str, report: Report) -> Event:
    """Event that resolves a difference between readers of a full text.

    Parameters
    ----------
    several : SeveralReaders or None
        The log of all readers; None for one reader.
    by : str
        Name of the person who decides.
    doc, report : str, Report
        The document, and the entry that counts from now on.

    Returns
    -------
    Event
        The event, still to be recorded.

    Raises
    ------
    InputProblem
        If there is no name, readers do not differ on the report, or the entry says that it still waits to be read.
    """
    if several is None or doc not in several.in_full.read or not several.in_full.read[doc].differ:
        raise InputProblem("Readers do not differ on that report, so nothing was recorded.")
    if report.outcome == "waiting":
        raise InputProblem("Say what became of the report; one that still waits settles nothing.")
    if not by:
        raise InputProblem("First say under which name this is settled.")
    return Event(RESOLVED_REPORT, {"doc": doc, **report.to_dict()})
