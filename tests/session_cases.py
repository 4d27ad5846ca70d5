"""A patent session and a review with everything that a report or an export has to carry."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.documents.records import as_records
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs

SEEN = FittedOn(name="tests", topics=2, documents=100, relevant=4, simulated=True)
PATENT = Calibrator("rank", "patent", x=(0.0, 4.0), y=(0.3, 0.02), fitted_on=SEEN)
INCLUSION = Calibrator("rank", "inclusion", x=(0.0, 4.0), y=(0.6, 0.05), fitted_on=SEEN)
START = PatentSettings(Payoffs(4000, 1000, 4000, 1000, "£"), 5.0, calibrator=PATENT.digest)
REVIEW = ReviewSettings(
    START.payoffs,
    START.cost,
    calibrator=INCLUSION.digest,
    full_cost=50,
    plus="Adopt",
    minus="Don't adopt",
)
EVIL = "=HYPERLINK(\"http://evil.example\") </script><script>alert('$x$')</script>"
NOTE = "+1 see\nER  - \n<img src=http://evil.example/x.png>"
N = 30
IDS = [f"d{at}" for at in range(N)]


def a_collection(store: Store) -> str:
    store.save_calibrator(PATENT)
    store.save_calibrator(INCLUSION)
    frame = as_records(
        pd.DataFrame(
            {
                "id": IDS,
                "title": [EVIL, "-Minus", "@at", "\tTab", *(f"Title {at}" for at in range(4, N))],
                "abstract": ["Two\nlines\x0b"] * N,
                "authors": ["Lee, J.; Kim, S."] * N,
                "date": ["2004-05"] * N,
                "doi": ["10.1000/x"] + [""] * (N - 1),
                "pmid": ["", "123456"] + [""] * (N - 2),
                "publication_number": ["", "", "EP1234567A1"] + [""] * (N - 3),
                **dict.fromkeys(("assignee", "priority_date", "filing_date", "grant_date"), [EVIL] * N),
                "source": ["a.ris"] * 20 + ["b.csv"] * 10,
                "score": np.linspace(3, 1, N),
            }
        )
    )
    files = [{"source": "a.ris", "records": 22}, {"source": "b.csv", "records": 11}]
    return store.save_collection("Search", frame, files, 3, simulated=True)


def log(store: Store, session: str, *events: Event) -> None:
    for event in events:
        store.append(session, replace(event, reviewer="Ann <b>"), expected=len(store.events(session)))


def label(at: int, verdict: str) -> Event:
    return Event("label", {"doc": IDS[at], "label": verdict})


def a_patent_session(store: Store) -> str:
    """Twelve documents, a plan and a deviation, an unsure one, a confirmed hit, a decision."""
    collection = a_collection(store)
    session = store.create_session(
        "Hinge <i>", collection, list(range(N)), np.linspace(3, 1, N), START, EVIL, "By likeness."
    )
    changed = replace(START, payoffs=Payoffs(1000, 1000, 1000, 1000, "£"))
    log(
        store,
        session,
        Event("plan", {"settings": START.to_dict(), "records": store.session(session).digest}),
        *(label(at, "irrelevant") for at in range(10)),
        Event("settings", {"settings": changed.to_dict(), "reason": "The office <asked> for it"}),
        label(10, "unsure"),
        Event("note", {"doc": IDS[0], "text": NOTE}),
        label(11, "relevant"),
        Event("confirm", {"doc": IDS[11], "holds": True}),
        Event("stopped", {"advice": "found", "depth": 12}),
        Event(
            "decided",
            {"plus": True, "action": "Reject", "advised": True, "advice": "found", "depth": 12, "belief": 1.0}
            | {"utility": 1000.0, "spent": 60.0, "reason": "Figure 3 & 4"},
        ),
    )
    return session


def a_review(store: Store) -> str:
    """Eight documents: data, an exclusion, a report that waits."""
    collection = a_collection(store)
    session = store.create_session("Review", collection, list(range(N)), None, REVIEW, "a test", "own order")
    data = Report("data", study="Lee", rows=(AccuracyRow("Lee", 9, 1, 2, None),))
    out = Report("excluded", reason="wrong <test>")
    log(
        store,
        session,
        label(0, "relevant"),
        Event("report", {"doc": IDS[0], **data.to_dict()}),
        label(1, "relevant"),
        Event("report", {"doc": IDS[1], **out.to_dict()}),
        *(label(at, "irrelevant") for at in range(2, 7)),
        label(7, "relevant"),
    )
    return session


def change(store: Store, table: str, how: str) -> None:
    """Damage what is stored, behind the store's back."""
    with store.write() as session:
        connection = session.connection()
        if connection.dialect.name == "postgresql":
            if "settings = x" in how:
                pytest.skip("PostgreSQL holds no bytes in a column of text")
            how = re.sub("x'([0-9a-f]+)'", r"'\\x\1'::bytea", how)
        connection.exec_driver_sql(f"UPDATE {table} SET {how}")


def before_import(text: str) -> str:
    """A session file as it was before it was imported: without the line of its log that says so."""
    shorter = re.sub(r',?\n\{"seq": \d+, [^\n]*"kind": "imported", [^\n]*(?=\n\]\n\}\n$)', "", text)
    assert shorter != text
    return shorter.replace('"log": [\n]', '"log": []')
