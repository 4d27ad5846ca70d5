"""A list with its chances, labels and 2×2 tables, as files and as a session have it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import tarstop_core as ts
from tarstop_core.documents.records import as_records
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Store
from tests.cli.shell import Run

N = 60
IDS = [f"d{at}" for at in range(N)]
FOUND_AT = [1, 4, 9, 33]
RELEVANT = np.isin(np.arange(N), FOUND_AT)
TABLES = pd.DataFrame(
    [(38, 4, 3, 60), (30, 9, 12, 44), (25, 2, 4, 70), (20, 2, 3, 9)], columns=["TP", "FP", "FN", "TN"]
).assign(study=list("abcd"))
STAKES = ts.Stakes(ts.Payoffs(B=4000, L_r=1000, L_g=4000, G=1000, unit="£"), cost=20.0)


def so_far(depth: int) -> pd.DataFrame:
    """The tables of the first documents."""
    return TABLES[: int(RELEVANT[:depth].sum())]


def a_session(store: Store, settings: Settings, calibrator: ts.Calibrator) -> OpenSession:
    """A session on the list of which nothing was read."""
    store.save_calibrator(calibrator.calibrator_)
    frame = as_records({"id": IDS, "title": [f"Title {at}" for at in range(N)]})
    collection = store.save_collection("List", frame, [], 0)
    own = replace(settings, calibrator=calibrator.calibrator_.digest)
    return OpenSession.load(
        store, store.create_session("S", collection, range(N), None, own, "", "own order")
    )


def read_next(session: OpenSession, relevant: bool) -> None:
    """Label the next document and, where it is a report with data, enter its table."""
    doc = session.row.ids[session.state.depth]
    session.label(doc, "relevant" if relevant else "irrelevant", seen=session.state.seq)
    if relevant and session.state.settings.reads_full_texts:
        row = TABLES.iloc[session.state.relevant - 1]
        table = AccuracyRow(str(row["study"]), *(int(row[cell]) for cell in ("TP", "FP", "FN", "TN")))
        report = Report("data", rows=(table,))
        session.record(Event("report", {"doc": doc, **report.to_dict()}), seen=session.state.seq)


def replayed(
    tarstop: Run, folder: Path, calibrator: ts.Calibrator, relevant: np.ndarray, scenario: str, *more: object
) -> dict[str, object]:
    """What ``tarstop replay`` says of the list."""
    (folder / "a.run").write_text(
        "".join(f"T Q0 {doc} {rank} {-rank} x\n" for rank, doc in enumerate(IDS, start=1)), encoding="utf-8"
    )
    (folder / "a.qrels").write_text(
        "".join(f"T 0 {doc} {int(hit)}\n" for doc, hit in zip(IDS, relevant, strict=True)), encoding="utf-8"
    )
    placed = TABLES.assign(topic="T", outcome="1", docid=[IDS[at] for at in FOUND_AT])
    placed.to_csv(folder / "tables.csv", index=False)
    calibrator.save(folder / "own.json")
    reviews = ("--tables", folder / "tables.csv") if scenario == "review" else ()
    (topic,) = tarstop(
        *("replay", folder / "a.run", folder / "a.qrels", "--calibrator", folder / "own.json"),
        *("--scenario", scenario, *reviews, *more, "--json"),
    ).json["topics"]
    return dict(topic)
