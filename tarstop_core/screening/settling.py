"""What settles what several readers leave open: each function checks it and returns the event."""

from collections.abc import Mapping, Sequence

from tarstop_core.errors import InputProblem
from tarstop_core.screening.events import verdict
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.labels import Label
from tarstop_core.screening.log import Event
from tarstop_core.screening.several_readers import MachineReader, ReadElsewhere


def resolved_event(several: SeveralReaders | None, by: str, doc: str, label: Label, **more: str) -> Event:
    """The event that resolves what readers differ on.

    Parameters
    ----------
    several : SeveralReaders or None
        What they have said; None for one reader.
    by : str
        Who resolves it.
    doc, label : str
        The document, and the verdict that counts from now on.
    **more
        A `reason` why it is excluded, and a `note` on how that was settled.

    Returns
    -------
    Event
        To be recorded.

    Raises
    ------
    InputProblem
        When nobody has signed, readers do not differ on it, or the verdict settles nothing.
    """
    if several is None or doc not in several.judged or not several.judged[doc].differ:
        raise InputProblem("Readers do not differ on that document, so nothing was recorded.")
    _check(by, label)
    return Event("resolved", verdict(doc, label, **more))


def checked_event(several: SeveralReaders | None, by: str, doc: str, label: Label, **more: str) -> Event:
    """The event that judges one of the documents again that all excluded, drawn at random among them.

    Parameters
    ----------
    several, by, doc, label, **more
        As for :func:`resolved_event`.

    Returns
    -------
    Event
        To be recorded.

    Raises
    ------
    InputProblem
        When nobody has signed, it is not the next to be drawn, or the verdict settles nothing.
    """
    if several is None or doc not in several.excluded_by_all[: len(several.drawn) + 1]:
        raise InputProblem(
            "That document is not drawn among those that all excluded, so nothing was recorded."
        )
    _check(by, label)
    return Event("checked", verdict(doc, label, **more))


def file_event(
    several: SeveralReaders | None,
    about: MachineReader | ReadElsewhere,
    included: Mapping[str, bool],
    ids: Sequence[str],
) -> Event:
    """The event that takes in verdicts of one of the readers from a file: of a machine, or of a person who gave them elsewhere.

    Parameters
    ----------
    several : SeveralReaders or None
        What all have said; None for one reader.
    about : MachineReader or ReadElsewhere
        Whose they are, and what a report has to say of them.
    included : mapping
        By document: whether it is included.
    ids : sequence of str
        Documents of the list; of others nothing is recorded.

    Returns
    -------
    Event
        To be recorded.

    Raises
    ------
    InputProblem
        When it is none of the readers, a person has read under its name, or none of the documents is on the list.
    """
    if several is None:
        raise InputProblem(
            "Verdicts from a file are those of one of several readers; set up a session with all their names."
        )
    several.readers.check_reader(about.name)
    before = several.files.get(about.name)
    if several.read_by(about.name) and (before is None or before.kind != about.kind):
        raise InputProblem(
            f"{about.name} already has verdicts here, given by hand or from another kind of file; choose another reader."
        )
    verdicts = {doc: "relevant" if included[doc] else "irrelevant" for doc in ids if doc in included}
    if not verdicts:
        raise InputProblem(
            f"None of the records of {about.source} is on this list; choose the column that holds its ids, as an export has them."
        )
    return Event(about.kind, {**about.to_dict(), "verdicts": verdicts})


def opened_event(several: SeveralReaders | None, by: str) -> Event:
    """The event that opens everybody's verdicts to all; InputProblem when nobody has signed, or there is one reader."""
    if several is None or not by:
        raise InputProblem("Verdicts of several readers are opened under a name; give yours first.")
    return Event("opened")


def _check(by: str, label: Label) -> None:
    if label not in ("relevant", "irrelevant"):
        raise InputProblem("What readers leave open is settled by including the document or excluding it.")
    if not by:
        raise InputProblem("Say first under which name this is settled.")
