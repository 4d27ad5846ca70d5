"""Sessions with a payload in every text that a person, a file or another program can bring."""

from dataclasses import replace

import numpy as np
import pandas as pd

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.documents.application import Application
from tarstop_core.documents.records import TEXT_COLUMNS, as_records
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.payoffs import Payoffs

FOREIGN = "foreign.example"
PAYLOAD = (
    f"![x](http://{FOREIGN}/x.png) [a](javascript:alert(1)) [b](http://{FOREIGN}) <img src=http://{FOREIGN}/y onerror=alert(1)> "
    f'<a href="http://{FOREIGN}">c</a> <script>alert(1)</script> :material/home: :red[r] $x$ `d` **e** http://{FOREIGN}'
)
RENDERED = ("![x](", "[a](java", "[b](http", " :material/home:", " :red[r]", "$x$", "`d`", "**e**")
"""What Markdown would make something of; escaped, it reads otherwise."""
N = 12
SEEN = FittedOn(name=PAYLOAD, topics=2, documents=100, relevant=4, simulated=True)
PATENT = Calibrator("rank", "patent", x=(0.0, 4.0), y=(0.3, 0.02), fitted_on=SEEN)
INCLUSION = Calibrator("rank", "inclusion", x=(0.0, 4.0), y=(0.6, 0.05), fitted_on=SEEN)
SETTINGS = PatentSettings(
    Payoffs(4000, 1000, 4000, 1000, PAYLOAD),
    5.0,
    calibrator=PATENT.digest,
    plus=f"Do {PAYLOAD}",
    minus=f"Not {PAYLOAD}",
    application=Application(PAYLOAD, "2003-03-03", family=PAYLOAD, applicant=PAYLOAD),
)
REVIEW = ReviewSettings(
    SETTINGS.payoffs,
    SETTINGS.cost,
    policy="optimal",
    calibrator=INCLUSION.digest,
    plus=SETTINGS.plus,
    minus=SETTINGS.minus,
    full_cost=50,
)


def _texts(at: int) -> dict[str, str]:
    known = {"id": f"d{at} {PAYLOAD}", "date": "2004-05", "label": "", "reason": "", "remark": ""}
    if at % 2:  # what an address may be made of
        known |= {
            "url": f'https://{FOREIGN}/" onerror="alert(1)',
            "doi": f'10.1000/"><img src=http://{FOREIGN}/z onerror=alert(1)>',
            "publication_number": f'EP1234567A1"><a href=http://{FOREIGN}>',
            "family": "",  # flagged by its dates
            "assignee": "",
        }
    elif at % 4:
        known |= {"url": "javascript:alert(1)", "priority_date": "2004-01-01"}
    return {name: known.get(name, PAYLOAD) for name in TEXT_COLUMNS}


def _collection(store: Store) -> str:
    for calibrator in (PATENT, INCLUSION):
        store.rename_calibrator(store.save_calibrator(calibrator), PAYLOAD)
    frame = as_records(pd.DataFrame([_texts(at) | {"score": float(N - at)} for at in range(N)]))
    files = [{"source": PAYLOAD, "records": N, "notes": [PAYLOAD], "understood": {PAYLOAD: "title"}}]
    return store.save_collection(PAYLOAD, frame, files, 0, simulated=True)


def _session(store: Store, settings: Settings) -> str:
    order, scores = list(range(N)), np.linspace(3, 1, N)
    return store.create_session(PAYLOAD, _collection(store), order, scores, settings, PAYLOAD, PAYLOAD)


def _log(store: Store, session: str, *events: Event) -> str:
    for event in events:
        store.append(session, replace(event, reviewer=PAYLOAD), expected=len(store.events(session)))
    return session


def _label(store: Store, session: str, at: int, verdict: str) -> Event:
    return Event("label", {"doc": store.session(session).ids[at], "label": verdict})


def patent_session(store: Store, decided: bool = False) -> str:
    """A plan, a deviation from it, notes and an unsure one; decided, too, where that is asked."""
    session = _session(store, SETTINGS)
    ids = store.session(session).ids
    first = ids[0]
    changed = replace(SETTINGS, payoffs=Payoffs(1000, 1000, 1000, 1000, PAYLOAD))
    _log(
        store,
        session,
        Event("families", {"members": {ids[at]: [PAYLOAD] for at in (0, 5)}}),
        Event("plan", {"settings": SETTINGS.to_dict(), "records": store.session(session).digest}),
        *(_label(store, session, at, "irrelevant") for at in range(4)),
        Event("settings", {"settings": changed.to_dict(), "reason": PAYLOAD}),
        _label(store, session, 4, "unsure"),
        Event("note", {"doc": first, "text": PAYLOAD}),
    )
    if decided:
        said = {
            "plus": False,
            "action": PAYLOAD,
            "advised": True,
            "advice": "go on",
            "depth": 5,
            "belief": 0.5,
        }
        said |= {"utility": 1000.0, "spent": 60.0, "reason": PAYLOAD}
        _log(store, session, Event("stopped", {"advice": "go on", "depth": 5}), Event("decided", said))
    return session


def review_session(store: Store) -> str:
    """A report with data, an exclusion, a report that waits."""
    session = _session(store, REVIEW)
    ids = store.session(session).ids
    data = Report(
        "data", study=PAYLOAD, rows=(AccuracyRow(PAYLOAD, 9, 1, 2, 8), AccuracyRow(PAYLOAD, 8, 2, 2, 7))
    )
    return _log(
        store,
        session,
        *(_label(store, session, at, "relevant") for at in range(3)),
        Event("report", {"doc": ids[0], **data.to_dict()}),
        Event("report", {"doc": ids[1], **Report("excluded", reason=PAYLOAD).to_dict()}),
        _label(store, session, 3, "irrelevant"),
    )
