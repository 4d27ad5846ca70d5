"""The documents of a new session. Uploads are read and stored at once, completely or not at all."""

import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import shell
from dashboard.frame.markup import badges, bullets
from dashboard.frame.waiting import LARGE_FILE, LARGE_LIST, shown, stored
from dashboard.frame.widgets import ask_for_files, lasting, one_of, radio
from dashboard.frame.work import button, kept, say
from dashboard.parts import imports, jobs
from dashboard.parts.imports import PREFIX
from tarstop_core.documents.merging import Proposal, as_stored, merge_as_chosen, propose
from tarstop_core.errors import InputProblem
from tarstop_core.files import FORMATS, RecordTable, UnrecognisedColumns
from tarstop_core.files.labelled_lists import ABSTRACT_LABELS
from tarstop_core.files.source import check_held
from tarstop_core.presentation.numbers import count_of
from tarstop_core.samples.collections import REVIEWS, TRIALS, sample_reviews, sample_topics
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.scenarios.effect import EFFECT
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.sessions.create import ChosenDocuments
from tarstop_core.sessions.demo import sample, sample_review
from tarstop_core.sessions.learning import forget_features
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import Collection

MAPPED = {"title": "Title", "abstract": "Abstract", "id": "Identifier", "date": "Date", "score": "Score"}
KINDS = [*(suffix.lstrip(".") for each in FORMATS for suffix in each.suffixes), "txt", "gz", "zip"]
LARGE = 5_000_000
"""Bytes of new files above which "Cancel" is offered while they are read."""
BY = " by "
"""Separates the id of an upload from the columns that a person chose for it, in keys."""

SOURCE, OWN = f"{PREFIX}/source", "upload"
"""Key of the choice between sample, own files and earlier import; and its value for own files."""


@dataclass
class Upload:
    """An uploaded file, and its table or the problem with it."""

    file: UploadedFile
    table: RecordTable | None = None
    problem: InputProblem | None = None
    columns: dict[str, str] | None = None
    """The fields of its columns, if a person had to say which one holds the titles."""

    @property
    def records(self) -> RecordTable:
        """The table, once it could be read."""
        return cast(RecordTable, self.table)

    def read(self, columns: dict[str, str] | None = None) -> None:
        """Read the file, showing progress."""
        name, content = self.file.name, self.file.getvalue()  # Makes no copy
        others = st.session_state[f"{PREFIX}/read"].values()
        held = sum(len(read.table.frame) for read in others if read.table is not None and read is not self)
        how: dict[str, Any] = {"in_words": lambda *done: done, "large": self.file.size > LARGE_FILE}
        try:
            table = shown(name, f"Reading {name}", jobs.records_in, content, name, columns, **how)
            check_held(name, held + len(table.frame))
            self.table, self.columns, self.problem = table, columns, None
        except InputProblem as problem:
            self.problem = problem


def choose(scenario: Scenario, abstracts: bool = False) -> ChosenDocuments | None:
    """Ask for documents; None until some can be used.

    With `abstracts`, the default labels of a file with two verdicts are those on title and abstract, not the final ones.
    """
    store = shell.store()
    earlier = [row for row in store.collections() if not row.simulated]
    # Labels are the same in every scenario, because an option with a new label would lose the choice.
    sources = {"sample": "A sample"} if scenario.sample else {}
    sources |= {OWN: "My own files"} | ({"earlier": "An earlier import"} if earlier else {})
    source = radio("Which documents?", sources, horizontal=True, **lasting(SOURCE))
    if source == "sample":
        return SAMPLES[scenario.sample]()
    return _uploaded(store, abstracts) if source == OWN else _earlier(store, earlier)


def _sample() -> ChosenDocuments:
    simulated = "All patents and companies are invented."
    return sample(_one_of_samples("Search", sample_topics(), simulated, key=f"{PREFIX}/topic"))


def _sample_review(collection: str, simulated: str) -> ChosenDocuments:
    reviews = sample_reviews(collection)
    topic = _one_of_samples("Review", reviews, simulated, key=f"{PREFIX}/{collection}")
    shell.caption(f"Included are {reviews.set_index('topic')['criteria'][topic]}")
    return sample_review(topic, collection)


def _one_of_samples(label: str, samples: pd.DataFrame, simulated: str, key: str) -> str:
    rows = samples[["topic", "title", "documents"]].to_dict("records")
    titles = {row["topic"]: f"{row['title']!s} · {row['documents']} documents" for row in rows}
    topic = one_of(label, titles, **lasting(key), label_visibility="collapsed")
    st.html(f'{badges("simulated documents")} <span class="tar-meta">{simulated}</span>')
    return topic


SAMPLES: dict[str, Callable[[], ChosenDocuments]] = {
    PATENT.sample: _sample,
    REVIEW.sample: partial(_sample_review, REVIEWS, "All studies, tests and authors are invented."),
    EFFECT.sample: partial(_sample_review, TRIALS, "Texts are invented; counts come from published trials."),
}
"""Choice of a sample, by the scenario's word for its samples."""


def _earlier(store: Store, rows: Sequence[Collection]) -> ChosenDocuments:
    titles = {row.id: f"{row.name} · {row.documents:,} documents · {row.created[:10]}" for row in rows}
    chosen = one_of("Import", titles, **lasting(f"{PREFIX}/earlier"))
    row = next(row for row in rows if row.id == chosen)
    documents = _from_store(store, row)
    imports.preview(documents.frame)

    def delete() -> None:
        store.delete_collection(row.id)
        forget_features(store)
        st.session_state.pop(f"{PREFIX}/earlier", None)
        if imported() == row.id:
            del st.session_state[f"{PREFIX}/imported"]
        say(f"{row.name} is deleted.")

    if "manage" not in store.actions("collection", row.id):
        return documents
    with st.popover("Delete this import", icon=":material/delete:", key=f"{PREFIX}/delete/{chosen}"):
        st.write(f"This deletes {count_of(len(documents.frame))}. You cannot undo it.")
        button("Delete for good", delete, key=f"{PREFIX}/deleted/{chosen}")
    return documents


def _from_store(store: Store, row: Collection) -> ChosenDocuments:
    """The documents of a collection, which are cached while it stays chosen."""

    def documents() -> ChosenDocuments:
        large = row.documents > LARGE_LIST
        words = f"Opening {count_of(row.documents)}"
        job = (jobs.in_store, jobs.reached(store, large), Store.records, row.id)
        records = shown(row.name, words, *job, large=large)
        return ChosenDocuments(row.id, row.name, records, row.query, row.simulated, row.id)

    return kept(f"{PREFIX}/held", row.id, documents)


def _uploaded(store: Store, abstracts: bool) -> ChosenDocuments | None:
    state = st.session_state
    read: dict[str, Upload] = state.setdefault(f"{PREFIX}/read", {})
    files = ask_for_files(
        "Files that together make one list",
        type=KINDS,
        accept_multiple_files=True,
        key=f"{PREFIX}/files/{state.get(f'{PREFIX}/round', 0)}",
        # Marks that the person removed files; after a visit to another page the uploads are gone as well.
        on_change=state.update,
        args=({f"{PREFIX}/touched": True},),
    )
    if files is None:
        return None
    if not files:
        read.clear()
        if state.pop(f"{PREFIX}/touched", False):
            _forget_import(store)
        return _still_there(store)
    state.pop(f"{PREFIX}/touched", None)

    here = {file.file_id for file in files}
    for key in [key for key in read if key.partition(BY)[0] not in here]:
        del read[key]  # Files that were taken away
    new = [file for file in files if file.file_id not in read]
    cancel = st.empty()
    if sum(file.size for file in new) > LARGE:
        button("Cancel", _start_over, key=f"{PREFIX}/cancel", at=cancel)
    for file in new:
        read[file.file_id] = Upload(file)
        read[file.file_id].read()
    uploads = dict(_as_wanted(file.file_id, read, abstracts) for file in files)
    broken = [upload for upload in uploads.values() if upload.table is None]
    for file_id, upload in uploads.items():
        if isinstance(upload.problem, UnrecognisedColumns):
            key = f"{PREFIX}/map/{file_id}"
            imports.ask(upload.problem, MAPPED, {"title"}.issubset, upload.read, key)
        elif upload.problem is not None:
            shell.problem_box(upload.problem)
    if broken:
        cancel.empty()
        if len(uploads) > 1 or not isinstance(broken[0].problem, UnrecognisedColumns):
            st.caption("Nothing has been imported yet. Remove or fix what cannot be read.")
        return None
    proposal, frames = _proposal(uploads), [upload.records.frame for upload in uploads.values()]
    # Matches are merged as proposed until a person chooses otherwise.
    chosen_for, wanted = state.get(f"{PREFIX}/chosen", (None, frozenset()))
    if chosen_for != tuple(uploads):
        wanted = proposal.by_default
    row = store.collection(_import(store, uploads, proposal, wanted))
    cancel.empty()
    documents = _from_store(store, row)
    _understood({key.partition(BY)[0]: upload.records for key, upload in uploads.items()}, store, row)
    key = f"{PREFIX}/merging/{hash((tuple(uploads), wanted))}"
    if (chosen := imports.review(proposal, frames, wanted, key)) is not None:
        state[f"{PREFIX}/chosen"] = (tuple(uploads), chosen)
        st.rerun()  # Imports again
    imports.preview(documents.frame)
    return documents


def _as_wanted(file_id: str, read: dict[str, Upload], abstracts: bool) -> tuple[str, Upload]:
    """Read an upload with the columns that a person chose; return its key and the upload."""
    upload = read[file_id]
    if upload.table is None:
        return file_id, upload
    corrected = imports.corrected(file_id)
    verdict = {} if "label" in corrected.values() else _verdict(file_id, upload, abstracts)
    key, chosen = _read_as(file_id, read, corrected | verdict)
    if chosen.table is None:
        shell.problem_box(f"{chosen.problem} The file stays as it was read before.")
        key, chosen = _read_as(file_id, read, imports.taken_back(file_id) | verdict)
    return key, chosen


def _read_as(file_id: str, read: dict[str, Upload], wanted: dict[str, str]) -> tuple[str, Upload]:
    """Read an upload with these columns unless that is done already; return its key and the upload."""
    upload = read[file_id]
    if not wanted:
        return file_id, upload
    key = f"{file_id}{BY}{json.dumps(wanted, sort_keys=True)}"
    if key not in read:
        for earlier in [key for key in read if key.startswith(f"{file_id}{BY}")]:
            del read[earlier]
        read[key] = Upload(upload.file)
        read[key].read({**(upload.columns or {}), **wanted})
    return key, read[key]


def _verdict(file_id: str, upload: Upload, abstracts: bool) -> dict[str, str]:
    """Ask for the column of labels if a file holds two verdicts; return it if it is not the one that was read."""
    table = upload.records
    by_abstract = next((name for name in ABSTRACT_LABELS if name in (*table.understood, *table.unread)), None)
    final = next((theirs for theirs, ours in table.understood.items() if ours == "label"), None)
    if by_abstract is None or final is None or final == by_abstract:
        return {}
    words = {by_abstract: "On title and abstract", final: "In the end"}
    wanted = radio(
        shell.escape_label(f"{upload.file.name} holds two verdicts. Which are its labels?"),
        {column: shell.escape_label(f"{label} ({column})") for column, label in words.items()},
        first=by_abstract if abstracts else final,
        horizontal=True,
        **lasting(f"{PREFIX}/verdict/{file_id}/{abstracts}"),
        help="A review in two stages judges the first column first; the second is the result after full texts.",
    )
    return {} if wanted == final else {by_abstract: "label"}


def _files(signature: Sequence[str]) -> set[str]:
    """The uploads of an import, whichever columns they were read with."""
    return {key.partition(BY)[0] for key in signature}


def _start_over() -> None:
    """Cancel: drop the files that are being read, and delete what was already stored of them."""
    state, number = st.session_state, st.session_state.get(f"{PREFIX}/round", 0)
    in_hand = {file.file_id for file in state.get(f"{PREFIX}/files/{number}") or []}
    before = state.get(f"{PREFIX}/imported")
    if before is not None and in_hand & _files(before[0]):
        _forget_import(shell.store())
    state[f"{PREFIX}/round"] = number + 1
    state[f"{PREFIX}/read"] = {}
    say("Cancelled: nothing of these files was imported.")


def imported() -> str:
    """The id of the collection that was imported in this tab; "" if there is none."""
    return str((st.session_state.get(f"{PREFIX}/imported") or ("", ""))[1])


def put_back(collection_id: str) -> None:
    """Make an earlier import, whose files are gone, the import of this tab."""
    st.session_state[f"{PREFIX}/imported"] = ((), collection_id)


def _still_there(store: Store) -> ChosenDocuments | None:
    row = next((collection for collection in store.collections() if collection.id == imported()), None)
    if row is None:
        return None
    documents = _from_store(store, row)
    shell.caption(f"{documents.name}: {len(documents.frame):,} documents, imported before.")
    imports.databases(store, row)
    with st.expander("What was understood, column by column", key=f"{PREFIX}/understood"):
        imports.listed([file for file in row.files if "understood" in file])  # The others describe merging
    imports.preview(documents.frame)
    return documents


def _import(store: Store, uploads: dict[str, Upload], proposal: Proposal, wanted: frozenset[int]) -> str:
    """Merge and store the files once; new files, or another choice of what to merge, replace the import."""
    state = st.session_state
    before: tuple[tuple[str, ...], str] | None = state.get(f"{PREFIX}/imported")
    signature = tuple(uploads)
    if before is not None and before[0] == signature and state.get(f"{PREFIX}/merged") == wanted:
        return before[1]
    tables = [upload.records for upload in uploads.values()]
    merged = merge_as_chosen([table.frame for table in tables], proposal, wanted)
    name = collection_name([table.source for table in tables])
    files = [table.described for table in tables]
    if proposal.matches:
        files.append(as_stored(proposal, wanted))
    words, large = f"Storing {count_of(len(merged.frame))}", len(merged.frame) > LARGE_LIST
    job = (jobs.stored, jobs.reached(store, large), name, merged.frame, files)
    collection_id, new = shown(name, words, *job, in_words=stored, large=large)
    state[f"{PREFIX}/imported"] = (signature, collection_id)
    if new:
        state.setdefault(f"{PREFIX}/new", set()).add(collection_id)
    state[f"{PREFIX}/merged"] = wanted
    state[f"{PREFIX}/merge_notes"] = merged.notes
    if before is not None and _files(before[0]) & _files(signature):
        # The question stays when files are added to the list or merged differently.
        state[f"set_up/query/{collection_id}"] = state.get(f"set_up/query/{before[1]}", "")
        _delete_unused(store, before[1])
    return collection_id


def _proposal(uploads: dict[str, Upload]) -> Proposal:
    """Find the certain and possible duplicates among these files, once."""
    frames = [upload.records.frame for upload in uploads.values()]
    large = sum(map(len, frames)) > LARGE_LIST
    job = partial(shown, "This list", "Looking for documents that occur twice", propose, frames, large=large)
    return kept(f"{PREFIX}/proposal", tuple(uploads), job)


def collection_name(files: Sequence[str]) -> str:
    """Name an import.

    >>> collection_name(["a.csv"]), collection_name(["a.csv", "b.ris", "c.ris"])
    ('a.csv', 'a.csv and 2 more')
    """
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"


def _forget_import(store: Store) -> None:
    _delete_unused(store, imported())
    st.session_state.pop(f"{PREFIX}/imported", None)


def _delete_unused(store: Store, collection_id: str) -> None:
    """Delete an import, unless a session uses it or it was stored before this tab imported the same."""
    if collection_id in st.session_state.get(f"{PREFIX}/new", ()):
        with contextlib.suppress(InputProblem):
            store.delete_collection(collection_id)


def _understood(read: dict[str, RecordTable], store: Store, row: Collection) -> None:
    """Show how each upload was read, column by column, with remarks."""
    tables = list(read.values())
    parts = ", ".join(f"{table.described['records']:,} from {table.source}" for table in tables)
    merged = f"; {row.duplicates:,} merged as duplicates" if row.duplicates else ""
    whence = f" ({parts}{merged})" if merged or len(tables) > 1 else f" from {tables[0].source}"
    imported = f"{count_of(row.documents)} imported{whence}."
    st.success(shell.escape_markdown(imported), icon=":material/check:")
    several = len(tables) > 1
    notes = [f"{table.source}: {note}" if several else note for table in tables for note in table.notes]
    notes += st.session_state.get(f"{PREFIX}/merge_notes", ())
    if notes:
        st.html(bullets(notes, "tar-meta tar-notes"))
    imports.databases(store, row)
    with st.expander("What was understood, column by column", key=f"{PREFIX}/understood"):
        imports.listed([table.described for table in tables])
        for file_id, table in read.items():
            imports.correct(file_id, table)
