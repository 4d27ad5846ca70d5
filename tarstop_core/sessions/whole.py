"""Everything a session rests on, read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.application import Flag, flagged
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import chances
from tarstop_core.screening.provenance import Provenance, provenance
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import settings_rows
from tarstop_core.screening.state import State
from tarstop_core.screening.trace import calibrators_named, trace
from tarstop_core.sessions.prisma import Prisma, prisma
from tarstop_core.sessions.store.rows import CollectionRow, SessionRow
from tarstop_core.sessions.store.store import Store


@dataclass(frozen=True, eq=False)
class WholeSession:
    """A session with all it rests on; what follows from its log is computed once, when it is asked for."""

    stored: SessionRow
    collection: CollectionRow
    events: list[Event]
    documents: pd.DataFrame  # Its records in the order in which the collection holds them
    calibrators: Mapping[str, Calibrator]  # By digest: every one that its settings ever named

    @cached_property
    def state(self) -> State:
        """Where it stands."""
        return replay(self.stored.settings, self.stored.ids, self.events)

    @cached_property
    def came(self) -> Provenance:
        """What of its log came in a session file."""
        return provenance(self.events)

    @cached_property
    def row(self) -> SessionRow:
        """The session with its documents in the order of reading."""
        return self.stored.as_read(self.state)

    @cached_property
    def records(self) -> pd.DataFrame:
        """In the order of reading."""
        return self.documents.iloc[self.row.order].reset_index(drop=True)

    @cached_property
    def records_aside(self) -> pd.DataFrame:
        """Those that were set aside unread, in the order in which that was done."""
        aside = list(self.state.aside)
        return self.documents[self.documents["id"].isin(aside)].set_index("id").loc[aside].reset_index()

    @cached_property
    def steps(self) -> list[dict[str, Any]]:
        """The advice at each document read, as :func:`tarstop_core.screening.trace.trace` gives it."""
        stored = self.stored
        return trace(stored.settings, self.calibrators, stored.ids, stored.scores, self.events)

    def chances(
        self, settings: Settings, state: State | None = None
    ) -> tuple[Calibrator, NDArray[np.float64]]:
        """The calibrator of these settings and the chance of every document, now or in another state."""
        calibrator = self.calibrators[settings.calibrator]
        return calibrator, chances(settings, calibrator, self.stored.scores, state or self.state)

    @cached_property
    def advice(self) -> Advice:
        """The advice now."""
        return advise(self.state.settings, *self.chances(self.state.settings), self.state)

    @property
    def files(self) -> list[Mapping[str, Any]]:
        """The files that say how many records they held."""
        return [file for file in self.collection.files if "source" in file and "records" in file]

    @cached_property
    def prisma(self) -> Prisma:
        """The counts of its flow diagram."""
        left_out = self.row.settings.held_against.left_out + len(self.state.aside)
        return prisma(self.files, self.collection.duplicates, self.state, left_out, self.family_members)

    @property
    def family_members(self) -> int:
        """Documents of the collection for which another member of their patent family stands."""
        on_list = len(self.row.ids) + len(self.state.aside)
        return self.collection.documents - on_list - self.row.settings.held_against.left_out

    @cached_property
    def flags(self) -> list[tuple[Flag, ...]]:
        """What speaks against each document of a patent session, in screening order."""
        return flagged(self.state.settings.held_against, self.records, self.state.also)

    def in_words(self, settings: Settings) -> list[tuple[str, str]]:
        """Settings of this session as rows: name and value."""
        return settings_rows(settings, self.calibrators[settings.calibrator])


def whole_session(store: Store, session_id: str) -> WholeSession:
    """Load a session with its documents; InputProblem when there is none with this id."""
    # In this order: documents may join meanwhile, and those of a shorter log are among those of a longer list.
    events = store.events(session_id)
    row = store.session(session_id)
    calibrators = {
        digest: store.calibrator(digest) for digest in sorted(calibrators_named(row.settings, events))
    }
    collection, documents = store.collection(row.collection_id), store.records(row.collection_id)
    return WholeSession(row, collection, events, documents, calibrators)
