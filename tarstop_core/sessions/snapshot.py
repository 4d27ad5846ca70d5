"""A snapshot of a session with all its documents; nothing is loaded later."""

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
    """A snapshot of a session with its documents and calibrators; nothing is loaded later."""

    documents: pd.DataFrame  # Its records in the order in which the collection holds them
    calibrators: Mapping[str, Calibrator]  # By digest: every one that its settings ever named
    others: tuple[Floats, ...] = ()  # Evidence of other sessions in its store against the chances in force
    several: SeveralReaders | None = None  # The log of several readers

    @cached_property
    def state(self) -> State:
        """The state of the session; with several readers, including what they overlooked."""
        state = super().state
        return state if self.several is None else replace(state, overlooked=missed(self.several))

    def calibrator(self, digest: str) -> Calibrator:
        """Return a calibrator that the settings named at some time."""
        return self.calibrators[digest]

    @cached_property
    def advice_now(self) -> Advice:
        """The advice under the settings in force."""
        return self.advice(self.state.settings)

    @cached_property
    def records(self) -> pd.DataFrame:
        """Its records in the order of reading."""
        return self.documents.iloc[self.row.order].reset_index(drop=True)

    @cached_property
    def records_aside(self) -> pd.DataFrame:
        """The documents that were set aside unread, in the order in which that was done."""
        aside = list(self.state.aside)
        return self.documents[self.documents["id"].isin(aside)].set_index("id").loc[aside].reset_index()

    @property
    def files(self) -> list[Mapping[str, Any]]:
        """The files that say how many records they held."""
        return [file for file in self.collection.files if "source" in file and "records" in file]

    @cached_property
    def prisma(self) -> Prisma:
        """The counts of its flow diagram."""
        left_out = self.row.settings.application.left_out + len(self.state.aside)
        counts = prisma(self.files, self.collection.duplicates, self.state, left_out, self.family_members)
        return counts if self.several is None else replace(counts, apart=counted_apart(self.several))

    @property
    def family_members(self) -> int:
        """Documents of the collection for which another member of their patent family stands."""
        on_list = len(self.row.ids) + len(self.state.aside)
        return self.collection.documents - on_list - self.row.settings.application.left_out

    @cached_property
    def flags(self) -> list[tuple[Flag, ...]]:
        """The flags of each document of a patent session, in screening order."""
        return flagged(self.state.settings.application, self.records, self.state.other_family_members)

    def in_words(self, settings: Settings) -> list[tuple[str, str]]:
        """Return settings of this session as rows: name and value."""
        return settings_rows(settings, self.calibrators[settings.calibrator])


def session_snapshot(store: Store, session_id: str) -> SessionSnapshot:
    """Load a session with its documents; InputProblem when there is none with this id."""
    # In this order, because documents may join meanwhile: a longer list has all documents of a shorter log.
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
