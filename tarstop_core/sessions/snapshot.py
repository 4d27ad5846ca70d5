"""A snapshot of a session for reports and exports: all its documents are loaded at once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.application import Flag, flagged
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import settings_rows
from tarstop_core.screening.state import State
from tarstop_core.screening.trace import calibrators_named
from tarstop_core.sessions.agreeing import counted_apart, missed
from tarstop_core.sessions.calibrator_library import ratios_of_others
from tarstop_core.sessions.lazy_session import Session
from tarstop_core.sessions.prisma import Prisma, prisma
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Floats


@dataclass(eq=False)
class SessionSnapshot(Session):
    """A session with all its documents and calibrators in memory; nothing is loaded later."""

    documents: pd.DataFrame  # Records of its collection, in the collection's order
    calibrators: Mapping[str, Calibrator]  # By digest: all that its settings ever named
    others: tuple[Floats, ...] = ()  # Evidence of other sessions in the store against the chances in force
    several: SeveralReaders | None = None  # The log of all readers; None with one reader

    @cached_property
    def state(self) -> State:
        """The state of the session; with several readers, including what they overlooked."""
        state = super().state
        return state if self.several is None else replace(state, overlooked=missed(self.several))

    def calibrator(self, digest: str) -> Calibrator:
        return self.calibrators[digest]

    @cached_property
    def advice_now(self) -> Advice:
        """The advice under the settings in force."""
        return self.advice(self.state.settings)

    @cached_property
    def records(self) -> pd.DataFrame:
        """Records of the list in the order of reading."""
        return self.documents.iloc[self.row.order].reset_index(drop=True)

    @cached_property
    def records_aside(self) -> pd.DataFrame:
        """Records of the documents set aside unread, in the order in which they were set aside."""
        aside = list(self.state.aside)
        return self.documents[self.documents["id"].isin(aside)].set_index("id").loc[aside].reset_index()

    @property
    def files(self) -> list[Mapping[str, Any]]:
        """Descriptions of the imported files that say how many records they contained."""
        return [file for file in self.collection.files if "source" in file and "records" in file]

    @cached_property
    def prisma(self) -> Prisma:
        """Counts of the flow diagram."""
        left_out = self.row.settings.application.left_out + len(self.state.aside)
        counts = prisma(self.files, self.collection.duplicates, self.state, left_out, self.family_members)
        return counts if self.several is None else replace(counts, apart=counted_apart(self.several))

    @property
    def family_members(self) -> int:
        """Number of documents left out of the list because another member of their patent family is on it."""
        on_list = len(self.row.ids) + len(self.state.aside)
        return self.collection.documents - on_list - self.row.settings.application.left_out

    @cached_property
    def flags(self) -> list[tuple[Flag, ...]]:
        """Flags of each document in the order of reading; in patents, such as that it is too late."""
        return flagged(self.state.settings.application, self.records, self.state.other_family_members)

    def in_words(self, settings: Settings) -> list[tuple[str, str]]:
        """Settings of this session as rows of name and value."""
        return settings_rows(settings, self.calibrators[settings.calibrator])


def session_snapshot(store: Store, session_id: str) -> SessionSnapshot:
    """Load a session with all its documents; InputProblem if there is none with this id."""
    # The log first: if documents join meanwhile, the longer list still has all documents of the shorter log.
    log = store.log(session_id)
    stored = store.session(session_id)
    several = SeveralReaders(stored.settings.readers, log) if stored.settings.readers.names else None
    events = log if several is None else several.common
    calibrators = {
        digest: store.calibrator(digest) for digest in sorted(calibrators_named(stored.settings, events))
    }
    collection, documents = store.collection(stored.collection_id), store.records(stored.collection_id)
    snapshot = SessionSnapshot(stored, collection, events, documents, calibrators, several=several)
    snapshot.others = ratios_of_others(store, snapshot.state.settings, session_id)
    return snapshot
